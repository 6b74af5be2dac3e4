//! Adam: weights that are trained by their gradients, and by running means of these and of their squares.
//!
//! One invocation trains every weight that is a multiple of the grid away from its own, for some steps of time in a row.
//! Powers of the rates of decay correct what the means lack in the beginning.
//!
//! Sizes: 10,000 weights, 200 steps of time for each launch. All numbers are `f32`.
//! What differs: the means stay in variables between steps of time, where the original loads and stores them each time.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::math;
use samebits::prelude::*;

/// Where the small number that keeps quotients finite is added: under the square root, or to it.
#[device]
const UNDER_ROOT: u32 = 0;
/// See [`UNDER_ROOT`].
#[device]
const OUTSIDE_ROOT: u32 = 1;

/// How to train.
#[derive(Clone, Copy, Debug, Element)]
#[repr(C)]
struct Training {
    /// What is left of the means after a step.
    beta1: f32,
    beta2: f32,
    epsilon: f32,
    /// What gradients were multiplied with.
    scale: f32,
    rate: f32,
    /// How much weights shrink.
    decay: f32,
    mode: u32,
    /// Steps of time.
    steps: u32,
}

#[kernel(workgroup_size(256), requires(m.len() == p.len(), v.len() == p.len(), g.len() == p.len()))]
pub(crate) fn train(training: Training, p: &mut [f32], m: &mut [f32], v: &mut [f32], g: &[f32]) {
    let Training { beta1, beta2, epsilon, scale, rate, decay, mode, steps } = training;
    for i in (global_id().x..p.len()).step_by(256 * num_workgroups().x) {
        let (mut weight, mut mean, mut square) = (p[i], m[i], v[i]);
        let gradient = g[i] / scale;
        for time in 1..=steps {
            mean = beta1 * mean + (1.0 - beta1) * gradient;
            square = beta2 * square + (1.0 - beta2) * gradient * gradient;
            let mean = mean / (1.0 - beta1.powf(time as f32));
            let square = square / (1.0 - beta2.powf(time as f32));
            let divisor = match mode {
                UNDER_ROOT => (square + epsilon).sqrt(),
                _ => square.sqrt() + epsilon,
            };
            weight -= rate * (mean / divisor + decay * weight);
        }
        (p[i], m[i], v[i]) = (weight, mean, square);
    }
}

struct Inputs {
    training: [Training; 2],
    p: Vec<f32>,
    m: Vec<f32>,
    v: Vec<f32>,
    g: Vec<f32>,
}

fn inputs(scale: Scale) -> Inputs {
    let mut random = Random::new(19937);
    let n = scale.of(100, 10_000);
    let [p, m, v, g] = std::array::from_fn(|_| random.units(n));
    let with = |mode| Training {
        beta1: 0.9,
        beta2: 0.999,
        epsilon: 1e-8,
        scale: 256.0,
        rate: 1e-3,
        decay: 0.5,
        mode,
        steps: scale.of(3, 200),
    };
    Inputs { training: [with(UNDER_ROOT), with(OUTSIDE_ROOT)], p, m, v, g }
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let inputs = inputs(scale);
    let [mut p, mut m, mut v] = [device.upload(&inputs.p)?, device.upload(&inputs.m)?, device.upload(&inputs.v)?];
    let g = device.upload(&inputs.g)?;
    Ok(Job::new(["under the root", "outside the root"], move |ask| match ask {
        Ask::Step(step) => train::launch(device, p.len(), inputs.training[step], &mut p, &mut m, &mut v, &g),
        Ask::Answer(answer) => {
            answer.add("weights", &p.read()?);
            answer.add("means", &m.read()?);
            answer.add("squares", &v.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { training, mut p, mut m, mut v, g } = inputs(scale);
    for training in training {
        for i in 0..p.len() {
            for time in 1..=training.steps {
                let gradient = g[i] / training.scale;
                m[i] = training.beta1 * m[i] + (1.0 - training.beta1) * gradient;
                v[i] = training.beta2 * v[i] + (1.0 - training.beta2) * gradient * gradient;
                let unbiased = |mean: f32, beta: f32| mean / (1.0 - math::powf(beta, time as f32));
                let (first, second) = (unbiased(m[i], training.beta1), unbiased(v[i], training.beta2));
                let divisor = if training.mode == UNDER_ROOT {
                    (second + training.epsilon).sqrt()
                } else {
                    second.sqrt() + training.epsilon
                };
                p[i] -= training.rate * (first / divisor + training.decay * p[i]);
            }
        }
    }
    let mut answer = Answer::default();
    answer.add("weights", &p);
    answer.add("means", &m);
    answer.add("squares", &v);
    answer
}
