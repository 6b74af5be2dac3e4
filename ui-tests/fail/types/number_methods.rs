//! Methods of numbers that are made of several ops.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], f: f32, n: usize, y: &mut [u32]) {
    y[0] = u32::from_le_bytes(x[0]);
//~                           ^ V200
    y[1] = u32::from_le_bytes([1, 2]);
//~                           ^ V200
    let bytes: [u8; 8] = x[0].to_le_bytes();
//~                      ^ V200
    y[2] = n.to_be_bytes()[0] as u32;
//~          ^ V203
    y[3] = f.ilog10();
//~          ^ V203
    y[4] = x[0].ilog(2u64);
//~                  ^ V200
    y[5] = (x[0] as i32).is_multiple_of(2) as u32;
//~                      ^ V203
    y[6] = x[0].cast_unsigned();
//~             ^ V203
    y[7] = x[0].unbounded_shl(1, 2);
//~        ^ V204
    y[8] = f32::from_be(f);
//~        ^ V016
    y[9] = x[0].to_le_bits();
//~             ^ V203
}

fn main() {}
