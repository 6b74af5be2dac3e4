//! race-free

#[kernel(workgroup_size(10))]
fn clear() {
    #[shared]
    let tile: [i32; 10];
    tile[local_id().x] = 0;
}
