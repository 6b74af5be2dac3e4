//! A lane beyond the end of a vector, and indices that are none.
use samebits::prelude::*;

#[kernel]
fn k(x: &[Vec2<f32>], n: u32, y: &mut [f32]) {
    y[0] = x[0][2];
//~             ^ V300
    y[1] = x[0].z;
//~             ^ V203
    let mut v = Vec3::new(1.0f32, 2.0, 3.0);
    y[2] = v[3];
//~        ^ V300
    v[4] = 1.0;
//~ ^ V300
    v[5] += 1.0;
//~ ^ V300
    y[3] = v[n];
//~          ^ V301
    y[4] = v[2][0];
//~        ^ V301
    let kept = v;
    kept[1] = 2.0;
//~ ^ V008
    y[5] = (v + v)[n as usize];
}

fn main() {}
