//! race-free

#[kernel(workgroup_size(64))]
fn blocks(y: &mut [u32]) {
    let i = global_id().x;
    for k in 0..256 {
        y[k + i * 256] = i as u32;
    }
}
