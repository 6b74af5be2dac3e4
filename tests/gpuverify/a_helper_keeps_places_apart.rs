//! race-free

#[device]
fn next(place: usize) -> usize {
    place + 1
}

#[kernel(workgroup_size(64))]
fn shifted(y: &mut [u32]) {
    y[next(local_id().x)] = 1;
}
