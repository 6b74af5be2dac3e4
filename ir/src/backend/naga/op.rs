//! One lowering of every op of the table.
//!
//! Integers of 32 bits are words, others are `int`'s; what the table says of division, shifts and overflow is spelled
//! out, whatever naga or a target would do. Of `f32` only sums, products, quotients,
//! square roots and fused products use the device's float unit; all else is done on
//! bits, because devices differ in it, above all for subnormals and NaN.
//!
//! On a device whose float unit is not exact (it flushes subnormals, fuses a product
//! into a sum, or approximates) a sum, product or fused product is computed in software
//! where its result may be wrong, and quotients and roots always are. The choice by the
//! result's bits also keeps a product from being fused into the sum that follows.

use super::body::Body;
use super::code::{Code, Expr};
use super::float::{self, MAGNITUDE, Machine, Rounding, SIGN};
use super::types::registers;
use super::wide;
use crate::ir::Value;
use crate::ops::{Op, Signature, ops_of};
use crate::scalar::{CastRule, cast_rule};
use crate::types::{Kind, Scalar, Type};
use naga::{BinaryOperator as Bin, Expression, MathFunction, ScalarKind};

/// The magnitude from which on a product cannot have been flushed.
const LEAST: u32 = 2 << 23;

impl Body<'_> {
    /// The registers of an op's result.
    pub(super) fn op(&mut self, op: Op, args: &[Value], result: Value) -> Vec<Expr> {
        let operands: Vec<_> = args.iter().map(|&v| self.registers(v)).collect();
        let ty = self.function.ty(result);
        let Some(first) = args.first().map(|&v| self.function.ty(v)) else { return self.zero(ty) };
        match op.info().signature {
            Signature::Construct => operands.iter().flat_map(|registers| registers.iter().copied()).collect(),
            Signature::Select => {
                let [condition, accept, reject] = operands.as_slice() else { return self.zero(ty) };
                let pairs = accept.iter().zip(reject.iter());
                pairs.map(|(&a, &b)| self.choose(condition[0], a, b)).collect()
            }
            Signature::Extract => {
                let [vector, index] = operands.as_slice() else { return self.zero(ty) };
                match args.get(1).and_then(|&index| self.function.constant_bits(index)) {
                    Some(lane) => {
                        let each = registers(ty).1.max(1);
                        let lane = vector.chunks(each).nth(usize::try_from(lane).unwrap_or(usize::MAX));
                        lane.map_or_else(|| self.zero(ty), <[Expr]>::to_vec)
                    }
                    None => self.extract(vector, index[0], ty),
                }
            }
            Signature::Cast => self.cast(first, ty, &operands[0]),
            Signature::Bitcast => self.bitcast(first, ty, &operands[0]),
            Signature::Lanes(..) => self.lanes(op, first, &operands, result),
            // Compound ops were expanded.
            Signature::Fixed(..) | Signature::Insert | Signature::Reduce => self.zero(ty),
        }
    }

    fn lanes(&mut self, op: Op, ty: Type, operands: &[std::rc::Rc<[Expr]>], result: Value) -> Vec<Expr> {
        let Some(lane) = ty.lane() else { return Vec::new() };
        let observed = self.observed[result];
        let zero = self.code.word(0);
        let at = |operand: usize, i: usize| operands.get(operand).and_then(|o| o.get(i)).copied().unwrap_or(zero);
        let mut registers = Vec::new();
        for i in 0..ty.lanes() {
            if lane == Scalar::F64 {
                registers
                    .extend(self.double(op, [0, 1, 2].map(|operand| [at(operand, 2 * i), at(operand, 2 * i + 1)])));
            } else if lane.is_int() && lane.bits() == 64 {
                let pair = |operand| [at(operand, 2 * i), at(operand, 2 * i + 1)];
                registers.extend(self.long(op, lane.is_signed(), pair(0), pair(1), at(1, i)));
            } else {
                registers.push(self.lane(op, lane, [at(0, i), at(1, i), at(2, i)], observed));
            }
        }
        registers
    }

    /// One lane of an op that works lane by lane on values of one register.
    pub(super) fn lane(&mut self, op: Op, ty: Scalar, [a, b, c]: [Expr; 3], observed: bool) -> Expr {
        match ty.kind() {
            Kind::Float if ty == Scalar::F16 => self.half(op, [a, b, c]),
            Kind::Float => match self.is_loose.then(|| self.loose(op, [a, b, c])).flatten() {
                Some(value) => value,
                None => self.float(op, [a, b, c], observed),
            },
            Kind::Bool => self.logic(op, a, b),
            Kind::Signed | Kind::Unsigned if ty.bits() < 32 => self.narrow(op, ty, a, b),
            Kind::Signed | Kind::Unsigned => self.integer(op, ty.is_signed(), a, b),
        }
    }

    /// An op on `bool`.
    fn logic(&mut self, op: Op, a: Expr, b: Expr) -> Expr {
        match op {
            Op::And => self.code.binary(Bin::And, a, b),
            Op::Or => self.code.binary(Bin::InclusiveOr, a, b),
            Op::Not => Code::not(&mut self.code, a),
            Op::Xor => self.logic(Op::Ne, a, b),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let (a, b) = (self.code.truth_word(a), self.code.truth_word(b));
                self.integer(op, false, a, b)
            }
            // The table has no form of these on `bool`, or they are not lane by lane.
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Neg | Op::Abs | Op::Sign | Op::Min | Op::Max => a,
            Op::AbsDiff | Op::Shl | Op::Shr | Op::RotateLeft | Op::RotateRight | Op::CountOnes => a,
            Op::LeadingZeros | Op::TrailingZeros | Op::ReverseBits | Op::SwapBytes => a,
            Op::Sqrt | Op::Floor | Op::Ceil | Op::Trunc | Op::RoundEven | Op::Round | Op::MulAdd => a,
            Op::CopySign | Op::IsNan | Op::IsInfinite | Op::IsFinite => a,
            Op::Select | Op::Cast | Op::Bitcast | Op::Construct | Op::Extract | ops_of!(compound) => a,
        }
    }

    /// An op on words that are numbers of 32 bits.
    pub(super) fn integer(&mut self, op: Op, signed: bool, a: Expr, b: Expr) -> Expr {
        match op {
            Op::Add => self.code.binary(Bin::Add, a, b),
            Op::Sub => self.code.binary(Bin::Subtract, a, b),
            Op::Mul => self.code.binary(Bin::Multiply, a, b),
            Op::Div => self.code.divide(signed, a, b).0,
            Op::Rem => self.code.divide(signed, a, b).1,
            Op::Neg => {
                let zero = self.code.word(0);
                self.code.binary(Bin::Subtract, zero, a)
            }
            Op::Abs => {
                let zero = self.code.word(0);
                let opposite = self.code.binary(Bin::Subtract, zero, a);
                let negative = self.code.less(true, a, zero);
                self.code.select(negative, opposite, a)
            }
            Op::Sign => {
                let (zero, one, minus) = (self.code.word(0), self.code.word(1), self.code.word(u32::MAX));
                let none = self.code.binary(Bin::Equal, a, zero);
                let negative = self.code.less(true, a, zero);
                let value = self.code.select(none, zero, one);
                self.code.select(negative, minus, value)
            }
            Op::Min | Op::Max => {
                let (x, y) = if op == Op::Min { (a, b) } else { (b, a) };
                let first = self.code.less(signed, x, y);
                self.code.select(first, a, b)
            }
            Op::AbsDiff => {
                let below = self.code.less(signed, a, b);
                let forth = self.code.binary(Bin::Subtract, a, b);
                let back = self.code.binary(Bin::Subtract, b, a);
                self.code.select(below, back, forth)
            }
            Op::And => self.code.binary(Bin::And, a, b),
            Op::Or => self.code.binary(Bin::InclusiveOr, a, b),
            Op::Xor => self.code.binary(Bin::ExclusiveOr, a, b),
            Op::Not => self.code.complement(a),
            Op::Shl => {
                let count = self.code.and_k(b, 31);
                self.code.binary(Bin::ShiftLeft, a, count)
            }
            Op::Shr => {
                let count = self.code.and_k(b, 31);
                self.code.shift_right(signed, a, count)
            }
            Op::RotateLeft => self.code.rotate_left(a, b),
            Op::RotateRight => self.code.rotate_right(a, b),
            Op::CountOnes => self.code.ones(a),
            Op::LeadingZeros => self.code.clz(a),
            Op::TrailingZeros => self.code.math(MathFunction::CountTrailingZeros, a),
            Op::ReverseBits => self.code.reverse(a),
            Op::SwapBytes => self.code.swap_bytes(a),
            Op::Eq => self.code.binary(Bin::Equal, a, b),
            Op::Ne => self.code.binary(Bin::NotEqual, a, b),
            Op::Lt => self.code.less(signed, a, b),
            Op::Gt => self.code.less(signed, b, a),
            Op::Le | Op::Ge => {
                let (x, y) = if op == Op::Le { (b, a) } else { (a, b) };
                let other = self.code.less(signed, x, y);
                Code::not(&mut self.code, other)
            }
            // The table has no integer form of these, or they are not lane by lane.
            Op::Sqrt | Op::Floor | Op::Ceil | Op::Trunc | Op::RoundEven | Op::Round | Op::MulAdd => a,
            Op::CopySign | Op::IsNan | Op::IsInfinite | Op::IsFinite => a,
            Op::Select | Op::Cast | Op::Bitcast | Op::Construct | Op::Extract | ops_of!(compound) => a,
        }
    }

    /// An op on `f32`.
    pub(super) fn float(&mut self, op: Op, [a, b, c]: [Expr; 3], observed: bool) -> Expr {
        match op {
            Op::Add => self.sum(a, b, observed),
            Op::Sub => self.difference(a, b, observed),
            Op::Mul => self.product(a, b, observed),
            Op::Div => self.quotient(a, b, observed),
            Op::Rem => {
                let words = vec![self.code.word_of(a), self.code.word_of(b)];
                self.software(self.soft.remainder, words)
            }
            Op::Neg => self.on_bits(a, |code, a| {
                let sign = code.word(SIGN);
                code.xor(a, sign)
            }),
            Op::Abs => self.on_bits(a, |code, a| code.and_k(a, MAGNITUDE)),
            Op::Min | Op::Max => {
                let (a, b) = (self.code.word_of(a), self.code.word_of(b));
                let value = float::extreme(&mut self.code, a, b, op == Op::Min);
                self.code.float_of(value)
            }
            Op::Eq => self.compare(Bin::Equal, a, b),
            Op::Ne => self.compare(Bin::NotEqual, a, b),
            Op::Lt => self.compare(Bin::Less, a, b),
            Op::Le => self.compare(Bin::LessEqual, a, b),
            Op::Gt => self.compare(Bin::Greater, a, b),
            Op::Ge => self.compare(Bin::GreaterEqual, a, b),
            Op::Sqrt => self.root(a, observed),
            Op::Floor => self.on_bits(a, |code, a| float::whole(code, a, Rounding::Down)),
            Op::Ceil => self.on_bits(a, |code, a| float::whole(code, a, Rounding::Up)),
            Op::Trunc => self.on_bits(a, |code, a| float::whole(code, a, Rounding::TowardsZero)),
            Op::RoundEven => self.on_bits(a, |code, a| float::whole(code, a, Rounding::HalfToEven)),
            Op::Round => self.on_bits(a, |code, a| float::whole(code, a, Rounding::HalfAway)),
            Op::MulAdd => self.mul_add(a, b, c, observed),
            Op::CopySign => {
                let (a, b) = (self.code.word_of(a), self.code.word_of(b));
                let (magnitude, sign) = (self.code.and_k(a, MAGNITUDE), self.code.and_k(b, SIGN));
                let value = self.code.binary(Bin::InclusiveOr, magnitude, sign);
                self.code.float_of(value)
            }
            Op::IsNan => {
                let a = self.code.word_of(a);
                float::is_nan(&mut self.code, a)
            }
            Op::IsInfinite => {
                let a = self.code.word_of(a);
                let a = self.code.and_k(a, MAGNITUDE);
                self.code.eq_k(a, float::INFINITY)
            }
            Op::IsFinite => {
                let a = self.code.word_of(a);
                let a = self.code.and_k(a, MAGNITUDE);
                self.code.lt_k(a, float::INFINITY)
            }
            // The table has no float form of these, or they are not lane by lane.
            Op::Sign | Op::AbsDiff | Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr => a,
            Op::RotateLeft | Op::RotateRight | Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros => a,
            Op::ReverseBits | Op::SwapBytes => a,
            Op::Select | Op::Cast | Op::Bitcast | Op::Construct | Op::Extract | ops_of!(compound) => a,
        }
    }

    /// Applies a function of bits to an `f32`.
    fn on_bits(&mut self, a: Expr, f: impl FnOnce(&mut Code, Expr) -> Expr) -> Expr {
        let a = self.code.word_of(a);
        let value = f(&mut self.code, a);
        self.code.float_of(value)
    }

    fn compare(&mut self, bin: Bin, a: Expr, b: Expr) -> Expr {
        let (code, zero) = (&mut self.code, self.ids.zeros[0]);
        // Against a normal number it does not matter whether a subnormal counts as zero.
        if code.is_normal(a) || code.is_normal(b) {
            // naga's `!=` is false for a NaN. A compiler may turn the negation of an order
            // into the opposite order, which differs for a NaN, so it must not see one.
            let equality = if bin == Bin::NotEqual { Bin::Equal } else { bin };
            let flag = code.raw(equality, a, b);
            let word = code.truth_word(flag);
            let word = code.binary(Bin::ExclusiveOr, word, zero);
            return if bin == Bin::NotEqual { code.eq_k(word, 0) } else { code.truth(word) };
        }
        let (a, b) = (code.word_of(a), code.word_of(b));
        match bin {
            Bin::Less => float::less(code, a, b),
            Bin::Greater => float::less(code, b, a),
            Bin::LessEqual | Bin::GreaterEqual => {
                let (x, y) = if bin == Bin::LessEqual { (a, b) } else { (b, a) };
                let (below, equal) = (float::less(code, x, y), float::equal(code, x, y));
                code.either(below, equal)
            }
            Bin::NotEqual => {
                let equal = float::equal(code, a, b);
                Code::not(code, equal)
            }
            _ => float::equal(code, a, b),
        }
    }

    // Float arithmetic.

    /// A call of a software function, as an `f32`.
    fn software(&mut self, function: Option<naga::Handle<naga::Function>>, words: Vec<Expr>) -> Expr {
        let word = match function {
            Some(function) => self.code.call(function, words),
            None => self.code.word(0),
        };
        self.code.float_of(word)
    }

    /// Makes a NaN canonical if anybody looks.
    fn result(&mut self, value: Expr, observed: bool) -> Expr {
        if observed { self.on_bits(value, float::canonical) } else { value }
    }

    /// The device's result, or where that may be wrong, software's.
    fn checked(&mut self, value: Expr, right: Expr, words: Vec<Expr>) -> Expr {
        let variable = self.code.local(self.code.basic.f32);
        self.code.store(variable, value);
        let wrong = Code::not(&mut self.code, right);
        let function = self.soft.mul_add;
        self.code.when(wrong, |code| {
            if let Some(function) = function {
                let word = code.call(function, words);
                let value = code.float_of(word);
                code.store(variable, value);
            }
        });
        self.code.load(variable)
    }

    /// The same number, hidden from compilers: they know neither its value nor its origin.
    ///
    /// naga cannot say that arithmetic is to be done as written, and drivers then take
    /// `x * 0.0` for 0.0, `x - x` for 0.0, `(a + b) - a` for `b` and `a * b + c` for one
    /// operation. The two operands of an operation get different zeros, so that they are
    /// not the same value to anybody either.
    fn hidden(&mut self, value: Expr, which: usize) -> Expr {
        let zero = self.ids.zeros[which];
        self.on_bits(value, |code, word| code.binary(Bin::ExclusiveOr, word, zero))
    }

    /// An operation of the float unit whose operands are hidden.
    fn unseen(&mut self, op: Bin, a: Expr, b: Expr) -> Expr {
        let (a, b) = (self.hidden(a, 0), self.hidden(b, 1));
        self.code.raw(op, a, b)
    }

    fn sum(&mut self, a: Expr, b: Expr, observed: bool) -> Expr {
        let sum = self.unseen(Bin::Add, a, b);
        let sum = if self.exact { sum } else { self.checked_sum(sum, a, b, false) };
        self.result(sum, observed)
    }

    fn difference(&mut self, a: Expr, b: Expr, observed: bool) -> Expr {
        let difference = self.unseen(Bin::Subtract, a, b);
        let difference = if self.exact { difference } else { self.checked_sum(difference, a, b, true) };
        self.result(difference, observed)
    }

    /// A sum above 2⁻⁹⁷ does not depend on subnormals; nor do cancellation and zeros.
    fn checked_sum(&mut self, sum: Expr, a: Expr, b: Expr, subtract: bool) -> Expr {
        let code = &mut self.code;
        let (value, x, mut y) = (code.word_of(sum), code.word_of(a), code.word_of(b));
        if subtract {
            let sign = code.word(SIGN);
            y = code.xor(y, sign);
        }
        let magnitude = code.and_k(value, MAGNITUDE);
        let large = code.above_k(magnitude, (30 << 23) - 1);
        let differ = code.xor(x, y);
        let cancel = code.eq_k(differ, SIGN);
        let any = code.or(x, y);
        let any = code.and_k(any, MAGNITUDE);
        let zeros = code.eq_k(any, 0);
        let right = code.either(large, cancel);
        let right = code.either(right, zeros);
        let one = code.word(1f32.to_bits());
        self.checked(sum, right, vec![x, one, y])
    }

    fn product(&mut self, a: Expr, b: Expr, observed: bool) -> Expr {
        let mut product = self.unseen(Bin::Multiply, a, b);
        if !self.exact {
            let code = &mut self.code;
            let (value, x, y) = (code.word_of(product), code.word_of(a), code.word_of(b));
            let magnitude = code.and_k(value, MAGNITUDE);
            // A NaN may come of an infinity and a subnormal that was flushed.
            let excess = code.add_k(magnitude, LEAST.wrapping_neg());
            let usual = code.lt_k(excess, float::INFINITY - LEAST + 1);
            let (u, v) = (code.and_k(x, MAGNITUDE), code.and_k(y, MAGNITUDE));
            let (u, v) = (code.eq_k(u, 0), code.eq_k(v, 0));
            let zero = code.either(u, v);
            let right = code.either(usual, zero);
            // A zero of the product's sign adds nothing, also to a zero.
            let signs = code.xor(x, y);
            let nothing = code.and_k(signs, SIGN);
            product = self.checked(product, right, vec![x, y, nothing]);
        }
        self.result(product, observed)
    }

    fn mul_add(&mut self, a: Expr, b: Expr, c: Expr, observed: bool) -> Expr {
        let words = vec![self.code.word_of(a), self.code.word_of(b), self.code.word_of(c)];
        if !self.fused_mul_add {
            return self.software(self.soft.mul_add, words);
        }
        let (arg, arg1, arg2) = (self.hidden(a, 0), Some(self.hidden(b, 1)), Some(self.hidden(c, 0)));
        let fused = Expression::Math { fun: MathFunction::Fma, arg, arg1, arg2, arg3: None };
        let mut value = self.code.push(fused);
        if !self.exact {
            let code = &mut self.code;
            let bits = code.word_of(value);
            let magnitude = code.and_k(bits, MAGNITUDE);
            let mut right = code.above_k(magnitude, LEAST - 1);
            for &word in &words {
                let magnitude = code.and_k(word, MAGNITUDE);
                let below = code.add_k(magnitude, u32::MAX);
                let usual = code.above_k(below, 0x7f_fffe);
                right = code.both(right, usual);
            }
            value = self.checked(value, right, words);
        }
        self.result(value, observed)
    }

    fn quotient(&mut self, a: Expr, b: Expr, observed: bool) -> Expr {
        if !self.exact {
            let words = vec![self.code.word_of(a), self.code.word_of(b)];
            return self.software(self.soft.quotient, words);
        }
        let quotient = self.unseen(Bin::Divide, a, b);
        self.result(quotient, observed)
    }

    fn root(&mut self, a: Expr, observed: bool) -> Expr {
        if !self.exact {
            let words = vec![self.code.word_of(a)];
            return self.software(self.soft.root, words);
        }
        let root = self.code.math(MathFunction::Sqrt, a);
        self.result(root, observed)
    }

    // Moves and conversions.

    /// A lane of a vector; zero if the vector has no such lane.
    fn extract(&mut self, vector: &[Expr], index: Expr, ty: Type) -> Vec<Expr> {
        let each = registers(ty).1.max(1);
        let mut found = self.zero(ty);
        for (lane, registers) in vector.chunks(each).enumerate() {
            let lane = self.code.word(lane as u32);
            let here = self.code.binary(Bin::Equal, index, lane);
            for (found, &register) in found.iter_mut().zip(registers) {
                *found = self.choose(here, register, *found);
            }
        }
        found
    }

    /// One of two values. NVIDIA's driver takes a choice between known zeros of either sign
    /// for no choice at all, so a known float is hidden.
    fn choose(&mut self, condition: Expr, accept: Expr, reject: Expr) -> Expr {
        let accept = if self.code.is_float_literal(accept) && !self.is_loose { self.hidden(accept, 0) } else { accept };
        self.code.select(condition, accept, reject)
    }

    fn bitcast(&mut self, from: Type, to: Type, value: &[Expr]) -> Vec<Expr> {
        let float = |ty: Type| ty.lane() == Some(Scalar::F32);
        let convert = |&register: &Expr| match (float(from), float(to)) {
            (true, false) => self.code.word_of(register),
            (false, true) => self.code.float_of(register),
            (true, true) | (false, false) => register,
        };
        value.iter().map(convert).collect()
    }

    fn cast(&mut self, from: Type, to: Type, value: &[Expr]) -> Vec<Expr> {
        let (Some(rule), Some(source), Some(target)) = (cast_rule(from, to), from.lane(), to.lane()) else {
            return self.zero(to);
        };
        let Some(&first) = value.first() else { return self.zero(to) };
        let count = registers(to).1;
        let double = [first, value.get(1).copied().unwrap_or(first)];
        match rule {
            CastRule::Identity => value.to_vec(),
            CastRule::Resize => self.resize(source, target, value),
            CastRule::Truth => {
                let mut any = self.code.word(0);
                for &word in value {
                    any = self.code.binary(Bin::InclusiveOr, any, word);
                }
                vec![self.code.truth(any)]
            }
            CastRule::Splat => {
                let word = if source == Scalar::Bool { self.code.truth_word(first) } else { first };
                vec![word; count]
            }
            CastRule::Lanes | CastRule::Split | CastRule::Join => value.iter().copied().take(count).collect(),
            CastRule::IntToFloat if target == Scalar::F64 => self.integer_to_double(source, value),
            CastRule::FloatToInt if source == Scalar::F64 => self.double_to_integer(target, double),
            CastRule::FloatToFloat if source == Scalar::F64 => self.double_to_float(target, double),
            CastRule::FloatToFloat if target == Scalar::F64 => self.float_to_double(source, first),
            CastRule::IntToFloat => {
                let float = self.int_to_float(source, value);
                // What rounds on the way to `f32` is an infinity as an `f16`.
                vec![if target == Scalar::F16 { self.narrowed(float) } else { float }]
            }
            CastRule::FloatToInt => {
                let float = if source == Scalar::F16 { self.widened(first) } else { first };
                self.float_to_int(target, float)
            }
            CastRule::FloatToFloat if target == Scalar::F16 => vec![self.narrowed(first)],
            CastRule::FloatToFloat => vec![self.widened(first)],
        }
    }

    /// The nearest `f32` of an integer.
    fn int_to_float(&mut self, source: Scalar, value: &[Expr]) -> Expr {
        if let &[low, high] = value {
            let bits = wide::to_f32(&mut self.code, source.is_signed(), [low, high]);
            return self.code.float_of(bits);
        }
        let zero = self.code.word(0);
        let number = self.code.extended(source, value.first().copied().unwrap_or(zero));
        if source.bits() < 32 || self.is_loose {
            return self.converted(source.is_signed(), number);
        }
        // Browsers' software devices do not round what has more than 24 bits to nearest. Its
        // halves have few, and their sum rounds once, whether contracted or not.
        let sixteen = self.code.word(16);
        let high = self.code.shift_right(source.is_signed(), number, sixteen);
        let low = self.code.and_k(number, 0xffff);
        let (high, low) = (self.converted(source.is_signed(), high), self.converted(false, low));
        let scale = self.code.float(65536f32.to_bits());
        let high = self.code.raw(Bin::Multiply, high, scale);
        self.code.raw(Bin::Add, high, low)
    }

    /// A word as the device converts it.
    fn converted(&mut self, signed: bool, word: Expr) -> Expr {
        let word = if signed { self.code.signed_of(word) } else { word };
        self.code.push(Expression::As { expr: word, kind: ScalarKind::Float, convert: Some(4) })
    }

    /// The integer of an `f32`, which saturates.
    fn float_to_int(&mut self, target: Scalar, value: Expr) -> Vec<Expr> {
        let (bits, signed) = (self.code.word_of(value), target.is_signed());
        if target.bits() == 64 {
            return wide::from_f32(&mut self.code, signed, bits).to_vec();
        }
        let mut word = float::to_int(&mut self.code, bits, signed);
        if target.bits() < 32 {
            // The nearest number of 32 bits, then the nearest one of these few.
            let most = self.code.word((target.mask() >> u32::from(signed)) as u32);
            word = self.integer(Op::Min, signed, word, most);
            if signed {
                let least = self.code.complement(most);
                word = self.integer(Op::Max, signed, word, least);
            }
            word = self.code.and_k(word, target.mask() as u32);
        }
        vec![word]
    }

    /// Between integers, or from `bool`: extended by the source's sign, then cut.
    pub(super) fn resize(&mut self, source: Scalar, target: Scalar, value: &[Expr]) -> Vec<Expr> {
        let zero = self.code.word(0);
        let mut low = value.first().copied().unwrap_or(zero);
        if source == Scalar::Bool {
            low = self.code.truth_word(low);
        }
        low = self.code.extended(source, low);
        let high = match value.get(1) {
            Some(&high) => high,
            None if source.is_signed() => {
                let most = self.code.word(31);
                self.code.shift_right(true, low, most)
            }
            None => zero,
        };
        if target.bits() < 32 {
            low = self.code.and_k(low, target.mask() as u32);
        }
        if target.bits() == 64 { vec![low, high] } else { vec![low] }
    }
}

impl Code {
    /// Whether an `f32` is a literal that is neither zero nor subnormal.
    fn is_normal(&self, expression: Expr) -> bool {
        match self.function.expressions[expression] {
            Expression::Literal(naga::Literal::F32(value)) => value.is_normal(),
            _ => false,
        }
    }
}
