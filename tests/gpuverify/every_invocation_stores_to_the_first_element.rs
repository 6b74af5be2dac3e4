//! V500: every invocation stores to the first element

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn first(y: &mut [f32]) {
    y[0] = local_id().x as f32;
}
