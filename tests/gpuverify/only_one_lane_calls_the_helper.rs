//! race-free

#[device]
fn put_others(y: &mut [u32]) {
    if local_id().x != 3 {
        y[0] = local_id().x as u32;
    }
}

/// The store of the helper would race, but the one caller does not get there.
#[kernel(workgroup_size(64))]
fn third(y: &mut [u32]) {
    if local_id().x == 3 {
        put_others(y);
    }
}
