//! Expansions of float ops into basic ones and operations on bits.

use super::Expander;
use crate::ir::Value;
use crate::ops::Op;
use crate::scalar;
use crate::types::Scalar;

impl Expander {
    /// The bits of a float as an unsigned integer.
    fn bits_of(&mut self, a: Value) -> Value {
        let to = self.scalar(a).unsigned();
        self.bitcast(a, to)
    }

    fn nan(&mut self, like: Value) -> Value {
        let ty = self.scalar(like);
        self.constant(ty, scalar::nan(ty).unwrap_or_default())
    }

    pub(super) fn signum(&mut self, a: Value) -> Value {
        let one = self.float_like(a, 1.0);
        let signed = self.op(Op::CopySign, &[one, a]);
        let (is_nan, nan) = (self.op(Op::IsNan, &[a]), self.nan(a));
        self.select(is_nan, nan, signed)
    }

    pub(super) fn is_normal(&mut self, a: Value) -> Value {
        let fraction = self.scalar(a).fraction_bits();
        let bits = self.bits_of(a);
        let double = self.shift_k(Op::Shl, bits, 1);
        // The exponent alone, less one: the greatest two are those of zero and infinity.
        let field = self.shift_k(Op::Shr, double, fraction + 1);
        let less = self.op_k(Op::Sub, field, 1);
        let most = (1 << (self.scalar(a).bits() - 1 - fraction)) - 2;
        self.op_k(Op::Lt, less, most)
    }

    pub(super) fn is_subnormal(&mut self, a: Value) -> Value {
        let fraction = self.scalar(a).fraction_bits();
        let bits = self.bits_of(a);
        let double = self.shift_k(Op::Shl, bits, 1);
        let less = self.op_k(Op::Sub, double, 1);
        self.op_k(Op::Lt, less, (1 << (fraction + 1)) - 1)
    }

    pub(super) fn sign_bit(&mut self, op: Op, a: Value) -> Value {
        let bits = self.bits_of(a);
        let last = self.scalar(bits).bits() - 1;
        let sign = self.shift_k(Op::Shr, bits, last);
        self.op_k(op, sign, 0)
    }

    pub(super) fn recip(&mut self, a: Value) -> Value {
        let one = self.float_like(a, 1.0);
        self.op(Op::Div, &[one, a])
    }

    pub(super) fn fract(&mut self, a: Value) -> Value {
        let whole = self.op(Op::Trunc, &[a]);
        self.op(Op::Sub, &[a, whole])
    }

    pub(super) fn saturate(&mut self, a: Value) -> Value {
        let (zero, one) = (self.float_like(a, 0.0), self.float_like(a, 1.0));
        let raised = self.op(Op::Max, &[a, zero]);
        self.op(Op::Min, &[raised, one])
    }

    /// The product with a constant of the type.
    pub(super) fn scaled(&mut self, a: Value, single: f32, double: f64) -> Value {
        let factor = match self.scalar(a) {
            Scalar::F32 => self.constant(Scalar::F32, single.to_bits().into()),
            _ => self.constant(Scalar::F64, double.to_bits()),
        };
        self.op(Op::Mul, &[a, factor])
    }

    /// A number that is normal if the operand is not zero, infinite or NaN, and the power
    /// of two that it was multiplied by, as an `i32`.
    fn normalized(&mut self, a: Value) -> (Value, Value) {
        let fraction = self.scalar(a).fraction_bits();
        let power = i64::from(fraction) + 1;
        let factor = self.float_like(a, 2f64.powi(power as i32));
        let raised = self.op(Op::Mul, &[a, factor]);
        let small = self.op(Op::IsSubnormal, &[a]);
        let value = self.select(small, raised, a);
        let (some, none) = (self.constant(Scalar::I32, power as u64), self.constant(Scalar::I32, 0));
        (value, self.select(small, some, none))
    }

    /// Whether a float is a number that has an exponent.
    fn is_scaled(&mut self, a: Value) -> Value {
        let zero = self.float_like(a, 0.0);
        let (finite, other) = (self.op(Op::IsFinite, &[a]), self.op(Op::Ne, &[a, zero]));
        self.op(Op::And, &[finite, other])
    }

    pub(super) fn frexp_fraction(&mut self, a: Value) -> Value {
        let ty = self.scalar(a);
        let (fraction, bias) = (ty.fraction_bits(), ty.bias());
        let (value, _) = self.normalized(a);
        let bits = self.bits_of(value);
        let kept = self.op_k(Op::And, bits, !ty.infinity() as i64);
        let half = self.op_k(Op::Or, kept, (bias - 1) << fraction);
        let half = self.bitcast(half, ty);
        let scaled = self.is_scaled(a);
        // What stays has a NaN made canonical.
        let (is_nan, nan) = (self.op(Op::IsNan, &[a]), self.nan(a));
        let same = self.select(is_nan, nan, a);
        self.select(scaled, half, same)
    }

    pub(super) fn frexp_exponent(&mut self, a: Value) -> Value {
        let (fraction, bias) = (self.scalar(a).fraction_bits(), self.scalar(a).bias());
        let (value, power) = self.normalized(a);
        let bits = self.bits_of(value);
        let double = self.shift_k(Op::Shl, bits, 1);
        let field = self.shift_k(Op::Shr, double, fraction + 1);
        let field = self.cast(field, Scalar::I32);
        let exponent = self.op_k(Op::Sub, field, bias - 1);
        let exponent = self.op(Op::Sub, &[exponent, power]);
        let scaled = self.is_scaled(a);
        let zero = self.constant(Scalar::I32, 0);
        self.select(scaled, exponent, zero)
    }

    /// Two to the power of an `i32` that is within the normal ones.
    fn power_of_two(&mut self, exponent: Value, ty: Scalar) -> Value {
        let (fraction, bias) = (ty.fraction_bits(), ty.bias());
        let field = self.op_k(Op::Add, exponent, bias);
        let field = self.cast(field, ty.unsigned());
        let bits = self.shift_k(Op::Shl, field, fraction);
        self.bitcast(bits, ty)
    }

    /// The fraction times two powers, so that only the last product rounds.
    pub(super) fn ldexp(&mut self, a: Value, power: Value) -> Value {
        let ty = self.scalar(a);
        if ty == Scalar::F16 {
            // As an `f32` the product is exact.
            let wide = self.cast(a, Scalar::F32);
            let (least, most) = (self.like(power, -60), self.like(power, 60));
            let power = self.clamp(power, least, most);
            let factor = self.power_of_two(power, Scalar::F32);
            let product = self.op(Op::Mul, &[wide, factor]);
            return self.cast(product, ty);
        }
        let (fraction_bits, bias) = (ty.fraction_bits(), ty.bias());
        let fraction = self.op(Op::FrexpFraction, &[a]);
        let exponent = self.op(Op::FrexpExponent, &[a]);
        let power = self.op(Op::AddSat, &[exponent, power]);
        // Beyond these the product is zero or infinite.
        let (least, most) = (self.like(power, -bias - i64::from(fraction_bits) - 3), self.like(power, bias + 3));
        let power = self.clamp(power, least, most);
        let first = self.shift_k(Op::Shr, power, 1);
        let second = self.op(Op::Sub, &[power, first]);
        let (first, second) = (self.power_of_two(first, ty), self.power_of_two(second, ty));
        let product = self.op(Op::Mul, &[fraction, first]);
        let product = self.op(Op::Mul, &[product, second]);
        let scaled = self.is_scaled(a);
        self.select(scaled, product, fraction)
    }
}
