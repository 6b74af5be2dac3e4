//! Several workgroups at a time: the workgroups that follow each other on x, in one workgroup of the device.
//!
//! An invocation that loads one number waits for it as long as one that loads four. So where a kernel is little more
//! than loads, arithmetic and stores, an invocation of the device does the work of that of several workgroups at once,
//! instruction by instruction: the loads of all stand before what waits for them. On an H200 that copies, adds and
//! smooths 1.3 to 1.8 times as fast.
//!
//! Only kernels whose invocations have nothing to do with each other are written so: no barrier, no workgroup memory,
//! no atomics, no loop in which one might wait for another. Invocations of different workgroups run in any order, so
//! every order of their instructions is one that a device may choose.
//!
//! The work is done *together* as long as all workgroups exist and agree on the conditions around it, which stand
//! before the first store and depend on no load. Where they do not agree nothing was stored yet, and each does all of
//! its work *alone*, in a loop. Other conditions are asked for each workgroup where they stand, or for all at once where
//! one side only gives results that are there.

use super::body::Body;
use super::module::{Id, Reg};
use super::prologue::Ids;
use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Root, Value, ValueDef};
use crate::ops::Builtin;
use crate::types::Type;
use spirv::{LoopControl, Op};
use std::rc::Rc;

/// The bytes that an invocation of the device loads at a place.
const BYTES: u32 = 16;
/// The most workgroups.
const MOST: u32 = 4;
/// The most instructions that those of all workgroups are.
const MAX_SIZE: usize = 800;

/// The least instructions of one workgroup with which a driver may put off loads until what is before them is computed.
const LONG: usize = 32;

/// What is done with a kernel that is written so.
pub(super) struct Plan {
    /// The number of workgroups, at least two.
    pub count: u32,
    /// Whether what is computed with a load waits for the loads of all.
    joins: bool,
    /// The `if`s on whose conditions all have to agree, with the value that the condition has to have.
    agreed: Side<InstDef, Option<bool>>,
    /// The values that differ from workgroup to workgroup.
    varies: Side<ValueDef, bool>,
}

impl Plan {
    /// The plan for a kernel, if it gains by it.
    pub fn of(function: &Function) -> Option<Self> {
        let mut planner = Planner {
            function,
            agreed: Side::new(None),
            varies: Side::new(false),
            loaded: Side::new(false),
            size: 0,
            widest: 0,
            loads: false,
            stored: false,
            branches: false,
        };
        planner.spine(function.body)?;
        let mut count = (BYTES / planner.widest.max(1)).min(MOST);
        while planner.size * count as usize > MAX_SIZE {
            count /= 2;
        }
        // Behind a branch all of them are there.
        let joins = planner.size >= LONG && !planner.branches;
        (planner.loads && count > 1).then_some(Self { count, joins, agreed: planner.agreed, varies: planner.varies })
    }
}

/// Whether an instruction has nothing to do with other invocations, and is no loop in which one might wait for them.
fn is_alone(kind: &InstKind) -> bool {
    match kind {
        InstKind::Load(place) | InstKind::Store(place, _) => matches!(place.root, Root::Param(_) | Root::Table(_)),
        InstKind::Builtin(builtin) => {
            !matches!(builtin, Builtin::SubgroupId | Builtin::SubgroupLane | Builtin::NumSubgroups)
        }
        InstKind::Op(..)
        | InstKind::Len(_)
        | InstKind::If { .. }
        | InstKind::Switch { .. }
        | InstKind::Yield(_)
        | InstKind::Return(_) => true,
        _ => false,
    }
}

/// Looks through a kernel.
struct Planner<'a> {
    function: &'a Function,
    agreed: Side<InstDef, Option<bool>>,
    varies: Side<ValueDef, bool>,
    /// The values that depend on a load.
    loaded: Side<ValueDef, bool>,
    /// Instructions so far.
    size: usize,
    /// The most bytes that an access has.
    widest: u32,
    /// Whether a buffer is read where all work together.
    loads: bool,
    /// Whether something was stored.
    stored: bool,
    /// Whether each workgroup goes a way of its own somewhere.
    branches: bool,
}

impl Planner<'_> {
    /// Looks at a region where all work together; `None` if that cannot be.
    fn spine(&mut self, region: Region) -> Option<()> {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            self.note(inst, true)?;
            match &function.insts[inst].kind {
                InstKind::If { condition, then, otherwise } => {
                    let sides = [*then, *otherwise];
                    let ends = sides.map(|side| self.only_ends(side));
                    let is_asked_early = !self.stored && !self.loaded[*condition];
                    let hot = match ends {
                        [None, Some(_)] => Some(0),
                        [Some(_), None] => Some(1),
                        [Some(InstKind::Return(_)), Some(InstKind::Yield(_))] => Some(1),
                        [Some(InstKind::Yield(_)), Some(InstKind::Return(_))] => Some(0),
                        _ => None,
                    };
                    match hot {
                        Some(hot) if is_asked_early && function.insts[inst].results.is_empty() => {
                            self.agreed[inst] = Some(hot == 0);
                            self.spine(sides[hot])?;
                        }
                        _ => sides.into_iter().try_for_each(|side| self.alone(side))?,
                    }
                }
                InstKind::Switch { cases, default, .. } => {
                    let regions = cases.iter().map(|case| case.region).chain([*default]);
                    regions.into_iter().try_for_each(|region| self.alone(region))?;
                }
                _ => {}
            }
            self.define(inst);
        }
        Some(())
    }

    /// Looks at a region that each workgroup goes through by itself; `None` if it leaves the kernel.
    fn alone(&mut self, region: Region) -> Option<()> {
        self.branches = true;
        let function = self.function;
        for &inst in &function.regions[region].insts {
            self.note(inst, false)?;
            match &function.insts[inst].kind {
                InstKind::Return(_) => return None,
                InstKind::If { then, otherwise, .. } => {
                    self.alone(*then)?;
                    self.alone(*otherwise)?;
                }
                InstKind::Switch { cases, default, .. } => {
                    let regions = cases.iter().map(|case| case.region).chain([*default]);
                    regions.into_iter().try_for_each(|region| self.alone(region))?;
                }
                _ => {}
            }
            self.define(inst);
        }
        Some(())
    }

    /// Counts an instruction; `None` if by it an invocation may meet others.
    fn note(&mut self, inst: Inst, together: bool) -> Option<()> {
        let function = self.function;
        let def = &function.insts[inst];
        if !is_alone(&def.kind) {
            return None;
        }
        self.size += 1;
        let (place, ty) = match &def.kind {
            InstKind::Load(place) => (place, def.results.first().map(|&result| function.ty(result))),
            InstKind::Store(place, value) => {
                self.stored = true;
                (place, Some(function.ty(*value)))
            }
            _ => return Some(()),
        };
        if let (Root::Param(_), Some(ty)) = (place.root, ty) {
            let bits = ty.lane().map_or(32, |lane| lane.bits()) * ty.lanes() as u32;
            self.widest = self.widest.max(bits.div_ceil(8));
            self.loads |= together && matches!(def.kind, InstKind::Load(_));
        }
        Some(())
    }

    /// Says of the results of an instruction what they depend on.
    fn define(&mut self, inst: Inst) {
        let def = &self.function.insts[inst];
        let (mut varies, mut loaded) = match def.kind {
            InstKind::Builtin(Builtin::GlobalIdX | Builtin::WorkgroupIdX) => (true, false),
            InstKind::Load(_) => (false, true),
            // What comes out depends on which side was taken.
            InstKind::If { .. } | InstKind::Switch { .. } => (true, true),
            _ => (false, false),
        };
        def.kind.for_each_operand(|value| {
            varies |= self.varies[value];
            loaded |= self.loaded[value];
        });
        for &result in &def.results {
            (self.varies[result], self.loaded[result]) = (varies, loaded);
        }
    }

    /// The instruction by which a region ends, if it has no other and gives nothing.
    fn only_ends(&self, region: Region) -> Option<&InstKind> {
        match self.function.regions[region].insts.as_slice() {
            [only] => Some(&self.function.insts[*only].kind)
                .filter(|kind| matches!(kind, InstKind::Yield(values) | InstKind::Return(values) if values.is_empty())),
            _ => None,
        }
    }
}

/// What a workgroup has of its own while several are written.
struct Group {
    values: Side<ValueDef, Option<Rc<[Id]>>>,
    ids: Ids,
}

/// The workgroups that are written together.
struct Groups<'p> {
    plan: &'p Plan,
    all: Vec<Group>,
    /// Whose own things the body has at the moment.
    current: usize,
    /// Set where all work is done.
    done: Id,
}

impl<'a> Body<'a> {
    /// Writes a kernel as planned. Its place on x is so far that of the first of the workgroups, counted in as many.
    pub(super) fn several(&mut self, plan: &Plan) {
        let [.., group, groups] = self.ids.axes;
        let count = self.code.word(plan.count);
        let first = self.code.binary(Op::IMul, group[0], count);
        let before = self.values.clone();
        let [done, zero, one] = [self.code.local(Reg::U32), self.code.word(0), self.code.word(1)];
        self.code.store(done, zero);
        let ids = self.ids_of(first);
        let size = self.function.workgroup_size()[0];
        let all = (0..plan.count)
            .map(|k| {
                let mut ids = ids.clone();
                let [global, _, groups, _] = &mut ids.axes;
                // A sum is quicker than another product.
                for (id, distance) in [(&mut global[0], k * size), (&mut groups[0], k)] {
                    let distance = self.code.word(distance);
                    *id = self.code.binary(Op::IAdd, *id, distance);
                }
                Group { values: before.clone(), ids }
            })
            .collect::<Vec<_>>();
        let last = all.last().map_or(first, |group| group.ids.axes[2][0]);
        let exist = self.code.binary(Op::ULessThan, last, groups[0]);
        let mut together = Groups { plan, all, current: 0, done };
        if let Some(group) = together.all.first_mut() {
            self.exchange_with(group);
        }
        self.when(exist, |this| this.together(&mut together, vec![&this.function.regions[this.function.body].insts]));
        let is_done = self.code.load(Reg::U32, done);
        let is_left = self.code.binary(Op::INotEqual, is_done, one);
        self.when(is_left, |this| this.each_alone(plan.count, first, &before));
    }

    /// The ids in a workgroup.
    fn ids_of(&mut self, group: Id) -> Ids {
        let mut ids = self.ids.clone();
        let [global, local, groups, _] = &mut ids.axes;
        let size = self.code.word(self.function.workgroup_size()[0]);
        let begin = self.code.binary(Op::IMul, group, size);
        (global[0], groups[0]) = (self.code.binary(Op::IAdd, begin, local[0]), group);
        ids
    }

    fn exchange_with(&mut self, group: &mut Group) {
        std::mem::swap(&mut self.values, &mut group.values);
        std::mem::swap(&mut self.ids, &mut group.ids);
    }

    /// Goes on with one of the workgroups.
    fn go_to(&mut self, groups: &mut Groups<'_>, index: usize) {
        for index in [groups.current, index] {
            if let Some(group) = groups.all.get_mut(index) {
                self.exchange_with(group);
            }
        }
        groups.current = index;
    }

    /// Writes instructions for all workgroups, and those that follow them in the lists before, from the last list on.
    fn together(&mut self, groups: &mut Groups<'_>, mut lists: Vec<&'a [Inst]>) {
        let function = self.function;
        while let Some(mut list) = lists.pop() {
            while let [inst, after @ ..] = list {
                let (inst, run) = (*inst, self.run(groups, list));
                if run > 1 {
                    self.run_by_run(groups, &list[..run]);
                    list = &list[run..];
                    continue;
                }
                list = after;
                match &function.insts[inst].kind {
                    InstKind::Yield(_) => break,
                    InstKind::Return(_) => {
                        let one = self.code.word(1);
                        return self.code.store(groups.done, one);
                    }
                    InstKind::If { condition, then, otherwise } => {
                        if let Some(wanted) = groups.plan.agreed[inst] {
                            let side = if wanted { *then } else { *otherwise };
                            let agreed = self.agreed(groups, *condition, wanted);
                            lists.extend([after, &function.regions[side].insts]);
                            return self.when(agreed, |this| this.together(groups, lists));
                        }
                        match self.usual_side(inst) {
                            Some(usual) => self.unusual_at_once(groups, inst, usual),
                            None => self.one_by_one(groups, inst),
                        }
                    }
                    InstKind::Store(..) | InstKind::Switch { .. } => self.one_by_one(groups, inst),
                    kind if function.insts[inst].results.iter().any(|&result| groups.plan.varies[result]) => {
                        self.one_by_one(groups, inst);
                        if groups.plan.joins && matches!(kind, InstKind::Load(_)) {
                            self.join(groups, function.insts[inst].results.first().copied());
                        }
                    }
                    _ => self.for_all(groups, inst),
                }
            }
        }
    }

    /// The number of ops at the beginning of a list that differ from workgroup to workgroup.
    fn run(&self, groups: &Groups<'_>, list: &[Inst]) -> usize {
        let function = self.function;
        let is_one = |inst: &&Inst| {
            let def = &function.insts[**inst];
            matches!(def.kind, InstKind::Op(..)) && def.results.iter().any(|&result| groups.plan.varies[result])
        };
        list.iter().take_while(is_one).count()
    }

    /// Instructions in a row, for one workgroup after the other. So fewer values are alive at a time.
    fn run_by_run(&mut self, groups: &mut Groups<'_>, run: &[Inst]) {
        for index in 0..groups.all.len() {
            self.go_to(groups, index);
            run.iter().for_each(|&inst| self.inst(inst));
        }
    }

    /// An instruction, for each workgroup.
    fn one_by_one(&mut self, groups: &mut Groups<'_>, inst: Inst) {
        for index in 0..groups.all.len() {
            self.go_to(groups, index);
            self.inst(inst);
        }
    }

    /// Makes a number of 32 bits that was loaded depend on the loads of all workgroups. NVIDIA's driver puts loads off until what
    /// stands before their use is computed, so that they would wait one after the other.
    fn join(&mut self, groups: &mut Groups<'_>, loaded: Option<Value>) {
        let Some(loaded) =
            loaded.filter(|&value| matches!(self.function.ty(value), Type::Scalar(ty) if ty.bits() == 32))
        else {
            return;
        };
        let mut all = self.ids.zero;
        let mut words = Vec::new();
        for index in 0..groups.all.len() {
            self.go_to(groups, index);
            let register = self.register(loaded);
            let word = self.bits(register);
            all = self.code.binary(Op::BitwiseAnd, all, word);
            words.push((self.code.reg(register), word));
        }
        for (index, (reg, word)) in words.into_iter().enumerate() {
            self.go_to(groups, index);
            let word = self.code.binary(Op::BitwiseXor, word, all);
            self.values[loaded] = Some([self.of_bits(reg, word)].into());
        }
    }

    /// An instruction with the same results for all workgroups.
    fn for_all(&mut self, groups: &mut Groups<'_>, inst: Inst) {
        self.inst(inst);
        for &result in &self.function.insts[inst].results {
            let value = self.values[result].clone();
            groups.all.iter_mut().for_each(|group| group.values[result] = value.clone());
        }
    }

    /// The condition of an `if` for its side that only gives results that are there already, if the other side computes some.
    fn usual_side(&self, inst: Inst) -> Option<bool> {
        let function = self.function;
        let def = &function.insts[inst];
        let InstKind::If { then, otherwise, .. } = def.kind else { return None };
        let only_gives = |side: Region| function.regions[side].insts.len() == 1;
        match [then, otherwise].map(only_gives) {
            [true, false] if !def.results.is_empty() => Some(true),
            [false, true] if !def.results.is_empty() => Some(false),
            _ => None,
        }
    }

    /// An `if` with a side that only gives results. Those of the other side are computed behind one condition for all
    /// workgroups: in a row of branches, what follows the first one would wait for it.
    fn unusual_at_once(&mut self, groups: &mut Groups<'_>, inst: Inst, usual: bool) {
        let def = &self.function.insts[inst];
        let InstKind::If { condition, then, otherwise } = def.kind else { return };
        let [given, computed] = if usual { [then, otherwise] } else { [otherwise, then] };
        let mut variables = Vec::new();
        for index in 0..groups.all.len() {
            self.go_to(groups, index);
            let results = self.result_variables(inst);
            self.region_into(given, results.clone());
            variables.push(results);
        }
        let all_usual = self.agreed(groups, condition, usual);
        let not_all = self.code.value(Op::LogicalNot, Reg::Bool, &[all_usual]);
        self.when(not_all, |this| {
            for (index, results) in variables.iter().enumerate() {
                this.go_to(groups, index);
                let flag = this.register(condition);
                let is_other = if usual { this.code.value(Op::LogicalNot, Reg::Bool, &[flag]) } else { flag };
                this.when(is_other, |this| this.region_into(computed, results.clone()));
            }
        });
        for (index, results) in variables.iter().enumerate() {
            self.go_to(groups, index);
            self.define_all(&def.results, results);
        }
    }

    /// Whether a condition has this value in all workgroups.
    fn agreed(&mut self, groups: &mut Groups<'_>, condition: Value, wanted: bool) -> Id {
        let mut all = self.code.flag(true);
        for index in 0..groups.all.len() {
            self.go_to(groups, index);
            let one = self.register(condition);
            let one = match self.code.known_flag(one) {
                Some(known) => self.code.flag(known == wanted),
                None if wanted => one,
                None => self.code.value(Op::LogicalNot, Reg::Bool, &[one]),
            };
            all = match [all, one].map(|flag| self.code.known_flag(flag)) {
                [Some(true), _] => one,
                [_, Some(true)] => all,
                _ => self.code.value(Op::LogicalAnd, Reg::Bool, &[all, one]),
            };
        }
        all
    }

    /// A loop in which each of the workgroups that exist does its work.
    fn each_alone(&mut self, count: u32, first: Id, before: &Side<ValueDef, Option<Rc<[Id]>>>) {
        let (zero, one, count) = (self.code.word(0), self.code.word(1), self.code.word(count));
        let counter = self.code.local(Reg::U32);
        self.code.store(counter, zero);
        let bound = self.loop_bound(true);
        let [header, start, next, merge] = [(); 4].map(|()| self.code.label());
        self.code.open(header, true);
        self.code.begin_loop(merge, next, start, LoopControl::DONT_UNROLL);
        self.code.open(start, true);
        if let Some(bound) = bound {
            self.count_round(bound, merge);
        }
        let at = self.code.load(Reg::U32, counter);
        let group = self.code.binary(Op::IAdd, first, at);
        let groups = self.ids.axes[3][0];
        let is_one = self.code.binary(Op::ULessThan, at, count);
        let exists = self.code.binary(Op::ULessThan, group, groups);
        let goes_on = self.code.binary(Op::LogicalAnd, is_one, exists);
        let (go, end) = (self.code.label(), self.code.label());
        self.code.branch_if(goes_on, go, end, go);
        self.code.open(end, true);
        self.code.branch(merge);
        self.code.open(go, true);
        let after = self.code.binary(Op::IAdd, at, one);
        self.code.store(counter, after);
        self.ids = self.ids_of(group);
        self.values = before.clone();
        self.flow.returns_to(Some(next));
        self.region(self.function.body);
        self.flow.returns_to(None);
        self.code.open(next, true);
        self.code.branch(header);
        self.code.open(merge, true);
    }
}
