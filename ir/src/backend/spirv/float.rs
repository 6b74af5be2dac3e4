//! Floats: arithmetic in the form that the plan says, bits of signs, and NaN.
//!
//! Every instruction has `NoContraction`, which keeps a product and a sum apart, except for the
//! two of a fused product in the form [`Pair`](Form::Pair): a product and, with the product as its
//! second operand, a sum or a difference. These are one operation to a target that has that form. Each
//! fused product has a product of its own, with other operands than every other product: compilers take
//! products of the same operands for one, and were seen not to fuse it if one of them must not be
//! contracted, or if there is a branch between the sums. The second one has its first factor negated.
//!
//! What only moves, tests or changes bits is done on integers: drivers flush subnormals even in
//! `FAbs`.

use super::body::Body;
use super::float_order::sign_bit;
use super::library::Stepped;
use super::module::{Id, Reg};
use super::op::Lane;
use crate::analysis::floats::Classes;
use crate::ir::{Function, InstKind};
use crate::ops::Op;
use crate::scalar::nan;
use crate::soft::Routine;
use crate::soft::plan::{Form, Group, Native, Way};
use crate::types::Scalar;
use spirv::{GlslStd450Op as Glsl, Op as Spirv};

/// The products of the same two factors in a function.
#[derive(Default)]
pub(super) struct Products {
    /// How many there are that a compiler may not take for the same.
    count: u32,
    /// Which of these is not fused with any sum.
    exact: Option<u32>,
}

/// What a float is disguised for. A disguise is an xor, and two of one number would undo each other.
/// The factors of products have small numbers.
pub(super) struct Disguise;

impl Disguise {
    /// A literal.
    pub(super) const LITERAL: u32 = 1 << 8;
    /// What was compared.
    pub(super) const COMPARED: u32 = 2 << 8;
    /// What was rounded to an `f16`.
    pub(super) const ROUNDED: u32 = 4 << 8;
    /// What becomes an integer.
    pub(super) const CONVERTED: u32 = 8 << 8;
    /// What follows from literals.
    pub(super) const FOLLOWS: u32 = 16 << 8;
    /// What a function has returned.
    pub(super) const RETURNED: u32 = 32 << 8;
}

impl Body<'_> {
    /// The target's own form of one lane of an op on floats, if there is one.
    pub(super) fn float(&mut self, lane: &Lane<'_>, form: Form) -> Option<Id> {
        let operands @ [a, b, _] = self.floats(lane);
        match lane.op {
            Op::Neg | Op::Abs | Op::CopySign => return self.sign(lane, a, b),
            Op::IsNan | Op::IsInfinite | Op::IsFinite => return self.class_test(lane, a),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Min | Op::Max => {
                return self.ordered(lane, form);
            }
            _ => {}
        }
        let halves = lane.ty == Scalar::F16 && (lane.op, form) == (Op::MulAdd, Form::Wider);
        if !halves && !self.code.reg(a).is_float() {
            return None;
        }
        let value = match lane.op {
            Op::MulAdd if halves => self.mul_add_of_halves(operands),
            Op::Add => self.exactly(Spirv::FAdd, a, b),
            Op::Sub => self.exactly(Spirv::FSub, a, b),
            Op::Mul => self.exactly(Spirv::FMul, a, b),
            Op::Div => match self.inverses.get(&b).filter(|_| self.code.known(a) == Some(1f32.to_bits().into())) {
                Some(&inverse) => inverse,
                None if form == Form::Wider => self.wider_quotient(a, b),
                None if form == Form::Checked => self.checked_quotient(lane, a, b),
                None => self.exactly(Spirv::FDiv, a, b),
            },
            Op::Sqrt => self.root(lane, form, a),
            Op::MulAdd => self.mul_add(form, operands),
            Op::Floor => self.function(Glsl::Floor, &[a]),
            Op::Ceil => self.function(Glsl::Ceil, &[a]),
            Op::Trunc => self.function(Glsl::Trunc, &[a]),
            Op::RoundEven => self.function(Glsl::RoundEven, &[a]),
            Op::Round => self.half_away(a),
            Op::Rem if form == Form::Split => self.in_steps(Stepped::Remainder, &[a, b]),
            // SPIR-V's remainder is off by a little.
            _ => return None,
        };
        Some(self.canonical(value, lane.ty, lane.observed))
    }

    /// Operands of one register each.
    pub(super) fn floats(&mut self, lane: &Lane<'_>) -> [Id; 3] {
        let zero = self.code.word(0);
        [0, 1, 2].map(|i| lane.operands.get(i).and_then(|registers| registers.first()).copied().unwrap_or(zero))
    }

    /// An instruction on two floats that is nothing but itself. Mesa replaces sums, products and
    /// quotients of zeros that it knows, and forgets the zeros' signs and NaN.
    pub(super) fn exactly(&mut self, op: Spirv, a: Id, b: Id) -> Id {
        let reg = self.code.reg(a);
        let [a, b] = [a, b].map(|operand| self.hidden_zero(operand));
        let a = match op {
            Spirv::FMul => {
                let number = self.number_of_product(a, b, false);
                self.as_factor(a, number)
            }
            _ => a,
        };
        let value = self.code.value(op, reg, &[a, b]);
        self.code.exact(value)
    }

    /// A function of `GLSL.std.450` that is nothing but itself.
    pub(super) fn function(&mut self, op: Glsl, operands: &[Id]) -> Id {
        let reg = operands.first().map_or(Reg::F32, |&operand| self.code.reg(operand));
        let value = self.code.glsl(op, reg, operands);
        self.code.exact(value)
    }

    /// A known float.
    pub(super) fn number(&mut self, reg: Reg, value: f64) -> Id {
        let bits = match reg {
            Reg::F64 => value.to_bits(),
            _ => (value as f32).to_bits().into(),
        };
        self.code.constant(reg, bits)
    }

    /// `a * b + c` with one rounding, in a form that is one for these registers.
    pub(super) fn mul_add(&mut self, form: Form, operands: [Id; 3]) -> Id {
        let [a, b, c] = operands.map(|operand| self.hidden_zero(operand));
        match form {
            Form::Pair => {
                // Drivers put a known addend second, and then nothing is fused.
                let (reg, c) = (self.code.reg(a), self.hidden(c));
                // They round a product of two known factors.
                let a = if self.code.known(b).is_some() { self.hidden(a) } else { a };
                let number = self.number_of_product(a, b, true);
                // A sign costs nothing.
                let (a, add) = match number {
                    1 => (self.negated(a), Spirv::FSub),
                    _ => (self.as_factor(a, number), Spirv::FAdd),
                };
                let product = self.code.value(Spirv::FMul, reg, &[a, b]);
                self.code.value(add, reg, &[c, product])
            }
            Form::Wider => self.wider_mul_add([a, b, c]),
            Form::Split => self.in_steps(Stepped::MulAdd, &[a, b, c]),
            _ => self.function(Glsl::Fma, &[a, b, c]),
        }
    }

    /// The number of a product among those of these two factors: a new one, unless neither the product
    /// nor an earlier one may be fused.
    fn number_of_product(&mut self, a: Id, b: Id, fused: bool) -> u32 {
        let products = self.products.entry([a.min(b), a.max(b)]).or_default();
        if let Some(number) = products.exact.filter(|_| !fused) {
            return number;
        }
        let number = products.count;
        products.count += 1;
        if !fused {
            products.exact = Some(number);
        }
        number
    }

    /// The first factor of the product of such a number, as a value that no compiler takes for that of
    /// another number.
    fn as_factor(&mut self, a: Id, number: u32) -> Id {
        if number == 0 { a } else { self.disguised(a, number) }
    }

    /// A float with the other sign, as the operand of a product or a sum. Drivers may flush it if it is
    /// the result.
    pub(super) fn negated(&mut self, value: Id) -> Id {
        let value = self.code.value(Spirv::FNegate, self.code.reg(value), &[value]);
        self.code.exact(value)
    }

    /// The same value; of a known zero no compiler knows that it is one.
    pub(super) fn hidden_zero(&mut self, value: Id) -> Id {
        let sign = 1u64 << (self.code.reg(value).bits().max(1) - 1);
        let is_zero = self.code.known(value).is_some_and(|bits| bits & !sign == 0);
        if is_zero { self.hidden(value) } else { value }
    }

    /// The same value; of a known NaN no compiler knows that it is one. NVIDIA's driver quiets a known
    /// NaN that is signalling.
    pub(super) fn hidden_nan(&mut self, value: Id) -> Id {
        let reg = self.code.reg(value);
        let is_nan = |bits| reg.is_float() && Classes::of_constant(scalar_of(reg), bits).may_be_nan();
        if self.code.known(value).is_some_and(is_nan) { self.hidden(value) } else { value }
    }

    /// The same value; of a known float no compiler knows what it is.
    pub(super) fn hidden(&mut self, value: Id) -> Id {
        if !self.code.reg(value).is_float() || self.code.known(value).is_none() {
            return value;
        }
        self.disguised(value, Disguise::LITERAL)
    }

    /// The same float as a value that no compiler takes for the same, nor for the one of another
    /// number, which is not 0.
    pub(super) fn disguised(&mut self, value: Id, number: u32) -> Id {
        let reg = self.code.reg(value);
        let bits = self.bits(value);
        let number = self.code.word(number);
        let zero = self.code.binary(Spirv::IMul, self.ids.zero, number);
        let zero = self.code.resize(self.code.reg(bits), zero);
        let bits = self.code.binary(Spirv::BitwiseXor, bits, zero);
        self.of_bits(reg, bits)
    }

    /// The same float; where comparisons are not exact, one that no compiler takes for what was
    /// compared.
    pub(super) fn not_compared(&mut self, value: Id) -> Id {
        let group = match self.code.reg(value) {
            Reg::F16 => Group::Order16,
            Reg::F64 => Group::Order64,
            _ => Group::Order32,
        };
        if self.target.native.form(group) == Form::Exact { value } else { self.disguised(value, Disguise::COMPARED) }
    }

    /// Rounded to a whole number, halves away from zero. The rest towards zero is exact, and adding a
    /// whole number that is 1 or 0 to a whole number is exact wherever there is a rest. It has
    /// the operand's sign, so that a zero keeps it. An infinity and a NaN have no rest, and a zero is added.
    fn half_away(&mut self, a: Id) -> Id {
        let reg = self.code.reg(a);
        let whole = self.function(Glsl::Trunc, &[a]);
        let rest = self.exactly(Spirv::FSub, a, whole);
        let (bits, scalar) = (self.bits(rest), scalar_of(reg));
        let magnitude = self.code.masked(bits, scalar.mask() >> 1);
        let [half, infinity] = [0.5, f64::INFINITY].map(|value| {
            let value = self.number(reg, value);
            self.bits(value)
        });
        // From a half to below 1.
        let below = self.code.binary(Spirv::ULessThan, magnitude, infinity);
        let above = self.code.binary(Spirv::UGreaterThanEqual, magnitude, half);
        let up = self.code.binary(Spirv::LogicalAnd, below, above);
        let (one, zero) = (self.number(reg, 1.0), self.number(reg, 0.0));
        let [one, zero] = [one, zero].map(|value| self.bits(value));
        let step = self.code.select(up, one, zero);
        let sign = self.bits(a);
        let sign = self.code.masked(sign, sign_bit(scalar));
        let step = self.code.binary(Spirv::BitwiseOr, step, sign);
        let step = self.of_bits(reg, step);
        self.exactly(Spirv::FAdd, whole, step)
    }

    /// An op on the sign bit.
    fn sign(&mut self, lane: &Lane<'_>, a: Id, b: Id) -> Option<Id> {
        let [reg, other] = [a, b].map(|value| self.code.reg(value));
        // Two words of an `f64` are the library's.
        if lane.operands.first()?.len() != 1 {
            return None;
        }
        let (bits, mask, sign) = (self.bits(a), lane.ty.mask(), sign_bit(lane.ty));
        let value = match lane.op {
            Op::Neg => {
                let sign = self.code.constant(self.code.reg(bits), sign);
                self.code.binary(Spirv::BitwiseXor, bits, sign)
            }
            Op::Abs => self.code.masked(bits, mask >> 1),
            _ if other == reg => {
                let (magnitude, of) = (self.code.masked(bits, mask >> 1), self.bits(b));
                let sign = self.code.masked(of, sign);
                self.code.binary(Spirv::BitwiseOr, magnitude, sign)
            }
            _ => return None,
        };
        Some(self.of_bits(reg, value))
    }

    /// The bits of a float as an integer of the same size; those of an `f16` as a word.
    pub(super) fn bits(&mut self, value: Id) -> Id {
        match self.code.reg(value) {
            Reg::F32 => self.code.bitcast(Reg::U32, value),
            Reg::F64 => self.code.bitcast(Reg::U64, value),
            Reg::F16 => self.words_of_value(&[value], Reg::U32).first().copied().unwrap_or(value),
            _ => value,
        }
    }

    /// The float of such a register that has these bits.
    pub(super) fn of_bits(&mut self, reg: Reg, bits: Id) -> Id {
        match reg {
            Reg::F32 | Reg::F64 => self.code.bitcast(reg, bits),
            Reg::F16 => self.value_of_words(Scalar::F16.into(), &[bits]).first().copied().unwrap_or(bits),
            _ => bits,
        }
    }

    /// Whether a float of one register is NaN.
    pub(super) fn is_nan(&mut self, value: Id, ty: Scalar) -> Id {
        if ty == Scalar::F32 && self.target.native.nan() == Form::Exact {
            let test = self.code.value(Spirv::IsNan, Reg::Bool, &[value]);
            self.float_tests.insert(test);
            return test;
        }
        let bits = self.bits(value);
        let magnitude = self.code.masked(bits, ty.mask() >> 1);
        let infinity = self.code.constant(self.code.reg(bits), ty.infinity());
        self.code.binary(Spirv::UGreaterThan, magnitude, infinity)
    }

    /// Makes a NaN canonical if anybody looks.
    pub(super) fn canonical(&mut self, value: Id, ty: Scalar, observed: bool) -> Id {
        let Some(canonical) = nan(ty).filter(|_| observed && self.target.register(ty).1 == 1) else { return value };
        let (reg, bits, test) = (self.code.reg(value), self.bits(value), self.is_nan(value, ty));
        let canonical = self.code.constant(self.code.reg(bits), canonical);
        let bits = self.code.select(test, canonical, bits);
        self.of_bits(reg, bits)
    }

    /// The target's result, or where that may be wrong, the library's.
    pub(super) fn checked(
        &mut self,
        value: Id,
        test: Routine,
        routine: Routine,
        operands: &[Id],
        observed: bool,
    ) -> Vec<Id> {
        let words = self.words_of_value(&[&[value], operands].concat(), Reg::U32);
        let Some(&right) = self.routine(test, &words).first() else { return vec![value] };
        let variable = self.code.local(Reg::F32);
        self.code.store(variable, value);
        let (fast, slow) = (self.code.label(), self.code.label());
        self.code.branch_if(right, fast, slow, fast);
        self.code.open(slow, true);
        for word in self.routine(routine, words.get(1..).unwrap_or_default()) {
            let value = self.code.bitcast(Reg::F32, word);
            self.code.store(variable, value);
        }
        self.code.open(fast, true);
        let value = self.code.load(Reg::F32, variable);
        vec![self.canonical(value, Scalar::F32, observed)]
    }

    /// One of two scalars. Drivers take a choice between known zeros of either sign for no
    /// choice at all, so known floats are chosen as words. And they take the choice of what was
    /// compared for their own minimum or maximum, which may lose subnormals and NaN.
    pub(super) fn choose(&mut self, condition: Id, accept: Id, reject: Id) -> Id {
        let reg = self.code.reg(accept);
        let known = self.code.known(accept).or(self.code.known(reject)).is_some();
        if !reg.is_float() || self.is_loose {
            return self.code.select(condition, accept, reject);
        }
        let accept = if self.float_tests.contains(&condition) { self.not_compared(accept) } else { accept };
        if !known {
            return self.code.select(condition, accept, reject);
        }
        let (accept, reject) = (self.bits(accept), self.bits(reject));
        let bits = self.code.select(condition, accept, reject);
        self.of_bits(reg, bits)
    }

    /// One lane of an op on `f32` as the target does it: fused or not, with subnormals or not,
    /// off by a little, with any NaN for a NaN.
    pub(super) fn loose(&mut self, lane: &Lane<'_>) -> Option<Id> {
        let (op, [a, b, c]) = (lane.op, self.floats(lane));
        let code = &mut self.code;
        let plain = |op, reg| (Some(op), None, reg);
        let glsl = |op| (None, Some(op), Reg::F32);
        let form = match op {
            Op::Add => plain(Spirv::FAdd, Reg::F32),
            Op::Sub => plain(Spirv::FSub, Reg::F32),
            Op::Mul => plain(Spirv::FMul, Reg::F32),
            Op::Div => plain(Spirv::FDiv, Reg::F32),
            Op::Neg => plain(Spirv::FNegate, Reg::F32),
            Op::MulAdd => glsl(Glsl::Fma),
            Op::Abs => glsl(Glsl::FAbs),
            Op::Sqrt => glsl(Glsl::Sqrt),
            Op::Min => glsl(Glsl::FMin),
            Op::Max => glsl(Glsl::FMax),
            Op::Floor => glsl(Glsl::Floor),
            Op::Ceil => glsl(Glsl::Ceil),
            Op::Trunc => glsl(Glsl::Trunc),
            Op::RoundEven => glsl(Glsl::RoundEven),
            Op::Exp => glsl(Glsl::Exp),
            Op::Exp2 => glsl(Glsl::Exp2),
            Op::Ln => glsl(Glsl::Log),
            Op::Log2 => glsl(Glsl::Log2),
            Op::Sin => glsl(Glsl::Sin),
            Op::Cos => glsl(Glsl::Cos),
            Op::Tan => glsl(Glsl::Tan),
            Op::Asin => glsl(Glsl::Asin),
            Op::Acos => glsl(Glsl::Acos),
            Op::Atan => glsl(Glsl::Atan),
            Op::Atan2 => glsl(Glsl::Atan2),
            Op::Sinh => glsl(Glsl::Sinh),
            Op::Cosh => glsl(Glsl::Cosh),
            Op::Tanh => glsl(Glsl::Tanh),
            Op::Asinh => glsl(Glsl::Asinh),
            Op::Acosh => glsl(Glsl::Acosh),
            Op::Atanh => glsl(Glsl::Atanh),
            Op::Rsqrt => glsl(Glsl::InverseSqrt),
            Op::Powf => glsl(Glsl::Pow),
            Op::Eq => plain(Spirv::FOrdEqual, Reg::Bool),
            Op::Ne => plain(Spirv::FUnordNotEqual, Reg::Bool),
            Op::Lt => plain(Spirv::FOrdLessThan, Reg::Bool),
            Op::Le => plain(Spirv::FOrdLessThanEqual, Reg::Bool),
            Op::Gt => plain(Spirv::FOrdGreaterThan, Reg::Bool),
            Op::Ge => plain(Spirv::FOrdGreaterThanEqual, Reg::Bool),
            _ => return None,
        };
        let operands = &[a, b, c][..op.info().signature.arity().1.min(3)];
        Some(match form {
            (Some(op), _, reg) => code.value(op, reg, operands),
            (_, Some(op), reg) => code.glsl(op, reg, operands),
            _ => return None,
        })
    }
}

/// Whether a function has a fused product that is a product and a sum.
pub(super) fn has_pairs(function: &Function, native: &Native) -> bool {
    function.insts.iter().any(|(inst, def)| match (&def.kind, def.results.first()) {
        (InstKind::Op(Op::MulAdd, _), Some(&result)) => {
            let lane = function.ty(result).lane();
            !function.is_loose(inst)
                && lane.is_some_and(|lane| native.op(Op::MulAdd, lane, false) == Way::Native(Form::Pair))
        }
        _ => false,
    })
}

/// The float that a register holds.
pub(super) const fn scalar_of(reg: Reg) -> Scalar {
    match reg {
        Reg::F16 => Scalar::F16,
        Reg::F64 => Scalar::F64,
        _ => Scalar::F32,
    }
}
