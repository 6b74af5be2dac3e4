//! A helper of a crate that uses another version of samebits: its facts are written by hand.
use samebits::prelude::*;

mod elsewhere {
    macro_rules! __hidden {
        ($callback:path, $($state:tt)*) => {
            $callback! { $($state)* {
                0 "0.0.7"
                { function "elsewhere square" "square" sound [] [] { fn square(x: f32) -> f32 { x * x } } }
            } }
        };
    }
    pub(crate) use __hidden as square;

    macro_rules! __same_form {
        ($callback:path, $($state:tt)*) => {
            $callback! { $($state)* {
                1 "0.0.8"
                { function "elsewhere cube" "cube" sound [] [] { fn cube(x: f32) -> f32 { x * x * x } } }
            } }
        };
    }
    pub(crate) use __same_form as cube;
}

#[device]
fn twice(x: f32) -> f32 {
    elsewhere::square(x) * 2.0
//~ ^ V111
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = elsewhere::square(1.0) + elsewhere::cube(2.0);
//~        ^ V111
//~                                 ^ V111
}

fn main() {}
