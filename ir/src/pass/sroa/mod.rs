//! Scalar replacement: private memory whose places are known becomes values.
//!
//! [`plan`] groups accesses by the bytes that they may touch, so that an array is replaced row
//! by row and a struct field by field. Accesses to what becomes variables turn into `get` and
//! `set`, lane by lane where a vector is also accessed by its lanes. SSA construction makes
//! values of them. Private memory is zero when the function begins, and so are variables.
//! Barriers do not concern memory that no other invocation sees.
//!
//! A lane that is accessed as several types of one width is a variable of the unsigned integer
//! of that width. Every store sets it to the stored bits, and every load reads them back.

mod plan;

use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::check;
use crate::flags::Flags;
use crate::ir::{Function, Index, Inst, InstDef, InstKind, MAX_INSTS, Place, Root, Value, Var, VarDef};
use crate::loc::Loc;
use crate::ops::Op;
use crate::ssa;
use crate::types::{Scalar, Type, Types};
use plan::{Fate, Plan};

/// Replaces private memory of a function in SSA form by values; says whether anything
/// changed.
pub fn sroa(function: &mut Function, types: &Types) -> bool {
    if function.private.is_empty() || !function.vars.is_empty() {
        return false;
    }
    let tree = Tree::of(function);
    let Some(plan) = plan::plan(function, types, tree.insts()) else { return false };
    let before = function.clone();
    apply(function, plan, tree.insts());
    check::scrub(function);
    // Too many variables for its many exits, too many small roots or too many lanes: rare, and
    // no fault.
    let fits = ssa::construct(function).is_ok() && check::fits_private(types, function);
    if !fits || Tree::of(function).insts().len() > MAX_INSTS {
        *function = before;
        return false;
    }
    true
}

/// Does what was decided; variables take the place of what becomes values.
fn apply(function: &mut Function, plan: Plan, insts: &[Inst]) {
    renumber(function, &plan, insts);
    let variables = plan.variables.into_iter().map(|variable| function.vars.push(variable)).collect();
    let mut rewriter = Rewriter { function, variables, made: Vec::new(), instead: Side::new(None) };
    for (inst, fate) in plan.fates {
        rewriter.inst(inst, fate);
    }
    let instead = rewriter.instead;
    function.put_instead(&instead);
    function.private = plan.private;
}

/// Gives the roots that stay their new numbers. Accesses to others are replaced afterwards.
fn renumber(function: &mut Function, plan: &Plan, insts: &[Inst]) {
    let change = |root: &mut Root| {
        if let Root::Private(old) = root
            && let Some(&Some(new)) = plan.renumbered.get(*old as usize)
        {
            *old = new;
        }
    };
    for &inst in insts {
        function.insts[inst].kind.for_each_root_mut(change);
    }
}

struct Rewriter<'a> {
    function: &'a mut Function,
    /// The variables by their index in the plan.
    variables: Vec<Var>,
    /// The instructions made for the access at hand.
    made: Vec<Inst>,
    /// What stands in the place of an instruction.
    instead: Side<InstDef, Option<Vec<Inst>>>,
}

impl Rewriter<'_> {
    fn inst(&mut self, inst: Inst, fate: Fate) {
        let InstDef { kind, results, loc } = self.function.insts[inst].clone();
        let result = results.first().copied();
        let new = match (fate, kind, result) {
            (Fate::Moved(place), InstKind::Load(old), _) => Some(InstKind::Load(self.moved(place, old))),
            (Fate::Moved(place), InstKind::Store(old, value), _) => {
                Some(InstKind::Store(self.moved(place, old), value))
            }
            (Fate::Length(length), InstKind::Len(_), _) => {
                let length = self.function.constant(Scalar::U32, length.into());
                Some(InstKind::Op(Op::Bitcast, vec![length]))
            }
            // A variable that nobody sets is zero.
            (Fate::Nothing, InstKind::Load(_), Some(result)) => {
                Some(InstKind::Get(self.zero(self.function.ty(result), loc)))
            }
            (Fate::Whole(variable), InstKind::Load(_), _) => Some(InstKind::Get(self.variables[variable])),
            (Fate::Whole(variable), InstKind::Store(_, value), _) => {
                Some(InstKind::Set(self.variables[variable], value))
            }
            (Fate::Lanes(first), InstKind::Load(_), Some(result)) => {
                Some(self.read(first, self.function.ty(result), loc))
            }
            (Fate::Lanes(first), InstKind::Store(_, value), _) => {
                self.write(first, value, None, loc);
                None
            }
            (Fate::Picked(index, choices), InstKind::Load(_), Some(result)) => {
                Some(self.pick(index, &choices, self.function.ty(result), loc))
            }
            (Fate::Picked(index, choices), InstKind::Store(_, value), _) => {
                for (number, first) in choices {
                    let here = self.equals(index, number, loc);
                    self.write(first, value, Some(here), loc);
                }
                None
            }
            // Only a store is left, to what nobody reads.
            (
                Fate::Nothing | Fate::Picked(..) | Fate::Whole(_) | Fate::Lanes(_) | Fate::Moved(_) | Fate::Length(_),
                ..,
            ) => None,
        };
        let mut made = std::mem::take(&mut self.made);
        if let Some(kind) = new {
            if !matches!(kind, InstKind::Load(_) | InstKind::Store(..)) {
                // What was said was said of the access.
                self.function.flags[inst] = Flags::NONE;
            }
            self.function.insts[inst].kind = kind;
            made.push(inst);
        }
        self.instead[inst] = Some(made);
    }

    /// A place with the indices of the old one that are not part of its constant offset.
    fn moved(&self, new: Place, old: Place) -> Place {
        let varies = |index: &Index| self.function.constant_bits(index.value).is_none();
        Place { indices: old.indices.into_iter().filter(varies).collect(), ..new }
    }

    /// What a value of a type is that the variables from this one on hold.
    fn read(&mut self, first: usize, ty: Type, loc: Loc) -> InstKind {
        let Some(lane) = ty.lane() else { return InstKind::Unreachable };
        if let Type::Scalar(_) = ty {
            let variable = self.variables[first];
            if self.function.vars[variable].ty == ty {
                return InstKind::Get(variable);
            }
            let word = self.get(variable, loc);
            return self.lane_of(word, lane);
        }
        let variables: Vec<Var> = self.variables[first..].iter().copied().take(ty.lanes()).collect();
        let mut lanes = Vec::new();
        for variable in variables {
            let value = self.get(variable, loc);
            if self.function.ty(value) == Type::Scalar(lane) {
                lanes.push(value);
            } else {
                let kind = self.lane_of(value, lane);
                lanes.push(self.make(kind, lane.into(), loc));
            }
        }
        InstKind::Op(Op::Construct, lanes)
    }

    /// What a value is that an index picks; zero if it picks none.
    fn pick(&mut self, index: Value, choices: &[(u32, usize)], ty: Type, loc: Loc) -> InstKind {
        let mut kind = InstKind::Get(self.zero(ty, loc));
        for &(number, first) in choices.iter().rev() {
            let other = self.make(kind, ty, loc);
            let here = self.equals(index, number, loc);
            let picked = self.read(first, ty, loc);
            let picked = self.make(picked, ty, loc);
            kind = InstKind::Op(Op::Select, vec![here, picked, other]);
        }
        kind
    }

    fn equals(&mut self, index: Value, number: u32, loc: Loc) -> Value {
        let number = self.function.constant(Scalar::U32, number.into());
        self.make(InstKind::Op(Op::Eq, vec![index, number]), Type::BOOL, loc)
    }

    /// A variable that nobody sets.
    fn zero(&mut self, ty: Type, loc: Loc) -> Var {
        self.function.vars.push(VarDef { name: String::new(), ty, loc })
    }

    /// Sets the variables from this one on to the lanes of a value, perhaps only under a
    /// condition.
    fn write(&mut self, first: usize, value: Value, condition: Option<Value>, loc: Loc) {
        let ty = self.function.ty(value);
        let Some(lane) = ty.lane() else { return };
        for i in 0..ty.lanes() {
            let variable = self.variables[first + i];
            let mut part = value;
            if let Type::Vector(..) = ty {
                let index = self.function.constant(Scalar::U32, i as u64);
                part = self.make(InstKind::Op(Op::Extract, vec![value, index]), lane.into(), loc);
            }
            let wanted = self.function.vars[variable].ty;
            if wanted != Type::Scalar(lane) {
                let kind = self.bits_of(part, lane);
                part = self.make(kind, wanted, loc);
            }
            if let Some(condition) = condition {
                let old = self.get(variable, loc);
                part = self.make(InstKind::Op(Op::Select, vec![condition, part, old]), wanted, loc);
            }
            self.made.push(self.function.inst(InstKind::Set(variable, part), Vec::new(), loc));
        }
    }

    /// The lane that these bits are in memory.
    fn lane_of(&mut self, bits: Value, lane: Scalar) -> InstKind {
        if lane == Scalar::Bool {
            let zero = self.function.constant(Scalar::U32, 0);
            return InstKind::Op(Op::Ne, vec![bits, zero]);
        }
        InstKind::Op(Op::Bitcast, vec![bits])
    }

    /// The bits that a lane is in memory.
    fn bits_of(&mut self, value: Value, lane: Scalar) -> InstKind {
        if lane == Scalar::Bool {
            let (one, zero) = (self.function.constant(Scalar::U32, 1), self.function.constant(Scalar::U32, 0));
            return InstKind::Op(Op::Select, vec![value, one, zero]);
        }
        InstKind::Op(Op::Bitcast, vec![value])
    }

    fn get(&mut self, variable: Var, loc: Loc) -> Value {
        let ty = self.function.vars[variable].ty;
        self.make(InstKind::Get(variable), ty, loc)
    }

    fn make(&mut self, kind: InstKind, ty: Type, loc: Loc) -> Value {
        let (inst, value) = self.function.made(kind, ty, loc);
        self.made.push(inst);
        value
    }
}

#[cfg(test)]
mod tests;
