//! The device's own clock: when launches begin and end.
//!
//! A pass writes the time before and after each launch. The numbers stay on the device until somebody asks or there
//! is no more room.

use super::Wgpu;
use super::batch::Batch;
use super::memory::Storage;
use crate::error::Error;
use wgpu::{BufferUsages, Features, QuerySet, QuerySetDescriptor, QueryType};

/// Launches whose times there is room for.
const LAUNCHES: usize = 1024;

/// What wgpu needs for a clock within passes.
pub(super) const CLOCK: Features = Features::TIMESTAMP_QUERY
    .union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS)
    .union(Features::TIMESTAMP_QUERY_INSIDE_PASSES);

/// The times of launches.
#[derive(Debug)]
pub(super) struct Clock {
    set: QuerySet,
    /// Where the times go that are asked for.
    resolved: Storage,
    /// Launches since times were last asked for.
    used: usize,
    /// In units of the device's.
    times: Vec<[u64; 2]>,
}

/// The beginning or end of a launch.
#[derive(Clone, Copy)]
pub(super) enum Edge {
    Begin,
    End,
}

impl Batch {
    /// Writes the time into the pass, if a clock runs; the number of the launch.
    pub fn stamp(&mut self, device: &wgpu::Device, edge: Edge) -> Option<usize> {
        let mut clock = self.clock.take()?;
        let number = clock.times.len();
        self.pass(device).write_timestamp(&clock.set, (2 * clock.used + edge as usize) as u32);
        if let Edge::End = edge {
            clock.used += 1;
            clock.times.push([0; 2]);
        }
        self.clock = Some(clock);
        Some(number)
    }

    /// Whether there is no room for another launch's times.
    pub fn has_full_clock(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| clock.used == LAUNCHES)
    }
}

impl Wgpu {
    /// Starts a clock, if the device has one.
    pub(super) fn start_own_clock(&self) -> Result<(), Error> {
        if !self.device.features().contains(CLOCK) {
            return Ok(());
        }
        let descriptor = QuerySetDescriptor { label: None, ty: QueryType::Timestamp, count: 2 * LAUNCHES as u32 };
        let set = self.scoped(|| self.device.create_query_set(&descriptor));
        let set = set.map_err(|error| self.failed(error, None))?;
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = Storage::new(self.buffer(16 * LAUNCHES as u64, usage)?, self.groups.clone());
        self.batch().clock = Some(Clock { set, resolved, used: 0, times: Vec::new() });
        Ok(())
    }

    /// Stops the clock, and gives the times of all launches in nanoseconds.
    pub(super) fn stop_own_clock(&self) -> Result<Vec<[u64; 2]>, Error> {
        self.read_clock()?;
        let times = self.batch().clock.take().map_or_else(Vec::new, |clock| clock.times);
        let period = f64::from(self.queue.get_timestamp_period());
        // Only differences matter, and those keep their digits.
        let zero = times.iter().map(|time| time[0]).min().unwrap_or(0);
        Ok(times.iter().map(|time| time.map(|at| (at.saturating_sub(zero) as f64 * period) as u64)).collect())
    }

    /// Reads the times of launches that were not read yet, and makes room for more.
    pub(super) fn read_clock(&self) -> Result<(), Error> {
        let mut batch = self.batch();
        let Some(mut clock) = batch.clock.take() else { return Ok(()) };
        let (used, before) = (clock.used, clock.times.len() - clock.used);
        if used > 0 {
            let encoder = batch.encoder(&self.device);
            encoder.resolve_query_set(&clock.set, 0..2 * used as u32, &clock.resolved.buffer, 0);
        }
        // A batch writes a time only once.
        let (number, outcome) = batch.close();
        drop(batch);
        let mut bytes = vec![0; 16 * used];
        let read = self.submit(number, Some(&outcome)).and_then(|_| match used {
            0 => Ok(()),
            _ => self.read_bytes(&clock.resolved, 0, &mut bytes),
        });
        let word = |bytes: &[u8]| bytes.first_chunk().copied().map_or(0, u64::from_le_bytes);
        for (time, pair) in clock.times[before..].iter_mut().zip(bytes.chunks_exact(16)) {
            *time = [word(pair), word(&pair[8..])];
        }
        clock.used = 0;
        self.batch().clock = Some(clock);
        read
    }
}
