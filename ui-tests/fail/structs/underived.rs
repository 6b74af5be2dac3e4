//! A struct of the user's without `Element`, wherever a kernel may name it.
use samebits::prelude::*;

#[derive(Clone, Copy)]
struct Params {
    scale: f32,
}

#[kernel]
fn argument(p: Params, y: &mut [f32]) {
//~            ^ V201
    y[0] = p.scale;
}

#[kernel]
fn buffer(p: &[Params], y: &mut [f32]) {
//~          ^ V201
    y[0] = p[0].scale;
}

#[kernel]
fn literal(y: &mut [f32]) {
    let p = Params { scale: 1.0 };
//~         ^ V201
    y[0] = p.scale;
}

fn main() {
    let _ = Params { scale: 1.0 }.scale;
}
