//! What is known about races, in words.

use super::{Finding, Invocation, Phase, RaceCondition, RaceVerdict, Races};
use crate::analysis::report::access;
use crate::diag::visible;
use crate::ir::{Function, Inst};
use crate::loc::Loc;

impl Races {
    /// The verdict in words, a line for each part, with places in the source if somebody knows
    /// them.
    ///
    /// ```
    /// use samebits_ir::{analysis::races::Races, builder::Builder, check::check, types::Types};
    /// let mut b = Builder::new("k", [64, 1, 1]);
    /// b.ret();
    /// let checked = check(b.into_module(Types::default())).map_err(|_| "kernel")?;
    /// let (function, findings) = checked.function(0).ok_or("function")?;
    /// let races = Races::of(&Types::default(), function, &findings.uniform);
    /// assert_eq!(races.describe(function, |_| None), "race-free and deterministic\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn describe(&self, function: &Function, place: impl Fn(Loc) -> Option<String>) -> String {
        let at = |inst: Inst| {
            place(function.insts[inst].loc).map_or_else(String::new, |place| format!("    --> {}\n", visible(&place)))
        };
        let what = |inst: Inst| {
            function.insts[inst].kind.place().map_or_else(String::new, |place| access(function, inst, place))
        };
        let and = if self.is_deterministic() { " and deterministic" } else { "" };
        let mut shown = match &self.verdict {
            RaceVerdict::Free => format!("race-free{and}\n"),
            RaceVerdict::FreeIf(conditions) => {
                let lines = conditions.iter().map(|one| format!("  {}\n", visible(&one.display(function))));
                format!("race-free{and} if\n{}", lines.collect::<String>())
            }
            RaceVerdict::Unproven(findings) => {
                let mut lines = "not proven race-free\n".to_owned();
                for found in findings {
                    let other = if found.first == found.second { "itself".to_owned() } else { what(found.second) };
                    lines += &format!("  {} and {}: {}\n", visible(&what(found.first)), visible(&other), found.why());
                    lines += &at(found.first);
                    if found.first != found.second {
                        lines += &at(found.second);
                    }
                }
                lines
            }
        };
        if !self.trusted.is_empty() {
            shown += "by the word of the author\n";
        }
        for &inst in &self.trusted {
            shown += &format!("  {}\n{}", visible(&what(inst)), at(inst));
        }
        if !self.ordered.is_empty() {
            shown += "depends on the order of atomics\n";
        }
        for &inst in &self.ordered {
            shown += &format!("  {}\n{}", visible(&what(inst)), at(inst));
        }
        shown
    }

    /// The accesses that a condition of the verdict keeps apart, in words, with places in the source if somebody knows them.
    ///
    /// ```
    /// use samebits_ir::analysis::races::{RaceCondition, Races};
    /// use samebits_ir::{check::check, text::parse};
    /// let module = parse("func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) {
    ///     %i = global_id.x
    ///     store @y[%i], 7u32
    ///     ret
    /// }").map_err(|_| "text")?;
    /// let checked = check(module).map_err(|_| "kernel")?;
    /// let (function, findings) = checked.function(0).ok_or("function")?;
    /// let races = Races::of(&checked.module().types, function, &findings.uniform);
    /// let kept = races.kept_apart_by(function, &RaceCondition::AxisIsOne(1), |_| Some("line 3".into()));
    /// assert_eq!(kept.as_deref(), Some("the store to `y` (line 3) apart from that of other invocations"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kept_apart_by(
        &self,
        function: &Function,
        condition: &RaceCondition,
        place: impl Fn(Loc) -> Option<String>,
    ) -> Option<String> {
        let RaceVerdict::FreeIf(conditions) = &self.verdict else { return None };
        let number = conditions.iter().position(|one| one == condition)?;
        let [first, second] = *self.needed_by.get(number)?;
        let what = |inst: Inst| {
            let kind = &function.insts[inst].kind;
            let place = place(function.insts[inst].loc).map_or_else(String::new, |place| format!(" ({place})"));
            kind.place().map_or_else(String::new, |memory| format!("the {}{place}", access(function, inst, memory)))
        };
        let other = if first == second { "that".to_owned() } else { what(second) };
        Some(visible(&format!("{} apart from {other} of other invocations", what(first))).to_string())
    }
}

impl Finding {
    /// The reason, with the example if there is one.
    fn why(&self) -> String {
        match &self.example {
            None => self.reason.clone(),
            Some([one, other]) if self.phase == Phase::Grid => format!("{}, such as {one} and {other}", self.reason),
            Some([one, other]) => {
                let [one, other] = [one, other].map(|Invocation { local: [x, y, z], .. }| format!("({x}, {y}, {z})"));
                format!("{}, such as those with local ids {one} and {other}", self.reason)
            }
        }
    }
}

impl std::fmt::Display for Invocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { group: [gx, gy, gz], local: [x, y, z] } = self;
        write!(f, "({x}, {y}, {z}) of workgroup ({gx}, {gy}, {gz})")
    }
}
