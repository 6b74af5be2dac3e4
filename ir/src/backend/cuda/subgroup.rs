//! Subgroups: warps, whose threads are consecutive local indices as our lanes are.
//!
//! Expansion leaves shuffles and ballots of scalars. The last warp of a block may have
//! fewer lanes than others; the mask names those that there are.

use super::body::{Body, local_index};
use super::code::c_type;
use crate::ir::Value;
use crate::ops::{SUBGROUP_SIZE, SubgroupOp};
use crate::types::Scalar;

impl Body<'_> {
    /// The invocations of a workgroup.
    pub(super) fn invocations(&self) -> u32 {
        self.function.invocations() as u32
    }

    /// The number of lanes of the subgroup that the invocation is in.
    fn lanes_there(&self) -> String {
        let (invocations, [x, y, _]) = (self.invocations(), self.function.workgroup_size());
        match (invocations % SUBGROUP_SIZE, invocations < SUBGROUP_SIZE) {
            (0, _) => format!("{SUBGROUP_SIZE}u"),
            (rest, true) => format!("{rest}u"),
            (rest, false) => {
                let whole = invocations - rest;
                format!("(({}) < {whole}u ? {SUBGROUP_SIZE}u : {rest}u)", local_index(x, y))
            }
        }
    }

    /// The result of a subgroup op.
    pub(super) fn subgroup(&mut self, op: SubgroupOp, args: &[Value]) -> String {
        let Some((&value, rest)) = args.split_first() else { return "false".to_owned() };
        let there = self.lanes_there();
        let text = self.scalar(value);
        if op == SubgroupOp::Ballot {
            let ballot = self.code.function("sb_ballot".to_owned(), "sb_u32", "bool value, sb_u32 lanes", |_| {
                "return __ballot_sync(0xffffffffu >> (32u - lanes), value);".to_owned()
            });
            return format!("{ballot}({text}, {there})");
        }
        let from = rest.first().map_or("0u".to_owned(), |&from| self.scalar(from));
        let lane = self.function.ty(value).lane().unwrap_or(Scalar::U32);
        let (name, ty) = match c_type(lane) {
            "sb_u64" => ("sb_shuffle_u64", "sb_u64"),
            _ => ("sb_shuffle_u32", "sb_u32"),
        };
        let params = format!("{ty} value, sb_u32 from, sb_u32 lanes");
        let shuffle = self.code.function(name.to_owned(), ty, &params, |_| {
            format!(
                "const {ty} found = __shfl_sync(0xffffffffu >> (32u - lanes), value, from < lanes ? (int)from : 0);\n\
                 return from < lanes ? found : 0u;"
            )
        });
        let call = format!("{shuffle}({text}, {from}, {there})");
        if lane == Scalar::Bool { format!("{call} != 0u") } else { call }
    }
}
