//! A `#[device] impl` of a trait.
use samebits::prelude::*;

trait Length {
    fn first(self) -> f32;
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[device]
impl Length for Ray {
//~  ^ V102
    fn first(self) -> f32 {
        self.origin.x
    }
}

fn main() {}
