//! race-free

#[device]
fn discard(_x: f32) {}

#[kernel(workgroup_size(64))]
fn k(y: &mut [i32]) {
    discard(y[0] as f32);
}
