//! V500: every invocation stores to the first byte

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn first(y: &mut [i8]) {
    y[0] = local_id().x as i8;
}
