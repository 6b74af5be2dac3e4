//! race-free

#[device]
fn clear_own(y: &mut [i32]) {
    y[local_id().x] = 0;
}

#[kernel(workgroup_size(64))]
fn clear(y: &mut [i32]) {
    clear_own(y);
}
