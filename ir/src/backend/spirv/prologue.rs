//! What stands before a kernel's own code: the words of the launch, and the ids.

use super::code::Code;
use super::module::{Id, Reg};
use crate::ir::{Function, InstKind};
use crate::launch::LaunchBlock;
use crate::ops::Builtin;
use spirv::{BuiltIn, Decoration, Op, StorageClass};

/// What the prologue found out about the invocation's place.
#[derive(Clone)]
pub(super) struct Ids {
    /// Global id, local id, logical workgroup id and logical number of workgroups.
    pub axes: [[Id; 3]; 4],
    /// The index in the workgroup.
    pub local_index: Id,
    /// A word that is zero, which no compiler can know.
    pub zero: Id,
}

/// Declares a block of words and binds it, unless it is immediate data.
pub(super) fn launch_words(code: &mut Code, words: u32, binding: Option<u32>) -> Vec<Id> {
    let word = code.module.reg(Reg::U32);
    let members: Vec<(Id, u32)> = (0..words).map(|i| (word, 4 * i)).collect();
    let ty = code.module.block(&members, binding);
    let class = if binding.is_some() { StorageClass::Uniform } else { StorageClass::PushConstant };
    let variable = code.module.variable(class, ty, None);
    if let Some(binding) = binding {
        bind(code, variable, binding);
    }
    (0..words)
        .map(|i| {
            let member = code.word(i);
            let pointer = code.access(class, word, variable, &[member]);
            code.load(Reg::U32, pointer)
        })
        .collect()
}

/// Gives a variable its place in the bind group.
pub(super) fn bind(code: &mut Code, variable: Id, binding: u32) {
    code.module.decorate(variable, Decoration::DescriptorSet, &[0]);
    code.module.decorate(variable, Decoration::Binding, &[binding]);
}

/// Whether a kernel asks for its place on x alone.
fn is_line(function: &Function) -> bool {
    let other = |builtin| {
        matches!(builtin, Builtin::GlobalIdY | Builtin::GlobalIdZ | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ)
    };
    !function.insts.iter().any(|(_, inst)| matches!(inst.kind, InstKind::Builtin(builtin) if other(builtin)))
}

/// Finds the logical ids; workgroups beyond the launch end here. If so many workgroups are done at once, ids on x count
/// these as one.
pub(super) fn prologue(code: &mut Code, function: &Function, words: &[Id], at_once: u32) -> Ids {
    let size = function.workgroup_size();
    let (group, mut local) = (axes(code, BuiltIn::WorkgroupId), axes(code, BuiltIn::LocalInvocationId));
    let local_index = {
        let word = code.module.reg(Reg::U32);
        let variable = built_in(code, BuiltIn::LocalInvocationIndex, word);
        code.load(Reg::U32, variable)
    };
    let zero = code.word(0);
    local.iter_mut().zip(size).filter(|(_, size)| *size == 1).for_each(|(local, _)| *local = zero);
    let word = |i: u32| words.get(i as usize).copied().unwrap_or(zero);
    let (groups, fold) = (LaunchBlock::GROUPS.map(word), LaunchBlock::FOLD.map(word));

    // A launch has at least one group on every axis.
    let (one, count) = (code.word(1), groups[0]);
    let at_least_one = code.extreme(true, false, count, one);
    let hidden = code.binary(Op::ISub, at_least_one, count);
    let is_line = is_line(function);
    let variables = group.map(|value| {
        let variable = code.local(Reg::U32);
        code.store(variable, value);
        variable
    });
    if is_line {
        // Where the grid is not folded, a row counts as nothing.
        let row = code.binary(Op::IMul, fold[0], group[1]);
        let linear = code.binary(Op::IAdd, group[0], row);
        code.store(variables[0], linear);
    }
    let folded = code.truth(if is_line { fold[1] } else { fold[0] });
    code.when(folded, |code| {
        let counted = [counted(code, groups[0], at_once), groups[1], groups[2]];
        let depth = code.binary(Op::IMul, fold[1], group[2]);
        let row = code.binary(Op::IAdd, group[1], depth);
        let row = code.binary(Op::IMul, fold[0], row);
        let linear = code.binary(Op::IAdd, group[0], row);
        let plane = code.binary(Op::IMul, counted[0], counted[1]);
        let total = code.binary(Op::IMul, plane, counted[2]);
        let beyond = code.binary(Op::UGreaterThanEqual, linear, total);
        code.when(beyond, |code| code.return_(None));
        for (variable, value) in variables.into_iter().zip([linear, zero, zero]) {
            code.store(variable, value);
        }
        // Divisions are slow, and most folded grids have one axis.
        let others = code.binary(Op::BitwiseOr, counted[1], counted[2]);
        let is_more = code.binary(Op::INotEqual, others, one);
        code.when(is_more, |code| {
            let mut rest = linear;
            for axis in 0..2 {
                let empty = code.binary(Op::IEqual, counted[axis], zero);
                let extent = code.select(empty, one, counted[axis]);
                let next = code.binary(Op::UDiv, rest, extent);
                let taken = code.binary(Op::IMul, next, extent);
                let index = code.binary(Op::ISub, rest, taken);
                code.store(variables[axis], index);
                rest = next;
            }
            code.store(variables[2], rest);
        });
    });
    let group = variables.map(|variable| code.load(Reg::U32, variable));
    let global = [0, 1, 2].map(|axis| {
        let size = code.word(size[axis]);
        let first = code.binary(Op::IMul, group[axis], size);
        code.binary(Op::IAdd, first, local[axis])
    });
    Ids { axes: [global, local, group, groups], local_index, zero: hidden }
}

/// How many times so many workgroups there are, the last time perhaps fewer. There is at least one.
fn counted(code: &mut Code, groups: Id, at_once: u32) -> Id {
    if at_once == 1 {
        return groups;
    }
    let (one, at_once) = (code.word(1), code.word(at_once));
    let last = code.binary(Op::ISub, groups, one);
    let last = code.binary(Op::UDiv, last, at_once);
    code.binary(Op::IAdd, last, one)
}

/// A built-in variable of three words.
fn axes(code: &mut Code, which: BuiltIn) -> [Id; 3] {
    let ty = code.module.vector(Reg::U32, 3);
    let variable = built_in(code, which, ty);
    let vector = code.load_of(ty, variable);
    [0, 1, 2].map(|axis| code.part(vector, Reg::U32, axis))
}

fn built_in(code: &mut Code, which: BuiltIn, ty: Id) -> Id {
    let variable = code.module.variable(StorageClass::Input, ty, None);
    code.module.decorate(variable, Decoration::BuiltIn, &[which as u32]);
    variable
}
