//! race-free

#[kernel(workgroup_size(1024), limits(invocations = 1024), requires(kind == 0))]
fn count(width: usize, kind: u32, total: &[Atomic<u32>], y: &mut [u32]) {
    for i in (local_id().x..width).step_by(1024) {
        if kind == 0 {
            total[0].fetch_add(5);
        } else {
            y[0] = i as u32;
        }
    }
}
