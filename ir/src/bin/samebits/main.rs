//! The command `samebits`: the parts of the compiler, applied to files.
//!
//! Each command reads its whole command line before it does anything, so a wrong command line
//! has no effect. Results go to standard output and everything else to standard error.

mod args;
mod emit;
mod failure;
mod files;
mod help;
mod opt;
mod run;
mod shell;
mod values;

use args::Args;
use failure::Failure;
use files::{Input, write};
use samebits_ir::analysis::races::Races;
use samebits_ir::analysis::report::Report;
use samebits_ir::backend::computed::Computed;
use samebits_ir::diag::Lines;
use samebits_ir::loc::Loc;
use samebits_ir::pass::{self, Level, Optimized};
use samebits_ir::soft::plan::Native;
use samebits_ir::{text, wire};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let command = words.next().and_then(|word| word.into_string().ok()).unwrap_or_default();
    let mut args = Args::new(words);
    let named = help::help(&command).filter(|_| !command.is_empty());
    if matches!(&*command, "--help" | "-h" | "help") || (named.is_some() && (args.flag("--help") || args.flag("-h"))) {
        let about = if named.is_some() { command.clone() } else { args.operands().unwrap_or_default().join(" ") };
        let text = help::help(&about).ok_or_else(|| no_command(&about));
        return finish("", text.and_then(|text| write(None, format!("{text}\n").as_bytes())));
    }
    let outcome = match &*command {
        "check" => check(args),
        "fmt" => fmt(args),
        "run" => run::run(args),
        "emit" => emit::emit(args),
        "wire" => wire_command(args),
        "opt" => opt::opt(args),
        "report" => report(args),
        "completions" => shell::completions(args),
        "man" => shell::man(args),
        "--version" | "-V" => write(None, concat!("samebits ", env!("CARGO_PKG_VERSION"), "\n").as_bytes()),
        "" => Err(Failure::usage(format!("no command is given; the commands are {}", help::COMMANDS.join(", ")))),
        other => Err(no_command(other)),
    };
    finish(named.map_or("", |_| &command), outcome)
}

fn no_command(name: &str) -> Failure {
    Failure::usage(format!("unknown command `{name}`; the commands are {}", help::COMMANDS.join(", ")))
}

fn finish(command: &str, outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.show(command);
            ExitCode::from(failure.code())
        }
    }
}

/// The operands, of which there must be one.
fn file_names(args: Args) -> Result<Vec<String>, Failure> {
    let names = args.operands()?;
    if names.is_empty() {
        return Err(Failure::usage("no file is given (`-` is standard input)"));
    }
    Ok(names)
}

/// The file, which must be the only one.
fn one_file(names: &[String]) -> Result<&str, Failure> {
    match names {
        [name] => Ok(name),
        [] => Err(Failure::usage("no file is given (`-` is standard input)")),
        [_, more, ..] => Err(Failure::usage(format!("expected one file, found also `{more}`"))),
    }
}

/// Does something with each file, also after one that failed.
fn each(names: &[String], mut work: impl FnMut(&Input) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut failures = Vec::new();
    for name in names {
        match Input::read(name).and_then(|input| work(&input)) {
            Ok(()) => {}
            Err(Failure::Unread) => return Err(Failure::Unread),
            Err(failure) => failures.push(failure),
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(Failure::Several(failures)) }
}

fn check(args: Args) -> Result<(), Failure> {
    each(&file_names(args)?, |input| input.checked().map(drop))
}

fn fmt(mut args: Args) -> Result<(), Failure> {
    let only_check = args.flag("--check");
    each(&file_names(args)?, |input| {
        let source = input.text()?;
        let tidy = text::format(source).map_err(|diags| input.mistakes(&diags))?;
        match (only_check, tidy == source) {
            (true, true) => Ok(()),
            (true, false) => Err(Failure::program(format!("{} is not in canonical form", input.name))),
            (false, true) if input.path.is_some() => Ok(()),
            (false, _) => write(input.path.as_deref(), tidy.as_bytes()),
        }
    })
}

fn wire_command(mut args: Args) -> Result<(), Failure> {
    let out = args.value("-o")?;
    let mut operands = args.operands()?.into_iter();
    let direction = operands.next();
    let names: Vec<String> = operands.collect();
    match direction.as_deref() {
        Some("encode") => write(out.as_deref(), &wire::encode(&Input::read(one_file(&names)?)?.module()?)),
        Some("decode") => write(out.as_deref(), text::print(&Input::read(one_file(&names)?)?.decoded()?).as_bytes()),
        Some(other) => Err(Failure::usage(format!("expected `encode` or `decode`, found `{other}`"))),
        None => Err(Failure::usage("expected `encode` or `decode`")),
    }
}

/// The targets that a report may be about. What a Vulkan device computes exactly is found out when
/// it is opened; these are the least that one may have, and the most that is known of one that is
/// exact.
const TABLES: [(&str, Native); 4] = [
    ("cuda", Native::CUDA),
    ("webgpu", Native::WEBGPU),
    ("spirv-software", Native::SOFTWARE),
    ("spirv-exact", Native::EXACT_F32),
];

/// A place in the source in words.
fn place(name: &str, lines: Option<&Lines<'_>>, loc: Loc) -> Option<String> {
    let (line, column) = lines?.line_column(loc.index()? as usize);
    Some(format!("{name}:{line}:{column}"))
}

fn report(mut args: Args) -> Result<(), Failure> {
    let target = args.value("--target")?;
    let named = |name: &String| TABLES.into_iter().find(|(known, _)| known == name);
    let table = match &target {
        Some(name) => Some(named(name).ok_or_else(|| {
            let known = TABLES.map(|(name, _)| name).join(", ");
            Failure::usage(format!("unknown target `{name}`; the targets are {known}"))
        })?),
        None => None,
    };
    let names = args.operands()?;
    let input = Input::read(one_file(&names)?)?;
    let lines = input.source().map(Lines::of);
    let checked = input.checked()?;
    // Races are those of the kernel as it was written.
    let races: Vec<Option<String>> = (0..checked.module().functions.len())
        .map(|index| {
            let (function, findings) = checked.function(index).filter(|(function, _)| function.is_kernel())?;
            let races = Races::of(&checked.module().types, function, &findings.uniform);
            Some(races.describe(function, |loc| place(input.name.as_str(), lines.as_ref(), loc)))
        })
        .collect();
    let Optimized { checked: optimized, left_out } = pass::run(checked, &Level::Full.plan(), &mut |_, _| {});
    let mut shown = String::new();
    for index in 0..optimized.module().functions.len() {
        let Some((function, facts)) = optimized.function(index) else { continue };
        let place = |loc: Loc| place(&input.name, lines.as_ref(), loc);
        let mut report = Report::of(&optimized.module().types, function).located(place);
        let passes = left_out.iter().filter(|left_out| left_out.function == index);
        report.left_out = passes.map(|left_out| left_out.pass.to_owned()).collect();
        let known = races.get(index).cloned().flatten().unwrap_or_default();
        report.races = known.lines().map(str::to_owned).collect();
        shown += &report.to_string();
        let limits = facts.needs.beyond_defaults();
        if !limits.is_empty() {
            shown += &format!("  needs {limits}\n");
        }
        if !facts.capabilities.is_empty() {
            shown += &format!("  needs {}\n", facts.capabilities);
        }
        if let Some((name, native)) = table
            && let Some(computed) = Computed::of(&optimized, index, native)
        {
            shown += &format!("  on {name}:\n");
            computed.to_string().lines().for_each(|line| shown += &format!("  {line}\n"));
        }
    }
    if shown.is_empty() {
        shown += "no kernels and no functions\n";
    }
    write(None, shown.as_bytes())
}
