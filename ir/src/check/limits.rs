//! How much a kernel needs (V003, V600–V605, V607), and names that occur twice (V001).
//!
//! A kernel may use what every device has and, of each [`Limit`], what it declares. In a
//! source, an unneeded declaration is a mistake. Passes may make one unneeded.

use super::Origin;
use crate::caps::Capabilities;
use crate::diag::{Code, Diag, Diags, count};
use crate::inline;
use crate::ir::{Access, Function, InstKind, MAX_NESTING, Memory, Module, ParamKind};
use crate::launch::LaunchBlock;
use crate::limits::{Limit, Limits, MAX_SIZE_ON_Z, MAX_TABLE_BYTES};
use crate::loc::Loc;
use crate::ops::SubgroupOp;
use crate::order::MemoryOrder;
use crate::types::{Type, Types};
use std::collections::BTreeMap;

/// The most memory of one invocation's arrays in bytes.
pub const MAX_PRIVATE_BYTES: u64 = 65_536;

/// Reports functions of one name and, in each function, parameters of one name.
pub(super) fn names(module: &Module, diags: &mut Diags) {
    twice("functions", module.functions.iter().map(|f| (f.name.as_str(), f.loc)), diags);
    for function in &module.functions {
        twice("parameters", function.params.iter().map(|p| (p.name.as_str(), p.loc)), diags);
    }
}

fn twice<'a>(what: &str, names: impl Iterator<Item = (&'a str, Loc)>, diags: &mut Diags) {
    let mut seen = BTreeMap::new();
    for (name, loc) in names {
        if let Some(first) = seen.insert(name, loc) {
            let message = format!("two {what} have the name `{name}`");
            diags.push(Diag::new(Code::V001, loc, message).label(first, "the first one is here"));
        }
    }
}

/// Reports what is too large, and what is declared without need.
pub(super) fn check(types: &Types, function: &Function, origin: Origin, diags: &mut Diags) {
    private(types, function, diags);
    if !function.is_kernel() {
        return;
    }
    let mut sound = axes(function, diags);
    for (limit, declared) in function.limits.iter() {
        if let Some((code, message)) = limit.refuse(declared.into()) {
            diags.push(Diag::new(code, function.loc, message).help("remove it"));
            sound = false;
        }
    }
    if !sound {
        return;
    }
    let calls = !inline::calls(function).is_empty();
    for &limit in Limit::ALL {
        if limit != Limit::WorkgroupMemory || !calls {
            hold(types, function, limit, origin, diags);
        }
    }
}

/// The same of a function whose calls are replaced, for what callees bring along.
pub(super) fn flat(types: &Types, function: &Function, origin: Origin, diags: &mut Diags) {
    private(types, function, diags);
    if function.is_kernel() {
        hold(types, function, Limit::WorkgroupMemory, origin, diags);
    }
}

/// Reports blocks that nest too deep once operations were taken out of them.
pub(super) fn nesting(function: &Function, diags: &mut Diags) {
    let mut pending = vec![(function.body, 0)];
    while let Some((region, depth)) = pending.pop() {
        for &inst in &function.regions[region].insts {
            if depth >= MAX_NESTING && function.insts[inst].kind.has_regions() {
                let message = format!("blocks around subgroup operations nest more than {MAX_NESTING} deep");
                let help = "let all invocations of the workgroup do the operations";
                diags.push(Diag::new(Code::V018, function.insts[inst].loc, message).help(help));
                return;
            }
            pending.extend(function.insts[inst].kind.regions().map(|inner| (inner, depth + 1)));
        }
    }
}

/// Holds a kernel's need of one limit against what it declares.
fn hold(types: &Types, function: &Function, limit: Limit, origin: Origin, diags: &mut Diags) {
    let need = need(types, function, limit);
    let declared = function.limits.get(limit);
    if let Some((than, help)) = limit.excess(need, &function.limits) {
        diags.push(excess(types, function, limit, need, &than).help(help));
    } else if declared > 0 && need <= limit.default().into() && origin == Origin::Source {
        let (needs, name) = (limit.amount(need), limit.name());
        let message = format!("`{}` needs {needs}, so `{name} = {declared}` is not needed", function.name);
        let help = format!("remove it: every device has {}", limit.default());
        diags.push(Diag::new(Code::V605, function.loc, message).help(help));
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
    let bytes = function.invocations().min(u32::MAX.into()) * 4 * u64::from(exchange_words(function));
    bytes.next_multiple_of(ROUNDING.into())
}

/// Reports sizes of a workgroup that no declaration allows.
fn axes(function: &Function, diags: &mut Diags) -> bool {
    let [x, y, z] = function.workgroup_size();
    if [x, y, z].contains(&0) {
        let message = format!("workgroup size ({x}, {y}, {z}) has a zero");
        diags.push(Diag::new(Code::V003, function.loc, message).help("use at least 1 on every axis"));
    } else if z > MAX_SIZE_ON_Z {
        let message =
            format!("a workgroup of {z} invocations on z is more than the {MAX_SIZE_ON_Z} that any device has");
        diags.push(Diag::new(Code::V600, function.loc, message).help(format!("use at most {MAX_SIZE_ON_Z} on z")));
    } else {
        return true;
    }
    false
}

/// The report that a kernel needs too much of something, where it does.
fn excess(types: &Types, function: &Function, limit: Limit, need: u64, than: &str) -> Diag {
    match limit {
        Limit::WorkgroupMemory => shared_excess(types, function, need, than),
        Limit::Invocations => {
            let [x, y, z] = function.workgroup_size();
            let message = format!("a workgroup of {x}×{y}×{z} = {need} invocations is more than {than}");
            Diag::new(limit.code(), function.loc, message)
        }
        Limit::Buffers => {
            let buffers = function.params.iter().filter(|param| matches!(param.kind, ParamKind::Buffer { .. }));
            let first = buffers.map(|param| param.loc).nth(function.limits.allowed(limit) as usize);
            let message = format!("{} are more than {than}", limit.amount(need));
            Diag::new(limit.code(), first.unwrap_or(function.loc), message)
        }
        Limit::ArgumentBytes => {
            let loc = function.params.last().map_or(function.loc, |param| param.loc);
            Diag::new(limit.code(), loc, format!("{} are more than {than}", limit.amount(need)))
        }
    }
}

/// Too much workgroup memory is reported at the memory that is the first for which there is
/// no room.
fn shared_excess(types: &Types, function: &Function, need: u64, than: &str) -> Diag {
    let allowed = u64::from(function.limits.allowed(Limit::WorkgroupMemory));
    let exchange = exchange_bytes(function);
    let over = (1..=function.shared.len()).find(|&n| total(types, &function.shared[..n]) + exchange > allowed);
    let memory = over.map(|n| &function.shared[n - 1]);
    let message = format!("{} are more than {than}", Limit::WorkgroupMemory.amount(need));
    let mut diag = Diag::new(Code::V601, memory.map_or(function.loc, |memory| memory.loc), message);
    if exchange > 0 {
        diag = diag.label(function.loc, format!("{exchange} of them are for subgroup operations"));
    }
    if let Some(memory) = memory {
        let calls = function.shared.iter().filter(|other| (&other.name, other.ty) == (&memory.name, memory.ty)).count();
        if calls > 1 {
            let text = format!("{calls} memories are called `{}`: each call of a function has its own", memory.name);
            diag = diag.label(Loc::NONE, text);
        }
    }
    let rounded =
        |memory: &&Memory| types.layout(memory.ty).is_some_and(|layout| !layout.size.is_multiple_of(ROUNDING));
    function.shared.iter().filter(rounded).fold(diag, |diag, memory| {
        let size = types.layout(memory.ty).map_or(0, |layout| layout.size);
        let rounded = u64::from(size).next_multiple_of(ROUNDING.into());
        diag.label(memory.loc, format!("`{}` takes {}, rounded up to {rounded}", memory.name, count(size, "byte")))
    })
}

/// Reports too much memory of each invocation, and too much in tables.
pub(super) fn private(types: &Types, function: &Function, diags: &mut Diags) {
    if !fits_tables(types, function) {
        let sizes = function.tables.iter().filter_map(|table| types.layout(table.ty));
        let bytes: u64 = sizes.map(|layout| u64::from(layout.size)).sum();
        let loc = function.tables.last().map_or(function.loc, |table| table.loc);
        let message = format!("`{}` has constant tables of {bytes} bytes", function.name);
        let help = format!("use at most {MAX_TABLE_BYTES} bytes in all, or pass the largest tables as buffers");
        diags.push(Diag::new(Code::V607, loc, message).help(help));
    }

    if !fits_private(types, function) {
        let private = total(types, &function.private);
        let loc = function.private.last().map_or(function.loc, |memory| memory.loc);
        let message = format!("`{}` uses {} of arrays in each invocation", function.name, count(private, "byte"));
        diags.push(Diag::new(Code::V602, loc, message).help(format!("use at most {MAX_PRIVATE_BYTES} bytes in all")));
    }
}

/// Whether a function's tables are within the limit.
pub(crate) fn fits_tables(types: &Types, function: &Function) -> bool {
    let sizes = function.tables.iter().filter_map(|table| types.layout(table.ty));
    sizes.map(|layout| u64::from(layout.size)).sum::<u64>() <= MAX_TABLE_BYTES.into()
}

/// Whether a function's private memory is within the limit.
pub(crate) fn fits_private(types: &Types, function: &Function) -> bool {
    total(types, &function.private) <= MAX_PRIVATE_BYTES
}

/// Each memory takes a multiple of this many bytes, as WebGPU counts.
const ROUNDING: u32 = 16;

/// Bytes of memory. Memory without a layout counts as 0; it is reported elsewhere.
fn total(types: &Types, memories: &[Memory]) -> u64 {
    let sizes = memories.iter().filter_map(|memory| types.layout(memory.ty));
    sizes.fold(0, |sum, layout| sum + u64::from(layout.size).next_multiple_of(ROUNDING.into()))
}

/// How much a kernel needs of a limit.
fn need(types: &Types, function: &Function, limit: Limit) -> u64 {
    match limit {
        Limit::WorkgroupMemory => total(types, &function.shared).saturating_add(exchange_bytes(function)),
        Limit::Invocations => function.invocations(),
        Limit::Buffers => LaunchBlock::of(function).buffers().len() as u64,
        Limit::ArgumentBytes => 4 * u64::from(LaunchBlock::of(function).words()),
    }
}

/// How much a kernel needs of each limit; a device function needs nothing.
///
/// ```
/// use samebits_ir::{builder::Builder, check::needs, limits::Limit, types::Types};
/// let mut b = Builder::new("nothing", [8, 8, 8]);
/// b.ret();
/// assert_eq!(needs(&Types::default(), &b.finish()).get(Limit::Invocations), 512);
/// ```
pub fn needs(types: &Types, function: &Function) -> Limits {
    let mut needs = Limits::NONE;
    if function.is_kernel() {
        for &limit in Limit::ALL {
            needs.set(limit, u32::try_from(need(types, function, limit)).unwrap_or(u32::MAX));
        }
    }
    needs
}

/// What a function needs that not every device has by nature.
pub(super) fn capabilities(types: &Types, function: &Function) -> Capabilities {
    let mut needs = Capabilities::NONE;
    for param in &function.params {
        match param.kind {
            ParamKind::Scalar(ty) => needs |= of_type(types, ty),
            ParamKind::Buffer { element, access } => needs |= of_memory(types, element, access),
        }
    }
    for memory in function.shared.iter().chain(&function.private) {
        needs |= of_memory(types, memory.ty, memory.access);
    }
    for table in &function.tables {
        needs |= of_type(types, table.ty);
    }
    for (id, inst) in function.insts.iter() {
        match inst.kind {
            InstKind::Atomic(_, ref place, _, MemoryOrder { ordering, failure, scope }) => {
                // Which fields of a struct are atomics, only the accesses tell.
                let element = function.root_element(types, place.root).map(|element| types.innermost(element));
                if let (Some(Type::Struct(_)), Some(lane)) = (element, function.accessed(id).and_then(Type::lane)) {
                    needs |= Capabilities::of_atomic(lane);
                }
                needs |= Capabilities::of_order(ordering, scope) | Capabilities::of_order(failure, scope);
            }
            InstKind::Fence(ordering, scope) => needs |= Capabilities::of_order(ordering, scope),
            _ => {}
        }
    }
    let values = function.values.iter().map(|(_, value)| value.ty).chain(function.results.iter().copied());
    values.fold(needs, |needs, ty| needs | of_type(types, ty))
}

fn of_memory(types: &Types, ty: Type, access: Access) -> Capabilities {
    let mut needs = of_type(types, ty);
    if let (Access::Atomic, Some(scalar)) = (access, types.innermost(ty).lane()) {
        needs |= Capabilities::of_atomic(scalar);
    }
    needs
}

/// What a type needs. Types nest a bounded number of times.
fn of_type(types: &Types, ty: Type) -> Capabilities {
    match ty {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => Capabilities::of_scalar(scalar),
        Type::Array(id) => types.arrays.get(id).map_or(Capabilities::NONE, |def| of_type(types, def.element)),
        Type::Struct(id) => {
            let fields = types.structs.get(id).map_or(&[][..], |def| &def.fields);
            fields.iter().fold(Capabilities::NONE, |needs, (_, ty)| needs | of_type(types, *ty))
        }
        Type::Error | Type::Bytes => Capabilities::NONE,
    }
}
