//! One lowering of every op of the table.
//!
//! The [plan](crate::soft::plan) says of each op that works lane by lane how the target computes
//! it. Integers are `int`'s and floats are `float`'s; what neither has comes from the
//! [library](crate::soft). What the table says of division, shifts and overflow is spelled out,
//! whatever a driver would do.

use super::body::Body;
use super::float_cast::Counts;
use super::int::Int;
use super::module::{Id, Reg};
use crate::analysis::facts::Fact;
use crate::ir::{Inst, Value};
use crate::ops::{Op, Signature};
use crate::scalar::Lanes;
use crate::soft::Routine;
use crate::soft::plan::{Form, Way};
use crate::types::{Kind, Scalar, Type};
use spirv::Op as Spirv;
use std::rc::Rc;

/// One lane of an op that works lane by lane.
pub(super) struct Lane<'l> {
    pub op: Op,
    /// The type of the leading operand.
    pub ty: Scalar,
    /// The registers of each operand.
    pub operands: &'l [Vec<Id>],
    /// The operands; none if nothing is known of them.
    pub args: &'l [Value],
    /// What is known of each operand.
    pub facts: &'l [Fact],
    /// Whether anybody can tell which NaN the result is.
    pub observed: bool,
}

impl Body<'_> {
    /// The registers of an op's result.
    pub(super) fn op(&mut self, inst: Inst, op: Op, args: &[Value], result: Value) -> Vec<Id> {
        let operands: Vec<Rc<[Id]>> = args.iter().map(|&v| self.registers(v)).collect();
        let facts: Vec<Fact> = args.iter().map(|&v| self.guards.facts().at(inst, v)).collect();
        let ty = self.function.ty(result);
        let (Some(first), Some(&fact)) = (args.first().map(|&v| self.function.ty(v)), facts.first()) else {
            return self.zero(ty);
        };
        let observed = self.observed[result];
        match op.info().signature {
            Signature::Construct => operands.iter().flat_map(|registers| registers.iter().copied()).collect(),
            Signature::Select => {
                let [condition, accept, reject] = operands.as_slice() else { return self.zero(ty) };
                let Some(&condition) = condition.first() else { return self.zero(ty) };
                let pairs = accept.iter().zip(reject.iter());
                pairs.map(|(&accept, &reject)| self.choose(condition, accept, reject)).collect()
            }
            Signature::Extract => {
                let ([vector, index], Some(&at)) = (operands.as_slice(), facts.get(1)) else { return self.zero(ty) };
                self.extract(vector, index, at, ty)
            }
            Signature::Cast => {
                let may_be_subnormal = args.first().is_some_and(|&arg| self.floats.at(arg).may_be_subnormal());
                let subnormals = may_be_subnormal && !self.function.lenient[inst].flushes;
                self.cast((first, ty), &operands[0], fact, Counts { nan: observed, subnormals })
            }
            Signature::Bitcast => self.bitcast(first, ty, &operands[0]),
            Signature::Lanes(..) => self.lanes((op, first), args, &operands, &facts, observed),
            // Compound ops were expanded.
            Signature::Fixed(..) | Signature::Insert | Signature::Reduce => self.zero(ty),
        }
    }

    fn lanes(
        &mut self,
        (op, first): (Op, Type),
        args: &[Value],
        operands: &[Rc<[Id]>],
        facts: &[Fact],
        observed: bool,
    ) -> Vec<Id> {
        let Some(ty) = first.lane() else { return Vec::new() };
        let width = |ty: Type| ty.lane().map_or(1, |lane| self.target.register(lane).1);
        let each: Vec<usize> = args.iter().map(|&v| width(self.function.ty(v))).collect();
        let mut registers = Vec::new();
        for i in 0..first.lanes() {
            let at = |(all, &each): (&Rc<[Id]>, &usize)| all.iter().copied().skip(i * each).take(each).collect();
            let operands: Vec<Vec<Id>> = operands.iter().zip(&each).map(at).collect();
            registers.extend(self.computed(&Lane { op, ty, operands: &operands, args, facts, observed }));
        }
        registers
    }

    /// One lane of an op that works lane by lane, of operands of which nothing is known: the
    /// registers of the result, for those of each operand.
    pub(super) fn lane(&mut self, op: Op, ty: Scalar, operands: &[Vec<Id>], observed: bool) -> Vec<Id> {
        let types = op.info().signature.types(Type::Scalar(ty)).map(|(operands, _)| operands).unwrap_or_default();
        let facts: Vec<Fact> = types.iter().map(|operand| Fact::any(operand.lane().unwrap_or(ty))).collect();
        self.computed(&Lane { op, ty, operands, args: &[], facts: &facts, observed })
    }

    /// The registers of the result of one lane.
    fn computed(&mut self, lane: &Lane<'_>) -> Vec<Id> {
        let &Lane { op, ty, operands, observed, .. } = lane;
        if let Some(value) = self.evaluated(lane) {
            return value;
        }
        match self.target.native.op(op, ty, self.is_loose) {
            Way::Native(form) => match self.native(lane, form) {
                Some(value) => vec![value],
                None => self.by_library(lane),
            },
            Way::Loose => match self.loose(lane) {
                Some(value) => vec![value],
                None => self.by_library(lane),
            },
            Way::Checked { test, routine } => match self.native(lane, Form::Checked) {
                Some(value) => self.checked(value, test, routine, &operands.concat(), observed),
                None => self.by_routine(routine, lane),
            },
            // What is known of floats may decide what the target cannot.
            Way::Routine(routine) => match self.ordered(lane, Form::Routine) {
                Some(value) => vec![value],
                None => self.by_routine(routine, lane),
            },
            // Only casts are.
            Way::Lengthened => self.by_library(lane),
            Way::Widened => {
                let halves = operands.concat();
                let wide: Vec<Vec<Id>> = halves.into_iter().map(|half| self.half_as_single(half)).collect();
                let value = self.lane(op, Scalar::F32, &wide, false);
                // Comparisons and tests give a condition.
                match result_lane(op, ty) {
                    Scalar::F16 => {
                        self.float_cast((Scalar::F32, ty), &value, Counts { nan: observed, subnormals: true })
                    }
                    _ => value,
                }
            }
        }
    }

    /// The result of one lane whose operands are all known. Drivers have rules of their own for
    /// these: NVIDIA's rounds sums towards zero, and drops a store of what no integer can hold.
    fn evaluated(&mut self, lane: &Lane<'_>) -> Option<Vec<Id>> {
        let (types, result) = lane.op.info().signature.types(Type::Scalar(lane.ty))?;
        let bits: Option<Vec<Lanes>> =
            lane.operands.iter().map(|operand| Some([self.bits_of(operand)?, 0, 0, 0])).collect();
        let [bits, ..] = lane.op.eval(&types, result, &bits?);
        Some(self.constant(result, bits))
    }

    /// The bits of one lane, if they are known.
    pub(super) fn bits_of(&self, registers: &[Id]) -> Option<u64> {
        let bits = |(register, shift): (&Id, u32)| Some(self.code.known(*register)? << shift);
        registers.iter().zip([0, 32]).map(bits).try_fold(0, |all, bits| Some(all | bits?))
    }

    /// What SPIR-V has for one lane of an op, or `None` if the library has to compute it.
    fn native(&mut self, lane: &Lane<'_>, form: Form) -> Option<Id> {
        let (first, zero) = (lane.operands.first()?, self.code.word(0));
        let &a = first.first()?;
        let b = lane.operands.get(1).and_then(|registers| registers.first()).copied().unwrap_or(zero);
        match lane.ty.kind() {
            Kind::Bool => self.code.logic(lane.op, a, b),
            Kind::Float => self.float(lane, form),
            Kind::Signed | Kind::Unsigned if first.len() == 1 => {
                let &fact = lane.facts.first()?;
                let facts = [fact, lane.facts.get(1).copied().unwrap_or(fact)];
                Int { code: &mut self.code, ty: lane.ty, operands: [a, b], facts }.op(lane.op)
            }
            Kind::Signed | Kind::Unsigned => None,
        }
    }

    /// One lane of an op by the routine that there is for it.
    pub(super) fn by_library(&mut self, lane: &Lane<'_>) -> Vec<Id> {
        match Routine::of_op(lane.op, lane.ty) {
            Some(routine) => self.by_routine(routine, lane),
            // The table has no such form.
            None => self.zero(result_lane(lane.op, lane.ty).into()),
        }
    }

    /// One lane of an op by a routine.
    fn by_routine(&mut self, routine: Routine, lane: &Lane<'_>) -> Vec<Id> {
        self.applied(routine, &lane.operands.concat(), result_lane(lane.op, lane.ty))
    }

    /// The registers of what a routine gives, from those of its operands.
    pub(super) fn applied(&mut self, routine: Routine, operands: &[Id], result: Scalar) -> Vec<Id> {
        let words = self.words_of_value(operands, Reg::U32);
        let words = self.routine(routine, &words);
        // A condition is one already.
        if result == Scalar::Bool { words } else { self.value_of_words(result.into(), &words) }
    }

    /// A lane of a vector; zero if the vector has no such lane.
    fn extract(&mut self, vector: &[Id], index: &[Id], at: Fact, ty: Type) -> Vec<Id> {
        let each = self.target.registers(ty).1.max(1);
        let lanes: Vec<&[Id]> = vector.chunks(each).collect();
        let Some(&index) = index.first() else { return self.zero(ty) };
        let lane = |index: u64| lanes.get(usize::try_from(index).unwrap_or(usize::MAX)).map(|lane| lane.to_vec());
        if let Some(known) = self.code.known(index) {
            return lane(known).unwrap_or_else(|| self.zero(ty));
        }
        // The greatest index needs no test.
        let mut found = lane(at.most).unwrap_or_else(|| self.zero(ty));
        let tested = lanes.iter().take(usize::try_from(at.most).unwrap_or(usize::MAX));
        for (number, registers) in tested.enumerate().skip(usize::try_from(at.least).unwrap_or(usize::MAX)) {
            let number = self.code.word(number as u32);
            let here = self.code.binary(Spirv::IEqual, index, number);
            for (found, &register) in found.iter_mut().zip(*registers) {
                *found = self.choose(here, register, *found);
            }
        }
        found
    }
}

/// The lane type of what an op gives.
fn result_lane(op: Op, ty: Scalar) -> Scalar {
    match op.info().signature {
        Signature::Lanes(_, _, part) => part.of(Type::Scalar(ty)).lane().unwrap_or(ty),
        _ => ty,
    }
}
