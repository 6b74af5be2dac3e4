//! A helper in a function that hides one of its name outside of it: rustc lets no macro's macro do so.
use samebits::prelude::*;

#[device]
fn number() -> f32 {
    1.0
}

fn main() {
    #[device]
    fn number() -> f32 {
        2.0
    }

    #[kernel(workgroup_size(1))]
    fn k(y: &mut [f32]) {
        y[0] = number();
//~            ^ E0659
    }
}
