//! Control flow: branches, switches, loops and what leaves them.
//!
//! A loop counts, in a parameter of its own, and every `continue` passes the next count; so
//! it ends. Who leaves a loop or the function early may do so only if no barrier waits for
//! it: from where invocations may have parted, only loops without barriers are named, and
//! nothing is left past the `floor` that a window of shared memory sets.

use super::build::{Gen, Open, Val};
use super::scalar;
use samebits_ir::ir::{Case, Region};
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type};

/// When a loop ends.
#[derive(Clone, Copy, PartialEq, Debug)]
enum End {
    /// The count is equal to the limit.
    Equal,
    /// The count is at least the limit.
    AtLeast,
    /// The count is no longer below the limit.
    NotBelow,
    /// A condition on data holds, or the count has come to the limit.
    Found,
}

impl Gen {
    fn types(&mut self, most: usize) -> Vec<Type> {
        (0..self.random.below(most + 1)).map(|_| self.ty()).collect()
    }

    /// A region that is filled and ends in a `yield` of these types, or elsewhere.
    fn region(&mut self, results: &[Type], uniform: bool, most: usize) -> (Region, Option<Vec<Val>>) {
        let region = self.b.region(&[]);
        self.b.enter(region);
        let before = std::mem::replace(&mut self.uniform, uniform);
        self.depth += 1;
        let yields = self.scope(|g| {
            g.body(most);
            if g.random.chance(50) {
                g.sink();
            }
            g.end_region(results)
        });
        self.depth -= 1;
        self.uniform = before;
        self.b.leave();
        (region, yields)
    }

    /// Ends a region; gives what it yields, if it does.
    fn end_region(&mut self, results: &[Type]) -> Option<Vec<Val>> {
        let often = if self.b.function().is_kernel() { 12 } else { 30 };
        if self.random.chance(often) && self.jump() {
            return None;
        }
        let vals: Vec<Val> = results.iter().map(|&ty| self.value(ty)).collect();
        self.b.yield_(&values(&vals));
        Some(vals)
    }

    /// Leaves a loop, continues it or returns, where that is allowed.
    fn jump(&mut self) -> bool {
        if self.may_return
            && (self.uniform || self.is_tail)
            && self.random.chance(if self.loops.is_empty() { 100 } else { 20 })
        {
            self.ret();
            return true;
        }
        let targets: Vec<usize> = (self.floor..self.loops.len()).filter(|&i| self.uniform || self.parts(i)).collect();
        let Some(&target) = self.random.pick(&targets) else { return false };
        let open = self.loops[target].clone();
        match open.next {
            Some(next) if self.random.chance(45) => {
                let mut args = next;
                for ty in open.params {
                    args.push(self.value(ty));
                }
                self.b.continue_(open.inst, &values(&args));
            }
            _ => {
                let args: Vec<Val> = open.results.iter().map(|&ty| self.value(ty)).collect();
                self.b.break_(open.inst, &values(&args));
            }
        }
        self.spend(1);
        true
    }

    /// Whether invocations may part in the loop of this index and all in it.
    fn parts(&self, loop_: usize) -> bool {
        self.loops[loop_..].iter().all(|open| !open.together)
    }

    /// Ends the function with values of its result types.
    pub fn ret(&mut self) {
        if let Some(end) = self.end.filter(|_| self.random.chance(75)) {
            self.give(end);
        }
        let results = self.results.clone();
        let vals: Vec<Val> = results.iter().map(|&ty| self.value(ty)).collect();
        self.b.ret_values(&values(&vals));
    }

    pub fn branch(&mut self) {
        let together = self.uniform && self.random.chance(50);
        let condition = self.condition(together);
        self.branch_on(condition, together);
    }

    /// An `if` of which both regions are filled.
    pub fn branch_on(&mut self, condition: Val, together: bool) {
        let together = together && condition.uniform && self.uniform;
        let results = self.types(2);
        self.spend(1);
        let (then, a) = self.region(&results, together, 4);
        let (otherwise, b) = if self.random.chance(70) {
            self.region(&results, together, 3)
        } else {
            let region = self.b.region(&[]);
            self.b.enter(region);
            let yields = self.scope(|g| {
                let vals: Vec<Val> = results.iter().map(|&ty| g.value(ty)).collect();
                g.b.yield_(&values(&vals));
                vals
            });
            self.b.leave();
            (region, Some(yields))
        };
        let given = self.b.if_else(condition.value, then, otherwise, &results);
        for (i, (value, ty)) in given.into_iter().zip(results).enumerate() {
            let same = |yields: &Option<Vec<Val>>| yields.as_ref().is_none_or(|vals| vals[i].uniform);
            let uniform = together && same(&a) && same(&b);
            self.keep(Val { value, ty, uniform });
        }
    }

    pub fn switch(&mut self) {
        let together = self.uniform && self.random.chance(40);
        let masked = self.random.chance(40);
        let selector = if together {
            self.uniform_u32()
        } else if masked {
            let (val, most) = (self.unknown(Type::U32), self.number(3));
            self.op(Op::And, &[val, most])
        } else {
            let scalar = if self.random.chance(15) { Scalar::Bool } else { self.integer() };
            self.unknown(Type::Scalar(scalar))
        };
        let together = together && selector.uniform;
        let Type::Scalar(scalar) = selector.ty else { return };
        let results = self.types(2);
        self.spend(1);
        let mut taken: Vec<u64> = Vec::new();
        let mut cases = Vec::new();
        for i in 0..1 + self.random.below(3) {
            let mut list = Vec::new();
            for _ in 0..1 + self.random.below(2) {
                let bits = if masked { i as u64 } else { scalar::bits(&mut self.random, scalar) };
                if !taken.contains(&bits) {
                    taken.push(bits);
                    list.push(bits);
                }
            }
            if !list.is_empty() {
                let (region, _) = self.region(&results, together, 3);
                cases.push(Case { values: list, region });
            }
        }
        let all = masked && !together && (0..4).all(|bits| taken.contains(&bits));
        let default = if all {
            let region = self.b.region(&[]);
            self.b.enter(region);
            self.b.unreachable();
            self.b.leave();
            region
        } else {
            self.region(&results, together, 2).0
        };
        let given = self.b.switch(selector.value, cases, default, &results);
        for (value, ty) in given.into_iter().zip(results) {
            self.keep(Val { value, ty, uniform: false });
        }
    }

    /// A loop; in a place where all invocations are, perhaps one that they run together.
    pub fn repeat(&mut self) {
        let together = self.uniform && self.random.chance(60);
        self.repeat_with(together, |g| g.body(4));
    }

    /// A loop of a few rounds with this in its body.
    pub fn repeat_with(&mut self, together: bool, fill: impl FnOnce(&mut Self)) {
        let scalar = if self.random.chance(60) { Scalar::U32 } else { self.integer() };
        let most = if self.times > 8 { 2 } else { 4 };
        let tests_first = self.random.chance(75);
        // What looks at the end of a round has run once before.
        let rounds = (self.random.below(most + 1) as u64).max(u64::from(!tests_first));
        let step = if self.random.chance(60) { 1 } else { 1 + self.random.below(3) as u64 };
        let end = if together {
            self.random.one_of([End::Equal, End::AtLeast, End::NotBelow])
        } else {
            self.random.one_of([End::Equal, End::AtLeast, End::NotBelow, End::Found])
        };
        let (start, limit, rounds) = self.range(scalar, end, rounds, step, together);
        let params = self.types(3);
        let swaps = params.len() > 1 && params[0] == params[1];
        let results = self.types(2);
        let mut initial = vec![start];
        for &ty in &params {
            let val = self.value(ty);
            initial.push(val);
        }
        let label = self.random.chance(60).then(|| format!("l{}", self.b.function().insts.len()));
        let depth = self.loops.len();
        let outer = (self.times, self.uniform);
        self.times = self.times.saturating_mul(rounds.max(1) as i64 + 1);
        self.uniform = together;
        self.spend(2);
        let (inst, given) = self.b.begin_loop(label.as_deref(), &values(&initial));
        self.depth += 1;
        let visible = self.pool.len();
        let mut now: Vec<Val> = Vec::new();
        for (i, (value, initial)) in given.into_iter().zip(&initial).enumerate() {
            let val = Val { value, ty: initial.ty, uniform: together && i == 0 };
            now.push(val);
            self.keep(val);
        }
        let count = now[0];
        let next = |g: &mut Self| {
            let by = g.constant(scalar, step);
            // No flag, since a flag may say that the counts differ.
            let value = g.b.op(Op::Add, &[count.value, by.value]);
            g.spend(1);
            g.keep(Val { value, ty: count.ty, uniform: count.uniform })
        };
        if tests_first {
            let is_done = self.is_done(end, count, limit);
            self.leave_if(is_done, inst, &results);
            let next = next(self);
            let open =
                Open { inst, next: Some(vec![next]), params: params.clone(), results: results.clone(), together };
            self.loops.push(open);
            fill(self);
            let mut args = vec![next];
            args.extend(self.passed(&params, &now, swaps));
            self.b.continue_(inst, &values(&args));
        } else {
            self.loops.push(Open { inst, next: None, params: params.clone(), results: results.clone(), together });
            fill(self);
            let next = next(self);
            let is_done = self.is_done(end, next, limit);
            self.close_at_end(is_done, inst, next, &params, &now, &results);
        }
        self.loops.truncate(depth);
        self.pool.truncate(visible);
        self.depth -= 1;
        (self.times, self.uniform) = outer;
        let given = self.b.end_loop(inst, &results);
        for (value, ty) in given.into_iter().zip(results) {
            self.keep(Val { value, ty, uniform: false });
        }
    }

    /// Where a loop's count begins and ends, and how many rounds that is at most.
    fn range(&mut self, scalar: Scalar, end: End, rounds: u64, step: u64, together: bool) -> (Val, Val, u64) {
        let mask = scalar.mask();
        if matches!(end, End::AtLeast | End::NotBelow) && self.random.chance(50) && scalar == Scalar::U32 {
            // A limit that only the launch, or an invocation, knows.
            let val = if together { self.uniform_u32() } else { self.unknown(Type::U32) };
            let most = self.number(3);
            // No flag, since it could part what goes together.
            let value = self.b.op(Op::And, &[val.value, most.value]);
            self.spend(1);
            let limit = self.keep(Val { value, ty: Type::U32, uniform: val.uniform });
            let start = self.number(0);
            return (start, limit, 3);
        }
        let start = match end {
            // The count may wrap where it need only be equal to the limit.
            End::Equal | End::Found if self.random.chance(35) => mask - self.random.below(4) as u64,
            End::AtLeast | End::NotBelow | End::Equal | End::Found => {
                let (least, most) = scalar.limits();
                let span = (rounds * step) as i128 + step as i128;
                let edge = self.random.one_of([0, 0, 0, least, most - span, 1]);
                edge.clamp(least, most - span) as u64
            }
        };
        let limit = start.wrapping_add(rounds * step);
        (self.constant(scalar, start & mask), self.constant(scalar, limit & mask), rounds)
    }

    /// Whether a loop has come to its end.
    fn is_done(&mut self, end: End, count: Val, limit: Val) -> Val {
        let op = match end {
            End::Equal | End::Found => Op::Eq,
            End::AtLeast => Op::Ge,
            End::NotBelow => Op::Lt,
        };
        let uniform = count.uniform && limit.uniform;
        let mut value = self.b.op(op, &[count.value, limit.value]);
        match end {
            End::NotBelow => value = self.b.op(Op::Not, &[value]),
            End::Found => {
                let found = self.unknown(Type::BOOL);
                value = self.b.op(Op::Or, &[found.value, value]);
            }
            End::Equal | End::AtLeast => {}
        }
        self.spend(2);
        self.keep(Val { value, ty: Type::BOOL, uniform: uniform && end != End::Found })
    }

    /// Leaves a loop if its end has come.
    fn leave_if(&mut self, is_done: Val, inst: samebits_ir::ir::Inst, results: &[Type]) {
        let then = self.b.region(&[]);
        self.b.enter(then);
        self.scope(|g| {
            let vals: Vec<Val> = results.iter().map(|&ty| g.value(ty)).collect();
            g.b.break_(inst, &values(&vals));
        });
        self.b.leave();
        let otherwise = self.b.region(&[]);
        self.b.enter(otherwise);
        self.b.yield_(&[]);
        self.b.leave();
        self.b.if_else(is_done.value, then, otherwise, &[]);
    }

    /// Ends the body of a loop that looks whether it is done at its end.
    fn close_at_end(
        &mut self,
        is_done: Val,
        inst: samebits_ir::ir::Inst,
        next: Val,
        params: &[Type],
        now: &[Val],
        results: &[Type],
    ) {
        if self.random.chance(50) {
            self.leave_if(is_done, inst, results);
            let mut args = vec![next];
            args.extend(self.passed(params, now, false));
            self.b.continue_(inst, &values(&args));
            return;
        }
        let then = self.b.region(&[]);
        self.b.enter(then);
        self.scope(|g| {
            let vals: Vec<Val> = results.iter().map(|&ty| g.value(ty)).collect();
            g.b.break_(inst, &values(&vals));
        });
        self.b.leave();
        let otherwise = self.b.region(&[]);
        self.b.enter(otherwise);
        self.scope(|g| {
            let mut args = vec![next];
            args.extend(g.passed(params, now, false));
            g.b.continue_(inst, &values(&args));
        });
        self.b.leave();
        self.b.if_else(is_done.value, then, otherwise, &[]);
        self.b.unreachable();
    }

    /// What the next round of a loop gets: often this round's values, exchanged, shifted or
    /// with something added.
    fn passed(&mut self, params: &[Type], now: &[Val], swaps: bool) -> Vec<Val> {
        let own = &now[1..];
        if swaps && self.random.chance(60) {
            let mut args = own.to_vec();
            args.swap(0, 1);
            return args;
        }
        let mut args = Vec::new();
        for (i, &ty) in params.iter().enumerate() {
            let lane = ty.lane().unwrap_or(Scalar::Bool);
            args.push(match self.random.below(4) {
                0 => own[i],
                1 if lane != Scalar::Bool => {
                    let other = self.value(ty);
                    let op = self.random.one_of([Op::Add, Op::Sub, Op::Mul]);
                    self.op(op, &[own[i], other])
                }
                2 => own.iter().copied().rfind(|val| val.ty == ty).unwrap_or(own[i]),
                _ => self.value(ty),
            });
        }
        args
    }
}

/// The ids of values.
pub(super) fn values(vals: &[Val]) -> Vec<samebits_ir::ir::Value> {
    vals.iter().map(|val| val.value).collect()
}
