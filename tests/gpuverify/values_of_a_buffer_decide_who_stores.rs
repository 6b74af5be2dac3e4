//! V500: two entries of the table may differ from their index
//! found: V501: what a buffer holds is not known, so no two invocations are named

#[kernel(workgroup_size(8))]
fn differing(table: &[i32], y: &mut [f32]) {
    let i = local_id().x;
    if table[i] != i as i32 {
        y[0] = i as f32;
    }
}
