//! `%` of `f64` in the form [`Split`](crate::soft::plan::Form::Split): by products, sums and a quotient
//! that the target rounds to nearest.
//!
//! # Why it is exact
//!
//! "E" is the field of an exponent. Each operand is multiplied by the power of two whose field is 2046 less
//! its own E, which is rounded down to a multiple of 4. For the divisor 1 is added to that, so that the
//! field of the inverse is not 0. The divisor is multiplied once more, since it may have been subnormal:
//! so it is at least 1. Call it `y`, and the dividend, which is now below 16, `r`. What is wanted is the
//! remainder of `r` times 2^n. If n is below -3, the dividend is less than the divisor, and is the result.
//!
//! A round takes up to 20 from n. It multiplies `r` by that power of two to `x` and subtracts from it the
//! nearest multiple `qy`, whose factor is found from the reciprocal of `y`. In the first round `x` is below
//! 2^24, and at most half of `y` times 2^20 in others. So the factor is off by less than 2^-27, and the rest
//! is at most half of `y`, and a bit.
//!
//! The rest is exact. `y` is cut into its upper 26 bits and 27 others of the same sign, so that the
//! products of both with `q` are exact. Let u be the unit of the last place of `y`. If `x` is a multiple of
//! it, so are both differences, and they are below 2^53 u: the second is about half of `y`, and what is
//! added to that in the first is below 2^51 u. If not, the round is the first and the last one, and `x` is below
//! `y`. Then `q` is zero, or it is 1 and `x` is from half of `y` to `y`, or less by a bit that does not
//! make the differences longer: where it did, `y` is a power of two, its reciprocal is exact, and `q` is
//! zero.
//!
//! In the end `y` is added to a rest below zero. What remains is a multiple of the least number when it is
//! multiplied by the inverses of the divisor's powers of two, which is exact. A rest of an infinite
//! dividend, or by a divisor that is zero or NaN, is NaN. An infinite divisor is more than any finite
//! dividend.
//!
//! There are at most 154 rounds, whatever the floats are.

use super::body::Body;
use super::float_bits::{FIELD, INFINITY, SIGN, Steps};
use super::module::{Id, Reg};
use spirv::{GlslStd450Op as Glsl, LoopControl, Op as Spirv};

/// How many bits the divisor's lower part has.
const LOWER: u32 = 27;
/// The most that a round takes from n.
const ROUND: u64 = 20;
/// The numbers around it are whole ones, to which sums are rounded.
const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;

/// The divisor.
struct Divisor {
    upper: Id,
    lower: Id,
    reciprocal: Id,
}

impl Body<'_> {
    /// Writes the steps; the result for two floats. Its NaN need not be the canonical one.
    pub(super) fn remainder(&mut self, [a, b]: [Id; 2]) -> Id {
        let mut steps = Steps { code: &mut self.code };
        let [magnitude_a, magnitude_b] = [a, b].map(|operand| steps.masked(operand, !SIGN));
        let (r, field_a) = steps.scaled(magnitude_a);
        // Its inverse is to be normal.
        let (group, one) = (steps.group(magnitude_b), steps.bits(1 << FIELD));
        let field_b = steps.int(Spirv::BitwiseOr, group, one);
        let scale = steps.inverse(field_b);
        let y = steps.mul(magnitude_b, scale);
        let (y, group) = steps.scaled(y);
        // n in halves of a field's unit, which it has room for.
        let fields = steps.int(Spirv::ISub, field_a, field_b);
        let fields = steps.shift(Spirv::ShiftRightArithmetic, fields, 1);
        let half = steps.shift(Spirv::ShiftRightLogical, group, 1);
        let n = steps.int(Spirv::ISub, fields, half);
        let n = steps.plus(n, 1023 << (FIELD - 1));
        let one = steps.bits(1f64.to_bits());
        let reciprocal = steps.float(Spirv::FDiv, one, y);
        let upper = steps.masked(y, u64::MAX << LOWER);
        let lower = steps.sub(y, upper);
        let rest = self.rounds(r, n, &Divisor { upper, lower, reciprocal });

        let mut steps = Steps { code: &mut self.code };
        let zero = steps.bits(0);
        let is_below = steps.int(Spirv::SLessThan, rest, zero);
        let more = steps.select(is_below, y, zero);
        let rest = steps.add(rest, more);
        let rest = steps.mul(rest, group);
        let rest = steps.mul(rest, field_b);
        let sign = steps.masked(a, SIGN);
        let rest = steps.int(Spirv::BitwiseOr, rest, sign);
        let is_less = steps.int(Spirv::ULessThan, magnitude_a, magnitude_b);
        let nan = steps.bits(INFINITY + 1);
        let is_number = steps.int(Spirv::ULessThan, magnitude_b, nan);
        let stays = steps.int(Spirv::LogicalAnd, is_less, is_number);
        steps.select(stays, a, rest)
    }

    /// The rest after all rounds.
    fn rounds(&mut self, r: Id, n: Id, divisor: &Divisor) -> Id {
        let (rest, left) = (self.code.local(Reg::F64), self.code.local(Reg::U64));
        self.code.store(rest, r);
        self.code.store(left, n);
        self.enter_loop();
        let bound = self.loop_bound(true);
        let code = &mut self.code;
        let (header, body, next, merge) = (code.label(), code.label(), code.label(), code.label());
        code.open(header, true);
        code.begin_loop(merge, next, body, LoopControl::NONE);
        code.open(body, true);
        if let Some(bound) = bound {
            self.count_round(bound, merge);
        }
        let code = &mut self.code;
        let (r, n) = (code.load(Reg::F64, rest), code.load(Reg::U64, left));
        let mut steps = Steps { code };
        let (r, n) = steps.round(r, n, divisor);
        let zero = steps.bits(0);
        let is_last = steps.int(Spirv::IEqual, n, zero);
        let code = &mut self.code;
        code.store(rest, r);
        code.store(left, n);
        let (last, more) = (code.label(), code.label());
        code.branch_if(is_last, last, more, more);
        code.open(last, true);
        self.leave_loops(1);
        let code = &mut self.code;
        code.branch(merge);
        code.open(more, true);
        code.branch(next);
        code.open(next, true);
        code.branch(header);
        code.open(merge, true);
        code.load(Reg::F64, rest)
    }
}

impl Steps<'_> {
    /// What is left of the dividend and of n.
    fn round(&mut self, r: Id, n: Id, divisor: &Divisor) -> (Id, Id) {
        let most = self.bits(ROUND << (FIELD - 1));
        let taken = self.chosen(Glsl::SMin, n, most);
        let twice = self.shift(Spirv::ShiftLeftLogical, taken, 1);
        let power = self.plus(twice, 1023 << FIELD);
        let x = self.mul(r, power);
        let whole = self.bits(WHOLE.to_bits());
        let quotient = self.mul(x, divisor.reciprocal);
        let above = self.add(quotient, whole);
        let q = self.sub(above, whole);
        let rest = [divisor.upper, divisor.lower].into_iter().fold(x, |rest, part| {
            let multiple = self.mul(q, part);
            self.sub(rest, multiple)
        });
        (rest, self.int(Spirv::ISub, n, taken))
    }
}
