//! Operators that Rust has not for a type: signs, complements, and assignments that would change it.
use samebits::prelude::*;

#[kernel]
fn signs(x: &[Vec2<u32>], n: usize, y: &mut [Vec3<u32>]) {
    let a = -x[0];
//~         ^ V021
    let b = -Vec3::splat(n as u32);
//~         ^ V021
    y[0] = -y[1] + y[2];
//~        ^ V021
    let c = -n;
//~         ^ V021
    let d = -1 as u32;
//~         ^ V021
    let e: u8 = -(3);
//~             ^ V021
    let f = -(n > 1);
//~         ^ V021
    let g = -global_id();
//~         ^ V021
}

#[kernel]
fn others(v: Vec2<f32>, x: &mut [f32]) {
    let a = !v;
//~         ^ V021
    let mut s = x[0];
    s += v;
//~   ^ V021
    x[1] *= v;
//~      ^ V021
    let b = v << 1u32;
//~         ^ V021
    let c = v >= v;
//~           ^ V021
    let d = v.min(1.0);
//~               ^ V200
    let e = global_id() + local_id();
//~                     ^ V021
}

fn main() {}
