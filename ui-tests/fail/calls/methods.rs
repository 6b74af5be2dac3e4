//! Methods that a type does not have.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], n: u32, y: &mut [f32]) {
    y[0] = x[0].log(2.0);
//~             ^ V203
    y[1] = x[0].wrapping_add(1.0);
//~             ^ V203
    let a = n.sqrt();
//~           ^ V203
    let b = n.checked_sum(1);
//~           ^ V203
    let c = x.sort();
//~           ^ V203
    let d = true.min(false);
//~              ^ V203
    let e = x[0].max::<f32>(1.0);
//~                 ^ V100
}

fn main() {}
