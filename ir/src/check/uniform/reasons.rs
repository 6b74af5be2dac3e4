//! The report of a divergent barrier: follows the reasons that the analysis noted from
//! the barrier over the condition to where the difference comes from.
//!
//! Reasons were noted in the order of their discovery and each refers to earlier ones,
//! so that following them ends; a report shows the first few only.

use super::{Analysis, Control, Why};
use crate::diag::{Code, Diag};
use crate::flags::Flags;
use crate::ir::{Function, Inst, InstKind, Root, Value};
use crate::loc::Loc;
use crate::ops::{Builtin, Op};

/// How many reasons a report may show.
const MAX_LABELS: usize = 6;

/// What is followed next.
enum Next {
    Control(Control),
    Value(Value),
    Array(usize),
}

impl Analysis<'_> {
    pub(super) fn report(&self, barrier: Inst, control: Control) -> Diag {
        let def = &self.function.insts[barrier];
        let (code, what) = match def.kind {
            InstKind::Subgroup(..) => (Code::V400, "subgroup operation"),
            _ => (Code::V010, "barrier"),
        };
        let message = format!("{what} is not reached by every invocation of the workgroup");
        let mut diag = Diag::new(code, def.loc, message).help(self.help(&def.kind, control));
        let mut next = Some(Next::Control(control));
        while let Some(reason) = next.take() {
            if diag.labels.len() >= MAX_LABELS {
                break;
            }
            let label;
            (label, next) = match reason {
                Next::Control(control) => self.explain_control(control),
                Next::Value(value) => self.explain_value(value),
                Next::Array(array) => self.explain_array(array),
            };
            if let Some(label) = label.filter(|label| !diag.labels.contains(label)) {
                diag.labels.push(label);
            }
        }
        let chain = self.flat.map_or(Vec::new(), |flat| flat.chain(barrier));
        for site in chain.iter().take(MAX_LABELS) {
            let callee = &self.module.functions[site.callee].name;
            diag.labels.push((site.loc, format!("the {what} is reached through this call of `{callee}`")));
        }
        diag
    }

    /// Whether this instruction is a callee's `return`.
    fn returns(&self, inst: Inst) -> bool {
        match self.function.insts[inst].kind {
            InstKind::Return(_) => true,
            InstKind::Break(target, _) => self.flat.is_some_and(|flat| flat.calls[target]),
            _ => false,
        }
    }

    fn explain_control(&self, control: Control) -> (Option<(Loc, String)>, Option<Next>) {
        let def = &self.function.insts[control];
        let earlier = self.exits[control].map(Next::Control);
        let leave = |what: &str| (Some((def.loc, what.to_owned())), earlier);
        match &def.kind {
            InstKind::If { condition, .. } => self.explain_condition(*condition, def.loc),
            InstKind::Switch { selector, .. } => self.explain_condition(*selector, def.loc),
            _ if self.returns(control) => leave("some invocations leave here"),
            InstKind::Break(..) => leave("some invocations leave the loop here"),
            InstKind::Continue(..) => leave("some invocations skip the rest of the loop's body here"),
            _ => (Some((def.loc, "this is too intricate to be found uniform".to_owned())), None),
        }
    }

    fn explain_condition(&self, condition: Value, branch: Loc) -> (Option<(Loc, String)>, Option<Next>) {
        let loc = self.source[condition].map_or(branch, |inst| self.function.insts[inst].loc);
        let text = format!("this condition differs between {}", self.parties(condition));
        (Some((loc, text)), Some(Next::Value(condition)))
    }

    /// Between whom a value differs.
    fn parties(&self, value: Value) -> &'static str {
        if self.subgroups_share[value] { "subgroups" } else { "invocations" }
    }

    /// Follows operands to the first reason that is not one.
    fn explain_value(&self, mut value: Value) -> (Option<(Loc, String)>, Option<Next>) {
        loop {
            match self.why[value] {
                None => return (None, None),
                Some(Why::From(operand)) => value = operand,
                Some(Why::Source(inst)) => {
                    let text = source_text(self.function, inst, self.parties(value));
                    return (Some((self.function.insts[inst].loc, text)), None);
                }
                Some(Why::Array(array)) => return (None, Some(Next::Array(array))),
                Some(Why::Control(control)) => {
                    let loc = self.function.insts[self.source[value].unwrap_or(control)].loc;
                    let name = self.function.values[value].name.as_deref();
                    let what = name.map_or_else(|| "the value".to_owned(), |name| format!("`{name}`"));
                    let text = format!("{what} depends on the way that an invocation took");
                    return (Some((loc, text)), Some(Next::Control(control)));
                }
            }
        }
    }

    fn explain_array(&self, array: usize) -> (Option<(Loc, String)>, Option<Next>) {
        let Some((store, why)) = self.arrays[array] else { return (None, None) };
        let text = format!("elements of `{}` differ between invocations after this", self.function.private[array].name);
        let next = match why {
            Why::From(value) => Some(Next::Value(value)),
            Why::Control(control) => Some(Next::Control(control)),
            Why::Array(array) => Some(Next::Array(array)),
            Why::Source(_) => None,
        };
        (Some((self.function.insts[store].loc, text)), next)
    }

    /// What to write instead.
    fn help(&self, kind: &InstKind, control: Control) -> String {
        let what = if let InstKind::Subgroup(..) = kind { "operation" } else { "barrier" };
        match self.function.insts[control].kind {
            InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. }
                if self.subgroups_share[value] =>
            {
                "let all invocations do the operation before the branch, and use its result inside".to_owned()
            }
            InstKind::If { .. } => format!("move the {what} out of the `if`"),
            InstKind::Switch { .. } => format!("move the {what} out of the `match`"),
            _ if self.returns(control) => {
                let condition = self.staying_condition(control).unwrap_or_else(|| "the opposite".to_owned());
                format!("wrap the code around the {what} in `if {condition} {{ … }}` and keep the {what} outside")
            }
            _ => "give every invocation the same trip count and test inside".to_owned(),
        }
    }

    /// The condition of those who do not return, in the words of the source.
    fn staying_condition(&self, exit: Inst) -> Option<String> {
        let branch = self.exits[exit]?;
        let InstKind::If { condition, then, .. } = self.function.insts[branch].kind else { return None };
        let leaves_if_true = self.function.regions[then].insts.last() == Some(&exit);
        let InstKind::Op(op, args) = &self.function.insts[self.source[condition]?].kind else { return None };
        let [left, right] = args[..] else { return None };
        let (straight, opposite) = match op {
            Op::Lt => ("<", ">="),
            Op::Le => ("<=", ">"),
            Op::Gt => (">", "<="),
            Op::Ge => (">=", "<"),
            Op::Eq => ("==", "!="),
            Op::Ne => ("!=", "=="),
            _ => return None,
        };
        let sign = if leaves_if_true { opposite } else { straight };
        Some(format!("{} {sign} {}", self.spelling(left)?, self.spelling(right)?))
    }

    /// How the source spells a simple value.
    fn spelling(&self, value: Value) -> Option<String> {
        let def = &self.function.values[value];
        if let Some(name) = &def.name {
            return Some(name.to_string());
        }
        if let Some(bits) = def.constant {
            return def.ty.lane().filter(|lane| lane.is_int() && !lane.is_signed()).map(|_| bits.to_string());
        }
        match self.function.insts[self.source[value]?].kind {
            InstKind::Builtin(builtin) => Some(builtin_text(builtin)),
            InstKind::Len(root) => Some(format!("{}.len()", self.function.root_name(root))),
            _ => None,
        }
    }
}

fn source_text(function: &Function, inst: Inst, parties: &str) -> String {
    if function.flags[inst].has(Flags::NONUNIFORM) {
        return "this is declared to differ between invocations".to_owned();
    }
    match &function.insts[inst].kind {
        InstKind::Builtin(builtin) => format!("`{}` differs between {parties}", builtin_text(*builtin)),
        InstKind::Subgroup(op, _) => format!("what `{}` gives differs between {parties}", op.rust()),
        InstKind::Load(place) => {
            let name = function.root_name(place.root);
            match place.root {
                Root::Param(_) => {
                    format!("the load from writable buffer `{name}` may differ: make it read-only")
                }
                Root::Shared(_) | Root::Private(_) => {
                    format!("the load from workgroup memory `{name}` may differ: read it with `broadcast`")
                }
            }
        }
        InstKind::Atomic(_, place, ..) => {
            let name = function.root_name(place.root);
            format!("the atomic access to `{name}` may give each invocation another value")
        }
        _ => "this differs between invocations".to_owned(),
    }
}

/// How Rust spells a builtin.
fn builtin_text(builtin: Builtin) -> String {
    match builtin.name().split_once('.') {
        Some((name, axis)) => format!("{name}().{axis}"),
        None => format!("{}()", builtin.name()),
    }
}
