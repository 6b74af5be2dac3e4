//! V500: a barrier does not order the last invocation of a workgroup and the first one of the next

#[kernel(workgroup_size(32))]
fn shifted(y: &mut [i32]) {
    let i = global_id().x;
    let next = y[i + 1];
    workgroup_barrier();
    y[i] = next;
}
