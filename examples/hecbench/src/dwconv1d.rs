//! A convolution along time for each channel, as in the language model RWKV, and its gradients.
//!
//! A workgroup has one channel of eight series (two for gradients) in workgroup memory, and an invocation computes four
//! moments of each. Sums go forward in time, but for the series' gradient, which begins with what the four moments share.
//!
//! Sizes: 32 series of 768 channels and 768 moments. All numbers are `f32`.
//! What differs: workgroups have 192 invocations also for fewer moments.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// The most moments.
#[device]
const MOST: usize = 768;
/// Series of a workgroup: forward, and backward.
#[device]
const FORWARD: usize = 8;
/// See [`FORWARD`].
#[device]
const BACKWARD: usize = 2;

/// Four moments into workgroup memory.
#[device]
fn put(row: &mut [f32], moments: [f32; 4]) {
    for i in 0..4 {
        row[i] = moments[i];
    }
}

/// Of four moments from `t` on: sums over all moments before, weighted by how long ago these were.
#[device]
fn weighted(sums: [f32; 4], weights: &[f32; MOST], series: &[f32; MOST], moments: usize, t: usize) -> [f32; 4] {
    let mut sums = sums;
    for u in 0..=t {
        let x = series[u];
        for i in 0..4 {
            sums[i] += weights[moments - 1 - (t + i - u)] * x;
        }
    }
    for i in 1..4 {
        for u in 1..=i {
            sums[i] += weights[moments - 1 - (i - u)] * series[t + u];
        }
    }
    sums
}

/// `w` has a row for each channel, `k` and `x` have a row for each series and channel. The rows have fours of moments.
#[kernel(workgroup_size(192), limits(workgroup_memory = 27648), requires(x.len() == k.len()))]
pub(crate) fn forward(
    epsilon: f32,
    channels: usize,
    moments: usize,
    w: &[[f32; 4]],
    k: &[[f32; 4]],
    x: &mut [[f32; 4]],
) {
    #[shared]
    let weights: [f32; MOST];
    #[shared]
    let series: [[f32; MOST]; FORWARD];
    let row = workgroup_id().x;
    let fours = moments / 4;
    let i = local_id().x;
    if i < fours {
        put(&mut weights[4 * i..], w[row % channels * fours + i]);
        for j in 0..FORWARD {
            put(&mut series[j][4 * i..], k[(row + num_workgroups().x * j) * fours + i]);
        }
    }
    workgroup_barrier();
    if i < fours {
        for j in 0..FORWARD {
            let sums = weighted([epsilon; 4], &weights, &series[j], moments, 4 * i);
            x[(row + num_workgroups().x * j) * fours + i] = sums;
        }
    }
}

/// From the gradient of the results, those of the weights, of each series on its own, and of the series.
#[kernel(workgroup_size(192), requires(gw.len() == k.len(), gk.len() == k.len(), g.len() == k.len()))]
pub(crate) fn backward(
    channels: usize,
    moments: usize,
    w: &[[f32; 4]],
    k: &[[f32; 4]],
    g: &[[f32; 4]],
    gw: &mut [[f32; 4]],
    gk: &mut [[f32; 4]],
) {
    #[shared]
    let weights: [f32; MOST];
    #[shared]
    let series: [[f32; MOST]; BACKWARD];
    #[shared]
    let gradients: [[f32; MOST]; BACKWARD];
    let row = workgroup_id().x;
    let fours = moments / 4;
    let i = local_id().x;
    if i < fours {
        put(&mut weights[4 * i..], w[row % channels * fours + i]);
        for j in 0..BACKWARD {
            let at = (row + num_workgroups().x * j) * fours + i;
            put(&mut series[j][4 * i..], k[at]);
            put(&mut gradients[j][4 * i..], g[at]);
        }
    }
    workgroup_barrier();
    if i < fours {
        let t = 4 * i;
        for j in 0..BACKWARD {
            let at = (row + num_workgroups().x * j) * fours + i;
            gw[at] = weighted([0.0; 4], &gradients[j], &series[j], moments, t);
            let mut sums = [0.0; 4];
            for u in t + 3..moments {
                for i in 0..4 {
                    sums[i] += gradients[j][moments - 1 - (u - t - i)] * weights[u];
                }
            }
            for i in 0..3 {
                for u in i..3 {
                    sums[i] += gradients[j][moments - 1 - (u - i)] * weights[t + u];
                }
            }
            gk[at] = sums;
        }
    }
}

struct Inputs {
    series: usize,
    channels: usize,
    moments: usize,
    w: Vec<f32>,
    k: Vec<f32>,
    g: Vec<f32>,
}

const EPSILON: f32 = 0.1;

fn inputs(scale: Scale) -> Inputs {
    let (series, channels, moments) = scale.of((8, 2, 20), (32, 768, 768));
    let mut random = Random::new(42);
    let w = random.units(channels * moments);
    let [k, g] = std::array::from_fn(|_| random.units(series * channels * moments));
    Inputs { series, channels, moments, w, k, g }
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { series, channels, moments, w, k, g } = inputs(scale);
    let fours = |numbers: &[f32]| device.upload(numbers.as_chunks::<4>().0);
    let (w, k, g) = (fours(&w)?, fours(&k)?, fours(&g)?);
    let [mut x, mut gw, mut gk] = [device.zeros(k.len())?, device.zeros(k.len())?, device.zeros(k.len())?];
    let groups = move |of: usize| Grid::groups(series * channels / of, 1, 1);
    Ok(Job::new(["forward", "backward"], move |ask| match ask {
        Ask::Step(0) => forward::launch(device, groups(FORWARD), EPSILON, channels, moments, &w, &k, &mut x),
        Ask::Step(_) => backward::launch(device, groups(BACKWARD), channels, moments, &w, &k, &g, &mut gw, &mut gk),
        Ask::Answer(answer) => {
            answer.add("results", &x.read()?);
            answer.add("gradients of weights", &gw.read()?);
            answer.add("gradients of series", &gk.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { series, channels, moments, w, k, g } = inputs(scale);
    let (mut x, mut gw, mut gk) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..series * channels {
        let of = |numbers: &'_ [f32], row: usize| numbers[row * moments..][..moments].to_vec();
        let (w, k, g) = (of(&w, row % channels), of(&k, row), of(&g, row));
        for t in 0..moments {
            let sum =
                |weights: &[f32], first| (0..=t).fold(first, |sum, u| sum + weights[moments - 1 - (t - u)] * k[u]);
            x.push(sum(&w, EPSILON));
            gw.push(sum(&g, 0.0));
            // First the moments from the last of its four on, then those in between.
            let last = t / 4 * 4 + 3;
            let order = (last..moments).chain(t..last);
            gk.push(order.fold(0.0, |sum, u| sum + g[moments - 1 - (u - t)] * w[u]));
        }
    }
    let mut answer = Answer::default();
    answer.add("results", &x);
    answer.add("gradients of weights", &gw);
    answer.add("gradients of series", &gk);
    answer
}
