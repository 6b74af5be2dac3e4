//! Facts of random kernels against what the kernels do.
//!
//! Kernels are run an instruction at a time, by an evaluator that knows nothing of memory:
//! a load gives any number of its type, so that nothing that was stored can hide a wrong
//! fact. Whatever is computed must satisfy what was said about it, and no access that was
//! proven for the launch may be out of bounds. The test of an access must hold where the access
//! is in bounds and nowhere else.

mod kernels;

use kernels::{Numbers, kernel};
use samebits_ir::analysis::facts::{Condition, Facts, Launch, Missing, Rounds, Verdict, Wrapping};
use samebits_ir::analysis::floats::{Classes, Floats};
use samebits_ir::analysis::guard::{Extent, Guards};
use samebits_ir::check::check_image;
use samebits_ir::ir::{Elements, Function, Inst, InstKind, Place, Region, Root, Value};
use samebits_ir::ops::{Builtin, Op};
use samebits_ir::scalar::float::frexp_exponent;
use samebits_ir::scalar::{Lanes, signed};
use samebits_ir::text::parse;
use samebits_ir::types::{Scalar, Type, Types};
use samebits_random::Random;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// How a region was left.
enum Left {
    Yield(Vec<u64>),
    Break(Inst, Vec<u64>),
    Continue(Inst, Vec<u64>),
    Return,
}

/// What the checks of a run came to.
#[derive(Debug, Default)]
struct Tally {
    proven: usize,
    by_launch: usize,
    guarded: usize,
    /// No test, one of bounds alone, of an element, of the whole root.
    tests: [usize; 4],
    never_wraps: usize,
    ended: usize,
    /// Floats of which all is known, something, and nothing.
    floats: [usize; 3],
}

/// One invocation.
struct Run<'a> {
    types: &'a Types,
    function: &'a Function,
    facts: &'a Facts,
    floats: &'a Floats,
    /// For every launch, and for launches that satisfy the conditions that this one does.
    guards: [&'a Guards<'a>; 2],
    source: &'a str,
    random: Numbers,
    values: HashMap<usize, u64>,
    launch: Launch<'a>,
    /// The conditions that the launch satisfies.
    conditions: u64,
    group: [u32; 3],
    local: [u32; 3],
    steps: usize,
    tally: Tally,
}

impl Run<'_> {
    fn value(&self, value: Value) -> u64 {
        self.function.constant_bits(value).unwrap_or_else(|| self.values[&value.index()])
    }

    fn lane(&self, value: Value) -> Scalar {
        self.function.ty(value).lane().expect("a lane")
    }

    #[track_caller]
    fn set(&mut self, value: Value, bits: u64) {
        let (ty, fact) = (self.lane(value), self.facts.fact(value));
        assert!(fact.contains(ty, bits), "{:?} is {bits}, but {fact:x?}\n{}", self.function.values[value], self.source);
        if ty.is_float() {
            self.float(value, ty, bits);
        }
        self.values.insert(value.index(), bits);
    }

    #[track_caller]
    fn float(&mut self, value: Value, ty: Scalar, bits: u64) {
        let (known, class) = (self.floats.at(value), Classes::of_constant(ty, bits));
        let shown = &self.function.values[value];
        assert!(known.contains(class), "{shown:?} is {bits:x}, but {known:?}\n{}", self.source);
        if Classes::NORMALS.union(Classes::SUBNORMALS).contains(class) {
            let exponent = frexp_exponent(ty, [bits, 0, 0, 0]) as i32 - 1;
            let (low, high) = self.floats.exponents(value).expect("exponents");
            assert!(low <= exponent && exponent <= high, "{shown:?} is {bits:x}: {low} {high}\n{}", self.source);
        }
        self.tally.floats[if known == class { 0 } else { 1 + usize::from(known == Classes::ANY) }] += 1;
    }

    fn all(&self, values: &[Value]) -> Vec<u64> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    fn region(&mut self, region: Region) -> Left {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            self.steps += 1;
            if self.steps > 3000 {
                return Left::Return;
            }
            let def = &function.insts[inst];
            def.kind.for_each_operand(|operand| {
                let (fact, bits) = (self.facts.at(inst, operand), self.value(operand));
                let good = fact.contains(self.lane(operand), bits);
                assert!(good, "{:?} is {bits} here, but {fact:x?}\n{}", function.values[operand], self.source);
            });
            let left = match &def.kind {
                InstKind::Op(op, args) => {
                    self.op(inst, *op, args, def.results[0]);
                    continue;
                }
                InstKind::Load(place) => {
                    self.place(inst, place);
                    let bits = match place.root {
                        // In a launch each is below the bound.
                        Root::Param(param) if self.function.params[param as usize].elements == Elements::Below => {
                            self.random.number().min(self.launch.scalars[param as usize])
                        }
                        _ => self.random.number(),
                    };
                    self.set(def.results[0], bits);
                    continue;
                }
                InstKind::Store(place, _) => {
                    self.place(inst, place);
                    continue;
                }
                InstKind::Len(root) => {
                    let len = match root {
                        Root::Param(param) => self.launch.lens[*param as usize],
                        Root::Shared(_) | Root::Private(_) | Root::Table(_) => 6,
                    };
                    self.set(def.results[0], len.into());
                    continue;
                }
                InstKind::Builtin(builtin) => {
                    let bits = self.builtin(*builtin);
                    self.set(def.results[0], bits.into());
                    continue;
                }
                InstKind::If { condition, then, otherwise } => {
                    let taken = if self.value(*condition) != 0 { *then } else { *otherwise };
                    self.region(taken)
                }
                InstKind::Switch { selector, cases, default } => {
                    let bits = self.value(*selector);
                    let case = cases.iter().find(|case| case.values.contains(&bits));
                    self.region(case.map_or(*default, |case| case.region))
                }
                InstKind::Loop { body, initial, .. } => {
                    let initial = self.all(initial);
                    self.repeat(inst, *body, initial)
                }
                InstKind::Yield(values) => return Left::Yield(self.all(values)),
                InstKind::Break(target, values) => return Left::Break(*target, self.all(values)),
                InstKind::Continue(target, values) => return Left::Continue(*target, self.all(values)),
                InstKind::Return(_) => return Left::Return,
                other => panic!("{other:?} is not generated"),
            };
            let Left::Yield(results) = left else { return left };
            for (&result, bits) in def.results.iter().zip(results) {
                self.set(result, bits);
            }
        }
        unreachable!("a region ends in a terminator")
    }

    fn repeat(&mut self, inst: Inst, body: Region, mut state: Vec<u64>) -> Left {
        let mut rounds = 0u64;
        loop {
            rounds += 1;
            if let Rounds::AtMost(most) = self.facts.rounds(inst) {
                assert!(rounds <= most, "more than {most} rounds\n{}", self.source);
                self.tally.ended += 1;
            }
            for (&param, bits) in self.function.regions[body].params.iter().zip(state) {
                self.set(param, bits);
            }
            match self.region(body) {
                Left::Continue(target, values) if target == inst => state = values,
                Left::Break(target, values) if target == inst => return Left::Yield(values),
                left => return left,
            }
        }
    }

    fn op(&mut self, inst: Inst, op: Op, args: &[Value], result: Value) {
        let types: Vec<Type> = args.iter().map(|&arg| self.function.ty(arg)).collect();
        let lanes: Vec<Lanes> = args.iter().map(|&arg| [self.value(arg), 0, 0, 0]).collect();
        let bits = op.eval(&types, self.function.ty(result), &lanes)[0];
        let never = match self.facts.wrapping(inst) {
            Wrapping::Possible => false,
            Wrapping::Never => true,
            Wrapping::Unless(condition) => condition.holds(&self.launch),
        };
        if never {
            let ty = self.lane(result);
            let number = |bits: u64| if ty.is_signed() { signed(ty, bits).into() } else { i128::from(bits) };
            let (a, b) = (number(lanes[0][0]), number(lanes[1][0]));
            let exact = match op {
                Op::Add => a + b,
                Op::Sub => a - b,
                _ => a * b,
            };
            assert_eq!(exact, number(bits), "{op:?} wraps\n{}", self.source);
            self.tally.never_wraps += 1;
        }
        self.set(result, bits);
    }

    fn place(&mut self, inst: Inst, place: &Place) {
        let mut end = u128::from(place.offset) + 4;
        let mut inside = true;
        for (i, index) in place.indices.iter().enumerate() {
            let bits = self.value(index.value);
            end += u128::from(bits) * u128::from(index.stride);
            let below = index.bound.is_none_or(|bound| bits < bound.into());
            assert!(below || !self.facts.index_is_below(inst, i), "index {bits}\n{}", self.source);
            inside &= below;
        }
        let element = self.function.root_element(self.types, place.root).expect("an element");
        let element = u128::from(self.types.layout(element).expect("a size").size);
        let size = match place.root {
            Root::Param(param) => u128::from(self.launch.lens[param as usize]) * element,
            Root::Shared(_) | Root::Private(_) | Root::Table(_) => 24,
        };
        inside &= end <= size;
        for guards in self.guards {
            let test = guards.test(inst);
            let below = test.below.iter().all(|&(index, bound)| self.value(index) < bound.into());
            let passes = match test.extent {
                Extent::Within => true,
                Extent::Element(index) => u128::from(index.map_or(0, |index| self.value(index))) < size / element,
                Extent::Root { reach } => {
                    assert!(end <= reach || !below, "more than {reach} bytes\n{}", self.source);
                    end <= size
                }
            };
            assert_eq!(passes && below, inside, "{test:?} of {place:?} in {:?}\n{}", self.launch, self.source);
            self.tally.tests[match test.extent {
                Extent::Within if test.is_none() => 0,
                Extent::Within => 1,
                Extent::Element(_) => 2,
                Extent::Root { .. } => 3,
            }] += 1;
        }
        let verdict = self.facts.access(inst);
        assert_ne!(verdict, Verdict::Guarded(Missing::Unreached), "reached\n{}", self.source);
        if verdict.holds_under(self.conditions) {
            assert!(inside, "{place:?} is not in bounds, {:?} {:?}\n{}", self.launch, verdict, self.source);
        }
        match verdict {
            Verdict::Proven => self.tally.proven += 1,
            Verdict::IfLaunch(_) if verdict.holds_under(self.conditions) => self.tally.by_launch += 1,
            Verdict::IfLaunch(_) | Verdict::Guarded(_) => self.tally.guarded += 1,
        }
    }

    fn local_index(&self) -> u32 {
        let [x, y, _] = self.function.workgroup_size();
        self.local[0] + x * (self.local[1] + y * self.local[2])
    }

    fn builtin(&self, builtin: Builtin) -> u32 {
        let size = self.function.workgroup_size();
        let axis = builtin.axis().unwrap_or(0);
        match builtin {
            Builtin::GlobalIdX | Builtin::GlobalIdY | Builtin::GlobalIdZ => {
                self.group[axis].wrapping_mul(size[axis]).wrapping_add(self.local[axis])
            }
            Builtin::LocalIdX | Builtin::LocalIdY | Builtin::LocalIdZ => self.local[axis],
            Builtin::WorkgroupIdX | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ => self.group[axis],
            Builtin::NumWorkgroupsX | Builtin::NumWorkgroupsY | Builtin::NumWorkgroupsZ => self.launch.groups[axis],
            Builtin::LocalIndex => self.local_index(),
            Builtin::SubgroupId => self.local_index() / 32,
            Builtin::SubgroupLane => self.local_index() % 32,
            Builtin::NumSubgroups => size.iter().product::<u32>().div_ceil(32),
        }
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.proven += other.proven;
        self.by_launch += other.by_launch;
        self.guarded += other.guarded;
        self.tests.iter_mut().zip(other.tests).for_each(|(total, tests)| *total += tests);
        self.never_wraps += other.never_wraps;
        self.ended += other.ended;
        self.floats.iter_mut().zip(other.floats).for_each(|(total, floats)| *total += floats);
    }
}

/// Runs the kernel of a seed with twenty launches.
fn tried(seed: u64) -> Tally {
    let mut total = Tally::default();
    let source = kernel(seed);
    let module = parse(&source).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
    let checked = check_image(module).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
    let (function, _) = checked.function(0).expect("a kernel");
    let types = &checked.module().types;
    let always = Guards::of(types, function, 0);
    let facts = always.facts();
    let floats = Floats::of(function, facts);
    for round in 0..20 {
        let mut random = Numbers { random: Random::new(seed << 8 | round), small: round % 2 == 0 };
        let small = random.small;
        let groups = [0; 3].map(|_| [1, 2, 3, 1000, 1 << 29, u32::MAX][random.below(if small { 3 } else { 6 })]);
        let [a, b, c, d, e, f] = [0; 6].map(|_| random.number());
        // The buffer `at` has as many elements as another.
        let scalars = [a, b, c, d, e, f, f & u64::from(u32::MAX)];
        let lens = [0; 6].map(|_| match random.below(4) {
            _ if small => random.number() as u32,
            0 => random.below(10) as u32,
            1 => u32::MAX,
            _ => random.number() as u32,
        });
        let [a, b, c, d, e, f] = lens;
        let launch = Launch { groups, lens: &[a, b, c, d, e, f, f], scalars: &scalars };
        let conditions = Condition::satisfied(facts.conditions(), &launch);
        let under = Guards::of(types, function, conditions);
        let group = groups.map(|count| [0, count / 2, count - 1][random.below(3)]);
        let size = function.workgroup_size();
        let local = [0, 1, 2].map(|axis: usize| random.below(size[axis] as usize) as u32);
        let mut run = Run {
            types,
            function,
            facts,
            floats: &floats,
            guards: [&always, &under],
            source: &source,
            random,
            values: HashMap::new(),
            launch,
            conditions,
            group,
            local,
            steps: 0,
            tally: Tally::default(),
        };
        for (&param, bits) in function.regions[function.body].params.iter().zip(scalars) {
            run.set(param, bits);
        }
        run.region(function.body);
        total.add(&run.tally);
    }
    total
}

#[test]
fn what_random_kernels_compute_satisfies_the_facts() {
    let seeds = std::env::var("SAMEBITS_FACTS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let next = AtomicU64::new(0);
    let work = || {
        let mut total = Tally::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                return total;
            }
            total.add(&tried(seed));
        }
    };
    let mut total = Tally::default();
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            // What is wrong has been printed by the thread.
            total.add(&thread.join().expect("a kernel keeps its facts"));
        }
    });
    println!("{total:?}");
    let Tally { proven, by_launch, guarded, tests, never_wraps, ended, floats } = total;
    let counts = [proven, by_launch, guarded, never_wraps, ended];
    assert!(counts.iter().chain(&tests).chain(&floats).all(|&count| count > 500));
}
