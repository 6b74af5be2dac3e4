//! race-free

/// The store would race, but no invocation gets there.
#[kernel(workgroup_size(64))]
fn compared(y: &mut [u32]) {
    let (a, b) = (2.0f32, 2 as f32);
    if a < b {
        y[0] = local_id().x as u32;
    }
}
