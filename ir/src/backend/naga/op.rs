//! One lowering of every op of the table.
//!
//! Integers of 32 bits are words, narrower ones are `int`'s; what the table says of
//! division, shifts and overflow is spelled out, whatever naga or a target would do. Of
//! `f32` only sums, products, quotients, square roots and fused products use the device's
//! float unit; all else is done on bits, because devices differ in it, above all for
//! subnormals and NaN. What is not native comes from the [library](crate::soft).
//!
//! On a device whose float unit is not exact (it flushes subnormals, fuses a product
//! into a sum, or approximates) a sum, product or fused product is computed in software
//! where its result may be wrong, and quotients and roots always are; the
//! [plan](crate::soft::plan) decides. The choice by the result's bits also keeps a product from
//! being fused into the sum that follows.

use super::body::Body;
use super::code::{Code, Expr};
use super::types::registers;
use crate::ir::Value;
use crate::ops::{Op, Signature};
use crate::scalar::{CastRule, cast_rule};
use crate::soft::Routine;
use crate::soft::plan::{Form, Native, Way};
use crate::types::{Kind, Scalar, Type};
use naga::{BinaryOperator as Bin, Expression, MathFunction, ScalarKind};

impl Body<'_> {
    /// The registers of an op's result.
    pub(super) fn op(&mut self, op: Op, args: &[Value], result: Value) -> Vec<Expr> {
        let operands: Vec<_> = args.iter().map(|&v| self.registers(v)).collect();
        let ty = self.function.ty(result);
        let Some(first) = args.first().map(|&v| self.function.ty(v)) else { return self.zero(ty) };
        match op.info().signature {
            Signature::Construct => operands.iter().flat_map(|registers| registers.iter().copied()).collect(),
            Signature::Select => {
                let [condition, accept, reject] = operands.as_slice() else { return self.zero(ty) };
                let pairs = accept.iter().zip(reject.iter());
                pairs.map(|(&a, &b)| self.choose(condition[0], a, b)).collect()
            }
            Signature::Extract => {
                let [vector, index] = operands.as_slice() else { return self.zero(ty) };
                match args.get(1).and_then(|&index| self.function.constant_bits(index)) {
                    Some(lane) => {
                        let each = registers(ty).1.max(1);
                        let lane = vector.chunks(each).nth(usize::try_from(lane).unwrap_or(usize::MAX));
                        lane.map_or_else(|| self.zero(ty), <[Expr]>::to_vec)
                    }
                    None => self.extract(vector, index[0], ty),
                }
            }
            Signature::Cast => self.cast(first, ty, &operands[0]),
            Signature::Bitcast => self.bitcast(first, ty, &operands[0]),
            Signature::Lanes(..) => self.lanes(op, args, &operands),
            // Compound ops were expanded.
            Signature::Fixed(..) | Signature::Insert | Signature::Reduce => self.zero(ty),
        }
    }

    fn lanes(&mut self, op: Op, args: &[Value], operands: &[std::rc::Rc<[Expr]>]) -> Vec<Expr> {
        let first = args.first().map(|&v| self.function.ty(v));
        let Some((ty, lane)) = first.and_then(|ty| Some((ty, ty.lane()?))) else { return Vec::new() };
        let each: Vec<usize> = args.iter().map(|&v| self.function.ty(v).lane().map_or(1, width)).collect();
        let mut registers = Vec::new();
        for i in 0..ty.lanes() {
            let at =
                |(all, &each): (&std::rc::Rc<[Expr]>, &usize)| all.iter().copied().skip(i * each).take(each).collect();
            let operands: Vec<Vec<Expr>> = operands.iter().zip(&each).map(at).collect();
            registers.extend(self.lane(op, lane, &operands));
        }
        registers
    }

    /// One lane of an op that works lane by lane: the registers of the result, for those of
    /// each operand. A NaN need not be the canonical one if the [float unit](gives_a_nan) gives it.
    pub(super) fn lane(&mut self, op: Op, ty: Scalar, operands: &[Vec<Expr>]) -> Vec<Expr> {
        match self.native.op(op, ty, self.is_loose) {
            Way::Native(_) | Way::Loose => match self.native_lane(op, ty, operands) {
                Some(value) => vec![value],
                None => match Routine::of_op(op, ty) {
                    Some(routine) => self.routine(routine, op, ty, operands),
                    // The table has no such form.
                    None => self.zero(result_lane(op, ty).into()),
                },
            },
            Way::Checked { test, routine } => match self.native_lane(op, ty, operands) {
                Some(value) => vec![self.checked(value, test, routine, &operands.concat())],
                None => self.routine(routine, op, ty, operands),
            },
            Way::Routine(routine) => self.routine(routine, op, ty, operands),
            Way::Widened | Way::Lengthened => {
                let words = operands.concat();
                let wide: Vec<Vec<Expr>> = words
                    .into_iter()
                    .map(|half| self.applied(Routine::F16Widen, &[(ty, vec![half])], Scalar::F32))
                    .collect();
                let value = self.lane(op, Scalar::F32, &wide);
                // Comparisons and tests give a condition.
                match result_lane(op, ty) {
                    Scalar::F16 => self.applied(Routine::F32ToF16, &[(Scalar::F32, value)], ty),
                    _ => value,
                }
            }
        }
    }

    /// What naga has for one lane of an op, or `None` if the library has to compute it.
    fn native_lane(&mut self, op: Op, ty: Scalar, operands: &[Vec<Expr>]) -> Option<Expr> {
        let zero = self.code.word(0);
        let [a, b, c] = [0, 1, 2].map(|i| operands.get(i).and_then(|o| o.first()).copied().unwrap_or(zero));
        match ty.kind() {
            Kind::Bool => self.code.logic(op, a, b),
            Kind::Signed | Kind::Unsigned if ty.bits() < 32 => self.code.narrow(op, ty, a, b),
            Kind::Signed | Kind::Unsigned if ty.bits() == 32 => self.code.integer(op, ty.is_signed(), a, b),
            Kind::Float if ty == Scalar::F32 && self.is_loose => self.loose(op, [a, b, c]),
            Kind::Float if ty == Scalar::F32 => self.strict(op, [a, b, c]),
            Kind::Signed | Kind::Unsigned | Kind::Float => None,
        }
    }

    /// One lane of an op by a routine.
    fn routine(&mut self, routine: Routine, op: Op, ty: Scalar, operands: &[Vec<Expr>]) -> Vec<Expr> {
        if let (Scalar::F32, [a, b]) = (ty, operands)
            && let Some(value) = self.against_normal(op, a[0], b[0])
        {
            return vec![value];
        }
        // An operand of a float op is such a float; others have no floats at all.
        let operands: Vec<_> = operands.iter().map(|registers| (ty, registers.clone())).collect();
        self.applied(routine, &operands, result_lane(op, ty))
    }

    /// The registers of what a routine gives, from those of its operands.
    fn applied(&mut self, routine: Routine, operands: &[(Scalar, Vec<Expr>)], result: Scalar) -> Vec<Expr> {
        let mut words = Vec::new();
        for (ty, registers) in operands {
            let word = |&register: &Expr| if *ty == Scalar::F32 { self.code.word_of(register) } else { register };
            words.extend(registers.iter().map(word));
        }
        let results = self.library.apply(&mut self.code, routine, &words);
        let value = |word| if result == Scalar::F32 { self.code.float_of(word) } else { word };
        results.into_iter().map(value).collect()
    }

    /// The float unit's own form of an op on `f32`.
    fn strict(&mut self, op: Op, [a, b, c]: [Expr; 3]) -> Option<Expr> {
        Some(match op {
            Op::Add => self.unseen(Bin::Add, a, b),
            Op::Sub => self.unseen(Bin::Subtract, a, b),
            Op::Mul => self.unseen(Bin::Multiply, a, b),
            Op::Div => self.unseen(Bin::Divide, a, b),
            Op::Sqrt => self.code.math(MathFunction::Sqrt, a),
            Op::MulAdd => {
                let (arg, arg1, arg2) = (self.hidden(a, 0), Some(self.hidden(b, 1)), Some(self.hidden(c, 0)));
                self.code.push(Expression::Math { fun: MathFunction::Fma, arg, arg1, arg2, arg3: None })
            }
            _ => return None,
        })
    }

    /// A comparison with a normal number, for which it does not matter whether a subnormal
    /// counts as zero.
    fn against_normal(&mut self, op: Op, a: Expr, b: Expr) -> Option<Expr> {
        // naga's `!=` is false for a NaN. A compiler may turn the negation of an order
        // into the opposite order, which differs for a NaN, so it must not see one.
        let bin = match op {
            Op::Eq | Op::Ne => Bin::Equal,
            Op::Lt => Bin::Less,
            Op::Le => Bin::LessEqual,
            Op::Gt => Bin::Greater,
            Op::Ge => Bin::GreaterEqual,
            _ => return None,
        };
        let (code, zero) = (&mut self.code, self.ids.zeros[0]);
        if !code.is_normal(a) && !code.is_normal(b) {
            return None;
        }
        let flag = code.raw(bin, a, b);
        let word = code.truth_word(flag);
        let word = code.binary(Bin::ExclusiveOr, word, zero);
        if op != Op::Ne {
            return Some(code.truth(word));
        }
        let zero = code.word(0);
        Some(code.binary(Bin::Equal, word, zero))
    }

    /// Makes a NaN the canonical one.
    pub(super) fn canonical(&mut self, value: Expr) -> Expr {
        let result = self.applied(Routine::F32Canonical, &[(Scalar::F32, vec![value])], Scalar::F32);
        result.first().copied().unwrap_or(value)
    }

    /// The device's result, or where that may be wrong, software's.
    fn checked(&mut self, value: Expr, test: Routine, routine: Routine, operands: &[Expr]) -> Expr {
        let mut words = vec![self.code.word_of(value)];
        words.extend(operands.iter().map(|&operand| self.code.word_of(operand)));
        let Some(&right) = self.library.apply(&mut self.code, test, &words).first() else { return value };
        let variable = self.code.local(self.code.basic.f32);
        self.code.store(variable, value);
        let wrong = Code::not(&mut self.code, right);
        let library = &mut self.library;
        self.code.when(wrong, |code| {
            for word in library.apply(code, routine, words.get(1..).unwrap_or_default()) {
                let value = code.float_of(word);
                code.store(variable, value);
            }
        });
        self.code.load(variable)
    }

    /// The same number, hidden from compilers: they know neither its value nor its origin.
    ///
    /// naga cannot say that arithmetic is to be done as written, and drivers then take
    /// `x * 0.0` for 0.0, `x - x` for 0.0, `(a + b) - a` for `b` and `a * b + c` for one
    /// operation. The two operands of an operation get different zeros, so that they are
    /// not the same value to anybody either.
    fn hidden(&mut self, value: Expr, which: usize) -> Expr {
        let zero = self.ids.zeros[which];
        let word = self.code.word_of(value);
        let word = self.code.binary(Bin::ExclusiveOr, word, zero);
        self.code.float_of(word)
    }

    /// An operation of the float unit whose operands are hidden.
    fn unseen(&mut self, op: Bin, a: Expr, b: Expr) -> Expr {
        let (a, b) = (self.hidden(a, 0), self.hidden(b, 1));
        self.code.raw(op, a, b)
    }

    // Moves and conversions.

    /// A lane of a vector; zero if the vector has no such lane.
    fn extract(&mut self, vector: &[Expr], index: Expr, ty: Type) -> Vec<Expr> {
        let each = registers(ty).1.max(1);
        let mut found = self.zero(ty);
        for (lane, registers) in vector.chunks(each).enumerate() {
            let lane = self.code.word(lane as u32);
            let here = self.code.binary(Bin::Equal, index, lane);
            for (found, &register) in found.iter_mut().zip(registers) {
                *found = self.choose(here, register, *found);
            }
        }
        found
    }

    /// One of two values. NVIDIA's driver takes a choice between known zeros of either sign
    /// for no choice at all, so a known float is hidden.
    fn choose(&mut self, condition: Expr, accept: Expr, reject: Expr) -> Expr {
        let accept = if self.code.is_float_literal(accept) && !self.is_loose { self.hidden(accept, 0) } else { accept };
        self.code.select(condition, accept, reject)
    }

    fn bitcast(&mut self, from: Type, to: Type, value: &[Expr]) -> Vec<Expr> {
        let float = |ty: Type| ty.lane() == Some(Scalar::F32);
        let convert = |&register: &Expr| match (float(from), float(to)) {
            (true, false) => self.code.word_of(register),
            (false, true) => self.code.float_of(register),
            (true, true) | (false, false) => register,
        };
        value.iter().map(convert).collect()
    }

    fn cast(&mut self, from: Type, to: Type, value: &[Expr]) -> Vec<Expr> {
        let (Some(rule), Some(source), Some(target)) = (cast_rule(from, to), from.lane(), to.lane()) else {
            return self.zero(to);
        };
        let Some(&first) = value.first() else { return self.zero(to) };
        let count = registers(to).1;
        match rule {
            CastRule::Identity => value.to_vec(),
            CastRule::Resize => self.resize(source, target, value),
            CastRule::Truth => {
                let mut any = self.code.word(0);
                for &word in value {
                    any = self.code.binary(Bin::InclusiveOr, any, word);
                }
                vec![self.code.truth(any)]
            }
            CastRule::Splat => {
                let word = if source == Scalar::Bool { self.code.truth_word(first) } else { first };
                vec![word; count]
            }
            CastRule::Lanes | CastRule::Split | CastRule::Join => value.iter().copied().take(count).collect(),
            CastRule::IntToFloat | CastRule::FloatToInt | CastRule::FloatToFloat => {
                self.convert(source, target, value.to_vec())
            }
        }
    }

    /// From a float or to one.
    fn convert(&mut self, source: Scalar, target: Scalar, value: Vec<Expr>) -> Vec<Expr> {
        match self.native.cast(source, target) {
            Way::Routine(routine) => self.applied(routine, &[(source, value)], target),
            // An integer that is infinite as an `f16` is rounded to `f32` without harm.
            Way::Widened => {
                let single = self.convert(source, Scalar::F32, value);
                self.convert(Scalar::F32, target, single)
            }
            Way::Lengthened => {
                let long = if source.is_signed() { Scalar::I64 } else { Scalar::U64 };
                let value = self.resize(source, long, &value);
                self.convert(long, target, value)
            }
            Way::Native(form) => vec![self.int_to_float(source, &value, form)],
            // Of conversions there is none such.
            Way::Loose | Way::Checked { .. } => self.zero(target.into()),
        }
    }

    /// The nearest `f32` of an integer of at most 32 bits.
    fn int_to_float(&mut self, source: Scalar, value: &[Expr], form: Form) -> Expr {
        let zero = self.code.word(0);
        let number = self.code.extended(source, value.first().copied().unwrap_or(zero));
        if source.bits() < 32 || self.is_loose || form == Form::Exact {
            return self.converted(source.is_signed(), number);
        }
        // Browsers' software devices do not round what has more than 24 bits to nearest. Its
        // halves have few, and their sum rounds once, whether contracted or not.
        let sixteen = self.code.word(16);
        let high = self.code.shift_right(source.is_signed(), number, sixteen);
        let low = self.code.masked(number, 0xffff);
        let (high, low) = (self.converted(source.is_signed(), high), self.converted(false, low));
        let scale = self.code.float(65536f32.to_bits());
        let high = self.code.raw(Bin::Multiply, high, scale);
        self.code.raw(Bin::Add, high, low)
    }

    /// A word as the device converts it.
    fn converted(&mut self, signed: bool, word: Expr) -> Expr {
        let word = if signed { self.code.signed_of(word) } else { word };
        self.code.push(Expression::As { expr: word, kind: ScalarKind::Float, convert: Some(4) })
    }

    /// Between integers, or from `bool`: extended by the source's sign, then cut.
    pub(super) fn resize(&mut self, source: Scalar, target: Scalar, value: &[Expr]) -> Vec<Expr> {
        let zero = self.code.word(0);
        let mut low = value.first().copied().unwrap_or(zero);
        if source == Scalar::Bool {
            low = self.code.truth_word(low);
        }
        low = self.code.extended(source, low);
        let high = match value.get(1) {
            Some(&high) => high,
            None if source.is_signed() => {
                let most = self.code.word(31);
                self.code.shift_right(true, low, most)
            }
            None => zero,
        };
        if target.bits() < 32 {
            low = self.code.masked(low, target.mask() as u32);
        }
        if target.bits() == 64 { vec![low, high] } else { vec![low] }
    }
}

impl Code {
    /// Whether an `f32` is a literal that is neither zero nor subnormal.
    fn is_normal(&self, expression: Expr) -> bool {
        match self.function.expressions[expression] {
            Expression::Literal(naga::Literal::F32(value)) => value.is_normal(),
            _ => false,
        }
    }
}

/// Whether an op that has lanes of a type as its result is done by the float unit, whose NaN may
/// be another one than the canonical one.
pub(super) fn gives_a_nan(native: Native, op: Op, lane: Scalar) -> bool {
    let has_unit = matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Sqrt | Op::MulAdd);
    has_unit && lane == Scalar::F32 && !matches!(native.op(op, lane, false), Way::Routine(_))
}

/// The number of registers of a scalar.
fn width(scalar: Scalar) -> usize {
    registers(Type::Scalar(scalar)).1
}

/// The lane type of what an op gives.
fn result_lane(op: Op, ty: Scalar) -> Scalar {
    match op.info().signature {
        Signature::Lanes(_, _, part) => part.of(Type::Scalar(ty)).lane().unwrap_or(ty),
        _ => ty,
    }
}
