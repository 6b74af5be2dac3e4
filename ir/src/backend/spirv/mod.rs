//! SPIR-V for Vulkan: a kernel as the words of a module with the entry point `main`.
//!
//! Bind group 0 holds the buffers in the order of the parameters, then the
//! [launch block](crate::launch) as a uniform buffer, unless it is immediate data, then the
//! tables, if they are a buffer, and last the words that count loops, if there are any.
//! Workgroups of a folded grid that lie beyond the last one return at once, whole workgroups at
//! a time.
//!
//! The module needs nothing of its consumer: bounds, shift counts, division, NaN, conversions,
//! rounding and the zeros in workgroup memory are written out. One thing is left to it: a
//! buffer is bound with its size rounded up to words, or with at least 16 bytes if it has no
//! elements, because loads that are out of bounds read its first word or block.
//!
//! `module`, `code` and `fold` are the writer, which knows nothing of kernels. `body` writes regions;
//! `memory` declares the roots, `access`, `atomic`, `subgroup` and `op` write what stands in them. `several` writes small kernels for large launches.
//! `op` leaves integers to `int`, casts to `cast`, floats to `float`, and to `library` what the
//! target lacks.

mod access;
mod atomic;
mod body;
mod cast;
mod code;
mod float;
mod float_bits;
#[cfg(test)]
mod float_bits_tests;
mod float_cast;
mod float_fused;
mod float_order;
mod float_remainder;
mod float_steps;
#[cfg(test)]
mod float_tests;
mod fold;
mod int;
mod library;
mod memory;
mod module;
mod op;
mod place;
mod prologue;
mod several;
mod subgroup;
mod tables;
mod target;
mod words;
mod zero;

pub use target::{Target, Widths};

use crate::analysis::align::Alignment;
use crate::analysis::barriers::order_buffers;
use crate::analysis::filled::Filled;
use crate::analysis::floats::Floats;
use crate::analysis::guard::Guards;
use crate::analysis::literals::from_literals;
use crate::analysis::nan;
use crate::analysis::tree::Tree;
use crate::arena::Side;
use crate::backend::prepared;
use crate::check::Checked;
use crate::ir::Function;
use crate::launch::LaunchBlock;
use crate::ops::Op;
use crate::pass::Expansion;
use crate::soft::plan::{Form, Group, Way};
use crate::types::{Scalar, Types};
use body::{Body, Flow};
use code::Code;
use library::Library;
use memory::Memory;
use module::Module;
use prologue::{launch_words, prologue};
use spirv::{Capability, ExecutionMode};
use std::collections::{BTreeMap, BTreeSet};
use subgroup::Exchange;
use tables::Tables;

/// A kernel as SPIR-V.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The module; its only entry point is `main`.
    pub words: Vec<u32>,
    /// The number of words of the launch's block.
    pub param_words: u32,
    /// What the buffer of the tables holds; empty if there is none.
    pub tables: Vec<u32>,
    /// Whether the buffer of `report_cut_loops` is used; not without loops.
    pub reports: bool,
    /// The number of workgroups of a launch, next to each other on x, that are one of the device.
    pub groups_at_once: u32,
}

/// Whether modules can have a group of ops in a form: SPIR-V's own remainder is off by a little.
///
/// ```
/// use samebits_ir::backend::spirv::writes;
/// use samebits_ir::soft::plan::{Form, Group};
/// assert!(writes(Group::Quotient64, Form::Exact) && !writes(Group::Remainder64, Form::Exact));
/// ```
pub const fn writes(group: Group, form: Form) -> bool {
    !matches!((group, form), (Group::Remainder32 | Group::Remainder64, Form::Exact))
}

/// The kernel at this position in the module; `None` if there is no kernel.
pub fn emit(checked: &Checked, function: usize, target: &Target) -> Option<Shader> {
    let (function, _) = checked.function(function).filter(|(function, _)| function.is_kernel())?;
    let types = &checked.module().types;
    let function = &for_target(types, function, target);
    let several = if target.large { several::Plan::of(function) } else { None };
    let groups_at_once = several.as_ref().map_or(1, |plan| plan.count);
    let mut code = Code::new(Module::new());
    if target.memory_model && atomic::orders(function) {
        code.module.use_vulkan_memory_model();
    }
    let launched = LaunchBlock::of(function);
    let bindings = Bindings::of(&launched, function, target);
    let words = launch_words(&mut code, launched.words(), bindings.block);
    let alignment = Alignment::of(function);
    let tables = Tables::of(function);
    let memory = Memory::declare(&mut code, target, types, function, &alignment, (&words, &tables, &bindings));
    let ids = prologue(&mut code, function, &words, groups_at_once);
    let exchange = Exchange::new(&mut code, function, target);
    let guards = Guards::of(types, function, target.launch_conditions);
    let floats = Floats::of(function, guards.facts());
    // A routine gives the canonical NaN. The lesser and the greater one may be found without it.
    let may_differ = |op, lane| {
        let differs = |way| !matches!(way, Way::Routine(_));
        let floats = [Scalar::F16, Scalar::F32, Scalar::F64].into_iter().filter(|&source| source != lane);
        match op {
            Op::Min | Op::Max => true,
            Op::Cast => floats.map(|source| target.native.cast(source, lane)).any(differs),
            _ => differs(target.native.op(op, lane, false)),
        }
    };
    let observed = nan::observed(function, &floats, may_differ);
    let mut body = Body {
        code,
        types,
        alignment,
        function,
        target,
        memory,
        library: Library::default(),
        is_loose: false,
        exchange,
        ids,
        values: Side::new(None),
        guards,
        floats,
        literals: from_literals(function, &Tree::of(function)),
        may_add_to_variables: float::has_pairs(function, &target.native),
        products: BTreeMap::new(),
        inverted_roots: float_steps::inverted_roots(function),
        inverses: BTreeMap::new(),
        float_tests: BTreeSet::new(),
        observed,
        filled: Filled::of(types, function),
        under: None,
        orders_buffers: order_buffers(function),
        flow: Flow::of(function, bindings.open_loops),
    };
    body.zero_workgroup_memory();
    let scalars = &function.regions[function.body].params;
    for (&value, argument) in scalars.iter().zip(launched.arguments()) {
        let words: Vec<_> = argument.words().filter_map(|word| words.get(word as usize).copied()).collect();
        let registers = body.value_of_words(argument.ty, &words);
        body.define(value, registers);
    }
    match &several {
        Some(plan) => body.several(plan),
        None => body.region(function.body),
    }
    let reports = body.flow.counts_loops();
    modes(&mut body.code.module, function, target);
    let words = body.code.finish(function.workgroup_size());
    let tables = if target.table_buffer { tables.words } else { Vec::new() };
    Some(Shader { words, param_words: launched.words(), tables, reports, groups_at_once })
}

/// Whether a kernel is written in another way for [large](Target::large) launches.
///
/// ```
/// use samebits_ir::backend::spirv::{Target, has_large_form};
/// use samebits_ir::{check::check, text::parse};
/// let text = "func kernel workgroup_size(64, 1, 1) @copy(@x: [f32], @y: mut [f32]) {
///     %i = global_id.x
///     %v = load f32 @x[%i]
///     store @y[%i], %v
///     ret
/// }";
/// let checked = check(parse(text).map_err(|_| "not text")?).map_err(|_| "not a kernel")?;
/// assert!(has_large_form(&checked, 0, &Target::VULKAN));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn has_large_form(checked: &Checked, function: usize, target: &Target) -> bool {
    let kernel = checked.function(function).filter(|(function, _)| function.is_kernel());
    let seen = kernel.map(|(function, _)| for_target(&checked.module().types, function, target));
    seen.is_some_and(|function| several::Plan::of(&function).is_some())
}

/// A kernel as it is written for a target.
fn for_target(types: &Types, function: &Function, target: &Target) -> Function {
    prepared(
        types,
        function,
        Expansion { step: target.native.step(), method: target.native.method(), keeps_loose: true },
    )
}

/// Asks for how floats are computed, of the widths that a module computes in. Drivers fuse less
/// if they are asked for more.
fn modes(module: &mut Module, function: &Function, target: &Target) {
    let used = Widths {
        half: module.needs(Capability::Float16),
        // Where nobody asks for the exact result, what the driver does by itself is the quickest.
        single: !is_all_loose(function),
        double: module.needs(Capability::Float64),
    };
    let modes = [
        (target.round_to_nearest, Capability::RoundingModeRTE, ExecutionMode::RoundingModeRTE),
        (target.keep_subnormals, Capability::DenormPreserve, ExecutionMode::DenormPreserve),
    ];
    for (widths, capability, mode) in modes {
        let named =
            [(widths.half && used.half, 16), (widths.single && used.single, 32), (widths.double && used.double, 64)];
        for (_, bits) in named.into_iter().filter(|(has, _)| *has) {
            module.need(capability);
            module.extend("SPV_KHR_float_controls");
            module.mode(mode, &[bits]);
        }
    }
}

/// Whether the target may compute all floats of a function as it pleases.
fn is_all_loose(function: &Function) -> bool {
    function.insts.iter().all(|(inst, def)| {
        let mut lanes = def.results.iter().map(|&result| function.ty(result).lane());
        function.is_loose(inst) && lanes.all(|lane| !matches!(lane, Some(Scalar::F16 | Scalar::F64)))
    })
}

/// The bindings that follow those of the buffers.
struct Bindings {
    /// The launch block, unless it is immediate data.
    block: Option<u32>,
    /// The tables, if they are a buffer.
    tables: Option<u32>,
    /// The words that count loops, and which of them is the module's.
    open_loops: Option<(u32, u32)>,
}

impl Bindings {
    fn of(block: &LaunchBlock, function: &Function, target: &Target) -> Self {
        let mut next = block.buffers().len() as u32;
        let mut take = |is_there: bool| {
            let binding = next;
            next += u32::from(is_there);
            is_there.then_some(binding)
        };
        let block = take(!target.immediates);
        let tables = take(target.table_buffer && !function.tables.is_empty());
        Self { block, tables, open_loops: target.report_cut_loops.map(|word| (next, word)) }
    }
}

#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod op_tests;
#[cfg(test)]
mod several_tests;
#[cfg(test)]
mod tests;
