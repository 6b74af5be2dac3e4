//! race-free

#[kernel(workgroup_size(64))]
fn invert(y: &mut [u32]) {
    let mut x = true;
    x = !x;
    y[global_id().x] = x as u32;
}
