//! What may stand before other functions but not before helpers.
mod inner {
    use samebits::prelude::*;

    #[device]
    const fn constant(x: f32) -> f32 {
//~ ^ V102
        x
    }

    #[device]
    unsafe fn careless(x: f32) -> f32 {
//~ ^ V102
        x
    }

    #[device]
    extern "C" fn foreign(x: f32) -> f32 {
//~ ^ V102
        x
    }

    #[device]
    async fn later(x: f32) -> f32 {
//~ ^ V102
        x
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = constant(1.0) + careless(1.0) + foreign(1.0) + later(1.0);
    }
}

fn main() {}
