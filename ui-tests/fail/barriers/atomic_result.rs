//! A condition on what an atomic access gave.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(count: &[Atomic<u32>]) {
    let before = count[0].fetch_add(1);
    if before == 0 {
        workgroup_barrier();
//~     ^ V010
    }
}

fn main() {}
