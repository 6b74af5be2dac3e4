//! A helper and a struct of another module that are not imported.
use samebits::prelude::*;

mod math {
    use samebits::prelude::*;

    #[device]
    pub fn square(x: f32) -> f32 {
        x * x
    }

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Ray {
        pub a: f32,
    }
}

#[kernel]
fn function(y: &mut [f32]) {
    y[0] = square(y[0]);
//~        ^ no code
}

#[kernel]
fn structure(y: &mut [f32]) {
    y[0] = Ray { a: 1.0 }.a;
//~        ^ no code
}

fn main() {}
