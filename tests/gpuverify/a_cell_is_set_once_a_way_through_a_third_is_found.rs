//! race-free
//! found: V501: what memory holds is not followed into a condition

/// In round `k` nobody stores to row `k` or column `k`: such a cell would have to be both zero and not zero.
#[kernel(workgroup_size(8, 8))]
fn close(graph: &mut [u32], pass: usize) {
    #[shared]
    let tile: [[u32; 8]; 8];
    let (x, y) = (local_id().x, local_id().y);
    let at = (pass * 8 + y) * 64 + pass * 8 + x;
    tile[y][x] = graph[at];
    workgroup_barrier();
    for k in 0..8 {
        if tile[y][x] == 0 && tile[y][k] != 0 && tile[k][x] != 0 {
            tile[y][x] = (pass * 8 + k + 2) as u32;
        }
        workgroup_barrier();
    }
    graph[at] = tile[y][x];
}
