//! A private helper of another module.
use samebits::prelude::*;

mod math {
    use samebits::prelude::*;

    #[device]
    fn square(x: f32) -> f32 {
        x * x
    }

    #[device]
    pub fn fourth(x: f32) -> f32 {
        square(square(x))
    }
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = math::square(math::fourth(y[0]));
//~              ^ E0603
}

fn main() {}
