//! race-free
//! found: V500: a requirement of a number with a sign counts only if another one says that it is not negative

#[device]
fn put_large(y: &mut [u32], n: i32) {
    if n >= 100 {
        y[0] = local_id().x as u32;
    }
}

/// The stores would race, but every launch has less than a hundred.
#[kernel(workgroup_size(64), requires(n < 100))]
fn bounded(n: i32, y: &mut [u32]) {
    if n >= 200 {
        y[0] = local_id().x as u32;
    }
    put_large(y, n);
}
