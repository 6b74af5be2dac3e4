//! Implementations that are not for all types of their struct, and one of what is no plain name.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[device]
impl Pair<f32> {
//~  ^ V102
    fn sum(self) -> f32 {
        self.a + self.b
    }
}

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Kiss<T> {
    a: T,
}

#[device]
impl<T> Kiss<T> {
//~  ^ V102
    fn a(self) -> T {
        self.a
    }
}

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Hug<T> {
    a: T,
}

#[device]
impl<T: Number> Hug<T> {
    const ARMS: u32 = 2;
//~ ^ V102

    fn a(self) -> T {
        self.a
    }
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[device]
impl [Ray; 2] {
//~  ^ V102
    fn second(self) -> f32 {
        self[0].origin.x
    }
}

#[kernel]
fn k(x: &[Pair<f32>], y: &mut [f32]) {
    y[0] = x[0].sum() + Kiss { a: 1.0f32 }.a() + Hug { a: 1.0f32 }.a();
}

fn main() {}
