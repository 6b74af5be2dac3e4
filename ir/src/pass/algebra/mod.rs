//! Algebra: replacing ops by simpler ones that give the same value, bit for bit.
//!
//! Tables ([`table`]) list the rules, in the notation of [`rule`], and tests prove each by
//! evaluating both sides. Casts and lanes, whose types vary, are in [`shape`]. This file finds
//! where a rule applies.
//!
//! A replacement never has more instructions than it makes unnecessary: each additional
//! instruction must be balanced by an operand that has no other use. Each replacement makes its
//! value lighter (the weight is a column of the op table), so rewriting ends. A constant is
//! always the second operand of a commutative op.
//!
//! Only scalars are constants, so rules with constants never match vectors. Instructions with
//! the flag `nonuniform`, and what is computed from them, stay.

mod rule;
mod shape;
mod table;

use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::flags::Flags;
use crate::ir::{Function, Inst, InstKind, Region, Replaced, Value, ValueDef};
use crate::ops::Op;
use crate::scalar::{Lanes, nan};
use crate::types::{Scalar, Type};
use rule::{Constants, NAMES, Name, Rule, Term};
use std::sync::OnceLock;

/// How often one instruction is rewritten before the next one takes its turn.
const MAX_STEPS: usize = 32;

/// How deep rewriting follows what it made itself.
const MAX_DEPTH: usize = 8;

/// Rewrites the ops of a function in SSA form; says whether anything changed.
pub fn algebra(function: &mut Function) -> bool {
    let tree = Tree::of(function);
    let defs = Side::new(None);
    let replaced = Replaced::new();
    let mut pass =
        Algebra { tree, rules: by_op(), defs, replaced, kept: Vec::new(), depth: 0, changed: false, function };
    let body = pass.function.body;
    pass.region(body);
    pass.changed
}

/// The rules for an op, each with what its operands have to be.
type Rules = Vec<(Glance, &'static Rule)>;

/// The rules for each op; where several fit, the first counts.
fn by_op() -> &'static [Rules] {
    static BY_OP: OnceLock<Vec<Rules>> = OnceLock::new();
    BY_OP.get_or_init(|| {
        let mut rules = vec![Vec::new(); Op::ALL.iter().map(|&op| op as usize + 1).max().unwrap_or(0)];
        for rule in table::TABLES.iter().copied().flatten() {
            let terms = rule.args.iter().map(|&term| Glance::term(term));
            rules[rule.op as usize].push((terms.fold(Glance::NOTHING, Glance::and), rule));
        }
        rules
    })
}

/// What operands are, at a glance: constants, or which ops. Most rules do not fit by far,
/// and this says so at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Glance(u128);

impl Glance {
    const NOTHING: Self = Self(0);
    const CONSTANT: Self = Self(1 << 127);

    /// Several ops may look the same.
    const fn op(op: Op) -> Self {
        Self(1 << (op as u32 % 127))
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What stands for a term.
    const fn term(term: Term) -> Self {
        match term {
            Term::Name(name) if name.is_constant() => Self::CONSTANT,
            Term::Name(_) => Self::NOTHING,
            Term::Number(_) => Self::CONSTANT,
            Term::Op(op, _) => Self::op(op),
        }
    }

    /// Whether all of this is in another one.
    const fn is_in(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

/// What takes the place of an op.
#[derive(Clone, PartialEq, Debug)]
enum Rewrite {
    Value(Value),
    Op(Op, Vec<Value>),
}

struct Algebra<'a> {
    function: &'a mut Function,
    /// How often values were used before anything changed.
    tree: Tree,
    rules: &'static [Rules],
    /// The ops that were met so far, by their results.
    defs: Side<ValueDef, Option<Inst>>,
    /// What is used instead of a value.
    replaced: Replaced,
    /// What the region that is walked over keeps.
    kept: Vec<Inst>,
    /// How many of the instructions being rewritten were made for others.
    depth: usize,
    changed: bool,
}

impl Algebra<'_> {
    /// Walks in program order, so that operands are rewritten before what uses them. The
    /// checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        let outer = std::mem::take(&mut self.kept);
        for inst in self.function.region_insts(region) {
            self.replaced.follow(&mut self.function.insts[inst].kind);
            if !self.rewrite(inst) {
                self.kept.push(inst);
            }
            for inner in self.function.insts[inst].kind.regions() {
                self.region(inner);
            }
        }
        self.function.regions[region].insts = std::mem::replace(&mut self.kept, outer);
    }

    /// Rewrites an op as often as something fits; says whether it is another value now.
    fn rewrite(&mut self, inst: Inst) -> bool {
        if !matches!(self.function.insts[inst].kind, InstKind::Op(..))
            || self.function.flags[inst].has(Flags::NONUNIFORM)
        {
            return false;
        }
        let &[result] = self.function.insts[inst].results.as_slice() else { return false };
        for _ in 0..MAX_STEPS {
            match self.step(inst, result) {
                None => break,
                Some(Rewrite::Value(value)) => {
                    self.changed = true;
                    self.replaced.set(result, value);
                    return true;
                }
                Some(Rewrite::Op(op, args)) => {
                    self.changed = true;
                    self.function.insts[inst].kind = InstKind::Op(op, args);
                }
            }
        }
        self.defs[result] = Some(inst);
        false
    }

    fn step(&mut self, inst: Inst, result: Value) -> Option<Rewrite> {
        let InstKind::Op(op, args) = &self.function.insts[inst].kind else { return None };
        let (op, args) = (*op, args.clone());
        let constants = args.iter().filter(|&&arg| self.function.constant_bits(arg).is_some()).count();
        if constants == args.len() {
            return self.folded(op, &args).map(Rewrite::Value);
        }
        if let (true, &[a, b]) = (op.info().commutative, args.as_slice())
            && self.function.constant_bits(a).is_some()
        {
            return Some(Rewrite::Op(op, vec![b, a]));
        }
        if let Some(rewrite) = self.shape(op, &args, result) {
            return Some(rewrite);
        }
        let operands = args.iter().map(|&arg| self.glance(arg)).fold(Glance::NOTHING, Glance::and);
        for &(needed, rule) in &self.rules[op as usize] {
            if !needed.is_in(operands) {
                continue;
            }
            // Each of its commutative ops is tried in both orders.
            for order in 0..1u32 << rule.orders() {
                if let Some(found) = self.matched(rule, &args, order)
                    && let Some(rewrite) = self.replacement(rule, &found, inst, result)
                {
                    return Some(rewrite);
                }
            }
        }
        None
    }

    /// The op that gives a value, if it is known by now.
    fn op_of(&self, value: Value) -> Option<(Op, &[Value])> {
        match &self.function.insts[self.defs[value]?].kind {
            InstKind::Op(op, args) => Some((*op, args)),
            _ => None,
        }
    }

    fn glance(&self, value: Value) -> Glance {
        if self.function.constant_bits(value).is_some() {
            return Glance::CONSTANT;
        }
        self.op_of(value).map_or(Glance::NOTHING, |(op, _)| Glance::op(op))
    }

    /// What the names of a rule stand for, if it fits an op with these operands. A bit of
    /// `order` says for each commutative op of the rule whether its operands are exchanged.
    fn matched(&self, rule: &'static Rule, args: &[Value], order: u32) -> Option<Found> {
        let mut found = Found { order, ..Found::default() };
        if !self.match_args(rule.op, rule.args, args, &mut found) {
            return None;
        }
        let lane = found.ty?.lane()?;
        let bits = |name: Name| found.values[name as usize].and_then(|value| self.function.constant_bits(value));
        let [a, b, i, j] = [Name::A, Name::B, Name::I, Name::J].map(|name| bits(name).unwrap_or(0));
        let holds = rule.condition.is_none_or(|condition| condition(Constants { ty: lane, a, b, i, j }));
        (rule.class.contains(lane) && holds).then_some(found)
    }

    fn match_args(&self, op: Op, terms: &'static [Term], args: &[Value], found: &mut Found) -> bool {
        match (terms, args) {
            ([first, second], &[a, b]) if op.info().commutative => {
                let exchanged = found.order & 1 != 0;
                found.order >>= 1;
                let (a, b) = if exchanged { (b, a) } else { (a, b) };
                self.match_term(first, a, found) && self.match_term(second, b, found)
            }
            _ => {
                terms.len() == args.len()
                    && terms.iter().zip(args).all(|(term, &arg)| self.match_term(term, arg, found))
            }
        }
    }

    fn match_term(&self, term: &'static Term, value: Value, found: &mut Found) -> bool {
        match *term {
            Term::Name(name) => {
                if let Some(bound) = found.values[name as usize] {
                    return bound == value;
                }
                if name.is_constant() && self.function.constant_bits(value).is_none()
                    || name == Name::K && !self.is_canonical(value)
                    || name.is_of_type() && !found.is_about(self.function.ty(value))
                {
                    return false;
                }
                found.values[name as usize] = Some(value);
                true
            }
            Term::Number(number) => match (self.function.constant_bits(value), self.function.ty(value)) {
                (Some(bits), Type::Scalar(scalar)) => {
                    let fits = number.is_bool() && scalar == Scalar::Bool
                        || !number.is_bool() && found.is_about(Type::Scalar(scalar));
                    fits && bits == number.bits(scalar)
                }
                _ => false,
            },
            Term::Op(op, terms) => match self.op_of(value) {
                Some((is, args)) if is == op => {
                    found.ops.push((term, value));
                    self.match_args(op, terms, args, found)
                }
                _ => false,
            },
        }
    }

    /// Whether a float that is a NaN is the canonical one.
    fn is_canonical(&self, value: Value) -> bool {
        let Some(lane) = self.function.ty(value).lane().filter(|lane| lane.is_float()) else { return false };
        if let Some(bits) = self.function.constant_bits(value) {
            let is_nan = Op::IsNan.eval(&[Type::Scalar(lane)], Type::BOOL, &[[bits, 0, 0, 0]])[0] != 0;
            return !is_nan || nan(lane) == Some(bits);
        }
        // A cast between equal types is nothing.
        let converts = |args: &[Value]| args.iter().all(|&arg| self.function.ty(arg) != self.function.ty(value));
        self.op_of(value).is_some_and(|(op, args)| !op.keeps_nan_bits() && (op != Op::Cast || converts(args)))
    }

    /// What a rule makes of what it fits, if that has not more instructions.
    fn replacement(&mut self, rule: &'static Rule, found: &Found, inst: Inst, result: Value) -> Option<Rewrite> {
        let reused = |term: &Term| found.ops.iter().any(|(op, _)| *op == term);
        let gone = found.ops.iter().filter(|&&(_, value)| self.tree.uses(value) == 1).count();
        if needed(rule.to, &reused) > 1 + gone || !can_be_built(rule.to, found.ty?, self.function.ty(result), true) {
            return None;
        }
        match rule.to {
            Term::Number(number) => {
                let Type::Scalar(scalar) = self.function.ty(result) else { return None };
                Some(Rewrite::Value(self.function.constant(scalar, number.bits(scalar))))
            }
            Term::Name(name) => found.values[name as usize].map(Rewrite::Value),
            Term::Op(op, terms) => {
                if let Some(&(_, value)) = found.ops.iter().find(|(term, _)| **term == rule.to) {
                    return Some(Rewrite::Value(value));
                }
                let args = self.built_all(terms, found, inst)?;
                Some(match self.folded(op, &args) {
                    Some(value) => Rewrite::Value(value),
                    None => Rewrite::Op(op, args),
                })
            }
        }
    }

    fn built_all(&mut self, terms: &'static [Term], found: &Found, inst: Inst) -> Option<Vec<Value>> {
        terms.iter().map(|term| self.built(term, found, inst)).collect()
    }

    /// The value of a term, with the instructions that it needs.
    fn built(&mut self, term: &'static Term, found: &Found, inst: Inst) -> Option<Value> {
        match *term {
            Term::Name(name) => found.values[name as usize],
            Term::Number(number) => {
                let scalar = number.scalar(found.ty?.lane()?);
                Some(self.function.constant(scalar, number.bits(scalar)))
            }
            Term::Op(op, terms) => {
                if let Some(&(_, value)) = found.ops.iter().find(|(known, _)| *known == term) {
                    return Some(value);
                }
                let args = self.built_all(terms, found, inst)?;
                match self.folded(op, &args) {
                    Some(value) => Some(value),
                    None => self.emit(op, args, inst),
                }
            }
        }
    }

    /// The constant that an op on constants is.
    fn folded(&mut self, op: Op, args: &[Value]) -> Option<Value> {
        let lanes: Option<Vec<Lanes>> =
            args.iter().map(|&arg| self.function.constant_bits(arg).map(|bits| [bits, 0, 0, 0])).collect();
        let types: Vec<Type> = args.iter().map(|&arg| self.function.ty(arg)).collect();
        let (lanes, ty) = (lanes?, op.result(&types, None)?);
        let Type::Scalar(scalar) = ty else { return None };
        let bits = op.eval(&types, ty, &lanes)[0];
        Some(self.function.constant(scalar, bits))
    }

    /// A new instruction before the one that is rewritten.
    fn emit(&mut self, op: Op, args: Vec<Value>, inst: Inst) -> Option<Value> {
        let types: Vec<Type> = args.iter().map(|&arg| self.function.ty(arg)).collect();
        let ty = op.result(&types, None)?;
        let loc = self.function.insts[inst].loc;
        let (new, value) = self.function.made(InstKind::Op(op, args), ty, loc);
        // What was made is rewritten in turn, so that nothing is left for another run.
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            let gone = self.rewrite(new);
            self.depth -= 1;
            if gone {
                return self.replaced.get(value);
            }
        }
        self.defs[value] = Some(new);
        self.kept.push(new);
        Some(value)
    }
}

/// How many instructions a term needs beside those that are there.
fn needed(term: Term, reused: &impl Fn(&Term) -> bool) -> usize {
    match term {
        Term::Op(_, args) if !term.is_constant() && !reused(&term) => {
            1 + args.iter().map(|arg| needed(*arg, reused)).sum::<usize>()
        }
        Term::Name(_) | Term::Number(_) | Term::Op(..) => 0,
    }
}

/// Whether the numbers in a term exist: there is no constant of a vector type. One that is
/// the whole replacement has the type of the result.
fn can_be_built(term: Term, ty: Type, result: Type, whole: bool) -> bool {
    match term {
        Term::Name(_) => true,
        Term::Number(_) => matches!(if whole { result } else { ty }, Type::Scalar(_)),
        Term::Op(_, args) => args.iter().all(|arg| can_be_built(*arg, ty, result, false)),
    }
}

/// What the names of a rule stand for.
#[derive(Clone, Default)]
struct Found {
    values: [Option<Value>; NAMES],
    /// The ops below the outermost one.
    ops: Vec<(&'static Term, Value)>,
    /// The type that the rule is about.
    ty: Option<Type>,
    /// Which commutative ops that are still to come have their operands exchanged.
    order: u32,
}

impl Found {
    /// Whether the rule is about this type; the first one that is met decides.
    fn is_about(&mut self, ty: Type) -> bool {
        *self.ty.get_or_insert(ty) == ty
    }
}

#[cfg(test)]
mod tests;
