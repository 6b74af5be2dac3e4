//! race-free

#[device]
fn clear_own(tile: &mut [i32]) {
    tile[local_id().x] = 0;
}

#[kernel(workgroup_size(10))]
fn clear() {
    #[shared]
    let tile: [i32; 10];
    clear_own(&mut tile);
}
