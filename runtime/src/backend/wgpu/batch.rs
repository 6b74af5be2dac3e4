//! The only way in which work reaches a device: launches and copies gather in a batch.
//!
//! A batch is one command encoder, with one compute pass for launches that follow each
//! other. It is submitted by a read, whose copy is part of it, by a write to memory that it
//! uses, and when it has grown large. Bytes that are written reach the device before the
//! batch does. This makes no difference, since the batch does not use that memory.
//!
//! From time to time a launch waits for launches long before it. So neither the queue nor the
//! memory that it keeps alive grows without bound.
//!
//! Invariants:
//!
//! - Batches are submitted in order, by any thread that needs one of them.
//! - The lock of the open batch is not held during a submission, because a driver may take its
//!   time: llvmpipe first runs what was submitted before.
//! - Whether the driver accepts a batch is the batch's outcome. The bytes that the batch writes
//!   depend on it.

use super::clock::Clock;
use super::cuts::Watched;
use super::memory::{Key, Storage};
use super::{Wgpu, caught, one_line};
use crate::backend::CAN_WAIT;
use crate::backend::outcome::Outcome;
use crate::error::Error;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use wgpu::{
    BufferUsages, CommandEncoder, CommandEncoderDescriptor, ComputePass, ComputePassDescriptor, SubmissionIndex,
};

/// Bytes that may be allocated and written before somebody waits for the queue, which keeps alive
/// what the program has dropped.
const BYTES: u64 = 256 << 20;
/// Launches of a batch.
const LAUNCHES: u32 = 64;
/// Launches that may be queued before one waits for those before them: enough to keep a
/// device busy, few enough that what they hold stays small.
const QUEUED: u32 = 256;

/// Work that was not submitted yet.
#[derive(Debug)]
pub(super) struct Batch {
    // Before the encoder that it belongs to.
    pass: Option<ComputePass<'static>>,
    pub encoder: Option<CommandEncoder>,
    /// The bind group that is set in the pass.
    pub bound: Option<Key>,
    /// The words of the launch that is being queued; kept for their room.
    pub words: Vec<u32>,
    /// When launches begin and end, if somebody asks.
    pub clock: Option<Clock>,
    /// Launches whose loops may have been cut.
    pub watched: Watched,
    /// Counts batches, from 1.
    number: u64,
    /// Whether the driver accepts the batch.
    outcome: Arc<Outcome>,
    launches: u32,
    /// Whether the encoder is somebody else's.
    is_lent: bool,
    /// Whether the device is.
    is_foreign: bool,
    /// How many callers gather work that belongs together; a batch is not ended for its size meanwhile.
    gathering: u32,
    /// Bytes that were allocated or written since somebody waited for the device.
    bytes: u64,
    /// Batches that are complete, in order.
    closed: VecDeque<Closed>,
}

/// A batch that is complete.
#[derive(Debug)]
struct Closed {
    number: u64,
    encoder: Option<CommandEncoder>,
    launches: u32,
    outcome: Arc<Outcome>,
}

/// What was submitted.
#[derive(Default, Debug)]
pub(super) struct Submitted {
    last: Option<SubmissionIndex>,
    pub submissions: u64,
    /// Launches since the mark.
    queued: u32,
    /// The submission that must have run before more launches are queued.
    mark: Option<SubmissionIndex>,
}

/// What the caller of a submission has to wait for.
pub(super) struct Flushed {
    /// The submission, to wait for.
    pub index: Option<SubmissionIndex>,
    /// To wait for before more is queued.
    wait_for: Option<SubmissionIndex>,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            pass: None,
            encoder: None,
            bound: None,
            words: Vec::new(),
            clock: None,
            watched: Watched::default(),
            number: 1,
            outcome: Arc::default(),
            launches: 0,
            is_lent: false,
            is_foreign: false,
            gathering: 0,
            bytes: 0,
            closed: VecDeque::new(),
        }
    }
}

impl Batch {
    /// The open pass.
    pub fn pass(&mut self, device: &wgpu::Device) -> &mut ComputePass<'static> {
        let encoder = self.encoder.get_or_insert_with(|| encoder(device, self.is_foreign));
        self.pass.get_or_insert_with(|| encoder.begin_compute_pass(&ComputePassDescriptor::default()).forget_lifetime())
    }

    /// The encoder, after the pass.
    pub fn encoder(&mut self, device: &wgpu::Device) -> &mut CommandEncoder {
        self.bound = None;
        self.pass = None;
        self.encoder.get_or_insert_with(|| encoder(device, self.is_foreign))
    }

    /// Of a device that somebody lends, or of our own.
    pub fn of_device(is_foreign: bool) -> Self {
        Self { is_foreign, ..Self::default() }
    }

    /// Work that goes into an encoder of somebody else's, beside the batch of this number.
    pub fn lent(encoder: CommandEncoder, number: u64) -> Self {
        Self { encoder: Some(encoder), number, is_lent: true, ..Self::default() }
    }

    /// Whether the encoder is somebody else's.
    pub fn is_lent(&self) -> bool {
        self.is_lent
    }

    /// The encoder, with all that was put into it.
    pub fn into_encoder(mut self) -> Option<CommandEncoder> {
        self.pass = None;
        self.encoder.take()
    }

    /// From now on it is not ended for its size.
    pub fn begin_gathering(&mut self) {
        self.gathering += 1;
    }

    /// Counts a launch that was put into it.
    pub fn count_launch(&mut self) {
        self.launches += 1;
    }

    /// The number by which memory knows this batch.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the driver accepts the batch.
    pub fn outcome(&self) -> Arc<Outcome> {
        self.outcome.clone()
    }

    /// Whether nothing is in it, and no batch waits to be submitted.
    fn is_empty(&self) -> bool {
        self.encoder.is_none() && self.closed.is_empty() && self.watched.is_empty()
    }

    /// Ends the batch and begins another; the number and outcome of the one that ends.
    pub fn close(&mut self) -> (u64, Arc<Outcome>) {
        let (number, outcome) = (self.number, std::mem::take(&mut self.outcome));
        self.bound = None;
        self.pass = None;
        let (encoder, launches) = (self.encoder.take(), std::mem::take(&mut self.launches));
        self.closed.push_back(Closed { number, encoder, launches, outcome: outcome.clone() });
        self.number += 1;
        (number, outcome)
    }
}

/// A new encoder. On a device without handlers of ours it is made in an error scope; one that the driver could not make
/// fails when it is finished.
pub(super) fn encoder(device: &wgpu::Device, is_foreign: bool) -> CommandEncoder {
    let make = || device.create_command_encoder(&CommandEncoderDescriptor::default());
    if is_foreign { caught(device, make).0 } else { make() }
}

impl Wgpu {
    /// The batch, for this thread.
    pub(super) fn batch(&self) -> MutexGuard<'_, Batch> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for everything that was queued.
    pub(super) fn wait_for_all(&self) -> Result<(), Error> {
        let batch = self.batch();
        let (idle, last) = (batch.is_empty(), batch.number - 1);
        drop(batch);
        // Without work there is nothing to ask the driver.
        if idle && self.finished.load(Ordering::Acquire) >= last {
            return self.check();
        }
        self.may_wait()?;
        if self.cuts.is_some() {
            return self.look();
        }
        let (number, _) = self.batch().close();
        let index = self.submit(number, None)?.index;
        self.wait(index)?;
        self.finished.fetch_max(number, Ordering::Release);
        Ok(())
    }

    /// Counts a launch of the batch, and submits the batch if it is large.
    pub(super) fn launched(&self, mut batch: MutexGuard<'_, Batch>) -> Result<(), Error> {
        batch.count_launch();
        if batch.launches >= LAUNCHES && batch.gathering == 0 {
            self.submit_open(batch)?;
        }
        self.check_quickly()
    }

    /// Ends the batch and submits it.
    fn submit_open(&self, mut batch: MutexGuard<'_, Batch>) -> Result<(), Error> {
        let (number, _) = batch.close();
        drop(batch);
        let wait_for = self.submit(number, None)?.wait_for;
        wait_for.map_or(Ok(()), |mark| self.wait(Some(mark)))
    }

    /// From now on the batch is not ended for its size.
    pub(super) fn gather(&self) {
        self.batch().begin_gathering();
    }

    /// Ends what [`gather`](Self::gather) began, and submits the batch.
    pub(super) fn submit_gathered(&self) -> Result<(), Error> {
        let mut batch = self.batch();
        batch.gathering = batch.gathering.saturating_sub(1);
        self.submit_open(batch)
    }

    /// Counts bytes that the queue may keep, and waits for it if they are many.
    pub(super) fn grown(&self, bytes: u64) -> Result<(), Error> {
        let mut batch = self.batch();
        batch.bytes += bytes;
        if batch.bytes < BYTES {
            return Ok(());
        }
        batch.bytes = 0;
        let (number, _) = batch.close();
        drop(batch);
        let index = self.submit(number, None)?.index;
        self.wait(index)
    }

    /// Submits the batches that use a memory; what must be waited for now.
    pub(super) fn submit_users(&self, storage: &Storage) -> Option<SubmissionIndex> {
        let number = storage.last_batch();
        if number <= self.last_submitted.load(Ordering::Acquire) {
            return None;
        }
        let mut batch = self.batch();
        if batch.number == number {
            batch.close();
        }
        drop(batch);
        // If the driver refuses it, those who depend on it are told.
        self.submit(number, None).ok()?.wait_for
    }

    /// Submits commands that are no part of a batch. What the batches before them hold may not matter to them.
    pub(super) fn submit_apart(&self, encoder: CommandEncoder) -> Result<SubmissionIndex, Error> {
        let mut submitted = self.submitted.lock().unwrap_or_else(PoisonError::into_inner);
        let index = self.scoped(|| self.queue.submit([encoder.finish()]));
        submitted.submissions += 1;
        index.map_err(|error| self.failed(error, None))
    }

    /// Submits all batches up to this one, in order. Fails if the device is
    /// lost, or if the outcome that is passed is a failure.
    pub(super) fn submit(&self, number: u64, outcome: Option<&Arc<Outcome>>) -> Result<Flushed, Error> {
        let mut submitted = self.submitted.lock().unwrap_or_else(PoisonError::into_inner);
        while self.last_submitted.load(Ordering::Acquire) < number {
            let Some(closed) = self.batch().closed.pop_front() else { break };
            let index = self.scoped(|| self.queue.submit(closed.encoder.map(CommandEncoder::finish)));
            submitted.submissions += 1;
            submitted.queued += closed.launches;
            self.last_submitted.store(closed.number, Ordering::Release);
            match index {
                Ok(index) => {
                    closed.outcome.decide(Ok(()));
                    submitted.last = Some(index);
                }
                Err(error) => {
                    closed.outcome.decide(Err(self.failed(error, None)));
                    self.failures.keep(closed.outcome);
                }
            }
        }
        let index = submitted.last.clone();
        let wait_for = if submitted.queued < QUEUED {
            None
        } else {
            submitted.queued = 0;
            std::mem::replace(&mut submitted.mark, index.clone())
        };
        drop(submitted);
        self.check_quickly()?;
        match outcome.and_then(|outcome| outcome.error()) {
            Some(error) => Err(error.clone()),
            None => Ok(Flushed { index, wait_for }),
        }
    }

    /// A buffer of any use.
    pub(super) fn buffer(&self, size: u64, usage: BufferUsages) -> Result<wgpu::Buffer, Error> {
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = self.scoped(|| self.device.create_buffer(&descriptor));
        let buffer = buffer.map_err(|error| self.failed(error, Some(size)))?;
        self.check_quickly()?;
        Ok(buffer)
    }

    /// Whether the device may be waited for at all.
    pub(super) fn may_wait(&self) -> Result<(), Error> {
        if CAN_WAIT { Ok(()) } else { Err(Error::CannotWait { device: self.name.clone() }) }
    }

    /// Waits until a submission has run, or until the time for a wait is over. On the web nothing is waited for: what is
    /// queued there is kept by the browser, and who asks for results has asked to be called.
    pub(super) fn wait(&self, submission_index: Option<SubmissionIndex>) -> Result<(), Error> {
        use std::panic::{AssertUnwindSafe, catch_unwind};
        if !CAN_WAIT {
            return self.check();
        }
        let timeout = self.timeout();
        let poll = || self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(timeout) });
        // wgpu panics here when the driver reports something that it does not expect.
        match catch_unwind(AssertUnwindSafe(poll)) {
            Ok(Ok(_)) => self.check().and_then(|()| self.is_alive()),
            Ok(Err(wgpu::PollError::Timeout)) => {
                self.check().and_then(|()| self.is_alive())?;
                Err(Error::TimedOut { device: self.name.clone(), after: timeout })
            }
            Ok(Err(error)) => Err(self.lost(&one_line(&error.to_string()))),
            Err(_) => Err(self.lost("the driver failed while it was waited for")),
        }
    }
}
