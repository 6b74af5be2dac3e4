//! race-free

#[kernel(workgroup_size(64))]
fn rounds(y: &mut [u32]) {
    #[shared]
    let tile: [u32; 64];
    let lane = local_id().x;
    for round in 0..1000 {
        tile[(lane + round) % 64] += round as u32;
        workgroup_barrier();
    }
    y[global_id().x] = tile[lane];
}
