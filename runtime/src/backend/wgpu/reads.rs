//! Reads: copies to memory that the host can map, each the end of a batch.
//!
//! A large read is cut into chunks. While the host copies one, the device copies the next.

use super::Wgpu;
use super::batch::Batch;
use super::cuts::{Cuts, Look};
use super::memory::Storage;
use crate::backend::CAN_WAIT;
use crate::error::Error;
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;
use wgpu::{BufferAsyncError, BufferUsages, MapMode, SubmissionIndex};

/// Bytes that are read at once, so that a read needs little memory beside the program's own.
const CHUNK: usize = 8 << 20;
/// A device copies whole words: up to three bytes more before and behind.
const AROUND: u64 = 8;
/// Bytes of the smallest memory that can be mapped.
const SMALLEST: u64 = 1 << 12;
/// How many memories are kept for later reads.
const KEPT: usize = 4;
/// The most bytes of a memory that is kept: what a chunk takes.
const LARGEST: u64 = (CHUNK as u64) * 2;
/// How long after its work is done the answer to a mapping may take, on its way through another thread.
pub(super) const ANSWER: Duration = Duration::from_secs(10);

/// A copy that was submitted.
#[derive(Debug)]
pub(crate) struct Asked {
    staging: wgpu::Buffer,
    /// The words of watched launches, which come first.
    look: Option<Look>,
    /// Bytes of the copy before the first that was asked for.
    before: u64,
    /// All bytes that are mapped.
    end: u64,
    /// The batch that it ended.
    number: u64,
    index: Option<SubmissionIndex>,
    answer: Receiver<Result<(), BufferAsyncError>>,
}

impl Wgpu {
    /// Copies bytes from an offset, after all that was queued before has run.
    pub(super) fn read_bytes(&self, storage: &Storage, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        self.may_wait()?;
        let size = (out.len().min(CHUNK) as u64).next_multiple_of(4) + AROUND + self.cuts_bytes();
        let mut pending: Option<(Asked, &mut [u8])> = None;
        let mut at = offset;
        for chunk in out.chunks_mut(CHUNK) {
            let asked = self.ask(self.staging(size)?, Some((storage, at)), chunk.len() as u64)?;
            at += chunk.len() as u64;
            if let Some((asked, chunk)) = pending.replace((asked, chunk)) {
                self.receive_from(asked, chunk)?;
            }
        }
        if let Some((asked, chunk)) = pending {
            self.receive_from(asked, chunk)?;
        }
        self.check()
    }

    /// Shows bytes from an offset on where they are mapped, in pieces, after all that was queued before has run and
    /// `can_show` has said so.
    pub(super) fn show_pieces(
        &self,
        storage: &Storage,
        bytes: Range<u64>,
        unit: usize,
        can_show: &mut dyn FnMut() -> Result<(), Error>,
        show: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        self.may_wait()?;
        let piece = (CHUNK / unit).max(1) as u64 * unit as u64;
        let size = piece.min(bytes.end - bytes.start).next_multiple_of(4) + AROUND + self.cuts_bytes();
        let mut allowed = None;
        let mut shown = |asked: Asked, len: u64| {
            let verdict = &mut allowed;
            self.receive_with(asked, |mapped| {
                let verdict = verdict.get_or_insert_with(&mut *can_show);
                if verdict.is_ok() {
                    show(&mapped[..len as usize]);
                }
            })
        };
        let mut pending: Option<(Asked, u64)> = None;
        let mut at = bytes.start;
        while at < bytes.end {
            let len = piece.min(bytes.end - at);
            let asked = self.ask(self.staging(size)?, Some((storage, at)), len)?;
            at += len;
            if let Some((asked, len)) = pending.replace((asked, len)) {
                shown(asked, len)?;
            }
        }
        if let Some((asked, len)) = pending {
            shown(asked, len)?;
        }
        allowed.unwrap_or(Ok(()))?;
        self.check()
    }

    /// Waits for everything that was queued, and decides what watched launches have done.
    pub(super) fn look(&self) -> Result<(), Error> {
        let asked = self.ask(self.staging(self.cuts_bytes())?, None, 0)?;
        self.receive_from(asked, &mut [])
    }

    /// Submits a copy of all of some bytes, to be received later, or of none.
    pub(super) fn ask_for(&self, from: Option<(&Storage, u64, u64)>) -> Result<Asked, Error> {
        let bytes = from.map_or(0, |(.., bytes)| bytes);
        let staging = self.staging(bytes.next_multiple_of(4) + AROUND + self.cuts_bytes())?;
        self.ask(staging, from.map(|(storage, at, _)| (storage, at)), bytes)
    }

    /// Submits the batch with a copy of memory and of the words of watched launches.
    fn ask(&self, staging: wgpu::Buffer, from: Option<(&Storage, u64)>, bytes: u64) -> Result<Asked, Error> {
        let before = from.map_or(0, |(_, at)| at % 4);
        let size = (before + bytes).next_multiple_of(4);
        let queue = || {
            let mut batch = self.batch();
            let batch = &mut *batch;
            let mut look = None;
            if let Some(cuts) = self.cuts.as_ref().filter(|_| !batch.watched.is_empty()) {
                batch.encoder(&self.device);
                let Batch { encoder: Some(encoder), watched, .. } = batch else { return (batch.close(), None) };
                look = watched.look(cuts, encoder, &staging);
            }
            if let Some((storage, at)) = from {
                let head = look.map_or(0, |look: Look| look.bytes);
                let encoder = batch.encoder(&self.device);
                encoder.copy_buffer_to_buffer(&storage.buffer, at - before, &staging, head, size);
            }
            (batch.close(), look)
        };
        let (mut closed, mut look) = queue();
        let index = match self.submit(closed.0, Some(&closed.1)) {
            // If the driver refuses a batch, the work in it has failed. This copy is no part of
            // that work, so it is submitted again, alone.
            Err(Error::Driver { .. } | Error::OutOfMemory { .. }) => {
                (closed, look) = queue();
                self.submit(closed.0, Some(&closed.1))?.index
            }
            other => other?.index,
        };
        let end = look.map_or(0, |look| look.bytes) + if from.is_some() { size } else { 0 };
        let (sink, answer) = mpsc::channel();
        if end > 0 {
            let map = || {
                staging.map_async(MapMode::Read, 0..end, move |result| {
                    // Sending fails only if the read was given up.
                    let _ = sink.send(result);
                });
            };
            self.scoped(map).map_err(|error| self.failed(error, None))?;
        }
        Ok(Asked { staging, look, before, end, number: closed.0, index, answer })
    }

    /// Waits for a copy, and takes its bytes.
    pub(super) fn receive_from(&self, asked: Asked, out: &mut [u8]) -> Result<(), Error> {
        self.receive_with(asked, |mapped| {
            let len = out.len();
            out.copy_from_slice(&mapped[..len]);
        })
    }

    /// Waits for a copy, and hands on where its bytes are mapped, if there are any: from the first that was asked for on.
    fn receive_with(&self, asked: Asked, take: impl FnOnce(&[u8])) -> Result<(), Error> {
        let Asked { staging, look, before, end, number, index, answer } = asked;
        self.wait(index)?;
        self.finished.fetch_max(number, Ordering::Release);
        if end == 0 {
            self.keep(staging);
            return Ok(());
        }
        // Another thread's wait may have received the answer and be about to pass it on. On the web it is there before
        // anybody is told that the work is done.
        let answer = if CAN_WAIT { answer.recv_timeout(ANSWER).ok() } else { answer.try_recv().ok() };
        if answer != Some(Ok(())) {
            return Err(self.lost("the memory of a read could not be mapped"));
        }
        match staging.get_mapped_range(0..end) {
            Ok(view) => {
                let (words, bytes) = view.split_at(look.map_or(0, |look| look.bytes) as usize);
                if let (Some(cuts), Some(look)) = (&self.cuts, look) {
                    let failures = self.batch().watched.decide(cuts, look, words, &self.name);
                    failures.into_iter().for_each(|outcome| self.failures.keep(outcome));
                }
                if !bytes.is_empty() {
                    take(&bytes[before as usize..]);
                }
            }
            Err(error) => return Err(self.lost(&error.to_string())),
        }
        self.scoped(|| staging.unmap()).map_err(|error| self.failed(error, None))?;
        self.keep(staging);
        Ok(())
    }

    /// The bytes before those of a read in the memory that it maps.
    fn cuts_bytes(&self) -> u64 {
        self.cuts.as_ref().map_or(0, Cuts::bytes)
    }

    /// Memory that a read can map: one that an earlier read has used, if it is large enough.
    fn staging(&self, size: u64) -> Result<wgpu::Buffer, Error> {
        let mut kept = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|kept| kept.size() >= size) {
            return Ok(kept.swap_remove(at));
        }
        drop(kept);
        let size = size.max(SMALLEST).next_multiple_of(SMALLEST);
        self.buffer(size, BufferUsages::MAP_READ | BufferUsages::COPY_DST)
    }

    /// Keeps memory for later reads: the largest there were.
    fn keep(&self, staging: wgpu::Buffer) {
        if staging.size() > LARGEST {
            return;
        }
        let mut kept = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(staging);
        if kept.len() > KEPT {
            kept.sort_by_key(|kept| std::cmp::Reverse(kept.size()));
            kept.truncate(KEPT);
        }
    }
}
