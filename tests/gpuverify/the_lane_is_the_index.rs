//! race-free

#[kernel(workgroup_size(64))]
fn filled(y: &mut [i32]) {
    y[local_id().x] = 2;
}
