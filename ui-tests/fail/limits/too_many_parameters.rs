//! More buffers and more bytes of arguments than every device lets a kernel have.
use samebits::prelude::*;

#[kernel(fast_math)]
fn buffers(a: &[u32], b: &[u32], c: &[u32], d: &[u32], e: &[u32], f: &[u32], g: &[u32], h: &[u32], y: &mut [u32]) {
//~                                                                                                ^ V603
    y[0] = a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0];
}

#[kernel]
fn arguments(
    a0: [Vec4<u32>; 64], a1: [Vec4<u32>; 64], a2: [Vec4<u32>; 64], a3: [Vec4<u32>; 64], a4: [Vec4<u32>; 64], a5: [Vec4<u32>; 64], a6: [Vec4<u32>; 64], a7: [Vec4<u32>; 64],
    b0: [Vec4<u32>; 64], b1: [Vec4<u32>; 64], b2: [Vec4<u32>; 64], b3: [Vec4<u32>; 64], b4: [Vec4<u32>; 64], b5: [Vec4<u32>; 64], b6: [Vec4<u32>; 64], b7: [Vec4<u32>; 64],
    c0: [Vec4<u32>; 64], c1: [Vec4<u32>; 64], c2: [Vec4<u32>; 64], c3: [Vec4<u32>; 64], c4: [Vec4<u32>; 64], c5: [Vec4<u32>; 64], c6: [Vec4<u32>; 64], c7: [Vec4<u32>; 64],
    d0: [Vec4<u32>; 64], d1: [Vec4<u32>; 64], d2: [Vec4<u32>; 64], d3: [Vec4<u32>; 64], d4: [Vec4<u32>; 64], d5: [Vec4<u32>; 64], d6: [Vec4<u32>; 64], d7: [Vec4<u32>; 64],
    e0: [Vec4<u32>; 64], e1: [Vec4<u32>; 64], e2: [Vec4<u32>; 64], e3: [Vec4<u32>; 64], e4: [Vec4<u32>; 64], e5: [Vec4<u32>; 64], e6: [Vec4<u32>; 64], e7: [Vec4<u32>; 64],
    f0: [Vec4<u32>; 64], f1: [Vec4<u32>; 64], f2: [Vec4<u32>; 64], f3: [Vec4<u32>; 64], f4: [Vec4<u32>; 64], f5: [Vec4<u32>; 64], f6: [Vec4<u32>; 64], f7: [Vec4<u32>; 64],
    g0: [Vec4<u32>; 64], g1: [Vec4<u32>; 64], g2: [Vec4<u32>; 64], g3: [Vec4<u32>; 64], g4: [Vec4<u32>; 64], g5: [Vec4<u32>; 64], g6: [Vec4<u32>; 64], g7: [Vec4<u32>; 64],
    h0: [Vec4<u32>; 64], h1: [Vec4<u32>; 64], h2: [Vec4<u32>; 64], h3: [Vec4<u32>; 64], h4: [Vec4<u32>; 64], h5: [Vec4<u32>; 64], h6: [Vec4<u32>; 64], h7: [Vec4<u32>; 64],
    y: &mut [u32],
//~ ^ V604
) {
    y[0] = a0[1].x + h7[1].x;
}

fn main() {}
