//! race-free

#[kernel(workgroup_size(2))]
fn rounds(x: &[u32], y: &mut [u32]) {
    let mut at = local_id().x;
    while x[at] != 0 {
        at += 1;
        if x[at] != x[at + 1] {
            break;
        }
    }
    y[local_id().x] = at as u32;
}
