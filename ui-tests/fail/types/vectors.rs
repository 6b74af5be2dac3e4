//! Vectors of other lanes, and their parts.
use samebits::prelude::*;

#[kernel]
fn k(v: &[Vec3<f32>], y: &mut [Vec2<f32>]) {
    y[0] = v[0];
//~        ^ V200
    y[1] = v[0].xy() + Vec2::new(1u32, 2);
//~                  ^ V021
    y[2].z = 1.0;
//~      ^ V203
    let w = v[0].normalize();
//~              ^ V203
    let n = Vec3::new(1.0, 2.0);
//~         ^ V204
    let c = v[0] == v[1];
//~              ^ V021
}

fn main() {}
