//! Pieces: instructions without an operation, under a mask.
//!
//! A piece runs where its mask is true. What it computes and others use is handed on in variables; inside it has
//! another name, so that uses outside keep theirs. A loop from whose inside jumps lead out of the piece makes the
//! piece a loop that runs once, which those jumps leave.

use super::{Mask, Who, Writer};
use crate::ir::{Function, Inst, InstKind, Region, Value, ValueDef, Var};
use std::collections::BTreeMap;

impl Writer<'_> {
    /// Instructions without an operation, under a mask.
    pub(super) fn piece(&mut self, mut insts: Vec<Inst>, mask: &mut Mask) {
        if insts.is_empty() {
            return;
        }
        let mut jumps = Vec::new();
        self.jumps_out(None, &insts, &mut Vec::new(), &mut jumps);
        if mask.who == Who::All && jumps.is_empty() {
            self.out.extend(insts);
            return;
        }
        let outlives = self.outliving(&mut insts);
        if jumps.is_empty() {
            let here = self.get(mask.var);
            self.branch(here, insts, Vec::new());
        } else {
            self.piece_with_jumps(insts, jumps, mask);
        }
        for (value, var) in outlives {
            self.define(value, var);
        }
    }

    /// A piece that jumps lead out of: a loop that runs once, which they leave.
    fn piece_with_jumps(&mut self, mut insts: Vec<Inst>, jumps: Vec<(Option<Region>, Inst)>, mask: &mut Mask) {
        let piece = self.function.inst(InstKind::Unreachable, Vec::new(), self.loc);
        for (region, jump) in jumps {
            let instead = self.jump(jump, piece, mask.var);
            let list = match region {
                Some(region) => &mut self.function.regions[region].insts,
                None => &mut insts,
            };
            // A jump stands last.
            list.pop();
            list.extend(instead);
        }
        let insts = match mask.who {
            Who::All => insts,
            Who::Some | Who::Nobody => self.apart(|writer| {
                let here = writer.get(mask.var);
                writer.branch(here, insts, Vec::new());
            }),
        };
        let body = self.region_of(insts, InstKind::Break(piece, Vec::new()));
        self.function.insts[piece].kind = InstKind::Loop { body, initial: Vec::new(), label: None };
        self.out.push(piece);
        mask.who = Who::Some;
    }

    /// Lets the values that are used outside of a piece be set to variables within.
    fn outliving(&mut self, insts: &mut Vec<Inst>) -> Vec<(Value, Var)> {
        let mut inside: BTreeMap<Value, u32> = BTreeMap::new();
        self.each(insts, &mut |function, inst| {
            function.insts[inst].kind.for_each_operand(|value| *inside.entry(value).or_default() += 1);
        });
        let (mut outlives, mut renamed) = (Vec::new(), BTreeMap::new());
        for inst in std::mem::take(insts) {
            insts.push(inst);
            let results = self.function.insts[inst].results.clone();
            for (i, value) in results.into_iter().enumerate() {
                if self.uses[value] == inside.get(&value).copied().unwrap_or(0) {
                    continue;
                }
                let (ty, name) = (self.function.ty(value), self.function.values[value].name.clone());
                let own = self.function.values.push(ValueDef { ty, constant: None, name });
                self.function.insts[inst].results[i] = own;
                let var = self.variable(ty);
                insts.push(self.function.inst(InstKind::Set(var, own), Vec::new(), self.loc));
                outlives.push((value, var));
                renamed.insert(value, own);
            }
        }
        if !renamed.is_empty() {
            self.each(insts, &mut |function, inst| {
                function.insts[inst].kind.map_operands(|value| renamed.get(&value).copied().unwrap_or(value));
            });
        }
        outlives
    }

    /// Does something with instructions and all within them.
    fn each(&mut self, insts: &[Inst], with: &mut impl FnMut(&mut Function, Inst)) {
        let mut pending = insts.to_vec();
        while let Some(inst) = pending.pop() {
            with(self.function, inst);
            for region in self.function.insts[inst].kind.regions() {
                pending.extend(&self.function.regions[region].insts);
            }
        }
    }

    /// The jumps that lead out of instructions, each with the region that it ends; these are those of
    /// `region`, or of a piece that is no region yet.
    fn jumps_out(
        &self,
        region: Option<Region>,
        insts: &[Inst],
        open: &mut Vec<Inst>,
        found: &mut Vec<(Option<Region>, Inst)>,
    ) {
        for &inst in insts {
            let kind = &self.function.insts[inst].kind;
            let leaves = match kind {
                InstKind::Break(target, _) | InstKind::Continue(target, _) => !open.contains(target),
                InstKind::Return(_) => true,
                _ => false,
            };
            if leaves {
                found.push((region, inst));
            }
            open.push(inst);
            for inner in kind.regions() {
                self.jumps_out(Some(inner), &self.function.regions[inner].insts, open, found);
            }
            open.pop();
        }
    }

    /// What a jump out of a piece becomes, which is a loop that runs once.
    fn jump(&mut self, jump: Inst, piece: Inst, mask: Var) -> Vec<Inst> {
        let kind = self.function.insts[jump].kind.clone();
        self.loc = self.function.insts[jump].loc;
        let insts = self.apart(|writer| {
            writer.hand_on(&kind);
            let no = writer.truth(false);
            writer.set(mask, no);
        });
        self.function.insts[jump].kind = InstKind::Break(piece, Vec::new());
        insts.into_iter().chain([jump]).collect()
    }
}
