//! A layer's result, its input and a bias, added up and normalised, in 16 bits.
//!
//! A workgroup has a row. The first version has at most 256 invocations: each keeps one or two sums if the row is that
//! short, and else stores them and loads them again. The second version has an invocation for each eight numbers, keeps
//! these as four pairs, and computes in 16 bits but for the mean and the variance.
//!
//! Sizes: 4096 rows of 256, 512 and so on up to 8192 numbers, of `f16` and of bfloats (the upper halves of `f32`).
//! What differs: bfloats are `u16`, since Rust has no such type; the reciprocal square root is exactly rounded.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::math;
use samebits::prelude::*;

/// The sum over a subgroup: lanes that are 16 apart first.
#[device]
fn sum_of_lanes(x: f32) -> f32 {
    let mut sum = x;
    let mut apart = 16;
    while apart > 0 {
        sum += subgroup_shuffle_xor(sum, apart);
        apart /= 2;
    }
    sum
}

/// The sum over a workgroup.
#[device]
fn group_sum(x: f32) -> f32 {
    #[shared]
    let sums: [f32; 32];
    let sum = sum_of_lanes(x);
    if subgroup_lane() == 0 {
        sums[subgroup_id()] = sum;
    }
    workgroup_barrier();
    sum_of_lanes(if subgroup_lane() < num_subgroups() { sums[subgroup_lane()] } else { 0.0 })
}

/// Arithmetic of `f16`.
mod single {
    use samebits::prelude::*;

    #[device]
    pub fn wide(x: f16) -> f32 {
        x as f32
    }

    #[device]
    pub fn narrow(x: f32) -> f16 {
        x as f16
    }
}

/// Arithmetic of bfloats: that of `f32`, rounded.
mod brain {
    use samebits::prelude::*;

    #[device]
    pub fn wide(x: u16) -> f32 {
        from_bf16_bits(x)
    }

    #[device]
    pub fn narrow(x: f32) -> u16 {
        to_bf16_bits(x)
    }
}

/// The kernels for a type of numbers.
macro_rules! kernels {
    ($module:ident, $number:ident: $kept:ident $general:ident $pairs:ident $(, $features:ident)?) => {
        /// Rows of at most 256 `N` numbers.
        #[kernel(workgroup_size(256), instances(N = [1, 2]), requires(out.len() == input.len()) $(, features($features))?)]
        pub(crate) fn $kept<const N: usize>(
            epsilon: f32,
            input: &[$number],
            bias: &[$number],
            gamma: &[$number],
            beta: &[$number],
            out: &mut [$number],
        ) {
            let (n, lane) = (bias.len(), local_id().x);
            let first = workgroup_id().x * n;
            let mut sums = [0.0; N];
            let mut sum = 0.0;
            for k in 0..N {
                let i = lane + 256 * k;
                if i < n {
                    let both = $module::narrow($module::wide(out[first + i]) + $module::wide(input[first + i]));
                    sums[k] = $module::wide($module::narrow($module::wide(both) + $module::wide(bias[i])));
                    sum += sums[k];
                }
            }
            let mean = group_sum(sum) / n as f32;
            let mut squares = 0.0;
            for k in 0..N {
                if lane + 256 * k < n {
                    squares += (sums[k] - mean) * (sums[k] - mean);
                }
            }
            let scale = rsqrt(group_sum(squares) / n as f32 + epsilon);
            for k in 0..N {
                let i = lane + 256 * k;
                if i < n {
                    let normal = (sums[k] - mean) * scale;
                    out[first + i] = $module::narrow(normal * $module::wide(gamma[i]) + $module::wide(beta[i]));
                }
            }
        }

        /// Rows of any length.
        #[kernel(workgroup_size(256), requires(out.len() == input.len()) $(, features($features))?)]
        pub(crate) fn $general(
            epsilon: f32,
            input: &[[$number; 2]],
            bias: &[[$number; 2]],
            gamma: &[[$number; 2]],
            beta: &[[$number; 2]],
            out: &mut [[$number; 2]],
        ) {
            let (pairs, lane) = (bias.len(), local_id().x);
            let n = (2 * pairs) as f32;
            let first = workgroup_id().x * pairs;
            let mut sum = 0.0;
            for i in (lane..pairs).step_by(256) {
                let (mut own, input, bias) = (out[first + i], input[first + i], bias[i]);
                for k in 0..2 {
                    let both = $module::narrow($module::wide(own[k]) + $module::wide(input[k]));
                    own[k] = $module::narrow($module::wide(both) + $module::wide(bias[k]));
                    sum += $module::wide(own[k]);
                }
                out[first + i] = own;
            }
            let mean = group_sum(sum) / n;
            let mut squares = 0.0;
            for i in (lane..pairs).step_by(256) {
                let own = out[first + i];
                for k in 0..2 {
                    squares += ($module::wide(own[k]) - mean) * ($module::wide(own[k]) - mean);
                }
            }
            let scale = rsqrt(group_sum(squares) / n + epsilon);
            for i in (lane..pairs).step_by(256) {
                let (mut own, gamma, beta) = (out[first + i], gamma[i], beta[i]);
                for k in 0..2 {
                    let normal = ($module::wide(own[k]) - mean) * scale;
                    own[k] = $module::narrow(normal * $module::wide(gamma[k]) + $module::wide(beta[k]));
                }
                out[first + i] = own;
            }
        }

        /// Rows of eight numbers for each invocation.
        #[kernel(
            workgroup_size(LANES),
            instances(LANES = [32, 64, 128, 256, 512, 1024]),
            limits(invocations = 1024),
            requires(out.len() == input.len())
            $(, features($features))?
        )]
        pub(crate) fn $pairs<const LANES: usize>(
            epsilon: f32,
            input: &[[$number; 2]],
            bias: &[[$number; 2]],
            gamma: &[[$number; 2]],
            beta: &[[$number; 2]],
            out: &mut [[$number; 2]],
        ) {
            let lane = local_id().x;
            let n = (8 * LANES) as f32;
            let first = workgroup_id().x * (4 * LANES);
            let mut own = [[$module::narrow(0.0); 2]; 4];
            let mut sums = [$module::narrow(0.0); 2];
            for i in 0..4 {
                let at = i * LANES + lane;
                let (old, input, bias) = (out[first + at], input[first + at], bias[at]);
                for k in 0..2 {
                    let both = $module::narrow($module::wide(old[k]) + $module::wide(input[k]));
                    own[i][k] = $module::narrow($module::wide(both) + $module::wide(bias[k]));
                    sums[k] = $module::narrow($module::wide(sums[k]) + $module::wide(own[i][k]));
                }
            }
            let sum = $module::narrow($module::wide(sums[0]) + $module::wide(sums[1]));
            let mean = $module::wide($module::narrow(group_sum($module::wide(sum)) / n));
            let mut squares = 0.0;
            for i in 0..4 {
                for k in 0..2 {
                    own[i][k] = $module::narrow($module::wide(own[i][k]) - mean);
                }
                let [a, b] = [$module::wide(own[i][0]), $module::wide(own[i][1])];
                squares += a * a + b * b;
            }
            let scale = $module::wide($module::narrow(rsqrt(group_sum(squares) / n + epsilon)));
            for i in 0..4 {
                let at = i * LANES + lane;
                let (gamma, beta) = (gamma[at], beta[at]);
                for k in 0..2 {
                    let normal = $module::narrow($module::wide(own[i][k]) * scale);
                    let scaled = $module::narrow($module::wide(normal) * $module::wide(gamma[k]));
                    own[i][k] = $module::narrow($module::wide(scaled) + $module::wide(beta[k]));
                }
                out[first + at] = own[i];
            }
        }
    };
}

kernels!(single, f16: keep_f16 general_f16 pairs_f16, f16);
kernels!(brain, u16: keep_bfloat general_bfloat pairs_bfloat);

const EPSILON: f32 = 1e-6;

/// The lengths of rows.
const LENGTHS: [usize; 6] = [256, 512, 1024, 2048, 4096, 8192];

fn rows(scale: Scale) -> usize {
    scale.of(2, 4096)
}

/// Of a length: input, bias, gamma and beta.
fn inputs(n: usize, scale: Scale) -> [Vec<f32>; 4] {
    let mut random = Random::new(19937);
    [rows(scale) * n, n, n, n].map(|n| random.units(n))
}

/// The bfloat that is nearest to a number.
fn bfloat(x: f32) -> u16 {
    let bits = x.to_bits();
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// The buffers of a length and a type.
struct Layer<T: Element> {
    input: Buffer<T>,
    bias: Buffer<T>,
    gamma: Buffer<T>,
    beta: Buffer<T>,
    /// For both versions.
    out: [Buffer<T>; 2],
}

impl<T: Element> Layer<T> {
    fn all(device: &Device, scale: Scale, of: fn(f32) -> T) -> Result<Vec<Self>, Error> {
        let mut layers = Vec::new();
        for n in LENGTHS {
            let [input, bias, gamma, beta] =
                inputs(n, scale).map(|numbers| device.upload_vec(numbers.into_iter().map(of).collect()));
            let out = [device.zeros(rows(scale) * n)?, device.zeros(rows(scale) * n)?];
            layers.push(Self { input: input?, bias: bias?, gamma: gamma?, beta: beta?, out });
        }
        Ok(layers)
    }
}

/// Launches a version of the kernels for a type.
macro_rules! launch {
    ($device:ident, $rows:ident, $layers:ident, $version:ident: $kept:ident $general:ident $pairs:ident) => {
        for Layer { input, bias, gamma, beta, out } in &mut $layers {
            let n = bias.len();
            let (out, groups) = (&mut out[$version], Grid::groups($rows, 1, 1));
            if $version == 0 && n <= 512 {
                match n {
                    256 => $kept::launch::<1>($device, groups, EPSILON, input, bias, gamma, beta, out)?,
                    _ => $kept::launch::<2>($device, groups, EPSILON, input, bias, gamma, beta, out)?,
                }
                continue;
            }
            let (input, bias, gamma, beta) = (&input.view()?, &bias.view()?, &gamma.view()?, &beta.view()?);
            let out = &mut out.view_mut()?;
            match n {
                _ if $version == 0 => $general::launch($device, groups, EPSILON, input, bias, gamma, beta, out)?,
                256 => $pairs::launch::<32>($device, groups, EPSILON, input, bias, gamma, beta, out)?,
                512 => $pairs::launch::<64>($device, groups, EPSILON, input, bias, gamma, beta, out)?,
                1024 => $pairs::launch::<128>($device, groups, EPSILON, input, bias, gamma, beta, out)?,
                2048 => $pairs::launch::<256>($device, groups, EPSILON, input, bias, gamma, beta, out)?,
                4096 => $pairs::launch::<512>($device, groups, EPSILON, input, bias, gamma, beta, out)?,
                _ => $pairs::launch::<1024>($device, groups, EPSILON, input, bias, gamma, beta, out)?,
            }
        }
    };
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let rows = rows(scale);
    let mut halves = Layer::all(device, scale, f16::from_f32)?;
    let mut bfloats = Layer::all(device, scale, bfloat)?;
    Ok(Job::new(["f16, version 1", "f16, version 2", "bfloat, version 1", "bfloat, version 2"], move |ask| {
        match ask {
            Ask::Step(step) => {
                let version = step % 2;
                if step < 2 {
                    launch!(device, rows, halves, version: keep_f16 general_f16 pairs_f16);
                } else {
                    launch!(device, rows, bfloats, version: keep_bfloat general_bfloat pairs_bfloat);
                }
            }
            Ask::Answer(answer) => {
                for version in 0..2 {
                    for (halves, bfloats) in halves.iter().zip(&bfloats) {
                        answer.add("f16", &halves.out[version].read()?);
                        answer.add("bfloat", &bfloats.out[version].read()?);
                    }
                }
            }
        }
        Ok(())
    }))
}

/// The sum over lanes: halves first, then over the subgroups.
fn tree(lanes: &[f32]) -> f32 {
    let halves = |lanes: &[f32]| {
        let mut sums = lanes.to_vec();
        sums.resize(32, 0.0);
        while sums.len() > 1 {
            let (low, high) = sums.split_at(sums.len() / 2);
            sums = low.iter().zip(high).map(|(a, b)| a + b).collect();
        }
        sums[0]
    };
    halves(&lanes.chunks(32).map(halves).collect::<Vec<_>>())
}

/// A row, normalised; `round` gives the nearest number of the type.
fn plain(version: usize, round: impl Fn(f32) -> f32, input: &[f32], [bias, gamma, beta]: [&[f32]; 3]) -> Vec<f32> {
    let n = input.len();
    // It was 0.
    let sums: Vec<f32> = input.iter().zip(bias).map(|(input, bias)| round(round(0.0 + input) + bias)).collect();
    // An invocation has pairs, in turn with the others, or single numbers.
    let (lanes, run) = if version == 1 { (n / 8, 2) } else { (256, if n <= 512 { 1 } else { 2 }) };
    let of_lanes = |add: &dyn Fn(Vec<&[f32]>) -> f32, numbers: &[f32]| {
        tree(&(0..lanes).map(|lane| add(numbers.chunks(run).skip(lane).step_by(lanes).collect())).collect::<Vec<_>>())
    };
    let in_turn = |runs: Vec<&[f32]>| runs.into_iter().flatten().fold(0.0, |sum, x| sum + x);
    if version == 0 {
        let mean = of_lanes(&in_turn, &sums) / n as f32;
        let squares: Vec<f32> = sums.iter().map(|x| (x - mean) * (x - mean)).collect();
        let scale = math::rsqrt(of_lanes(&in_turn, &squares) / n as f32 + EPSILON);
        let normal = sums.iter().zip(gamma.iter().zip(beta));
        return normal.map(|(x, (gamma, beta))| round((x - mean) * scale * gamma + beta)).collect();
    }
    let rounded = |runs: Vec<&[f32]>| {
        let [a, b] = [0, 1].map(|k| runs.iter().fold(0.0, |sum, pair| round(sum + pair[k])));
        round(a + b)
    };
    let mean = round(of_lanes(&rounded, &sums) / n as f32);
    let off: Vec<f32> = sums.iter().map(|x| round(x - mean)).collect();
    let pairs =
        |runs: Vec<&[f32]>| runs.into_iter().fold(0.0, |sum, pair| sum + (pair[0] * pair[0] + pair[1] * pair[1]));
    let scale = round(math::rsqrt(of_lanes(&pairs, &off) / n as f32 + EPSILON));
    let normal = off.iter().zip(gamma.iter().zip(beta));
    normal.map(|(x, (gamma, beta))| round(round(round(x * scale) * gamma) + beta)).collect()
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let to_half = |x: f32| f16::from_f32(x).to_f32();
    let to_bfloat = |x: f32| f32::from_bits(u32::from(bfloat(x)) << 16);
    let all = |version: usize, n: usize, round: &dyn Fn(f32) -> f32| {
        let [input, bias, gamma, beta] =
            inputs(n, scale).map(|numbers| numbers.into_iter().map(round).collect::<Vec<_>>());
        input.chunks(n).flat_map(|row| plain(version, round, row, [&bias, &gamma, &beta])).collect::<Vec<f32>>()
    };
    let mut answer = Answer::default();
    for version in 0..2 {
        for n in LENGTHS {
            let halves = all(version, n, &to_half).into_iter().map(f16::from_f32);
            answer.add("f16", &halves.collect::<Vec<_>>());
            answer.add("bfloat", &all(version, n, &to_bfloat).into_iter().map(bfloat).collect::<Vec<_>>());
        }
    }
    answer
}
