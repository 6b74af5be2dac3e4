//! Folding: what is known is not computed at run time.
//!
//! Ops on constants become constants, by [`Op::eval`](crate::ops::Op::eval) only; laws of ops
//! are for other passes. A branch on a constant becomes the region that it takes. Results and
//! loop parameters that can only be one value become that value.
//!
//! One walk in order of execution visits a definition before its uses, except for the operands
//! of `continue`. So replaced values are looked up when operands are met.

use crate::arena::Sparse;
use crate::ir::{Function, Inst, InstDef, InstKind, Region, Replaced, Value};
use crate::types::Type;

/// Folds a function in SSA form; says whether anything changed.
pub fn fold(function: &mut Function) -> bool {
    let mut folder = Folder { continues: Sparse::new(Vec::new()), replaced: Replaced::new(), changed: false, function };
    let body = folder.function.body;
    folder.find(body);
    folder.region(body);
    folder.changed
}

struct Folder<'a> {
    function: &'a mut Function,
    /// The `continue`s of each loop.
    continues: Sparse<InstDef, Vec<Inst>>,
    /// What is used instead of a value.
    replaced: Replaced,
    changed: bool,
}

impl Folder<'_> {
    /// Finds the `continue`s. The checks limit how deep regions are nested.
    fn find(&mut self, region: Region) {
        for inst in self.function.region_insts(region) {
            let def = &self.function.insts[inst];
            if let InstKind::Continue(target, _) = def.kind {
                self.continues[target].push(inst);
            }
            for inner in def.kind.regions() {
                self.find(inner);
            }
        }
    }

    fn region(&mut self, region: Region) {
        let mut kept = Vec::new();
        self.list(region, &mut kept);
        self.function.regions[region].insts = kept;
    }

    /// Appends what is left of a region's instructions, terminator included.
    fn list(&mut self, region: Region, kept: &mut Vec<Inst>) {
        for inst in self.function.region_insts(region) {
            self.changed |= self.replaced.follow(&mut self.function.insts[inst].kind);
            if let Some(taken) = self.taken_region(inst) {
                self.changed = true;
                self.list(taken, kept);
                let Some(&last) = kept.last() else { continue };
                let InstKind::Yield(values) = &self.function.insts[last].kind else { return };
                let values = values.clone();
                kept.pop();
                self.replaced.set_all(&self.function.insts[inst].results, &values);
                continue;
            }
            self.forward_loop_params(inst);
            for inner in self.function.insts[inst].kind.regions() {
                self.region(inner);
            }
            self.forward_results(inst);
            match self.op_value(inst) {
                Some((result, value)) => {
                    self.replaced.set(result, value);
                    self.changed = true;
                }
                None => kept.push(inst),
            }
        }
    }

    /// The region that an `if` or `switch` on a constant takes.
    fn taken_region(&self, inst: Inst) -> Option<Region> {
        match &self.function.insts[inst].kind {
            InstKind::If { condition, then, otherwise } => {
                let bits = self.function.constant_bits(*condition)?;
                Some(if bits != 0 { *then } else { *otherwise })
            }
            InstKind::Switch { selector, cases, default } => {
                let bits = self.function.constant_bits(*selector)?;
                let case = cases.iter().find(|case| case.values.contains(&bits));
                Some(case.map_or(*default, |case| case.region))
            }
            _ => None,
        }
    }

    /// A parameter of a loop that every `continue` passes on as it is, or sets to its
    /// initial value, is that value.
    fn forward_loop_params(&mut self, inst: Inst) {
        let function = &*self.function;
        let InstKind::Loop { body, initial, .. } = &function.insts[inst].kind else { return };
        for (i, (&param, &first)) in function.regions[*body].params.iter().zip(initial).enumerate() {
            let passed = |&inst: &Inst| function.insts[inst].kind.passed().get(i);
            let unchanged = |inst: &Inst| passed(inst).is_some_and(|&v| v == param || v == first);
            if self.continues[inst].iter().all(unchanged) {
                self.replaced.set(param, first);
            }
        }
    }

    /// A result that is the same value whichever region yields it is that value. Where
    /// two regions yield it, it is from outside of both; a constant always is.
    fn forward_results(&mut self, inst: Inst) {
        let function = &*self.function;
        let def = &function.insts[inst];
        if !matches!(def.kind, InstKind::If { .. } | InstKind::Switch { .. }) {
            return;
        }
        let yields: Vec<&[Value]> = def.kind.regions().filter_map(|region| function.yielded(region)).collect();
        for (i, &result) in def.results.iter().enumerate() {
            let Some(&value) = yields.first().and_then(|values| values.get(i)) else { return };
            let visible = yields.len() > 1 || function.constant_bits(value).is_some();
            if visible && yields.iter().all(|values| values.get(i) == Some(&value)) {
                self.replaced.set(result, value);
            }
        }
    }

    /// The result of an op on constants, and its value.
    fn op_value(&mut self, inst: Inst) -> Option<(Value, Value)> {
        let def = &self.function.insts[inst];
        let (InstKind::Op(op, args), &[result]) = (&def.kind, def.results.as_slice()) else { return None };
        let Type::Scalar(scalar) = self.function.ty(result) else { return None };
        let known = |arg| self.function.constant_bits(arg);
        let bits = self.function.evaluated(*op, args, scalar.into(), known)?;
        Some((result, self.function.constant(scalar, bits)))
    }
}
