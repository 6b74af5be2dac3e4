//! Sums, products, quotients, minimum and maximum.

use crate::pass::algebra::rule::{Constants, Rule, rules};
use crate::scalar::{self, int};

pub(super) const RULES: &[Rule] = rules! {
    INT {
        // Zero and one.
        Add(x, 0) => x;
        Sub(x, 0) => x;
        Sub(0, x) => Neg(x);
        Sub(x, x) => 0;
        Mul(x, 0) => 0;
        Mul(x, 1) => x;
        Mul(x, ones) if is_signed => Neg(x);
        // A zero divisor gives zero as well.
        Div(x, 0) => 0;
        Div(0, x) => 0;
        Div(x, 1) => x;
        Rem(x, 0) => 0;
        Rem(0, x) => 0;
        Rem(x, 1) => 0;
        Rem(x, x) => 0;
        AbsDiff(x, x) => 0;
        Min(x, x) => x;
        Max(x, x) => x;
        Min(x, least) => least;
        Min(x, most) => x;
        Max(x, least) => x;
        Max(x, most) => most;

        // Negation.
        Neg(Neg(x)) => x;
        Neg(Sub(x, y)) => Sub(y, x);
        Neg(Not(x)) => Add(x, 1);
        Not(Neg(x)) => Sub(x, 1);
        Add(x, Not(x)) => ones;
        Add(x, Neg(x)) => 0;
        Sub(Neg(x), a) => Sub(Neg(a), x);
        Add(Neg(x), a) => Sub(a, x);
        Mul(Neg(x), a) => Mul(x, Neg(a));

        // Terms that cancel.
        Sub(Add(x, y), y) => x;
        Sub(x, Add(x, y)) => Neg(y);
        Sub(x, Sub(x, y)) => y;
        Add(Sub(x, y), y) => x;
        Sub(Sub(x, y), x) => Neg(y);
        Sub(Add(x, y), Add(x, z)) => Sub(y, z);
        Sub(Sub(x, y), Sub(x, z)) => Sub(z, y);
        Sub(Sub(x, y), Sub(z, y)) => Sub(x, z);
        Add(Sub(x, y), Sub(y, z)) => Sub(x, z);

        // Constants come together. A difference stays one where its constant is small.
        Add(Add(x, a), b) => Add(x, Add(a, b));
        Sub(Sub(x, a), b) => Sub(x, Add(a, b));
        Add(Sub(x, a), b) if a_is_more => Sub(x, Sub(a, b));
        Add(Sub(x, a), b) => Add(x, Sub(b, a));
        Sub(Add(x, a), b) if a_is_more => Add(x, Sub(a, b));
        Sub(Add(x, a), b) => Sub(x, Sub(b, a));
        Add(Sub(a, x), b) => Sub(Add(a, b), x);
        Sub(Sub(a, x), b) => Sub(Sub(a, b), x);
        Sub(a, Add(x, b)) => Sub(Sub(a, b), x);
        Sub(a, Sub(x, b)) => Sub(Add(a, b), x);
        Sub(a, Sub(b, x)) => Add(x, Sub(a, b));
        Sub(a, Neg(x)) => Add(x, a);
        Mul(Mul(x, a), b) => Mul(x, Mul(a, b));
        Mul(Shl(x, i), a) => Mul(x, Shl(a, i));
        Shl(Mul(x, a), i) => Mul(x, Shl(a, i));
        Min(Min(x, a), b) => Min(x, Min(a, b));
        Max(Max(x, a), b) => Max(x, Max(a, b));

        // Products with a common factor.
        Add(Mul(x, y), Mul(x, z)) => Mul(x, Add(y, z));
        Sub(Mul(x, y), Mul(x, z)) => Mul(x, Sub(y, z));
        Add(Mul(x, a), x) => Mul(x, Add(a, 1));
        Sub(Mul(x, a), x) => Mul(x, Sub(a, 1));

        // Quotients.
        Div(x, ones) if is_signed => Neg(x);
        Rem(x, ones) if is_signed => 0;
        Rem(Rem(x, y), y) => Rem(x, y);
        Div(Rem(x, y), y) => 0;
        Rem(Mul(x, a), b) if is_multiple_of_power => 0;

        // The lesser and the greater absorb each other.
        Min(x, Max(x, y)) => x;
        Max(x, Min(x, y)) => x;
        Min(Min(x, y), y) => Min(x, y);
        Max(Max(x, y), y) => Max(x, y);
        Max(Min(x, y), Max(x, y)) => Max(x, y);
        Min(Min(x, y), Max(x, y)) => Min(x, y);
        Min(Max(x, a), b) if a_is_not_less => b;
        Max(Min(x, a), b) if b_is_not_less => b;
    }
    SIGNED {
        Abs(Abs(x)) => Abs(x);
        Abs(Neg(x)) => Abs(x);
        Mul(Abs(x), Abs(x)) => Mul(x, x);
        Sign(Sign(x)) => Sign(x);
    }
    UNSIGNED {
        Div(x, a) if is_power => Shr(x, TrailingZeros(a));
        Rem(x, a) if is_power => And(x, Sub(a, 1));
        Div(Div(x, a), b) if product_wraps => 0;
        Div(Div(x, a), b) if not product_wraps => Div(x, Mul(a, b));
        Div(Shr(x, i), a) if shifted_wraps => 0;
        Div(Shr(x, i), a) if not shifted_wraps => Div(x, Shl(a, i));
        Shr(Div(x, a), i) if shifted_wraps => 0;
        Shr(Div(x, a), i) if not shifted_wraps => Div(x, Shl(a, i));
        AbsDiff(x, 0) => x;
        Sub(Max(x, y), Min(x, y)) => AbsDiff(x, y);
    }
    NUM {
        Mul(Neg(x), Neg(y)) => Mul(x, y);
        Add(x, Neg(y)) => Sub(x, y);
        Sub(x, Neg(y)) => Add(x, y);
    }
};

fn is_signed(c: Constants) -> bool {
    c.ty.is_signed()
}

/// As unsigned numbers.
fn a_is_more(c: Constants) -> bool {
    c.a > c.b
}

/// In the order of the type.
fn a_is_not_less(c: Constants) -> bool {
    scalar::ge(c.ty, [c.a, c.b, 0, 0]) != 0
}

fn b_is_not_less(c: Constants) -> bool {
    scalar::ge(c.ty, [c.b, c.a, 0, 0]) != 0
}

fn is_power(c: Constants) -> bool {
    c.a.is_power_of_two()
}

/// Wrapped products keep divisors that are powers of two.
fn is_multiple_of_power(c: Constants) -> bool {
    !c.ty.is_signed() && c.b.is_power_of_two() && c.a & (c.b - 1) == 0
}

fn product_wraps(c: Constants) -> bool {
    int::mul_overflows(c.ty, [c.a, c.b, 0, 0]) != 0
}

/// Whether a shift loses bits of a constant.
fn shifted_wraps(c: Constants) -> bool {
    let lost = scalar::shr(c.ty, [scalar::shl(c.ty, [c.a, c.i, 0, 0]), c.i, 0, 0]);
    lost != c.a
}
