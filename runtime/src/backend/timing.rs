//! Launches that are timed: by the device's clock, or by the host's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A launch, and when it ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timed {
    pub(crate) kernel: String,
    pub(crate) bytes: u64,
    /// From the first launch's beginning on, in nanoseconds.
    pub(crate) time: [u64; 2],
}

impl Timed {
    /// The kernel's name.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// # #[kernel(workgroup_size(1))]
    /// # fn one(y: &mut [u32]) { y[0] = 1; }
    /// # let device = Device::interpreter();
    /// # let mut y = device.zeros::<u32>(1)?;
    /// let (_, profile) = device.profile(|| one::launch(&device, 1, &mut y))?;
    /// let [launch] = profile.launches() else { panic!("one launch") };
    /// assert_eq!((launch.kernel(), launch.bytes()), ("one", 4));
    /// assert!(launch.begin() <= launch.end());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The bytes of all buffers that were passed to it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// When it began, from the beginning of the first launch on.
    pub fn begin(&self) -> Duration {
        Duration::from_nanos(self.time[0])
    }

    /// When it ended, from the beginning of the first launch on.
    pub fn end(&self) -> Duration {
        Duration::from_nanos(self.time[1])
    }

    /// How long it ran, in nanoseconds.
    pub(crate) fn nanos(&self) -> u64 {
        self.time[1].saturating_sub(self.time[0])
    }
}

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
