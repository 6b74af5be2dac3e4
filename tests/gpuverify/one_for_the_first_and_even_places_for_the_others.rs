//! race-free

#[kernel(workgroup_size(64))]
fn k(y: &mut [f32]) {
    let i = local_id().x;
    y[if i == 0 { 1 } else { 2 * i }] = 2.5;
}
