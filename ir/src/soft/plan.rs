//! The plan: how a target computes an op, by what it has natively.
//!
//! A back end asks here about each op and each cast, and has one answer to act upon. It
//! makes the routines that it calls when it first needs them.

use super::Routine;
use crate::flags::Flags;
use crate::ir::{Function, Inst};
use crate::ops::Op;
use crate::types::Scalar;

/// What a target computes by itself, exactly as the table of ops says. Integers of up to
/// 32 bits and `bool` are native everywhere, and `f16` nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Native {
    /// Sums, products, quotients and square roots of `f32`.
    pub single: Single,
    /// Fused products of `f32`, as far as sums are.
    pub fused: bool,
    /// What is done to the bits of `f32`s: order, rounding to whole numbers, casts.
    pub single_bits: bool,
    /// All on integers of 64 bits.
    pub long: bool,
    /// All on `f64`.
    pub double: bool,
}

/// How a target computes `f32`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Single {
    /// Rounded to nearest, subnormals kept, a product and a sum never contracted.
    Exact,
    /// The same where neither operands nor results are subnormal, except for quotients and
    /// roots, which are off by a little.
    Approximate,
}

/// How an op is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By the target. A back end that has no form of the op writes its routine instead.
    Native,
    /// By the target, and by the routine where the test fails, whose operands are the
    /// target's result and the op's operands.
    Checked {
        /// Whether the target's result is right.
        test: Routine,
        /// What is right always.
        routine: Routine,
    },
    /// By a routine.
    Routine(Routine),
    /// In `f32`, of operands that were widened; the result is rounded to `f16`, if it is one.
    Widened,
}

/// Whether a target may compute an instruction's op on `f32` as it pleases.
pub fn is_loose(function: &Function, inst: Inst) -> bool {
    function.fast_math && !function.flags[inst].has(Flags::PRECISE)
}

/// Whether every target has an op on `f32` of its own, however exact it is.
const fn everywhere(op: Op) -> bool {
    use Op::*;
    matches!(op, Add | Sub | Mul | Div | MulAdd | Neg | Abs | Sqrt | Min | Max)
        || matches!(op, Floor | Ceil | Trunc | RoundEven | Eq | Ne | Lt | Le | Gt | Ge)
}

impl Native {
    /// How an op that works lane by lane is computed on a leading operand of a type, where
    /// `loose` says that the target may compute `f32` as it pleases.
    ///
    /// ```
    /// use samebits_ir::ops::Op;
    /// use samebits_ir::soft::{Routine, plan::{Native, Single, Way}};
    /// use samebits_ir::types::Scalar;
    ///
    /// let gpu = Native { single: Single::Exact, fused: false, single_bits: false, long: false, double: false };
    /// assert_eq!(gpu.op(Op::Add, Scalar::F32, false), Way::Native);
    /// assert_eq!(gpu.op(Op::MulAdd, Scalar::F32, false), Way::Routine(Routine::F32MulAdd));
    /// assert_eq!(gpu.op(Op::Add, Scalar::F16, false), Way::Widened);
    /// ```
    pub fn op(self, op: Op, scalar: Scalar, loose: bool) -> Way {
        let native = match scalar {
            Scalar::F32 if loose && everywhere(op) => true,
            Scalar::F32 => return self.single(op),
            Scalar::F64 => self.double,
            Scalar::I64 | Scalar::U64 => self.long,
            Scalar::F16 => return Routine::of_op(op, scalar).map_or(Way::Widened, Way::Routine),
            Scalar::Bool | Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::I32 | Scalar::U32 => true,
        };
        by(native, Routine::of_op(op, scalar))
    }

    fn single(self, op: Op) -> Way {
        let exact = self.single == Single::Exact;
        let checked = |test| match Routine::of_op(op, Scalar::F32) {
            Some(routine) if !exact => Way::Checked { test, routine },
            _ => Way::Native,
        };
        match op {
            Op::Add => checked(Routine::F32AddIsRight),
            Op::Sub => checked(Routine::F32SubIsRight),
            Op::Mul => checked(Routine::F32MulIsRight),
            Op::MulAdd if self.fused => checked(Routine::F32MulAddIsRight),
            Op::MulAdd => by(false, Routine::of_op(op, Scalar::F32)),
            Op::Div | Op::Sqrt => by(exact, Routine::of_op(op, Scalar::F32)),
            _ => by(self.single_bits, Routine::of_op(op, Scalar::F32)),
        }
    }

    /// How one scalar is converted to another one. A conversion from or to `f16` that has no
    /// routine is made by way of `f32`.
    pub fn cast(self, from: Scalar, to: Scalar) -> Way {
        let has = |scalar| match scalar {
            Scalar::F32 => self.single_bits || scalar == to,
            Scalar::F64 => self.double,
            Scalar::I64 | Scalar::U64 => self.long,
            _ => true,
        };
        match Routine::of_cast(from, to) {
            Some(routine) if from == Scalar::F16 || to == Scalar::F16 => Way::Routine(routine),
            None if from == Scalar::F16 || to == Scalar::F16 => Way::Widened,
            routine => by(has(from) && has(to), routine),
        }
    }
}

/// Native, or by a routine. What the library lacks is native to every target.
fn by(native: bool, routine: Option<Routine>) -> Way {
    match routine {
        Some(routine) if !native => Way::Routine(routine),
        _ => Way::Native,
    }
}
