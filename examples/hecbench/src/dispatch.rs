//! What a launch costs: a kernel that does nothing, on one invocation.
//!
//! Sizes: one launch, and a thousand in a row.
//! What differs: the time until a launch is queued is not measured on its own, and the benchmark says no deviation.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
pub(crate) fn nothing() {}

pub(crate) fn start(device: &Device, _: Scale) -> Result<Job<'_>, Error> {
    Ok(Job::new(["one launch", "1000 launches"], move |ask| {
        if let Ask::Step(step) = ask {
            for _ in 0..[1, 1000][step] {
                nothing::launch(device, Grid::groups(1, 1, 1))?;
            }
            device.wait()?;
        }
        Ok(())
    }))
}

pub(crate) fn reference(_: Scale) -> Answer {
    Answer::default()
}
