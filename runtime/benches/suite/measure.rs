//! Cases and how they are timed: cases and arms take turns, each turn is many launches and one wait, and
//! the median turn counts.

use samebits::{Device, Error};
use std::time::{Duration, Instant};

/// Which kernel of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arm {
    /// As the source says, to the bit.
    Strict = 0,
    /// `fast_math`.
    Fast = 1,
}

/// The arms in the order of their numbers, with their names.
pub const ARMS: [(Arm, &str); 2] = [(Arm::Strict, "strict"), (Arm::Fast, "fast")];

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
    /// Billions of what `unit` counts, in a run.
    pub amount: f64,
    pub unit: &'static str,
    pub run: Box<dyn FnMut(Step) -> Result<f64, Error> + 'a>,
}

/// What was measured of an arm, in seconds.
#[derive(Clone, Copy)]
pub struct Times {
    /// A run.
    pub run: f64,
    /// The first run with its wait: compilation and all.
    pub first: f64,
    /// How far the results are off.
    pub off: f64,
}

/// A turn lasts about so long.
const TURN: f64 = 0.02;
/// Before the first turn, a case runs for so long.
const WARM: f64 = 1.0;
/// What a device does between turns of several cases: nothing, so that none has the clock that the one before has left.
const REST: Duration = Duration::from_millis(50);
/// At most so many runs.
const MOST: usize = 200;
const ROUNDS: usize = 9;
/// Rounds of runs that take longer than ten turns.
const FEW: usize = 3;

/// Measures some arms of cases that take turns, and gives for each case what it knows of each of [`ARMS`].
pub fn measure(device: &Device, cases: &mut [Case], arms: &[Arm]) -> Result<Vec<[Option<Times>; 2]>, Error> {
    let mut measured = vec![[None; 2]; cases.len()];
    let mut turns = vec![[const { Vec::new() }; 2]; cases.len()];
    let mut times = vec![[0; 2]; cases.len()];
    let mut rounds = ROUNDS;
    let mut firsts = vec![[0.0; 2]; cases.len()];
    for (case, firsts) in cases.iter_mut().zip(&mut firsts) {
        for &arm in arms {
            firsts[arm as usize] = turn(device, case, arm, 1)?;
        }
    }
    // A device that had nothing to do while the cases were made runs slowly for a while.
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < WARM {
        for case in &mut *cases {
            for &arm in arms {
                turn(device, case, arm, 1)?;
            }
        }
    }
    for (at, case) in cases.iter_mut().enumerate() {
        for &arm in arms {
            let (runs, time) = runs_of_a_turn(device, case, arm)?;
            times[at][arm as usize] = runs;
            if time > 10.0 * TURN {
                rounds = FEW;
            }
            measured[at][arm as usize] = Some(Times { run: time, first: firsts[at][arm as usize], off: 0.0 });
        }
    }
    let is_compared = cases.len() > 1;
    for _ in 0..rounds {
        for (at, case) in cases.iter_mut().enumerate() {
            for &arm in arms {
                if is_compared {
                    std::thread::sleep(REST);
                }
                let times = times[at][arm as usize];
                turns[at][arm as usize].push(turn(device, case, arm, times)? / times as f64);
            }
        }
    }
    for (at, case) in cases.iter_mut().enumerate() {
        for &arm in arms {
            turn(device, case, arm, 1)?;
            let off = (case.run)(Step::Check(arm))?;
            let turns = &mut turns[at][arm as usize];
            turns.sort_by(f64::total_cmp);
            if let Some(times) = &mut measured[at][arm as usize] {
                *times = Times { run: turns[turns.len() / 2], off, ..*times };
            }
        }
    }
    Ok(measured)
}

/// How many runs last about a turn, and the seconds of these. The wait for a single run lasts longer than
/// many a run, so the number grows until a turn is long enough.
fn runs_of_a_turn(device: &Device, case: &mut Case, arm: Arm) -> Result<(usize, f64), Error> {
    let mut runs = 1;
    loop {
        let time = turn(device, case, arm, runs)?.min(turn(device, case, arm, runs)?);
        if time > TURN / 2.0 || runs >= MOST {
            return Ok((runs, time));
        }
        runs = (runs * 2).min(MOST);
    }
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
