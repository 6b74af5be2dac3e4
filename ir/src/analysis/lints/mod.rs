//! What is known to make a kernel slow on GPUs, and what helps.
//!
//! Each finding is a hint: the kernel is right, and may be quick enough. The rules are those of
//! all GPUs: memory comes in sectors of 32 bytes, workgroup memory has 32 banks of 4 bytes,
//! atomics on one place wait for each other. Of an access whose index comes from memory nothing
//! is said, since its places are not known.
//!
//! A finding is about the source, so an access that passes copied is reported once.

mod lanes;

use super::barriers::order_anything;
use super::facts::{Facts, Rounds, Verdict};
use super::report::{access, reason};
use super::tree::Tree;
use crate::diag::{Code, Diag, Diags, count};
use crate::ir::{Function, Inst, InstKind, Place, Region, Root, Value};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Op, SubgroupOp};
use crate::types::{Scalar, Type, Types};
use lanes::{Lanes, Numbers};
use std::collections::BTreeSet;

/// Bytes that memory brings at once.
const SECTOR: i64 = 32;

/// Banks of workgroup memory, and the bytes of a word of one.
const BANKS: i64 = 32;
const WORD: i64 = 4;

/// So many times the sectors that are needed are worth a word.
const TOO_MANY: usize = 4;

/// What hints are about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lint {
    /// Neighbours in a subgroup are not neighbours in memory.
    Strides,
    /// Lanes of a subgroup want words of one bank of workgroup memory.
    Banks,
    /// An atomic that all lanes of a subgroup do to one place.
    Contention,
    /// A barrier that orders nothing.
    Barriers,
    /// A guard inside of a loop.
    Guards,
    /// A loop that is not known to end, and so counts its rounds.
    Loops,
    /// Arithmetic on `f64`.
    Doubles,
}

impl Lint {
    /// All of them.
    pub const ALL: &[Self] =
        &[Self::Strides, Self::Banks, Self::Contention, Self::Barriers, Self::Guards, Self::Loops, Self::Doubles];

    /// The name in `#[kernel(warn(…))]`.
    ///
    /// ```
    /// use samebits_ir::analysis::lints::Lint;
    /// assert_eq!(Lint::Banks.name(), "banks");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strides => "strides",
            Self::Banks => "banks",
            Self::Contention => "contention",
            Self::Barriers => "barriers",
            Self::Guards => "guards",
            Self::Loops => "loops",
            Self::Doubles => "doubles",
        }
    }

    /// The code of its warnings.
    pub const fn code(self) -> Code {
        match self {
            Self::Strides => Code::V320,
            Self::Banks => Code::V321,
            Self::Contention => Code::V322,
            Self::Barriers => Code::V323,
            Self::Guards => Code::V304,
            Self::Loops => Code::V324,
            Self::Doubles => Code::V325,
        }
    }
}

/// What is worth a word about an optimised kernel.
///
/// ```
/// use samebits_ir::{analysis::lints::{Lint, lints}, check::check, text::parse};
/// let text = "func kernel workgroup_size(64, 1, 1) @column(@x: [f32], @y: mut [f32]) {
///     %i = global_id.x
///     %at = mul %i, 1024u32
///     %v = load f32 @x[%at]
///     store @y[%i], %v
///     ret
/// }";
/// let checked = check(parse(text).map_err(|_| "not text")?).map_err(|_| "not a kernel")?;
/// let (function, _) = checked.function(0).ok_or("the kernel")?;
/// let found = lints(&checked.module().types, function, Lint::ALL);
/// let [hint] = found.as_slice() else { return Err("one hint") };
/// assert_eq!(hint.message, "neighbours load from `x` 4096 bytes apart");
/// # Ok::<(), &str>(())
/// ```
pub fn lints(types: &Types, function: &Function, about: &[Lint]) -> Diags {
    let tree = Tree::of(function);
    let mut search = Search {
        types,
        function,
        numbers: Numbers::new(function, &tree),
        tree: &tree,
        about,
        active: [true; 32],
        known: BTreeSet::new(),
        diags: Diags::new(),
    };
    if function.is_kernel() {
        search.region(function.body);
        search.guards_and_loops();
        search.barriers();
        search.doubles();
    }
    search.diags
}

struct Search<'a> {
    types: &'a Types,
    function: &'a Function,
    tree: &'a Tree,
    numbers: Numbers<'a>,
    about: &'a [Lint],
    /// The lanes that may be here.
    active: [bool; 32],
    /// What was said of which place.
    known: BTreeSet<(Lint, Option<u32>)>,
    diags: Diags,
}

impl Search<'_> {
    fn say(&mut self, lint: Lint, loc: Loc, message: impl Into<String>, note: Option<(Loc, String)>, help: &str) {
        if !self.about.contains(&lint) || !self.known.insert((lint, loc.index())) {
            return;
        }
        let mut diag = Diag::warning(lint.code(), loc, message).help(help);
        diag.labels.extend(note);
        self.diags.push(diag);
    }

    fn region(&mut self, region: Region) {
        for &inst in &self.function.regions[region].insts {
            match &self.function.insts[inst].kind {
                InstKind::If { condition, then, otherwise } => {
                    for (region, wanted) in [(*then, true), (*otherwise, false)] {
                        let before = self.active;
                        self.narrow(*condition, wanted);
                        self.region(region);
                        self.active = before;
                    }
                }
                kind => {
                    self.access(inst, kind);
                    for inner in kind.regions() {
                        self.region(inner);
                    }
                }
            }
        }
    }

    /// Leaves those lanes that may go this way.
    fn narrow(&mut self, condition: Value, wanted: bool) {
        if let Some(inst) = self.tree.inst_of(condition)
            && let InstKind::Subgroup(SubgroupOp::Elect, _) = self.function.insts[inst].kind
        {
            self.active = std::array::from_fn(|lane| self.active[lane] && (lane == 0) == wanted);
            return;
        }
        match self.tree.op(self.function, condition) {
            Some((Op::And, &[a, b])) if wanted => {
                self.narrow(a, true);
                self.narrow(b, true);
            }
            Some((Op::Not, &[a])) => self.narrow(a, !wanted),
            _ => {
                let may = self.numbers.may_pass(condition, wanted);
                self.active = std::array::from_fn(|lane| self.active[lane] && may[lane]);
            }
        }
    }

    fn access(&mut self, inst: Inst, kind: &InstKind) {
        let Some(place) = kind.place().filter(|place| !self.function.is_messages(place.root)) else { return };
        let Some(size) = self.function.accessed(inst).and_then(|ty| self.types.layout(ty)) else { return };
        let size = i64::from(size.size);
        let offsets = match self.offsets(place) {
            Ok(offsets) => offsets,
            Err(by) => {
                if let (Some(by), Root::Param(_)) = (by, place.root) {
                    self.apart_by(inst, place, by);
                }
                return;
            }
        };
        let lanes = (0..self.numbers.lanes()).filter(|&lane| self.active[lane]);
        let offsets: Vec<i64> = lanes.map(|lane| offsets[lane]).collect();
        let Some(&least) = offsets.iter().min() else { return };
        let mut places: Vec<i64> = offsets.iter().map(|offset| offset.saturating_sub(least)).collect();
        places.sort_unstable();
        places.dedup();
        if let InstKind::Atomic(op, ..) = kind {
            self.contention(inst, place, *op, places.len(), offsets.len());
        } else if let Root::Param(_) = place.root {
            self.strides(inst, place, &places, size);
        } else if let Root::Shared(_) = place.root {
            self.banks(inst, place, &places, size);
        }
    }

    /// The offset in bytes of each lane's place from a base that all share; else what the launch
    /// decides how far lanes are apart, if it does.
    fn offsets(&mut self, place: &Place) -> Result<[i64; 32], Option<Value>> {
        let mut sum = [0i64; 32];
        for index in &place.indices {
            match self.numbers.of(index.value) {
                Lanes::Any => return Err(None),
                Lanes::Apart(by) => return Err(Some(by)),
                Lanes::Offsets(_, offsets) => {
                    for (sum, offset) in sum.iter_mut().zip(offsets.iter()) {
                        *sum = sum.saturating_add(offset.saturating_mul(index.stride.into()));
                    }
                }
            }
        }
        Ok(sum)
    }

    /// How an access is said: "load from `x`" as something that neighbours do.
    fn doing(&self, inst: Inst, place: &Place) -> String {
        access(self.function, inst, place)
    }

    fn apart_by(&mut self, inst: Inst, place: &Place, by: Value) {
        if self.active.iter().filter(|is| **is).count() < 8 {
            return;
        }
        let name = match (&self.function.values[by].name, self.tree.inst_of(by)) {
            (Some(name), _) => format!("`{name}`"),
            (None, Some(inst)) => match self.function.insts[inst].kind {
                InstKind::Len(root) => format!("`{}.len()`", self.function.root_name(root)),
                _ => "a number that all share".to_owned(),
            },
            (None, None) => "a number that all share".to_owned(),
        };
        let what = self.doing(inst, place);
        let message = format!("neighbours {what} a multiple of {name} apart");
        self.scattered(inst, message, None);
    }

    fn strides(&mut self, inst: Inst, place: &Place, places: &[i64], size: i64) {
        let mut sectors: Vec<i64> =
            places.iter().flat_map(|place| place / SECTOR..=place.saturating_add(size - 1) / SECTOR).collect();
        sectors.sort_unstable();
        sectors.dedup();
        let needed = (places.len() as u64 * size.unsigned_abs()).div_ceil(SECTOR.unsigned_abs()).max(1) as usize;
        let [first, second, ..] = *places else { return };
        if sectors.len() < 8 || sectors.len() < TOO_MANY * needed {
            return;
        }
        let what = self.doing(inst, place);
        let message = format!("neighbours {what} {} bytes apart", second - first);
        let note = format!("a subgroup takes {} of 32 bytes where {needed} would do", count(sectors.len(), "sector"));
        self.scattered(inst, message, Some((Loc::NONE, note)));
    }

    fn scattered(&mut self, inst: Inst, message: String, note: Option<(Loc, String)>) {
        let help = "let `global_id().x` be the last index, so that neighbours access neighbouring elements; \
                    or go through workgroup memory";
        self.say(Lint::Strides, self.function.insts[inst].loc, message, note, help);
    }

    fn banks(&mut self, inst: Inst, place: &Place, places: &[i64], size: i64) {
        // Wider elements are taken a part of the subgroup at a time.
        let together = (BANKS * WORD / size.max(WORD)).max(1) as usize;
        let mut worst = 0;
        for part in places.chunks(together) {
            let mut words: Vec<i64> = part.iter().map(|place| place / WORD).collect();
            words.dedup();
            let in_bank = |bank: i64| words.iter().filter(|&&word| word % BANKS == bank).count();
            worst = worst.max((0..BANKS).map(in_bank).max().unwrap_or(0));
        }
        if worst < TOO_MANY {
            return;
        }
        let what = self.doing(inst, place);
        let message = format!("{worst} lanes {what} in one bank of workgroup memory, one after the other");
        let help = "let the lanes step by an odd number of words, as by rows of `[[f32; 33]; 32]` instead of `[[f32; 32]; 32]`, or access neighbouring elements";
        self.say(Lint::Banks, self.function.insts[inst].loc, message, None, help);
    }

    fn contention(&mut self, inst: Inst, place: &Place, op: AtomicOp, places: usize, lanes: usize) {
        let help = match op {
            AtomicOp::Add => "add up with `subgroup_add`, and let `subgroup_elect()` do the atomic",
            AtomicOp::Min => "take the minimum with `subgroup_min`, and let `subgroup_elect()` do the atomic",
            AtomicOp::Max => "take the maximum with `subgroup_max`, and let `subgroup_elect()` do the atomic",
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => {
                "combine the values with the subgroup operation of that name, and let `subgroup_elect()` do the atomic"
            }
            _ => return,
        };
        if places != 1 || lanes < 8 {
            return;
        }
        let what = self.doing(inst, place);
        let message = format!("{what}: the lanes of a subgroup do it to one place, one after the other");
        self.say(Lint::Contention, self.function.insts[inst].loc, message, None, help);
    }

    fn guards_and_loops(&mut self) {
        let facts = Facts::of(self.types, self.function);
        for &inst in self.tree.insts() {
            let def = &self.function.insts[inst];
            if let InstKind::Loop { .. } = def.kind {
                if let Rounds::Unknown = facts.rounds(inst) {
                    let message = "this loop is not known to end, so it counts its rounds: none of its counters is known to \
                                   pass its bound before it wraps";
                    let help = "count in steps of a constant to a bound that does not change and is far from the largest \
                                number, as `for i in 0..n` does";
                    self.say(Lint::Loops, def.loc, message, None, help);
                }
                continue;
            }
            let Some(place) = def.kind.place().filter(|place| !self.function.is_messages(place.root)) else { continue };
            let around = self.tree.loops_around(self.function, inst).next();
            if let (Verdict::Guarded(missing), Some(around)) = (facts.access(inst), around) {
                let message = format!("the {} is tested in each round of a loop", access(self.function, inst, place));
                let note = (self.function.insts[around].loc, reason(self.function, place, missing));
                let help = "`#[kernel(deny(guards))]` says of each what would prove it";
                self.say(Lint::Guards, def.loc, message, Some(note), help);
            }
        }
    }

    fn barriers(&mut self) {
        let orders = order_anything(self.function);
        // Nobody wrote the barriers of a loop's place, which are of its vote. Of copies, one that orders something is enough.
        let is_meant = |inst: Inst| match self.function.insts[inst].kind {
            InstKind::Barrier => orders[inst],
            InstKind::Loop { .. } => true,
            _ => false,
        };
        let of = |inst: &Inst| is_meant(*inst).then(|| self.function.insts[*inst].loc.index()).flatten();
        let needed: BTreeSet<u32> = self.tree.insts().iter().filter_map(of).collect();
        for &inst in self.tree.insts() {
            let def = &self.function.insts[inst];
            let is_needed = orders[inst] || def.loc.index().is_some_and(|at| needed.contains(&at));
            if def.kind == InstKind::Barrier && !is_needed {
                let message =
                    "this barrier orders nothing: no memory is written on one side of it and accessed on the other";
                self.say(Lint::Barriers, def.loc, message, None, "remove it");
            }
        }
    }

    fn doubles(&mut self) {
        let is_double = |ty: Type| ty.lane() == Some(Scalar::F64);
        let mut first = None;
        let mut number = 0;
        for &inst in self.tree.insts() {
            let def = &self.function.insts[inst];
            if let InstKind::Op(op, args) = &def.kind
                && !matches!(op, Op::Select | Op::Bitcast | Op::Cast)
                && args.iter().any(|&arg| is_double(self.function.ty(arg)))
            {
                number += 1;
                first.get_or_insert(def.loc);
            }
        }
        if let Some(loc) = first {
            let message = format!("{} on `f64`", count(number, "operation"));
            let note = "most GPUs take 16 to 64 times as long as for `f32`, and those without it compute in integers";
            let help = "use `f32` where its 24 bits are enough";
            self.say(Lint::Doubles, loc, message, Some((Loc::NONE, note.to_owned())), help);
        }
    }
}

#[cfg(test)]
mod tests;
