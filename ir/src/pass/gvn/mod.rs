//! Global value numbering: a value that is still visible is not computed again.
//!
//! One walk in order of execution gives each op, builtin, length and load a number, by what it
//! does and the numbers of its operands. The first value with a number represents it. A value
//! is visible after its instruction, in its region and in the regions below. So a table of
//! numbers with a mark for each region around replaces the dominator tree.
//!
//! The number of a load includes the version of its memory. Each class of memory has a version.
//! Stores, atomic accesses, and whatever lets other invocations run change it. Where control
//! flow merges, different versions become a new one. At the head of a loop, every memory that
//! the loop may write gets a new version. So a load never takes the value of a load beyond a
//! barrier.
//!
//! Results of a branch or loop that are always equal become one, and so do parameters of a loop
//! that start equal and change in the same way.
//!
//! Equal values are equally uniform, except where [`Flags::NONUNIFORM`] says otherwise: a value
//! with that flag is kept apart from one without. When two instructions become one, it is
//! precise if either was, and permits only what both did.

use crate::analysis::effects::{Effects, RootSet};
use crate::analysis::tree::Tree;
use crate::arena::{Side, Sparse};
use crate::flags::Flags;
use crate::ir::{Function, Inst, InstDef, InstKind, Place, Region, RegionDef, Replaced, Root, Value};
use crate::ops::{Builtin, Op};
use crate::types::Type;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// How many ops deep the steps of two parameters of a loop are compared.
const MAX_STEP: usize = 4;

/// Removes repeated computations from a function in SSA form; says whether anything changed.
pub fn gvn(function: &mut Function) -> bool {
    let (tree, effects) = (Tree::of(function), Effects::of(function));
    let mut pass = Gvn {
        versions: (0..effects.classes() as u32).collect(),
        next_version: effects.classes() as u32,
        exits: Sparse::new(None),
        numbers: HashMap::with_capacity(tree.insts().len()),
        open: Side::new(false),
        replaced: Replaced::new(),
        changed: false,
        tree,
        effects,
        function,
    };
    let body = pass.function.body;
    pass.region(body);
    pass.changed
}

/// What decides an instruction's result.
#[derive(PartialEq, Eq)]
struct Key {
    what: What,
    args: Vec<Value>,
    ty: Type,
    nonuniform: bool,
}

/// Numbers are mixed into one before the map's hasher sees it: unoptimised, that takes less
/// than a call of it for each field. The type and the flag are seldom what differs.
impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let place = |place: &Place, version: u32| {
            let start = u64::from(version) << 32 | u64::from(place.offset);
            place.indices.iter().fold(start, |all, index| mixed(all, index.value))
        };
        let what = match &self.what {
            What::Op(op) => 1 << 16 | *op as u64,
            What::Builtin(builtin) => 2 << 16 | *builtin as u64,
            What::Len(Root::Param(i) | Root::Shared(i) | Root::Private(i) | Root::Table(i)) => 3 << 32 | u64::from(*i),
            What::Load(at, version) => place(at, *version),
        };
        let mut all = what;
        for &arg in &self.args {
            all = mixed(all, arg);
        }
        state.write_u64(all);
    }
}

const fn mixed(all: u64, value: Value) -> u64 {
    (all.rotate_left(23) ^ value.index() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[derive(PartialEq, Eq)]
enum What {
    Op(Op),
    Builtin(Builtin),
    Len(Root),
    /// A place and the version of its memory.
    Load(Place, u32),
}

struct Gvn<'a> {
    function: &'a mut Function,
    tree: Tree,
    effects: Effects,
    /// The value that was computed first, the instruction and the region that holds it.
    numbers: HashMap<Key, (Value, Inst, Region)>,
    /// The regions around.
    open: Side<RegionDef, bool>,
    /// The version of each class of memory here.
    versions: Vec<u32>,
    next_version: u32,
    /// The versions where an instruction with regions ends, as far as its ends were met.
    exits: Sparse<InstDef, Option<Vec<u32>>>,
    /// What is used instead of a value.
    replaced: Replaced,
    changed: bool,
}

impl Gvn<'_> {
    /// The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        self.open[region] = true;
        let mut kept = Vec::new();
        for inst in self.function.region_insts(region) {
            self.replaced.follow(&mut self.function.insts[inst].kind);
            if !self.is_repeated(inst, region) {
                kept.push(inst);
                self.inst(inst, region);
            }
        }
        self.function.regions[region].insts = kept;
        self.open[region] = false;
    }

    /// Whether an instruction's result was computed before; if so, that is used from here on.
    fn is_repeated(&mut self, inst: Inst, region: Region) -> bool {
        let Some((key, result)) = self.key(inst) else { return false };
        if let Some(&(first, first_inst, holder)) = self.numbers.get(&key)
            && self.open[holder]
        {
            self.replaced.set(result, first);
            self.function.flags[first_inst] = joined(self.function.flags[first_inst], self.function.flags[inst]);
            self.changed = true;
            return true;
        }
        self.numbers.insert(key, (result, inst, region));
        false
    }

    /// What decides the only result of an instruction that nothing else decides.
    fn key(&self, inst: Inst) -> Option<(Key, Value)> {
        let def = &self.function.insts[inst];
        let &[result] = def.results.as_slice() else { return None };
        let (what, args) = match &def.kind {
            InstKind::Op(op, args) => {
                let (op, args) = ordered(*op, args.clone());
                (What::Op(op), args)
            }
            InstKind::Load(_) if self.function.flags[inst].has(Flags::RACY) => return None,
            InstKind::Load(place) => {
                let version = self.versions.get(self.effects.class(place.root)).copied()?;
                (What::Load(place.clone(), version), Vec::new())
            }
            InstKind::Len(root) => (What::Len(*root), Vec::new()),
            InstKind::Builtin(builtin) => (What::Builtin(*builtin), Vec::new()),
            _ => return None,
        };
        let nonuniform = self.function.flags[inst].has(Flags::NONUNIFORM);
        Some((Key { what, args, ty: self.function.ty(result), nonuniform }, result))
    }

    /// Does what an instruction that stays does to memory, and goes through its regions.
    fn inst(&mut self, inst: Inst, region: Region) {
        let kind = &self.function.insts[inst].kind;
        match kind {
            InstKind::If { .. } | InstKind::Switch { .. } => {
                let (before, regions) = (self.versions.clone(), kind.regions());
                for inner in regions {
                    self.versions.clone_from(&before);
                    self.region(inner);
                }
                self.leave(inst, before);
            }
            InstKind::Loop { body, initial, .. } => {
                let (body, initial) = (*body, initial.clone());
                self.merge_params(inst, body, &initial);
                self.renew(self.effects.region(body).writes);
                let head = self.versions.clone();
                self.region(body);
                self.leave(inst, head);
            }
            InstKind::Yield(_) => {
                if let Some(owner) = self.tree.owner(region) {
                    self.meet(owner);
                }
            }
            &InstKind::Break(target, _) => self.meet(target),
            InstKind::Store(..) | InstKind::Atomic(..) | InstKind::Barrier | InstKind::Fence(..) => {
                self.renew(self.effects.inst(self.function, inst).writes);
            }
            InstKind::Call { .. } => self.renew(RootSet::ALL),
            InstKind::Op(..) | InstKind::Load(_) | InstKind::Len(_) | InstKind::Builtin(_) => {}
            InstKind::Subgroup(..) | InstKind::Get(_) | InstKind::Set(..) => {}
            InstKind::Continue(..) | InstKind::Return(_) | InstKind::Unreachable => {}
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next_version += 1;
        self.next_version
    }

    /// Gives new versions to memory that may have changed.
    fn renew(&mut self, written: RootSet) {
        for class in 0..self.versions.len() {
            if written.has(class) {
                self.versions[class] = self.fresh();
            }
        }
    }

    /// Notes that an instruction may end with the memory of here.
    fn meet(&mut self, owner: Inst) {
        let Some(mut met) = self.exits[owner].take() else {
            self.exits[owner] = Some(self.versions.clone());
            return;
        };
        for (class, version) in met.iter_mut().enumerate() {
            if *version != self.versions[class] {
                *version = self.fresh();
            }
        }
        self.exits[owner] = Some(met);
    }

    /// Goes on after an instruction with regions; where it never ends, with anything.
    fn leave(&mut self, inst: Inst, otherwise: Vec<u32>) {
        self.versions = self.exits[inst].take().unwrap_or(otherwise);
        // Results that every end gives the same value are the same.
        let results = self.function.insts[inst].results.clone();
        if results.len() < 2 {
            return;
        }
        let mut first: HashMap<(Type, Vec<Option<Value>>), Value> = HashMap::new();
        for (i, result) in results.into_iter().enumerate() {
            let given =
                self.tree.exits(inst).iter().map(|&exit| self.function.insts[exit].kind.passed().get(i).copied());
            let key = (self.function.ty(result), given.collect());
            match first.get(&key) {
                Some(&same) => self.replace(result, same),
                None => _ = first.insert(key, result),
            }
        }
    }

    fn replace(&mut self, value: Value, by: Value) {
        self.replaced.set(value, by);
        // A merged value that nobody uses is no change.
        self.changed |= self.tree.uses(value) > 0;
    }

    /// Makes one of parameters that start equal and of which each step of the one is that
    /// of the other.
    ///
    /// The one that stays is as uniform as the other: were all of the other's steps one
    /// value, that is computed before the ways part, and the walk makes the steps of the one
    /// that same value.
    fn merge_params(&mut self, inst: Inst, body: Region, initial: &[Value]) {
        let params = self.function.regions[body].params.clone();
        let mut first: HashMap<Value, usize> = HashMap::new();
        for (i, (&param, &start)) in params.iter().zip(initial).enumerate() {
            let Some(&earlier) = first.get(&start) else {
                first.insert(start, i);
                continue;
            };
            let pair = (params[earlier], param);
            let alike = self.tree.continues(inst).iter().all(|&again| {
                let passed = self.function.insts[again].kind.passed();
                passed.get(earlier).zip(passed.get(i)).is_some_and(|(&a, &b)| self.is_alike(a, b, pair, MAX_STEP))
            });
            if alike {
                self.replace(param, params[earlier]);
            }
        }
    }

    /// Whether two values are equal if the two of a pair are.
    fn is_alike(&self, a: Value, b: Value, pair: (Value, Value), depth: usize) -> bool {
        let (a, b) = (self.replaced.resolve(a), self.replaced.resolve(b));
        if a == b || (a, b) == pair {
            return true;
        }
        let (Some(first), Some(second)) = (self.tree.inst_of(a), self.tree.inst_of(b)) else { return false };
        let function = &*self.function;
        let (InstKind::Op(op, args), InstKind::Op(other, others)) =
            (&function.insts[first].kind, &function.insts[second].kind)
        else {
            return false;
        };
        depth > 0
            && op == other
            && function.ty(a) == function.ty(b)
            && function.flags[first] == function.flags[second]
            && args.len() == others.len()
            && args.iter().zip(others).all(|(&a, &b)| self.is_alike(a, b, pair, depth - 1))
    }
}

/// An op and operands that give the same, the same for all ways to write them.
fn ordered(op: Op, mut args: Vec<Value>) -> (Op, Vec<Value>) {
    let op = match op {
        Op::Gt => Op::Lt,
        Op::Ge => Op::Le,
        other => {
            if other.info().commutative && args.len() >= 2 && args[1] < args[0] {
                args.swap(0, 1);
            }
            return (other, args);
        }
    };
    if args.len() == 2 {
        args.swap(0, 1);
    }
    (op, args)
}

/// The flags of one instruction that stands for two.
fn joined(a: Flags, b: Flags) -> Flags {
    let both = Flags::from_number(a.number() & b.number()).unwrap_or(Flags::NONE);
    if a.and(b).has(Flags::PRECISE) { both.and(Flags::PRECISE) } else { both }
}

#[cfg(test)]
mod tests;
