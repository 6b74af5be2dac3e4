//! Vectors of `bool`: where they cannot be, and what they do not have.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Flags {
    of: Vec2<bool>,
//~     ^ V207
}

#[kernel]
fn buffer(x: &[Vec2<bool>], y: &mut [u32]) {
//~          ^ V201
    y[0] = 1;
}

#[kernel]
fn k(v: Vec3<f32>, y: &mut [u32]) {
    let mask = v.cmpgt(Vec3::splat(0.0));
    if mask {
//~    ^ V022
        y[0] = 1;
    }
    if mask.all() && v.any() {
//~                    ^ V203
        y[1] = 1;
    }
    let a = mask.dot(mask);
//~              ^ V203
    let b = mask + mask;
//~         ^ V021
    let c = Vec3::select(v, mask, mask);
//~                      ^ V200
    let d = mask.cast::<f32>();
//~         ^ V012
    let e = v.cast::<bool>();
//~         ^ V012
    y[2] = mask.cast::<u32>().x;
}

fn main() {}
