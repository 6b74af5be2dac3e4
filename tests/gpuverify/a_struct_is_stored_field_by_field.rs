//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Place {
    lane: u32,
    group: u32,
}

#[kernel(workgroup_size(2))]
fn places(y: &mut [Place]) {
    let i = global_id().x;
    y[i].lane = local_id().x as u32;
    y[i].group = workgroup_id().x as u32;
}
