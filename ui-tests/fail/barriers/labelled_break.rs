//! An inner loop that ends the outer one for some.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(n: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    'rows: for row in 0..n {
        workgroup_barrier();
//~     ^ V010
        for column in 0..n {
            if x[i] == row * n + column {
                break 'rows;
            }
        }
        y[i] += 1;
    }
}

fn main() {}
