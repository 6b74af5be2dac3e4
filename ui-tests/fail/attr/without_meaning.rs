//! Attributes that a launcher cannot carry, and one that means nothing on a statement.
use samebits::prelude::*;

mod kernels {
    use samebits::prelude::*;

    #[kernel]
    #[inline]
//~ ^ V102
    fn a(y: &mut [u32]) {
        #[must_use]
//~     ^ V100
        let m = 1;
        y[0] = m;
    }
}

fn main() {}
