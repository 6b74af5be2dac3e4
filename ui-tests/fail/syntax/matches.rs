//! Matches that leave values out, and patterns that a kernel's `match` does not take.
use samebits::prelude::*;

const OUTSIDE: u32 = 4;

#[kernel]
fn k(x: &[u32], f: f32, y: &mut [u32]) {
    y[0] = match x[0] {
//~              ^ V105
        0..=9 => 1,
        11.. => 2,
    };
    y[1] = match x[0] > 3 {
//~              ^ V105
        true => 1,
    };
    y[2] = match x[0] {
//~              ^ V105
        OUTSIDE => 1,
        n if n > 4 => 2,
    };
    y[3] = match x[0] as i32 {
        3_000_000_000 => 1,
//~     ^ V103
        _ => 2,
    };
    y[4] = match f {
        1.0 => 1,
//~     ^ V100
        _ => 2,
    };
    match global_id() {
//~       ^ V100
        _ => {}
    }
    y[4] = match (x[0], x[1] > 2) {
//~              ^ V105
        (0, _) | (5.., true) => 1,
        (n, false) => n,
    };
    y[4] = match [x[0], x[1]] {
//~              ^ V105
        [0, ..] | [_, (1..)] => 1,
    };
    y[5] = match x[0] {
        "text" => 1,
//~     ^ V100
        1 => 1.5,
//~          ^ V200
        _ => 2,
    };
}

fn main() {}
