//! Uses of conversions that nobody wrote, or of which several fit.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(traits(From<f32>, f32: From<One>, u32: From<One>))]
#[repr(C)]
struct One {
    x: f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Other {
    x: f32,
}

#[device]
impl From<f32> for One {
    fn from(x: f32) -> Self {
        One { x }
    }
}

#[device]
impl From<One> for f32 {
    fn from(one: One) -> f32 {
        one.x
    }
}

#[device]
impl From<One> for u32 {
    fn from(one: One) -> u32 {
        one.x as u32
    }
}

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let one = One::from(x[0]);
    let twice = One::from(true);
//~             ^ V203
    let other = Other::from(one);
//~             ^ V203
    let plain: Other = one.into();
//~                    ^ V203
    y[0] = one.into();
//~            ^ V202
    let other = Other { x: 1.0 };
    y[1] = other.into();
//~              ^ V203
    y[2] = f32::from(one);
}

fn main() {}
