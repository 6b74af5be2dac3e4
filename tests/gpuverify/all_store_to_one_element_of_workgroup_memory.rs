//! V500: every invocation stores to the first element

#[kernel(workgroup_size(16))]
fn first() {
    #[shared]
    let tile: [u32; 16];
    tile[0] = local_id().x as u32;
}
