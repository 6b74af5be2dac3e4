//! CUDA: a kernel as C++ text for NVRTC or nvcc.
//!
//! The text needs no header and defines one `extern "C"` kernel. Its parameters stand in
//! [`Source::parameters`]: a pointer and the number of elements for each buffer, then a
//! word a lane of the scalars, then the logical number of workgroups on x, y and z.
//! Workgroups have the size that the kernel states. Pointers are aligned to an element's
//! alignment, or an atomic access's if that is larger; around atomics of less than a word,
//! whole words can be accessed.
//!
//! A grid that is not the logical one is folded: the linear index of each workgroup is
//! cut into logical ids, and those beyond the logical number return at once, whole
//! workgroups at a time. So any grid of at least as many workgroups will do.
//!
//! All rules are spelled out: bounds, shift counts, division, NaN, conversions. Values are
//! held as their bits, in unsigned types; float arithmetic is done by intrinsics that
//! neither contract nor misround. What the text cannot say is that subnormals are kept,
//! so it has to be compiled with [`FLAGS`], which are the defaults of NVRTC and nvcc.

mod atomic;
mod body;
mod cast;
mod code;
mod float;
mod int;
mod library;
mod memory;
mod op;
mod subgroup;
#[cfg(test)]
mod tests;

use crate::backend::prepared;
use crate::check::Checked;
use crate::ir::{Function, Root};
use crate::launch::{Argument, LaunchBlock};
use crate::pass::Expansion;
use crate::soft::plan::Native;
use crate::types::Scalar;
use body::{Body, local_index};
use code::Helper;
use memory::{is_read_only, memories, suffix};
use std::collections::BTreeSet;

/// The flags that the text is compiled with. All are defaults, to be stated so that
/// nobody's `--use_fast_math` changes them.
pub const FLAGS: &[&str] = &["-ftz=false", "-prec-div=true", "-prec-sqrt=true", "-fmad=false"];

/// A kernel as CUDA C++.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The symbol of the kernel.
    pub entry: String,
    /// What a launch passes, in order.
    pub parameters: Vec<Parameter>,
    /// Threads of a block on x, y, z.
    pub block: [u32; 3],
    helpers: Vec<Helper>,
    kernel: String,
}

/// A parameter of the CUDA kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// The address of the buffer that is the kernel's parameter of this index.
    Pointer(u32),
    /// The number of elements of that buffer, 4 bytes.
    Count(u32),
    /// The bits of a lane of a scalar or vector, zero-extended to 4 or 8 bytes.
    Lane {
        /// The index of the kernel's parameter.
        param: u32,
        /// The lane.
        lane: u32,
        /// 4 or 8.
        bytes: u32,
    },
    /// The logical number of workgroups on an axis, 4 bytes.
    Groups(u32),
}

impl Source {
    /// The whole translation unit.
    pub fn text(&self) -> String {
        join(std::slice::from_ref(self))
    }
}

/// One translation unit with several kernels, whose entries must differ.
pub fn join(sources: &[Source]) -> String {
    let mut text = format!("// Compile with {}: subnormals are kept, nothing is contracted.\n", FLAGS.join(" "));
    text += "typedef unsigned int sb_u32;\ntypedef unsigned long long sb_u64;\n";
    let mut written = BTreeSet::new();
    for helper in sources.iter().flat_map(|source| &source.helpers) {
        if written.insert(&helper.name) {
            text.push('\n');
            text += &helper.text;
        }
    }
    for source in sources {
        text.push('\n');
        text += &source.kernel;
    }
    text
}

/// The kernel at this position in the module; `None` if there is no kernel.
///
/// ```
/// use samebits_ir::backend::cuda::emit;
/// use samebits_ir::{builder::Builder, check::check, types::Types};
///
/// let mut b = Builder::new("nothing", [64, 1, 1]);
/// b.ret();
/// let checked = check(b.into_module(Types::default())).map_err(|_| "not a kernel")?;
/// let source = emit(&checked, 0).ok_or("no such kernel")?;
/// assert_eq!(source.entry, "kernel_nothing");
/// assert!(source.text().contains("__launch_bounds__(64) kernel_nothing("));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn emit(checked: &Checked, function: usize) -> Option<Source> {
    emit_under(checked, function, 0)
}

/// The same for launches that satisfy these of the
/// [`launch_conditions`](super::launch_conditions), one bit each; accesses that rest on
/// them are not guarded.
///
/// ```
/// use samebits_ir::backend::cuda::{emit, emit_under};
/// use samebits_ir::{check::check, text::parse};
///
/// let text = "func kernel workgroup_size(64, 1, 1) @zero(@y: mut [u32]) {
///     %i = global_id.x
///     store @y[%i], 0u32
///     ret
/// }";
/// let checked = check(parse(text).map_err(|_| "not text")?).map_err(|_| "not a kernel")?;
/// let guarded = emit(&checked, 0).ok_or("no such kernel")?.text();
/// let bare = emit_under(&checked, 0, 1).ok_or("no such kernel")?.text();
/// assert!(guarded.contains("< n0_y") && !bare.contains("< n0_y"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn emit_under(checked: &Checked, function: usize, launch_conditions: u64) -> Option<Source> {
    let (function, _) = checked.function(function).filter(|(function, _)| function.is_kernel())?;
    let types = &checked.module().types;
    let function = &prepared(
        types,
        function,
        Expansion { step: Native::CUDA.step(), method: Native::CUDA.method(), keeps_loose: false },
    );
    let mut body = Body::new(types, function, memories(types, function), launch_conditions);
    let entry = entry(&function.name);
    let launched = LaunchBlock::of(function);
    let (parameters, declared) = parameters(&body, function, &launched);
    let [x, y, z] = function.workgroup_size();
    let threads = x.saturating_mul(y).saturating_mul(z);
    body.code.line(format!("extern \"C\" __global__ void __launch_bounds__({threads}) {entry}("));
    body.code.open_again();
    for (i, parameter) in declared.iter().enumerate() {
        body.code.line(format!("{parameter}{}", if i + 1 == declared.len() { ")" } else { "," }));
    }
    body.code.close("{");
    body.code.open_again();
    prologue(&mut body);
    scalars(&mut body, function, &launched);
    body.region(function.body);
    body.code.close("}");
    let (helpers, kernel) = body.code.finish();
    Some(Source { entry, parameters, block: function.workgroup_size(), helpers, kernel })
}

/// The symbol of a kernel: different names have different symbols.
fn entry(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(plain) {
        return format!("kernel_{name}");
    }
    let escape = |c: char| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("_{:x}_", u32::from(c)) };
    name.chars().fold("escaped_".to_owned(), |entry, c| entry + &escape(c))
}

/// The parameters and their declarations.
fn parameters(body: &Body<'_>, function: &Function, block: &LaunchBlock) -> (Vec<Parameter>, Vec<String>) {
    let (mut parameters, mut declared) = (Vec::new(), Vec::new());
    for &i in block.buffers() {
        let root = Root::Param(i);
        let Some(memory) = body.memory.get(&root) else { continue };
        let (ty, name) = (memory.unit_type(), &memory.name);
        parameters.push(Parameter::Pointer(i));
        declared.push(if is_read_only(function, root) {
            format!("const {ty}* __restrict__ {name}")
        } else {
            format!("{ty}* {name}")
        });
        parameters.push(Parameter::Count(i));
        declared.push(format!("sb_u32 {}", memory.count));
    }
    for argument in block.arguments() {
        let bytes = 4 * argument.lane_words();
        for (lane, name) in (0..).zip(argument_names(function, argument)) {
            parameters.push(Parameter::Lane { param: argument.param, lane, bytes });
            declared.push(format!("{} {name}", if bytes == 8 { "sb_u64" } else { "sb_u32" }));
        }
    }
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        parameters.push(Parameter::Groups(axis as u32));
        declared.push(format!("sb_u32 groups_{name}"));
    }
    (parameters, declared)
}

/// The names of a parameter's lanes.
fn argument_names(function: &Function, argument: &Argument) -> Vec<String> {
    let name = function.params.get(argument.param as usize).map_or("", |param| param.name.as_str());
    let name = format!("p{}{}", argument.param, suffix(name));
    match argument.ty.lanes() {
        1 => vec![name],
        lanes => (0..lanes).map(|lane| format!("{name}_{lane}")).collect(),
    }
}

/// Finds the logical ids, and declares memory of fixed size, all zero.
fn prologue(body: &mut Body<'_>) {
    let code = &mut body.code;
    code.line("sb_u32 group_x = blockIdx.x, group_y = blockIdx.y, group_z = blockIdx.z;");
    code.open("if (gridDim.x != groups_x || gridDim.y != groups_y || gridDim.z != groups_z) {");
    code.line("const sb_u64 row = group_y + (sb_u64)gridDim.y * group_z;");
    code.line("sb_u64 linear = group_x + gridDim.x * row;");
    code.line("if (linear >= (sb_u64)groups_x * groups_y * groups_z) return;");
    code.line("group_x = (sb_u32)(linear % groups_x);");
    code.line("linear /= groups_x;");
    code.line("group_y = (sb_u32)(linear % groups_y);");
    code.line("group_z = (sb_u32)(linear / groups_y);");
    code.close("}");
    let [x, y, z] = body.function.workgroup_size();
    let fixed: Vec<_> = body.memory.iter().filter(|(_, memory)| memory.fixed.is_some()).collect();
    let mut shared = false;
    for (root, memory) in fixed {
        let (ty, name, units) = (memory.unit_type(), &memory.name, memory.units());
        if let Root::Table(i) = root {
            let bytes = body.function.tables.get(*i as usize).map_or(&[][..], |table| &table.bytes);
            let text = memory::table(memory, bytes);
            body.code.helper(name.clone(), |_| text);
        } else if matches!(root, Root::Shared(_)) {
            shared = true;
            let threads = x.saturating_mul(y).saturating_mul(z);
            // Atomics on less than a word access all of it, and more is accessed 16 bytes at once.
            let held = if memory.unit < 4 { units.next_multiple_of(4) } else { units };
            let align = if memory.unit < 4 { 4 } else { 16 };
            body.code.line(format!("__shared__ __align__({align}) {ty} {name}[{held}];"));
            let first = local_index(x, y);
            body.code.line(format!("for (sb_u32 i = {first}; i < {units}u; i += {threads}u) {name}[i] = 0;"));
        } else {
            body.code.line(format!("{ty} {name}[{units}] = {{}};"));
        }
    }
    if shared {
        body.code.line("__syncthreads();");
    }
}

/// Gives the scalar parameters their values.
fn scalars(body: &mut Body<'_>, function: &Function, block: &LaunchBlock) {
    for (&value, argument) in function.regions[function.body].params.iter().zip(block.arguments()) {
        let names = argument_names(function, argument);
        if argument.ty.lane() == Some(Scalar::Bool) {
            let truths: Vec<String> = names.iter().map(|name| format!("{name} != 0u")).collect();
            body.declare(value, &truths);
        } else {
            body.define(value, names);
        }
    }
}
