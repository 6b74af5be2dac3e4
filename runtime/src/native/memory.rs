//! Memory accesses, at a distance in bytes.
//!
//! Plain accesses need no alignment. Racy ones go through aligned words of 32 bits, by relaxed atomic
//! accesses, so that bytes beside them stay as they are, whoever writes those at the same time.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Memory of lanes, aligned so that a vector of it lies in one line of the cache.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Aligned<T>(pub T);

/// Constant memory, aligned so that whole vectors of it can be loaded.
#[repr(align(16))]
#[derive(Clone, Copy, Debug)]
pub struct Table<const N: usize>(pub [u8; N]);

/// An index times a stride, in bytes.
///
/// # Safety
///
/// The product is less than 2⁶⁴, as that of two numbers of 32 bits is.
#[inline(always)]
pub unsafe fn times(index: u32, stride: u32) -> usize {
    // SAFETY: both have 32 bits, and `usize` has 64.
    unsafe { (index as usize).unchecked_mul(stride as usize) }
}

/// A sum of distances.
///
/// # Safety
///
/// The sum is less than 2⁶⁴: the code tests that it is where that is not known.
#[inline(always)]
pub unsafe fn plus(a: usize, b: usize) -> usize {
    a.wrapping_add(b)
}

/// Where a lane's unit is that begins at a byte of its memory, if the units of `lanes` lanes lie side by side.
///
/// # Safety
///
/// The byte is within the memory.
#[inline(always)]
pub unsafe fn side_by_side(at: usize, lanes: usize, lane: usize, unit: usize) -> usize {
    at.wrapping_mul(lanes).wrapping_add(lane.wrapping_mul(unit))
}

/// Loads a plain value.
///
/// # Safety
///
/// The bytes are there and are a `T`, and nobody writes them at the same time.
#[inline(always)]
pub unsafe fn load<T: Copy>(base: *const u8, at: usize) -> T {
    // SAFETY: the caller says that the bytes are there.
    unsafe { base.add(at).cast::<T>().read_unaligned() }
}

/// Stores a plain value.
///
/// # Safety
///
/// The bytes are there, and nobody accesses them at the same time.
#[inline(always)]
pub unsafe fn store<T: Copy>(base: *mut u8, at: usize, value: T) {
    // SAFETY: the caller says that the bytes are there.
    unsafe { base.add(at).cast::<T>().write_unaligned(value) }
}

/// Loads the `size` bytes (1, 2, 4 or 8) of a value that others may write; one of 8 bytes may be torn.
///
/// # Safety
///
/// The bytes are there, `base` is aligned to 4 and `at` to the lesser of `size` and 4.
#[inline(always)]
pub unsafe fn load_racy(base: *mut u8, at: usize, size: usize) -> u64 {
    // SAFETY: the caller says that the bytes are there; all accesses are by aligned words.
    unsafe {
        if size == 8 {
            return load_racy(base, at, 4) | load_racy(base, at + 4, 4) << 32;
        }
        let word = AtomicU32::from_ptr(base.add(at & !3).cast()).load(Relaxed);
        u64::from(word >> (at % 4 * 8)) & (u64::MAX >> (64 - 8 * size))
    }
}

/// Stores the `size` bytes (1, 2, 4 or 8) of a value that others may access; one of 8 bytes may be torn.
///
/// # Safety
///
/// The bytes are there, `base` is aligned to 4 and `at` to the lesser of `size` and 4.
#[inline(always)]
pub unsafe fn store_racy(base: *mut u8, at: usize, size: usize, value: u64) {
    // SAFETY: the caller says that the bytes are there; all accesses are by aligned words.
    unsafe {
        if size == 8 {
            store_racy(base, at, 4, value);
            store_racy(base, at + 4, 4, value >> 32);
            return;
        }
        let word = AtomicU32::from_ptr(base.add(at & !3).cast());
        if size == 4 {
            word.store(value as u32, Relaxed);
            return;
        }
        let shift = at % 4 * 8;
        let mask = (u32::MAX >> (32 - 8 * size)) << shift;
        let value = (value as u32) << shift & mask;
        let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn racy_accesses_change_their_own_bytes_only() {
        for size in [1, 2, 4, 8] {
            for at in (0..=16 - size).step_by(size.min(4)) {
                let mut words = [0xaaaa_aaaa_u32; 4];
                let base = words.as_mut_ptr().cast::<u8>();
                let value = 0x0123_4567_89ab_cdef_u64 & (u64::MAX >> (64 - 8 * size));
                // SAFETY: the words have 16 bytes, and `at` is aligned as it has to be.
                let back = unsafe {
                    store_racy(base, at, size, 0x0123_4567_89ab_cdef);
                    load_racy(base, at, size)
                };
                assert_eq!(back, value, "{size} bytes at {at}");
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let beside = bytes[..at].iter().chain(&bytes[at + size..]);
                assert!(beside.copied().all(|byte| byte == 0xaa), "{size} bytes at {at}: {bytes:x?}");
            }
        }
    }
}
