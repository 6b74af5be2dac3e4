//! race-free

/// The store would race, but every launch has these two values.
#[kernel(workgroup_size(16, 16), requires(column == 16, row == 16))]
fn elsewhere(column: usize, row: usize, y: &mut [u32]) {
    if column != 16 || row != 16 {
        y[0] = local_id().x as u32;
    }
}
