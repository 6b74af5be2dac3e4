//! Calls replaced by the bodies of their callees.
//!
//! The functions must be in SSA form, and none may call itself. Callees are taken first, so a
//! body that replaces a call contains no calls. The callee's `return` becomes the result of the
//! call: if the only `return` is the last instruction, the body simply replaces the call.
//! Otherwise the call becomes a loop that runs once, and every `return` a `break` out of it. A
//! place in a view becomes a place in the caller's memory, by joining offsets and indices; so a
//! view that begins out of bounds stays out of bounds. Workgroup memory that a callee declares
//! becomes memory of the caller, another one for each call: some invocations may still be in one
//! call while others begin the next.
//!
//! The caller's values and instructions keep their ids. What comes from a callee keeps its
//! location, and [`Flat`] says through which calls it came.
//!
//! The results have at most [`MAX_INLINED`] instructions in all.

mod splice;
#[cfg(test)]
mod tests;

use crate::arena::Side;
use crate::diag::{Code, Diag, Diags};
use crate::ir::{Function, Inst, InstDef, InstKind, MAX_INSTS, Module};
use crate::loc::Loc;

/// How many instructions the functions of a module that call others may have together,
/// callees included.
pub const MAX_INLINED: usize = 1_000_000;

/// How many indices a place may have once the places of views are joined.
pub const MAX_INDICES: usize = 64;

/// A function without calls, made of one with calls.
#[derive(Clone, Debug)]
pub struct Flat {
    /// The function.
    pub function: Function,
    /// The calls that instructions came through.
    pub sites: Vec<Site>,
    /// Where an instruction that is not the function's own comes from.
    pub origins: Side<InstDef, Option<Origin>>,
    /// Whose private memory each one is: the index of a function and of its memory.
    private_of: Vec<(usize, usize)>,
    /// The loops that were calls.
    pub calls: Side<InstDef, bool>,
}

/// A call that was replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// The callee's index in the module.
    pub callee: usize,
    /// Where the call is.
    pub loc: Loc,
    /// The call that brought this one; an earlier site.
    pub outer: Option<usize>,
}

/// Where an instruction comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The index of the function in the module.
    pub function: usize,
    /// The instruction there.
    pub inst: Inst,
    /// The innermost call that brought it, in [`Flat::sites`].
    pub site: usize,
}

impl Flat {
    /// A function that makes no calls.
    pub(crate) fn new(function: &Function) -> Self {
        Self {
            function: function.clone(),
            sites: Vec::new(),
            origins: Side::new(None),
            private_of: Vec::new(),
            calls: Side::new(false),
        }
    }

    /// The sites that an instruction came through, innermost first.
    pub fn chain(&self, inst: Inst) -> Vec<Site> {
        let mut chain = Vec::new();
        let mut next = self.origins[inst].map(|origin| origin.site);
        while let Some(site) = next.and_then(|site| self.sites.get(site)) {
            chain.push(*site);
            next = site.outer;
        }
        chain
    }
}

/// The calls that the body of a function makes, in program order of what is placed.
pub(crate) fn calls(function: &Function) -> Vec<(Inst, usize)> {
    let mut found = Vec::new();
    let mut todo = vec![function.body];
    while let Some(region) = todo.pop() {
        for &inst in &function.regions[region].insts {
            let kind = &function.insts[inst].kind;
            if let InstKind::Call { function, .. } = kind {
                found.push((inst, *function as usize));
            }
            todo.extend(kind.regions());
        }
    }
    found.sort_unstable();
    found
}

/// A function whose calls are being followed: the calls that are left, and the one that is
/// followed now.
type Open = (usize, std::vec::IntoIter<(Inst, usize)>, Option<Inst>);

/// The functions, callees first; or the calls of a cycle, each as the caller, the call's
/// instruction and the callee.
pub(crate) fn order(module: &Module) -> Result<Vec<usize>, Vec<(usize, Inst, usize)>> {
    let count = module.functions.len();
    let (mut done, mut open) = (vec![false; count], vec![false; count]);
    let mut order = Vec::with_capacity(count);
    for start in 0..count {
        let mut stack: Vec<Open> = Vec::new();
        if !done[start] {
            open[start] = true;
            stack.push((start, calls(&module.functions[start]).into_iter(), None));
        }
        while let Some((function, left, followed)) = stack.last_mut() {
            let caller = *function;
            let Some((inst, callee)) = left.next() else {
                (open[caller], done[caller]) = (false, true);
                order.push(caller);
                stack.pop();
                continue;
            };
            if callee >= count || done[callee] {
                continue;
            }
            *followed = Some(inst);
            if open[callee] {
                let from = stack.iter().position(|entry| entry.0 == callee).unwrap_or(0);
                let around = &stack[from..];
                let next = |i: usize| around.get(i + 1).map_or(callee, |entry| entry.0);
                let cycle = around.iter().enumerate();
                return Err(cycle.filter_map(|(i, entry)| Some((entry.0, entry.2?, next(i)))).collect());
            }
            open[callee] = true;
            stack.push((callee, calls(&module.functions[callee]).into_iter(), None));
        }
    }
    Ok(order)
}

/// Replaces the calls of every function that has any. A function that becomes too long,
/// too deep or reaches too far is reported, and those that call it are left out.
pub(crate) fn flatten(module: &Module, diags: &mut Diags) -> Vec<Option<Flat>> {
    let mut flats: Vec<Option<Flat>> = vec![None; module.functions.len()];
    let mut failed = vec![false; module.functions.len()];
    let mut left = MAX_INLINED;
    for index in order(module).unwrap_or_default() {
        let function = &module.functions[index];
        let calls = calls(function);
        if calls.is_empty() {
            continue;
        }
        if calls.iter().any(|&(_, callee)| failed[callee]) {
            failed[index] = true;
            continue;
        }
        match splice::flatten(module, &flats, index, &mut left) {
            Ok(flat) => flats[index] = Some(flat),
            Err(diag) => {
                diags.push(diag);
                failed[index] = true;
                if left == 0 {
                    break;
                }
            }
        }
    }
    flats
}

/// The report of a function that is too long once its calls are replaced.
fn too_long(function: &Function, call: Loc, in_all: bool) -> Diag {
    let name = &function.name;
    let message = if in_all {
        format!("with all calls inlined, the functions of this module have more than {MAX_INLINED} instructions")
    } else {
        format!("with all calls inlined, function `{name}` has more than {MAX_INSTS} instructions")
    };
    Diag::new(Code::V019, function.loc, message)
        .label(call, "this call exceeds the limit")
        .help("make fewer calls, or split it into several kernels")
}
