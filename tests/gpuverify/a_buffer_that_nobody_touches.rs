//! race-free

#[kernel(workgroup_size(64))]
fn count(_y: &mut [u32]) {
    let mut rounds = 0;
    while rounds < 16 {
        rounds += 1;
    }
}
