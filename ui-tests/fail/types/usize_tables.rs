//! Tables that are computed with `usize`: one error for each whose values depend on its width.
use samebits::prelude::*;

#[device]
const WRAPPED: [u32; 64] = {
//~                        ^ E0080
    let mut t = [0u32; 64];
    let mut i = 0usize;
    while i < 64 {
        t[i] = (usize::MAX >> 31) as u32;
        i += 1;
    }
    t
};

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Odd {
    n: u32,
}

#[device]
impl Odd {
    const ALL: [Self; 3] = {
//~                        ^ E0080
        let mut all = [Self { n: 0 }; 3];
        let mut i = 0usize;
        while i < 3 {
            all[i].n = (!i % 7) as u32;
            i += 1;
        }
        all
    };
}

#[device]
const RIGHT: [u32; 256] = {
    let mut t = [0u32; 256];
    let mut i = 0;
    while i < 256 {
        t[i] = (i * i) as u32;
        i += 1;
    }
    t
};

#[kernel]
fn k(y: &mut [u32]) {
    let i = global_id().x;
    y[i] = WRAPPED[i] + RIGHT[i] + Odd::ALL[i].n;
}

fn main() {}
