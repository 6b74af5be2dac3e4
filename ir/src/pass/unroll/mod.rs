//! Unrolling: the body of a loop several times, one after the other.
//!
//! A loop with a known number of rounds becomes that many copies of its body, if they are few
//! and small or the source asks for it. In each copy the counters are constants. So folding
//! removes the branches that end the loop, and indices of arrays become constants. Around the
//! copies remains a loop that runs once, for the `break`s of the body. A `continue` at the end
//! of the body simply ends the copy. Several `continue`s are brought [together](tails) by
//! `if`s, or else leave a loop around their copy that runs once too. `once` removes those loops
//! that then have a single exit.
//!
//! Other loops get the body several times in each round. Every copy can leave the loop, so the
//! number of rounds need not be known, and there are no rounds left over. If the number is
//! known, only one of the copies needs the test. If it is not, back ends for devices do better with
//! most loops: they make several [rounds](mod@rounds) at a time, asked or not.
//!
//! Inner loops come first. A loop around one that was changed waits for the next run, when
//! folding has simplified the copies. Effects never move: everything happens as often and in
//! the same order as before.

mod asked;
mod copy;
mod measure;
mod rounds;
mod tails;

pub use asked::unmet;
pub use rounds::rounds;

use crate::analysis::tree::Tree;
use crate::analysis::trips::{Count, Fires, MAX_CONTINUES, Test, Trips};
use crate::flags::Unroll;
use crate::ir::{Function, Inst, InstKind, MAX_NESTING, Region, RegionDef, Value};
use crate::loc::Loc;
use copy::{Copier, Next};
use measure::{Measure, Measurer};
use tails::Tails;

/// The most instructions that a function has after unrolling that nobody asked for.
const MAX_SIZE: usize = 16_384;
/// The most instructions that a function has after unrolling that was asked for.
pub const MAX_SIZE_ASKED: usize = 32_768;
/// The most rounds that become copies without being asked for: 64 and the one that leaves.
const MAX_ROUNDS: u64 = 65;
/// The most instructions that are left of all copies of a body.
const MAX_LEFT: usize = 512;
/// The same of a body with a loop in it, which takes its time anyway.
const MAX_LEFT_AROUND: usize = 96;
/// The same of a body that indexes a private array by a counter. An array whose indices are
/// constants becomes values, which is worth more than anything else.
const MAX_LEFT_INDEXED: usize = 2_048;
/// The most that compiling what becomes much code may [cost](measure) in all copies of a body.
/// Eight ballots are as much, or sixteen sums of `f64`, which a driver takes a second or two for.
const MAX_COST: usize = 64;
/// A loop has its body several times if it has this many rounds …
const MIN_ROUNDS: u64 = 32;
/// … and no more than so many instructions are left of its body.
const MAX_LEFT_SEVERAL: usize = 16;
/// How often it then has it.
const COPIES: u32 = 4;

/// Unrolls the loops of a function in SSA form for which it is worth it or asked; says
/// whether anything changed.
pub fn unroll(function: &mut Function) -> bool {
    run(function, Unasked::Small)
}

/// The same for a processor, where a loop costs little: unrolls the loops for which it is asked, and small
/// ones with private arrays, which may become values then.
pub fn unroll_arrays(function: &mut Function) -> bool {
    run(function, Unasked::Arrays)
}

fn run(function: &mut Function, unasked: Unasked) -> bool {
    let tree = Tree::of(function);
    let trips = Trips::of(function, &tree);
    let mut judge = Judge { unasked, ..Judge::new(&tree, &trips, function) };
    let body = function.body;
    let mut pass = Unroller { judge: &mut judge, copier: Copier::new(function), changed: false };
    pass.region(body, 0);
    pass.changed
}

/// Why a loop cannot be unrolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Obstacle {
    /// The number of rounds is not known.
    Rounds,
    /// More `continue`s start the next round than are looked at.
    Jumps,
    /// The function would be too long.
    Size,
    /// Values that are now the same in all invocations would seem to differ where a
    /// barrier depends on them.
    Barriers,
    /// Regions would be nested too deep.
    Nesting,
}

/// What is done with a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plan {
    /// Nothing.
    Keep,
    /// It is left as it is and runs once, so a request to unroll it is met.
    RunsOnce,
    /// A copy for each round.
    Rounds(u64),
    /// So many copies in each round.
    Copies(u32),
}

/// The loops that are unrolled though nobody asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unasked {
    /// Small ones.
    Small,
    /// Those in which private arrays are accessed.
    Arrays,
}

/// How the copy of a body leads to the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Link {
    /// The only `continue` ends the body.
    Follow,
    /// `if`s bring the `continue`s together.
    Merge,
    /// The `continue`s leave a loop around the copy.
    Leave,
}

/// Decides what is done with loops.
struct Judge<'a> {
    tree: &'a Tree,
    trips: &'a Trips,
    measurer: Measurer,
    tails: Tails,
    /// The instructions of the function.
    size: usize,
    /// Whether the function has a barrier or what waits like one.
    barrier: bool,
    unasked: Unasked,
}

impl<'a> Judge<'a> {
    fn new(tree: &'a Tree, trips: &'a Trips, function: &Function) -> Self {
        let waits = |kind: &InstKind| matches!(kind, InstKind::Barrier | InstKind::Subgroup(..));
        let barrier = tree.insts().iter().any(|&inst| waits(&function.insts[inst].kind));
        Self {
            tree,
            trips,
            measurer: Measurer::new(),
            tails: Tails::new(),
            size: tree.insts().len(),
            barrier,
            unasked: Unasked::Small,
        }
    }

    /// What is to be done with a loop that is nested so deep, and the instructions that it
    /// costs.
    fn plan(&mut self, function: &Function, inst: Inst, depth: usize) -> Result<(Plan, usize), Obstacle> {
        let InstKind::Loop { body, initial, .. } = &function.insts[inst].kind else { return Ok((Plan::Keep, 0)) };
        let asked = function.unroll[inst].map(|(unroll, _)| unroll);
        let continues = self.tree.continues(inst);
        if continues.is_empty() {
            return Ok((Plan::RunsOnce, 0));
        }
        if matches!(asked, Some(Unroll::Never | Unroll::By(0 | 1))) {
            return Ok((Plan::Keep, 0));
        }
        if asked == Some(Unroll::Full) && continues.len() > MAX_CONTINUES {
            return Err(Obstacle::Jumps);
        }
        let rounds = match self.trips.rounds(inst) {
            Count::Exactly(rounds) | Count::AtMost(rounds) => Some(rounds),
            Count::Unknown => None,
        };
        if asked.is_none() && rounds.is_none() {
            return Ok((Plan::Keep, 0));
        }
        // Back ends for devices do what is asked, as [`rounds`].
        if rounds.is_none() && rounds::applies(function, self.tree, self.trips, inst) {
            return Ok((Plan::Keep, 0));
        }
        let measure = self.measurer.measure(function, *body, initial, continues);
        let plan = match (asked, rounds) {
            (Some(Unroll::Full), None) => return Err(Obstacle::Rounds),
            (Some(Unroll::Full), Some(rounds)) => Plan::Rounds(rounds),
            (Some(Unroll::By(copies)), Some(rounds)) if rounds <= copies.into() => Plan::Rounds(rounds),
            (Some(Unroll::By(copies)), _) => Plan::Copies(copies),
            (Some(Unroll::Never), _) | (None, None) => Plan::Keep,
            (None, Some(_)) if self.unasked == Unasked::Arrays && !measure.private => Plan::Keep,
            (None, Some(rounds)) => match worthwhile(&measure, rounds) {
                // A back end does better: it asks once for several rounds.
                Plan::Copies(_) if !measure.acts && matches!(self.trips.rounds(inst), Count::AtMost(_)) => Plan::Keep,
                plan => plan,
            },
        };
        let copies = match plan {
            Plan::Keep | Plan::RunsOnce => return Ok((plan, 0)),
            Plan::Rounds(rounds) => rounds,
            Plan::Copies(copies) => copies.into(),
        };
        // Each copy may have a loop around it.
        let cost = usize::try_from(copies).unwrap_or(usize::MAX).saturating_mul(measure.size + 1);
        let most = if asked.is_some() { MAX_SIZE_ASKED } else { MAX_SIZE };
        if self.size.saturating_add(cost) > most {
            return Err(Obstacle::Size);
        }
        let (link, deeper) = self.link(function, inst, *body);
        // It may hide that all reach a barrier. Where somebody asked for it, that is seen later.
        if link == Link::Leave && self.barrier && asked.is_none() {
            return Ok((Plan::Keep, 0));
        }
        if deeper > 0 && depth + measure.depth + deeper + 1 > MAX_NESTING {
            return Err(Obstacle::Nesting);
        }
        Ok((plan, cost))
    }

    /// How a copy leads to the next one, and how much deeper it is nested for that.
    fn link(&mut self, function: &Function, inst: Inst, body: Region) -> (Link, usize) {
        let last = function.regions[body].insts.last().copied();
        if matches!(self.tree.continues(inst), &[only] if Some(only) == last) {
            return (Link::Follow, 0);
        }
        match self.tails.look_at(function, self.tree, inst, body) {
            Some(deeper) => (Link::Merge, deeper),
            None => (Link::Leave, 1),
        }
    }
}

/// What is done with a loop that has a known number of rounds and no `#[unroll]`.
fn worthwhile(measure: &Measure, rounds: u64) -> Plan {
    let most = match (measure.indexes, measure.loops) {
        (true, _) => MAX_LEFT_INDEXED,
        (false, true) => MAX_LEFT_AROUND,
        (false, false) => MAX_LEFT,
    };
    let all = usize::try_from(rounds).unwrap_or(usize::MAX).saturating_mul(measure.left);
    // One round leaves.
    let copies = usize::try_from(rounds.saturating_sub(1)).unwrap_or(usize::MAX);
    if rounds <= MAX_ROUNDS && all <= most && copies.saturating_mul(measure.cost) <= MAX_COST {
        return Plan::Rounds(rounds);
    }
    let is_cheap = measure.cost * COPIES as usize <= MAX_COST / 2;
    let small = measure.left <= MAX_LEFT_SEVERAL && !measure.loops && !measure.waits && is_cheap;
    if small && rounds >= MIN_ROUNDS { Plan::Copies(COPIES) } else { Plan::Keep }
}

/// Whether a test is known not to end its loop in this one of several copies.
fn stays(test: &Test, rounds: Count, copy: u64, copies: u64) -> bool {
    let (Count::Exactly(rounds) | Count::AtMost(rounds)) = rounds else { return false };
    let last = rounds.saturating_sub(1);
    test.exact
        && match test.fires {
            Fires::Never => true,
            // There is no such round any more.
            Fires::In(round) if round > last => true,
            // The copies take turns.
            Fires::In(round) => round == last && round % copies != copy,
            Fires::Unknown => false,
        }
}

/// What the copies of a loop's body are made of.
struct Template {
    params: Vec<Value>,
    insts: Vec<Inst>,
    initial: Vec<Value>,
    label: Option<Box<str>>,
    link: Link,
    loc: Loc,
}

struct Unroller<'a, 'j> {
    judge: &'j mut Judge<'a>,
    copier: Copier<'a>,
    changed: bool,
}

impl Unroller<'_, '_> {
    /// Goes over a region that is nested so deep; says whether a loop in it was copied. The
    /// checks limit how deep regions are nested.
    fn region(&mut self, region: Region, depth: usize) -> bool {
        let mut copied = false;
        for inst in self.copier.function.region_insts(region) {
            let kind = &self.copier.function.insts[inst].kind;
            let is_loop = matches!(kind, InstKind::Loop { .. });
            let mut inside = false;
            for inner in kind.regions() {
                inside |= self.region(inner, depth + 1);
            }
            if is_loop && !inside {
                inside = self.loop_(inst, depth);
            }
            copied |= inside;
        }
        self.changed |= copied;
        copied
    }

    fn loop_(&mut self, inst: Inst, depth: usize) -> bool {
        let Ok((plan, cost)) = self.judge.plan(self.copier.function, inst, depth) else { return false };
        let copied = match plan {
            Plan::Keep => return false,
            Plan::RunsOnce => {
                if self.copier.function.unroll[inst].is_some() {
                    self.copier.function.unroll[inst] = None;
                }
                return false;
            }
            Plan::Rounds(rounds) => self.all(inst, rounds),
            Plan::Copies(copies) => self.several(inst, copies),
        };
        self.judge.size += cost;
        copied
    }

    /// Puts a copy for each round into the loop, which then runs once.
    fn all(&mut self, inst: Inst, rounds: u64) -> bool {
        let Some(template) = self.template(inst) else { return false };
        let known = self.judge.trips.get(inst);
        let out = self.copies(inst, &template, (rounds, Next::Never), |copier, round| {
            for counter in known.map_or(&[][..], |known| &known.counters) {
                if let Some(bits) = counter.bits_in(copier.function, round) {
                    let constant = copier.function.constant(counter.scalar, bits);
                    copier.set(counter.param, constant);
                }
            }
        });
        let function = &mut *self.copier.function;
        let body = function.regions.push(RegionDef { params: Vec::new(), insts: out });
        function.insts[inst].kind = InstKind::Loop { body, initial: Vec::new(), label: template.label };
        if function.unroll[inst].is_some() {
            function.unroll[inst] = None;
        }
        true
    }

    /// Puts several copies into the loop.
    fn several(&mut self, inst: Inst, copies: u32) -> bool {
        let Some(template) = self.template(inst) else { return false };
        let known = self.judge.trips.get(inst);
        let out = self.copies(inst, &template, (copies.into(), Next::Again), |copier, copy| {
            let Some(known) = known else { return };
            for test in &known.tests {
                let condition = stays(test, known.rounds, copy, copies.into()).then_some(!test.leaves_if);
                copier.settle(test.branch, condition);
            }
        });
        let function = &mut *self.copier.function;
        let body = function.regions.push(RegionDef { params: template.params, insts: out });
        function.insts[inst].kind = InstKind::Loop { body, initial: template.initial, label: template.label };
        // Once is enough.
        let loc = function.unroll[inst].map_or(template.loc, |(_, loc)| loc);
        function.unroll[inst] = Some((Unroll::Never, loc));
        true
    }

    /// So many copies one after the other, of which the last one goes on as it is told. `know` says
    /// what is known in a copy.
    fn copies(
        &mut self,
        inst: Inst,
        template: &Template,
        (count, last): (u64, Next),
        know: impl Fn(&mut Copier<'_>, u64),
    ) -> Vec<Inst> {
        let first = if let Next::Again = last { &template.params } else { &template.initial };
        let (mut args, mut out) = (first.clone(), Vec::new());
        for copy in 0..count {
            for (&param, &arg) in template.params.iter().zip(&args) {
                self.copier.set(param, arg);
            }
            know(&mut self.copier, copy);
            if copy + 1 == count {
                self.copier.begin(inst, last);
                out.extend(self.copier.insts(&template.insts));
            } else {
                args = self.copy(inst, template, &mut out);
            }
        }
        out
    }

    fn template(&mut self, inst: Inst) -> Option<Template> {
        let function = &*self.copier.function;
        let InstKind::Loop { body, initial, label } = function.insts[inst].kind.clone() else { return None };
        let RegionDef { params, insts } = function.regions[body].clone();
        let (link, _) = self.judge.link(function, inst, body);
        Some(Template { params, insts, initial, label, link, loc: function.insts[inst].loc })
    }

    /// Appends a copy that another one follows; gives what it passes on for the parameters.
    fn copy(&mut self, inst: Inst, template: &Template, out: &mut Vec<Inst>) -> Vec<Value> {
        let (copier, params) = (&mut self.copier, &template.params);
        if template.link != Link::Leave {
            copier.begin(inst, Next::Never);
            let passed = copier.merged(&self.judge.tails, (inst, params), &template.insts, None, out);
            return passed.unwrap_or_else(|| params.clone());
        }
        let around = copier.push(InstKind::Unreachable, Vec::new(), template.loc);
        copier.begin(inst, Next::Leave(around));
        let insts = copier.insts(&template.insts);
        let results: Vec<Value> = params.iter().map(|&param| copier.fresh(param)).collect();
        let body = copier.function.regions.push(RegionDef { params: Vec::new(), insts });
        let def = &mut copier.function.insts[around];
        def.kind = InstKind::Loop { body, initial: Vec::new(), label: None };
        def.results.clone_from(&results);
        out.push(around);
        results
    }
}

#[cfg(test)]
mod tests;
