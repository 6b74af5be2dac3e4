//! Variables become values: region parameters of loops, results of `if`, `switch` and
//! `loop`.
//!
//! Needs a function that passed the shape and type checks, with nothing in its arenas that
//! is placed nowhere. One walk in program order
//! keeps each variable's current value; where control merges, every variable that the
//! merging instruction's regions set gets a *merge value*, and each edge into the merge
//! (an initial operand, `yield`, `break`, `continue`) notes what the variable is there.
//! Merge values that are one value on every edge, or that nothing needs, are then
//! dropped, and only the rest become parameters, results and operands. All values of an
//! edge are simultaneous, so nothing is ever copied in sequence.

use crate::arena::{Arena, Side, Sparse};
use crate::diag::{Code, Diag};
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Regions, Replaced, Value, ValueDef, Var, VarDef};
use crate::ops::Op;
use crate::types::Type;

/// The most values that all edges may bring together. Their number may grow with the
/// product of exits and variables; real kernels stay far below.
const MAX_EDGE_VALUES: usize = 1 << 22;

/// Removes every `get`, `set` and variable. A variable that is read before it is set is
/// zero. An error is a function with too many variables for its many exits.
pub(crate) fn construct(function: &mut Function) -> Result<(), Diag> {
    if function.vars.is_empty() {
        return Ok(());
    }
    let mut assigned = Sparse::new(Vec::new());
    collect_assigned(function, function.body, &mut assigned);
    if edge_values(function, &assigned) > MAX_EDGE_VALUES {
        let message = format!("function `{}` sets too many variables in too many branches", function.name);
        return Err(Diag::new(Code::V019, function.loc, message).help("split it into several kernels"));
    }
    let mut builder = Ssa {
        assigned,
        current: Side::new(None),
        replaced: Replaced::new(),
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
    Ok(())
}

/// How many values the edges will bring.
fn edge_values(function: &Function, assigned: &Sparse<InstDef, Vec<Var>>) -> usize {
    let values = function.insts.iter().map(|(inst, def)| match &def.kind {
        InstKind::If { .. } | InstKind::Loop { .. } => 2 * assigned[inst].len(),
        InstKind::Switch { cases, .. } => (cases.len() + 1) * assigned[inst].len(),
        InstKind::Break(target, _) | InstKind::Continue(target, _) => assigned[*target].len(),
        _ => 0,
    });
    values.fold(0, usize::saturating_add)
}

/// For each instruction with regions, the variables that these set, in order; and the
/// variables that `region` sets.
fn collect_assigned(function: &Function, region: Region, assigned: &mut Sparse<InstDef, Vec<Var>>) -> Vec<Var> {
    let mut here = Vec::new();
    for &inst in &function.regions[region].insts {
        let kind = &function.insts[inst].kind;
        if let InstKind::Set(var, _) = kind {
            here.push(*var);
        }
        if kind.has_regions() {
            let mut inner: Vec<Var> =
                kind.regions().flat_map(|region| collect_assigned(function, region, assigned)).collect();
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
    assigned: Sparse<InstDef, Vec<Var>>,
    /// The value that each variable has now; `None` until it is set or read.
    current: Side<VarDef, Option<Value>>,
    replaced: Replaced,
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
        let (kind, loc) = (InstKind::Op(Op::Construct, vec![zero; lanes.into()]), self.function.loc);
        let (inst, value) = self.function.made(kind, ty, loc);
        self.zeros.push(inst);
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
        self.replaced.follow(&mut kind);
        let (owns, regions) = (kind.has_regions(), kind.regions());
        let body = if let InstKind::Loop { body, .. } = kind { Some(body) } else { None };
        match kind {
            InstKind::Get(var) => {
                let value = self.value_of(var);
                if let Some(result) = std::mem::take(&mut self.function.insts[inst].results).pop() {
                    self.replaced.set(result, value);
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
            InstKind::Builtin(_) | InstKind::Barrier | InstKind::Fence(..) | InstKind::Call { .. } => {}
            InstKind::Subgroup(..) | InstKind::Yield(_) | InstKind::Return(_) | InstKind::Unreachable => {}
        }
        self.function.insts[inst].kind = kind;
        if let Some(body) = body {
            self.repeat(inst, body);
        } else if owns {
            self.branch(inst, regions);
        }
        let now = self.tick();
        for &result in &self.function.insts[inst].results {
            self.position[result] = now;
        }
        true
    }

    fn branch(&mut self, inst: Inst, regions: Regions) {
        let vars = self.assigned[inst].clone();
        let before: Vec<Option<Value>> = vars.iter().map(|&var| self.current[var]).collect();
        let group = self.group(inst, GroupKind::Results, &vars);
        for region in regions {
            self.region(region);
            if let (Some(_), Some(&last)) = (self.function.yielded(region), self.function.regions[region].insts.last())
            {
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
            if self.replaced.get(value).is_some() {
                continue;
            }
            let Some(only) = self.only_value(merge) else { continue };
            self.replaced.set(value, only);
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
            let other = self.replaced.resolve(self.edges[edge].values[merge - group.first]);
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
                let value = self.replaced.resolve(value);
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
                let value = self.replaced.resolve(self.edges[edge].values[merge - group.first]);
                queue.extend(self.merge_of[value]);
            }
        }
        live
    }

    /// Turns the merges that are left into parameters, results and operands.
    fn finish(&mut self, live: &[bool]) {
        for group in &self.groups {
            let values = (group.first..group.first + group.len).filter(|&m| live[m]).map(|m| self.merges[m].value);
            match (group.kind, self.function.insts[group.owner].kind.regions().next()) {
                (GroupKind::Params, Some(body)) => self.function.regions[body].params.extend(values),
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
                .map(|(_, &value)| self.replaced.resolve(value))
                .collect();
            for &value in &values {
                needed[value] = true;
            }
            match &mut self.function.insts[edge.from].kind {
                InstKind::Loop { initial, .. } => initial.extend(values),
                kind => kind.passed_mut().into_iter().for_each(|passed| passed.extend(&values)),
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

#[cfg(test)]
mod tests {
    use crate::check::check;
    use crate::text::{parse, print};

    /// What the body of a kernel becomes.
    #[track_caller]
    fn constructed(body: &str) -> String {
        let source = format!("func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {{\n{body}\nret }}");
        let module = parse(&source).unwrap_or_else(|d| panic!("{}", crate::diag::render(&d, "in", &source)));
        let checked = check(module).unwrap_or_else(|d| panic!("{}", crate::diag::render(&d, "in", &source)));
        print(checked.module())
    }

    /// The parsed and printed form of what is expected.
    #[track_caller]
    fn expected(body: &str) -> String {
        let source = format!("func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {{\n{body}\nret }}");
        print(&parse(&source).unwrap_or_else(|d| panic!("{}", crate::diag::render(&d, "expected", &source))))
    }

    #[test]
    fn straight_code_needs_no_merges() {
        let got = constructed(
            "var $a: u32\nset $a, %n\n%1 = get $a\n%2 = add %1, 1u32\nset $a, %2\n%3 = get $a\nstore @y[0u32], %3",
        );
        assert_eq!(got, expected("%2 = add %n, 1u32\nstore @y[0u32], %2"));
    }

    #[test]
    fn an_unset_variable_is_zero() {
        let got = constructed("var $a: u32\n%1 = get $a\nstore @y[0u32], %1");
        assert_eq!(got, expected("store @y[0u32], 0u32"));
        let got = constructed("var $v: vec2<u32>\n%1 = get $v\n%2 = extract %1, 0u32\nstore @y[0u32], %2");
        assert_eq!(got, expected("%1 = vec 0u32, 0u32\n%2 = extract %1, 0u32\nstore @y[0u32], %2"));
    }

    #[test]
    fn a_branch_gives_what_it_sets() {
        let got = constructed(
            "var $a: u32\nset $a, 7u32\n%c = lt %n, 3u32\nif %c { set $a, 8u32 }\n%1 = get $a\nstore @y[0u32], %1",
        );
        let want = "%c = lt %n, 3u32\n%a = if %c -> u32 { yield 8u32 } else { yield 7u32 }\nstore @y[0u32], %a";
        assert_eq!(got, expected(want));
    }

    #[test]
    fn a_branch_that_sets_what_nobody_reads_gives_nothing() {
        let got = constructed("var $a: u32\n%c = lt %n, 3u32\nif %c { set $a, 8u32 }");
        assert_eq!(got, expected("%c = lt %n, 3u32\nif %c { }"));
    }

    #[test]
    fn a_value_inside_a_branch_stays_a_result_though_the_other_branch_leaves() {
        let got = constructed(
            "var $a: u32\n%c = lt %n, 3u32\nif %c { %1 = len @y\nset $a, %1 } else { ret }\n%2 = get $a\nstore @y[0u32], %2",
        );
        let want = "%c = lt %n, 3u32\n%a = if %c -> u32 { %1 = len @y\nyield %1 } else { ret }\nstore @y[0u32], %a";
        assert_eq!(got, expected(want));
    }

    #[test]
    fn a_swap_in_a_loop_is_simultaneous() {
        let got = constructed(
            "var $a: u32 var $b: u32 var $i: u32
             set $b, 1u32
             loop 'l {
               %i = get $i
               %c = lt %i, %n
               if %c { } else { break 'l }
               %a = get $a
               %b = get $b
               set $a, %b
               set $b, %a
               %j = add %i, 1u32
               set $i, %j
               continue 'l
             }
             %x = get $a
             store @y[0u32], %x",
        );
        let want = "%a = loop 'l (%a.1: u32 = 0u32, %b: u32 = 1u32, %i: u32 = 0u32) -> u32 {
               %c = lt %i, %n
               if %c { } else { break 'l %a.1 }
               %j = add %i, 1u32
               continue 'l %b, %a.1, %j
             }
             store @y[0u32], %a";
        assert_eq!(got, expected(want));
    }

    #[test]
    fn an_exit_through_several_loops_carries_the_outer_variables() {
        let got = constructed(
            "var $s: u32
             loop 'a {
               loop 'b {
                 %s = get $s
                 %t = add %s, 1u32
                 set $s, %t
                 %c = lt %t, %n
                 if %c { continue 'a }
                 %d = lt %t, 9u32
                 if %d { break 'a }
                 continue 'b
               }
               unreachable
             }
             %r = get $s
             store @y[0u32], %r",
        );
        let want = "%s = loop 'a (%s.1: u32 = 0u32) -> u32 {
               loop 'b (%s.2: u32 = %s.1) {
                 %t = add %s.2, 1u32
                 %c = lt %t, %n
                 if %c { continue 'a %t }
                 %d = lt %t, 9u32
                 if %d { break 'a %t }
                 continue 'b %t
               }
               unreachable
             }
             store @y[0u32], %s";
        assert_eq!(got, expected(want));
    }

    #[test]
    fn a_variable_of_one_iteration_is_no_parameter() {
        let got = constructed(
            "var $t: u32
             loop 'l {
               set $t, 0u32
               %c = lt %n, 3u32
               if %c { set $t, 5u32 }
               %t = get $t
               store @y[0u32], %t
               if %c { break 'l }
               continue 'l
             }",
        );
        let want = "loop 'l {
               %c = lt %n, 3u32
               %t = if %c -> u32 { yield 5u32 } else { yield 0u32 }
               store @y[0u32], %t
               if %c { break 'l }
               continue 'l
             }";
        assert_eq!(got, expected(want));
    }

    #[test]
    fn a_variable_that_a_loop_only_sets_to_itself_is_one_value() {
        let got = constructed(
            "var $a: u32
             set $a, %n
             loop 'l {
               loop 'm {
                 %a = get $a
                 set $a, %a
                 %c = lt %a, 3u32
                 if %c { break 'm }
                 %d = lt %a, 9u32
                 if %d { break 'l }
                 continue 'm
               }
               continue 'l
             }
             %r = get $a
             store @y[0u32], %r",
        );
        let want = "loop 'l {
               loop 'm {
                 %c = lt %n, 3u32
                 if %c { break 'm }
                 %d = lt %n, 9u32
                 if %d { break 'l }
                 continue 'm
               }
               continue 'l
             }
             store @y[0u32], %n";
        assert_eq!(got, expected(want));
    }

    #[test]
    fn every_case_of_a_switch_brings_its_value() {
        let got = constructed(
            "var $a: u32
             switch %n { case 0u32 { set $a, 1u32 } case 1u32, 2u32 { } default { set $a, 3u32 } }
             %r = get $a
             store @y[0u32], %r",
        );
        let want =
            "%a = switch %n -> u32 { case 0u32 { yield 1u32 } case 1u32, 2u32 { yield 0u32 } default { yield 3u32 } }
             store @y[0u32], %a";
        assert_eq!(got, expected(want));
    }
}
