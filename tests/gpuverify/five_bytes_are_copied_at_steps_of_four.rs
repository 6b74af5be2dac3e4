//! V500: the fifth byte of one invocation is the first one of the next

#[kernel(workgroup_size(2))]
fn copy(from: &[u8], to: &mut [u8]) {
    let start = 4 * local_id().x;
    for i in start..start + 5 {
        to[i] = from[i];
    }
}
