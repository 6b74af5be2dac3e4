//! Values in messages, from the words that kernels leave.

use crate::element::{Vec2, Vec3, Vec4};
#[cfg(feature = "f16")]
use half::f16;

/// A value in a message.
pub trait Said: Sized {
    /// The value whose words begin there; zero where there are none.
    fn said(words: &[u32], at: usize) -> Self;

    /// How many words it has.
    const WORDS: usize = if size_of::<Self>() == 8 { 2 } else { 1 };
}

fn word(words: &[u32], at: usize) -> u32 {
    words.get(at).copied().unwrap_or_default()
}

impl Said for bool {
    fn said(words: &[u32], at: usize) -> Self {
        word(words, at) != 0
    }
}

impl Said for usize {
    fn said(words: &[u32], at: usize) -> Self {
        word(words, at) as Self
    }

    const WORDS: usize = 1;
}

impl Said for f32 {
    fn said(words: &[u32], at: usize) -> Self {
        Self::from_bits(word(words, at))
    }
}

impl Said for f64 {
    fn said(words: &[u32], at: usize) -> Self {
        Self::from_bits(u64::said(words, at))
    }
}

#[cfg(feature = "f16")]
impl Said for f16 {
    fn said(words: &[u32], at: usize) -> Self {
        Self::from_bits(word(words, at) as u16)
    }
}

macro_rules! integers {
    ($($ty:ty)*) => { $(
        impl Said for $ty {
            fn said(words: &[u32], at: usize) -> Self {
                let upper = if Self::WORDS == 2 { word(words, at + 1) } else { 0 };
                (u64::from(upper) << 32 | u64::from(word(words, at))) as $ty
            }
        }
    )* };
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }

macro_rules! vectors {
    ($($vector:ident $($lane:literal)*;)*) => { $(
        impl<T: Said> Said for $vector<T> {
            fn said(words: &[u32], at: usize) -> Self {
                Self::new($(T::said(words, at + $lane * T::WORDS)),*)
            }
        }
    )* };
}

vectors! { Vec2 0 1; Vec3 0 1 2; Vec4 0 1 2 3; }
