//! A method as a kernel.
use samebits::prelude::*;

struct S;

impl S {
    #[kernel]
    fn k(&self, y: &mut [u32]) {
//~    ^ V102
        y[global_id().x] = 1;
    }
}

fn main() {}
