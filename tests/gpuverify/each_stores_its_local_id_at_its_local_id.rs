//! race-free

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn number(y: &mut [i32]) {
    let i = local_id().x;
    y[i] = i as i32;
}
