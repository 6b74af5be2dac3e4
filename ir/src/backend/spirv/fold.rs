//! Integer instructions, which are not written if their result is known or is an operand.

use super::code::Code;
use super::module::{Id, Reg};
use spirv::Op;

impl Code {
    /// A binary instruction on integers or conditions. A comparison gives a condition, anything
    /// else the type of the first operand.
    pub fn binary(&mut self, op: Op, a: Id, b: Id) -> Id {
        let reg = self.reg(a);
        let result = if compares(op) { Reg::Bool } else { reg };
        if let (Some(x), Some(y)) = (self.known(a), self.known(b))
            && let Some(bits) = folded(op, reg, x, y)
        {
            return self.constant(result, bits);
        }
        if let Some(same) = self.simplified(op, a, b) {
            return same;
        }
        // NVIDIA's driver was seen to take a difference from this number for a sum.
        if op == Op::ISub && self.known(a) == Some(1 << 31) && reg == Reg::U32 {
            let opposite = self.value(Op::SNegate, reg, &[b]);
            return self.value(Op::BitwiseXor, reg, &[opposite, a]);
        }
        self.value(op, result, &[a, b])
    }

    /// The operand that an instruction gives unchanged, or the constant that it always gives.
    fn simplified(&mut self, op: Op, a: Id, b: Id) -> Option<Id> {
        let zero = |id| self.known(id) == Some(0);
        let one = |id| self.known(id) == Some(1);
        let ones = |id| self.known(id) == Some(self.reg(id).mask());
        match op {
            Op::IAdd | Op::BitwiseOr | Op::BitwiseXor if zero(a) => Some(b),
            Op::IAdd | Op::ISub | Op::BitwiseOr | Op::BitwiseXor if zero(b) => Some(a),
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic if zero(b) => Some(a),
            Op::IMul if one(a) => Some(b),
            Op::IMul | Op::UDiv | Op::SDiv if one(b) => Some(a),
            Op::BitwiseAnd if ones(a) => Some(b),
            Op::BitwiseAnd if ones(b) => Some(a),
            Op::IMul | Op::BitwiseAnd if zero(a) => Some(a),
            Op::IMul | Op::BitwiseAnd if zero(b) => Some(b),
            Op::LogicalAnd if zero(a) || one(b) => Some(a),
            Op::LogicalAnd if zero(b) || one(a) => Some(b),
            Op::LogicalOr if zero(a) || one(b) => Some(b),
            Op::LogicalOr if zero(b) || one(a) => Some(a),
            _ => None,
        }
    }

    /// The complement of an integer.
    pub fn complement(&mut self, a: Id) -> Id {
        let reg = self.reg(a);
        match self.known(a) {
            Some(bits) => self.constant(reg, !bits & reg.mask()),
            None => self.value(Op::Not, reg, &[a]),
        }
    }

    /// The opposite of a condition.
    pub fn not(&mut self, a: Id) -> Id {
        match self.known_flag(a) {
            Some(value) => self.flag(!value),
            None => self.value(Op::LogicalNot, Reg::Bool, &[a]),
        }
    }
}

/// Whether an instruction compares integers or conditions.
const fn compares(op: Op) -> bool {
    matches!(
        op,
        Op::IEqual
            | Op::INotEqual
            | Op::ULessThan
            | Op::ULessThanEqual
            | Op::UGreaterThan
            | Op::UGreaterThanEqual
            | Op::SLessThan
            | Op::SLessThanEqual
            | Op::SGreaterThan
            | Op::SGreaterThanEqual
    )
}

/// What an instruction gives for known integers or conditions.
fn folded(op: Op, reg: Reg, a: u64, b: u64) -> Option<u64> {
    let bits = reg.bits();
    let signed = |value: u64| ((value << (64 - bits)) as i64) >> (64 - bits);
    Some(match op {
        Op::LogicalAnd => return Some(a & b),
        Op::LogicalOr => return Some(a | b),
        Op::LogicalEqual => return Some(u64::from(a == b)),
        Op::LogicalNotEqual => return Some(a ^ b),
        _ if bits == 0 || reg.is_float() => return None,
        Op::IEqual => u64::from(a == b),
        Op::INotEqual => u64::from(a != b),
        Op::ULessThan => u64::from(a < b),
        Op::ULessThanEqual => u64::from(a <= b),
        Op::UGreaterThan => u64::from(a > b),
        Op::UGreaterThanEqual => u64::from(a >= b),
        Op::SLessThan => u64::from(signed(a) < signed(b)),
        Op::SLessThanEqual => u64::from(signed(a) <= signed(b)),
        Op::SGreaterThan => u64::from(signed(a) > signed(b)),
        Op::SGreaterThanEqual => u64::from(signed(a) >= signed(b)),
        Op::IAdd => a.wrapping_add(b) & reg.mask(),
        Op::ISub => a.wrapping_sub(b) & reg.mask(),
        Op::IMul => a.wrapping_mul(b) & reg.mask(),
        Op::BitwiseAnd => a & b,
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::ShiftLeftLogical if b < u64::from(bits) => a << b & reg.mask(),
        Op::ShiftRightLogical if b < u64::from(bits) => a >> b,
        Op::ShiftRightArithmetic if b < u64::from(bits) => (signed(a) >> b) as u64 & reg.mask(),
        Op::UDiv => a.checked_div(b)?,
        Op::UMod => a.checked_rem(b)?,
        _ => return None,
    })
}
