//! race-free

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn scan(y: &mut [i32]) {
    let i = local_id().x;
    y[i] = subgroup_inclusive_add(y[i]);
}
