//! race-free

/// Whether this invocation stored.
#[device]
fn store_in_first(y: &mut [f32]) -> bool {
    if local_id().x != 0 {
        return false;
    }
    y[4] = 26.5;
    true
}

#[kernel(workgroup_size(64))]
fn k(y: &mut [f32]) {
    let _ = store_in_first(y);
}
