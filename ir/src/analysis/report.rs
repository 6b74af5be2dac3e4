//! What the compiler proved about a kernel, counted and in words.

use super::facts::{Facts, Verdict};
use super::tree::Tree;
use crate::check::Checked;
use crate::ir::{Function, Inst, InstKind, Root};
use crate::loc::Loc;
use crate::types::Types;
use std::fmt;

/// What is known about a kernel's memory accesses and loops.
///
/// ```
/// use samebits_ir::analysis::report::Report;
/// use samebits_ir::{text::parse, check::check};
/// let text = "
/// func kernel workgroup_size(64, 1, 1) @double(@x: mut [u32]) {
///   %i = global_id.x
///   %v = load u32 @x[%i]
///   %w = add %v, %v
///   store @x[%i], %w
///   ret
/// }";
/// let checked = check(parse(text).map_err(|_| "text")?).map_err(|_| "kernel")?;
/// let report = Report::of(&checked, 0).ok_or("a kernel")?;
/// assert_eq!((report.accesses, report.proven, report.by_launch), (2, 0, 2));
/// assert_eq!(report.conditions, ["x.len() >= 64 * num_workgroups().x"]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The function's name.
    pub name: String,
    /// Loads, stores and atomics.
    pub accesses: usize,
    /// Those that are in bounds at every launch.
    pub proven: usize,
    /// Those that are in bounds at launches that fulfil the conditions.
    pub by_launch: usize,
    /// The conditions, as Rust would say them.
    pub conditions: Vec<String>,
    /// Those that are tested each time.
    pub tested: Vec<Tested>,
    /// Loops.
    pub loops: usize,
    /// Those that are known to end.
    pub ending: usize,
}

/// An access that is tested each time that it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tested {
    /// Where it is.
    pub loc: Loc,
    /// The memory's name.
    pub memory: String,
    /// What is not known.
    pub reason: String,
}

impl Report {
    /// The report on the function of this position in a module.
    pub fn of(checked: &Checked, index: usize) -> Option<Self> {
        let (function, _) = checked.function(index)?;
        let types = &checked.module().types;
        let facts = Facts::of(types, function);
        let mut report = Self {
            name: function.name.clone(),
            accesses: 0,
            proven: 0,
            by_launch: 0,
            conditions: facts.conditions().iter().map(|condition| condition.shown(function)).collect(),
            tested: Vec::new(),
            loops: 0,
            ending: 0,
        };
        for &inst in Tree::of(function).insts() {
            if let InstKind::Loop { .. } = function.insts[inst].kind {
                report.loops += 1;
                report.ending += usize::from(facts.ends(inst));
            }
            let Some(verdict) = facts.access(inst) else { continue };
            report.accesses += 1;
            match verdict {
                Verdict::Proven => report.proven += 1,
                Verdict::IfLaunch(_) => report.by_launch += 1,
                Verdict::Unknown => report.tested.push(tested(types, function, &facts, inst)),
            }
        }
        Some(report)
    }

    /// The report as text, with the places that locations stand for.
    pub fn shown(&self, place: impl Fn(Loc) -> Option<String>) -> String {
        let mut lines = vec![format!(
            "kernel `{}`: {} of memory, {} proven, {} by conditions on the launch, {} tested each time",
            self.name,
            count(self.accesses, "access", "accesses"),
            self.proven,
            self.by_launch,
            self.tested.len()
        )];
        lines.extend(self.conditions.iter().map(|condition| format!("  condition: {condition}")));
        for Tested { loc, memory, reason } in &self.tested {
            let at = place(*loc).map(|place| format!("{place}: ")).unwrap_or_default();
            lines.push(format!("  tested: {at}`{memory}`: {reason}"));
        }
        lines.push(format!("  {}, {} known to end", count(self.loops, "loop", "loops"), self.ending));
        lines.join("\n")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(|_| None))
    }
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Which index keeps an access from being proven.
fn tested(types: &Types, function: &Function, facts: &Facts, inst: Inst) -> Tested {
    let def = &function.insts[inst];
    let root = def.kind.place().map(|place| place.root);
    let memory = root.map_or("?", |root| function.root_name(root)).to_owned();
    let named = |value| match &function.values[value].name {
        Some(name) => format!("the index `{name}`"),
        None => "an index".to_owned(),
    };
    let size = |root: Root| {
        let element = function.root_element(types, root).and_then(|ty| types.layout(ty))?;
        Some(function.root_size(types, root)? / element.size.max(1))
    };
    let indices = def.kind.place().map_or(&[][..], |place| &place.indices);
    let reason = indices.iter().find_map(|index| {
        let fact = facts.of_value(index.value);
        let room = index.bound.or_else(|| root.and_then(size));
        let most = fact.map_or(u64::from(u32::MAX), |fact| fact.most);
        match room {
            Some(room) if most < room.into() => None,
            _ if most >= u64::from(u32::MAX) - 1 => Some(format!("{} may be any number", named(index.value))),
            Some(room) => Some(format!("{} may be up to {most}, and there are {room}", named(index.value))),
            None => Some(format!("{} may be up to {most}, whatever the length", named(index.value))),
        }
    });
    let reason = reason.unwrap_or_else(|| "the end of the access may lie outside".to_owned());
    Tested { loc: def.loc, memory, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::text::parse;

    #[test]
    fn accesses_and_loops_are_counted_and_the_open_ones_explained() {
        let text = "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32]) {
                      shared @t: [u32; 64]
                      %i = local_index
                      store @t[%i], 1u32
                      %far = load u32 @x[%i]
                      %v = load u32 @t[%far]
                      %n = len @y
                      %c = lt %i, %n
                      if %c { store @y[%i], %v }
                      loop 'a { break 'a }
                      ret
                    }";
        let checked = check(parse(text).unwrap_or_else(|d| panic!("{d:?}"))).unwrap_or_else(|d| panic!("{d:?}"));
        let report = Report::of(&checked, 0).expect("a kernel");
        assert_eq!(
            report.shown(|_| Some("k.rs:7:3".to_owned())),
            "kernel `k`: 4 accesses of memory, 2 proven, 1 by conditions on the launch, 1 tested each time\n  \
             condition: x.len() >= 64\n  \
             tested: k.rs:7:3: `t`: the index `far` may be any number\n  \
             1 loop, 1 known to end"
        );
    }
}
