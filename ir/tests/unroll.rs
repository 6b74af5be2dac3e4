//! Unrolling of random loops: whatever counts, jumps and is asked, the bytes stay.
//!
//! Loops count in every way that a `for` or `while` makes, up, down, in steps or by halves,
//! with the test at the head, in the middle or at the tail, on values that wrap; inside they
//! start the next round early, leave outer loops, end the function, change parameters
//! round and wait for others where all are.

use samebits_ir::check::{Checked, check};
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::pass::{Level, Pass, optimize_to};
use samebits_ir::text::{parse, print};
use samebits_random::Random;
use std::fmt::Write;

const LEN: u32 = 16;

struct Open {
    label: String,
    /// What a `continue` from anywhere in the body passes on.
    next: String,
    /// What has to be true, with what the loop is left if it is, if that is asked at
    /// each `continue`.
    test: Option<String>,
}

struct Generator {
    random: Random,
    text: String,
    /// The visible `u32`s.
    values: Vec<String>,
    loops: Vec<Open>,
    names: usize,
    /// Whether all invocations are here.
    together: bool,
    /// Whether barriers also stand where it takes the analysis of uniformity to say whether
    /// they may. What depends on the invocation is rare then.
    daring: bool,
}

impl Generator {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn value(&mut self) -> String {
        let i = self.random.below(self.values.len());
        self.values[i].clone()
    }

    fn simple(&mut self) {
        let (name, a, b) = (self.name(), self.value(), self.value());
        match self.random.below(5) {
            0 => {
                self.line(&format!("{name} = and {a}, 15u32"));
                self.line(&format!("store @y[{name}], {b}"));
            }
            1 if !self.daring || self.random.below(3) == 0 => {
                self.line(&format!("{name}.i = and {a}, 15u32"));
                self.line(&format!("{name} = load u32 @y[{name}.i]"));
                self.values.push(name);
            }
            2 if self.together => self.line("barrier"),
            _ => {
                let op = self.random.one_of(["add", "sub", "mul", "xor", "shr"]);
                self.line(&format!("{name} = {op} {a}, {b}"));
                self.values.push(name);
            }
        }
    }

    fn jump(&mut self, depth: usize) {
        let (name, a, b) = (self.name(), self.value(), self.value());
        let op = self.random.one_of(["eq", "lt", "ge"]);
        self.line(&format!("{name} = {op} {a}, {b}"));
        let (result, other) = (self.name(), self.value());
        let gives = self.random.below(2) == 0;
        self.line(&if gives { format!("{result} = if {name} -> u32 {{") } else { format!("if {name} {{") });
        let visible = self.values.len();
        let (together, here) = (self.together, self.random.below(self.loops.len().max(1)));
        self.together &= self.daring;
        self.simple();
        if depth < 2 && self.random.below(3) == 0 {
            self.jump(depth + 1);
        }
        match self.random.below(8) {
            0 => self.line("ret"),
            1..=4 => self.next_round(here),
            5 if !self.loops.is_empty() => {
                let (label, value) = (self.loops[here].label.clone(), self.value());
                self.line(&format!("break {label} {value}"));
            }
            _ if gives => {
                let value = self.value();
                self.line(&format!("yield {value}"));
            }
            _ => {}
        }
        self.together = together;
        self.values.truncate(visible);
        if gives {
            self.line(&format!("}} else {{ yield {other} }}"));
            self.values.push(result);
        } else {
            self.line("}");
        }
    }

    /// Starts the next round of an open loop.
    fn next_round(&mut self, which: usize) {
        let Some(open) = self.loops.get(which) else { return };
        let (label, next, test) = (open.label.clone(), open.next.clone(), open.test.clone());
        if let Some(test) = test {
            let (done, value) = (self.name(), self.value());
            self.line(&format!("{done} = {test}"));
            self.line(&format!("if {done} {{ break {label} {value} }}"));
        }
        let mut passed = [self.value(), self.value()];
        if self.random.below(2) == 0 {
            let label = label.trim_start_matches('\'');
            passed = [format!("%b{label}"), format!("%a{label}")];
        }
        self.line(&format!("continue {label} {next}, {}, {}", passed[0], passed[1]));
    }

    /// A counted loop of two further parameters and one result.
    fn counted(&mut self, depth: usize) {
        self.names += 1;
        let (id, rounds) = (self.names, self.random.below(9) as u64);
        let (i, next, step) = (format!("%i{id}"), format!("%n{id}"), 1 + self.random.below(4) as u64);
        let first = [0, 7, u64::from(u32::MAX) - 4][self.random.below(3)];
        let bits = |n: u64| n as u32;
        // How the counter goes on and, in round `rounds`, when the loop is left.
        let at = |round: u64| bits(first.wrapping_add(step * round));
        let (advance, test, first) = match self.random.below(5) {
            0 => (format!("add {i}, {step}u32"), format!("eq {i}, {}u32", at(rounds)), at(0)),
            1 => (format!("sub {i}, {step}u32"), format!("eq {}u32, {i}", at(0)), at(rounds)),
            2 => ("add 1u32, %i".replace("%i", &i), format!("ge {i}, {rounds}u32"), 0),
            3 => (format!("sub {i}, 1u32"), format!("lt {i}, 1u32"), rounds as u32),
            _ => (format!("shr {i}, 1u32"), format!("eq 0u32, {i}"), 1 << rounds >> 1),
        };
        let asked = self.random.one_of(["", "", "unroll", "unroll(2)", "unroll(3)", "unroll(5)", "unroll(never)"]);
        let (a, b, r) = (self.value(), self.value(), self.name());
        self.line(&format!(
            "{r} = loop {asked} 'l{id} ({i}: u32 = {first}u32, %al{id}: u32 = {a}, %bl{id}: u32 = {b}) -> u32 {{"
        ));
        let visible = self.values.len();
        self.values.extend([i.clone(), format!("%al{id}"), format!("%bl{id}")]);
        self.line(&format!("{next} = {advance}"));
        let tail = self.random.below(3) == 0;
        if !tail {
            let value = self.value();
            self.line(&format!("%t{id} = {test}"));
            self.line(&format!("if %t{id} {{ break 'l{id} {value} }}"));
        }
        self.loops.push(Open { label: format!("'l{id}"), next, test: tail.then_some(test) });
        // What jumps depends on data, so that not all may come round.
        let (together, jumps) = (self.together, self.random.below(2) == 0);
        self.together &= !jumps || self.daring;
        self.body(depth + 1, jumps);
        self.next_round(self.loops.len() - 1);
        self.loops.pop();
        self.together = together && (!jumps || self.daring);
        self.values.truncate(visible);
        self.line("}");
        self.values.push(r);
    }

    fn body(&mut self, depth: usize, jumps: bool) {
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(6) {
                0 | 1 if depth < 3 => {
                    // An inner jump may leave this loop too.
                    let together = self.together;
                    self.counted(depth);
                    self.together &= together;
                }
                2 | 3 if jumps => self.jump(0),
                _ => self.simple(),
            }
        }
    }
}

fn source(seed: u64) -> String {
    let random = Random::new(seed);
    let daring = seed % 2 == 1;
    let mut values = vec!["%n".to_owned(), "5u32".to_owned(), "3u32".to_owned()];
    if !daring {
        values.push("%t".to_owned());
    }
    let mut generator =
        Generator { random, text: String::new(), values, loops: Vec::new(), names: 0, together: true, daring };
    generator.line("%t = local_id.x");
    generator.counted(0);
    generator.counted(0);
    let value = generator.value();
    generator.line(&format!("store @y[%t], {value}"));
    format!("func kernel workgroup_size(4, 1, 1) @k(%n: u32, @y: mut [u32]) {{\n{}ret\n}}", generator.text)
}

fn bytes(checked: &Checked, n: u32) -> Option<Vec<u8>> {
    let memory: Vec<u8> = (0..LEN).flat_map(|i| (i * 5 % 7).to_le_bytes()).collect();
    let words = Words::from_bytes(&memory);
    let args = [Arg::Scalar([n.into(), 0, 0, 0]), Arg::Buffer { words: &words, offset: 0, len: LEN }];
    let program = Program::new(checked, 0).expect("a function");
    let options = Options { threads: 1, max_steps: Some(1 << 18) };
    program.run([1, 1, 1], &args, &options).ok()?;
    Some(words.read(0..words.bytes()))
}

#[test]
fn unrolling_keeps_the_bytes_of_random_loops() {
    let unroll = Pass::from_name("unroll").expect("the pass");
    let (mut tried, mut changed, mut ended) = (0, 0, 0);
    for seed in 0..900 {
        let source = source(seed);
        let module = parse(&source).unwrap_or_else(|diags| panic!("{diags:?}\n{source}"));
        // A barrier that not all reach is a mistake of the generator.
        let Ok(before) = check(module) else { continue };
        tried += 1;
        let simple = optimize_to(before.clone(), Level::Simple);
        let variants = [
            unroll.apply(before.clone()),
            unroll.apply(unroll.apply(simple)),
            optimize_to(before.clone(), Level::Full),
        ];
        changed += usize::from(print(variants[0].module()) != print(before.module()));
        for n in [0, 3] {
            let expected = bytes(&before, n);
            ended += usize::from(expected.is_some());
            for after in &variants {
                if expected.is_some() {
                    assert_eq!(bytes(after, n), expected, "{seed} for {n}:\n{source}\n{}", print(after.module()));
                }
            }
        }
    }
    assert!(tried > 300 && changed > 300 && ended > 600, "{tried} kernels, {changed} changed, {ended} runs ended");
}
