//! Where everything is: what defines a value, which region holds an instruction, who owns a
//! region, and where each terminator leads.
//!
//! Only what the body's regions hold is looked at, in program order. So a definition comes
//! before its uses, except for the operands of `continue`.

use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, RegionDef, Value, ValueDef};
use crate::ops::Op;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Def {
    /// A constant, or nothing that the body holds.
    Constant,
    /// The parameter of this index of the function's body.
    Argument(usize),
    /// The result of this index of an instruction.
    Result(Inst, usize),
    /// The parameter of this index of a loop's body.
    Param(Inst, usize),
}

/// The entry of the list of ways that nothing leads through.
const NO_WAYS: u32 = 0;

/// The structure of a function.
///
/// ```
/// use samebits_ir::analysis::tree::{Def, Tree};
/// use samebits_ir::{builder::Builder, ops::{Builtin, Op}};
/// let mut b = Builder::new("k", [64, 1, 1]);
/// let i = b.builtin(Builtin::GlobalIdX);
/// let double = b.op(Op::Add, &[i, i]);
/// b.ret();
/// let function = b.finish();
/// let tree = Tree::of(&function);
/// assert!(matches!(tree.def(double), Def::Result(_, 0)));
/// assert_eq!((tree.uses(i), tree.uses(double)), (2, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    values: Side<ValueDef, Known>,
    parents: Side<InstDef, Parent>,
    owners: Side<RegionDef, Owner>,
    /// The instructions with regions.
    ways: Vec<Ways>,
    insts: Vec<Inst>,
}

/// Where a value comes from, and how often it is used.
#[derive(Clone, Copy, Debug)]
struct Known {
    def: Def,
    uses: u32,
}

/// The region that holds an instruction, and the place of its ways in their list.
#[derive(Clone, Copy, Debug)]
struct Parent {
    region: Option<Region>,
    ways: u32,
}

/// The instruction that owns a region.
#[derive(Clone, Copy, Debug)]
struct Owner(Option<Inst>);

/// The terminators that lead out of an instruction with regions, and back to its beginning.
#[derive(Clone, Default, Debug)]
struct Ways {
    exits: Vec<Inst>,
    continues: Vec<Inst>,
}

impl Tree {
    /// Looks at a function in SSA form.
    pub fn of(function: &Function) -> Self {
        let mut tree = Self {
            values: Side::sized(Known { def: Def::Constant, uses: 0 }, function.values.len()),
            parents: Side::sized(Parent { region: None, ways: NO_WAYS }, function.insts.len()),
            owners: Side::sized(Owner(None), function.regions.len()),
            ways: vec![Ways::default()],
            insts: Vec::with_capacity(function.insts.len()),
        };
        for (i, &param) in function.regions[function.body].params.iter().enumerate() {
            tree.values[param].def = Def::Argument(i);
        }
        tree.region(function, function.body, None);
        tree
    }

    /// The checks limit how deep regions are nested.
    fn region(&mut self, function: &Function, region: Region, owner: Option<Inst>) {
        self.owners[region] = Owner(owner);
        for &inst in &function.regions[region].insts {
            self.insts.push(inst);
            self.parents[inst].region = Some(region);
            let def = &function.insts[inst];
            for (i, &result) in def.results.iter().enumerate() {
                self.values[result].def = Def::Result(inst, i);
            }
            def.kind.for_each_operand(|value| self.values[value].uses += 1);
            if def.kind.has_regions() {
                self.parents[inst].ways = self.ways.len() as u32;
                self.ways.push(Ways::default());
            }
            match &def.kind {
                InstKind::Yield(_) => {
                    if let Some(owner) = owner {
                        self.ways_of(owner).exits.push(inst);
                    }
                }
                InstKind::Break(target, _) => self.ways_of(*target).exits.push(inst),
                InstKind::Continue(target, _) => self.ways_of(*target).continues.push(inst),
                InstKind::Loop { body, .. } => {
                    for (i, &param) in function.regions[*body].params.iter().enumerate() {
                        self.values[param].def = Def::Param(inst, i);
                    }
                }
                InstKind::Op(..) | InstKind::Load(_) | InstKind::Store(..) | InstKind::Atomic(..) => {}
                InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Barrier | InstKind::Fence(..) => {}
                InstKind::Subgroup(..) | InstKind::Call { .. } | InstKind::Get(_) | InstKind::Set(..) => {}
                InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Return(_) | InstKind::Unreachable => {}
            }
            for inner in def.kind.regions() {
                self.region(function, inner, Some(inst));
            }
        }
    }

    fn ways_of(&mut self, inst: Inst) -> &mut Ways {
        &mut self.ways[self.parents[inst].ways as usize]
    }

    /// Where a value comes from.
    pub fn def(&self, value: Value) -> Def {
        self.values[value].def
    }

    /// The instruction whose result a value is.
    pub fn inst_of(&self, value: Value) -> Option<Inst> {
        match self.values[value].def {
            Def::Result(inst, _) => Some(inst),
            Def::Constant | Def::Argument(_) | Def::Param(..) => None,
        }
    }

    /// The op that a value is the result of, and its operands.
    pub(crate) fn op<'f>(&self, function: &'f Function, value: Value) -> Option<(Op, &'f [Value])> {
        match &function.insts[self.inst_of(value)?].kind {
            InstKind::Op(op, args) => Some((*op, args)),
            _ => None,
        }
    }

    /// The region in which a value is defined; a constant and an argument are in the body.
    pub(crate) fn home(&self, function: &Function, value: Value) -> Option<Region> {
        match self.def(value) {
            Def::Constant | Def::Argument(_) => Some(function.body),
            Def::Result(inst, _) => self.parent(inst),
            Def::Param(inst, _) => function.insts[inst].kind.regions().next(),
        }
    }

    /// How often a value is an operand.
    pub fn uses(&self, value: Value) -> u32 {
        self.values[value].uses
    }

    /// The region that holds an instruction, if one does.
    pub fn parent(&self, inst: Inst) -> Option<Region> {
        self.parents[inst].region
    }

    /// The instruction that owns a region; none owns the body.
    pub fn owner(&self, region: Region) -> Option<Inst> {
        self.owners[region].0
    }

    /// The terminators whose operands are the results of an instruction with regions: the
    /// `yield`s of an `if` or `switch`, the `break`s of a loop.
    pub fn exits(&self, inst: Inst) -> &[Inst] {
        &self.ways[self.parents[inst].ways as usize].exits
    }

    /// The `continue`s of a loop.
    pub fn continues(&self, inst: Inst) -> &[Inst] {
        &self.ways[self.parents[inst].ways as usize].continues
    }

    /// Every instruction that a region holds, in program order.
    pub fn insts(&self) -> &[Inst] {
        &self.insts
    }

    /// The regions around an instruction, the innermost first.
    pub(crate) fn around(&self, inst: Inst) -> impl Iterator<Item = Region> {
        std::iter::successors(self.parent(inst), |&region| self.outer(region))
    }

    /// The loops around an instruction, the innermost first.
    pub(crate) fn loops_around(&self, function: &Function, inst: Inst) -> impl Iterator<Item = Inst> {
        let owners = self.around(inst).filter_map(|region| self.owner(region));
        owners.filter(|&owner| matches!(function.insts[owner].kind, InstKind::Loop { .. }))
    }

    /// The region around a region.
    fn outer(&self, region: Region) -> Option<Region> {
        self.parent(self.owner(region)?)
    }

    /// Whether an instruction is in something that another one owns, at any depth.
    #[cfg(feature = "native")]
    pub(crate) fn is_inside(&self, inst: Inst, outer: Inst) -> bool {
        self.around(inst).any(|region| self.owner(region) == Some(outer))
    }

    /// Whether a region is this one or inside it.
    pub fn is_within(&self, mut region: Region, outer: Region) -> bool {
        while region != outer {
            let Some(next) = self.outer(region) else { return false };
            region = next;
        }
        true
    }
}
