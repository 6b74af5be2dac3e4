//! race-free

#[device]
fn put_if_not_positive(y: &mut [u32], step: i32) {
    if step <= 0 {
        y[0] = local_id().x as u32;
    }
}

/// The store of the helper would race, but no invocation gets there.
#[kernel(workgroup_size(64))]
fn doublings(y: &mut [u32]) {
    let mut step = 1;
    while step < 64 {
        put_if_not_positive(y, step);
        step <<= 1;
    }
}
