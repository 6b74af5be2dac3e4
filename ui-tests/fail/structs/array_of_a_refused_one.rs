//! Arrays of an element that was refused are no further mistakes.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Wrong {
    a: char,
//~    ^ V207
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Holder {
    q: [Wrong; 2],
}

#[kernel]
fn k(x: &[[Wrong; 2]], h: Holder, y: &mut [u32]) {
    #[shared]
    let tile: [Wrong; 4];
    tile[0] = h.q[1];
    y[0] = x[0][1].a as u32;
}

fn main() {}
