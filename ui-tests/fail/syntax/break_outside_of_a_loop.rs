//! `break` and `continue` without a loop, or with a label that is not there.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    if y[0] == 1 {
        break;
//~     ^ V104
    }
    loop {
        continue 'outer;
//~     ^ V104
        'block: {
            break;
//~         ^ V104
        }
        'block: {
            continue 'block;
//~         ^ V104
        }
    }
    y[1] = 'value: {
        if y[0] == 2 {
            break 'value 1.0;
        }
        y[0]
//~     ^ V200
    };
}

fn main() {}
