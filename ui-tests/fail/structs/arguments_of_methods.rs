//! Methods and constructors with other arguments than they take.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair(f32, u32);

#[device]
impl Ray {
    fn new(x: f32) -> Self {
        Self { origin: Vec3::splat(x) }
    }

    fn at(&self, t: f32) -> Vec3<f32> {
        self.origin * t
    }
}

#[kernel]
fn k(x: &[Ray], y: &mut [f32]) {
    y[0] = x[0].at().x;
//~        ^ V204
    y[1] = x[0].at(1u32).x;
//~                ^ V200
    y[2] = Ray::new(1.0, 2.0).origin.x;
//~        ^ V204
    y[3] = Ray::new(true).origin.x;
//~                 ^ V200
    y[4] = Pair(1.0).0;
//~        ^ V204
    y[5] = Pair(1, 2).0;
//~             ^ V200
    y[6] = Pair { a: 1.0, ..Pair(1.0, 2) }.0;
//~               ^ V203
    y[7] = Ray(1.0).origin.x;
//~        ^ V204
}

fn main() {}
