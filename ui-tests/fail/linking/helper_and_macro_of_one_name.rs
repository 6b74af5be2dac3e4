//! A helper and a macro of the user's of one name.
mod inner {
    use samebits::prelude::*;

    macro_rules! square {
        ($x:expr) => {
            $x * $x
        };
    }

    #[device]
    fn square(x: f32) -> f32 {
        x * x
    }

    #[kernel]
//~ ^ no code
    fn k(y: &mut [f32]) {
        y[0] = square(2.0);
    }
}

fn main() {}
