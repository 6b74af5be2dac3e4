//! Patterns through `&mut` of what cannot be changed, and names that are none of its parts.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct S {
    a: u32,
    b: u32,
}

#[kernel]
fn k(x: &[S], n: u32, y: &mut [u32]) {
    let fixed = S { a: n, b: 1 };
    let S { a, .. } = &mut fixed;
//~                   ^ V008
    let mut o = Some(n);
    if let Some(ref mut v) = o {
//~             ^ V100
        y[1] = 1;
    }
    match &mut x[0] {
//~       ^ V005
        S { a, .. } => *a = 1,
    }
    let s = S { a: n, b: 1 };
    let S { a, .. } = &s;
    *a = 1;
//~ ^ V005
}

fn main() {}
