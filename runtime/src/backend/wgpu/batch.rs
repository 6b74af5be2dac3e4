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

use super::memory::{Key, Storage};
use super::{Wgpu, cuts, one_line};
use crate::backend::outcome::Outcome;
use crate::error::Error;
use cuts::{Look, Watched};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;
use wgpu::{
    BufferUsages, CommandEncoder, CommandEncoderDescriptor, ComputePass, ComputePassDescriptor, SubmissionIndex,
};

/// Bytes that are written or read back at once, so that either needs little memory beside
/// the program's own.
pub(super) const CHUNK: usize = 64 << 20;
/// Bytes that may be allocated and written before somebody waits for the queue, which keeps alive
/// what the program has dropped.
const BYTES: u64 = 256 << 20;
/// Launches of a batch.
const LAUNCHES: u32 = 64;
/// Launches that may be queued before one waits for those before them: enough to keep a
/// device busy, few enough that what they hold stays small.
const QUEUED: u32 = 256;
/// Bytes of the memory that is kept for the next read.
const KEPT: u64 = 1 << 20;
/// How long after its work is done the answer to a mapping may take, on its way through another thread.
const ANSWER: Duration = Duration::from_secs(10);

/// Work that was not submitted yet.
#[derive(Debug)]
pub(super) struct Batch {
    // Before the encoder that it belongs to.
    pass: Option<ComputePass<'static>>,
    encoder: Option<CommandEncoder>,
    /// The bind group that is set in the pass.
    pub bound: Option<Key>,
    /// The words of the launch that is being queued; kept for their room.
    pub words: Vec<u32>,
    /// Launches whose loops may have been cut.
    pub watched: Watched,
    /// Counts batches, from 1.
    number: u64,
    /// Whether the driver accepts the batch.
    outcome: Arc<Outcome>,
    launches: u32,
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
struct Flushed {
    /// The submission, to wait for.
    index: Option<SubmissionIndex>,
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
            watched: Watched::default(),
            number: 1,
            outcome: Arc::default(),
            launches: 0,
            bytes: 0,
            closed: VecDeque::new(),
        }
    }
}

impl Batch {
    /// The open pass.
    pub fn pass(&mut self, device: &wgpu::Device) -> &mut ComputePass<'static> {
        let encoder = self.encoder.get_or_insert_with(|| encoder(device));
        self.pass.get_or_insert_with(|| encoder.begin_compute_pass(&ComputePassDescriptor::default()).forget_lifetime())
    }

    /// The encoder, after the pass.
    pub fn encoder(&mut self, device: &wgpu::Device) -> &mut CommandEncoder {
        self.bound = None;
        self.pass = None;
        self.encoder.get_or_insert_with(|| encoder(device))
    }

    /// The number by which memory knows this batch.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the driver accepts the batch.
    pub fn outcome(&self) -> Arc<Outcome> {
        self.outcome.clone()
    }

    /// Ends the batch and begins another; the number and outcome of the one that ends.
    fn close(&mut self) -> (u64, Arc<Outcome>) {
        let (number, outcome) = (self.number, std::mem::take(&mut self.outcome));
        self.bound = None;
        self.pass = None;
        let (encoder, launches) = (self.encoder.take(), std::mem::take(&mut self.launches));
        self.closed.push_back(Closed { number, encoder, launches, outcome: outcome.clone() });
        self.number += 1;
        (number, outcome)
    }
}

fn encoder(device: &wgpu::Device) -> CommandEncoder {
    device.create_command_encoder(&CommandEncoderDescriptor::default())
}

impl Wgpu {
    /// The batch, for this thread.
    pub(super) fn batch(&self) -> MutexGuard<'_, Batch> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes whole words, at once.
    pub(super) fn write_words(&self, storage: &Storage, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut at = offset;
        for chunk in bytes.chunks(CHUNK) {
            let wait_for = self.submit_users(storage);
            let written = self.scoped(|| self.queue.write_buffer(&storage.buffer, at, chunk));
            written.map_err(|error| self.failed(error, Some(chunk.len() as u64)))?;
            self.grown(chunk.len() as u64)?;
            wait_for.map_or(Ok(()), |mark| self.wait(Some(mark)))?;
            at += chunk.len() as u64;
        }
        self.check()
    }

    /// Submits the batch with a copy of memory and of the words of watched launches, and waits
    /// for it.
    pub(super) fn fetch(
        &self,
        staging: &wgpu::Buffer,
        from: Option<(&Storage, u64)>,
        out: &mut [u8],
    ) -> Result<(), Error> {
        let before = from.map_or(0, |(_, at)| at % 4);
        let size = (before + out.len() as u64).next_multiple_of(4);
        let queue = || {
            let mut batch = self.batch();
            let batch = &mut *batch;
            let mut look = None;
            if let Some(cuts) = self.cuts.as_ref().filter(|_| !batch.watched.is_empty()) {
                batch.encoder(&self.device);
                let Batch { encoder: Some(encoder), watched, .. } = batch else { return (batch.close(), None) };
                look = watched.look(cuts, encoder, staging);
            }
            if let Some((storage, at)) = from {
                let head = look.map_or(0, |look: Look| look.bytes);
                let encoder = batch.encoder(&self.device);
                encoder.copy_buffer_to_buffer(&storage.buffer, at - before, staging, head, size);
            }
            (batch.close(), look)
        };
        let (closed, mut look) = queue();
        let index = match self.submit(closed.0, Some(&closed.1)) {
            // If the driver refuses a batch, the work in it has failed. This copy is no part of
            // that work, so it is submitted again, alone.
            Err(Error::Driver { .. } | Error::OutOfMemory { .. }) => {
                let (closed, again) = queue();
                look = again;
                self.submit(closed.0, Some(&closed.1))?.index
            }
            other => other?.index,
        };
        let head = look.map_or(0, |look| look.bytes);
        let end = head + if from.is_some() { size } else { 0 };
        if end == 0 {
            return self.wait(index);
        }
        let (sink, answer) = mpsc::channel();
        let map = || {
            staging.map_async(wgpu::MapMode::Read, 0..end, move |result| {
                // Sending fails only if the read was given up.
                let _ = sink.send(result);
            });
        };
        self.scoped(map).map_err(|error| self.failed(error, None))?;
        self.wait(index)?;
        // Another thread's wait may have received the answer and be about to pass it on.
        if !matches!(answer.recv_timeout(ANSWER), Ok(Ok(()))) {
            return Err(self.lost("the memory of a read could not be mapped"));
        }
        match staging.get_mapped_range(0..end) {
            Ok(view) => {
                let (words, bytes) = view.split_at(head as usize);
                if let (Some(cuts), Some(look)) = (&self.cuts, look) {
                    let failures = self.batch().watched.decide(cuts, look, words, &self.name);
                    failures.into_iter().for_each(|outcome| self.failures.keep(outcome));
                }
                if from.is_some() {
                    out.copy_from_slice(&bytes[before as usize..before as usize + out.len()]);
                }
            }
            Err(error) => return Err(self.lost(&error.to_string())),
        }
        staging.unmap();
        Ok(())
    }

    /// The bytes before those of a read in the memory that it maps.
    pub(super) fn cuts_bytes(&self) -> u64 {
        self.cuts.as_ref().map_or(0, cuts::Cuts::bytes)
    }

    /// Waits for everything that was queued.
    pub(super) fn wait_for_all(&self) -> Result<(), Error> {
        if self.cuts.is_none() {
            let (number, _) = self.batch().close();
            let index = self.submit(number, None)?.index;
            return self.wait(index);
        }
        let staging = self.staging(self.cuts_bytes())?;
        self.fetch(&staging, None, &mut [])?;
        self.keep(staging);
        Ok(())
    }

    /// Counts a launch of the batch, and submits the batch if it is large.
    pub(super) fn launched(&self, mut batch: MutexGuard<'_, Batch>) -> Result<(), Error> {
        batch.launches += 1;
        if batch.launches == LAUNCHES {
            let (number, _) = batch.close();
            drop(batch);
            let wait_for = self.submit(number, None)?.wait_for;
            wait_for.map_or(Ok(()), |mark| self.wait(Some(mark)))?;
        }
        self.check_quickly()
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
    fn submit_users(&self, storage: &Storage) -> Option<SubmissionIndex> {
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

    /// Submits all batches up to this one, in order. Nothing else submits. Fails if the device is
    /// lost, or if the outcome that is passed is a failure.
    fn submit(&self, number: u64, outcome: Option<&Arc<Outcome>>) -> Result<Flushed, Error> {
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

    /// Keeps memory that a read can map for the next one, unless it is large.
    pub(super) fn keep(&self, staging: wgpu::Buffer) {
        if staging.size() <= KEPT {
            *self.staging.lock().unwrap_or_else(PoisonError::into_inner) = Some(staging);
        }
    }

    /// Memory that a read can map: that of the last read, if it is large enough.
    pub(super) fn staging(&self, size: u64) -> Result<wgpu::Buffer, Error> {
        let kept = self.staging.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept.filter(|kept| kept.size() >= size) {
            Some(kept) => Ok(kept),
            None => {
                let size = if size > KEPT { size } else { size.next_power_of_two() };
                self.buffer(size, BufferUsages::MAP_READ | BufferUsages::COPY_DST)
            }
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

    /// Waits until a submission has run, or until the time for a wait is over.
    pub(super) fn wait(&self, submission_index: Option<SubmissionIndex>) -> Result<(), Error> {
        use std::panic::{AssertUnwindSafe, catch_unwind};
        let timeout = self.timeout();
        let poll = || self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(timeout) });
        // wgpu panics here when the driver reports something that it does not expect.
        match catch_unwind(AssertUnwindSafe(poll)) {
            Ok(Ok(_)) => self.check(),
            Ok(Err(wgpu::PollError::Timeout)) => {
                self.check()?;
                Err(Error::TimedOut { device: self.name.clone(), after: timeout })
            }
            Ok(Err(error)) => Err(self.lost(&one_line(&error.to_string()))),
            Err(_) => Err(self.lost("the driver failed while it was waited for")),
        }
    }
}
