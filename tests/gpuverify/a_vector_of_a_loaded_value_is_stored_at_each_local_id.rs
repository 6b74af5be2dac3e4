//! race-free

#[kernel(workgroup_size(32))]
fn fill(values: &[u32], y: &mut [Vec4<u32>]) {
    y[local_id().x] = Vec4::splat(values[0]);
}
