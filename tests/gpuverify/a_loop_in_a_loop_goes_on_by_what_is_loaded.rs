//! race-free

#[kernel(workgroup_size(2))]
fn rounds(x: &[u32], y: &mut [u32]) {
    let mut at = local_id().x;
    while x[at] != 0 {
        at += 1;
        while x[at] > 1 {
            at += 1;
        }
    }
    y[local_id().x] = at as u32;
}
