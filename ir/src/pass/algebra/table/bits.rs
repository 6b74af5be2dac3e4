//! Bits, shifts and rotations.

use crate::pass::algebra::rule::{Constants, Rule, rules};
use crate::scalar;

pub(super) const RULES: &[Rule] = rules! {
    BITS {
        // Zeros and ones.
        And(x, 0) => 0;
        And(x, ones) => x;
        And(x, x) => x;
        And(x, Not(x)) => 0;
        Or(x, 0) => x;
        Or(x, ones) => ones;
        Or(x, x) => x;
        Or(x, Not(x)) => ones;
        Xor(x, 0) => x;
        Xor(x, ones) => Not(x);
        Xor(x, x) => 0;
        Xor(x, Not(x)) => ones;
        Not(Not(x)) => x;

        // Absorption.
        And(x, Or(x, y)) => x;
        Or(x, And(x, y)) => x;
        And(And(x, y), y) => And(x, y);
        Or(Or(x, y), y) => Or(x, y);
        And(x, Or(Not(x), y)) => And(x, y);
        Or(x, And(Not(x), y)) => Or(x, y);
        Or(And(x, y), And(x, Not(y))) => x;
        And(Or(x, y), Or(x, Not(y))) => x;
        Or(And(x, y), And(x, z)) => And(x, Or(y, z));
        And(Or(x, y), Or(x, z)) => Or(x, And(y, z));
        Xor(Xor(x, y), y) => x;
        Xor(And(x, y), And(x, z)) => And(x, Xor(y, z));
        Xor(And(x, y), x) => And(x, Not(y));
        Xor(And(x, y), Or(x, y)) => Xor(x, y);
        Xor(Or(x, y), y) => And(x, Not(y));
        Or(Xor(x, y), And(x, y)) => Or(x, y);
        Or(Xor(x, y), y) => Or(x, y);
        And(Xor(x, y), y) => And(y, Not(x));

        // Complements.
        Xor(Not(x), Not(y)) => Xor(x, y);
        And(Not(x), Not(y)) => Not(Or(x, y));
        Or(Not(x), Not(y)) => Not(And(x, y));
        Not(Xor(x, Not(y))) => Xor(x, y);
        Not(Xor(x, a)) => Xor(x, Not(a));
        Xor(Not(x), a) => Xor(x, Not(a));
        Not(And(x, Not(y))) => Or(y, Not(x));
        Not(Or(x, Not(y))) => And(y, Not(x));

        // Constants come together.
        And(And(x, a), b) => And(x, And(a, b));
        Or(Or(x, a), b) => Or(x, Or(a, b));
        Xor(Xor(x, a), b) => Xor(x, Xor(a, b));
        And(Or(x, a), b) if a_has_b => b;
        And(Or(x, a), b) if are_apart => And(x, b);
        And(Xor(x, a), b) if are_apart => And(x, b);
        Or(And(x, a), b) if are_all => Or(x, b);
        Or(And(x, a), b) if b_has_a => b;
        Or(And(x, a), And(x, b)) => And(x, Or(a, b));
        Xor(And(x, a), And(x, b)) => And(x, Xor(a, b));
    }
    INT {
        // Counts.
        Shl(x, i) if none => x;
        Shr(x, i) if none => x;
        RotateLeft(x, i) if none => x;
        RotateRight(x, i) if none => x;
        Shl(0, n) => 0;
        Shr(0, n) => 0;
        RotateLeft(0, n) => 0;
        RotateRight(0, n) => 0;
        RotateLeft(ones, n) => ones;
        RotateRight(ones, n) => ones;

        // Shifts after shifts.
        Shl(Shl(x, i), j) if is_wide => 0;
        Shl(Shl(x, i), j) if not is_wide => Shl(x, Add(i, j));
        Shr(Shr(x, i), j) if not is_wide => Shr(x, Add(i, j));
        Shl(Shr(x, n), n) => And(x, Shl(ones, n));
        Shl(Shr(x, i), j) if is_same => And(x, Shl(ones, i));
        RotateLeft(RotateLeft(x, n), m) => RotateLeft(x, Add(n, m));
        RotateRight(RotateRight(x, n), m) => RotateRight(x, Add(n, m));
        RotateLeft(RotateRight(x, n), n) => x;
        RotateRight(RotateLeft(x, n), n) => x;

        // Masks that change nothing, or leave nothing.
        And(Shl(x, i), a) if left_keeps => Shl(x, i);
        And(Shl(x, i), a) if left_clears => 0;
        And(Mul(x, a), b) if multiple_clears => 0;
        And(Mul(x, a), b) if multiple_keeps => Mul(x, a);
        Shl(And(x, a), i) if mask_is_lost => 0;
        Shl(And(x, a), i) if mask_is_idle => Shl(x, i);
        And(Add(x, a), b) if addend_is_above => And(x, b);
        And(Sub(x, a), b) if addend_is_above => And(x, b);
        And(Neg(x), 1) => And(x, 1);

        // Logic after equal shifts.
        And(Shl(x, n), Shl(y, n)) => Shl(And(x, y), n);
        Or(Shl(x, n), Shl(y, n)) => Shl(Or(x, y), n);
        Xor(Shl(x, n), Shl(y, n)) => Shl(Xor(x, y), n);
        Add(Shl(x, n), Shl(y, n)) => Shl(Add(x, y), n);
        And(Shr(x, n), Shr(y, n)) => Shr(And(x, y), n);
        Or(Shr(x, n), Shr(y, n)) => Shr(Or(x, y), n);
        Xor(Shr(x, n), Shr(y, n)) => Shr(Xor(x, y), n);

        // Sums without carries.
        Add(And(x, y), Or(x, y)) => Add(x, y);
        Add(And(x, y), Xor(x, y)) => Or(x, y);
        Sub(Or(x, y), And(x, y)) => Xor(x, y);
        Sub(x, And(x, y)) => And(x, Not(y));
        Sub(Or(x, y), y) => And(x, Not(y));
        Add(And(x, a), And(x, b)) if are_apart => And(x, Or(a, b));

        // Orders of bits and counts.
        ReverseBits(ReverseBits(x)) => x;
        SwapBytes(SwapBytes(x)) => x;
        CountOnes(ReverseBits(x)) => CountOnes(x);
        CountOnes(SwapBytes(x)) => CountOnes(x);
        CountOnes(RotateLeft(x, n)) => CountOnes(x);
        CountOnes(RotateRight(x, n)) => CountOnes(x);
        LeadingZeros(ReverseBits(x)) => TrailingZeros(x);
        TrailingZeros(ReverseBits(x)) => LeadingZeros(x);
        TrailingZeros(Neg(x)) => TrailingZeros(x);
    }
    SIGNED {
        Shr(ones, n) => ones;
    }
    UNSIGNED {
        Shr(Shr(x, i), j) if is_wide => 0;
        Shr(Shl(x, n), n) => And(x, Shr(ones, n));
        And(Shr(x, i), a) if right_keeps => Shr(x, i);
        And(Shr(x, i), a) if right_clears => 0;
        Shr(And(x, a), i) if low_mask_is_lost => 0;
        Shr(And(x, a), i) if low_mask_is_idle => Shr(x, i);
        And(Rem(x, a), b) if rest_is_below => Rem(x, a);
        Or(Shl(x, i), Shr(x, j)) if is_circle => RotateLeft(x, i);
        Add(Shl(x, i), Shr(x, j)) if is_circle => RotateLeft(x, i);
        Xor(Shl(x, i), Shr(x, j)) if is_circle => RotateLeft(x, i);
    }
};

/// The counts as they are used.
fn counts(c: Constants) -> (u64, u64) {
    let width = u64::from(c.ty.bits());
    (c.i % width, c.j % width)
}

/// The values that a left shift by `i` can give have bits only here.
fn left(c: Constants) -> u64 {
    scalar::shl(c.ty, [c.ty.mask(), c.i, 0, 0])
}

/// The values that an unsigned right shift by `i` can give have bits only here.
fn right(c: Constants) -> u64 {
    c.ty.mask() >> counts(c).0
}

fn none(c: Constants) -> bool {
    counts(c).0 == 0
}

/// Counts beyond the width are counts modulo the width, and so is their sum.
fn is_wide(c: Constants) -> bool {
    let (i, j) = counts(c);
    i + j >= u64::from(c.ty.bits())
}

fn is_same(c: Constants) -> bool {
    let (i, j) = counts(c);
    i == j
}

fn is_circle(c: Constants) -> bool {
    let (i, j) = counts(c);
    i + j == u64::from(c.ty.bits())
}

fn a_has_b(c: Constants) -> bool {
    c.a & c.b == c.b
}

fn b_has_a(c: Constants) -> bool {
    c.a & c.b == c.a
}

fn are_apart(c: Constants) -> bool {
    c.a & c.b == 0
}

fn are_all(c: Constants) -> bool {
    c.a | c.b == c.ty.mask()
}

fn left_keeps(c: Constants) -> bool {
    left(c) & c.a == left(c)
}

fn left_clears(c: Constants) -> bool {
    left(c) & c.a == 0
}

fn right_keeps(c: Constants) -> bool {
    right(c) & c.a == right(c)
}

fn right_clears(c: Constants) -> bool {
    right(c) & c.a == 0
}

/// A left shift loses all bits of a mask.
fn mask_is_lost(c: Constants) -> bool {
    scalar::shl(c.ty, [c.a, c.i, 0, 0]) == 0
}

/// A left shift loses all bits that a mask clears.
fn mask_is_idle(c: Constants) -> bool {
    scalar::shl(c.ty, [c.a, c.i, 0, 0]) == left(c)
}

fn low_mask_is_lost(c: Constants) -> bool {
    scalar::shr(c.ty, [c.a, c.i, 0, 0]) == 0
}

fn low_mask_is_idle(c: Constants) -> bool {
    scalar::shr(c.ty, [c.a, c.i, 0, 0]) == right(c)
}

fn below(c: Constants) -> u64 {
    if c.a == 0 { c.ty.mask() } else { (1 << c.a.trailing_zeros()) - 1 }
}

fn multiple_clears(c: Constants) -> bool {
    c.b & !below(c) == 0
}

fn multiple_keeps(c: Constants) -> bool {
    c.b | below(c) == c.ty.mask()
}

/// All bits of `a` are above those that `b` keeps, and carries only go up.
fn addend_is_above(c: Constants) -> bool {
    c.b == 0 || c.a.trailing_zeros() > c.b.ilog2()
}

/// A remainder by `a` has no bit that `b` clears.
fn rest_is_below(c: Constants) -> bool {
    let most = c.a.saturating_sub(1);
    let bits = u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
    c.b & bits == bits
}
