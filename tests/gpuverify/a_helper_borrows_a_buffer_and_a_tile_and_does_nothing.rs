//! race-free

#[device]
fn borrow(_numbers: &mut [i32]) {}

#[kernel(workgroup_size(64))]
fn k(x: &mut [i32]) {
    #[shared]
    let tile: [i32; 10];
    borrow(x);
    borrow(&mut tile);
}
