//! Attributes that a launcher cannot carry, and a `cfg` that only the build knows.
use samebits::prelude::*;

mod kernels {
    use samebits::prelude::*;

    #[kernel]
    #[inline]
//~ ^ V102
    fn a(y: &mut [u32]) {
        #[cfg(feature = "x")]
//~     ^ V100
        let k = 1;
        #[must_use]
//~     ^ V100
        let m = 1;
        y[0] = m;
    }
}

fn main() {}
