//! Matrices: what they are not of, and what they lack.
use samebits::prelude::*;

#[kernel]
fn of_integers(m: &[Mat2<u32>], y: &mut [f32]) {
//~               ^ V201
    y[0] = 1.0;
}

#[kernel]
fn k(m: Mat3<f32>, n: Mat2<f32>, v: Vec3<f32>, i: usize, y: &mut [f32]) {
    let a = m * n;
//~           ^ V021
    let b = n * v;
//~           ^ V021
    let c = v * m;
//~           ^ V021
    let d = m + 1.0;
//~           ^ V021
    let e = m < m;
//~           ^ V021
    let f = m.w_axis;
//~           ^ V203
    let g = m[3];
//~           ^ V300
    let mut h = m;
    h[5] = v;
//~   ^ V300
    let n = m;
    n[i].x = 1.0;
//~ ^ V008
    let j = m.normalize();
//~           ^ V203
    let k = Mat2::from_cols(v, v);
//~                         ^ V200
//~                            ^ V200
    let l = Mat2::from_cols_array([1.0f32, 2.0]);
//~                               ^ V200
    let mut o = m;
    o *= v;
//~   ^ V021
    m[0] = v;
//~ ^ V008
    let p = !m;
//~         ^ V021
    let Mat3 { x_axis, .. } = m;
//~     ^ V201
    let q = m * 2;
//~           ^ V021
    y[0] = (m * v).x;
}

fn main() {}
