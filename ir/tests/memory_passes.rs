//! Random accesses to private, workgroup and buffer memory, at constant and variable places,
//! of several types, in branches and loops: every pass that moves or replaces accesses leaves
//! the same bytes.

use samebits_ir::check::{Checked, check_image};
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::pass::{Pass, optimize};
use samebits_ir::text::{parse, print};
use samebits_random::Random;
use std::fmt::Write;

/// A root, its size in bytes, and types of accesses; a buffer has no size.
const ROOTS: &[(&str, u32)] = &[("@a", 48), ("@b", 24), ("@c", 32), ("@d", 12), ("@s", 64), ("@p", 128), ("@y", 128)];

const TYPES: &[(&str, u32, u32)] = &[
    ("u32", 4, 4),
    ("u32", 4, 4),
    ("f32", 4, 4),
    ("vec2<u32>", 8, 4),
    ("vec4<u32>", 16, 4),
    ("vec3<f32>", 12, 4),
    ("u64", 8, 8),
    ("bool", 4, 4),
    ("u8", 1, 1),
];

struct Generator {
    random: Random,
    text: String,
    names: usize,
    /// Visible values of type `u32`.
    words: Vec<String>,
    /// Whether all accesses are of words, as most are in practice.
    plain: bool,
}

impl Generator {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn word(&mut self) -> String {
        let i = self.random.below(self.words.len() + 1);
        self.words.get(i).cloned().unwrap_or_else(|| format!("{}u32", self.random.below(6)))
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A place of accesses with this alignment.
    fn place(&mut self, align: u32) -> String {
        let &(root, size) = &ROOTS[self.random.below(ROOTS.len())];
        let mut place = root.to_owned();
        let step = align.max(4);
        if self.random.below(3) == 0 {
            // A variable index, perhaps a multiple of something plus a constant.
            let mut index = self.word();
            if self.random.below(2) == 0 {
                let (scaled, sum) = (self.name(), self.name());
                let factor = self.random.one_of(["2u32", "4u32"]);
                let op = self.random.one_of(["add", "or", "add"]);
                let added = self.random.below(4);
                self.line(&format!("{scaled} = mul {index}, {factor}"));
                self.line(&format!("{sum} = {op} {scaled}, {added}u32"));
                index = sum;
            }
            let stride = step * [1, 1, 2, 4][self.random.below(4)];
            let bound = self.random.one_of(["", " < 2", " < 3", " < 4"]);
            let _ = write!(place, "[{index} * {stride}{bound}]");
        } else if self.random.below(4) == 0 {
            let bound = self.random.one_of(["", " < 2"]);
            let _ = write!(place, "[{}u32 * {}{bound}]", self.random.below(4), 2 * step);
        }
        let unit = if align == 1 { 1 } else { step };
        let most = if self.random.below(8) == 0 { size + 16 } else { size };
        let offset = self.random.below((most / unit) as usize) as u32 * unit;
        if offset > 0 {
            let _ = write!(place, " +{offset}");
        }
        place
    }

    fn ty(&mut self) -> (&'static str, u32) {
        let most = if self.plain { 2 } else { TYPES.len() };
        let (ty, _, align) = TYPES[self.random.below(most)];
        (ty, align)
    }

    /// A value of a type, made of words.
    fn value(&mut self, ty: &str) -> String {
        let (a, b, name) = (self.word(), self.word(), self.name());
        match ty {
            "u32" => return a,
            "f32" => self.line(&format!("{name} = bitcast {a} to f32")),
            "vec2<u32>" => self.line(&format!("{name} = vec {a}, {b}")),
            "vec4<u32>" => self.line(&format!("{name} = vec {a}, {b}, 7u32, {a}")),
            "vec3<f32>" => {
                let (x, y) = (self.name(), self.name());
                self.line(&format!("{x} = bitcast {a} to f32\n{y} = bitcast {b} to f32\n{name} = vec {x}, {y}, {x}"));
            }
            "u64" => {
                let wide = self.name();
                self.line(&format!("{wide} = cast {a} to u64\n{name} = mul {wide}, 8589934595u64"));
            }
            "bool" => self.line(&format!("{name} = lt {a}, {b}")),
            _ => self.line(&format!("{name} = cast {a} to u8")),
        }
        name
    }

    /// Words of a value.
    fn unpack(&mut self, ty: &str, value: &str) {
        let name = self.name();
        match ty {
            "u32" => {
                self.words.push(value.to_owned());
                return;
            }
            "f32" => self.line(&format!("{name} = bitcast {value} to u32")),
            "vec2<u32>" => self.line(&format!("{name} = extract {value}, 1u32")),
            "vec4<u32>" => self.line(&format!("{name} = extract {value}, 2u32")),
            "vec3<f32>" => {
                let lane = self.name();
                self.line(&format!("{lane} = extract {value}, 2u32\n{name} = bitcast {lane} to u32"));
            }
            "u64" => {
                let high = self.name();
                self.line(&format!("{high} = shr {value}, 16u32\n{name} = cast {high} to u32"));
            }
            "bool" => self.line(&format!("{name} = select {value}, 11u32, 12u32")),
            _ => self.line(&format!("{name} = cast {value} to u32")),
        }
        self.words.push(name);
    }

    fn access(&mut self) {
        let (ty, align) = self.ty();
        let mut places = vec![self.place(align)];
        // Often the neighbours, too.
        if self.random.below(3) == 0 {
            let (start, offset) = places[0].split_once(" +").unwrap_or((&places[0], "0"));
            let (start, offset): (String, u32) = (start.to_owned(), offset.parse().expect("a number"));
            let bytes = TYPES.iter().find(|(name, ..)| *name == ty).expect("a type").1;
            let count = 1 + self.random.below(3) as u32;
            places.extend((1..=count).map(|i| format!("{start} +{}", offset + i * bytes)));
        }
        let store = self.random.below(2) == 0;
        for place in places {
            // Parameter `@p` is read-only.
            if store && !place.starts_with("@p") {
                let value = self.value(ty);
                self.line(&format!("store {place}, {value}"));
            } else {
                let name = self.name();
                self.line(&format!("{name} = load {ty} {place}"));
                self.unpack(ty, &name);
            }
        }
    }

    fn op(&mut self) {
        let (name, a, b) = (self.name(), self.word(), self.word());
        let op = self.random.one_of(["add", "sub", "mul", "xor", "and", "min"]);
        self.line(&format!("{name} = {op} {a}, {b}"));
        self.words.push(name);
    }

    fn body(&mut self, depth: usize) {
        let visible = self.words.len();
        for _ in 0..2 + self.random.below(8) {
            match self.random.below(if depth == 0 { 6 } else { 8 }) {
                0..5 => self.access(),
                5 => self.op(),
                6 => {
                    let (condition, a) = (self.name(), self.word());
                    self.line(&format!("{condition} = gt {a}, 2u32\nif {condition} {{"));
                    self.body(depth - 1);
                    if self.random.below(8) == 0 {
                        self.line("ret");
                    }
                    self.line("} else {");
                    self.body(depth - 1);
                    self.line("}");
                }
                _ => {
                    let (i, done, next, early) = (self.name(), self.name(), self.name(), self.name());
                    let label = format!("'l{}", self.names);
                    let rounds = self.random.below(4);
                    self.line(&format!("loop {label} ({i}: u32 = 0u32) {{"));
                    self.line(&format!("{done} = ge {i}, {rounds}u32 if {done} {{ break {label} }}"));
                    self.line(&format!("{next} = add {i}, 1u32"));
                    let outside = self.words.len();
                    self.words.push(i);
                    self.body(depth - 1);
                    let word = self.word();
                    self.line(&format!("{early} = eq {word}, 1u32 if {early} {{ continue {label} {next} }}"));
                    self.body(0);
                    self.line(&format!("continue {label} {next} }}"));
                    self.words.truncate(outside);
                }
            }
            if self.random.below(3) == 0 && self.words.len() > visible + 6 {
                self.words.truncate(visible + 6);
            }
        }
        self.words.truncate(visible);
    }
}

fn kernel(seed: u64) -> String {
    let mut random = Random::new(seed + 1);
    let plain = random.below(2) == 0;
    let words = vec!["%n".to_owned(), "%i".to_owned()];
    let mut generator = Generator { random, text: String::new(), names: 0, words, plain };
    for _ in 0..3 {
        generator.body(2);
    }
    // What memory holds in the end is seen as well.
    for (root, size) in ROOTS.iter().filter(|(root, _)| !matches!(*root, "@p" | "@y")) {
        for offset in (0..*size).step_by(12) {
            let (name, at) = (generator.name(), generator.random.below(40));
            generator.line(&format!("{name} = load u32 {root} +{offset}\nstore @y +{}, {name}", 4 * at));
        }
    }
    format!(
        "struct Q {{ a: u32, b: u32, c: u32, d: u32 }}
         struct C {{ a: vec4<u32>, b: [[u32; 2]; 2] }}
         func kernel workgroup_size(1, 1, 1) @k(%n: u32, @p: [Q], @y: mut [u32]) {{
           private @a: [[u32; 4]; 3]
           private @b: [u64; 3]
           private @c: C
           private @d: [u32; 3]
           shared @s: [u32; 16]
           %i = workgroup_id.x
           {}
           ret
         }}",
        generator.text
    )
}

fn bytes(checked: &Checked, n: u32) -> Vec<u8> {
    let read: Vec<u8> = (0..28u32).flat_map(|i| (i.wrapping_mul(n | 1) % 7).to_le_bytes()).collect();
    let (read, words) = (Words::from_bytes(&read), Words::from_bytes(&[3; 128]));
    let args = [
        Arg::Scalar([n.into(), 0, 0, 0]),
        Arg::Buffer { words: &read, offset: 0, len: 7 },
        Arg::Buffer { words: &words, offset: 0, len: 32 },
    ];
    let options = Options { threads: 1, max_steps: Some(1 << 22) };
    Program::new(checked, 0).expect("a kernel").run([2, 1, 1], &args, &options).expect("no fault");
    words.read(0..128)
}

#[test]
fn random_accesses_leave_the_same_bytes_after_each_pass_and_after_all() {
    let passes: Vec<&Pass> = ["sroa", "vectorize"].iter().filter_map(|name| Pass::from_name(name)).collect();
    assert_eq!(passes.len(), 2);
    let mut changed = [0; 2];
    for seed in 0..200 {
        let source = kernel(seed);
        let module = parse(&source).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        let before = check_image(module).unwrap_or_else(|diags| panic!("seed {seed}: {diags:?}\n{source}"));
        let inputs = [0, 1, 2, 3, 0x4000_0000, u32::MAX];
        let expected = inputs.map(|n| bytes(&before, n));
        let mut forms: Vec<(&str, Checked)> =
            passes.iter().map(|pass| (pass.name, pass.apply(before.clone()))).collect();
        for (changed, (_, after)) in changed.iter_mut().zip(&forms) {
            *changed += usize::from(print(after.module()) != print(before.module()));
        }
        forms.push(("all", optimize(before.clone())));
        for (name, after) in &forms {
            for (n, expected) in inputs.iter().zip(&expected) {
                assert_eq!(
                    &bytes(after, *n),
                    expected,
                    "seed {seed}, {name}, n = {n}:\n{source}\n{}",
                    print(after.module())
                );
            }
        }
    }
    assert!(changed.iter().all(|&changed| changed > 100), "passes changed {changed:?} kernels");
}

/// Of so many memories the last ones are not told apart by the table of effects.
#[test]
fn a_store_to_one_of_very_many_memories_does_not_hide_one_to_another() {
    let mut text = "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {\n".to_owned();
    for i in 0..140 {
        writeln!(text, "  private @p{i}: [u32; 2]").expect("a string");
    }
    text += "  %id = global_id.x\n  %i = and %id, 1u32\n";
    for i in 0..140 {
        writeln!(text, "  store @p{i}[%i], {}u32", i + 7).expect("a string");
    }
    for i in 0..140 {
        writeln!(text, "  %v{i} = load u32 @p{i}[%i]\n  store @y[{i}u32], %v{i}").expect("a string");
    }
    text += "  ret\n}\n";
    let checked = check_image(parse(&text).expect("sound text")).expect("a sound kernel");
    let run = |checked: &Checked| {
        let words = Words::from_bytes(&[0; 4 * 140]);
        let options = Options { threads: 1, max_steps: None };
        let args = [Arg::Buffer { words: &words, offset: 0, len: 140 }];
        Program::new(checked, 0).expect("a kernel").run([1, 1, 1], &args, &options).expect("no fault");
        words.read(0..4 * 140)
    };
    let expected: Vec<u8> = (0..140u32).flat_map(|i| (i + 7).to_le_bytes()).collect();
    assert_eq!(run(&checked), expected);
    assert_eq!(run(&optimize(checked.clone())), expected);
    let pass = Pass::from_name("memory").expect("a pass");
    assert_eq!(run(&pass.apply(checked)), expected);
}
