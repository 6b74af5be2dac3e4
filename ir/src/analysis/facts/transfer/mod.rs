//! What is known about the result of an op, from what is known about its operands.
//!
//! A fact holds for every lane, so most ops treat vectors like scalars. An op without a rule
//! here gives whatever its type allows. Tests compare every op with [`Op::eval`] for all bytes.

use super::fact::Fact;
use crate::ops::Op;
use crate::scalar::{CastRule, cast_rule};
use crate::types::{Scalar, Type};

/// What is known about a result; `args` has the operands' types and facts.
pub(super) fn transfer(op: Op, result: Type, args: &[(Type, Fact)]) -> Fact {
    let Some(out) = result.lane() else { return Fact::any(Scalar::U64) };
    let any = Fact::any(out);
    let Some(&(first, _)) = args.first() else { return any };
    let Some(ty) = first.lane() else { return any };
    if let Some(known) = constant(op, result, args) {
        return Fact::exactly(out, known);
    }
    let fact = |n: usize| args.get(n).map_or(any, |&(_, fact)| fact);
    let (a, b, c) = (fact(0), fact(1), fact(2));
    if args.iter().any(|(_, fact)| fact.is_impossible()) {
        return any;
    }
    match op {
        Op::Select => match a.constant() {
            Some(0) => c,
            Some(_) => b,
            None => b.or(c),
        },
        Op::Construct => args.iter().skip(1).fold(a, |all, &(_, fact)| all.or(fact)),
        Op::Extract if b.most < first.lanes() as u64 => a,
        Op::Extract => a.or(Fact::exactly(out, 0)),
        Op::Insert => a.or(c),
        Op::Bitcast => a,
        Op::Cast => cast(first, result, a),
        Op::All | Op::Any => a,
        _ if ty.is_float() => any,
        Op::Add | Op::Sub | Op::Mul => sum_or_product(op, out, a, b),
        Op::Div | Op::DivEuclid => quotient(op, ty, a, b),
        Op::Rem | Op::Mod | Op::RemEuclid => remainder(op, ty, a, b),
        Op::Neg => sum_or_product(Op::Sub, out, Fact::exactly(out, 0), a),
        Op::Abs | Op::UnsignedAbs => magnitude(ty, a),
        Op::Sign => Fact::signed_between(out, a.low.signum().into(), a.high.signum().into()),
        Op::Min | Op::Max => {
            let pick = |x: i128, y: i128| if op == Op::Min { x.min(y) } else { x.max(y) };
            a.or(b).and(monotone(ty, [a, b], pick), ty)
        }
        Op::Clamp => a.or(b).or(c).and(clamped(ty, a, b, c), ty),
        Op::AbsDiff => distance(ty, out, a, b),
        Op::And | Op::Or | Op::Xor | Op::Not => bitwise(op, out, a, b),
        Op::BitSelect => {
            let chosen = bitwise(Op::And, out, a, b);
            let others = bitwise(Op::And, out, bitwise(Op::Not, out, a, a), c);
            bitwise(Op::Or, out, chosen, others)
        }
        Op::Shl => left_shift(out, a, b),
        Op::Shr => right_shift(out, a, b),
        Op::RotateLeft | Op::RotateRight => rotation(op, out, a, b),
        Op::ReverseBits => mapped(out, a, |bits| bits.reverse_bits() >> (64 - out.bits())),
        Op::SwapBytes => mapped(out, a, |bits| bits.swap_bytes() >> (64 - out.bits())),
        Op::CountOnes | Op::CountZeros | Op::LeadingZeros | Op::TrailingZeros => count(op, ty, a),
        Op::LeadingOnes | Op::TrailingOnes => Fact::between(out, 0, ty.bits().into()),
        Op::Ilog2 if a.least > 0 => Fact::between(out, a.least.ilog2().into(), a.most.ilog2().into()),
        Op::FindLsb | Op::FindMsb => Fact::signed_between(out, -1, i128::from(ty.bits()) - 1),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => compared(op, ty, a, b).map_or(any, Fact::truth),
        Op::IsNegative => compared(Op::Lt, ty, a, Fact::exactly(ty, 0)).map_or(any, Fact::truth),
        Op::IsPositive => compared(Op::Gt, ty, a, Fact::exactly(ty, 0)).map_or(any, Fact::truth),
        Op::AddOverflows | Op::SubOverflows | Op::MulOverflows => overflow(op, ty, a, b).map_or(any, Fact::truth),
        Op::MulHigh if !ty.is_signed() => {
            let high = |x: u64, y: u64| ((u128::from(x) * u128::from(y)) >> ty.bits()) as u64;
            Fact::between(out, high(a.least, b.least), high(a.most, b.most))
        }
        Op::AddSat => saturated(ty, monotone_ends(ty, a, b, false, |x, y| x + y)),
        Op::SubSat => saturated(ty, monotone_ends(ty, a, b, true, |x, y| x - y)),
        Op::MulSat if !ty.is_signed() => {
            let product = |x: u64, y: u64| x.saturating_mul(y);
            let (low, high) = (product(a.least, b.least), product(a.most, b.most));
            Fact::between(out, low.min(out.mask()), high)
        }
        Op::AvgFloor => monotone(ty, [a, b], |x, y| (x + y) >> 1),
        Op::AvgCeil => monotone(ty, [a, b], |x, y| (x + y + 1) >> 1),
        Op::Midpoint => monotone(ty, [a, b], |x, y| (x + y) / 2),
        Op::Isqrt => Fact::between(out, a.least.isqrt(), a.most.isqrt()),
        Op::DivCeil => {
            let least = if b.least > 0 { a.least.div_ceil(b.most) } else { 0 };
            Fact::between(out, least, a.most.div_ceil(b.least.max(1)))
        }
        Op::BitExtract if !ty.is_signed() && c.most < u64::from(ty.bits()) => {
            Fact::between(out, 0, ((1u64 << c.most) - 1).min(a.most))
        }
        Op::BitExtract if !ty.is_signed() => Fact::between(out, 0, a.most),
        _ => any,
    }
}

/// The result for operands that are known, where facts are of whole values.
fn constant(op: Op, result: Type, args: &[(Type, Fact)]) -> Option<u64> {
    if result.lanes() != 1 || args.len() > 4 {
        return None;
    }
    let (mut types, mut lanes) = ([Type::BOOL; 4], [[0; 4]; 4]);
    for (i, (ty, fact)) in args.iter().enumerate() {
        let Type::Scalar(_) = ty else { return None };
        (types[i], lanes[i]) = (*ty, [fact.constant()?, 0, 0, 0]);
    }
    Some(op.eval(&types[..args.len()], result, &lanes[..args.len()])[0])
}

/// A function that grows with both operands, or falls with neither.
fn monotone(ty: Scalar, [a, b]: [Fact; 2], f: impl Fn(i128, i128) -> i128) -> Fact {
    let (low, high) = monotone_ends(ty, a, b, false, f);
    Fact::numbers(ty, low, high)
}

/// The ends of such a function; `falls` says that it falls with the second operand.
fn monotone_ends(ty: Scalar, a: Fact, b: Fact, falls: bool, f: impl Fn(i128, i128) -> i128) -> (i128, i128) {
    let ((al, ah), (bl, bh)) = (a.limits(ty), b.limits(ty));
    if falls { (f(al, bh), f(ah, bl)) } else { (f(al, bl), f(ah, bh)) }
}

fn saturated(ty: Scalar, (low, high): (i128, i128)) -> Fact {
    let (least, most) = ty.limits();
    Fact::numbers(ty, low.clamp(least, most), high.clamp(least, most))
}

/// Numbers that wrap, but all in the same way: then their range is moved by whole turns.
fn wrapped(ty: Scalar, low: i128, high: i128) -> Fact {
    let turn = 1i128 << ty.bits();
    let unsigned = low.div_euclid(turn) == high.div_euclid(turn);
    let (least, most) = (low.rem_euclid(turn), high.rem_euclid(turn));
    if unsigned { Fact::between(ty, least as u64, most as u64) } else { Fact::any(ty) }
}

/// The same for the signed reading.
fn wrapped_signed(ty: Scalar, low: i128, high: i128) -> Fact {
    let (turn, half) = (1i128 << ty.bits(), 1i128 << (ty.bits() - 1));
    let turns = (low + half).div_euclid(turn);
    if turns == (high + half).div_euclid(turn) {
        Fact::signed_between(ty, low - turns * turn, high - turns * turn)
    } else {
        Fact::any(ty)
    }
}

/// The exact sums, differences or products, without and with a sign; `None` beyond 128 bits.
pub(super) fn exact(op: Op, a: Fact, b: Fact) -> [Option<(i128, i128)>; 2] {
    let unsigned = |fact: Fact| (i128::from(fact.least), i128::from(fact.most));
    let signed = |fact: Fact| (i128::from(fact.low), i128::from(fact.high));
    [(unsigned(a), unsigned(b)), (signed(a), signed(b))].map(|((al, ah), (bl, bh))| match op {
        Op::Add => Some((al + bl, ah + bh)),
        Op::Sub => Some((al - bh, ah - bl)),
        _ => {
            let corners = [al.checked_mul(bl)?, al.checked_mul(bh)?, ah.checked_mul(bl)?, ah.checked_mul(bh)?];
            Some((corners.into_iter().min()?, corners.into_iter().max()?))
        }
    })
}

fn sum_or_product(op: Op, ty: Scalar, a: Fact, b: Fact) -> Fact {
    let bits = match op {
        Op::Add => carried(ty, a, b, false),
        Op::Sub => carried(ty, a, Fact { zeros: b.ones | !ty.mask(), ones: b.zeros & ty.mask(), ..b }, true),
        _ => {
            // The low bits of a product are those of the product of the low bits.
            let known = |fact: Fact| (fact.zeros | fact.ones).trailing_ones();
            let low = known(a).min(known(b)).min(63);
            let mask = (1u64 << low) - 1;
            let product = a.ones.wrapping_mul(b.ones) & mask & ty.mask();
            let shift = (a.trailing_zeros(ty) + b.trailing_zeros(ty)).min(63);
            Fact::bits(ty, !product & mask | ((1u64 << shift) - 1), product)
        }
    };
    let [unsigned, signed] = exact(op, a, b);
    let fact = unsigned.map_or(bits, |(low, high)| bits.and(wrapped(ty, low, high), ty));
    signed.map_or(fact, |(low, high)| fact.and(wrapped_signed(ty, low, high), ty))
}

/// The bits of a sum with a carry into the lowest one. Where the carries of the least and
/// of the greatest sum agree, so do those of all sums.
fn carried(ty: Scalar, a: Fact, b: Fact, carry: bool) -> Fact {
    let mask = ty.mask();
    let (a_most, b_most) = (!a.zeros & mask, !b.zeros & mask);
    let most = a_most.wrapping_add(b_most).wrapping_add(carry.into());
    let least = a.ones.wrapping_add(b.ones).wrapping_add(carry.into());
    let no_carry = !(most ^ a.zeros ^ b.zeros);
    let has_carry = least ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (no_carry | has_carry) & mask;
    Fact::bits(ty, !most & known, least & known)
}

fn quotient(op: Op, ty: Scalar, a: Fact, b: Fact) -> Fact {
    if !ty.is_signed() || a.is_natural() && b.is_natural() {
        let least = if b.least > 0 { a.least / b.most.max(1) } else { 0 };
        return Fact::between(ty, least, a.most / b.least.max(1));
    }
    let (low, high) = a.limits(ty);
    let farthest = low.abs().max(high.abs());
    if b.low < 1 {
        return Fact::signed_between(ty, -farthest, farthest);
    }
    let divide = |x: i128, y: i128| if op == Op::DivEuclid { x.div_euclid(y) } else { x / y };
    let (fewest, most) = (i128::from(b.low), i128::from(b.high));
    Fact::signed_between(
        ty,
        divide(low, if low < 0 { fewest } else { most }),
        divide(high, if high < 0 { most } else { fewest }),
    )
}

fn remainder(op: Op, ty: Scalar, a: Fact, b: Fact) -> Fact {
    if !ty.is_signed() || a.is_natural() && b.is_natural() {
        if b.most == 0 {
            return Fact::exactly(ty, 0);
        }
        if b.least > a.most {
            return a;
        }
        // Bits below all of the divisor's are the dividend's, but for a zero divisor.
        let low = (1u64 << b.trailing_zeros(ty).min(63)) - 1;
        let ones = if b.least > 0 { a.ones & low } else { 0 };
        let bits = Fact::bits(ty, a.zeros & low, ones);
        return bits.and(Fact::between(ty, 0, a.most.min(b.most - 1)), ty);
    }
    let ((low, high), (divisor_low, divisor_high)) = (a.limits(ty), b.limits(ty));
    let reach = (divisor_low.abs().max(divisor_high.abs()) - 1).max(0);
    match op {
        Op::RemEuclid => Fact::signed_between(ty, 0, reach),
        Op::Mod => {
            let low = if divisor_low >= 0 { 0 } else { -reach };
            Fact::signed_between(ty, low, if divisor_high <= 0 { 0 } else { reach })
        }
        _ => Fact::signed_between(ty, low.clamp(-reach, 0), high.clamp(0, reach)),
    }
}

/// The absolute value as the unsigned number, which of the least number is that number.
fn magnitude(ty: Scalar, a: Fact) -> Fact {
    let (low, high) = (a.low.unsigned_abs(), a.high.unsigned_abs());
    let least = if a.low <= 0 && a.high >= 0 { 0 } else { low.min(high) };
    Fact::between(ty, least, low.max(high))
}

fn clamped(ty: Scalar, x: Fact, low: Fact, high: Fact) -> Fact {
    let ((x_low, x_high), (l_low, l_high), (h_low, h_high)) = (x.limits(ty), low.limits(ty), high.limits(ty));
    Fact::numbers(ty, x_low.max(l_low).min(h_low), x_high.max(l_high).min(h_high))
}

fn distance(ty: Scalar, out: Scalar, a: Fact, b: Fact) -> Fact {
    let ((a_low, a_high), (b_low, b_high)) = (a.limits(ty), b.limits(ty));
    let least = (a_low - b_high).max(b_low - a_high).max(0);
    Fact::numbers(out, least, (a_high - b_low).max(b_high - a_low))
}

fn bitwise(op: Op, ty: Scalar, a: Fact, b: Fact) -> Fact {
    match op {
        Op::And => {
            let bits = Fact::bits(ty, a.zeros | b.zeros, a.ones & b.ones);
            bits.and(Fact::between(ty, 0, a.most.min(b.most)), ty)
        }
        Op::Or => {
            let bits = Fact::bits(ty, a.zeros & b.zeros, a.ones | b.ones);
            let most = a.most.saturating_add(b.most);
            bits.and(Fact::between(ty, a.least.max(b.least), most), ty)
        }
        Op::Xor => {
            let bits = Fact::bits(ty, a.zeros & b.zeros | a.ones & b.ones, a.zeros & b.ones | a.ones & b.zeros);
            bits.and(Fact::between(ty, 0, a.most.saturating_add(b.most)), ty)
        }
        _ => {
            let mask = ty.mask();
            let bits = Fact::bits(ty, a.ones, a.zeros & mask);
            bits.and(Fact::between(ty, mask - a.most, mask - a.least), ty)
        }
    }
}

/// The fewest and the most places of a shift, if no count is brought into the width.
fn places(ty: Scalar, count: Fact) -> Option<(u32, u32)> {
    let width = u64::from(ty.bits());
    if let Some(count) = count.constant() {
        return Some(((count % width) as u32, (count % width) as u32));
    }
    (count.most < width).then_some((count.least as u32, count.most as u32))
}

fn left_shift(ty: Scalar, a: Fact, count: Fact) -> Fact {
    let mask = ty.mask();
    let ones = |places: u32| (1u64 << places) - 1;
    let Some((fewest, most)) = places(ty, count) else {
        return Fact::bits(ty, ones(a.trailing_zeros(ty).min(63)), 0);
    };
    let low = ones((a.trailing_zeros(ty) + fewest).min(63));
    let bits = if fewest == most {
        Fact::bits(ty, a.zeros << fewest | ones(fewest) | low, a.ones << fewest & mask)
    } else {
        Fact::bits(ty, low, 0)
    };
    let range = wrapped(ty, i128::from(a.least) << fewest, i128::from(a.most) << most);
    let number = Fact::signed_between(ty, i128::from(a.low.min(0)) << most, i128::from(a.high.max(0)) << most);
    let any = Fact::any(ty);
    let (least, greatest) = (i128::from(any.low), i128::from(any.high));
    let fits = i128::from(a.low) << most >= least && i128::from(a.high) << most <= greatest;
    let bits =
        if fewest == most || i128::from(a.most) << most <= i128::from(mask) { bits.and(range, ty) } else { bits };
    if fits { bits.and(number, ty) } else { bits }
}

fn right_shift(ty: Scalar, a: Fact, count: Fact) -> Fact {
    let (fewest, most) = places(ty, count).unwrap_or((0, ty.bits() - 1));
    if !ty.is_signed() || a.is_natural() {
        let range = Fact::between(ty, a.least >> most, a.most >> fewest);
        if fewest != most {
            return range;
        }
        return Fact::bits(ty, a.zeros >> fewest, a.ones >> fewest).and(range, ty);
    }
    let low = if a.low < 0 { a.low >> fewest } else { a.low >> most };
    let high = if a.high < 0 { a.high >> most } else { a.high >> fewest };
    Fact::signed_between(ty, low.into(), high.into())
}

fn rotation(op: Op, ty: Scalar, a: Fact, count: Fact) -> Fact {
    let Some((fewest, most)) = places(ty, count) else { return Fact::any(ty) };
    if fewest != most {
        return Fact::any(ty);
    }
    let width = ty.bits();
    let left = if op == Op::RotateLeft { fewest } else { (width - fewest) % width };
    mapped(ty, a, |bits| if left == 0 { bits } else { (bits << left | bits >> (width - left)) & ty.mask() })
}

/// A function that moves bits.
fn mapped(ty: Scalar, a: Fact, f: impl Fn(u64) -> u64) -> Fact {
    Fact::bits(ty, f(a.zeros & ty.mask()), f(a.ones))
}

fn count(op: Op, ty: Scalar, a: Fact) -> Fact {
    let width = ty.bits();
    let (least, most) = match op {
        Op::CountOnes => (a.ones.count_ones(), width - (a.zeros & ty.mask()).count_ones()),
        Op::CountZeros => ((a.zeros & ty.mask()).count_ones(), width - a.ones.count_ones()),
        Op::LeadingZeros => {
            let clear = |bits: u64| bits.leading_zeros() - (64 - width);
            (clear(a.most), clear(a.least))
        }
        _ => (a.trailing_zeros(ty), if a.ones == 0 { width } else { a.ones.trailing_zeros() }),
    };
    Fact::between(Scalar::U32, least.into(), most.into())
}

/// What a comparison gives, if that is decided.
pub(super) fn compared(op: Op, ty: Scalar, a: Fact, b: Fact) -> Option<bool> {
    let ((a_low, a_high), (b_low, b_high)) = (a.limits(ty), b.limits(ty));
    let less = || if a_high < b_low { Some(true) } else { (a_low >= b_high).then_some(false) };
    let greater = || if a_low > b_high { Some(true) } else { (a_high <= b_low).then_some(false) };
    let equal = || {
        if let (Some(x), Some(y)) = (a.constant(), b.constant()) {
            return Some(x == y);
        }
        a.and(b, ty).is_impossible().then_some(false)
    };
    match op {
        Op::Lt => less(),
        Op::Ge => less().map(|less| !less),
        Op::Gt => greater(),
        Op::Le => greater().map(|greater| !greater),
        Op::Eq => equal(),
        _ => equal().map(|equal| !equal),
    }
}

fn overflow(op: Op, ty: Scalar, a: Fact, b: Fact) -> Option<bool> {
    let op = match op {
        Op::AddOverflows => Op::Add,
        Op::SubOverflows => Op::Sub,
        _ => Op::Mul,
    };
    let (low, high) = exact(op, a, b)[usize::from(ty.is_signed())]?;
    let (least, most) = ty.limits();
    if least <= low && high <= most { Some(false) } else { (high < least || low > most).then_some(true) }
}

/// The result of a cast; facts about vectors are of their lanes.
fn cast(from: Type, to: Type, a: Fact) -> Fact {
    let (Some(source), Some(target)) = (from.lane(), to.lane()) else { return Fact::any(Scalar::U64) };
    let any = Fact::any(target);
    match cast_rule(from, to) {
        Some(CastRule::Identity) => a,
        Some(CastRule::Resize) => resized(source, target, a),
        Some(CastRule::Truth) if a.least > 0 => Fact::truth(true),
        Some(CastRule::Truth) => a.constant().map_or(any, |bits| Fact::truth(bits != 0)),
        // The bits of a word, also of one that is a `bool` or signed.
        Some(CastRule::Splat | CastRule::Lanes) => {
            Fact::bits(target, a.zeros, a.ones).and(Fact::between(target, a.least, a.most), target)
        }
        Some(CastRule::Split | CastRule::Join) | None => any,
        Some(CastRule::IntToFloat | CastRule::FloatToInt | CastRule::FloatToFloat) => any,
    }
}

fn resized(from: Scalar, to: Scalar, a: Fact) -> Fact {
    if to.bits() >= from.bits() {
        if from.is_signed() && !a.is_natural() {
            let sign = from.mask() ^ (from.mask() >> 1);
            let above = to.mask() & !from.mask();
            let zeros = a.zeros & from.mask() | if a.zeros & sign != 0 { above } else { 0 };
            let ones = a.ones | if a.ones & sign != 0 { above } else { 0 };
            return Fact::bits(to, zeros, ones).and(Fact::signed_between(to, a.low.into(), a.high.into()), to);
        }
        let zeros = a.zeros & from.mask() | !from.mask();
        return Fact::bits(to, zeros, a.ones).and(Fact::between(to, a.least, a.most), to);
    }
    let bits = Fact::bits(to, a.zeros & to.mask(), a.ones & to.mask());
    let unsigned = wrapped(to, a.least.into(), a.most.into());
    let signed = if from.is_signed() { wrapped_signed(to, a.low.into(), a.high.into()) } else { Fact::any(to) };
    bits.and(unsigned, to).and(signed, to)
}

#[cfg(test)]
mod tests;
