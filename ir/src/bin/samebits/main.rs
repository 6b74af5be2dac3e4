//! The command `samebits`: the parts of the compiler, applied to files; and `cargo samebits`, which applies them to the
//! kernels of a package.
//!
//! A whole command line is read before anything is done, so a wrong one has no effect. Results go to standard output and
//! everything else to standard error.

mod crates;
mod emit;
mod explain;
mod failure;
mod files;
mod opt;
mod report;
mod run;
mod shell;
mod values;

use clap::{Args, Parser, ValueEnum, ValueHint};
use failure::Failure;
use files::{Input, write};
use samebits_ir::diag::visible;
use samebits_ir::{text, wire};
use std::ffi::OsString;
use std::iter::once;
use std::process::ExitCode;

/// Read, check, run and translate kernels in text form
#[derive(Parser)]
#[command(name = PROGRAM, version, after_help = ABOUT, subcommand_value_name = "COMMAND")]
enum Cli {
    Check(Check),
    Fmt(Fmt),
    Run(run::Run),
    Emit(emit::Emit),
    Wire(Wire),
    Opt(opt::Opt),
    Report(report::Report),
    Explain(explain::Explain),
    Completions(shell::Completions),
    /// Print the page for `man`
    #[command(after_help = "Examples:\n  samebits man > ~/.local/share/man/man1/samebits.1")]
    Man,
}

const PROGRAM: &str = "samebits";

const ABOUT: &str = "\
A FILE holds a module as text or as wire bytes, or a kernel that the macro left for
`cargo samebits`, which its first bytes tell apart. `-` is standard input. Results go to standard
output, everything else to standard error.

The exit code is 0 if all went well, 1 if a module has mistakes or its run failed, and 2 if the
command line is wrong or a file cannot be read or written.

`samebits COMMAND --help` explains a command. `cargo samebits` is about the kernels of a Rust
package.";

/// Runs the command. cargo calls a command of its own as `cargo-samebits samebits …`.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).peekable();
    if words.next_if(|word| word == "samebits").is_some() {
        serve(crates::PROGRAM, words, crates::Cli::run)
    } else if words.peek().is_some_and(|word| word == "run") {
        serve(PROGRAM, words.map(run::shielded), Cli::run)
    } else {
        serve(PROGRAM, words, Cli::run)
    }
}

/// Reads the command line of a program and does what it asks.
fn serve<C: Parser>(
    program: &str,
    words: impl Iterator<Item = OsString>,
    run: fn(C) -> Result<(), Failure>,
) -> ExitCode {
    let matches = C::command().try_get_matches_from(once(program.into()).chain(words));
    let read = matches.and_then(|matches| {
        let command = matches.subcommand_name().unwrap_or_default().to_owned();
        Ok((command, C::from_arg_matches(&matches)?))
    });
    let (command, outcome) = match read {
        Ok((command, asked)) => (command, run(asked)),
        Err(other) => (String::new(), told(&other)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.show(&format!("{program} {command}"));
            ExitCode::from(failure.code())
        }
    }
}

/// What there is to say instead of doing something: a help that was asked for, or what is wrong with a command line.
fn told(said: &clap::Error) -> Result<(), Failure> {
    let shown = said.render().to_string();
    if said.use_stderr() {
        // It repeats words of the command line.
        let lines = shown.lines().map(|line| format!("{}\n", visible(line)));
        Err(Failure::CommandLine(lines.collect()))
    } else {
        write(None, shown.as_bytes())
    }
}

impl Cli {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Check(asked) => asked.run(),
            Self::Fmt(asked) => asked.run(),
            Self::Run(asked) => asked.run(),
            Self::Emit(asked) => asked.run(),
            Self::Wire(asked) => asked.run(),
            Self::Opt(asked) => asked.run(),
            Self::Report(asked) => asked.run(),
            Self::Explain(asked) => asked.run(),
            Self::Completions(asked) => asked.run(),
            Self::Man => shell::man::<Self>(),
        }
    }
}

/// Report all mistakes in modules
///
/// Parses and checks each file: names, types, memory accesses, limits, barriers. Prints nothing
/// if a module is right. Otherwise prints all mistakes with their lines on standard error; the
/// exit code is then 1. Each mistake has a code, such as V010, which `samebits explain` explains.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  samebits check kernels/*.gir")]
struct Check {
    /// The modules; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<String>,
}

impl Check {
    fn run(self) -> Result<(), Failure> {
        each(&self.files, |input| input.checked().map(drop))
    }
}

/// Bring texts into canonical form
///
/// Rewrites each file in place, with one instruction per line, indented by two spaces per block,
/// and keeps comments. A file that does not parse is not changed. Standard input (`-`) is
/// formatted to standard output. A function in block form has no canonical text, so a file with
/// one is an error and is not changed.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  samebits fmt --check kernels/*.gir")]
struct Fmt {
    /// Change nothing, and print the names of the files that are not in canonical form
    ///
    /// The exit code is 1 if there are any.
    #[arg(long)]
    check: bool,
    /// The texts; `-` is standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<String>,
}

impl Fmt {
    fn run(self) -> Result<(), Failure> {
        each(&self.files, |input| {
            let source = input.text()?;
            let tidy = text::format(source).map_err(|diags| input.mistakes(&diags))?;
            match (self.check, tidy == source) {
                (true, true) => Ok(()),
                (true, false) => Err(Failure::program(format!("{} is not in canonical form", input.name))),
                (false, true) if input.path.is_some() => Ok(()),
                (false, _) => write(input.path.as_deref(), tidy.as_bytes()),
            }
        })
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

/// Turn texts into bytes and back
///
/// `encode` writes the encoding of a module; there is exactly one. `decode` prints the text of a
/// module; for bytes that encode none it reports the offset of the first wrong byte. Neither
/// checks the module: use `samebits check`, which reads both forms.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  samebits wire encode saxpy.gir -o saxpy.sbir")]
struct Wire {
    /// Which way
    direction: Direction,
    /// The module; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: String,
    /// Write to a file instead of standard output
    #[arg(short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    out: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Direction {
    /// Text to bytes
    Encode,
    /// Bytes to text
    Decode,
}

impl Wire {
    fn run(self) -> Result<(), Failure> {
        let input = Input::read(&self.file)?;
        match self.direction {
            Direction::Encode => write(self.out.as_deref(), &wire::encode(&input.module()?)),
            Direction::Decode => write(self.out.as_deref(), text::print(&input.decoded()?).as_bytes()),
        }
    }
}
