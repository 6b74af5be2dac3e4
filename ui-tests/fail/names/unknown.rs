//! Names that nothing declares.
use samebits::prelude::*;

fn helper(x: u32) -> u32 {
    x
}

#[kernel]
fn k(y: &mut [u32]) {
    y[0] = missing;
//~        ^ V006
    y[0] = helper(2);
//~        ^ V016
    let a = 1u32.frobnicate();
//~              ^ V203
    let b = global_id().w;
//~                     ^ V007
    let c = 2.0f32.sin();
//~                ^ V203
    let d = 2u32.min();
//~         ^ V204
}

fn main() {
    let _ = helper(1);
}
