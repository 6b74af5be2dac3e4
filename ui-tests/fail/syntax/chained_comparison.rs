//! What rustc's own parser refuses is not said again.
use samebits::prelude::*;

#[kernel]
fn k(x: u32, y: &mut [u32]) {
    if 1 < x < 5 {
//~      ^ no code
        y[0] = 1;
    }
}

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Pair {
    a: u32,
}

#[device]
impl Pair {
    fn sum(self) -> u32 {
        self.a + 
    }
//~ ^ no code
}

#[kernel]
fn uses(x: &[Pair], y: &mut [u32]) {
    y[0] = x[0].sum();
    y[1] = nothing;
//~        ^ V006
}

fn main() {}
