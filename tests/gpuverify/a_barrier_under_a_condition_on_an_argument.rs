//! race-free

#[kernel(workgroup_size(64))]
fn perhaps(wait: u32) {
    if wait == 0 {
        workgroup_barrier();
    }
}
