//! The report of a divergent barrier. It follows the reasons that the analysis noted from the
//! barrier over the condition to where the difference comes from.
//!
//! Reasons were noted in the order of their discovery, and each refers to earlier ones, so
//! following them ends. A report shows only the first few.

use super::{Analysis, Control, Why};
use crate::diag::{Code, Diag};
use crate::flags::Flags;
use crate::ir::{Inst, InstDef, InstKind, Region, Root, Value};
use crate::loc::Loc;
use crate::ops::{Builtin, Op};
use crate::types::Type;

/// How many reasons a report may show.
const MAX_LABELS: usize = 6;

/// What is followed next.
enum Next {
    Control(Control),
    Value(Value),
    /// Private memory that this store makes differ.
    Array(Inst),
    /// What differs by its nature.
    Source(Inst),
}

/// A reason as a report shows it, where it is and what is next.
type Step = (Option<(Loc, String)>, Option<Next>);

/// What is said of conditions.
const CONDITION: &str = "this condition differs between invocations";

impl Analysis<'_> {
    pub(super) fn report(&self, barrier: Inst, control: Control) -> Diag {
        let def = &self.function.insts[barrier];
        let (code, what, whom) = match def.kind {
            InstKind::Subgroup(..) => (Code::V400, "subgroup operation", "subgroup"),
            _ => (Code::V010, "barrier", "workgroup"),
        };
        let mut diag = Diag::new(code, def.loc, format!("{what} is not reached by every invocation of the {whom}"));
        let (mut next, mut source) = (Some(Next::Control(control)), None);
        while let Some(reason) = next.take() {
            if diag.labels.len() >= MAX_LABELS {
                break;
            }
            let label;
            (label, next) = match reason {
                Next::Control(control) => self.explain_control(control),
                Next::Value(value) => self.explain_value(value),
                Next::Array(store) => self.explain_array(store),
                Next::Source(inst) => {
                    source = Some(inst);
                    (Some((self.function.insts[inst].loc, self.source_text(inst))), None)
                }
            };
            // The bound of a loop is its exit and its condition at once.
            let is_said = |(loc, text): &(Loc, String)| {
                diag.labels.iter().any(|(other, said)| other == loc && (said == text || text == CONDITION))
            };
            if let Some(label) = label.filter(|label| !is_said(label)) {
                diag.labels.push(label);
            }
        }
        let cure = source.and_then(|inst| self.source_help(inst));
        let mut diag = diag.help(cure.unwrap_or_else(|| self.help(&def.kind, control)));
        let chain = self.flat.map_or(Vec::new(), |flat| flat.chain(barrier));
        for site in chain.iter().take(MAX_LABELS) {
            let callee = &self.module.functions[site.callee].name;
            diag.labels.push((site.loc, format!("the {what} is reached through this call of `{callee}`")));
        }
        diag
    }

    /// Whether this instruction is a `return`: one of a callee, or what the front end makes of one in a
    /// helper or a closure, which leaves a loop that has no second round.
    fn returns(&self, inst: Inst) -> bool {
        match self.function.insts[inst].kind {
            InstKind::Return(_) => true,
            InstKind::Break(target, _) => {
                self.flat.is_some_and(|flat| flat.calls[target]) || self.tree.continues(target).is_empty()
            }
            _ => false,
        }
    }

    fn explain_control(&self, control: Control) -> Step {
        let def = &self.function.insts[control];
        let earlier = self.exits[control].map(Next::Control);
        let leave = |what: &str| (Some((def.loc, what.to_owned())), earlier);
        match &def.kind {
            InstKind::If { condition, .. } => self.explain_condition(*condition, def.loc),
            InstKind::Switch { selector, .. } => self.explain_condition(*selector, def.loc),
            _ if self.returns(control) => leave("some invocations leave here"),
            InstKind::Break(..) => leave("some invocations leave the loop here"),
            InstKind::Continue(..) => leave("some invocations skip the rest of the loop's body here"),
            _ => (
                Some((def.loc, "this is too complicated to prove that it is the same for all invocations".to_owned())),
                None,
            ),
        }
    }

    fn explain_condition(&self, condition: Value, branch: Loc) -> Step {
        let loc = self.tree.inst_of(condition).map_or(branch, |inst| self.function.insts[inst].loc);
        (Some((loc, CONDITION.to_owned())), Some(Next::Value(condition)))
    }

    /// Follows operands to the first reason that is not one.
    fn explain_value(&self, mut value: Value) -> Step {
        loop {
            match self.why[value] {
                None => return (None, None),
                Some(Why::From(operand)) => value = operand,
                Some(Why::Source(inst)) => return (None, Some(Next::Source(inst))),
                Some(Why::Array(store)) => return (None, Some(Next::Array(store))),
                Some(Why::Control(control)) => {
                    let loc = self.function.insts[self.tree.inst_of(value).unwrap_or(control)].loc;
                    let name = self.function.values[value].name.as_deref();
                    let what = name.map_or_else(|| "the value".to_owned(), |name| format!("`{name}`"));
                    let text = format!("{what} depends on the path that an invocation took");
                    return (Some((loc, text)), Some(Next::Control(control)));
                }
            }
        }
    }

    fn explain_array(&self, store: Inst) -> Step {
        let def = &self.function.insts[store];
        let (Some(why), Some(place)) = (self.private.reason(store), def.kind.place()) else { return (None, None) };
        let text =
            format!("elements of `{}` differ between invocations after this", self.function.root_name(place.root));
        let next = match why {
            Why::From(value) => Some(Next::Value(value)),
            Why::Control(control) => Some(Next::Control(control)),
            Why::Array(store) => Some(Next::Array(store)),
            Why::Source(_) => None,
        };
        (Some((def.loc, text)), next)
    }

    /// Why an instruction gives each invocation something of its own.
    fn source_text(&self, inst: Inst) -> String {
        let function = self.function;
        if function.flags[inst].has(Flags::NONUNIFORM) {
            return "this is declared to differ between invocations".to_owned();
        }
        match &function.insts[inst].kind {
            InstKind::Builtin(builtin) => format!("`{}` differs between invocations", builtin_text(*builtin)),
            InstKind::Subgroup(op, _) => format!("the result of `{}` differs between invocations", op.rust()),
            InstKind::Load(place) => {
                let name = function.root_name(place.root);
                match place.root {
                    Root::Param(_) => {
                        format!("the load from writable buffer `{name}` may differ: make it read-only or broadcast it")
                    }
                    _ if self.in_subgroup => format!("the load from workgroup memory `{name}` may differ"),
                    // Loads from what an invocation owns, or nobody changes, are no sources.
                    Root::Shared(_) | Root::Private(_) | Root::Table(_) => {
                        format!("the load from workgroup memory `{name}` may differ: read it with `broadcast`")
                    }
                }
            }
            InstKind::Atomic(_, place, ..) => {
                let name = function.root_name(place.root);
                format!("the atomic access to `{name}` may give each invocation a different value")
            }
            _ => "this differs between invocations".to_owned(),
        }
    }

    /// What to write instead of a load that may differ.
    fn source_help(&self, inst: Inst) -> Option<String> {
        let def = &self.function.insts[inst];
        let (InstKind::Load(place), false) = (&def.kind, self.function.flags[inst].has(Flags::NONUNIFORM)) else {
            return None;
        };
        let name = self.function.root_name(place.root);
        match place.root {
            Root::Param(_) | Root::Shared(_) if self.in_subgroup => {
                Some(format!("give all lanes what the first one read: `subgroup_broadcast_first({name}[…])`"))
            }
            Root::Param(_) => Some(format!(
                "make `{name}` read-only, or let one invocation put the value into workgroup memory and `broadcast` it"
            )),
            Root::Shared(_) => {
                Some(format!("read `{name}` with `broadcast`, which gives all invocations the same value"))
            }
            Root::Private(_) | Root::Table(_) => None,
        }
    }

    /// What to write instead.
    fn help(&self, kind: &InstKind, control: Control) -> String {
        let what = if let InstKind::Subgroup(..) = kind { "operation" } else { "barrier" };
        let def = &self.function.insts[control];
        let at = |value: Value| self.tree.inst_of(value).map(|inst| self.function.insts[inst].loc);
        match def.kind {
            InstKind::If { then, otherwise, .. } if self.is_operator(def, [then, otherwise]) => {
                let operator = if self.yields_constant(otherwise) { "&&" } else { "||" };
                format!("compute the right side of `{operator}` in a `let` before it, where all invocations compute it")
            }
            // The front end compares for a `match` where the `match` is.
            InstKind::If { condition, .. } if at(condition) == Some(def.loc) && def.loc != Loc::NONE => {
                format!("move the {what} out of the `match`")
            }
            InstKind::If { .. } => format!("move the {what} out of the `if`"),
            InstKind::Switch { .. } => format!("move the {what} out of the `match`"),
            _ if self.returns(control) => {
                let condition = self.staying_condition(control).map(|condition| format!("`if {condition} {{ … }}`"));
                let condition = condition.unwrap_or_else(|| "an `if` for the invocations that stay".to_owned());
                format!("wrap the code around the {what} in {condition} and keep the {what} outside")
            }
            InstKind::Continue(..) => {
                format!("instead of `continue`, put the rest of the body under an `if` and keep the {what} outside")
            }
            InstKind::Break(..) if !self.is_bound(control) => {
                "instead of `break`, let every invocation run all rounds, with its work under an `if`".to_owned()
            }
            _ => "let every invocation run the same number of rounds, with its work under an `if`".to_owned(),
        }
    }

    /// Whether a branch is `&&` or `||`: it gives a `bool` that is known on one of two ways.
    fn is_operator(&self, def: &InstDef, ways: [Region; 2]) -> bool {
        let is_bool = matches!(def.results[..], [result] if self.function.ty(result) == Type::BOOL);
        is_bool && ways.into_iter().filter(|&way| self.yields_constant(way)).count() == 1
    }

    /// Whether a region does nothing but give a constant.
    fn yields_constant(&self, region: Region) -> bool {
        let [only] = self.function.regions[region].insts[..] else { return false };
        match &self.function.insts[only].kind {
            InstKind::Yield(args) => args.iter().all(|&arg| self.function.constant_bits(arg).is_some()),
            _ => false,
        }
    }

    /// Whether an exit is where its condition is, as the bound of a `for` or `while` is.
    fn is_bound(&self, exit: Inst) -> bool {
        let Some(branch) = self.exits[exit] else { return true };
        let InstKind::If { condition, .. } = self.function.insts[branch].kind else { return false };
        self.tree.inst_of(condition).is_some_and(|inst| self.function.insts[inst].loc == self.function.insts[exit].loc)
    }

    /// The condition of those who do not return, in the words of the source.
    fn staying_condition(&self, exit: Inst) -> Option<String> {
        let branch = self.exits[exit]?;
        let InstKind::If { condition, then, .. } = self.function.insts[branch].kind else { return None };
        let leaves_if_true = self.function.regions[then].insts.last() == Some(&exit);
        let InstKind::Op(op, args) = &self.function.insts[self.tree.inst_of(condition)?].kind else { return None };
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
        if self.is_count(left) != self.is_count(right) && ![left, right].iter().any(|&v| self.is_literal(v)) {
            // One side may have been cast, which leaves no trace here.
            return None;
        }
        Some(format!("{} {sign} {}", self.spelling(left)?, self.spelling(right)?))
    }

    fn is_literal(&self, value: Value) -> bool {
        self.function.values[value].constant.is_some()
    }

    /// Whether a value is a builtin or a length, which Rust's type `usize` is of.
    fn is_count(&self, value: Value) -> bool {
        let kind = self.tree.inst_of(value).map(|inst| &self.function.insts[inst].kind);
        // A variable may hold one after a cast, which its name stands for.
        self.function.values[value].name.is_none() && matches!(kind, Some(InstKind::Builtin(_) | InstKind::Len(_)))
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
        match self.function.insts[self.tree.inst_of(value)?].kind {
            InstKind::Builtin(builtin) => Some(builtin_text(builtin)),
            InstKind::Len(root) => Some(format!("{}.len()", self.function.root_name(root))),
            _ => None,
        }
    }
}

/// How Rust spells a builtin.
fn builtin_text(builtin: Builtin) -> String {
    match builtin.name().split_once('.') {
        Some((name, axis)) => format!("{name}().{axis}"),
        None => format!("{}()", builtin.name()),
    }
}
