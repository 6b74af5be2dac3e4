//! A `while` on a flag that others set meanwhile.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(x: &[u32], y: &mut [u32]) {
    #[shared]
    let todo: u32;
    let i = local_id().x;
    if i == 0 {
        todo = x[0];
    }
    workgroup_barrier();
    while todo > 0 {
        y[i] += 1;
        workgroup_barrier();
//~     ^ V010
        if i == 0 {
            todo -= 1;
        }
    }
}

fn main() {}
