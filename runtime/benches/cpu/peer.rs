//! What the hand-written loops have in common: a version for each set of instructions, and memory.
//!
//! The environment variable `SAMEBITS_CPU` restricts both the loops and the device.

use bytemuck::{Pod, Zeroable};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// A set of instructions, each more than those before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Baseline,
    Avx2,
    Avx512,
}

impl Level {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// What the machine has and the environment allows.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let allowed = match std::env::var("SAMEBITS_CPU").as_deref() {
            Ok("baseline") => Level::Baseline,
            Ok("avx2") => Level::Avx2,
            _ => Level::Avx512,
        };
        of_machine().min(allowed)
    })
}

/// What the machine has, by the same tests as the device's.
fn of_machine() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! has {
            ($($feature:tt)*) => {
                true $(&& is_x86_feature_detected!($feature))*
            };
        }
        if has!("avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt" "f16c") {
            let wide = has!("avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd");
            return if wide { Level::Avx512 } else { Level::Avx2 };
        }
    }
    Level::Baseline
}

/// A function with a version for each set of instructions. `LANES` in its body is how many numbers of 32 bits
/// a register holds.
macro_rules! versions {
    ($(#[$doc:meta])* fn $name:ident($($param:ident: $ty:ty),* $(,)?) $body:block) => {
        $(#[$doc])*
        fn $name($($param: $ty),*) {
            #[inline(always)]
            fn body<const LANES: usize>($($param: $ty),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
                fn avx2($($param: $ty),*) {
                    body::<8>($($param),*)
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
                #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
                fn avx512($($param: $ty),*) {
                    body::<16>($($param),*)
                }
                match $crate::peer::level() {
                    // SAFETY: the machine was asked.
                    $crate::peer::Level::Avx512 => return unsafe { avx512($($param),*) },
                    // SAFETY: the machine was asked.
                    $crate::peer::Level::Avx2 => return unsafe { avx2($($param),*) },
                    $crate::peer::Level::Baseline => {}
                }
            }
            body::<4>($($param),*)
        }
    };
}
pub(crate) use versions;

/// A cache line.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Numbers that begin with a cache line, as those of the device do.
pub struct Lines<T> {
    lines: Vec<Line>,
    len: usize,
    of: PhantomData<T>,
}

impl<T: Pod> Lines<T> {
    pub fn zeros(len: usize) -> Self {
        let lines = vec![Line::zeroed(); (len * size_of::<T>()).div_ceil(64)];
        Self { lines, len, of: PhantomData }
    }

    pub fn of(from: &[T]) -> Self {
        let mut lines = Self::zeros(from.len());
        lines.copy_from_slice(from);
        lines
    }
}

impl<T: Pod> Deref for Lines<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }
}

impl<T: Pod> DerefMut for Lines<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }
}

/// Words without a pattern.
pub fn words(len: usize, seed: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.wrapping_mul(0x9e37_79b1)
    };
    (0..len).map(|_| next()).collect()
}

/// Numbers from -1 to 1.
pub fn numbers(len: usize, seed: u32) -> Vec<f32> {
    words(len, seed).into_iter().map(|word| (word >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
}

/// An output for the hand-written loop, and one for the plain loop.
pub fn outputs<T: Pod>(len: usize) -> [Lines<T>; 2] {
    [Lines::zeros(len), Lines::zeros(len)]
}
