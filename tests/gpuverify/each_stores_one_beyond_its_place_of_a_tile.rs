//! race-free

/// The last invocation stores out of bounds, which does nothing.
#[kernel(workgroup_size(10))]
fn clear() {
    #[shared]
    let tile: [i32; 10];
    tile[local_id().x + 1] = 0;
}
