//! V500: every invocation loads and stores the same element

#[kernel(workgroup_size(64))]
fn k(y: &mut [i32]) {
    let mut own = [0; 2];
    own[1] = 200;
    y[100] = y[100] + 1;
}
