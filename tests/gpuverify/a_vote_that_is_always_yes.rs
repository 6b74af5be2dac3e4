//! race-free
//! found: V501: a vote is not computed

/// The store would race, but no invocation gets there.
#[kernel(workgroup_size(64))]
fn vote(y: &mut [u32]) {
    let all = subgroup_all(local_id().x < 64);
    if !all {
        y[0] = local_id().x as u32;
    }
}
