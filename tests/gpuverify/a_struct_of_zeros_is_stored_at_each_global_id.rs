//! race-free

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}

#[kernel(workgroup_size(1024), limits(invocations = 1024))]
fn clear(points: &mut [Point]) {
    points[global_id().x] = Point { x: 0.0, y: 0.0, z: 0.0 };
}
