//! Launches that are timed: by the device's clock, or by the host's.

use crate::profile::Timed;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Whether a device's launches are timed, and those that were.
#[derive(Default, Debug)]
pub(super) struct Timing {
    is_running: AtomicBool,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    since: Instant,
    launches: Vec<(Timed, Option<usize>)>,
}

impl Timing {
    fn lock(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether launches are timed.
    pub fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Acquire)
    }

    /// Begins. False if somebody has begun before.
    pub fn begin(&self) -> bool {
        let mut running = self.lock();
        let is_first = running.is_none();
        running.get_or_insert_with(|| Running { since: Instant::now(), launches: Vec::new() });
        self.is_running.store(true, Ordering::Release);
        is_first
    }

    /// The nanoseconds since then.
    pub fn now(&self) -> u64 {
        self.lock().as_ref().map_or(0, |running| running.since.elapsed().as_nanos().try_into().unwrap_or(u64::MAX))
    }

    /// Notes a launch with its time, or with its number for the device's clock.
    pub fn note(&self, launch: Timed, number: Option<usize>) {
        if let Some(running) = &mut *self.lock() {
            running.launches.push((launch, number));
        }
    }

    /// Ends, and gives the launches. What the device's clock says of a number comes from `times`.
    pub fn end(&self, times: &[[u64; 2]]) -> Vec<Timed> {
        self.is_running.store(false, Ordering::Release);
        let launches = self.lock().take().map_or_else(Vec::new, |running| running.launches);
        let known = launches.into_iter().filter_map(|(launch, number)| match number {
            None => Some(launch),
            Some(number) => times.get(number).map(|&time| Timed { time, ..launch }),
        });
        known.collect()
    }
}
