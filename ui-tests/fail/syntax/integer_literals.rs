//! Literals that do not fit.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32], z: &mut [i32]) {
    y[0] = 4_294_967_296;
//~        ^ V103
    z[0] = 2_147_483_648;
//~        ^ V103
    z[1] = -2_147_483_648;
    y[0x1_0000_0000] = 1;
//~   ^ V103
    let f = 1e39f32;
//~         ^ V103
    let u: u32 = -1;
//~              ^ V021
}

fn main() {}
