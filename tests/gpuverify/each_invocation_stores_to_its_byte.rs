//! race-free

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn filled(y: &mut [i8]) {
    y[local_id().x + workgroup_id().x * 1024] = 42;
}
