//! race-free

#[kernel(workgroup_size(64))]
fn slide(y: &mut [u32]) {
    let lane = local_id().x;
    for round in 0..37 {
        y[lane + round] = lane as u32;
        workgroup_barrier();
    }
}
