//! Constants of `usize` whose value would be one number on the host and another in a kernel.
use samebits::prelude::*;

#[device]
const A: usize = !0usize % 7;
//~              ^ E0080

#[device]
const BITS: u32 = usize::BITS;
//~               ^ E0080

#[device]
const PAIR: (u32, [u32; 2]) = (1, [2, (usize::MAX >> 3) as u32]);
//~                           ^ E0080

#[device]
const FLOAT: f32 = (usize::MAX % 7) as f32;
//~                ^ E0080

#[device]
const HIGH: u32 = ((1usize << 31) * 2 / 4) as u32;
//~               ^ E0080

#[device]
const SAME: (usize, u32, bool) = (3 * 5 % 4, usize::MAX as u32, 5usize.is_power_of_two());

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Grid {
    n: u32,
}

#[device]
impl Grid {
    const LAST: usize = usize::MAX;
//~                     ^ E0080
    const RIGHT: usize = 4 * 8;
}

const LARGE: usize = 1 << 33;

mod sizes {
    pub const MINUS: i32 = -1;
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [u32]) {
    y[0] = (LARGE + Grid::RIGHT) as u32;
//~         ^ E0080
    y[1] = sizes::MINUS as usize as u32;
//~        ^ E0080
}

fn main() {}
