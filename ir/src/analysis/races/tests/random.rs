//! Random kernels: what is said to be free of races never races in the judge.
//!
//! A kernel has workgroup memory, buffers, barriers, loops, branches on anything and indices of
//! all shapes. Each that is accepted runs with several launches in several orders.
//! `SAMEBITS_RANDOM=100000` makes the run a long one; with `--nocapture` it prints what it
//! counted, and why kernels were refused that were not seen to race.

use super::super::{RaceVerdict, Races};
use crate::analysis::facts::Launch;
use crate::check::{Checked, check};
use crate::interp::{Action, Arg, Finding, Judge, Program, Schedule, Words};
use crate::ir::{Elements, Function, ParamKind};
use crate::text::parse;
use samebits_random::Random;
use std::collections::BTreeMap;
use std::fmt::Write;

struct Maker {
    random: Random,
    text: String,
    names: usize,
    /// Numbers that can be used here, and whether all invocations of a workgroup share each.
    numbers: Vec<(String, bool)>,
    loops: usize,
    /// Whether all invocations of a workgroup come here together, as far as is known.
    together: bool,
}

const SIZES: [[u32; 3]; 6] = [[4, 1, 1], [8, 1, 1], [4, 2, 1], [2, 2, 2], [6, 1, 1], [1, 1, 1]];

fn generate(seed: u64) -> String {
    let mut random = Random::new(seed);
    let [x, y, z] = random.one_of(SIZES);
    let mut maker = Maker { random, text: String::new(), names: 0, numbers: Vec::new(), loops: 0, together: true };
    for (name, uniform) in [("n", true), ("m", true)] {
        maker.numbers.push((format!("%{name}"), uniform));
    }
    for (builtin, uniform) in [
        ("local_index", false),
        ("local_id.x", false),
        ("global_id.x", false),
        ("workgroup_id.x", true),
        ("local_id.y", false),
        ("global_id.y", false),
        ("num_workgroups.x", true),
    ] {
        if maker.random.chance(if y == 1 && builtin.ends_with('y') { 10 } else { 75 }) {
            let name = maker.name();
            let _ = writeln!(maker.text, "{name} = {builtin}");
            maker.numbers.push((name, uniform));
        }
    }
    if maker.random.chance(55) {
        maker.exchange();
    }
    maker.body(3);
    format!(
        "func kernel workgroup_size({x}, {y}, {z}) @k(%n: u32, %m: u32, @x: [u32], @y: mut [u32], @w: mut [u32], @h: atomic [u32]) {{\n\
         shared @s: [u32; 16]\nshared @t: [u32; 32]\nshared @b: atomic [u32; 8]\n{}ret\n}}\n",
        maker.text
    )
}

impl Maker {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn any(&mut self) -> (String, bool) {
        let at = self.random.below(self.numbers.len());
        self.numbers.get(at).cloned().unwrap_or(("0u32".to_owned(), true))
    }

    /// A number that differs between invocations, most of the time.
    fn own(&mut self) -> (String, bool) {
        let own: Vec<_> = self.numbers.iter().filter(|(_, uniform)| !uniform).cloned().collect();
        if self.random.chance(80) { self.random.pick(&own).cloned().unwrap_or_else(|| self.any()) } else { self.any() }
    }

    /// A number computed from others.
    fn number(&mut self) -> (String, bool) {
        let (a, mut uniform) = self.own();
        if self.random.chance(35) {
            return (a, uniform);
        }
        let op = self.random.one_of([
            "add", "add", "add", "sub", "mul", "xor", "xor", "and", "or", "shl", "shr", "div", "rem", "rem", "min",
            "max",
        ]);
        let b = if self.random.chance(60) {
            format!("{}u32", self.random.one_of([0, 1, 1, 2, 2, 3, 4, 4, 5, 7, 8, 16, u32::MAX]))
        } else {
            let (b, other) = self.any();
            uniform &= other;
            b
        };
        let name = self.name();
        let _ = writeln!(self.text, "{name} = {op} {a}, {b}");
        self.numbers.push((name.clone(), uniform));
        (name, uniform)
    }

    fn condition(&mut self) -> (String, bool) {
        let (a, one) = self.number();
        let op = self.random.one_of(["lt", "lt", "le", "gt", "ge", "eq", "eq", "ne"]);
        let (b, other) =
            if self.random.chance(50) { (format!("{}u32", self.random.below(9)), true) } else { self.any() };
        let name = self.name();
        let _ = writeln!(self.text, "{name} = {op} {a}, {b}");
        (name, one && other)
    }

    fn body(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(if depth == 0 { 8 } else { 12 }) {
                0..2 => self.store(),
                2..4 => self.exchange(),
                4 => self.load(),
                5 => self.atomic(),
                6..8 => self.text.push_str("barrier\n"),
                8..10 => self.branch(depth),
                _ => self.repeat(depth),
            }
        }
    }

    fn memory(&mut self) -> &'static str {
        self.random.one_of(["@s", "@t", "@t", "@y", "@w"])
    }

    fn store(&mut self) {
        let (memory, (index, _), (value, _)) = (self.memory(), self.number(), self.any());
        let _ = writeln!(self.text, "store {memory}[{index}], {value}");
    }

    fn load(&mut self) {
        let (memory, (index, _)) = (self.memory(), self.number());
        let memory = if self.random.chance(15) { "@x" } else { memory };
        let name = self.name();
        let _ = writeln!(self.text, "{name} = load u32 {memory}[{index}]");
        if self.random.chance(20) {
            self.numbers.push((name, false));
        }
    }

    /// Stores, and loads what another invocation stored, most often behind a barrier.
    fn exchange(&mut self) {
        let (memory, (own, _), (value, _)) = (self.memory(), self.number(), self.any());
        let _ = writeln!(self.text, "store {memory}[{own}], {value}");
        if self.random.chance(if self.together { 85 } else { 10 }) {
            self.text.push_str("barrier\n");
        }
        let other = self.name();
        let way = self.random.one_of(["xor X, 1u32", "xor X, 2u32", "add X, 1u32", "sub X, 1u32", "shr X, 1u32"]);
        let _ = writeln!(self.text, "{other} = {}", way.replace('X', &own));
        let name = self.name();
        let _ = writeln!(self.text, "{name} = load u32 {memory}[{other}]");
        if self.together && self.random.chance(60) {
            self.text.push_str("barrier\n");
        }
    }

    fn atomic(&mut self) {
        let (index, _) = self.number();
        let name = self.name();
        let memory = self.random.one_of(["@b", "@h"]);
        let index = if self.random.chance(30) { "5u32".to_owned() } else { index };
        let _ = writeln!(self.text, "{name} = atomic.add {memory}[{index}], 1u32");
        if self.random.chance(60) {
            self.numbers.push((name, false));
        }
    }

    fn branch(&mut self, depth: usize) {
        let (condition, uniform) = self.condition();
        let _ = writeln!(self.text, "if {condition} {{");
        let together = self.together;
        self.together &= uniform;
        let known = self.numbers.len();
        self.body(depth - 1);
        self.numbers.truncate(known);
        let leaves = self.random.chance(12);
        self.text.push_str(if leaves { "ret\n} else {\n" } else { "yield\n} else {\n" });
        if self.random.chance(40) {
            self.body(depth - 1);
            self.numbers.truncate(known);
        }
        self.text.push_str("yield\n}\n");
        self.together = together && (uniform || !leaves);
    }

    fn repeat(&mut self, depth: usize) {
        let known = self.numbers.len();
        let (counter, label) = (self.name(), self.loops);
        self.loops += 1;
        let (first, uniform) = match self.random.below(4) {
            0 | 1 => (self.random.one_of(["0u32", "1u32"]).to_owned(), true),
            2 => (self.random.one_of(["4u32", "8u32"]).to_owned(), true),
            _ => self.own(),
        };
        let other = self.name();
        let (end, step) = (
            self.random.one_of([3, 4, 8, 16]),
            self.random.one_of(["add X, 1u32", "add X, 2u32", "shl X, 1u32", "shr X, 1u32", "add X, %n"]),
        );
        let _ = writeln!(
            self.text,
            "loop 'l{label} ({counter}: u32 = {first}, {other}: u32 = 0u32, %r{label}: u32 = 0u32) {{"
        );
        // Whatever the counter does, there are few rounds.
        let (few, in_range, both) = (self.name(), self.name(), self.name());
        let _ = writeln!(
            self.text,
            "{few} = lt %r{label}, 5u32\n{in_range} = {} {counter}, {end}u32\n{both} = and {few}, {in_range}",
            self.random.one_of(["lt", "lt", "ne"])
        );
        let _ = writeln!(self.text, "if {both} {{ yield }} else {{ break 'l{label} }}");
        self.numbers.push((counter.clone(), uniform));
        self.numbers.push((other.clone(), true));
        let together = self.together;
        self.together &= uniform;
        self.body(depth - 1);
        self.together &= together;
        let (next, flipped, round) = (self.name(), self.name(), self.name());
        let _ = writeln!(self.text, "{next} = {}", step.replace('X', &counter));
        let _ = writeln!(
            self.text,
            "{flipped} = {}",
            self.random.one_of(["xor X, 1u32", "sub 1u32, X", "xor X, 4u32"]).replace('X', &other)
        );
        let _ = writeln!(self.text, "{round} = add %r{label}, 1u32\ncontinue 'l{label} {next}, {flipped}, {round}\n}}");
        self.numbers.truncate(known);
    }
}

/// The launches of a kernel: workgroups and the two numbers.
const LAUNCHES: [([u32; 3], [u64; 2]); 7] = [
    ([1, 1, 1], [1, 2]),
    ([3, 1, 1], [2, 4]),
    ([2, 2, 1], [3, 0]),
    ([2, 1, 2], [4, 1]),
    ([5, 1, 1], [0, u32::MAX as u64 - 1]),
    ([3, 2, 1], [12, 24]),
    ([2, 3, 1], [8, 16]),
];
const LEN: u32 = 192;
/// No kernel that ends takes more.
const MAX_STEPS: u64 = 1 << 18;
pub(super) const SCHEDULES: [Schedule; 5] =
    [Schedule::Forward, Schedule::Reversed, Schedule::Random(1), Schedule::Random(2), Schedule::Random(3)];

/// Whether a launch races in the judge, with so many elements in each buffer.
pub(super) fn races(
    program: &Program,
    function: &Function,
    (groups, scalars): ([u32; 3], [u64; 2]),
    len: u32,
    schedule: Schedule,
) -> bool {
    findings(program, function, (groups, scalars), len, schedule).iter().any(Finding::is_race)
}

/// What the judge finds in a launch.
fn findings(
    program: &Program,
    function: &Function,
    (groups, scalars): ([u32; 3], [u64; 2]),
    len: u32,
    schedule: Schedule,
) -> Vec<Finding> {
    // Enough for elements of sixteen bytes. Numbers of buffers that are not distinct are equal to many.
    let number = |at: u32, distinct: bool, i: u32| if distinct { i ^ (5 + at) } else { i % 7 };
    let bytes = |at: u32, distinct: bool| -> Vec<u8> {
        (0..4 * len).flat_map(|i| number(at, distinct, i).to_le_bytes()).collect()
    };
    let params = (0..).zip(&function.params);
    let words: Vec<Words> =
        params.map(|(at, param)| Words::from_bytes(&bytes(at, param.elements == Elements::Distinct))).collect();
    let mut scalars = scalars.into_iter();
    let args = function.params.iter().zip(&words).map(|(param, words)| match param.kind {
        ParamKind::Buffer { .. } => Arg::Buffer { words, offset: 0, len },
        ParamKind::Scalar(_) => Arg::Scalar([scalars.next().unwrap_or(0), 0, 0, 0]),
    });
    program.judge(groups, &args.collect::<Vec<_>>(), &Judge { schedule, max_steps: Some(MAX_STEPS) }).findings
}

/// Whether a kernel has accesses, and whether an invocation loads what another one stored: without barriers the
/// judge sees that as a race.
fn accesses(seed: u64, source: &str) -> (bool, bool) {
    let Some(checked) = judged(seed, &source.replace("barrier\n", "")) else { return (false, false) };
    let (function, _) = checked.function(0).expect("a kernel");
    let program = Program::new(&checked, 0).expect("a kernel");
    let passes = |finding: &Finding| {
        matches!(finding, Finding::Race { first, second, .. }
            if first.action == Action::Store && second.action == Action::Load)
    };
    let loads = |schedule| findings(&program, function, LAUNCHES[1], LEN, schedule).iter().any(passes);
    let accesses = function.insts.iter().any(|(_, inst)| inst.kind.place().is_some());
    (accesses, loads(Schedule::Forward) || loads(Schedule::Reversed))
}

/// What a reason is but for its numbers.
fn kind(reason: &str) -> String {
    let shown = |c: char| if c.is_ascii_digit() { '#' } else { c };
    reason.chars().map(shown).collect::<String>().replace("##", "#")
}

fn judged(seed: u64, source: &str) -> Option<Checked> {
    let module =
        parse(source).unwrap_or_else(|diags| panic!("seed {seed}: {}", crate::diag::render(&diags, "k.gir", source)));
    check(module).ok()
}

#[test]
fn what_is_free_never_races_in_the_judge() {
    let count = std::env::var("SAMEBITS_RANDOM").ok().and_then(|count| count.parse().ok()).unwrap_or(4000);
    // Kernels, those whose barriers are sound, those proven, those that race, those that are neither.
    let (mut sound, mut proven, mut launches, mut racy) = (0, 0, 0, 0);
    // Those with accesses, and those of them in which an invocation loads what another one stored.
    let (mut accessing, mut passing) = (0, 0);
    // Of those that are neither: why the first finding is one, and in how many more that is a reason.
    let mut reasons: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for seed in 0..count {
        let source = generate(seed);
        let Some(checked) = judged(seed, &source) else { continue };
        sound += 1;
        let (accesses, passes) = accesses(seed, &source);
        accessing += u64::from(accesses);
        passing += u64::from(passes);
        let (function, findings) = checked.function(0).expect("a kernel");
        let races_of = Races::of(&checked.module().types, function, &findings.uniform);
        let program = Program::new(&checked, 0).expect("a kernel");
        let is_proven = !matches!(races_of.verdict, RaceVerdict::Unproven(_));
        proven += u64::from(is_proven);
        let mut raced = false;
        for (groups, scalars) in LAUNCHES {
            let lens = [0, 0, LEN, LEN, LEN, LEN];
            let launch = Launch { groups, lens: &lens, scalars: &[scalars[0], scalars[1], 0, 0, 0, 0] };
            let is_free = races_of.is_free(&launch);
            launches += u64::from(is_free);
            for schedule in SCHEDULES {
                if !is_free && (raced || is_proven) {
                    continue;
                }
                let races = races(&program, function, (groups, scalars), LEN, schedule);
                raced |= races;
                assert!(!races || !is_free, "seed {seed} with {groups:?} and {scalars:?} races:\n{source}");
            }
        }
        racy += u64::from(raced);
        if let RaceVerdict::Unproven(found) = &races_of.verdict
            && !raced
        {
            let kinds: Vec<String> = found.iter().map(|found| kind(&found.reason)).collect();
            for (at, kind) in kinds.iter().enumerate().filter(|(at, kind)| !kinds[..*at].contains(kind)) {
                reasons.entry(kind.clone()).or_default()[usize::from(at > 0)] += 1;
            }
        }
    }
    println!(
        "{count} kernels, {sound} with sound barriers, {proven} proven ({launches} launches), {racy} race, {} neither",
        sound - proven - racy
    );
    let share = 100.0 * passing as f64 / accessing as f64;
    println!("{share:.1} % of {accessing} kernels with accesses load what another invocation stored");
    println!("Those that are neither, by the first reason, and those with other reasons before:");
    let mut listed: Vec<_> = reasons.into_iter().collect();
    listed.sort_by_key(|(_, [first, _])| std::cmp::Reverse(*first));
    for (kind, [first, further]) in listed {
        println!("{first:6} {further:6}  {kind}");
    }
    assert!(passing * 10 > accessing * 3, "{passing} of {accessing} load what another invocation stored");
    assert!(proven * 20 > sound, "{proven} of {sound} are proven");
}
