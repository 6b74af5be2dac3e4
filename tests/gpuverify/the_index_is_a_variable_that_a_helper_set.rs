//! race-free

#[device]
fn set(to: &mut i32, value: i32) {
    *to = value;
}

#[kernel(workgroup_size(64))]
fn number(y: &mut [i32]) {
    let mut at = 0;
    set(&mut at, local_id().x as i32);
    y[at as usize] = local_id().x as i32;
}
