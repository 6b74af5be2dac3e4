//! race-free

#[kernel(workgroup_size(64))]
fn chosen(y: &mut [u32]) {
    if local_id().x == 4 {
        y[0] = local_id().x as u32;
    }
}
