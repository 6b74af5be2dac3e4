//! Functions that are given by name, and are none or do not fit.
use samebits::prelude::*;

#[device]
fn apply(f: impl Fn(f32, f32) -> f32, x: f32) -> f32 {
    f(x, 1.0)
}

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Point(f32);

#[device]
impl Point {
    fn of(x: f32, y: f32) -> Self {
        Self(x + y)
    }
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [f32]) {
    y[0] = apply(f32::nothing, 1.0);
//~                   ^ V203
    y[1] = apply(f32::sqrt, 1.0);
//~              ^ V204
    y[2] = apply(u32::max, 1.0);
//~              ^ V200
    y[3] = apply(Point::of, 1.0);
//~              ^ V200
    y[4] = apply(Point::missing, 1.0);
//~              ^ V203
    y[5] = apply(core::ops::Neg::neg, 1.0);
//~              ^ V204
    y[6] = apply(core::ops::BitAnd::bitand, 1.0);
//~              ^ V021
    y[7] = apply(square, 1.0);
//~              ^ V200
    y[8] = f32::max + 1.0;
//~        ^ V006
}

fn main() {}
