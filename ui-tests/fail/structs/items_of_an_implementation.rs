//! What a `#[device] impl` cannot hold.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: f32,
}

#[device]
impl Ray {
    fn typed(self: &Self) -> f32 {
//~          ^ V102
        self.origin
    }

    #[no_mangle]
//~ ^ V102
    fn attributed(self) -> f32 {
        self.origin
    }

    const fn constant(self) -> f32 {
//~ ^ V102
        self.origin
    }
}

#[kernel]
fn k(x: Ray, y: &mut [f32]) {
    y[0] = x.typed() + x.attributed() + x.constant();
}

fn main() {}
