//! `cargo samebits`: the kernels of a package, as the macro left them.
//!
//! [`cargo`] asks cargo for them. Each command here shows some of them by what the command `samebits` does with a file.

mod cargo;
mod list;

use super::emit::{self, listed};
use super::failure::Failure;
use super::files::{Input, write};
use super::{opt, report, shell};
use cargo::{Package, Test};
use clap::{Args, Parser};
use samebits_ir::nearest::nearest;
use samebits_ir::text;
use samebits_ir::wire::Listing;

/// How it is called.
pub const PROGRAM: &str = "cargo samebits";

/// Show what becomes of the kernels of a package
#[derive(Parser)]
#[command(name = "cargo-samebits", bin_name = PROGRAM, version, after_help = ABOUT, subcommand_value_name = "COMMAND")]
pub enum Cli {
    List(List),
    Report(Report),
    Emit(Emit),
    Passes(Passes),
    Test(Test),
    /// Print the page for `man`
    ///
    /// `cargo help samebits` shows it where `man` finds it.
    #[command(after_help = "Examples:\n  cargo samebits man > ~/.local/share/man/man1/cargo-samebits.1")]
    Man,
}

const ABOUT: &str = "\
All but `test` let cargo check the package, in the folder `samebits` of the target folder, and take
options of cargo's.

The exit code is 0 if all went well, 1 if cargo failed or there are no kernels, and 2 if the
command line is wrong.

`cargo samebits COMMAND --help` explains a command. `samebits --help` is about kernels in files.";

impl Cli {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Self::List(asked) => asked.run(),
            Self::Report(asked) => asked.run(),
            Self::Emit(asked) => asked.run(),
            Self::Passes(asked) => asked.run(),
            Self::Test(asked) => asked.run(),
            Self::Man => shell::man::<Self>(),
        }
    }
}

/// Which kernel is meant.
#[derive(Args)]
struct Wanted {
    /// Only this kernel
    ///
    /// Its name, an instance of a generic one such as 'scale::<f32, 2>', or where it stands, as
    /// FILE:LINE.
    #[arg(long, value_name = "NAME", verbatim_doc_comment)]
    kernel: Option<String>,
}

/// List the kernels, with their signatures and what is proven of them
///
/// Prints for each kernel its signature and its place, how many accesses are in bounds at every
/// launch, how many are if the launch satisfies some conditions, how many are tested when they run,
/// and whether it is race-free. `cargo samebits report` says more.
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  cargo samebits list\n  cargo samebits list --all-targets -p my-kernels"
)]
pub struct List {
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    package: Package,
}

impl List {
    fn run(self) -> Result<(), Failure> {
        let kernels = chosen(self.package.kernels()?, self.wanted.kernel.as_deref())?;
        write(None, list::list(&kernels)?.as_bytes())
    }
}

/// Say which accesses are proven, on which conditions, and why not
///
/// Prints what `Kernel::report` says, without a program that asks for it. `samebits report --help`
/// explains the lines.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  cargo samebits report --kernel saxpy --target webgpu")]
pub struct Report {
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    asked: report::Asked,
    #[command(flatten)]
    package: Package,
}

impl Report {
    fn run(self) -> Result<(), Failure> {
        let mut shown = Vec::new();
        for listing in chosen(self.package.kernels()?, self.wanted.kernel.as_deref())? {
            let heading = list::heading(&listing);
            let full_name = listing.full_name();
            let reports = report::reports(&Input::listed(listing), self.asked.target)?;
            let reports = reports.into_iter().map(|mut one| {
                one.report.kernel.clone_from(&full_name);
                one.to_string()
            });
            shown.push(heading + &reports.collect::<String>());
        }
        write(None, shown.join("\n").as_bytes())
    }
}

/// Print a kernel in another language
///
/// `samebits emit --help` says how arguments are bound. `text` and `gir` are the kernel as it is
/// written, before any pass. --kernel also takes an instance of a generic kernel such as
/// 'scale::<f32, 2>', or where the kernel stands as FILE:LINE.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  cargo samebits emit wgsl --kernel saxpy")]
pub struct Emit {
    #[command(flatten)]
    asked: emit::Asked,
    #[command(flatten)]
    package: Package,
}

impl Emit {
    fn run(self) -> Result<(), Failure> {
        let asked = &self.asked;
        let listing = only(chosen(self.package.kernels()?, asked.kernel.as_deref())?)?;
        write(asked.out.as_deref(), &emit::written(&Input::listed(listing), None, asked)?)
    }
}

/// Print a kernel before and after the passes
#[derive(Args)]
#[command(after_help = "Examples:\n  cargo samebits passes --kernel saxpy --print-after")]
pub struct Passes {
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    asked: opt::Asked,
    #[command(flatten)]
    package: Package,
}

impl Passes {
    fn run(self) -> Result<(), Failure> {
        let kernels = chosen(self.package.kernels()?, self.wanted.kernel.as_deref())?;
        let checked = Input::listed(only(kernels)?).checked()?;
        let mut shown = format!("; as written\n{}\n", text::print(checked.module()));
        if !self.asked.print_after {
            shown += "; the result\n";
        }
        shown += &opt::shown(checked, &self.asked);
        write(self.asked.out.as_deref(), shown.as_bytes())
    }
}

/// The kernels that a name means: that of a kernel, of an instance such as `scale::<f32>`, or a place, `FILE:LINE`.
fn chosen(kernels: Vec<Listing>, wanted: Option<&str>) -> Result<Vec<Listing>, Failure> {
    let Some(wanted) = wanted else { return Ok(kernels) };
    let without_spaces = |name: &str| name.split_whitespace().collect::<String>();
    let is_meant = |listing: &Listing| {
        listing.name == wanted
            || without_spaces(&listing.full_name()) == without_spaces(wanted)
            || listing.place.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    let (found, others): (Vec<Listing>, Vec<Listing>) = kernels.into_iter().partition(is_meant);
    if !found.is_empty() {
        return Ok(found);
    }
    let mut names: Vec<&str> = others.iter().map(|listing| &*listing.name).collect();
    names.dedup();
    let near = nearest(wanted, names.iter().copied(), "");
    let near = near.unwrap_or_else(|| format!("the kernels are {}", listed(names)));
    Err(Failure::usage(format!("there is no kernel `{wanted}`; {near}")))
}

/// The only one of the kernels.
fn only(mut kernels: Vec<Listing>) -> Result<Listing, Failure> {
    match (kernels.pop(), kernels.as_slice()) {
        (Some(one), []) => Ok(one),
        (last, _) => {
            kernels.extend(last);
            let names: Vec<String> = kernels.iter().map(Listing::full_name).collect();
            let alike = names.iter().all(|name| *name == names[0]);
            let help = if alike { "`--kernel FILE:LINE`" } else { "`--kernel NAME`" };
            let places = kernels.iter().map(|listing| &*listing.place);
            let shown = if alike { listed(places) } else { listed(names.iter().map(|name| &**name)) };
            Err(Failure::usage(format!("there are several kernels, so choose one with {help}: {shown}")))
        }
    }
}
