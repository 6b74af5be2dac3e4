//! race-free

/// The low 24 bits of two numbers, multiplied.
#[device]
fn product(a: usize, b: usize) -> usize {
    (a & 0xff_ffff) * (b & 0xff_ffff)
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn number(a: &mut [i32], b: &mut [i32]) {
    let i = product(workgroup_id().x, 1024) + local_id().x;
    a[i] = i as i32;
    b[i] = i as i32;
}
