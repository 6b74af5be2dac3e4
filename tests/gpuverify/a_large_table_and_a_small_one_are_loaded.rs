//! race-free

#[device]
const SMALL: [i32; 3] = [0, 1, 2];

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn looked_up(large: &[i32], y: &mut [i32]) {
    y[global_id().x] = large[local_id().x] + SMALL[0];
}
