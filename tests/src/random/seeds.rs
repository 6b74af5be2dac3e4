//! How many kernels a run takes, and the work on them on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Findings after which a run ends.
const ENOUGH: usize = 3;

/// Kernels of a short run, or as many as `SAMEBITS_RANDOM` asks for.
pub fn kernels() -> u64 {
    let asked = std::env::var("SAMEBITS_RANDOM").ok();
    asked.map_or(1_500, |text| text.parse().expect("SAMEBITS_RANDOM is a number of kernels"))
}

/// Works on the seeds below a limit on all cores; what it says is wrong, by seed.
pub fn over<T: Send>(limit: u64, work: impl Fn(u64) -> Option<T> + Sync) -> Vec<T> {
    let (next, wrong) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let is_enough = wrong.lock().expect("no thread panics").len() >= ENOUGH;
                    if seed >= limit || is_enough {
                        break;
                    }
                    if let Some(what) = work(seed) {
                        wrong.lock().expect("no thread panics").push((seed, what));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no thread panics");
    wrong.sort_by_key(|(seed, _)| *seed);
    wrong.into_iter().map(|(_, what)| what).collect()
}
