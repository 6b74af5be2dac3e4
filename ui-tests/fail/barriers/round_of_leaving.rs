//! A loop's counter after each invocation left it in a round of its own.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let mut rounds = 0;
    loop {
        if x[i] <= rounds || rounds > 9 {
            break;
        }
        rounds += 1;
    }
    if rounds == 3 {
        workgroup_barrier();
//~     ^ V010
    }
    y[i] = rounds;
}

fn main() {}
