//! An id used without an axis.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    y[global_id()] = 1;
//~   ^ V301
    let i = local_id() + 1;
//~                    ^ V021
    if workgroup_id() == 0 {
//~                   ^ V021
        y[0] = 1;
    }
}

fn main() {}
