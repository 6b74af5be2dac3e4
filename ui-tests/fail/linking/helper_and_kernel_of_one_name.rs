//! A helper and a kernel of one name.
mod inner {
    use samebits::prelude::*;

    #[device]
    fn square(x: f32) -> f32 {
        x * x
    }

    #[kernel(workgroup_size(1))]
//~ ^ E0428
    fn square(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

fn main() {}
