//! Labels, constants and code that nothing reaches, and values that nothing uses. `dead_code` is denied by name, since trybuild allows it.
#![deny(warnings, dead_code)]
use samebits::prelude::*;

#[device]
fn helper(x: u32) -> u32 {
    return x;
    x + 1
//~ ^ no code
}

#[kernel]
fn k(n: u32, y: &mut [u32]) {
    const LIMIT: u32 = 4;
//~       ^ no code
    'rows: for i in 0..n {
//~ ^ no code
        if i == helper(3) {
            continue;
            y[0] = 1;
//~         ^ no code
        }
        loop {
            break;
            y[1] = 2;
//~         ^ no code
        }
    }
    'cells: loop {
        break 'cells;
        y[2] = 3;
//~     ^ no code
    }
    n + 1;
//~ ^ no code
    n == 1;
//~ ^ no code
    !n;
//~ ^ no code
    if n == 9 {
        return;
    } else {
        return;
    }
    y[3] = 4;
//~ ^ no code
}

fn main() {}
