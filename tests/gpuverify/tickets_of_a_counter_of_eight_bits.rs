//! V501: the counter comes round after 256 tickets, and a workgroup takes 512

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn listed(tickets: &[Atomic<u8>], y: &mut [u32]) {
    let place = tickets[0].fetch_add(1);
    y[place as usize] = local_id().x as u32;
}
