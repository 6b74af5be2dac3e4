//! race-free

#[kernel(workgroup_size(2))]
fn rounds(x: &[u32], y: &mut [u32]) {
    let mut at = local_id().x;
    'record: while x[at] != 0 {
        at += 1;
        let mut left = x[at];
        while left != 0 {
            at += 1;
            left = x[at];
            while x[at + 1] > 1 {
                at += 1;
                if x[at] == 3 {
                    continue 'record;
                }
            }
        }
    }
    y[local_id().x] = at as u32;
}
