//! A helper's callee is looked up where the helper is, not where it is called.
use samebits::prelude::*;

mod math {
    use samebits::prelude::*;

    #[device]
    pub fn fourth(x: f32) -> f32 {
        square(square(x))
//~     ^ no code
    }
}

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [f32]) {
    y[0] = square(1.0);
}

fn main() {}
