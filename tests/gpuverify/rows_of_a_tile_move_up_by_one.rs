//! race-free

/// Sixteen rows move in a round. The barrier is between the loads and the stores; the next round loads rows beyond.
#[kernel(workgroup_size(512), limits(invocations = 512, workgroup_memory = 32768), requires(rows == 143))]
fn move_up(rows: usize, y: &mut [f32]) {
    #[shared]
    let tile: [f32; 8192];
    let (row, column) = (local_id().x / 32, local_id().x % 32);
    for first in (0..rows).step_by(16) {
        let below = tile[(first + row + 1) * 32 + column];
        workgroup_barrier();
        tile[(first + row) * 32 + column] = below;
    }
    y[global_id().x] = tile[local_id().x];
}
