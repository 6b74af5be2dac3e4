//! race-free

#[device]
fn borrow(_numbers: &mut [i32]) {}

#[kernel(workgroup_size(64))]
fn k(x: &mut [i32], y: &mut [i32]) {
    if x[0] > 10 {
        borrow(x);
    } else {
        borrow(y);
    }
}
