//! Inputs of parameters: any value of a type, a value of a range, and how many elements a list has.

use super::Chance;
use crate::element::{Vec2, Vec3, Vec4};
use std::ops::{Range, RangeInclusive};

/// Types of which [`test`](macro@crate::test) can make any value: numbers, `bool`, vectors and arrays. A quarter of all
/// numbers are edges of their type.
///
/// ```
/// use samebits::check::{Chance, Generate, Input};
/// use samebits::prelude::*;
///
/// #[derive(Clone, Copy, Debug, Element)]
/// #[repr(C)]
/// struct Ray {
///     from: Vec3<f32>,
///     distance: f32,
/// }
///
/// impl Input for Ray {}
/// impl Generate for Ray {
///     fn generate(chance: &mut Chance) -> Self {
///         Self { from: Vec3::generate(chance), distance: chance.unit() }
///     }
/// }
/// assert!(Ray::generate(&mut Chance::new(1)).distance < 1.0);
/// ```
pub trait Generate: Sized {
    /// Any value.
    fn generate(chance: &mut Chance) -> Self;
}

/// Ranges of values: `0..9`, `0..=9`, `-1.0..=1.0`. A range of numbers is also one of vectors, for each lane.
///
/// ```
/// use samebits::check::{Chance, Within};
/// let any: Option<u8> = (3..=5).any(&mut Chance::new(1));
/// assert!((3..=5).has(&any.unwrap()) && !(3..5).has(&5u8));
/// assert!(Within::<u32>::any(&(4..4), &mut Chance::new(1)).is_none());
/// ```
pub trait Within<T> {
    /// One of its values, often one of its ends; `None` if it has none.
    fn any(&self, chance: &mut Chance) -> Option<T>;

    /// Whether a value is one of its.
    fn has(&self, value: &T) -> bool;
}

/// How many elements a list has: a number, or a range of numbers.
///
/// ```
/// use samebits::check::Lengths;
/// assert_eq!([5.least_and_most(), (1..3).least_and_most(), (1..=3).least_and_most()], [[5, 5], [1, 2], [1, 3]]);
/// ```
pub trait Lengths {
    /// The fewest and the most; if that is fewer, there is no such list.
    fn least_and_most(&self) -> [usize; 2];
}

impl Lengths for usize {
    fn least_and_most(&self) -> [usize; 2] {
        [*self, *self]
    }
}

impl Lengths for Range<usize> {
    fn least_and_most(&self) -> [usize; 2] {
        // Without any number, the most is below the least.
        if self.is_empty() { [1, 0] } else { [self.start, self.end - 1] }
    }
}

impl Lengths for RangeInclusive<usize> {
    fn least_and_most(&self) -> [usize; 2] {
        [*self.start(), *self.end()]
    }
}

/// A list of such a length, each element by itself; `None` if there is no such length, or an element is none.
pub(super) fn list<T>(
    chance: &mut Chance,
    lengths: &impl Lengths,
    mut each: impl FnMut(&mut Chance) -> Option<T>,
) -> Option<Vec<T>> {
    let [least, most] = lengths.least_and_most();
    (least <= most).then(|| chance.vec(least..=most, |chance| each(chance)).into_iter().collect())?
}

/// Cuts a list to such a length; `None` if it is too short.
pub(super) fn cut<T>(mut list: Vec<T>, lengths: &impl Lengths) -> Option<Vec<T>> {
    let [least, most] = lengths.least_and_most();
    list.truncate(most);
    (least..=most).contains(&list.len()).then_some(list)
}

macro_rules! integers {
    ($($ty:ident)*) => { $(
        impl Generate for $ty {
            fn generate(chance: &mut Chance) -> Self {
                match chance.below(4) {
                    0 => chance.edge([0, 1, 2, $ty::MAX / 2, $ty::MAX / 2 + 1, $ty::MAX, $ty::MIN, $ty::MIN + 1]),
                    1 => chance.below(100) as $ty,
                    _ => chance.bits() as $ty,
                }
            }
        }

        impl Within<$ty> for RangeInclusive<$ty> {
            fn any(&self, chance: &mut Chance) -> Option<$ty> {
                let (least, most) = (*self.start(), *self.end());
                if least > most {
                    return None;
                }
                if chance.below(4) == 0 {
                    return Some(chance.edge([least, most]));
                }
                // As many numbers as a type of 64 bits has fit `u128`.
                let count = (i128::from(most) - i128::from(least)) as u128 + 1;
                let above = u128::from(chance.bits()) * count >> 64;
                Some((i128::from(least) + above as i128) as $ty)
            }

            fn has(&self, value: &$ty) -> bool {
                self.contains(value)
            }
        }

        impl Within<$ty> for Range<$ty> {
            fn any(&self, chance: &mut Chance) -> Option<$ty> {
                if self.is_empty() { None } else { (self.start..=self.end - 1).any(chance) }
            }

            fn has(&self, value: &$ty) -> bool {
                self.contains(value)
            }
        }
    )* };
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }

/// As kernels have them: of 32 bits.
impl Generate for usize {
    fn generate(chance: &mut Chance) -> Self {
        u32::generate(chance) as Self
    }
}

impl Within<usize> for RangeInclusive<usize> {
    fn any(&self, chance: &mut Chance) -> Option<usize> {
        (*self.start() as u64..=*self.end() as u64).any(chance).map(|number: u64| number as usize)
    }

    fn has(&self, value: &usize) -> bool {
        self.contains(value)
    }
}

impl Within<usize> for Range<usize> {
    fn any(&self, chance: &mut Chance) -> Option<usize> {
        if self.is_empty() { None } else { (self.start..=self.end - 1).any(chance) }
    }

    fn has(&self, value: &usize) -> bool {
        self.contains(value)
    }
}

impl Generate for bool {
    fn generate(chance: &mut Chance) -> Self {
        chance.bool()
    }
}

/// A float from a range: its ends, what [`Chance`] makes of all kinds, or any number between as likely as another.
macro_rules! floats {
    ($($ty:ty, $any:ident, $zero:expr, $one:expr, $of:expr;)*) => { $(
        impl Generate for $ty {
            fn generate(chance: &mut Chance) -> Self {
                chance.$any()
            }
        }

        impl Within<$ty> for RangeInclusive<$ty> {
            fn any(&self, chance: &mut Chance) -> Option<$ty> {
                let (least, most) = (*self.start(), *self.end());
                // It is empty if an end is NaN.
                if self.is_empty() {
                    return None;
                }
                let one_of = match chance.below(8) {
                    0 => chance.edge([least, most]),
                    1 => chance.edge([$zero, -$zero, $one, -$one]),
                    2 | 3 => chance.$any(),
                    _ => {
                        let part = chance.fraction();
                        // The difference of the ends may be infinite.
                        $of(f64::from(least) * (1.0 - part) + f64::from(most) * part)
                    }
                };
                // A range from zero on is not meant to have the other zero.
                let one_of = if one_of == $zero && least.is_sign_positive() { $zero } else { one_of };
                Some(if self.contains(&one_of) { one_of } else { chance.edge([least, most]) })
            }

            fn has(&self, value: &$ty) -> bool {
                self.contains(value)
            }
        }

        impl Within<$ty> for Range<$ty> {
            fn any(&self, chance: &mut Chance) -> Option<$ty> {
                if self.is_empty() {
                    return None;
                }
                let one_of = (self.start..=self.end).any(chance)?;
                Some(if self.contains(&one_of) { one_of } else { self.start })
            }

            fn has(&self, value: &$ty) -> bool {
                self.contains(value)
            }
        }
    )* };
}

floats! {
    f32, f32, 0.0, 1.0, |x| x as f32;
    f64, f64, 0.0, 1.0, |x| x;
}
#[cfg(feature = "f16")]
floats! { half::f16, f16, half::f16::ZERO, half::f16::ONE, half::f16::from_f64; }

impl<T: Generate, const N: usize> Generate for [T; N] {
    fn generate(chance: &mut Chance) -> Self {
        std::array::from_fn(|_| T::generate(chance))
    }
}

macro_rules! vectors {
    ($($ty:ident $($lane:ident)*;)*) => { $(
        impl<T: Generate> Generate for $ty<T> {
            fn generate(chance: &mut Chance) -> Self {
                Self { $($lane: T::generate(chance)),* }
            }
        }

        impl<T, R: Within<T>> Within<$ty<T>> for R {
            fn any(&self, chance: &mut Chance) -> Option<$ty<T>> {
                Some($ty { $($lane: self.any(chance)?),* })
            }

            fn has(&self, value: &$ty<T>) -> bool {
                true $(&& self.has(&value.$lane))*
            }
        }
    )* };
}

vectors! { Vec2 x y; Vec3 x y z; Vec4 x y z w; }
