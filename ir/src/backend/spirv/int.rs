//! Ops on integers and on `bool`; `None` is an op that has no form here.
//!
//! Integers of 32 and of 64 bits are a register each. A narrower one is the zero-extended bits
//! in a word: its ops extend the operands by their sign where that matters, compute in words,
//! and cut the result, so that the bits above the width are always zero. What facts prove needs
//! no extension, no cut and no test.

use super::code::Code;
use super::module::{Id, Reg};
use crate::analysis::facts::Fact;
use crate::ops::Op;
use crate::types::{Scalar, Type};
use spirv::{GlslStd450Op as Glsl, Op as Spirv};

/// The operands of an op on integers of one type.
pub(super) struct Int<'c> {
    pub code: &'c mut Code,
    pub ty: Scalar,
    pub operands: [Id; 2],
    /// What is known of them.
    pub facts: [Fact; 2],
}

impl Code {
    /// An op on `bool`.
    pub fn logic(&mut self, op: Op, a: Id, b: Id) -> Option<Id> {
        let (binary, inverted) = match op {
            Op::Not => return Some(self.not(a)),
            Op::And => (Spirv::LogicalAnd, None),
            Op::Or => (Spirv::LogicalOr, None),
            Op::Xor | Op::Ne => (Spirv::LogicalNotEqual, None),
            Op::Eq => (Spirv::LogicalEqual, None),
            Op::Lt => (Spirv::LogicalAnd, Some(0)),
            Op::Gt => (Spirv::LogicalAnd, Some(1)),
            Op::Le => (Spirv::LogicalOr, Some(0)),
            Op::Ge => (Spirv::LogicalOr, Some(1)),
            _ => return None,
        };
        let mut operands = [a, b];
        if let Some(operand) = inverted.and_then(|which: usize| operands.get_mut(which)) {
            *operand = self.not(*operand);
        }
        let [a, b] = operands;
        Some(self.binary(binary, a, b))
    }

    /// The bits of an integer that a mask has.
    pub fn masked(&mut self, a: Id, mask: u64) -> Id {
        let mask = self.constant(self.reg(a), mask);
        self.binary(Spirv::BitwiseAnd, a, mask)
    }

    /// An integer with the other sign.
    pub fn negated(&mut self, a: Id) -> Id {
        let reg = self.reg(a);
        match self.known(a) {
            Some(_) => {
                let zero = self.constant(reg, 0);
                self.binary(Spirv::ISub, zero, a)
            }
            None => self.value(Spirv::SNegate, reg, &[a]),
        }
    }

    /// The number of a narrow integer of a signed type, as a word.
    pub fn sign_extended(&mut self, a: Id, bits: u32) -> Id {
        if let Some(known) = self.known(a) {
            let unused = 32 - bits;
            return self.word(((known as u32) << unused).cast_signed().wrapping_shr(unused).cast_unsigned());
        }
        let (zero, bits) = (self.word(0), self.word(bits));
        self.value(Spirv::BitFieldSExtract, Reg::U32, &[a, zero, bits])
    }

    /// The lesser or the greater one of two integers.
    pub fn extreme(&mut self, greater: bool, signed: bool, a: Id, b: Id) -> Id {
        let op = match (greater, signed) {
            (false, false) => Glsl::UMin,
            (false, true) => Glsl::SMin,
            (true, false) => Glsl::UMax,
            (true, true) => Glsl::SMax,
        };
        let reg = self.reg(a);
        self.glsl(op, reg, &[a, b])
    }

    /// The place of the highest set bit of a word; -1 for zero.
    fn highest(&mut self, word: Id) -> Id {
        self.glsl(Glsl::FindUMsb, Reg::U32, &[word])
    }

    /// The place of the lowest set bit of a word; -1 for zero.
    fn lowest(&mut self, word: Id) -> Id {
        self.glsl(Glsl::FindILsb, Reg::U32, &[word])
    }

    /// The bytes of a word in reverse order.
    fn swapped(&mut self, a: Id) -> Id {
        let (eight, most) = (self.word(8), self.word(24));
        let (first, last) =
            (self.binary(Spirv::ShiftLeftLogical, a, most), self.binary(Spirv::ShiftRightLogical, a, most));
        let (up, down) =
            (self.binary(Spirv::ShiftLeftLogical, a, eight), self.binary(Spirv::ShiftRightLogical, a, eight));
        let (up, down) = (self.masked(up, 0xff_0000), self.masked(down, 0xff00));
        let (outer, inner) = (self.binary(Spirv::BitwiseOr, first, last), self.binary(Spirv::BitwiseOr, up, down));
        self.binary(Spirv::BitwiseOr, outer, inner)
    }
}

impl Int<'_> {
    /// The op's result.
    pub fn op(mut self, op: Op) -> Option<Id> {
        if let Some(known) = self.known(op) {
            return Some(known);
        }
        let [a, b] = self.operands;
        let signed = self.ty.is_signed();
        Some(match op {
            Op::Add => self.wrapped(Spirv::IAdd, |[a, b]| a.most.checked_add(b.most)),
            Op::Sub => self.wrapped(Spirv::ISub, |[a, b]| (b.most <= a.least).then_some(a.most)),
            Op::Mul => self.wrapped(Spirv::IMul, |[a, b]| a.most.checked_mul(b.most)),
            Op::Div | Op::Rem => self.divided(op == Op::Rem),
            Op::Neg => {
                let value = self.code.negated(a);
                self.cut(value)
            }
            // The least number has no opposite and stays.
            Op::Abs if self.facts[0].low >= 0 => a,
            Op::Abs => {
                let a = self.number(0);
                let opposite = self.code.negated(a);
                self.code.extreme(true, true, a, opposite)
            }
            Op::Sign => {
                let (a, one) = (self.number(0), self.constant(1));
                let minus = self.code.complement(one);
                let minus = self.code.binary(Spirv::IAdd, minus, one);
                let value = self.code.extreme(true, true, a, minus);
                let value = self.code.extreme(false, true, value, one);
                self.cut(value)
            }
            Op::Min | Op::Max => {
                let (a, b) = (self.number(0), self.number(1));
                let value = self.code.extreme(op == Op::Max, signed, a, b);
                if signed { self.cut(value) } else { value }
            }
            Op::AbsDiff => {
                let (a, b) = (self.number(0), self.number(1));
                let (most, least) = (self.code.extreme(true, signed, a, b), self.code.extreme(false, signed, a, b));
                self.code.binary(Spirv::ISub, most, least)
            }
            Op::And => self.code.binary(Spirv::BitwiseAnd, a, b),
            Op::Or => self.code.binary(Spirv::BitwiseOr, a, b),
            Op::Xor => self.code.binary(Spirv::BitwiseXor, a, b),
            Op::Not if self.ty.bits() < 32 => {
                let ones = self.constant(self.ty.mask());
                self.code.binary(Spirv::BitwiseXor, a, ones)
            }
            Op::Not => self.code.complement(a),
            Op::Shl => {
                let count = self.count();
                self.shifted_left(count)
            }
            Op::Shr => {
                let (count, negative) = (self.count(), signed && self.facts[0].low < 0);
                let shift = if negative { Spirv::ShiftRightArithmetic } else { Spirv::ShiftRightLogical };
                let a = self.number(0);
                let value = self.code.binary(shift, a, count);
                if negative { self.cut(value) } else { value }
            }
            Op::RotateLeft => self.rotated(b),
            Op::RotateRight => {
                let back = self.code.negated(b);
                self.rotated(back)
            }
            Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros => self.counted(op),
            Op::ReverseBits => self.reversed(),
            Op::SwapBytes => self.bytes_swapped(),
            Op::Eq => self.code.binary(Spirv::IEqual, a, b),
            Op::Ne => self.code.binary(Spirv::INotEqual, a, b),
            Op::Lt => self.ordered(Spirv::ULessThan, Spirv::SLessThan),
            Op::Le => self.ordered(Spirv::ULessThanEqual, Spirv::SLessThanEqual),
            Op::Gt => self.ordered(Spirv::UGreaterThan, Spirv::SGreaterThan),
            Op::Ge => self.ordered(Spirv::UGreaterThanEqual, Spirv::SGreaterThanEqual),
            _ => return None,
        })
    }

    /// The op's result for operands that are known.
    fn known(&mut self, op: Op) -> Option<Id> {
        self.code.known(self.operands[0])?;
        let (types, result) = op.info().signature.types(Type::Scalar(self.ty))?;
        let bits = self.operands.iter().take(types.len()).map(|&operand| Some([self.code.known(operand)?, 0, 0, 0]));
        let bits: Vec<_> = bits.collect::<Option<_>>()?;
        let value = *op.eval(&types, result, &bits).first()?;
        Some(match result.lane()? {
            Scalar::Bool => self.code.flag(value != 0),
            lane if lane.bits() == 64 => self.code.constant(Reg::U64, value),
            _ => self.code.constant(Reg::U32, value),
        })
    }

    /// A known number of the register.
    fn constant(&mut self, bits: u64) -> Id {
        let reg = if self.ty.bits() == 64 { Reg::U64 } else { Reg::U32 };
        self.code.constant(reg, bits)
    }

    /// The bits of a result that the type has.
    fn cut(&mut self, value: Id) -> Id {
        if self.ty.bits() < 32 { self.code.masked(value, self.ty.mask()) } else { value }
    }

    /// An operand as a register of the same number.
    fn number(&mut self, which: usize) -> Id {
        let a = self.operands[which];
        if !self.ty.is_signed() || self.ty.bits() >= 32 || self.facts[which].low >= 0 {
            return a;
        }
        self.code.sign_extended(a, self.ty.bits())
    }

    /// A sum, a difference or a product, of which the greatest number that it can be before it
    /// is cut may be known.
    fn wrapped(&mut self, op: Spirv, most: fn(&[Fact; 2]) -> Option<u64>) -> Id {
        let [a, b] = self.operands;
        let value = self.code.binary(op, a, b);
        let fits = most(&self.facts).is_some_and(|most| most <= self.ty.mask());
        if fits { value } else { self.cut(value) }
    }

    /// A comparison of numbers.
    fn ordered(&mut self, unsigned: Spirv, signed: Spirv) -> Id {
        let op = if self.is_signed() { signed } else { unsigned };
        let (a, b) = (self.number(0), self.number(1));
        self.code.binary(op, a, b)
    }

    /// Whether an operand may be negative.
    fn is_signed(&self) -> bool {
        self.ty.is_signed() && self.facts.iter().any(|fact| fact.low < 0)
    }

    // Division.

    /// Quotient or remainder; both are zero for a zero divisor, and `MIN / -1` is `MIN`.
    /// The divisions that are not defined are done by 1 instead.
    fn divided(&mut self, rest: bool) -> Id {
        let (ty, signed) = (self.ty, self.is_signed());
        let (a, b) = (self.number(0), self.number(1));
        let (zero, one) = (self.constant(0), self.constant(1));
        let by_zero = match self.facts[1].contains(ty, 0) {
            true => self.code.binary(Spirv::IEqual, b, zero),
            false => self.code.flag(false),
        };
        let mut undefined = by_zero;
        let least = (ty.mask() >> 1) + 1;
        // The quotient of narrow ones fits in a word.
        if signed && ty.bits() >= 32 && self.facts[0].contains(ty, least) && self.facts[1].contains(ty, ty.mask()) {
            let (least, minus) = (self.constant(least), self.constant(ty.mask()));
            let least = self.code.binary(Spirv::IEqual, a, least);
            let minus = self.code.binary(Spirv::IEqual, b, minus);
            let overflow = self.code.binary(Spirv::LogicalAnd, least, minus);
            undefined = self.code.binary(Spirv::LogicalOr, by_zero, overflow);
        }
        let divisor = self.code.select(undefined, one, b);
        let quotient = self.code.binary(if signed { Spirv::SDiv } else { Spirv::UDiv }, a, divisor);
        let value = if rest {
            let taken = self.code.binary(Spirv::IMul, divisor, quotient);
            self.code.binary(Spirv::ISub, a, taken)
        } else {
            self.code.select(by_zero, zero, quotient)
        };
        if signed { self.cut(value) } else { value }
    }

    // Shifts.

    /// The second operand modulo the width.
    fn count(&mut self) -> Id {
        let [_, count] = self.operands;
        let last = u64::from(self.ty.bits() - 1);
        if self.facts[1].most <= last { count } else { self.code.masked(count, last) }
    }

    fn shifted_left(&mut self, count: Id) -> Id {
        let value = self.code.binary(Spirv::ShiftLeftLogical, self.operands[0], count);
        let [a, b] = self.facts;
        let fits = b.most < u64::from(self.ty.bits()) && a.most << b.most <= self.ty.mask();
        if fits { value } else { self.cut(value) }
    }

    /// A rotation towards the high bits by a count modulo the width.
    fn rotated(&mut self, count: Id) -> Id {
        let [mut a, _] = self.operands;
        let mut count = count;
        let width = self.ty.bits().max(32);
        if self.ty.bits() < 32 {
            // Copies of the bits side by side turn as a whole word does.
            let copies = self.constant(u64::from(u32::MAX) / self.ty.mask());
            a = self.code.binary(Spirv::IMul, a, copies);
            count = self.code.masked(count, u64::from(self.ty.bits() - 1));
        }
        let last = u64::from(width - 1);
        let opposite = self.code.negated(count);
        let (up, down) = (self.code.masked(count, last), self.code.masked(opposite, last));
        let (up, down) =
            (self.code.binary(Spirv::ShiftLeftLogical, a, up), self.code.binary(Spirv::ShiftRightLogical, a, down));
        let value = self.code.binary(Spirv::BitwiseOr, up, down);
        self.cut(value)
    }

    // Bits.

    /// The number of bits of some kind, as a word.
    fn counted(&mut self, op: Op) -> Id {
        let (bits, [fact, _]) = (self.ty.bits(), self.facts);
        let (code, [a, _]) = (&mut *self.code, self.operands);
        let (zero, width) = (code.word(0), code.word(32));
        match (op, bits) {
            (Op::CountOnes, 64) => {
                let [low, high] = code.split(a).map(|half| code.value(Spirv::BitCount, Reg::U32, &[half]));
                code.binary(Spirv::IAdd, low, high)
            }
            (Op::CountOnes, _) => code.value(Spirv::BitCount, Reg::U32, &[a]),
            (Op::LeadingZeros, 64) => {
                let [low, high] = code.split(a);
                let (most_low, most_high) = (code.word(63), code.word(31));
                let empty = code.binary(Spirv::IEqual, high, zero);
                let [low, high] = [(most_low, low), (most_high, high)].map(|(most, half)| {
                    let place = code.highest(half);
                    code.binary(Spirv::ISub, most, place)
                });
                code.select(empty, low, high)
            }
            (Op::LeadingZeros, _) => {
                let (last, place) = (code.word(bits - 1), code.highest(a));
                code.binary(Spirv::ISub, last, place)
            }
            (_, 64) => {
                let [low, high] = code.split(a);
                let empty = code.binary(Spirv::IEqual, low, zero);
                let [low, high] = [low, high].map(|half| code.lowest(half));
                let high = code.extreme(false, false, high, width);
                let high = code.binary(Spirv::IAdd, high, width);
                code.select(empty, high, low)
            }
            _ if fact.least > 0 => code.lowest(a),
            (_, 32) => {
                let place = code.lowest(a);
                code.extreme(false, false, place, width)
            }
            _ => {
                let end = code.word(1 << bits);
                let a = code.binary(Spirv::BitwiseOr, a, end);
                code.lowest(a)
            }
        }
    }

    /// The bits in reverse order.
    fn reversed(&mut self) -> Id {
        let (bits, [a, _]) = (self.ty.bits(), self.operands);
        let reverse = |code: &mut Code, word| code.value(Spirv::BitReverse, Reg::U32, &[word]);
        self.turned(bits, a, reverse)
    }

    /// The bytes in reverse order.
    fn bytes_swapped(&mut self) -> Id {
        let (bits, [a, _]) = (self.ty.bits(), self.operands);
        if bits == 8 { a } else { self.turned(bits, a, Code::swapped) }
    }

    /// An integer turned round, by what turns a word round.
    fn turned(&mut self, bits: u32, a: Id, turn: impl Fn(&mut Code, Id) -> Id) -> Id {
        let code = &mut *self.code;
        if bits == 64 {
            let [low, high] = code.split(a).map(|half| turn(code, half));
            return code.join(Reg::U64, [high, low]);
        }
        let (value, unused) = (turn(code, a), code.word(32 - bits));
        code.binary(Spirv::ShiftRightLogical, value, unused)
    }
}
