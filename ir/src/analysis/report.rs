//! Reports: what is proven about a kernel, in words for who wrote it.
//!
//! A report says of each access that keeps its guard what is not known, and lists the
//! conditions that a launch has to satisfy for the others. Locations are those of the
//! instructions; whoever has their table puts places in.

use super::facts::{Condition, Facts, Missing, Rounds, Symbol, Verdict};
use super::lints::{Lint, lints};
use super::tree::Tree;
use crate::diag::{Diag, count, visible};
use crate::ir::{Function, Inst, InstKind, Place, Root, Value};
use crate::loc::Loc;
use crate::types::Types;
use std::fmt;

/// What is proven about a kernel, or about a device function for itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The kernel's name.
    pub kernel: String,
    /// Whether it is one, and no device function, which depends on its calls as a kernel does on
    /// its launches.
    pub is_kernel: bool,
    /// What every launch satisfies, such as `x.len() >= n`; the launcher sees to it.
    pub requires: Vec<String>,
    /// The passes that were left out, since it could then no longer be told that all invocations
    /// reach the same barriers. Whoever ran them puts them in.
    pub left_out: Vec<String>,
    /// How many loads, stores and atomic accesses there are.
    pub accesses: usize,
    /// How many of them are in bounds whatever the launch is.
    pub proven: usize,
    /// How many more are in a launch that satisfies the conditions.
    pub by_launch: usize,
    /// The conditions, such as `x.len() >= y.len()`.
    pub conditions: Vec<String>,
    /// The accesses that are tested when they run.
    pub guarded: Vec<Remark>,
    /// How many loops are known to end.
    pub bounded_loops: usize,
    /// The loops that are not known to end.
    pub unbounded_loops: Vec<Remark>,
    /// What makes it slow on GPUs, of what the lines above do not say.
    pub hints: Vec<Remark>,
    /// What is [known](super::races::Races::describe) about races of the kernel as it was written, line
    /// by line. Whoever judged that form puts it in.
    pub races: Vec<String>,
    /// How this CPU runs the kernel, if whoever has the program put it in.
    pub cpu: Option<String>,
}

/// Something that is not proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The instruction's location.
    pub loc: Loc,
    /// The location in words, if somebody [knows](Report::located) it.
    pub place: Option<String>,
    /// What it is about, such as `` load from `x` ``.
    pub what: String,
    /// What is not known.
    pub why: String,
}

impl Report {
    /// Reports on a function without calls.
    ///
    /// ```
    /// use samebits_ir::{analysis::report::Report, check::check, text::parse};
    /// let module = parse("func kernel workgroup_size(64, 1, 1) @copy(@x: [u32], @y: mut [u32]) {
    ///     %i = global_id.x
    ///     %n = len @y
    ///     %in = lt %i, %n
    ///     if %in {
    ///         %v = load u32 @x[%i]
    ///         store @y[%i], %v
    ///     }
    ///     ret
    /// }").map_err(|_| "text")?;
    /// let checked = check(module).map_err(|_| "kernel")?;
    /// let (function, _) = checked.function(0).ok_or("function")?;
    /// let report = Report::of(&checked.module().types, function);
    /// assert_eq!((report.accesses, report.proven, report.by_launch), (2, 1, 1));
    /// assert_eq!(report.conditions, ["x.len() >= y.len()"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(types: &Types, function: &Function) -> Self {
        let (facts, tree) = (Facts::of(types, function), Tree::of(function));
        // The length of the buffer for messages is no concern of who launches the kernel.
        let of_messages = |symbol| matches!(symbol, Symbol::Len(at) if function.is_messages(Root::Param(at.into())));
        let is_shown = |condition: &&Condition| !condition.symbols().any(of_messages);
        let shown: Vec<&Condition> = facts.conditions().iter().filter(is_shown).collect();
        let mut report = Self {
            kernel: function.name.clone(),
            is_kernel: function.is_kernel(),
            requires: function.requires.iter().map(|one| one.display(&function.params)).collect(),
            left_out: Vec::new(),
            accesses: 0,
            proven: 0,
            by_launch: 0,
            conditions: shown
                .iter()
                .zip(Condition::are_needed(&shown))
                .filter(|(_, is_needed)| *is_needed)
                .map(|(condition, _)| condition.display(function))
                .collect(),
            guarded: Vec::new(),
            bounded_loops: 0,
            unbounded_loops: Vec::new(),
            hints: hints(types, function),
            races: Vec::new(),
            cpu: None,
        };
        for &inst in tree.insts() {
            let def = &function.insts[inst];
            let remark = |what, why| Remark { loc: def.loc, place: None, what, why };
            if let InstKind::Loop { label, .. } = &def.kind {
                match facts.rounds(inst) {
                    Rounds::AtMost(_) => report.bounded_loops += 1,
                    Rounds::Unknown => {
                        let name = label.as_ref().map_or_else(|| "loop".to_owned(), |label| format!("loop `'{label}`"));
                        let why = "none of its counters is known to pass its bound".to_owned();
                        report.unbounded_loops.push(remark(name, why));
                    }
                }
            }
            let Some(place) = def.kind.place().filter(|place| !function.is_messages(place.root)) else { continue };
            report.accesses += 1;
            match facts.access(inst) {
                Verdict::Proven => report.proven += 1,
                Verdict::IfLaunch(_) => report.by_launch += 1,
                Verdict::Guarded(missing) => {
                    let (what, why) = (access(function, inst, place), reason(function, place, missing));
                    report.guarded.push(remark(what, why));
                }
            }
        }
        report
    }

    /// The report with places in the source in the place of locations.
    ///
    /// ```
    /// # use samebits_ir::{analysis::report::Report, builder::Builder, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # b.ret();
    /// let report = Report::of(&Types::default(), &b.finish()).located(|loc| Some(format!("k.gir:{loc:?}")));
    /// assert_eq!(report.to_string(), "kernel `k`: no accesses, no loops\n");
    /// ```
    #[must_use]
    pub fn located(mut self, place: impl Fn(Loc) -> Option<String>) -> Self {
        for remark in self.guarded.iter_mut().chain(&mut self.unbounded_loops).chain(&mut self.hints) {
            remark.place = place(remark.loc);
        }
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = |number: usize, what: &str| match number {
            0 => format!("no {what}s"),
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        let accesses = if self.accesses == 1 { "1 access".to_owned() } else { some(self.accesses, "accesse") };
        let loops = self.bounded_loops + self.unbounded_loops.len();
        let (what, started) = if self.is_kernel { ("kernel", "launch") } else { ("function", "call") };
        writeln!(f, "{what} `{}`: {accesses}, {}", visible(&self.kernel), some(loops, "loop"))?;
        for requirement in &self.requires {
            writeln!(f, "  requires {}", visible(requirement))?;
        }
        for pass in &self.left_out {
            writeln!(
                f,
                "  not fully optimised: after `{pass}`, the checks could not prove that all invocations reach the same barriers"
            )?;
        }
        if self.accesses > 0 {
            let guarded = self.guarded.len();
            writeln!(f, "  {} proven, {} if the {started} allows, {guarded} guarded", self.proven, self.by_launch)?;
        }
        if loops > 0 {
            writeln!(f, "  {} of the loops known to end", self.bounded_loops)?;
        }
        if !self.conditions.is_empty() {
            writeln!(f, "  {} on the {started}:", count(self.conditions.len(), "condition"))?;
        }
        for condition in &self.conditions {
            writeln!(f, "    {}", visible(condition))?;
        }
        for Remark { place, what, why, .. } in self.guarded.iter().chain(&self.unbounded_loops) {
            writeln!(f, "  {}: {}", visible(what), visible(why))?;
            if let Some(place) = place {
                writeln!(f, "    --> {}", visible(place))?;
            }
        }
        for Remark { place, what, why, .. } in &self.hints {
            writeln!(f, "  {}", visible(what))?;
            if let Some(place) = place {
                writeln!(f, "    --> {}", visible(place))?;
            }
            writeln!(f, "    help: {}", visible(why))?;
        }
        for line in &self.races {
            writeln!(f, "  {line}")?;
        }
        if let Some(cpu) = &self.cpu {
            writeln!(f, "  on this CPU: {cpu}")?;
        }
        Ok(())
    }
}

/// What lints find that a report does not say otherwise.
fn hints(types: &Types, function: &Function) -> Vec<Remark> {
    let about = [Lint::Strides, Lint::Banks, Lint::Contention, Lint::Barriers, Lint::Doubles];
    let found = lints(types, function, &about);
    let remark = |diag: &Diag| Remark {
        loc: diag.loc,
        place: None,
        what: format!("{} [{}]", diag.message, diag.code),
        why: diag.help.clone().unwrap_or_default(),
    };
    found.as_slice().iter().map(remark).collect()
}

/// What an access is, in words.
pub(super) fn access(function: &Function, inst: Inst, place: &Place) -> String {
    let name = function.root_name(place.root);
    match &function.insts[inst].kind {
        InstKind::Store(..) => format!("store to `{name}`"),
        InstKind::Atomic(op, ..) => format!("atomic `{}` on `{name}`", op.name()),
        _ => format!("load from `{name}`"),
    }
}

/// Why an access is guarded, in words.
pub(super) fn reason(function: &Function, place: &Place, missing: Missing) -> String {
    let named = |value: Value| match (&function.values[value].name, function.constant_bits(value)) {
        (Some(name), _) => format!("`{name}`"),
        (None, Some(bits)) => format!("{bits}"),
        (None, None) => "the index".to_owned(),
    };
    match missing {
        Missing::Bound(value, bound) => format!("nothing keeps {} below {bound}", named(value)),
        Missing::Index(value) => match place.root {
            Root::Param(_) => {
                let name = function.root_name(place.root);
                if let Some(bits) = function.constant_bits(value) {
                    return format!(
                        "nothing guarantees that `{name}` has more than {}",
                        count(bits as usize, "element")
                    );
                }
                format!(
                    "nothing compares {} with `{name}.len()` or with anything that the launch decides",
                    named(value)
                )
            }
            Root::Shared(_) | Root::Private(_) | Root::Table(_) => {
                format!("nothing keeps {} within `{}`", named(value), function.root_name(place.root))
            }
        },
        Missing::Room => format!("it ends beyond the end of `{}`", function.root_name(place.root)),
        Missing::Conditions => "the launch would have to evaluate too many conditions".to_owned(),
        Missing::Unreached => "it is never reached".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_image;
    use crate::text::parse;

    fn report(source: &str) -> String {
        let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
        let checked = check_image(module).expect("a kernel");
        let (function, _) = checked.function(0).expect("a function");
        let line = |loc: Loc| Some(format!("line {}", crate::diag::line_column(source, loc.index()? as usize).0));
        Report::of(&checked.module().types, function).located(line).to_string()
    }

    #[test]
    fn a_report_says_what_is_missing_and_where() {
        let shown = report(
            "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32]) {
                shared @tile: [u32; 16]
                %i = global_id.x
                %j = load u32 @x[%i]
                store @y[%j], 1u32
                store @tile[%j], 1u32
                store @y[%i * 4][%j * 4 < 2], 1u32
                loop 'l (%k: u32 = %j) {
                    %c = eq %k, 0u32
                    if %c { break 'l } else { yield }
                    %next = sub %k, 2u32
                    continue 'l %next
                }
                ret
            }",
        );
        let expected = "kernel `k`: 4 accesses, 1 loop
  0 proven, 1 if the launch allows, 3 guarded
  0 of the loops known to end
  1 condition on the launch:
    x.len() >= 64 * groups.x
  store to `y`: nothing compares `j` with `y.len()` or with anything that the launch decides
    --> line 5
  store to `tile`: nothing keeps `j` within `tile`
    --> line 6
  store to `y`: nothing keeps `j` below 2
    --> line 7
  loop `'l`: none of its counters is known to pass its bound
    --> line 8
";
        assert_eq!(shown, expected, "\n{shown}");
    }

    #[test]
    fn what_a_requirement_says_is_proven() {
        let shown = report(
            "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32]) requires(len @x >= len @y) {
                %i = global_id.x
                %n = len @y
                %in = lt %i, %n
                if %in {
                    %v = load u32 @x[%i]
                    store @y[%i], %v
                }
                ret
            }",
        );
        let expected = "kernel `k`: 2 accesses, no loops
  requires x.len() >= y.len()
  2 proven, 0 if the launch allows, 0 guarded
";
        assert_eq!(shown, expected, "\n{shown}");
    }

    #[test]
    fn a_kernel_with_everything_proven_has_no_remarks() {
        let shown = report(
            "func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) {
                private @own: [u32; 4]
                loop 'l (%k: u32 = 0u32) {
                    %c = lt %k, 4u32
                    if %c { yield } else { break 'l }
                    store @own[%k], 1u32
                    %next = add %k, 1u32
                    continue 'l %next
                }
                ret
            }",
        );
        let expected = "kernel `k`: 1 access, 1 loop
  1 proven, 0 if the launch allows, 0 guarded
  1 of the loops known to end
";
        assert_eq!(shown, expected, "\n{shown}");
    }
}
