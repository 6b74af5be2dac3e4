//! Methods of numbers that are no op of the table, made of ops.
//!
//! Each operand is evaluated once.

use super::Build;
use crate::hir::ExprId;
use samebits_ir::ir::Value;
use samebits_ir::ops::{Beside, NumberMethod, Op};
use samebits_ir::scalar;
use samebits_ir::types::{Scalar, Type};

impl Build<'_> {
    /// The values of a method: an array's elements, or one.
    pub(super) fn number_method(&mut self, method: NumberMethod, args: &[ExprId], id: ExprId) -> Vec<Value> {
        let Some(values) = self.values(args) else { return Vec::new() };
        let Type::Scalar(ty) = self.b.function().ty(values[0]) else { return Vec::new() };
        self.b.at(self.expr(id).loc);
        let (first, second) = (values[0], *values.last().unwrap_or(&values[0]));
        use NumberMethod as M;
        if let Beside::SameOrNone | Beside::U32OrNone = method.gives() {
            let (some, value) = self.checked_method(method, (first, second), ty);
            return vec![some, value];
        }
        if let M::ToLeBytes | M::ToBeBytes | M::ToNeBytes = method {
            let mut bytes = self.bytes(first, ty);
            if method == M::ToBeBytes {
                bytes.reverse();
            }
            return bytes;
        }
        vec![match method {
            M::ToLeBytes | M::ToBeBytes | M::ToNeBytes | M::ToLe => first,
            M::ToBe => self.b.op(Op::SwapBytes, &[first]),
            M::Ilog10 => self.ilog10(first, ty),
            M::Ilog => self.ilog(first, second, ty),
            M::Isqrt => {
                let zero = self.b.constant(ty, 0);
                let natural = self.b.op(Op::Max, &[first, zero]);
                let natural = self.as_type(natural, ty.unsigned());
                let root = self.b.op(Op::Isqrt, &[natural]);
                self.as_type(root, ty)
            }
            M::IsMultipleOf => {
                // The remainder by zero is zero, so that a multiple of it is told by the number itself.
                let zero = self.b.constant(ty, 0);
                let rest = self.b.op(Op::Rem, &[first, second]);
                let by_zero = self.b.op(Op::Eq, &[second, zero]);
                let rest = self.b.op(Op::Select, &[by_zero, first, rest]);
                self.b.op(Op::Eq, &[rest, zero])
            }
            M::CastSigned => self.as_type(first, ty.signed()),
            M::CastUnsigned => self.as_type(first, ty.unsigned()),
            M::UnboundedShl | M::UnboundedShr => {
                let width = self.b.u32(ty.bits());
                let fits = self.b.op(Op::Lt, &[second, width]);
                let op = if method == M::UnboundedShl { Op::Shl } else { Op::Shr };
                let shifted = self.b.op(op, &[first, second]);
                let beyond = if method == M::UnboundedShr && ty.is_signed() {
                    let most = self.b.u32(ty.bits() - 1);
                    self.b.op(Op::Shr, &[first, most])
                } else {
                    self.b.constant(ty, 0)
                };
                self.b.op(Op::Select, &[fits, shifted, beyond])
            }
            M::WrappingAddSigned | M::WrappingAddUnsigned | M::WrappingSubUnsigned => {
                let second = self.as_type(second, ty);
                let op = if method == M::WrappingSubUnsigned { Op::Sub } else { Op::Add };
                self.b.op(op, &[first, second])
            }
            M::SaturatingNeg => {
                let zero = self.b.constant(ty, 0);
                self.b.op(Op::SubSat, &[zero, first])
            }
            M::SaturatingAbs => {
                let zero = self.b.constant(ty, 0);
                let negated = self.b.op(Op::SubSat, &[zero, first]);
                self.b.op(Op::Max, &[first, negated])
            }
            M::NextUp => self.beside(first, ty, false),
            M::NextDown => self.beside(first, ty, true),
            // What gives an `Option`.
            _ => first,
        }]
    }

    /// The number of these bytes, the lowest first.
    pub(super) fn of_bytes(&mut self, bytes: &[Value], ty: Scalar) -> Option<Value> {
        let bits = ty.unsigned();
        let mut all = None;
        for (i, &byte) in (0..).zip(bytes) {
            let wide = self.as_type(byte, bits);
            let count = self.b.u32(8 * i);
            let placed = if i == 0 { wide } else { self.b.op(Op::Shl, &[wide, count]) };
            all = Some(all.map_or(placed, |all| self.b.op(Op::Or, &[all, placed])));
        }
        Some(self.of_bits(all?, ty))
    }

    /// The bytes of a number, the lowest first.
    fn bytes(&mut self, value: Value, ty: Scalar) -> Vec<Value> {
        let bits = self.bits_of(value, ty);
        let byte = |this: &mut Self, i: u32| {
            let count = this.b.u32(8 * i);
            let low = if i == 0 { bits } else { this.b.op(Op::Shr, &[bits, count]) };
            this.as_type(low, Scalar::U8)
        };
        (0..ty.bits() / 8).map(|i| byte(self, i)).collect()
    }

    /// The bits of a number as an unsigned integer.
    fn bits_of(&mut self, value: Value, ty: Scalar) -> Value {
        if ty.is_float() {
            self.b.op_to(Op::Bitcast, &[value], Type::Scalar(ty.unsigned()))
        } else {
            self.as_type(value, ty.unsigned())
        }
    }

    /// The number of these bits.
    fn of_bits(&mut self, bits: Value, ty: Scalar) -> Value {
        if ty.is_float() { self.b.op_to(Op::Bitcast, &[bits], Type::Scalar(ty)) } else { self.as_type(bits, ty) }
    }

    pub(super) fn as_type(&mut self, value: Value, ty: Scalar) -> Value {
        let ty = Type::Scalar(ty);
        if self.b.function().ty(value) == ty { value } else { self.b.op_to(Op::Cast, &[value], ty) }
    }

    /// How many powers of ten, from the first on, are not above a number.
    pub(super) fn ilog10(&mut self, value: Value, ty: Scalar) -> Value {
        let mut count = self.b.u32(0);
        let mut power: u64 = 10;
        while i128::from(power) <= ty.limits().1 {
            let least = self.b.constant(ty, power);
            let reached = self.b.op(Op::Ge, &[value, least]);
            let one = self.as_type(reached, Scalar::U32);
            count = self.b.op(Op::Add, &[count, one]);
            let Some(next) = power.checked_mul(10) else { break };
            power = next;
        }
        self.or_none(value, ty, count)
    }

    /// A count, or the greatest one for a number that is not above zero.
    fn or_none(&mut self, value: Value, ty: Scalar, count: Value) -> Value {
        let (zero, none) = (self.b.constant(ty, 0), self.b.u32(u32::MAX));
        let some = self.b.op(Op::Gt, &[value, zero]);
        self.b.op(Op::Select, &[some, count, none])
    }

    /// How often a number can be divided by a base before it is below it.
    pub(super) fn ilog(&mut self, value: Value, base: Value, ty: Scalar) -> Value {
        let (one, two) = (self.b.constant(ty, 1), self.b.constant(ty, 2));
        let (zero, next, none) = (self.b.u32(0), self.b.u32(1), self.b.u32(u32::MAX));
        let by = self.b.op(Op::Max, &[base, two]);
        let (inst, params) = self.b.begin_loop(None, &[value, zero]);
        let done = self.b.op(Op::Lt, &[params[0], by]);
        let leaving = self.arm(0, |this| {
            this.b.break_(inst, &[params[1]]);
            Vec::new()
        });
        let otherwise = self.empty_region();
        self.b.if_else(done, leaving.0, otherwise, &[]);
        let rest = self.b.op(Op::Div, &[params[0], by]);
        let count = self.b.op(Op::Add, &[params[1], next]);
        self.b.continue_(inst, &[rest, count]);
        let count = self.b.end_loop(inst, &[Type::U32]);
        let count = count.first().copied().unwrap_or(zero);
        let is_base = self.b.op(Op::Gt, &[base, one]);
        let count = self.b.op(Op::Select, &[is_base, count, none]);
        self.or_none(value, ty, count)
    }

    /// The next number up or down.
    fn beside(&mut self, value: Value, ty: Scalar, down: bool) -> Value {
        let unsigned = ty.unsigned();
        let bits = self.bits_of(value, ty);
        let (one, zero) = (self.b.constant(unsigned, 1), self.b.constant(unsigned, 0));
        let sign = self.b.constant(unsigned, 1 << (ty.bits() - 1));
        let end = scalar::cast(Type::Scalar(Scalar::F64), Type::Scalar(ty), [f64::INFINITY.to_bits(), 0, 0, 0]);
        let end = end.map_or(0, |lanes| lanes[0]) | if down { 1 << (ty.bits() - 1) } else { 0 };
        let negative = self.b.op(Op::And, &[bits, sign]);
        let positive = self.b.op(Op::Eq, &[negative, zero]);
        let (more, less) = (self.b.op(Op::Add, &[bits, one]), self.b.op(Op::Sub, &[bits, one]));
        let (up, under) = if down { (less, more) } else { (more, less) };
        let moved = self.b.op(Op::Select, &[positive, up, under]);
        // Both zeros are between the least numbers.
        let magnitude = self.b.op(Op::Xor, &[bits, negative]);
        let is_zero = self.b.op(Op::Eq, &[magnitude, zero]);
        let least = self.b.constant(unsigned, if down { 1 | 1 << (ty.bits() - 1) } else { 1 });
        let moved = self.b.op(Op::Select, &[is_zero, least, moved]);
        let last = self.b.constant(unsigned, end);
        let is_last = self.b.op(Op::Eq, &[bits, last]);
        let is_nan = self.b.op(Op::IsNan, &[value]);
        let stays = self.b.op(Op::Or, &[is_last, is_nan]);
        let moved = self.of_bits(moved, ty);
        self.b.op(Op::Select, &[stays, value, moved])
    }
}
