//! `broadcast` of a cell that is an atomic.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    #[shared]
    let done: Atomic<u32>;
    if broadcast(&done) == 0 {
//~              ^ V025
        workgroup_barrier();
    }
}

fn main() {}
