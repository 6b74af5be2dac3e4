//! Routines of the library in SPIR-V: functions of the module, each made when it is first
//! called, or written in place.
//!
//! A routine is written as it stands: its shifts have counts below 32 and its divisors are
//! not zero (see [`soft`](crate::soft)). What is known of operands is computed here.

use super::body::Body;
use super::float::Disguise;
use super::float_fused;
use super::int::Int;
use super::module::{Id, Reg};
use crate::analysis::facts::Fact;
use crate::arena::Side;
use crate::ir::{CallArg, Function, Inst, InstKind, Region, Value, ValueDef};
use crate::ops::Op;
use crate::soft::{Form, Routine};
use crate::types::{Scalar, Type};
use spirv::{FunctionControl, LoopControl, Op as Spirv};
use std::collections::BTreeMap;

/// What a driver is asked to do with the calls of a routine. NVIDIA's else writes out each call, which
/// takes it forty times as long and gives slower code; Mesa does so anyway.
const CONTROL: FunctionControl = FunctionControl::DONT_INLINE;

/// The routines of a module.
#[derive(Default)]
pub(super) struct Library {
    made: BTreeMap<Routine, Made>,
    stepped: BTreeMap<Stepped, Made>,
}

/// An op on `f64`s that some targets compute in steps, which are a function of the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stepped {
    MulAdd,
    Remainder,
}

/// A routine that is a function of the module.
#[derive(Clone, Copy)]
struct Made {
    function: Id,
    result: Id,
}

impl Body<'_> {
    /// What a routine gives for these words.
    pub(super) fn routine(&mut self, routine: Routine, words: &[Id]) -> Vec<Id> {
        match routine.info().form {
            Form::InPlace => self.written(routine.function(), words),
            Form::Called => {
                let Made { function, result } = self.made(routine);
                let value = self.code.call(function, result, words);
                let words: Vec<Id> = match routine.function().results.as_slice() {
                    &[only] => vec![self.code.is_reg(value, register(only))],
                    types => (0..).zip(types).map(|(i, &ty)| self.code.part(value, register(ty), i)).collect(),
                };
                words.into_iter().map(|word| self.returned(word)).collect()
            }
        }
    }

    /// What a function has returned, as a value that comes from here. NVIDIA's driver moves a comparison
    /// that follows each call of a function into the function, and then takes what the last call found
    /// for what each of them did.
    fn returned(&mut self, value: Id) -> Id {
        self.disguised(value, Disguise::RETURNED)
    }

    /// An op on `f64`s in steps of the target's own, by a function that is made once.
    pub(super) fn in_steps(&mut self, op: Stepped, operands: &[Id]) -> Id {
        let Made { function, result } = match self.library.stepped.get(&op) {
            Some(&made) => made,
            None => {
                let result = self.code.module.reg(Reg::F64);
                let params = self.code.begin_function(result, &vec![Reg::F64; operands.len()], CONTROL);
                let value = match (op, params.as_slice()) {
                    (Stepped::MulAdd, &[a, b, c]) => float_fused::mul_add(&mut self.code, [a, b, c]),
                    (Stepped::Remainder, &[a, b]) => self.remainder([a, b]),
                    (Stepped::MulAdd | Stepped::Remainder, _) => self.number(Reg::F64, 0.0),
                };
                self.code.return_(Some(value));
                let made = Made { function: self.code.end_function(), result };
                self.library.stepped.insert(op, made);
                made
            }
        };
        // A compiler that puts the function where it is called drops products with zeros that it knows,
        // whatever the other factor is.
        let operands: Vec<Id> = operands.iter().map(|&operand| self.hidden(operand)).collect();
        let value = self.code.call(function, result, &operands);
        let value = self.code.is_reg(value, Reg::F64);
        self.returned(value)
    }

    /// The function of a routine that is called.
    fn made(&mut self, routine: Routine) -> Made {
        if let Some(&made) = self.library.made.get(&routine) {
            return made;
        }
        let recorded = routine.function();
        let types: Vec<Id> = recorded.results.iter().map(|&ty| self.code.module.reg(register(ty))).collect();
        let result = match types.as_slice() {
            &[only] => only,
            types => self.code.module.tuple(types),
        };
        let params: Vec<Reg> =
            recorded.regions[recorded.body].params.iter().map(|&v| register(recorded.ty(v))).collect();
        let arguments = self.code.begin_function(result, &params, CONTROL);
        let words = self.written(recorded, &arguments);
        let value = match words.as_slice() {
            &[only] => only,
            words => {
                let words: Vec<u32> = words.iter().map(|id| id.word()).collect();
                self.code.value_of(Spirv::CompositeConstruct, result, &words)
            }
        };
        self.code.return_(Some(value));
        let made = Made { function: self.code.end_function(), result };
        self.library.made.insert(routine, made);
        made
    }

    /// Writes a routine's body; the words that it gives.
    fn written(&mut self, function: &Function, operands: &[Id]) -> Vec<Id> {
        let mut writer = Writer { body: self, function, values: Side::new(None), loops: BTreeMap::new() };
        writer.define(&function.regions[function.body].params, operands.to_vec());
        writer.region(function.body)
    }
}

/// The register of a word or a condition.
fn register(ty: Type) -> Reg {
    if ty == Type::BOOL { Reg::Bool } else { Reg::U32 }
}

/// A routine that is being written.
struct Writer<'w, 'b, 'f> {
    body: &'w mut Body<'b>,
    function: &'f Function,
    values: Side<ValueDef, Option<Id>>,
    loops: BTreeMap<Inst, State>,
}

/// A loop that is being written: its variables, and where it goes.
#[derive(Clone)]
struct State {
    params: Vec<Id>,
    results: Vec<Id>,
    next: Id,
    merge: Id,
}

impl Writer<'_, '_, '_> {
    /// Writes a region; what it returns, if it does.
    fn region(&mut self, region: Region) -> Vec<Id> {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            let def = &function.insts[inst];
            let results = match &def.kind {
                InstKind::Op(op, args) => vec![self.op(*op, args)],
                InstKind::Call { function, args } => {
                    let Some(&routine) = Routine::ALL.get(*function as usize) else { continue };
                    let words: Vec<Id> = args.iter().filter_map(|arg| self.argument(arg)).collect();
                    self.body.routine(routine, &words)
                }
                InstKind::If { condition, then, .. } => {
                    let condition = self.value(*condition);
                    let code = &mut self.body.code;
                    let (accept, merge) = (code.label(), code.label());
                    code.branch_if(condition, accept, merge, merge);
                    code.open(accept, true);
                    self.region(*then);
                    self.body.code.open(merge, true);
                    continue;
                }
                InstKind::Loop { body, initial, .. } => self.repeat(inst, *body, initial),
                InstKind::Break(target, values) => {
                    let Some(state) = self.loops.get(target).cloned() else { continue };
                    self.store(&state.results, values);
                    self.body.leave_loops(1);
                    self.body.code.branch(state.merge);
                    continue;
                }
                InstKind::Continue(target, values) => {
                    let Some(state) = self.loops.get(target).cloned() else { continue };
                    self.store(&state.params, values);
                    self.body.code.branch(state.next);
                    continue;
                }
                InstKind::Return(values) => return values.iter().map(|&value| self.value(value)).collect(),
                // No routine has others.
                _ => continue,
            };
            self.define(&def.results, results);
        }
        Vec::new()
    }

    fn repeat(&mut self, inst: Inst, body: Region, initial: &[Value]) -> Vec<Id> {
        let function = self.function;
        let variables = |writer: &mut Self, values: &[Value]| -> Vec<Id> {
            values.iter().map(|&value| writer.body.code.local(register(function.ty(value)))).collect()
        };
        let params = variables(self, &function.regions[body].params);
        let results = variables(self, &function.insts[inst].results);
        self.store(&params, initial);
        self.body.enter_loop();
        // Every loop of a routine ends.
        let bound = self.body.loop_bound(true);
        let code = &mut self.body.code;
        let (header, first, next, merge) = (code.label(), code.label(), code.label(), code.label());
        self.loops.insert(inst, State { params: params.clone(), results: results.clone(), next, merge });
        code.open(header, true);
        code.begin_loop(merge, next, first, LoopControl::NONE);
        code.open(first, true);
        if let Some(bound) = bound {
            self.body.count_round(bound, merge);
        }
        let words = self.load(&params, &function.regions[body].params);
        self.define(&function.regions[body].params, words);
        self.region(body);
        let code = &mut self.body.code;
        code.open(next, true);
        code.branch(header);
        code.open(merge, true);
        self.load(&results, &function.insts[inst].results)
    }

    fn load(&mut self, variables: &[Id], values: &[Value]) -> Vec<Id> {
        let pairs = variables.iter().zip(values);
        pairs.map(|(&variable, &value)| self.body.code.load(register(self.function.ty(value)), variable)).collect()
    }

    fn store(&mut self, variables: &[Id], values: &[Value]) {
        for (&variable, &value) in variables.iter().zip(values) {
            let value = self.value(value);
            self.body.code.store(variable, value);
        }
    }

    fn define(&mut self, values: &[Value], words: Vec<Id>) {
        for (&value, word) in values.iter().zip(words) {
            self.values[value] = Some(word);
        }
    }

    fn argument(&mut self, arg: &CallArg) -> Option<Id> {
        match arg {
            CallArg::Value(value) => Some(self.value(*value)),
            CallArg::Place(_) => None,
        }
    }

    fn value(&mut self, value: Value) -> Id {
        match self.function.constant_bits(value) {
            Some(bits) => self.body.code.constant(register(self.function.ty(value)), bits),
            None => self.values[value].unwrap_or_else(|| self.body.code.word(0)),
        }
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Id {
        let flags = args.first().is_some_and(|&value| self.function.ty(value) == Type::BOOL);
        let operands: Vec<Id> = args.iter().map(|&value| self.value(value)).collect();
        let code = &mut self.body.code;
        let zero = code.word(0);
        let [a, b, c] = [0, 1, 2].map(|i| operands.get(i).copied().unwrap_or(zero));
        let value = match op {
            // These stand in a kernel with what guards them.
            Op::Div => Some(code.binary(Spirv::UDiv, a, b)),
            Op::Shl => Some(code.binary(Spirv::ShiftLeftLogical, a, b)),
            Op::Shr => Some(code.binary(Spirv::ShiftRightLogical, a, b)),
            Op::Select => Some(code.select(a, b, c)),
            _ if flags => code.logic(op, a, b),
            _ => Int { code, ty: Scalar::U32, operands: [a, b], facts: [Fact::any(Scalar::U32); 2] }.op(op),
        };
        value.unwrap_or(zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a routine calls a function, also where it is written in place.
    fn calls(function: &Function) -> bool {
        function.insts.iter().any(|(_, inst)| {
            let InstKind::Call { function, .. } = inst.kind else { return false };
            let called = Routine::ALL[function as usize];
            called.info().form == Form::Called || calls(called.function())
        })
    }

    /// So the word that a result is disguised with is at hand wherever a function is called, and no
    /// result is a condition, which has no disguise.
    #[test]
    fn a_function_calls_no_other_one_and_returns_words() {
        let functions: Vec<Routine> =
            Routine::ALL.iter().copied().filter(|routine| routine.info().form == Form::Called).collect();
        assert!(functions.len() > 10, "{functions:?}");
        for routine in functions {
            let function = routine.function();
            assert!(!calls(function), "{routine:?}");
            assert!(function.results.iter().all(|&ty| register(ty) == Reg::U32), "{routine:?}");
        }
    }
}
