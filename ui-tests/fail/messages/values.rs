//! Messages with values that they cannot show, or that do not fit their texts.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair(u32, u32);

#[kernel(debug)]
fn not_shown(pairs: &[Pair], y: &mut [u32]) {
    let i = global_id().x;
    let list = [1u32, 2];
    debug!("{:?}", pairs[i]);
//~                ^ V201
    debug!("{:?}", (i, y[i]));
//~                ^ V201
    assert!(y[i] > 0, "{list:?}");
//~                   ^ V201
    assert_eq!(list, list);
//~ ^ V021
    y[i] = 0;
}

#[kernel(debug)]
fn unknown(y: &mut [u32]) {
    debug!("{nothing}");
//~        ^ V006
    y[0] = 1;
}

fn main() {}
