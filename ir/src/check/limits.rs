//! What a launch can have at most (V003, V600–V602), and names that occur twice (V001).
//!
//! The limits are the ones that every device that we run on grants, so that a kernel
//! that is accepted runs everywhere.

use crate::caps::Capabilities;
use crate::diag::{Code, Diag, Diags};
use crate::ir::{Function, InstKind, Memory, Module};
use crate::ops::SubgroupOp;
use crate::types::Types;
use std::collections::BTreeMap;

/// The largest workgroup on x, y and z.
pub const MAX_WORKGROUP_SIZE: [u32; 3] = [1024, 1024, 64];
/// The most invocations of a workgroup.
pub const MAX_INVOCATIONS: u64 = 1024;
/// The most workgroup memory in bytes.
const MAX_SHARED_BYTES: u64 = 16_384;
/// The most memory of one invocation's arrays in bytes.
const MAX_PRIVATE_BYTES: u64 = 65_536;

/// Reports functions of one name and, in each function, parameters of one name.
pub(super) fn names(module: &Module, diags: &mut Diags) {
    twice("functions", module.functions.iter().map(|f| (f.name.as_str(), f.loc)), diags);
    for function in &module.functions {
        twice("parameters", function.params.iter().map(|p| (p.name.as_str(), p.loc)), diags);
    }
}

fn twice<'a>(what: &str, names: impl Iterator<Item = (&'a str, crate::loc::Loc)>, diags: &mut Diags) {
    let mut seen = BTreeMap::new();
    for (name, loc) in names {
        if let Some(first) = seen.insert(name, loc) {
            let message = format!("two {what} have the name `{name}`");
            diags.push(Diag::new(Code::V001, loc, message).label(first, "the first one is here"));
        }
    }
}

/// Reports what is too large.
pub(super) fn check(types: &Types, function: &Function, diags: &mut Diags) {
    workgroup_size(function, diags);
    shared(types, function, diags);
    private(types, function, diags);
}

/// Reports too much memory of each workgroup.
pub(super) fn shared(types: &Types, function: &Function, diags: &mut Diags) {
    let (declared, exchange) = (total(types, &function.shared), exchange_bytes(function));
    let shared = declared + exchange;
    if shared > MAX_SHARED_BYTES {
        let loc = function.shared.last().map_or(function.loc, |memory| memory.loc);
        let message = format!("`{}` uses {shared} bytes of workgroup memory", function.name);
        let mut diag = Diag::new(Code::V601, loc, message).help(format!("use at most {MAX_SHARED_BYTES} bytes in all"));
        if exchange > 0 {
            diag = diag.label(function.loc, format!("{exchange} of them are for its subgroup operations"));
        }
        diags.push(diag);
    }
}

/// Words of workgroup memory an invocation that subgroup operations need on a device whose
/// subgroups are others than ours: those of the widest value that lanes exchange.
pub(crate) fn exchange_words(function: &Function) -> u32 {
    let words = |kind: &InstKind| match kind {
        InstKind::Subgroup(SubgroupOp::Elect, _) => 0,
        InstKind::Subgroup(_, args) => {
            let lane = args.first().and_then(|&value| function.ty(value).lane());
            if lane.is_some_and(|lane| lane.bits() == 64) { 2 } else { 1 }
        }
        _ => 0,
    };
    function.insts.iter().map(|(_, inst)| words(&inst.kind)).max().unwrap_or(0)
}

/// The same in bytes, for the workgroup.
fn exchange_bytes(function: &Function) -> u64 {
    let invocations = function.workgroup_size().iter().fold(1u64, |product, &n| product.saturating_mul(n.into()));
    // Larger workgroups are reported as such.
    (invocations.min(MAX_INVOCATIONS) * 4 * u64::from(exchange_words(function))).next_multiple_of(16)
}

/// Reports too much memory of each invocation.
pub(super) fn private(types: &Types, function: &Function, diags: &mut Diags) {
    if !fits_private(types, function) {
        let private = total(types, &function.private);
        let loc = function.private.last().map_or(function.loc, |memory| memory.loc);
        let message = format!("`{}` uses {private} bytes of arrays in each invocation", function.name);
        diags.push(Diag::new(Code::V602, loc, message).help(format!("use at most {MAX_PRIVATE_BYTES} bytes in all")));
    }
}

/// Whether a function's private memory is within the limit.
pub(crate) fn fits_private(types: &Types, function: &Function) -> bool {
    total(types, &function.private) <= MAX_PRIVATE_BYTES
}

fn workgroup_size(function: &Function, diags: &mut Diags) {
    let size = function.workgroup_size();
    let [x, y, z] = size;
    if size.contains(&0) {
        let message = format!("workgroup size ({x}, {y}, {z}) has a zero");
        diags.push(Diag::new(Code::V003, function.loc, message).help("use at least 1 on every axis"));
        return;
    }
    let invocations = size.iter().fold(1u64, |product, &n| product.saturating_mul(n.into()));
    if invocations > MAX_INVOCATIONS || size.iter().zip(MAX_WORKGROUP_SIZE).any(|(&n, most)| n > most) {
        let message = format!("workgroup size ({x}, {y}, {z}) is too large");
        let [most_x, most_y, most_z] = MAX_WORKGROUP_SIZE;
        let help = format!("use at most {most_x}, {most_y} and {most_z}, and at most {MAX_INVOCATIONS} in all");
        diags.push(Diag::new(Code::V600, function.loc, message).help(help));
    }
}

/// Bytes of memory, each array rounded up to 16. Memory without a layout is none here;
/// it is reported elsewhere.
fn total(types: &Types, memories: &[Memory]) -> u64 {
    let sizes = memories.iter().filter_map(|memory| types.layout(memory.ty));
    sizes.fold(0, |sum, layout| sum + u64::from(layout.size).next_multiple_of(16))
}

/// Bytes of workgroup memory of a function within the limits.
pub(super) fn shared_bytes(types: &Types, function: &Function) -> u32 {
    (total(types, &function.shared) + exchange_bytes(function)) as u32
}

/// What a function needs that not every device has.
pub(super) fn capabilities(function: &Function) -> Capabilities {
    let mut needs = Capabilities::NONE;
    for (_, inst) in function.insts.iter() {
        if let InstKind::Atomic(_, _, args, _) = &inst.kind {
            let ty = args.first().or(inst.results.first()).and_then(|&value| function.ty(value).lane());
            if ty.is_some_and(|scalar| scalar.bits() == 64) {
                needs = needs | Capabilities::ATOMIC64;
            }
        }
    }
    needs
}
