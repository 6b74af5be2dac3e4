//! Random kernels whose subgroups go different ways, and do operations there.
//!
//! Each kernel is written twice with one body. In one, a workgroup has three subgroups, so that
//! an operation may be reached by some of them alone. In the other, each subgroup is a workgroup
//! of its own: there all invocations come to every operation that is allowed at all. Both know
//! which subgroup they are, and touch only buffers, so both must leave the same bytes.
//!
//! Invariants: the same seed gives the same kernels; every loop counts to at most three;
//! conditions around operations are made of what a subgroup shares.

use crate::filetest::{Argument, Launch};
use samebits_random::Random;
use std::fmt::Write;

/// Subgroups of a workgroup.
const SUBGROUPS: u32 = 3;

/// Workgroups of a launch.
const GROUPS: u32 = 2;

/// Elements of the buffers: one for each invocation.
const ELEMENTS: u32 = GROUPS * SUBGROUPS * 32;

/// Two kernels that do the same.
#[derive(Clone, Debug)]
pub struct Case {
    /// With several subgroups in a workgroup.
    pub together: String,
    /// With one.
    pub alone: String,
    /// The launch of the first.
    pub launch: Launch,
    /// The launch of the second.
    pub launch_alone: Launch,
}

/// The kernels of a seed.
pub fn generate(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let mut arguments: Vec<Argument> = (0..2).map(|_| Argument::Scalar([random.below(4) as u64, 0, 0, 0])).collect();
    for _ in 0..2 {
        let bytes = (0..ELEMENTS).flat_map(|_| (random.below(5) as u32).to_le_bytes()).collect();
        arguments.push(Argument::Buffer { bytes, len: ELEMENTS });
    }
    let mut maker = Maker { random, text: String::new(), shared: Vec::new(), names: 0, loops: Vec::new(), depth: 0 };
    maker.shared.extend(["%n", "%m", "%sid", "%wg", "1u32"].map(str::to_owned));
    maker.block();
    maker.text.push_str("  %left = get $a\n  %right = get $b\n  %last = add %left, %right\n");
    maker.text.push_str("  store @y[%at], %last\n  ret\n}\n");
    let kernel = |size: u32, head: &str| {
        format!(
            "func kernel workgroup_size({size}, 1, 1) @k(%n: u32, %m: u32, @x: [u32], @y: mut [u32]) {{\n  \
             var $a: u32\n  var $b: u32\n  %at = global_id.x\n  %lane = subgroup_lane\n{head}  \
             %own = load u32 @x[%at]\n  set $a, %own\n  set $b, %lane\n{}",
            maker.text
        )
    };
    let together = kernel(32 * SUBGROUPS, "  %sid = subgroup_id\n  %wg = workgroup_id.x\n");
    let split = format!("  %g = workgroup_id.x\n  %sid = rem %g, {SUBGROUPS}u32\n  %wg = div %g, {SUBGROUPS}u32\n");
    let alone = kernel(32, &split);
    let launch = |groups: u32| Launch { groups: [groups, 1, 1], arguments: arguments.clone() };
    Case { together, alone, launch: launch(GROUPS), launch_alone: launch(GROUPS * SUBGROUPS) }
}

struct Maker {
    random: Random,
    text: String,
    /// Values that a subgroup shares and that are visible here.
    shared: Vec<String>,
    names: usize,
    /// The labels of the loops around, and the values with which they go on.
    loops: Vec<(String, String)>,
    depth: usize,
}

impl Maker {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.text, "  {}", line.as_ref());
    }

    /// A value that a subgroup shares.
    fn common(&mut self) -> String {
        let at = self.random.below(self.shared.len());
        self.shared[at].clone()
    }

    /// A condition that a subgroup shares.
    fn condition(&mut self) -> String {
        let (left, right) = (self.common(), self.common());
        let (low, name) = (self.name(), self.name());
        self.line(format!("{low} = rem {left}, 3u32"));
        let op = self.random.one_of(["eq", "ne", "lt", "ge"]);
        self.line(format!("{name} = {op} {low}, {right}"));
        name
    }

    /// A condition that differs from lane to lane.
    fn own_condition(&mut self) -> String {
        let (value, low, name) = (self.name(), self.name(), self.name());
        let var = self.random.one_of(["$a", "$b"]);
        self.line(format!("{value} = get {var}"));
        self.line(format!("{low} = rem {value}, 4u32"));
        let op = self.random.one_of(["eq", "ne", "lt"]);
        self.line(format!("{name} = {op} {low}, 2u32"));
        name
    }

    /// Some statements; whether one of them is a jump, which ends them.
    fn block(&mut self) -> bool {
        let visible = self.shared.len();
        self.depth += 1;
        let mut jumps = false;
        for _ in 0..1 + self.random.below(4) {
            jumps = self.statement();
            if jumps {
                break;
            }
        }
        self.depth -= 1;
        if self.depth > 0 {
            self.shared.truncate(visible);
        }
        jumps
    }

    fn statement(&mut self) -> bool {
        match self.random.below(if self.depth > 4 { 5 } else { 12 }) {
            0 => self.arithmetic(),
            1 | 2 => self.operation(),
            3 => self.store(),
            4 => self.alone(),
            5..=7 => self.branch(),
            8 => self.switch(),
            9 | 10 => self.repeat(),
            _ => return self.jump(),
        }
        false
    }

    fn arithmetic(&mut self) {
        let (a, b, sum) = (self.name(), self.common(), self.name());
        let var = self.random.one_of(["$a", "$b"]);
        self.line(format!("{a} = get {var}"));
        let op = self.random.one_of(["add", "sub", "mul", "xor"]);
        self.line(format!("{sum} = {op} {a}, {b}"));
        self.line(format!("set {var}, {sum}"));
    }

    fn operation(&mut self) {
        let (value, result) = (self.name(), self.name());
        let [from, to] = self.random.one_of([["$a", "$b"], ["$b", "$a"], ["$a", "$a"]]);
        self.line(format!("{value} = get {from}"));
        let common = self.common();
        let (op, is_shared) = self.random.one_of([
            ("add", true),
            ("max", true),
            ("broadcast_first", true),
            ("inclusive_add", false),
            ("exclusive_max", false),
            ("shuffle_xor", false),
            ("shuffle_down", false),
        ]);
        match op {
            "shuffle_xor" | "shuffle_down" => self.line(format!("{result} = subgroup.{op} {value}, {common}")),
            _ => self.line(format!("{result} = subgroup.{op} {value}")),
        }
        self.line(format!("set {to}, {result}"));
        if is_shared {
            self.shared.push(result);
        }
    }

    fn store(&mut self) {
        let (old, value, sum) = (self.name(), self.name(), self.name());
        let var = self.random.one_of(["$a", "$b"]);
        self.line(format!("{old} = load u32 @y[%at]"));
        self.line(format!("{value} = get {var}"));
        self.line(format!("{sum} = add {old}, {value}"));
        self.line(format!("store @y[%at], {sum}"));
    }

    /// What each lane does by itself.
    fn alone(&mut self) {
        let condition = self.own_condition();
        self.line(format!("if {condition} {{"));
        self.arithmetic();
        if self.random.chance(40) {
            self.store();
        }
        self.line("} else {");
        if self.random.chance(50) {
            self.arithmetic();
        }
        self.line("}");
    }

    fn branch(&mut self) {
        let condition = self.condition();
        if self.random.chance(25) {
            // With a result.
            let (result, one, other) = (self.name(), self.common(), self.name());
            self.line(format!("{result} = if {condition} -> u32 {{"));
            let before = self.shared.len();
            let visible = self.shared.clone();
            self.operation();
            self.shared = visible;
            self.line(format!("yield {one}"));
            self.line("} else {");
            self.line(format!("{other} = get $a"));
            self.line(format!("yield {other}"));
            self.line("}");
            self.shared.truncate(before);
            self.line(format!("set $b, {result}"));
            return;
        }
        self.line(format!("if {condition} {{"));
        self.block();
        self.line("} else {");
        if self.random.chance(50) {
            self.block();
        }
        self.line("}");
    }

    fn switch(&mut self) {
        let (low, selector) = (self.name(), self.common());
        self.line(format!("{low} = rem {selector}, 4u32"));
        self.line(format!("switch {low} {{"));
        for case in ["case 0u32 {", "case 1u32, 2u32 {", "default {"] {
            self.line(case);
            if self.random.chance(70) {
                self.block();
            }
            self.line("}");
        }
        self.line("}");
    }

    fn repeat(&mut self) {
        let (label, count, limit, done, next) =
            (format!("'l{}", self.names), self.name(), self.name(), self.name(), self.name());
        let bound = if self.random.chance(30) { "3u32".to_owned() } else { self.common() };
        self.line(format!("{limit} = min {bound}, 3u32"));
        self.line(format!("loop {label} ({count}: u32 = 0u32) {{"));
        self.line(format!("{done} = ge {count}, {limit}"));
        self.line(format!("if {done} {{"));
        self.line(format!("break {label}"));
        self.line("}");
        self.line(format!("{next} = add {count}, 1u32"));
        let visible = self.shared.len();
        self.shared.push(count);
        self.loops.push((label.clone(), next.clone()));
        let jumps = self.block();
        self.loops.pop();
        self.shared.truncate(visible);
        if !jumps {
            self.line(format!("continue {label} {next}"));
        }
        self.line("}");
    }

    /// A jump; whether it ends the block, since no condition is around it.
    fn jump(&mut self) -> bool {
        let (jump, whole) = match self.loops.len() {
            0 => ("ret".to_owned(), false),
            count => {
                let (label, next) = self.loops[self.random.below(count)].clone();
                let jump = match self.random.below(8) {
                    0 => "ret".to_owned(),
                    1..=3 => format!("break {label}"),
                    _ => format!("continue {label} {next}"),
                };
                (jump, self.random.chance(15))
            }
        };
        if whole {
            self.line(jump);
            return true;
        }
        let condition = self.condition();
        self.line(format!("if {condition} {{"));
        self.line(jump);
        self.line("}");
        false
    }
}
