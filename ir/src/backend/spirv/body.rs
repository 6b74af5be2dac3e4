//! The body of a kernel: regions to blocks.
//!
//! Results of `if`, `switch` and `loop` and parameters of loops are variables of the
//! function. Whoever gives them has its operands at hand as values that were computed
//! before, so that writing one variable cannot change what the next one gets. They are read
//! once, where the values begin to exist.
//!
//! SPIR-V leaves constructs outwards only from the innermost loop or switch. A jump that goes
//! further sets the variable `exit` to the jump's number, leaves the innermost construct, and
//! after each construct so left `exit` is compared with the numbers that can arrive there.

use super::code::Code;
use super::float::{Disguise, Products};
use super::library::Library;
use super::memory::Memory;
use super::module::{Id, Reg};
use super::prologue::{Ids, bind};
use super::subgroup::Exchange;
use super::target::Target;
use crate::analysis::align::Alignment;
use crate::analysis::filled::Filled;
use crate::analysis::floats::Floats;
use crate::analysis::guard::Guards;
use crate::arena::Side;
use crate::ir::{Case, Function, Inst, InstDef, InstKind, Region, Value, ValueDef};
use crate::ops::{Builtin, SUBGROUP_SIZE, Signature};
use crate::order::Scope;
use crate::types::{Type, Types};
use spirv::{LoopControl, MemorySemantics, Op, StorageClass};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

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
    /// What the device offers.
    pub target: &'a Target,
    /// The roots.
    pub memory: Memory,
    /// The routines that stand in for what a device does not compute exactly.
    pub library: Library,
    /// Whether the op being translated may be computed as the device does it.
    pub is_loose: bool,
    /// How lanes exchange values.
    pub exchange: Exchange,
    /// Ids.
    pub ids: Ids,
    /// The registers of every value that exists so far.
    pub values: Side<ValueDef, Option<Rc<[Id]>>>,
    /// The tests of accesses, in launches that satisfy the conditions of the target.
    pub guards: Guards<'a>,
    /// What is known of floats.
    pub floats: Floats,
    /// The values that follow from literals alone.
    pub literals: Side<ValueDef, bool>,
    /// Whether what comes out of a variable may be the addend of a fused product, which no compiler
    /// may find to be a known number.
    pub may_add_to_variables: bool,
    /// The products so far of two factors, lesser first.
    pub products: BTreeMap<[Id; 2], Products>,
    /// The operands of the roots that 1 is divided by.
    pub inverted_roots: BTreeSet<Value>,
    /// The reciprocals of roots that there are so far.
    pub inverses: BTreeMap<Id, Id>,
    /// The target's own tests of floats so far.
    pub float_tests: BTreeSet<Id>,
    /// The values whose NaN is made the canonical one.
    pub observed: Side<ValueDef, bool>,
    /// The workgroup memory that need not be set to zero.
    pub filled: Filled,
    /// A condition besides their own under which loads read.
    pub under: Option<Id>,
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
    /// The `if` and `switch` around, innermost last.
    yields: Vec<Yields>,
    exit: Option<Id>,
    /// The binding of the words that count loops, and the word.
    open_loops: Option<(u32, u32)>,
    /// That binding's variable, once a loop was counted.
    counted: Option<Id>,
    /// Where an invocation goes that returns, if it has more to do.
    after: Option<Id>,
}

impl Flow {
    /// At the beginning of a function.
    pub fn of(function: &Function, open_loops: Option<(u32, u32)>) -> Self {
        let mut continued = Side::new(false);
        for (_, inst) in function.insts.iter() {
            if let InstKind::Continue(target, _) = inst.kind {
                continued[target] = true;
            }
        }
        let (loops, frames, yields) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { loops, frames, continued, yields, exit: None, open_loops, counted: None, after: None }
    }

    /// Says where an invocation goes that returns, if it has more to do.
    pub const fn returns_to(&mut self, after: Option<Id>) {
        self.after = after;
    }

    /// Whether loops are counted.
    pub const fn counts_loops(&self) -> bool {
        self.counted.is_some()
    }
}

/// The variables of a loop.
#[derive(Clone)]
struct LoopState {
    params: Vec<Id>,
    results: Vec<Id>,
}

/// An `if` or a `switch` that is being written.
struct Yields {
    results: Vec<Id>,
    /// Whether a region so far comes to its end.
    reached: bool,
}

/// A construct that `break` can leave.
struct Frame {
    /// The loop, or `None` for a switch.
    target: Option<Inst>,
    /// Where the next round of a loop begins; `None` if it is no loop in SPIR-V.
    next: Option<Id>,
    /// Where it ends.
    merge: Id,
    /// Whether anything comes there.
    reached: bool,
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
    /// Says what a value is from here on.
    pub fn define(&mut self, value: Value, registers: Vec<Id>) {
        self.values[value] = Some(registers.into());
    }

    /// The registers of a value that was given its bits by others, with the canonical NaN for any
    /// NaN if it has to be that.
    fn mended(&mut self, value: Value, registers: Vec<Id>) -> Vec<Id> {
        match self.function.ty(value).lane() {
            Some(lane) if self.observed[value] => {
                registers.into_iter().map(|register| self.canonical(register, lane, true)).collect()
            }
            _ => registers,
        }
    }

    /// The registers of a scalar that is known.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Vec<Id> {
        match self.target.registers(ty) {
            (Reg::U32, 2) => vec![self.code.word(bits as u32), self.code.word((bits >> 32) as u32)],
            (reg, _) => {
                let value = self.code.constant(reg, bits);
                vec![self.hidden_nan(value)]
            }
        }
    }

    /// A value's registers.
    pub fn registers(&mut self, value: Value) -> Rc<[Id]> {
        let ty = self.function.ty(value);
        if let Some(bits) = self.function.constant_bits(value) {
            return self.constant(ty, bits).into();
        }
        match &self.values[value] {
            Some(registers) => registers.clone(),
            None => self.zero(ty).into(),
        }
    }

    /// A value's only register.
    pub fn register(&mut self, value: Value) -> Id {
        let registers = self.registers(value);
        registers.first().copied().unwrap_or_else(|| self.code.word(0))
    }

    /// The registers of zero.
    pub fn zero(&mut self, ty: Type) -> Vec<Id> {
        let (reg, count) = self.target.registers(ty);
        vec![self.code.constant(reg, 0); count]
    }

    /// Writes a region, as far as it can be reached.
    pub fn region(&mut self, region: Region) {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            if self.code.ended() {
                break;
            }
            self.inst(inst);
        }
    }

    pub(super) fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let def = &function.insts[inst];
        let result = def.results.first().copied();
        self.is_loose = function.is_loose(inst);
        let value = match &def.kind {
            InstKind::Op(op, args) => {
                let Some(result) = result else { return };
                let registers = self.op(inst, *op, args, result);
                // Lane by lane it was done already.
                let is_mended = matches!(op.info().signature, Signature::Lanes(..));
                if is_mended { registers } else { self.mended(result, registers) }
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
                let args: Vec<Vec<Id>> = args.iter().map(|&v| self.registers(v).to_vec()).collect();
                self.atomic(inst, (*op, *order), place, function.ty(leading), &args)
            }
            InstKind::Fence(ordering, scope) => return self.fence(*ordering, *scope),
            InstKind::Len(root) => vec![self.len(*root)],
            InstKind::Builtin(builtin) => vec![self.builtin(*builtin)],
            InstKind::Barrier => return self.wait(self.orders_buffers[inst]),
            InstKind::Subgroup(op, args) => {
                let registers = self.subgroup(*op, args);
                result.map_or_else(Vec::new, |result| self.mended(result, registers))
            }
            // A checked function has no variables.
            InstKind::Get(_) => {
                let Some(result) = result else { return };
                self.zero(function.ty(result))
            }
            // Neither does it have calls.
            InstKind::Set(..) | InstKind::Call { .. } => return,
            InstKind::If { condition, then, .. } if self.filled.blended[inst] => {
                return self.blend(*condition, *then);
            }
            InstKind::If { condition, then, otherwise } => {
                return self.if_else(inst, *condition, *then, *otherwise);
            }
            InstKind::Switch { selector, cases, default } => return self.switch(inst, *selector, cases, *default),
            InstKind::Loop { body, initial, .. } => return self.loop_(inst, *body, initial),
            InstKind::Yield(values) => return self.yield_(values),
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
                let loops = self.flow.frames.iter().filter(|frame| frame.next.is_some()).count();
                self.leave_loops(loops as u32);
                return match self.flow.after {
                    Some(next) => self.code.branch(next),
                    None => self.code.return_(None),
                };
            }
        };
        if let Some(result) = result {
            let value = self.not_followed(result, value);
            self.define(result, value);
        }
    }

    /// The registers of a float that follows from literals alone, of which no compiler finds out what
    /// it is.
    fn not_followed(&mut self, value: Value, registers: Vec<Id>) -> Vec<Id> {
        if !self.literals[value] || self.function.fast_math {
            return registers;
        }
        let hide = |register| match self.code.known(register) {
            None if self.code.reg(register).is_float() => self.disguised(register, Disguise::FOLLOWS),
            _ => register,
        };
        registers.into_iter().map(hide).collect()
    }

    /// A barrier over workgroup memory, and over buffers too; one invocation has nobody to wait
    /// for.
    pub(super) fn wait(&mut self, buffers: bool) {
        if self.function.workgroup_size() == [1; 3] {
            return;
        }
        let mut semantics = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::WORKGROUP_MEMORY;
        if buffers {
            semantics |= MemorySemantics::UNIFORM_MEMORY;
        }
        if self.code.module.has_vulkan_memory_model() {
            semantics |= MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE;
        }
        let scope = self.scope(Scope::Workgroup);
        let semantics = self.code.word(semantics.bits());
        self.code.effect(Op::ControlBarrier, &[scope.word(), scope.word(), semantics.word()]);
    }

    fn builtin(&mut self, builtin: Builtin) -> Id {
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
                self.code.binary(Op::ShiftRightLogical, self.ids.local_index, bits)
            }
            Builtin::SubgroupLane => {
                let last = self.code.word(SUBGROUP_SIZE - 1);
                self.code.binary(Op::BitwiseAnd, self.ids.local_index, last)
            }
            Builtin::NumSubgroups => {
                let invocations = self.function.invocations() as u32;
                self.code.word(invocations.div_ceil(SUBGROUP_SIZE))
            }
        }
    }

    // Variables.

    /// A variable for every register of values of these types.
    fn variables(&mut self, types: impl Iterator<Item = Type>) -> Vec<Id> {
        let mut variables = Vec::new();
        for ty in types {
            let (reg, count) = self.target.registers(ty);
            variables.extend((0..count).map(|_| self.code.local(reg)));
        }
        variables
    }

    fn write(&mut self, variables: &[Id], values: &[Value]) {
        let mut registers = Vec::new();
        for &value in values {
            registers.extend_from_slice(&self.registers(value));
        }
        // Drivers follow what is known through variables, and compute with it by rules of their own.
        if !self.function.fast_math || self.may_add_to_variables {
            registers = registers.into_iter().map(|register| self.hidden(register)).collect();
        }
        for (&pointer, value) in variables.iter().zip(registers) {
            self.code.store(pointer, value);
        }
    }

    /// Defines values by reading the variables that hold them. Where nothing goes on, nobody
    /// asks for them.
    pub(super) fn define_all(&mut self, values: &[Value], variables: &[Id]) {
        if self.code.ended() {
            return;
        }
        let mut rest = variables;
        for &value in values {
            let (reg, count) = self.target.registers(self.function.ty(value));
            let (mine, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            let registers = mine.iter().map(|&pointer| self.code.load(reg, pointer)).collect();
            let registers = self.mended(value, registers);
            let registers = self.not_followed(value, registers);
            self.define(value, registers);
        }
    }

    // Control flow.

    pub(super) fn result_variables(&mut self, inst: Inst) -> Vec<Id> {
        let function = self.function;
        self.variables(function.insts[inst].results.iter().map(|&v| function.ty(v)))
    }

    /// Gives the results of the `if` or `switch` around and goes to its end.
    fn yield_(&mut self, values: &[Value]) {
        let results = self.flow.yields.last().map(|yields| yields.results.clone()).unwrap_or_default();
        self.write(&results, values);
        if let Some(yields) = self.flow.yields.last_mut() {
            yields.reached = true;
        }
    }

    /// Writes a region whose results are to be in these variables.
    pub(super) fn region_into(&mut self, region: Region, results: Vec<Id>) {
        self.flow.yields.push(Yields { results, reached: false });
        self.region(region);
        self.flow.yields.pop();
    }

    /// Writes a region into a block of its own, at the end of which is `merge`.
    fn block(&mut self, region: Region, label: Id, merge: Id) {
        self.code.open(label, true);
        self.region(region);
        self.code.branch(merge);
    }

    fn if_else(&mut self, inst: Inst, condition: Value, then: Region, otherwise: Region) {
        let function = self.function;
        let condition = self.register(condition);
        let results = self.result_variables(inst);
        self.flow.yields.push(Yields { results: results.clone(), reached: false });
        let (accept, merge) = (self.code.label(), self.code.label());
        // What only ends is no block.
        let empty = matches!(function.regions[otherwise].insts.as_slice(),
            [only] if matches!(&function.insts[*only].kind, InstKind::Yield(values) if values.is_empty()));
        let reject = if empty { merge } else { self.code.label() };
        self.code.branch_if(condition, accept, reject, merge);
        self.block(then, accept, merge);
        if !empty {
            self.block(otherwise, reject, merge);
        }
        let yields = self.flow.yields.pop();
        self.code.open(merge, empty || yields.is_some_and(|yields| yields.reached));
        self.define_all(&function.insts[inst].results, &results);
    }

    fn switch(&mut self, inst: Inst, selector: Value, cases: &[Case], default: Region) {
        let function = self.function;
        let words = self.registers(selector);
        let (reg, count) = self.target.registers(function.ty(selector));
        let selector = match (&*words, reg) {
            ([flag], Reg::Bool) => self.code.truth_word(*flag),
            ([word], _) => *word,
            // Of two words it is 1 + the position of the case.
            (words, _) => self.case_index(words, cases),
        };
        let literal = |case: usize, value: u64| match (reg, count) {
            (Reg::U64, _) => vec![value as u32, (value >> 32) as u32],
            (_, 2) => vec![case as u32 + 1],
            _ => vec![value as u32],
        };
        let results = self.result_variables(inst);
        self.flow.yields.push(Yields { results: results.clone(), reached: false });
        let (merge, otherwise) = (self.code.label(), self.code.label());
        let labels: Vec<Id> = cases.iter().map(|_| self.code.label()).collect();
        let mut literals: Vec<(Vec<u32>, Id)> = Vec::new();
        for (index, (case, &label)) in cases.iter().zip(&labels).enumerate() {
            for &value in &case.values {
                let literal = (literal(index, value), label);
                if !literals.contains(&literal) {
                    literals.push(literal);
                }
            }
        }
        self.code.branch_by(selector, otherwise, &literals, merge);
        self.flow.frames.push(Frame { target: None, next: None, merge, reached: false, pending: Vec::new() });
        for (case, label) in cases.iter().zip(labels).filter(|(case, _)| !case.values.is_empty()) {
            self.block(case.region, label, merge);
        }
        self.block(default, otherwise, merge);
        let reached = self.flow.yields.pop().is_some_and(|yields| yields.reached);
        self.leave_frame(reached);
        self.define_all(&function.insts[inst].results, &results);
    }

    /// 1 + the position of the case that lists a value of two words, else 0.
    fn case_index(&mut self, words: &[Id], cases: &[Case]) -> Id {
        let mut found = self.code.word(0);
        let [low, high] = *words else { return found };
        for (index, case) in cases.iter().enumerate() {
            let index = self.code.word(index as u32 + 1);
            for &bits in &case.values {
                let (a, b) = (self.code.word(bits as u32), self.code.word((bits >> 32) as u32));
                let (a, b) = (self.code.binary(Op::IEqual, low, a), self.code.binary(Op::IEqual, high, b));
                let equal = self.code.binary(Op::LogicalAnd, a, b);
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
        let merge = self.code.label();
        let frame = |next| Frame { target: Some(inst), next, merge, reached: false, pending: Vec::new() };
        if self.flow.continued[inst] {
            self.enter_loop();
            let bound = self.loop_bound(self.guards.facts().ends(inst));
            let (header, first, next) = (self.code.label(), self.code.label(), self.code.label());
            self.code.open(header, true);
            self.code.begin_loop(merge, next, first, LoopControl::NONE);
            self.flow.frames.push(frame(Some(next)));
            self.code.open(first, true);
            if let Some(bound) = bound {
                self.count_round(bound, merge);
                self.flow.frames.iter_mut().last().into_iter().for_each(|frame| frame.reached = true);
            }
            self.define_all(&region.params, &params);
            self.region(body);
            self.code.open(next, true);
            self.code.branch(header);
        } else {
            // What runs once is not written as a loop, since some devices end long loops by themselves.
            let (only, zero) = (self.code.label(), self.code.word(0));
            self.code.branch_by(zero, only, &[], merge);
            self.flow.frames.push(frame(None));
            self.code.open(only, true);
            self.define_all(&region.params, &params);
            self.region(body);
        }
        self.leave_frame(false);
        self.define_all(&function.insts[inst].results, &results);
    }

    fn jump(&mut self, jump: Jump) {
        let innermost = self.flow.frames.last().and_then(|frame| frame.target);
        let left = u32::from(self.flow.frames.last().is_some_and(|frame| frame.next.is_some()));
        let innermost_loop = self.flow.frames.iter().rev().find(|frame| frame.next.is_some());
        let next = innermost_loop.filter(|frame| frame.target == Some(jump.target)).and_then(|frame| frame.next);
        if let (true, Some(next)) = (jump.again, next) {
            return self.code.branch(next);
        }
        if jump.again || innermost != Some(jump.target) {
            let exit = match self.flow.exit {
                Some(exit) => exit,
                None => *self.flow.exit.insert(self.code.local_zero(Reg::U32)),
            };
            let number = self.code.word(jump.number());
            self.code.store(exit, number);
            if let Some(frame) = self.flow.frames.last_mut()
                && !frame.pending.contains(&jump)
            {
                frame.pending.push(jump);
            }
        }
        self.leave_loops(left);
        if let Some(frame) = self.flow.frames.last_mut() {
            frame.reached = true;
            self.code.branch(frame.merge);
        }
    }

    /// Opens the end of a construct, and sends the jumps that left it on their way.
    fn leave_frame(&mut self, reached: bool) {
        let Some(frame) = self.flow.frames.pop() else { return };
        self.code.open(frame.merge, reached || frame.reached);
        let Some(exit) = self.flow.exit else { return };
        for jump in frame.pending {
            let (current, number) = (self.code.load(Reg::U32, exit), self.code.word(jump.number()));
            let arrived = self.code.binary(Op::IEqual, current, number);
            let (leave, stay) = (self.code.label(), self.code.label());
            self.code.branch_if(arrived, leave, stay, stay);
            self.code.open(leave, true);
            let zero = self.code.word(0);
            self.code.store(exit, zero);
            self.jump(jump);
            self.code.open(stay, true);
        }
    }

    // Loops that may go on for long.

    /// Two variables that bound a loop that is not known to end, so that no compiler may conclude
    /// from its end that the condition before it never holds; and every loop of a device that
    /// ends loops by itself, which else runs some of them once more (Mesa 22.3).
    pub(super) fn loop_bound(&mut self, ends: bool) -> Option<[Id; 2]> {
        if ends && self.target.report_cut_loops.is_none() {
            return None;
        }
        let most = self.code.word(u32::MAX);
        Some([(); 2].map(|()| {
            let variable = self.code.local(Reg::U32);
            self.code.store(variable, most);
            variable
        }))
    }

    /// Counts a round of a loop with a bound of 2⁶⁴ rounds, and leaves it there for `merge`.
    pub(super) fn count_round(&mut self, [low, high]: [Id; 2], merge: Id) {
        let (one, zero) = (self.code.word(1), self.code.word(0));
        let (l, h) = (self.code.load(Reg::U32, low), self.code.load(Reg::U32, high));
        let none = self.code.binary(Op::BitwiseOr, l, h);
        let over = self.code.binary(Op::IEqual, none, zero);
        let (end, go) = (self.code.label(), self.code.label());
        self.code.branch_if(over, end, go, go);
        self.code.open(end, true);
        self.code.branch(merge);
        self.code.open(go, true);
        let borrow = self.code.binary(Op::IEqual, l, zero);
        let borrow = self.code.truth_word(borrow);
        let (l, h) = (self.code.binary(Op::ISub, l, one), self.code.binary(Op::ISub, h, borrow));
        self.code.store(low, l);
        self.code.store(high, h);
    }

    /// Counts a loop that is entered next. An atomic access of memory that others see is
    /// what no compiler removes; it would find a flag of the invocation's own always set.
    pub(super) fn enter_loop(&mut self) {
        self.count_loops(Op::AtomicIAdd, 1);
    }

    /// Counts loops that are left next.
    pub(super) fn leave_loops(&mut self, count: u32) {
        self.count_loops(Op::AtomicISub, count);
    }

    fn count_loops(&mut self, op: Op, count: u32) {
        let Some((binding, word)) = self.flow.open_loops.filter(|_| count > 0) else { return };
        let ty = self.code.module.reg(Reg::U32);
        let words = match self.flow.counted {
            Some(words) => words,
            None => {
                let array = self.code.module.array(ty, word.saturating_add(1), Some(4));
                let block = self.code.module.block(&[(array, 0)], Some(binding));
                let variable = self.code.module.variable(StorageClass::StorageBuffer, block, None);
                bind(&mut self.code, variable, binding);
                *self.flow.counted.insert(variable)
            }
        };
        let path = [self.code.word(0), self.code.word(word)];
        let pointer = self.code.access(StorageClass::StorageBuffer, ty, words, &path);
        let (scope, relaxed, count) = (self.scope(Scope::Device), self.code.word(0), self.code.word(count));
        self.code.value_of(op, ty, &[pointer.word(), scope.word(), relaxed.word(), count.word()]);
    }

    /// Who takes part in something, as a constant.
    pub(super) fn scope(&mut self, scope: Scope) -> Id {
        let scope = match scope {
            Scope::Invocation => spirv::Scope::Invocation,
            // The device's subgroups need not be ours.
            Scope::Subgroup | Scope::Workgroup => spirv::Scope::Workgroup,
            // Vulkan has no wider one.
            Scope::Device | Scope::System => spirv::Scope::Device,
        };
        self.code.word(scope as u32)
    }
}
