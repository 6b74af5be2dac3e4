//! One lowering of every op of the table.
//!
//! Integers are words; what the table says of division, shifts and overflow is spelled
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
use crate::ir::Value;
use crate::ops::{Op, Signature};
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
                pairs.map(|(&a, &b)| self.code.select(condition[0], a, b)).collect()
            }
            Signature::Extract => {
                let [vector, index] = operands.as_slice() else { return self.zero(ty) };
                self.extract(vector, index[0], ty)
            }
            Signature::Cast => self.cast(first, ty, &operands[0]),
            Signature::Bitcast => self.bitcast(first, ty, &operands[0]),
            Signature::Unary(_) | Signature::Binary(_) | Signature::Ternary(_) | Signature::Compare(_) => {
                self.lanes(op, first, &operands, result)
            }
            Signature::Test(_) | Signature::Count(_) | Signature::Distance(_) | Signature::Shift(_) => {
                self.lanes(op, first, &operands, result)
            }
        }
    }

    fn lanes(&mut self, op: Op, ty: Type, operands: &[std::rc::Rc<[Expr]>], result: Value) -> Vec<Expr> {
        let Some(lane) = ty.lane() else { return Vec::new() };
        let observed = self.observed[result];
        let zero = self.code.word(0);
        let at = |operand: usize, i: usize| operands.get(operand).and_then(|o| o.get(i)).copied().unwrap_or(zero);
        (0..ty.lanes()).map(|i| self.lane(op, lane, [at(0, i), at(1, i), at(2, i)], observed)).collect()
    }

    /// One lane of an op that works lane by lane.
    fn lane(&mut self, op: Op, ty: Scalar, [a, b, c]: [Expr; 3], observed: bool) -> Expr {
        let kind = ty.kind();
        let float = kind == Kind::Float;
        let signed = kind == Kind::Signed;
        match op {
            Op::Add if float => self.sum(a, b, observed),
            Op::Sub if float => self.difference(a, b, observed),
            Op::Mul if float => self.product(a, b, observed),
            Op::Div if float => self.quotient(a, b, observed),
            Op::Rem if float => {
                let words = vec![self.code.word_of(a), self.code.word_of(b)];
                self.software(self.soft.remainder, words)
            }
            Op::Add => self.code.binary(Bin::Add, a, b),
            Op::Sub => self.code.binary(Bin::Subtract, a, b),
            Op::Mul => self.code.binary(Bin::Multiply, a, b),
            Op::Div => self.code.divide(signed, a, b).0,
            Op::Rem => self.code.divide(signed, a, b).1,
            Op::Neg if float => self.on_bits(a, |code, a| {
                let sign = code.word(SIGN);
                code.xor(a, sign)
            }),
            Op::Neg => {
                let zero = self.code.word(0);
                self.code.binary(Bin::Subtract, zero, a)
            }
            Op::Abs if float => self.on_bits(a, |code, a| code.and_k(a, MAGNITUDE)),
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
            Op::Min | Op::Max if float => {
                let (a, b) = (self.code.word_of(a), self.code.word_of(b));
                let value = float::extreme(&mut self.code, a, b, op == Op::Min);
                self.code.float_of(value)
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
            Op::Xor if kind == Kind::Bool => self.compare(Bin::NotEqual, kind, a, b),
            Op::Xor => self.code.binary(Bin::ExclusiveOr, a, b),
            Op::Not if kind == Kind::Bool => Code::not(&mut self.code, a),
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
            Op::RotateRight => {
                let zero = self.code.word(0);
                let count = self.code.binary(Bin::Subtract, zero, b);
                self.code.rotate_left(a, count)
            }
            Op::CountOnes => self.code.math(MathFunction::CountOneBits, a),
            Op::LeadingZeros => self.code.clz(a),
            Op::TrailingZeros => self.code.math(MathFunction::CountTrailingZeros, a),
            Op::ReverseBits => self.code.math(MathFunction::ReverseBits, a),
            Op::SwapBytes => self.code.swap_bytes(a),
            Op::Eq => self.compare(Bin::Equal, kind, a, b),
            Op::Ne => self.compare(Bin::NotEqual, kind, a, b),
            Op::Lt => self.compare(Bin::Less, kind, a, b),
            Op::Le => self.compare(Bin::LessEqual, kind, a, b),
            Op::Gt => self.compare(Bin::Greater, kind, a, b),
            Op::Ge => self.compare(Bin::GreaterEqual, kind, a, b),
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
            // Not lane by lane; `op` has dealt with them.
            Op::Select | Op::Cast | Op::Bitcast | Op::Construct | Op::Extract => a,
        }
    }

    /// Applies a function of bits to an `f32`.
    fn on_bits(&mut self, a: Expr, f: impl FnOnce(&mut Code, Expr) -> Expr) -> Expr {
        let a = self.code.word_of(a);
        let value = f(&mut self.code, a);
        self.code.float_of(value)
    }

    fn compare(&mut self, bin: Bin, kind: Kind, a: Expr, b: Expr) -> Expr {
        let code = &mut self.code;
        match kind {
            Kind::Bool => {
                let (a, b) = (code.truth_word(a), code.truth_word(b));
                code.binary(bin, a, b)
            }
            Kind::Unsigned => code.binary(bin, a, b),
            Kind::Signed if matches!(bin, Bin::Equal | Bin::NotEqual) => code.binary(bin, a, b),
            Kind::Signed => {
                let (a, b) = (code.signed_of(a), code.signed_of(b));
                code.raw(bin, a, b)
            }
            // Against a normal number it does not matter whether a subnormal counts as zero.
            Kind::Float if code.is_normal(a) || code.is_normal(b) => {
                // naga's `!=` is false for a NaN. A compiler may turn the negation of an order
                // into the opposite order, which differs for a NaN, so it must not see one.
                let equality = if bin == Bin::NotEqual { Bin::Equal } else { bin };
                let flag = code.raw(equality, a, b);
                let word = code.truth_word(flag);
                let word = code.binary(Bin::ExclusiveOr, word, self.ids.zeros[0]);
                if bin == Bin::NotEqual { code.eq_k(word, 0) } else { code.truth(word) }
            }
            Kind::Float => {
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

    /// The same number, of which compilers know neither the value nor where it comes from.
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

    /// A lane of a vector; zero if there is none.
    fn extract(&mut self, vector: &[Expr], index: Expr, ty: Type) -> Vec<Expr> {
        let each = registers(ty).1.max(1);
        let mut found = self.zero(ty);
        for (lane, registers) in vector.chunks(each).enumerate() {
            let lane = self.code.word(lane as u32);
            let here = self.code.binary(Bin::Equal, index, lane);
            for (found, &register) in found.iter_mut().zip(registers) {
                *found = self.code.select(here, register, *found);
            }
        }
        found
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
            CastRule::IntToFloat => {
                let number = if source.is_signed() { self.code.signed_of(first) } else { first };
                vec![self.code.push(Expression::As { expr: number, kind: ScalarKind::Float, convert: Some(4) })]
            }
            CastRule::FloatToInt => {
                let bits = self.code.word_of(first);
                vec![float::to_int(&mut self.code, bits, target.is_signed())]
            }
        }
    }

    /// Between integers, or from `bool`: extended by the source's sign, then cut.
    fn resize(&mut self, source: Scalar, target: Scalar, value: &[Expr]) -> Vec<Expr> {
        let zero = self.code.word(0);
        let mut low = value.first().copied().unwrap_or(zero);
        if source == Scalar::Bool {
            low = self.code.truth_word(low);
        }
        if source.is_signed() && source.bits() < 32 {
            let unused = self.code.word(32 - source.bits());
            let high = self.code.binary(Bin::ShiftLeft, low, unused);
            low = self.code.shift_right(true, high, unused);
        }
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

    /// Whether a word is below another one, as signed numbers or not.
    fn less(&mut self, signed: bool, a: Expr, b: Expr) -> Expr {
        if signed {
            let (a, b) = (self.signed_of(a), self.signed_of(b));
            self.raw(Bin::Less, a, b)
        } else {
            self.binary(Bin::Less, a, b)
        }
    }

    /// A right shift by a count below 32.
    fn shift_right(&mut self, signed: bool, a: Expr, count: Expr) -> Expr {
        if signed {
            let a = self.signed_of(a);
            let shifted = self.raw(Bin::ShiftRight, a, count);
            self.word_of(shifted)
        } else {
            self.binary(Bin::ShiftRight, a, count)
        }
    }

    /// Quotient and remainder; both are zero for a zero divisor, and `MIN / -1` is `MIN`.
    /// The divisions that are not defined are done by 1 instead.
    fn divide(&mut self, signed: bool, a: Expr, b: Expr) -> (Expr, Expr) {
        let (zero, one) = (self.word(0), self.word(1));
        let by_zero = self.binary(Bin::Equal, b, zero);
        let mut undefined = by_zero;
        if signed {
            let (least, minus) = (self.word(SIGN), self.word(u32::MAX));
            let (x, y) = (self.binary(Bin::Equal, a, least), self.binary(Bin::Equal, b, minus));
            let overflow = self.binary(Bin::And, x, y);
            undefined = self.binary(Bin::InclusiveOr, by_zero, overflow);
        }
        let divisor = self.select(undefined, one, b);
        let quotient = if signed {
            let (x, y) = (self.signed_of(a), self.signed_of(divisor));
            let quotient = self.raw(Bin::Divide, x, y);
            self.word_of(quotient)
        } else {
            self.binary(Bin::Divide, a, divisor)
        };
        let taken = self.binary(Bin::Multiply, divisor, quotient);
        let rest = self.binary(Bin::Subtract, a, taken);
        (self.select(by_zero, zero, quotient), rest)
    }

    /// A rotation by a count modulo 32.
    fn rotate_left(&mut self, a: Expr, count: Expr) -> Expr {
        let left = self.and_k(count, 31);
        let zero = self.word(0);
        let right = self.binary(Bin::Subtract, zero, count);
        let right = self.and_k(right, 31);
        let (high, low) = (self.binary(Bin::ShiftLeft, a, left), self.binary(Bin::ShiftRight, a, right));
        self.binary(Bin::InclusiveOr, high, low)
    }

    fn swap_bytes(&mut self, a: Expr) -> Expr {
        let (outer, inner) = (0x00ff_00ff, 0xff00_ff00);
        let (x, y) = (self.and_k(a, outer), self.and_k(a, inner));
        let eight = self.word(8);
        let x = self.rotate_right_by(x, eight);
        let y = self.rotate_left(y, eight);
        self.binary(Bin::InclusiveOr, x, y)
    }

    fn rotate_right_by(&mut self, a: Expr, count: Expr) -> Expr {
        let zero = self.word(0);
        let count = self.binary(Bin::Subtract, zero, count);
        self.rotate_left(a, count)
    }
}
