//! race-free

#[kernel(workgroup_size(64))]
fn clear(y: &mut [i32]) {
    y[local_id().x + 1] = 0;
}
