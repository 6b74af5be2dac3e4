//! Attributes that mean nothing on a helper.
mod inner {
    use samebits::prelude::*;

    #[device]
    #[no_mangle]
//~ ^ V102
    fn named(x: f32) -> f32 {
        x
    }

    #[device]
    #[target_feature(enable = "avx2")]
//~ ^ V102
    fn wide(x: f32) -> f32 {
        x
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = named(1.0) + wide(1.0);
    }
}

fn main() {}
