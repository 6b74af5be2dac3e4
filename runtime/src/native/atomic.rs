//! Atomic accesses of buffers, and fences.
//!
//! Orders are fences around relaxed accesses, as the interpreter has them.

use super::F16;
use core::sync::atomic::{self, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, Ordering::Relaxed};

/// What can be accessed in one step. Floats are their bits.
pub trait Word: Copy {
    /// Replaces the value by a function of it, and gives what it was.
    ///
    /// # Safety
    ///
    /// The value is there, at a multiple of its size, and nobody accesses it otherwise at the same time.
    unsafe fn update(at: *mut u8, new: impl Fn(Self) -> Self) -> Self;

    /// Replaces the value if its bits are those of another one, and gives what it was.
    ///
    /// # Safety
    ///
    /// As for `update`.
    unsafe fn exchange_if(at: *mut u8, old: Self, new: Self) -> Self;

    /// Replaces the value, and gives what it was.
    ///
    /// # Safety
    ///
    /// As for `update`.
    unsafe fn exchange(at: *mut u8, new: Self) -> Self;

    /// The value.
    ///
    /// # Safety
    ///
    /// As for `update`.
    unsafe fn get(at: *mut u8) -> Self;

    /// Sets the value.
    ///
    /// # Safety
    ///
    /// As for `update`.
    unsafe fn set(at: *mut u8, new: Self);

    /// Whether two values have the same bits.
    fn same(self, other: Self) -> bool;
}

macro_rules! words {
    ($($ty:ident $bits:ident $atomic:ident |$value:ident| $to:expr, $from:expr;)*) => {$(
        impl Word for $ty {
            #[inline(always)]
            unsafe fn update(at: *mut u8, new: impl Fn(Self) -> Self) -> Self {
                let to = |$value: $ty| $to;
                let from = |$value: $bits| $from;
                // SAFETY: the caller says that the value is there and aligned.
                let word = unsafe { $atomic::from_ptr(at.cast()) };
                let mut old = word.load(Relaxed);
                loop {
                    match word.compare_exchange_weak(old, to(new(from(old))), Relaxed, Relaxed) {
                        Ok(_) => return from(old),
                        Err(now) => old = now,
                    }
                }
            }

            #[inline(always)]
            unsafe fn exchange_if(at: *mut u8, old: Self, new: Self) -> Self {
                let to = |$value: $ty| $to;
                let from = |$value: $bits| $from;
                // SAFETY: the caller says that the value is there and aligned.
                let word = unsafe { $atomic::from_ptr(at.cast()) };
                from(match word.compare_exchange(to(old), to(new), Relaxed, Relaxed) {
                    Ok(found) | Err(found) => found,
                })
            }

            #[inline(always)]
            unsafe fn exchange(at: *mut u8, new: Self) -> Self {
                let to = |$value: $ty| $to;
                let from = |$value: $bits| $from;
                // SAFETY: the caller says that the value is there and aligned.
                from(unsafe { $atomic::from_ptr(at.cast()) }.swap(to(new), Relaxed))
            }

            #[inline(always)]
            unsafe fn get(at: *mut u8) -> Self {
                let from = |$value: $bits| $from;
                // SAFETY: the caller says that the value is there and aligned.
                from(unsafe { $atomic::from_ptr(at.cast()) }.load(Relaxed))
            }

            #[inline(always)]
            unsafe fn set(at: *mut u8, new: Self) {
                let to = |$value: $ty| $to;
                // SAFETY: the caller says that the value is there and aligned.
                unsafe { $atomic::from_ptr(at.cast()) }.store(to(new), Relaxed);
            }

            #[inline(always)]
            fn same(self, other: Self) -> bool {
                let to = |$value: $ty| $to;
                to(self) == to(other)
            }
        }
    )*};
}

words! {
    i8 u8 AtomicU8 |value| value as u8, value as i8;
    u8 u8 AtomicU8 |value| value, value;
    i16 u16 AtomicU16 |value| value as u16, value as i16;
    u16 u16 AtomicU16 |value| value, value;
    F16 u16 AtomicU16 |value| value.0, F16(value);
    i32 u32 AtomicU32 |value| value as u32, value as i32;
    u32 u32 AtomicU32 |value| value, value;
    f32 u32 AtomicU32 |value| value.to_bits(), f32::from_bits(value);
    i64 u64 AtomicU64 |value| value as u64, value as i64;
    u64 u64 AtomicU64 |value| value, value;
    f64 u64 AtomicU64 |value| value.to_bits(), f64::from_bits(value);
}

/// Integers that the machine changes in one instruction.
pub trait Counter: Word {
    /// Adds, wrapping, and gives what it was.
    ///
    /// # Safety
    ///
    /// As for `Word::update`.
    unsafe fn add(at: *mut u8, value: Self) -> Self;

    /// Bitwise and; gives what it was.
    ///
    /// # Safety
    ///
    /// As for `Word::update`.
    unsafe fn and(at: *mut u8, value: Self) -> Self;

    /// Bitwise or; gives what it was.
    ///
    /// # Safety
    ///
    /// As for `Word::update`.
    unsafe fn or(at: *mut u8, value: Self) -> Self;

    /// Bitwise exclusive or; gives what it was.
    ///
    /// # Safety
    ///
    /// As for `Word::update`.
    unsafe fn xor(at: *mut u8, value: Self) -> Self;
}

macro_rules! counters {
    ($($ty:ident $bits:ident $atomic:ident,)*) => {$(
        impl Counter for $ty {
            #[inline(always)]
            unsafe fn add(at: *mut u8, value: Self) -> Self {
                // SAFETY: the caller says that the value is there and aligned.
                unsafe { $atomic::from_ptr(at.cast()) }.fetch_add(value as $bits, Relaxed) as $ty
            }

            #[inline(always)]
            unsafe fn and(at: *mut u8, value: Self) -> Self {
                // SAFETY: the caller says that the value is there and aligned.
                unsafe { $atomic::from_ptr(at.cast()) }.fetch_and(value as $bits, Relaxed) as $ty
            }

            #[inline(always)]
            unsafe fn or(at: *mut u8, value: Self) -> Self {
                // SAFETY: the caller says that the value is there and aligned.
                unsafe { $atomic::from_ptr(at.cast()) }.fetch_or(value as $bits, Relaxed) as $ty
            }

            #[inline(always)]
            unsafe fn xor(at: *mut u8, value: Self) -> Self {
                // SAFETY: the caller says that the value is there and aligned.
                unsafe { $atomic::from_ptr(at.cast()) }.fetch_xor(value as $bits, Relaxed) as $ty
            }
        }
    )*};
}

counters! {
    i8 u8 AtomicU8, u8 u8 AtomicU8, i16 u16 AtomicU16, u16 u16 AtomicU16,
    i32 u32 AtomicU32, u32 u32 AtomicU32, i64 u64 AtomicU64, u64 u64 AtomicU64,
}

/// Orders what is before it with what is after it.
#[inline(always)]
pub fn fence(ordering: Ordering) {
    atomic::fence(ordering);
}
