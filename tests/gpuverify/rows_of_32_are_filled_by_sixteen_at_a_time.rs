//! race-free

#[kernel(workgroup_size(512), limits(invocations = 512, workgroup_memory = 33792), requires(rows == 143))]
fn fill(rows: usize) {
    #[shared]
    let tile: [f32; 8192];
    #[shared]
    let starts: [f32; 256];
    let (row, column) = (local_id().x / 32, local_id().x % 32);
    for first in (0..rows).step_by(16) {
        if first + row < rows {
            tile[(first + row) * 32 + column] = starts[first + row];
        }
    }
}
