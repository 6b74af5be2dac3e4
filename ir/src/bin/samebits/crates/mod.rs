//! `cargo samebits`: the kernels of a package, as the macro left them.
//!
//! [`cargo`] asks cargo for them. Each command here shows some of them by what the command `samebits` does with a file.

mod cargo;
mod help;
mod list;

pub use help::MANUAL;

use super::args::Args;
use super::emit::{self, listed};
use super::failure::Failure;
use super::files::{Input, write};
use super::{opt, report, shell};
use cargo::Asked;
use samebits_ir::nearest::nearest;
use samebits_ir::text;
use samebits_ir::wire::Listing;

/// Runs a command; nothing for a name that is none.
pub fn command(name: &str, args: Args) -> Option<Result<(), Failure>> {
    Some(match name {
        "list" => list(args),
        "report" => report(args),
        "emit" => emit(args),
        "passes" => passes(args),
        "test" => cargo::test(args),
        "man" => shell::man(&MANUAL, args),
        _ => return None,
    })
}

/// Refuses operands where there are none.
fn nothing_more(args: Args) -> Result<(), Failure> {
    match args.operands()?.first() {
        Some(more) => Err(Failure::usage(format!("expected nothing, found `{more}`; `--kernel NAME` names a kernel"))),
        None => Ok(()),
    }
}

fn list(mut args: Args) -> Result<(), Failure> {
    let (asked, wanted) = (Asked::read(&mut args)?, args.value("--kernel")?);
    nothing_more(args)?;
    write(None, list::list(&chosen(asked.kernels()?, wanted.as_deref())?)?.as_bytes())
}

fn report(mut args: Args) -> Result<(), Failure> {
    let table = report::table(&mut args)?;
    let (asked, wanted) = (Asked::read(&mut args)?, args.value("--kernel")?);
    nothing_more(args)?;
    let mut shown = Vec::new();
    for listing in chosen(asked.kernels()?, wanted.as_deref())? {
        let heading = list::heading(&listing);
        let full_name = listing.full_name();
        let reports = report::reports(&Input::listed(listing), table)?;
        let reports = reports.into_iter().map(|mut one| {
            one.report.kernel.clone_from(&full_name);
            one.to_string()
        });
        shown.push(heading + &reports.collect::<String>());
    }
    write(None, shown.join("\n").as_bytes())
}

fn emit(mut args: Args) -> Result<(), Failure> {
    let (what, asked) = (emit::Asked::read(&mut args)?, Asked::read(&mut args)?);
    let operands = args.operands()?;
    let (target, more) = emit::target(&operands)?;
    if let [more, ..] = more {
        return Err(Failure::usage(format!("expected one target, found also `{more}`")));
    }
    let listing = only(chosen(asked.kernels()?, what.kernel.as_deref())?)?;
    write(what.out.as_deref(), &emit::written(&Input::listed(listing), target, None, &what)?)
}

fn passes(mut args: Args) -> Result<(), Failure> {
    let (what, asked) = (opt::Asked::read(&mut args)?, Asked::read(&mut args)?);
    let (out, wanted) = (args.value("-o")?, args.value("--kernel")?);
    nothing_more(args)?;
    let input = Input::listed(only(chosen(asked.kernels()?, wanted.as_deref())?)?);
    let checked = input.checked()?;
    let mut shown = format!("; as written\n{}\n", text::print(checked.module()));
    if !what.print_after {
        shown += "; the result\n";
    }
    shown += &opt::shown(checked, &what);
    write(out.as_deref(), shown.as_bytes())
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
