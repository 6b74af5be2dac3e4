//! A struct as an argument.
use samebits::prelude::*;

struct Params {
    scale: f32,
}

#[kernel]
fn k(p: Params, y: &mut [f32]) {
//~     ^ V201
    y[0] = p.scale;
}

fn main() {
    let _ = Params { scale: 1.0 }.scale;
}
