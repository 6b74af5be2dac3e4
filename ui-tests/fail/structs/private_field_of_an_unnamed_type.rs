//! A private field of a struct that the kernel does not name.
use samebits::prelude::*;

mod shapes {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Circle {
        radius: f32,
    }

    #[device]
    pub fn unit() -> Circle {
        Circle { radius: 1.0 }
    }
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = shapes::unit().radius;
//~                       ^ V203
}

fn main() {}
