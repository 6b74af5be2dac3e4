//! V501: the lane 0 adds nothing, so another invocation may get the same place

#[kernel(workgroup_size(2))]
fn listed(tickets: &[Atomic<u32>], y: &mut [u32]) {
    let lane = local_id().x as u32;
    let place = tickets[0].fetch_add(lane);
    y[place as usize] = lane;
}
