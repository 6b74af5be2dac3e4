//! race-free

#[kernel(workgroup_size(2))]
fn rounds(x: &[u32], y: &mut [u32]) {
    let mut at = local_id().x;
    if x[at] == 0 {
        return;
    }
    let mut rounds = 0;
    while x[at] != 1 {
        at += 1;
        'found: while x[at] != 2 {
            at += 1;
            while x[at] != 3 {
                at += 1;
                rounds += 1;
                if x[at] == 4 {
                    break 'found;
                }
            }
        }
    }
    y[local_id().x] = rounds;
}
