//! V500: an invocation reaches the places of those after it in later rounds

#[kernel(workgroup_size(64))]
fn slide(y: &mut [u32]) {
    let lane = local_id().x;
    for i in lane..100 {
        y[i] = lane as u32;
    }
}
