//! Writes of whole words: what the host gives reaches the device before the open batch does.
//!
//! wgpu takes new memory for each write. So a large one goes in chunks through memory of our own, which stays mapped
//! and is used in turn: while the device copies a chunk, the host writes the next. On the web each chunk has new memory.

use super::Wgpu;
use super::batch::encoder;
use super::memory::Storage;
use super::reads::ANSWER;
use crate::backend::{CAN_WAIT, Sink};
use crate::error::Error;
use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use wgpu::{BufferAsyncError, BufferUsages, BufferViewMut, MapMode, SubmissionIndex};

/// Writes of fewer bytes are left to wgpu.
const LARGE: usize = 1 << 20;
/// Bytes of a chunk.
const CHUNK: usize = 8 << 20;
/// Chunks that may be on their way.
const SLOTS: usize = 3;

/// Memory of the host's that was copied from, and is about to be mapped again.
#[derive(Debug)]
struct Slot {
    buffer: wgpu::Buffer,
    copied: SubmissionIndex,
    answer: Receiver<Result<(), BufferAsyncError>>,
}

/// The memories through which chunks go, that of the oldest chunk first.
#[derive(Default, Debug)]
pub(super) struct Slots(Mutex<VecDeque<Slot>>);

impl Slots {
    /// Drops them.
    pub fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Wgpu {
    /// Writes whole words, at once.
    pub(super) fn write_words(&self, storage: &Storage, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        if bytes.len() >= LARGE {
            return self.write_chunks(storage, offset, bytes);
        }
        if !bytes.is_empty() {
            let wait_for = self.submit_users(storage);
            let written = self.scoped(|| self.queue.write_buffer(&storage.buffer, offset, bytes));
            written.map_err(|error| self.failed(error, Some(bytes.len() as u64)))?;
            self.grown(bytes.len() as u64)?;
            wait_for.map_or(Ok(()), |mark| self.wait(Some(mark)))?;
        }
        self.check()
    }

    fn write_chunks(&self, storage: &Storage, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut chunks = Chunks::new(self, storage, offset);
        chunks.put(bytes)?;
        chunks.end()
    }

    /// Queues the copy of a chunk, whose memory is mapped again later.
    fn send(&self, buffer: wgpu::Buffer, storage: &Storage, at: u64, len: u64) -> Result<(), Error> {
        self.scoped(|| buffer.unmap()).map_err(|error| self.failed(error, None))?;
        let wait_for = self.submit_users(storage);
        let mut encoder = encoder(&self.device, self.is_foreign);
        encoder.copy_buffer_to_buffer(&buffer, 0, &storage.buffer, at, len);
        let copied = self.submit_apart(encoder)?;
        if !CAN_WAIT {
            // Nobody waits until it can be mapped again. The copy is made all the same.
            buffer.destroy();
            return self.check();
        }
        let (sink, answer) = mpsc::channel();
        let map = || {
            buffer.map_async(MapMode::Write, .., move |result| {
                // Sending fails only if the memory is no longer needed.
                let _ = sink.send(result);
            });
        };
        self.scoped(map).map_err(|error| self.failed(error, None))?;
        let mut slots = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() < SLOTS {
            slots.push_back(Slot { buffer, copied, answer });
        }
        drop(slots);
        wait_for.map_or(Ok(()), |mark| self.wait(Some(mark)))
    }

    /// Memory for a chunk, mapped for the host to write.
    fn mapped(&self) -> Result<wgpu::Buffer, Error> {
        let mut slots = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        let free = if slots.len() < SLOTS { None } else { slots.pop_front() };
        drop(slots);
        let Some(Slot { buffer, copied, answer }) = free else {
            let (size, usage) = (CHUNK as u64, BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC);
            let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: true };
            let buffer = self.scoped(|| self.device.create_buffer(&descriptor));
            return buffer.map_err(|error| self.failed(error, Some(size)));
        };
        self.wait(Some(copied))?;
        // Another thread's wait may have received the answer and be about to pass it on.
        match answer.recv_timeout(ANSWER) {
            Ok(Ok(())) => Ok(buffer),
            _ => Err(self.lost("the memory of a write could not be mapped")),
        }
    }
}

/// Words on their way, in chunks: what is put goes to the memory that the device copies it from.
pub(super) struct Chunks<'a> {
    device: &'a Wgpu,
    storage: &'a Storage,
    /// Where the open chunk goes.
    at: u64,
    /// The open chunk, and the bytes in it.
    open: Option<(wgpu::Buffer, BufferViewMut)>,
    len: usize,
}

impl<'a> Chunks<'a> {
    /// From an offset on, a multiple of four.
    pub fn new(device: &'a Wgpu, storage: &'a Storage, at: u64) -> Self {
        Self { device, storage, at, open: None, len: 0 }
    }

    fn send(&mut self) -> Result<(), Error> {
        let Some((buffer, view)) = self.open.take() else { return Ok(()) };
        drop(view);
        let len = std::mem::take(&mut self.len) as u64;
        self.device.send(buffer, self.storage, self.at, len)?;
        self.at += len;
        Ok(())
    }
}

impl Sink for Chunks<'_> {
    fn put(&mut self, mut words: &[u8]) -> Result<(), Error> {
        while !words.is_empty() {
            if self.open.is_none() {
                let buffer = self.device.mapped()?;
                let view = buffer.get_mapped_range_mut(..).map_err(|error| self.device.lost(&error.to_string()))?;
                self.open = Some((buffer, view));
            }
            let Some((_, view)) = &mut self.open else { return Ok(()) };
            let (some, rest) = words.split_at(words.len().min(CHUNK - self.len));
            view.slice(self.len..self.len + some.len()).copy_from_slice(some);
            self.len += some.len();
            words = rest;
            if self.len == CHUNK {
                self.send()?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        self.send()?;
        self.device.check()
    }
}
