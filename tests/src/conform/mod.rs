//! Conformance: every op of the table on every type that it has, on every device, bit for bit
//! against native Rust.
//!
//! [`cases`] derives from the op table what has to be tried, so a new row is tried
//! automatically; [`expect`](mod@expect) then has to say what it gives. A [`Machine`] is
//! anything that runs a [`Job`]. [`run`] compares its results and fills a [`Tally`]. Its
//! [`verdict`](Tally::verdict) is a failure for a wrong bit, and also for an op of which
//! nothing was compared.
//!
//! A driver spends most of the time on compiling a kernel, so a short run leaves out cases that
//! are alike (`is_kept`, [`subgroups::cases`]). With `SAMEBITS_CONFORMANCE` set, none is left
//! out.

pub mod atomics;
pub mod casts;
pub mod compound;
pub mod double;
pub mod expect;
pub mod job;
pub mod subgroups;
pub mod sweep;
pub mod values;

use crate::engines::memory_bytes;
pub use job::{Case, Form, Job};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;
use samebits_ir::check::check;
use samebits_ir::ops::{Op, Signature};
use samebits_ir::pass::optimize;
use samebits_ir::types::{Scalar, Type};
use std::collections::BTreeMap;

/// The scalars that ops work on at all.
const SCALARS: &[Scalar] = &[
    Scalar::Bool,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::F16,
    Scalar::F32,
    Scalar::F64,
];
/// What the results hold before a launch, so that one that is not written is noticed.
const UNWRITTEN: u32 = 0xdead_beef;
/// Mismatches of one case on one machine that are written out.
const SHOWN: usize = 3;

/// Every op on every scalar type of its class, and then on vectors.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &op in Op::ALL {
        let signature = op.info().signature;
        let scalars: Vec<Scalar> = signature.class().members().filter(|s| SCALARS.contains(s)).collect();
        // The row says what the operands are, and native Rust's side what the result is.
        let with = |first: Type| {
            let (operands, _) = signature.types(first)?;
            Some(Case { op, result: expect::result_type(op, &operands), operands })
        };
        let of = |operands: Vec<Type>| Case { op, result: expect::result_type(op, &operands), operands };
        let widths = || (1..=4).map(|n| move |s| if n == 1 { Type::Scalar(s) } else { Type::Vector(s, n) });
        let firsts = || widths().flat_map(|width| scalars.iter().map(move |&s| width(s)));
        let vectors = || (2..=4).flat_map(|n| scalars.iter().map(move |&s| Type::Vector(s, n)));
        let stated = |pairs: &[(Type, Type)]| {
            pairs.iter().map(|&(from, result)| Case { op, operands: vec![from], result }).collect()
        };
        let more: Vec<Case> = match signature {
            Signature::Lanes(..) if op.math().is_some() => {
                // A vector is taken apart before any device sees it.
                let pair = Type::Vector(Scalar::F32, 2);
                firsts().filter(|&ty| ty.lanes() == 1 || ty == pair).filter_map(with).collect()
            }
            Signature::Lanes(..) => firsts().filter(|&ty| is_tried(ty)).filter_map(with).collect(),
            Signature::Fixed(types, _) => types.first().copied().and_then(with).into_iter().collect(),
            Signature::Select => firsts().filter(|&ty| is_tried(ty)).map(|ty| of(vec![Type::BOOL, ty, ty])).collect(),
            Signature::Cast => stated(&casts::pairs()),
            Signature::Bitcast => stated(&bitcasts()),
            Signature::Construct => {
                (2..=4).flat_map(|n| scalars.iter().map(move |&s| vec![Type::Scalar(s); n])).map(of).collect()
            }
            Signature::Extract | Signature::Insert | Signature::Reduce => vectors().filter_map(with).collect(),
        };
        cases.extend(more);
    }
    cases
}

/// Whether lane by lane ops are tried on a type. Lanes go the way of scalars, so that two
/// types of 32 bits stand for all in vectors of two and three, and some for those of four.
fn is_tried(ty: Type) -> bool {
    match (ty.lane(), ty.lanes()) {
        (_, 1) | (Some(Scalar::U32 | Scalar::F32), _) => true,
        (Some(Scalar::Bool | Scalar::I8 | Scalar::U16 | Scalar::I64 | Scalar::F16 | Scalar::F64), lanes) => lanes == 4,
        _ => false,
    }
}

/// The types of one width read as each other, also in vectors.
fn bitcasts() -> Vec<(Type, Type)> {
    let numbers = || SCALARS.iter().copied().filter(|&s| s != Scalar::Bool);
    let pairs =
        numbers().flat_map(|from| numbers().filter(move |to| to.bits() == from.bits()).map(move |to| (from, to)));
    let pairs: Vec<(Scalar, Scalar)> = pairs.collect();
    let widths = |(from, to): (Scalar, Scalar)| {
        let vectors = (2..=4).map(move |n| (Type::Vector(from, n), Type::Vector(to, n)));
        vectors.chain([(Type::Scalar(from), Type::Scalar(to))])
    };
    pairs.into_iter().flat_map(widths).collect()
}

/// Something that runs jobs.
pub trait Machine {
    /// The name in the table.
    fn name(&self) -> &str;

    /// The words of the job's results.
    fn run(&self, job: &Job) -> Result<Vec<u32>, String>;

    /// Whether it takes long to get a kernel ready.
    fn compiles_slowly(&self) -> bool {
        false
    }

    /// Whether the job says nothing about this machine that others do not say as well.
    fn skips(&self, _: &Job) -> bool {
        false
    }
}

impl Machine for Device {
    fn name(&self) -> &str {
        Device::name(self)
    }

    fn compiles_slowly(&self) -> bool {
        self.is_gpu()
    }

    fn run(&self, job: &Job) -> Result<Vec<u32>, String> {
        let kernel = Kernel::from_module(&job.module, 0).map_err(|error| error.to_string())?;
        launch(self, &kernel, job).map_err(|error| error.to_string())
    }
}

/// A device that runs what the passes make of a kernel.
pub struct AfterPasses {
    device: Device,
    name: String,
}

impl AfterPasses {
    /// The passes before this device.
    pub fn new(device: Device) -> Self {
        let name = format!("{} after the passes", device.name());
        Self { device, name }
    }
}

impl Machine for AfterPasses {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(&self, job: &Job) -> Result<Vec<u32>, String> {
        let checked = check(job.module.clone()).map_err(|diags| format!("{diags:?}"))?;
        let kernel = Kernel::from_module(optimize(checked).module(), 0).map_err(|error| error.to_string())?;
        launch(&self.device, &kernel, job).map_err(|error| error.to_string())
    }

    fn skips(&self, job: &Job) -> bool {
        job.form == Form::Loaded
    }
}

/// Launches a job's kernel; gives the words of its results.
pub fn launch(device: &Device, kernel: &Kernel, job: &Job) -> Result<Vec<u32>, Error> {
    let mut buffers = Vec::new();
    for words in &job.inputs {
        buffers.push(device.upload(words)?);
    }
    buffers.push(device.upload(&vec![UNWRITTEN; job.result_words()])?);
    let args: Vec<Arg<'_>> = buffers.iter_mut().map(Arg::words_mut).collect();
    kernel.launch(device, Grid::groups(job.groups, 1, 1), &args)?;
    buffers.last().map_or(Ok(Vec::new()), Buffer::read)
}

/// What was compared on one machine.
#[derive(Default, Debug)]
pub struct Tally {
    /// The machine.
    pub machine: String,
    /// Comparisons by op.
    pub ops: BTreeMap<&'static str, u64>,
    /// Comparisons by the lane type of the leading operand.
    pub types: BTreeMap<&'static str, u64>,
    /// Results compared.
    pub comparisons: u64,
    /// Results that were wrong, or launches that failed.
    pub mismatches: u64,
    /// Some of the mismatches, in words.
    pub shown: Vec<String>,
}

impl Tally {
    /// A tally of this machine.
    pub fn new(machine: &str) -> Self {
        Self { machine: machine.to_owned(), ..Self::default() }
    }

    /// Counts results of an op on a type.
    pub fn count(&mut self, op: &'static str, ty: Option<Scalar>, comparisons: u64) {
        self.comparisons += comparisons;
        *self.ops.entry(op).or_default() += comparisons;
        if let Some(scalar) = ty {
            *self.types.entry(scalar.name()).or_default() += comparisons;
        }
    }

    /// Takes in another tally of the same machine.
    pub fn add(&mut self, other: Self) {
        self.comparisons += other.comparisons;
        self.mismatches += other.mismatches;
        self.shown.extend(other.shown);
        for (sums, counts) in [(&mut self.ops, other.ops), (&mut self.types, other.types)] {
            counts.into_iter().for_each(|(name, count)| *sums.entry(name).or_default() += count);
        }
    }

    /// Counts a mismatch.
    pub fn wrong(&mut self, what: String) {
        self.mismatches += 1;
        self.shown.push(what);
    }

    /// What is wrong, if anything is; `ops` are those that must have been compared.
    pub fn verdict(&self, ops: &[&str]) -> Result<(), String> {
        let mut faults = self.shown.clone();
        if self.mismatches > self.shown.len() as u64 {
            faults.push(format!("and {} more", self.mismatches - self.shown.len() as u64));
        }
        if self.comparisons == 0 {
            faults.push("nothing was compared".to_owned());
        } else {
            let missing = |op: &&&str| self.ops.get(**op).is_none_or(|&count| count == 0);
            faults.extend(ops.iter().filter(missing).map(|op| format!("nothing was compared of `{op}`")));
        }
        if faults.is_empty() { Ok(()) } else { Err(format!("{}:\n{}", self.machine, faults.join("\n"))) }
    }
}

/// Compares a job's results with what native Rust gives.
pub fn compare(job: &Job, found: &[u32], tally: &mut Tally) {
    let Case { op, operands, result } = &job.case;
    let width = job.result_bytes();
    if found.len() != job.result_words() {
        tally.wrong(format!("{}: {} words for {} results", job.case.name(), found.len(), job.tuples.len()));
        return;
    }
    let (mut wrong, mut compared) = (0, 0);
    let found: Vec<u8> = found.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (tuple, found) in job.tuples.iter().zip(found.chunks(width.max(1))) {
        let Some(wanted) = expect::expect(*op, operands, *result, tuple) else {
            tally.wrong(format!("{}: there is no expectation", job.case.name()));
            return;
        };
        let wanted = memory_bytes(*result, &wanted);
        compared += 1;
        if found != wanted {
            wrong += 1;
            if wrong <= SHOWN {
                let shown = operands.iter().zip(tuple).map(|(ty, v)| v[..ty.lanes()].to_vec());
                let args: Vec<Vec<u64>> = shown.collect();
                let (name, form) = (job.case.name(), job.form);
                tally.shown.push(format!("{name} [{form:?}] of {args:x?} gave {found:x?}, not {wanted:x?}"));
            }
        }
    }
    tally.mismatches += wrong as u64;
    tally.count(op.info().name, operands.first().and_then(|ty| ty.lane()), compared);
}

/// Whether nothing is left out.
pub fn is_long() -> bool {
    std::env::var_os("SAMEBITS_CONFORMANCE").is_some()
}

/// Whether a short run does the job in this place of all of a case, where kernels take long to get ready.
///
/// Types that are made of others, and take the ways of those, are tried with loaded operands and with literals in one of the
/// places where they may be; vectors that are no more than their lanes in one form. The cases take turns.
/// A mathematical function is made of ops that are tried with literals by themselves.
fn is_kept(case: &Case, number: usize, place: usize, jobs: usize) -> bool {
    if case.op.math().is_some() {
        return place == 0;
    }
    let is_word = case.operands[0].lanes() == 1 && case.operands[0].lane().is_some_and(|lane| lane.bits() == 32);
    if is_word || jobs < 2 {
        return true;
    }
    match case.is_for_sweeps() {
        true => place == 0 || place == 1 + number % (jobs - 1),
        false => place == number % jobs,
    }
}

/// Runs cases on a machine.
pub fn run(machine: &dyn Machine, cases: &[Case], random: usize, tally: &mut Tally) {
    let all = is_long() || !machine.compiles_slowly();
    for (number, case) in cases.iter().enumerate() {
        // Vectors are spot checks: their lanes go the way of scalars.
        // So do those of integers that do not have 32 bits, whose edges are most of what there is.
        let usual = |lane: Scalar| lane.bits() == 32 || lane == Scalar::F64;
        let usual = case.operands[0].lanes() == 1 && case.operands[0].lane().is_some_and(usual);
        let (edges, random) =
            if usual { (values::MOST_CROSSED / 2, random) } else { (values::MOST_CROSSED / 16, random / 16) };
        let jobs = case.jobs(edges, random);
        let count = jobs.len();
        for (place, job) in jobs.into_iter().enumerate() {
            if machine.skips(&job) || !all && !is_kept(case, number, place, count) {
                continue;
            }
            match machine.run(&job) {
                Ok(found) => compare(&job, &found, tally),
                Err(error) => tally.wrong(format!("{} [{:?}]: {error}", case.name(), job.form)),
            }
        }
    }
}

/// The tallies as a table.
pub fn table(tallies: &[Tally]) -> String {
    let mut rows = vec![["device", "ops", "types", "comparisons", "mismatches"].map(str::to_owned)];
    rows.extend(tallies.iter().map(|tally| {
        let numbers = [tally.ops.len() as u64, tally.types.len() as u64, tally.comparisons, tally.mismatches];
        let [ops, types, comparisons, mismatches] = numbers.map(|n| n.to_string());
        [tally.machine.clone(), ops, types, comparisons, mismatches]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(width);
    let line = |row: &[String; 5]| {
        let [w, rest @ ..] = widths;
        let cells: Vec<String> = row[1..].iter().zip(rest).map(|(cell, w)| format!("{cell:>w$}")).collect();
        format!("{:<w$}  {}\n", row[0], cells.join("  "))
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_short_run_leaves_out_nothing_that_has_no_like() {
        let mut forms: BTreeMap<(usize, Form), u32> = BTreeMap::new();
        let (mut kept, mut loaded) = (0, BTreeSet::new());
        let cases = cases();
        for (number, case) in cases.iter().enumerate() {
            let jobs = case.jobs(2, 1);
            let count = jobs.len();
            let done = jobs.iter().enumerate().filter(|(place, _)| is_kept(case, number, *place, count));
            let done: Vec<Form> = done.map(|(_, job)| job.form).collect();
            assert!(!done.is_empty(), "{}", case.name());
            kept += done.len();
            for form in done {
                *forms.entry((case.operands[0].lanes(), form)).or_default() += 1;
                if form == Form::Loaded && case.is_for_sweeps() {
                    loaded.insert(case.name());
                }
            }
        }
        // Each scalar type of each op is loaded, and each form occurs with each width, often.
        assert_eq!(loaded.len(), cases.iter().filter(|case| case.is_for_sweeps()).count());
        assert!(kept > cases.len());
        for lanes in [1, 4] {
            for form in [Form::Loaded, Form::Folded, Form::Literal(0), Form::Literal(1), Form::Literal(2)] {
                let often = forms.get(&(lanes, form)).copied().unwrap_or_default();
                assert!(often >= 5, "{form:?} of {lanes} lanes occurs {often} times");
            }
        }
    }
}
