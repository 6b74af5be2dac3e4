//! `#[device]` on what is no function, implementation or constant.
use samebits::prelude::*;

#[device]
struct Ray {
    a: f32,
}

#[device]
trait Length {
    fn first(self) -> f32;
}

#[device]
mod math {}

#[device]
static LIMIT: u32 = 1;

#[device]
enum Kind {
    Air,
}

#[device]
type Number = f32;

fn main() {
    let _ = Ray { a: LIMIT as Number }.a;
    let _ = Kind::Air;
}
