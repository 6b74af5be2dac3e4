//! Operators between types that do not go together.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], n: u32, y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i] + n;
//~             ^ V021
    if i < n {
//~      ^ V021
        y[i] = 1.0;
    }
    let b = true + false;
//~         ^ V021
    let s = n << 1.0f32;
//~           ^ V021
    let m = -n;
//~         ^ V021
}

fn main() {}
