//! Lanes that meet others whose number differs in some bits: `lane ^ step`.
//!
//! Such a number neither grows along a row nor stays the same. Within a block of as many lanes as the lowest bit of
//! `step` says it grows, and what compares it with the lane's own number is the same. So a row is taken block by block,
//! if the blocks are long enough for vectors.
//!
//! Blocks of 1, 2, 4 or 8 lanes are taken as constants: `step` is a power of two then, and lanes meet only within
//! sixteen neighbours, of which LLVM makes a vector and shuffles it. Sixteen lanes and those they meet have the same
//! numbers in another order, so the tests of a row are those of its lanes' own numbers. Any other row goes lane by lane.
//!
//! This is done for runs that are one branch with arithmetic before it, so that a block whose lanes do not take the
//! branch is passed over.

use super::along::{Along, Demand, Finder, Path};
use super::code::{lane_of, rust};
use super::plan::Kept;
use super::writer::Writer;
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Value};
use crate::ops::{Builtin, Op};
use crate::types::Type;

/// Blocks are a multiple of so many lanes, or they are short.
pub(super) const LANES_OF_BLOCK: u32 = 16;
/// The lanes of short blocks, each of which the text has code for.
const SHORT_BLOCKS: [u32; 4] = [8, 4, 2, 1];
/// The most instructions of lanes that are written for each length of short blocks: a vector's are unrolled.
const MOST_UNROLLED: usize = 48;

impl Finder<'_, '_> {
    /// How a value changes within a block, if blocks are looked for.
    pub(super) fn along_of_block(&mut self, value: Value, op: Op, args: &[Value]) -> Option<Along> {
        let &[a, b] = args else { return None };
        if !self.in_blocks || self.given.function.ty(a) != Type::U32 {
            return None;
        }
        let ordered = if self.is_place(a) { (a, b) } else { (b, a) };
        let (along, number) = match op {
            Op::Xor | Op::And if self.is_place(ordered.0) && self.along(ordered.1) == Some(Along::Same) => {
                let along = if op == Op::Xor { Along::Step } else { Along::Same };
                // A block of lanes for each constant would be short.
                (self.given.function.constant_bits(ordered.1).is_none()).then_some((along, Some(ordered)))?
            }
            // Neither wraps within a block.
            Op::Lt | Op::Le | Op::Gt | Op::Ge if self.is_exact(a) && self.is_exact(b) => (Along::Same, None),
            _ => return None,
        };
        self.path.blocks.extend(number);
        if along == Along::Same {
            self.path.fixed.push(value);
        }
        Some(along)
    }

    /// Whether a value is the lane's place on x.
    fn is_place(&self, value: Value) -> bool {
        let Def::Result(inst, _) = self.given.tree.def(value) else { return false };
        let places = [Builtin::GlobalIdX, Builtin::LocalIdX, Builtin::LocalIndex];
        matches!(&self.given.function.insts[inst].kind, InstKind::Builtin(builtin) if places.contains(builtin))
    }

    /// Whether a value is the lane's place, or differs from it in some bits.
    fn is_exact(&mut self, value: Value) -> bool {
        let Def::Result(inst, _) = self.given.tree.def(value) else { return false };
        let is_exchange = matches!(self.given.function.insts[inst].kind, InstKind::Op(Op::Xor, _));
        self.is_place(value) || is_exchange && self.along(value) == Some(Along::Step)
    }
}

impl Writer<'_> {
    /// Whether a run is one branch that some lanes take and others pass over, with arithmetic before it, and does not
    /// give anything to another run.
    pub(super) fn is_one_branch(&self, insts: &[Inst]) -> bool {
        let function = self.function;
        let mut branches = 0;
        let is_kept = |value: Value| self.levels.iter().any(|level| level.plan.kept[value] != Kept::No);
        let fits = insts.iter().all(|&inst| {
            let def = &function.insts[inst];
            let is_fit = match &def.kind {
                InstKind::Op(..) | InstKind::Builtin(_) | InstKind::Len(_) => branches == 0,
                InstKind::If { otherwise, then, .. } => {
                    branches += 1;
                    let insts = |region| &function.regions[region].insts;
                    let is_flat = |&inst: &Inst| !matches!(function.insts[inst].kind, InstKind::Loop { .. });
                    insts(*otherwise).len() == 1
                        && function.yielded(*otherwise).is_some()
                        && function.yielded(*then).is_some()
                        && insts(*then).iter().all(is_flat)
                }
                kind => {
                    let is_end = function.regions[function.body].insts.last() == Some(&inst);
                    is_end
                        || !matches!(kind, InstKind::Return(_)) && kind.is_terminator() && self.moves(inst).is_empty()
                }
            };
            is_fit && !def.results.iter().any(|&result| is_kept(result))
        });
        fits && branches == 1
    }

    /// Writes a row whose lanes meet others, block by block.
    pub(super) fn blocks(&mut self, path: &Path, insts: &[Inst], end: &str) {
        match self.short_block(path) {
            Some(bits) => {
                self.short_blocks(path, bits, end);
                self.code.open("if !short {");
                self.long_blocks(path, insts, end);
                self.code.close("}");
            }
            None => self.long_blocks(path, insts, end),
        }
    }

    /// What says how long the blocks of a row are, if it alone does and the code for short ones is not too long.
    fn short_block(&self, path: &Path) -> Option<Value> {
        let &(_, bits) = path.blocks.first()?;
        let function = self.function;
        let (mut pending, mut count) = (path.list.clone(), 0);
        while let Some(inst) = pending.pop() {
            count += 1;
            for region in function.insts[inst].kind.regions() {
                pending.extend(&function.regions[region].insts);
            }
        }
        // The tests of a row come before what is the same in a block only.
        let of_row = path.demands.iter().flat_map(|(demand, _)| match *demand {
            Demand::Condition(..) | Demand::Element(_, None) => [None, None],
            Demand::Below(number, bound, _) | Demand::UpTo(number, bound, _) => [Some(number), Some(bound)],
            Demand::BelowConstant(index, _) | Demand::Element(_, Some(index)) => [Some(index), None],
            Demand::Grows(number) | Demand::GrowsWithin(number, ..) => [Some(number), None],
        });
        let is_early = !of_row.flatten().any(|value| self.is_of_block(path, value));
        let is_alike = path.blocks.iter().all(|&(_, other)| other == bits);
        (count <= MOST_UNROLLED && is_alike && is_early).then_some(bits)
    }

    /// Whether a value is computed of what is the same in a block only.
    fn is_of_block(&self, path: &Path, value: Value) -> bool {
        let (mut pending, mut seen) = (vec![value], std::collections::BTreeSet::new());
        while let Some(value) = pending.pop() {
            if path.fixed.contains(&value) {
                return true;
            }
            if let Some((_, args)) = self.tree.op(self.function, value)
                && seen.insert(value)
            {
                pending.extend(args);
            }
        }
        false
    }

    /// Writes a row of short blocks, and says in `short` whether it was one. A row begins with a multiple of its length,
    /// which is one of sixteen.
    fn short_blocks(&mut self, path: &Path, bits: Value, end: &str) {
        self.firsts.clear();
        for &(place, _) in &path.blocks {
            self.first(path, place);
        }
        let flip = self.same(bits);
        let outside = self.firsts.clone();
        self.code.open("let short = {");
        self.code.line(format!("let mut within = n::Within::new(0, {end});"));
        self.code.line(format!("let (start, {}) = (0u32, 0u32);", flip_of(bits)));
        for (demand, only_guarded) in &path.demands {
            if !matches!(demand, Demand::Condition(..)) {
                let line = self.demanded(path, demand);
                self.code.line(if *only_guarded { format!("if !BARE {{ {line} }}") } else { line });
            }
        }
        let sizes = SHORT_BLOCKS.map(|size| size.to_string()).join(" | ");
        self.code.line(format!("within.is_all(0, {end}) && matches!({flip}, {sizes})"));
        self.code.close("};");
        self.code.open(format!("match if short {{ {flip} }} else {{ 0 }} {{"));
        for size in SHORT_BLOCKS {
            self.firsts.clone_from(&outside);
            self.code.open(format!("{size} => {{"));
            self.code.line(format!("let {} = {size}u32;", flip_of(bits)));
            self.code.open(format!("for sixteen in 0..{end} / {LANES_OF_BLOCK} {{"));
            self.code.line("n::round();");
            // Half of the blocks of a pair are passed over, which is seen at compile time.
            self.code.open(format!("for pair in 0..{}u32 {{", LANES_OF_BLOCK / 2 / size));
            self.code.open("for half in 0..2u32 {");
            self.code.line(format!(
                "let start = sixteen.unchecked_mul({LANES_OF_BLOCK}).unchecked_add(pair.unchecked_mul({})).unchecked_add(half.unchecked_mul({size}));",
                2 * size
            ));
            for value in path.firsts().collect::<Vec<Value>>() {
                self.first(path, value);
            }
            for &value in &path.fixed {
                self.fixed(path, value);
            }
            for (demand, _) in &path.demands {
                if let Demand::Condition(value, wanted) = demand {
                    let (value, not) = (self.same(*value), if *wanted { "!" } else { "" });
                    self.code.line(format!("if {not}{value} {{ continue; }}"));
                }
            }
            self.count_from(path, "start");
            self.block(path, &format!("{size}u32"));
            for _ in 0..3 {
                self.code.close("}");
            }
            self.code.close("}");
        }
        self.code.line("_ => {}");
        self.code.close("}");
    }

    /// Writes the loop over the lanes of a block, from `start` on.
    fn block(&mut self, path: &Path, count: &str) {
        self.paths.push(path.clone());
        self.code.open(format!("for i in 0..{count} {{"));
        self.code.line("let x = start.unchecked_add(i);");
        self.lane(&path.list);
        self.code.close("}");
        self.paths.pop();
    }

    fn long_blocks(&mut self, path: &Path, insts: &[Inst], end: &str) {
        self.code.line("let mut start = 0u32;");
        self.code.open(format!("while start < {end} {{"));
        self.code.line(format!("let mut within = n::Within::new(start, {end});"));
        self.firsts.clear();
        let mut long = vec!["true".to_owned()];
        for &(place, bits) in &path.blocks {
            let (first, flip) = (self.first(path, place), self.same(bits));
            self.code.line(format!("let {} = {flip};", flip_of(bits)));
            long.push(format!("within.block({first}, {flip}, {LANES_OF_BLOCK})"));
        }
        self.code.line(format!("let long = {};", long.join(" & ")));
        self.code.line(format!("let to = if long {{ within.range().1 }} else {{ {end} }};"));
        self.code.open("if long {");
        for &value in &path.fixed {
            self.fixed(path, value);
        }
        for (demand, only_guarded) in &path.demands {
            if let Demand::Condition(value, wanted) = demand {
                let value = self.same(*value);
                let not = if *wanted { "!" } else { "" };
                self.code.line(format!("if {not}{value} {{ start = to; continue; }}"));
                continue;
            }
            let line = self.demanded(path, demand);
            self.code.line(if *only_guarded { format!("if !BARE {{ {line} }}") } else { line });
        }
        self.code.open("if within.is_all(start, to) {");
        self.count_from(path, "start");
        self.code.line("let count = to.wrapping_sub(start);");
        self.block(path, "count");
        self.code.line("start = to;");
        self.code.line("continue;");
        self.code.close("}");
        self.code.close("}");
        self.code.open("for x in start..to {");
        self.code.line("n::round();");
        self.lane(insts);
        self.code.close("}");
        self.code.line("start = to;");
        self.code.close("}");
    }

    /// Writes what a number of a block is at the first lane that is left, less that lane's place; the text of its first
    /// lane on x is given.
    pub(super) fn first_of_block(&mut self, path: &Path, args: &[Value]) -> Option<String> {
        let &[a, b] = args else { return None };
        let &(place, bits) = path.blocks.iter().find(|&&pair| pair == (a, b) || pair == (b, a))?;
        let first = self.first(path, place);
        Some(format!("({first}.wrapping_add(start) ^ {}).wrapping_sub(start)", flip_of(bits)))
    }

    /// Whether a value was made before the loop over the lanes of a block.
    pub(super) fn is_fixed(&self, value: Value) -> bool {
        self.paths.iter().any(|path| path.fixed.contains(&value))
    }

    /// Writes what is the same in a block only, before the loop over its lanes.
    fn fixed(&mut self, path: &Path, value: Value) {
        let Def::Result(inst, _) = self.tree.def(value) else { return };
        let function = self.function;
        let InstKind::Op(op, args) = &function.insts[inst].kind else { return };
        let at = |writer: &mut Self, arg: Value| match path.along.get(&arg) {
            Some(Some(Along::Step)) => format!("{}.wrapping_add(start)", writer.first(path, arg)),
            _ => writer.same(arg),
        };
        let args: Vec<String> = args.iter().map(|&arg| at(self, arg)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let lane = super::op::lane(*op, crate::types::Scalar::U32, &args, false);
        let (name, ty) = (self.scalar(value), rust(lane_of(self.function.ty(value))));
        self.code.line(format!("let {name}: {ty} = {lane};"));
        self.firsts.insert(value);
    }
}

/// The name of the bits in which the lanes of a block differ from those they meet.
fn flip_of(bits: Value) -> String {
    format!("flip{}", bits.index())
}
