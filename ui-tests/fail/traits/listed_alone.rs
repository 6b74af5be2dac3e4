//! Traits and operators that a type lists without implementing them; uses of the type are no further mistakes.
use core::ops::{Add, Mul};
use samebits::prelude::*;

#[device]
trait Shape {
    fn area(&self) -> f32;
}

#[device(types(f32, u32))]
//~                 ^ V102
trait Sized2 {
    fn size(self) -> u32;
}

#[device]
impl Sized2 for f32 {
    fn size(self) -> u32 {
        4
    }
}

#[device]
trait Named {
    fn name(&self) -> u32;
}

#[derive(Clone, Copy, Element)]
#[element(traits(Shape, Add, f32: Mul<Square>, Named))]
//~              ^ V102
//~                     ^ V102
//~                               ^ V102
#[repr(C)]
struct Square(f32);

#[device]
impl Named for Square {
    fn name(&self) -> u32 {
        1
    }
}

#[kernel]
fn k(x: &[Square], y: &mut [f32]) {
    let sum = x[0] + x[1];
    y[0] = sum.area() + (2.0f32 * x[2]).0;
}

#[derive(Clone, Copy, Element)]
#[element(traits(Mul<T>))]
#[repr(C)]
struct Pair<T>(T, T);

#[device]
impl<T: Number> Mul<T> for Pair<T> {
    type Output = Self;

    fn mul(self, by: T) -> Self {
        Pair(self.0 * by, self.1 * by)
    }
}

fn main() {}
