//! A program that was started on a device: its steps can be run again and again, and its answer read.

use crate::answer::Answer;
use samebits::Error;
use std::fmt;

/// How much a program computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Little, for tests.
    Small,
    /// What the suite computes, or what its module says.
    Suite,
}

impl Scale {
    /// The first for tests, the second for the suite.
    ///
    /// ```
    /// use samebits_hecbench::job::Scale;
    /// assert_eq!(Scale::Suite.of(64, 10_000), 10_000);
    /// ```
    pub fn of<T>(self, small: T, suite: T) -> T {
        match self {
            Self::Small => small,
            Self::Suite => suite,
        }
    }
}

/// What a job is asked for.
#[derive(Debug)]
pub enum Ask<'a> {
    /// To queue the launches of a step.
    Step(usize),
    /// To add what they computed.
    Answer(&'a mut Answer),
}

/// What a program does when it is asked.
type Run<'a> = dyn FnMut(Ask<'_>) -> Result<(), Error> + 'a;

/// A program with its buffers on a device.
pub struct Job<'a> {
    steps: Vec<&'static str>,
    run: Box<Run<'a>>,
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl<'a> Job<'a> {
    /// A job with named steps.
    pub fn new<const N: usize>(steps: [&'static str; N], run: impl FnMut(Ask<'_>) -> Result<(), Error> + 'a) -> Self {
        Self { steps: steps.to_vec(), run: Box::new(run) }
    }

    /// The names of the steps.
    pub fn steps(&self) -> &[&'static str] {
        &self.steps
    }

    /// Queues the launches of a step.
    pub fn step(&mut self, step: usize) -> Result<(), Error> {
        (self.run)(Ask::Step(step))
    }

    /// What was computed.
    pub fn answer(&mut self) -> Result<Answer, Error> {
        let mut answer = Answer::default();
        (self.run)(Ask::Answer(&mut answer))?;
        Ok(answer)
    }
}
