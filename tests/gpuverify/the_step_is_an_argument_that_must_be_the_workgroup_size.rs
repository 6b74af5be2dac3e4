//! race-free

#[kernel(workgroup_size(1024), limits(invocations = 1024), requires(step == 1024))]
fn double(y: &mut [f32], step: usize) {
    for i in (local_id().x..100 * step).step_by(step) {
        y[i] *= 2.0;
    }
}
