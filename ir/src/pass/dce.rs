//! Dead code elimination: what nobody uses is not computed.
//!
//! First, what follows an instruction that never completes is replaced by `unreachable`. Then
//! liveness flows from effects to operands. What crosses the edge of a region (results of `if`,
//! `switch` and `loop`, parameters of loops) is live one by one, so a loop may lose a counter
//! that only counts itself.
//!
//! Effects, terminators and loops are always kept, and with them the branches around them. A
//! loop is kept because it need not end, and then what follows must not happen.

use crate::arena::{Side, Sparse};
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Value, ValueDef};

/// Removes dead code from a function in SSA form; says whether anything changed.
pub fn dce(function: &mut Function) -> bool {
    let mut dce = Dce {
        exits: Sparse::new(Vec::new()),
        continues: Sparse::new(Vec::new()),
        required: Side::new(false),
        defs: Side::new(Def::Elsewhere),
        live: Side::new(false),
        work: Vec::new(),
        changed: false,
        function,
    };
    let body = dce.function.body;
    dce.find(body, None);
    while let Some(value) = dce.work.pop() {
        dce.mark_source(value);
    }
    dce.sweep(body);
    dce.changed
}

/// Where a value comes from.
#[derive(Clone, Copy)]
enum Def {
    /// A constant or a parameter of the function.
    Elsewhere,
    /// The result of this index.
    Result(Inst, usize),
    /// The parameter of this index of a loop's body.
    Param(Inst, usize),
}

struct Dce<'a> {
    function: &'a mut Function,
    /// The terminators that end an `if` or `switch` (`yield`) or a loop (`break`).
    exits: Sparse<InstDef, Vec<Inst>>,
    /// The `continue`s of each loop.
    continues: Sparse<InstDef, Vec<Inst>>,
    /// Instructions to keep whether or not their results are live.
    required: Side<InstDef, bool>,
    defs: Side<ValueDef, Def>,
    live: Side<ValueDef, bool>,
    /// Live values whose sources are not marked yet.
    work: Vec<Value>,
    changed: bool,
}

impl Dce<'_> {
    /// Cuts off what cannot be reached, notes definitions and exits, and marks what
    /// effects need. Says whether the region holds anything required besides the `yield`
    /// that ends it. The checks limit how deep regions are nested.
    fn find(&mut self, region: Region, owner: Option<Inst>) -> bool {
        let mut any_required = false;
        for (position, inst) in self.function.region_insts(region).into_iter().enumerate() {
            for (i, result) in self.function.insts[inst].results.iter().enumerate() {
                self.defs[*result] = Def::Result(inst, i);
            }
            if self.function.insts[inst].kind.is_pure() {
                continue;
            }
            let kind = self.function.insts[inst].kind.clone();
            let required = match &kind {
                InstKind::Op(..) | InstKind::Load(_) | InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Get(_) => {
                    false
                }
                InstKind::Store(..)
                | InstKind::Atomic(..)
                | InstKind::Barrier
                | InstKind::Subgroup(..)
                | InstKind::Fence(..)
                | InstKind::Set(..)
                | InstKind::Call { .. } => {
                    kind.for_each_operand(|value| self.mark(value));
                    true
                }
                InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => {
                    let mut required = false;
                    for inner in kind.regions() {
                        required |= self.find(inner, Some(inst));
                    }
                    if required {
                        self.mark(*value);
                    }
                    required
                }
                InstKind::Loop { body, .. } => {
                    for (i, param) in self.function.regions[*body].params.iter().enumerate() {
                        self.defs[*param] = Def::Param(inst, i);
                    }
                    self.find(*body, None);
                    true
                }
                InstKind::Yield(_) => {
                    if let Some(owner) = owner {
                        self.exits[owner].push(inst);
                    }
                    // Kept with its region.
                    self.required[inst] = true;
                    false
                }
                InstKind::Break(target, _) => {
                    self.exits[*target].push(inst);
                    true
                }
                InstKind::Continue(target, _) => {
                    self.continues[*target].push(inst);
                    true
                }
                InstKind::Return(_) => {
                    kind.for_each_operand(|value| self.mark(value));
                    true
                }
                InstKind::Unreachable => true,
            };
            self.required[inst] |= required;
            any_required |= required;
            let ends = kind.has_regions() && self.exits[inst].is_empty();
            if kind.is_terminator() || ends {
                any_required |= self.cut(region, position, ends);
                break;
            }
        }
        any_required
    }

    /// Removes what follows a position of a region; after an instruction that never
    /// ends, `unreachable` takes its place. Says whether it does.
    fn cut(&mut self, region: Region, position: usize, ends: bool) -> bool {
        let insts = &mut self.function.regions[region].insts;
        let rest = insts.split_off(position + 1);
        if !ends {
            self.changed |= !rest.is_empty();
            return false;
        }
        if let &[last] = rest.as_slice()
            && matches!(self.function.insts[last].kind, InstKind::Unreachable)
        {
            self.required[last] = true;
            insts.push(last);
        } else {
            let loc = self.function.insts[insts[position]].loc;
            let end = self.function.inst(InstKind::Unreachable, Vec::new(), loc);
            self.required[end] = true;
            self.function.regions[region].insts.push(end);
            self.changed = true;
        }
        true
    }

    fn mark(&mut self, value: Value) {
        if !self.live[value] {
            self.live[value] = true;
            self.work.push(value);
        }
    }

    /// Marks what a live value is made of.
    fn mark_source(&mut self, value: Value) {
        match self.defs[value] {
            Def::Elsewhere => {}
            Def::Param(inst, i) => {
                if let InstKind::Loop { initial, .. } = &self.function.insts[inst].kind
                    && let Some(&first) = initial.get(i)
                {
                    self.mark(first);
                }
                self.mark_passed(self.continues[inst].clone(), i);
            }
            Def::Result(inst, i) => {
                let kind = self.function.insts[inst].kind.clone();
                if !matches!(kind, InstKind::Loop { .. }) {
                    kind.for_each_operand(|operand| self.mark(operand));
                }
                self.mark_passed(self.exits[inst].clone(), i);
            }
        }
    }

    /// Marks the operand of this index of terminators.
    fn mark_passed(&mut self, terminators: Vec<Inst>, i: usize) {
        for inst in terminators {
            if let Some(&passed) = self.function.insts[inst].kind.passed().get(i) {
                self.mark(passed);
            }
        }
    }

    fn sweep(&mut self, region: Region) {
        let insts = self.function.region_insts(region);
        let kept = insts.iter().copied().filter(|&inst| {
            self.required[inst] || self.function.insts[inst].results.iter().any(|&result| self.live[result])
        });
        let kept: Vec<Inst> = kept.collect();
        self.changed |= kept.len() != insts.len();
        self.function.regions[region].insts.clone_from(&kept);
        for inst in kept {
            if !self.function.insts[inst].kind.has_regions() {
                continue;
            }
            for inner in self.function.insts[inst].kind.regions() {
                self.sweep(inner);
            }
            self.sweep_edges(inst);
        }
    }

    /// Drops the results and parameters of a structured instruction that are not live,
    /// and what is passed for them.
    fn sweep_edges(&mut self, inst: Inst) {
        let live = |values: &[Value]| -> Vec<bool> { values.iter().map(|&v| self.live[v]).collect() };
        let results = live(&self.function.insts[inst].results);
        let body = match self.function.insts[inst].kind {
            InstKind::Loop { body, .. } => Some(body),
            _ => None,
        };
        let params = body.map(|body| live(&self.function.regions[body].params));

        let mut changed = retain(&mut self.function.insts[inst].results, &results);
        for &exit in &self.exits[inst] {
            retain_passed(&mut self.function.insts[exit], &results);
        }
        if let (Some(body), Some(params)) = (body, params) {
            changed |= retain(&mut self.function.regions[body].params, &params);
            if let InstKind::Loop { initial, .. } = &mut self.function.insts[inst].kind {
                retain(initial, &params);
            }
            for &inst in &self.continues[inst] {
                retain_passed(&mut self.function.insts[inst], &params);
            }
        }
        self.changed |= changed;
    }
}

fn retain_passed(def: &mut InstDef, keep: &[bool]) {
    if let Some(values) = def.kind.passed_mut() {
        retain(values, keep);
    }
}

/// Keeps the values that are marked; says whether one was not.
fn retain(values: &mut Vec<Value>, keep: &[bool]) -> bool {
    let before = values.len();
    let mut keep = keep.iter();
    values.retain(|_| keep.next().copied().unwrap_or(true));
    values.len() != before
}
