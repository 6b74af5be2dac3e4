//! Floats: rules that hold bit for bit, also for NaNs, zeros and subnormals.
//!
//! Arithmetic turns every NaN into the canonical one. So `x * 1.0` is `x` only if `x` is known
//! to be no other NaN, which the name `k` says.

use crate::pass::algebra::rule::{Constants, Rule, rules};
use crate::scalar::{self, Args};

pub(super) const RULES: &[Rule] = rules! {
    FLOAT {
        // Signs.
        Neg(Neg(x)) => x;
        Abs(Neg(x)) => Abs(x);
        Abs(Abs(x)) => Abs(x);
        Abs(CopySign(x, y)) => Abs(x);
        CopySign(x, x) => x;
        CopySign(Neg(x), y) => CopySign(x, y);
        CopySign(Abs(x), y) => CopySign(x, y);
        CopySign(CopySign(x, y), z) => CopySign(x, z);
        CopySign(x, CopySign(y, z)) => CopySign(x, z);
        CopySign(x, Abs(y)) => Abs(x);
        CopySign(x, Neg(x)) => Neg(x);
        CopySign(x, a) if is_positive => Abs(x);
        Neg(Abs(Neg(x))) => Neg(Abs(x));
        Div(Neg(x), Neg(y)) => Div(x, y);
        Mul(Abs(x), Abs(x)) => Mul(x, x);
        Mul(Neg(x), a) => Mul(x, Neg(a));
        Div(Neg(x), a) => Div(x, Neg(a));
        Sub(a, Neg(x)) => Add(x, a);
        Add(Neg(x), a) => Sub(a, x);
        MulAdd(Neg(x), Neg(y), z) => MulAdd(x, y, z);

        // Tests see no sign.
        IsNan(Neg(x)) => IsNan(x);
        IsNan(Abs(x)) => IsNan(x);
        IsInfinite(Neg(x)) => IsInfinite(x);
        IsInfinite(Abs(x)) => IsInfinite(x);
        IsFinite(Neg(x)) => IsFinite(x);
        IsFinite(Abs(x)) => IsFinite(x);
        Lt(x, x) => false;
        Gt(x, x) => false;
        Lt(Neg(x), Neg(y)) => Gt(x, y);
        Le(Neg(x), Neg(y)) => Ge(x, y);
        Gt(Neg(x), Neg(y)) => Lt(x, y);
        Ge(Neg(x), Neg(y)) => Le(x, y);
        Eq(Neg(x), Neg(y)) => Eq(x, y);
        Ne(Neg(x), Neg(y)) => Ne(x, y);
        Lt(Neg(x), a) => Gt(x, Neg(a));
        Le(Neg(x), a) => Ge(x, Neg(a));
        Gt(Neg(x), a) => Lt(x, Neg(a));
        Ge(Neg(x), a) => Le(x, Neg(a));
        Eq(Neg(x), a) => Eq(x, Neg(a));
        Ne(Neg(x), a) => Ne(x, Neg(a));
        Eq(Abs(x), 0) => Eq(x, 0);
        Ne(Abs(x), 0) => Ne(x, 0);
        Lt(Abs(x), 0) => false;

        // Numbers that change nothing but NaNs.
        Mul(k, 1) => k;
        Div(k, 1) => k;
        Sub(k, 0) => k;
        Add(k, sign) => k;
        Min(k, k) => k;
        Max(k, k) => k;
        Div(x, a) if has_reciprocal => Mul(x, Div(1, a));

        // What is whole stays so.
        Floor(Floor(x)) => Floor(x);
        Floor(Ceil(x)) => Ceil(x);
        Floor(Trunc(x)) => Trunc(x);
        Floor(Round(x)) => Round(x);
        Floor(RoundEven(x)) => RoundEven(x);
        Ceil(Floor(x)) => Floor(x);
        Ceil(Ceil(x)) => Ceil(x);
        Ceil(Trunc(x)) => Trunc(x);
        Ceil(Round(x)) => Round(x);
        Ceil(RoundEven(x)) => RoundEven(x);
        Trunc(Floor(x)) => Floor(x);
        Trunc(Ceil(x)) => Ceil(x);
        Trunc(Trunc(x)) => Trunc(x);
        Trunc(Round(x)) => Round(x);
        Trunc(RoundEven(x)) => RoundEven(x);
        Round(Floor(x)) => Floor(x);
        Round(Ceil(x)) => Ceil(x);
        Round(Trunc(x)) => Trunc(x);
        Round(Round(x)) => Round(x);
        Round(RoundEven(x)) => RoundEven(x);
        RoundEven(Floor(x)) => Floor(x);
        RoundEven(Ceil(x)) => Ceil(x);
        RoundEven(Trunc(x)) => Trunc(x);
        RoundEven(Round(x)) => Round(x);
        RoundEven(RoundEven(x)) => RoundEven(x);

        // The lesser and the greater. Only the outer one has to quiet a NaN.
        Min(Min(x, y), y) => Min(x, y);
        Max(Max(x, y), y) => Max(x, y);
        Min(Min(x, a), b) => Min(x, Min(a, b));
        Max(Max(x, a), b) => Max(x, Max(a, b));
    }
};

fn is_positive(c: Constants) -> bool {
    c.a >> (c.ty.bits() - 1) == 0
}

/// Whether dividing by a constant rounds as multiplying by its reciprocal does: both are
/// powers of two, neither is subnormal.
fn has_reciprocal(c: Constants) -> bool {
    let fraction = c.ty.fraction_bits();
    let is_power = |bits: u64| {
        let exponent = bits & (c.ty.mask() >> 1);
        let normal = exponent >> fraction != 0 && exponent >> fraction != (c.ty.mask() >> 1) >> fraction;
        normal && bits & ((1 << fraction) - 1) == 0
    };
    let args: Args = [c.ty.one(), c.a, 0, 0];
    is_power(c.a) && is_power(scalar::div(c.ty, args))
}
