//! The code of one lane: regions as blocks, values as variables.
//!
//! A region that yields is a block with a value; `if`, `match` and `loop` are expressions, so that a result is
//! a variable that is set once. A lane that leaves its run goes to the end of the block `'lane`.

use super::along::Path;
use super::code::{Code, lane_of, literal, pattern, rust, tuple};
use super::memory::Memories;
use super::op;
use super::plan::{Given, Kept, Plan};
use crate::analysis::facts::Facts;
use crate::analysis::floats::Floats;
use crate::analysis::guard::Guards;
use crate::analysis::nan;
use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Case, Function, Inst, InstDef, InstKind, Region, Value, ValueDef};
use crate::ops::{Builtin, SUBGROUP_SIZE};
use crate::types::{Scalar, Type, Types};
use std::collections::{BTreeMap, BTreeSet};

/// Over which lanes a loop goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Over {
    /// The lanes of a workgroup.
    Group,
    /// All lanes of a row of workgroups, which have nothing in common.
    Row,
    /// This many neighbours on x.
    Strip(u32),
}

/// Whether lanes compute what they may have no use for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InVain {
    /// No lane does.
    No,
    /// In rounds that only some of them need.
    Rounds,
    /// In the round in which each left its loop, to find out what the loop gives.
    Last,
}

impl Over {
    /// The lanes of a strip; 1 where lanes go one by one.
    pub const fn lanes(self) -> u32 {
        match self {
            Self::Strip(lanes) => lanes,
            Self::Group | Self::Row => 1,
        }
    }
}

/// A level: lanes that go through a list of instructions together.
pub(super) struct Level {
    pub over: Over,
    pub plan: Plan,
    /// The run that is being written.
    pub run: u32,
}

impl Level {
    /// Whether a value that is the same for all lanes is a variable before the run that is being written; `None` if
    /// it was not made at this level. `inst` gives it.
    pub fn has_before_run(&self, value: Value, inst: Inst) -> Option<bool> {
        if self.plan.hoisted[inst] || self.plan.collective[inst] {
            return Some(true);
        }
        let run = self.plan.run[inst];
        (run != 0).then(|| run != self.run && self.plan.kept[value] == Kept::Once)
    }
}

/// The state of the translation of one function.
pub(super) struct Writer<'a> {
    /// The text.
    pub code: Code,
    /// Arrays and structs.
    pub types: &'a Types,
    /// The function.
    pub function: &'a Function,
    /// Where everything is.
    pub tree: &'a Tree,
    /// What is the same in all lanes of a workgroup.
    pub uniform: &'a Side<ValueDef, bool>,
    /// What may be computed anywhere.
    pub repeatable: &'a Side<InstDef, bool>,
    /// The tests of accesses.
    pub guards: Guards<'a>,
    /// The roots.
    pub memory: Memories,
    /// The values whose NaN is made the canonical one.
    pub observed: Side<ValueDef, bool>,
    /// The levels, the workgroup first.
    pub levels: Vec<Level>,
    /// The values that are in arrays, and what the names of these begin with: `k` for those of a workgroup, `w`
    /// for those of a strip.
    pub arrays: BTreeSet<(Value, char)>,
    /// The values that are in the array of a parameter, with it.
    pub merged: BTreeMap<Value, Value>,
    /// The arrays of the strip to be declared: names, types, numbers of elements.
    pub declared: Vec<(String, Scalar, usize)>,
    /// The same of the workgroup.
    pub declared_for_all: Vec<(String, Scalar, usize)>,
    /// What the lane that is being written has as variables, besides what it defines itself.
    pub loaded: BTreeSet<Value>,
    /// Collective loops that single lanes leave or continue.
    pub left_by_lanes: BTreeSet<Inst>,
    /// Whether lanes may be gone when a run begins.
    pub marks_gone: bool,
    /// Whether the code depends on the conditions of the launch.
    pub uses_conditions: bool,
    /// How many neighbouring workgroups fill the longest strip.
    pub together: u32,
    /// The paths that the lanes being written are on, the outermost first.
    pub paths: Vec<Path>,
    /// What was made before the loop over lanes that is being written.
    pub firsts: BTreeSet<Value>,
    /// Whether lanes compute what they may have no use for, so that nothing is known of their values.
    pub in_vain: InVain,
    /// The loops of the lane that is being written.
    pub loops: BTreeMap<Inst, Vec<String>>,
}

impl<'a> Writer<'a> {
    /// A writer with nothing written.
    pub fn new(given: &Given<'a>, types: &'a Types, memory: Memories) -> Self {
        let guards = Guards::of(types, given.function, 0);
        let floats = Floats::of(given.function, guards.facts());
        let observed = nan::observed(given.function, &floats, op::gives_a_nan);
        Self {
            code: Code::default(),
            types,
            function: given.function,
            tree: given.tree,
            uniform: given.uniform,
            repeatable: given.repeatable,
            guards,
            memory,
            observed,
            levels: Vec::new(),
            arrays: BTreeSet::new(),
            merged: BTreeMap::new(),
            declared: Vec::new(),
            declared_for_all: Vec::new(),
            loaded: BTreeSet::new(),
            left_by_lanes: BTreeSet::new(),
            marks_gone: false,
            uses_conditions: false,
            together: 1,
            paths: Vec::new(),
            firsts: BTreeSet::new(),
            in_vain: InVain::No,
            loops: BTreeMap::new(),
        }
    }

    /// What plans are made from.
    pub fn given(&self) -> Given<'a> {
        Given { function: self.function, tree: self.tree, uniform: self.uniform, repeatable: self.repeatable }
    }

    /// What is known about the function.
    pub const fn facts(&self) -> &Facts {
        self.guards.facts()
    }

    /// The level whose lanes are being written.
    pub fn level(&self) -> &Level {
        match self.levels.last() {
            Some(level) => level,
            None => unreachable!("the level of the workgroup is never taken away"),
        }
    }

    // Values.

    /// The names or literals of a value's lanes.
    pub fn lanes(&self, value: Value) -> Vec<String> {
        match self.function.constant_bits(value) {
            Some(bits) => vec![literal(lane_of(self.function.ty(value)), bits)],
            None => self.names(value, 'v'),
        }
    }

    /// A value's only lane.
    pub fn scalar(&self, value: Value) -> String {
        self.lanes(value).into_iter().next().unwrap_or_default()
    }

    /// The names of a value's lanes that begin with a letter.
    pub fn names(&self, value: Value, letter: char) -> Vec<String> {
        let name = format!("{letter}{}", value.index());
        match self.function.ty(value) {
            Type::Vector(_, lanes) => (0..lanes).map(|lane| format!("{name}_{lane}")).collect(),
            _ => vec![name],
        }
    }

    /// The names of several values.
    pub fn all_names(&self, values: &[Value], letter: char) -> Vec<String> {
        values.iter().flat_map(|&value| self.names(value, letter)).collect()
    }

    /// The lanes of several values.
    pub fn all_lanes(&self, values: &[Value]) -> Vec<String> {
        values.iter().flat_map(|&value| self.lanes(value)).collect()
    }

    /// The types of the lanes of several values.
    pub fn all_types(&self, values: &[Value]) -> Vec<&'static str> {
        let types = values.iter().map(|&value| self.function.ty(value));
        types.flat_map(|ty| vec![rust(lane_of(ty)); ty.lanes()]).collect()
    }

    /// An expression, with the canonical NaN for any NaN if the value has to have that.
    fn mended(&self, value: Value, lane: String) -> String {
        if self.observed[value] { format!("n::Lane::canonical({lane})") } else { lane }
    }

    /// Gives a value its lanes, and keeps them where others need them.
    pub fn define(&mut self, value: Value, lanes: Vec<String>) {
        let ty = rust(lane_of(self.function.ty(value)));
        let lanes: Vec<String> = lanes.into_iter().map(|lane| self.mended(value, lane)).collect();
        let names = self.names(value, 'v');
        if self.is_kept(value, Kept::Once) {
            for (name, lane) in names.iter().zip(&lanes) {
                self.code.line(format!("{name} = {lane};"));
            }
            return;
        }
        for (name, lane) in names.iter().zip(&lanes) {
            self.code.line(format!("let {name}: {ty} = {lane};"));
        }
        self.keep(value);
    }

    /// Whether a level keeps a value in this way.
    fn is_kept(&self, value: Value, how: Kept) -> bool {
        self.levels.iter().any(|level| level.plan.kept[value] == how)
    }

    /// Puts a value that the lane has into the arrays of the levels that keep it.
    pub fn keep(&mut self, value: Value) {
        for level in 0..self.levels.len() {
            if self.levels[level].plan.kept[value] == Kept::Lanes {
                let lanes = self.lanes(value);
                self.put_at(level, value, &lanes);
            }
        }
    }

    /// The names of a value's arrays that begin with a letter.
    fn arrays_of(&self, value: Value, letter: char) -> Vec<String> {
        let owner = if letter == 'k' { self.merged.get(&value).copied() } else { None };
        self.names(owner.unwrap_or(value), letter)
    }

    /// Whether something on a path goes into the array of a parameter, which it may be computed of: that cannot be done
    /// twice.
    pub fn computes_once(&self, path: &Path) -> bool {
        let mut given = path.list.iter().chain(&path.replaced).flat_map(|&inst| &self.function.insts[inst].results);
        given.any(|result| self.merged.contains_key(result))
    }

    /// Sets the lane's element of the level's arrays of a value.
    pub fn put(&mut self, value: Value, lanes: &[String]) {
        self.put_at(self.levels.len() - 1, value, lanes);
    }

    /// Sets the lane's element of a level's arrays of a value.
    pub fn put_at(&mut self, level: usize, value: Value, lanes: &[String]) {
        let (letter, at, elements) = match self.levels[level].over {
            Over::Strip(width) => ('w', "j", width as usize),
            Over::Group | Over::Row => ('k', "l", self.function.invocations() as usize),
        };
        let scalar = lane_of(self.function.ty(value));
        for (name, lane) in self.arrays_of(value, letter).into_iter().zip(lanes) {
            self.code.line(format!("{name}[{at}] = {lane};"));
            let declared = if letter == 'w' { &mut self.declared } else { &mut self.declared_for_all };
            if !declared.iter().any(|(other, ..)| *other == name) {
                declared.push((name, scalar, elements));
            }
        }
        self.arrays.insert((value, letter));
    }

    /// Loads what instructions need and the lane does not have: from arrays, or by making it again.
    pub fn load_needed(&mut self, insts: &[Inst]) {
        let mut pending: Vec<Inst> = insts.to_vec();
        let mut operands = Vec::new();
        while let Some(inst) = pending.pop() {
            let kind = &self.function.insts[inst].kind;
            kind.for_each_operand(|value| operands.push(value));
            for region in kind.regions() {
                pending.extend(&self.function.regions[region].insts);
            }
        }
        let run = insts.first().map_or(0, |&inst| self.level().plan.run[inst]);
        self.load_all(operands, run);
    }

    /// The same for the operands of a collective instruction.
    pub fn load_operands(&mut self, operands: &[Value]) {
        self.load_all(operands.to_vec(), 0);
    }

    fn load_all(&mut self, mut operands: Vec<Value>, run: u32) {
        operands.sort_unstable();
        operands.dedup();
        self.loaded.clear();
        for value in operands {
            self.load_value(value, run);
        }
    }

    /// Loads a value, unless the lane computes it in this run, or it is a variable of all lanes.
    fn load_value(&mut self, value: Value, run: u32) {
        if self.function.constant_bits(value).is_some() || self.loaded.contains(&value) || self.is_fixed(value) {
            return;
        }
        let home = match self.tree.def(value) {
            Def::Constant | Def::Argument(_) => return,
            Def::Result(inst, _) | Def::Param(inst, _) => inst,
        };
        let plan = &self.level().plan;
        if self.uniform[value] || run != 0 && plan.run[home] == run && !plan.hoisted[home] {
            return;
        }
        self.loaded.insert(value);
        let is_made_again = self.levels.iter().any(|level| level.plan.again[value]);
        let names = self.names(value, 'v');
        let in_strip = self.arrays.contains(&(value, 'w'));
        if is_made_again && !in_strip && !self.arrays.contains(&(value, 'k')) {
            let def = &self.function.insts[home];
            let mut operands = Vec::new();
            def.kind.for_each_operand(|operand| operands.push(operand));
            for operand in operands {
                self.load_value(operand, run);
            }
            let lanes = match (self.grown(value), &def.kind) {
                (Some(grown), _) => vec![grown],
                // A lane that is gone has not come to it.
                (None, InstKind::Op(op, args)) => self.op(home, *op, args, value, !self.marks_gone),
                (None, InstKind::Builtin(builtin)) => vec![self.builtin(*builtin)],
                _ => return,
            };
            let ty = rust(lane_of(self.function.ty(value)));
            for (name, lane) in names.iter().zip(lanes) {
                let lane = self.mended(value, lane);
                self.code.line(format!("let {name}: {ty} = {lane};"));
            }
            return;
        }
        let (letter, at) = if in_strip { ('w', "j") } else { ('k', "l") };
        for (name, array) in names.iter().zip(self.arrays_of(value, letter)) {
            self.code.line(format!("let {name} = {array}[{at}];"));
        }
    }

    // Instructions of a lane.

    /// Writes the instructions of a region.
    pub fn region(&mut self, region: Region) {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            self.inst(inst);
            if self.diverges(inst) {
                break;
            }
        }
    }

    /// Whether nothing comes after an instruction, so that rustc would warn of what is written after it.
    pub fn diverges(&self, inst: Inst) -> bool {
        let function = self.function;
        match &function.insts[inst].kind {
            InstKind::If { then, otherwise, .. } => self.never_ends(*then) && self.never_ends(*otherwise),
            InstKind::Switch { cases, default, .. } => {
                cases.iter().all(|case| case.values.is_empty() || self.never_ends(case.region))
                    && self.never_ends(*default)
            }
            InstKind::Loop { .. } => self.tree.exits(inst).is_empty(),
            InstKind::Yield(_) => false,
            kind => kind.is_terminator(),
        }
    }

    /// Whether a region never comes to a `yield` at its end.
    fn never_ends(&self, region: Region) -> bool {
        self.function.regions[region].insts.iter().any(|&inst| self.diverges(inst))
    }

    /// Writes an instruction.
    pub fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let def = &function.insts[inst];
        let result = def.results.first().copied();
        if result.is_some_and(|result| self.is_fixed(result)) {
            return;
        }
        if let Some(result) = result
            && let Some(grown) = self.grown(result)
        {
            self.define(result, vec![grown]);
            return;
        }
        match (&def.kind, result) {
            (InstKind::Op(op, args), Some(result)) => {
                let lanes =
                    self.op(inst, *op, args, result, self.in_vain == InVain::No && !self.level().plan.hoisted[inst]);
                self.define(result, lanes);
            }
            (InstKind::Load(place), Some(result)) => self.load(inst, place, result),
            (InstKind::Store(place, value), _) => self.store(inst, place, *value),
            (InstKind::Atomic(op, place, args, order), _) => self.atomic(inst, *op, place, (args, result), *order),
            (InstKind::Len(root), Some(result)) => {
                let len = self.len(*root);
                self.define(result, vec![len]);
            }
            (InstKind::Builtin(builtin), Some(result)) => {
                let lane = self.builtin(*builtin);
                self.define(result, vec![lane]);
            }
            (InstKind::Fence(ordering, scope), _) => self.fence(*ordering, *scope),
            (InstKind::If { condition, then, otherwise }, _) => {
                if !self.store_either(inst, *condition, *then, *otherwise) {
                    self.if_else(inst, *condition, *then, *otherwise);
                }
            }
            (InstKind::Switch { selector, cases, default }, _) => self.switch(inst, *selector, cases, *default),
            (InstKind::Loop { body, initial, .. }, _) => self.loop_(inst, *body, initial),
            (InstKind::Yield(values), _) => {
                if let Some(owner) = self.replaced_by(inst) {
                    let passed: Vec<Vec<String>> = values.iter().map(|&value| self.lanes(value)).collect();
                    for (&result, lanes) in function.insts[owner].results.iter().zip(passed) {
                        self.define(result, lanes);
                    }
                } else if !values.is_empty() {
                    let lanes = self.all_lanes(values);
                    self.code.line(tuple(&lanes));
                }
            }
            (InstKind::Break(target, _) | InstKind::Continue(target, _), _) if self.level().plan.masked[*target] => {
                self.leave_masked(inst, *target);
            }
            (InstKind::Break(target, values), _) => {
                if self.loops.contains_key(target) {
                    let lanes = self.all_lanes(values);
                    let value = if lanes.is_empty() { String::new() } else { format!(" {}", tuple(&lanes)) };
                    self.code.line(format!("break 'l{}{value};", target.index()));
                } else {
                    self.leave(inst, *target, 2 * target.index() + 1);
                }
            }
            (InstKind::Continue(target, values), _) => {
                if let Some(variables) = self.loops.get(target).cloned() {
                    let lanes = self.all_lanes(values);
                    self.assign(&variables, &lanes);
                    self.code.line(format!("continue 'l{};", target.index()));
                } else {
                    self.leave(inst, *target, 2 * target.index() + 2);
                }
            }
            (InstKind::Return(_) | InstKind::Unreachable, _) => {
                if self.marks_gone {
                    self.code.line("gone[l] = u32::MAX;");
                }
                self.code.line("break 'lane;");
            }
            // A run has neither, and a checked kernel no calls and no variables.
            (InstKind::Barrier | InstKind::Subgroup(..) | InstKind::Call { .. }, _) => {}
            (InstKind::Get(_) | InstKind::Set(..), _) => {}
            // The checks give each of these a result.
            (InstKind::Op(..) | InstKind::Load(_) | InstKind::Len(_) | InstKind::Builtin(_), None) => {}
        }
    }

    /// Sets variables, all at once.
    pub fn assign(&mut self, variables: &[String], lanes: &[String]) {
        let changed: Vec<(&String, &String)> = variables.iter().zip(lanes).filter(|(to, from)| to != from).collect();
        let (to, from): (Vec<&String>, Vec<&String>) = changed.into_iter().unzip();
        if !to.is_empty() {
            self.code.line(format!("{} = {};", tuple(&to), tuple(&from)));
        }
    }

    /// Leaves the run for a collective loop that the other lanes go on with.
    fn leave(&mut self, inst: Inst, target: Inst, code: usize) {
        let given = self.given();
        let targets = self.level().plan.targets(&given, inst).unwrap_or_default();
        let values = self.function.insts[inst].kind.passed().to_vec();
        for (&to, value) in targets.iter().zip(values) {
            let lanes = self.lanes(value);
            if self.uniform[to] {
                let letter = if code.is_multiple_of(2) { 'n' } else { 'v' };
                let names = self.names(to, letter);
                self.assign(&names, &lanes);
            } else {
                self.put(to, &lanes);
            }
        }
        debug_assert!(self.left_by_lanes.contains(&target));
        self.code.line(format!("gone[l] = {code}u32;"));
        self.code.line("break 'lane;");
    }

    /// Opens the declaration of the results of a construct.
    fn results(&self, inst: Inst, what: &str) -> String {
        let results = &self.function.insts[inst].results;
        if results.is_empty() || self.diverges(inst) {
            return what.to_owned();
        }
        let names: Vec<String> = results.iter().flat_map(|&value| self.names(value, self.result(value))).collect();
        let types = self.all_types(results);
        format!("let {}: {} = {what}", tuple(&names), tuple(&types))
    }

    /// Closes a construct, and has its results if control comes out of it.
    fn close_results(&mut self, inst: Inst) {
        let diverges = self.diverges(inst);
        self.code.close(if diverges || self.function.insts[inst].results.is_empty() { "}" } else { "};" });
        if !diverges {
            self.have_results(inst);
        }
    }

    /// The letter of the variable that a result of a construct gets first.
    fn result(&self, value: Value) -> char {
        if self.is_kept(value, Kept::Once) { 'q' } else { 'v' }
    }

    /// Mends and keeps the results of a construct.
    fn have_results(&mut self, inst: Inst) {
        for &result in &self.function.insts[inst].results {
            if self.observed[result] || self.is_kept(result, Kept::Once) {
                let lanes = self.names(result, self.result(result));
                self.define(result, lanes);
            } else {
                self.keep(result);
            }
        }
    }

    fn if_else(&mut self, inst: Inst, condition: Value, then: Region, otherwise: Region) {
        let condition = self.scalar(condition);
        let head = self.results(inst, &format!("if {condition} {{"));
        self.code.open(head);
        self.region(then);
        self.code.between("} else {");
        self.region(otherwise);
        self.close_results(inst);
    }

    fn switch(&mut self, inst: Inst, selector: Value, cases: &[Case], default: Region) {
        let scalar = lane_of(self.function.ty(selector));
        let selected = self.scalar(selector);
        let head = self.results(inst, &format!("match {selected} {{"));
        self.code.open(head);
        for case in cases {
            let patterns: Vec<String> = case.values.iter().map(|&bits| pattern(scalar, bits)).collect();
            if patterns.is_empty() {
                continue;
            }
            self.code.open(format!("{} => {{", patterns.join(" | ")));
            self.region(case.region);
            self.code.close("}");
        }
        self.code.open("_ => {");
        self.region(default);
        self.code.close("}");
        self.close_results(inst);
    }

    fn loop_(&mut self, inst: Inst, body: Region, initial: &[Value]) {
        let function = self.function;
        let params = &function.regions[body].params;
        let variables = self.all_names(params, 'p');
        let (first, types) = (self.all_lanes(initial), self.all_types(params));
        for ((variable, ty), first) in variables.iter().zip(types).zip(first) {
            self.code.line(format!("let mut {variable}: {ty} = {first};"));
        }
        self.loops.insert(inst, variables);
        let head = self.results(inst, &format!("'l{}: loop {{", inst.index()));
        self.code.open(head);
        self.count_round(inst, "fuel");
        for &param in params {
            let lanes = self.names(param, 'p');
            self.define(param, lanes);
        }
        self.region(body);
        self.loops.remove(&inst);
        self.close_results(inst);
    }

    /// Gives a launch up in which a loop that is not known to end has too many rounds.
    pub fn count_round(&mut self, inst: Inst, fuel: &str) {
        if self.facts().ends(inst) {
            return;
        }
        let loc = self.function.insts[inst].loc.index().unwrap_or(u32::MAX);
        self.code.line(format!("if {fuel} == 0 {{ return n::Err(n::Endless({loc})); }}"));
        self.code.line(format!("{fuel} = {fuel}.wrapping_sub(1);"));
    }

    /// Where the lane is.
    pub fn builtin(&self, builtin: Builtin) -> String {
        let [x, y, z] = self.function.workgroup_size();
        let invocations = self.function.invocations();
        let global = |axis: &str, size: u32| match size {
            1 => format!("o{axis}"),
            _ => format!("o{axis}.unchecked_add({axis})"),
        };
        let local = |axis: &str, size: u32| if size == 1 { "0u32".to_owned() } else { axis.to_owned() };
        match builtin {
            Builtin::GlobalIdX => global("x", x),
            Builtin::GlobalIdY => global("y", y),
            Builtin::GlobalIdZ => global("z", z),
            Builtin::LocalIdX => local("x", x),
            Builtin::LocalIdY => local("y", y),
            Builtin::LocalIdZ => local("z", z),
            Builtin::WorkgroupIdX => "gx".to_owned(),
            Builtin::WorkgroupIdY => "gy".to_owned(),
            Builtin::WorkgroupIdZ => "gz".to_owned(),
            Builtin::NumWorkgroupsX => "launch.word(0)".to_owned(),
            Builtin::NumWorkgroupsY => "launch.word(1)".to_owned(),
            Builtin::NumWorkgroupsZ => "launch.word(2)".to_owned(),
            Builtin::LocalIndex | Builtin::SubgroupLane if invocations == 1 => "0u32".to_owned(),
            Builtin::SubgroupId if invocations <= SUBGROUP_SIZE.into() => "0u32".to_owned(),
            Builtin::LocalIndex => "(l as u32)".to_owned(),
            Builtin::SubgroupId => format!("((l as u32) / {SUBGROUP_SIZE})"),
            Builtin::SubgroupLane => format!("((l as u32) % {SUBGROUP_SIZE})"),
            Builtin::NumSubgroups => format!("{}u32", invocations.div_ceil(SUBGROUP_SIZE.into())),
        }
    }
}
