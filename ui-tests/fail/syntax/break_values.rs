//! Values of loops that do not agree.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let v = loop {
        if x[0] > 1 {
            break 1u32;
        }
        if x[1] > 1 {
            break 2.5f32;
//~               ^ V200
        }
        break;
//~     ^ V200
    };
    for i in 0..4 {
        break 5;
//~           ^ V200
    }
    y[0] = v;
}

fn main() {}
