//! Choosing among instances of a kernel by timing them on the device, once.
//!
//! Invariant: a choice is kept for a device with its driver, the candidates as they are compiled, and what the program calls the
//! problem. If any of these changes, it is made anew. A choice that is not known costs time and nothing else.

use crate::backend::CAN_WAIT;
use crate::backend::disk::{Digest, Disk, Kind};
use crate::device::Device;
use crate::error::Error;
use crate::kernel::Kernel;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How long a turn of a candidate lasts, in seconds.
const TURN: f64 = 0.002;
/// At most so many runs are a turn.
const MOST: f64 = 1000.0;
/// How often candidates take turns. The median counts.
const ROUNDS: usize = 7;
/// What takes so many times as long as another candidate gets no turn.
const HOPELESS: f64 = 8.0;

/// The number of the candidate that runs fastest on the device.
///
/// `run(i)` launches candidate `i` with the program's own buffers, as often as asked, so it must be something that may be
/// repeated. `problem` tells apart what may have different winners, such as sizes: `"4096 x 4096"`. A candidate that the device
/// refuses, because it asks for more than there is, never wins.
///
/// The candidates run for some milliseconds at the first call. The choice is then kept, for this process and in the folder
/// for caches (`SAMEBITS_CACHE`, as for [`Device::report`]), by the device, its driver, the compiled candidates and the
/// problem. Which candidate wins may differ from one machine to another, so let all of them compute the same bits.
/// A judge takes candidate 0, and so does a page of the web, which cannot wait. With one candidate, or none, it is 0, and
/// nothing runs.
///
/// *Errors*: those of `run`; if the device refuses all candidates, the last refusal.
///
/// ```
/// use samebits::prelude::*;
/// use samebits::tune;
///
/// #[kernel(workgroup_size(SIZE), instances(SIZE = [64, 128, 256]))]
/// fn fill<const SIZE: usize>(y: &mut [u32]) {
///     let i = global_id().x;
///     if i < y.len() {
///         y[i] = i as u32;
///     }
/// }
///
/// let device = Device::best()?;
/// let mut y = device.zeros::<u32>(1000)?;
/// let kernels = [fill::kernel::<64>(), fill::kernel::<128>(), fill::kernel::<256>()];
/// let mut run = |candidate: usize| match candidate {
///     0 => fill::launch::<64>(&device, 1000, &mut y),
///     1 => fill::launch::<128>(&device, 1000, &mut y),
///     _ => fill::launch::<256>(&device, 1000, &mut y),
/// };
/// let best = tune::fastest(&device, "1000", &kernels, &mut run)?;
/// run(best)?;
/// assert_eq!(y.read_range(998..)?, [998, 999]);
/// # Ok::<(), Error>(())
/// ```
pub fn fastest(
    device: &Device,
    problem: &str,
    candidates: &[&Kernel],
    mut run: impl FnMut(usize) -> Result<(), Error>,
) -> Result<usize, Error> {
    if candidates.len() < 2 || device.control().judges() || !CAN_WAIT {
        return Ok(0);
    }
    let seconds = |candidate: usize, runs: u32| {
        // What was queued before does not count.
        device.wait()?;
        let start = Instant::now();
        for _ in 0..runs {
            run(candidate)?;
        }
        device.wait()?;
        Ok(start.elapsed().as_secs_f64())
    };
    known_or(&Disk::of_environment(), &key(device, problem, candidates), candidates.len(), || {
        choose(candidates.len(), seconds)
    })
}

/// What a choice is for, in one line.
fn key(device: &Device, problem: &str, candidates: &[&Kernel]) -> String {
    let report = device.report();
    let mut digest = Digest::default();
    digest.write(report.to_string().as_bytes());
    for kernel in candidates {
        digest.write(kernel.name().as_bytes());
        digest.write(kernel.image());
    }
    let driver = report.driver().unwrap_or("no driver");
    let key = format!("tuned {:016x} {} {driver} {problem}", digest.finish(), report.device());
    key.replace(['\n', '\r'], " ")
}

/// The choice of a key among so many candidates, which is made and kept if it is not known.
fn known_or(disk: &Disk, key: &str, count: usize, make: impl FnOnce() -> Result<usize, Error>) -> Result<usize, Error> {
    static KNOWN: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&choice) = known().get(key) {
        return Ok(choice);
    }
    let kept = || String::from_utf8(disk.read(Kind::Verdict, key)?).ok()?.parse().ok().filter(|&choice| choice < count);
    let choice = match kept() {
        Some(choice) => choice,
        None => {
            let choice = make()?;
            disk.write(Kind::Verdict, key, choice.to_string().as_bytes());
            choice
        }
    };
    known().insert(key.to_owned(), choice);
    Ok(choice)
}

/// The candidate with the least median, by the seconds that some runs of a candidate take.
fn choose(count: usize, mut seconds: impl FnMut(usize, u32) -> Result<f64, Error>) -> Result<usize, Error> {
    let mut last = None;
    let mut each: Vec<(usize, f64)> = Vec::new();
    for candidate in 0..count {
        // The first run compiles.
        match seconds(candidate, 1).and_then(|_| seconds(candidate, 1)) {
            Ok(time) => each.push((candidate, time)),
            Err(error) if is_refusal(&error) => last = Some(error),
            Err(error) => return Err(error),
        }
    }
    let least = each.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
    each.retain(|(_, time)| *time <= least * HOPELESS);
    let mut turns = vec![Vec::new(); each.len()];
    for _ in 0..ROUNDS {
        for (&(candidate, time), turns) in each.iter().zip(&mut turns) {
            // A time of 0 is one run of MOST.
            let runs = (TURN / time).clamp(1.0, MOST) as u32;
            turns.push(seconds(candidate, runs)? / f64::from(runs));
        }
    }
    let median = |mut turns: Vec<f64>| {
        turns.sort_by(f64::total_cmp);
        turns[turns.len() / 2]
    };
    let medians = each.iter().zip(turns).map(|((candidate, _), turns)| (*candidate, median(turns)));
    match (medians.min_by(|a, b| a.1.total_cmp(&b.1)), last) {
        (Some((candidate, _)), _) => Ok(candidate),
        (None, Some(error)) => Err(error),
        (None, None) => Ok(0),
    }
}

/// Whether a device refuses a kernel for what it is.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::WorkgroupTooLarge { .. }
            | Error::SharedTooLarge { .. }
            | Error::TooManyBuffers { .. }
            | Error::TooManyArguments { .. }
            | Error::MissingFeature { .. }
            | Error::KernelRefused { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that says how long each candidate takes, or that it is refused.
    fn clock(times: &[Option<f64>]) -> impl FnMut(usize, u32) -> Result<f64, Error> {
        |candidate, runs| match times[candidate] {
            Some(time) => Ok(time * f64::from(runs)),
            None => Err(refusal(candidate)),
        }
    }

    fn refusal(candidate: usize) -> Error {
        Error::MissingFeature { kernel: candidate.to_string(), feature: "f64".to_owned(), device: "d".to_owned() }
    }

    #[test]
    fn the_quickest_candidate_that_is_not_refused_wins() {
        assert_eq!(choose(3, clock(&[Some(3e-5), Some(1e-5), Some(2e-5)])), Ok(1));
        assert_eq!(choose(3, clock(&[Some(3e-5), None, Some(2e-5)])), Ok(2));
        assert_eq!(choose(2, clock(&[Some(1.0), Some(0.0)])), Ok(1));
        assert_eq!(choose(2, clock(&[None, None])), Err(refusal(1)));
        assert_eq!(choose(0, clock(&[])), Ok(0));
    }

    #[test]
    fn a_slow_first_run_and_a_slow_turn_do_not_count() {
        let mut calls = 0;
        let times = |candidate: usize, runs: u32| {
            calls += 1;
            // The first call compiles, and later something else is busy for a turn of candidate 0.
            let late = if calls == 1 || calls == 9 { 5.0 } else { 0.0 };
            Ok(f64::from(runs) * [1e-4, 2e-4][candidate] + late)
        };
        assert_eq!(choose(2, times), Ok(0));
    }

    #[test]
    fn a_hopeless_candidate_gets_no_turn() {
        let mut calls = [0; 2];
        let times = |candidate: usize, runs: u32| {
            calls[candidate] += 1;
            Ok(f64::from(runs) * [1.0, 1e-3][candidate])
        };
        assert_eq!(choose(2, times), Ok(1));
        assert_eq!(calls, [2, 2 + ROUNDS]);
    }

    #[test]
    fn an_error_that_is_no_refusal_ends_it() {
        let error = Error::Range { start: 2, end: None, len: 1 };
        assert_eq!(choose(2, |_, _| Err(error.clone())), Err(error));
    }

    #[test]
    fn a_choice_is_made_once_and_kept_on_disk() {
        let folder = std::env::temp_dir().join(format!("samebits-tune-{}", std::process::id()));
        let disk = Disk::at(folder.clone());
        assert_eq!(known_or(&disk, "a problem", 3, || Ok(2)), Ok(2));
        assert_eq!(known_or(&disk, "a problem", 3, || Ok(1)), Ok(2), "the process knows it");
        disk.write(Kind::Verdict, "of another process", b"1");
        assert_eq!(known_or(&disk, "of another process", 3, || Ok(0)), Ok(1), "the disk knows it");
        assert_eq!(disk.read(Kind::Verdict, "a problem").as_deref(), Some(&b"2"[..]));
        for (key, damaged) in [("large", &b"7"[..]), ("no number", b"x"), ("no text", &[0xff])] {
            disk.write(Kind::Verdict, key, damaged);
            assert_eq!(known_or(&disk, key, 3, || Ok(0)), Ok(0), "{key}");
        }
        let error = Error::Range { start: 2, end: None, len: 1 };
        assert_eq!(known_or(&disk, "that fails", 3, || Err(error.clone())), Err(error));
        assert_eq!(known_or(&disk, "that fails", 3, || Ok(1)), Ok(1), "a failure is not kept");
        std::fs::remove_dir_all(folder).expect("the folder is there");
    }

    #[test]
    fn a_key_is_a_line_that_names_device_problem_and_candidates() {
        let (one, two) = (Kernel::from_image("one", &[1]), Kernel::from_image("one", &[2]));
        let device = Device::interpreter();
        let first = key(&device, "8\nx 8", &[&one, &two]);
        assert!(!first.contains('\n') && first.contains("interpreter") && first.ends_with("8 x 8"), "{first}");
        assert_eq!(key(&device, "8\nx 8", &[&one, &two]), first);
        assert_ne!(key(&device, "8\nx 8", &[&two, &one]), first);
        assert_ne!(key(&Device::cpu(), "8\nx 8", &[&one, &two]), first);
    }
}
