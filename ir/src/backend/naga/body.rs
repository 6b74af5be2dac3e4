//! The body of a kernel: regions to blocks.
//!
//! Results of `if`, `switch` and `loop` and parameters of loops are variables of the
//! naga function. Whoever gives them has its operands at hand as expressions that were
//! evaluated before, so that writing one variable cannot change what the next one gets.
//! They are read once, where the values begin to exist.
//!
//! naga's `break` leaves the innermost loop or switch and its `continue` the innermost
//! loop. A jump that goes further sets the variable `exit` to the jump's number, leaves
//! the innermost construct, and after each construct so left `exit` is compared with
//! the numbers that can arrive there.

use super::atomic::ExchangeTypes;
use super::code::{Code, Expr};
use super::library::Library;
use super::memory::DeclaredRoot;
use super::subgroup::Exchange;
use super::types::{Register, registers};
use crate::analysis::align::Alignment;
use crate::analysis::guard::Guards;
use crate::arena::Side;
use crate::ir::{Case, Function, Inst, InstDef, InstKind, Region, Root, Value, ValueDef};
use crate::ops::{Builtin, SUBGROUP_SIZE};
use crate::soft::plan::Native;
use crate::types::{Scalar, Type, Types};
use naga::{BinaryOperator as Bin, Handle, Statement, SwitchCase, SwitchValue};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the prologue found out about the invocation's place.
pub(super) struct Ids {
    /// Global id, local id, logical workgroup id and logical number of workgroups.
    pub axes: [[Expr; 3]; 4],
    /// The index in the workgroup.
    pub local_index: Expr,
    /// Two words that are zero, which no compiler can know; see `Body::hidden`.
    pub zeros: [Expr; 2],
}

/// The state of the translation of one function.
pub(super) struct Body<'a> {
    /// The entry point's code.
    pub code: Code,
    /// Arrays and structs.
    pub types: &'a Types,
    /// What places are multiples of.
    pub alignment: Alignment,
    /// The function.
    pub function: &'a Function,
    /// The roots.
    pub memory: BTreeMap<Root, DeclaredRoot>,
    /// Results of compare-exchange.
    pub exchange_types: ExchangeTypes,
    /// The routines that stand in for what a device does not compute exactly.
    pub library: Library<'a>,
    /// What the device computes exactly.
    pub native: Native,
    /// Whether the op being translated may be computed as the device does it.
    pub is_loose: bool,
    /// How lanes exchange values.
    pub exchange: Exchange,
    /// Ids.
    pub ids: Ids,
    /// The registers of every value that exists so far.
    pub values: Side<ValueDef, Option<Rc<[Expr]>>>,
    /// The tests of accesses, in launches that satisfy the conditions of the options.
    pub guards: Guards<'a>,
    /// The loads of workgroup memory that are `workgroupUniformLoad`.
    pub uniform_loads: Side<InstDef, bool>,
    /// Whether WGSL's rules for loops are kept.
    pub wgsl_rules: bool,
    /// The values whose NaN is made the canonical one.
    pub observed: Side<ValueDef, bool>,
    /// The barriers that order accesses to buffers, too.
    pub orders_buffers: Side<InstDef, bool>,
    /// The constructs around.
    pub flow: Flow,
}

/// The constructs around what is being translated, and their variables.
pub(super) struct Flow {
    loops: BTreeMap<Inst, LoopState>,
    frames: Vec<Frame>,
    /// The loops that some `continue` starts again.
    continued: Side<InstDef, bool>,
    /// The result variables of the `if` and `switch` around, innermost last.
    yields: Vec<Vec<Expr>>,
    exit: Option<Expr>,
}

impl Flow {
    /// At the beginning of a function.
    pub fn of(function: &Function) -> Self {
        let mut continued = Side::new(false);
        for (_, inst) in function.insts.iter() {
            if let InstKind::Continue(target, _) = inst.kind {
                continued[target] = true;
            }
        }
        Self { loops: BTreeMap::new(), frames: Vec::new(), continued, yields: Vec::new(), exit: None }
    }
}

/// The variables of a loop.
struct LoopState {
    params: Vec<Expr>,
    results: Vec<Expr>,
}

/// A naga construct that `break` can leave.
struct Frame {
    /// The loop, or `None` for a switch.
    target: Option<Inst>,
    /// Whether it is a loop in naga, too.
    repeats: bool,
    /// Jumps to outer loops that leave this construct.
    pending: Vec<Jump>,
}

/// A jump to a loop, out of it or back to its start.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Jump {
    target: Inst,
    again: bool,
}

impl Jump {
    /// The number that `exit` holds while the jump is under way.
    fn number(self) -> u32 {
        (self.target.index() as u32).wrapping_mul(2).wrapping_add(u32::from(self.again)).wrapping_add(1)
    }
}

impl Body<'_> {
    /// Whether there is a loop that is not known to end.
    pub fn may_not_end(&self) -> bool {
        self.flow.loops.keys().any(|&inst| !self.guards.facts().ends(inst))
    }

    /// Says what a value is from here on.
    pub fn define(&mut self, value: Value, mut registers: Vec<Expr>) {
        if self.observed[value] && self.function.ty(value).lane() == Some(Scalar::F32) {
            registers = registers.into_iter().map(|register| self.canonical(register)).collect();
        }
        let name: String = match &self.function.values[value].name {
            Some(name) => name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect(),
            None => String::new(),
        };
        let name = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { "v".to_owned() };
        for &register in &registers {
            self.code.name(register, &name);
        }
        self.values[value] = Some(registers.into());
    }

    /// A value's registers.
    pub fn registers(&mut self, value: Value) -> Rc<[Expr]> {
        let ty = self.function.ty(value);
        if let Some(bits) = self.function.constant_bits(value) {
            let (low, high) = (bits as u32, (bits >> 32) as u32);
            return match registers(ty) {
                (Register::Bool, _) => [self.code.flag(bits != 0)].into(),
                (Register::Float, _) => [self.code.float(low)].into(),
                (Register::Word, 2) => [self.code.word(low), self.code.word(high)].into(),
                (Register::Word, _) => [self.code.word(low)].into(),
            };
        }
        match &self.values[value] {
            Some(registers) => registers.clone(),
            None => self.zero(ty).into(),
        }
    }

    /// A value's only register.
    pub fn register(&mut self, value: Value) -> Expr {
        let registers = self.registers(value);
        registers.first().copied().unwrap_or_else(|| self.code.word(0))
    }

    /// The registers of zero.
    pub fn zero(&mut self, ty: Type) -> Vec<Expr> {
        let (register, count) = registers(ty);
        let zero = match register {
            Register::Bool => self.code.flag(false),
            Register::Word => self.code.word(0),
            Register::Float => self.code.float(0),
        };
        vec![zero; count]
    }

    /// Writes a region, as far as it can be reached: browsers warn of what cannot.
    pub fn region(&mut self, region: Region) {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            if self.code.ended() {
                break;
            }
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let def = &function.insts[inst];
        let result = def.results.first().copied();
        self.is_loose = function.is_loose(inst);
        let value = match &def.kind {
            InstKind::Op(op, args) => {
                let Some(result) = result else { return };
                self.op(*op, args, result)
            }
            InstKind::Load(place) => {
                let Some(result) = result else { return };
                self.load(inst, place, function.ty(result))
            }
            InstKind::Store(place, value) => {
                let registers = self.registers(*value);
                return self.store(inst, place, function.ty(*value), &registers);
            }
            InstKind::Atomic(op, place, args, order) => {
                let Some(leading) = args.first().copied().or(result) else { return };
                let args: Vec<Vec<Expr>> = args.iter().map(|&v| self.registers(v).to_vec()).collect();
                self.atomic(inst, (*op, *order), place, function.ty(leading), &args)
            }
            InstKind::Fence(ordering, scope) => return self.fence(*ordering, *scope),
            InstKind::Len(root) => vec![self.len(*root)],
            InstKind::Builtin(builtin) => vec![self.builtin(*builtin)],
            InstKind::Barrier => {
                let mut flags = naga::Barrier::WORK_GROUP;
                flags.set(naga::Barrier::STORAGE, self.orders_buffers[inst]);
                return self.wait(flags);
            }
            InstKind::Subgroup(op, args) => self.subgroup(*op, args),
            // A checked function has no variables.
            InstKind::Get(_) => {
                let Some(result) = result else { return };
                self.zero(function.ty(result))
            }
            // Neither does it have calls.
            InstKind::Set(..) | InstKind::Call { .. } => return,
            InstKind::If { condition, then, otherwise } => {
                return self.if_else(inst, *condition, *then, *otherwise);
            }
            InstKind::Switch { selector, cases, default } => return self.switch(inst, *selector, cases, *default),
            InstKind::Loop { body, initial, .. } => return self.loop_(inst, *body, initial),
            // The construct that owns the region left its result variables for this.
            InstKind::Yield(values) => {
                let results = self.flow.yields.last().cloned().unwrap_or_default();
                return self.write(&results, values);
            }
            InstKind::Break(target, values) => {
                let results = self.flow.loops.get(target).map(|state| state.results.clone()).unwrap_or_default();
                self.write(&results, values);
                return self.jump(Jump { target: *target, again: false });
            }
            InstKind::Continue(target, values) => {
                let params = self.flow.loops.get(target).map(|state| state.params.clone()).unwrap_or_default();
                self.write(&params, values);
                return self.jump(Jump { target: *target, again: true });
            }
            InstKind::Return(_) | InstKind::Unreachable => {
                let loops = self.flow.frames.iter().filter(|frame| frame.repeats).count();
                self.code.leave_loops(loops as u32);
                return self.code.statement(Statement::Return { value: None });
            }
        };
        if let Some(result) = result {
            self.define(result, value);
        }
    }

    /// A barrier; one invocation has nobody to wait for.
    pub(super) fn wait(&mut self, flags: naga::Barrier) {
        if self.function.workgroup_size() != [1; 3] {
            self.code.statement(Statement::ControlBarrier(flags));
        }
    }

    fn builtin(&mut self, builtin: Builtin) -> Expr {
        let [global, local, group, groups] = self.ids.axes;
        match builtin {
            Builtin::GlobalIdX => global[0],
            Builtin::GlobalIdY => global[1],
            Builtin::GlobalIdZ => global[2],
            Builtin::LocalIdX => local[0],
            Builtin::LocalIdY => local[1],
            Builtin::LocalIdZ => local[2],
            Builtin::WorkgroupIdX => group[0],
            Builtin::WorkgroupIdY => group[1],
            Builtin::WorkgroupIdZ => group[2],
            Builtin::NumWorkgroupsX => groups[0],
            Builtin::NumWorkgroupsY => groups[1],
            Builtin::NumWorkgroupsZ => groups[2],
            Builtin::LocalIndex => self.ids.local_index,
            Builtin::SubgroupId => {
                let bits = self.code.word(SUBGROUP_SIZE.trailing_zeros());
                self.code.binary(Bin::ShiftRight, self.ids.local_index, bits)
            }
            Builtin::SubgroupLane => {
                let last = self.code.word(SUBGROUP_SIZE - 1);
                self.code.binary(Bin::And, self.ids.local_index, last)
            }
            Builtin::NumSubgroups => {
                let invocations = self.function.invocations() as u32;
                self.code.word(invocations.div_ceil(SUBGROUP_SIZE))
            }
        }
    }

    // Variables.

    /// A variable for every register of values of these types.
    fn variables(&mut self, types: impl Iterator<Item = Type>) -> Vec<Expr> {
        let mut variables = Vec::new();
        for ty in types {
            let (register, count) = registers(ty);
            let ty = self.register_type(register);
            variables.extend((0..count).map(|_| self.code.local(ty)));
        }
        variables
    }

    fn register_type(&self, register: Register) -> Handle<naga::Type> {
        match register {
            Register::Bool => self.code.basic.bool,
            Register::Word => self.code.basic.u32,
            Register::Float => self.code.basic.f32,
        }
    }

    fn read(&mut self, variables: &[Expr]) -> Vec<Expr> {
        variables.iter().map(|&pointer| self.code.load(pointer)).collect()
    }

    fn write(&mut self, variables: &[Expr], values: &[Value]) {
        let mut registers = Vec::new();
        for &value in values {
            registers.extend_from_slice(&self.registers(value));
        }
        for (&pointer, value) in variables.iter().zip(registers) {
            self.code.store(pointer, value);
        }
    }

    /// Defines values by reading the variables that hold them. Where nothing goes on, nobody
    /// asks for them.
    fn define_all(&mut self, values: &[Value], variables: &[Expr]) {
        if self.code.ended() {
            return;
        }
        let mut rest = variables;
        for &value in values {
            let (_, count) = registers(self.function.ty(value));
            let (mine, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            let registers = self.read(mine);
            self.define(value, registers);
        }
    }

    // Control flow.

    /// Writes a region into a block of its own.
    fn block(&mut self, region: Region) -> naga::Block {
        self.code.open();
        self.region(region);
        self.code.close()
    }

    fn result_variables(&mut self, inst: Inst) -> Vec<Expr> {
        let function = self.function;
        self.variables(function.insts[inst].results.iter().map(|&v| function.ty(v)))
    }

    fn if_else(&mut self, inst: Inst, condition: Value, then: Region, otherwise: Region) {
        let condition = self.register(condition);
        let results = self.result_variables(inst);
        self.flow.yields.push(results);
        let accept = self.block(then);
        let reject = self.block(otherwise);
        let results = self.flow.yields.pop().unwrap_or_default();
        self.code.statement(Statement::If { condition, accept, reject });
        let function = self.function;
        self.define_all(&function.insts[inst].results, &results);
    }

    fn switch(&mut self, inst: Inst, selector: Value, cases: &[Case], default: Region) {
        let ty = self.function.ty(selector);
        let words = self.registers(selector);
        let narrow = registers(ty).1 == 1;
        let selector = match (&*words, registers(ty).0) {
            ([word], Register::Word | Register::Float) => *word,
            // A switch is over words.
            ([flag], Register::Bool) => {
                let (yes, no) = (self.code.word(1), self.code.word(0));
                self.code.select(*flag, yes, no)
            }
            (words, _) => self.case_index(words, cases),
        };
        let results = self.result_variables(inst);
        self.flow.yields.push(results);
        self.flow.frames.push(Frame { target: None, repeats: false, pending: Vec::new() });
        let mut bodies = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            let index = [index as u64 + 1];
            let values = if narrow { case.values.as_slice() } else { &index };
            let Some((last, others)) = values.split_last() else { continue };
            for &value in others {
                let value = SwitchValue::U32(value as u32);
                bodies.push(SwitchCase { value, body: naga::Block::new(), fall_through: true });
            }
            let body = self.block(case.region);
            bodies.push(SwitchCase { value: SwitchValue::U32(*last as u32), body, fall_through: false });
        }
        let body = self.block(default);
        bodies.push(SwitchCase { value: SwitchValue::Default, body, fall_through: false });
        let results = self.flow.yields.pop().unwrap_or_default();
        self.code.statement(Statement::Switch { selector, cases: bodies });
        self.leave_frame();
        let function = self.function;
        self.define_all(&function.insts[inst].results, &results);
    }

    /// 1 + the position of the case that lists a value of two words, else 0.
    fn case_index(&mut self, words: &[Expr], cases: &[Case]) -> Expr {
        let mut found = self.code.word(0);
        let [low, high] = *words else { return found };
        for (index, case) in cases.iter().enumerate() {
            let index = self.code.word(index as u32 + 1);
            for &bits in &case.values {
                let (a, b) = (self.code.word(bits as u32), self.code.word((bits >> 32) as u32));
                let (a, b) = (self.code.binary(Bin::Equal, low, a), self.code.binary(Bin::Equal, high, b));
                let equal = self.code.binary(Bin::And, a, b);
                found = self.code.select(equal, index, found);
            }
        }
        found
    }

    fn loop_(&mut self, inst: Inst, body: Region, initial: &[Value]) {
        let function = self.function;
        let region = &function.regions[body];
        let params = self.variables(region.params.iter().map(|&v| function.ty(v)));
        let results = self.result_variables(inst);
        self.write(&params, initial);
        let state = LoopState { params: params.clone(), results: results.clone() };
        self.flow.loops.insert(inst, state);
        // What runs once is not written as a loop, since some devices end long loops by themselves.
        let repeats = self.flow.continued[inst];
        self.flow.frames.push(Frame { target: Some(inst), repeats, pending: Vec::new() });
        if repeats {
            self.code.enter_loop();
        }
        let way_out = if self.wgsl_rules && repeats { self.never_taken() } else { naga::Block::new() };
        self.code.open();
        self.define_all(&region.params, &params);
        self.region(body);
        if repeats {
            self.code.repeat_block_or(way_out);
        } else {
            let body = self.code.close();
            let cases = vec![SwitchCase { value: SwitchValue::Default, body, fall_through: false }];
            let selector = self.code.word(0);
            self.code.statement(Statement::Switch { selector, cases });
        }
        self.leave_frame();
        self.define_all(&function.insts[inst].results, &results);
    }

    /// A `break` on a condition that never holds, which nobody can know.
    fn never_taken(&mut self) -> naga::Block {
        let zero = self.ids.zeros[0];
        self.code.open();
        let never = self.code.truth(zero);
        self.code.when(never, |code| code.statement(Statement::Break));
        self.code.close()
    }

    fn jump(&mut self, jump: Jump) {
        let innermost = self.flow.frames.last().and_then(|frame| frame.target);
        let left = u32::from(self.flow.frames.last().is_some_and(|frame| frame.repeats));
        let innermost_loop = self.flow.frames.iter().rev().find(|frame| frame.repeats).and_then(|frame| frame.target);
        if !jump.again && innermost == Some(jump.target) {
            self.code.leave_loops(left);
            self.code.statement(Statement::Break);
        } else if jump.again && innermost_loop == Some(jump.target) {
            self.code.statement(Statement::Continue);
        } else {
            let exit = match self.flow.exit {
                Some(exit) => exit,
                None => self.code.local(self.code.basic.u32),
            };
            self.flow.exit = Some(exit);
            let number = self.code.word(jump.number());
            self.code.store(exit, number);
            if let Some(frame) = self.flow.frames.last_mut()
                && !frame.pending.contains(&jump)
            {
                frame.pending.push(jump);
            }
            self.code.leave_loops(left);
            self.code.statement(Statement::Break);
        }
    }

    /// Sends the jumps that left a construct on their way, after it.
    fn leave_frame(&mut self) {
        let Some(frame) = self.flow.frames.pop() else { return };
        let Some(exit) = self.flow.exit else { return };
        for jump in frame.pending {
            let (current, number) = (self.code.load(exit), self.code.word(jump.number()));
            let arrived = self.code.binary(Bin::Equal, current, number);
            self.code.open();
            let zero = self.code.word(0);
            self.code.store(exit, zero);
            self.jump(jump);
            let accept = self.code.close();
            self.code.statement(Statement::If { condition: arrived, accept, reject: naga::Block::new() });
        }
    }
}
