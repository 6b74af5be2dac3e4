//! Passes on random kernels: whatever is computed, the bytes stay the same.
//!
//! Kernels are made valid by construction: a value is used only where it is visible, a
//! loop counts down, and a function calls only functions of lower numbers. Invocations race for memory, but one thread runs them in order.

use samebits_ir::check::{Checked, check_image};
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::pass::{Level, PASSES, inline, optimize};
use samebits_ir::text::{parse, print};
use samebits_random::Random;
use std::fmt::Write;

/// The device functions around each kernel.
const FUNCTIONS: usize = 2;

/// Writes the body of a function.
struct Generator {
    random: Random,
    text: String,
    /// The visible `u32`s.
    values: Vec<String>,
    /// The visible loops: label, the count that its `continue` passes, and results.
    loops: Vec<(String, String, usize)>,
    names: usize,
    /// How many functions it may call.
    callees: usize,
    /// Whether it gives a result.
    is_device: bool,
}

impl Generator {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// A visible value or a constant.
    fn value(&mut self) -> String {
        if self.random.below(3) == 0 {
            let constant = self.random.one_of(["0u32", "1u32", "2u32", "31u32", "4294967295u32", "2147483648u32"]);
            return constant.to_owned();
        }
        let i = self.random.below(self.values.len());
        self.values[i].clone()
    }

    fn values(&mut self, count: usize) -> String {
        let values: Vec<String> = (0..count).map(|_| self.value()).collect();
        values.join(", ")
    }

    fn op(&mut self) {
        let (name, a, b) = (self.name(), self.value(), self.value());
        let op = self.random.one_of([
            "add", "sub", "mul", "div", "rem", "min", "max", "abs_diff", "and", "or", "xor", "shl", "shr", "rotl",
            "rotr",
        ]);
        self.line(&format!("{name} = {op} {a}, {b}"));
        self.values.push(name);
    }

    fn memory(&mut self) {
        let (name, a, b) = (self.name(), self.value(), self.value());
        match self.random.below(5) {
            0 => self.line(&format!("store @y[{a}], {b}")),
            1 => {
                let masked = self.name();
                self.line(&format!("{masked} = and {a}, 7u32"));
                self.line(&format!("store @y[{masked}], {b}"));
            }
            2 => {
                self.line(&format!("{name} = load u32 @y[{a}]"));
                self.values.push(name);
            }
            3 => {
                self.line(&format!("{name} = len @y"));
                self.values.push(name);
            }
            _ => {
                self.line(&format!("store @own[{a}], {b}"));
                self.line(&format!("{name} = load u32 @own[{b}]"));
                self.values.push(name);
            }
        }
    }

    fn condition(&mut self) -> String {
        let (name, a, b) = (self.name(), self.value(), self.value());
        let op = self.random.one_of(["eq", "ne", "lt", "le", "gt", "ge"]);
        self.line(&format!("{name} = {op} {a}, {b}"));
        name
    }

    /// A region's instructions and its end; `results` are what a `yield` gives.
    fn region(&mut self, depth: usize, results: usize) {
        let visible = self.values.len();
        self.body(depth);
        match self.random.below(12) {
            0 if !self.loops.is_empty() => {
                let i = self.random.below(self.loops.len());
                let (label, _, count) = self.loops[i].clone();
                let values = self.values(count);
                self.line(&format!("break {label} {values}"));
            }
            1 if !self.loops.is_empty() => {
                let i = self.random.below(self.loops.len());
                let (label, next, count) = self.loops[i].clone();
                let values = self.values(count);
                let comma = if count == 0 { "" } else { "," };
                self.line(&format!("continue {label} {next}{comma} {values}"));
            }
            2 => self.ret(),
            _ => {
                let values = self.values(results);
                self.line(&format!("yield {values}"));
            }
        }
        self.values.truncate(visible);
    }

    fn ret(&mut self) {
        let value = if self.is_device { self.value() } else { String::new() };
        self.line(&format!("ret {value}"));
    }

    /// A call with a view that may begin anywhere.
    fn call(&mut self) {
        let (name, a, b, at) = (self.name(), self.value(), self.value(), self.value());
        let callee = self.random.below(self.callees);
        let memory = self.random.one_of(["@y", "@own"]);
        let bound = self.random.one_of(["", " < 3"]);
        self.line(&format!("{name} = call @f{callee}({a}, {b}, {memory}[{at}{bound}])"));
        self.values.push(name);
    }

    fn results(&mut self) -> (Vec<String>, String, String) {
        let names: Vec<String> = (0..self.random.below(3)).map(|_| self.name()).collect();
        let equals = if names.is_empty() { String::new() } else { format!("{} = ", names.join(", ")) };
        let types =
            if names.is_empty() { String::new() } else { format!("-> {}", vec!["u32"; names.len()].join(", ")) };
        (names, equals, types)
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let (names, equals, types) = self.results();
        self.line(&format!("{equals}if {condition} {types} {{"));
        self.region(depth, names.len());
        self.line("} else {");
        self.region(depth, names.len());
        self.line("}");
        self.values.extend(names);
    }

    fn switch(&mut self, depth: usize) {
        let selector = self.value();
        let (names, equals, types) = self.results();
        self.line(&format!("{equals}switch {selector} {types} {{ case 0u32, 31u32 {{"));
        self.region(depth, names.len());
        self.line("} case 1u32 {");
        self.region(depth, names.len());
        self.line("} default {");
        self.region(depth, names.len());
        self.line("} }");
        self.values.extend(names);
    }

    /// A loop of at most a few rounds that carries and gives as many values.
    fn repeat(&mut self, depth: usize) {
        let (names, equals, types) = self.results();
        let (label, left, next, done) = (format!("'l{}", self.names), self.name(), self.name(), self.name());
        let visible = self.values.len();
        let mut params = format!("{left}: u32 = {}u32", self.random.below(4));
        let mut carried = Vec::new();
        for _ in 0..names.len() {
            let (param, initial) = (self.name(), self.value());
            let _ = write!(params, ", {param}: u32 = {initial}");
            carried.push(param);
        }
        self.line(&format!("{equals}loop {label} ({params}) {types} {{"));
        self.values.extend(carried);
        let given = self.values(names.len());
        self.line(&format!("{done} = eq {left}, 0u32 if {done} {{ break {label} {given} }}"));
        self.line(&format!("{next} = sub {left}, 1u32"));
        self.loops.push((label.clone(), next.clone(), names.len()));
        self.body(depth);
        let values = self.values(names.len());
        let comma = if names.is_empty() { "" } else { "," };
        self.line(&format!("continue {label} {next}{comma} {values} }}"));
        self.loops.pop();
        self.values.truncate(visible);
        self.values.extend(names);
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(5) {
            if self.callees > 0 && self.random.below(8) == 0 {
                self.call();
                continue;
            }
            match self.random.below(if depth == 0 { 6 } else { 10 }) {
                0..4 => self.op(),
                4..6 => self.memory(),
                6..8 => self.branch(depth - 1),
                8 => self.switch(depth - 1),
                _ => self.repeat(depth - 1),
            }
        }
    }
}

/// The body of a function, and a visible value at its end.
fn body(random: Random, callees: usize, is_device: bool) -> (String, String) {
    let mut generator = Generator {
        random,
        text: String::new(),
        values: vec!["%n".to_owned(), "%i".to_owned()],
        loops: Vec::new(),
        names: 0,
        callees,
        is_device,
    };
    let (parts, depth) = if is_device { (1, 2) } else { (3, 3) };
    for _ in 0..parts {
        generator.body(depth);
    }
    (generator.value(), generator.text)
}

/// A kernel, and functions that it may call.
fn kernel(seed: u64) -> String {
    let random = |part: u64| Random::new(seed << 8 | part);
    let (value, text) = body(random(0), FUNCTIONS, false);
    let mut source = format!(
        "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @y: mut [u32]) {{
            private @own: [u32; 3]
            %i = local_id.x
            {text}
            store @y[%i], {value}
            ret
        }}
        "
    );
    for i in 0..FUNCTIONS {
        let (value, text) = body(random(1 + i as u64), i, true);
        let _ = write!(
            source,
            "func @f{i}(%n: u32, %i: u32, @y: mut [u32]) -> u32 {{
                private @own: [u32; 3]
                {text}
                ret {value}
            }}
            "
        );
    }
    source
}

fn bytes(checked: &Checked, n: u32) -> Vec<u8> {
    let words = Words::from_bytes(&[n as u8, 0, 0, 0, 1, 0, 0, 0].repeat(4));
    let args = [Arg::Scalar([n.into(), 0, 0, 0]), Arg::Buffer { words: &words, offset: 0, len: 8 }];
    let options = Options { threads: 1, max_steps: Some(1 << 24) };
    Program::new(checked, 0).expect("a function").run([2, 1, 1], &args, &options).expect("no fault");
    words.read(0..32)
}

#[test]
fn random_kernels_compute_the_same_after_all_passes() {
    let mut shorter = 0;
    for seed in 0..200 {
        let source = kernel(seed);
        let module = parse(&source).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        // Constant indices may be out of bounds, as they may be after passes.
        let before = check_image(module).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        let after = optimize(before.clone());
        let text = print(after.module());
        // Every call replaced and nothing else done, which is checked once more.
        let flat = inline::kernel(&before, 0).expect("a kernel");
        let alone = inline::kernel(&after, 0).expect("a kernel");
        shorter += usize::from(print(alone.module()).len() < print(flat.module()).len());
        for n in [0, 1, 2, 31, u32::MAX] {
            assert_eq!(bytes(&flat, n), bytes(&before, n), "seed {seed}, n = {n}:\n{source}");
            assert_eq!(bytes(&after, n), bytes(&before, n), "seed {seed}, n = {n}:\n{source}\n{text}");
        }
    }
    assert!(shorter > 170, "only {shorter} kernels became shorter");
}

/// Each pass gives something sound on its own, whatever runs before or after it.
#[test]
fn random_kernels_compute_the_same_after_each_pass() {
    for seed in 1000..1060 {
        let source = kernel(seed);
        let module = parse(&source).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        let before = check_image(module).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        for pass in PASSES {
            let after = pass.apply(before.clone());
            for n in [0, 2, u32::MAX] {
                assert_eq!(bytes(&after, n), bytes(&before, n), "seed {seed}, n = {n}, {}:\n{source}", pass.name);
            }
        }
    }
}

/// Passes wait for changes that may give them something to do. That loses nothing: all of
/// them, each time that it is their turn, come to the same.
#[test]
fn passes_that_wait_would_have_found_nothing() {
    for seed in 2000..2040 {
        let source = kernel(seed);
        let module = parse(&source).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        let before = check_image(module).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        let flat = inline::kernel(&before, 0).expect("a kernel");
        let (mut every, mut text) = (flat.clone(), print(flat.module()));
        for (passes, rounds) in Level::Full.plan() {
            for _ in 0..rounds {
                let start = text.clone();
                for pass in &passes {
                    every = pass.apply(every);
                }
                text = print(every.module());
                if text == start {
                    break;
                }
            }
        }
        assert_eq!(print(optimize(flat).module()), text, "seed {seed}:\n{source}");
    }
}
