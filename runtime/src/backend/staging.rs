//! Bytes that the host puts where the device copies them from, one after the other.
//!
//! Devices copy whole words. What begins or ends within a word is written as any other bytes are.
//!
//! Invariant: what was put is on its way in order; what comes behind it in the memory stays as it is.

use super::{AnyDevice, Memory};
use crate::error::Error;
use crate::trace;

/// Bytes of a word.
const WORD: usize = 4;

/// Where a back end takes whole words.
pub(crate) trait Sink {
    /// Takes words, which follow those before.
    fn put(&mut self, words: &[u8]) -> Result<(), Error>;

    /// Hands all words to the device.
    fn end(&mut self) -> Result<(), Error>;
}

/// Bytes on their way into a memory.
pub(crate) struct Staged<'a> {
    device: &'a dyn AnyDevice,
    memory: &'a Memory,
    sink: Box<dyn Sink + 'a>,
    /// Where the words begin that the sink gets.
    start: u64,
    /// Where the next bytes go that nobody has got.
    at: u64,
    /// Bytes of a word that is not complete, and how many they are.
    word: [u8; WORD],
    pending: usize,
}

impl<'a> Staged<'a> {
    /// From an offset in a memory on.
    pub fn new(device: &'a dyn AnyDevice, memory: &'a Memory, at: u64) -> Result<Self, Error> {
        let start = at.next_multiple_of(WORD as u64);
        let sink = device.sink(memory, start)?;
        Ok(Self { device, memory, sink, start, at, word: [0; WORD], pending: 0 })
    }

    /// Takes bytes, which follow those before and are within the memory.
    pub fn put(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        let _left =
            trace::enter!("transfer", device = self.device.control().name(), kind = "stage", bytes = bytes.len());
        while !bytes.is_empty() && !(self.at + self.pending as u64).is_multiple_of(WORD as u64) {
            self.take(&mut bytes);
        }
        self.pass_on()?;
        let words = bytes.len() / WORD * WORD;
        if self.pending == 0 && words > 0 {
            self.sink.put(&bytes[..words])?;
            self.at += words as u64;
            bytes = &bytes[words..];
        }
        while !bytes.is_empty() {
            self.take(&mut bytes);
        }
        Ok(())
    }

    /// Moves a byte to the pending ones.
    fn take(&mut self, bytes: &mut &[u8]) {
        if let Some((first, rest)) = bytes.split_first() {
            self.word[self.pending] = *first;
            self.pending += 1;
            *bytes = rest;
        }
    }

    /// Passes the pending bytes on if a word ends behind them.
    fn pass_on(&mut self) -> Result<(), Error> {
        if self.pending == 0 || !(self.at + self.pending as u64).is_multiple_of(WORD as u64) {
            return Ok(());
        }
        let bytes = &self.word[..self.pending];
        if bytes.len() == WORD {
            self.sink.put(bytes)?;
        } else {
            self.device.write(self.memory, self.at, bytes)?;
        }
        self.at += self.pending as u64;
        self.pending = 0;
        Ok(())
    }

    /// Hands all bytes to the device.
    pub fn end(&mut self) -> Result<(), Error> {
        self.sink.end()?;
        if self.start < self.at {
            self.memory.doubts.clear(self.start..self.at);
        }
        if self.pending > 0 {
            self.device.write(self.memory, self.at, &self.word[..self.pending])?;
        }
        Ok(())
    }
}
