//! The walk through a function that finds its facts.
//!
//! A walk follows the order of execution. At each point it knows what the definitions say,
//! refined by the conditions around. A refinement is undone at the end of its region; it stays
//! if the other way does not lead out.
//!
//! The parameters of a loop are first assumed to be what their initial values allow. Walk by
//! walk the assumptions are weakened, until a whole walk contradicts none; then they hold. Two
//! more walks narrow them, which is allowed because each walk starts from assumptions that
//! hold. The number of walks is limited; beyond it nothing is assumed.

use super::bound::{self, Bounds, Known};
use super::fact::Fact;
use super::given::Given;
use super::loops::Loop;
use super::order::Order;
use super::poly::{Poly, Symbol};
use super::{Condition, Facts, Wrapping, transfer};
use crate::analysis::tree::{Def, Tree};
use crate::arena::{Side, Sparse};
use crate::ir::{Case, Elements, Function, Inst, InstDef, InstKind, ParamKind, Place, Region, Root, Value, ValueDef};
use crate::ops::{Builtin, Op, SUBGROUP_SIZE};
use crate::types::{Scalar, Type, Types};
use std::collections::HashMap;

/// How many walks may weaken assumptions.
const WEAKENING: usize = 10;
/// How many walks narrow them.
const NARROWING: usize = 2;
/// How many operands of operands are looked at again under a new condition.
const REFRESH: usize = 4;
/// What is known at a point.
#[derive(Clone, Default, Debug)]
pub(super) struct State {
    pub fact: Option<Fact>,
    pub bounds: Bounds,
}

/// A refinement that can be undone.
struct Undo {
    value: Value,
    before: State,
    epoch: u32,
}

/// What outlives a region that only one way leads out of.
#[derive(Clone, Default, Debug)]
pub(super) struct Learned {
    states: Vec<(Value, State)>,
    order: Vec<Order>,
}

/// How far refinements had come when a region began.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Mark {
    undo: usize,
    order: usize,
}

/// What leaves an `if`, `switch` or `loop`.
#[derive(Clone, Default, Debug)]
struct Exits {
    /// How many ways there are.
    ways: usize,
    results: Vec<State>,
    /// What is known on the way out, if there is one.
    learned: Learned,
}

pub(super) struct Flow<'a> {
    pub types: &'a Types,
    pub function: &'a Function,
    pub tree: &'a Tree,
    /// What is known of every launch.
    pub given: Given,
    /// What is known now.
    pub states: Side<ValueDef, State>,
    undo: Vec<Undo>,
    /// What the loads from tables may give, by the table, the offset, the step and the type.
    tables: HashMap<(u32, u32, u32, Type), Fact>,
    pub order: Vec<Order>,
    /// The number of the last condition that holds, and where values were computed.
    epoch: u32,
    epochs: u32,
    seen: Side<ValueDef, u32>,
    /// Ticks when what is known about a value changes.
    clock: u32,
    /// When what is known about a value last changed, and when it was last computed from
    /// the operands of its op.
    changed_at: Side<ValueDef, u32>,
    computed_at: Side<ValueDef, u32>,
    pub loops: Sparse<InstDef, Loop>,
    /// The constants that parameters of loops are compared with.
    compared: Sparse<ValueDef, Vec<u64>>,
    /// The values from outside of its loop that a parameter is tested to be equal to.
    pub ends: Sparse<ValueDef, Vec<Value>>,
    pub marks: Sparse<InstDef, Mark>,
    exits: Sparse<InstDef, Exits>,
    /// Whether assumptions were found to be wrong.
    pub changed: bool,
    /// Whether this is the last walk.
    pub recording: bool,
    /// Whether it is looked at what only the launch decides.
    pub launch: bool,
    pub facts: Facts,
}

/// The facts of a function; without `launch` only those about values, which do not rest on
/// what the launch decides.
pub(super) fn facts(types: &Types, function: &Function, tree: &Tree, launch: bool) -> Facts {
    let mut flow = Flow {
        types,
        function,
        tree,
        given: Given::of(function),
        states: Side::new(State::default()),
        undo: Vec::new(),
        tables: HashMap::new(),
        order: Vec::new(),
        epoch: 0,
        epochs: 0,
        seen: Side::new(0),
        clock: 0,
        changed_at: Side::new(0),
        computed_at: Side::new(0),
        loops: Sparse::new(Loop::default()),
        compared: Sparse::new(Vec::new()),
        ends: Sparse::new(Vec::new()),
        marks: Sparse::new(Mark::default()),
        exits: Sparse::new(Exits::default()),
        changed: false,
        recording: false,
        launch,
        facts: Facts::nothing(),
    };
    for (value, def) in function.values.iter() {
        flow.facts.types[value] = def.ty.lane();
        if let (Some(bits), Some(lane)) = (def.constant, def.ty.lane()) {
            flow.facts.values[value] = Some(Fact::exactly(lane, bits));
        }
    }
    let has_loops = tree.insts().iter().any(|&inst| matches!(function.insts[inst].kind, InstKind::Loop { .. }));
    if has_loops {
        flow.settle_loops();
    }
    flow.recording = true;
    flow.walk();
    flow.facts
}

impl Flow<'_> {
    /// Finds what the parameters of loops are compared with.
    fn find_compared(&mut self) {
        let (function, tree) = (self.function, self.tree);
        for &inst in tree.insts() {
            if let InstKind::Op(op @ (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge), args) =
                &function.insts[inst].kind
                && let &[a, b] = args.as_slice()
            {
                for (param, other) in [(a, b), (b, a)] {
                    match (tree.def(param), function.constant_bits(other)) {
                        (Def::Param(..), Some(bits)) => self.compared[param].push(bits),
                        (Def::Param(of, _), None) if matches!(op, Op::Eq | Op::Ne) => self.note_end(of, param, other),
                        _ => {}
                    }
                }
            }
        }
    }

    fn settle_loops(&mut self) {
        self.find_compared();
        let is_loop = |inst: &Inst| matches!(self.function.insts[*inst].kind, InstKind::Loop { .. });
        let loops: Vec<Inst> = self.tree.insts().iter().copied().filter(is_loop).collect();
        let mut settled = false;
        for _ in 0..WEAKENING {
            self.changed = false;
            self.walk();
            settled = !self.changed;
            if settled {
                break;
            }
        }
        let mut narrowed = true;
        if settled {
            narrowed = self.narrow(&loops);
        } else {
            loops.iter().for_each(|&inst| self.loops[inst].forget());
        }
        for _ in 1..NARROWING {
            // A walk that assumes what the last one did finds what that found.
            if !narrowed {
                break;
            }
            self.walk();
            narrowed = self.narrow(&loops);
        }
    }

    /// Narrows what is assumed of each loop; whether anything is.
    fn narrow(&mut self, loops: &[Inst]) -> bool {
        let mut narrowed = false;
        for &inst in loops {
            narrowed |= self.loops[inst].narrow();
        }
        narrowed
    }

    /// Walks through the whole function.
    fn walk(&mut self) {
        self.states = Side::new(State::default());
        self.seen = Side::new(0);
        (self.changed_at, self.computed_at) = (Side::new(0), Side::new(0));
        self.undo.clear();
        self.order.clear();
        (self.epoch, self.epochs, self.clock) = (0, 0, 0);
        let function = self.function;
        let mut values = function.regions[function.body].params.iter();
        for (i, param) in function.params.iter().enumerate() {
            let ParamKind::Scalar(ty) = param.kind else { continue };
            let Some(&value) = values.next() else { break };
            let is_number = matches!(ty, Type::Scalar(scalar) if scalar.is_int());
            let symbol = u16::try_from(i).ok().filter(|_| is_number && function.is_kernel()).map(Symbol::Scalar);
            let bounds = symbol.filter(|_| self.launch).map_or_else(Bounds::default, |i| Bounds::symbol(i, 0));
            let fact = symbol.and_then(|symbol| self.required(value, symbol));
            self.define(value, fact.unwrap_or_else(|| self.any(value)), bounds);
        }
        self.region(function.body, None);
    }

    /// What requirements say about a value that is a symbol's.
    fn required(&self, value: Value, symbol: Symbol) -> Option<Fact> {
        let (least, most) = self.given.range(symbol)?;
        Some(Fact::between(self.lane(value), least, most)).filter(|fact| !fact.is_impossible())
    }

    /// What the type of a value says.
    pub(super) fn any(&self, value: Value) -> Fact {
        Fact::any(self.lane(value))
    }

    /// The scalar that a value's lanes are.
    pub(super) fn lane(&self, value: Value) -> Scalar {
        self.function.ty(value).lane().unwrap_or(Scalar::U64)
    }

    /// What is known about a value here.
    pub(super) fn fact(&self, value: Value) -> Fact {
        if let Some(bits) = self.function.constant_bits(value) {
            return Fact::exactly(self.lane(value), bits);
        }
        self.states[value].fact.unwrap_or_else(|| self.any(value))
    }

    /// The same after looking again at what the value is computed from.
    pub(super) fn fresh(&mut self, value: Value) -> State {
        self.refresh(value, REFRESH);
        State { fact: Some(self.fact(value)), bounds: self.states[value].bounds.clone() }
    }

    fn define(&mut self, value: Value, fact: Fact, bounds: Bounds) {
        self.states[value] = State { fact: Some(fact), bounds };
        self.seen[value] = self.epoch;
        self.changed_at[value] = self.tick();
        if self.recording {
            self.facts.values[value] = Some(fact);
        }
    }

    /// What a load of integers from a table may give: what is at any of the places that the
    /// strides allow, or zero out of bounds.
    fn looked_up(&mut self, inst: Inst) -> Option<(Value, Fact)> {
        let def = &self.function.insts[inst];
        let (InstKind::Load(place @ Place { root: Root::Table(index), .. }), &[result]) =
            (&def.kind, def.results.as_slice())
        else {
            return None;
        };
        let (ty, table) = (self.function.ty(result), self.function.tables.get(*index as usize)?);
        let lane = ty.lane().filter(|lane| lane.is_int())?;
        let key = (*index, place.offset, place.step(), ty);
        if let Some(&fact) = self.tables.get(&key) {
            return Some((result, fact));
        }
        let fact = table.looked_up(ty, place.offset, place.step()).fold(None, |fact: Option<Fact>, lanes| {
            let each = lanes[..ty.lanes()].iter().map(|&bits| Fact::exactly(lane, bits));
            fact.into_iter().chain(each).reduce(Fact::or)
        });
        let fact = fact?.settled(lane);
        self.tables.insert(key, fact);
        Some((result, fact))
    }

    /// What a load of whole elements gives of which the launch promises that they are below a number.
    fn promised(&self, inst: Inst) -> Option<(Value, Fact, Bounds)> {
        let def = &self.function.insts[inst];
        let (InstKind::Load(place @ Place { root: Root::Param(index), .. }), &[result]) =
            (&def.kind, def.results.as_slice())
        else {
            return None;
        };
        let param = self.function.params.get(*index as usize)?;
        let is_whole = self.lane(result) == Scalar::U32
            && place.offset.is_multiple_of(4)
            && place.indices.iter().all(|index| index.stride.is_multiple_of(4));
        if param.elements != Elements::Below || !is_whole {
            return None;
        }
        let symbol = Symbol::Most(u16::try_from(*index).ok()?);
        let most = self.given.range(symbol).map_or(u32::MAX.into(), |(_, most)| most);
        let bounds = if self.launch { Bounds::at_most(Some(Poly::symbol(symbol))) } else { Bounds::default() };
        Some((result, Fact::between(Scalar::U32, 0, most), bounds))
    }

    fn define_any(&mut self, inst: Inst) {
        for &result in &self.function.insts[inst].results {
            let fact = self.any(result);
            self.define(result, fact, Bounds::default());
        }
    }

    /// Notes what a condition says about a value; whether that is possible.
    pub(super) fn learn(&mut self, value: Value, fact: Fact, bounds: &Bounds) -> bool {
        let before = self.fact(value);
        let now = before.and(fact, self.lane(value));
        if now.is_impossible() {
            return false;
        }
        if self.function.constant_bits(value).is_some() {
            return true;
        }
        let known = &self.states[value].bounds;
        let more = bounds.and(known);
        if now != before || more != *known {
            let now = State { fact: Some(now), bounds: more };
            let before = std::mem::replace(&mut self.states[value], now);
            self.undo.push(Undo { value, before, epoch: self.epoch });
            self.changed_at[value] = self.tick();
        }
        true
    }

    fn tick(&mut self) -> u32 {
        self.clock = self.clock.saturating_add(1);
        self.clock
    }

    /// Begins a new condition: what was computed before may now be known better.
    pub(super) fn new_epoch(&mut self) {
        self.epochs = self.epochs.saturating_add(1);
        self.epoch = self.epochs;
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { undo: self.undo.len(), order: self.order.len() }
    }

    /// What was learned since.
    fn learned(&self, mark: Mark) -> Learned {
        let undo = self.undo.get(mark.undo..).unwrap_or(&[]);
        let states = undo.iter().map(|undo| (undo.value, self.states[undo.value].clone())).collect();
        Learned { states, order: self.order.get(mark.order..).unwrap_or(&[]).to_vec() }
    }

    fn unlearn(&mut self, mark: Mark) {
        while self.undo.len() > mark.undo {
            let Some(Undo { value, before, .. }) = self.undo.pop() else { break };
            self.states[value] = before;
            self.changed_at[value] = self.tick();
        }
        self.order.truncate(mark.order);
        self.epoch = self.undo.last().map_or(0, |undo| undo.epoch);
    }

    fn learn_again(&mut self, learned: Learned) {
        self.new_epoch();
        for (value, state) in learned.states {
            // It was possible before.
            if let Some(fact) = state.fact {
                self.learn(value, fact, &state.bounds);
            }
        }
        self.order.extend(learned.order);
    }

    /// Looks again at an op whose operands a condition may say more about.
    fn refresh(&mut self, value: Value, depth: usize) {
        if self.seen[value] == self.epoch || depth == 0 {
            return;
        }
        let Some(inst) = self.tree.inst_of(value) else { return };
        let function = self.function;
        let InstKind::Op(op, args) = &function.insts[inst].kind else { return };
        for &arg in args {
            self.refresh(arg, depth - 1);
        }
        if depth == REFRESH {
            self.seen[value] = self.epoch;
        }
        // These also depend on the comparisons that hold.
        let is_relative = matches!(op, Op::Sub | Op::Add | Op::Mul | Op::Shl | Op::Lt | Op::Le | Op::Gt | Op::Ge);
        let computed_at = self.computed_at[value];
        let is_same = |value: Value| self.changed_at[value] <= computed_at;
        if computed_at > 0 && !is_relative && is_same(value) && args.iter().all(|&arg| is_same(arg)) {
            return;
        }
        let (fact, bounds) = self.op(inst, value);
        // What cannot be is noticed where it is compared.
        self.learn(value, fact, &bounds);
        self.computed_at[value] = self.clock;
    }

    /// What is known about the result of an op.
    fn op(&self, inst: Inst, result: Value) -> (Fact, Bounds) {
        let InstKind::Op(op, args) = &self.function.insts[inst].kind else {
            return (self.any(result), Bounds::default());
        };
        let ty = self.function.ty(result);
        let mut operands = Vec::with_capacity(args.len());
        for &arg in args {
            operands.push((self.function.ty(arg), self.fact(arg)));
        }
        let mut fact = match (args.as_slice(), ty.lane()) {
            // A float less itself may be NaN.
            (&[a, b], Some(lane)) if a == b && matches!(op, Op::Sub | Op::Xor) && lane.is_int() => {
                Fact::exactly(lane, 0)
            }
            _ => transfer::transfer(*op, ty, &operands),
        };
        let ordered = match args.as_slice() {
            // A float less itself may be NaN.
            &[a, b] if *op == Op::Sub && ty.lane().is_some_and(Scalar::is_int) => {
                self.is_ordered(b, a) || self.is_step_back(a, b)
            }
            _ => false,
        };
        if let (true, Some(lane), [(_, a), (_, b)]) = (ordered, ty.lane(), operands.as_slice()) {
            let range = Fact::between(lane, a.least.saturating_sub(b.most), a.most - b.least.min(a.most));
            fact = fact.and(range, lane);
        }
        let unsigned =
            |value: Value| matches!(self.function.ty(value), Type::Scalar(lane) if lane.is_int() && !lane.is_signed());
        let mut below = None;
        if let &[a, b] = args.as_slice()
            && !self.order.is_empty()
            && unsigned(a)
        {
            if let Some(truth) = self.compared_before(*op, a, b) {
                fact = Fact::truth(truth);
            } else if *op == Op::Add {
                below = self.sum_is_below(a, b);
            } else if let Op::Mul | Op::Shl = op {
                below = self.chunk_ends(result, None);
            }
        }
        if let (Some(end), Some(lane), [(_, a), (_, b)]) = (below, ty.lane(), operands.as_slice()) {
            let most = self.fact(end).most.saturating_sub(1);
            let least = if *op == Op::Add { a.least.saturating_add(b.least) } else { 0 };
            fact = fact.and(Fact::between(lane, least.min(most), most), lane);
        }
        let within = self.stepped(*op, args);
        if let (Some((last, least)), Some(lane)) = (within, ty.lane()) {
            let most = self.fact(last).most;
            fact = fact.and(Fact::between(lane, least.min(most), most), lane);
        }
        if !self.launch || !matches!(ty, Type::Scalar(lane) if lane.is_int()) {
            return (fact, Bounds::default());
        }
        let known = args.iter().zip(&operands).map(|(&arg, &(ty, fact))| {
            let bounds = &self.states[arg].bounds;
            Known { ty, fact, bounds }
        });
        let mut bounds = bound::transfer(*op, ty, &known.collect::<Vec<_>>(), ordered);
        if let (Op::Sub, &[a, b]) = (op, args.as_slice())
            && let Some((Op::Max, &[x, y])) = self.tree.op(self.function, a)
            && unsigned(a)
            && (x == b || y == b)
        {
            // What the greater one of two is more than one of them is at most the other.
            bounds = bounds.and(&self.states[if x == b { y } else { x }].bounds.above());
        }
        if let Some((last, _)) = within {
            bounds = self.states[last].bounds.above().and(&bounds);
        }
        match below {
            Some(end) => (fact, self.states[end].bounds.plus(-1).and(&bounds)),
            None => (fact, bounds),
        }
    }

    /// Walks through a region; whether its end leads out of its owner.
    fn region(&mut self, region: Region, owner: Option<Inst>) -> bool {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            let def = &function.insts[inst];
            if self.recording {
                self.facts.reached[inst] = true;
            }
            match &def.kind {
                InstKind::Op(op, args) => {
                    let Some(&result) = def.results.first() else { continue };
                    if self.epoch != 0 {
                        for &arg in args {
                            self.refresh(arg, REFRESH);
                        }
                    }
                    let (fact, bounds) = self.op(inst, result);
                    if self.recording {
                        self.record(inst, args);
                        if self.launch {
                            self.record_wrapping(inst, *op, args);
                        }
                    }
                    self.define(result, fact, bounds);
                    self.order_steps(*op, args, result);
                }
                InstKind::Load(_) | InstKind::Store(..) | InstKind::Atomic(..) => {
                    if self.recording {
                        self.access(inst);
                    }
                    let known = self.looked_up(inst).map(|(result, fact)| (result, fact, Bounds::default()));
                    match known.or_else(|| self.promised(inst)) {
                        Some((result, fact, bounds)) => self.define(result, fact, bounds),
                        None => self.define_any(inst),
                    }
                }
                InstKind::Len(root) => self.len(inst, *root),
                InstKind::Builtin(builtin) => self.builtin(inst, *builtin),
                InstKind::Barrier
                | InstKind::Subgroup(..)
                | InstKind::Fence(..)
                | InstKind::Call { .. }
                | InstKind::Get(_)
                | InstKind::Set(..) => {
                    self.define_any(inst);
                }
                InstKind::If { condition, then, otherwise } => {
                    if !self.branch(inst, *condition, *then, *otherwise) {
                        return false;
                    }
                }
                InstKind::Switch { selector, cases, default } => {
                    if !self.switch(inst, *selector, cases, *default) {
                        return false;
                    }
                }
                InstKind::Loop { body, initial, .. } => {
                    if !self.repeat(inst, *body, initial) {
                        return false;
                    }
                }
                InstKind::Yield(values) => {
                    if let Some(owner) = owner {
                        self.leave(owner, values);
                    }
                    return true;
                }
                InstKind::Break(target, values) => {
                    self.leave(*target, values);
                    return false;
                }
                InstKind::Continue(target, values) => {
                    self.again(*target, values);
                    return false;
                }
                InstKind::Return(_) | InstKind::Unreachable => return false,
            }
        }
        false
    }

    /// Notes what a way out of an instruction with regions gives.
    fn leave(&mut self, target: Inst, values: &[Value]) {
        let given: Vec<State> = values.iter().map(|&value| self.fresh(value)).collect();
        if self.exits[target].ways == 0 {
            // Only the first way copies what was learned, lest many ways out of a loop do.
            let learned = self.learned(self.marks[target]);
            self.exits[target] = Exits { ways: 1, results: given, learned };
            return;
        }
        let exits = &mut self.exits[target];
        exits.ways += 1;
        exits.learned = Learned::default();
        for (state, other) in exits.results.iter_mut().zip(given) {
            *state = state.or(&other);
        }
    }

    fn begin(&mut self, inst: Inst) -> Mark {
        let mark = self.mark();
        self.marks[inst] = mark;
        self.exits[inst] = Exits::default();
        mark
    }

    /// Goes on after an instruction with regions; whether anything does.
    fn end(&mut self, inst: Inst) -> bool {
        let exits = std::mem::take(&mut self.exits[inst]);
        if exits.ways == 0 {
            return false;
        }
        if exits.ways == 1 {
            self.learn_again(exits.learned);
        }
        let function = self.function;
        for (&result, state) in function.insts[inst].results.iter().zip(exits.results) {
            let fact = state.fact.unwrap_or_else(|| self.any(result));
            self.define(result, fact, state.bounds);
        }
        true
    }

    fn branch(&mut self, inst: Inst, condition: Value, then: Region, otherwise: Region) -> bool {
        self.fresh(condition);
        self.record(inst, &[condition]);
        let mark = self.begin(inst);
        for (region, truth) in [(then, true), (otherwise, false)] {
            self.new_epoch();
            if self.assume(condition, truth) {
                self.region(region, Some(inst));
            }
            self.unlearn(mark);
        }
        self.end(inst)
    }

    fn switch(&mut self, inst: Inst, selector: Value, cases: &[Case], default: Region) -> bool {
        self.fresh(selector);
        self.record(inst, &[selector]);
        let mark = self.begin(inst);
        let ty = self.lane(selector);
        for case in cases {
            self.new_epoch();
            let any = case.values.iter().map(|&bits| Fact::exactly(ty, bits)).reduce(Fact::or);
            if any.is_some_and(|fact| self.assume_fact(selector, fact)) {
                self.region(case.region, Some(inst));
            }
            self.unlearn(mark);
        }
        self.new_epoch();
        let listed = cases.iter().flat_map(|case| &case.values);
        let other = listed.fold(self.fact(selector), |fact, &bits| fact.without(ty, bits));
        if self.assume_fact(selector, other) {
            self.region(default, Some(inst));
        }
        self.unlearn(mark);
        self.end(inst)
    }

    fn repeat(&mut self, inst: Inst, body: Region, initial: &[Value]) -> bool {
        let function = self.function;
        let params = &function.regions[body].params;
        let ends = self.ends_at(params, initial);
        let initial: Vec<State> = initial.iter().map(|&value| self.fresh(value)).collect();
        let types: Vec<Scalar> = params.iter().map(|&param| self.lane(param)).collect();
        let compared = &self.compared;
        self.loops[inst]
            .enter(&types, initial, ends, |i| params.get(i).map_or_else(Vec::new, |&param| compared[param].clone()));
        let mark = self.begin(inst);
        for (i, &param) in params.iter().enumerate() {
            let state = self.loops[inst].assumed(i);
            let fact = state.fact.unwrap_or_else(|| self.any(param));
            self.define(param, fact, state.bounds);
        }
        self.region(body, Some(inst));
        self.unlearn(mark);
        if self.recording {
            self.facts.rounds[inst] = self.loops[inst].rounds();
        }
        self.end(inst)
    }

    /// Notes what a `continue` passes on.
    fn again(&mut self, target: Inst, values: &[Value]) {
        let function = self.function;
        let InstKind::Loop { body, .. } = function.insts[target].kind else { return };
        let given: Vec<State> = values.iter().map(|&value| self.fresh(value)).collect();
        self.changed |= self.loops[target].again(given);
        let kept = self.kept_ends(target, &function.regions[body].params, values);
        self.changed |= self.loops[target].keep_ends(&kept);
        if self.recording {
            for (i, (&param, &value)) in function.regions[body].params.iter().zip(values).enumerate() {
                let steps = self.steps(param, value, 3);
                self.loops[target].step(i, steps);
            }
        }
    }

    fn len(&mut self, inst: Inst, root: Root) {
        let Some(&result) = self.function.insts[inst].results.first() else { return };
        let ty = self.lane(result);
        match (root, self.function.root_size(self.types, root)) {
            (Root::Param(param), _) if self.function.is_kernel() => {
                let symbol = u16::try_from(param).ok().map(Symbol::Len);
                let bounds = symbol.filter(|_| self.launch).map_or_else(Bounds::default, |len| Bounds::symbol(len, 0));
                let fact = symbol.and_then(|symbol| self.required(result, symbol));
                self.define(result, fact.unwrap_or_else(|| Fact::any(ty)), bounds);
            }
            (_, Some(size)) => {
                let element = self.function.root_element(self.types, root).and_then(|ty| self.types.layout(ty));
                let count = size / element.map_or(1, |layout| layout.size.max(1));
                self.define(result, Fact::exactly(ty, count.into()), Bounds::default());
            }
            (_, None) => self.define_any(inst),
        }
    }

    fn builtin(&mut self, inst: Inst, builtin: Builtin) {
        let Some(&result) = self.function.insts[inst].results.first() else { return };
        if !self.function.is_kernel() {
            self.define_any(inst);
            return;
        }
        let axis = builtin.axis().unwrap_or(0);
        let extent = self.function.workgroup_size().get(axis).copied().unwrap_or(1);
        let last = Symbol::LastGroup(axis as u8);
        let any = Fact::any(Scalar::U32);
        let small = self.function.greatest(builtin).map_or(any, |most| Fact::between(Scalar::U32, 0, most));
        let (fact, bounds) = match builtin {
            Builtin::GlobalIdX | Builtin::GlobalIdY | Builtin::GlobalIdZ => {
                let first = Poly::symbol(last).times(extent.into());
                let most = first.and_then(|first| first.plus(i128::from(extent) - 1));
                (any, Bounds::at_most(most))
            }
            Builtin::WorkgroupIdX | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ => {
                (Fact::between(Scalar::U32, 0, u64::from(u32::MAX) - 1), Bounds::at_most(Some(Poly::symbol(last))))
            }
            Builtin::NumWorkgroupsX | Builtin::NumWorkgroupsY | Builtin::NumWorkgroupsZ => {
                (Fact::between(Scalar::U32, 1, u32::MAX.into()), Bounds::symbol(last, 1))
            }
            Builtin::NumSubgroups => {
                let subgroups = self.function.invocations().div_ceil(SUBGROUP_SIZE.into());
                (Fact::exactly(Scalar::U32, subgroups), Bounds::default())
            }
            Builtin::LocalIdX | Builtin::LocalIdY | Builtin::LocalIdZ | Builtin::LocalIndex => {
                (small, Bounds::default())
            }
            Builtin::SubgroupId | Builtin::SubgroupLane => (small, Bounds::default()),
        };
        self.define(result, fact, if self.launch { bounds } else { Bounds::default() });
    }

    /// Notes what is known about operands here and not where they were defined.
    fn record(&mut self, inst: Inst, values: &[Value]) {
        if !self.recording || self.epoch == 0 {
            return;
        }
        for &value in values {
            let fact = self.fact(value);
            if self.function.constant_bits(value).is_none() && fact != self.facts.fact(value) {
                self.facts.at[inst].push((value, fact));
            }
        }
    }

    /// Notes whether a sum, difference or product wraps.
    fn record_wrapping(&mut self, inst: Inst, op: Op, args: &[Value]) {
        let (&[a, b], Op::Add | Op::Sub | Op::Mul) = (args, op) else { return };
        let Type::Scalar(ty) = self.function.ty(a) else { return };
        if !ty.is_int() {
            return;
        }
        let (x, y) = (self.fact(a), self.fact(b));
        let range = transfer::exact(op, x, y)[usize::from(ty.is_signed())];
        let (least, most) = ty.limits();
        let fits = range.is_some_and(|(low, high)| least <= low && high <= most);
        let ordered = op == Op::Sub && !ty.is_signed() && (self.is_ordered(b, a) || self.is_step_back(a, b));
        let ordered = ordered || self.stepped(op, args).is_some();
        let ordered = ordered || op == Op::Add && !ty.is_signed() && self.sum_is_below(a, b).is_some();
        if fits || ordered {
            self.facts.wrapping[inst] = Wrapping::Never;
        } else if op != Op::Sub && !ty.is_signed() {
            let poly = |value: Value, fact: Fact| {
                let bounds = self.states[value].bounds.as_slice();
                let first = bounds.iter().find(|bound| bound.needs.is_empty()).map(|bound| bound.poly.clone());
                first.unwrap_or_else(|| Poly::constant(fact.most.into()))
            };
            let (x, y) = (poly(a, x), poly(b, y));
            let total = if op == Op::Add { x.add(&y) } else { x.mul(&y) };
            let room = total.and_then(|total| Poly::constant(most).sub(&total));
            if room.as_ref().is_some_and(|room| self.given.makes_natural(self.function, room)) {
                self.facts.wrapping[inst] = Wrapping::Never;
            } else if let Some(condition) =
                room.filter(|room| room.as_constant().is_none()).and_then(|room| Condition::natural(&room))
            {
                self.facts.wrapping[inst] = Wrapping::Unless(Box::new(condition));
            }
        }
    }
}

impl State {
    /// What holds if one of two states does.
    pub(super) fn or(&self, other: &Self) -> Self {
        let (Some(a), Some(b)) = (self.fact, other.fact) else { return Self::default() };
        Self { fact: Some(a.or(b)), bounds: self.bounds.or(a.most, &other.bounds, b.most) }
    }
}
