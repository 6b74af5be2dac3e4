//! A helper without the prelude: the attribute itself is missing.
mod inner {
    #[samebits::device]
    fn square(x: f32) -> f32 {
        x * x
    }

    #[device]
//~   ^ no code
    fn cube(x: f32) -> f32 {
        x * x * x
    }

    #[samebits::kernel(workgroup_size(1))]
    fn k(y: &mut [f32]) {
        y[0] = square(1.0);
    }
}

fn main() {}
