//! Loops that only some subgroups go through, or in other numbers of rounds than others.
//!
//! All invocations go through each round. A loop whose rounds all can count stays as it is, and asks once whether
//! anybody is there, unless its rounds follow from constants. Any other ends when nobody comes round again: each round
//! begins with a vote.

use super::{Mask, Taken, Who, Writer};
use crate::ir::{Access, Index, Inst, InstKind, Memory, Place, Region, Root, Value, Var};
use crate::ops::{Builtin, Op, SUBGROUP_SIZE, SubgroupOp};
use crate::types::Type;

impl Writer<'_> {
    pub(super) fn repeat(
        &mut self,
        inst: Inst,
        (body, initial, label): (Region, Vec<Value>, Option<Box<str>>),
        results: &[Var],
        mask: &mut Mask,
    ) {
        let params = self.function.regions[body].params.clone();
        let is_fixed = self.common.is_fixed(self.function, &self.plan, inst);
        let counted = !self.plan.is_left[inst] && self.common.counts(self.function, &self.plan, inst);
        let mut taken = Taken { params: Vec::new(), results: results.to_vec(), flags: None };
        let (mut own, mut first) = (Vec::new(), Vec::new());
        for (&param, &value) in params.iter().zip(&initial) {
            if counted && self.common.is_same(param) {
                own.push(param);
                first.push(value);
                taken.params.push(None);
            } else {
                let var = self.variable(self.function.ty(param));
                self.set(var, value);
                taken.params.push(Some(var));
            }
        }
        let params: Vec<(Value, Var)> =
            params.into_iter().zip(&taken.params).filter_map(|(param, var)| Some((param, (*var)?))).collect();
        self.function.insts[inst].results.clear();
        self.function.regions[body].params = own;
        if counted {
            self.loops.insert(inst, taken);
            let mut round = *mask;
            let insts = self.apart(|writer| {
                for (param, var) in params {
                    writer.define(param, var);
                }
                writer.masked(body, &mut round, &[]);
            });
            let end = self.region_of(insts, InstKind::Unreachable);
            self.function.regions[body].insts = std::mem::take(&mut self.function.regions[end].insts);
            self.function.insts[inst].kind = InstKind::Loop { body, initial: first, label };
            if is_fixed || mask.who == Who::All {
                self.out.push(inst);
            } else {
                // Where nobody is, the rounds may have no end.
                let anybody = self.vote(mask.var);
                self.branch(anybody, vec![inst], Vec::new());
            }
            return;
        }
        let (here, again, left) = (self.variable(Type::BOOL), self.variable(Type::BOOL), self.variable(Type::BOOL));
        taken.flags = Some((again, left));
        self.loops.insert(inst, taken);
        let entered = self.get(mask.var);
        let no = self.truth(false);
        self.set(here, entered);
        self.set(left, no);
        let insts = self.apart(|writer| {
            let anybody = writer.vote(here);
            let leave = writer.function.inst(InstKind::Break(inst, Vec::new()), Vec::new(), writer.loc);
            writer.branch(anybody, Vec::new(), vec![leave]);
            writer.set(again, no);
            let round = writer.get(here);
            let mut round = writer.mask(round);
            for (param, var) in params {
                writer.define(param, var);
            }
            writer.masked(body, &mut round, &[]);
            let next = writer.get(again);
            writer.set(here, next);
            writer.push(InstKind::Continue(inst, Vec::new()));
        });
        self.function.regions[body].insts = insts;
        self.function.insts[inst].kind = InstKind::Loop { body, initial: first, label };
        self.out.push(inst);
        if self.plan.is_left[inst] {
            let left = self.get(left);
            self.set(mask.var, left);
            mask.who = Who::Some;
        }
    }

    /// Whether a variable is true in any invocation of the workgroup.
    pub(super) fn vote(&mut self, var: Var) -> Value {
        let own = self.get(var);
        let any = self.value(InstKind::Subgroup(SubgroupOp::Any, vec![own]), Type::BOOL);
        let subgroups = self.function.invocations().div_ceil(SUBGROUP_SIZE.into()).min(u32::MAX.into()) as u32;
        let root = self.votes(subgroups);
        let place = |index: Value| {
            let index = Index { value: index, stride: 4, bound: Some(subgroups) };
            Place { root, offset: 0, indices: vec![index] }
        };
        let (zero, one) = (self.word(0), self.word(1));
        let vote = self.value(InstKind::Op(Op::Select, vec![any, one, zero]), Type::U32);
        let lane = self.value(InstKind::Builtin(Builtin::SubgroupLane), Type::U32);
        let is_first = self.op(Op::Eq, &[lane, zero]);
        let store = self.apart(|writer| {
            let id = writer.value(InstKind::Builtin(Builtin::SubgroupId), Type::U32);
            writer.push(InstKind::Store(place(id), vote));
        });
        self.branch(is_first, store, Vec::new());
        self.push(InstKind::Barrier);
        let mut all = zero;
        for subgroup in 0..subgroups {
            let subgroup = self.word(subgroup);
            let vote = self.value(InstKind::Load(place(subgroup)), Type::U32);
            all = self.value(InstKind::Op(Op::Or, vec![all, vote]), Type::U32);
        }
        self.push(InstKind::Barrier);
        self.op(Op::Ne, &[all, zero])
    }

    /// The memory for votes, a word for each subgroup.
    fn votes(&mut self, subgroups: u32) -> Root {
        *self.votes.get_or_insert_with(|| {
            let ty = self.types.array(Type::U32, subgroups);
            let loc = self.function.loc;
            self.function.shared.push(Memory { name: "votes".to_owned(), ty, access: Access::ReadWrite, loc });
            Root::Shared(self.function.shared.len() as u32 - 1)
        })
    }
}
