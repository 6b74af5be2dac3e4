//! race-free

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn added(by: u32, sum: &[Atomic<u32>]) {
    sum[0].fetch_add(by);
}
