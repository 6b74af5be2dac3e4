//! Operands of different widths: the narrower side is the one to convert.
use samebits::prelude::*;

#[kernel]
fn k(a: f32, x: &[f64], n: i32, m: i64, y: &mut [f32], z: &mut [f64]) {
    let i = global_id().x;
    z[i] = a * x[i];
//~          ^ V021
    z[i] = x[i] - a;
//~             ^ V021
    let s = n + m;
//~           ^ V021
    z[i] = n * x[i];
//~          ^ V021
    y[i] += x[i];
//~      ^ V021
    let j: u32 = global_id().x;
//~              ^ V200
    y[n] = a;
//~   ^ V301
    let f = 1.0;
//~         ^ V202
    let g = f * 2.0;
}

#[kernel]
fn by_value(l: Vec<f32>) {
//~            ^ V201
}

fn main() {}
