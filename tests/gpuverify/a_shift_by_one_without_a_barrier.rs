//! V500: an invocation stores what its neighbour loads

#[kernel(workgroup_size(32))]
fn shifted(y: &mut [i32]) {
    let i = global_id().x;
    let next = y[i + 1];
    y[i] = next;
}
