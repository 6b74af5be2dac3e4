//! Expansions of integer ops into sums, products, quotients and shifts of the same width.

use super::Expander;
use crate::ir::Value;
use crate::ops::Op;
use crate::types::Scalar;

impl Expander {
    /// The greatest value of a value's type.
    fn most(&mut self, like: Value) -> Value {
        let ty = self.scalar(like);
        self.constant(ty, ty.mask() >> u32::from(ty.is_signed()))
    }

    /// All ones if a signed value is negative, else zero.
    fn sign_mask(&mut self, value: Value) -> Value {
        let bits = self.scalar(value).bits();
        self.shift_k(Op::Shr, value, bits - 1)
    }

    pub(super) fn against_zero(&mut self, op: Op, a: Value) -> Value {
        self.op_k(op, a, 0)
    }

    pub(super) fn mod_floor(&mut self, a: Value, b: Value) -> Value {
        let rest = self.op(Op::Rem, &[a, b]);
        if !self.scalar(a).is_signed() {
            return rest;
        }
        let any = self.against_zero(Op::Ne, rest);
        let signs = self.op(Op::Xor, &[rest, b]);
        let differ = self.against_zero(Op::Lt, signs);
        let other = self.op(Op::And, &[any, differ]);
        let moved = self.op(Op::Add, &[rest, b]);
        self.select(other, moved, rest)
    }

    pub(super) fn mul_high(&mut self, a: Value, b: Value) -> Value {
        let ty = self.scalar(a);
        let double = match (ty.bits(), ty.is_signed()) {
            (8 | 16, true) => Scalar::I32,
            (8 | 16, false) => Scalar::U32,
            (32, true) => Scalar::I64,
            (32, false) => Scalar::U64,
            _ => return self.mul_high_64(a, b),
        };
        let (x, y) = (self.cast(a, double), self.cast(b, double));
        let product = self.op(Op::Mul, &[x, y]);
        let high = self.shift_k(Op::Shr, product, ty.bits());
        self.cast(high, ty)
    }

    /// Four products of halves; a negative operand then takes the other one off.
    fn mul_high_64(&mut self, a: Value, b: Value) -> Value {
        let ty = self.scalar(a);
        let (x, y) = (self.cast(a, Scalar::U64), self.cast(b, Scalar::U64));
        let low = |e: &mut Self, value| e.op_k(Op::And, value, 0xffff_ffff);
        let high = |e: &mut Self, value| e.shift_k(Op::Shr, value, 32);
        let [xl, yl] = [x, y].map(|value| low(self, value));
        let [xh, yh] = [x, y].map(|value| high(self, value));
        let [ll, lh, hl, hh] = [(xl, yl), (xl, yh), (xh, yl), (xh, yh)].map(|(x, y)| self.op(Op::Mul, &[x, y]));
        let carry = high(self, ll);
        let middle = self.op(Op::Add, &[hl, carry]);
        let (middle_low, middle_high) = (low(self, middle), high(self, middle));
        let middle = self.op(Op::Add, &[lh, middle_low]);
        let middle = high(self, middle);
        let sum = self.op(Op::Add, &[hh, middle_high]);
        let sum = self.op(Op::Add, &[sum, middle]);
        let mut result = self.cast(sum, ty);
        if ty.is_signed() {
            for (sign, other) in [(a, b), (b, a)] {
                let mask = self.sign_mask(sign);
                let excess = self.op(Op::And, &[mask, other]);
                result = self.op(Op::Sub, &[result, excess]);
            }
        }
        result
    }

    /// Whether `a + b` or `a - b` wraps.
    pub(super) fn overflows(&mut self, op: Op, a: Value, b: Value) -> Value {
        let value = self.op(op, &[a, b]);
        match (self.scalar(a).is_signed(), op) {
            (false, Op::Add) => self.op(Op::Lt, &[value, a]),
            (false, _) => self.op(Op::Lt, &[a, b]),
            (true, _) => {
                // The sum's sign differs from both operands'; for a difference `b` counts negated.
                let first = self.op(Op::Xor, &[a, value]);
                let second =
                    self.op(Op::Xor, &[if op == Op::Add { b } else { a }, if op == Op::Add { value } else { b }]);
                let both = self.op(Op::And, &[first, second]);
                self.against_zero(Op::Lt, both)
            }
        }
    }

    /// The bound that a wrapped sum or difference passed, by the sign of the first operand.
    pub(super) fn saturating(&mut self, op: Op, a: Value, b: Value) -> Value {
        let value = self.op(op, &[a, b]);
        let wraps = self.overflows(op, a, b);
        let most = self.most(a);
        let bound = match (self.scalar(a).is_signed(), op) {
            (true, _) => {
                let sign = self.sign_mask(a);
                self.op(Op::Xor, &[sign, most])
            }
            (false, Op::Add) => most,
            (false, _) => self.like(a, 0),
        };
        self.select(wraps, bound, value)
    }

    pub(super) fn mul_overflows(&mut self, a: Value, b: Value) -> Value {
        let high = self.op(Op::MulHigh, &[a, b]);
        if !self.scalar(a).is_signed() {
            return self.against_zero(Op::Ne, high);
        }
        let low = self.op(Op::Mul, &[a, b]);
        let sign = self.sign_mask(low);
        self.op(Op::Ne, &[high, sign])
    }

    pub(super) fn mul_sat(&mut self, a: Value, b: Value) -> Value {
        let value = self.op(Op::Mul, &[a, b]);
        let wraps = self.mul_overflows(a, b);
        let mut bound = self.most(a);
        if self.scalar(a).is_signed() {
            let signs = self.op(Op::Xor, &[a, b]);
            let sign = self.sign_mask(signs);
            bound = self.op(Op::Xor, &[sign, bound]);
        }
        self.select(wraps, bound, value)
    }

    /// `(a & b) + ((a ^ b) >> 1)`, or `(a | b) - ((a ^ b) >> 1)`.
    pub(super) fn average(&mut self, common: Op, apart: Op, a: Value, b: Value) -> Value {
        let common = self.op(common, &[a, b]);
        let differ = self.op(Op::Xor, &[a, b]);
        let half = self.shift_k(Op::Shr, differ, 1);
        self.op(apart, &[common, half])
    }

    pub(super) fn midpoint(&mut self, a: Value, b: Value) -> Value {
        let floor = self.average(Op::And, Op::Add, a, b);
        if !self.scalar(a).is_signed() {
            return floor;
        }
        // An odd negative sum was rounded away from zero.
        let differ = self.op(Op::Xor, &[a, b]);
        let sign = self.sign_mask(floor);
        let odd = self.op(Op::And, &[differ, sign]);
        let odd = self.op_k(Op::And, odd, 1);
        self.op(Op::Add, &[floor, odd])
    }

    pub(super) fn clamp(&mut self, x: Value, low: Value, high: Value) -> Value {
        let below = self.op(Op::Lt, &[x, low]);
        let raised = self.select(below, low, x);
        let above = self.op(Op::Gt, &[raised, high]);
        self.select(above, high, raised)
    }

    pub(super) fn div_euclid(&mut self, a: Value, b: Value) -> Value {
        let quotient = self.op(Op::Div, &[a, b]);
        let ty = self.scalar(a);
        if ty.is_int() && !ty.is_signed() {
            return quotient;
        }
        let float = ty.is_float();
        let quotient = if float { self.op(Op::Trunc, &[quotient]) } else { quotient };
        let (zero, one) =
            if float { (self.float_like(a, 0.0), self.float_like(a, 1.0)) } else { (self.like(a, 0), self.like(a, 1)) };
        let rest = self.op(Op::Rem, &[a, b]);
        let below = self.op(Op::Lt, &[rest, zero]);
        let positive = self.op(Op::Gt, &[b, zero]);
        let (less, more) = (self.op(Op::Sub, &[quotient, one]), self.op(Op::Add, &[quotient, one]));
        let moved = self.select(positive, less, more);
        self.select(below, moved, quotient)
    }

    pub(super) fn rem_euclid(&mut self, a: Value, b: Value) -> Value {
        let rest = self.op(Op::Rem, &[a, b]);
        let ty = self.scalar(a);
        if ty.is_int() && !ty.is_signed() {
            return rest;
        }
        let zero = if ty.is_float() { self.float_like(a, 0.0) } else { self.like(a, 0) };
        let below = self.op(Op::Lt, &[rest, zero]);
        let magnitude = self.op(Op::Abs, &[b]);
        let moved = self.op(Op::Add, &[rest, magnitude]);
        self.select(below, moved, rest)
    }

    /// Square and multiply, by the exponent's bits from the lowest.
    pub(super) fn pow(&mut self, a: Value, exponent: Value) -> Value {
        let one = self.like(a, 1);
        self.repeat(&[one, a, exponent], |e, state| {
            let &[power, base, exponent] = state else { return (state[0], state.to_vec()) };
            let more = e.against_zero(Op::Ne, exponent);
            let odd = e.op_k(Op::And, exponent, 1);
            let odd = e.against_zero(Op::Ne, odd);
            let product = e.op(Op::Mul, &[power, base]);
            let power = e.select(odd, product, power);
            let base = e.op(Op::Mul, &[base, base]);
            let exponent = e.shift_k(Op::Shr, exponent, 1);
            (more, vec![power, base, exponent])
        })
    }

    /// One bit of the root a round, from the highest.
    pub(super) fn isqrt(&mut self, a: Value) -> Value {
        let bits = self.scalar(a).bits();
        let (zero, top) = (self.like(a, 0), self.like(a, 1 << (bits - 2)));
        self.repeat(&[zero, a, top], |e, state| {
            let &[root, rest, bit] = state else { return (state[0], state.to_vec()) };
            let more = e.against_zero(Op::Ne, bit);
            let next = e.op(Op::Add, &[root, bit]);
            let fits = e.op(Op::Ge, &[rest, next]);
            let less = e.op(Op::Sub, &[rest, next]);
            let rest = e.select(fits, less, rest);
            let halved = e.shift_k(Op::Shr, root, 1);
            let with = e.op(Op::Add, &[halved, bit]);
            let root = e.select(fits, with, halved);
            let bit = e.shift_k(Op::Shr, bit, 2);
            (more, vec![root, rest, bit])
        })
    }

    pub(super) fn div_ceil(&mut self, a: Value, b: Value) -> Value {
        let (quotient, rest) = (self.op(Op::Div, &[a, b]), self.op(Op::Rem, &[a, b]));
        let any = self.against_zero(Op::Ne, rest);
        let more = self.op_k(Op::Add, quotient, 1);
        self.select(any, more, quotient)
    }

    pub(super) fn next_multiple_of(&mut self, a: Value, b: Value) -> Value {
        let rest = self.op(Op::Rem, &[a, b]);
        let any = self.against_zero(Op::Ne, rest);
        let up = self.op(Op::Sub, &[b, rest]);
        let next = self.op(Op::Add, &[a, up]);
        self.select(any, next, a)
    }

    pub(super) fn is_power_of_two(&mut self, a: Value) -> Value {
        let ones = self.op(Op::CountOnes, &[a]);
        self.op_k(Op::Eq, ones, 1)
    }

    pub(super) fn next_power_of_two(&mut self, a: Value) -> Value {
        let bits = self.scalar(a).bits();
        let before = self.op_k(Op::Sub, a, 1);
        let clear = self.op(Op::LeadingZeros, &[before]);
        let width = self.u32(bits);
        let count = self.op(Op::Sub, &[width, clear]);
        let one = self.like(a, 1);
        let power = self.op(Op::Shl, &[one, count]);
        let none = self.against_zero(Op::Eq, clear);
        let zero = self.like(a, 0);
        let power = self.select(none, zero, power);
        let small = self.op_k(Op::Le, a, 1);
        self.select(small, one, power)
    }

    pub(super) fn unsigned_abs(&mut self, a: Value) -> Value {
        let magnitude = self.op(Op::Abs, &[a]);
        let to = self.scalar(a).unsigned();
        self.bitcast(magnitude, to)
    }

    pub(super) fn ilog2(&mut self, a: Value) -> Value {
        let bits = self.scalar(a).bits();
        let clear = self.op(Op::LeadingZeros, &[a]);
        let last = self.u32(bits - 1);
        self.op(Op::Sub, &[last, clear])
    }
}
