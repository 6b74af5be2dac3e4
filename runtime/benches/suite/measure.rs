//! Cases and how they are timed: the arms take turns, each turn is many launches and one wait, and
//! the median turn counts.

use samebits::{Device, Error};
use std::time::Instant;

/// Which kernel of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    /// As the source says, to the bit.
    Strict,
    /// `fast_math`.
    Fast,
}

pub const ARMS: [Arm; 2] = [Arm::Strict, Arm::Fast];

/// What a case is asked for.
pub enum Step {
    /// One run of the algorithm is queued.
    Launch(Arm),
    /// The results of the last run are compared with the CPU's: strict ones are the same bits, and
    /// the others near. Returns how far they are off.
    Check(Arm),
}

/// A kernel with its buffers.
pub struct Case<'a> {
    pub name: &'static str,
    /// Billions of what `unit` counts, in a run.
    pub amount: f64,
    pub unit: &'static str,
    pub run: Box<dyn FnMut(Step) -> Result<f64, Error> + 'a>,
}

/// What was measured, in seconds, arm by arm.
pub struct Times {
    /// A run.
    pub run: [f64; 2],
    /// The first run with its wait: compilation and all.
    pub first: [f64; 2],
    /// How far the results of `fast_math` are off.
    pub off: f64,
}

/// A turn lasts about so long.
const TURN: f64 = 0.02;
/// At most so many runs.
const MOST: f64 = 200.0;
const ROUNDS: usize = 9;
/// Rounds of runs that take longer than ten turns.
const FEW: usize = 3;

pub fn measure(device: &Device, case: &mut Case) -> Result<Times, Error> {
    let mut first = [0.0; 2];
    let mut times = [0; 2];
    for (at, arm) in ARMS.into_iter().enumerate() {
        first[at] = turn(device, case, arm, 1)?;
        times[at] = (TURN / turn(device, case, arm, 1)?).clamp(1.0, MOST) as usize;
    }
    let mut seconds = [Vec::new(), Vec::new()];
    let mut rounds = ROUNDS;
    while seconds[0].len() < rounds {
        for (at, arm) in ARMS.into_iter().enumerate() {
            let time = turn(device, case, arm, times[at])? / times[at] as f64;
            seconds[at].push(time);
            if time > 10.0 * TURN {
                rounds = FEW;
            }
        }
    }
    let run = seconds.map(|mut seconds| {
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    });
    let mut off = 0.0;
    for arm in ARMS {
        turn(device, case, arm, 1)?;
        off = (case.run)(Step::Check(arm))?;
    }
    Ok(Times { run, first, off })
}

/// The seconds of some runs and a wait.
fn turn(device: &Device, case: &mut Case, arm: Arm, times: usize) -> Result<f64, Error> {
    let start = Instant::now();
    for _ in 0..times {
        (case.run)(Step::Launch(arm))?;
    }
    device.wait()?;
    Ok(start.elapsed().as_secs_f64())
}

/// How far numbers are from the expected ones, relative to `scale`. Strict ones must be the same.
pub fn far<T: Copy + Into<f64> + PartialEq + std::fmt::Debug>(
    arm: Arm,
    scale: f64,
    pairs: impl IntoIterator<Item = (T, T)>,
) -> f64 {
    pairs.into_iter().fold(0.0, |most, (got, expected)| {
        assert!(arm == Arm::Fast || got == expected, "{got:?} instead of {expected:?}");
        let (got, expected): (f64, f64) = (got.into(), expected.into());
        f64::max(most, (got - expected).abs() / expected.abs().max(scale))
    })
}
