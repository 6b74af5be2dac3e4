//! race-free

#[kernel(workgroup_size(2))]
fn copy(from: &[u8], to: &mut [u8]) {
    let start = 6 * local_id().x;
    for i in start..start + 4 {
        to[i] = from[i];
    }
}
