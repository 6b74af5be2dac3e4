//! V500: every invocation stores to the first element

#[kernel(workgroup_size(64))]
fn k(y: &mut [i32]) {
    #[shared]
    let tile: [i32; 10];
    y[0] = tile[0];
}
