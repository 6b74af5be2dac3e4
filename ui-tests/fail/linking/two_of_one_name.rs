//! Two helpers of one name.
mod inner {
    use samebits::prelude::*;

    #[device]
    fn square(x: f32) -> f32 {
        x * x
    }

    #[device]
//~ ^ E0428
    fn square(x: u32) -> u32 {
        x * x
    }

    #[kernel(workgroup_size(1))]
    fn k(y: &mut [f32]) {
        y[0] = square(y[0]);
    }
}

fn main() {}
