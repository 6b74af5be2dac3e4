//! V500: where the argument is more than six, the copies overlap
//! found: V501: no argument is looked for with which two invocations meet

#[kernel(workgroup_size(2))]
fn copy(from: &[u8], to: &mut [u8], count: usize) {
    let start = 6 * local_id().x;
    for i in 0..count {
        to[start + i] = from[start + i];
    }
}
