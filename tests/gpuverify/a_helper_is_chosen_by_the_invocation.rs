//! race-free
//! found: V501: what was stored to the same element is not followed into a condition

#[device]
fn doubled(n: u32) -> u32 {
    n * 2
}

#[device]
fn halved(n: u32) -> u32 {
    n / 2
}

/// The store to `wrong` would race, but no invocation gets there.
#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn chosen(y: &mut [u32], wrong: &mut [u32]) {
    let i = global_id().x;
    let n = i as u32;
    y[i] = if i != 0 { doubled(n) } else { halved(n) };
    if i != 0 && y[i] != 2 * n {
        wrong[0] = n;
    }
}
