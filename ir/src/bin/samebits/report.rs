//! `samebits report`: what is proven about kernels and functions, and how a target computes them.

use super::failure::Failure;
use super::files::{Input, write};
use clap::{Args, ValueEnum, ValueHint};
use samebits_ir::analysis::races::Races;
use samebits_ir::analysis::report;
use samebits_ir::backend::computed::Computed;
use samebits_ir::pass::{self, Level, Optimized};
use samebits_ir::soft::plan::Native;

/// The targets that a report may be about. What a Vulkan device computes exactly is found out when it is opened.
#[derive(Clone, Copy, ValueEnum)]
pub enum Table {
    /// A GPU of NVIDIA's, through the text that `emit cuda` writes
    Cuda,
    /// Any device of which nothing is known
    Webgpu,
    /// A Vulkan device whose floats are not exact in any form
    SpirvSoftware,
    /// A Vulkan device whose `+ - * /`, `sqrt` and `fma` of `f32` are exact
    SpirvExact,
}

impl Table {
    /// For Vulkan these are the least that a device may have, and the most that is known of one that is exact.
    const fn native(self) -> Native {
        match self {
            Self::Cuda => Native::CUDA,
            Self::Webgpu => Native::WEBGPU,
            Self::SpirvSoftware => Native::SOFTWARE,
            Self::SpirvExact => Native::EXACT_F32,
        }
    }
}

/// Which target a report is about as well.
#[derive(Args)]
pub struct Asked {
    /// Also say how a target computes the ops
    ///
    /// Which it computes itself, in which form, and which are calls of library functions, so that
    /// you see why a kernel is slow there.
    #[arg(long, verbatim_doc_comment)]
    pub target: Option<Table>,
}

/// A report, what it needs of a device, and how a target computes it.
pub struct Reported {
    pub report: report::Report,
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

/// Say which accesses are proven to be in bounds and free of races, and which loops to end
///
/// Checks the module, runs the passes, and prints for each kernel how many accesses are in bounds
/// at every launch, how many more are if the launch satisfies the listed conditions, and for each
/// other access what could not be proven. Those are tested when they run.
/// For a device function it prints the same, with calls instead of launches. In a kernel that
/// calls it, more may be proven.
/// Of each kernel as it was written, before any pass, it says whether it is race-free, race-free if
/// the launch satisfies some conditions, or not proven race-free, with the accesses that may race,
/// and which atomics make results depend on the order of the invocations.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  samebits report --target webgpu saxpy.gir")]
pub struct Report {
    #[command(flatten)]
    asked: Asked,
    /// The module; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: String,
}

impl Report {
    pub fn run(self) -> Result<(), Failure> {
        let reports = reports(&Input::read(&self.file)?, self.asked.target)?;
        let mut shown: String = reports.iter().map(ToString::to_string).collect();
        if shown.is_empty() {
            shown += "no kernels and no functions\n";
        }
        write(None, shown.as_bytes())
    }
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
        let mut report = report::Report::of(&optimized.module().types, function).located(|loc| places.of(loc));
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
        if let Some(table) = table
            && let Some(name) = table.to_possible_value()
            && let Some(found) = Computed::of(&optimized, index, table.native())
        {
            computed += &format!("  on {}:\n", name.get_name());
            found.to_string().lines().for_each(|line| computed += &format!("  {line}\n"));
        }
        reports.push(Reported { report, needs, computed });
    }
    Ok(reports)
}
