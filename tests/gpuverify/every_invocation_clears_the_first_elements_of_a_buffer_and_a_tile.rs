//! V500: every invocation stores to the same two elements

#[kernel(workgroup_size(64))]
fn clear(y: &mut [i32]) {
    #[shared]
    let tile: [i32; 10];
    y[0] = 0;
    tile[0] = 0;
}
