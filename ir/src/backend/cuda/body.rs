//! The body of a kernel: regions to statements.
//!
//! A value is one C variable a lane, set where it is declared, except that results of
//! `if`, `switch` and `loop` and parameters of loops are declared before their construct
//! and set in it. A jump that C's `break` and `continue` cannot make is a `goto`. It only
//! ever leaves blocks, and its label stands where no declaration lies between: after the
//! loop, or behind a block that holds all of the loop's body.
//!
//! C++ lets a compiler assume that a loop without effects ends. Each loop therefore has
//! an empty `asm volatile`, which is an effect that costs nothing.

use super::code::{Code, c_type, literal};
use super::float::Float;
use super::memory::{DeclaredRoot, suffix};
use crate::analysis::align::Alignment;
use crate::analysis::floats::Floats;
use crate::analysis::guard::Guards;
use crate::analysis::nan;
use crate::arena::Side;
use crate::ir::{Case, Function, Inst, InstKind, Region, Root, Value, ValueDef};
use crate::ops::{Builtin, SUBGROUP_SIZE};
use crate::types::{Scalar, Type, Types};
use std::collections::{BTreeMap, BTreeSet};

/// The state of the translation of one function.
pub(super) struct Body<'a> {
    /// The text.
    pub code: Code,
    /// Arrays and structs.
    pub types: &'a Types,
    /// The function.
    pub function: &'a Function,
    /// The roots.
    pub memory: BTreeMap<Root, DeclaredRoot>,
    /// What places are multiples of.
    pub alignment: Alignment,
    /// The tests of accesses, in launches that satisfy the conditions of the text.
    pub guards: Guards<'a>,
    /// The values whose NaN is made the canonical one.
    pub observed: Side<ValueDef, bool>,
    /// The names of the lanes of every value so far.
    values: Side<ValueDef, Vec<String>>,
    frames: Vec<Frame>,
    /// The results of the `if` and `switch` around, innermost last.
    yields: Vec<Vec<String>>,
    loops: BTreeMap<Inst, LoopState>,
    /// The labels that something jumps to.
    labels: BTreeSet<String>,
}

/// The variables of a loop.
struct LoopState {
    params: Vec<String>,
    results: Vec<String>,
}

/// A construct that C's `break` leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    Loop(Inst),
    Switch,
}

impl<'a> Body<'a> {
    /// A body with nothing written.
    pub fn new(
        types: &'a Types,
        function: &'a Function,
        memory: BTreeMap<Root, DeclaredRoot>,
        launch_conditions: u64,
    ) -> Self {
        let guards = Guards::of(types, function, launch_conditions);
        let floats = Floats::of(function, guards.facts());
        let observed = nan::observed(function, &floats, |op, lane| Float::new(lane).gives_a_nan(op));
        Self {
            code: Code::default(),
            types,
            function,
            alignment: Alignment::of(function),
            memory,
            guards,
            observed,
            values: Side::new(Vec::new()),
            frames: Vec::new(),
            yields: Vec::new(),
            loops: BTreeMap::new(),
            labels: BTreeSet::new(),
        }
    }

    /// Says what a value's lanes are from here on.
    pub fn define(&mut self, value: Value, lanes: Vec<String>) {
        self.values[value] = lanes;
    }

    /// The names or literals of a value's lanes.
    pub fn lanes(&self, value: Value) -> Vec<String> {
        let ty = self.function.ty(value);
        let lane = ty.lane().unwrap_or(Scalar::U32);
        if let Some(bits) = self.function.constant_bits(value) {
            return vec![literal(lane, bits)];
        }
        let lanes = &self.values[value];
        if lanes.is_empty() { vec![literal(lane, 0); ty.lanes()] } else { lanes.clone() }
    }

    /// A value's only lane.
    pub fn scalar(&self, value: Value) -> String {
        self.lanes(value).into_iter().next().unwrap_or_default()
    }

    /// The names that the lanes of a value get.
    pub fn names(&self, value: Value) -> Vec<String> {
        let name = suffix(self.function.values[value].name.as_deref().unwrap_or_default());
        let name = format!("v{}{name}", value.index());
        match self.function.ty(value) {
            Type::Vector(_, lanes) => (0..lanes).map(|lane| format!("{name}_{lane}")).collect(),
            Type::Scalar(_) | Type::Error | Type::Bytes | Type::Array(_) | Type::Struct(_) => vec![name],
        }
    }

    /// Declares a value.
    pub fn declare(&mut self, value: Value, lanes: &[String]) {
        let names = self.names(value);
        let ty = c_type(self.function.ty(value).lane().unwrap_or(Scalar::U32));
        for (name, lane) in names.iter().zip(lanes) {
            let lane = self.mended(value, lane);
            self.code.line(format!("const {ty} {name} = {lane};"));
        }
        self.define(value, names);
    }

    /// A lane of a value, with the canonical NaN for any NaN if it has to be that.
    fn mended(&mut self, value: Value, lane: &str) -> String {
        if !self.observed[value] {
            return lane.to_owned();
        }
        Float::new(self.function.ty(value).lane().unwrap_or(Scalar::F32)).canonical(&mut self.code, lane)
    }

    /// Writes a region.
    pub fn region(&mut self, region: Region) {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            self.inst(inst);
        }
    }

    fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let def = &function.insts[inst];
        let result = def.results.first().copied();
        match &def.kind {
            InstKind::Op(op, args) => {
                let Some(result) = result else { return };
                let (lanes, exist) = self.op(*op, args, result);
                if exist && !self.observed[result] {
                    self.define(result, lanes);
                } else {
                    self.declare(result, &lanes);
                }
            }
            InstKind::Load(place) => {
                let Some(result) = result else { return };
                let names = self.names(result);
                self.load(inst, place, function.ty(result), &names);
                self.define(result, names);
            }
            InstKind::Store(place, value) => {
                let lanes = self.lanes(*value);
                self.store(inst, place, function.ty(*value), &lanes);
            }
            InstKind::Atomic(op, place, args, order) => {
                let Some(leading) = args.first().copied().or(result) else { return };
                let scalar = function.ty(leading).lane().unwrap_or(Scalar::U32);
                let args: Vec<String> = args.iter().map(|&v| self.scalar(v)).collect();
                let names = result.map(|result| self.names(result)).unwrap_or_default();
                self.atomic(inst, (*op, *order), place, scalar, &args, names.first().map(String::as_str));
                if let Some(result) = result {
                    self.define(result, names);
                }
            }
            InstKind::Len(root) => {
                let len = self.len(*root);
                if let Some(result) = result {
                    self.define(result, vec![len]);
                }
            }
            InstKind::Builtin(builtin) => {
                let value = self.builtin(*builtin);
                if let Some(result) = result {
                    self.declare(result, &[value]);
                }
            }
            InstKind::Barrier => self.code.line("__syncthreads();"),
            InstKind::Subgroup(op, args) => {
                let lane = self.subgroup(*op, args);
                if let Some(result) = result {
                    self.declare(result, &[lane]);
                }
            }
            InstKind::Fence(_, scope) => self.fence(*scope),
            // A checked function has no variables.
            InstKind::Get(_) | InstKind::Set(..) => {}
            InstKind::If { condition, then, otherwise } => self.if_else(inst, *condition, *then, *otherwise),
            InstKind::Switch { selector, cases, default } => self.switch(inst, *selector, cases, *default),
            InstKind::Loop { body, initial, .. } => self.loop_(inst, *body, initial),
            // The construct that owns the region left its result variables for this.
            InstKind::Yield(values) => {
                let results = self.yields.last().cloned().unwrap_or_default();
                self.write(&results, values);
            }
            InstKind::Break(target, values) => {
                let results = self.loops.get(target).map(|state| state.results.clone()).unwrap_or_default();
                self.write(&results, values);
                if self.frames.last() == Some(&Frame::Loop(*target)) {
                    self.code.line("break;");
                } else {
                    self.jump(break_label(*target));
                }
            }
            InstKind::Continue(target, values) => {
                let params = self.loops.get(target).map(|state| state.params.clone()).unwrap_or_default();
                self.write(&params, values);
                let innermost = self.frames.iter().rev().find(|frame| matches!(frame, Frame::Loop(_)));
                if innermost == Some(&Frame::Loop(*target)) {
                    self.code.line("continue;");
                } else {
                    self.jump(continue_label(*target));
                }
            }
            InstKind::Return(_) | InstKind::Unreachable => self.code.line("return;"),
            // The flattening of kernels removed these.
            InstKind::Call { .. } => {}
        }
    }

    fn builtin(&self, builtin: Builtin) -> String {
        let [x, y, _] = self.function.workgroup_size();
        let global = |axis: char| {
            let size = self.function.workgroup_size()["xyz".find(axis).unwrap_or(0)];
            format!("group_{axis} * {size}u + threadIdx.{axis}")
        };
        match builtin {
            Builtin::GlobalIdX => global('x'),
            Builtin::GlobalIdY => global('y'),
            Builtin::GlobalIdZ => global('z'),
            Builtin::LocalIdX => "threadIdx.x".to_owned(),
            Builtin::LocalIdY => "threadIdx.y".to_owned(),
            Builtin::LocalIdZ => "threadIdx.z".to_owned(),
            Builtin::WorkgroupIdX => "group_x".to_owned(),
            Builtin::WorkgroupIdY => "group_y".to_owned(),
            Builtin::WorkgroupIdZ => "group_z".to_owned(),
            Builtin::NumWorkgroupsX => "groups_x".to_owned(),
            Builtin::NumWorkgroupsY => "groups_y".to_owned(),
            Builtin::NumWorkgroupsZ => "groups_z".to_owned(),
            Builtin::LocalIndex => local_index(x, y),
            Builtin::SubgroupId => format!("({}) / {SUBGROUP_SIZE}u", local_index(x, y)),
            Builtin::SubgroupLane => format!("({}) % {SUBGROUP_SIZE}u", local_index(x, y)),
            Builtin::NumSubgroups => format!("{}u", self.invocations().div_ceil(SUBGROUP_SIZE)),
        }
    }

    // Variables.

    /// Declares variables for values that are set later.
    fn variables(&mut self, values: &[Value], initial: &[String]) -> Vec<String> {
        let mut all = Vec::new();
        for &value in values {
            let lane = self.function.ty(value).lane().unwrap_or(Scalar::U32);
            let (ty, zero) = (c_type(lane), literal(lane, 0));
            for name in self.names(value) {
                let first = initial.get(all.len()).unwrap_or(&zero);
                self.code.line(format!("{ty} {name} = {first};"));
                all.push(name);
            }
        }
        all
    }

    /// Sets variables to values, all at once.
    fn write(&mut self, variables: &[String], values: &[Value]) {
        let mut targets = variables.iter();
        let mut moves: Vec<(String, String, &str)> = Vec::new();
        for &value in values {
            let ty = c_type(self.function.ty(value).lane().unwrap_or(Scalar::U32));
            for (source, target) in self.lanes(value).into_iter().zip(&mut targets) {
                if source != *target {
                    moves.push((target.clone(), source, ty));
                }
            }
        }
        // A variable that is read after it was set would be read too late.
        let late = |(i, (_, source, _)): (usize, &(String, String, &str))| {
            moves.iter().take(i).any(|(target, ..)| target == source)
        };
        if moves.iter().enumerate().any(late) {
            self.code.open("{");
            for (i, (_, source, ty)) in moves.iter().enumerate() {
                self.code.line(format!("const {ty} next{i} = {source};"));
            }
            for (i, (target, ..)) in moves.iter().enumerate() {
                self.code.line(format!("{target} = next{i};"));
            }
            self.code.close("}");
        } else {
            for (target, source, _) in moves {
                self.code.line(format!("{target} = {source};"));
            }
        }
    }

    /// Gives values the variables that hold their lanes, here where they begin to exist.
    fn define_all(&mut self, values: &[Value], variables: &[String]) {
        let mut rest = variables.iter().cloned();
        for &value in values {
            let lanes: Vec<String> = rest.by_ref().take(self.function.ty(value).lanes()).collect();
            let mended_lanes = if self.observed[value] { lanes.as_slice() } else { &[] };
            for lane in mended_lanes {
                let mended = self.mended(value, lane);
                self.code.line(format!("{lane} = {mended};"));
            }
            self.define(value, lanes);
        }
    }

    // Control flow.

    fn jump(&mut self, label: String) {
        self.code.line(format!("goto {label};"));
        self.labels.insert(label);
    }

    fn label(&mut self, label: &str) {
        if self.labels.contains(label) {
            self.code.line(format!("{label}:;"));
        }
    }

    fn if_else(&mut self, inst: Inst, condition: Value, then: Region, otherwise: Region) {
        let function = self.function;
        let condition = self.scalar(condition);
        let results = self.variables(&function.insts[inst].results, &[]);
        self.yields.push(results);
        self.code.open(format!("if ({condition}) {{"));
        self.region(then);
        if !self.gives_nothing(otherwise) {
            self.code.close("} else {");
            self.code.open_again();
            self.region(otherwise);
        }
        self.code.close("}");
        let results = self.yields.pop().unwrap_or_default();
        self.define_all(&function.insts[inst].results, &results);
    }

    /// Whether a region is nothing but a `yield` of nothing.
    fn gives_nothing(&self, region: Region) -> bool {
        match self.function.regions[region].insts.as_slice() {
            [only] => matches!(&self.function.insts[*only].kind, InstKind::Yield(values) if values.is_empty()),
            _ => false,
        }
    }

    fn switch(&mut self, inst: Inst, selector: Value, cases: &[Case], default: Region) {
        let function = self.function;
        let lane = function.ty(selector).lane().unwrap_or(Scalar::U32);
        let results = self.variables(&function.insts[inst].results, &[]);
        self.yields.push(results);
        self.frames.push(Frame::Switch);
        let held = if lane == Scalar::Bool { Scalar::U32 } else { lane };
        self.code.open(format!("switch (({}){}) {{", c_type(held), self.scalar(selector)));
        for case in cases {
            for &value in &case.values {
                let value = if held.bits() == 64 { format!("{value}ull") } else { format!("{value}u") };
                self.code.line(format!("case {value}:"));
            }
            self.case(case.region);
        }
        self.code.line("default:");
        self.case(default);
        self.code.close("}");
        self.frames.pop();
        let results = self.yields.pop().unwrap_or_default();
        self.define_all(&function.insts[inst].results, &results);
    }

    fn case(&mut self, region: Region) {
        self.code.open("{");
        self.region(region);
        self.code.close("}");
        self.code.line("break;");
    }

    fn loop_(&mut self, inst: Inst, body: Region, initial: &[Value]) {
        let function = self.function;
        let initial: Vec<String> = initial.iter().flat_map(|&value| self.lanes(value)).collect();
        let results = self.variables(&function.insts[inst].results, &[]);
        let values = &function.regions[body].params;
        let params = self.variables(values, &initial);
        self.loops.insert(inst, LoopState { params: params.clone(), results: results.clone() });
        self.frames.push(Frame::Loop(inst));
        self.code.open("for (;;) {");
        self.code.line("asm volatile(\"\");");
        self.define_all(values, &params);
        self.code.open("{");
        self.region(body);
        self.code.close("}");
        self.label(&continue_label(inst));
        self.code.close("}");
        self.frames.pop();
        self.label(&break_label(inst));
        self.define_all(&function.insts[inst].results, &results);
    }
}

fn break_label(inst: Inst) -> String {
    format!("leave_{}", inst.index())
}

fn continue_label(inst: Inst) -> String {
    format!("again_{}", inst.index())
}

/// The place in a workgroup of this size on x and y.
pub(super) fn local_index(x: u32, y: u32) -> String {
    format!("threadIdx.x + {x}u * (threadIdx.y + {y}u * threadIdx.z)")
}
