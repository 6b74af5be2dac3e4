//! Loops over lanes.
//!
//! A run is a loop over x in loops over y and z. The neighbours on x that certainly take the same path and need no
//! tests have a loop of their own, between two loops for the others. If the run has loops that all lanes leave in the
//! same round, the lanes of a strip go through these together: a round of the outer loop is then a loop over a few
//! lanes, which becomes some instructions on vectors, and what each lane has summed up stays in registers.

use super::along::{Along, Cut, Demand, Finder, MOST_BYTES, Path};
use super::blocks::LANES_OF_BLOCK;
use super::code::{lane_of, literal, rust};
use super::collective::arrays;
use super::memory::{Home, private_roots};
use super::plan::{Kept, Plan, collective_of_strip};
use super::writer::{Level, Over, Writer};
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Root, Value};
use crate::ops::{Builtin, Op};
use crate::types::Type;

/// The most lanes of a strip. Longer loops are better vectors, and read memory in order, as long as what the lanes carry
/// fits the first cache.
const MOST_LANES: u32 = 512;
/// The most lanes of a strip that goes on from a workgroup to the next ones of its row.
const MOST_OF_ROW: u32 = 128;
/// The words that a strip of more lanes than that keeps from run to run at most.
const MOST_KEPT: u32 = 4096;
/// The words that a strip's loops carry at most.
const MOST_CARRIED: u32 = 512;
/// The most lanes of a strip in whose loops lanes compute in vain.
const MOST_IN_VAIN: u32 = 64;
/// The bytes of private memory that the lanes of a strip have at most.
const MOST_PRIVATE: u32 = 64 << 10;
/// The fewest lanes of a strip.
const FEWEST_LANES: u32 = 2;
/// Rows of fewer lanes are too short for vectors.
const SHORTEST_ROW: u32 = 4;
/// Rows of so many lanes are taken as a whole or lane by lane.
const SHORT_ROW: u32 = 32;

impl Writer<'_> {
    /// Writes a run of a workgroup or of a row of them.
    pub(super) fn rows(&mut self, insts: &[Inst]) {
        let [width, height, depth] = self.function.workgroup_size();
        let opened = self.open_rows(height, depth);
        let in_group = self.level().over == Over::Group;
        let end = if in_group { format!("{width}u32") } else { "width".to_owned() };
        let mut path = self.path(insts, false);
        if path.moves_apart && width.is_multiple_of(LANES_OF_BLOCK) && self.is_one_branch(insts) {
            let of_block = self.path(insts, true);
            if !of_block.blocks.is_empty() && !of_block.replaced.is_empty() && !of_block.moves_apart {
                path = of_block;
            }
        }
        // Strips that do not begin with the row are short, so that few lanes are left over.
        let is_whole = in_group && (path.demands.is_empty() || path.replaced.is_empty());
        let longest = if is_whole { width } else { width.min(MOST_OF_ROW) };
        let level = if width >= FEWEST_LANES { self.strips(&path.list, longest) } else { None };
        let strip = level.as_ref().map_or(1, |level| level.over.lanes());
        let fits = width.is_multiple_of(strip);
        if !path.blocks.is_empty() {
            self.blocks(&path, insts, &end);
        } else if path.demands.is_empty() && level.is_none() && self.single(&path).is_some() {
            self.code.line(format!("let (lo, count) = (0u32, {end});"));
            self.neighbours(&path, None);
        } else if path.demands.is_empty() && level.is_none() {
            self.code.open(format!("for x in 0..{end} {{"));
            self.one_by_one(path.moves_apart);
            self.lane(insts);
            self.code.close("}");
        } else if path.demands.is_empty() && fits {
            self.code.line(format!("let (lo, count) = (0u32, {end});"));
            self.neighbours(&path, level);
        } else if in_group && fits && (width <= SHORT_ROW || path.replaced.is_empty()) {
            // How many lanes a whole row has is known.
            self.demand(&path, "0", &end);
            self.code.open(format!("if within.is_all(0, {end}) {{"));
            self.code.line(format!("let (lo, count) = (0u32, {end});"));
            self.neighbours(&path, level);
            self.code.between("} else {");
            self.code.open(format!("for x in 0..{end} {{"));
            self.lane(insts);
            self.code.close("}");
            self.code.close("}");
        } else {
            self.demand(&path, "0", &end);
            self.code.line("let (lo, hi) = within.range();");
            if strip > 1 {
                self.code.line(format!("let hi = hi.wrapping_sub(hi.wrapping_sub(lo) % {strip});"));
            }
            self.code.open(format!("for (from, to) in [(0, lo), (hi, {end})] {{"));
            self.code.open("for x in from..to {");
            self.lane(insts);
            self.code.close("}");
            self.code.close("}");
            self.code.line("let count = hi.wrapping_sub(lo);");
            // From here on lanes count from the first of the neighbours: what comes before it may wrap.
            self.count_from(&path, "lo");
            // Most strips of a row of workgroups are longer than a narrow workgroup.
            let longer = if in_group || level.is_none() { None } else { self.strips(&path.list, MOST_OF_ROW) };
            if let Some(longer) = longer.filter(|longer| longer.over.lanes() > strip) {
                self.together = self.together.max(longer.over.lanes() / width);
                self.code.line("let all = count;");
                self.code.line(format!("let count = all.wrapping_sub(all % {});", longer.over.lanes()));
                self.neighbours(&path, Some(longer));
                self.code.line("let lo = lo.wrapping_add(count);");
                self.count_from(&path, "count");
                self.code.line("let count = all.wrapping_sub(count);");
            }
            self.neighbours(&path, level);
        }
        for _ in 0..opened {
            self.code.close("}");
        }
    }

    /// Lets the numbers that grow be those of a later lane.
    pub(super) fn count_from(&mut self, path: &Path, lane: &str) {
        let firsts: Vec<Value> = path.firsts().collect();
        for (i, first) in firsts.iter().enumerate() {
            if !firsts[..i].contains(first) {
                let name = format!("f{}", first.index());
                self.code.line(format!("let {name} = {name}.wrapping_add({lane});"));
            }
        }
    }

    /// Writes the loop over the `count` neighbours from `lo` on that are on a path.
    fn neighbours(&mut self, path: &Path, level: Option<Level>) {
        self.paths.push(path.clone());
        match level {
            Some(level) => self.in_strips(level, path),
            None => match self.single(path) {
                Some(single) => self.all_and_one(path, &single),
                None => {
                    let whole = vec![(path.list.clone(), path.moves_apart)];
                    let parts = if self.computes_once(path) { whole } else { path.parts(self.function) };
                    for (list, moves_apart) in parts {
                        self.code.open("for i in 0..count {");
                        self.one_by_one(moves_apart);
                        self.code.line("let x = lo.unchecked_add(i);");
                        self.lane(&list);
                        self.code.close("}");
                    }
                }
            },
        }
        self.paths.pop();
    }

    /// Writes a run of a strip.
    pub(super) fn strip(&mut self, width: u32, insts: &[Inst]) {
        let path = self.path(insts, false);
        let lanes = format!("for i in 0..{width}u32 {{");
        if !path.demands.is_empty() {
            self.demand(&path, "0", &width.to_string());
            self.code.open(format!("if within.is_all(0, {width}) {{"));
        }
        self.paths.push(path.clone());
        self.code.open(&lanes);
        self.one_by_one(path.moves_apart);
        self.strip_lane(&path.list);
        self.code.close("}");
        self.paths.pop();
        if !path.demands.is_empty() {
            self.code.between("} else {");
            self.code.open(&lanes);
            self.strip_lane(insts);
            self.code.close("}");
            self.code.close("}");
        }
    }

    /// Keeps a loop over lanes from becoming vectors that would be of no use.
    pub(super) fn one_by_one(&mut self, moves_apart: bool) {
        if moves_apart {
            self.code.line("n::round();");
        }
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
        let [width, ..] = self.function.workgroup_size();
        let mut opened = 0;
        for (axis, size) in [("z", depth), ("y", height)] {
            if size > 1 {
                self.code.open(format!("for {axis} in 0..{size}u32 {{"));
                opened += 1;
                // LLVM unrolls the loop over a short row, and would make vectors of lanes above each other, by gathers.
                self.one_by_one(self.level().over == Over::Group && width >= SHORTEST_ROW);
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

    /// What a value is if it is the rest or the quotient of a lane's number by a multiple of the length of a row.
    /// Rows begin with multiples of their length, so the rest grows along the row and the quotient stays the same.
    pub(super) fn cut(&self, value: Value) -> Option<Cut> {
        let Def::Result(inst, _) = self.tree.def(value) else { return None };
        let InstKind::Op(op, args) = &self.function.insts[inst].kind else { return None };
        let (&[number, by], Type::U32) = (args.as_slice(), self.function.ty(value)) else { return None };
        // What is the same for all lanes may be computed where there are no rows.
        if self.uniform[value] {
            return None;
        }
        let by = self.function.constant_bits(by).and_then(|bits| u32::try_from(bits).ok())?;
        let [width, ..] = self.function.workgroup_size();
        let (sign, steps, multiple) = match op {
            Op::Rem => ("%", true, by),
            Op::Div => ("/", false, by),
            Op::And => ("&", true, by.checked_add(1).filter(|end| end.is_power_of_two())?),
            Op::Shr => (">>", false, 1u32.checked_shl(by)?),
            _ => return None,
        };
        if multiple == 0 || !multiple.is_multiple_of(width) {
            return None;
        }
        let first = self.first_of_row(number)?;
        Some(Cut { first: format!("({first} {sign} {by}u32)"), steps })
    }

    /// A number of the first lane of a row, if it is a multiple of the length of the row and grows along it.
    fn first_of_row(&self, number: Value) -> Option<String> {
        if self.levels.first().is_none_or(|level| level.over != Over::Group) {
            return None;
        }
        let Def::Result(inst, _) = self.tree.def(number) else { return None };
        match self.function.insts[inst].kind {
            InstKind::Builtin(Builtin::GlobalIdX) => Some("ox".to_owned()),
            InstKind::Builtin(Builtin::LocalIndex) => Some(self.lanes_before_row()),
            InstKind::Builtin(Builtin::LocalIdX) => Some("0u32".to_owned()),
            _ => self.cut(number).filter(|cut| cut.steps).map(|cut| cut.first),
        }
    }

    /// The number of lanes of the workgroup before the row.
    pub(super) fn lanes_before_row(&self) -> String {
        let [width, height, depth] = self.function.workgroup_size();
        match (height, depth) {
            (1, 1) => "0u32".to_owned(),
            (_, 1) => format!("y.unchecked_mul({width})"),
            _ => format!("z.unchecked_mul({height}).unchecked_add(y).unchecked_mul({width})"),
        }
    }

    /// Writes what a lane does.
    pub(super) fn lane(&mut self, insts: &[Inst]) {
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
            let ends =
                |level: &Level| level.plan.targets(&given, *inst).is_some() && level.plan.is_of_all(&given, *inst);
            if !self.levels.iter().any(ends) {
                self.inst(*inst);
                if self.diverges(*inst) {
                    break;
                }
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

    /// The path of neighbouring lanes through instructions; of a block of lanes if that is asked for and makes sense.
    fn path(&self, insts: &[Inst], in_blocks: bool) -> Path {
        let is_there = |value: Value| self.is_there(value);
        let cut = |value: Value| self.cut(value);
        let mut finder = Finder {
            given: self.given(),
            guards: &self.guards,
            is_there: &is_there,
            cut: &cut,
            all_come: !self.marks_gone,
            in_blocks,
            path: Path::default(),
        };
        finder.follow(insts);
        finder.judge_moves();
        let mut path = finder.path;
        let known = |demand: &(Demand, bool)| self.paths.iter().any(|outer| outer.demands.contains(demand));
        path.demands.retain(|demand| !known(demand));
        path
    }

    /// Whether a value is a variable where a loop over lanes begins.
    pub(super) fn is_there(&self, value: Value) -> bool {
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

    pub(super) fn demanded(&mut self, path: &Path, demand: &Demand) -> String {
        let below = |first: &str, least: &str, end: &str| format!("within.between({first}, {least}, {end});");
        const ALL: &str = "1 << 32";
        match demand {
            Demand::Condition(value, wanted) => {
                let value = self.same(*value);
                format!("within.holds({}{value});", if *wanted { "" } else { "!" })
            }
            Demand::Below(number, bound, is) => {
                let (first, bound) = (self.first(path, *number), self.same(*bound));
                match is {
                    true => below(&first, "0", &format!("{bound} as u64")),
                    false => below(&first, &format!("{bound} as u64"), ALL),
                }
            }
            Demand::UpTo(number, bound, is) => {
                let (first, bound) = (self.first(path, *number), self.same(*bound));
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
            Demand::GrowsWithin(number, root, bare) => {
                let wraps = below(&self.first(path, *number), "0", ALL);
                let huge = format!("{} > {}", self.len(*root), MOST_BYTES / self.element(*root));
                format!("if {}{huge} {{ {wraps} }}", if *bare { "!BARE || " } else { "" })
            }
        }
    }

    fn index_below(&mut self, path: &Path, index: Value, end: &str) -> String {
        if path.along.get(&index) == Some(&Some(Along::Step)) {
            let first = self.first(path, index);
            return format!("within.between({first}, 0, {end} as u64);");
        }
        let index = self.same(index);
        format!("within.holds({index} < {end});")
    }

    /// The name of a value that is the same for all lanes, made before their loop.
    pub(super) fn same(&mut self, value: Value) -> String {
        let name = self.scalar(value);
        if self.is_there(value) || !self.firsts.insert(value) {
            return name;
        }
        let Def::Result(inst, _) = self.tree.def(value) else { return name };
        let kind = &self.function.insts[inst].kind;
        let mut operands = Vec::new();
        if self.cut(value).is_none() {
            kind.for_each_operand(|operand| operands.push(operand));
        }
        for operand in operands {
            self.same(operand);
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
    pub(super) fn first(&mut self, path: &Path, value: Value) -> String {
        let name = format!("f{}", value.index());
        let outer = self.paths.iter().any(|outer| outer.firsts().any(|first| first == value));
        if outer || !self.firsts.insert(value) {
            return name;
        }
        let Def::Result(inst, _) = self.tree.def(value) else { return name };
        let is_step = |value: Value| path.along.get(&value) == Some(&Some(Along::Step));
        // In a strip, lanes count from its first one.
        let here = |first: &str| match self.level().over {
            Over::Strip(_) => format!("{first}.wrapping_add(xs)"),
            Over::Group | Over::Row => first.to_owned(),
        };
        let first = match &self.function.insts[inst].kind {
            _ if let Some(cut) = self.cut(value) => here(&cut.first),
            InstKind::Builtin(Builtin::GlobalIdX) => here("ox"),
            InstKind::Builtin(Builtin::LocalIndex) => here(&self.lanes_before_row()),
            InstKind::Builtin(_) => here("0u32"),
            InstKind::Op(Op::Xor, args) => self.first_of_block(path, args).unwrap_or_default(),
            InstKind::Op(op, args) => {
                let sides: Vec<String> =
                    args.iter().map(|&arg| if is_step(arg) { self.first(path, arg) } else { self.same(arg) }).collect();
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
        known.then(|| format!("f{}.unchecked_add(i)", value.index()))
    }

    // Strips.

    /// The level of strips that a run is executed in, if lanes go through loops together; of so many lanes at most.
    fn strips(&self, insts: &[Inst], longest: u32) -> Option<Level> {
        // Lanes that are gone would have to be kept out of each loop.
        if self.marks_gone {
            return None;
        }
        let given = self.given();
        let together = collective_of_strip(&given, insts)?;
        let words = |value: Value| {
            let ty = self.function.ty(value);
            ty.lanes() as u32 * lane_of(ty).size().div_ceil(4)
        };
        let loops = self.tree.insts().iter().filter(|&&inst| together.collective[inst]);
        let carried = loops.filter_map(|&inst| match &self.function.insts[inst].kind {
            InstKind::Loop { body, .. } => {
                let params = self.function.regions[*body].params.iter();
                Some(params.filter(|&&param| !self.uniform[param]).map(|&param| words(param)).sum::<u32>())
            }
            _ => None,
        });
        let carried = carried.max().unwrap_or(0).max(1);
        let in_vain = self.tree.insts().iter().any(|&inst| together.masked[inst]);
        let plan = Plan::of(&given, insts, together);
        let results = self.tree.insts().iter().flat_map(|&inst| &self.function.insts[inst].results);
        let kept: u32 = results.filter(|&&value| plan.kept[value] == Kept::Lanes).map(|&value| words(value)).sum();
        let most = match in_vain {
            true => MOST_IN_VAIN,
            false => MOST_KEPT.checked_div(kept).unwrap_or(MOST_LANES).clamp(MOST_OF_ROW, MOST_LANES),
        };
        let fit = (MOST_CARRIED / carried).max(FEWEST_LANES).min(most);
        let private: u32 = private_roots(self.function, insts).into_iter().map(|root| self.private_bytes(root)).sum();
        let room = MOST_PRIVATE.checked_div(private).unwrap_or(u32::MAX);
        let width = 1 << fit.min(longest).min(room).max(1).ilog2();
        if width < FEWEST_LANES {
            return None;
        }
        Some(Level { over: Over::Strip(width), plan, run: 0 })
    }

    /// Writes a run as a loop over strips of lanes.
    fn in_strips(&mut self, level: Level, path: &Path) {
        let Over::Strip(strip) = level.over else { return };
        let insts = &path.list;
        self.code.line("let mut done = 0u32;");
        self.code.open("while done < count {");
        self.code.line("let xs = lo.unchecked_add(done);");
        self.count_from(path, "done");
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
        self.code.line(format!("done = done.unchecked_add({strip});"));
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
