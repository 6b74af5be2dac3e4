//! The cases: buffers, grids, and what the CPU computes at sampled places.

use crate::integers;
use crate::kernels as k;
use crate::measure::{Arm, Case, Step, far};
use crate::products as p;
use samebits::math;
use samebits::prelude::*;

/// One launch, of the strict kernel or of the fast one.
macro_rules! launch {
    ($arm:expr, $($kernel:ident)::+, $($argument:expr),* $(,)?) => {
        match $arm {
            Arm::Strict => $($kernel)::+::strict::launch($($argument),*),
            Arm::Fast => $($kernel)::+::fast::launch($($argument),*),
        }
    };
}
pub(crate) use launch;

/// Numbers from -1 to 1.
fn numbers(len: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

fn doubles(len: usize, seed: u32) -> Vec<f64> {
    numbers(len, seed).into_iter().map(|x| f64::from(x) * 1.000_000_1).collect()
}

/// Some places below `len`, about `count`.
pub fn places(len: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by((len / count).max(1) | 1)
}

/// Makes the buffers of a case.
pub type Make = fn(&Device, bool) -> Result<Case<'_>, Error>;

/// All cases by their names, small or full.
pub const CASES: [(&str, Make); 33] = [
    ("sgemm_64", sgemm_64),
    ("sgemm_128", sgemm_128),
    ("sgemm_128_deep", sgemm_128_deep),
    ("sgemm_64_unfused", sgemm_64_unfused),
    ("sgemm_tile", sgemm_tile),
    ("mandelbrot", mandelbrot),
    ("mandelbrot_fma", mandelbrot_fma),
    ("convolution", convolution),
    ("jacobi2d", jacobi2d),
    ("jacobi3d", jacobi3d),
    ("spmv", spmv),
    ("saxpy", saxpy),
    ("saxpy_vec4", saxpy_vec4),
    ("reduce", reduce),
    ("nbody", nbody),
    ("saxpy_f64", saxpy_f64),
    ("dot_f64", dot_f64),
    ("dgemm", dgemm),
    ("copy", copy),
    ("scan", integers::scan),
    ("histogram", integers::histogram),
    ("transpose", integers::transpose),
    ("murmur3", integers::murmur3),
    ("sha256", integers::sha256),
    ("bitonic", integers::bitonic),
    ("exp", exp),
    ("ln", ln),
    ("sin", sin),
    ("cos", cos),
    ("exp_chain", exp_chain),
    ("ln_chain", ln_chain),
    ("sin_chain", sin_chain),
    ("cos_chain", cos_chain),
];

/// A product of matrices of `f32` as vectors or as numbers; `$unfused` says how the CPU adds.
macro_rules! product {
    ($name:ident, $add:expr, $tile:literal, $view:ident) => {
        fn $name(device: &Device, full: bool) -> Result<Case<'_>, Error> {
            let n = if full { 4096 } else { 256 };
            let (left, right) = (numbers(n * n, 1), numbers(n * n, 2));
            let (a, b) = (device.upload(&left)?, device.upload(&right)?);
            let mut c = device.zeros::<f32>(n * n)?;
            let run = move |step: Step| match step {
                Step::Launch(arm) => {
                    let grid = Grid::groups(n / $tile, n / $tile, 1);
                    $view!(arm, full, $name, device, grid, a, b, c)?;
                    Ok(0.0)
                }
                Step::Check(arm) => {
                    let product = c.read()?;
                    Ok(far(
                        arm,
                        1.0,
                        places(n * n, 200).map(|at| {
                            let (row, column) = (at / n, at % n);
                            let add = |sum: f32, k: usize| $add(left[row * n + k], right[k * n + column], sum);
                            (product[at], (0..n).fold(0.0f32, add))
                        }),
                    ))
                }
            };
            let amount = 2.0 * (n as f64).powi(3) / 1e9;
            Ok(Case { amount, unit: "GFLOP", run: Box::new(run) })
        }
    };
}
macro_rules! in_vectors {
    ($arm:ident, $full:ident, $name:ident, $device:ident, $grid:ident, $a:ident, $b:ident, $c:ident) => {{
        let (a, b, mut c) = ($a.view()?, $b.view()?, $c.view_mut()?);
        match $full {
            true => launch!($arm, p::full::$name, $device, $grid, &a, &b, &mut c),
            false => launch!($arm, p::small::$name, $device, $grid, &a, &b, &mut c),
        }
    }};
}
macro_rules! in_numbers {
    ($arm:ident, $full:ident, $name:ident, $device:ident, $grid:ident, $a:ident, $b:ident, $c:ident) => {
        match $full {
            true => launch!($arm, p::full::$name, $device, $grid, &$a, &$b, &mut $c),
            false => launch!($arm, p::small::$name, $device, $grid, &$a, &$b, &mut $c),
        }
    };
}
product!(sgemm_64, |a: f32, b: f32, sum| a.mul_add(b, sum), 64, in_vectors);
product!(sgemm_64_unfused, |a: f32, b: f32, sum| a * b + sum, 64, in_vectors);
product!(sgemm_128, |a: f32, b: f32, sum| a.mul_add(b, sum), 128, in_vectors);
product!(sgemm_128_deep, |a: f32, b: f32, sum| a.mul_add(b, sum), 128, in_vectors);
product!(sgemm_tile, |a: f32, b: f32, sum| a.mul_add(b, sum), 32, in_numbers);

fn dgemm(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let n = if full { 1024 } else { 128 };
    let (left, right) = (doubles(n * n, 1), doubles(n * n, 2));
    let (a, b) = (device.upload(&left)?, device.upload(&right)?);
    let mut c = device.zeros::<f64>(n * n)?;
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            let grid = Grid::groups(n / 64, n / 64, 1);
            match full {
                true => launch!(arm, p::full::dgemm, device, grid, &a, &b, &mut c)?,
                false => launch!(arm, p::small::dgemm, device, grid, &a, &b, &mut c)?,
            }
            Ok(0.0)
        }
        Step::Check(arm) => {
            let product = c.read()?;
            let exact = |at: usize| {
                let (row, column) = (at / n, at % n);
                (0..n).fold(0.0f64, |sum, k| left[row * n + k].mul_add(right[k * n + column], sum))
            };
            Ok(far(arm, 1.0, places(n * n, 200).map(|at| (product[at], exact(at)))))
        }
    };
    Ok(Case { amount: 2.0 * (n as f64).powi(3) / 1e9, unit: "GFLOP", run: Box::new(run) })
}

/// The window of both pictures.
const LEFT: f32 = -2.0;
const TOP: f32 = 1.25;
const WIDTH: f32 = 2.5;

macro_rules! picture {
    ($name:ident, $steps:expr) => {
        fn $name(device: &Device, full: bool) -> Result<Case<'_>, Error> {
            let n = if full { 4096 } else { 128 };
            let pixel = WIDTH / n as f32;
            let expected = move |at: usize| $steps((at % n) as f32, (at / n) as f32, pixel);
            let all: u64 = places(n * n, 65536).map(|at| u64::from(expected(at))).sum();
            let amount = all as f64 / places(n * n, 65536).count() as f64 * (n * n) as f64 / 1e9;
            let mut steps = device.zeros::<u32>(n * n)?;
            let run = move |step: Step| match step {
                Step::Launch(arm) => {
                    launch!(arm, k::$name, device, (n, n), n, LEFT, TOP, pixel, &mut steps)?;
                    Ok(0.0)
                }
                Step::Check(arm) => {
                    let steps = steps.read()?;
                    // A pixel may well take another number of steps; what counts is the mean.
                    let all = places(n * n, 4096).map(|at| (f64::from(steps[at]), f64::from(expected(at))));
                    match arm {
                        Arm::Strict => Ok(far(arm, 1.0, all)),
                        Arm::Fast => {
                            let (got, expected) = all.fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
                            Ok(far(arm, 1.0, [(got, expected)]))
                        }
                    }
                }
            };
            Ok(Case { amount, unit: "Gstep", run: Box::new(run) })
        }
    };
}
picture!(mandelbrot, |x: f32, y: f32, pixel: f32| {
    let (re, im) = (LEFT + x * pixel, TOP - y * pixel);
    let (mut zr, mut zi, mut n) = (0.0f32, 0.0f32, 0u32);
    while n < 1024 && zr * zr + zi * zi <= 4.0 {
        (zr, zi) = (zr * zr - zi * zi + re, 2.0 * zr * zi + im);
        n += 1;
    }
    n
});
picture!(mandelbrot_fma, |x: f32, y: f32, pixel: f32| {
    let (re, im) = (x * pixel + LEFT, TOP - y * pixel);
    let (mut zr, mut zi, mut n) = (0.0f32, 0.0f32, 0u32);
    while n < 1024 && zr.mul_add(zr, zi * zi) <= 4.0 {
        (zr, zi) = (zr.mul_add(zr, re - zi * zi), (zr + zr).mul_add(zi, im));
        n += 1;
    }
    n
});

/// A stencil over `$n` numbers each way: `$at` says where the neighbours are.
macro_rules! stencil {
    ($name:ident, $small:ident, $full:ident, $sides:expr, $axes:literal, [$($weights:ident)?], $expected:expr) => {
        fn $name(device: &Device, full: bool) -> Result<Case<'_>, Error> {
            let n: usize = $sides[usize::from(full)];
            let len = n.pow($axes);
            let x = numbers(len, 1);
            let (input, mut out) = (device.upload(&x)?, device.zeros::<f32>(len)?);
            $(let $weights = device.upload(&WEIGHTS)?;)?
            let grid = (n, n, if $axes == 3 { n } else { 1 });
            let run = move |step: Step| match step {
                Step::Launch(arm) => {
                    match full {
                        true => launch!(arm, k::$full, device, grid, $(&$weights,)? &input, &mut out)?,
                        false => launch!(arm, k::$small, device, grid, $(&$weights,)? &input, &mut out)?,
                    }
                    Ok(0.0)
                }
                Step::Check(arm) => {
                    let out = out.read()?;
                    let inside = |at: usize| (0..$axes).all(|axis| (1..n - 1).contains(&(at / n.pow(axis) % n)));
                    Ok(far(arm, 1.0, places(len, 4096).map(|at| {
                        (out[at], if inside(at) { $expected(&x, n, at) } else { 0.0 })
                    })))
                }
            };
            Ok(Case { amount: len as f64 * 8.0 / 1e9, unit: "GB", run: Box::new(run) })
        }
    };
}
const WEIGHTS: [f32; 9] = [0.07, 0.12, 0.08, 0.11, 0.24, 0.13, 0.06, 0.1, 0.09];
stencil!(jacobi2d, jacobi2d_small, jacobi2d_full, [512, 16384], 2, [], |x: &[f32], n: usize, at: usize| {
    ((x[at - 1] + x[at + 1]) + (x[at - n] + x[at + n])) * 0.25
});
stencil!(jacobi3d, jacobi3d_small, jacobi3d_full, [64, 512], 3, [], |x: &[f32], n: usize, at: usize| {
    let near = (x[at - 1] + x[at + 1]) + (x[at - n] + x[at + n]) + (x[at - n * n] + x[at + n * n]);
    x[at].mul_add(0.4, near * 0.1)
});
stencil!(
    convolution,
    convolution_small,
    convolution_full,
    [512, 8192],
    2,
    [weights],
    |x: &[f32], n: usize, at: usize| {
        let first = at - n - 1;
        (1..9).fold(x[first] * WEIGHTS[0], |sum, k| x[first + k / 3 * n + k % 3].mul_add(WEIGHTS[k], sum))
    }
);

fn spmv(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    const ROW: usize = 16;
    let rows: usize = if full { 1 << 22 } else { 1 << 12 };
    let starts: Vec<u32> = (0..=rows as u32).map(|row| row * ROW as u32).collect();
    let spread = |k: usize| (k as u32).wrapping_mul(0x9e37_79b1) >> 7;
    // Near the diagonal, as matrices of meshes are.
    let columns: Vec<u32> =
        (0..rows * ROW).map(|k| (k / ROW) as u32 + spread(k) % 4096).map(|c| c % rows as u32).collect();
    let (values, x) = (numbers(rows * ROW, 1), numbers(rows, 2));
    // What was looked at is borrowed, and launched to the end of the process.
    let (row_starts, column_of) =
        (Box::leak(Box::new(device.upload(&starts)?)), Box::leak(Box::new(device.upload(&columns)?)));
    let (row_starts, column_of) = (Below::check(row_starts, columns.len() + 1)?, Below::check(column_of, rows)?);
    let (entries, vector) = (device.upload(&values)?, device.upload(&x)?);
    let mut y = device.zeros::<f32>(rows)?;
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            launch!(arm, k::spmv, device, rows, row_starts, column_of, &entries, &vector, &mut y)?;
            Ok(0.0)
        }
        Step::Check(arm) => {
            let y = y.read()?;
            let exact = |row: usize| {
                (row * ROW..(row + 1) * ROW).fold(0.0, |sum, k| values[k].mul_add(x[columns[k] as usize], sum))
            };
            Ok(far(arm, 1.0, places(rows, 4096).map(|row| (y[row], exact(row)))))
        }
    };
    let bytes = rows * ROW * 8 + rows * 12;
    Ok(Case { amount: bytes as f64 / 1e9, unit: "GB", run: Box::new(run) })
}

/// `a x + y` of `$of`, seen as `$lanes` numbers a lane.
macro_rules! axpy {
    ($name:ident, $numbers:ident, $of:ty, $log:literal, $seen:ty, $lanes:literal) => {
        fn $name(device: &Device, full: bool) -> Result<Case<'_>, Error> {
            let len: usize = 1 << if full { $log } else { 16 };
            let (x, y) = ($numbers(len, 1), $numbers(len, 2));
            let (dx, dy, mut out) = (device.upload(&x)?, device.upload(&y)?, device.zeros::<$of>(len)?);
            let run = move |step: Step| match step {
                Step::Launch(arm) => {
                    let (x, y, mut out) = (dx.view::<$seen>()?, dy.view::<$seen>()?, out.view_mut::<$seen>()?);
                    launch!(arm, k::$name, device, len / $lanes, 1.5, &x, &y, &mut out)?;
                    Ok(0.0)
                }
                Step::Check(arm) => {
                    let out = out.read()?;
                    Ok(far(arm, 1.0, places(len, 4096).map(|i| (out[i], 1.5 * x[i] + y[i]))))
                }
            };
            let bytes = 3 * len * size_of::<$of>();
            Ok(Case { amount: bytes as f64 / 1e9, unit: "GB", run: Box::new(run) })
        }
    };
}
axpy!(saxpy, numbers, f32, 26, f32, 1);
axpy!(saxpy_vec4, numbers, f32, 26, Vec4<f32>, 4);
axpy!(saxpy_f64, doubles, f64, 25, f64, 1);

/// The sum that `groups` workgroups and then one make: strides of the grid, then trees.
fn sum_of<T: Copy + Default + std::ops::Add<Output = T>>(len: usize, groups: usize, add: impl Fn(T, usize) -> T) -> T {
    let tree = |mut tile: Vec<T>| {
        while tile.len() > 1 {
            let (low, high) = tile.split_at(tile.len() / 2);
            tile = low.iter().zip(high).map(|(&low, &high)| low + high).collect();
        }
        tile[0]
    };
    let stride = groups * 256;
    let lane = |first: usize| (first..len).step_by(stride).fold(T::default(), &add);
    let sums: Vec<T> = (0..groups).map(|group| tree((0..256).map(|i| lane(group * 256 + i)).collect())).collect();
    let last = |first: usize| (first..groups).step_by(256).fold(T::default(), |sum, i| sum + sums[i]);
    tree((0..256).map(last).collect())
}

fn reduce(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let (len, groups): (usize, usize) = if full { (1 << 28, 2048) } else { (1 << 16, 16) };
    let x: Vec<f32> = numbers(len, 1).into_iter().map(f32::abs).collect();
    let input = device.upload(&x)?;
    let (mut sums, mut sum) = (device.zeros::<f32>(groups)?, device.zeros::<f32>(1)?);
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            launch!(arm, k::reduce, device, Grid::groups(groups, 1, 1), &input, &mut sums)?;
            launch!(arm, k::reduce, device, Grid::groups(1, 1, 1), &sums, &mut sum)?;
            Ok(0.0)
        }
        Step::Check(arm) => Ok(far(arm, 1.0, [(sum.read()?[0], sum_of(len, groups, |sum, i| sum + x[i]))])),
    };
    Ok(Case { amount: len as f64 * 4.0 / 1e9, unit: "GB", run: Box::new(run) })
}

fn dot_f64(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let (len, groups): (usize, usize) = if full { (1 << 26, 2048) } else { (1 << 16, 16) };
    let (x, y) = (doubles(len, 1), doubles(len, 2));
    let (dx, dy) = (device.upload(&x)?, device.upload(&y)?);
    let ones = device.upload(&vec![1.0f64; groups])?;
    let (mut sums, mut sum) = (device.zeros::<f64>(groups)?, device.zeros::<f64>(1)?);
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            launch!(arm, k::dot_f64, device, Grid::groups(groups, 1, 1), &dx, &dy, &mut sums)?;
            launch!(arm, k::dot_f64, device, Grid::groups(1, 1, 1), &sums, &ones, &mut sum)?;
            Ok(0.0)
        }
        Step::Check(arm) => {
            let exact = sum_of(len, groups, |sum, i| x[i].mul_add(y[i], sum));
            Ok(far(arm, 1.0, [(sum.read()?[0], exact)]))
        }
    };
    Ok(Case { amount: len as f64 * 16.0 / 1e9, unit: "GB", run: Box::new(run) })
}

fn nbody(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let n: usize = if full { 65536 } else { 1024 };
    let mut bodies = numbers(4 * n, 1);
    bodies.iter_mut().skip(3).step_by(4).for_each(|mass| *mass = mass.abs() + 0.1);
    let (input, mut out) = (device.upload(&bodies)?, device.zeros::<f32>(4 * n)?);
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            launch!(arm, k::nbody, device, n, &input.view()?, &mut out.view_mut()?)?;
            Ok(0.0)
        }
        Step::Check(arm) => {
            let out = out.read()?;
            let exact = |i: usize| {
                bodies.chunks(4).fold([0.0f32; 3], |sum, other| {
                    let [dx, dy, dz] = [0, 1, 2].map(|axis| other[axis] - bodies[4 * i + axis]);
                    let square = dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, 0.0001)));
                    let inverse = 1.0 / square.sqrt();
                    let pull = other[3] * inverse * inverse * inverse;
                    [dx.mul_add(pull, sum[0]), dy.mul_add(pull, sum[1]), dz.mul_add(pull, sum[2])]
                })
            };
            let pairs = places(n, 16).flat_map(|i| exact(i).into_iter().zip(&out[4 * i..]).map(|(e, &got)| (got, e)));
            // Forces of bodies on opposite sides cancel, so errors are large beside the sums.
            Ok(far(arm, n as f64 / 100.0, pairs))
        }
    };
    Ok(Case { amount: (n as f64).powi(2) / 1e9, unit: "Gpair", run: Box::new(run) })
}

/// A function of many numbers from -10 to 10, or of their magnitudes.
macro_rules! function {
    ($($name:ident($x:ident: $from:expr) = $value:expr;)*) => {$(
        fn $name(device: &Device, full: bool) -> Result<Case<'_>, Error> {
            let n = if full { 1 << 26 } else { 1 << 16 };
            let scaled = |x: f32| -> f32 { let $x = x * 10.0; $from };
            let numbers: Vec<f32> = numbers(n, 1).into_iter().map(scaled).collect();
            let (x, mut out) = (device.upload(&numbers)?, device.zeros::<f32>(n)?);
            let run = move |step: Step| match step {
                Step::Launch(arm) => launch!(arm, k::$name, device, n, &x, &mut out).map(|()| 0.0),
                Step::Check(arm) => {
                    let found = out.read()?;
                    let value = |at: usize| -> f32 { let $x = numbers[at]; $value };
                    Ok(far(arm, 1.0, places(n, 200).map(|at| (found[at], value(at)))))
                }
            };
            Ok(Case { amount: 8.0 * n as f64 / 1e9, unit: "GB", run: Box::new(run) })
        }
    )*};
}
function! {
    copy(x: x) = x;
    exp(x: x) = math::exp(x);
    ln(x: x.abs()) = math::ln(x);
    sin(x: x) = math::sin(x);
    cos(x: x) = math::cos(x);
    exp_chain(x: x.abs()) = (0..16).fold(x, |x, _| math::exp(-x));
    ln_chain(x: x.abs()) = (0..16).fold(x, |x, _| math::ln(x.abs()) + 1.5);
    sin_chain(x: x) = (0..16).fold(x, |x, _| math::sin(x) + 0.5);
    cos_chain(x: x) = (0..16).fold(x, |x, _| math::cos(x) + 0.5);
}
