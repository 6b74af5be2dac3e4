//! `cargo samebits list`: kernels with their signatures, and what is proven of each in two lines.

use super::super::failure::Failure;
use super::super::files::Input;
use super::super::report::{Reported, reports};
use samebits_ir::analysis::report::Report;
use samebits_ir::diag::{count, visible};
use samebits_ir::wire::Listing;

/// A kernel's signature, and where it stands.
pub fn heading(listing: &Listing) -> String {
    format!("{}\n  --> {}\n", visible(&listing.signature), visible(&listing.place))
}

/// The list. The instances of a kernel are below its one heading.
pub fn list(kernels: &[Listing]) -> Result<String, Failure> {
    let several = kernels.iter().any(|listing| listing.package != kernels[0].package);
    let (mut shown, mut package, mut last) = (String::new(), "", String::new());
    for listing in kernels {
        let heading = heading(listing);
        let is_new = heading != last;
        if is_new && !last.is_empty() {
            shown += "\n";
        }
        if several && listing.package != package {
            shown += &format!("package `{}`\n\n", visible(&listing.package));
            package = &listing.package;
        }
        if is_new {
            shown += &heading;
            last = heading;
        }
        let mut indent = "  ";
        if !listing.instance.is_empty() {
            shown += &format!("  `{}`:\n", visible(&listing.full_name()));
            indent = "    ";
        }
        for reported in reports(&Input::listed(listing.clone()), None)? {
            summary(&reported).iter().for_each(|line| shown += &format!("{indent}{line}\n"));
        }
    }
    Ok(shown)
}

/// What a report says, in few lines.
fn summary(Reported { report, needs, .. }: &Reported) -> Vec<String> {
    let mut lines = vec![accesses(report)];
    if !report.unbounded_loops.is_empty() {
        lines.push(format!("{} not known to end", count(report.unbounded_loops.len(), "loop")));
    }
    if !report.hints.is_empty() {
        lines.push(count(report.hints.len(), "hint"));
    }
    lines.extend(needs.iter().cloned());
    lines.extend(verdicts(&report.races));
    lines
}

fn accesses(report: &Report) -> String {
    if report.accesses == 0 {
        return "no accesses".to_owned();
    }
    let accesses = if report.accesses == 1 { "1 access".to_owned() } else { format!("{} accesses", report.accesses) };
    let conditions = match report.conditions.len() {
        0 => String::new(),
        some => format!(" ({})", count(some, "condition")),
    };
    let (proven, by_launch, guarded) = (report.proven, report.by_launch, report.guarded.len());
    format!("{accesses}: {proven} proven, {by_launch} if the launch allows{conditions}, {guarded} guarded")
}

/// The lines that are verdicts, with the number of conditions that follow one.
fn verdicts(races: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for (i, line) in races.iter().enumerate().filter(|(_, line)| !line.starts_with(' ')) {
        let below = races[i + 1..].iter().take_while(|line| line.starts_with(' ')).count();
        lines.push(match line.strip_suffix(" if") {
            Some(verdict) => format!("{verdict} if the launch allows ({})", count(below, "condition")),
            None => line.clone(),
        });
    }
    lines
}
