//! Devices that end loops by themselves, and how this is detected.
//!
//! Mesa's llvmpipe gives each kernel a limit of 65,535 rounds, of all its loops together. When an
//! invocation reaches the limit, it goes on behind the loop as if that had ended. Nothing reports
//! this, and it cannot be switched off. So kernels for llvmpipe count up a word of memory at each
//! loop that they enter, and count it down where they leave the loop. The rest is the number of
//! loops that were cut. Each launch has a word of its own, which tells which launch went wrong and
//! so which bytes.
//!
//! Invariants:
//!
//! - A launch that has loops, or depends on a watched one, is [watched](Watched) from the time it
//!   is queued until somebody has read its word after it ran.
//! - Reads and waits look at the words of all watched launches, with work that they submit anyway.
//! - No two watched launches share a word.

use super::Wgpu;
use crate::backend::outcome::Outcome;
use crate::error::Error;
use std::collections::VecDeque;
use std::sync::Arc;
use wgpu::{Buffer, BufferUsages, CommandEncoder};

/// Launches that may be watched at once.
const WORDS: u64 = 1024;

/// Whether the device of this name ends loops by itself.
pub(super) fn expected(name: &str) -> bool {
    name.contains("llvmpipe")
}

/// The words of a device.
#[derive(Debug)]
pub(super) struct Cuts {
    buffer: Buffer,
    /// Bytes from a word to the next, since a binding may not begin anywhere.
    stride: u64,
}

impl Cuts {
    /// Words of zero.
    pub fn new(device: &Wgpu) -> Result<Self, Error> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let stride = u64::from(device.limits.min_storage_buffer_offset_alignment).next_multiple_of(4);
        Ok(Self { buffer: device.buffer(WORDS * stride, usage)?, stride })
    }

    /// The words.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The bytes of all words.
    pub fn bytes(&self) -> u64 {
        WORDS * self.stride
    }
}

/// The launches whose loops may have been cut, in order.
#[derive(Default, Debug)]
pub(super) struct Watched {
    launches: VecDeque<Launch>,
    /// Counts launches.
    next: u64,
    /// What each word was when it was last looked at.
    seen: Vec<u32>,
}

#[derive(Debug)]
struct Launch {
    number: u64,
    kernel: Arc<str>,
    outcome: Arc<Outcome>,
}

/// A copy of words that was queued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// The last launch whose word is there.
    last: u64,
    /// The word that was copied first.
    first_word: u64,
    /// How many bytes were copied.
    pub bytes: u64,
}

impl Look {
    /// Where its words begin, in bytes.
    pub fn begin(&self, cuts: &Cuts) -> u64 {
        self.first_word * cuts.stride
    }
}

impl Watched {
    /// Whether some must be looked at before there can be another.
    pub fn is_full(&self) -> bool {
        self.launches.len() as u64 == WORDS
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }

    /// Watches a launch: where its word begins in the buffer, and its outcome, which follows those
    /// that it has inherited.
    pub fn begin(
        &mut self,
        cuts: &Cuts,
        kernel: &Arc<str>,
        inherited: impl Iterator<Item = Arc<Outcome>>,
    ) -> (u32, Arc<Outcome>) {
        let (number, outcome) = (self.next, Outcome::following(inherited));
        self.next += 1;
        self.launches.push_back(Launch { number, kernel: kernel.clone(), outcome: outcome.clone() });
        ((number % WORDS * cuts.stride) as u32, outcome)
    }

    /// Queues a copy of the words of all that are watched to the beginning of a buffer.
    pub fn look(&self, cuts: &Cuts, encoder: &mut CommandEncoder, to: &Buffer) -> Option<Look> {
        let look = self.all(cuts)?;
        encoder.copy_buffer_to_buffer(&cuts.buffer, look.begin(cuts), to, 0, look.bytes);
        Some(look)
    }

    /// The words of all that are watched; `None` if there are none.
    pub fn all(&self, cuts: &Cuts) -> Option<Look> {
        let (first, last) = (self.launches.front()?.number, self.launches.back()?.number);
        let (mut first_word, mut end) = (first % WORDS, last % WORDS + 1);
        if first_word >= end {
            (first_word, end) = (0, WORDS);
        }
        Some(Look { last, first_word, bytes: (end - first_word) * cuts.stride })
    }

    /// Decides what copied words tell, and gives the failures. Others may have looked before.
    pub fn decide(&mut self, cuts: &Cuts, look: Look, copied: &[u8], device: &str) -> Vec<Arc<Outcome>> {
        self.seen.resize(WORDS as usize, 0);
        let mut failures = Vec::new();
        while let Some(launch) = self.launches.pop_front_if(|launch| launch.number <= look.last) {
            let word = launch.number % WORDS;
            let at = ((word - look.first_word) * cuts.stride) as usize;
            let count = copied.get(at..).and_then(|rest| rest.first_chunk()).copied().map_or(0, u32::from_le_bytes);
            let seen = std::mem::replace(&mut self.seen[word as usize], count);
            if count == seen {
                launch.outcome.decide(Ok(()));
            } else {
                let (kernel, device) = (launch.kernel.to_string(), device.to_owned());
                launch.outcome.decide(Err(Error::LoopCut { kernel, device }));
                failures.push(launch.outcome);
            }
        }
        failures
    }
}
