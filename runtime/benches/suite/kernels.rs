//! The suite's kernels, each strict and under `fast_math`, except for the products of matrices.
//!
//! `both!` makes a module of a kernel's name with the launchers `strict` and `fast` from one body.
//! `twins.cu` has the same algorithms with the same workgroups.

/// A kernel twice: as it is, and with `fast_math`.
macro_rules! both {
    ([$($options:tt)*] $name:ident($($parameters:tt)*) $body:block) => {
        pub mod $name {
            use samebits::prelude::*;

            #[kernel($($options)*)]
            pub fn strict($($parameters)*) $body

            #[kernel($($options)*, fast_math)]
            pub fn fast($($parameters)*) $body
        }
    };
}
pub(crate) use both;

both! {
    [workgroup_size(256), requires(x.len() >= out.len(), y.len() >= out.len())]
    saxpy(a: f32, x: &[f32], y: &[f32], out: &mut [f32]) {
        let i = global_id().x;
        if i < out.len() {
            out[i] = a * x[i] + y[i];
        }
    }
}

both! {
    [workgroup_size(256), requires(x.len() >= out.len(), y.len() >= out.len())]
    saxpy_vec4(a: f32, x: &[Vec4<f32>], y: &[Vec4<f32>], out: &mut [Vec4<f32>]) {
        let i = global_id().x;
        if i < out.len() {
            out[i] = a * x[i] + y[i];
        }
    }
}

both! {
    [workgroup_size(256), features(f64), requires(x.len() >= out.len(), y.len() >= out.len())]
    saxpy_f64(a: f64, x: &[f64], y: &[f64], out: &mut [f64]) {
        let i = global_id().x;
        if i < out.len() {
            out[i] = a * x[i] + y[i];
        }
    }
}

// The sum of each workgroup: a stride of the whole grid, then a tree.
both! {
    [workgroup_size(256)]
    reduce(x: &[f32], sums: &mut [f32]) {
        #[shared]
        let tile: [f32; 256];
        let lane = local_index();
        let mut sum = 0.0f32;
        for i in (global_id().x..x.len()).step_by(num_workgroups().x * 256) {
            sum += x[i];
        }
        tile[lane] = sum;
        workgroup_barrier();
        let mut half = 128;
        while half > 0 {
            if lane < half {
                tile[lane] += tile[lane + half];
            }
            workgroup_barrier();
            half /= 2;
        }
        if lane == 0 {
            sums[workgroup_id().x] = tile[0];
        }
    }
}

both! {
    [workgroup_size(256), features(f64), requires(y.len() >= x.len())]
    dot_f64(x: &[f64], y: &[f64], sums: &mut [f64]) {
        #[shared]
        let tile: [f64; 256];
        let lane = local_index();
        let mut sum = 0.0f64;
        for i in (global_id().x..x.len()).step_by(num_workgroups().x * 256) {
            sum = x[i].mul_add(y[i], sum);
        }
        tile[lane] = sum;
        workgroup_barrier();
        let mut half = 128;
        while half > 0 {
            if lane < half {
                tile[lane] += tile[lane + half];
            }
            workgroup_barrier();
            half /= 2;
        }
        if lane == 0 {
            sums[workgroup_id().x] = tile[0];
        }
    }
}

// Steps until a point escapes. The square of the distance and the next point share products.
both! {
    [workgroup_size(16, 16)]
    mandelbrot(width: usize, left: f32, top: f32, step: f32, steps: &mut [u32]) {
        let (x, y) = (global_id().x, global_id().y);
        let (re, im) = (left + x as f32 * step, top - y as f32 * step);
        let (mut zr, mut zi) = (0.0f32, 0.0f32);
        let mut n = 0u32;
        while n < 1024 {
            let (rr, ii) = (zr * zr, zi * zi);
            if rr + ii > 4.0 {
                break;
            }
            zi = 2.0 * zr * zi + im;
            zr = rr - ii + re;
            n += 1;
        }
        if x < width {
            steps[y * width + x] = n;
        }
    }
}

both! {
    [workgroup_size(16, 16)]
    mandelbrot_fma(width: usize, left: f32, top: f32, step: f32, steps: &mut [u32]) {
        let (x, y) = (global_id().x, global_id().y);
        let (re, im) = (x as f32 * step + left, top - y as f32 * step);
        let (mut zr, mut zi) = (0.0f32, 0.0f32);
        let mut n = 0u32;
        while n < 1024 {
            let ii = zi * zi;
            if zr.mul_add(zr, ii) > 4.0 {
                break;
            }
            zi = (zr + zr).mul_add(zi, im);
            zr = zr.mul_add(zr, re - ii);
            n += 1;
        }
        if x < width {
            steps[y * width + x] = n;
        }
    }
}

// Accelerations of bodies, whose fourth lane is the mass, tile by tile.
both! {
    [workgroup_size(256)]
    nbody(bodies: &[Vec4<f32>], out: &mut [Vec4<f32>]) {
        #[shared]
        let tile: [Vec4<f32>; 256];
        let (i, lane) = (global_id().x, local_index());
        let me = bodies[i];
        let (mut x, mut y, mut z) = (0.0f32, 0.0f32, 0.0f32);
        for t in 0..bodies.len() / 256 {
            tile[lane] = bodies[t * 256 + lane];
            workgroup_barrier();
            #[unroll(4)]
            for j in 0..256 {
                let other = tile[j];
                let (dx, dy, dz) = (other.x - me.x, other.y - me.y, other.z - me.z);
                let square = dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, 0.0001)));
                let inverse = 1.0 / square.sqrt();
                let pull = other.w * inverse * inverse * inverse;
                x = dx.mul_add(pull, x);
                y = dy.mul_add(pull, y);
                z = dz.mul_add(pull, z);
            }
            workgroup_barrier();
        }
        out[i] = Vec4::new(x, y, z, 0.0);
    }
}

// A sparse matrix of compressed rows times a vector, an invocation a row.
both! {
    [
        workgroup_size(256),
        requires(
            starts.len() >= y.len() + 1,
            columns.len() + 1 >= starts.bound(),
            values.len() >= columns.len(),
            x.len() >= columns.bound()
        ),
        deny(guards)
    ]
    spmv(starts: Below<'_, u32>, columns: Below<'_, u32>, values: &[f32], x: &[f32], y: &mut [f32]) {
        let row = global_id().x;
        if row < y.len() {
            let mut sum = 0.0f32;
            for k in starts[row] as usize..starts[row + 1] as usize {
                sum = values[k].mul_add(x[columns[k] as usize], sum);
            }
            y[row] = sum;
        }
    }
}

/// Stencils and a convolution over a square or a cube with sides of `$side` and `$edge`.
macro_rules! grids {
    ($jacobi:ident, $cube:ident, $convolution:ident, $side:literal, $wide:literal, $edge:literal) => {
        both! {
            [workgroup_size(32, 8), requires(x.len() >= $side * $side, out.len() >= $side * $side)]
            $jacobi(x: &[f32], out: &mut [f32]) {
                const W: usize = $side;
                let (i, j) = (global_id().x, global_id().y);
                if i > 0 && i < W - 1 && j > 0 && j < W - 1 {
                    let at = j * W + i;
                    out[at] = ((x[at - 1] + x[at + 1]) + (x[at - W] + x[at + W])) * 0.25;
                }
            }
        }
        both! {
            [workgroup_size(32, 4, 2), requires(x.len() >= $edge * $edge * $edge, out.len() >= $edge * $edge * $edge)]
            $cube(x: &[f32], out: &mut [f32]) {
                const W: usize = $edge;
                let (i, j, k) = (global_id().x, global_id().y, global_id().z);
                if i > 0 && i < W - 1 && j > 0 && j < W - 1 && k > 0 && k < W - 1 {
                    let at = (k * W + j) * W + i;
                    let near = (x[at - 1] + x[at + 1]) + (x[at - W] + x[at + W]) + (x[at - W * W] + x[at + W * W]);
                    out[at] = x[at].mul_add(0.4, near * 0.1);
                }
            }
        }
        both! {
            [workgroup_size(32, 8), requires(weights.len() >= 9, x.len() >= $wide * $wide, out.len() >= $wide * $wide)]
            $convolution(weights: &[f32], x: &[f32], out: &mut [f32]) {
                const W: usize = $wide;
                let (i, j) = (global_id().x, global_id().y);
                if i > 0 && i < W - 1 && j > 0 && j < W - 1 {
                    let first = (j - 1) * W + (i - 1);
                    let mut sum = x[first] * weights[0];
                    for k in 1..9 {
                        sum = x[first + k / 3 * W + k % 3].mul_add(weights[k], sum);
                    }
                    out[j * W + i] = sum;
                }
            }
        }
    };
}
grids!(jacobi2d_small, jacobi3d_small, convolution_small, 512, 512, 64);
grids!(jacobi2d_full, jacobi3d_full, convolution_full, 16384, 8192, 512);

both! {
    [workgroup_size(256), requires(x.len() >= out.len())]
    copy(x: &[f32], out: &mut [f32]) {
        let i = global_id().x;
        if i < out.len() {
            out[i] = x[i];
        }
    }
}

// A function of each number, and sixteen times one after the other.
macro_rules! functions {
    ($($name:ident $chain:ident: $x:ident => $value:expr, $next:expr;)*) => {$(
        both! {
            [workgroup_size(256), requires(x.len() >= out.len())]
            $name(x: &[f32], out: &mut [f32]) {
                let i = global_id().x;
                if i < out.len() {
                    let $x = x[i];
                    out[i] = $value;
                }
            }
        }
        both! {
            [workgroup_size(256), requires(x.len() >= out.len())]
            $chain(x: &[f32], out: &mut [f32]) {
                let i = global_id().x;
                if i < out.len() {
                    let mut y = x[i];
                    #[unroll(never)]
                    for _ in 0..16 {
                        let $x = y;
                        y = $next;
                    }
                    out[i] = y;
                }
            }
        }
    )*};
}
functions! {
    exp exp_chain: x => x.exp(), (-x).exp();
    ln ln_chain: x => x.ln(), x.abs().ln() + 1.5;
    sin sin_chain: x => x.sin(), x.sin() + 0.5;
    cos cos_chain: x => x.cos(), x.cos() + 0.5;
}
