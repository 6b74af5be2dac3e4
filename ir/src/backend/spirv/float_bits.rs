//! Instructions on values of 64 bits that stand for a float or for its bits: each instruction says which
//! of them it takes. Nothing is contracted.

use super::code::Code;
use super::module::{Id, Reg};
use spirv::{GlslStd450Op as Glsl, Op as Spirv};

/// Where the field of the exponent begins.
pub(super) const FIELD: u32 = 52;
/// The fields of a power of two and of its inverse together.
pub(super) const INVERSES: u64 = 2046 << FIELD;
/// The bits of infinity.
pub(super) const INFINITY: u64 = 2047 << FIELD;
/// The bit of the sign.
pub(super) const SIGN: u64 = 1 << 63;

/// Writes instructions.
pub(super) struct Steps<'c> {
    pub code: &'c mut Code,
}

impl Steps<'_> {
    /// The field of a number's exponent, rounded down to a multiple of 4.
    pub fn group(&mut self, x: Id) -> Id {
        self.masked(x, 0x7fc << FIELD)
    }

    /// A number times a power of two, and the field of that power's inverse. The product is from 1 to below
    /// 16, unless the number was subnormal or zero.
    pub fn scaled(&mut self, x: Id) -> (Id, Id) {
        let group = self.group(x);
        let scale = self.inverse(group);
        (self.mul(x, scale), group)
    }

    pub fn is_nan(&mut self, x: Id) -> Id {
        let magnitude = self.masked(x, !SIGN);
        let infinity = self.bits(INFINITY);
        self.int(Spirv::UGreaterThan, magnitude, infinity)
    }

    // Floats.

    pub fn add(&mut self, a: Id, b: Id) -> Id {
        self.float(Spirv::FAdd, a, b)
    }

    pub fn sub(&mut self, a: Id, b: Id) -> Id {
        self.float(Spirv::FSub, a, b)
    }

    pub fn mul(&mut self, a: Id, b: Id) -> Id {
        self.float(Spirv::FMul, a, b)
    }

    pub fn mul_twice(&mut self, a: Id, b: Id) -> Id {
        let b = self.code.bitcast(Reg::F64, b);
        let once = self.mul(a, b);
        self.mul(once, b)
    }

    pub fn float(&mut self, op: Spirv, a: Id, b: Id) -> Id {
        let [a, b] = [a, b].map(|operand| self.code.bitcast(Reg::F64, operand));
        let value = self.code.value(op, Reg::F64, &[a, b]);
        self.code.exact(value)
    }

    // Bits.

    pub fn bits(&mut self, bits: u64) -> Id {
        self.code.constant(Reg::U64, bits)
    }

    /// The inverse of a power of two.
    pub fn inverse(&mut self, power: Id) -> Id {
        let both = self.bits(INVERSES);
        self.int(Spirv::ISub, both, power)
    }

    pub fn masked(&mut self, a: Id, mask: u64) -> Id {
        let mask = self.bits(mask);
        self.int(Spirv::BitwiseAnd, a, mask)
    }

    pub fn plus(&mut self, a: Id, b: u64) -> Id {
        let b = self.bits(b);
        self.int(Spirv::IAdd, a, b)
    }

    pub fn shift(&mut self, op: Spirv, a: Id, count: u32) -> Id {
        let (a, count) = (self.code.bitcast(Reg::U64, a), self.code.word(count));
        self.code.binary(op, a, count)
    }

    /// On integers or conditions.
    pub fn int(&mut self, op: Spirv, a: Id, b: Id) -> Id {
        let as_integer = |code: &mut Code, operand| match code.reg(operand) {
            Reg::Bool => operand,
            _ => code.bitcast(Reg::U64, operand),
        };
        let [a, b] = [a, b].map(|operand| as_integer(self.code, operand));
        self.code.binary(op, a, b)
    }

    /// The lesser or the greater one.
    pub fn chosen(&mut self, op: Glsl, a: Id, b: Id) -> Id {
        let [a, b] = [a, b].map(|operand| self.code.bitcast(Reg::U64, operand));
        self.code.glsl(op, Reg::U64, &[a, b])
    }

    pub fn select(&mut self, condition: Id, accept: Id, reject: Id) -> Id {
        let [accept, reject] = [accept, reject].map(|operand| self.code.bitcast(Reg::F64, operand));
        self.code.select(condition, accept, reject)
    }
}
