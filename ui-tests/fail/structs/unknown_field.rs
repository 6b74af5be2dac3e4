//! Fields that a struct does not have: read, written, in literals and in patterns.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
    dir: Vec3<f32>,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair(f32, u32);

#[kernel]
fn k(x: &[Ray], p: Pair, y: &mut [Ray]) {
    let a = x[0].position;
//~              ^ V203
    y[0].direction = x[0].dir;
//~      ^ V203
    let mut r = Ray { origin: x[0].origin, dir: x[0].dir, length: 1.0 };
//~                                                       ^ V203
    let Ray { start, .. } = x[0];
//~           ^ V203
    r.origin.x = p.2 + p.a;
//~                ^ V203
//~                      ^ V203
    y[1] = r;
}

fn main() {}
