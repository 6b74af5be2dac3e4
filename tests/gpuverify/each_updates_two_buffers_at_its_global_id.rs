//! race-free

#[kernel(workgroup_size(2))]
fn k(p: &mut [i32], q: &mut [i32]) {
    let i = global_id().x;
    p[i] = q[i] + local_id().x as i32;
    q[i] = local_id().x as i32;
}
