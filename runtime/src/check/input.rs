//! Inputs: where they come from, and what is smaller than one.

#[cfg(feature = "f16")]
use super::floats::F16;
use super::floats::{self, F32, F64, Kinds};
use crate::element::{Vec2, Vec3, Vec4};
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// Numbers of chance, the same for the same seed. A quarter of all numbers are edges of their type.
///
/// Floats are of three mixtures, which take turns with the seeds. Of every four inputs of a check:
///
/// - two have all kinds of floats. A quarter are edges with either sign: zeros, the smallest and the largest
///   subnormal number, the smallest normal one, 1 and its neighbours, the numbers from which on there are no fractions
///   and no odd numbers, the largest number, and now and then an infinity or a NaN. An eighth are any bits, a sixteenth
///   each are subnormal or have the largest exponent, and half are ordinary, which means from -100 to 100, a third of
///   them whole;
/// - one has the same without infinities and NaN, which would hide what is computed of others;
/// - one has ordinary numbers only, with zeros of both signs.
///
/// ```
/// use samebits::check::Chance;
/// let mut chance = Chance::new(3);
/// let x = chance.vec(5..=9, Chance::f32);
/// assert!((5..=9).contains(&x.len()));
/// assert!(chance.below(10) < 10);
/// ```
#[derive(Clone, Debug)]
pub struct Chance {
    state: u64,
    /// Which floats there are.
    kinds: Kinds,
}

impl Chance {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, kinds: Kinds::of_seed(seed) }
    }

    /// Which floats there are.
    pub(super) fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((self.bits() as u128 * end as u128) >> 64) as usize
    }

    /// Either.
    pub fn bool(&mut self) -> bool {
        self.bits() & 1 == 1
    }

    /// One of these.
    pub(super) fn edge<T: Copy, const N: usize>(&mut self, edges: [T; N]) -> T {
        edges[self.below(N)]
    }

    /// Any `u32`.
    pub fn u32(&mut self) -> u32 {
        match self.below(4) {
            0 => self.edge([0, 1, 2, 31, 32, 0x7fff_ffff, 0x8000_0000, u32::MAX]),
            1 => self.below(100) as u32,
            _ => self.bits() as u32,
        }
    }

    /// Any `i32`.
    pub fn i32(&mut self) -> i32 {
        match self.below(4) {
            0 => self.edge([0, 1, -1, i32::MAX, i32::MIN, i32::MIN + 1]),
            1 => self.below(200) as i32 - 100,
            _ => self.bits() as i32,
        }
    }

    /// Any `u64`.
    pub fn u64(&mut self) -> u64 {
        match self.below(4) {
            0 => self.edge([0, 1, 63, 64, u64::from(u32::MAX), 1 << 32, 1 << 63, u64::MAX]),
            _ => self.bits() >> self.below(64),
        }
    }

    /// Any `f32`, of the mixture of the seed.
    pub fn f32(&mut self) -> f32 {
        match F32.special(self) {
            Some(bits) => f32::from_bits(bits as u32),
            None => floats::ordinary(self) as f32,
        }
    }

    /// Any `f64`, of the mixture of the seed.
    pub fn f64(&mut self) -> f64 {
        match F64.special(self) {
            Some(bits) => f64::from_bits(bits),
            None => floats::ordinary(self),
        }
    }

    /// Any `f16`, of the mixture of the seed.
    ///
    /// ```
    /// use samebits::check::Chance;
    /// use samebits::prelude::*;
    /// let numbers: Vec<f16> = Chance::new(0).vec(1000..=1000, Chance::f16);
    /// assert!(numbers.contains(&f16::MAX) && numbers.iter().any(|x| x.is_nan()));
    /// ```
    #[cfg(feature = "f16")]
    pub fn f16(&mut self) -> half::f16 {
        match F16.special(self) {
            Some(bits) => half::f16::from_bits(bits as u16),
            None => half::f16::from_f64(floats::ordinary(self)),
        }
    }

    /// A number from 0 to 1, without 1, in as many steps as an `f64` has there.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from 0 to 1, without 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 24) as f32
    }

    /// So many of what `each` makes.
    pub fn vec<T>(&mut self, len: RangeInclusive<usize>, mut each: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let more = len.end().saturating_sub(*len.start()).saturating_add(1);
        let count = len.start() + self.below(more);
        (0..count).map(|_| each(self)).collect()
    }
}

/// An input of a check: it is shown, and tried smaller. Numbers, `bool`, vectors of numbers, arrays, `Vec`s, and tuples of
/// up to four of these are inputs. A type of your own needs only `Debug`, if it is not made smaller:
///
/// ```
/// use samebits::check::Input;
/// #[derive(Debug)]
/// struct Seed(u32);
/// impl Input for Seed {}
/// assert!(Seed(5).smaller().is_empty());
/// assert_eq!(vec![0u32, 8].smaller(), [vec![], vec![0], vec![8], vec![0, 0], vec![0, 4], vec![0, 7]]);
/// ```
pub trait Input: Debug + Sized {
    /// Inputs that are smaller than this one, the smallest first.
    fn smaller(&self) -> Vec<Self> {
        Vec::new()
    }
}

impl Input for bool {
    fn smaller(&self) -> Vec<Self> {
        if *self { vec![false] } else { Vec::new() }
    }
}

macro_rules! integers {
    ($($ty:ty)*) => { $(
        impl Input for $ty {
            fn smaller(&self) -> Vec<Self> {
                let towards_zero = if *self > 0 { self.wrapping_sub(1) } else { self.wrapping_add(1) };
                let mut smaller = if *self == 0 { vec![] } else { vec![0, *self / 2, towards_zero] };
                smaller.dedup();
                smaller
            }
        }
    )* };
}

integers! { u8 u16 u32 u64 usize i8 i16 i32 i64 }

macro_rules! floats {
    ($($ty:ty, $bits:ty, $format:ident;)*) => { $(
        impl Input for $ty {
            /// Zero and 1; nearer to 1; with fewer digits; without a fraction. Infinities and NaN are made finite.
            fn smaller(&self) -> Vec<Self> {
                $format.simpler(self.to_bits().into()).into_iter().map(|bits| Self::from_bits(bits as $bits)).collect()
            }
        }
    )* };
}

floats! { f32, u32, F32; f64, u64, F64; }
#[cfg(feature = "f16")]
floats! { half::f16, u16, F16; }

impl<T: Input + Clone> Input for Vec<T> {
    /// Halves, then without one element, then with one element smaller.
    fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        let half = self.len() / 2;
        if self.len() > 2 {
            smaller.extend([self[..half].to_vec(), self[half..].to_vec()]);
        } else if !self.is_empty() {
            smaller.push(Vec::new());
        }
        // Of many elements, few of each kind are enough; halves come first anyway.
        let places = || (0..self.len()).take(64);
        if self.len() > 1 {
            smaller.extend(places().rev().map(|at| [&self[..at], &self[at + 1..]].concat()));
        }
        for at in places() {
            smaller.extend(self[at].smaller().into_iter().map(|less| {
                let mut all = self.clone();
                all[at] = less;
                all
            }));
        }
        smaller
    }
}

impl<T: Input + Copy, const N: usize> Input for [T; N] {
    fn smaller(&self) -> Vec<Self> {
        let with = |at: usize, less: T| {
            let mut all = *self;
            all[at] = less;
            all
        };
        (0..N).flat_map(|at| self[at].smaller().into_iter().map(move |less| with(at, less))).collect()
    }
}

macro_rules! vectors {
    ($($ty:ident $len:literal $($lane:ident)*;)*) => { $(
        impl<T: Input + Copy> Input for $ty<T> {
            fn smaller(&self) -> Vec<Self> {
                let lanes: [T; $len] = [$(self.$lane),*];
                lanes.smaller().into_iter().map(|[$($lane),*]| Self { $($lane),* }).collect()
            }
        }
    )* };
}

vectors! { Vec2 2 x y; Vec3 3 x y z; Vec4 4 x y z w; }

macro_rules! tuples {
    ($(($($ty:ident $at:tt),*))*) => { $(
        impl<$($ty: Input + Clone),*> Input for ($($ty,)*) {
            fn smaller(&self) -> Vec<Self> {
                let mut smaller = Vec::new();
                $(smaller.extend(self.$at.smaller().into_iter().map(|less| {
                    let mut all = self.clone();
                    all.$at = less;
                    all
                }));)*
                smaller
            }
        }
    )* };
}

tuples! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }
