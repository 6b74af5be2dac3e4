//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Place {
    group: usize,
    size: usize,
    lane: usize,
}

#[device]
fn double(y: &mut [f32], place: Place) {
    let i = place.group * place.size + place.lane;
    y[i] *= 2.0;
}

#[device]
fn halve(y: &mut [f32], place: Place) {
    let i = place.group * place.size + place.lane;
    y[i] *= 0.5;
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn scaled(kind: u32, n: usize, y: &mut [f32]) {
    let place = Place { group: workgroup_id().x, size: 1024, lane: local_id().x };
    if place.group * place.size + place.lane < n {
        if kind == 1 {
            double(y, place);
        } else {
            halve(y, place);
        }
    }
}
