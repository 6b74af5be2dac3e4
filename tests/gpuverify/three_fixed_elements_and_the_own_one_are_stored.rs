//! V500: every invocation stores to the first three elements

#[kernel(workgroup_size(32))]
fn k(y: &mut [i32]) {
    y[0] = 1;
    y[1] = 1;
    y[2] = 1;
    y[local_id().x] = 0;
}
