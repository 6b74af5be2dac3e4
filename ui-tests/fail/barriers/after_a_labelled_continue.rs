//! A barrier that some skip by going on with the outer loop.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(n: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    'rows: for row in 0..n {
        for column in 0..n {
            if x[i] == row * n + column {
                continue 'rows;
            }
        }
        workgroup_barrier();
//~     ^ V010
        y[i] += 1;
    }
}

fn main() {}
