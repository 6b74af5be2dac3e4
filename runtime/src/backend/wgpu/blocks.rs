//! Blocks of sixteen bytes, moved by kernels.
//!
//! A kernel copies memory on a GPU as fast as the memory is; on an H200 a driver's own copy takes five times as long.
//! Nothing else fills memory with what is not a word.

use super::batch::Batch;
use super::dispatch::Block;
use super::memory::Storage;
use super::movers::Mover;
use super::{Pipeline, Wgpu};
use crate::backend::outcome::Outcome;
use crate::error::Error;
use std::ops::{DerefMut, Range};
use std::sync::Arc;

/// Bytes of a block.
const BLOCK: u64 = 16;
/// Invocations of a workgroup.
const WORKGROUP: u64 = 256;
/// The longest pattern that a kernel repeats, in bytes.
const PATTERN: u64 = 1 << 12;
/// Copies of fewer bytes are left to the driver.
const COPIED: u64 = 1 << 20;

/// Invocation `i` copies block `source + i` to block `target + i`.
pub(super) const COPY: &str = "
func kernel workgroup_size(256, 1, 1) @samebits_copy(@from: [vec4<u32>], @to: mut [vec4<u32>], %source: u32, %target: u32, %blocks: u32) {
  %i = global_id.x
  %is_inside = lt %i, %blocks
  if %is_inside {
    %from_at = add %source, %i
    %block = load vec4<u32> @from[%from_at]
    %at = add %target, %i
    store @to[%at], %block
  }
  ret
}
";

/// Invocation `i` sets block `target + i` to block `i % period` of the pattern.
pub(super) const FILL: &str = "
func kernel workgroup_size(256, 1, 1) @samebits_fill(@pattern: [vec4<u32>], @to: mut [vec4<u32>], %target: u32, %blocks: u32, %period: u32) {
  %i = global_id.x
  %is_inside = lt %i, %blocks
  if %is_inside {
    %phase = rem %i, %period
    %block = load vec4<u32> @pattern[%phase]
    %at = add %target, %i
    store @to[%at], %block
  }
  ret
}
";

impl Wgpu {
    /// Queues copies of a pattern over some bytes. Of the bytes and the pattern there is at least one, and the pattern
    /// has at most [`PATTERN`].
    pub(super) fn repeat(&self, storage: &Storage, bytes: Range<u64>, pattern: &[u8]) -> Result<Arc<Outcome>, Error> {
        let batch = self.repeat_in(|| self.batch(), storage, bytes, pattern)?;
        let outcome = batch.outcome();
        self.launched(batch)?;
        Ok(outcome)
    }

    /// The same in a batch that is taken when all is ready for it.
    pub(super) fn repeat_in<B: DerefMut<Target = Batch>>(
        &self,
        batch: impl FnOnce() -> B,
        storage: &Storage,
        bytes: Range<u64>,
        pattern: &[u8],
    ) -> Result<B, Error> {
        if pattern.iter().all(|byte| *byte == 0) && bytes.start.is_multiple_of(4) && bytes.end.is_multiple_of(4) {
            let mut batch = batch();
            let encoder = batch.encoder(&self.device);
            encoder.clear_buffer(&storage.buffer, bytes.start, Some(bytes.end - bytes.start));
            storage.used_by(batch.number());
            return Ok(batch);
        }
        let len = bytes.end - bytes.start;
        let head = (bytes.start.next_multiple_of(BLOCK) - bytes.start).min(len);
        let (blocks, tail) = ((len - head) / BLOCK, (len - head) % BLOCK);
        // The pattern as the first block sees it, as often as makes whole blocks. The bytes before the first block
        // are then its last ones.
        let period = least_common_multiple(pattern.len() as u64, BLOCK);
        let table: Vec<u8> = pattern
            .iter()
            .cycle()
            .skip((head % pattern.len() as u64) as usize)
            .copied()
            .take(period as usize)
            .collect();
        let scratch = self.storage(period)?;
        self.write_words(&scratch, 0, &table)?;
        let (mover, filler) = (self.mover(Mover::Bytes)?, self.mover(Mover::Fill)?);
        let from = |at: u64| (&scratch.buffer, at);
        let to = |at: u64| (&storage.buffer, at);
        let mut batch = batch();
        if head > 0 {
            self.shift(&mut batch, &mover, from(period - head), to(bytes.start), head)?;
        }
        if blocks > 0 {
            let scalars = [((bytes.start + head) / BLOCK) as u32, blocks as u32, (period / BLOCK) as u32];
            self.move_blocks(&mut batch, &filler, [&scratch.buffer, &storage.buffer], blocks, &scalars)?;
        }
        if tail > 0 {
            self.shift(&mut batch, &mover, from(blocks * BLOCK % period), to(bytes.end - tail), tail)?;
        }
        storage.used_by(batch.number());
        Ok(batch)
    }

    /// The kernel that copies so many bytes between two buffers, if it is quicker than the driver.
    pub(super) fn copier(&self, bytes: u64, offsets: [u64; 2]) -> Result<Option<Arc<Pipeline>>, Error> {
        let suits = self.adapter.is_hardware() && bytes >= COPIED && offsets.iter().all(|at| at.is_multiple_of(BLOCK));
        if suits { self.mover(Mover::Copy).map(Some) } else { Ok(None) }
    }

    /// Queues a copy of whole words by that kernel, between two buffers.
    pub(super) fn copy_blocks(
        &self,
        batch: &mut Batch,
        copier: &Pipeline,
        from: (&wgpu::Buffer, u64),
        to: (&wgpu::Buffer, u64),
        bytes: u64,
    ) -> Result<(), Error> {
        let (blocks, rest) = (bytes / BLOCK, bytes % BLOCK);
        let scalars = [(from.1 / BLOCK) as u32, (to.1 / BLOCK) as u32, blocks as u32];
        self.move_blocks(batch, copier, [from.0, to.0], blocks, &scalars)?;
        if rest > 0 {
            let done = bytes - rest;
            batch.encoder(&self.device).copy_buffer_to_buffer(from.0, from.1 + done, to.0, to.1 + done, rest);
        }
        Ok(())
    }

    /// Queues one of these kernels, an invocation for each block.
    fn move_blocks(
        &self,
        batch: &mut Batch,
        mover: &Pipeline,
        buffers: [&wgpu::Buffer; 2],
        blocks: u64,
        scalars: &[u32; 3],
    ) -> Result<(), Error> {
        let groups = [blocks.div_ceil(WORKGROUP) as u32, 1, 1];
        let lens = buffers.map(|buffer| (buffer.size() / BLOCK).try_into().unwrap_or(u32::MAX));
        let mut block = Block::take(batch);
        self.fill_block(&mut block, mover, groups, lens.into_iter(), scalars.chunks(1));
        let group = self.group(mover, None, buffers.map(|buffer| (buffer, 0, buffer.size())).into_iter(), &block)?;
        self.record(batch, mover, Some(&group), None, block);
        batch.bound = None;
        Ok(())
    }
}

/// Whether a kernel repeats a pattern of this length.
pub(super) fn repeats(pattern: &[u8]) -> bool {
    (1..=PATTERN).contains(&(pattern.len() as u64))
}

/// The least number that both divide, of which the second is a power of two.
fn least_common_multiple(a: u64, power: u64) -> u64 {
    a * (power >> a.trailing_zeros().min(power.trailing_zeros()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use samebits_ir::interp::{Arg, Options, Program, Words};
    use samebits_ir::text;

    /// The words of the second buffer after a kernel of these ran over words of zero.
    fn run(text: &str, source: &[u32], target: usize, scalars: [u32; 3]) -> Vec<u32> {
        let kernel = text::parse(text)
            .map_err(|_| "does not parse")
            .and_then(|module| Kernel::from_module(&module, 0).map_err(|_| "does not pass the checks"));
        let kernel = kernel.expect("a kernel");
        let program = Program::new(kernel.load().expect("loaded").checked(), 0).expect("a kernel");
        let from = Words::from_bytes(bytemuck::cast_slice(source));
        let to = Words::from_bytes(&vec![0; target * 4]);
        let buffer = |words, len: usize| Arg::Buffer { words, offset: 0, len: len as u32 / 4 };
        let scalars = scalars.map(|x| Arg::Scalar([x.into(), 0, 0, 0]));
        let args = [&[buffer(&from, source.len()), buffer(&to, target)], &scalars[..]].concat();
        program.run([1, 1, 1], &args, &Options::default()).expect("no fault");
        to.read(0..target * 4)
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("a word")))
            .collect()
    }

    #[test]
    fn blocks_are_copied_and_those_beside_them_stay() {
        let source: Vec<u32> = (1..=20).collect();
        let expected = [[0; 8].as_slice(), &source[4..16], &[0; 4]].concat();
        assert_eq!(run(COPY, &source, 24, [1, 2, 3]), expected);
    }

    #[test]
    fn a_pattern_begins_with_the_first_block() {
        let pattern: Vec<u32> = (1..=12).collect();
        let expected = [[0; 4].as_slice(), &pattern, &pattern[..8], &[0; 4]].concat();
        assert_eq!(run(FILL, &pattern, 28, [1, 5, 3]), expected);
    }

    #[test]
    fn a_period_is_whole_patterns_and_whole_blocks() {
        let periods = [1, 2, 3, 4, 8, 12, 16, 20, 48].map(|len| least_common_multiple(len, BLOCK));
        assert_eq!(periods, [16, 16, 48, 16, 16, 48, 16, 80, 48]);
    }
}
