//! The one way of work to a device: launches and copies gather in a batch.
//!
//! A batch is one command encoder, with one compute pass for launches that follow each
//! other. It is submitted by a read, whose copy is part of it, by a write to memory that it
//! uses, and when it has grown large. Bytes that are written reach the device before the
//! batch does, which nobody can tell, since the batch does not use that memory.
//!
//! Every so often a launch waits for those long before it, so that neither what is queued
//! nor the memory that it keeps alive grows without bound.

use super::memory::{Key, Storage};
use super::{Wgpu, cuts, one_line};
use crate::error::Error;
use std::sync::mpsc;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;
use wgpu::{
    BufferUsages, CommandEncoder, CommandEncoderDescriptor, ComputePass, ComputePassDescriptor, SubmissionIndex,
};

/// Bytes that are written or read back at once, so that either needs little memory beside
/// the program's own.
const CHUNK: usize = 64 << 20;
/// Bytes that are allocated and written before what is queued is waited for: a queue keeps
/// alive what the program has dropped.
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

/// Work that was not submitted yet, and what was submitted since somebody waited.
#[derive(Debug)]
pub(super) struct Batch {
    // Before the encoder that it belongs to.
    pass: Option<ComputePass<'static>>,
    encoder: Option<CommandEncoder>,
    /// What the pass has bound.
    pub bound: Option<Key>,
    /// The words of the launch that is being queued; kept for their room.
    pub words: Vec<u32>,
    /// Whether a launch counts loops, and nobody has looked at the counts since.
    pub reports: bool,
    /// Counts batches, from 1.
    number: u64,
    launches: u32,
    /// Bytes that were allocated or written since somebody waited for the device.
    bytes: u64,
    queued: u32,
    mark: Option<SubmissionIndex>,
    submissions: u64,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            pass: None,
            encoder: None,
            bound: None,
            words: Vec::new(),
            reports: false,
            number: 1,
            launches: 0,
            bytes: 0,
            queued: 0,
            mark: None,
            submissions: 0,
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
}

fn encoder(device: &wgpu::Device) -> CommandEncoder {
    device.create_command_encoder(&CommandEncoderDescriptor::default())
}

/// The bytes before and after a range that its first and its last word also hold.
fn around(offset: u64, len: usize) -> (usize, usize) {
    let before = (offset % 4) as usize;
    (before, (4 - (before + len) % 4) % 4)
}

impl Wgpu {
    /// The batch, for this thread.
    pub(super) fn batch(&self) -> MutexGuard<'_, Batch> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory of zeros.
    pub fn zeros(&self, bytes: u64) -> Result<Storage, Error> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        self.grown(self.batch(), bytes)?;
        let buffer = match self.buffer(bytes, usage) {
            // What was dropped is free only when the work that used it is done.
            Err(Error::OutOfMemory { .. }) => {
                self.finish()?;
                self.buffer(bytes, usage)?
            }
            other => other?,
        };
        Ok(Storage::new(buffer, self.groups.clone()))
    }

    /// Copies bytes into memory, after all that was queued before. wgpu copies whole words;
    /// what the first and the last one hold besides is read first, which waits.
    pub fn write(&self, storage: &Storage, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let (before, after) = around(offset, bytes.len());
        if before + after == 0 {
            return self.write_words(storage, offset, bytes);
        }
        let mut words = vec![0; before + bytes.len() + after];
        let (start, last) = (offset - before as u64, words.len() - 4);
        if before > 0 {
            self.read_words(storage, start, &mut words[..4])?;
        }
        if after > 0 {
            self.read_words(storage, start + last as u64, &mut words[last..])?;
        }
        words[before..before + bytes.len()].copy_from_slice(bytes);
        self.write_words(storage, start, &words)
    }

    /// Copies bytes from memory, after all that was queued before has run.
    pub fn read(&self, storage: &Storage, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let (before, after) = around(offset, out.len());
        if before + after == 0 {
            return self.read_words(storage, offset, out);
        }
        let mut words = vec![0; before + out.len() + after];
        self.read_words(storage, offset - before as u64, &mut words)?;
        out.copy_from_slice(&words[before..before + out.len()]);
        Ok(())
    }

    fn write_words(&self, storage: &Storage, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut at = offset;
        for chunk in bytes.chunks(CHUNK) {
            let mut batch = self.batch();
            let wait_for = if storage.is_used_by(batch.number) { self.flush(&mut batch)?.1 } else { None };
            let written = self.scoped(|| self.queue.write_buffer(&storage.buffer, at, chunk));
            written.map_err(|error| self.failed(error, Some(chunk.len() as u64)))?;
            self.grown(batch, chunk.len() as u64)?;
            wait_for.map_or(Ok(()), |mark| self.wait(Some(mark)))?;
            at += chunk.len() as u64;
        }
        self.check()
    }

    fn read_words(&self, storage: &Storage, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let staging = self.staging(out.len().min(CHUNK) as u64 + self.cuts_bytes())?;
        let mut at = offset;
        let mut cut = None;
        for chunk in out.chunks_mut(CHUNK) {
            cut = self.fetch(&staging, Some((storage, at)), chunk)?.or(cut);
            at += chunk.len() as u64;
        }
        if staging.size() <= KEPT {
            *self.staging.lock().unwrap_or_else(PoisonError::into_inner) = Some(staging);
        }
        cut.map_or_else(|| self.check(), Err)
    }

    /// Submits the batch with a copy of memory and of the counts of cut loops, and waits for
    /// it. Gives the error for a loop that was cut.
    fn fetch(
        &self,
        staging: &wgpu::Buffer,
        from: Option<(&Storage, u64)>,
        out: &mut [u8],
    ) -> Result<Option<Error>, Error> {
        let fetched = self.try_fetch(staging, from, out);
        if fetched.is_err() {
            // The counts were not seen.
            self.batch().reports = true;
        }
        fetched
    }

    fn try_fetch(
        &self,
        staging: &wgpu::Buffer,
        from: Option<(&Storage, u64)>,
        out: &mut [u8],
    ) -> Result<Option<Error>, Error> {
        let size = out.len() as u64;
        let (submission, head) = {
            let mut batch = self.batch();
            let cuts = self.cuts.as_ref().filter(|_| std::mem::take(&mut batch.reports));
            let encoder = batch.encoder(&self.device);
            let head = cuts.map_or(0, |cuts| cuts.copy(encoder, staging));
            if let Some((storage, at)) = from {
                encoder.copy_buffer_to_buffer(&storage.buffer, at, staging, head, size);
            }
            (self.flush(&mut batch)?.0, head)
        };
        let end = head + size;
        if end == 0 {
            return self.wait(Some(submission)).map(|()| None);
        }
        let (sink, outcome) = mpsc::channel();
        let map = || {
            staging.map_async(wgpu::MapMode::Read, 0..end, move |result| {
                // Nobody is there to hear it only if the read was given up.
                let _ = sink.send(result);
            });
        };
        self.scoped(map).map_err(|error| self.failed(error, None))?;
        self.wait(Some(submission))?;
        // Another thread's wait may have taken the answer along and be about to give it.
        if !matches!(outcome.recv_timeout(ANSWER), Ok(Ok(()))) {
            return Err(self.lost("the memory of a read could not be mapped"));
        }
        let cut = match staging.get_mapped_range(0..end) {
            Ok(view) => {
                let (counts, bytes) = view.split_at(head as usize);
                out.copy_from_slice(bytes);
                self.cuts.as_ref().and_then(|cuts| cuts.error(counts, &self.name))
            }
            Err(error) => return Err(self.lost(&error.to_string())),
        };
        staging.unmap();
        Ok(cut)
    }

    /// The bytes before those of a read in the memory that it maps.
    fn cuts_bytes(&self) -> u64 {
        if self.cuts.is_some() { cuts::BYTES } else { 0 }
    }

    /// Queues a copy between parts of memories, or of one memory, that do not overlap.
    pub fn copy(&self, from: (&Storage, u64), to: (&Storage, u64), bytes: u64) -> Result<(), Error> {
        // A device copies between two buffers only.
        let between = if from.0.is(to.0) { Some(self.zeros(bytes)?) } else { None };
        let mut batch = self.batch();
        let number = batch.number;
        let encoder = batch.encoder(&self.device);
        let source = match &between {
            Some(between) => {
                encoder.copy_buffer_to_buffer(&from.0.buffer, from.1, &between.buffer, 0, bytes);
                (&between.buffer, 0)
            }
            None => (&from.0.buffer, from.1),
        };
        encoder.copy_buffer_to_buffer(source.0, source.1, &to.0.buffer, to.1, bytes);
        from.0.used_by(number);
        to.0.used_by(number);
        self.launched(batch)
    }

    /// Waits for everything that was queued.
    pub fn finish(&self) -> Result<(), Error> {
        if self.cuts.is_some() {
            return self.read_nothing();
        }
        let submission = self.flush(&mut self.batch())?.0;
        self.wait(Some(submission))
    }

    /// Waits for everything, and looks whether a loop was cut.
    fn read_nothing(&self) -> Result<(), Error> {
        let staging = self.staging(self.cuts_bytes())?;
        let cut = self.fetch(&staging, None, &mut [])?;
        *self.staging.lock().unwrap_or_else(PoisonError::into_inner) = Some(staging);
        cut.map_or(Ok(()), Err)
    }

    /// How many times work was submitted.
    pub fn submissions(&self) -> u64 {
        self.batch().submissions
    }

    /// Counts a launch of the batch, and submits the batch if it is large.
    pub(super) fn launched(&self, mut batch: MutexGuard<'_, Batch>) -> Result<(), Error> {
        batch.launches += 1;
        let wait_for = if batch.launches < LAUNCHES { None } else { self.flush(&mut batch)?.1 };
        drop(batch);
        wait_for.map_or(Ok(()), |mark| self.wait(Some(mark)))?;
        self.check_quickly()
    }

    /// Counts bytes that the queue may keep, and waits for it if they are many.
    fn grown(&self, mut batch: MutexGuard<'_, Batch>, bytes: u64) -> Result<(), Error> {
        batch.bytes += bytes;
        if batch.bytes < BYTES {
            return Ok(());
        }
        batch.bytes = 0;
        let submission = self.flush(&mut batch)?.0;
        drop(batch);
        self.wait(Some(submission))
    }

    /// Submits the batch, the one place that submits. Gives the submission, and what must
    /// be waited for now.
    fn flush(&self, batch: &mut Batch) -> Result<(SubmissionIndex, Option<SubmissionIndex>), Error> {
        let submitted = self.scoped(|| {
            batch.bound = None;
            batch.pass = None;
            let commands = batch.encoder.take().map(CommandEncoder::finish);
            self.queue.submit(commands)
        });
        batch.number += 1;
        batch.submissions += 1;
        batch.queued += batch.launches;
        batch.launches = 0;
        let index = submitted.map_err(|error| self.failed(error, None))?;
        let wait_for = if batch.queued < QUEUED {
            None
        } else {
            batch.queued = 0;
            batch.mark.replace(index.clone())
        };
        Ok((index, wait_for))
    }

    /// Memory that a read can map: that of the last read, if it is large enough.
    fn staging(&self, size: u64) -> Result<wgpu::Buffer, Error> {
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

    /// Waits until a submission has run, or for as long as any wait may take.
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
