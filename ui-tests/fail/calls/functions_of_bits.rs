//! Functions of the prelude with operands that they do not take.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], n: u32, m: i32, y: &mut [u32]) {
    y[0] = mul_hi(n, m);
//~                  ^ V200
    y[1] = mul_hi(n);
//~        ^ V204
    y[2] = bit_extract(x[0], 1, 2) as u32;
//~        ^ V021
    y[3] = pack_half_2x16(x[0]);
//~                       ^ V200
    let (sum, wraps) = x[0].overflowing_add(1.0);
//~                         ^ V203
    y[4] = n.overflowing_shl(3).0;
//~          ^ V203
}

fn main() {}
