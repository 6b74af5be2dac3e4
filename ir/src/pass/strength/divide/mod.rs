//! Division by constants (Granlund and Montgomery 1994; Warren, Hacker's Delight, 10).
//!
//! A quotient of an `N`-bit number by `d` is the product with a number a little above
//! `2^p / d`, without its `p` low bits. It is exact if what is above, `e` of `2^p + e` over
//! `d`, is at most `2^p / 2^N` (unsigned), or `2^p / 2^(N-1)` (signed). Integers of 8 and 16
//! bits are multiplied in 32 bits, wider ones by `mul_hi`.
//!
//! Signed quotients by powers of two are shifts after negative numbers were raised, so that
//! they round towards zero.

use super::Strength;
use crate::ir::Value;
use crate::ops::Op;
use crate::scalar::signed;
use crate::types::Scalar;

/// Whether dividing by a constant is replaced.
///
/// Unsigned powers of two are for `algebra`. Of 32 bits, devices divide by constants as
/// well as this could, and without products of 64 bits, which some do not have; of 64 bits,
/// many divide bit by bit.
pub(super) fn is_worth(ty: Scalar, divisor: u64) -> bool {
    let magnitude = magnitude(ty, divisor);
    if magnitude < 2 {
        return false;
    }
    if magnitude.is_power_of_two() { ty.is_signed() } else { ty.bits() != 32 }
}

fn magnitude(ty: Scalar, divisor: u64) -> u64 {
    if ty.is_signed() { signed(ty, divisor).unsigned_abs() } else { divisor }
}

/// The product of a number and this, less its low bits, is the quotient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Magic {
    /// The factor; `2^N` is to be added if `is_longer`.
    factor: u64,
    is_longer: bool,
    /// How many bits of the product go.
    shift: u32,
}

/// The number for divisors that are no powers of two and at least 3.
fn magic(ty: Scalar, divisor: u64) -> Magic {
    let bits = ty.bits();
    // A signed number has a bit less.
    let exact = bits - u32::from(ty.is_signed());
    let (d, most) = (u128::from(divisor), 1u128 << bits);
    let length = u64::BITS - (divisor - 1).leading_zeros();
    for shift in bits..exact + length {
        let power = 1u128 << shift;
        let factor = power / d + 1;
        if factor < most && factor * d - power <= 1 << (shift - exact) {
            return Magic { factor: factor as u64, is_longer: false, shift };
        }
    }
    let shift = exact + length;
    if ty.is_signed() {
        // The same for the last length, which always does.
        return Magic { factor: ((1u128 << shift) / d + 1) as u64, is_longer: false, shift };
    }
    let factor = (((1u128 << length) - d) << bits) / d + 1;
    Magic { factor: factor as u64, is_longer: true, shift }
}

impl Strength<'_> {
    /// The quotient by a constant that is worth it.
    pub(super) fn quotient(&mut self, ty: Scalar, x: Value, divisor: u64) -> Value {
        let wide = self.cast(x, working(ty));
        let quotient = self.wide_quotient(ty, wide, divisor);
        self.cast(quotient, ty)
    }

    /// The remainder by a constant that is worth it.
    pub(super) fn remainder(&mut self, ty: Scalar, x: Value, divisor: u64) -> Value {
        let wide = self.cast(x, working(ty));
        let magnitude = magnitude(ty, divisor);
        let rest = if magnitude.is_power_of_two() {
            // What was added to round towards zero is taken off again.
            let raise = self.raise(wide, magnitude);
            let raised = self.binary(Op::Add, wide, raise);
            let low = self.with(Op::And, raised, magnitude - 1);
            self.binary(Op::Sub, low, raise)
        } else {
            // The sign of the divisor does not matter.
            let quotient = self.wide_quotient(ty, wide, magnitude);
            let taken = self.with(Op::Mul, quotient, magnitude);
            self.binary(Op::Sub, wide, taken)
        };
        self.cast(rest, ty)
    }

    /// The quotient of a number of the type in the type that is worked in.
    fn wide_quotient(&mut self, ty: Scalar, x: Value, divisor: u64) -> Value {
        let magnitude = magnitude(ty, divisor);
        if !ty.is_signed() {
            return self.unsigned(ty, x, magic(ty, magnitude));
        }
        let is_negative = signed(ty, divisor) < 0;
        if magnitude.is_power_of_two() {
            let raise = self.raise(x, magnitude);
            let raised = self.binary(Op::Add, x, raise);
            let quotient = self.shifted(Op::Shr, raised, magnitude.trailing_zeros());
            return if is_negative { self.negated(quotient) } else { quotient };
        }
        let rounded_down = self.rounded_down(ty, x, magic(ty, magnitude));
        let sign = self.sign(x);
        // One more for a negative number: its sign is -1.
        if is_negative { self.binary(Op::Sub, sign, rounded_down) } else { self.binary(Op::Sub, rounded_down, sign) }
    }

    fn unsigned(&mut self, ty: Scalar, x: Value, magic: Magic) -> Value {
        let Magic { factor, is_longer, shift } = magic;
        match (ty.bits(), is_longer) {
            (8, _) => {
                let product = self.with(Op::Mul, x, factor + (u64::from(is_longer) << 8));
                self.shifted(Op::Shr, product, shift)
            }
            (16, false) => {
                let product = self.with(Op::Mul, x, factor);
                self.shifted(Op::Shr, product, shift)
            }
            (16, true) => {
                let product = self.with(Op::Mul, x, factor);
                let high = self.shifted(Op::Shr, product, 16);
                let sum = self.binary(Op::Add, x, high);
                self.shifted(Op::Shr, sum, shift - 16)
            }
            (bits, false) => {
                let high = self.with(Op::MulHigh, x, factor);
                self.shifted(Op::Shr, high, shift - bits)
            }
            (bits, true) => {
                // The sum of `x` and `high` may wrap, the half of it does not.
                let high = self.with(Op::MulHigh, x, factor);
                let rest = self.binary(Op::Sub, x, high);
                let half = self.shifted(Op::Shr, rest, 1);
                let sum = self.binary(Op::Add, half, high);
                self.shifted(Op::Shr, sum, shift - bits - 1)
            }
        }
    }

    /// The signed quotient, rounded towards negative infinity, for a magnitude.
    fn rounded_down(&mut self, ty: Scalar, x: Value, magic: Magic) -> Value {
        let Magic { factor, shift, .. } = magic;
        let bits = ty.bits();
        if bits < 32 {
            let product = self.with(Op::Mul, x, factor);
            return self.shifted(Op::Shr, product, shift);
        }
        let mut high = self.with(Op::MulHigh, x, factor);
        // The factor is read as negative if its highest bit is set.
        if factor >> (bits - 1) != 0 {
            high = self.binary(Op::Add, high, x);
        }
        self.shifted(Op::Shr, high, shift - bits)
    }

    /// What negative numbers lack for a shift to round towards zero; zero for others.
    fn raise(&mut self, x: Value, power: u64) -> Value {
        let sign = self.sign(x);
        self.with(Op::And, sign, power - 1)
    }

    /// -1 for negative numbers, else 0.
    fn sign(&mut self, x: Value) -> Value {
        let bits = self.function.ty(x).lane().map_or(32, Scalar::bits);
        self.shifted(Op::Shr, x, bits - 1)
    }

    fn negated(&mut self, x: Value) -> Value {
        let ty = self.function.ty(x);
        self.op(Op::Neg, &[x], ty)
    }
}

/// The type that quotients of another are computed in.
fn working(ty: Scalar) -> Scalar {
    match (ty.bits(), ty.is_signed()) {
        (8 | 16, true) => Scalar::I32,
        (8 | 16, false) => Scalar::U32,
        _ => ty,
    }
}

#[cfg(test)]
mod tests;
