//! Variables become values: region parameters of loops, results of `if`, `switch` and
//! `loop`.
//!
//! Needs a function that passed the shape and type checks. One walk in program order
//! keeps each variable's current value; where control merges, every variable that the
//! merging instruction's regions set gets a *merge value*, and each edge into the merge
//! (an initial operand, `yield`, `break`, `continue`) notes what the variable is there.
//! Merge values that are one value on every edge, or that nothing needs, are then
//! dropped, and only the rest become parameters, results and operands. All values of an
//! edge are simultaneous, so nothing is ever copied in sequence.

use crate::arena::{Arena, Side};
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Value, ValueDef, Var, VarDef};
use crate::ops::Op;
use crate::types::Type;

/// Removes every `get`, `set` and variable. A variable that is read before it is set is
/// zero.
pub(crate) fn construct(function: &mut Function) {
    if function.vars.is_empty() {
        return;
    }
    let mut assigned = Side::new(Vec::new());
    collect_assigned(function, function.body, &mut assigned);
    let mut builder = Ssa {
        assigned,
        current: Side::new(None),
        replaced: Side::new(None),
        position: Side::new(0),
        clock: 0,
        groups: Vec::new(),
        edges: Vec::new(),
        merges: Vec::new(),
        merge_of: Side::new(None),
        loops: Side::new(None),
        zeros: Vec::new(),
        function,
    };
    let body = builder.function.body;
    builder.region(body);
    builder.drop_trivial();
    let live = builder.use_replacements();
    builder.finish(&live);
    function.vars = Arena::new();
}

/// For each instruction with regions, the variables that these set, in order; and the
/// variables that `region` sets.
fn collect_assigned(function: &Function, region: Region, assigned: &mut Side<InstDef, Vec<Var>>) -> Vec<Var> {
    let mut here = Vec::new();
    for &inst in &function.regions[region].insts {
        let kind = &function.insts[inst].kind;
        if let InstKind::Set(var, _) = kind {
            here.push(*var);
        }
        let regions = kind.regions();
        if !regions.is_empty() {
            let mut inner: Vec<Var> =
                regions.into_iter().flat_map(|region| collect_assigned(function, region, assigned)).collect();
            inner.sort_unstable();
            inner.dedup();
            here.extend_from_slice(&inner);
            assigned[inst] = inner;
        }
    }
    here.sort_unstable();
    here.dedup();
    here
}

/// Where the values of a group of merge values come in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    /// As parameters of the loop's body.
    Params,
    /// As results of the instruction.
    Results,
}

/// The merge values of one point, one for each variable that the owner's regions set.
struct Group {
    owner: Inst,
    kind: GroupKind,
    /// The first merge value; the others follow.
    first: usize,
    len: usize,
    /// The positions strictly between are inside the owner.
    start: u32,
    end: u32,
    edges: Vec<usize>,
}

/// A way into a group: the instruction whose operands bring the values.
struct Edge {
    from: Inst,
    group: usize,
    values: Vec<Value>,
}

#[derive(Clone, Copy)]
struct Merge {
    value: Value,
    group: usize,
}

/// A loop that is being walked.
#[derive(Clone, Copy)]
struct Loop {
    params: usize,
    results: usize,
}

struct Ssa<'a> {
    function: &'a mut Function,
    assigned: Side<InstDef, Vec<Var>>,
    /// The value that each variable has now; `None` until it is set or read.
    current: Side<VarDef, Option<Value>>,
    /// What stands for a value that is gone. Chains lead to one that is not.
    replaced: Side<ValueDef, Option<Value>>,
    /// When a value was defined in the walk; constants and parameters never.
    position: Side<ValueDef, u32>,
    clock: u32,
    groups: Vec<Group>,
    edges: Vec<Edge>,
    merges: Vec<Merge>,
    merge_of: Side<ValueDef, Option<usize>>,
    loops: Side<InstDef, Option<Loop>>,
    /// Vectors of zeros that are to be made at the start of the body.
    zeros: Vec<Inst>,
}

impl Ssa<'_> {
    fn tick(&mut self) -> u32 {
        self.clock += 1;
        self.clock
    }

    /// The value of a variable here.
    fn value_of(&mut self, var: Var) -> Value {
        if let Some(value) = self.current[var] {
            return value;
        }
        let ty = self.function.vars[var].ty;
        let zero = self.zero(ty);
        self.current[var] = Some(zero);
        zero
    }

    fn zero(&mut self, ty: Type) -> Value {
        let lane = match ty {
            Type::Scalar(lane) | Type::Vector(lane, _) => lane,
            // No variable has such a type once types are checked.
            Type::Error | Type::Bytes | Type::Array(_) | Type::Struct(_) => crate::types::Scalar::U32,
        };
        let zero = self.function.constant(lane, 0);
        let Type::Vector(_, lanes) = ty else { return zero };
        let made = |&&inst: &&Inst| self.function.ty(self.function.insts[inst].results[0]) == ty;
        if let Some(&inst) = self.zeros.iter().find(made) {
            return self.function.insts[inst].results[0];
        }
        let value = self.function.values.push(ValueDef { ty, constant: None, name: None });
        let kind = InstKind::Op(Op::Construct, vec![zero; lanes.into()]);
        let loc = self.function.loc;
        self.zeros.push(self.function.insts.push(InstDef { kind, results: vec![value], loc }));
        value
    }

    fn resolve(&self, mut value: Value) -> Value {
        while let Some(other) = self.replaced[value] {
            value = other;
        }
        value
    }

    fn region(&mut self, region: Region) {
        let insts = std::mem::take(&mut self.function.regions[region].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            if self.inst(inst) {
                kept.push(inst);
            }
        }
        self.function.regions[region].insts = kept;
    }

    /// Processes an instruction; whether it stays.
    fn inst(&mut self, inst: Inst) -> bool {
        let mut kind = std::mem::replace(&mut self.function.insts[inst].kind, InstKind::Unreachable);
        kind.map_operands(|value| self.resolve(value));
        let (regions, is_loop) = (kind.regions(), matches!(kind, InstKind::Loop { .. }));
        match kind {
            InstKind::Get(var) => {
                let value = self.value_of(var);
                if let Some(result) = std::mem::take(&mut self.function.insts[inst].results).pop() {
                    self.replaced[result] = Some(value);
                }
                return false;
            }
            InstKind::Set(var, value) => {
                self.current[var] = Some(value);
                return false;
            }
            InstKind::Break(target, _) => {
                if let Some(Loop { results, .. }) = self.loops[target] {
                    self.edge(inst, results);
                }
            }
            InstKind::Continue(target, _) => {
                if let Some(Loop { params, .. }) = self.loops[target] {
                    self.edge(inst, params);
                }
            }
            InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => {}
            InstKind::Op(..) | InstKind::Load(_) | InstKind::Store(..) | InstKind::Atomic(..) | InstKind::Len(_) => {}
            InstKind::Builtin(_) | InstKind::Barrier => {}
            InstKind::Yield(_) | InstKind::Return | InstKind::Unreachable => {}
        }
        self.function.insts[inst].kind = kind;
        if is_loop {
            self.repeat(inst, regions[0]);
        } else if !regions.is_empty() {
            self.branch(inst, &regions);
        }
        let now = self.tick();
        for &result in &self.function.insts[inst].results {
            self.position[result] = now;
        }
        true
    }

    fn branch(&mut self, inst: Inst, regions: &[Region]) {
        let vars = self.assigned[inst].clone();
        let before: Vec<Option<Value>> = vars.iter().map(|&var| self.current[var]).collect();
        let group = self.group(inst, GroupKind::Results, &vars);
        for &region in regions {
            self.region(region);
            let last = self.function.regions[region].insts.last().copied();
            if let Some(last) = last.filter(|&last| matches!(self.function.insts[last].kind, InstKind::Yield(_))) {
                self.edge(last, group);
            }
            self.restore(&vars, &before);
        }
        self.leave(group, &vars);
    }

    fn repeat(&mut self, inst: Inst, body: Region) {
        let vars = self.assigned[inst].clone();
        let params = self.group(inst, GroupKind::Params, &vars);
        let results = self.group(inst, GroupKind::Results, &vars);
        self.edge(inst, params);
        let before: Vec<Option<Value>> = vars.iter().map(|&var| self.current[var]).collect();
        self.enter(params, &vars);
        self.position_params(body);
        self.loops[inst] = Some(Loop { params, results });
        self.region(body);
        self.loops[inst] = None;
        self.groups[params].end = self.clock + 1;
        self.restore(&vars, &before);
        self.leave(results, &vars);
    }

    fn position_params(&mut self, body: Region) {
        let now = self.tick();
        for &param in &self.function.regions[body].params {
            self.position[param] = now;
        }
    }

    fn restore(&mut self, vars: &[Var], before: &[Option<Value>]) {
        for (&var, &value) in vars.iter().zip(before) {
            self.current[var] = value;
        }
    }

    /// Makes the merge values of a point.
    fn group(&mut self, owner: Inst, kind: GroupKind, vars: &[Var]) -> usize {
        let id = self.groups.len();
        let first = self.merges.len();
        for &var in vars {
            let VarDef { name, ty, .. } = &self.function.vars[var];
            let def = ValueDef { ty: *ty, constant: None, name: Some(name.as_str().into()) };
            let value = self.function.values.push(def);
            self.merge_of[value] = Some(self.merges.len());
            self.merges.push(Merge { value, group: id });
        }
        let start = self.clock;
        self.groups.push(Group { owner, kind, first, len: vars.len(), start, end: start, edges: Vec::new() });
        id
    }

    /// From here on the variables are the merge values.
    fn enter(&mut self, group: usize, vars: &[Var]) {
        let now = self.tick();
        let first = self.groups[group].first;
        for (i, &var) in vars.iter().enumerate() {
            let value = self.merges[first + i].value;
            self.position[value] = now;
            self.current[var] = Some(value);
        }
    }

    /// The same after the owner, unless nothing comes out of it: then what follows is
    /// never reached and any value will do.
    fn leave(&mut self, group: usize, vars: &[Var]) {
        self.groups[group].end = self.clock + 1;
        if !self.groups[group].edges.is_empty() {
            self.enter(group, vars);
        }
    }

    /// Notes the values that the variables of a group have at `from`.
    fn edge(&mut self, from: Inst, group: usize) {
        let vars = self.assigned[self.groups[group].owner].clone();
        let values = vars.into_iter().map(|var| self.value_of(var)).collect();
        self.groups[group].edges.push(self.edges.len());
        self.edges.push(Edge { from, group, values });
    }

    /// Replaces every merge value that is one other value on all its edges, until there
    /// is none.
    fn drop_trivial(&mut self) {
        // Which merges take this merge's value on an edge.
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.merges.len()];
        for edge in &self.edges {
            for (i, &value) in edge.values.iter().enumerate() {
                if let Some(merge) = self.merge_of[value] {
                    users[merge].push(self.groups[edge.group].first + i);
                }
            }
        }
        let mut queue: Vec<usize> = (0..self.merges.len()).rev().collect();
        let mut queued = vec![true; self.merges.len()];
        while let Some(merge) = queue.pop() {
            queued[merge] = false;
            let Merge { value, .. } = self.merges[merge];
            if self.replaced[value].is_some() {
                continue;
            }
            let Some(only) = self.only_value(merge) else { continue };
            self.replaced[value] = Some(only);
            let mut again = std::mem::take(&mut users[merge]);
            for &user in &again {
                if !queued[user] {
                    queued[user] = true;
                    queue.push(user);
                }
            }
            if let Some(other) = self.merge_of[only] {
                users[other].append(&mut again);
            }
        }
    }

    /// The one value of a merge on all edges, if it is also visible outside the owner.
    fn only_value(&self, merge: usize) -> Option<Value> {
        let Merge { value, group } = self.merges[merge];
        let group = &self.groups[group];
        let mut only = None;
        for &edge in &group.edges {
            let other = self.resolve(self.edges[edge].values[merge - group.first]);
            if other != value && only.replace(other).is_some_and(|before| before != other) {
                return None;
            }
        }
        only.filter(|&only| {
            let position = self.position[only];
            position <= group.start || position >= group.end
        })
    }

    /// Lets every operand name a value that is still there; which merges are needed.
    fn use_replacements(&mut self) -> Vec<bool> {
        let mut live = vec![false; self.merges.len()];
        let mut queue = Vec::new();
        for inst in self.function.insts.ids() {
            let mut kind = std::mem::replace(&mut self.function.insts[inst].kind, InstKind::Unreachable);
            kind.map_operands(|value| {
                let value = self.resolve(value);
                queue.extend(self.merge_of[value]);
                value
            });
            self.function.insts[inst].kind = kind;
        }
        while let Some(merge) = queue.pop() {
            if std::mem::replace(&mut live[merge], true) {
                continue;
            }
            let group = &self.groups[self.merges[merge].group];
            for &edge in &group.edges {
                let value = self.resolve(self.edges[edge].values[merge - group.first]);
                queue.extend(self.merge_of[value]);
            }
        }
        live
    }

    /// Turns the merges that are left into parameters, results and operands.
    fn finish(&mut self, live: &[bool]) {
        for group in &self.groups {
            let values = (group.first..group.first + group.len).filter(|&m| live[m]).map(|m| self.merges[m].value);
            match (group.kind, self.function.insts[group.owner].kind.regions().first()) {
                (GroupKind::Params, Some(&body)) => self.function.regions[body].params.extend(values),
                (GroupKind::Params, None) | (GroupKind::Results, _) => {
                    self.function.insts[group.owner].results.extend(values);
                }
            }
        }
        let mut needed: Side<ValueDef, bool> = Side::new(false);
        for edge in &self.edges {
            let first = self.groups[edge.group].first;
            let values: Vec<Value> = (edge.values.iter().enumerate())
                .filter(|&(i, _)| live[first + i])
                .map(|(_, &value)| self.resolve(value))
                .collect();
            for &value in &values {
                needed[value] = true;
            }
            match &mut self.function.insts[edge.from].kind {
                InstKind::Loop { initial: operands, .. }
                | InstKind::Yield(operands)
                | InstKind::Break(_, operands)
                | InstKind::Continue(_, operands) => operands.extend(values),
                _ => {}
            }
        }
        let zeros = std::mem::take(&mut self.zeros);
        if zeros.is_empty() {
            return;
        }
        for (_, inst) in self.function.insts.iter() {
            inst.kind.for_each_operand(|value| needed[value] = true);
        }
        let needed = zeros.into_iter().filter(|&inst| needed[self.function.insts[inst].results[0]]);
        self.function.regions[self.function.body].insts.splice(0..0, needed);
    }
}
