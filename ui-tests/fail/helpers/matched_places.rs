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
    match &mut o {
        whole @ Some(part) => {
//~                  ^ V206
            *part = 1;
            *whole = None;
        }
        None => {}
    }
    let mut pair = (o, Some(1.5f32));
    match &mut pair {
        (Some(v), _) | (_, Some(v)) => *v += 1,
//~                             ^ V200
        _ => {}
    }
    let mut both = (o, o);
    match &mut both {
        (Some(v), _) | (_, Some(_)) => *v += 1,
//~           ^ V100
        _ => {}
    }
    let ((Some(v), _) | (None, Some(v))) = &mut both else { return };
    *v += 1;
//~ ^ V005
    let arrays = Some([n, 2]);
    if let Some(v) = &arrays {
        v[0] = 1;
//~     ^ V005
    }
    let mut grid = [[n, 2]; 2];
    for [a, b, c] in &mut grid {
//~     ^ V200
        *a += *b + *c;
    }
}

fn main() {}
