//! A bitonic sort of as many `i32` as a power of two.
//!
//! Sequences that rise and fall in turn are merged into ones of twice the length. A merge compares numbers that are
//! half a sequence apart, then a quarter, and so on. Each such round is a launch, and an invocation compares one pair.
//!
//! Sizes: 2²⁵ numbers below 1000, in 325 launches.
//! What differs: pairs are told by a bit of the index and not by quotients; each run sorts the same numbers again, so they are copied before the first launch.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// Compares numbers that are `half` a sequence apart. `run` numbers in a row become rising, then as many falling.
#[kernel(workgroup_size(256))]
pub(crate) fn merge(half: usize, run: usize, x: &mut [i32]) {
    let i = global_id().x;
    let other = i ^ half;
    if other > i && other < x.len() {
        let rising = i & run == 0;
        let (a, b) = (x[i], x[other]);
        if a > b && rising || a < b && !rising {
            (x[i], x[other]) = (b, a);
        }
    }
}

fn inputs(scale: Scale) -> Vec<i32> {
    let mut random = Random::new(2);
    (0..1usize << scale.of(9, 25)).map(|_| random.below(1000) as i32).collect()
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let source = device.upload(&inputs(scale))?;
    let mut x = device.zeros::<i32>(source.len())?;
    Ok(Job::new(["sort"], move |ask| {
        match ask {
            Ask::Step(_) => {
                x.copy_from(&source)?;
                for step in 0..x.len().ilog2() {
                    for stage in (0..=step).rev() {
                        merge::launch(device, x.len(), 1 << stage, 2 << step, &mut x)?;
                    }
                }
            }
            Ask::Answer(answer) => answer.add("sorted", &x.read()?),
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    // However it is done, sorted numbers are the same.
    let mut x = inputs(scale);
    x.sort_unstable();
    let mut answer = Answer::default();
    answer.add("sorted", &x);
    answer
}
