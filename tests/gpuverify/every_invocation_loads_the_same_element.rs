//! race-free

#[kernel(workgroup_size(256))]
fn copied(x: &[u32], y: &mut [u32]) {
    y[global_id().x] = x[4];
}
