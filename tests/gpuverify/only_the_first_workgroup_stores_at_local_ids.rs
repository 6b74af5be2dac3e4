//! race-free

#[kernel(workgroup_size(64))]
fn k(y: &mut [f32]) {
    if workgroup_id().x == 0 {
        y[local_id().x] = 42.0;
    }
}
