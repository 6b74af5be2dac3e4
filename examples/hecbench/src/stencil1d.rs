//! The sum of each number's neighbourhood in a row, seven to each side.
//!
//! A workgroup loads its numbers and the seven on both sides into workgroup memory.
//!
//! Sizes: 134,217,728 numbers of `i32`, and seven more behind them.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;

#[device]
const RADIUS: usize = 7;
#[device]
const GROUP: usize = 256;

#[kernel(workgroup_size(GROUP))]
pub(crate) fn sums(x: &[i32], y: &mut [i32]) {
    #[shared]
    let part: [i32; GROUP + 2 * RADIUS];
    let (i, lane) = (global_id().x, local_id().x);
    part[lane + RADIUS] = x[i];
    if lane < RADIUS {
        part[lane] = if i < RADIUS { 0 } else { x[i - RADIUS] };
        part[lane + RADIUS + GROUP] = x[i + GROUP];
    }
    workgroup_barrier();
    let mut sum = 0;
    for k in 0..=2 * RADIUS {
        sum += part[lane + k];
    }
    y[i] = sum;
}

fn inputs(scale: Scale) -> Vec<i32> {
    (0..scale.of(3 * 256, 134_217_728) + 7).collect()
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let x = device.upload_vec(inputs(scale))?;
    let mut y = device.zeros(x.len() - RADIUS)?;
    Ok(Job::new(["sums"], move |ask| match ask {
        Ask::Step(_) => sums::launch(device, y.len(), &x, &mut y),
        Ask::Answer(answer) => {
            answer.add("sums", &y.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let x = inputs(scale);
    let sum = |i: usize| x[i.saturating_sub(7)..=i + 7].iter().fold(0i32, |sum, x| sum.wrapping_add(*x));
    let mut answer = Answer::default();
    answer.add("sums", &(0..x.len() - 7).map(sum).collect::<Vec<_>>());
    answer
}
