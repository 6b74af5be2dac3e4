//! Random kernels with barriers anywhere, and what the interpreter makes of them.
//!
//! The other kernels of [`random`](super) never let invocations part before a barrier; these do
//! little else. A kernel consists of branches, loops, jumps out of them, values that are chosen
//! under divergent control, memory that others write, and calls. Then barriers are put
//! anywhere. What the kernels compute does not matter, so there may be races. [`judge`] runs a
//! kernel with all its inputs in several orders and says whether the invocations of a workgroup
//! ever parted at a barrier.
//!
//! Invariants: the same seed gives the same kernel; every loop counts to at most three, so
//! kernels end; values are small and conditions are about their low bits, so a condition on
//! something that differs between invocations does differ for some input.

use crate::filetest::{Argument, Launch};
use samebits_ir::builder::Builder;
use samebits_ir::check::{Checked, Mistake, check_mistaken};
use samebits_ir::interp::{Arg, Fault, Judge, Program, Schedule, Words};
use samebits_ir::ir::{
    Access, CallArg, Case as Arm, Function, Index, Inst, InstDef, InstKind, Module, Place, Region, Root, Value, Var,
};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{AtomicOp, Builtin, Op};
use samebits_ir::text;
use samebits_ir::types::{Type, Types};
use samebits_random::Random;

/// A kernel, after the functions that it calls, and launches of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// What all was made of.
    pub seed: u64,
    /// The kernel's text, which the places in `module` refer to.
    pub text: String,
    /// The module.
    pub module: Module,
    /// What is launched.
    pub launches: Vec<Launch>,
}

/// What the interpreter says of all launches in all orders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All invocations of a workgroup met at every barrier.
    Together,
    /// Somewhere they did not.
    Parted,
    /// An invocation came to a place that is marked as unreachable.
    Reached,
    /// Something else ended a launch.
    Failed(String),
}

/// Inputs of a kernel.
const LAUNCHES: usize = 24;

/// Places that are tried for a barrier.
const TRIES: usize = 6;

/// Elements of each buffer and each array.
const ELEMENTS: u32 = 4;

/// Steps of a launch; more are a fault of the generator.
const MAX_STEPS: u64 = 200_000;

/// Sizes of workgroups.
const SIZES: [[u32; 3]; 6] = [[4, 1, 1], [4, 1, 1], [3, 1, 1], [2, 2, 1], [8, 1, 1], [2, 1, 2]];

/// The kernel and the launches of a seed.
pub fn generate(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let mut types = Types::default();
    let array = types.array(Type::U32, ELEMENTS);
    let mut functions = Vec::new();
    for i in 0..random.below(3) {
        let b = Builder::device(format!("f{i}"));
        let mut g = Maker::new(Random::new(random.bits()), b, i as u32);
        functions.push(g.device());
    }
    let size = random.one_of(SIZES);
    let b = Builder::new("k", size);
    let mut g = Maker::new(Random::new(random.bits()), b, functions.len() as u32);
    functions.push(g.kernel(array));
    let module = Module { types, functions };
    let launches = launches(&mut random);
    let mut case = Case { seed, text: String::new(), module, launches };
    for _ in 0..1 + random.below(3) {
        case.place_barrier(&mut random);
    }
    case.drop_dead_barriers();
    case.text = text::print(&case.module);
    case.module = text::parse(&case.text).unwrap_or_default();
    case
}

/// Inputs of a kernel with the parameters that these have.
pub(super) fn launches(random: &mut Random) -> Vec<Launch> {
    (0..LAUNCHES).map(|_| launch(random)).collect()
}

/// A launch with unknown but small numbers.
fn launch(random: &mut Random) -> Launch {
    let groups = 1 + random.below(3) as u32;
    let mut small = || random.below(4) as u64;
    let mut arguments: Vec<Argument> = (0..3).map(|_| Argument::Scalar([small(), 0, 0, 0])).collect();
    for _ in 0..3 {
        let bytes = (0..ELEMENTS).flat_map(|_| (small() as u32).to_le_bytes()).collect();
        arguments.push(Argument::Buffer { bytes, len: ELEMENTS });
    }
    Launch { groups: [groups, 1, 1], arguments }
}

/// The regions of the functions and how many instructions each has.
fn regions(module: &Module) -> Vec<(usize, Region, usize)> {
    let mut found = Vec::new();
    for (f, function) in module.functions.iter().enumerate() {
        let mut todo = vec![function.body];
        while let Some(region) = todo.pop() {
            let insts = &function.regions[region].insts;
            found.push((f, region, insts.len()));
            todo.extend(insts.iter().flat_map(|&inst| function.insts[inst].kind.regions()));
        }
    }
    found
}

impl Case {
    /// Puts a barrier before any instruction of the module that some invocation comes to with
    /// some input: of what no input runs, no input says whether it does harm.
    fn place_barrier(&mut self, random: &mut Random) {
        for _ in 0..TRIES {
            let regions = regions(&self.module);
            let mut at = random.below(regions.iter().map(|region| region.2).sum());
            let Some(&(f, region, _)) = regions.iter().find(|region| {
                let is_here = at < region.2;
                at -= if is_here { 0 } else { region.2 };
                is_here
            }) else {
                return;
            };
            if reaches(&trapped(&self.module, f, region, at), self) {
                let function = &mut self.module.functions[f];
                let barrier = InstDef { kind: InstKind::Barrier, results: Vec::new(), loc: Loc::NONE };
                let barrier = function.insts.push(barrier);
                function.regions[region].insts.insert(at, barrier);
                return;
            }
        }
    }
}

impl Case {
    /// Takes away the barriers that no input reaches, such as those of broadcasts.
    fn drop_dead_barriers(&mut self) {
        for (f, region, _) in regions(&self.module) {
            let mut at = 0;
            while let Some(&inst) = self.module.functions[f].regions[region].insts.get(at) {
                let is_barrier = self.module.functions[f].insts[inst].kind == InstKind::Barrier;
                if is_barrier && !reaches(&trapped(&self.module, f, region, at), self) {
                    self.module.functions[f].regions[region].insts.remove(at);
                } else {
                    at += 1;
                }
            }
        }
    }
}

/// The module with a fault in a place of a region, instead of all that follows there.
fn trapped(module: &Module, f: usize, region: Region, at: usize) -> Module {
    let mut module = module.clone();
    let function = &mut module.functions[f];
    let trap = function.insts.push(InstDef { kind: InstKind::Unreachable, results: Vec::new(), loc: Loc::NONE });
    let insts = &mut function.regions[region].insts;
    insts.truncate(at);
    insts.push(trap);
    module
}

/// Whether any invocation comes to the trap in a module that was made of a case's own.
fn reaches(module: &Module, case: &Case) -> bool {
    let Ok(checked) = check_mistaken(module.clone(), Mistake::NothingRefused) else { return false };
    let forward = outcomes(&checked, case, &[Schedule::Forward]);
    forward.take(LAUNCHES / 2).any(|outcome| outcome == Outcome::Reached)
}

/// What the interpreter says of all launches of a case, each in three orders, of its own
/// module or one that was made of it: the first thing that happens.
pub fn judge(checked: &Checked, case: &Case) -> Outcome {
    outcomes(checked, case, &[Schedule::Forward, Schedule::Reversed, Schedule::Random(case.seed)])
        .find(|outcome| *outcome != Outcome::Together)
        .unwrap_or(Outcome::Together)
}

/// The same of each launch in these orders; a random one is another for each launch.
fn outcomes<'a>(
    checked: &Checked,
    case: &'a Case,
    schedules: &'a [Schedule],
) -> impl Iterator<Item = Outcome> + use<'a> {
    let program = Program::new(checked, case.module.functions.len() - 1);
    let runs = case.launches.iter().enumerate().flat_map(|(i, launch)| {
        schedules.iter().map(move |&schedule| match schedule {
            Schedule::Random(seed) => (launch, Schedule::Random(seed.wrapping_add(i as u64))),
            Schedule::Forward | Schedule::Reversed => (launch, schedule),
        })
    });
    runs.map(move |(launch, schedule)| {
        let Some(program) = &program else { return Outcome::Failed("there is no kernel".to_owned()) };
        let words: Vec<Words> = launch.arguments.iter().map(words).collect();
        let args = launch.arguments.iter().zip(&words).map(|(argument, words)| match argument {
            Argument::Buffer { len, .. } => Arg::Buffer { words, offset: 0, len: *len },
            Argument::Scalar(lanes) => Arg::Scalar(*lanes),
        });
        let args: Vec<Arg<'_>> = args.collect();
        match program.judge(launch.groups, &args, &Judge { schedule, max_steps: Some(MAX_STEPS) }).fault {
            None => Outcome::Together,
            Some(Fault::DivergentBarrier { .. }) => Outcome::Parted,
            Some(Fault::Unreachable { .. }) => Outcome::Reached,
            Some(fault) => Outcome::Failed(fault.to_string()),
        }
    })
}

fn words(argument: &Argument) -> Words {
    match argument {
        Argument::Buffer { bytes, .. } => Words::from_bytes(bytes),
        Argument::Scalar(_) => Words::zeroed(0),
    }
}

/// A loop around the place that is being filled.
#[derive(Clone, Copy)]
struct Open {
    inst: Inst,
    /// The variable that counts its rounds.
    count: Var,
}

/// Builds one function.
struct Maker {
    random: Random,
    b: Builder,
    /// The functions before this one, which may be called.
    callees: u32,
    args: Vec<Value>,
    vars: Vec<Var>,
    loops: Vec<Open>,
    /// Memory that is read, and memory that is written too.
    reads: Vec<Root>,
    writes: Vec<Root>,
    atomics: Vec<Root>,
    budget: usize,
    depth: usize,
}

impl Maker {
    fn new(random: Random, b: Builder, callees: u32) -> Self {
        Self {
            random,
            b,
            callees,
            args: Vec::new(),
            vars: Vec::new(),
            loops: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            atomics: Vec::new(),
            budget: 0,
            depth: 0,
        }
    }

    /// A function of two numbers and a view.
    fn device(&mut self) -> Function {
        for name in ["a", "b"] {
            let arg = self.b.scalar(name, Type::U32);
            self.args.push(arg);
        }
        let view = self.b.buffer("v", Type::U32, Access::ReadWrite);
        self.writes.push(view);
        self.b.results(&[Type::U32]);
        self.variables();
        self.budget = 5;
        self.body(3);
        self.return_();
        self.finished()
    }

    fn kernel(&mut self, array: Type) -> Function {
        for name in ["n", "m", "flag"] {
            let arg = self.b.scalar(name, Type::U32);
            self.args.push(arg);
        }
        for (name, access) in [("x", Access::Read), ("w", Access::ReadWrite), ("h", Access::Atomic)] {
            let root = self.b.buffer(name, Type::U32, access);
            match access {
                Access::Read => self.reads.push(root),
                Access::ReadWrite => self.writes.push(root),
                Access::Atomic => self.atomics.push(root),
            }
        }
        let shared = self.b.shared("s", array, Access::ReadWrite);
        let private = self.b.private("p", array);
        self.writes.extend([shared, private]);
        self.variables();
        // No function is there for nothing.
        for function in 0..self.callees {
            let value = self.call_of(function);
            self.b.set(self.vars[0], value);
        }
        self.budget = 6 + self.random.below(9);
        self.body(6);
        self.b.ret();
        self.finished()
    }

    fn finished(&mut self) -> Function {
        std::mem::replace(&mut self.b, Builder::device("")).finish()
    }

    fn variables(&mut self) {
        for i in 0..2 + self.random.below(2) {
            let var = self.b.var(format!("v{i}"), Type::U32);
            let first = self.value(1);
            self.b.set(var, first);
            self.vars.push(var);
        }
    }

    fn is_kernel(&self) -> bool {
        self.b.function().is_kernel()
    }

    fn body(&mut self, most: usize) {
        for _ in 0..1 + self.random.below(most) {
            if self.budget == 0 || self.b.is_terminated() {
                return;
            }
            self.budget -= 1;
            self.statement();
        }
    }

    fn statement(&mut self) {
        let may_nest = self.depth < 4;
        match self.random.below(100) {
            0..22 => self.assign(),
            22..34 => self.store(),
            34..42 => self.broadcast(),
            42..46 => self.race(),
            46..50 => {
                self.call();
            }
            50..54 if may_nest => self.choose(),
            54..72 if may_nest => self.branch(),
            72..77 if may_nest => self.switch(),
            77..88 if may_nest => self.repeat(),
            88..100 if may_nest => self.leave_if(),
            _ => self.assign(),
        }
    }

    fn number(&mut self, most: u32) -> Value {
        let n = self.random.below(most as usize) as u32;
        self.b.u32(n)
    }

    /// An id, an argument, a variable, a number, or something loaded.
    fn leaf(&mut self) -> Value {
        match self.random.below(20) {
            0..3 => self.number(4),
            3..6 => self.random.pick(&self.args).copied().unwrap_or_else(|| self.b.u32(1)),
            6..9 => {
                let builtin = self.random.one_of([
                    Builtin::LocalIdX,
                    Builtin::LocalIndex,
                    Builtin::LocalIdY,
                    Builtin::GlobalIdX,
                    Builtin::WorkgroupIdX,
                    Builtin::NumWorkgroupsX,
                ]);
                self.b.builtin(builtin)
            }
            9..14 => {
                let counts = self.loops.iter().map(|open| open.count);
                let all: Vec<Var> = self.vars.iter().copied().chain(counts).collect();
                match self.random.pick(&all).copied() {
                    Some(var) => self.b.get(var),
                    None => self.number(4),
                }
            }
            14..16 => self.load_read_only(),
            16..18 => self.load_written(),
            18 => self.atomic(),
            _ => self.call(),
        }
    }

    /// A number of few operations.
    fn value(&mut self, depth: usize) -> Value {
        let a = self.leaf();
        if depth == 0 || self.random.chance(40) || self.b.function().constant_bits(a).is_some() {
            return a;
        }
        match self.random.below(24) {
            0..12 => {
                let op = self.random.one_of([Op::Add, Op::Xor, Op::Sub, Op::Add, Op::Xor, Op::Max, Op::Or]);
                let b = self.value(depth - 1);
                self.b.op(op, &[a, b])
            }
            12..15 => {
                let op = self.random.one_of([Op::And, Op::Mul, Op::Rem, Op::Div, Op::Min]);
                let b = self.random.one_of([1, 3, 3, 5]);
                let b = self.b.u32(b);
                self.b.op(op, &[a, b])
            }
            15..17 => {
                let op = self.random.one_of([Op::Shr, Op::Shl, Op::Shl]);
                let b = self.number(2);
                self.b.op(op, &[a, b])
            }
            17 => {
                let op = self.random.one_of([Op::And, Op::Sub, Op::Xor]);
                self.b.op(op, &[a, a])
            }
            18..21 => {
                let condition = self.condition();
                let b = self.leaf();
                self.b.op(Op::Select, &[condition, a, b])
            }
            _ => a,
        }
    }

    /// A number that is hardly a constant.
    fn unknown(&mut self) -> Value {
        for _ in 0..3 {
            let value = self.value(2);
            if self.b.function().constant_bits(value).is_none() {
                return value;
            }
        }
        self.load_read_only()
    }

    /// A condition about low bits.
    fn condition(&mut self) -> Value {
        let a = self.unknown();
        match self.random.below(8) {
            0..3 => {
                let (one, zero) = (self.b.u32(1), self.b.u32(0));
                let bit = self.b.op(Op::And, &[a, one]);
                let op = self.random.one_of([Op::Eq, Op::Ne]);
                self.b.op(op, &[bit, zero])
            }
            3..6 => {
                // As often true as false, if two bits are anything.
                let three = self.b.u32(3);
                let low = self.b.op(Op::And, &[a, three]);
                let limit = self.random.one_of([1, 2]);
                let limit = self.b.u32(limit);
                let op = self.random.one_of([Op::Lt, Op::Ge, Op::Lt, Op::Ge, Op::Eq, Op::Ne]);
                self.b.op(op, &[low, limit])
            }
            6 => {
                let b = self.leaf();
                let op = self.random.one_of([Op::Lt, Op::Ge, Op::Ne]);
                self.b.op(op, &[a, b])
            }
            _ => {
                let (limit, other) = (self.random.one_of([1, 2]), self.leaf());
                let limit = self.b.u32(limit);
                let first = self.b.op(Op::Ge, &[a, limit]);
                let one = self.b.u32(1);
                let bit = self.b.op(Op::And, &[other, one]);
                let second = self.b.op(Op::Eq, &[bit, one]);
                let op = self.random.one_of([Op::And, Op::Or]);
                self.b.op(op, &[first, second])
            }
        }
    }

    /// A place in a root, always in bounds of the kernel's memory.
    fn place(&mut self, root: Root) -> Place {
        let value = match self.random.below(4) {
            0 | 1 => self.number(ELEMENTS),
            2 => self.b.builtin(Builtin::WorkgroupIdX),
            _ => {
                let (index, all) = (self.value(1), self.b.u32(ELEMENTS));
                self.b.op(Op::Rem, &[index, all])
            }
        };
        self.b.place(root, &[Index { value, stride: 4, bound: None }], 0)
    }

    fn load_read_only(&mut self) -> Value {
        let Some(&root) = self.random.pick(&self.reads) else { return self.number(4) };
        let place = self.place(root);
        self.b.load(place, Type::U32)
    }

    /// A load of memory that is written, after a store there that differs.
    fn load_written(&mut self) -> Value {
        let Some(&root) = self.random.pick(&self.writes) else { return self.number(4) };
        let place = self.place(root);
        let id = self.b.builtin(Builtin::LocalIndex);
        self.b.store(place.clone(), id);
        self.b.load(place, Type::U32)
    }

    fn atomic(&mut self) -> Value {
        let Some(&root) = self.random.pick(&self.atomics) else { return self.number(4) };
        let place = self.constant_place(root);
        let one = self.b.u32(1);
        self.b.atomic(AtomicOp::Add, place, &[one], Type::U32).unwrap_or(one)
    }

    fn assign(&mut self) {
        let value = self.value(2);
        if let Some(&var) = self.random.pick(&self.vars) {
            self.b.set(var, value);
        }
    }

    fn store(&mut self) {
        let Some(&root) = self.random.pick(&self.writes) else { return };
        let (place, value) = (self.place(root), self.value(1));
        self.b.store(place, value);
    }

    /// A variable becomes what is in memory.
    fn race(&mut self) {
        let value = self.load_written();
        if let Some(&var) = self.random.pick(&self.vars) {
            self.b.set(var, value);
        }
    }

    /// One invocation writes, all read between two barriers; now and then one is missing.
    fn broadcast(&mut self) {
        let shared = |root: &&Root| matches!(root, Root::Shared(_));
        let Some(&root) = self.writes.iter().find(shared) else { return self.assign() };
        let value = self.value(1);
        let (place, id, zero) = (self.place(root), self.b.builtin(Builtin::LocalIndex), self.b.u32(0));
        let first = self.b.op(Op::Eq, &[id, zero]);
        let then = self.filled(|g| g.b.store(place.clone(), value));
        let otherwise = self.filled(|_| {});
        self.b.if_else(first, then, otherwise, &[]);
        if self.random.chance(90) {
            self.b.barrier();
        }
        let value = self.b.load(place, Type::U32);
        if self.random.chance(90) {
            self.b.barrier();
        }
        if let Some(&var) = self.random.pick(&self.vars) {
            self.b.set(var, value);
        }
    }

    fn call(&mut self) -> Value {
        let function = self.random.below(self.callees as usize) as u32;
        self.call_of(function)
    }

    fn call_of(&mut self, function: u32) -> Value {
        let Some(&root) = self.random.pick(&self.writes) else { return self.number(4) };
        if self.callees == 0 {
            return self.number(4);
        }
        let (a, b) = (self.leaf_without_call(), self.leaf_without_call());
        let place = self.start(root);
        let args = vec![CallArg::Value(a), CallArg::Value(b), CallArg::Place(place)];
        self.b.call(function, args, &[Type::U32]).first().copied().unwrap_or(a)
    }

    fn leaf_without_call(&mut self) -> Value {
        let callees = std::mem::take(&mut self.callees);
        let value = self.leaf();
        self.callees = callees;
        value
    }

    fn start(&mut self, root: Root) -> Place {
        let value = self.b.u32(0);
        self.b.place(root, &[Index { value, stride: 4, bound: None }], 0)
    }

    fn constant_place(&mut self, root: Root) -> Place {
        let value = self.number(ELEMENTS);
        self.b.place(root, &[Index { value, stride: 4, bound: None }], 0)
    }

    /// A region that ends in a `yield`, or elsewhere.
    fn filled(&mut self, fill: impl FnOnce(&mut Self)) -> Region {
        let region = self.b.region(&[]);
        self.b.enter(region);
        self.depth += 1;
        fill(self);
        if !self.b.is_terminated() {
            self.b.yield_(&[]);
        }
        self.depth -= 1;
        self.b.leave();
        region
    }

    fn branch(&mut self) {
        let condition = self.condition();
        let then = self.filled(|g| {
            g.body(3);
            g.maybe_leave(10);
        });
        let has_else = self.random.chance(50);
        let otherwise = self.filled(|g| {
            if has_else {
                g.body(3);
                g.maybe_leave(10);
            }
        });
        self.b.if_else(condition, then, otherwise, &[]);
    }

    /// A variable becomes one of two numbers.
    fn choose(&mut self) {
        let Some(&var) = self.random.pick(&self.vars) else { return };
        let condition = self.condition();
        let [then, otherwise] = [0, 1].map(|bit| {
            self.filled(|g| {
                let number = 2 * g.random.below(2) as u32 + bit;
                let number = g.b.u32(number);
                g.b.set(var, number);
            })
        });
        self.b.if_else(condition, then, otherwise, &[]);
    }

    fn switch(&mut self) {
        let (value, three) = (self.value(1), self.b.u32(3));
        let selector = self.b.op(Op::And, &[value, three]);
        let mut cases = Vec::new();
        for values in [vec![0], vec![1, 2]] {
            let region = self.filled(|g| {
                g.body(2);
                g.maybe_leave(10);
            });
            cases.push(Arm { values, region });
        }
        let default = self.filled(|g| g.body(2));
        self.b.switch(selector, cases, default, &[]);
    }

    /// A loop that counts to at most three.
    fn repeat(&mut self) {
        let limit = if self.random.chance(40) {
            let n = 1 + self.random.below(3) as u32;
            self.b.u32(n)
        } else {
            let (value, three) = (self.value(1), self.b.u32(3));
            self.b.op(Op::And, &[value, three])
        };
        let count = self.b.var("i", Type::U32);
        let zero = self.b.u32(0);
        self.b.set(count, zero);
        let label = format!("l{}", self.b.function().insts.len());
        let (inst, _) = self.b.begin_loop(Some(&label), &[]);
        let now = self.b.get(count);
        let goes_on = self.b.op(Op::Lt, &[now, limit]);
        let then = self.filled(|_| {});
        let otherwise = self.filled(|g| g.b.break_(inst, &[]));
        self.b.if_else(goes_on, then, otherwise, &[]);
        self.loops.push(Open { inst, count });
        self.depth += 1;
        self.body(4);
        self.depth -= 1;
        self.loops.pop();
        if !self.b.is_terminated() {
            self.advance(count);
            self.b.continue_(inst, &[]);
        }
        self.b.end_loop(inst, &[]);
        // How many rounds it were.
        if self.random.chance(40)
            && let Some(&var) = self.random.pick(&self.vars)
        {
            let rounds = self.b.get(count);
            self.b.set(var, rounds);
        }
    }

    fn advance(&mut self, count: Var) {
        let (now, one) = (self.b.get(count), self.b.u32(1));
        let next = self.b.op(Op::Add, &[now, one]);
        self.b.set(count, next);
    }

    fn leave_if(&mut self) {
        let condition = self.condition();
        let then = self.filled(|g| {
            if g.random.chance(30) {
                g.body(1);
            }
            g.maybe_leave(100);
        });
        let otherwise = self.filled(|g| {
            if g.random.chance(15) {
                g.body(1);
                g.maybe_leave(60);
            }
        });
        self.b.if_else(condition, then, otherwise, &[]);
    }

    /// Leaves a loop, continues one or returns.
    fn maybe_leave(&mut self, percent: usize) {
        if self.b.is_terminated() || !self.random.chance(percent) {
            return;
        }
        let target = self.random.pick(&self.loops).copied();
        match target {
            Some(open) if self.random.chance(85) => {
                if self.random.chance(50) {
                    self.b.break_(open.inst, &[]);
                } else {
                    self.advance(open.count);
                    self.b.continue_(open.inst, &[]);
                }
            }
            _ => self.return_(),
        }
    }

    fn return_(&mut self) {
        if self.is_kernel() {
            self.b.ret();
        } else {
            let value = self.leaf_without_call();
            self.b.ret_values(&[value]);
        }
    }
}
