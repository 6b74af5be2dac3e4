//! V010: odd lanes do not reach the barrier

#[kernel(workgroup_size(32))]
fn shifted(y: &mut [i32]) {
    let i = global_id().x;
    if i % 2 == 0 {
        let later = y[i + 2];
        workgroup_barrier();
        y[i] = later;
    }
}
