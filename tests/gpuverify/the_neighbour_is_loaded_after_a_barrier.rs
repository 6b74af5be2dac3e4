//! race-free

#[kernel(workgroup_size(10))]
fn neighbours() {
    #[shared]
    let tile: [i32; 10];
    tile[local_id().x] = 2;
    workgroup_barrier();
    let _next = tile[local_id().x + 1];
}
