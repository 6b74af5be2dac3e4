//! Passes on random kernels that do little but load and store: memory of all kinds, accesses
//! of several widths, in bounds and out, barriers, fences and atomics between.
//!
//! Kernels are made valid by construction: barriers stand where all invocations come, and a
//! kernel that has any leaves no construct early. Invocations race, but one thread runs them
//! in order from barrier to barrier, so that what crosses a barrier shows.

use samebits_ir::check::{Checked, check_image};
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::pass::{PASSES, optimize};
use samebits_ir::text::{parse, print};
use samebits_random::Random;
use std::fmt::Write;

/// Writes the body of a kernel.
struct Generator {
    random: Random,
    text: String,
    /// The visible `u32`s.
    values: Vec<String>,
    /// The visible loops: label and count of the next round.
    loops: Vec<(String, String)>,
    names: usize,
    /// Whether all invocations are here.
    together: bool,
    /// Whether there are barriers, and so no early ends.
    barriers: bool,
    /// A place that is accessed again and again, and the type.
    focus: Option<(String, &'static str)>,
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
        if self.random.below(3) == 0 {
            return self.random.one_of(["0u32", "1u32", "2u32", "3u32", "4294967295u32"]).to_owned();
        }
        let newest = self.values.len().min(6);
        self.values[self.values.len() - 1 - self.random.below(newest)].clone()
    }

    /// An index with a stride and perhaps a bound, from few, so that places meet.
    fn index(&mut self, stride: u32) -> String {
        let value = match self.random.below(6) {
            0 => "0u32".to_owned(),
            1 => "1u32".to_owned(),
            2 => "%i".to_owned(),
            3 => "%m".to_owned(),
            4 => "%n".to_owned(),
            _ => self.value(),
        };
        let bound = self.random.one_of(["", "", "", " < 2"]);
        format!("[{value} * {stride}{bound}]")
    }

    /// A place of a root that holds pairs of words, and the type of an access there.
    fn pair(&mut self, root: &str, whole: &'static str) -> (String, &'static str) {
        let index = if self.random.below(4) == 0 { String::new() } else { self.index(8) };
        match self.random.below(5) {
            0 => (format!("@{root}{index}"), "u32"),
            1 => (format!("@{root}{index} + 4"), "u32"),
            2 => (format!("@{root}{index} + 8"), whole),
            // Only a vector may begin in the middle.
            3 if whole != "u64" => (format!("@{root}{index} + 4"), whole),
            _ => (format!("@{root}{index}"), whole),
        }
    }

    fn place(&mut self) -> (String, &'static str) {
        if let Some(focus) = self.focus.clone().filter(|_| self.random.below(2) == 0) {
            return focus;
        }
        match self.random.below(8) {
            0 | 1 => self.pair("q", "vec2<u32>"),
            2 => self.pair("w", "u64"),
            _ => {
                let root = self.random.one_of(["p", "p", "t", "t", "y", "y", "z"]);
                let index = self.index(4);
                let offset = self.random.one_of(["", "", "", " + 4", " + 8"]);
                (format!("@{root}{index}{offset}"), "u32")
            }
        }
    }

    fn load(&mut self) {
        let (place, ty) = self.place();
        let place = if self.random.below(10) == 0 { format!("@x{}", self.index(4)) } else { place };
        let ty = if place.starts_with("@x") { "u32" } else { ty };
        let name = self.name();
        self.line(&format!("{name} = load {ty} {place}"));
        match ty {
            "u32" => self.values.push(name),
            "u64" => {
                let low = self.name();
                self.line(&format!("{low} = cast {name} to u32"));
                self.values.push(low);
            }
            _ => {
                let lane = self.name();
                let which = self.random.one_of(["0u32", "1u32"]);
                self.line(&format!("{lane} = extract {name}, {which}"));
                self.values.push(lane);
            }
        }
    }

    fn store(&mut self) {
        let (place, ty) = self.place();
        let value = self.value();
        let value = match ty {
            "u32" => value,
            "u64" => {
                let wide = self.name();
                self.line(&format!("{wide} = cast {value} to u64"));
                wide
            }
            _ => {
                let (pair, other) = (self.name(), self.value());
                self.line(&format!("{pair} = vec {value}, {other}"));
                pair
            }
        };
        self.line(&format!("store {place}, {value}"));
    }

    fn between(&mut self) {
        match self.random.below(6) {
            0..4 if self.barriers && self.together => self.line("barrier"),
            4 => self.line("fence ordering=acq_rel scope=device"),
            _ => {
                let (name, value) = (self.name(), self.value());
                let order =
                    self.random.one_of(["", " ordering=acquire scope=device", " ordering=release scope=device"]);
                let index = self.random.one_of(["0u32", "1u32", "%n"]);
                self.line(&format!("{name} = atomic.add @h[{index}], {value}{order}"));
                self.values.push(name);
            }
        }
    }

    fn op(&mut self) {
        let (name, a, b) = (self.name(), self.value(), self.value());
        let op = self.random.one_of(["add", "sub", "mul", "xor", "div", "min"]);
        self.line(&format!("{name} = {op} {a}, {b}"));
        self.values.push(name);
    }

    fn end(&mut self) {
        let early = !self.barriers && self.random.below(5) == 0;
        match self.random.below(3) {
            0 if early => self.line("ret"),
            1 if early && !self.loops.is_empty() => {
                let (label, next) = self.loops[self.random.below(self.loops.len())].clone();
                self.line(&format!("continue {label} {next}"));
            }
            2 if early && !self.loops.is_empty() => {
                let (label, _) = self.loops[self.random.below(self.loops.len())].clone();
                self.line(&format!("break {label}"));
            }
            _ => self.line("yield"),
        }
    }

    fn region(&mut self, depth: usize) {
        let visible = self.values.len();
        self.body(depth);
        self.end();
        self.values.truncate(visible);
    }

    fn branch(&mut self, depth: usize) {
        let (condition, together) = (self.name(), self.together);
        if self.random.below(2) == 0 {
            let than = self.random.one_of(["1u32", "2u32", "32u32"]);
            self.line(&format!("{condition} = lt %n, {than}"));
        } else {
            let value = self.value();
            self.line(&format!("{condition} = lt {value}, 2u32"));
            self.together = false;
        }
        self.line(&format!("if {condition} {{"));
        self.region(depth);
        self.line("} else {");
        if self.random.below(2) == 0 {
            self.region(depth);
        }
        self.line("}");
        self.together = together;
    }

    fn repeat(&mut self, depth: usize) {
        let (k, next, done) = (self.name(), self.name(), self.name());
        let label = format!("'l{}", self.names);
        let visible = self.values.len();
        let rounds = 1 + self.random.below(3);
        self.line(&format!("loop {label} ({k}: u32 = 0u32) {{"));
        self.line(&format!("{done} = ge {k}, {rounds}u32 if {done} {{ break {label} }}"));
        self.line(&format!("{next} = add {k}, 1u32"));
        self.values.push(k);
        self.loops.push((label.clone(), next.clone()));
        self.body(depth);
        self.loops.pop();
        self.line(&format!("continue {label} {next} }}"));
        self.values.truncate(visible);
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..2 + self.random.below(6) {
            if self.random.below(8) == 0 {
                // Seen everywhere, whatever is visible now.
                let visible = std::mem::replace(&mut self.values, vec!["%i".to_owned(), "%n".to_owned()]);
                self.focus = None;
                self.focus = Some(self.place());
                self.values = visible;
            }
            match self.random.below(if depth == 0 { 10 } else { 13 }) {
                0..3 => self.store(),
                3..6 => self.load(),
                6 | 7 => self.op(),
                8 | 9 => self.between(),
                10 | 11 => self.branch(depth - 1),
                _ => self.repeat(depth - 1),
            }
        }
    }
}

fn kernel(seed: u64) -> String {
    let mut generator = Generator {
        random: Random::new(seed + 1),
        text: String::new(),
        values: ["%n", "%i", "%m"].map(str::to_owned).to_vec(),
        loops: Vec::new(),
        names: 0,
        together: true,
        barriers: !seed.is_multiple_of(3),
        focus: None,
    };
    for _ in 0..3 {
        generator.body(3);
    }
    let value = generator.value();
    format!(
        "func kernel workgroup_size(2, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32], @z: mut [u32], @h: atomic [u32]) {{
            shared @t: [u32; 4]
            shared @w: [u64; 2]
            private @p: [u32; 4]
            private @q: [vec2<u32>; 2]
            %i = local_id.x
            %m = and %n, 1u32
            {}
            %e0 = load u32 @p[%n]
            %e1 = load u32 @t[%i]
            %e2 = add %e0, %e1
            %e3 = load u32 @q[%n * 4]
            %e4 = load u32 @w[%n * 4]
            %e5 = add %e3, %e4
            %e6 = mul %e2, 3u32
            %e7 = xor %e5, %e6
            %e8 = xor %e7, {value}
            store @z[%i], %e8
            ret
        }}",
        generator.text
    )
}

/// The bytes of all buffers after a launch of 2 groups.
fn bytes(checked: &Checked, n: u32) -> Vec<Vec<u8>> {
    let words: [Words; 4] = std::array::from_fn(|i| Words::from_bytes(&[n as u8, 0, 0, 0, i as u8, 0, 0, 0].repeat(3)));
    let buffer = |i: usize| Arg::Buffer { words: &words[i], offset: 0, len: 6 };
    let args = [Arg::Scalar([n.into(), 0, 0, 0]), buffer(0), buffer(1), buffer(2), buffer(3)];
    let options = Options { threads: 1, max_steps: Some(1 << 24) };
    Program::new(checked, 0).expect("a function").run([2, 1, 1], &args, &options).expect("no fault");
    words.iter().map(|words| words.read(0..24)).collect()
}

#[test]
fn kernels_of_accesses_leave_the_same_memory_after_every_pass_and_all() {
    let (mut accesses, mut left) = (0, 0);
    let count = |text: &str| text.matches("load").count() + text.matches("store").count();
    let seeds = std::env::var("SAMEBITS_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(150);
    for seed in 0..seeds {
        let source = kernel(seed);
        let module = parse(&source).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        // Constant indices may be out of bounds, as they may be after passes.
        let before = check_image(module).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        let mut afters = vec![("all", optimize(before.clone()))];
        afters.extend(PASSES.iter().map(|pass| (pass.name, pass.apply(before.clone()))));
        for n in [0, 1, 2, 31, u32::MAX] {
            let expected = bytes(&before, n);
            for (pass, after) in &afters {
                let text = || print(after.module());
                assert_eq!(bytes(after, n), expected, "seed {seed}, n = {n}, {pass}:\n{source}\n{}", text());
            }
        }
        accesses += count(&source);
        left += count(&print(afters[0].1.module()));
    }
    assert!(left * 10 < accesses * 9, "{left} of {accesses} accesses are left");
}
