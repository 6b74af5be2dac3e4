//! A tensor whose order is turned round along some of its axes.
//!
//! An invocation finds the index of its element along each axis by division, turns those that are to be turned, and copies from the
//! place that results.
//!
//! Sizes: three axes of 512, all of them turned; `f32` and `f64`; indices are `i64`.
//! What differs: the suite's axes of 1024 need 4 GiB in a buffer, which no binding holds.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;

#[kernel(workgroup_size(256), instances(T = [f32, f64]), features(f64), requires(to.len() == from.len()))]
pub(crate) fn flip<T: Element>(
    from: &[T],
    to: &mut [T],
    flipped: &[i64],
    strides: &[i64],
    contiguous: &[i64],
    shape: &[i64],
) {
    let i = global_id().x;
    if i >= to.len() {
        return;
    }
    let mut rest = i as i64;
    let mut source = 0;
    for axis in 0..shape.len() {
        let mut index = rest / contiguous[axis];
        rest -= index * contiguous[axis];
        for k in 0..flipped.len() {
            if flipped[k] == axis as i64 {
                index = shape[axis] - 1 - index;
            }
        }
        source += index * strides[axis];
    }
    to[i] = from[source as u32 as usize];
}

struct Inputs {
    shape: Vec<i64>,
    strides: Vec<i64>,
    flipped: Vec<i64>,
    len: usize,
}

fn inputs(scale: Scale) -> Inputs {
    let shape = scale.of(vec![5, 4, 6], vec![512; 3]);
    let flipped = scale.of(vec![0, 2], vec![0, 1, 2]);
    let strides = vec![shape[1] * shape[2], shape[2], 1];
    let len = shape.iter().product::<i64>() as usize;
    Inputs { shape, strides, flipped, len }
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { shape, strides, flipped, len } = inputs(scale);
    let singles = device.upload_vec((0..len).map(|i| i as f32).collect())?;
    let doubles = device.upload_vec((0..len).map(|i| i as f64).collect())?;
    let (mut to_singles, mut to_doubles) = (device.zeros::<f32>(len)?, device.zeros::<f64>(len)?);
    let (flipped, strides, shape) = (device.upload(&flipped)?, device.upload(&strides)?, device.upload(&shape)?);
    Ok(Job::new(["f32", "f64"], move |ask| match ask {
        Ask::Step(0) => flip::launch(device, len, &singles, &mut to_singles, &flipped, &strides, &strides, &shape),
        Ask::Step(_) => flip::launch(device, len, &doubles, &mut to_doubles, &flipped, &strides, &strides, &shape),
        Ask::Answer(answer) => {
            answer.add("f32", &to_singles.read()?);
            answer.add("f64", &to_doubles.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { shape, flipped, len, .. } = inputs(scale);
    let place = |axis: usize, index: i64| {
        if flipped.contains(&(axis as i64)) { shape[axis] - 1 - index } else { index }
    };
    let mut numbers = Vec::with_capacity(len);
    for a in 0..shape[0] {
        for b in 0..shape[1] {
            for c in 0..shape[2] {
                numbers.push((place(0, a) * shape[1] + place(1, b)) * shape[2] + place(2, c));
            }
        }
    }
    let mut answer = Answer::default();
    answer.add("f32", &numbers.iter().map(|number| *number as f32).collect::<Vec<_>>());
    answer.add("f64", &numbers.iter().map(|number| *number as f64).collect::<Vec<_>>());
    answer
}
