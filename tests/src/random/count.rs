//! How often each construct occurs in random kernels, so that a test can demand that none is
//! missing.
//!
//! The module is counted as it was generated, each place once, however often it runs.

use super::Kernel;
use samebits_ir::flags::Flags;
use samebits_ir::ir::{Function, InstKind, Region};
use samebits_ir::ops::{AtomicOp, Builtin, Op, SubgroupOp};
use samebits_ir::order::Ordering;
use samebits_ir::types::{Scalar, Type};
use std::collections::BTreeMap;

/// Counts of kernels and of what they consist of.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Kernels.
    pub kernels: u64,
    /// Kernels with a barrier in a loop.
    pub barriers_in_loops: u64,
    /// Kernels with a barrier.
    pub barriers: u64,
    /// Names such as `op add`, `op add f32`, `region loop` or `inst store`, and how often
    /// each occurs.
    counts: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts a kernel.
    pub fn add(&mut self, kernel: &Kernel) {
        self.kernels += 1;
        for function in &kernel.module.functions {
            let mut found = Barriers::default();
            self.region(function, function.body, false, &mut found);
            if function.is_kernel() {
                self.barriers += u64::from(found.any);
                self.barriers_in_loops += u64::from(found.in_loop);
            }
        }
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: &Self) {
        self.kernels += other.kernels;
        self.barriers += other.barriers;
        self.barriers_in_loops += other.barriers_in_loops;
        for (name, count) in &other.counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
    }

    /// How often something occurs.
    pub fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// The names that occur more rarely than so often, of those that every long run has to
    /// have: every op, every atomic op and order, every builtin, every flag, every scalar
    /// type, every kind of region and of instruction.
    pub fn rare(&self, least: u64) -> Vec<String> {
        let rare = |name: &String| self.count(name) < least;
        expected().into_iter().filter(rare).map(|name| format!("{name}: {}", self.count(&name))).collect()
    }

    /// Pairs of an op and a lane type that its signature allows and that never occur.
    pub fn missing_types(&self) -> Vec<String> {
        let pairs =
            super::ops().iter().flat_map(|op| op.info().signature.class().members().map(move |lane| (op, lane)));
        // No bits move to or from `bool`.
        let pairs = pairs.filter(|&(op, lane)| *op != Op::Bitcast || lane != Scalar::Bool);
        let names = pairs.map(|(op, lane)| of_type(*op, lane));
        names.filter(|name| self.count(name) == 0).collect()
    }

    /// All counts, a line each.
    pub fn table(&self) -> String {
        let kernels = format!(
            "{} kernels, {} with a barrier, {} with one in a loop\n",
            self.kernels, self.barriers, self.barriers_in_loops
        );
        self.counts.iter().fold(kernels, |table, (name, count)| table + &format!("{count:>9} {name}\n"))
    }

    fn note(&mut self, name: String) {
        *self.counts.entry(name).or_default() += 1;
    }

    fn region(&mut self, function: &Function, region: Region, in_loop: bool, found: &mut Barriers) {
        for &inst in &function.regions[region].insts {
            let def = &function.insts[inst];
            self.note(format!("inst {}", kind(&def.kind)));
            for &result in &def.results {
                if let Some(lane) = function.ty(result).lane() {
                    self.note(format!("type {}", lane.name()));
                }
                if let Type::Vector(_, lanes) = function.ty(result) {
                    self.note(format!("type vec{lanes}"));
                }
            }
            for (flag, name) in Flags::ALL {
                if function.flags[inst].has(*flag) {
                    self.note(format!("flag {name}"));
                }
            }
            match &def.kind {
                InstKind::Op(op, args) => {
                    self.note(format!("op {}", op.info().name));
                    // A selection has a condition first.
                    let leading = if *op == Op::Select { args.get(1) } else { args.first() };
                    if let Some(lane) = leading.and_then(|&arg| function.ty(arg).lane()) {
                        self.note(of_type(*op, lane));
                    }
                }
                InstKind::Atomic(op, _, _, order) => {
                    self.note(format!("atomic {}", op.name()));
                    self.note(format!("order {}", order.ordering.name()));
                }
                InstKind::Builtin(builtin) => self.note(format!("builtin {}", builtin.name())),
                InstKind::Subgroup(op, _) => self.note(format!("subgroup {}", op.name())),
                InstKind::Barrier => {
                    found.any = true;
                    found.in_loop |= in_loop;
                }
                InstKind::If { .. } => {
                    self.note("region then".to_owned());
                    self.note("region else".to_owned());
                }
                InstKind::Switch { cases, .. } => {
                    for _ in cases {
                        self.note("region case".to_owned());
                    }
                    self.note("region default".to_owned());
                }
                InstKind::Loop { .. } => self.note("region loop".to_owned()),
                InstKind::Load(_) | InstKind::Store(..) | InstKind::Len(_) | InstKind::Fence(..) => {}
                InstKind::Call { .. } | InstKind::Get(_) | InstKind::Set(..) => {}
                InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..) => {}
                InstKind::Return(_) | InstKind::Unreachable => {}
            }
            let inside = in_loop || matches!(def.kind, InstKind::Loop { .. });
            for inner in def.kind.regions() {
                self.region(function, inner, inside, found);
            }
        }
    }
}

#[derive(Default)]
struct Barriers {
    any: bool,
    in_loop: bool,
}

fn of_type(op: Op, lane: Scalar) -> String {
    format!("op {} {}", op.info().name, lane.name())
}

const KINDS: &[&str] = &[
    "op",
    "load",
    "store",
    "atomic",
    "len",
    "builtin",
    "barrier",
    "subgroup",
    "fence",
    "call",
    "get",
    "set",
    "if",
    "switch",
    "loop",
    "yield",
    "break",
    "continue",
    "return",
    "unreachable",
];

const fn kind(kind: &InstKind) -> &'static str {
    match kind {
        InstKind::Op(..) => "op",
        InstKind::Load(_) => "load",
        InstKind::Store(..) => "store",
        InstKind::Atomic(..) => "atomic",
        InstKind::Len(_) => "len",
        InstKind::Builtin(_) => "builtin",
        InstKind::Barrier => "barrier",
        InstKind::Subgroup(..) => "subgroup",
        InstKind::Fence(..) => "fence",
        InstKind::Call { .. } => "call",
        InstKind::Get(_) => "get",
        InstKind::Set(..) => "set",
        InstKind::If { .. } => "if",
        InstKind::Switch { .. } => "switch",
        InstKind::Loop { .. } => "loop",
        InstKind::Yield(_) => "yield",
        InstKind::Break(..) => "break",
        InstKind::Continue(..) => "continue",
        InstKind::Return(_) => "return",
        InstKind::Unreachable => "unreachable",
    }
}

fn expected() -> Vec<String> {
    let ops = super::ops().iter().map(|op| format!("op {}", op.info().name));
    let atomics = AtomicOp::ALL.iter().map(|op| format!("atomic {}", op.name()));
    let builtins = Builtin::ALL.iter().map(|builtin| format!("builtin {}", builtin.name()));
    let types = Scalar::ALL.iter().map(|scalar| format!("type {}", scalar.name()));
    let vectors = (2..=4).map(|lanes| format!("type vec{lanes}"));
    let regions = ["then", "else", "case", "default", "loop"].map(|name| format!("region {name}"));
    let kinds = KINDS.iter().map(|name| format!("inst {name}"));
    let orders = Ordering::ALL.iter().map(|ordering| format!("order {}", ordering.name()));
    // What a device computes in its own way cannot be compared.
    let flags = Flags::ALL.iter().filter(|(flag, _)| *flag != Flags::APPROX).map(|(_, name)| format!("flag {name}"));
    let subgroups = SubgroupOp::ALL.iter().map(|op| format!("subgroup {}", op.name()));
    ops.chain(atomics)
        .chain(subgroups)
        .chain(orders)
        .chain(flags)
        .chain(builtins)
        .chain(types)
        .chain(vectors)
        .chain(regions)
        .chain(kinds)
        .collect()
}
