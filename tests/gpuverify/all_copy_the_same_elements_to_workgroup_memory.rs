//! V500: every invocation stores to all ten places

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn copied(x: &[f32]) {
    #[shared]
    let tile: [f32; 256];
    for k in 0..10 {
        tile[k] = x[k];
    }
}
