//! Memory that many threads may touch at once: relaxed atomic words.
//!
//! Every access of a kernel, atomic or not, goes through an [`AtomicU32`], so a race gives an
//! indeterminate value and never undefined behaviour. An access smaller than a word changes
//! only its own bytes, also while other threads change the rest. An atomic access of 8 bytes
//! locks its pair of words; the checks ensure that such a pair is accessed in no other way.
//! Orders are fences around relaxed accesses. Bytes are little-endian whatever the host is.

use crate::order::{Ordering, Scope};
use std::ops::Range;
use std::sync::atomic::{self, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The memory of a buffer.
///
/// ```
/// use samebits_ir::interp::Words;
/// let words = Words::from_bytes(&[1, 2, 3, 4, 5]);
/// words.write(3, &[9, 8]);
/// assert_eq!(words.read(2..5), [3, 9, 8]);
/// assert_eq!(words.bytes(), 5);
/// ```
#[derive(Debug, Default)]
pub struct Words {
    words: Box<[AtomicU32]>,
    bytes: usize,
}

impl Words {
    /// This many bytes of zero.
    pub fn zeroed(bytes: usize) -> Self {
        Self { words: (0..bytes.div_ceil(4)).map(|_| AtomicU32::new(0)).collect(), bytes }
    }

    /// This many bytes of zero, or `None` if the machine does not have them.
    ///
    /// ```
    /// use samebits_ir::interp::Words;
    /// assert!(Words::try_zeroed(usize::MAX).is_none());
    /// ```
    pub fn try_zeroed(bytes: usize) -> Option<Self> {
        Some(Self { words: try_zeroed(bytes.div_ceil(4))?, bytes })
    }

    /// A copy of the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let word = |chunk: &[u8]| {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            AtomicU32::new(u32::from_le_bytes(word))
        };
        Self { words: bytes.chunks(4).map(word).collect(), bytes: bytes.len() }
    }

    /// The number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A copy of a range; what lies beyond the end is left out.
    pub fn read(&self, range: Range<usize>) -> Vec<u8> {
        let start = range.start.min(self.bytes);
        let mut out = vec![0; range.end.min(self.bytes).saturating_sub(start)];
        self.copy_to(start, &mut out);
        out
    }

    /// Copies bytes from an offset; what lies beyond the end stays as it is in `out`.
    pub fn copy_to(&self, offset: usize, out: &mut [u8]) {
        let len = out.len().min(self.bytes.saturating_sub(offset));
        let mut done = 0;
        while done < len {
            let at = offset + done;
            let n = (4 - at % 4).min(len - done);
            let word = self.words[at / 4].load(Relaxed).to_le_bytes();
            out[done..done + n].copy_from_slice(&word[at % 4..at % 4 + n]);
            done += n;
        }
    }

    /// Writes bytes at an offset; what would lie beyond the end is left out.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        let len = bytes.len().min(self.bytes.saturating_sub(offset));
        let mut done = 0;
        while done < len {
            let at = offset + done;
            let n = (4 - at % 4).min(len - done);
            let mut word = [0; 4];
            word[..n].copy_from_slice(&bytes[done..done + n]);
            store(&self.words, at, n, u64::from(u32::from_le_bytes(word)));
            done += n;
        }
    }

    pub(super) fn words(&self) -> &[AtomicU32] {
        &self.words
    }
}

/// This many zero words, if the machine has them.
pub(super) fn try_zeroed(len: usize) -> Option<Box<[AtomicU32]>> {
    let mut words = Vec::new();
    words.try_reserve_exact(len).ok()?;
    words.resize_with(len, AtomicU32::default);
    Some(words.into_boxed_slice())
}

/// So many copies of a frame, if the machine has room for them.
pub(super) fn try_frames(frame: &[u64], copies: usize) -> Option<Vec<u64>> {
    let mut frames = Vec::new();
    frames.try_reserve_exact(frame.len().checked_mul(copies)?).ok()?;
    (0..copies).for_each(|_| frames.extend_from_slice(frame));
    Some(frames)
}

/// The `size` bytes (1, 2, 4 or 8) at a byte address that lies within the words.
#[inline]
pub(super) fn load(words: &[AtomicU32], at: usize, size: usize) -> u64 {
    if size == 4 && at.is_multiple_of(4) {
        return u64::from(words[at / 4].load(Relaxed));
    }
    let mut value = 0;
    for (i, word) in words[at / 4..(at + size).div_ceil(4)].iter().enumerate() {
        value |= u128::from(word.load(Relaxed)) << (32 * i);
    }
    (value >> (at % 4 * 8)) as u64 & mask(size)
}

/// Sets the `size` bytes (1 to 8) at a byte address that lies within the words.
#[inline]
pub(super) fn store(words: &[AtomicU32], at: usize, size: usize, value: u64) {
    if size == 4 && at.is_multiple_of(4) {
        words[at / 4].store(value as u32, Relaxed);
        return;
    }
    let shift = at % 4 * 8;
    let (mask, value) = (u128::from(mask(size)) << shift, u128::from(value & mask(size)) << shift);
    for (i, word) in words[at / 4..(at + size).div_ceil(4)].iter().enumerate() {
        let (mask, value) = ((mask >> (32 * i)) as u32, (value >> (32 * i)) as u32);
        if mask == u32::MAX {
            word.store(value, Relaxed);
        } else {
            update_word(word, |old| old & !mask | value);
        }
    }
}

/// Replaces the `size` bytes (1, 2, 4 or 8) at an address by a function of them, in one
/// step to all other calls of this, and gives what they were. The address is a multiple
/// of the size, or of 4; memory that is changed 8 bytes at a time is changed, and read
/// while others do, in no other way.
#[inline]
pub(super) fn update(words: &[AtomicU32], at: usize, size: usize, new: impl Fn(u64) -> u64) -> u64 {
    let word = &words[at / 4];
    if size == 8 {
        // The words have no step in common, so those of a call exclude other calls.
        let stripe = std::ptr::from_ref(word).addr() / 8 % STRIPES.len();
        let _held = STRIPES[stripe].lock().unwrap_or_else(PoisonError::into_inner);
        let old = load(words, at, 8);
        store(words, at, 8, new(old));
        return old;
    }
    let shift = at % 4 * 8;
    let mask = mask(size);
    let old = update_word(word, |old| {
        let part = u64::from(old) >> shift & mask;
        old & !((mask << shift) as u32) | ((new(part) & mask) << shift) as u32
    });
    u64::from(old) >> shift & mask
}

/// Locks for pairs of words, by their address.
static STRIPES: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

/// What an atomic access of this order needs before it.
pub(super) fn fence_before(ordering: Ordering, scope: Scope) {
    match ordering {
        Ordering::Release | Ordering::AcqRel => fence(Ordering::Release, scope),
        Ordering::SeqCst => fence(Ordering::SeqCst, scope),
        Ordering::Relaxed | Ordering::Acquire => {}
    }
}

/// What an atomic access of this order needs after it.
pub(super) fn fence_after(ordering: Ordering, scope: Scope) {
    match ordering {
        Ordering::Acquire | Ordering::AcqRel => fence(Ordering::Acquire, scope),
        Ordering::SeqCst => fence(Ordering::SeqCst, scope),
        Ordering::Relaxed | Ordering::Release => {}
    }
}

/// Orders what went before with what follows; an invocation is always in order with itself.
pub(super) fn fence(ordering: Ordering, scope: Scope) {
    if scope == Scope::Invocation {
        return;
    }
    match ordering {
        Ordering::Relaxed => {}
        Ordering::Acquire => atomic::fence(atomic::Ordering::Acquire),
        Ordering::Release => atomic::fence(atomic::Ordering::Release),
        Ordering::AcqRel => atomic::fence(atomic::Ordering::AcqRel),
        Ordering::SeqCst => atomic::fence(atomic::Ordering::SeqCst),
    }
}

/// Replaces a word by a function of it, in one step, and gives the old value.
#[inline]
fn update_word(word: &AtomicU32, new: impl Fn(u32) -> u32) -> u32 {
    let mut old = word.load(Relaxed);
    loop {
        match word.compare_exchange_weak(old, new(old), Relaxed, Relaxed) {
            Ok(_) => return old,
            Err(now) => old = now,
        }
    }
}

const fn mask(size: usize) -> u64 {
    u64::MAX >> (64 - 8 * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::interp::{Arg, Options, Program};
    use crate::text::parse;

    #[test]
    fn bytes_at_any_alignment_come_back() {
        let words = Words::zeroed(13);
        for offset in 0..13 {
            for len in 0..=13 - offset {
                let bytes: Vec<u8> = (1..=len as u8).collect();
                let before = words.read(0..13);
                words.write(offset, &bytes);
                let mut expected = before;
                expected[offset..offset + len].copy_from_slice(&bytes);
                assert_eq!(words.read(0..13), expected);
            }
        }
    }

    #[test]
    fn a_kernel_runs_in_words_that_others_own() {
        let source = "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u16]) {\n  store @y[3u32], 7u16\n  ret\n}";
        let checked = parse(source).ok().and_then(|module| check(module).ok()).expect("a kernel");
        let lent = [const { AtomicU32::new(0x0001_0002) }; 2];
        let args = [Arg::Words { words: &lent, len: 4, most: None }];
        let program = Program::new(&checked, 0).expect("a kernel");
        assert!(program.run([1; 3], &args, &Options::default()).is_ok());
        assert_eq!(lent.map(AtomicU32::into_inner), [0x0001_0002, 0x0007_0002]);
    }

    #[test]
    fn what_lies_beyond_the_end_is_left_out() {
        let words = Words::from_bytes(&[1, 2, 3]);
        words.write(2, &[7, 7, 7]);
        words.write(usize::MAX, &[7]);
        assert_eq!(words.read(0..100), [1, 2, 7]);
        assert_eq!(words.read(5..9), [0; 0]);
        assert_eq!(Words::default().read(0..4), [0; 0]);
    }

    #[test]
    fn values_that_span_words_come_back() {
        let words = Words::zeroed(16);
        for size in [1, 2, 4, 8] {
            for at in 0..=16 - size {
                words.write(0, &[0xaa; 16]);
                store(words.words(), at, size, 0x0123_4567_89ab_cdef);
                assert_eq!(load(words.words(), at, size), 0x0123_4567_89ab_cdef & mask(size));
                assert!(words.read(0..at).iter().chain(&words.read(at + size..16)).all(|&b| b == 0xaa));
            }
        }
    }

    #[test]
    fn neighbours_survive_stores_from_many_threads() {
        let words = Words::zeroed(8);
        std::thread::scope(|scope| {
            for lane in 0..8 {
                let words = &words;
                scope.spawn(move || {
                    for i in 0..20_000_u64 {
                        store(words.words(), lane, 1, i);
                        assert_eq!(load(words.words(), lane, 1), i & 0xff);
                    }
                });
            }
        });
        assert_eq!(words.read(0..8), [(19_999 % 256) as u8; 8]);
    }
}
