//! V500: the last two bytes of one invocation are the first two of the next

#[kernel(workgroup_size(2))]
fn copy(from: &[u8], to: &mut [u8]) {
    let start = 4 * local_id().x;
    for i in 0..6 {
        to[start + 1 + i] = from[start + i];
    }
}
