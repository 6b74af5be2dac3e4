//! Races as errors: what is not proven free of them, at the store, with the other access.
//!
//! A module may have races, and passes keep what it means. Who wants none, as the authors of safe
//! kernels do, asks here. The errors rest on [`Races`]; nothing is judged again.

use crate::analysis::races::{Finding, Invocation, Phase, RaceCondition, RaceVerdict, Races};
use crate::diag::{Code, Diag, Diags};
use crate::ir::{Function, Inst, InstKind, Root};

/// After so many errors one more says little.
const MOST: usize = 8;

/// The conditions under which launches of a function have no race, or what may be one.
///
/// ```
/// use samebits_ir::{analysis::races::Races, check::{check, races}, diag::Code, text::parse};
/// let judged = |index: &str| {
///     let kernel = format!("func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) {{
///         %i = global_id.x
///         store @y[{index}], 7u32
///         ret
///     }}");
///     let checked = check(parse(&kernel).ok()?).ok()?;
///     let (function, findings) = checked.function(0)?;
///     let found = Races::of(&checked.module().types, function, &findings.uniform);
///     Some(races(function, &found).map(<[_]>::len))
/// };
/// assert!(matches!(judged("%i"), Some(Ok(2))));
/// let Some(Err(wrong)) = judged("0u32") else { panic!("no race") };
/// assert_eq!(wrong.as_slice()[0].code, Code::V500);
/// ```
pub fn races<'r>(function: &Function, races: &'r Races) -> Result<&'r [RaceCondition], Diags> {
    match &races.verdict {
        RaceVerdict::Free => Ok(&[]),
        RaceVerdict::FreeIf(conditions) => Ok(conditions),
        RaceVerdict::Unproven(findings) => {
            let mut diags = Diags::new();
            let mut seen = Vec::new();
            for finding in findings {
                let (at, other) = places(function, finding);
                let locs = (function.insts[at].loc, function.insts[other].loc);
                if seen.len() < MOST && !seen.contains(&locs) {
                    seen.push(locs);
                    diags.push(diag(function, finding));
                }
            }
            Err(diags)
        }
    }
}

/// The accesses by which the results of a function depend on the order in which invocations run,
/// though they do not race.
///
/// ```
/// use samebits_ir::{analysis::races::Races, check::{check, orders}, text::parse};
/// let module = parse("func kernel workgroup_size(64, 1, 1) @k(@n: atomic [u32], @y: mut [u32]) {
///     %i = global_id.x
///     %ticket = atomic.add @n[0u32], 1u32
///     store @y[%i], %ticket
///     ret
/// }").map_err(|_| "text")?;
/// let checked = check(module).map_err(|_| "kernel")?;
/// let (function, findings) = checked.function(0).ok_or("function")?;
/// let races = Races::of(&checked.module().types, function, &findings.uniform);
/// assert!(orders(function, &races).gate().is_err());
/// # Ok::<(), &str>(())
/// ```
pub fn orders(function: &Function, races: &Races) -> Diags {
    let mut diags = Diags::new();
    for &inst in &races.ordered {
        let root = function.insts[inst].kind.place().map_or("memory", |place| function.root_name(place.root));
        let message = format!("what this kernel computes depends on the order of its atomic accesses of `{root}`");
        let help = "use atomics whose results are unused, of one kind, such as sums of integers";
        diags.push(Diag::new(Code::V502, function.insts[inst].loc, message).help(help));
    }
    diags
}

/// The access that is reported, a store if one is, and the other one.
fn places(function: &Function, finding: &Finding) -> (Inst, Inst) {
    let is_store = |inst: Inst| matches!(function.insts[inst].kind, InstKind::Store(..));
    match is_store(finding.second) && !is_store(finding.first) {
        true => (finding.second, finding.first),
        false => (finding.first, finding.second),
    }
}

fn diag(function: &Function, finding: &Finding) -> Diag {
    let (at, other) = places(function, finding);
    let name = function.root_name(finding.root);
    let is_found = finding.example.is_some();
    let ([one, does], [other_one, other_does]) = (verbs(function, at), verbs(function, other));
    let what = match (one == other_one, is_found) {
        (true, true) => format!("two invocations {one} the same place of `{name}`"),
        (true, false) => format!("two invocations may {one} the same place of `{name}`"),
        (false, true) => format!("one invocation {does} a place of `{name}` that another one {other_does}"),
        (false, false) => format!("one invocation may {one} a place of `{name}` that another one {other_does}"),
    };
    let code = if is_found { Code::V500 } else { Code::V501 };
    let mut diag = Diag::new(code, function.insts[at].loc, what);
    if at != other {
        diag = diag.label(function.insts[other].loc, "the other access is here");
    }
    let here = function.insts[at].loc;
    match &finding.example {
        Some([one, two]) if finding.phase == Phase::Grid => {
            let text = format!("such as the invocations {one} and {two}");
            diag = diag.label(here, text);
        }
        Some([one, two]) => {
            let [one, two] = [one, two].map(|Invocation { local: [x, y, z], .. }| format!("({x}, {y}, {z})"));
            diag = diag.label(here, format!("such as those with local ids {one} and {two}"));
        }
        None => diag = diag.label(here, format!("not proven: {}", finding.reason)),
    }
    if let Phase::After(barrier) = finding.phase
        && at != other
    {
        diag = diag.label(function.insts[barrier].loc, "no barrier is between them after this one");
    }
    diag.help(help(finding, name, at == other))
}

/// What several invocations do by an access, and what one does.
fn verbs(function: &Function, inst: Inst) -> [&'static str; 2] {
    match function.insts[inst].kind {
        InstKind::Store(..) => ["store to", "stores to"],
        InstKind::Atomic(..) => ["access", "accesses"],
        _ => ["load from", "loads from"],
    }
}

fn help(finding: &Finding, name: &str, alone: bool) -> String {
    let meant = "if it is meant, write `unsafe { … }` around each of the accesses";
    let rows = match finding.example {
        None => "test the column if places are in rows, as in `if x < width`, ",
        Some(_) => "",
    };
    match (finding.phase, finding.root) {
        (Phase::Grid, _) | (_, Root::Param(_)) if alone => format!(
            "give each invocation a place of its own, such as `{name}[global_id().x]`, {rows}let one of them store, or \
             use an atomic; {meant}"
        ),
        (Phase::Grid, _) | (_, Root::Param(_)) => {
            format!("let invocations access places of their own, {rows}use an atomic, or two launches; {meant}")
        }
        (_, _) if alone => {
            format!("let one invocation store, as in `if local_index() == 0`, or use an atomic; {meant}")
        }
        (_, _) => format!("write `workgroup_barrier()` between the accesses; {meant}"),
    }
}
