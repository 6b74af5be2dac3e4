//! Keogh's lower bound of how far a query is from each part of a long series, if time may be warped.
//!
//! A workgroup loads its part of the series into workgroup memory. Each invocation normalises the window that begins at its
//! place and adds the squares of what exceeds the envelope of the query.
//!
//! Sizes: a query of 256 and a series of 20 million, both of `f32`.
//! What differs: the query has at most 256 numbers, as workgroup memory has its size when the kernel is compiled.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

#[kernel(workgroup_size(256), requires(lower.len() <= 256, upper.len() == lower.len()))]
pub(crate) fn bound(
    series: &[f32],
    means: &[f32],
    deviations: &[f32],
    lower: &[f32],
    upper: &[f32],
    bounds: &mut [f32],
) {
    #[shared]
    let part: [f32; 512];
    let (i, lane) = (global_id().x, local_id().x);
    for k in (lane..256 + lower.len()).step_by(256) {
        // Past the end there are zeros, which nobody uses.
        part[k] = series[workgroup_id().x * 256 + k];
    }
    workgroup_barrier();
    if i < bounds.len() {
        let (mean, deviation) = (means[i], deviations[i]);
        let mut sum = 0.0;
        for k in 0..lower.len() {
            let x = (part[lane + k] - mean) / deviation;
            let (under, over) = (x - lower[k], x - upper[k]);
            sum += over * over * (over > 0.0) as u32 as f32 + under * under * (under < 0.0) as u32 as f32;
        }
        bounds[i] = sum;
    }
}

struct Inputs {
    series: Vec<f32>,
    means: Vec<f32>,
    deviations: Vec<f32>,
    lower: Vec<f32>,
    upper: Vec<f32>,
}

fn inputs(scale: Scale) -> Inputs {
    let (query, len) = scale.of((20, 500), (256, 20_000_000));
    let windows = len - query + 1;
    let mut random = Random::new(123);
    let [series, means] = [len, windows].map(|n| random.units(n));
    // Not 0.
    let deviations = random.units(windows).into_iter().map(|x| 1.0 - x).collect();
    let [upper, lower] = [query, query].map(|n| random.units(n));
    Inputs { series, means, deviations, lower, upper }
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { series, means, deviations, lower, upper } = inputs(scale);
    let (series, means) = (device.upload(&series)?, device.upload(&means)?);
    let (deviations, lower, upper) = (device.upload(&deviations)?, device.upload(&lower)?, device.upload(&upper)?);
    let mut bounds = device.zeros(means.len())?;
    Ok(Job::new(["bound"], move |ask| match ask {
        Ask::Step(_) => bound::launch(device, bounds.len(), &series, &means, &deviations, &lower, &upper, &mut bounds),
        Ask::Answer(answer) => {
            answer.add("bounds", &bounds.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { series, means, deviations, lower, upper } = inputs(scale);
    let windows = series.windows(lower.len()).zip(means.iter().zip(&deviations));
    let bounds = windows.map(|(window, (mean, deviation))| {
        window.iter().zip(lower.iter().zip(&upper)).fold(0.0f32, |sum, (x, (lower, upper))| {
            let x = (x - mean) / deviation;
            let square = |x: f32, counts: bool| if counts { x * x } else { 0.0 };
            sum + (square(x - upper, x > *upper) + square(x - lower, x < *lower))
        })
    });
    let mut answer = Answer::default();
    answer.add("bounds", &bounds.collect::<Vec<_>>());
    answer
}
