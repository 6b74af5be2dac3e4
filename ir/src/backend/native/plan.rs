//! What the lanes of a workgroup do one after the other, and what they do together.
//!
//! An instruction is *collective* if all lanes have to come to it before any of them goes on: a barrier, a
//! subgroup operation, or control flow around one. The instructions between two collective ones are a *run*: a
//! loop over the lanes executes them, one lane after the other. A value that one run computes and another one
//! needs is
//!
//! - *hoisted*, if it is the same for all lanes and can be computed before the run's loop;
//! - *made again* in the loops that need it, if that is cheap and needs no memory. An index stays a sum of
//!   the lane's number then, which LLVM needs to see;
//! - *kept*, in a variable if it is the same for all lanes, in an array with an element for each lane if not.
//!
//! The same plan serves at two levels: the lanes of a workgroup, with barriers between the runs, and a strip of
//! a few neighbouring lanes within a run, with loops that all lanes of the strip go through together.

use super::turn::is_loop_of_turns;
use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Access, Function, Inst, InstDef, InstKind, Region, Root, Value, ValueDef};
use crate::ops::{Builtin, Op, SUBGROUP_SIZE};

/// The most instructions that make a value again.
const MAX_AGAIN: usize = 12;

/// How a value gets from the run that computes it to others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// It does not have to.
    No,
    /// In a variable.
    Once,
    /// In an array, an element a lane.
    Lanes,
}

/// A plan for a list of instructions and all that they own.
pub(super) struct Plan {
    /// Whether an instruction is collective.
    pub collective: Side<InstDef, bool>,
    /// The run that an instruction is in, from 1; 0 of what is collective or not in the list.
    pub run: Side<InstDef, u32>,
    /// Whether an instruction is computed once for all lanes, before the run that it is in.
    pub hoisted: Side<InstDef, bool>,
    /// How a value is kept.
    pub kept: Side<ValueDef, Kept>,
    /// Whether a value is made again where another run needs it.
    pub again: Side<ValueDef, bool>,
    /// Whether a loop is collective though lanes leave it in different rounds.
    pub masked: Side<InstDef, bool>,
    /// The runs so far.
    runs: u32,
    /// Whether lanes may have left before the instruction that is looked at.
    left: bool,
}

/// What lanes go through together.
pub(super) struct Together {
    /// Whether an instruction is collective.
    pub collective: Side<InstDef, bool>,
    /// Whether a collective loop goes on as long as any lane needs another round.
    pub masked: Side<InstDef, bool>,
}

/// What a plan is made from.
pub(super) struct Given<'a> {
    /// The function.
    pub function: &'a Function,
    /// Where everything is.
    pub tree: &'a Tree,
    /// Whether a value is the same in all lanes that compute it.
    pub uniform: &'a Side<ValueDef, bool>,
    /// Whether an instruction is executed for the result alone, and gives the same wherever it stands.
    pub repeatable: &'a Side<InstDef, bool>,
}

/// What reads nothing that changes and has no effect, of each instruction.
pub(super) fn repeatable(function: &Function) -> Side<InstDef, bool> {
    let mut repeatable = Side::new(false);
    for (inst, def) in function.insts.iter() {
        repeatable[inst] = match &def.kind {
            InstKind::Op(..) | InstKind::Len(_) => true,
            // Where nobody comes, even what tells lanes apart counts as the same for all.
            InstKind::Builtin(builtin) => !tells_lanes_apart(function, *builtin),
            InstKind::Load(place) => {
                matches!(place.root, Root::Param(_) | Root::Table(_))
                    && function.root_access(place.root) == Some(Access::Read)
            }
            _ => false,
        };
    }
    repeatable
}

/// Whether a builtin is another number in each lane.
fn tells_lanes_apart(function: &Function, builtin: Builtin) -> bool {
    let [x, y, z] = function.workgroup_size();
    match builtin {
        Builtin::GlobalIdX | Builtin::LocalIdX => x > 1,
        Builtin::GlobalIdY | Builtin::LocalIdY => y > 1,
        Builtin::GlobalIdZ | Builtin::LocalIdZ => z > 1,
        Builtin::LocalIndex | Builtin::SubgroupLane => function.invocations() > 1,
        Builtin::SubgroupId => function.invocations() > SUBGROUP_SIZE.into(),
        Builtin::WorkgroupIdX | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ => false,
        Builtin::NumWorkgroupsX | Builtin::NumWorkgroupsY | Builtin::NumWorkgroupsZ => false,
        Builtin::NumSubgroups => false,
    }
}

/// What owns the region that an instruction is in.
fn owner(given: &Given<'_>, inst: Inst) -> Option<Inst> {
    given.tree.owner(given.tree.parent(inst)?)
}

/// Whether an op is so cheap that it is computed again sooner than kept.
fn is_cheap(op: Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Sub
            | Op::Mul
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Not
            | Op::Shl
            | Op::Shr
            | Op::Min
            | Op::Max
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::Cast
            | Op::Bitcast
    )
}

impl Plan {
    /// The plan for a list of instructions, of which some are collective.
    pub fn of(given: &Given<'_>, list: &[Inst], together: Together) -> Self {
        let Together { collective, masked } = together;
        let mut plan = Self {
            collective,
            run: Side::new(0),
            hoisted: Side::new(false),
            kept: Side::new(Kept::No),
            again: Side::new(false),
            masked,
            runs: 0,
            left: false,
        };
        plan.list(given, list);
        plan.decide(given, list);
        plan
    }

    /// Gives the instructions of a list their runs. A terminator belongs to the run before it.
    fn list(&mut self, given: &Given<'_>, list: &[Inst]) {
        self.runs += 1;
        for &inst in list {
            let kind = &given.function.insts[inst].kind;
            if !self.collective[inst] {
                // Of a branch that is replaced by one of its arms only the `yield` is in the list.
                if let (InstKind::Yield(_), Some(owner)) = (kind, owner(given, inst))
                    && !self.collective[owner]
                {
                    self.run[owner] = self.runs;
                }
                self.put(given, inst, self.runs);
                self.hoist(given, inst);
                self.left |= !kind.is_terminator() && leads_away(given, &[], inst);
                continue;
            }
            for region in kind.regions() {
                let insts = &given.function.regions[region].insts;
                if self.masked[inst] {
                    self.runs += 1;
                    insts.iter().for_each(|&inner| self.put(given, inner, self.runs));
                } else {
                    self.list(given, insts);
                }
            }
            self.runs += 1;
        }
    }

    /// Puts an instruction and all that it owns into a run.
    fn put(&mut self, given: &Given<'_>, inst: Inst, run: u32) {
        self.run[inst] = run;
        for region in given.function.insts[inst].kind.regions() {
            for &inner in &given.function.regions[region].insts {
                self.put(given, inner, run);
            }
        }
    }

    /// Hoists an instruction that stands in a run itself, if that can be done.
    fn hoist(&mut self, given: &Given<'_>, inst: Inst) {
        let def = &given.function.insts[inst];
        let [result] = def.results[..] else { return };
        // What keeps a load in bounds may be that other lanes have left.
        let is_load = matches!(def.kind, InstKind::Load(_));
        if !given.repeatable[inst] || !given.uniform[result] || is_load && self.left {
            return;
        }
        let mut can = true;
        def.kind.for_each_operand(|value| can &= self.is_there_before(given, value, self.run[inst]));
        self.hoisted[inst] = can;
    }

    /// Whether a uniform value is there before the loop of a run begins.
    fn is_there_before(&self, given: &Given<'_>, value: Value, run: u32) -> bool {
        match given.tree.def(value) {
            Def::Constant | Def::Argument(_) => true,
            Def::Result(inst, _) => given.uniform[value] && (self.run[inst] != run || self.hoisted[inst]),
            Def::Param(inst, _) => given.uniform[value] && self.run[inst] != run,
        }
    }

    /// Finds out which values have to get from a run to another one.
    fn decide(&mut self, given: &Given<'_>, list: &[Inst]) {
        let mut pending: Vec<Inst> = list.iter().rev().copied().collect();
        while let Some(inst) = pending.pop() {
            let def = &given.function.insts[inst];
            for region in def.kind.regions() {
                pending.extend(given.function.regions[region].insts.iter().rev());
            }
            self.needs_of(given, inst);
        }
    }

    /// What an instruction needs of other runs.
    fn needs_of(&mut self, given: &Given<'_>, inst: Inst) {
        let kind = &given.function.insts[inst].kind;
        let here = if self.hoisted[inst] { 0 } else { self.run[inst] };
        let mut needed = Vec::new();
        kind.for_each_operand(|value| needed.push(value));
        for (i, value) in needed.into_iter().enumerate() {
            // What a collective construct passes on to a variable is passed on outside of the loop.
            let outside = given.uniform[value] && self.is_of_all(given, inst) && self.is_passed_once(given, inst, i);
            self.need(given, value, if outside { 0 } else { here }, 0);
        }
    }

    /// Whether all lanes come to an instruction together, or end their run with it.
    pub fn is_of_all(&self, given: &Given<'_>, inst: Inst) -> bool {
        self.collective[inst] || owner(given, inst).is_none_or(|owner| self.collective[owner])
    }

    /// Whether a terminator passes an operand to a variable of a collective construct.
    fn is_passed_once(&self, given: &Given<'_>, inst: Inst, position: usize) -> bool {
        let masked = match given.function.insts[inst].kind {
            InstKind::Break(target, _) | InstKind::Continue(target, _) => self.masked[target],
            InstKind::Loop { .. } => self.masked[inst],
            _ => false,
        };
        !masked
            && self.targets(given, inst).and_then(|targets| targets.get(position)).is_some_and(|&to| given.uniform[to])
    }

    /// The values that a terminator which ends a region of a collective construct passes its operands to.
    pub fn targets<'f>(&self, given: &Given<'f>, inst: Inst) -> Option<&'f [Value]> {
        let function = given.function;
        match &function.insts[inst].kind {
            InstKind::Yield(_) => {
                let owner = owner(given, inst)?;
                self.collective[owner].then_some(&function.insts[owner].results[..])
            }
            InstKind::Break(target, _) if self.collective[*target] => Some(&function.insts[*target].results),
            InstKind::Continue(target, _) if self.collective[*target] => match function.insts[*target].kind {
                InstKind::Loop { body, .. } => Some(&function.regions[body].params),
                _ => None,
            },
            InstKind::Loop { body, .. } if self.collective[inst] => Some(&function.regions[*body].params),
            _ => None,
        }
    }

    /// Notes that a value is needed in a run, or outside of all of them if that is 0.
    fn need(&mut self, given: &Given<'_>, value: Value, here: u32, depth: usize) {
        let Def::Result(inst, _) = given.tree.def(value) else { return };
        let home = self.run[inst];
        if home == 0 || home == here || self.hoisted[inst] || self.kept[value] != Kept::No {
            return;
        }
        if here != 0 && !given.uniform[value] && depth == 0 && self.can_be_made_again(given, value, &mut 0) {
            self.again[value] = true;
            self.make_again(given, value, here);
            return;
        }
        self.kept[value] = if given.uniform[value] { Kept::Once } else { Kept::Lanes };
    }

    /// Whether a value is cheap to make again from what is there in every run.
    fn can_be_made_again(&self, given: &Given<'_>, value: Value, count: &mut usize) -> bool {
        let inst = match given.tree.def(value) {
            Def::Constant | Def::Argument(_) => return true,
            // What is the same for all lanes is in a variable, and what control flow gives in an array.
            Def::Param(..) => return given.uniform[value],
            Def::Result(inst, _) => inst,
        };
        if given.uniform[value] || self.kept[value] == Kept::Lanes {
            return true;
        }
        *count += 1;
        if *count > MAX_AGAIN {
            return false;
        }
        match &given.function.insts[inst].kind {
            InstKind::Builtin(_) => true,
            InstKind::Op(op, args) if is_cheap(*op) => {
                args.iter().all(|&arg| self.can_be_made_again(given, arg, count))
            }
            _ => false,
        }
    }

    /// Keeps what a value is made of and is not made again itself.
    fn make_again(&mut self, given: &Given<'_>, value: Value, here: u32) {
        let Def::Result(inst, _) = given.tree.def(value) else { return };
        let mut operands = Vec::new();
        given.function.insts[inst].kind.for_each_operand(|operand| operands.push(operand));
        for operand in operands {
            if given.uniform[operand] {
                self.need(given, operand, here, 1);
            } else if self.kept[operand] != Kept::Lanes {
                self.again[operand] = true;
                self.make_again(given, operand, here);
            }
        }
    }
}

/// Whether an instruction waits for all lanes of the workgroup, itself or something in it.
pub(super) fn waits(function: &Function) -> Side<InstDef, bool> {
    fn of(function: &Function, inst: Inst, waits: &mut Side<InstDef, bool>) -> bool {
        let kind = &function.insts[inst].kind;
        let mut any = matches!(kind, InstKind::Barrier | InstKind::Subgroup(..));
        for region in kind.regions() {
            for &inner in &function.regions[region].insts {
                any |= of(function, inner, waits);
            }
        }
        waits[inst] = any;
        any
    }
    let mut all = Side::new(false);
    for &inst in &function.regions[function.body].insts {
        of(function, inst, &mut all);
    }
    all
}

/// What is collective for a workgroup: what waits, loops of moves that turn round, and branches that all lanes take
/// alike and that leave something collective.
pub(super) fn collective_of_group(given: &Given<'_>, waits: &Side<InstDef, bool>) -> Together {
    let function = given.function;
    let mut together = Together { collective: waits.clone(), masked: Side::new(false) };
    let collective = &mut together.collective;
    let any = function.regions[function.body].insts.iter().any(|&inst| waits[inst]);
    if !any {
        return together;
    }
    // Owners come before what they own.
    for &inst in given.tree.insts() {
        let owner = given.tree.parent(inst).and_then(|region| given.tree.owner(region));
        let is_among_collective = owner.is_none_or(|owner| collective[owner]);
        let decides = match &function.insts[inst].kind {
            InstKind::Loop { .. } => {
                collective[inst] |= is_among_collective && is_loop_of_turns(given, inst);
                continue;
            }
            InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => *value,
            _ => continue,
        };
        let alike = is_among_collective && given.uniform[decides];
        if !collective[inst] && alike && leaves(function, inst, collective) {
            collective[inst] = true;
        }
    }
    together
}

/// What is collective for a strip of lanes that go through a list of instructions: loops that all lanes leave in the
/// same round, and the branches that leave them. Nothing if there is no such loop.
pub(super) fn collective_of_strip(given: &Given<'_>, list: &[Inst]) -> Option<Together> {
    let mut together = Together { collective: Side::new(false), masked: Side::new(false) };
    let Together { collective, masked } = &mut together;
    let mut any = false;
    // A lane that leaves in the middle would have to be kept out of all that comes after.
    let own = list.last().copied();
    if list.iter().any(|&inst| Some(inst) != own && leads_away(given, list, inst)) {
        return None;
    }
    let mut pending: Vec<Inst> = list.to_vec();
    while let Some(inst) = pending.pop() {
        let kind = &given.function.insts[inst].kind;
        let alike = match kind {
            InstKind::Loop { .. } if has_uniform_exits(given, inst, inst) => {
                any = true;
                true
            }
            InstKind::Loop { body, .. } if is_arithmetic(given, inst, *body) => {
                any = true;
                masked[inst] = true;
                collective[inst] = true;
                continue;
            }
            InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => {
                given.uniform[*value] && (leaves(given.function, inst, collective) || holds_loop(given, inst))
            }
            _ => false,
        };
        if alike {
            collective[inst] = true;
            for region in kind.regions() {
                pending.extend(&given.function.regions[region].insts);
            }
        }
    }
    any.then_some(together)
}

/// Whether something in an instruction of a list leads out of the list.
pub(super) fn leads_away(given: &Given<'_>, list: &[Inst], inst: Inst) -> bool {
    let function = given.function;
    let mut pending = vec![inst];
    while let Some(inner) = pending.pop() {
        let kind = &function.insts[inner].kind;
        let leads = match kind {
            InstKind::Return(_) | InstKind::Unreachable => true,
            InstKind::Break(target, _) | InstKind::Continue(target, _) => {
                *target != inst && !given.tree.is_inside(*target, inst) && !list.contains(target)
            }
            _ => false,
        };
        if leads {
            return true;
        }
        for region in kind.regions() {
            pending.extend(&function.regions[region].insts);
        }
    }
    false
}

/// Whether a loop is arithmetic alone, which lanes may go on with in vain while others need more rounds. Its exits stand
/// in branches of its body, each of which otherwise yields.
fn is_arithmetic(given: &Given<'_>, around: Inst, body: Region) -> bool {
    let function = given.function;
    function.regions[body].insts.iter().all(|&inst| match &function.insts[inst].kind {
        InstKind::If { then, otherwise, .. } => {
            let [first, second] = [*then, *otherwise].map(|region| leads(given, around, region));
            matches!(
                (first, second),
                (Some(true), Some(false)) | (Some(false), Some(true)) | (Some(false), Some(false))
            )
        }
        InstKind::Break(target, _) | InstKind::Continue(target, _) => *target == around,
        kind => is_pure(kind),
    })
}

/// Whether a region of arithmetic alone ends in an exit of the loop, or in a `yield`; `None` if it is or does anything
/// else.
fn leads(given: &Given<'_>, around: Inst, region: Region) -> Option<bool> {
    let function = given.function;
    let (last, before) = function.regions[region].insts.split_last()?;
    let pure = |inst: &Inst| match &function.insts[*inst].kind {
        InstKind::If { then, otherwise, .. } => {
            [*then, *otherwise].iter().all(|&inner| leads(given, around, inner) == Some(false))
        }
        kind => is_pure(kind),
    };
    if !before.iter().all(pure) {
        return None;
    }
    match &function.insts[*last].kind {
        InstKind::Yield(_) => Some(false),
        InstKind::Break(target, _) | InstKind::Continue(target, _) if *target == around => Some(true),
        _ => None,
    }
}

fn is_pure(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_))
}

/// Whether a loop that may be collective stands in an instruction.
fn holds_loop(given: &Given<'_>, inst: Inst) -> bool {
    let mut pending = vec![inst];
    while let Some(inst) = pending.pop() {
        let kind = &given.function.insts[inst].kind;
        if matches!(kind, InstKind::Loop { .. }) && has_uniform_exits(given, inst, inst) {
            return true;
        }
        for region in kind.regions() {
            pending.extend(&given.function.regions[region].insts);
        }
    }
    false
}

/// Whether all lanes that are in a loop leave it, and start its next round, at the same places. `inst` is in it.
fn has_uniform_exits(given: &Given<'_>, around: Inst, inst: Inst) -> bool {
    let kind = &given.function.insts[inst].kind;
    let divides = match kind {
        InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => !given.uniform[*value],
        InstKind::Loop { .. } if inst != around => !has_uniform_exits(given, inst, inst),
        InstKind::Return(_) | InstKind::Unreachable => return false,
        InstKind::Break(target, _) | InstKind::Continue(target, _) => {
            // To a loop further out it could be that the lanes go one by one.
            return *target == around || given.tree.is_inside(*target, around);
        }
        _ => false,
    };
    let inner = kind.regions().flat_map(|region| &given.function.regions[region].insts);
    if divides {
        return inner.clone().all(|&inner| stays(given, around, inner));
    }
    let mut inner = inner;
    inner.all(|&inner| has_uniform_exits(given, around, inner))
}

/// Whether nothing in an instruction leads out of the body of a loop, or to its next round.
fn stays(given: &Given<'_>, around: Inst, inst: Inst) -> bool {
    let kind = &given.function.insts[inst].kind;
    let leads_out = match kind {
        InstKind::Return(_) | InstKind::Unreachable => true,
        InstKind::Break(target, _) | InstKind::Continue(target, _) => {
            *target == around || !given.tree.is_inside(*target, around)
        }
        _ => false,
    };
    !leads_out
        && kind
            .regions()
            .flat_map(|region| &given.function.regions[region].insts)
            .all(|&inner| stays(given, around, inner))
}

/// Whether something in an instruction returns or leaves a collective loop.
pub(super) fn leaves(function: &Function, inst: Inst, collective: &Side<InstDef, bool>) -> bool {
    let mut pending = vec![inst];
    while let Some(inst) = pending.pop() {
        let kind = &function.insts[inst].kind;
        match kind {
            InstKind::Return(_) | InstKind::Unreachable => return true,
            InstKind::Break(target, _) | InstKind::Continue(target, _) if collective[*target] => return true,
            _ => {}
        }
        for region in kind.regions() {
            pending.extend(&function.regions[region].insts);
        }
    }
    false
}

/// Whether a builtin differs between the workgroups of a row, or counts lanes within one.
pub(super) const fn is_of_group(builtin: Builtin) -> bool {
    !matches!(
        builtin,
        Builtin::GlobalIdX
            | Builtin::GlobalIdY
            | Builtin::GlobalIdZ
            | Builtin::WorkgroupIdY
            | Builtin::WorkgroupIdZ
            | Builtin::LocalIdY
            | Builtin::LocalIdZ
            | Builtin::NumWorkgroupsX
            | Builtin::NumWorkgroupsY
            | Builtin::NumWorkgroupsZ
            | Builtin::NumSubgroups
    )
}
