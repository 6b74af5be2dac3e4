//! Signatures and calls that are right in other functions.
mod kernels {
    use samebits::prelude::*;

    #[kernel]
    extern "C" fn a(y: &mut [u32]) {
//~ ^ V102
        y[0] = 1;
    }

    #[kernel]
    fn b(f: impl Fn(u32) -> u32, y: &mut [u32]) {
//~         ^ V201
        y[0] = f(1);
    }

    #[kernel]
    fn c(x: &[u32], y: &mut [u32]) {
        let f: fn() = x[1];
//~            ^ V201
        let t = x[0].0;
//~                  ^ V203
        y[0] = (x[0])(1);
//~            ^ V100
    }
}

fn main() {}
