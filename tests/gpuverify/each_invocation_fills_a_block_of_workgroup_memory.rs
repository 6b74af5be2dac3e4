//! race-free

#[kernel(workgroup_size(64), limits(workgroup_memory = 65536))]
fn blocks() {
    #[shared]
    let tile: [u32; 16384];
    let lane = local_id().x;
    for k in 0..256 {
        tile[k + lane * 256] = lane as u32;
    }
}
