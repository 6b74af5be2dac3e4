//! V500: every invocation stores to the same element

#[kernel(workgroup_size(32))]
fn k(y: &mut [i32]) {
    y[0] = local_id().x as i32;
}
