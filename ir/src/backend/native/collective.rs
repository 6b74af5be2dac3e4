//! The code of a level: loops over lanes, and what all lanes do together around them.
//!
//! What a collective construct gives is a variable if all lanes have the same, else an array. A lane that leaves
//! a collective construct while others go on is marked as gone: runs skip it until the end of what it has left.
//! The checks see to it that no barrier comes before that end.

use super::code::{lane_of, literal, pattern, rust};
use super::memory::{Home, private_roots};
use super::plan::Kept;
use super::writer::{Level, Over, Writer};
use crate::ir::{Case, Inst, InstKind, Region, Root, Value};
use crate::ops::{SUBGROUP_SIZE, SubgroupOp};

impl Writer<'_> {
    /// Writes a list of instructions of the level.
    pub(super) fn list(&mut self, insts: &[Inst]) {
        let mut run = Vec::new();
        for &inst in insts {
            if self.level().plan.collective[inst] {
                self.run(&std::mem::take(&mut run));
                self.together(inst);
                if self.diverges(inst) {
                    return;
                }
            } else {
                run.push(inst);
            }
        }
        self.run(&run);
    }

    fn region_together(&mut self, region: Region) {
        let function = self.function;
        self.list(&function.regions[region].insts);
    }

    /// Writes a run: what is hoisted, the loop over the lanes, and where control goes from there.
    fn run(&mut self, insts: &[Inst]) {
        let function = self.function;
        let (hoisted, lanes): (Vec<Inst>, Vec<Inst>) = insts.iter().partition(|&&inst| self.level().plan.hoisted[inst]);
        for inst in hoisted {
            self.inst(inst);
        }
        let terminator = lanes.last().copied().filter(|&last| self.ends(last));
        let body = if terminator.is_some() { &lanes[..lanes.len() - 1] } else { &lanes[..] };
        if !self.is_idle(body) || terminator.is_some_and(|last| !self.moves(last).is_empty()) {
            self.declare_once(body);
            let run = lanes.first().map_or(0, |&first| self.level().plan.run[first]);
            if let Some(level) = self.levels.last_mut() {
                level.run = run;
            }
            match self.level().over {
                Over::Strip(width) => self.strip(width, &lanes),
                Over::Group | Over::Row => match self.turns(&lanes) {
                    Some(moves) => self.turn(&lanes, &moves),
                    None => self.rows(&lanes),
                },
            }
        }
        let Some(terminator) = terminator else { return };
        match (self.level().over, &function.insts[terminator].kind) {
            (Over::Strip(_), InstKind::Return(_) | InstKind::Unreachable) => self.code.line("break 'strip;"),
            // The level around goes on.
            (Over::Strip(_), _) if self.level().plan.targets(&self.given(), terminator).is_none() => {}
            _ => self.go_on(terminator),
        }
    }

    /// Whether nothing is left of instructions: what they compute is made again by whoever needs it.
    fn is_idle(&self, insts: &[Inst]) -> bool {
        insts.iter().all(|&inst| {
            let def = &self.function.insts[inst];
            let is_kept = |value: &Value| self.levels.iter().any(|level| level.plan.kept[*value] != Kept::No);
            matches!(def.kind, InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_))
                && !def.results.iter().any(is_kept)
        })
    }

    /// Whether an instruction is where all lanes of a run go on to something else.
    fn ends(&self, inst: Inst) -> bool {
        self.function.insts[inst].kind.is_terminator() && !self.is_replaced_yield(inst)
    }

    /// Declares the variables of what is the same for all lanes and computed by each of them.
    fn declare_once(&mut self, insts: &[Inst]) {
        for &inst in insts {
            // A replaced branch has its results from the `yield` that stands for it.
            let giver = if self.is_replaced_yield(inst) { self.replaced_by(inst).unwrap_or(inst) } else { inst };
            for &result in &self.function.insts[giver].results {
                let once = |level: &Level| level.plan.kept[result] == Kept::Once;
                let outer = &self.levels[..self.levels.len() - 1];
                if once(self.level()) && !outer.iter().any(once) {
                    self.declare_variables(&[result], 'v');
                }
            }
        }
    }

    fn declare_variables(&mut self, values: &[Value], letter: char) {
        for &value in values {
            let scalar = lane_of(self.function.ty(value));
            for name in self.names(value, letter) {
                self.code.line(format!("let mut {name}: {} = {};", rust(scalar), literal(scalar, 0)));
            }
        }
    }

    /// What a terminator passes on for each lane by itself: the target and what it gets.
    pub(super) fn moves(&self, terminator: Inst) -> Vec<(Value, Value)> {
        let given = self.given();
        let targets = self.levels.iter().find_map(|level| level.plan.targets(&given, terminator));
        let passed = self.function.insts[terminator].kind.passed();
        let pairs = targets.unwrap_or_default().iter().copied().zip(passed.iter().copied());
        // Where nobody comes, a target may count as the same for all though what it is given does not.
        let is_there = |to: Value, value: Value| self.merged.get(&value) == Some(&to);
        pairs.filter(|&(to, value)| (!self.uniform[to] || !self.is_once(value)) && !is_there(to, value)).collect()
    }

    /// Whether a value is a variable of all lanes, or a constant.
    fn is_once(&self, value: Value) -> bool {
        self.uniform[value] || self.function.constant_bits(value).is_some()
    }

    /// Passes on what is the same for all lanes, and goes where a terminator leads.
    fn go_on(&mut self, terminator: Inst) {
        let given = self.given();
        let targets = self.level().plan.targets(&given, terminator).unwrap_or_default();
        let kind = &self.function.insts[terminator].kind;
        let next = match kind {
            InstKind::Continue(target, _) => self.left_by_lanes.contains(target),
            _ => false,
        };
        let (mut to, mut from) = (Vec::new(), Vec::new());
        for (&target, &value) in targets.iter().zip(kind.passed()) {
            if self.uniform[target] && self.is_once(value) {
                to.extend(self.names(target, if next { 'n' } else { 'v' }));
                from.extend(self.lanes(value).into_iter().map(|lane| self.mended_once(target, lane)));
            }
        }
        self.assign(&to, &from);
        match kind {
            InstKind::Break(target, _) => self.code.line(format!("break 'l{};", target.index())),
            InstKind::Continue(target, _) => self.code.line(format!("continue 'l{};", target.index())),
            InstKind::Return(_) => self.code.line("break 'group;"),
            // No lane is here any more: each has left what is around, one of them perhaps for the end of this loop.
            InstKind::Unreachable => match self.loop_around(terminator) {
                Some(around) => self.code.line(format!("break 'l{};", around.index())),
                None => self.code.line("break 'group;"),
            },
            _ => {}
        }
    }

    /// The collective loop around an instruction.
    fn loop_around(&self, inst: Inst) -> Option<Inst> {
        self.tree.loops_around(self.function, inst).find(|&around| self.level().plan.collective[around])
    }

    pub(super) fn mended_once(&self, value: Value, lane: String) -> String {
        if self.observed[value] { format!("n::Lane::canonical({lane})") } else { lane }
    }

    /// Sets the lane's element of a target of the level that owns it.
    pub(super) fn put_outside(&mut self, to: Value, lanes: &[String]) {
        let owner = match self.tree.def(to) {
            crate::analysis::tree::Def::Result(inst, _) | crate::analysis::tree::Def::Param(inst, _) => inst,
            _ => return,
        };
        if self.uniform[to] {
            let names = self.names(to, 'v');
            self.assign(&names, lanes);
            return;
        }
        let level = self.levels.iter().position(|level| level.plan.collective[owner]).unwrap_or(0);
        self.put_at(level, to, lanes);
        // What a strip's construct gives may be needed outside of the strip.
        for outer in 0..level {
            if self.levels[outer].plan.kept[to] == Kept::Lanes {
                self.put_at(outer, to, lanes);
            }
        }
    }

    /// Whether something in instructions has a loop that is not known to end.
    pub(super) fn counts_rounds(&self, insts: &[Inst]) -> bool {
        let mut pending = insts.to_vec();
        while let Some(inst) = pending.pop() {
            let kind = &self.function.insts[inst].kind;
            if matches!(kind, InstKind::Loop { .. }) && !self.facts().ends(inst) {
                return true;
            }
            for region in kind.regions() {
                pending.extend(&self.function.regions[region].insts);
            }
        }
        false
    }

    /// Declares the private memory that a lane has for itself.
    pub(super) fn own_memory(&mut self, insts: &[Inst]) {
        for root in private_roots(self.function, insts) {
            if self.memory.homes.get(&root) == Some(&Home::Lane) {
                self.memory_of(root, 1);
            }
        }
    }

    /// Declares the private memory of lanes, all zero.
    pub(super) fn memory_of(&mut self, root: Root, lanes: u64) {
        let Root::Private(i) = root else { return };
        let words = (u64::from(self.private_bytes(root)) * lanes).div_ceil(8);
        self.code.line(format!("let mut m{i} = n::Aligned([0u64; {words}]);"));
        self.code.line(format!("let a{i}: *mut u8 = m{i}.0.as_mut_ptr().cast();"));
    }

    // Collective constructs.

    fn together(&mut self, inst: Inst) {
        let function = self.function;
        match &function.insts[inst].kind {
            // All lanes are here, since the loop before has ended.
            InstKind::Barrier => {}
            InstKind::Subgroup(op, args) => self.subgroup(inst, *op, args),
            InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. }
                if !self.is_once(*value) =>
            {
                self.only_way_together(inst);
            }
            InstKind::If { condition, then, otherwise } => {
                let condition = self.scalar(*condition);
                self.declare_results(inst);
                self.code.open(format!("if {condition} {{"));
                self.region_together(*then);
                self.code.between("} else {");
                self.region_together(*otherwise);
                self.code.close("}");
            }
            InstKind::Switch { selector, cases, default } => self.switch_together(inst, *selector, cases, *default),
            InstKind::Loop { body, initial, .. } if self.level().plan.masked[inst] => {
                self.loop_in_vain(inst, *body, initial);
            }
            InstKind::Loop { body, initial, .. } => self.loop_together(inst, *body, initial),
            _ => {}
        }
    }

    /// Declares the results of a collective construct that are the same for all lanes.
    pub(super) fn declare_results(&mut self, inst: Inst) {
        let results = &self.function.insts[inst].results;
        let outer = &self.levels[..self.levels.len() - 1];
        let declared = |value: Value| outer.iter().any(|level| level.plan.kept[value] == Kept::Once);
        let once = results.iter().copied().filter(|&result| self.uniform[result] && !declared(result));
        let once: Vec<Value> = once.collect();
        self.declare_variables(&once, 'v');
    }

    /// A branch that lanes decide by different values, and whose other ways nobody is known to go.
    fn only_way_together(&mut self, inst: Inst) {
        self.declare_results(inst);
        let is_reached = |region: &Region| {
            let first = self.function.regions[*region].insts.first();
            first.is_some_and(|&first| self.facts().is_reached(first))
        };
        let way = self.function.insts[inst].kind.regions().find(is_reached);
        if let Some(way) = way {
            self.region_together(way);
        }
    }

    fn switch_together(&mut self, inst: Inst, selector: Value, cases: &[Case], default: Region) {
        let scalar = lane_of(self.function.ty(selector));
        let selected = self.scalar(selector);
        self.declare_results(inst);
        self.code.open(format!("match {selected} {{"));
        for case in cases.iter().filter(|case| !case.values.is_empty()) {
            let patterns: Vec<String> = case.values.iter().map(|&bits| pattern(scalar, bits)).collect();
            self.code.open(format!("{} => {{", patterns.join(" | ")));
            self.region_together(case.region);
            self.code.close("}");
        }
        self.code.open("_ => {");
        self.region_together(default);
        self.code.close("}");
        self.code.close("}");
    }

    fn loop_together(&mut self, inst: Inst, body: Region, initial: &[Value]) {
        let params = &self.function.regions[body].params;
        self.declare_results(inst);
        let (once, each): (Vec<_>, Vec<_>) =
            params.iter().copied().zip(initial.iter().copied()).partition(|&(param, _)| self.uniform[param]);
        let left = self.left_by_lanes.contains(&inst);
        for &(param, value) in &once {
            let ty = rust(lane_of(self.function.ty(param)));
            for (i, lane) in self.lanes(value).into_iter().enumerate() {
                let lane = self.mended_once(param, lane);
                let name = &self.names(param, 'v')[i];
                self.code.line(format!("let mut {name}: {ty} = {lane};"));
                if left {
                    self.code.line(format!("let mut {} = {name};", self.names(param, 'n')[i]));
                }
            }
        }
        if !each.is_empty() {
            self.each_lane(inst, |writer| {
                for (param, value) in each {
                    let lanes = writer.lanes(value);
                    let lanes: Vec<String> = lanes.into_iter().map(|lane| writer.mended_once(param, lane)).collect();
                    writer.put(param, &lanes);
                }
            });
        }
        if !self.facts().ends(inst) {
            self.code.line(format!("let mut fuel{} = launch.rounds;", inst.index()));
        }
        self.code.open(format!("'l{}: loop {{", inst.index()));
        self.count_round(inst, &format!("fuel{}", inst.index()));
        if matches!(self.level().over, Over::Strip(_)) {
            // The loops over the lanes are the ones to become vectors, and not this one.
            self.code.line("n::round();");
        }
        if left {
            let again = 2 * inst.index() + 2;
            self.code.line(format!("for g in &mut gone {{ if *g == {again} {{ *g = 0; }} }}"));
            for &(param, _) in &once {
                let (to, from) = (self.names(param, 'v'), self.names(param, 'n'));
                self.assign(&to, &from);
            }
        }
        self.region_together(body);
        self.code.close("}");
        if left {
            let over = 2 * inst.index() + 1;
            self.code.line(format!("for g in &mut gone {{ if *g == {over} {{ *g = 0; }} }}"));
        }
    }

    /// Writes a loop over the lanes for what a collective instruction does with each.
    pub(super) fn each_lane(&mut self, inst: Inst, each: impl FnOnce(&mut Self)) {
        let depth = self.open_all_lanes();
        // Its regions are not part of this.
        let mut operands = Vec::new();
        self.function.insts[inst].kind.for_each_operand(|value| operands.push(value));
        self.load_operands(&operands);
        each(self);
        for _ in 0..depth {
            self.code.close("}");
        }
    }

    /// Exchanges values between the lanes of subgroups.
    fn subgroup(&mut self, inst: Inst, op: SubgroupOp, args: &[Value]) {
        let (Some(&value), Some(&result)) = (args.first(), self.function.insts[inst].results.first()) else { return };
        let invocations = self.function.invocations();
        let scalar = lane_of(self.function.ty(value));
        let id = inst.index();
        let give = |writer: &mut Self, lane: String| {
            if writer.uniform[result] {
                let name = writer.names(result, 'v').concat();
                writer.code.line(format!("{name} = {lane};"));
            } else {
                writer.put(result, &[lane]);
            }
        };
        if self.uniform[result] {
            self.declare_variables(&[result], 'v');
        }
        if op == SubgroupOp::Ballot {
            let subgroups = invocations.div_ceil(SUBGROUP_SIZE.into());
            self.code.line(format!("let mut bits{id} = [0u32; {subgroups}];"));
            self.each_lane(inst, |writer| {
                let lane = writer.scalar(value);
                writer.code.line(format!("bits{id}[l / 32] |= ({lane} as u32).wrapping_shl(l as u32 % 32);"));
            });
            self.each_lane(inst, |writer| give(writer, format!("bits{id}[l / 32]")));
            return;
        }
        let Some(&from) = args.get(1) else { return };
        let zero = literal(scalar, 0);
        self.code.line(format!("let mut from{id} = [{zero}; {invocations}];"));
        self.each_lane(inst, |writer| {
            let lane = writer.scalar(value);
            writer.code.line(format!("from{id}[l] = {lane};"));
        });
        self.each_lane(inst, |writer| {
            let from = writer.scalar(from);
            writer.code.line("let first = l & !31;");
            writer
                .code
                .line(format!("let there = if {invocations} - first < 32 {{ {invocations} - first }} else {{ 32 }};"));
            writer.code.line(format!("let at = {from} as usize;"));
            give(writer, format!("if at < there {{ from{id}[first.wrapping_add(at)] }} else {{ {zero} }}"));
        });
    }
}

/// The declarations of arrays that whole vectors are loaded from.
pub(super) fn aligned(declared: &[(String, crate::types::Scalar, usize)]) -> Vec<String> {
    let one = |(name, scalar, count): &(String, crate::types::Scalar, usize)| {
        let (ty, zero) = (rust(*scalar), literal(*scalar, 0));
        format!("let {name}: &mut [{ty}; {count}] = &mut n::Aligned([{zero}; {count}]).0;")
    };
    declared.iter().map(one).collect()
}

/// The declarations of arrays.
pub(super) fn arrays(declared: &[(String, crate::types::Scalar, usize)]) -> Vec<String> {
    let one = |(name, scalar, count): &(String, crate::types::Scalar, usize)| {
        format!("let mut {name}: [{}; {count}] = [{}; {count}];", rust(*scalar), literal(*scalar, 0))
    };
    declared.iter().map(one).collect()
}
