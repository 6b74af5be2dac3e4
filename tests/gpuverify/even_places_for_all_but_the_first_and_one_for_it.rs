//! race-free

#[kernel(workgroup_size(64))]
fn k(y: &mut [f32]) {
    let i = local_id().x;
    y[if i != 0 { 2 * i } else { 1 }] = 2.5;
}
