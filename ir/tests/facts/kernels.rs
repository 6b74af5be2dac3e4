//! Random kernels for the facts: with names that are visible, loops of odd shapes, and indices that come near an end.

use samebits_random::Random;
use std::fmt::Write;

/// Numbers at random.
pub struct Numbers {
    pub random: Random,
    /// Whether numbers are small, so that they often meet the ends of something.
    pub small: bool,
}

impl Numbers {
    pub fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A number that is often small or near an edge.
    pub fn number(&mut self) -> u64 {
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

/// The kernel of a seed.
pub fn kernel(seed: u64) -> String {
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
