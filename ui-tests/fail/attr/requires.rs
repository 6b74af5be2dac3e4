//! Requirements that are none, each on its own tokens.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Size {
    width: u32,
    scale: f32,
}

#[kernel(requires(
    m >= 1,
//~ ^ V006
    x >= n,
//~ ^ V305
    scale >= 1,
//~ ^ V305
    n.len() >= 1,
//~ ^ V305
    x.capacity() >= n,
//~   ^ V203
    x.len(),
//~ ^ V101
    x.len() + n,
//~ ^ V101
    x.len() != n,
//~         ^ V101
    x.len() >= n && y.len() >= n,
//~              ^ V101
    x.len() >= n as u64,
//~              ^ V101
    x.len() / 2 >= n,
//~         ^ V101
    x.len() >= 1.5,
//~            ^ V305
    x.len() >= 0x1_0000_0000_0000_0000,
//~            ^ V103
    size.scale >= 1,
//~ ^ V305
    size.height >= 1,
//~      ^ V203
    z.len() >= 1,
//~ ^ V006
    n >= global_id().x,
//~      ^ V305
))]
fn k(n: usize, scale: f32, size: Size, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i] * scale * size.scale;
}

fn main() {}
