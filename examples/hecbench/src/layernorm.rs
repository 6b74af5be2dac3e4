//! The normalisation of a network's layer, in three versions.
//!
//! Each row is moved and scaled to a mean of 0 and a variance of 1, and then by a weight and a bias for each column. The first version
//! has a workgroup for each row and loads four numbers at a time. The second has a subgroup for each row. The third also finds
//! the variance in the same pass as the mean, from the mean of squares.
//!
//! Sizes: 8 × 1024 rows of 768 `f32`, in workgroups of 32, 64, 128, 256, 512 and 1024.
//! What differs: sums over subgroups begin with neighbours; the reciprocal square root is exactly rounded.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::math;
use samebits::prelude::*;

/// The sum over the workgroup.
#[device]
fn group_sum(x: f32) -> f32 {
    #[shared]
    let sums: [f32; 32];
    let sum = subgroup_add(x);
    if subgroup_elect() {
        sums[subgroup_id()] = sum;
    }
    workgroup_barrier();
    subgroup_add(if subgroup_lane() < num_subgroups() { sums[subgroup_lane()] } else { 0.0 })
}

/// A workgroup for each row.
#[kernel(
    workgroup_size(LANES),
    instances(LANES = [32, 64, 128, 256, 512, 1024]),
    limits(invocations = 1024),
    requires(out.len() == x.len(), biases.len() == weights.len())
)]
pub(crate) fn by_groups<const LANES: usize>(
    x: &[[f32; 4]],
    weights: &[[f32; 4]],
    biases: &[[f32; 4]],
    out: &mut [[f32; 4]],
    means: &mut [f32],
    scales: &mut [f32],
) {
    let (row, lane, fours) = (workgroup_id().x, local_id().x, weights.len());
    let n = (4 * fours) as f32;
    let mut sum = 0.0;
    for i in (lane..fours).step_by(LANES) {
        let numbers = x[row * fours + i];
        for k in 0..4 {
            sum += numbers[k];
        }
    }
    let mean = group_sum(sum) / n;
    let mut squares = 0.0;
    for i in (lane..fours).step_by(LANES) {
        let numbers = x[row * fours + i];
        for k in 0..4 {
            let off = numbers[k] - mean;
            squares += off * off;
        }
    }
    let scale = rsqrt(group_sum(squares) / n + 1e-5);
    if lane == 0 {
        means[row] = mean;
        scales[row] = scale;
    }
    for i in (lane..fours).step_by(LANES) {
        let (numbers, weights, biases) = (x[row * fours + i], weights[i], biases[i]);
        let mut normal = [0.0; 4];
        for k in 0..4 {
            normal[k] = (numbers[k] - mean) * scale * weights[k] + biases[k];
        }
        out[row * fours + i] = normal;
    }
}

/// A subgroup for each row; the grid has at most as many invocations as needed, rounded up to workgroups.
#[kernel(
    workgroup_size(LANES),
    instances(LANES = [32, 64, 128, 256, 512, 1024]),
    limits(invocations = 1024),
    requires(out.len() == x.len(), biases.len() == weights.len(), scales.len() == means.len())
)]
pub(crate) fn by_subgroups<const LANES: usize>(
    one_pass: bool,
    x: &[f32],
    weights: &[f32],
    biases: &[f32],
    out: &mut [f32],
    means: &mut [f32],
    scales: &mut [f32],
) {
    let (row, lane, columns) = (workgroup_id().x * (LANES / 32) + subgroup_id(), subgroup_lane(), weights.len());
    let (mut sum, mut squares) = (0.0, 0.0);
    for i in (lane..columns).step_by(32) {
        let number = x[row * columns + i];
        sum += number;
        squares += number * number;
    }
    let n = columns as f32;
    let mean = subgroup_add(sum) / n;
    let variance = if one_pass {
        subgroup_add(squares) / n - mean * mean
    } else {
        let mut squares = 0.0;
        for i in (lane..columns).step_by(32) {
            let off = x[row * columns + i] - mean;
            squares += off * off;
        }
        subgroup_add(squares) / n
    };
    let scale = rsqrt(variance + 1e-5);
    if row < means.len() {
        if lane == 0 {
            means[row] = mean;
            scales[row] = scale;
        }
        for i in (lane..columns).step_by(32) {
            let normal = scale * (x[row * columns + i] - mean) * weights[i] + biases[i];
            // Each subgroup has its own row, which is not proven.
            unsafe { out[row * columns + i] = normal };
        }
    }
}

/// The rows, the numbers, weights and biases.
fn inputs(scale: Scale) -> (usize, [Vec<f32>; 3]) {
    let (rows, columns) = scale.of((5, 140), (8 * 1024, 768));
    let mut random = Random::new(0);
    (rows, [rows * columns, columns, columns].map(|n| (0..n).map(|_| random.between(-1.0, 1.0)).collect()))
}

const LANES: [usize; 6] = [32, 64, 128, 256, 512, 1024];

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let (rows, [x, weights, biases]) = inputs(scale);
    let (x, weights, biases) = (device.upload(&x)?, device.upload(&weights)?, device.upload(&biases)?);
    let mut results = Vec::new();
    for _ in 0..3 * LANES.len() {
        results.push((device.zeros(x.len())?, device.zeros(rows)?, device.zeros(rows)?));
    }
    Ok(Job::new(["workgroups", "subgroups", "one pass"], move |ask| {
        match ask {
            Ask::Step(0) => {
                let (x, weights, biases) = (&x.view()?, &weights.view()?, &biases.view()?);
                for (lanes, (out, means, scales)) in LANES.iter().zip(&mut results) {
                    let (grid, out) = (rows * lanes, &mut out.view_mut::<[f32; 4]>()?);
                    match lanes {
                        32 => by_groups::launch::<32>(device, grid, x, weights, biases, out, means, scales)?,
                        64 => by_groups::launch::<64>(device, grid, x, weights, biases, out, means, scales)?,
                        128 => by_groups::launch::<128>(device, grid, x, weights, biases, out, means, scales)?,
                        256 => by_groups::launch::<256>(device, grid, x, weights, biases, out, means, scales)?,
                        512 => by_groups::launch::<512>(device, grid, x, weights, biases, out, means, scales)?,
                        _ => by_groups::launch::<1024>(device, grid, x, weights, biases, out, means, scales)?,
                    }
                }
            }
            Ask::Step(step) => {
                let (x, w, b, one) = (&x, &weights, &biases, step == 2);
                let grid = rows * 32;
                for (lanes, (out, means, scales)) in LANES.iter().zip(&mut results[step * LANES.len()..]) {
                    match lanes {
                        32 => by_subgroups::launch::<32>(device, grid, one, x, w, b, out, means, scales)?,
                        64 => by_subgroups::launch::<64>(device, grid, one, x, w, b, out, means, scales)?,
                        128 => by_subgroups::launch::<128>(device, grid, one, x, w, b, out, means, scales)?,
                        256 => by_subgroups::launch::<256>(device, grid, one, x, w, b, out, means, scales)?,
                        512 => by_subgroups::launch::<512>(device, grid, one, x, w, b, out, means, scales)?,
                        _ => by_subgroups::launch::<1024>(device, grid, one, x, w, b, out, means, scales)?,
                    }
                }
            }
            Ask::Answer(answer) => {
                for (out, means, scales) in &results {
                    answer.add("normal", &out.read()?);
                    answer.add("means", &means.read()?);
                    answer.add("scales", &scales.read()?);
                }
            }
        }
        Ok(())
    }))
}

/// The sum over at most 32 lanes, neighbours first.
fn tree(lanes: impl IntoIterator<Item = f32>) -> f32 {
    let mut sums: Vec<f32> = lanes.into_iter().collect();
    sums.resize(32, 0.0);
    while sums.len() > 1 {
        sums = sums.chunks(2).map(|pair| pair[0] + pair[1]).collect();
    }
    sums[0]
}

/// The sum of what each lane adds up: runs of so many numbers, in turn.
fn sum(numbers: &[f32], lanes: usize, run: usize) -> f32 {
    let of_lane = |lane: usize| numbers.chunks(run).skip(lane).step_by(lanes).flatten().fold(0.0, |sum, x| sum + x);
    let subgroups: Vec<f32> = (0..lanes / 32).map(|group| tree((0..32).map(|i| of_lane(32 * group + i)))).collect();
    if run == 1 { subgroups[0] } else { tree(subgroups) }
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let (_, [x, weights, biases]) = inputs(scale);
    let n = weights.len() as f32;
    let mut answer = Answer::default();
    for version in 0..3 {
        for lanes in LANES {
            let (lanes, run) = if version == 0 { (lanes, 4) } else { (32, 1) };
            let (mut normal, mut means, mut scales) = (Vec::new(), Vec::new(), Vec::new());
            for row in x.chunks(weights.len()) {
                let mean = sum(row, lanes, run) / n;
                let squares = |shift: f32| row.iter().map(|x| (x - shift) * (x - shift)).collect::<Vec<_>>();
                let variance = match version {
                    2 => sum(&squares(0.0), lanes, run) / n - mean * mean,
                    _ => sum(&squares(mean), lanes, run) / n,
                };
                let scale = math::rsqrt(variance + 1e-5);
                let all = row.iter().zip(weights.iter().zip(&biases));
                normal.extend(all.map(|(x, (weight, bias))| (x - mean) * scale * weight + bias));
                means.push(mean);
                scales.push(scale);
            }
            answer.add("normal", &normal);
            answer.add("means", &means);
            answer.add("scales", &scales);
        }
    }
    answer
}
