//! The command `samebits`: the parts of the compiler, applied to files; and `cargo samebits`, which applies them to the
//! kernels of a package.
//!
//! Each command reads its whole command line before it does anything, so a wrong command line
//! has no effect. Results go to standard output and everything else to standard error.

mod args;
mod crates;
mod emit;
mod explain;
mod failure;
mod files;
mod help;
mod opt;
mod report;
mod run;
mod shell;
mod values;

use args::Args;
use failure::Failure;
use files::{Input, file_names, one_file, write};
use help::Manual;
use samebits_ir::{text, wire};
use std::process::ExitCode;

/// Runs the command. cargo calls a command of its own as `cargo-samebits samebits …`.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).peekable();
    if words.next_if(|word| word == "samebits").is_some() {
        serve(&crates::MANUAL, words, crates::command)
    } else {
        serve(&help::MANUAL, words, command)
    }
}

/// What the commands of a manual do; nothing for a name that is none.
type Commands = fn(&str, Args) -> Option<Result<(), Failure>>;

fn serve(manual: &Manual, mut words: impl Iterator<Item = std::ffi::OsString>, run: Commands) -> ExitCode {
    let command = words.next().and_then(|word| word.into_string().ok()).unwrap_or_default();
    let mut args = Args::new(words);
    let named = (manual.help)(&command).filter(|_| !command.is_empty());
    let outcome = if matches!(&*command, "--help" | "-h" | "help")
        || (named.is_some() && (args.flag("--help") || args.flag("-h")))
    {
        let about = if named.is_some() { command.clone() } else { args.operands().unwrap_or_default().join(" ") };
        let text = (manual.help)(&about).ok_or_else(|| manual.no_command(&about));
        text.and_then(|text| write(None, format!("{text}\n").as_bytes()))
    } else {
        match &*command {
            "--version" | "-V" => write(None, concat!("samebits ", env!("CARGO_PKG_VERSION"), "\n").as_bytes()),
            "" => {
                let commands = manual.commands.join(", ");
                Err(Failure::usage(format!("no command is given; the commands are {commands}")))
            }
            other => run(other, args).unwrap_or_else(|| Err(manual.no_command(other))),
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let named = named.map_or(String::new(), |_| format!(" {command}"));
            failure.show(&format!("{}{named}", manual.program));
            ExitCode::from(failure.code())
        }
    }
}

fn command(name: &str, args: Args) -> Option<Result<(), Failure>> {
    Some(match name {
        "check" => check(args),
        "fmt" => fmt(args),
        "run" => run::run(args),
        "emit" => emit::emit(args),
        "wire" => wire_command(args),
        "opt" => opt::opt(args),
        "report" => report::report(args),
        "explain" => explain::explain(args),
        "completions" => shell::completions(args),
        "man" => shell::man(&help::MANUAL, args),
        _ => return None,
    })
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
