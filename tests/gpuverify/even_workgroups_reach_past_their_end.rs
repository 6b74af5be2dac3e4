//! race-free

/// What is loaded beyond the end belongs to an odd workgroup, which stores nothing.
#[kernel(workgroup_size(32))]
fn shifted(y: &mut [i32]) {
    let i = global_id().x;
    if workgroup_id().x % 2 == 0 {
        let later = y[i + 2];
        workgroup_barrier();
        y[i] = later;
    }
}
