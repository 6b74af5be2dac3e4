//! Ops on 64-bit integers of two words, beyond the operators of [`Wide`].

use super::Routine;
use super::handle::{Flag, Wide, Word};

/// The sign bit of a high word.
const SIGN: u32 = 1 << 31;

macro_rules! operators {
    ($($name:ident: $other:ident $operator:tt,)*) => {$(
        pub(super) fn $name<'r>(a: Wide<'r>, b: $other<'r>) -> Wide<'r> {
            a $operator b
        }
    )*};
}
operators! {
    sum: Wide +,
    difference: Wide -,
    product: Wide *,
    and: Wide &,
    or: Wide |,
    xor: Wide ^,
    shl: Word <<,
    shr: Word >>,
}

pub(super) fn complement(a: Wide<'_>) -> Wide<'_> {
    !a
}

pub(super) fn equal<'r>(a: Wide<'r>, b: Wide<'r>) -> Flag<'r> {
    a.eq(b)
}

pub(super) fn negated(a: Wide<'_>) -> Wide<'_> {
    zero(a) - a
}

fn zero(a: Wide<'_>) -> Wide<'_> {
    let zero = a.recorder().word(0);
    Wide { low: zero, high: zero }
}

/// With the sign bit flipped, signed numbers are in the order of unsigned ones.
fn flipped(a: Wide<'_>) -> Wide<'_> {
    Wide { high: a.high ^ SIGN, ..a }
}

/// Order of unsigned or of signed numbers.
pub(super) fn less<'r>(signed: bool, a: Wide<'r>, b: Wide<'r>) -> Flag<'r> {
    if signed { flipped(a).lt(flipped(b)) } else { a.lt(b) }
}

pub(super) fn least<'r>(signed: bool, a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    less(signed, a, b).pick(a, b)
}

pub(super) fn greatest<'r>(signed: bool, a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    less(signed, b, a).pick(a, b)
}

/// The number without its sign; `MIN` stays `MIN`.
pub(super) fn absolute(a: Wide<'_>) -> Wide<'_> {
    a.is_negative().pick(negated(a), a)
}

/// -1, 0 or 1.
pub(super) fn sign(a: Wide<'_>) -> Wide<'_> {
    let value: Wide<'_> = a.is_zero().pick(0, 1);
    a.is_negative().pick(u64::MAX, value)
}

pub(super) fn distance<'r>(signed: bool, a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    less(signed, a, b).pick(b - a, a - b)
}

/// A right shift by the count modulo 64 that keeps the sign.
pub(super) fn shr_signed<'r>(a: Wide<'r>, count: Word<'r>) -> Wide<'r> {
    a.shr_from(a.is_negative().pick(u32::MAX, 0), count)
}

/// A rotation towards the high bits by the count modulo 64.
pub(super) fn rotate_left<'r>(a: Wide<'r>, count: Word<'r>) -> Wide<'r> {
    a << count | a >> (a.recorder().word(0) - count)
}

/// A rotation towards the low bits by the count modulo 64.
pub(super) fn rotate_right<'r>(a: Wide<'r>, count: Word<'r>) -> Wide<'r> {
    rotate_left(a, a.recorder().word(0) - count)
}

/// The number of zero bits below the lowest set bit; 64 for zero.
pub(super) fn trailing_zeros(a: Wide<'_>) -> Word<'_> {
    // The bits below the lowest set one are those that a decrement sets.
    ((a - 1) & !a).count_ones()
}

pub(super) fn reverse_bits(a: Wide<'_>) -> Wide<'_> {
    Wide { low: a.high.reverse_bits(), high: a.low.reverse_bits() }
}

pub(super) fn swap_bytes(a: Wide<'_>) -> Wide<'_> {
    Wide { low: a.high.swap_bytes(), high: a.low.swap_bytes() }
}

/// Quotient and remainder of unsigned numbers, both zero for a zero divisor.
pub(super) fn divide<'r>(a: Wide<'r>, b: Wide<'r>) -> [Wide<'r>; 2] {
    // One digit a step, from the dividend's highest bit on.
    let zeros = a.clz();
    let steps = a.recorder().word(64) - zeros;
    let state = [a << zeros, zero(a)];
    let [quotient, rest] = a.recorder().repeat(steps, state, |steps, [digits, rest]| {
        let next = digits.high >> 31;
        // A remainder of 64 bits that loses its highest bit here is above the divisor.
        let lost = rest.is_negative();
        let (digits, rest) = (digits << 1, rest << 1);
        let rest = Wide { low: rest.low | next, ..rest };
        let fits = lost | !rest.lt(b);
        let digits = Wide { low: digits.low | fits.bit(), ..digits };
        (steps - 1, [digits, fits.pick(rest - b, rest)])
    });
    let none = b.is_zero();
    [none.pick(0, quotient), none.pick(0, rest)]
}

/// The quotient; 0 for a zero divisor.
pub(super) fn quotient<'r>(signed: bool, a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    let [value, _] = divided(signed, a, b);
    if signed { (a ^ b).is_negative().pick(negated(value), value) } else { value }
}

/// The remainder with the dividend's sign; 0 for a zero divisor.
pub(super) fn remainder<'r>(signed: bool, a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    let [_, value] = divided(signed, a, b);
    if signed { a.is_negative().pick(negated(value), value) } else { value }
}

/// Quotient and remainder of the magnitudes.
fn divided<'r>(signed: bool, a: Wide<'r>, b: Wide<'r>) -> [Wide<'r>; 2] {
    let operands = if signed { [a, b].map(absolute) } else { [a, b] };
    a.recorder().call(Routine::U64Divide, operands)
}
