//! V500: every invocation stores to every element

#[kernel(workgroup_size(32))]
fn clear() {
    #[shared]
    let tile: [u32; 8];
    for i in 0..8 {
        tile[i] = 0;
    }
}
