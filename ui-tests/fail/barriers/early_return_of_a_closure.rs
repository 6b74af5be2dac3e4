//! An early return of a helper or a closure before a barrier.
use samebits::prelude::*;

#[device]
fn helper(a: usize) -> u32 {
    if a == local_id().x {
        return 1;
    }
    workgroup_barrier();
//~ ^ V010
    2
}

#[kernel]
fn k(y: &mut [u32]) {
    let closure = |a: usize| {
        if a == local_id().x {
            return 1;
        }
        workgroup_barrier();
//~     ^ V010
        2
    };
    y[0] = closure(3);
}

fn main() {}
