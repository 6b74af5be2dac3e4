//! How many of many numbers fall into each of so many bins of equal width.
//!
//! One version counts with atomics of the buffer. The other counts each workgroup's numbers with atomics of workgroup
//! memory first, as long as the bins fit there, and then adds them up.
//!
//! Sizes: ten million `f32` of a normal distribution; 768 bins, twice as many, and so on up to 24,576; counts are `i32`.
//! What differs: the length of workgroup memory is a parameter of the kernel and not of the launch. It ends at 3,072
//! bins, which is as much as every device has.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// The bin of a number between two others; the last one includes its end.
#[device]
fn bin_of(x: f32, low: f32, high: f32, bins: usize) -> usize {
    let bin = ((x - low) * bins as f32 / (high - low)) as usize;
    if bin == bins { bin - 1 } else { bin }
}

#[kernel(workgroup_size(256))]
pub(crate) fn count_in_buffer(low: f32, high: f32, numbers: &[f32], counts: &[Atomic<i32>]) {
    for i in (global_id().x..numbers.len()).step_by(256 * num_workgroups().x) {
        let x = numbers[i];
        if x >= low && x <= high {
            counts[bin_of(x, low, high, counts.len())].fetch_add(1);
        }
    }
}

#[kernel(workgroup_size(256), instances(BINS = [768, 1536, 3072]))]
pub(crate) fn count_in_workgroup<const BINS: usize>(low: f32, high: f32, numbers: &[f32], counts: &[Atomic<i32>]) {
    #[shared]
    let bins: [Atomic<i32>; BINS];
    for i in (global_id().x..numbers.len()).step_by(256 * num_workgroups().x) {
        let x = numbers[i];
        if x >= low && x <= high {
            bins[bin_of(x, low, high, BINS)].fetch_add(1);
        }
    }
    workgroup_barrier();
    for bin in (local_id().x..BINS).step_by(256) {
        counts[bin].fetch_add(bins[bin].load());
    }
}

struct Inputs {
    numbers: Vec<f32>,
    low: f32,
    high: f32,
    /// How many bins, one time after the other.
    bins: Vec<usize>,
}

fn inputs(scale: Scale) -> Inputs {
    let mut random = Random::new(123);
    let numbers: Vec<f32> = (0..scale.of(1000, 10_000_000)).map(|_| 5.0 + 2.0 * random.normal()).collect();
    let low = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let high = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let bins = (0..scale.of(2, 6)).map(|power| 768 << power).collect();
    Inputs { numbers, low, high, bins }
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { numbers, low, high, bins } = inputs(scale);
    let numbers = device.upload(&numbers)?;
    let zeros = || bins.iter().map(|&bins| device.zeros::<i32>(bins)).collect::<Result<Vec<_>, _>>();
    let (mut in_buffer, mut in_workgroup) = (zeros()?, zeros()?);
    in_workgroup.retain(|counts| counts.len() <= 3072);
    Ok(Job::new(["atomics of the buffer", "atomics of the workgroup"], move |ask| {
        match ask {
            Ask::Step(0) => {
                for counts in &mut in_buffer {
                    counts.fill(0)?;
                    count_in_buffer::launch(device, numbers.len(), low, high, &numbers, counts)?;
                }
            }
            Ask::Step(_) => {
                for counts in &mut in_workgroup {
                    counts.fill(0)?;
                    let n = numbers.len();
                    match counts.len() {
                        768 => count_in_workgroup::launch::<768>(device, n, low, high, &numbers, counts)?,
                        1536 => count_in_workgroup::launch::<1536>(device, n, low, high, &numbers, counts)?,
                        _ => count_in_workgroup::launch::<3072>(device, n, low, high, &numbers, counts)?,
                    }
                }
            }
            Ask::Answer(answer) => {
                for counts in &in_buffer {
                    answer.add(format!("{} bins of the buffer", counts.len()), &counts.read()?);
                }
                for counts in &in_workgroup {
                    answer.add(format!("{} bins of a workgroup", counts.len()), &counts.read()?);
                }
            }
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { numbers, low, high, bins } = inputs(scale);
    let mut answer = Answer::default();
    let counts = |&bins: &usize| {
        let mut counts = vec![0i32; bins];
        for x in &numbers {
            let bin = ((x - low) * bins as f32 / (high - low)) as usize;
            counts[bin.min(bins - 1)] += 1;
        }
        counts
    };
    for bins in &bins {
        answer.add(format!("{bins} bins of the buffer"), &counts(bins));
    }
    for bins in bins.iter().filter(|bins| **bins <= 3072) {
        answer.add(format!("{bins} bins of a workgroup"), &counts(bins));
    }
    answer
}
