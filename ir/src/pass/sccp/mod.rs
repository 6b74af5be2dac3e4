//! Sparse conditional constant propagation: finding values that are the same constant in every
//! execution, together with the code that no execution reaches.
//!
//! Everything starts as unknown and unreached. A branch on a constant reaches one region.
//! Results merge only the exits that are reached, and a loop's parameters only their initial
//! values and the `continue`s that are reached. A value changes at most twice, and then its
//! users are looked at again; when nothing changes, the result is final.
//!
//! Inside a region that a condition guards, and after a branch that leaves, the condition is
//! known ([`implied`]), and so is what it compares with a constant.
//!
//! Operands become constants, ops on them are removed, and unreached code becomes
//! `unreachable`. A branch whose condition is now a constant is left to `fold`. Two things stay
//! because uniformity looks at them: values that are declared nonuniform, and the operands of
//! exits, unless they are constant everywhere. If one exit passed a constant and another one a
//! value that happens to be the same, the result would seem to differ between invocations.

mod implied;

use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::flags::Flags;
use crate::ir::{Function, Index, Inst, InstDef, InstKind, Place, Region, RegionDef, Root, Value, ValueDef};
use crate::ops::Op;
use crate::scalar::Lanes;
use crate::types::{Scalar, Type};
use implied::Implied;

/// Propagates constants through a function in SSA form; says whether anything changed.
pub fn sccp(function: &mut Function) -> bool {
    let tree = Tree::of(function);
    let mut known = Side::new(Known::Nothing);
    for &param in &function.regions[function.body].params {
        known[param] = Known::Varies;
    }
    let mut solver = Solver {
        facts: Implied::of(function, &tree),
        users: Users::of(function, &tree),
        known,
        entered: Side::new(false),
        reached: Side::new(false),
        ended: Side::new(false),
        rest: Side::new(None),
        flow: vec![(function.body, 0)],
        work: Vec::new(),
        function,
    };
    solver.solve();
    let Solver { facts, known, reached, .. } = solver;
    let mut rewriter = Rewriter { function, facts, known, reached, changed: false };
    let body = rewriter.function.body;
    rewriter.region(body);
    rewriter.changed
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Known {
    /// No execution that gives it was found yet.
    Nothing,
    /// It is this in all that were found.
    Constant(Lanes),
    /// It differs, or nothing can be said.
    Varies,
}

impl Known {
    fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, known) | (known, Self::Nothing) => known,
            (Self::Constant(a), Self::Constant(b)) if a == b => self,
            (Self::Constant(_) | Self::Varies, Self::Constant(_) | Self::Varies) => Self::Varies,
        }
    }
}

/// The instructions that values are operands of, all in one list.
struct Users {
    insts: Vec<Inst>,
    /// Where those of a value end in the list, and how many there are.
    ends: Side<ValueDef, (u32, u32)>,
}

impl Users {
    fn of(function: &Function, tree: &Tree) -> Self {
        let (mut ends, mut total) = (Side::new((0, 0)), 0);
        for value in function.values.ids() {
            ends[value] = (total, 0);
            total += tree.uses(value);
        }
        let mut insts = vec![Inst::from_index(0); total as usize];
        for &inst in tree.insts() {
            function.insts[inst].kind.for_each_operand(|value| {
                let (end, count) = &mut ends[value];
                insts[*end as usize] = inst;
                (*end, *count) = (*end + 1, *count + 1);
            });
        }
        Self { insts, ends }
    }

    fn of_value(&self, value: Value) -> &[Inst] {
        let (end, count) = self.ends[value];
        &self.insts[(end - count) as usize..end as usize]
    }
}

/// What is known of an operand where an instruction reads it.
fn known_at(function: &Function, facts: &Implied, known: &Side<ValueDef, Known>, inst: Inst, value: Value) -> Known {
    let bits = function.constant_bits(value).or_else(|| facts.bits(inst, value));
    bits.map_or(known[value], |bits| Known::Constant([bits, 0, 0, 0]))
}

struct Solver<'a> {
    function: &'a Function,
    facts: Implied,
    users: Users,
    known: Side<ValueDef, Known>,
    /// The regions that some execution enters.
    entered: Side<RegionDef, bool>,
    /// The instructions that some execution comes to.
    reached: Side<InstDef, bool>,
    /// The instructions with regions that some execution comes out of.
    ended: Side<InstDef, bool>,
    /// What comes after an instruction with regions, as in `flow`.
    rest: Side<InstDef, Option<(Region, usize)>>,
    /// Positions in regions from which on instructions are reached.
    flow: Vec<(Region, usize)>,
    /// Instructions of whose operands more is known.
    work: Vec<Inst>,
}

impl Solver<'_> {
    fn solve(&mut self) {
        loop {
            if let Some((region, start)) = self.flow.pop() {
                self.follow(region, start);
            } else if let Some(inst) = self.work.pop() {
                if self.reached[inst] {
                    self.visit(inst);
                }
            } else {
                break;
            }
        }
    }

    /// Reaches instructions up to one that is not known to complete.
    fn follow(&mut self, region: Region, start: usize) {
        let function = self.function;
        for (i, &inst) in function.regions[region].insts.iter().enumerate().skip(start) {
            self.reached[inst] = true;
            self.rest[inst] = Some((region, i + 1));
            self.visit(inst);
            if function.insts[inst].kind.has_regions() && !self.ended[inst] {
                return;
            }
        }
    }

    fn enter(&mut self, region: Region) {
        if !self.entered[region] {
            self.entered[region] = true;
            self.flow.push((region, 0));
        }
    }

    fn operand(&self, inst: Inst, value: Value) -> Known {
        known_at(self.function, &self.facts, &self.known, inst, value)
    }

    fn lower(&mut self, value: Value, to: Known) {
        let new = self.known[value].meet(to);
        if new != self.known[value] {
            self.known[value] = new;
            self.work.extend_from_slice(self.users.of_value(value));
        }
    }

    /// Takes in what an instruction does with what is known of its operands.
    fn visit(&mut self, inst: Inst) {
        let function = self.function;
        let def = &function.insts[inst];
        match &def.kind {
            InstKind::Op(op, args) => {
                if let &[result] = def.results.as_slice() {
                    let known = self.op(inst, *op, args, function.ty(result));
                    self.lower(result, known);
                }
            }
            InstKind::Builtin(builtin) => {
                if let &[result] = def.results.as_slice() {
                    let zero = function.greatest(*builtin) == Some(0) && !function.flags[inst].has(Flags::NONUNIFORM);
                    self.lower(result, if zero { Known::Constant([0; 4]) } else { Known::Varies });
                }
            }
            InstKind::If { condition, then, otherwise } => match self.operand(inst, *condition) {
                Known::Nothing => {}
                Known::Constant(bits) => self.enter(if bits[0] != 0 { *then } else { *otherwise }),
                Known::Varies => {
                    self.enter(*then);
                    self.enter(*otherwise);
                }
            },
            InstKind::Switch { selector, cases, default } => match self.operand(inst, *selector) {
                Known::Nothing => {}
                Known::Constant(bits) => {
                    let case = cases.iter().find(|case| case.values.contains(&bits[0]));
                    self.enter(case.map_or(*default, |case| case.region));
                }
                Known::Varies => {
                    for region in def.kind.regions() {
                        self.enter(region);
                    }
                }
            },
            InstKind::Loop { body, initial, .. } => {
                self.pass(inst, initial, &function.regions[*body].params);
                self.enter(*body);
            }
            InstKind::Yield(values) => {
                let owner = self.facts.owner(inst);
                if let Some(owner) = owner {
                    self.exit(inst, owner, values);
                }
            }
            InstKind::Break(target, values) => self.exit(inst, *target, values),
            InstKind::Continue(target, values) => {
                if let InstKind::Loop { body, .. } = &function.insts[*target].kind {
                    self.pass(inst, values, &function.regions[*body].params);
                }
            }
            InstKind::Load(Place { root: Root::Table(table), offset, indices }) => {
                if let &[result] = def.results.as_slice() {
                    let known = self.looked_up(inst, result, *table, *offset, indices);
                    self.lower(result, known);
                }
            }
            InstKind::Load(_)
            | InstKind::Atomic(..)
            | InstKind::Len(_)
            | InstKind::Subgroup(..)
            | InstKind::Call { .. }
            | InstKind::Get(_) => {
                for &result in &def.results {
                    self.lower(result, Known::Varies);
                }
            }
            InstKind::Store(..) | InstKind::Barrier | InstKind::Fence(..) | InstKind::Set(..) => {}
            InstKind::Return(_) | InstKind::Unreachable => {}
        }
    }

    /// What a load from a table gives. One that is out of bounds stays, since the front end asks
    /// after this pass whether there is any.
    fn looked_up(&self, inst: Inst, result: Value, table: u32, offset: u32, indices: &[Index]) -> Known {
        let function = self.function;
        let mut at = u64::from(offset);
        for index in indices {
            match self.operand(inst, index.value) {
                Known::Nothing => return Known::Nothing,
                Known::Varies => return Known::Varies,
                Known::Constant([value, ..]) if index.bound.is_some_and(|bound| value >= bound.into()) => {
                    return Known::Varies;
                }
                // Saturation is beyond the end of any table.
                Known::Constant([value, ..]) => at = at.saturating_add(value.saturating_mul(index.stride.into())),
            }
        }
        match function.tables.get(table as usize) {
            Some(table) if !function.flags[inst].has(Flags::NONUNIFORM) && table.holds(function.ty(result), at) => {
                Known::Constant(table.value(function.ty(result), at))
            }
            _ => Known::Varies,
        }
    }

    /// Takes in values that an instruction passes for others.
    fn pass(&mut self, inst: Inst, values: &[Value], to: &[Value]) {
        for (&value, &to) in values.iter().zip(to) {
            let known = self.operand(inst, value);
            self.lower(to, known);
        }
    }

    /// Takes in an exit from an instruction with regions, and goes on after it.
    fn exit(&mut self, inst: Inst, target: Inst, values: &[Value]) {
        let function = self.function;
        self.pass(inst, values, &function.insts[target].results);
        if !self.ended[target] {
            self.ended[target] = true;
            if let Some(rest) = self.rest[target] {
                self.flow.push(rest);
            }
        }
    }

    fn op(&self, inst: Inst, op: Op, args: &[Value], ty: Type) -> Known {
        if self.function.flags[inst].has(Flags::NONUNIFORM) {
            return Known::Varies;
        }
        let known: Vec<Known> = args.iter().map(|&arg| self.operand(inst, arg)).collect();
        if let (Op::Select, &[condition, yes, no]) = (op, known.as_slice()) {
            return match condition {
                Known::Nothing => Known::Nothing,
                Known::Constant([0, ..]) => no,
                Known::Constant(_) => yes,
                Known::Varies => yes.meet(no),
            };
        }
        if let Some(bits) = self.absorbed(op, ty, &known) {
            return Known::Constant([bits, 0, 0, 0]);
        }
        if known.contains(&Known::Nothing) {
            return Known::Nothing;
        }
        let lanes = known.iter().map(|known| match known {
            Known::Constant(lanes) => Some(*lanes),
            Known::Nothing | Known::Varies => None,
        });
        let lanes: Option<Vec<Lanes>> = lanes.collect();
        let types: Vec<Type> = args.iter().map(|&arg| self.function.ty(arg)).collect();
        match lanes {
            Some(lanes) if op.result(&types, Some(ty)) == Some(ty) => Known::Constant(op.eval(&types, ty, &lanes)),
            _ => Known::Varies,
        }
    }

    /// The result of an op that one operand decides alone.
    fn absorbed(&self, op: Op, ty: Type, known: &[Known]) -> Option<u64> {
        let Type::Scalar(scalar) = ty else { return None };
        let absorbing = match op {
            Op::And => 0,
            Op::Mul if scalar.is_int() => 0,
            Op::Or => scalar.mask(),
            _ => return None,
        };
        known.contains(&Known::Constant([absorbing, 0, 0, 0])).then_some(absorbing)
    }
}

/// Writes down what was found.
struct Rewriter<'a> {
    function: &'a mut Function,
    facts: Implied,
    known: Side<ValueDef, Known>,
    reached: Side<InstDef, bool>,
    changed: bool,
}

impl Rewriter<'_> {
    /// Rewrites what is reached of a region; `unreachable` takes the place of the rest. The
    /// checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        let insts = self.function.region_insts(region);
        let reached = insts.iter().take_while(|&&inst| self.reached[inst]).count();
        let mut kept = Vec::new();
        for &inst in &insts[..reached] {
            if self.is_constant(inst) {
                self.changed = true;
                continue;
            }
            self.operands(inst);
            kept.push(inst);
            for inner in self.function.insts[inst].kind.regions() {
                self.region(inner);
            }
        }
        match insts[reached..] {
            [] => {}
            [last] if matches!(self.function.insts[last].kind, InstKind::Unreachable) => kept.push(last),
            [next, ..] => {
                let loc = self.function.insts[next].loc;
                kept.push(self.function.inst(InstKind::Unreachable, Vec::new(), loc));
                self.changed = true;
            }
        }
        self.function.regions[region].insts = kept;
    }

    /// Whether an instruction only gives a constant.
    fn is_constant(&self, inst: Inst) -> bool {
        let def = &self.function.insts[inst];
        match (&def.kind, def.results.as_slice()) {
            (InstKind::Op(..) | InstKind::Builtin(_) | InstKind::Load(_), &[result]) => {
                matches!((self.known[result], self.function.ty(result)), (Known::Constant(_), Type::Scalar(_)))
            }
            _ => false,
        }
    }

    fn operands(&mut self, inst: Inst) {
        let mut any = false;
        self.function.insts[inst].kind.for_each_operand(|value| any |= self.becomes(inst, value).is_some());
        if !any {
            return;
        }
        let mut kind = self.function.insts[inst].kind.clone();
        kind.map_operands(|value| match self.becomes(inst, value) {
            Some((scalar, bits)) => self.function.constant(scalar, bits),
            None => value,
        });
        self.function.insts[inst].kind = kind;
        self.changed = true;
    }

    /// The constant that an operand is and has not been.
    fn becomes(&self, inst: Inst, value: Value) -> Option<(Scalar, u64)> {
        let Type::Scalar(scalar) = self.function.ty(value) else { return None };
        if self.function.constant_bits(value).is_some() {
            return None;
        }
        let kind = &self.function.insts[inst].kind;
        let known = match kind {
            InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..) => self.known[value],
            _ => known_at(self.function, &self.facts, &self.known, inst, value),
        };
        match known {
            Known::Constant(lanes) => Some((scalar, lanes[0])),
            Known::Nothing | Known::Varies => None,
        }
    }
}

#[cfg(test)]
mod tests;
