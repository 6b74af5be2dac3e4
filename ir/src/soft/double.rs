//! `f64` arithmetic in words, the same on every device.
//!
//! Values are the bits of `f64`s. Results are rounded to nearest, ties to even; a NaN
//! result is the canonical NaN. No function loops but [`remainder`], because devices may
//! limit loops.

use super::Routine;
use super::double_bits::{canonical, is_infinite, is_nan, magnitude, negated};
use super::handle::{Flag, Wide, Word, product as widening};
use super::single::{MAGNITUDE, SIGN};

/// A 128-bit number, the lowest word first.
type Quad<'r> = [Word<'r>; 4];

/// The high word of infinity.
pub(super) const INFINITY: u32 = 0x7ff0_0000;
/// The implicit bit of a significand in its high word.
pub(super) const IMPLICIT: u32 = 0x10_0000;
/// The bits of a significand's high word that are stored.
pub(super) const FRACTION: u32 = 0xf_ffff;
/// Added to exponents so that they are compared as unsigned numbers.
pub(super) const BIAS: u32 = 8192;

/// Which sort of number it is.
struct Sorts<'r> {
    zero: Flag<'r>,
    infinite: Flag<'r>,
    nan: Flag<'r>,
}

fn sorts(a: Wide<'_>) -> Sorts<'_> {
    Sorts { zero: magnitude(a).is_zero(), infinite: is_infinite(a), nan: is_nan(a) }
}

/// The number whose low word is zero.
fn of_high(high: Word<'_>) -> Wide<'_> {
    Wide { low: high.recorder().word(0), high }
}

/// The number whose high word is zero.
fn of_low(low: Word<'_>) -> Wide<'_> {
    Wide { low, high: low.recorder().word(0) }
}

/// The biased exponent and the significand of 53 bits, also of a subnormal, whose
/// exponent is then below 1 (wrapping). The significand of zero is zero.
fn unpack(a: Wide<'_>) -> (Word<'_>, Wide<'_>) {
    let exponent = a.high >> 20 & 2047;
    let fraction = Wide { high: a.high & FRACTION, ..a };
    let subnormal = exponent.eq(0);
    let shift = fraction.clz() - 11;
    let normal = Wide { high: fraction.high | IMPLICIT, ..fraction };
    let significand = subnormal.pick(fraction << shift, normal);
    (subnormal.pick(a.recorder().word(1) - shift, exponent), significand)
}

/// Rounds a number to nearest even: bit 63 of `top` is set, its low bit stands for all
/// that is below, and the biased exponent, should the result be normal, is `exponent - BIAS`.
pub(super) fn pack<'r>(sign: Word<'r>, exponent: Word<'r>, top: Wide<'r>) -> Wide<'r> {
    let subnormal = exponent.lt(BIAS + 1);
    let below = sign.recorder().word(BIAS + 1) - exponent;
    let shift = subnormal.pick(below.gt(63).pick(63, below), 0);
    let kept = top >> shift;
    let lost = (!(kept << shift).eq(top)).bit();
    let (significand, rest) = (kept >> 11, (kept.low | lost) & 0x7ff);
    let up = rest.gt(0x400) | rest.eq(0x400) & (significand.low & 1).eq(1);
    let base = subnormal.pick(0, (exponent - (BIAS + 1)) << 20);
    let bits = Wide { high: significand.high + base, ..significand } + of_low(up.bit());
    let Wide { low, high } = exponent.gt(BIAS + 2046).pick(u64::from(INFINITY) << 32, bits);
    Wide { low, high: high | sign }
}

/// The product of two pairs.
fn long_product<'r>(a: Wide<'r>, b: Wide<'r>) -> Quad<'r> {
    let (ll, lh) = (widening(a.low, b.low), widening(a.low, b.high));
    let (hl, hh) = (widening(a.high, b.low), widening(a.high, b.high));
    // A product of words and two words more is below 2⁶⁴.
    let middle = lh + of_low(ll.high);
    let other = hl + of_low(middle.low);
    let high = hh + of_low(middle.high) + of_low(other.high);
    [ll.low, other.low, high.low, high.high]
}

/// The product with a number below 2¹⁶, modulo 2⁶⁴.
fn scaled<'r>(a: Wide<'r>, by: Word<'r>) -> Wide<'r> {
    let carried = (a.low >> 16) * by + (((a.low & 0xffff) * by) >> 16);
    Wide { low: a.low * by, high: a.high * by + (carried >> 16) }
}

fn quad_add<'r>(a: Quad<'r>, b: Quad<'r>) -> Quad<'r> {
    let mut carry = a[0].recorder().word(0);
    std::array::from_fn(|i| {
        let sum = a[i] + b[i];
        let total = sum + carry;
        carry = (sum.lt(a[i]) | total.lt(sum)).bit();
        total
    })
}

fn quad_sub<'r>(a: Quad<'r>, b: Quad<'r>) -> Quad<'r> {
    let mut borrow = a[0].recorder().word(0);
    std::array::from_fn(|i| {
        let difference = a[i] - b[i];
        let total = difference - borrow;
        borrow = (a[i].lt(b[i]) | difference.lt(borrow)).bit();
        total
    })
}

/// Shifts right by any count; the low bit of the result is set if a set bit was lost.
fn quad_shr<'r>(a: Quad<'r>, n: Word<'r>) -> Quad<'r> {
    let zero = n.recorder().word(0);
    let words = n >> 5;
    let (none, short) = ((words & 1).eq(0), (words & 2).eq(0));
    let lost = none.pick(zero, a[0]);
    let a: Quad<'r> = none.pick(a, [a[1], a[2], a[3], zero]);
    let lost = lost | short.pick(zero, a[0] | a[1]);
    let a: Quad<'r> = short.pick(a, [a[2], a[3], zero, zero]);
    let bits = n & 31;
    let left = n.recorder().word(31) - bits;
    // Two shifts, because `32 - n` may be 32.
    let cut = |word: Word<'r>| (word << 1) << left;
    let lost = lost | cut(a[0]);
    let place = |low: Word<'r>, high: Word<'r>| low >> bits | cut(high);
    let shifted = [place(a[0], a[1]), place(a[1], a[2]), place(a[2], a[3]), a[3] >> bits];
    // What is beyond all bits left words behind that count as lost.
    let beyond = n.gt(127);
    let [s0, s1, s2, s3] = shifted;
    let lost: Word<'r> = beyond.pick((s0 | s1) | (s2 | s3) | lost, lost);
    let [s0, s1, s2, s3] = beyond.pick([zero; 4], shifted);
    [s0 | lost.sticky(), s1, s2, s3]
}

/// The 64 bits from the highest set one on, the last for all that is below, and how many
/// zeros were above; of zero they mean nothing.
fn quad_top(a: Quad<'_>) -> (Wide<'_>, Word<'_>) {
    let zero = a[0].recorder().word(0);
    let low = (a[2] | a[3]).eq(0);
    let a: Quad<'_> = low.pick([zero, zero, a[0], a[1]], a);
    let empty = a[3].eq(0);
    let a: Quad<'_> = empty.pick([zero, a[0], a[1], a[2]], a);
    let zeros = a[3].clz();
    let bits = zeros & 31;
    let left = zero.recorder().word(31) - bits;
    let place = |high, low| high << bits | (low >> 1) >> left;
    let rest = (a[1] << bits | a[0]).sticky();
    let top = Wide { low: place(a[2], a[1]) | rest, high: place(a[3], a[2]) };
    (top, low.pick(64u32, 0u32) + empty.pick(32u32, 0u32) + zeros)
}

/// The sum.
pub(super) fn sum<'r>(a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    let below = magnitude(a).lt(magnitude(b));
    let (large, small): (Wide<'r>, Wide<'r>) = (below.pick(b, a), below.pick(a, b));
    let ((el, ml), (es, ms)) = (unpack(large), unpack(small));
    let differ = (a.high ^ b.high).gt(MAGNITUDE);
    // Both with ten bits more and room for a carry.
    let (ml, ms) = (ml << 10, ms << 10);
    let distance = el - es;
    let distance = distance.gt(63).pick(63, distance);
    let kept = ms >> distance;
    let lost = (!(kept << distance).eq(ms)).bit();
    let ms = Wide { low: kept.low | lost, ..kept };
    let total: Wide<'r> = differ.pick(ml - ms, ml + ms);
    let zeros = total.clz();
    let finite = pack(large.high & SIGN, el + (BIAS + 1) - zeros, total << zeros);
    // Nothing is left of opposite numbers, and two zeros keep a sign that both have.
    let finite = total.is_zero().pick(of_high(a.high & b.high & SIGN), finite);
    let (sa, sb) = (sorts(a), sorts(b));
    let result = sa.infinite.pick(a, sb.infinite.pick(b, finite));
    canonical(sa.nan | sb.nan | sa.infinite & sb.infinite & differ, result)
}

/// The difference.
pub(super) fn difference<'r>(a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    a.recorder().call(Routine::F64Add, [a, negated(b)])
}

/// The product.
pub(super) fn product<'r>(a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    let sign = (a.high ^ b.high) & SIGN;
    let ((ea, ma), (eb, mb)) = (unpack(a), unpack(b));
    let [p0, p1, p2, p3] = long_product(ma << 11, mb << 11);
    let top = Wide { low: p2 | (p0 | p1).sticky(), high: p3 };
    let zeros = p3.clz();
    let finite = pack(sign, ea + eb + (BIAS - 1022) - zeros, top << zeros);
    let (sa, sb) = (sorts(a), sorts(b));
    let (none, infinite) = (sa.zero | sb.zero, sa.infinite | sb.infinite);
    let result = none.pick(of_high(sign), finite);
    let result = infinite.pick(of_high(sign | INFINITY), result);
    canonical(sa.nan | sb.nan | none & infinite, result)
}

/// `a * b + c` with one rounding.
pub(super) fn mul_add<'r>(a: Wide<'r>, b: Wide<'r>, c: Wide<'r>) -> Wide<'r> {
    let zero = a.recorder().word(0);
    let (sign_p, sign_c) = ((a.high ^ b.high) & SIGN, c.high & SIGN);
    let ((ea, ma), (eb, mb), (ec, mc)) = (unpack(a), unpack(b), unpack(c));
    // The product, shifted so that its highest bit is bit 124 or 125; the addend's is bit 125.
    let product = long_product(ma << 10, mb << 10);
    let mc = mc << 9;
    let addend = [zero, zero, mc.low, mc.high];
    let (ep, es) = (ea + eb + (BIAS - 1020), ec + (BIAS + 2));
    // The one with the lower exponent is shifted to the other's.
    let lower = ep.lt(es);
    let distance = lower.pick(es - ep, ep - es);
    let exponent = lower.pick(es, ep);
    let large: Quad<'r> = lower.pick(addend, product);
    let small = quad_shr(lower.pick(product, addend), distance);
    let subtract = (sign_p ^ sign_c).eq(SIGN);
    let forth = quad_sub(large, small);
    let negative = forth[3].gt(MAGNITUDE);
    let difference: Quad<'r> = negative.pick(quad_sub(small, large), forth);
    let total = subtract.pick(difference, quad_add(large, small));
    let sign_difference = lower.pick(sign_c, sign_p) ^ negative.pick(SIGN, 0);
    let sign = subtract.pick(sign_difference, sign_p);
    let (top, zeros) = quad_top(total);
    let finite = top.is_zero().pick(0, pack(sign, exponent - zeros, top));
    // A zero product leaves the addend; two zeros keep a sign that both have.
    let (sa, sb, sc) = (sorts(a), sorts(b), sorts(c));
    let none = sa.zero | sb.zero;
    let sum = sc.zero.pick(of_high(sign_p & sign_c), c);
    let finite = none.pick(sum, finite);
    let infinite = sa.infinite | sb.infinite;
    let result = infinite.pick(of_high(sign_p | INFINITY), sc.infinite.pick(c, finite));
    let undefined = infinite & none | infinite & sc.infinite & subtract;
    canonical(undefined | sa.nan | sb.nan | sc.nan, result)
}

/// Subtracts a multiple of the divisor from `rest`, which is below 2¹¹ divisors, so that less than
/// 1.01 divisors remain. Gives the multiple and what remains. The divisor has 53 bits.
fn reduced<'r>(rest: Wide<'r>, divisor: Wide<'r>) -> (Word<'r>, Wide<'r>) {
    // A divisor that is rounded up to a multiple of 2³² gives no digit that is too large.
    let digit = rest.high / (divisor.high + 1);
    (digit, rest - scaled(divisor, digit))
}

/// The quotient.
pub(super) fn quotient<'r>(a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    let sign = (a.high ^ b.high) & SIGN;
    let ((ea, ma), (eb, mb)) = (unpack(a), unpack(b));
    let below = ma.lt(mb);
    let numerator: Wide<'r> = below.pick(ma << 1, ma);
    // The first digit is 1, and six more have ten bits each, but may be slightly more.
    let mut rest = numerator - mb;
    let mut digits = of_low(a.recorder().word(1));
    for _ in 0..6 {
        let (digit, less) = reduced(rest << 10, mb);
        rest = less;
        digits = (digits << 10) + of_low(digit);
    }
    let few = rest.lt(mb);
    let (rest, digits): (Wide<'r>, Wide<'r>) = (few.pick(rest, rest - mb), few.pick(digits, digits + 1));
    let top = digits << 3;
    let top = Wide { low: top.low | (rest.low | rest.high).sticky(), ..top };
    let finite = pack(sign, ea - eb + (BIAS + 1023) - below.bit(), top);
    let (sa, sb) = (sorts(a), sorts(b));
    let result = (sa.zero | sb.infinite).pick(of_high(sign), finite);
    let result = (sa.infinite | sb.zero).pick(of_high(sign | INFINITY), result);
    canonical(sa.nan | sb.nan | sa.zero & sb.zero | sa.infinite & sb.infinite, result)
}

/// The square root.
pub(super) fn root(a: Wide<'_>) -> Wide<'_> {
    let (exponent, significand) = unpack(magnitude(a));
    let exponent = exponent + 1023;
    let half = exponent >> 1;
    // The root of 54 bits of a number of 108 bits, whose lower half is zero. The digits
    // are found from the upper half's root and what that leaves over: if a root s leaves
    // r, then r / 2s are the next digits or one too many.
    let (root, rest) = root_of_54_bits(significand << (exponent & 1));
    // 26 bits of the quotient of `rest` by `root`, and the leading one.
    let mut digits = rest / root;
    let mut left = rest - digits * root;
    for bits in [5, 5, 5, 5, 5, 1] {
        left = left << bits;
        let digit = left / root;
        left = left - digit * root;
        digits = (digits << bits) + digit;
    }
    let root = Wide { low: root << 27, high: root >> 5 } + of_low(digits);
    let left = Wide { low: left << 28, high: left >> 4 };
    let one_too_many = left.lt(widening(digits, digits)).bit();
    let root = root - of_low(one_too_many);
    // A root is never halfway between two numbers, so the last bit alone decides.
    let root = (root >> 1) + of_low(root.low & 1);
    let bits = Wide { high: root.high + ((half << 20) - IMPLICIT), ..root };
    let s = sorts(a);
    let bits = (s.zero | s.infinite).pick(a, bits);
    canonical(s.nan | a.is_negative() & !s.zero, bits)
}

/// The root of 27 bits, rounded down, of a number from 2⁵² on, and what it leaves over.
fn root_of_54_bits(a: Wide<'_>) -> (Word<'_>, Word<'_>) {
    let mut rest = a.low >> 26 | a.high << 6;
    // The root of 14 bits of these 28, one digit after the other.
    let mut root = a.recorder().word(0);
    for place in (0..14).rev() {
        let trial = root + (1 << (2 * place));
        let over = rest.lt(trial);
        rest = over.pick(rest, rest - trial);
        root = root >> 1;
        root = over.pick(root, root + (1 << (2 * place)));
    }
    let (next, last) = (a.low >> 13 & 0x1fff, a.low & 0x1fff);
    let numerator = rest << 13 | next;
    let twice = root << 1;
    // Zero has the root zero and is nobody's concern.
    let divisor = twice.eq(0).pick(1, twice);
    let digits = numerator / divisor;
    let left = (numerator - digits * divisor) << 13 | last;
    let square = digits * digits;
    let missing = left.lt(square);
    let rest = left - square;
    let root = (root << 13) + digits;
    let fewer = root - 1;
    let more = rest + (root + fewer);
    let root = missing.pick(fewer, root);
    (root.eq(0).pick(1, root), missing.pick(more, rest))
}

/// The remainder with the dividend's sign, which is always exact.
pub(super) fn remainder<'r>(a: Wide<'r>, b: Wide<'r>) -> Wide<'r> {
    let sign = a.high & SIGN;
    let (x, y) = (magnitude(a), magnitude(b));
    let ((ex, mx), (ey, my)) = (unpack(x), unpack(y));
    let (sa, sb) = (sorts(a), sorts(b));
    let below = x.lt(y);
    let nan = sa.nan | sb.nan | (sa.infinite | sb.zero);
    let steps = (below | nan).pick(0, ex - ey);
    // Thirty bits of the quotient at a time; what is left is below 1.01 divisors.
    let first: Wide<'r> = mx.lt(my).pick(mx, mx - my);
    let rest = a.recorder().repeat(steps, first, |mut steps, mut rest| {
        for _ in 0..3 {
            let bits = steps.lt(10).pick(steps, 10);
            rest = reduced(rest << bits, my).1;
            steps = steps - bits;
        }
        (steps, rest)
    });
    let rest: Wide<'r> = rest.lt(my).pick(rest, rest - my);
    // The remainder has the divisor's exponent; it becomes normal or subnormal exactly.
    let zeros = rest.clz();
    let finite = pack(sign, ey + (BIAS + 11) - zeros, rest << zeros);
    let finite = rest.is_zero().pick(of_high(sign), finite);
    canonical(nan, below.pick(a, finite))
}
