//! Facts of random kernels against what the kernels do.
//!
//! Kernels are run an instruction at a time, by an evaluator that knows nothing of memory:
//! a load gives any number of its type, so that nothing that was stored can hide a wrong
//! fact. Whatever is computed must satisfy what was said about it, and no access that was
//! proven for the launch may be out of bounds. The test of an access must hold where the access
//! is in bounds and nowhere else.

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
use std::fmt::Write;

/// Numbers at random.
struct Numbers {
    random: Random,
    /// Whether numbers are small, so that they often meet the ends of something.
    small: bool,
}

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A number that is often small or near an edge.
    fn number(&mut self) -> u64 {
        if self.small {
            return self.below(18) as u64;
        }
        match self.below(8) {
            0..4 => self.below(10) as u64,
            4 => self.below(200) as u64,
            5 => u64::from(u32::MAX) - self.below(4) as u64,
            6 => (1 << 31) + self.below(4) as u64 - 2,
            _ => self.below(1 << 32) as u64,
        }
    }
}

/// Writes a kernel.
struct Generator {
    random: Numbers,
    text: String,
    /// The visible `u32`s, `i32`s and conditions.
    words: Vec<String>,
    ints: Vec<String>,
    /// The visible `f32`s.
    floats: Vec<String>,
    truths: Vec<String>,
    /// The labels of the loops around, and the type of what they carry.
    loops: Vec<(String, &'static str)>,
    names: usize,
}

const WORDS: &[&str] = &["0", "1", "2", "3", "4", "7", "8", "15", "16", "31", "63", "4294967295", "2147483648"];
const INTS: &[&str] = &["0", "1", "2", "5", "8", "-1", "-3", "2147483647", "-2147483648"];

impl Generator {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: String) {
        let _ = writeln!(self.text, "{line}");
    }

    fn of(&mut self, ty: &str, constant: usize) -> String {
        if self.random.below(10) < constant {
            let list = if ty == "u32" { WORDS } else { INTS };
            return format!("{}{ty}", self.random.pick(list));
        }
        let list = if ty == "u32" { &self.words } else { &self.ints };
        // Later values are used more often.
        let back = self.random.below(list.len()).min(self.random.below(list.len()));
        let list = if ty == "u32" { &self.words } else { &self.ints };
        list[list.len() - 1 - back].clone()
    }

    fn keep(&mut self, ty: &str, name: String) {
        if ty == "u32" { self.words.push(name) } else { self.ints.push(name) }
    }

    fn op(&mut self) {
        let ty = if self.random.below(4) == 0 { "i32" } else { "u32" };
        let name = self.name();
        let (a, b) = (self.of(ty, 1), self.of(ty, 6));
        if self.random.below(12) == 0 {
            // Counted from the end, as `len - 1 - i`.
            let (less, other) = (self.name(), self.of(ty, 0));
            self.line(format!("{less} = sub {a}, 1{ty} {name} = sub {less}, {other}"));
            return self.keep(ty, name);
        }
        match self.random.below(12) {
            0..7 => {
                let op = self.random.pick(&[
                    "add",
                    "add",
                    "sub",
                    "sub",
                    "mul",
                    "div",
                    "rem",
                    "min",
                    "max",
                    "and",
                    "or",
                    "xor",
                    "add_sat",
                    "sub_sat",
                    "mul_hi",
                    "avg_floor",
                    "mod",
                    "rem_euclid",
                ]);
                self.line(format!("{name} = {op} {a}, {b}"));
            }
            7 => {
                let (op, by) = (self.random.pick(&["shl", "shr", "shr", "rotl"]), self.of("u32", 8));
                self.line(format!("{name} = {op} {a}, {by}"));
            }
            8 => {
                let (condition, other) = (self.condition(1), self.of(ty, 3));
                self.line(format!("{name} = select {condition}, {a}, {other}"));
            }
            9 => {
                let (low, high) = (self.of(ty, 8), self.of(ty, 5));
                self.line(format!("{name} = clamp {a}, {low}, {high}"));
            }
            10 => {
                let (from, middle) = (self.of("u32", 1), self.name());
                let narrow = self.random.pick(&["u8", "i8", "u64", "i64", "u16"]);
                self.line(format!("{middle} = cast {from} to {narrow} {name} = cast {middle} to {ty}"));
            }
            _ => {
                let other = if ty == "u32" { "i32" } else { "u32" };
                let from = self.of(other, 1);
                self.line(format!("{name} = cast {from} to {ty}"));
            }
        }
        self.keep(ty, name);
    }

    /// An op on floats, of floats that came from integers and from bits.
    fn float_op(&mut self) {
        let name = self.name();
        if self.floats.len() < 2 || self.random.below(5) == 0 {
            let (from, how) = (self.of("u32", 2), self.random.pick(&["cast", "cast", "bitcast"]));
            self.line(format!("{name} = {how} {from} to f32"));
            return self.floats.push(name);
        }
        let [a, b, c] = [0; 3].map(|_| self.float());
        match self.random.below(8) {
            0..4 => {
                let op = self.random.pick(&["add", "sub", "mul", "div", "min", "max", "copysign", "rem"]);
                self.line(format!("{name} = {op} {a}, {b}"));
            }
            4 => {
                let op = self.random.pick(&["sqrt", "abs", "neg", "floor", "ceil", "trunc", "round", "round_even"]);
                self.line(format!("{name} = {op} {a}"));
            }
            5 => self.line(format!("{name} = fma {a}, {b}, {c}")),
            6 => {
                let condition = self.condition(1);
                self.line(format!("{name} = select {condition}, {a}, {b}"));
            }
            _ => {
                let (half, ty) = (self.name(), self.random.pick(&["f16", "f64"]));
                self.line(format!("{half} = cast {a} to {ty} {name} = cast {half} to f32"));
            }
        }
        self.floats.push(name);
    }

    /// A float that is visible, or a constant.
    fn float(&mut self) -> String {
        if self.random.below(4) == 0 || self.floats.is_empty() {
            return format!("{}f32", self.random.pick(&["0.0", "1.0", "-0.0", "0.1", "-2.5", "1.0e-38", "3.0e38"]));
        }
        let back = self.random.below(self.floats.len()).min(self.random.below(self.floats.len()));
        self.floats[self.floats.len() - 1 - back].clone()
    }

    fn access(&mut self) {
        let (name, i, v) = (self.name(), self.of("u32", 1), self.of("u32", 2));
        match self.random.below(8) {
            0 => self.line(format!("store @y[{i}], {v}")),
            1 if self.names.is_multiple_of(4) => self.line(format!("{name} = load u32 @at[{i}]")),
            1 => self.line(format!("{name} = load u32 @x[{i}]")),
            2 => self.line(format!("store @own[{i}], {v}")),
            3 => self.line(format!("{name} = load u32 @x[{i} * 16][{v} * 4 < 4]")),
            4 => self.line(format!("{name} = load u32 @z[{i} * 8] + 4")),
            5 => self.line(format!("{name} = load u32 @x[{i} * 16][{v} * 4] + 8")),
            6 => self.line(format!("{name} = load u32 @own[{i} * 8][{v} * 4 < 2]")),
            _ => {
                let root = self.random.pick(&["@x", "@y", "@z", "@own"]);
                self.line(format!("{name} = len {root}"));
            }
        }
        if self.text.lines().last().is_some_and(|line| line.starts_with('%')) {
            self.words.push(name);
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let name = self.name();
        match self.random.below(if depth == 0 { 5 } else { 9 }) {
            0..5 => {
                let ty = if self.random.below(4) == 0 { "i32" } else { "u32" };
                let (a, b) = (self.of(ty, 0), self.of(ty, 4));
                let (a, b) = if self.random.below(5) == 0 { (b, a) } else { (a, b) };
                let op = self.random.pick(&["eq", "ne", "lt", "lt", "lt", "le", "gt", "ge"]);
                self.line(format!("{name} = {op} {a}, {b}"));
            }
            5 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let op = self.random.pick(&["and", "and", "or", "xor"]);
                self.line(format!("{name} = {op} {a}, {b}"));
            }
            6 => {
                let a = self.condition(depth - 1);
                self.line(format!("{name} = not {a}"));
            }
            7 => {
                let a = self.condition(depth - 1);
                let (first, second) = if self.random.below(2) == 0 { ("", "false") } else { ("true", "") };
                self.line(format!("{name} = if {a} -> bool {{"));
                for constant in [first, second] {
                    let value =
                        if constant.is_empty() { self.scoped(|g| g.condition(depth - 1)) } else { constant.into() };
                    self.line(format!("yield {value} }}"));
                    if constant == first {
                        self.line("else {".to_owned());
                    }
                }
            }
            _ => {
                if let Some(last) = self.truths.last() {
                    return last.clone();
                }
                self.line(format!("{name} = eq 0u32, 0u32"));
            }
        }
        name
    }

    /// What becomes visible is forgotten again.
    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let (words, ints, truths) = (self.words.len(), self.ints.len(), self.truths.len());
        let floats = self.floats.len();
        let value = f(self);
        self.floats.truncate(floats);
        self.words.truncate(words);
        self.ints.truncate(ints);
        self.truths.truncate(truths);
        value
    }

    /// A region of an `if` or `switch`, its end included.
    fn region(&mut self, depth: usize) {
        self.scoped(|g| {
            if g.random.below(3) > 0 {
                g.body(depth);
            }
            match g.random.below(9) {
                0 if !g.loops.is_empty() => {
                    let i = g.random.below(g.loops.len());
                    let (label, _) = g.loops[i].clone();
                    let value = g.of("u32", 1);
                    g.line(format!("break {label} {value} }}"));
                }
                1 if !g.loops.is_empty() => {
                    let i = g.random.below(g.loops.len());
                    let (label, ty) = g.loops[i].clone();
                    let (value, other, float) = (g.of(ty, 2), g.of("u32", 1), g.float());
                    g.line(format!("continue {label} {value}, {other}, {float} }}"));
                }
                2 => g.line("ret }".to_owned()),
                _ => {
                    let value = g.of("u32", 2);
                    g.line(format!("yield {value} }}"));
                }
            }
        });
    }

    fn branch(&mut self, depth: usize) {
        let (name, condition) = (self.name(), self.condition(2));
        self.line(format!("{name} = if {condition} -> u32 {{"));
        self.region(depth);
        self.line("else {".to_owned());
        self.region(depth);
        self.words.push(name);
        self.truths.push(condition);
    }

    fn switch(&mut self, depth: usize) {
        let (name, selector) = (self.name(), self.of("u32", 0));
        self.line(format!("{name} = switch {selector} -> u32 {{ case 0u32, 3u32 {{"));
        self.region(depth);
        self.line("case 7u32 {".to_owned());
        self.region(depth);
        self.line("default {".to_owned());
        self.region(depth);
        self.line("}".to_owned());
        self.words.push(name);
    }

    /// A loop with a counter and a carried value.
    fn repeat(&mut self, depth: usize) {
        let (name, label, counter, carried) = (self.name(), format!("'l{}", self.names), self.name(), self.name());
        let ty = if self.random.below(4) == 0 { "i32" } else { "u32" };
        let (initial, other) = (self.of(ty, 6), self.of("u32", 4));
        let (sum, first) = (self.name(), self.float());
        let params = format!("{counter}: {ty} = {initial}, {carried}: u32 = {other}, {sum}: f32 = {first}");
        self.line(format!("{name} = loop {label} ({params}) -> u32 {{"));
        self.scoped(|g| {
            g.keep(ty, counter.clone());
            g.words.push(carried);
            g.floats.push(sum);
            if g.random.below(6) > 0 {
                let (limit, done, result) = (g.of(ty, 6), g.name(), g.of("u32", 2));
                let op = g.random.pick(&["lt", "lt", "lt", "le", "gt", "ne", "ge"]);
                g.line(format!("{done} = {op} {counter}, {limit}"));
                g.line(format!("if {done} {{ yield }} else {{ break {label} {result} }}"));
            }
            g.loops.push((label.clone(), ty));
            g.body(depth);
            let next = g.name();
            let step = g.random.pick(&["1", "1", "2", "3", "16"]);
            let step = if g.random.below(6) == 0 { g.of(ty, 0) } else { format!("{step}{ty}") };
            match g.random.below(8) {
                0 => g.line(format!("{next} = shr {counter}, 1u32")),
                1 | 2 => g.line(format!("{next} = sub {counter}, {step}")),
                3 => g.line(format!("{next} = add {step}, {counter}")),
                4 => g.line(format!("{next} = div {counter}, {step}")),
                _ => g.line(format!("{next} = add {counter}, {step}")),
            }
            let (value, float) = (g.of("u32", 2), g.float());
            g.line(format!("continue {label} {next}, {value}, {float} }}"));
            g.loops.pop();
        });
        self.words.push(name);
    }

    /// A range in steps as a `for` makes it, or nearly so.
    fn steps(&mut self, depth: usize) {
        let (name, label) = (self.name(), format!("'l{}", self.names));
        let [condition, last, step, distance, rounds, round, far, at] = std::array::from_fn(|_| self.name());
        let [carried, sum, done, next] = std::array::from_fn(|_| self.name());
        let (first, end, by) = (self.of("u32", 4), self.of("u32", 4), self.of("u32", 6));
        let constant = self.random.below(3) == 0;
        let by = if constant { "4u32".to_owned() } else { by };
        let wrong = |g: &mut Self| g.random.below(12) == 0;
        let compared = if wrong(self) { "le" } else { "lt" };
        self.line(format!("{condition} = {compared} {first}, {end}"));
        self.line(format!("{name} = if {condition} -> u32 {{"));
        self.scoped(|g| {
            g.line(format!("{last} = sub {end}, 1u32 {step} = max {by}, 1u32"));
            let step = if constant { by } else { step };
            let from = if wrong(g) { g.of("u32", 2) } else { first.clone() };
            g.line(format!("{distance} = sub {last}, {from}"));
            match (constant, g.random.below(2)) {
                (true, 0) => g.line(format!("{rounds} = shr {distance}, 2u32")),
                _ => g.line(format!("{rounds} = div {distance}, {step}")),
            }
            let (zero, other, start) = (if wrong(g) { "1u32" } else { "0u32" }, g.of("u32", 4), g.float());
            let params = format!("{round}: u32 = {zero}, {carried}: u32 = {other}, {sum}: f32 = {start}");
            g.line(format!("{label}v = loop {label} ({params}) -> u32 {{").replacen('\'', "%", 1));
            g.scoped(|g| {
                let factor = if wrong(g) { g.of("u32", 2) } else { step };
                match (constant, g.random.below(2)) {
                    (true, 0) => g.line(format!("{far} = shl {round}, 2u32")),
                    _ => g.line(format!("{far} = mul {round}, {factor}")),
                }
                match g.random.below(4) {
                    0 => g.line(format!("{at} = sub {last}, {far}")),
                    1 => g.line(format!("{at} = add {far}, {first}")),
                    _ => g.line(format!("{at} = add {first}, {far}")),
                }
                g.words.extend([round.clone(), carried, far, at.clone()]);
                g.floats.push(sum);
                let loaded = g.name();
                let buffer = g.random.pick(&["@x[", "@y[", "@own["]);
                g.line(format!("{loaded} = load u32 {buffer}{at}]"));
                g.words.push(loaded);
                // What goes on elsewhere with any number is no count of rounds.
                let open = g.random.below(4) == 0;
                let around = if open { g.loops.clone() } else { std::mem::take(&mut g.loops) };
                if open {
                    g.loops.push((label.clone(), "u32"));
                }
                g.body(depth);
                g.loops = around;
                let equal = if wrong(g) { "gt" } else { "eq" };
                let result = g.of("u32", 2);
                g.line(format!(
                    "{done} = {equal} {round}, {rounds} if {done} {{ break {label} {result} }} else {{ yield }}"
                ));
                let one = if wrong(g) { "2u32" } else { "1u32" };
                let (value, float) = (g.of("u32", 2), g.float());
                g.line(format!("{next} = add {round}, {one} continue {label} {next}, {value}, {float} }}"));
            });
            g.line(format!("yield {label}v }} else {{").replacen('\'', "%", 1));
        });
        let otherwise = self.of("u32", 2);
        self.line(format!("yield {otherwise} }}"));
        self.words.push(name);
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(5) {
            if self.random.below(3) == 0 {
                self.float_op();
            }
            match self.random.below(if depth == 0 { 7 } else { 13 }) {
                0..4 => self.op(),
                4..7 => self.access(),
                7..10 => self.branch(depth - 1),
                10 => self.steps(depth - 1),
                11 if self.random.below(2) == 0 => self.switch(depth - 1),
                _ => self.repeat(depth - 1),
            }
        }
    }
}

fn kernel(seed: u64) -> String {
    let names = ["%n", "%m", "%gx", "%wx", "%lx", "%gy", "%li"];
    let mut generator = Generator {
        random: Numbers { random: Random::new(seed), small: false },
        text: String::new(),
        words: names.map(str::to_owned).to_vec(),
        ints: vec!["%s".to_owned()],
        floats: Vec::new(),
        truths: Vec::new(),
        loops: Vec::new(),
        names: 0,
    };
    for _ in 0..4 {
        generator.body(3);
    }
    format!(
        "func kernel workgroup_size(8, 2, 1) @k(%n: u32, %m: u32, %s: i32, @x: [u32], @y: mut [u32], @z: [vec2<u32>], @at: below [u32]) {{
            private @own: [u32; 6]
            %gx = global_id.x %wx = workgroup_id.x %lx = local_id.x %gy = num_workgroups.y %li = local_index
            {}
            ret
        }}",
        generator.text
    )
}

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

#[test]
fn what_random_kernels_compute_satisfies_the_facts() {
    let mut total = Tally::default();
    let seeds = std::env::var("SAMEBITS_FACTS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    for seed in 0..seeds {
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
            total.proven += run.tally.proven;
            total.by_launch += run.tally.by_launch;
            total.guarded += run.tally.guarded;
            total.tests.iter_mut().zip(run.tally.tests).for_each(|(total, tests)| *total += tests);
            total.never_wraps += run.tally.never_wraps;
            total.ended += run.tally.ended;
            total.floats.iter_mut().zip(run.tally.floats).for_each(|(total, floats)| *total += floats);
        }
    }
    println!("{total:?}");
    let Tally { proven, by_launch, guarded, tests, never_wraps, ended, floats } = total;
    let counts = [proven, by_launch, guarded, never_wraps, ended];
    assert!(counts.iter().chain(&tests).chain(&floats).all(|&count| count > 500));
}
