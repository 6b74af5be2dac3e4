//! race-free

#[device]
fn borrow(_numbers: &mut [i32]) {}

#[device]
fn borrow_array<const N: usize>(_numbers: &mut [i32; N]) {}

#[kernel(workgroup_size(64))]
fn k(x: &mut [i32], y: &mut [i32]) {
    #[shared]
    let large: [i32; 100];
    #[shared]
    let small: [i32; 50];
    borrow(x);
    borrow_array(&mut large);
    borrow(y);
    if y[0] != 0 {
        borrow_array(&mut small);
    }
}
