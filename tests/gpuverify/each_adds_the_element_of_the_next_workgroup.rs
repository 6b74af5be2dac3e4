//! V500: the next workgroup stores the element that is loaded here

#[kernel(workgroup_size(128))]
fn k(y: &mut [i32]) {
    let (group, lane) = (workgroup_id().x, local_id().x);
    y[group * 128 + lane] += y[(group + 1) * 128 + lane];
}
