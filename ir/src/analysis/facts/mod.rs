//! Value facts: ranges, known bits, bounds that a launch decides, and what follows from
//! them for memory accesses and loops.
//!
//! One walk in order of execution. What a condition says is known where it holds: inside
//! the branches of an `if`, in the cases of a `switch`, and after a branch that does not
//! come back. Parameters of loops are guessed from their first values and the loop's tests,
//! the body is walked under the guess, and every `continue` must agree with it; else a
//! weaker guess follows, and at last none. A fact about a value says nothing beyond the
//! point where it is known, save for [`Facts::of_value`], which holds wherever the value
//! exists.
//!
//! Calls have no facts; back ends and passes see none.

mod access;
pub mod launch;
mod refine;
#[cfg(test)]
mod tests;
mod transfer;
mod value;

pub use access::Verdict;
pub use value::{Conditions, Fact};

use super::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Function, Inst, InstDef, InstKind, ParamKind, Region, Root, Value, ValueDef};
use crate::ops::{Builtin, Op, Signature};
use crate::types::{Scalar, Type, Types};
use launch::{Condition, Launch, Poly, Symbol};
use transfer::Pool;
use value::Bound;

/// A walk over the body of a loop is made again at most while all walks together have seen
/// this many times the function's instructions; then loops have no guesses.
const EFFORT: usize = 12;

/// What is known about the values, accesses and loops of a function.
///
/// ```
/// use samebits_ir::analysis::facts::{Facts, Verdict};
/// use samebits_ir::{text::parse, check::check};
/// let text = "
/// func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32]) {
///   %i = global_id.x
///   %n = len @y
///   %inside = lt %i, %n
///   if %inside {
///     %v = load u32 @x[%i]
///     store @y[%i], %v
///   }
///   ret
/// }";
/// let checked = check(parse(text).map_err(|_| "text")?).map_err(|_| "kernel")?;
/// let (function, _) = checked.function(0).ok_or("a function")?;
/// let facts = Facts::of(&checked.module().types, function);
/// // The load needs `x` to be as long as `y`; the store needs nothing more.
/// let shown: Vec<String> = facts.conditions().iter().map(|c| c.shown(function)).collect();
/// assert_eq!(shown, ["x.len() >= y.len()"]);
/// let verdicts: Vec<_> = function.insts.ids().filter_map(|inst| facts.access(inst)).collect();
/// assert_eq!(verdicts, [&Verdict::IfLaunch(vec![0]), &Verdict::Proven]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug)]
pub struct Facts {
    values: Side<ValueDef, Option<Fact>>,
    decided: Side<ValueDef, Option<u64>>,
    accesses: Side<InstDef, Option<Verdict>>,
    bounded: Side<InstDef, Vec<bool>>,
    ends: Side<InstDef, bool>,
    conditions: Vec<Condition>,
}

impl Facts {
    /// The facts of a function in SSA form without calls.
    pub fn of(types: &Types, function: &Function) -> Self {
        let tree = Tree::of(function);
        let mut walk = Walk {
            types,
            function,
            budget: tree.insts().len() * EFFORT + 1000,
            tree,
            pool: Pool::default(),
            now: Side::new(None),
            log: Vec::new(),
            decided: Side::new(None),
            accesses: Side::new(None),
            bounded: Side::new(Vec::new()),
            joined: Side::new(None),
            guesses: Side::new(None),
            steps: Side::new(Vec::new()),
            ends: Side::new(false),
        };
        let mut scalars = function.regions[function.body].params.iter();
        for (index, param) in function.params.iter().enumerate() {
            let ParamKind::Scalar(ty) = param.kind else { continue };
            let Some(&value) = scalars.next() else { break };
            if let Type::Scalar(scalar) = ty
                && scalar.is_int()
                && !scalar.is_signed()
            {
                let mut fact = Fact::any(scalar);
                fact.add_bound(exactly(Poly::symbol(Symbol::Scalar(index as u32))));
                walk.now[value] = Some(fact);
            }
        }
        walk.region(function.body);
        walk.finish()
    }

    /// What holds of a value wherever it exists; nothing for what is no integer or `bool`.
    pub fn of_value(&self, value: Value) -> Option<&Fact> {
        self.values[value].as_ref()
    }

    /// The only value that an instruction's result can have there.
    pub fn decided(&self, value: Value) -> Option<u64> {
        self.decided[value]
    }

    /// Whether a load, store or atomic is in bounds; nothing for other instructions.
    pub fn access(&self, inst: Inst) -> Option<&Verdict> {
        self.accesses[inst].as_ref()
    }

    /// Whether the index of this position in the place of an access is below its own bound
    /// at every launch.
    pub fn is_bounded(&self, inst: Inst, index: usize) -> bool {
        self.bounded[inst].get(index).copied().unwrap_or(false)
    }

    /// Whether a loop is known to end.
    pub fn ends(&self, inst: Inst) -> bool {
        self.ends[inst]
    }

    /// The conditions that verdicts rest on, by number.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The numbers of the conditions that a launch fulfils, as bits.
    pub fn fulfilled(&self, launch: &Launch<'_>) -> u64 {
        self.conditions
            .iter()
            .enumerate()
            .fold(0, |bits, (i, condition)| bits | u64::from(condition.holds(launch)) << i)
    }
}

fn exactly(most: Poly) -> Bound {
    Bound { most, exact: true, conditions: Vec::new() }
}

fn at_most(most: Poly) -> Bound {
    Bound { most, exact: false, conditions: Vec::new() }
}

/// How much is guessed about the greatest value of a loop's parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    /// What a test of the loop compares it with.
    Tested,
    /// Its first value.
    First,
    /// Nothing.
    Nothing,
}

/// The guess about a loop's parameter.
#[derive(Clone, Debug)]
struct Guess {
    fact: Fact,
    stage: Stage,
    /// Whether the least value of the first value is part of it.
    least: bool,
    /// How many low bits are zero.
    zeros: u32,
}

struct Walk<'a> {
    types: &'a Types,
    function: &'a Function,
    tree: Tree,
    /// How many instructions may still be walked with guesses.
    budget: usize,
    pool: Pool,
    /// What is known where the walk is.
    now: Side<ValueDef, Option<Fact>>,
    /// What was known before each change that ends with its region.
    log: Vec<(Value, Option<Fact>)>,
    decided: Side<ValueDef, Option<u64>>,
    accesses: Side<InstDef, Option<Verdict>>,
    bounded: Side<InstDef, Vec<bool>>,
    /// The facts that the exits of an instruction brought so far.
    joined: Side<InstDef, Option<Vec<Option<Fact>>>>,
    guesses: Side<InstDef, Option<Vec<Guess>>>,
    /// For each parameter of a loop, whether every `continue` makes it greater without
    /// wrapping, and whether every one makes it less.
    steps: Side<InstDef, Vec<[bool; 2]>>,
    ends: Side<InstDef, bool>,
}

impl<'a> Walk<'a> {
    fn finish(self) -> Facts {
        let mut facts = Facts {
            values: self.now,
            decided: self.decided,
            accesses: self.accesses,
            bounded: self.bounded,
            ends: self.ends,
            conditions: Vec::new(),
        };
        access::number_conditions(&mut facts, &self.pool.list, self.tree.insts());
        facts
    }

    /// The scalar of a value that has facts.
    fn scalar(&self, value: Value) -> Option<Scalar> {
        match self.function.ty(value) {
            Type::Scalar(scalar) if !scalar.is_float() => Some(scalar),
            _ => None,
        }
    }

    /// What is known about a value here; nothing of a value that has no facts.
    fn fact(&self, value: Value) -> Option<Fact> {
        let scalar = self.scalar(value)?;
        if let Some(bits) = self.function.constant_bits(value) {
            return Some(Fact::constant(bits));
        }
        match &self.now[value] {
            Some(fact) if !fact.is_impossible() => Some(fact.clone()),
            _ => Some(Fact::any(scalar)),
        }
    }

    /// Sets what is known about a value until the region ends.
    fn learn(&mut self, value: Value, fact: Fact) {
        if self.function.constant_bits(value).is_none() && self.scalar(value).is_some() {
            self.log.push((value, self.now[value].take()));
            self.now[value] = Some(fact);
        }
    }

    fn forget(&mut self, mark: usize) {
        for (value, before) in self.log.drain(mark..).rev() {
            self.now[value] = before;
        }
    }

    /// The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        let mark = self.log.len();
        for &inst in &self.function.regions[region].insts {
            self.budget = self.budget.saturating_sub(1);
            self.inst(inst);
        }
        self.forget(mark);
    }

    fn inst(&mut self, inst: Inst) {
        let function = self.function;
        let def = &function.insts[inst];
        match &def.kind {
            InstKind::Op(op, args) => {
                if let &[result] = def.results.as_slice()
                    && let Some(fact) = self.op(*op, args, result)
                {
                    self.define(result, fact);
                }
            }
            InstKind::Builtin(builtin) => {
                if let &[result] = def.results.as_slice() {
                    let fact = self.builtin(*builtin);
                    self.define(result, fact);
                }
            }
            InstKind::Len(root) => {
                if let &[result] = def.results.as_slice() {
                    let fact = self.len(*root);
                    self.define(result, fact);
                }
            }
            InstKind::Load(place) | InstKind::Store(place, _) | InstKind::Atomic(_, place, ..) => {
                self.access(inst, place);
                for &result in &def.results {
                    self.now[result] = None;
                }
            }
            InstKind::If { condition, then, otherwise } => {
                self.joined[inst] = None;
                for (region, truth) in [(*then, true), (*otherwise, false)] {
                    let mark = self.log.len();
                    self.assume(*condition, truth);
                    self.region(region);
                    self.forget(mark);
                }
                self.take_joined(inst);
                // Where one branch does not come back, the other was taken.
                match (self.falls(*then), self.falls(*otherwise)) {
                    (true, false) => self.assume(*condition, true),
                    (false, true) => self.assume(*condition, false),
                    (true, true) | (false, false) => {}
                }
            }
            InstKind::Switch { selector, cases, default } => {
                self.joined[inst] = None;
                for case in cases {
                    let mark = self.log.len();
                    if let (Some(fact), Some(&least), Some(&most)) =
                        (self.fact(*selector), case.values.iter().min(), case.values.iter().max())
                    {
                        let listed = match case.values.as_slice() {
                            [one] => Fact::constant(*one),
                            _ => Fact { least, most, ..fact.clone() }.settled(),
                        };
                        self.learn(*selector, fact.meet(&listed));
                    }
                    self.region(case.region);
                    self.forget(mark);
                }
                self.region(*default);
                self.take_joined(inst);
            }
            InstKind::Loop { body, initial, .. } => self.repeat(inst, *body, initial),
            InstKind::Yield(values) => {
                let owner = self.tree.parent(inst).and_then(|region| self.tree.owner(region));
                if let Some(owner) = owner {
                    self.join(owner, values);
                }
            }
            InstKind::Break(target, values) => self.join(*target, values),
            InstKind::Continue(target, values) => self.again(*target, values),
            InstKind::Barrier | InstKind::Fence(..) | InstKind::Call { .. } => {}
            InstKind::Get(_) | InstKind::Set(..) | InstKind::Return(_) | InstKind::Unreachable => {}
        }
    }

    /// Sets what is known about a value where it is defined.
    fn define(&mut self, value: Value, fact: Fact) {
        if self.scalar(value).is_some() {
            self.decided[value] = fact.known();
            self.now[value] = Some(fact);
        }
    }

    /// Whether the end of a region of an `if` is reached.
    fn falls(&self, region: Region) -> bool {
        let last = self.function.regions[region].insts.last();
        last.is_some_and(|&last| matches!(self.function.insts[last].kind, InstKind::Yield(_)))
    }

    fn join(&mut self, owner: Inst, values: &[Value]) {
        let facts: Vec<Option<Fact>> = values.iter().map(|&value| self.fact(value)).collect();
        let joined = match self.joined[owner].take() {
            None => facts,
            Some(before) => {
                let both = before.into_iter().zip(facts);
                both.map(|(a, b)| Some(a?.join(&b?))).collect()
            }
        };
        self.joined[owner] = Some(joined);
    }

    /// The results of an instruction with regions, once all exits were walked.
    fn take_joined(&mut self, inst: Inst) {
        let joined = self.joined[inst].take().unwrap_or_default();
        for (i, &result) in self.function.insts[inst].results.iter().enumerate() {
            match joined.get(i).cloned().flatten() {
                Some(fact) => self.define(result, fact),
                None => {
                    self.decided[result] = None;
                    self.now[result] = None;
                }
            }
        }
    }

    fn op(&mut self, op: Op, args: &[Value], result: Value) -> Option<Fact> {
        let to = self.scalar(result)?;
        match op.info().signature {
            Signature::Select => {
                let (accept, reject) = (self.fact(*args.get(1)?)?, self.fact(*args.get(2)?)?);
                Some(match self.fact(args[0])?.known() {
                    Some(0) => reject,
                    Some(_) => accept,
                    None => accept.join(&reject),
                })
            }
            Signature::Cast => Some(match self.scalar(args[0]) {
                Some(from) => transfer::cast(from, to, &self.fact(args[0])?),
                None => Fact::any(to),
            }),
            Signature::Bitcast => Some(match self.scalar(args[0]) {
                Some(_) => self.fact(args[0])?,
                None => Fact::any(to),
            }),
            Signature::Lanes(..) => {
                let Some(ty) = self.scalar(args[0]) else { return Some(Fact::any(to)) };
                let facts: Option<Vec<Fact>> = args.iter().map(|&arg| self.fact(arg)).collect();
                Some(self.pool.op(op, ty, to, &facts?))
            }
            Signature::Fixed(..)
            | Signature::Construct
            | Signature::Extract
            | Signature::Insert
            | Signature::Reduce => Some(Fact::any(to)),
        }
    }

    fn builtin(&self, builtin: Builtin) -> Fact {
        let size = self.function.workgroup_size();
        let local = |axis: usize| Fact::up_to(Scalar::U32, u64::from(size[axis]).saturating_sub(1));
        let group = |axis: u8| Poly::symbol(Symbol::LastGroup(axis));
        let bounded = |most: u64, bound: Option<Bound>| {
            let mut fact = Fact::up_to(Scalar::U32, most);
            if let Some(bound) = bound {
                fact.add_bound(bound);
            }
            fact
        };
        // A launch has fewer than 2³² invocations on each axis, at least one group of them.
        let most = u64::from(u32::MAX) - 1;
        let group_id = |axis: u8| bounded(most, Some(at_most(group(axis))));
        let groups = |axis: u8| {
            let count = group(axis).plus(&Poly::number(1));
            let mut fact = bounded(u32::MAX.into(), count.map(exactly));
            fact.least = 1;
            fact
        };
        let global = |axis: u8| {
            let size = i128::from(size[usize::from(axis)]);
            let last = group(axis).times(&Poly::number(size)).and_then(|first| first.plus(&Poly::number(size - 1)));
            bounded(most, last.map(at_most))
        };
        match builtin {
            Builtin::GlobalIdX => global(0),
            Builtin::GlobalIdY => global(1),
            Builtin::GlobalIdZ => global(2),
            Builtin::LocalIdX => local(0),
            Builtin::LocalIdY => local(1),
            Builtin::LocalIdZ => local(2),
            Builtin::WorkgroupIdX => group_id(0),
            Builtin::WorkgroupIdY => group_id(1),
            Builtin::WorkgroupIdZ => group_id(2),
            Builtin::NumWorkgroupsX => groups(0),
            Builtin::NumWorkgroupsY => groups(1),
            Builtin::NumWorkgroupsZ => groups(2),
            Builtin::LocalIndex => {
                let product = size.iter().fold(1u64, |product, &axis| product.saturating_mul(axis.into()));
                Fact::up_to(Scalar::U32, product.saturating_sub(1))
            }
        }
    }

    fn len(&self, root: Root) -> Fact {
        match root {
            Root::Param(param) => {
                let mut fact = Fact::any(Scalar::U32);
                fact.add_bound(exactly(Poly::symbol(Symbol::Len(param))));
                fact
            }
            Root::Shared(_) | Root::Private(_) => {
                let element = self.function.root_element(self.types, root).and_then(|ty| self.types.layout(ty));
                match (self.function.root_size(self.types, root), element) {
                    (Some(size), Some(element)) => Fact::constant(u64::from(size / element.size.max(1))),
                    _ => Fact::any(Scalar::U32),
                }
            }
        }
    }

    // Loops.

    fn repeat(&mut self, inst: Inst, body: Region, initial: &[Value]) {
        let params = &self.function.regions[body].params;
        let first: Vec<Option<Fact>> = initial.iter().map(|&value| self.fact(value)).collect();
        let mut guesses: Vec<Guess> = params
            .iter()
            .enumerate()
            .map(|(i, &param)| {
                let (stage, zeros) = self.stage(inst, i, param);
                Guess { fact: Fact::any(Scalar::U32), stage, least: true, zeros }
            })
            .collect();
        loop {
            if self.budget == 0 {
                for guess in &mut guesses {
                    (guess.stage, guess.least, guess.zeros) = (Stage::Nothing, false, 0);
                }
            }
            for (i, (&param, guess)) in params.iter().zip(&mut guesses).enumerate() {
                if let (Some(scalar), Some(first)) = (self.scalar(param), first.get(i).cloned().flatten()) {
                    guess.fact = self.guessed(inst, param, scalar, &first, guess);
                    self.now[param] = Some(guess.fact.clone());
                } else {
                    self.now[param] = None;
                }
            }
            self.joined[inst] = None;
            self.steps[inst] = vec![[!self.tree.continues(inst).is_empty(); 2]; params.len()];
            self.guesses[inst] = Some(guesses.clone());
            self.region(body);
            let after = self.guesses[inst].take().unwrap_or_default();
            let kept = guesses.iter().zip(&after).all(|(before, after)| {
                (before.stage, before.least, before.zeros) == (after.stage, after.least, after.zeros)
            });
            if kept {
                break;
            }
            guesses = after;
        }
        self.ends[inst] = self.tree.continues(inst).is_empty() || self.steps[inst].iter().flatten().any(|&on| on);
        self.take_joined(inst);
    }

    /// The first guess about a parameter's greatest value and its low zeros, by what the
    /// `continue`s do with it.
    fn stage(&self, inst: Inst, index: usize, param: Value) -> (Stage, u32) {
        let (mut stage, mut zeros) = (Stage::Tested, u64::BITS);
        if self.tree.continues(inst).is_empty() {
            return (Stage::First, zeros);
        }
        for &again in self.tree.continues(inst) {
            let InstKind::Continue(_, values) = &self.function.insts[again].kind else { continue };
            let next = values.get(index).copied();
            if next == Some(param) {
                continue;
            }
            let step = match next.and_then(|next| self.op_of(next)) {
                Some((Op::Add, &[a, b])) if a == param || b == param => {
                    if a == param {
                        b
                    } else {
                        a
                    }
                }
                Some((Op::Sub, &[a, b])) if a == param => {
                    stage = Stage::First;
                    b
                }
                _ => return (Stage::Nothing, 0),
            };
            zeros = zeros.min(self.function.constant_bits(step).map_or(0, u64::trailing_zeros));
        }
        (stage, zeros)
    }

    /// The op that a value is the result of.
    fn op_of(&self, value: Value) -> Option<(Op, &'a [Value])> {
        let function = self.function;
        match &function.insts[self.tree.inst_of(value)?].kind {
            InstKind::Op(op, args) => Some((*op, args)),
            _ => None,
        }
    }

    fn guessed(&mut self, inst: Inst, param: Value, scalar: Scalar, first: &Fact, guess: &Guess) -> Fact {
        let mut fact = Fact::any(scalar);
        if guess.least {
            fact.least = first.least;
        }
        fact.zeros |= !(u64::MAX << first.trailing_zeros().min(guess.zeros).min(63));
        match guess.stage {
            Stage::Nothing => {}
            Stage::First => {
                fact.most = first.most;
                fact.bounds = first.bounds.iter().map(|bound| Bound { exact: false, ..bound.clone() }).collect();
            }
            Stage::Tested => {
                let Some(tested) = self.tested_against(inst, param) else { return fact.settled() };
                fact.most = first.most.max(tested.most);
                for bound in tested.bounds.iter().rev() {
                    // The first value must be at most that, too.
                    let mut conditions = bound.conditions.clone();
                    let number = Poly::number(first.most.into());
                    if self.pool.require(&number, &bound.most, &mut conditions) {
                        fact.add_bound(Bound { most: bound.most.clone(), exact: false, conditions });
                    }
                }
            }
        }
        fact.settled()
    }

    /// What is known of the other side of a comparison of a loop's parameter in its body.
    fn tested_against(&self, inst: Inst, param: Value) -> Option<Fact> {
        let InstKind::Loop { body, .. } = self.function.insts[inst].kind else { return None };
        for &inner in &self.function.regions[body].insts {
            let InstKind::Op(op, args) = &self.function.insts[inner].kind else { continue };
            let (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, &[a, b]) = (op, args.as_slice()) else {
                continue;
            };
            let other = match (a == param, b == param) {
                (true, false) => b,
                (false, true) => a,
                _ => continue,
            };
            let outside = match self.tree.def(other) {
                Def::Constant | Def::Argument(_) => true,
                Def::Result(def, _) => self.tree.parent(def).is_some_and(|region| !self.tree.is_within(region, body)),
                Def::Param(owner, _) => {
                    owner != inst && self.tree.parent(owner).is_some_and(|region| !self.tree.is_within(region, body))
                }
            };
            if outside {
                return self.fact(other);
            }
        }
        None
    }

    /// A `continue`: what it passes must agree with the guess.
    fn again(&mut self, target: Inst, values: &[Value]) {
        let InstKind::Loop { body, .. } = self.function.insts[target].kind else { return };
        let params = &self.function.regions[body].params;
        for (i, (&value, &param)) in values.iter().zip(params).enumerate() {
            let [up, down] = self.moves(value, param);
            if let Some(step) = self.steps[target].get_mut(i) {
                *step = [step[0] && up, step[1] && down];
            }
        }
        let facts: Vec<Option<Fact>> = values.iter().map(|&value| self.fact(value)).collect();
        let Some(guesses) = &mut self.guesses[target] else { return };
        for (guess, fact) in guesses.iter_mut().zip(facts) {
            let Some(fact) = fact else { continue };
            if guess.least && fact.least < guess.fact.least {
                guess.least = false;
            }
            if fact.trailing_zeros() < guess.fact.trailing_zeros() {
                guess.zeros = 0;
            }
            let below = |bound: &Bound| {
                fact.all_bounds().any(|known| {
                    known.conditions.iter().all(|condition| bound.conditions.contains(condition))
                        && bound.most.minus(&known.most).is_some_and(|rest| rest.is_never_negative())
                })
            };
            if guess.stage != Stage::Nothing && (fact.most > guess.fact.most || !guess.fact.bounds.iter().all(below)) {
                guess.stage = match guess.stage {
                    Stage::Tested => Stage::First,
                    Stage::First | Stage::Nothing => Stage::Nothing,
                };
            }
        }
    }

    /// Whether what a `continue` passes for a parameter is greater, or less, than it is,
    /// without having wrapped.
    fn moves(&self, value: Value, param: Value) -> [bool; 2] {
        let Some((op, args)) = self.op_of(value) else { return [false; 2] };
        let (&[a, b], Some(scalar)) = (args, self.scalar(param)) else { return [false; 2] };
        let step = match (op, a == param, b == param) {
            (Op::Add, true, false) | (Op::Sub, true, false) => b,
            (Op::Add, false, true) => a,
            _ => return [false; 2],
        };
        let (Some(at), Some(step)) = (self.fact(param), self.fact(step)) else { return [false; 2] };
        let fits = u128::from(at.most) + u128::from(step.most) <= scalar.mask().into();
        let up = op == Op::Add && step.least > 0 && fits;
        [up, op == Op::Sub && step.least > 0 && at.least >= step.most]
    }
}
