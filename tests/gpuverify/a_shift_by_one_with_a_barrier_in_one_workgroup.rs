//! race-free

#[kernel(workgroup_size(32))]
fn shifted(y: &mut [i32]) {
    let i = local_id().x;
    let next = y[i + 1];
    workgroup_barrier();
    y[i] = next;
}
