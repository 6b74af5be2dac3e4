//! The checks, and the proof that they were made.
//!
//! [`check`] alone makes a [`Checked`]. Passes take one and give one; the interpreter and
//! the back ends take a reference to one and cannot fail on it.
//!
//! The order: `shape` proves that everything may be indexed and walked, and is fatal;
//! `types`, `memory` and `limits` report all that they find; then variables become
//! values and calls the bodies of their callees; then `uniform` judges the barriers. A [`Checked`] therefore has these
//! invariants:
//!
//! - every id in its arenas is in range, and what no region holds is empty;
//! - regions nest at most [`MAX_NESTING`](crate::ir::MAX_NESTING) deep, each ends in its
//!   only terminator, and every value is defined before its uses and around them;
//! - every value is a scalar or a vector, and every operand has the type that its
//!   instruction needs;
//! - there are no variables;
//! - no function calls itself or a kernel, and arguments fit parameters;
//! - every barrier and every subgroup operation is reached by all invocations of a
//!   workgroup or by none; in the functions of [`Checked::function`] `predicate` saw to it where
//!   the source had an operation that only some subgroups reach.

mod calls;
mod limits;
mod memory;
mod predicate;
mod races;
mod shape;
mod types;
mod uniform;

#[cfg(any(feature = "naga", feature = "spirv"))]
pub(crate) use limits::exchange_words;
pub use limits::{MAX_PRIVATE_BYTES, needs};
pub(crate) use limits::{fits_private, fits_tables};
pub use memory::computed_indices;
pub use races::{orders, races};
#[cfg(feature = "mistakes")]
pub use uniform::Mistake;
#[cfg(not(feature = "mistakes"))]
use uniform::Mistake;

use crate::arena::Side;
use crate::caps::Capabilities;
use crate::diag::{Code, Diag, Diags};
use crate::flags::Flags;
use crate::inline::{self, Flat};
use crate::ir::{Function, Inst, InstDef, InstKind, Module, Region, RegionDef, ValueDef};
use crate::limits::Limits;
use crate::ssa;
use uniform::Parted;

/// A module that passed every check, in SSA form (no [`Var`](crate::ir::Var) is left),
/// with what the checks found out.
#[derive(Clone, Debug)]
pub struct Checked {
    module: Module,
    /// The functions that call others, with those calls replaced.
    flats: Vec<Option<Flat>>,
    findings: Vec<Findings>,
}

/// What the checks found out about a function.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Whether a value is the same in all invocations of a workgroup that compute it. Of
    /// a device function that others call nothing is said, since it depends on the call.
    pub uniform: Side<ValueDef, bool>,
    /// How much it needs of what devices have different amounts of; workgroup memory
    /// includes what subgroup operations may need.
    pub needs: Limits,
    /// What it needs that not every device has by nature.
    pub capabilities: Capabilities,
}

impl Checked {
    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The module with every call replaced, for a pass that changes it and then checks it
    /// again.
    pub(crate) fn into_flat_module(self) -> Module {
        let Self { mut module, flats, .. } = self;
        for (function, flat) in module.functions.iter_mut().zip(flats) {
            if let Some(flat) = flat {
                *function = flat.function;
            }
        }
        module
    }

    /// A function as it runs and what was found out about it, by its position in the module: every call is
    /// replaced by the callee's body, as [`inline`] tells.
    pub fn function(&self, index: usize) -> Option<(&Function, &Findings)> {
        let flat = self.flats.get(index)?.as_ref().map(|flat| &flat.function);
        Some((flat.or(self.module.functions.get(index))?, self.findings.get(index)?))
    }
}

/// Who made a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// A person. What can only be a mistake is one.
    Source,
    /// Passes. Folding may find that an access is out of bounds, which has a meaning.
    Passes,
}

/// Checks a module.
///
/// ```
/// use samebits_ir::{builder::Builder, check::check, types::{Type, Types}};
/// let mut b = Builder::new("nothing", [64, 1, 1]);
/// b.ret();
/// let checked = check(b.into_module(Types::default())).unwrap();
/// assert!(checked.function(0).is_some());
/// ```
pub fn check(module: Module) -> Result<Checked, Diags> {
    run(module, Origin::Source, None)
}

/// Checks a module as [`check`] does, but for one mistake in the judgement of barriers. What
/// it gives proves nothing about barriers; it is for tests that show that the mistake would
/// be noticed.
#[cfg(feature = "mistakes")]
pub fn check_mistaken(module: Module, mistake: Mistake) -> Result<Checked, Diags> {
    run(module, Origin::Source, Some(mistake))
}

/// Checks a module that passes have been over, such as a stored image. It differs from
/// [`check`] in one thing: a constant index out of bounds is no mistake, because passes
/// may make one out of a variable index on a path that is never taken.
pub fn check_image(module: Module) -> Result<Checked, Diags> {
    run(module, Origin::Passes, None)
}

fn run(mut module: Module, origin: Origin, mistake: Option<Mistake>) -> Result<Checked, Diags> {
    let mut diags = Diags::new();
    shape::check(&module, &mut diags);
    diags.gate()?;
    limits::names(&module, &mut diags);
    calls::graph(&module, &mut diags);
    for function in &module.functions {
        let placed = placed(function);
        types::check(&module.types, function, &placed, &mut diags);
        memory::check(&module.types, function, &placed, origin, &mut diags);
        calls::check(&module, function, &placed, &mut diags);
        limits::check(&module.types, function, origin, &mut diags);
        if diags.is_empty() {
            types::all_known(function, &placed, &mut diags);
        }
    }
    diags.gate()?;
    for function in &mut module.functions {
        scrub(function);
        if let Err(diag) = ssa::construct(function) {
            diags.push(diag);
        }
    }
    diags.gate()?;
    let mut flats = inline::flatten(&module, &mut diags);
    let alone = origin == Origin::Source;
    let judged = uniform::module(&module, &flats, alone, mistake, &mut diags);
    diags.gate()?;
    let mut uniform = Vec::with_capacity(judged.len());
    for (i, judged) in judged.into_iter().enumerate() {
        uniform.push(match judged.parted {
            Some(parted) => gathered(&mut module, &mut flats[i], i, (&parted, &judged.uniform), mistake, &mut diags),
            None => judged.uniform,
        });
        if let Some(flat) = &flats[i] {
            limits::flat(&module.types, &flat.function, origin, &mut diags);
        }
    }
    diags.gate()?;
    let mut uniform = uniform.into_iter();
    let flat = |i: usize| flats[i].as_ref().map_or(&module.functions[i], |flat| &flat.function);
    let findings = (0..module.functions.len()).map(|i| Findings {
        uniform: uniform.next().unwrap_or(Side::new(false)),
        needs: needs(&module.types, flat(i)),
        capabilities: limits::capabilities(&module.types, flat(i)),
    });
    let findings = findings.collect();
    Ok(Checked { module, flats, findings })
}

/// Takes the subgroup operations of a kernel out of what only some subgroups come to, and gives the values that
/// are the same for the workgroup then.
fn gathered(
    module: &mut Module,
    flat: &mut Option<Flat>,
    index: usize,
    (parted, uniform): (&Parted, &Side<ValueDef, bool>),
    mistake: Option<Mistake>,
    diags: &mut Diags,
) -> Side<ValueDef, bool> {
    let Module { types, functions } = &mut *module;
    let flat = flat.get_or_insert_with(|| Flat::new(&functions[index]));
    predicate::predicate(types, &mut flat.function, parted, uniform);
    scrub(&mut flat.function);
    if let Err(diag) = ssa::construct(&mut flat.function) {
        diags.push(diag);
        return Side::new(false);
    }
    limits::nesting(&flat.function, diags);
    let judged = uniform::predicated(module, flat, mistake);
    for &operation in judged.parted.iter().flat_map(|parted| &parted.operations) {
        let loc = flat.function.insts[operation].loc;
        let message = "it is too complicated to prove that a subgroup comes to this operation as a whole";
        diags.push(Diag::new(Code::V400, loc, message).help("let all invocations of the workgroup do it"));
    }
    judged.uniform
}

/// An instruction that a region holds, with the instruction that owns the region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Placed {
    inst: Inst,
    owner: Option<Inst>,
}

/// The instructions of a function in program order.
fn placed(function: &Function) -> Vec<Placed> {
    fn walk(function: &Function, region: Region, owner: Option<Inst>, out: &mut Vec<Placed>) {
        for &inst in &function.regions[region].insts {
            out.push(Placed { inst, owner });
            for inner in function.insts[inst].kind.regions() {
                walk(function, inner, Some(inst), out);
            }
        }
    }
    let mut out = Vec::new();
    walk(function, function.body, None, &mut out);
    out
}

/// Empties the instructions and regions that are placed nowhere, so that whoever goes
/// through the arenas meets nothing that the checks did not see.
pub(crate) fn scrub(function: &mut Function) {
    let mut inst_placed: Side<InstDef, bool> = Side::new(false);
    let mut region_placed: Side<RegionDef, bool> = Side::new(false);
    region_placed[function.body] = true;
    for Placed { inst, .. } in placed(function) {
        inst_placed[inst] = true;
        for region in function.insts[inst].kind.regions() {
            region_placed[region] = true;
        }
    }
    for inst in function.insts.ids() {
        if !inst_placed[inst] {
            let def = &mut function.insts[inst];
            def.kind = InstKind::Unreachable;
            def.results.clear();
            if !function.flags[inst].is_empty() {
                function.flags[inst] = Flags::NONE;
            }
            if function.unroll[inst].is_some() {
                function.unroll[inst] = None;
            }
        }
    }
    for region in function.regions.ids() {
        if !region_placed[region] {
            function.regions[region] = RegionDef::default();
        }
    }
}

/// The report of a function's structure being wrong.
fn malformed(function: &Function, loc: crate::loc::Loc, what: impl std::fmt::Display) -> Diag {
    Diag::new(Code::V702, loc, format!("malformed function `{}`: {what}", function.name))
}

#[cfg(test)]
mod tests;
