//! V500: a subgroup does not run in step, so one invocation loads what another one stores

#[kernel(workgroup_size(4, 4))]
fn transpose(a: &mut [f32]) {
    #[shared]
    let tile: [[f32; 4]; 4];
    let (x, y) = (local_id().x, local_id().y);
    let (tile_x, tile_y) = (workgroup_id().x, workgroup_id().y);
    tile[x][y] = tile[y][x];
    workgroup_barrier();
    a[(x + tile_y * 4) * 40 + y + tile_x * 4] = tile[x][y];
}
