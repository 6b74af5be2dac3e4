//! A private struct of another module.
use samebits::prelude::*;

mod shapes {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Ray {
        a: f32,
    }
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = shapes::Ray { a: 1.0 }.a;
//~                ^ E0603
}

fn main() {}
