//! Routines of the library in naga: functions of the module, each made when it is first
//! called, or written in place.
//!
//! A routine is written as it stands: its shifts have counts below 32 and its divisors are
//! not zero (see [`soft`](crate::soft)). What is known of operands is computed here.

use super::code::{Basic, Code, Expr};
use crate::arena::Side;
use crate::ir::{CallArg, Function, Inst, InstKind, Region, Value, ValueDef};
use crate::ops::Op;
use crate::soft::{Form, Routine};
use crate::types::{Scalar, Type};
use naga::{
    BinaryOperator as Bin, Expression, FunctionArgument, FunctionResult, Handle, Span, Statement, TypeInner, VectorSize,
};
use std::collections::BTreeMap;

/// The routines of a module.
pub(super) struct Library<'m> {
    module: &'m mut naga::Module,
    made: BTreeMap<Routine, Handle<naga::Function>>,
}

impl<'m> Library<'m> {
    pub const fn new(module: &'m mut naga::Module) -> Self {
        Self { module, made: BTreeMap::new() }
    }

    /// What a routine gives for these words.
    pub fn apply(&mut self, code: &mut Code, routine: Routine, operands: &[Expr]) -> Vec<Expr> {
        match routine.info().form {
            Form::InPlace => self.write(code, routine.function(), operands),
            Form::Called => {
                let function = self.function(code.basic, routine);
                let result = code.plain(Expression::CallResult(function));
                let arguments = operands.to_vec();
                code.statement(Statement::Call { function, arguments, result: Some(result) });
                match routine.function().results.len() as u32 {
                    1 => vec![result],
                    words => (0..words).map(|word| code.member(result, word)).collect(),
                }
            }
        }
    }

    /// The function of a routine that is called.
    fn function(&mut self, basic: Basic, routine: Routine) -> Handle<naga::Function> {
        if let Some(&made) = self.made.get(&routine) {
            return made;
        }
        let recorded = routine.function();
        let mut code = Code::new(Some(format!("{}_", recorded.name)), basic);
        let argument = |_: &_| FunctionArgument { name: None, ty: basic.u32, binding: None };
        code.function.arguments = recorded.params.iter().map(argument).collect();
        let arguments: Vec<Expr> =
            (0..recorded.params.len() as u32).map(|i| code.plain(Expression::FunctionArgument(i))).collect();
        let mut value = self.write(&mut code, recorded, &arguments);
        let size = match value.len() {
            2 => Some(VectorSize::Bi),
            3 => Some(VectorSize::Tri),
            4 => Some(VectorSize::Quad),
            _ => None,
        };
        let mut ty = basic.u32;
        if let Some(size) = size {
            let inner = TypeInner::Vector { size, scalar: naga::Scalar::U32 };
            ty = self.module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED);
            value = vec![code.push(Expression::Compose { ty, components: value })];
        }
        code.function.result = Some(FunctionResult { ty, binding: None });
        code.statement(Statement::Return { value: value.first().copied() });
        let made = self.module.functions.append(code.finish(), Span::UNDEFINED);
        self.made.insert(routine, made);
        made
    }

    /// Writes a routine's body; the words that it gives.
    fn write(&mut self, code: &mut Code, function: &Function, operands: &[Expr]) -> Vec<Expr> {
        let mut writer = Writer { library: self, code, function, values: Side::new(None), loops: BTreeMap::new() };
        let params = &function.regions[function.body].params;
        for (&param, &operand) in params.iter().zip(operands) {
            writer.values[param] = Some(operand);
        }
        writer.region(function.body)
    }
}

/// A routine that is being written.
struct Writer<'w, 'm> {
    library: &'w mut Library<'m>,
    code: &'w mut Code,
    function: &'w Function,
    values: Side<ValueDef, Option<Expr>>,
    loops: BTreeMap<Inst, Variables>,
}

/// The variables of a loop.
struct Variables {
    params: Vec<Expr>,
    results: Vec<Expr>,
}

impl Writer<'_, '_> {
    /// Writes a region; what it returns, if it does.
    fn region(&mut self, region: Region) -> Vec<Expr> {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            let def = &function.insts[inst];
            let results = match &def.kind {
                InstKind::Op(op, args) => vec![self.op(*op, args)],
                InstKind::Call { function, args } => {
                    let Some(&routine) = Routine::ALL.get(*function as usize) else { continue };
                    let words: Vec<Expr> = args.iter().filter_map(|arg| self.argument(arg)).collect();
                    self.library.apply(self.code, routine, &words)
                }
                InstKind::If { condition, then, .. } => {
                    let condition = self.value(*condition);
                    self.code.open();
                    self.region(*then);
                    let accept = self.code.close();
                    self.code.statement(Statement::If { condition, accept, reject: naga::Block::new() });
                    continue;
                }
                InstKind::Loop { body, initial, .. } => self.repeat(inst, *body, initial),
                InstKind::Break(target, values) => {
                    let results = self.loops.get(target).map(|it| it.results.clone()).unwrap_or_default();
                    self.store(&results, values);
                    self.code.leave_loops(1);
                    self.code.statement(Statement::Break);
                    continue;
                }
                // It stands at the end of the loop.
                InstKind::Continue(target, values) => {
                    let params = self.loops.get(target).map(|it| it.params.clone()).unwrap_or_default();
                    self.store(&params, values);
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

    fn repeat(&mut self, inst: Inst, body: Region, initial: &[Value]) -> Vec<Expr> {
        let function = self.function;
        let mut variables = |values: &[Value]| {
            let local = |_: &Value| self.code.local(self.code.basic.u32);
            values.iter().map(local).collect::<Vec<Expr>>()
        };
        let params = variables(&function.regions[body].params);
        let results = variables(&function.insts[inst].results);
        self.store(&params, initial);
        self.loops.insert(inst, Variables { params: params.clone(), results: results.clone() });
        self.code.enter_loop();
        self.code.open();
        let words = params.iter().map(|&variable| self.code.load(variable)).collect();
        self.define(&function.regions[body].params, words);
        self.region(body);
        self.code.repeat_block();
        results.iter().map(|&variable| self.code.load(variable)).collect()
    }

    fn store(&mut self, variables: &[Expr], values: &[Value]) {
        for (&variable, &value) in variables.iter().zip(values) {
            let value = self.value(value);
            self.code.store(variable, value);
        }
    }

    fn define(&mut self, values: &[Value], words: Vec<Expr>) {
        for (&value, word) in values.iter().zip(words) {
            self.values[value] = Some(word);
        }
    }

    fn argument(&mut self, arg: &CallArg) -> Option<Expr> {
        match arg {
            CallArg::Value(value) => Some(self.value(*value)),
            CallArg::Place(_) => None,
        }
    }

    fn value(&mut self, value: Value) -> Expr {
        match (self.function.constant_bits(value), self.function.ty(value)) {
            (Some(bits), Type::Scalar(Scalar::Bool)) => self.code.flag(bits != 0),
            (Some(bits), _) => self.code.word(bits as u32),
            (None, _) => self.values[value].unwrap_or_else(|| self.code.word(0)),
        }
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Expr {
        let flags = args.first().is_some_and(|&value| self.function.ty(value) == Type::BOOL);
        let operands: Vec<Expr> = args.iter().map(|&value| self.value(value)).collect();
        let zero = self.code.word(0);
        let [a, b, c] = [0, 1, 2].map(|i| operands.get(i).copied().unwrap_or(zero));
        let value = match op {
            // These stand in a kernel with what guards them.
            Op::Div => Some(self.code.binary(Bin::Divide, a, b)),
            Op::Shl => Some(self.code.binary(Bin::ShiftLeft, a, b)),
            Op::Shr => Some(self.code.binary(Bin::ShiftRight, a, b)),
            Op::Select => Some(self.code.select(a, b, c)),
            _ if flags => self.code.logic(op, a, b),
            _ => self.code.integer(op, false, a, b),
        };
        value.unwrap_or(zero)
    }
}
