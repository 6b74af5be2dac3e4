//! Ops on floats in several steps: roots that are corrected, and what is computed in a wider float.

use super::body::Body;
use super::float::scalar_of;
use super::float_cast::Counts;
use super::float_order::sign_bit;
use super::module::{Id, Reg};
use super::op::Lane;
use crate::ir::{Function, InstKind, Value};
use crate::ops::Op;
use crate::soft::plan::{Form, Group};
use crate::types::Scalar;
use spirv::{GlslStd450Op as Glsl, Op as Spirv};
use std::collections::{BTreeMap, BTreeSet};

/// How small operands of a root are scaled.
struct Scale {
    /// Operands below two to this power are scaled.
    below: i32,
    /// By two to this power, which is even.
    up: i32,
}

impl Scale {
    const fn of(reg: Reg) -> Self {
        match reg {
            Reg::F64 => Self { below: -900, up: 600 },
            _ => Self { below: -80, up: 100 },
        }
    }
}

impl Body<'_> {
    /// The square root.
    pub(super) fn root(&mut self, lane: &Lane<'_>, form: Form, a: Id) -> Id {
        match form {
            Form::Refined => self.refined_root(lane, a),
            Form::Corrected => self.corrected_root(lane, a),
            Form::Wider => {
                let wide = self.widened(a);
                let root = self.function(Glsl::Sqrt, &[wide]);
                self.narrowed(root)
            }
            _ => self.function(Glsl::Sqrt, &[a]),
        }
    }

    /// The root of an `f32` by the target's reciprocal root, which Vulkan promises to be off by at most two
    /// units in the last place; and the root's reciprocal, where the kernel divides 1 by it.
    ///
    /// Before its last rounding, what [`Self::step_to_root`] gives errs by less than 2^-42.5 of it. So it
    /// is right wherever the root is further than that from all numbers halfway between two `f32`s. The
    /// roots of 75 fractions are not, and the probe asks about each of these.
    ///
    /// What is not a number from 2^-95 to the greatest one takes a branch: the less ones are scaled by
    /// an even power of two before and by half of it after, zeros and the infinity are their own
    /// roots, and what is below zero or NaN gives NaN in any way. The two fractions whose root is
    /// the greatest number below a power of two take it as well, if the reciprocal is asked for.
    fn refined_root(&mut self, lane: &Lane<'_>, a: Id) -> Id {
        let is_inverted = lane.args.first().is_some_and(|&operand| self.inverted_roots.contains(&operand));
        let bits = self.bits(a);
        let [least, count] = [2f32.powi(-95).to_bits(), f32::INFINITY.to_bits() - 2f32.powi(-95).to_bits()];
        let [least, count] = [least, count].map(|bits| self.code.word(bits));
        let place = self.code.binary(Spirv::ISub, bits, least);
        let mut is_usual = self.code.binary(Spirv::ULessThan, place, count);
        let (root, near) = self.step_to_root(a);
        let mut results = vec![root];
        if is_inverted {
            results.push(self.steps_to_inverse(root, near));
            let fraction = self.code.masked(bits, 0xff_fffe);
            let greatest = self.code.word(0x7f_fffe);
            let is_less = self.code.binary(Spirv::INotEqual, fraction, greatest);
            is_usual = self.code.binary(Spirv::LogicalAnd, is_usual, is_less);
        }
        let variables: Vec<Id> = results.iter().map(|_| self.code.local(Reg::F32)).collect();
        for (&variable, &result) in variables.iter().zip(&results) {
            self.code.store(variable, result);
        }
        let (done, unusual) = (self.code.label(), self.code.label());
        self.code.branch_if(is_usual, done, unusual, done);
        self.code.open(unusual, true);
        let mut results = vec![self.unusual_root(a, least)];
        if is_inverted {
            let one = self.number(Reg::F32, 1.0);
            results.push(self.exactly(Spirv::FDiv, one, results[0]));
        }
        for (&variable, &result) in variables.iter().zip(&results) {
            self.code.store(variable, result);
        }
        self.code.open(done, true);
        let results: Vec<Id> = variables.iter().map(|&variable| self.code.load(Reg::F32, variable)).collect();
        if let [root, inverse] = results[..] {
            self.inverses.insert(root, inverse);
        }
        results[0]
    }

    /// The root of what is no number from `least` to the greatest one.
    fn unusual_root(&mut self, a: Id, least: Id) -> Id {
        let bits = self.bits(a);
        let magnitude = self.code.masked(bits, sign_bit(Scalar::F32) - 1);
        let is_small = self.code.binary(Spirv::ULessThan, magnitude, least);
        let [up, down, one] = [64, -32, 0].map(|power| self.number(Reg::F32, 2f64.powi(power)));
        let (factor, back) = (self.choose(is_small, up, one), self.choose(is_small, down, one));
        let scaled = self.exactly(Spirv::FMul, a, factor);
        let (root, _) = self.step_to_root(scaled);
        let root = self.exactly(Spirv::FMul, root, back);
        let [zero, infinity] = [0, Scalar::F32.infinity()].map(|bits| self.code.constant(Reg::U32, bits));
        let is_zero = self.code.binary(Spirv::IEqual, magnitude, zero);
        let is_infinite = self.code.binary(Spirv::IEqual, bits, infinity);
        let stays = self.code.binary(Spirv::LogicalOr, is_zero, is_infinite);
        self.code.select(stays, a, root)
    }

    /// The root of a number that is not small, and the target's reciprocal root `y`: with `g = xy` and
    /// `h = y/2`, the root is `g + (x - gg)h`.
    fn step_to_root(&mut self, x: Id) -> (Id, Id) {
        let fused = self.target.native.form(Group::Fused32);
        let reciprocal = self.function(Glsl::InverseSqrt, &[x]);
        let half = self.number(Reg::F32, 0.5);
        let (near, half) = (self.exactly(Spirv::FMul, x, reciprocal), self.exactly(Spirv::FMul, reciprocal, half));
        let minus = self.negated(near);
        let rest = self.mul_add(fused, [minus, near, x]);
        (self.mul_add(fused, [rest, half, near]), reciprocal)
    }

    /// The reciprocal of a root `r` that is not the greatest number below a power of two, from one that is
    /// near: twice `y + (1 - ry)y`.
    ///
    /// After the first step it errs by little more than half of its unit, so that `e = 1 - ry` is exact
    /// in the second one, whose sum is `(1 - ee)/r` before it is rounded. That is wrong only if a number
    /// halfway between two `f32`s is not above `1/r` and not below the sum. With `r` as an integer `b`
    /// of 24 bits and such a number as an odd `m` of 25, `bm` is then `2^48 - 1`, the only number that
    /// near, and `|e|` is at least `2^-24`. The latter is so only for `b` above `2^24 - 64`, and of these only
    /// `2^24 - 1` divides it.
    fn steps_to_inverse(&mut self, root: Id, near: Id) -> Id {
        let fused = self.target.native.form(Group::Fused32);
        let (minus, one) = (self.negated(root), self.number(Reg::F32, 1.0));
        let mut near = near;
        for _ in 0..2 {
            let rest = self.mul_add(fused, [minus, near, one]);
            near = self.mul_add(fused, [rest, near, near]);
        }
        near
    }

    /// The target's root, which may be off by a unit in the last place, set right.
    ///
    /// Let `y` be that root of `x`, and `u` its unit. The root of `x` is above `y + u/2` exactly if `x`
    /// is above `y(y + u) + u²/4`. All of `x`, `y` and `u` are multiples of `u` or of its square, so
    /// that `x - y(y + u)` is one of `u²`, and the condition is that it is above zero. Likewise the root
    /// is below `y - u/2` exactly if `x - y(y - u)` is not above zero. A root is never halfway
    /// between two numbers. The sign of a fused product is that of the exact one, as long as `u²`
    /// is not subnormal; so small operands are scaled by an even power of two before, and
    /// their roots by half of it after, both exactly.
    ///
    /// Zeros, infinities and NaNs stay: a neighbour of them is NaN or is multiplied by them, and no
    /// comparison holds.
    fn corrected_root(&mut self, lane: &Lane<'_>, a: Id) -> Id {
        let (reg, ty) = (self.code.reg(a), scalar_of(self.code.reg(a)));
        let (group, scale) = match reg {
            Reg::F64 => (Group::Fused64, Scale::of(reg)),
            _ => (Group::Fused32, Scale::of(reg)),
        };
        let fused = self.target.native.form(group);
        let is_large = self.least_exponent(lane).is_some_and(|least| least >= scale.below);
        let one = self.number(reg, 1.0);
        let (mut x, mut back) = (a, one);
        if !is_large {
            let (bits, bound) = (self.bits(a), self.number(reg, 2f64.powi(scale.below)));
            let bound = self.bits(bound);
            // Without the sign: the root of a subnormal below zero is NaN, if it is not taken for zero.
            let magnitude = self.code.masked(bits, ty.mask() >> 1);
            let small = self.code.binary(Spirv::ULessThan, magnitude, bound);
            let (up, down) = (self.number(reg, 2f64.powi(scale.up)), self.number(reg, 2f64.powi(-scale.up / 2)));
            let factor = self.choose(small, up, one);
            x = self.exactly(Spirv::FMul, a, factor);
            back = self.choose(small, down, one);
        }
        let root = self.function(Glsl::Sqrt, &[x]);
        let bits = self.bits(root);
        let word = self.code.reg(bits);
        // The neighbours, with the opposite sign.
        let (below, above) = (self.code.constant(word, sign_bit(ty) - 1), self.code.constant(word, sign_bit(ty) + 1));
        let (less, more) = (self.code.binary(Spirv::IAdd, bits, below), self.code.binary(Spirv::IAdd, bits, above));
        let zero = self.number(reg, 0.0);
        let mut value = bits;
        for (opposite, relation) in [(less, Spirv::FOrdLessThanEqual), (more, Spirv::FOrdGreaterThan)] {
            let factor = self.of_bits(reg, opposite);
            let residual = self.mul_add(fused, [factor, root, x]);
            let beyond = self.code.value(relation, Reg::Bool, &[residual, zero]);
            let sign = self.code.constant(word, sign_bit(ty));
            let neighbour = self.code.binary(Spirv::BitwiseXor, opposite, sign);
            value = self.code.select(beyond, neighbour, value);
        }
        let value = self.of_bits(reg, value);
        if is_large { value } else { self.exactly(Spirv::FMul, value, back) }
    }

    /// The least exponent that the first operand has unless it is zero; `None` if it may have any.
    fn least_exponent(&self, lane: &Lane<'_>) -> Option<i32> {
        let (least, _) = self.floats.exponents(*lane.args.first()?)?;
        Some(least)
    }

    /// The quotient of `f32`s, in `f64`: a quotient of numbers of 24 bits that is not exactly
    /// halfway between two `f32`s is further from there than by 2⁻⁴⁸ of itself, and an `f64` is off by
    /// less than 2⁻⁵². So rounding once more gives what rounding once does, also where the result
    /// is subnormal.
    pub(super) fn wider_quotient(&mut self, a: Id, b: Id) -> Id {
        let (a, b) = (self.widened(a), self.widened(b));
        let quotient = self.exactly(Spirv::FDiv, a, b);
        self.narrowed(quotient)
    }

    /// A quotient of `f64`s by a target that gets some subnormal ones wrong. Those and zeros are left to the library,
    /// unless the dividend is zero.
    pub(super) fn checked_quotient(&mut self, lane: &Lane<'_>, a: Id, b: Id) -> Id {
        let quotient = self.exactly(Spirv::FDiv, a, b);
        let variable = self.code.local(Reg::F64);
        self.code.store(variable, quotient);
        let magnitude = |this: &mut Self, value| {
            let words = this.words_of_value(&[value], Reg::U32);
            let [low, high] = words[..] else { return [this.code.word(0); 2] };
            [low, this.code.masked(high, 0x7fff_ffff)]
        };
        let [_, high] = magnitude(self, quotient);
        // Twice the least normal number.
        let normal = self.code.word(0x0020_0000);
        let is_small = self.code.binary(Spirv::ULessThan, high, normal);
        let [low, high] = magnitude(self, a);
        let any = self.code.binary(Spirv::BitwiseOr, low, high);
        let is_some = self.code.truth(any);
        let is_doubtful = self.code.binary(Spirv::LogicalAnd, is_small, is_some);
        self.when(is_doubtful, |this| {
            if let Some(&right) = this.by_library(lane).first() {
                this.code.store(variable, right);
            }
        });
        self.code.load(Reg::F64, variable)
    }

    /// `a * b + c` of `f32`s, in `f64`, where the product is exact and the sum is rounded to odd.
    pub(super) fn wider_mul_add(&mut self, operands: [Id; 3]) -> Id {
        let [a, b, c] = operands.map(|operand| self.widened(operand));
        let product = self.exactly(Spirv::FMul, a, b);
        let sum = self.odd_sum(product, c);
        self.narrowed(sum)
    }

    /// `a * b + c` of `f16`s, in `f32`, likewise.
    pub(super) fn mul_add_of_halves(&mut self, operands: [Id; 3]) -> Id {
        let [a, b, c] = operands.map(|operand| self.converted((Scalar::F16, Scalar::F32), operand));
        let product = self.exactly(Spirv::FMul, a, b);
        let sum = self.odd_sum(product, c);
        self.converted((Scalar::F32, Scalar::F16), sum)
    }

    /// A sum that is rounded to odd: one that is not exact is that neighbour of the exact sum
    /// whose last bit is set. Rounding that to two bits less or fewer rounds the exact sum.
    ///
    /// What the sum lost is the exact sum of the two errors that follow, as long as nothing overflows or
    /// is subnormal. If the last bit is clear, the neighbour on the other side of the exact sum has it
    /// set. What an infinity or a NaN lost is NaN, which counts as nothing.
    fn odd_sum(&mut self, a: Id, b: Id) -> Id {
        let reg = self.code.reg(a);
        let sum = self.exactly(Spirv::FAdd, a, b);
        let of_b = self.exactly(Spirv::FSub, sum, a);
        let of_a = self.exactly(Spirv::FSub, sum, of_b);
        let (lost_a, lost_b) = (self.exactly(Spirv::FSub, a, of_a), self.exactly(Spirv::FSub, b, of_b));
        let lost = self.exactly(Spirv::FAdd, lost_a, lost_b);
        let zero = self.number(reg, 0.0);
        let inexact = self.code.value(Spirv::FOrdNotEqual, Reg::Bool, &[lost, zero]);
        let (bits, other) = (self.bits(sum), self.bits(lost));
        let word = self.code.reg(bits);
        let [zero, one, minus] = [0, 1, u64::MAX >> (64 - word.bits())].map(|bits| self.code.constant(word, bits));
        let last = self.code.binary(Spirv::BitwiseAnd, bits, one);
        let even = self.code.binary(Spirv::IEqual, last, zero);
        let signs = self.code.binary(Spirv::BitwiseXor, bits, other);
        let opposite = self.code.binary(Spirv::SLessThan, signs, zero);
        let step = self.code.select(opposite, minus, one);
        let odd = self.code.binary(Spirv::IAdd, bits, step);
        let wrong = self.code.binary(Spirv::LogicalAnd, inexact, even);
        let bits = self.code.select(wrong, odd, bits);
        self.of_bits(reg, bits)
    }

    /// An `f32` as an `f64`.
    fn widened(&mut self, value: Id) -> Id {
        self.converted((Scalar::F32, Scalar::F64), value)
    }

    /// The nearest `f32` of an `f64`.
    fn narrowed(&mut self, value: Id) -> Id {
        self.converted((Scalar::F64, Scalar::F32), value)
    }

    /// A float of one register as another one.
    fn converted(&mut self, types: (Scalar, Scalar), value: Id) -> Id {
        self.float_cast(types, &[value], Counts::NUMBERS).first().copied().unwrap_or(value)
    }
}

/// The operands of the roots that 1 is divided by.
pub(super) fn inverted_roots(function: &Function) -> BTreeSet<Value> {
    let of = |op: Op| {
        function.insts.iter().filter_map(move |(_, def)| match &def.kind {
            InstKind::Op(other, args) if *other == op => Some((def.results.first().copied()?, args.as_slice())),
            _ => None,
        })
    };
    let roots: BTreeMap<Value, Value> = of(Op::Sqrt).filter_map(|(root, args)| Some((root, *args.first()?))).collect();
    let divisors = of(Op::Div).filter_map(|(_, args)| match *args {
        [number, divisor] if function.constant_bits(number) == Some(1f32.to_bits().into()) => Some(divisor),
        _ => None,
    });
    divisors.filter_map(|divisor| roots.get(&divisor).copied()).collect()
}

#[cfg(test)]
mod tests {
    //! The arithmetic of the steps, against Rust's own.

    use super::*;

    /// Bits that are often near an edge: of the exponents, and of the fractions.
    fn bits(state: &mut u64) -> u32 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let random = (*state >> 32) as u32;
        match *state >> 20 & 7 {
            0 => random & 0x807f_ffff,
            1 => random & 0x80ff_ffff,
            2 => random & 0xff80_0003,
            3 => random | 0x7f_fffc,
            4 => random & 0x8000_0007,
            5 => random & 0x807f_ffff | 0x3f80_0000,
            _ => random,
        }
    }

    fn same(a: f32, b: f32) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    /// What [`Body::corrected_root`] writes, of a root that is off by some units.
    fn corrected(a: f32, off: i32) -> f32 {
        let scale = Scale::of(Reg::F32);
        let small = a.to_bits() < 2f32.powi(scale.below).to_bits();
        let (factor, back) = if small { (2f32.powi(scale.up), 2f32.powi(-scale.up / 2)) } else { (1.0, 1.0) };
        let x = a * factor;
        let mut root = x.sqrt();
        if root.is_normal() {
            root = f32::from_bits(root.to_bits().wrapping_add_signed(off));
        }
        let mut value = root.to_bits();
        for (step, below) in [(0x7fff_ffffu32, true), (0x8000_0001, false)] {
            let opposite = root.to_bits().wrapping_add(step);
            let residual = f32::from_bits(opposite).mul_add(root, x);
            if if below { residual <= 0.0 } else { residual > 0.0 } {
                value = opposite ^ 0x8000_0000;
            }
        }
        f32::from_bits(value) * back
    }

    #[test]
    fn a_root_that_is_off_by_one_is_set_right() {
        let mut state = 1;
        let edges = [0, 1, 2, 3, 0x7f_ffff, 0x80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 0x17ff_ffff, 0x1780_0000];
        let edges = edges.into_iter().flat_map(|bits| [bits, bits | 1 << 31]);
        for bits in edges.chain(std::iter::repeat_with(|| bits(&mut state)).take(2_000_000)) {
            let a = f32::from_bits(bits);
            for off in -1..=1 {
                let root = corrected(a, off);
                assert!(same(root, a.sqrt()), "{bits:#x} {off}: {root:e} is not {:e}", a.sqrt());
            }
        }
    }

    /// What [`Body::step_to_root`] and [`Body::steps_to_inverse`] write, of a reciprocal root that is off
    /// by some units.
    fn refined(x: f32, off: i32) -> [f32; 2] {
        let y = (1.0 / f64::from(x).sqrt()) as f32;
        let y = f32::from_bits(y.to_bits().wrapping_add_signed(off));
        let (g, h) = (x * y, y * 0.5);
        let root = (-g).mul_add(g, x).mul_add(h, g);
        let inverse = (0..2).fold(y, |y, _| (-root).mul_add(y, 1.0).mul_add(y, y));
        [root, inverse]
    }

    #[test]
    fn a_root_is_refined_and_inverted_unless_it_is_next_to_a_tie_or_to_a_power_of_two() {
        let mut wrong_roots = BTreeSet::new();
        for fraction in (0..1 << 24).step_by(7).chain((1 << 24) - 4096..1 << 24) {
            let x = f32::from_bits(0x3f80_0000 + fraction);
            let root = x.sqrt();
            for off in -2..=2 {
                let [refined, inverse] = refined(x, off);
                if refined != root {
                    wrong_roots.insert(fraction);
                } else if x.to_bits() & 0xff_fffe != 0x7f_fffe {
                    assert_eq!(inverse, 1.0 / root, "{x:e} {off}");
                }
            }
        }
        // Of these the probe asks.
        assert!(wrong_roots.len() < 20, "{}", wrong_roots.len());
    }

    #[test]
    fn a_quotient_and_a_root_may_be_rounded_twice() {
        let mut state = 2;
        for _ in 0..2_000_000 {
            let [a, b] = [bits(&mut state), bits(&mut state)].map(f32::from_bits);
            assert!(same((f64::from(a) / f64::from(b)) as f32, a / b), "{a:e} {b:e}");
            assert!(same(f64::from(a).sqrt() as f32, a.sqrt()), "{a:e}");
        }
    }

    /// What [`Body::odd_sum`] writes.
    fn odd(a: f64, b: f64) -> f64 {
        let sum = a + b;
        let of_b = sum - a;
        let of_a = sum - of_b;
        let lost = (a - of_a) + (b - of_b);
        let bits = sum.to_bits();
        if lost != 0.0 && !lost.is_nan() && bits & 1 == 0 {
            let opposite = ((bits ^ lost.to_bits()) as i64) < 0;
            return f64::from_bits(bits.wrapping_add(if opposite { u64::MAX } else { 1 }));
        }
        sum
    }

    #[test]
    fn a_sum_that_is_rounded_to_odd_may_be_rounded_again() {
        let mut state = 3;
        for round in 0..2_000_000 {
            let [a, b, mut c] = [bits(&mut state), bits(&mut state), bits(&mut state)].map(f32::from_bits);
            if round % 3 == 0 {
                // Close to what the product is, or to a half of its unit.
                c = -(a * b) * (1.0 + f32::from_bits(bits(&mut state) & 7 | 0x3300_0000));
            }
            let value = odd(f64::from(a) * f64::from(b), f64::from(c)) as f32;
            assert!(same(value, a.mul_add(b, c)), "{a:e} {b:e} {c:e}: {value:e}, {:e}", a.mul_add(b, c));
        }
    }
}
