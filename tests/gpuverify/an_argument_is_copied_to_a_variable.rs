//! race-free

#[kernel(workgroup_size(64))]
fn k(n: i32) {
    let _copy = n;
}
