//! How floats are compared exactly where a target's comparisons may take subnormals for zeros.
//!
//! Such a comparison is still right unless both operands are tiny: zero or subnormal. Elsewhere
//! the bits decide. What is known of the operands' classes picks the cheapest way; back ends
//! print it.
//!
//! Why each way is right, of floats `a` and `b` with the bits `A` and `B`:
//!
//! - *Words.* As signed integers, bits have the order of numbers where at least one of them has
//!   no sign bit, and put -0.0 below 0.0. Bits that both have the sign bit have the opposite
//!   order, as integers without a sign.
//! - *Difference.* With subnormals kept, `a - b` is zero only if `a` equals `b`, and otherwise has
//!   the sign of the exact difference. It is NaN if one of them is, or both are the same infinity.
//!   So `a < b` exactly if it is below zero, where a NaN is not. Of two zeros, `-0.0 - 0.0` is
//!   -0.0 and all other differences are 0.0: the sign bit of a difference that is not NaN says
//!   whether `a` is below `b` in an order that has -0.0 below 0.0. The difference of a number and
//!   a zero is the number, up to the sign of a zero, and needs no arithmetic.
//! - *Within.* An order that may be equal cannot be read off the difference of equal infinities.
//!   But it is never true where the target's own comparison is false: that of NaNs, and of
//!   numbers that are further apart than zero and a subnormal are.

use super::floats::Classes;
use crate::ops::Op;

/// The order of bits as integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Words {
    /// As signed integers.
    Signed,
    /// As integers without a sign, the other way round.
    Reversed,
}

/// A number whose sign says which of two floats is greater.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// The first operand minus the second one.
    Difference,
    /// The first operand, compared with a zero.
    First,
}

/// How a comparison of two floats is made, with its operands in the given order or swapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// By the target's comparison of floats.
    Float,
    /// By that of the bits.
    Words(Words),
    /// By whether a term is below zero (`Lt`), above zero (`Gt`), or not so (`Ge`, `Le`).
    Sign {
        /// The term.
        term: Term,
        /// Whether the term may be NaN, which counts as neither.
        nan: bool,
        /// Whether the target's comparison must hold, too.
        within: bool,
    },
    /// By equality of bits.
    Same {
        /// Whether zeros of either sign are equal, too.
        zeros: bool,
        /// Whether both may be NaN, which the target's comparison has to rule out.
        nan: bool,
    },
    /// By whether the first operand is a zero of either sign.
    Zero,
    /// By a routine.
    Routine,
}

/// How the lesser or the greater of two floats is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extreme {
    /// It is that of the bits.
    Words(Words),
    /// It is that of the bits as signed integers, except that a NaN gives the second operand,
    /// which has no sign bit and is no NaN.
    Against,
    /// The first operand if it is the less or the greater one by this comparison, else the second.
    Pick(Less, Nan),
    /// By a routine.
    Routine,
}

/// How it is found out whether a float is below another one, where a wrong answer about equal
/// numbers does not matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Less {
    /// By the target's comparison of floats, false for NaNs.
    Float,
    /// By the sign bit of the difference.
    SignBit,
    /// By the sign bit of the difference, false if that is NaN.
    SignBitOfNumber,
}

/// What else makes the first operand the one to be picked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nan {
    /// Nothing. The second operand is no NaN.
    Never,
    /// That the second operand is NaN.
    Second,
}

/// Whether a comparison that may take subnormals for zeros is right.
fn is_plain([a, b]: [Classes; 2]) -> bool {
    let tiny = Classes::ZEROS.union(Classes::SUBNORMALS);
    let differ = |a: Classes, b: Classes| a.meets(tiny) && b.may_be_subnormal();
    !differ(a, b) && !differ(b, a)
}

/// Whether an operand may be a zero of the one sign and the other operand one of the other.
fn has_zeros(negative: Classes, positive: Classes) -> bool {
    negative.and(Classes::NEGATIVE).may_be_zero() && positive.and(Classes::POSITIVE).may_be_zero()
}

/// The order that the bits of numbers have.
fn words([a, b]: [Classes; 2]) -> Option<Words> {
    let (negative, numbers) = (Classes::NEGATIVE, !a.may_be_nan() && !b.may_be_nan());
    if !numbers {
        None
    } else if !a.meets(negative) || !b.meets(negative) {
        Some(Words::Signed)
    } else {
        (negative.contains(a) && negative.contains(b)).then_some(Words::Reversed)
    }
}

impl Comparison {
    /// The way for an op on operands of these classes, and whether the operands are to be swapped;
    /// the op is then its mirror image. `exact` says that the target's comparisons keep
    /// subnormals, `differences` that differences are exact.
    ///
    /// ```
    /// use samebits_ir::analysis::{floats::Classes, order::{Comparison, Words}};
    /// use samebits_ir::ops::Op;
    ///
    /// let any = Comparison::of(Op::Lt, [Classes::ANY, Classes::NORMALS], false, false);
    /// assert_eq!(any, (Comparison::Float, false));
    /// let positive = Comparison::of(Op::Lt, [Classes::POSITIVE; 2], false, false);
    /// assert_eq!(positive, (Comparison::Words(Words::Signed), false));
    /// ```
    pub fn of(op: Op, operands: [Classes; 2], exact: bool, differences: bool) -> (Self, bool) {
        let [a, b] = operands;
        let zero = |classes: Classes| Classes::ZEROS.contains(classes);
        // Without a NaN among them, equal bits are of equal numbers.
        let nan = a.may_be_nan() && b.may_be_nan();
        let equality = matches!(op, Op::Eq | Op::Ne);
        let infinite = |sign| a.and(sign).may_be_infinite() && b.and(sign).may_be_infinite();
        let infinities = infinite(Classes::POSITIVE) || infinite(Classes::NEGATIVE);
        let numbers = !a.may_be_nan() && !b.may_be_nan();
        if exact || is_plain(operands) {
            return (Self::Float, false);
        }
        if equality {
            return match () {
                () if zero(b) => (Self::Zero, false),
                () if zero(a) => (Self::Zero, true),
                () => (Self::Same { zeros: has_zeros(a, b) || has_zeros(b, a), nan }, false),
            };
        }
        // A strict order is wrong of -0.0 and 0.0 if bits decide, one that is not strict of 0.0
        // and -0.0.
        let conflict = match op {
            Op::Lt | Op::Ge => has_zeros(a, b),
            _ => has_zeros(b, a),
        };
        if let Some(words) = words(operands)
            && !conflict
        {
            return (Self::Words(words), false);
        }
        let within = matches!(op, Op::Le | Op::Ge) && !numbers;
        match () {
            () if zero(b) => (Self::Sign { term: Term::First, nan: a.may_be_nan(), within }, false),
            () if zero(a) => (Self::Sign { term: Term::First, nan: b.may_be_nan(), within }, true),
            () if differences => (Self::Sign { term: Term::Difference, nan: infinities || !numbers, within }, false),
            () => (Self::Routine, false),
        }
    }
}

impl Extreme {
    /// The way for operands of these classes, and whether the operands are to be swapped. The other
    /// arguments are those of [`Comparison::of`].
    ///
    /// ```
    /// use samebits_ir::analysis::{floats::Classes, order::{Extreme, Words}};
    ///
    /// // The greater of any number and of one that is not below zero.
    /// let numbers = Classes::ANY.without(Classes::NAN);
    /// let way = Extreme::of([numbers, Classes::POSITIVE], false, false);
    /// assert_eq!(way, (Extreme::Words(Words::Signed), false));
    /// ```
    pub fn of(operands: [Classes; 2], exact: bool, differences: bool) -> (Self, bool) {
        let [a, b] = operands;
        if let Some(words) = words(operands) {
            return (Self::Words(words), false);
        }
        let positive = |classes: Classes| Classes::POSITIVE.contains(classes);
        if positive(b) || positive(a) {
            return (Self::Against, !positive(b));
        }
        let zeros = a.may_be_zero() && b.may_be_zero() && (has_zeros(a, b) || has_zeros(b, a));
        let float = (exact || is_plain(operands)) && !zeros;
        // The second operand is the one that is no NaN, if there is one.
        let swapped = b.may_be_nan() && !a.may_be_nan();
        let nan = if a.may_be_nan() && b.may_be_nan() { Nan::Second } else { Nan::Never };
        match (float, differences, a.may_be_nan() || b.may_be_nan()) {
            (true, _, _) => (Self::Pick(Less::Float, nan), swapped),
            (false, true, true) => (Self::Pick(Less::SignBitOfNumber, nan), swapped),
            // The difference is NaN only of equal infinities.
            (false, true, false) => (Self::Pick(Less::SignBit, nan), swapped),
            (false, false, _) => (Self::Routine, false),
        }
    }
}

/// The op that is true of swapped operands where this one is true.
///
/// ```
/// use samebits_ir::{analysis::order::mirrored, ops::Op};
/// assert_eq!(mirrored(Op::Lt), Op::Gt);
/// ```
pub const fn mirrored(op: Op) -> Op {
    match op {
        Op::Lt => Op::Gt,
        Op::Le => Op::Ge,
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar;
    use crate::types::Scalar;

    const SIGN: u32 = 1 << 31;
    const INFINITY: u32 = 0x7f80_0000;

    /// Floats of all classes, and the edges of each.
    fn floats() -> Vec<u32> {
        let magnitudes = [
            0,
            1,
            2,
            0x40_0000,
            0x7f_ffff,
            0x80_0000,
            0x80_0001,
            0x100_0000,
            0x3f80_0000,
            0x3f80_0001,
            0x7f7f_ffff,
            INFINITY,
            0x7f80_0001,
            0x7fc0_0000,
            0x7fff_ffff,
        ];
        magnitudes.iter().flat_map(|&bits| [bits, bits | SIGN]).collect()
    }

    /// A subnormal as a comparison may see it.
    fn flushed(bits: u32) -> f32 {
        let value = f32::from_bits(bits);
        if value.is_subnormal() { 0.0 } else { value }
    }

    fn by_float(op: Op, a: f32, b: f32) -> bool {
        match op {
            Op::Eq => a == b,
            Op::Ne => a != b,
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Gt => a > b,
            _ => a >= b,
        }
    }

    /// What a back end writes, with a NaN of either sign for one that comes of arithmetic.
    fn written(op: Op, way: Comparison, a: u32, b: u32, nan: u32) -> bool {
        let float = || by_float(op, flushed(a), flushed(b));
        let integers = |a: i64, b: i64| match op {
            Op::Lt => a < b,
            Op::Le => a <= b,
            Op::Gt => a > b,
            _ => a >= b,
        };
        let equal = op == Op::Eq;
        match way {
            Comparison::Float => float(),
            Comparison::Words(Words::Signed) => integers((a as i32).into(), (b as i32).into()),
            Comparison::Words(Words::Reversed) => integers(b.into(), a.into()),
            Comparison::Zero => (a & !SIGN == 0) == equal,
            Comparison::Same { zeros, nan } => {
                let same = a == b || zeros && (a | b) & !SIGN == 0;
                (same && (!nan || by_float(Op::Eq, flushed(a), flushed(b)))) == equal
            }
            Comparison::Sign { term, nan: may_be_nan, within } => {
                let bits = match term {
                    Term::First => a,
                    Term::Difference => difference(a, b, nan),
                };
                let below = if may_be_nan { bits.wrapping_sub(SIGN + 1) < INFINITY } else { bits > SIGN };
                let above = if may_be_nan { bits.wrapping_sub(1) < INFINITY } else { bits as i32 > 0 };
                let sign = match op {
                    Op::Lt => below,
                    Op::Gt => above,
                    Op::Le => !above,
                    _ => !below,
                };
                sign && (!within || float())
            }
            Comparison::Routine => scalar_of(op, a, b),
        }
    }

    fn difference(a: u32, b: u32, nan: u32) -> u32 {
        let difference = f32::from_bits(a) - f32::from_bits(b);
        if difference.is_nan() { nan } else { difference.to_bits() }
    }

    fn picked(op: Op, way: Extreme, a: u32, b: u32, nan: u32) -> u32 {
        let least = op == Op::Min;
        match way {
            Extreme::Words(Words::Signed) if least => (a as i32).min(b as i32) as u32,
            Extreme::Words(Words::Signed) => (a as i32).max(b as i32) as u32,
            Extreme::Words(Words::Reversed) if least => a.max(b),
            Extreme::Words(Words::Reversed) => a.min(b),
            Extreme::Against => {
                let (r, beyond) = if least {
                    let r = (a as i32).min(b as i32) as u32;
                    (r, r > SIGN | INFINITY)
                } else {
                    let r = (a as i32).max(b as i32);
                    (r as u32, r > INFINITY as i32)
                };
                if beyond { b } else { r }
            }
            Extreme::Pick(less, second) => {
                let (x, y) = if least { (a, b) } else { (b, a) };
                let bits = difference(x, y, nan);
                let less = match less {
                    Less::Float => flushed(x) < flushed(y),
                    Less::SignBit => bits & SIGN != 0,
                    Less::SignBitOfNumber => bits.wrapping_sub(SIGN) <= INFINITY,
                };
                if less || second == Nan::Second && f32::from_bits(b).is_nan() { a } else { b }
            }
            Extreme::Routine => scalar_of_min_max(op, a, b),
        }
    }

    fn scalar_of(op: Op, a: u32, b: u32) -> bool {
        by_float(op, f32::from_bits(a), f32::from_bits(b))
    }

    fn scalar_of_min_max(op: Op, a: u32, b: u32) -> u32 {
        let args = [a.into(), b.into(), 0, 0];
        (if op == Op::Min { scalar::min(Scalar::F32, args) } else { scalar::max(Scalar::F32, args) }) as u32
    }

    /// Sets of classes: all single ones and many others.
    fn sets() -> Vec<Classes> {
        let class = |bits: u32| Classes::of_constant(Scalar::F32, bits.into());
        let mut singles: Vec<Classes> = floats().into_iter().map(class).collect();
        singles.dedup();
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let members = singles.iter().enumerate().filter(|(i, _)| state >> (8 + i % 20) & 1 != 0);
            members.fold(Classes::NONE, |set, (_, &class)| set.union(class))
        };
        let many: Vec<Classes> = (0..60).map(|_| random()).collect();
        let usual = [
            Classes::ANY,
            Classes::ANY.without(Classes::NAN),
            Classes::POSITIVE,
            Classes::NEGATIVE,
            Classes::POSITIVE.union(Classes::NAN),
            Classes::POSITIVE.without(Classes::ZEROS),
            Classes::ANY.without(Classes::SUBNORMALS),
            Classes::ANY.without(Classes::ZEROS),
            Classes::ZEROS,
        ];
        singles.into_iter().chain(many).chain(usual).collect()
    }

    #[test]
    fn every_way_is_right_for_the_classes_that_it_is_for() {
        let mut seen = Vec::new();
        let (sets, floats) = (sets(), floats());
        for &left in &sets {
            for &right in &sets {
                let of = |set: Classes| {
                    let is_in = move |&&bits: &&u32| set.contains(Classes::of_constant(Scalar::F32, bits.into()));
                    floats.iter().filter(is_in)
                };
                for differences in [false, true] {
                    for op in [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge] {
                        let (way, swap) = Comparison::of(op, [left, right], false, differences);
                        seen.push(format!("{way:?}"));
                        for (&a, &b) in of(left).flat_map(|a| of(right).map(move |b| (a, b))) {
                            for nan in [0x7fc0_0000, 0xffc0_0000] {
                                let found = if swap {
                                    written(mirrored(op), way, b, a, nan)
                                } else {
                                    written(op, way, a, b, nan)
                                };
                                assert_eq!(
                                    found,
                                    scalar_of(op, a, b),
                                    "{op:?} {a:#x} {b:#x} {left:?} {right:?} {way:?}"
                                );
                            }
                        }
                    }
                    for op in [Op::Min, Op::Max] {
                        let (way, swap) = Extreme::of([left, right], false, differences);
                        seen.push(format!("{way:?}"));
                        for (&a, &b) in of(left).flat_map(|a| of(right).map(move |b| (a, b))) {
                            for nan in [0x7fc0_0000, 0xffc0_0000] {
                                let found = if swap { picked(op, way, b, a, nan) } else { picked(op, way, a, b, nan) };
                                let right = scalar_of_min_max(op, a, b);
                                // The caller makes a NaN canonical.
                                let both = f32::from_bits(right).is_nan() && f32::from_bits(found).is_nan();
                                assert!(found == right || both, "{op:?} {a:#x} {b:#x} {way:?}: {found:#x}, {right:#x}");
                            }
                        }
                    }
                }
            }
        }
        seen.sort_unstable();
        seen.dedup();
        // Every kind of way was used.
        for kind in ["Float", "Words(Signed)", "Words(Reversed)", "First", "Difference", "Same", "Zero", "Against"] {
            assert!(seen.iter().any(|way| way.contains(kind)), "{kind}: {seen:?}");
        }
        for kind in ["SignBit,", "SignBitOfNumber", "Second", "within: true", "Routine"] {
            assert!(seen.iter().any(|way| way.contains(kind)), "{kind}: {seen:?}");
        }
    }
}
