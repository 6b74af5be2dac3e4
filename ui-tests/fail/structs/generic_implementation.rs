//! A generic `#[device] impl`, and one of what is no plain name.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[device]
impl<T> Ray {
//~ ^ V102
    fn first(self) -> f32 {
        self.origin.x
    }
}

#[device]
impl [Ray; 2] {
//~  ^ V102
    fn second(self) -> f32 {
        self[0].origin.x
    }
}

fn main() {}
