//! race-free

#[kernel(workgroup_size(2))]
fn number(y: &mut [i32]) {
    y[global_id().x] = local_id().x as i32;
}
