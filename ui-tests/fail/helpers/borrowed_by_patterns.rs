//! Uses of what a pattern borrows through `&mut`, while its names are used.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct S {
    a: u32,
    b: u32,
}

#[kernel(workgroup_size(1))]
fn k(n: u32, y: &mut [u32]) {
    let mut s = S { a: n, b: 1 };
    match &mut s {
        S { a, .. } => {
            s.b = 2;
//~         ^ V206
            *a += 1;
        }
    }
    let S { a, b } = &mut s;
    *a += s.b;
//~       ^ V206
    *b += 1;
    *a += 1;
    let mut o = Some(n);
    if let Some(v) = &mut o {
        o = None;
//~     ^ V206
        *v += 1;
    }
    let mut both = (o, o);
    if let (Some(v), _) | (None, Some(v)) = &mut both {
        both.0 = None;
//~     ^ V206
        *v += 1;
    }
    let mut t = [n, 2];
    let [first, _] = &mut t;
    t[1] = 3;
//~ ^ V206
    *first += 1;
    y[0] = s.a + o.unwrap_or(0) + t[0] + both.0.unwrap_or(0);
}

fn main() {}
