//! Inputs: where they come from, and what is smaller than one.

use crate::element::{Vec2, Vec3, Vec4};
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// Numbers of chance, the same for the same seed. A quarter of all numbers are edges of their type.
///
/// ```
/// use samebits::check::Chance;
/// let mut chance = Chance::new(3);
/// let x = chance.vec(5..=9, Chance::f32);
/// assert!((5..=9).contains(&x.len()));
/// assert!(chance.below(10) < 10);
/// ```
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
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

    /// Any `f32`, also infinite, subnormal and NaN.
    pub fn f32(&mut self) -> f32 {
        match self.below(4) {
            0 => {
                let small = f32::from_bits(1);
                self.edge([0.0, -0.0, 1.0, -1.0, small, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN])
            }
            1 => f32::from_bits(self.bits() as u32),
            _ => self.unit() * 200.0 - 100.0,
        }
    }

    /// Any `f64`, also infinite, subnormal and NaN.
    pub fn f64(&mut self) -> f64 {
        match self.below(4) {
            0 => {
                let small = f64::from_bits(1);
                self.edge([0.0, -0.0, 1.0, -1.0, small, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN])
            }
            1 => f64::from_bits(self.bits()),
            _ => (self.bits() >> 11) as f64 / (1u64 << 53) as f64 * 200.0 - 100.0,
        }
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
    ($($ty:ty)*) => { $(
        impl Input for $ty {
            fn smaller(&self) -> Vec<Self> {
                let half = if self.abs() < 2.0 { 0.0 } else { *self / 2.0 };
                let is_smaller = |x: &Self| {
                    x.to_bits() != self.to_bits() && (self.is_nan() || self.is_infinite() || x.abs() < self.abs())
                };
                [0.0, 1.0, self.trunc(), half].into_iter().filter(is_smaller).collect()
            }
        }
    )* };
}

floats! { f32 f64 }

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
