//! race-free

#[kernel(workgroup_size(32))]
fn k(a: &mut [i32], b: &mut [i32]) {
    let i = local_id().x;
    a[i] = 1;
    let first = a[i];
    b[i] = 1;
    let second = a[i];
    b[i] = first - second;
}
