//! Devices that end loops by themselves, and how that is found out.
//!
//! Mesa's llvmpipe compiles into each kernel a limit of 65,535 rounds, of all its loops
//! together, and when it is reached goes on behind the loop as if that had ended. Nothing
//! reports this and nothing switches it off, so kernels for llvmpipe count in a word of
//! memory each loop that they enter, and count it off where they leave it. What remains is
//! the number of loops that were cut so far. Reads and waits fetch the words with work that
//! they submit anyway, and compare them with those that were seen before.

use super::Wgpu;
use crate::error::Error;
use std::sync::{Mutex, PoisonError};
use wgpu::{Buffer, BufferUsages, CommandEncoder};

/// Kernels that have a word of their own; further ones share.
const WORDS: usize = 1024;
/// Bytes of the words.
pub(super) const BYTES: u64 = WORDS as u64 * 4;

/// Whether the device of this name ends loops by itself.
pub(super) fn expected(name: &str) -> bool {
    name.contains("llvmpipe")
}

/// The words of a device.
#[derive(Debug)]
pub(super) struct Cuts {
    buffer: Buffer,
    kernels: Mutex<Kernels>,
}

/// Which kernels count in which word.
#[derive(Default, Debug)]
struct Kernels {
    /// Of each word the name of its last kernel, and how many cut loops were reported.
    words: Vec<(String, u32)>,
    next: usize,
}

impl Cuts {
    /// Words of zero.
    pub fn new(device: &Wgpu) -> Result<Self, Error> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        Ok(Self { buffer: device.buffer(BYTES, usage)?, kernels: Mutex::default() })
    }

    /// The words.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The word of a kernel that is about to be compiled.
    pub fn word(&self, kernel: &str) -> u32 {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let word = kernels.next;
        match kernels.words.get_mut(word) {
            Some((name, _)) => *name = kernel.to_owned(),
            None => kernels.words.push((kernel.to_owned(), 0)),
        }
        kernels.next = (word + 1) % WORDS;
        word as u32
    }

    /// Copies the words to the beginning of a buffer; how many bytes.
    pub fn copy(&self, encoder: &mut CommandEncoder, to: &Buffer) -> u64 {
        encoder.copy_buffer_to_buffer(&self.buffer, 0, to, 0, BYTES);
        BYTES
    }

    /// The error for what copied words say that was not reported yet, if anything. Threads
    /// may bring their copies in any order; an older one says nothing new.
    pub fn error(&self, copied: &[u8], device: &str) -> Option<Error> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let mut first = None;
        for ((name, seen), count) in kernels.words.iter_mut().zip(copied.as_chunks::<4>().0) {
            let count = u32::from_le_bytes(*count);
            if count.wrapping_sub(*seen).cast_signed() > 0 {
                *seen = count;
                first = first.or_else(|| Some(Error::LoopCut { kernel: name.clone(), device: device.to_owned() }));
            }
        }
        first
    }
}
