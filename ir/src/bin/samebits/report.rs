//! `samebits report`: what is proven about kernels and functions, and how a target computes them.

use super::args::Args;
use super::failure::Failure;
use super::files::{Input, one_file, write};
use samebits_ir::analysis::races::Races;
use samebits_ir::analysis::report::Report;
use samebits_ir::backend::computed::Computed;
use samebits_ir::pass::{self, Level, Optimized};
use samebits_ir::soft::plan::Native;

/// The targets that a report may be about. What a Vulkan device computes exactly is found out when
/// it is opened; these are the least that one may have, and the most that is known of one that is
/// exact.
const TABLES: [(&str, Native); 4] = [
    ("cuda", Native::CUDA),
    ("webgpu", Native::WEBGPU),
    ("spirv-software", Native::SOFTWARE),
    ("spirv-exact", Native::EXACT_F32),
];

/// A target that a report is about as well.
pub type Table = (&'static str, Native);

/// A report, what it needs of a device, and how a target computes it.
pub struct Reported {
    pub report: Report,
    /// A line each.
    pub needs: Vec<String>,
    computed: String,
}

impl std::fmt::Display for Reported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.report)?;
        self.needs.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        f.write_str(&self.computed)
    }
}

/// Takes `--target` from a command line.
pub fn table(args: &mut Args) -> Result<Option<Table>, Failure> {
    let Some(name) = args.value("--target")? else { return Ok(None) };
    let found = TABLES.into_iter().find(|(known, _)| *known == name);
    let unknown = || {
        let known = TABLES.map(|(name, _)| name).join(", ");
        Failure::usage(format!("unknown target `{name}`; the targets are {known}"))
    };
    found.map(Some).ok_or_else(unknown)
}

pub fn report(mut args: Args) -> Result<(), Failure> {
    let table = table(&mut args)?;
    let names = args.operands()?;
    let reports = reports(&Input::read(one_file(&names)?)?, table)?;
    let mut shown: String = reports.iter().map(ToString::to_string).collect();
    if shown.is_empty() {
        shown += "no kernels and no functions\n";
    }
    write(None, shown.as_bytes())
}

/// The report on each function of a module.
pub fn reports(input: &Input, table: Option<Table>) -> Result<Vec<Reported>, Failure> {
    let (checked, places) = input.placed()?;
    // Races are those of the kernel as it was written.
    let races: Vec<Option<String>> = (0..checked.module().functions.len())
        .map(|index| {
            let (function, findings) = checked.function(index).filter(|(function, _)| function.is_kernel())?;
            let races = Races::of(&checked.module().types, function, &findings.uniform);
            Some(races.describe(function, |loc| places.of(loc)))
        })
        .collect();
    let Optimized { checked: optimized, left_out } = pass::run(checked, &Level::Full.plan(), &mut |_, _| {});
    let mut reports = Vec::new();
    for index in 0..optimized.module().functions.len() {
        let Some((function, facts)) = optimized.function(index) else { continue };
        let mut report = Report::of(&optimized.module().types, function).located(|loc| places.of(loc));
        let passes = left_out.iter().filter(|left_out| left_out.function == index);
        report.left_out = passes.map(|left_out| left_out.pass.to_owned()).collect();
        let known = races.get(index).cloned().flatten().unwrap_or_default();
        report.races = known.lines().map(str::to_owned).collect();
        let mut needs = Vec::new();
        let limits = facts.needs.beyond_defaults();
        if !limits.is_empty() {
            needs.push(format!("needs {limits}"));
        }
        if !facts.capabilities.is_empty() {
            needs.push(format!("needs {}", facts.capabilities));
        }
        let mut computed = String::new();
        if let Some((name, native)) = table
            && let Some(found) = Computed::of(&optimized, index, native)
        {
            computed += &format!("  on {name}:\n");
            found.to_string().lines().for_each(|line| computed += &format!("  {line}\n"));
        }
        reports.push(Reported { report, needs, computed });
    }
    Ok(reports)
}
