//! Floats: the target's own forms of ops and casts, and NaN.
//!
//! `NoContraction` keeps a product and a sum apart, except in a fused product, which is
//! a product and a sum without it.

use super::body::Body;
use super::module::{Id, Reg};
use super::op::Lane;
use crate::ops::Op;
use crate::soft::Routine;
use crate::soft::plan::{Form, Way};
use crate::types::{Kind, Scalar};
use spirv::{GlslStd450Op as Glsl, Op as Spirv};

impl Body<'_> {
    /// The target's own form of one lane of an op on floats, if there is one.
    pub(super) fn float(&mut self, lane: &Lane<'_>, form: Form) -> Option<Id> {
        let operands = self.floats(lane);
        if !self.code.reg(operands[0]).is_float() {
            return None;
        }
        let value = self.strict(lane.op, form, operands)?;
        Some(self.canonical(value, lane.ty, lane.observed))
    }

    /// Operands of one register each.
    fn floats(&mut self, lane: &Lane<'_>) -> [Id; 3] {
        let zero = self.code.word(0);
        [0, 1, 2].map(|i| lane.operands.get(i).and_then(|registers| registers.first()).copied().unwrap_or(zero))
    }

    /// Rounded to nearest.
    fn strict(&mut self, op: Op, form: Form, [a, b, c]: [Id; 3]) -> Option<Id> {
        let (reg, code) = (self.code.reg(a), &mut self.code);
        let value = match op {
            Op::Add => code.value(Spirv::FAdd, reg, &[a, b]),
            Op::Sub => code.value(Spirv::FSub, reg, &[a, b]),
            Op::Mul => code.value(Spirv::FMul, reg, &[a, b]),
            Op::Div => code.value(Spirv::FDiv, reg, &[a, b]),
            Op::Sqrt if form == Form::Exact => code.glsl(Glsl::Sqrt, reg, &[a]),
            Op::MulAdd if form == Form::Function => code.glsl(Glsl::Fma, reg, &[a, b, c]),
            Op::MulAdd if form == Form::Pair => {
                let product = code.value(Spirv::FMul, reg, &[a, b]);
                return Some(code.value(Spirv::FAdd, reg, &[c, product]));
            }
            _ => return None,
        };
        Some(code.exact(value))
    }

    /// As the target does it.
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

    /// Makes a NaN canonical if anybody looks.
    pub(super) fn canonical(&mut self, value: Id, ty: Scalar, observed: bool) -> Id {
        let words = match (observed, ty) {
            (true, Scalar::F32) => self.applied(Routine::F32Canonical, &[value], ty),
            (true, Scalar::F64) => {
                let Some(&nan) = self.applied(Routine::F64IsNan, &[value], Scalar::Bool).first() else { return value };
                let canonical = crate::scalar::nan(ty).unwrap_or_default();
                let [low, high] = self.code.halves(value);
                let (zeros, top) = (self.code.word(canonical as u32), self.code.word((canonical >> 32) as u32));
                let (low, high) = (self.code.select(nan, zeros, low), self.code.select(nan, top, high));
                vec![self.code.joined(Reg::F64, [low, high])]
            }
            _ => return value,
        };
        words.first().copied().unwrap_or(value)
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
        let mut words = self.code.words(value);
        words.extend(operands.iter().flat_map(|&operand| self.code.words(operand)).collect::<Vec<_>>());
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
    /// choice at all, so known floats are chosen as words.
    pub(super) fn choose(&mut self, condition: Id, accept: Id, reject: Id) -> Id {
        let reg = self.code.reg(accept);
        if reg != Reg::F32 || self.is_loose || self.code.known(accept).or(self.code.known(reject)).is_none() {
            return self.code.select(condition, accept, reject);
        }
        let [accept, reject] = [accept, reject].map(|value| self.code.bitcast(Reg::U32, value));
        let word = self.code.select(condition, accept, reject);
        self.code.bitcast(reg, word)
    }

    /// From a float or to one.
    pub(super) fn float_cast(&mut self, (source, target): (Scalar, Scalar), value: &[Id], observed: bool) -> Vec<Id> {
        let way = self.target.native.cast(source, target);
        match (way, Routine::of_cast(source, target)) {
            (Way::Widened, _) => {
                let single = self.float_cast((source, Scalar::F32), value, false);
                self.float_cast((Scalar::F32, target), &single, observed)
            }
            (Way::Routine(routine), _) => self.applied(routine, value, target),
            (_, Some(routine)) => self.applied(routine, value, target),
            (Way::Lengthened, None) => {
                let long = if source.is_signed() { Scalar::I64 } else { Scalar::U64 };
                let value = self.resize((source, long), value, crate::analysis::facts::Fact::any(source));
                self.float_cast((long, target), &value, observed)
            }
            (_, None) => value.first().map(|&word| self.int_to_float(source, target, word)).into_iter().collect(),
        }
    }

    /// The nearest float of an integer of at most 32 bits.
    fn int_to_float(&mut self, source: Scalar, target: Scalar, word: Id) -> Id {
        let (reg, signed) = (self.target.register(target).0, source.kind() == Kind::Signed);
        let number = if signed && source.bits() < 32 { self.code.sign_extended(word, source.bits()) } else { word };
        let convert = |signed| if signed { Spirv::ConvertSToF } else { Spirv::ConvertUToF };
        if source.bits() < 32 || reg == Reg::F64 || self.is_loose {
            return self.code.value(convert(signed), reg, &[number]);
        }
        // Some devices do not round what has more than 24 bits to nearest. Its halves have few, and
        // their sum rounds once.
        let sixteen = self.code.word(16);
        let shift = if signed { Spirv::ShiftRightArithmetic } else { Spirv::ShiftRightLogical };
        let (high, low) = (self.code.binary(shift, number, sixteen), self.code.masked(number, 0xffff));
        let (high, low) =
            (self.code.value(convert(signed), reg, &[high]), self.code.value(Spirv::ConvertUToF, reg, &[low]));
        let scale = self.code.constant(reg, 65536f32.to_bits().into());
        let high = self.code.value(Spirv::FMul, reg, &[high, scale]);
        let high = self.code.exact(high);
        let sum = self.code.value(Spirv::FAdd, reg, &[high, low]);
        self.code.exact(sum)
    }
}
