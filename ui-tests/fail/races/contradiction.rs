//! Accesses that are apart only in launches that never come to them, as far as is understood.
use samebits::prelude::*;

#[kernel(workgroup_size(16))]
fn to_the_right(y: &mut [u32], columns: usize, first: usize, last: usize) {
    let l = local_index();
    let g = workgroup_id().x;
    let top = 16 * (last - g);
    let left = 16 * (first + g);
    if g <= last && left + 16 < columns {
        let before = y[(top + l + 1) * columns + left];
        workgroup_barrier();
        for t in 0..16 {
            y[(top + t + 1) * columns + left + l + 1] = before;
//~         ^ V501
        }
    }
}

fn main() {}
