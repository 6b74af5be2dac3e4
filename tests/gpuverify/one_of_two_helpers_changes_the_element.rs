//! race-free

#[device]
fn double(y: &mut [f32], i: usize) {
    y[i] *= 2.0;
}

#[device]
fn halve(y: &mut [f32], i: usize) {
    y[i] *= 0.5;
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn scaled(kind: u32, y: &mut [f32]) {
    let i = global_id().x;
    match kind {
        1 => double(y, i),
        _ => halve(y, i),
    }
}
