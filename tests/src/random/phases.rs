//! Random kernels that wait where workgroup memory says so.
//!
//! The kernels of [`barriers`](super::barriers) use little workgroup memory; these use little
//! else: loops and branches that all invocations take alike, barriers, stores of each
//! invocation to an element of its own, and branches and loops that end by what another element
//! holds. Whether a load gives all invocations the same depends on where the barriers are.
//!
//! Invariants: the same seed gives the same kernel; every loop counts to at most three, so
//! kernels end.

use super::barriers::{Case, launches};
use samebits_ir::text;
use samebits_random::Random;
use std::fmt::Write;

/// How deep branches and loops are nested.
const DEPTH: usize = 3;

struct Maker {
    random: Random,
    text: String,
    names: usize,
    /// The loops around: the label, and the counter of the next round.
    loops: Vec<(String, String)>,
}

/// The kernel and the launches of a seed.
pub fn generate(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let launches = launches(&mut random);
    let mut maker = Maker { random, text: String::new(), names: 0, loops: Vec::new() };
    maker.body(DEPTH);
    // What waits in the end shows what the loads before it gave.
    maker.wait_if();
    let text = format!(
        "func kernel workgroup_size(4, 1, 1) @k(%n: u32, %m: u32, %flag: u32, @x: [u32], @w: mut [u32], @h: atomic [u32]) \
         {{\nshared @s: [u32; 4]\nshared @t: [u32; 4]\n%l = local_id.x\n{}ret\n}}\n",
        maker.text
    );
    let module = text::parse(&text).unwrap_or_default();
    Case { seed, text, module, launches }
}

impl Maker {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn memory(&mut self) -> &'static str {
        self.random.one_of(["@s", "@s", "@s", "@t"])
    }

    /// A number that all share.
    fn number(&mut self) -> String {
        let around: Vec<String> = self.loops.iter().map(|(label, _)| format!("%{}", label.replace('l', "i"))).collect();
        let constant = self.random.below(4);
        match self.random.below(4) {
            0 => "%n".to_owned(),
            1 => "%m".to_owned(),
            2 => self.random.pick(&around).cloned().unwrap_or_else(|| "%flag".to_owned()),
            _ => format!("{constant}u32"),
        }
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(if depth == 0 { 6 } else { 10 }) {
                0..2 => self.store(),
                2..4 => self.text.push_str("barrier\n"),
                4 => self.wait_if(),
                5 => self.leave_if(),
                6..8 => self.repeat(depth),
                _ => self.branch(depth),
            }
        }
    }

    fn store(&mut self) {
        let (memory, number) = (self.memory(), self.number());
        let value = self.name();
        let _ = writeln!(self.text, "{value} = add {number}, %l\nstore {memory}[%l], {value}");
    }

    /// A condition about what all share, or about an element.
    fn condition(&mut self) -> String {
        let mut value = self.number();
        if self.random.chance(60) {
            let (memory, element, loaded) = (self.memory(), self.random.below(4), self.name());
            let _ = writeln!(self.text, "{loaded} = load u32 {memory}[{element}u32]");
            value = loaded;
        }
        let (bit, condition, limit) = (self.name(), self.name(), 1 + self.random.below(3));
        let _ = writeln!(self.text, "{bit} = and {value}, 3u32\n{condition} = lt {bit}, {limit}u32");
        condition
    }

    fn wait_if(&mut self) {
        let condition = self.condition();
        let _ = writeln!(self.text, "if {condition} {{\nbarrier\n}}");
    }

    fn leave_if(&mut self) {
        let Some((label, next)) = self.random.pick(&self.loops).cloned() else { return self.store() };
        let condition = self.condition();
        let jump = if self.random.chance(60) { format!("break '{label}") } else { format!("continue '{label} {next}") };
        let _ = writeln!(self.text, "if {condition} {{\n{jump}\n}}");
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        let _ = writeln!(self.text, "if {condition} {{");
        self.body(depth - 1);
        self.text.push_str("} else {\n");
        if self.random.chance(50) {
            self.body(depth - 1);
        }
        self.text.push_str("}\n");
    }

    fn repeat(&mut self, depth: usize) {
        self.names += 1;
        let number = self.names;
        let limit = if self.random.chance(50) { "3u32".to_owned() } else { self.number() };
        let (least, done) = (self.name(), self.name());
        let _ = writeln!(
            self.text,
            "{least} = min {limit}, 3u32\nloop 'l{number} (%i{number}: u32 = 0u32) {{\n{done} = ge %i{number}, {least}\n\
             if {done} {{\nbreak 'l{number}\n}}\n%j{number} = add %i{number}, 1u32"
        );
        self.loops.push((format!("l{number}"), format!("%j{number}")));
        self.body(depth - 1);
        self.loops.pop();
        let _ = writeln!(self.text, "continue 'l{number} %j{number}\n}}");
    }
}
