//! Expansions of ops on packed words into shifts, masks and conversions.

use super::Expander;
use crate::ir::Value;
use crate::ops::Op;
use crate::scalar;
use crate::types::{Scalar, Type};

impl Expander {
    /// Words side by side in one, the first lowest; none has bits beyond its part.
    fn joined(&mut self, parts: &[Value], bits: u32) -> Value {
        let mut word = parts[0];
        for (i, &part) in parts.iter().enumerate().skip(1) {
            let part = self.shift_k(Op::Shl, part, i as u32 * bits);
            word = self.op(Op::Or, &[word, part]);
        }
        word
    }

    /// A part of a word as a number of 32 bits, extended as the type is.
    fn part(&mut self, word: Value, index: u32, bits: u32, ty: Type) -> Value {
        let signed = ty == Type::I32;
        let word = if signed { self.cast(word, Scalar::I32) } else { word };
        let left = self.shift_k(Op::Shl, word, 32 - (index + 1) * bits);
        self.shift_k(Op::Shr, left, 32 - bits)
    }

    pub(super) fn narrow_to_zero(&mut self, a: Value) -> Value {
        let nearest = self.cast(a, Scalar::F16);
        let back = self.cast(nearest, Scalar::F32);
        let (now, was) = (self.op(Op::Abs, &[back]), self.op(Op::Abs, &[a]));
        let beyond = self.op(Op::Gt, &[now, was]);
        let bits = self.bitcast(nearest, Scalar::U16);
        let less = self.op_k(Op::Sub, bits, 1);
        let bits = self.select(beyond, less, bits);
        self.bitcast(bits, Scalar::F16)
    }

    pub(super) fn bfloat_bits(&mut self, a: Value) -> Value {
        let bits = self.bitcast(a, Scalar::U32);
        let high = self.shift_k(Op::Shr, bits, 16);
        let odd = self.op_k(Op::And, high, 1);
        let sum = self.op_k(Op::Add, bits, 0x7fff);
        let sum = self.op(Op::Add, &[sum, odd]);
        let rounded = self.shift_k(Op::Shr, sum, 16);
        let is_nan = self.op(Op::IsNan, &[a]);
        let nan = self.u32(scalar::NAN_F32 >> 16);
        let bits = self.select(is_nan, nan, rounded);
        self.cast(bits, Scalar::U16)
    }

    pub(super) fn of_bfloat(&mut self, a: Value) -> Value {
        let word = self.cast(a, Scalar::U32);
        let word = self.shift_k(Op::Shl, word, 16);
        let value = self.bitcast(word, Scalar::F32);
        let is_nan = self.op(Op::IsNan, &[value]);
        let nan = self.constant(Scalar::F32, scalar::NAN_F32.into());
        self.select(is_nan, nan, value)
    }

    pub(super) fn pack_half(&mut self, a: Value, to_zero: bool) -> Value {
        let parts = [0, 1].map(|lane| {
            let value = self.lane(a, lane);
            let half = if to_zero { self.op(Op::NarrowToZero, &[value]) } else { self.cast(value, Scalar::F16) };
            let bits = self.bitcast(half, Scalar::U16);
            self.cast(bits, Scalar::U32)
        });
        self.joined(&parts, 16)
    }

    pub(super) fn unpack_half(&mut self, a: Value) -> Value {
        let lanes = [0, 1].map(|index| {
            let part = self.part(a, index, 16, Type::U32);
            let bits = self.cast(part, Scalar::U16);
            let half = self.bitcast(bits, Scalar::F16);
            self.cast(half, Scalar::F32)
        });
        self.op(Op::Construct, &lanes)
    }

    /// Numbers clamped to an interval up to 1.0 and scaled. A NaN passes the clamp, and
    /// becomes 0 as an integer.
    pub(super) fn pack_normalized(&mut self, a: Value, least: f64, scale: f64, bits: u32) -> Value {
        let parts: Vec<Value> = (0..u64::from(32 / bits))
            .map(|lane| {
                let value = self.lane(a, lane);
                let [low, high, scale] = [least, 1.0, scale].map(|number| self.float_like(value, number));
                let value = self.clamp(value, low, high);
                let value = self.op(Op::Mul, &[value, scale]);
                let value = self.op(Op::RoundEven, &[value]);
                let whole = self.cast(value, Scalar::I32);
                let whole = self.cast(whole, Scalar::U32);
                self.op_k(Op::And, whole, (1 << bits) - 1)
            })
            .collect();
        self.joined(&parts, bits)
    }

    pub(super) fn unpack_normalized(&mut self, a: Value, ty: Type, scale: f64, bits: u32) -> Value {
        let lanes: Vec<Value> = (0..32 / bits)
            .map(|index| {
                let part = self.part(a, index, bits, ty);
                let value = self.cast(part, Scalar::F32);
                let (scale, least) = (self.float_like(value, scale), self.float_like(value, -1.0));
                let value = self.op(Op::Div, &[value, scale]);
                if ty == Type::I32 { self.op(Op::Max, &[value, least]) } else { value }
            })
            .collect();
        self.op(Op::Construct, &lanes)
    }

    /// The sum of the products of two words' parts, in a type that all of them fit.
    fn products(&mut self, words: [Value; 2], bits: u32, types: [Type; 2], sum: Scalar) -> Value {
        let products: Vec<Value> = (0..32 / bits)
            .map(|index| {
                let [x, y] = [0, 1].map(|i| {
                    let part = self.part(words[i], index, bits, types[i]);
                    self.cast(part, sum)
                });
                self.op(Op::Mul, &[x, y])
            })
            .collect();
        products[1..].iter().fold(products[0], |sum, &product| self.op(Op::Add, &[sum, product]))
    }

    pub(super) fn dot(&mut self, [a, b, c]: [Value; 3], bits: u32, first: Type, second: Type) -> Value {
        let sum = self.scalar(c);
        let products = self.products([a, b], bits, [first, second], sum);
        self.op(Op::Add, &[c, products])
    }

    /// The exact sum, then the nearest number of 32 bits.
    pub(super) fn dot_sat(&mut self, [a, b, c]: [Value; 3], bits: u32, first: Type, second: Type) -> Value {
        let ty = self.scalar(c);
        let products = self.products([a, b], bits, [first, second], Scalar::I64);
        let wide = self.cast(c, Scalar::I64);
        let sum = self.op(Op::Add, &[wide, products]);
        let (least, most) = ty.limits();
        let (least, most) = (self.like(sum, least as i64), self.like(sum, most as i64));
        let sum = self.clamp(sum, least, most);
        self.cast(sum, ty)
    }

    pub(super) fn masked_sad(&mut self, a: Value, b: Value, c: Value) -> Value {
        let mut sum = c;
        for index in 0..4 {
            let (x, y) = (self.part(a, index, 8, Type::U32), self.part(b, index, 8, Type::U32));
            let difference = self.op(Op::AbsDiff, &[x, y]);
            let counted = self.op_k(Op::Ne, x, 0);
            let zero = self.u32(0);
            let difference = self.select(counted, difference, zero);
            sum = self.op(Op::Add, &[sum, difference]);
        }
        sum
    }
}
