//! V500: the next place of one invocation is the own place of another one

#[kernel(workgroup_size(32))]
fn k(y: &mut [i32]) {
    let i = local_id().x;
    y[i] = i as i32;
    y[i + 1] = i as i32;
}
