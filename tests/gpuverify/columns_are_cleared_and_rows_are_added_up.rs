//! race-free

/// Each invocation begins its row at another place, so that no two load from one bank.
#[kernel(workgroup_size(64))]
fn add_up(sums: &mut [u32]) {
    #[shared]
    let counts: [u32; 4096];
    let lane = local_id().x;
    for i in 0..16 {
        counts[lane + i * 64] = 0;
    }
    workgroup_barrier();
    if lane < 64 {
        let mut sum = 0;
        let mut at = (lane & 15) * 4;
        for _ in 0..64 {
            sum += counts[lane * 64 + at];
            at += 1;
            if at == 64 {
                at = 0;
            }
        }
        sums[workgroup_id().x * 64 + lane] = sum;
    }
}
