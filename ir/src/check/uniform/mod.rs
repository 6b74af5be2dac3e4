//! Uniformity: which values and which control flow are the same for all invocations of a
//! workgroup, and which are the same for all of a subgroup. Barriers (V010) are judged by the
//! former and subgroup operations (V400) by the latter.
//!
//! A forward dataflow over structured SSA, repeated until nothing changes. Everything starts
//! uniform, and facts are only ever taken away. Each loss has a reason, so that an error can
//! follow the reasons back to where the difference comes from.
//!
//! Control has one entry for each enclosing loop and one for the function: the reason why,
//! *seen from those who entered that loop together*, not all are here. Leaving a loop is
//! divergent only if it is divergent seen from that loop's entry. Code after a loop is reached
//! by all who entered the loop. An exit that only some invocations take makes divergent what
//! follows it, up to the end of what it leaves, and the whole body of every loop that it ends,
//! since not all come round again. In a loop that nothing continues, nobody comes round again.
//!
//! A value that leaves a loop in different rounds differs, though it is the same for all in
//! each round. A vector differs lane by lane. Bits, private memory and workgroup memory are
//! looked at more closely in `values`, `private` and `phases`, and ids in `ids`.
//!
//! A function is judged with its calls replaced, so a callee is judged for each caller as that
//! caller calls it. A device function that nobody calls is judged alone, as if its arguments
//! were the same for all.

mod ids;
mod mistake;
mod phases;
mod private;
mod reasons;
mod values;

pub use mistake::Mistake;

use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::diag::Diags;
use crate::flags::Flags;
use crate::inline::Flat;
use crate::ir::{Access, Function, Inst, InstDef, InstKind, Module, Place, Region, RegionDef, Root, Value, ValueDef};
use crate::ops::{AtomicOp, SUBGROUP_SIZE, SubgroupOp};
use private::{Known, Private};
use std::collections::BTreeSet;
use values::{ALL, Values};

/// After so many rounds whatever a loop could still spread is taken to be divergent.
/// Most programs need a few rounds. One that hands values on from parameter to parameter,
/// as one does whose arrays became values, needs as many as it has such parameters.
const MAX_ROUNDS: usize = 1000;

/// After so many visits of instructions likewise, but not before [`FEW_ROUNDS`].
const MAX_VISITS: usize = 1 << 22;

/// What any function gets.
const FEW_ROUNDS: usize = 100;

/// Why a value differs between the invocations of a workgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    /// The instruction that gives it does so by its nature: an id, an atomic access, a
    /// load from memory that other invocations may write.
    Source(Inst),
    /// An operand differs.
    From(Value),
    /// Control that differs decides between values. The instruction is a [`Control`].
    Control(Inst),
    /// This store makes private memory differ.
    Array(Inst),
}

/// Why not all invocations are here: a branch whose condition differs, or an exit that
/// only some take. Named by its instruction; for an exit there is an earlier reason.
type Control = Inst;

/// What was found out about a function.
pub(super) struct Judged {
    /// The values that are the same in all invocations of a workgroup that compute them.
    pub(super) uniform: Side<ValueDef, bool>,
    /// What only some subgroups come to, if there is anything.
    pub(super) parted: Option<Parted>,
}

/// Subgroup operations that not all invocations of the workgroup reach, though all of the subgroup do.
pub(super) struct Parted {
    pub(super) operations: Vec<Inst>,
    /// The jumps that only some take, and the loops that not all go through alike.
    pub(super) jumps: Side<InstDef, bool>,
    pub(super) loops: Side<InstDef, bool>,
}

/// Judges each function. Reports each barrier that not all invocations reach, once; those of
/// device functions that nobody calls only if this is `alone`.
pub(super) fn module(
    module: &Module,
    flats: &[Option<Flat>],
    alone: bool,
    mistake: Option<Mistake>,
    diags: &mut Diags,
) -> Vec<Judged> {
    let mut called = vec![false; module.functions.len()];
    for (_, callee) in module.functions.iter().flat_map(crate::inline::calls) {
        called[callee] = true;
    }
    let mut reported = BTreeSet::new();
    let functions = module.functions.iter().zip(flats).enumerate();
    functions
        .map(|(i, (function, flat))| {
            if !function.is_kernel() && (called[i] || !alone) {
                return Judged { uniform: Side::new(false), parted: None };
            }
            let judged = flat.as_ref().map_or(function, |flat| &flat.function);
            let origin = |barrier: Inst| {
                let origin = flat.as_ref().and_then(|flat| flat.origins[barrier]);
                origin.map_or((i, barrier), |origin| (origin.function, origin.inst))
            };
            let tree = Tree::of(judged);
            let analysis = Analysis::new(module, judged, flat.as_ref(), &tree, mistake);
            check(analysis, |barrier| reported.insert(origin(barrier)), diags)
        })
        .collect()
}

/// Judges a function whose subgroup operations were taken out of what only some come to.
pub(super) fn predicated(module: &Module, flat: &Flat, mistake: Option<Mistake>) -> Judged {
    let tree = Tree::of(&flat.function);
    let analysis = Analysis::new(module, &flat.function, Some(flat), &tree, mistake);
    check(analysis, |_| false, &mut Diags::new())
}

/// The same of one function; `is_new` says whether a barrier was not reported yet.
fn check(mut analysis: Analysis<'_>, mut is_new: impl FnMut(Inst) -> bool, diags: &mut Diags) -> Judged {
    let function = analysis.function;
    if function.is_kernel() && function.workgroup_size() == [1; 3] {
        return Judged { uniform: Side::new(true), parted: None };
    }
    analysis.settle();
    if !analysis.barriers.is_empty()
        && let Some(values) = Values::of(&analysis.module.types, function, analysis.tree)
    {
        analysis = Analysis { values: Some(values), ..analysis.renewed() };
        analysis.settle();
    }
    let is_operation = |inst: Inst| matches!(function.insts[inst].kind, InstKind::Subgroup(..));
    let (operations, barriers): (Vec<_>, Vec<_>) =
        analysis.barriers.iter().copied().partition(|&(inst, _)| is_operation(inst));
    let mut report = |analysis: &Analysis<'_>, mut barriers: Vec<(Inst, Control)>| {
        // The two barriers of a broadcast stand at one place and are one mistake.
        barriers.dedup_by_key(|(barrier, control)| (function.insts[*barrier].loc, *control));
        for (barrier, control) in barriers {
            if is_new(barrier) {
                diags.push(analysis.report(barrier, control));
            }
        }
    };
    if !operations.is_empty() {
        let values = Values::of(&analysis.module.types, function, analysis.tree);
        let steady = analysis.steady.clone();
        let mut within = Analysis { in_subgroup: true, values, steady, ..analysis.renewed() };
        within.settle();
        let parted = within.barriers.iter().copied().filter(|&(inst, _)| is_operation(inst)).collect();
        report(&within, parted);
    }
    report(&analysis, barriers);
    let mut uniform = Side::new(false);
    for value in function.values.ids() {
        uniform[value] = analysis.why[value].is_none();
    }
    let parted = (!operations.is_empty() && function.is_kernel()).then(|| analysis.partings(&operations));
    Judged { uniform, parted }
}

/// What a region does to those who come after it: not all do, up to and within the loop
/// of this depth, where 0 is the function.
#[derive(Clone, Copy)]
struct Left {
    depth: usize,
    control: Control,
}

/// What is known of a loop.
#[derive(Clone, Copy, Default)]
struct LoopFacts {
    /// An exit that only some take and that ends the loop for them.
    ended: Option<Control>,
    /// A `continue` that only some take.
    skipped: Option<Control>,
    /// Whether any way leads to a `continue`, and to a `break`.
    repeats: bool,
    is_left: bool,
}

struct Analysis<'a> {
    module: &'a Module,
    function: &'a Function,
    flat: Option<&'a Flat>,
    tree: &'a Tree,
    mistake: Option<Mistake>,
    /// What is known about values, if that was needed.
    values: Option<Values<'a>>,
    /// The bits of each value that may differ, or the lanes of a vector; there is a reason
    /// where there is one.
    varying: Side<ValueDef, u64>,
    why: Side<ValueDef, Option<Why>>,
    /// Where private memory differs.
    private: Private,
    /// The reason for each exit that only some take.
    exits: Side<InstDef, Option<Control>>,
    loops: Side<InstDef, LoopFacts>,
    /// The loads of workgroup memory that nobody writes meanwhile.
    steady: Side<InstDef, bool>,
    /// The branches that not all come to, or where not all go the same way.
    parts: Side<InstDef, bool>,
    /// The loops around, outermost first.
    open: Vec<Inst>,
    /// Control seen from the function's entry, then from each open loop's.
    control: Vec<Option<Control>>,
    /// How many loops are around what a value is computed from.
    depth: Side<ValueDef, usize>,
    /// Whether nobody goes on after what was walked through last.
    ends: bool,
    /// Whether the question is what the invocations of a subgroup share.
    in_subgroup: bool,
    /// The barriers and subgroup operations that this round found to be divergent.
    barriers: Vec<(Inst, Control)>,
    changed: bool,
}

impl<'a> Analysis<'a> {
    fn new(
        module: &'a Module,
        function: &'a Function,
        flat: Option<&'a Flat>,
        tree: &'a Tree,
        mistake: Option<Mistake>,
    ) -> Self {
        Self {
            module,
            function,
            flat,
            tree,
            mistake,
            values: None,
            varying: Side::new(0),
            why: Side::new(None),
            private: Private::new(&module.types, function),
            exits: Side::new(None),
            loops: Side::new(LoopFacts::default()),
            steady: phases::steady(function, &Side::new(false), mistake),
            parts: Side::new(false),
            open: Vec::new(),
            control: vec![None],
            in_subgroup: false,
            depth: Side::new(0),
            ends: false,
            barriers: Vec::new(),
            changed: false,
        }
    }

    /// The same without anything that was found.
    fn renewed(&self) -> Self {
        Self::new(self.module, self.function, self.flat, self.tree, self.mistake)
    }

    /// Where the workgroup parts, for these operations.
    fn partings(&self, operations: &[(Inst, Control)]) -> Parted {
        let (mut jumps, mut loops) = (Side::new(false), Side::new(false));
        for inst in self.function.insts.ids() {
            jumps[inst] = self.exits[inst].is_some();
            let facts = &self.loops[inst];
            loops[inst] = facts.ended.is_some() || facts.skipped.is_some();
        }
        Parted { operations: operations.iter().map(|(inst, _)| *inst).collect(), jumps, loops }
    }

    /// Walks until nothing changes.
    fn settle(&mut self) {
        let rounds = (MAX_VISITS / self.function.insts.len().max(1)).clamp(FEW_ROUNDS, MAX_ROUNDS);
        for round in 0.. {
            self.changed = false;
            self.walk_body();
            // Phases are told apart by what all decide alike, as far as that is known by now.
            if !self.changed && !self.steady_loads_change() {
                break;
            }
            if round == rounds {
                self.give_up();
            }
        }
    }

    /// Judges the loads of workgroup memory again; whether any is no longer steady. What a subgroup
    /// shares says nothing of the phases of the workgroup.
    fn steady_loads_change(&mut self) -> bool {
        if self.in_subgroup {
            return false;
        }
        let steady = phases::steady(self.function, &self.parts, self.mistake);
        let changed = self.function.insts.ids().any(|inst| self.steady[inst] && !steady[inst]);
        self.steady = steady;
        changed
    }

    fn walk_body(&mut self) {
        self.barriers.clear();
        self.control = vec![None];
        self.region(self.function.body);
    }

    /// Whether a test wants this mistake to be made here.
    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    /// Takes everything that a further round could find for found.
    fn give_up(&mut self) {
        let function = self.function;
        for (inst, def) in function.insts.iter() {
            let InstKind::Loop { body, .. } = &def.kind else { continue };
            if self.loops[inst].ended.is_none() {
                self.loops[inst].ended = Some(inst);
            }
            for &param in &function.regions[*body].params {
                self.diverge(param, Why::Control(inst));
            }
        }
        for (inst, def) in function.insts.iter() {
            if let InstKind::Store(Place { root: Root::Private(_), .. }, value) = def.kind {
                self.taint(inst, value, Why::Source(inst), ALL);
            }
        }
    }

    /// Any bit of a value may differ.
    fn diverge(&mut self, value: Value, why: Why) {
        self.vary(value, ALL, why);
    }

    /// These bits of a value may differ, save what is known of them.
    fn vary(&mut self, value: Value, bits: u64, why: Why) {
        let bits = bits & self.values.as_ref().map_or(ALL, |values| values.unknown(value));
        if bits & !self.varying[value] != 0 {
            self.varying[value] |= bits;
            self.why[value].get_or_insert(why);
            self.changed = true;
        }
    }

    /// A value is what another one is on some way.
    fn pass(&mut self, from: Value, to: Value) {
        self.vary(to, self.varying[from], Why::From(from));
    }

    /// A store leaves what differs in private memory, in these lanes if it is a vector.
    fn taint(&mut self, store: Inst, value: Value, why: Why, lanes: u64) {
        let known = Known { types: &self.module.types, function: self.function, values: self.values.as_ref() };
        for part in Private::parts(self.function, store, value) {
            if part.1.is_none_or(|lane| lanes >> lane & 1 == 1) {
                self.changed |= self.private.taint(known, part, why);
            }
        }
    }

    /// Why not all invocations of the workgroup are here.
    fn control_here(&self) -> Option<Control> {
        self.control.iter().copied().flatten().next()
    }

    /// From here to the end of the region not all are here, seen from the innermost loop.
    fn diverge_here(&mut self, control: Control) {
        if let Some(here) = self.control.last_mut() {
            here.get_or_insert(control);
        }
    }

    /// Walks through a region up to where nobody goes on. Says who left, and sets `ends`
    /// where nobody comes to the end of the region.
    fn region(&mut self, region: Region) -> Option<Left> {
        let def: &'a RegionDef = &self.function.regions[region];
        let mut left: Option<Left> = None;
        self.ends = false;
        for &inst in &def.insts {
            if !self.is_reached(inst) {
                self.ends = true;
                break;
            }
            let new = self.inst(inst);
            if let Some(new) = new {
                self.diverge_here(new.control);
                if left.is_none_or(|left| new.depth < left.depth) {
                    left = Some(new);
                }
            }
            if self.ends {
                break;
            }
        }
        left
    }

    fn inst(&mut self, inst: Inst) -> Option<Left> {
        let def: &'a InstDef = &self.function.insts[inst];
        let depth = self.depth_of_result(&def.kind);
        for &result in &def.results {
            self.depth[result] = depth;
        }
        if self.function.flags[inst].has(Flags::NONUNIFORM) {
            for &result in &def.results {
                self.diverge(result, Why::Source(inst));
            }
        }
        match &def.kind {
            InstKind::Op(op, args) => {
                if let Some(&arg) = args.iter().find(|&&arg| self.why[arg].is_some()) {
                    let result = def.results[0];
                    let lanes = values::of_lanes(self.function, *op, args, result, &self.varying);
                    let bits = || self.values.as_ref().map(|values| values.of_op(*op, args, result, &self.varying));
                    self.vary(result, lanes.or_else(bits).unwrap_or(ALL), Why::From(arg));
                }
            }
            InstKind::Load(place) => {
                if let Some(why) = self.load(inst, place) {
                    self.diverge(def.results[0], why);
                }
                if let Root::Private(_) = place.root {
                    self.load_private(inst, def.results[0]);
                }
            }
            InstKind::Store(place, value) => {
                if let Root::Private(_) = place.root
                    && !self.makes(Mistake::PrivateStoresUniform)
                {
                    let index = place.indices.iter().map(|index| index.value).find(|&v| self.why[v].is_some());
                    let control = || self.control_here().map(Why::Control);
                    if let Some(why) = index.map(Why::From).or_else(control) {
                        self.taint(inst, *value, why, ALL);
                    } else if self.why[*value].is_some() {
                        self.taint(inst, *value, Why::From(*value), self.varying[*value]);
                    }
                }
            }
            InstKind::Atomic(..) if self.makes(Mistake::AtomicsUniform) => {}
            InstKind::Atomic(AtomicOp::Load, place, ..) if self.steady[inst] => {
                if let Some(why) = self.load(inst, place) {
                    self.diverge(def.results[0], why);
                }
            }
            InstKind::Atomic(..) => {
                for &result in &def.results {
                    self.diverge(result, Why::Source(inst));
                }
            }
            InstKind::Builtin(builtin) => {
                self.vary(def.results[0], self.bits_of_builtin(*builtin), Why::Source(inst));
            }
            InstKind::Barrier => {
                if let Some(control) = self.control_here().filter(|_| !self.makes(Mistake::NothingRefused)) {
                    self.barriers.push((inst, control));
                }
            }
            InstKind::Subgroup(op, args) => {
                if let Some(control) = self.control_here() {
                    self.barriers.push((inst, control));
                }
                if let Some(why) = self.subgroup(inst, *op, args) {
                    self.diverge(def.results[0], why);
                }
            }
            InstKind::Len(_) | InstKind::Fence(..) | InstKind::Yield(_) => {}
            InstKind::Unreachable => self.ends = true,
            // None is left once variables are values; not knowing is divergence.
            InstKind::Get(_) => self.diverge(def.results[0], Why::Source(inst)),
            InstKind::Set(..) => {}
            InstKind::If { condition, .. } => return self.branch(inst, def, *condition),
            InstKind::Switch { selector, .. } => return self.branch(inst, def, *selector),
            InstKind::Loop { body, initial, .. } => return self.repeat(inst, def, *body, initial),
            InstKind::Break(target, args) => return self.break_(inst, *target, args),
            InstKind::Continue(target, args) => return self.continue_(inst, *target, args),
            InstKind::Return(_) => return self.return_(inst),
            // What is judged has none.
            InstKind::Call { .. } => {}
        }
        None
    }

    /// Whether what a subgroup shares is what the question is about.
    fn asks_for_subgroup(&self) -> bool {
        self.in_subgroup || self.function.is_kernel() && self.function.invocations() <= SUBGROUP_SIZE.into()
    }

    /// Why the result of a subgroup operation differs.
    fn subgroup(&self, inst: Inst, op: SubgroupOp, args: &[Value]) -> Option<Why> {
        if !op.is_same() || !self.asks_for_subgroup() {
            return Some(Why::Source(inst));
        }
        // The lane of a broadcast.
        args.get(1).filter(|&&lane| self.why[lane].is_some()).map(|&lane| Why::From(lane))
    }

    /// How many loops are around what an instruction's results are computed from: an op
    /// gives the same in each round of a loop that its operands come from outside of.
    fn depth_of_result(&self, kind: &InstKind) -> usize {
        match kind {
            InstKind::Op(_, args) => args.iter().map(|&arg| self.depth[arg]).max().unwrap_or_default(),
            InstKind::Builtin(_) | InstKind::Len(_) => 0,
            _ => self.open.len(),
        }
    }

    /// Why a load gives invocations different values.
    fn load(&self, inst: Inst, place: &Place) -> Option<Why> {
        let index = place.indices.iter().map(|index| index.value).find(|&v| self.why[v].is_some());
        let source = match place.root {
            Root::Shared(_) if self.steady[inst] || self.makes(Mistake::WorkgroupMemoryUniform) => None,
            Root::Param(_) if self.function.root_access(place.root) == Some(Access::Read) => None,
            Root::Param(_) if self.makes(Mistake::WritableBuffersUniform) => None,
            Root::Shared(_) | Root::Param(_) => Some(Why::Source(inst)),
            Root::Private(_) | Root::Table(_) => None,
        };
        source.or(index.filter(|_| !self.makes(Mistake::IndexForgotten)).map(Why::From))
    }

    /// Whether an invocation may come to an instruction: where none does, nothing is known
    /// about values, and nothing needs to be.
    fn is_reached(&self, inst: Inst) -> bool {
        self.values.as_ref().is_none_or(|values| values.is_reached(inst))
    }

    /// What a load of private memory gives differs where a store made that differ.
    fn load_private(&mut self, load: Inst, result: Value) {
        for part in Private::parts(self.function, load, result) {
            let known = Known { types: &self.module.types, function: self.function, values: self.values.as_ref() };
            if let Some(store) = self.private.tainted_by(known, part) {
                self.vary(result, part.1.map_or(ALL, |lane| 1 << lane), Why::Array(store));
            }
        }
    }

    /// The regions that a branch may take.
    fn ways(&self, inst: Inst, def: &InstDef, condition: Value) -> Vec<Region> {
        let decided = self.values.as_ref().and_then(|values| values.decided(inst, condition));
        match (&def.kind, decided) {
            (InstKind::If { then, otherwise, .. }, Some(bits)) => vec![if bits == 0 { *otherwise } else { *then }],
            (InstKind::Switch { cases, default, .. }, Some(bits)) => {
                let case = cases.iter().find(|case| case.values.contains(&bits));
                vec![case.map_or(*default, |case| case.region)]
            }
            (kind, _) => {
                let entered = |&region: &Region| {
                    let first = self.function.regions[region].insts.first();
                    first.is_some_and(|&first| self.is_reached(first))
                };
                kind.regions().filter(entered).collect()
            }
        }
    }

    fn branch(&mut self, inst: Inst, def: &InstDef, condition: Value) -> Option<Left> {
        let ways = self.ways(inst, def, condition);
        let differs = self.why[condition].is_some() && ways.len() > 1;
        let before = self.control.last().copied().flatten();
        self.parts[inst] |= differs || self.control_here().is_some();
        let mut left: Option<Left> = None;
        let mut yields: Vec<&[Value]> = Vec::new();
        let mut goes_on = false;
        for region in ways {
            if differs {
                self.diverge_here(inst);
            }
            if let Some(new) = self.region(region)
                && left.is_none_or(|left| new.depth < left.depth)
            {
                left = Some(new);
            }
            if let Some(here) = self.control.last_mut() {
                *here = before;
            }
            if std::mem::take(&mut self.ends) {
                continue;
            }
            goes_on = true;
            yields.extend(self.function.yielded(region));
        }
        for (i, &result) in def.results.iter().enumerate() {
            let mut args = yields.iter().map(|args| args[i]);
            for arg in args.clone() {
                self.pass(arg, result);
            }
            let chosen = differs && args.next().is_some_and(|first| args.any(|other| self.differ(first, other)));
            if chosen && !self.makes(Mistake::MergeForgotten) {
                self.diverge(result, Why::Control(inst));
            }
        }
        self.ends = !goes_on;
        left
    }

    fn repeat(&mut self, inst: Inst, def: &InstDef, body: Region, initial: &[Value]) -> Option<Left> {
        let params: &'a [Value] = &self.function.regions[body].params;
        for (&param, &value) in params.iter().zip(initial) {
            self.pass(value, param);
        }
        self.open.push(inst);
        // Nobody comes round again where nothing continues.
        let repeats = self.loops[inst].repeats;
        self.control.push(self.loops[inst].ended.filter(|_| repeats));
        let depth = self.open.len();
        for &param in params {
            self.depth[param] = depth;
        }
        let left = self.region(body);
        self.control.pop();
        self.open.pop();
        if let Some(control) = self.loops[inst].skipped {
            for (i, &param) in params.iter().enumerate() {
                if self.parted(self.tree.continues(inst), i) {
                    self.diverge(param, Why::Control(control));
                }
            }
        }
        if let Some(control) = self.loops[inst].ended {
            for (i, &result) in def.results.iter().enumerate() {
                if self.parted(self.tree.exits(inst), i) {
                    self.diverge(result, Why::Control(control));
                }
            }
        }
        self.ends = !self.loops[inst].is_left;
        left.filter(|left| left.depth < depth)
    }

    /// Why invocations that take a jump, in other rounds than each other, bring other
    /// values, though in each round the value is the same for all: some leave a loop, of
    /// those from this depth inwards, in which it is computed anew.
    fn outlived(&self, value: Value, depth: usize) -> Option<Control> {
        let inside = self.open.iter().take(self.depth[value]).skip(depth);
        let facts = inside.map(|&open| &self.loops[open]).find(|facts| facts.ended.is_some() && facts.repeats);
        facts.and_then(|facts| facts.ended).filter(|_| !self.makes(Mistake::RoundsForgotten))
    }

    /// What a jump through the loops from this depth inwards passes.
    fn hand_on(&mut self, args: &[Value], to: &[Value], depth: usize) {
        for (&arg, &to) in args.iter().zip(to) {
            self.pass(arg, to);
            if let Some(control) = self.outlived(arg, depth) {
                self.diverge(to, Why::Control(control));
            }
        }
    }

    /// Whether those jumps that only some take pass different values at a position; a jump
    /// that all take decides for all.
    fn parted(&self, jumps: &[Inst], i: usize) -> bool {
        let some = jumps.iter().filter(|&&jump| self.exits[jump].is_some());
        let mut args = some.filter_map(|&jump| self.function.insts[jump].kind.passed().get(i));
        args.next().is_some_and(|&first| args.any(|&other| self.differ(first, other)))
    }

    /// Whether two values, each the same for all, may differ from each other.
    fn differ(&self, a: Value, b: Value) -> bool {
        a != b && self.values.as_ref().is_none_or(|values| values.first(a) != values.first(b))
    }

    /// Why not all take an exit, seen from those who entered the loop of this depth.
    fn taken_by_some(&mut self, exit: Inst, depth: usize) -> bool {
        let control = self.control.iter().skip(depth).copied().flatten().next();
        if let Some(control) = control {
            // An exit that ends its own loop is not its own reason in later rounds.
            if self.exits[exit].is_none() && control != exit {
                self.exits[exit] = Some(control);
                self.changed = true;
            }
        }
        control.is_some()
    }

    /// The loops from this depth inwards are ended for some.
    fn end_loops(&mut self, exit: Inst, depth: usize) {
        let inner = if self.makes(Mistake::OuterLoopsOnly) { self.open.len().min(depth) } else { self.open.len() };
        for i in depth.saturating_sub(1)..inner {
            let ended = &mut self.loops[self.open[i]].ended;
            if ended.is_none() {
                *ended = Some(exit);
                self.changed = true;
            }
        }
    }

    /// The depth of an open loop; 1 is the outermost.
    fn depth_of(&self, target: Inst) -> usize {
        self.open.iter().position(|&open| open == target).map_or(0, |i| i + 1)
    }

    fn break_(&mut self, inst: Inst, target: Inst, args: &[Value]) -> Option<Left> {
        let depth = self.depth_of(target);
        self.ends = true;
        self.changed |= !std::mem::replace(&mut self.loops[target].is_left, true);
        self.hand_on(args, &self.function.insts[target].results, depth.saturating_sub(1));
        if !self.taken_by_some(inst, depth) || self.makes(Mistake::BreakForgotten) {
            return None;
        }
        self.end_loops(inst, depth.max(1));
        Some(Left { depth, control: inst })
    }

    fn continue_(&mut self, inst: Inst, target: Inst, args: &[Value]) -> Option<Left> {
        self.ends = true;
        self.changed |= !std::mem::replace(&mut self.loops[target].repeats, true);
        if let Some(body) = self.function.insts[target].kind.regions().next() {
            let depth = self.depth_of(target);
            if !self.makes(Mistake::BackEdgeForgotten) {
                self.hand_on(args, &self.function.regions[body].params, depth);
            }
        }
        let depth = self.depth_of(target);
        if !self.taken_by_some(inst, depth) || self.makes(Mistake::ContinueForgotten) {
            return None;
        }
        if self.loops[target].skipped.is_none() {
            self.loops[target].skipped = Some(inst);
            self.changed = true;
        }
        self.end_loops(inst, depth + 1);
        Some(Left { depth, control: inst })
    }

    fn return_(&mut self, inst: Inst) -> Option<Left> {
        self.ends = true;
        if !self.taken_by_some(inst, 0) || self.makes(Mistake::ReturnForgotten) {
            return None;
        }
        self.end_loops(inst, 1);
        Some(Left { depth: 0, control: inst })
    }
}

#[cfg(test)]
mod tests;
