//! V501: the atomic hands the same place to every invocation

#[kernel(workgroup_size(2))]
fn listed(tickets: &[Atomic<u32>], y: &mut [u32]) {
    let place = tickets[0].fetch_add(0);
    y[place as usize] = local_id().x as u32;
}
