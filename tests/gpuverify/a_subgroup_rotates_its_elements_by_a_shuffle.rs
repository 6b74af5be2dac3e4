//! race-free

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn rotate(y: &mut [i32]) {
    let i = local_id().x;
    let next = (subgroup_lane() as u32 + 1) % 32;
    y[i] = subgroup_shuffle(y[i], next);
}
