//! Where everything is: what defines a value, which region holds an instruction, who owns
//! a region, and which terminators lead where.
//!
//! Only what the body's regions hold is looked at, in program order, so that a definition
//! comes before its uses, save for the operands of `continue`.

use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, RegionDef, Value, ValueDef};

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
    defs: Side<ValueDef, Def>,
    uses: Side<ValueDef, u32>,
    parents: Side<InstDef, Option<Region>>,
    owners: Side<RegionDef, Option<Inst>>,
    exits: Side<InstDef, Vec<Inst>>,
    continues: Side<InstDef, Vec<Inst>>,
    insts: Vec<Inst>,
}

impl Tree {
    /// Looks at a function in SSA form.
    pub fn of(function: &Function) -> Self {
        let mut tree = Self {
            defs: Side::new(Def::Constant),
            uses: Side::new(0),
            parents: Side::new(None),
            owners: Side::new(None),
            exits: Side::new(Vec::new()),
            continues: Side::new(Vec::new()),
            insts: Vec::new(),
        };
        for (i, &param) in function.regions[function.body].params.iter().enumerate() {
            tree.defs[param] = Def::Argument(i);
        }
        tree.region(function, function.body, None);
        tree
    }

    /// The checks limit how deep regions are nested.
    fn region(&mut self, function: &Function, region: Region, owner: Option<Inst>) {
        self.owners[region] = owner;
        for &inst in &function.regions[region].insts {
            self.insts.push(inst);
            self.parents[inst] = Some(region);
            let def = &function.insts[inst];
            for (i, &result) in def.results.iter().enumerate() {
                self.defs[result] = Def::Result(inst, i);
            }
            def.kind.for_each_operand(|value| self.uses[value] += 1);
            match &def.kind {
                InstKind::Yield(_) => {
                    if let Some(owner) = owner {
                        self.exits[owner].push(inst);
                    }
                }
                InstKind::Break(target, _) => self.exits[*target].push(inst),
                InstKind::Continue(target, _) => self.continues[*target].push(inst),
                InstKind::Loop { body, .. } => {
                    for (i, &param) in function.regions[*body].params.iter().enumerate() {
                        self.defs[param] = Def::Param(inst, i);
                    }
                }
                InstKind::Op(..) | InstKind::Load(_) | InstKind::Store(..) | InstKind::Atomic(..) => {}
                InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Barrier | InstKind::Fence(..) => {}
                InstKind::Call { .. } | InstKind::Get(_) | InstKind::Set(..) => {}
                InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Return(_) | InstKind::Unreachable => {}
            }
            for inner in def.kind.regions() {
                self.region(function, inner, Some(inst));
            }
        }
    }

    /// Where a value comes from.
    pub fn def(&self, value: Value) -> Def {
        self.defs[value]
    }

    /// The instruction whose result a value is.
    pub fn inst_of(&self, value: Value) -> Option<Inst> {
        match self.defs[value] {
            Def::Result(inst, _) => Some(inst),
            Def::Constant | Def::Argument(_) | Def::Param(..) => None,
        }
    }

    /// How often a value is an operand.
    pub fn uses(&self, value: Value) -> u32 {
        self.uses[value]
    }

    /// The region that holds an instruction, if one does.
    pub fn parent(&self, inst: Inst) -> Option<Region> {
        self.parents[inst]
    }

    /// The instruction that owns a region; none owns the body.
    pub fn owner(&self, region: Region) -> Option<Inst> {
        self.owners[region]
    }

    /// The terminators whose operands are the results of an instruction with regions: the
    /// `yield`s of an `if` or `switch`, the `break`s of a loop.
    pub fn exits(&self, inst: Inst) -> &[Inst] {
        // `Side` gives the default for what was never noted.
        &self.exits[inst]
    }

    /// The `continue`s of a loop.
    pub fn continues(&self, inst: Inst) -> &[Inst] {
        &self.continues[inst]
    }

    /// Every instruction that a region holds, in program order.
    pub fn insts(&self) -> &[Inst] {
        &self.insts
    }

    /// Whether a region is this one or inside it.
    pub fn is_within(&self, mut region: Region, outer: Region) -> bool {
        loop {
            if region == outer {
                return true;
            }
            match self.owners[region].and_then(|owner| self.parents[owner]) {
                Some(next) => region = next,
                None => return false,
            }
        }
    }
}
