//! Names that nothing declares.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    y[0] = missing;
//~        ^ V006
    let a = 1u32.frobnicate();
//~              ^ V203
    let b = global_id().w;
//~                     ^ V007
    let c = 2.0f32.erf();
//~                ^ V203
    let d = 2u32.min();
//~         ^ V204
    workgroup_barrier;
//~ ^ V006
}

fn main() {}
