//! Loops over lanes.
//!
//! A run is a loop over x in loops over y and z. The neighbours on x that certainly take the same path and need no
//! tests have a loop of their own, between two loops for the others. If the run has loops that all lanes leave in the
//! same round, the lanes of a strip go through these together: a round of the outer loop is then a loop over a few
//! lanes, which becomes some instructions on vectors, and what each lane has summed up stays in registers.

use super::along::{Along, Demand, Finder, Path};
use super::code::{lane_of, literal, rust};
use super::collective::arrays;
use super::memory::{Home, private_roots};
use super::plan::{Plan, collective_of_strip};
use super::writer::{Level, Over, Writer};
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Root, Value};
use crate::ops::{Builtin, Op};

/// The lanes of a strip.
const STRIP: u32 = 16;
/// The same where loops carry more values than registers hold for so many lanes.
const NARROW_STRIP: u32 = 8;
/// The most values that loops of wide strips carry.
const MOST_CARRIED: usize = 6;

impl Writer<'_> {
    /// Writes a run of a workgroup or of a row of them.
    pub(super) fn rows(&mut self, insts: &[Inst]) {
        let [width, height, depth] = self.function.workgroup_size();
        let opened = self.open_rows(height, depth);
        let end = if self.level().over == Over::Row { "width".to_owned() } else { format!("{width}u32") };
        let path = self.path(insts);
        let level = if width >= NARROW_STRIP { self.strips(&path.list) } else { None };
        if path.demands.is_empty() && level.is_none() {
            self.code.open(format!("for x in 0..{end} {{"));
            self.lane(insts);
            self.code.close("}");
        } else {
            let strip = level.as_ref().map_or(1, |level| level.over.lanes());
            let all = path.demands.is_empty() && width.is_multiple_of(strip);
            if all {
                self.code.line(format!("let (lo, hi) = (0, {end});"));
            } else {
                self.demand(&path, "0", &end);
                self.code.line("let (lo, hi) = within.range();");
                self.edges(insts, strip, &end);
            }
            self.paths.push(path.clone());
            match level {
                Some(level) => self.in_strips(level, &path.list),
                None => {
                    self.code.open("for x in lo..hi {");
                    self.lane(&path.list);
                    self.code.close("}");
                }
            }
            self.paths.pop();
        }
        for _ in 0..opened {
            self.code.close("}");
        }
    }

    /// Writes the loop over the lanes before the run of neighbours and after it, which is cut to whole strips.
    fn edges(&mut self, insts: &[Inst], strip: u32, end: &str) {
        if strip > 1 {
            self.code.line(format!("let hi = hi.wrapping_sub(hi.wrapping_sub(lo) % {strip});"));
        }
        self.code.open(format!("for (from, to) in [(0, lo), (hi, {end})] {{"));
        self.code.open("for x in from..to {");
        self.lane(insts);
        self.code.close("}");
        self.code.close("}");
    }

    /// Writes a run of a strip.
    pub(super) fn strip(&mut self, width: u32, insts: &[Inst]) {
        let path = self.path(insts);
        let lanes = format!("for i in 0..{width}u32 {{");
        if path.demands.is_empty() {
            self.paths.push(path.clone());
            self.code.open(&lanes);
            self.strip_lane(&path.list);
            self.code.close("}");
            self.paths.pop();
            return;
        }
        self.code.line(format!("let end = xs.wrapping_add({width});"));
        self.demand(&path, "xs", "end");
        self.code.open("if within.is_all(xs, end) {");
        self.paths.push(path.clone());
        self.code.open(&lanes);
        self.strip_lane(&path.list);
        self.code.close("}");
        self.paths.pop();
        self.code.between("} else {");
        self.code.open(&lanes);
        self.strip_lane(insts);
        self.code.close("}");
        self.code.close("}");
    }

    fn strip_lane(&mut self, insts: &[Inst]) {
        self.code.line("let j = i as usize;");
        self.code.line("let x = xs.unchecked_add(i);");
        self.lane(insts);
    }

    /// Opens the loops over all lanes of the level; gives how many braces that are.
    pub(super) fn open_all_lanes(&mut self) -> usize {
        let [width, height, depth] = self.function.workgroup_size();
        let mut opened = 1;
        if let Over::Strip(strip) = self.level().over {
            self.code.open(format!("for i in 0..{strip}u32 {{"));
            self.code.line("let j = i as usize;");
            self.code.line("let x = xs.unchecked_add(i);");
        } else {
            opened += self.open_rows(height, depth);
            self.code.open(format!("for x in 0..{width}u32 {{"));
        }
        self.number_of_lane();
        opened
    }

    /// Opens the loops over y and z.
    fn open_rows(&mut self, height: u32, depth: u32) -> usize {
        let mut opened = 0;
        for (axis, size) in [("z", depth), ("y", height)] {
            if size > 1 {
                self.code.open(format!("for {axis} in 0..{size}u32 {{"));
                opened += 1;
            } else {
                self.code.line(format!("let {axis} = 0u32;"));
            }
        }
        opened
    }

    /// Declares the place of the lane in its workgroup.
    pub(super) fn number_of_lane(&mut self) {
        if self.levels.first().is_some_and(|level| level.over == Over::Group) {
            let before = self.lanes_before_row();
            self.code.line(format!("let l = {before}.unchecked_add(x) as usize;"));
        }
    }

    /// The number of lanes of the workgroup before the row.
    fn lanes_before_row(&self) -> String {
        let [width, height, depth] = self.function.workgroup_size();
        match (height, depth) {
            (1, 1) => "0u32".to_owned(),
            (_, 1) => format!("y.unchecked_mul({width})"),
            _ => format!("z.unchecked_mul({height}).unchecked_add(y).unchecked_mul({width})"),
        }
    }

    /// Writes what a lane does.
    fn lane(&mut self, insts: &[Inst]) {
        let function = self.function;
        self.number_of_lane();
        self.code.open("'lane: {");
        if self.marks_gone {
            self.code.line("if gone[l] != 0 { break 'lane; }");
        }
        if self.counts_rounds(insts) {
            self.code.line("let mut fuel = launch.rounds;");
        }
        self.own_memory(insts);
        self.load_needed(insts);
        let last = function.regions[function.body].insts.last();
        for inst in insts {
            if Some(inst) == last {
                continue;
            }
            let moves = self.moves(*inst);
            let given = self.given();
            if !self.levels.iter().any(|level| level.plan.targets(&given, *inst).is_some()) {
                self.inst(*inst);
                continue;
            }
            let lanes: Vec<Vec<String>> = moves.iter().map(|&(_, value)| self.lanes(value)).collect();
            for ((to, _), lanes) in moves.into_iter().zip(lanes) {
                let lanes: Vec<String> = lanes.into_iter().map(|lane| self.mended_once(to, lane)).collect();
                self.put_outside(to, &lanes);
            }
        }
        self.code.close("}");
    }

    /// Whether an instruction gives what the replaced branch around it has.
    pub(super) fn is_replaced_yield(&self, inst: Inst) -> bool {
        matches!(self.function.insts[inst].kind, InstKind::Yield(_)) && self.replaced_by(inst).is_some()
    }

    /// The replaced branch that an instruction is in itself.
    pub(super) fn replaced_by(&self, inst: Inst) -> Option<Inst> {
        let owner = self.tree.owner(self.tree.parent(inst)?)?;
        self.paths.iter().any(|path| path.replaced.contains(&owner)).then_some(owner)
    }

    // Paths.

    /// The path of neighbouring lanes through instructions.
    fn path(&self, insts: &[Inst]) -> Path {
        let is_there = |value: Value| self.is_there(value);
        let mut finder =
            Finder { given: self.given(), guards: &self.guards, is_there: &is_there, path: Path::default() };
        finder.follow(insts);
        let mut path = finder.path;
        let known = |demand: &(Demand, bool)| self.paths.iter().any(|outer| outer.demands.contains(demand));
        path.demands.retain(|demand| !known(demand));
        path
    }

    /// Whether a value is a variable where a loop over lanes begins.
    fn is_there(&self, value: Value) -> bool {
        let inst = match self.tree.def(value) {
            Def::Constant | Def::Argument(_) => return true,
            Def::Param(inst, _) | Def::Result(inst, _) => inst,
        };
        // The innermost level that knows of it says where it was made.
        self.uniform[value]
            && self.levels.iter().rev().find_map(|level| level.has_before_run(value, inst)).unwrap_or(false)
    }

    /// Writes what the lanes of a path have to pass.
    fn demand(&mut self, path: &Path, from: &str, end: &str) {
        self.code.line(format!("let mut within = n::Within::new({from}, {end});"));
        self.firsts.clear();
        for (demand, only_guarded) in &path.demands {
            let line = self.demanded(path, demand);
            self.code.line(if *only_guarded { format!("if !BARE {{ {line} }}") } else { line });
        }
    }

    fn demanded(&mut self, path: &Path, demand: &Demand) -> String {
        let below = |first: &str, least: &str, end: &str| format!("within.between({first}, {least}, {end});");
        const ALL: &str = "1 << 32";
        match demand {
            Demand::Condition(value, wanted) => {
                let value = self.same(path, *value);
                format!("within.holds({}{value});", if *wanted { "" } else { "!" })
            }
            Demand::Below(number, bound, is) => {
                let (first, bound) = (self.first(path, *number), self.same(path, *bound));
                match is {
                    true => below(&first, "0", &format!("{bound} as u64")),
                    false => below(&first, &format!("{bound} as u64"), ALL),
                }
            }
            Demand::UpTo(number, bound, is) => {
                let (first, bound) = (self.first(path, *number), self.same(path, *bound));
                let next = format!("({bound} as u64).wrapping_add(1)");
                match is {
                    true => below(&first, "0", &next),
                    false => below(&first, &next, ALL),
                }
            }
            Demand::BelowConstant(index, bound) => self.index_below(path, *index, &format!("{bound}u32")),
            Demand::Element(inst, index) => {
                let root = self.function.insts[*inst].kind.place().map_or(Root::Table(0), |place| place.root);
                let len = self.len(root);
                match index {
                    Some(index) => self.index_below(path, *index, &len),
                    None => format!("within.holds({len} > 0);"),
                }
            }
            Demand::Grows(number) => below(&self.first(path, *number), "0", ALL),
        }
    }

    fn index_below(&mut self, path: &Path, index: Value, end: &str) -> String {
        if path.along.get(&index) == Some(&Some(Along::Step)) {
            let first = self.first(path, index);
            return format!("within.between({first}, 0, {end} as u64);");
        }
        let index = self.same(path, index);
        format!("within.holds({index} < {end});")
    }

    /// The name of a value that is the same for all lanes, made before their loop.
    fn same(&mut self, path: &Path, value: Value) -> String {
        let name = self.scalar(value);
        if self.is_there(value) || !self.firsts.insert(value) {
            return name;
        }
        let Def::Result(inst, _) = self.tree.def(value) else { return name };
        let kind = &self.function.insts[inst].kind;
        let mut operands = Vec::new();
        kind.for_each_operand(|operand| operands.push(operand));
        for operand in operands {
            self.same(path, operand);
        }
        let lanes = match kind {
            InstKind::Op(op, args) => self.op(inst, *op, args, value, false),
            InstKind::Builtin(builtin) => vec![self.builtin(*builtin)],
            InstKind::Len(root) => vec![self.len(*root)],
            _ => return name,
        };
        let ty = rust(lane_of(self.function.ty(value)));
        for (name, lane) in self.names(value, 'v').into_iter().zip(lanes) {
            let lane = self.mended_once(value, lane);
            self.code.line(format!("let {name}: {ty} = {lane};"));
        }
        name
    }

    /// The name of what a number that grows is, less the lane's place on x.
    fn first(&mut self, path: &Path, value: Value) -> String {
        let name = format!("f{}", value.index());
        let outer = self.paths.iter().any(|outer| outer.firsts().any(|first| first == value));
        if outer || !self.firsts.insert(value) {
            return name;
        }
        let Def::Result(inst, _) = self.tree.def(value) else { return name };
        let is_step = |value: Value| path.along.get(&value) == Some(&Some(Along::Step));
        let first = match &self.function.insts[inst].kind {
            InstKind::Builtin(Builtin::GlobalIdX) => "ox".to_owned(),
            InstKind::Builtin(Builtin::LocalIndex) => self.lanes_before_row(),
            InstKind::Op(op, args) => {
                let sides: Vec<String> = args
                    .iter()
                    .map(|&arg| if is_step(arg) { self.first(path, arg) } else { self.same(path, arg) })
                    .collect();
                match (op, sides.as_slice()) {
                    (Op::Add, [a, b]) => format!("{a}.wrapping_add({b})"),
                    (Op::Sub, [a, b]) => format!("{a}.wrapping_sub({b})"),
                    _ => literal(crate::types::Scalar::U32, 0),
                }
            }
            _ => literal(crate::types::Scalar::U32, 0),
        };
        self.code.line(format!("let {name}: u32 = {first};"));
        name
    }

    /// A number that is known not to wrap on the path that is being written.
    pub(super) fn grown(&self, value: Value) -> Option<String> {
        let known = self.paths.iter().any(|path| path.firsts().any(|first| first == value));
        known.then(|| format!("f{}.unchecked_add(x)", value.index()))
    }

    // Strips.

    /// The level of strips that a run is executed in, if lanes go through loops together.
    fn strips(&self, insts: &[Inst]) -> Option<Level> {
        let given = self.given();
        let together = collective_of_strip(&given, insts)?;
        let loops = self.tree.insts().iter().filter(|&&inst| together.collective[inst]);
        let carried = loops.filter_map(|&inst| match &self.function.insts[inst].kind {
            InstKind::Loop { body, .. } => {
                let params = self.function.regions[*body].params.iter();
                let lanes = params.filter(|&&param| !self.uniform[param]).map(|&param| {
                    let ty = self.function.ty(param);
                    ty.lanes() * lane_of(ty).size().div_ceil(4) as usize
                });
                Some(lanes.sum::<usize>())
            }
            _ => None,
        });
        let width = if carried.max().unwrap_or(0) > MOST_CARRIED { NARROW_STRIP } else { STRIP };
        let [x, ..] = self.function.workgroup_size();
        let width = if x < width { NARROW_STRIP } else { width };
        Some(Level { over: Over::Strip(width), plan: Plan::of(&given, insts, together), run: 0 })
    }

    /// Writes a run as a loop over strips of lanes.
    fn in_strips(&mut self, level: Level, insts: &[Inst]) {
        let Over::Strip(strip) = level.over else { return };
        self.code.line("let mut xs = lo;");
        self.code.open("while xs < hi {");
        self.code.open("'strip: {");
        let outside = std::mem::take(&mut self.declared);
        let at = self.code.len();
        let homes = self.memory.homes.clone();
        self.levels.push(level);
        self.move_private(insts);
        self.list(insts);
        self.levels.pop();
        self.memory.homes = homes;
        let declared = std::mem::replace(&mut self.declared, outside);
        self.code.insert(at, &arrays(&declared));
        self.arrays.retain(|&(_, letter)| letter != 'w');
        self.code.close("}");
        self.code.line(format!("xs = xs.unchecked_add({strip});"));
        self.code.close("}");
    }

    /// Puts the private memory of a run that outlives a run of the strip side by side.
    fn move_private(&mut self, insts: &[Inst]) {
        let Over::Strip(strip) = self.level().over else { return };
        for root in private_roots(self.function, insts) {
            if self.memory.homes.get(&root) != Some(&Home::Lane) {
                continue;
            }
            let is_access =
                |inst: &&Inst| self.function.insts[**inst].kind.place().is_some_and(|place| place.root == root);
            let plan = &self.level().plan;
            let accesses: Vec<Inst> = self.tree.insts().iter().filter(is_access).copied().collect();
            let accesses = accesses.into_iter().filter(|&inst| plan.run[inst] != 0);
            let mut runs = accesses.clone().map(|inst| plan.run[inst]);
            let first = runs.next();
            let in_loop = accesses
                .clone()
                .any(|inst| self.tree.loops_around(self.function, inst).any(|around| plan.collective[around]));
            if runs.any(|run| Some(run) != first) || in_loop {
                self.memory.homes.insert(root, Home::Strip);
                self.memory_of(root, strip.into());
            }
        }
    }
}
