//! race-free

/// The store would race, but every launch has less than a hundred.
#[kernel(workgroup_size(64), requires(n < 100))]
fn bounded(n: u32, y: &mut [u32]) {
    if n >= 200 {
        y[0] = local_id().x as u32;
    }
}
