//! race-free

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn k(y: &mut [u32]) {
    y[global_id().x] = 32;
}
