//! A step of a recurrent network of gated units, after its two products of matrices.
//!
//! An invocation computes the gates and the new state of one unit, and keeps what the way back needs.
//!
//! Sizes: 102,400 units of a layer of 1024; numbers are `f16` in buffers and `f32` in between.
//! What differs: the grid has an axis for units and one for rows; the original also has memory for 1024 times as many units, which its kernel never touches.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::math;
use samebits::prelude::*;

#[device]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[kernel(workgroup_size(256), features(f16))]
pub(crate) fn forward(
    size: usize,
    input: &[f16],
    hidden: &[f16],
    input_bias: &[f16],
    hidden_bias: &[f16],
    before: &[f16],
    after: &mut [f16],
    kept: &mut [f16],
) {
    let (row, unit) = (global_id().y, global_id().x);
    if unit < size && row * size + unit < after.len() {
        let i = row * size + unit;
        let first = row * 3 * size + unit;
        let [ir, ii, in_] = [input[first] as f32, input[first + size] as f32, input[first + 2 * size] as f32];
        let [hr, hi, hn] = [hidden[first] as f32, hidden[first + size] as f32, hidden[first + 2 * size] as f32];
        let b1 = [input_bias[unit] as f32, input_bias[unit + size] as f32, input_bias[unit + 2 * size] as f32];
        let b2 = [hidden_bias[unit] as f32, hidden_bias[unit + size] as f32, hidden_bias[unit + 2 * size] as f32];
        let reset = sigmoid(ir + hr + b1[0] + b2[0]);
        let update = sigmoid(ii + hi + b1[1] + b2[1]);
        let new = (in_ + b1[2] + reset * (hn + b2[2])).tanh();
        after[i] = (new + update * (before[i] as f32 - new)) as f16;
        let first = row * 5 * size + unit;
        kept[first] = reset as f16;
        kept[first + size] = update as f16;
        kept[first + 2 * size] = new as f16;
        kept[first + 3 * size] = before[i];
        kept[first + 4 * size] = (hn + b2[2]) as f16;
    }
}

struct Inputs {
    size: usize,
    input: Vec<f16>,
    hidden: Vec<f16>,
    input_bias: Vec<f16>,
    hidden_bias: Vec<f16>,
    before: Vec<f16>,
}

fn inputs(scale: Scale) -> Inputs {
    let (rows, size) = scale.of((3, 20), (100, 1024));
    let mut random = Random::new(123);
    let mut numbers = |n| (0..n).map(|_| f16::from_f32(random.between(-2.0, 2.0))).collect();
    Inputs {
        size,
        input: numbers(3 * rows * size),
        hidden: numbers(3 * rows * size),
        input_bias: numbers(3 * size),
        hidden_bias: numbers(3 * size),
        before: numbers(rows * size),
    }
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { size, input, hidden, input_bias, hidden_bias, before } = inputs(scale);
    let (input, hidden) = (device.upload(&input)?, device.upload(&hidden)?);
    let (input_bias, hidden_bias) = (device.upload(&input_bias)?, device.upload(&hidden_bias)?);
    let before = device.upload(&before)?;
    let n = before.len();
    let (mut after, mut kept) = (device.zeros(n)?, device.zeros(5 * n)?);
    Ok(Job::new(["forward"], move |ask| match ask {
        Ask::Step(_) => {
            let (after, kept) = (&mut after, &mut kept);
            forward::launch(
                device,
                (size, n / size),
                size,
                &input,
                &hidden,
                &input_bias,
                &hidden_bias,
                &before,
                after,
                kept,
            )
        }
        Ask::Answer(answer) => {
            answer.add("state", &after.read()?);
            answer.add("kept", &kept.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { size, input, hidden, input_bias, hidden_bias, before } = inputs(scale);
    let logistic = |x: f32| 1.0 / (1.0 + math::exp(-x));
    let (mut state, mut kept) = (Vec::new(), vec![f16::ZERO; 5 * before.len()]);
    for (i, &old) in before.iter().enumerate() {
        let (row, unit) = (i / size, i % size);
        // Of the reset gate, the update gate and the new state.
        let three = |numbers: &[f16], first: usize| [0, 1, 2].map(|k| numbers[first + k * size + unit].to_f32());
        let (x, h) = (three(&input, 3 * row * size), three(&hidden, 3 * row * size));
        let (bx, bh) = (three(&input_bias, 0), three(&hidden_bias, 0));
        let reset = logistic(x[0] + h[0] + bx[0] + bh[0]);
        let update = logistic(x[1] + h[1] + bx[1] + bh[1]);
        let new = math::tanh(x[2] + bx[2] + reset * (h[2] + bh[2]));
        state.push(f16::from_f32(new + update * (old.to_f32() - new)));
        let of_unit = [reset, update, new, old.to_f32(), h[2] + bh[2]];
        for (k, number) in of_unit.into_iter().enumerate() {
            kept[(5 * row + k) * size + unit] = f16::from_f32(number);
        }
    }
    let mut answer = Answer::default();
    answer.add("state", &state);
    answer.add("kept", &kept);
    answer
}
