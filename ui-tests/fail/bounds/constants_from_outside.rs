//! Indices beyond the end of an array by a constant whose value rustc alone knows.
use samebits::prelude::*;

const LAST: usize = 3;

mod sizes {
    pub const COUNT: usize = 4;
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [u32]) {
    #[shared]
    let tile: [[u32; 4]; 2];
    let a = [1u32, 2, 3, 4];
    y[0] = a[LAST];
    y[1] = a[sizes::COUNT];
//~        ^ E0080
    tile[1][LAST + 1] = 7;
//~ ^ E0080
    if sizes::COUNT < 4 {
        y[2] = a[sizes::COUNT];
    }
    y[3] = a[LAST - 3];
}

fn main() {}
