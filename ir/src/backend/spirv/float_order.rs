//! Comparisons of floats, the lesser and the greater one, and tests of what a float is.
//!
//! [`order`](crate::analysis::order) decides how; it says why each way is right.

use super::body::Body;
use super::module::{Id, Reg};
use super::op::Lane;
use crate::analysis::floats::Classes;
use crate::analysis::order::{Comparison, Extreme, Less, Nan, Term, Words, mirrored};
use crate::ops::Op;
use crate::soft::plan::Form;
use crate::types::Scalar;
use spirv::Op as Spirv;

/// The sign bit of a float.
pub(super) const fn sign_bit(ty: Scalar) -> u64 {
    ty.mask() ^ ty.mask() >> 1
}

impl Body<'_> {
    /// What is known of an operand.
    pub(super) fn classes(&self, lane: &Lane<'_>, operand: usize) -> Classes {
        lane.args.get(operand).map_or(Classes::ANY, |&value| self.floats.at(value))
    }

    /// Both operands' classes and registers; `None` if they are not floats of one register.
    fn operands(&mut self, lane: &Lane<'_>) -> Option<([Classes; 2], [Id; 2])> {
        let [a, b, _] = self.floats(lane);
        let classes = [self.classes(lane, 0), self.classes(lane, 1)];
        self.code.reg(a).is_float().then_some((classes, [a, b]))
    }

    /// A comparison, or the lesser or the greater one of two floats; `None` if the library has to
    /// compute it. With the form [`Routine`](Form::Routine), only what is known decides.
    pub(super) fn ordered(&mut self, lane: &Lane<'_>, form: Form) -> Option<Id> {
        match lane.op {
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => self.comparison(lane, form),
            Op::Min | Op::Max => {
                let value = self.extreme(lane, form)?;
                Some(self.canonical(value, lane.ty, lane.observed))
            }
            _ => None,
        }
    }

    fn comparison(&mut self, lane: &Lane<'_>, form: Form) -> Option<Id> {
        let (classes, [mut a, mut b]) = self.operands(lane)?;
        let (way, swapped) = Comparison::of(lane.op, classes, form == Form::Exact, form == Form::Difference);
        let mut op = lane.op;
        if swapped {
            (op, a, b) = (mirrored(op), b, a);
        }
        let holds = match way {
            Comparison::Float => return Some(self.float_relation(op, a, b)),
            Comparison::Words(words) => {
                let (a, b) = (self.bits(a), self.bits(b));
                let (op, a, b) = if words == Words::Reversed { (op, b, a) } else { (op, a, b) };
                return Some(self.code.binary(integer_relation(op, words == Words::Signed), a, b));
            }
            Comparison::Sign { term, nan, within } => {
                let term = match term {
                    Term::First => a,
                    Term::Difference => self.exactly(Spirv::FSub, a, b),
                };
                let sign = self.has_sign(matches!(op, Op::Lt | Op::Ge), term, lane.ty, nan);
                let holds = if matches!(op, Op::Lt | Op::Gt) { sign } else { self.code.not(sign) };
                if !within {
                    return Some(holds);
                }
                let float = self.float_relation(op, a, b);
                return Some(self.code.binary(Spirv::LogicalAnd, float, holds));
            }
            Comparison::Same { zeros, nan } => {
                let (x, y) = (self.bits(a), self.bits(b));
                let mut same = self.code.binary(Spirv::IEqual, x, y);
                if zeros {
                    let either = self.code.binary(Spirv::BitwiseOr, x, y);
                    let are_zero = self.is_zero(either, lane.ty);
                    same = self.code.binary(Spirv::LogicalOr, same, are_zero);
                }
                if nan {
                    let numbers = self.float_relation(Op::Eq, a, b);
                    same = self.code.binary(Spirv::LogicalAnd, same, numbers);
                }
                same
            }
            Comparison::Zero => {
                let bits = self.bits(a);
                self.is_zero(bits, lane.ty)
            }
            Comparison::Routine => return None,
        };
        Some(if op == Op::Ne { self.code.not(holds) } else { holds })
    }

    /// Whether bits are those of a zero of either sign.
    fn is_zero(&mut self, bits: Id, ty: Scalar) -> Id {
        let magnitude = self.code.masked(bits, ty.mask() >> 1);
        let zero = self.code.constant(self.code.reg(bits), 0);
        self.code.binary(Spirv::IEqual, magnitude, zero)
    }

    /// Whether a number is below zero, or else above it; no zero and, if it may be one, no NaN is.
    fn has_sign(&mut self, below: bool, number: Id, ty: Scalar, nan: bool) -> Id {
        let bits = self.bits(number);
        let (reg, sign) = (self.code.reg(bits), sign_bit(ty));
        if nan {
            // From the least number to infinity, counted from zero.
            let first = self.code.constant(reg, if below { sign + 1 } else { 1 });
            let distance = self.code.binary(Spirv::ISub, bits, first);
            let infinity = self.code.constant(reg, ty.infinity());
            return self.code.binary(Spirv::ULessThan, distance, infinity);
        }
        let bound = self.code.constant(reg, if below { sign } else { 0 });
        self.code.binary(if below { Spirv::UGreaterThan } else { Spirv::SGreaterThan }, bits, bound)
    }

    /// The target's own comparison.
    fn float_relation(&mut self, op: Op, a: Id, b: Id) -> Id {
        let op = match op {
            Op::Eq => Spirv::FOrdEqual,
            Op::Ne => Spirv::FUnordNotEqual,
            Op::Lt => Spirv::FOrdLessThan,
            Op::Le => Spirv::FOrdLessThanEqual,
            Op::Gt => Spirv::FOrdGreaterThan,
            _ => Spirv::FOrdGreaterThanEqual,
        };
        let test = self.code.value(op, Reg::Bool, &[a, b]);
        self.float_tests.insert(test);
        test
    }

    fn extreme(&mut self, lane: &Lane<'_>, form: Form) -> Option<Id> {
        let (classes, [mut a, mut b]) = self.operands(lane)?;
        let (way, swapped) = Extreme::of(classes, form == Form::Exact, form == Form::Difference);
        if swapped {
            (a, b) = (b, a);
        }
        let (least, reg) = (lane.op == Op::Min, self.code.reg(a));
        let bits = match way {
            Extreme::Words(words) => {
                let (a, b) = (self.bits(a), self.bits(b));
                // The opposite order as integers without a sign.
                let greater = least == (words == Words::Reversed);
                self.code.extreme(greater, words == Words::Signed, a, b)
            }
            Extreme::Against => {
                let (a, b) = (self.bits(a), self.bits(b));
                let found = self.code.extreme(!least, true, a, b);
                let (word, sign) = (self.code.reg(a), sign_bit(lane.ty));
                // A NaN with the sign bit is the least of integers, one without it the greatest.
                let last = self.code.constant(word, lane.ty.infinity() | if least { sign } else { 0 });
                let beyond = if least { Spirv::UGreaterThan } else { Spirv::SGreaterThan };
                let nan = self.code.binary(beyond, found, last);
                self.code.select(nan, b, found)
            }
            Extreme::Pick(less, nan) => {
                let (x, y) = if least { (a, b) } else { (b, a) };
                let mut first = self.is_less(less, x, y, lane.ty);
                if nan == Nan::Second {
                    let other = self.is_nan(b, lane.ty);
                    first = self.code.binary(Spirv::LogicalOr, first, other);
                }
                let a = self.not_compared(a);
                let (a, b) = (self.bits(a), self.bits(b));
                self.code.select(first, a, b)
            }
            Extreme::Routine => return None,
        };
        Some(self.of_bits(reg, bits))
    }

    /// Whether a float is below another one, as [`Less`] says.
    fn is_less(&mut self, less: Less, a: Id, b: Id, ty: Scalar) -> Id {
        if less == Less::Float {
            return self.float_relation(Op::Lt, a, b);
        }
        let difference = self.exactly(Spirv::FSub, a, b);
        let bits = self.bits(difference);
        let reg = self.code.reg(bits);
        let zero = self.code.constant(reg, 0);
        if less == Less::SignBit {
            return self.code.binary(Spirv::SLessThan, bits, zero);
        }
        let sign = self.code.constant(reg, sign_bit(ty));
        let (distance, infinity) = (self.code.binary(Spirv::ISub, bits, sign), self.code.constant(reg, ty.infinity()));
        self.code.binary(Spirv::ULessThanEqual, distance, infinity)
    }

    /// Whether a float is NaN, infinite, or neither.
    pub(super) fn class_test(&mut self, lane: &Lane<'_>, a: Id) -> Option<Id> {
        // Two words are the library's, and a half is computed in `f32`.
        if !self.code.reg(a).is_float() {
            return None;
        }
        if lane.op == Op::IsNan {
            return Some(self.is_nan(a, lane.ty));
        }
        let bits = self.bits(a);
        let magnitude = self.code.masked(bits, lane.ty.mask() >> 1);
        let infinity = self.code.constant(self.code.reg(bits), lane.ty.infinity());
        let relation = if lane.op == Op::IsInfinite { Spirv::IEqual } else { Spirv::ULessThan };
        Some(self.code.binary(relation, magnitude, infinity))
    }
}

/// A comparison of integers.
const fn integer_relation(op: Op, signed: bool) -> Spirv {
    match (op, signed) {
        (Op::Lt, true) => Spirv::SLessThan,
        (Op::Le, true) => Spirv::SLessThanEqual,
        (Op::Gt, true) => Spirv::SGreaterThan,
        (_, true) => Spirv::SGreaterThanEqual,
        (Op::Lt, false) => Spirv::ULessThan,
        (Op::Le, false) => Spirv::ULessThanEqual,
        (Op::Gt, false) => Spirv::UGreaterThan,
        (_, false) => Spirv::UGreaterThanEqual,
    }
}
