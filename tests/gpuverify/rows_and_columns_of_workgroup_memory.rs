//! race-free

#[kernel(workgroup_size(10))]
fn filled() {
    #[shared]
    let tile: [[i32; 10]; 10];
    tile[local_id().y][local_id().x] = 2;
}
