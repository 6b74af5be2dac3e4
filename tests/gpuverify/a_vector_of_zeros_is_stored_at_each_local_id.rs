//! race-free

#[kernel(workgroup_size(32))]
fn clear(y: &mut [Vec4<u32>]) {
    y[local_id().x] = Vec4::splat(0);
}
