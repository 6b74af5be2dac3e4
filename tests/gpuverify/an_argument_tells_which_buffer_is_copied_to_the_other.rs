//! race-free

#[device]
fn copy(from: &[u8], to: &mut [u8]) {
    let i = local_id().x;
    to[i] = from[i];
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn copies(a: &mut [u8], b: &mut [u8], forward: bool) {
    let i = local_id().x;
    if forward {
        copy(a, b);
        a[i] = a[i];
    } else {
        copy(b, a);
        b[i] = b[i];
    }
}
