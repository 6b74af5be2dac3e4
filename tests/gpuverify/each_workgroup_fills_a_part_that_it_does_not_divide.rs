//! race-free

#[device]
const WIDTH: usize = 2064;

#[kernel(workgroup_size(256))]
fn number(y: &mut [i32]) {
    for i in (local_id().x..WIDTH).step_by(256) {
        y[workgroup_id().x * WIDTH + i] = i as i32;
    }
}
