//! All functions in block form become functions of the module.

use super::access::{self, Uses};
use super::ast::{Arg, Func, Global, Initial, Kind, Operand, Space, Ty};
use super::emit::{self, Input};
use super::flow::Flow;
use super::infer::{Typed, infer};
use super::pointer::{Pointers, resolve};
use super::{Callee, Globals, Read, ssa};
use crate::diag::{Code, Diag, Diags};
use crate::ir::ParamKind;
use crate::loc::Loc;
use crate::text::parse::Parser;
use crate::types::{Scalar, Type, Types};
use std::collections::{BTreeMap, HashMap};

/// What was found out about a function.
struct Judged {
    read: Read,
    flow: Flow,
    typed: Typed,
    pointers: Pointers,
}

impl Parser<'_> {
    /// Keeps a function until the text is read, and its place in the module.
    pub(super) fn keep_block_function(&mut self, func: Func, well: bool) {
        let index = self.module.functions.len();
        let mut builder = func.builder();
        builder.at(func.loc);
        self.module.functions.push(builder.finish());
        self.blocks.funcs.push(Read { func, well, index });
    }

    /// Makes functions of what was read in block form.
    pub(in crate::text) fn lower_blocks(&mut self) {
        let source = std::mem::take(&mut self.blocks);
        if source.slots.is_empty() && source.funcs.is_empty() {
            return;
        }
        for slot in source.slots.iter().filter(|slot| slot.global.is_none() && !slot.failed) {
            let is_function = self.functions.contains_key(&slot.name);
            let diag = if is_function {
                Diag::new(Code::V006, slot.loc, format!("function `@{}` is not a value", slot.name))
                    .help(format!("call it: `call @{}(…)`", slot.name))
            } else {
                Diag::new(Code::V006, slot.loc, format!("cannot find global `@{}`", slot.name))
            };
            self.diags.push(diag);
        }
        let list: Vec<Option<Global>> = source.slots.into_iter().map(|slot| slot.global).collect();
        overlaps(&list, &self.types, &mut self.diags);
        let globals = Globals { arena: arena(&list, &self.types), list };
        let mut callees = HashMap::new();
        for Read { func, index, .. } in &source.funcs {
            let params = func.params.iter().map(|param| param.1).collect();
            callees.insert(func.name.clone(), Callee { index: *index, params, ret: func.ret });
        }
        for (name, (index, function)) in &self.signatures {
            let ty = |kind| match kind {
                ParamKind::Scalar(ty) => Ty::Value(ty),
                ParamKind::Buffer { element, .. } => Ty::Pointer(Space::Generic, element),
            };
            callees.entry(name.clone()).or_insert_with(|| Callee {
                index: *index as usize,
                params: function.params.iter().map(|param| ty(param.kind)).collect(),
                ret: function.results.first().copied(),
            });
        }
        let mut judged = Vec::new();
        let mut uses = BTreeMap::new();
        for read in source.funcs {
            if relies_on(&read.func, |global| globals.get(global).is_none(), |callee| self.failed.contains(callee)) {
                continue;
            }
            if let Some(read) = judge(read, &globals, &callees, &self.types, &mut self.diags) {
                let own = access::own(&read.read.func, &read.flow, &read.pointers, &globals);
                uses.insert(read.read.func.name.clone(), own);
                judged.push(read);
            }
        }
        if !self.diags.is_empty() {
            return;
        }
        let outside = |name: &str, arg: usize| match self.signatures.get(name)?.1.params.get(arg)?.kind {
            ParamKind::Buffer { access, .. } => Some(access),
            ParamKind::Scalar(_) => None,
        };
        access::close(&mut uses, &outside);
        for Judged { read, flow, typed, pointers } in &judged {
            let own = Uses::default();
            let input = Input {
                func: &read.func,
                flow,
                typed,
                pointers,
                globals: &globals,
                types: &self.types,
                callees: &callees,
                uses: uses.get(&read.func.name).unwrap_or(&own),
                all: &uses,
            };
            if let Some(function) = emit::function(&input, &mut self.diags) {
                self.module.functions[read.index] = function;
            }
        }
    }
}

/// Whether a function names a global or calls a function of a kind. One whose declaration is
/// wrong has no type that could be told from.
fn relies_on(func: &Func, global: impl Fn(usize) -> bool, callee: impl Fn(&str) -> bool) -> bool {
    let is_wrong = |operand: &Operand| matches!(operand.arg, Arg::Global(slot) if global(slot));
    func.blocks.iter().any(|block| {
        let insts = block
            .insts
            .iter()
            .any(|inst| inst.args.iter().any(is_wrong) || matches!(&inst.kind, Kind::Call(name) if callee(name)));
        insts || block.phis.iter().any(|phi| phi.from.iter().any(|(operand, _)| is_wrong(operand)))
    })
}

fn judge(
    read: Read,
    globals: &Globals,
    callees: &HashMap<String, Callee>,
    types: &Types,
    diags: &mut Diags,
) -> Option<Judged> {
    if !read.well {
        return None;
    }
    let before = diags.count();
    let func = &read.func;
    for &(val, ty, loc) in func.params.iter().filter(|_| func.kernel.is_some()) {
        let name = &func.values[val].name;
        if let Ty::Pointer(space @ (Space::Generic | Space::Shared | Space::Local), _) = ty {
            let message = format!("kernel parameter `%{name}` is a pointer to `{}` memory", space.name());
            diags.push(Diag::new(Code::V102, loc, message).help("a launch passes `global` and `const` memory only"));
        }
    }
    let flow = ssa::flow(func);
    ssa::check(func, &flow, diags);
    if diags.count() > before {
        return None;
    }
    let callee = |name: &str| callees.get(name).cloned();
    let typed = infer(func, &flow, globals, &callee, types, diags)?;
    let pointers = resolve(func, &flow, &typed, globals, diags)?;
    Some(Judged { flow, typed, pointers, read })
}

/// Globals at one address share it; other overlaps are mistakes.
fn overlaps(list: &[Option<Global>], types: &Types, diags: &mut Diags) {
    let mut placed: Vec<(u32, u32, &str, Loc)> = Vec::new();
    for global in list.iter().flatten() {
        if let Initial::Address(at) = global.initial {
            let size = types.layout(global.pointee).map_or(1, |layout| layout.size.max(1));
            placed.push((at, size, &global.name, global.loc));
        }
    }
    placed.sort_unstable();
    // The one that reaches farthest of those before.
    let mut farthest: Option<(u64, &str, Loc, u32)> = None;
    for (at, size, name, loc) in placed {
        if let Some((end, other, other_loc, start)) = farthest
            && u64::from(at) < end
            && at != start
        {
            let message = format!("global `@{name}` begins inside `@{other}`");
            diags.push(Diag::new(Code::V302, loc, message).label(other_loc, "the other one is here"));
        }
        let end = u64::from(at) + u64::from(size);
        if farthest.is_none_or(|(other, ..)| end > other) {
            farthest = Some((end, name, loc, at));
        }
    }
}

/// The element of the arena: the type of what is placed in it, if that is the same for
/// all; else the unsigned integer of their size, or words.
fn arena(list: &[Option<Global>], types: &Types) -> Type {
    let placed = list.iter().flatten().filter(|global| matches!(global.initial, Initial::Address(_)));
    let elements: Vec<Type> = placed.map(|global| types.innermost(global.pointee)).collect();
    let Some(&first) = elements.first() else { return Type::U32 };
    if elements.iter().all(|&element| element == first) && first.is_value() {
        return first;
    }
    let size = |ty: Type| types.layout(ty).map(|layout| layout.size);
    let unsigned = [Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64].into_iter().map(Type::Scalar);
    let same = elements.iter().all(|&element| size(element) == size(first));
    unsigned.clone().find(|&ty| same && size(ty) == size(first)).unwrap_or(Type::U32)
}
