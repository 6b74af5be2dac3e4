//! Writes of whole words: what the host gives reaches the device before the open batch does.
//!
//! wgpu takes new memory for each write. So a large one goes in chunks through memory of our own, which stays mapped
//! and is used in turn: while the device copies a chunk, the host writes the next.

use super::Wgpu;
use super::batch::encoder;
use super::memory::Storage;
use super::reads::ANSWER;
use crate::error::Error;
use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use wgpu::{BufferAsyncError, BufferUsages, MapMode, SubmissionIndex};

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
        let mut at = offset;
        for chunk in bytes.chunks(CHUNK) {
            let (buffer, len) = (self.mapped()?, chunk.len() as u64);
            match buffer.get_mapped_range_mut(0..len) {
                Ok(mut view) => view.copy_from_slice(chunk),
                Err(error) => return Err(self.lost(&error.to_string())),
            }
            self.scoped(|| buffer.unmap()).map_err(|error| self.failed(error, None))?;
            let wait_for = self.submit_users(storage);
            let mut encoder = encoder(&self.device, self.is_foreign);
            encoder.copy_buffer_to_buffer(&buffer, 0, &storage.buffer, at, len);
            let copied = self.submit_apart(encoder)?;
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
            wait_for.map_or(Ok(()), |mark| self.wait(Some(mark)))?;
            at += len;
        }
        self.check()
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
