//! Conversions from and to floats, in the form that the plan says.

use super::body::Body;
use super::float::{Disguise, scalar_of};
use super::float_order::sign_bit;
use super::module::{Id, Reg};
use crate::analysis::facts::Fact;
use crate::ops::Op;
use crate::soft::Routine;
use crate::soft::plan::{Form, Way};
use crate::types::Scalar;
use spirv::{GlslStd450Op as Glsl, Op as Spirv};

/// What has to be right of a number that is converted, besides its value.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    /// Which NaN it is.
    pub nan: bool,
    /// Its value if that is subnormal; it may be a zero otherwise.
    pub subnormals: bool,
}

impl Counts {
    /// Every number, and not which NaN there is.
    pub const NUMBERS: Self = Self { nan: false, subnormals: true };
}

impl Body<'_> {
    /// From a float or to one.
    pub(super) fn float_cast(
        &mut self,
        types @ (source, target): (Scalar, Scalar),
        value: &[Id],
        counts: Counts,
    ) -> Vec<Id> {
        if let Some(bits) = self.bits_of(value) {
            let [bits, ..] = Op::Cast.eval(&[source.into()], target.into(), &[[bits, 0, 0, 0]]);
            return self.constant(target.into(), bits);
        }
        let form = match self.target.native.cast(source, target) {
            Way::Routine(routine) => return self.applied(routine, value, target),
            // An integer that is infinite as an `f16` is rounded to `f32` without harm.
            Way::Widened => {
                let single = self.float_cast((source, Scalar::F32), value, Counts { nan: false, ..counts });
                return self.float_cast((Scalar::F32, target), &single, counts);
            }
            Way::Lengthened => {
                let long = if source.is_signed() { Scalar::I64 } else { Scalar::U64 };
                let value = self.resize((source, long), value, Fact::any(source));
                return self.float_cast((long, target), &value, counts);
            }
            Way::Native(form) => form,
            Way::Loose | Way::Checked { .. } => Form::Exact,
        };
        let Some(&first) = value.first() else { return self.zero(target.into()) };
        let converted = match (source.is_float(), target.is_float()) {
            (false, _) => self.int_to_float(types, first, form),
            (true, false) => self.float_to_int(types, first, form),
            (true, true) => {
                let form = if form == Form::Scaled && !counts.subnormals { Form::Exact } else { form };
                let value = self.float_to_float(types, first, form);
                // NVIDIA's driver does not round what is rounded to an `f16`, widened, and rounded to a
                // whole number.
                let value = if target == Scalar::F16 { self.disguised(value, Disguise::ROUNDED) } else { value };
                self.canonical(value, target, counts.nan)
            }
        };
        vec![converted]
    }

    /// An `f16` as an `f32`, where any NaN may stand for a NaN.
    pub(super) fn half_as_single(&mut self, half: Id) -> Vec<Id> {
        match self.target.native.cast(Scalar::F16, Scalar::F32) {
            Way::Native(_) => self.float_cast((Scalar::F16, Scalar::F32), &[half], Counts::NUMBERS),
            _ => self.applied(Routine::F16Widen, &[half], Scalar::F32),
        }
    }

    /// The nearest float of an integer.
    fn int_to_float(&mut self, (source, target): (Scalar, Scalar), value: Id, form: Form) -> Id {
        let (reg, signed) = (self.target.register(target).0, source.is_signed());
        let narrow = source.bits() < 32;
        let number = if signed && narrow { self.code.sign_extended(value, source.bits()) } else { value };
        let convert = |signed| if signed { Spirv::ConvertSToF } else { Spirv::ConvertUToF };
        if form != Form::Halves || narrow || self.is_loose {
            return self.code.value(convert(signed), reg, &[number]);
        }
        // Each half has at most 16 bits, and their sum rounds once.
        let sixteen = self.code.word(16);
        let shift = if signed { Spirv::ShiftRightArithmetic } else { Spirv::ShiftRightLogical };
        let (high, low) = (self.code.binary(shift, number, sixteen), self.code.masked(number, 0xffff));
        let high = self.code.value(convert(signed), reg, &[high]);
        let low = self.code.value(Spirv::ConvertUToF, reg, &[low]);
        let scale = self.number(reg, 65536.0);
        let high = self.exactly(Spirv::FMul, high, scale);
        self.exactly(Spirv::FAdd, high, low)
    }

    /// The integer towards zero; the nearest one if out of range, 0 for NaN.
    fn float_to_int(&mut self, (source, target): (Scalar, Scalar), value: Id, form: Form) -> Id {
        let (reg, signed) = (self.target.register(target).0, target.is_signed());
        let convert = if signed { Spirv::ConvertFToS } else { Spirv::ConvertFToU };
        if form != Form::Clamped {
            // NVIDIA's driver computes a conversion of a constant itself, also of one that a branch or a
            // `select` chooses, and knows neither infinities nor NaNs then.
            let value = if self.is_loose { value } else { self.disguised(value, Disguise::CONVERTED) };
            let number = self.code.value(convert, reg, &[value]);
            return self.narrow_nearest(target, number);
        }
        let (bits, ty) = (self.bits(value), source);
        let word = self.code.reg(bits);
        let digits = target.bits() - u32::from(signed);
        // The least power of two that is out of range. The bits of a number with the sign bit are above
        // it, as are those of a NaN.
        let bound = self.number(self.code.reg(value), 2f64.powi(digits as i32));
        let bound = self.bits(bound);
        let size = if signed { self.code.masked(bits, ty.mask() >> 1) } else { bits };
        let fits = self.code.binary(Spirv::ULessThan, size, bound);
        let zero = self.code.constant(word, 0);
        let number = self.code.select(fits, bits, zero);
        let number = self.of_bits(self.code.reg(value), number);
        let number = self.code.value(convert, reg, &[number]);
        let mask = target.mask();
        let number = if target.bits() < 32 { self.code.masked(number, mask) } else { number };
        // Beyond the greatest number is the least one, as an integer of the type.
        let most = self.code.constant(reg, mask >> u32::from(signed));
        let least = self.code.constant(reg, if signed { (mask >> 1) + 1 } else { 0 });
        let negative = self.code.binary(Spirv::SLessThan, bits, zero);
        let nearest = self.code.select(negative, least, most);
        let infinity = self.code.constant(word, source.infinity());
        let magnitude = self.code.masked(bits, ty.mask() >> 1);
        let nan = self.code.binary(Spirv::UGreaterThan, magnitude, infinity);
        let none = self.code.constant(reg, 0);
        let beyond = self.code.select(nan, none, nearest);
        self.code.select(fits, number, beyond)
    }

    /// A word as the nearest integer of a type of fewer bits.
    fn narrow_nearest(&mut self, target: Scalar, word: Id) -> Id {
        if target.bits() >= 32 {
            return word;
        }
        let (signed, mask) = (target.is_signed(), target.mask() as u32);
        let most = self.code.word(mask >> u32::from(signed));
        let word = self.code.extreme(false, signed, word, most);
        if !signed {
            return word;
        }
        let least = self.code.word(!(mask >> 1));
        let word = self.code.extreme(true, true, word, least);
        self.code.masked(word, mask.into())
    }

    fn float_to_float(&mut self, types: (Scalar, Scalar), value: Id, form: Form) -> Id {
        let reg = self.target.register(types.1).0;
        match (types, form) {
            ((Scalar::F16, _), Form::Packed) => {
                let (word, pair) = (self.bits(value), self.code.module.vector(Reg::F32, 2));
                let pair = self.code.glsl_of(Glsl::UnpackHalf2x16, pair, &[word]);
                self.code.part(pair, Reg::F32, 0)
            }
            ((_, Scalar::F16), Form::Packed) => {
                let zero = self.number(Reg::F32, 0.0);
                let pair = self.code.compose(&[value, zero]);
                let word = self.code.glsl(Glsl::PackHalf2x16, Reg::U32, &[pair]);
                self.of_bits(reg, word)
            }
            ((Scalar::F32, Scalar::F64), Form::Scaled) => self.scaled_double(value),
            _ => self.code.value(Spirv::FConvert, reg, &[value]),
        }
    }

    /// An `f32` as an `f64`, where the conversion takes subnormals for zeros: its bits, moved to the
    /// places that they have in an `f64`, are the number times 2^-896.
    fn scaled_double(&mut self, value: Id) -> Id {
        let (bits, scalar) = (self.bits(value), scalar_of(Reg::F32));
        let sign = self.code.masked(bits, sign_bit(scalar));
        let magnitude = self.code.masked(bits, sign_bit(scalar) - 1);
        let [three, rest] = [3, 29].map(|count| self.code.word(count));
        let high = self.code.binary(Spirv::ShiftRightLogical, magnitude, three);
        let low = self.code.binary(Spirv::ShiftLeftLogical, bits, rest);
        // The exponent of infinities and NaN is the greatest one in either type.
        let (infinity, greatest) = (self.code.constant(Reg::U32, scalar.infinity()), self.code.word(0x7ff0_0000));
        let is_finite = self.code.binary(Spirv::ULessThan, magnitude, infinity);
        let special = self.code.binary(Spirv::BitwiseOr, high, greatest);
        let high = self.code.select(is_finite, high, special);
        let high = self.code.binary(Spirv::BitwiseOr, high, sign);
        let small = self.value_of_words(Scalar::F64.into(), &[low, high]);
        let factor = self.number(Reg::F64, 2f64.powi(896));
        match small.first() {
            Some(&small) => self.exactly(Spirv::FMul, small, factor),
            None => value,
        }
    }
}
