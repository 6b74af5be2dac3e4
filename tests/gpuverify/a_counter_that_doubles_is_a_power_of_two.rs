//! race-free

/// The store would race, but no invocation gets there.
#[kernel(workgroup_size(64))]
fn doublings(y: &mut [u32]) {
    let mut step = 1;
    while step < 64 {
        match step {
            1 | 2 | 4 | 8 | 16 | 32 => {}
            _ => y[0] = local_id().x as u32,
        }
        step <<= 1;
    }
}
