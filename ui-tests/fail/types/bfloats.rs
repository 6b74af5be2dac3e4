//! `bf16` is stored and converted, and no number.
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn k(y: &mut [f32]) {
    #[shared]
    let x: [bf16; 4];
    y[0] = x[0] + x[1];
//~             ^ V021
    y[1] = x[0] as f32;
//~        ^ V012
    x[2] = -x[0];
//~        ^ V021
    y[2] = x[0].abs();
//~             ^ V203
    if x[0] == x[1] {
//~         ^ V021
        y[3] = 1.0;
    }
    let v: bf16 = 1.0;
//~               ^ V200
    x[1] = 1.0 as bf16;
//~        ^ V012
    y[4] = x[0];
//~        ^ V200
    x[2] = bf16::from_f32(1u32);
//~                       ^ V200
    y[5] = f32::from(1u32);
//~        ^ V016
}

#[kernel(workgroup_size(1))]
fn vectors(y: &mut [f32]) {
    #[shared]
    let x: [Vec2<bf16>; 4];
//~        ^ V201
    #[shared]
    let z: Atomic<bf16>;
//~        ^ V014
    y[0] = 1.0;
}

fn main() {}
