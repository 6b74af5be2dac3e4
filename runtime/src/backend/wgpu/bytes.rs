//! Copies that begin or end within a word, made by a kernel.
//!
//! A device copies whole words. Other bytes go through a kernel of our own, in the queue like
//! everything else. It sets the given bytes and keeps the other bytes of their words. The host
//! never reads a word, changes it and writes it back: what others write in between would be lost.

use super::batch::Batch;
use super::dispatch::Block;
use super::{Pipeline, Wgpu};
use crate::error::Error;

/// Invocation `i` sets word `target + i`, but for the bits that `head` in the first and `tail` in
/// the last word leave out, to the bits that begin `shift` bits after those of word `source + i`.
pub(super) const KERNEL: &str = "
func kernel workgroup_size(64, 1, 1) @samebits_bytes(@from: [u32], @to: mut [u32], %source: u32, %target: u32, %shift: u32, %last: u32, %head: u32, %tail: u32) {
  %i = global_id.x
  %is_inside = le %i, %last
  if %is_inside {
    %low_at = add %source, %i
    %high_at = add %low_at, 1u32
    %at = add %target, %i
    %low_word = load u32 @from[%low_at]
    %high_word = load u32 @from[%high_at]
    %low = shr %low_word, %shift
    %rest = sub 31u32, %shift
    %most = shl %high_word, %rest
    %high = shl %most, 1u32
    %bits = or %low, %high
    %is_first = eq %i, 0u32
    %first = select %is_first, %head, 4294967295u32
    %is_last = eq %i, %last
    %end = select %is_last, %tail, 4294967295u32
    %mask = and %first, %end
    %others = not %mask
    %old = load u32 @to[%at]
    %kept = and %old, %others
    %new = and %bits, %mask
    %word = or %kept, %new
    store @to[%at], %word
  }
  ret
}
";
/// Its invocations in a workgroup.
const WORKGROUP: u64 = 64;

/// The kernel's scalars: `source`, `target`, `shift`, `last`, `head` and `tail`.
fn scalars(from: u64, to: u64, bytes: u64) -> [u32; 6] {
    // Where the first word of the target has its first bit, in the source; up to three bytes before that begins.
    let before = to % 4;
    let begin = from.wrapping_sub(before);
    let last = (before + bytes).div_ceil(4) - 1;
    let left_out = (last + 1) * 4 - (before + bytes);
    // A word before the first one is a load out of bounds, of bits that the head leaves out.
    let source = (begin.cast_signed() >> 2) as u32;
    let shift = begin.rem_euclid(4) as u32 * 8;
    [source, (to / 4) as u32, shift, last as u32, u32::MAX << (before * 8), u32::MAX >> (left_out * 8)]
}

impl Wgpu {
    /// Queues the move of bytes, at least one, from an offset in a buffer to one in another buffer.
    pub(super) fn shift(
        &self,
        batch: &mut Batch,
        mover: &Pipeline,
        from: (&wgpu::Buffer, u64),
        to: (&wgpu::Buffer, u64),
        bytes: u64,
    ) -> Result<(), Error> {
        let scalars = scalars(from.1, to.1, bytes);
        let words = u64::from(scalars[3]) + 1;
        let groups = [words.div_ceil(WORKGROUP) as u32, 1, 1];
        let lens = [from.0, to.0].map(|buffer| (buffer.size() / 4).try_into().unwrap_or(u32::MAX));
        let mut block = Block::take(batch);
        self.fill_block(&mut block, mover, groups, lens.into_iter(), [&scalars[..]].into_iter());
        let bindings = [from.0, to.0].map(|buffer| (buffer, 0, buffer.size()));
        let group = self.group(mover, None, bindings.into_iter(), &block)?;
        self.record(batch, mover, Some(&group), None, block);
        batch.bound = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use samebits_ir::interp::{Arg, Options, Program, Words};
    use samebits_ir::text;

    #[test]
    fn bytes_move_between_any_offsets_and_nothing_beside_them_changes() {
        let kernel = text::parse(KERNEL)
            .map_err(|_| "does not parse")
            .and_then(|module| Kernel::from_module(&module, 0).map_err(|_| "does not pass the checks"));
        let kernel = kernel.expect("a kernel");
        let program = Program::new(kernel.load().expect("loaded").checked(), 0).expect("a kernel");
        let source: Vec<u8> = (1..=24).collect();
        for (from, to) in (0..9).flat_map(|from| (0..9).map(move |to| (from, to))) {
            for bytes in 1..=12 {
                let (source_words, target) = (Words::from_bytes(&source), Words::from_bytes(&[0xee; 24]));
                let buffer = |words| Arg::Buffer { words, offset: 0, len: 6 };
                let scalars = scalars(from as u64, to as u64, bytes as u64).map(|x| Arg::Scalar([x.into(), 0, 0, 0]));
                let args = [&[buffer(&source_words), buffer(&target)], &scalars[..]].concat();
                program.run([1, 1, 1], &args, &Options::default()).expect("no fault");
                let mut expected = vec![0xee; 24];
                expected[to..to + bytes].copy_from_slice(&source[from..from + bytes]);
                assert_eq!(target.read(0..24), expected, "{bytes} bytes from {from} to {to}");
            }
        }
    }
}
