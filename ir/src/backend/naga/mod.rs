//! naga: a kernel as a `naga::Module` with the entry point `main`.
//!
//! Bind group 0 holds the buffers in the order of the parameters, then the
//! [launch block](crate::launch) as a uniform buffer, unless it is immediate data. Workgroups of a
//! folded grid that lie beyond the last one return at once, whole workgroups at a time.
//!
//! Tables are one array of words, one table after the other: a variable of the module with
//! these first values, or, with `Options::table_buffer`, a storage buffer that is bound after all
//! of these and holds `Shader::tables`.
//!
//! With `Options::report_cut_loops` one more storage buffer follows, at the next binding: words
//! of which the module uses one. The module adds to it before a loop, and subtracts from it
//! wherever the kernel's own code leaves one. After a launch it is what it was, unless the
//! device ended a loop by itself.
//!
//! The module needs nothing of its consumer: bounds, shift counts, division, NaN,
//! conversions and rounding are spelled out. What naga adds for safety changes nothing.
//! Two things are left to it: workgroup memory starts zeroed, as WGSL demands, and a
//! buffer is bound with its size rounded up to words, or with at least 16 bytes if it has no
//! elements: loads that are out of bounds read its first word or block.

mod atomic;
#[cfg(test)]
mod block_tests;
mod body;
mod broadcast;
mod code;
mod int;
mod library;
mod loose;
mod memory;
mod op;
mod subgroup;
#[cfg(test)]
mod tests;
mod types;

use crate::analysis::align::Alignment;
use crate::analysis::barriers::order_buffers;
use crate::analysis::floats::Floats;
use crate::analysis::guard::Guards;
use crate::analysis::nan;
use crate::analysis::shape::{self, Offer, Shape, Word};
use crate::arena::Side;
use crate::backend::prepared;
use crate::caps::Capabilities;
use crate::check::Checked;
use crate::ir::{Access, Function, Root};
use crate::launch::LaunchBlock;
use crate::pass::Expansion;
use crate::soft::plan::{Form, Group, Native};
use crate::types::Types;
use atomic::ExchangeTypes;
use body::{Body, Flow, Ids};
use broadcast::uniform_loads;
use code::{Code, Expr, OpenLoops};
use library::Library;
use memory::DeclaredRoot;
use naga::{AddressSpace, BinaryOperator as Bin, Expression, Handle, Span, Statement};
use std::collections::BTreeMap;
use subgroup::Exchange;
use types::{Table, registers};

/// What the consumer of the module offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether the words of the launch are immediate data instead of a uniform buffer.
    pub immediates: bool,
    /// What the device computes exactly, and how. Of the forms only those count that naga
    /// [can write](writes).
    pub native: Native,
    /// For a device that ends long loops by itself: the word in which the module counts
    /// loops that were entered and not left.
    pub report_cut_loops: Option<u32>,
    /// Which of [`launch_conditions`](super::launch_conditions) every launch of the module
    /// satisfies, one bit each; accesses that rest on these are not guarded.
    pub launch_conditions: u64,
    /// Whether storing to a lane of a vector leaves the others alone, also if other
    /// invocations store to them meanwhile. So it is in SPIR-V; in WGSL and Metal the whole
    /// vector may be stored.
    pub lane_stores: bool,
    /// Whether what a workgroup agrees on by a load between two barriers is loaded with
    /// `workgroupUniformLoad`, and a loop that nothing leaves has a way out that nobody takes.
    /// WGSL refuses what goes on without; to other targets it would be a waste.
    pub wgsl_rules: bool,
    /// Whether the device's subgroups are ours in workgroups of one axis that are whole
    /// subgroups: 32 invocations each, in the order of the local index. If not, subgroup
    /// ops go through workgroup memory, with barriers.
    pub subgroups: bool,
    /// Whether the consumer binds the tables as a buffer. Some compilers set a variable of the
    /// module word by word in each invocation, and take minutes for a large one.
    pub table_buffer: bool,
}

impl Options {
    /// For WGSL that runs in any browser: nothing is known of the device, whose floats may
    /// flush and misround, and which has no immediate data.
    pub const WEBGPU: Self = Self {
        immediates: false,
        native: Native::WEBGPU,
        report_cut_loops: None,
        launch_conditions: 0,
        lane_stores: false,
        wgsl_rules: true,
        subgroups: false,
        table_buffer: false,
    };
}

/// Whether a module of naga's can have a group of ops in this form, besides the form that is right
/// everywhere. It cannot say that a product and a sum are to be contracted, or are not to be.
///
/// ```
/// use samebits_ir::backend::naga::writes;
/// use samebits_ir::soft::plan::{Form, Group};
/// assert!(writes(Group::Fused32, Form::Function) && !writes(Group::Fused32, Form::Pair));
/// ```
pub const fn writes(group: Group, form: Form) -> bool {
    match group {
        Group::Sum32 | Group::Product32 => matches!(form, Form::Exact | Form::Checked),
        Group::Quotient32 | Group::Root32 | Group::FromInt32 => matches!(form, Form::Exact),
        Group::Fused32 => matches!(form, Form::Function | Form::Checked),
        _ => false,
    }
}

/// A kernel for naga.
#[derive(Clone, Debug)]
pub struct Shader {
    /// The module; its only entry point is `main`.
    pub module: naga::Module,
    /// The number of words of the launch's block.
    pub param_words: u32,
    /// What the buffer of the tables holds; empty if there is none.
    pub tables: Vec<u32>,
    /// Whether the buffer of `report_cut_loops` is used; not without loops.
    pub reports: bool,
    /// Whether there is a loop that is not known to end. A consumer that lets a target's
    /// compiler assume that loops end must bound it.
    pub unbounded: bool,
}

#[cfg(feature = "wgsl")]
impl Shader {
    /// The module as WGSL that needs nothing but what every WebGPU device has. A module
    /// with atomics of 64 bits, with an order of accesses or with immediate data cannot be
    /// written so; the error says why.
    ///
    /// ```
    /// use samebits_ir::backend::naga::{Options, emit};
    /// use samebits_ir::{builder::Builder, check::check, types::Types};
    ///
    /// let mut b = Builder::new("nothing", [64, 1, 1]);
    /// b.ret();
    /// let checked = check(b.into_module(Types::default())).map_err(|_| "not a kernel")?;
    /// let shader = emit(&checked, 0, &Options::WEBGPU).ok_or("no such kernel")?;
    /// assert!(shader.wgsl()?.contains("@compute @workgroup_size(64, 1, 1)"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wgsl(&self) -> Result<String, String> {
        let functions = self.module.functions.iter().map(|(_, function)| function);
        let entries = self.module.entry_points.iter().map(|entry| &entry.function);
        if functions.chain(entries).any(|function| code::has_fence(&function.body)) {
            return Err("WGSL has no fence, only barriers that all invocations wait at".to_owned());
        }
        use naga::valid::{Capabilities, ValidationFlags, Validator};
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        let info = validator.validate(&self.module).map_err(|error| error.to_string())?;
        let flags = naga::back::wgsl::WriterFlags::empty();
        naga::back::wgsl::write_string(&self.module, &info, flags).map_err(|error| error.to_string())
    }
}

/// The kernel at this position in the module; `None` if there is no kernel.
///
/// ```
/// use samebits_ir::backend::naga::{Options, emit};
/// use samebits_ir::soft::plan::Native;
/// use samebits_ir::{builder::Builder, check::check, types::Types};
///
/// let mut b = Builder::new("nothing", [64, 1, 1]);
/// b.ret();
/// let checked = check(b.into_module(Types::default())).map_err(|_| "not a kernel")?;
/// let options = Options {
///     immediates: false,
///     native: Native::EXACT_F32,
///     report_cut_loops: None,
///     launch_conditions: 0,
///     lane_stores: true,
///     wgsl_rules: false,
///     subgroups: false,
///     table_buffer: false,
/// };
/// let shader = emit(&checked, 0, &options).ok_or("no such kernel")?;
/// assert_eq!(shader.module.entry_points[0].name, "main");
/// assert_eq!(shader.param_words, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn emit(checked: &Checked, function: usize, options: &Options) -> Option<Shader> {
    let (function, facts) = checked.function(function).filter(|(function, _)| function.is_kernel())?;
    let types = &checked.module().types;
    let function = &prepared(
        types,
        function,
        Expansion { step: options.native.step(), method: options.native.method(), keeps_loose: true },
    );
    let mut module = naga::Module::default();
    let exchange_types = ExchangeTypes {
        unsigned: exchange_type(&mut module, naga::Scalar::U32),
        signed: exchange_type(&mut module, naga::Scalar::I32),
        wide: facts.capabilities.contains(Capabilities::ATOMIC64).then(|| wide_types(&mut module)),
    };
    let launched = LaunchBlock::of(function);
    let bindings = Bindings::of(&launched, function, options);
    let mut table = Table::new(&mut module);
    table.basic.open_loops = options.report_cut_loops.map(|index| open_loops(&mut table, bindings.open_loops, index));
    let basic = table.basic;
    let mut code = Code::new(None, basic);
    let block = block(&mut table, &mut code, launched.words(), bindings.block);
    let words: Vec<Expr> = (0..launched.words())
        .map(|word| {
            let pointer = code.member(block, word);
            code.load(pointer)
        })
        .collect();
    let alignment = Alignment::of(function);
    let offer = Offer { lane_stores: options.lane_stores, packed: false, bytes: false, halves: false };
    let shapes = shape::shapes(types, function, &alignment, &offer);
    let tables = Tables::of(function);
    let memory = declare(&mut table, &mut code, types, function, shapes, (&words, &tables, &bindings));
    let ids = prologue(&mut table, &mut code, function.workgroup_size(), &words);
    let exchange = Exchange::new(&mut table, &mut code, function, options.subgroups);
    let uniform_loads = if options.wgsl_rules { uniform_loads(function, &facts.uniform) } else { Side::new(false) };
    let native = options.native.limited_to(writes);
    let guards = Guards::of(types, function, options.launch_conditions);
    let floats = Floats::of(function, guards.facts());
    let mut body = Body {
        code,
        types,
        alignment,
        function,
        memory,
        exchange_types,
        library: Library::new(&mut module),
        native,
        is_loose: false,
        exchange,
        ids,
        values: Side::new(None),
        guards,
        uniform_loads,
        wgsl_rules: options.wgsl_rules,
        observed: nan::observed(function, &floats, |op, lane| op::gives_a_nan(native, op, lane)),
        orders_buffers: order_buffers(function),
        flow: Flow::of(function),
    };
    let scalars = &function.regions[function.body].params;
    for (&value, argument) in scalars.iter().zip(launched.arguments()) {
        let (register, _) = registers(argument.ty);
        let words = argument.words().filter_map(|word| words.get(word as usize).copied());
        let registers = words.map(|word| memory::parameter(&mut body.code, register, word)).collect();
        body.define(value, registers);
    }
    body.region(function.body);
    let unbounded = body.may_not_end();
    let entry = naga::EntryPoint {
        name: "main".to_owned(),
        stage: naga::ShaderStage::Compute,
        early_depth_test: None,
        workgroup_size: function.workgroup_size(),
        workgroup_size_overrides: None,
        function: body.code.finish(),
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    };
    let reports = basic.open_loops.is_some_and(|loops| {
        let functions = module.functions.iter().map(|(_, function)| function).chain([&entry.function]);
        let mut expressions = functions.flat_map(|function| function.expressions.iter());
        expressions.any(|(_, expr)| *expr == Expression::GlobalVariable(loops.words))
    });
    module.entry_points.push(entry);
    let tables = if options.table_buffer { tables.words } else { Vec::new() };
    Some(Shader { module, param_words: launched.words(), tables, reports, unbounded })
}

/// Declares the words that count loops.
fn open_loops(table: &mut Table<'_>, binding: u32, index: u32) -> OpenLoops {
    let shape = Shape { word: Word::Atomic, width: 1 };
    let ty = table.array(shape, Some(index.saturating_add(1)));
    let space = AddressSpace::Storage { access: naga::StorageAccess::LOAD | naga::StorageAccess::STORE };
    OpenLoops { words: variable(table, "open_loops", space, Some(binding), ty), index }
}

fn exchange_type(module: &mut naga::Module, scalar: naga::Scalar) -> Handle<naga::Type> {
    module.generate_predeclared_type(naga::PredeclaredType::AtomicCompareExchangeWeakResult(scalar))
}

/// The result of compare-exchange on `u64`, and that type.
fn wide_types(module: &mut naga::Module) -> [Handle<naga::Type>; 2] {
    let ty = naga::Type { name: None, inner: naga::TypeInner::Scalar(naga::Scalar::U64) };
    [exchange_type(module, naga::Scalar::U64), module.types.insert(ty, Span::UNDEFINED)]
}

/// The bindings that follow those of the buffers.
struct Bindings {
    /// The launch block, unless it is immediate data.
    block: Option<u32>,
    /// The tables, if they are a buffer.
    tables: Option<u32>,
    /// What comes last, if it is there at all.
    open_loops: u32,
}

impl Bindings {
    fn of(block: &LaunchBlock, function: &Function, options: &Options) -> Self {
        let mut next = block.buffers().len() as u32;
        let mut take = |is_there: bool| {
            let binding = next;
            next += u32::from(is_there);
            is_there.then_some(binding)
        };
        let block = take(!options.immediates);
        let tables = take(options.table_buffer && !function.tables.is_empty());
        Self { block, tables, open_loops: next }
    }
}

/// Declares the launch block of so many words; a pointer to it.
fn block(table: &mut Table<'_>, code: &mut Code, words: u32, binding: Option<u32>) -> Expr {
    let ty = table.parameters(words);
    let space = if binding.is_some() { AddressSpace::Uniform } else { AddressSpace::Immediate };
    global(table, code, "parameters", space, binding, ty)
}

fn global(
    table: &mut Table<'_>,
    code: &mut Code,
    name: &str,
    space: AddressSpace,
    binding: Option<u32>,
    ty: Handle<naga::Type>,
) -> Expr {
    let variable = variable(table, name, space, binding, ty);
    code.plain(Expression::GlobalVariable(variable))
}

fn variable(
    table: &mut Table<'_>,
    name: &str,
    space: AddressSpace,
    binding: Option<u32>,
    ty: Handle<naga::Type>,
) -> Handle<naga::GlobalVariable> {
    let variable = naga::GlobalVariable {
        name: Some(name.to_owned()),
        space,
        binding: binding.map(|binding| naga::ResourceBinding { group: 0, binding }),
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    table.module().global_variables.append(variable, Span::UNDEFINED)
}

/// Declares every root.
fn declare(
    table: &mut Table<'_>,
    code: &mut Code,
    types: &Types,
    function: &Function,
    shapes: BTreeMap<Root, Shape>,
    (words, tables, bindings): (&[Expr], &Tables, &Bindings),
) -> BTreeMap<Root, DeclaredRoot> {
    let mut memory = BTreeMap::new();
    for (i, &base) in tables.bases.iter().enumerate() {
        let root = Root::Table(i as u32);
        let element = function.root_element(types, root).and_then(|ty| types.layout(ty)).map_or(0, |l| l.size);
        let count = code.word(function.root_size(types, root).unwrap_or(0) / element.max(1));
        memory.insert(root, DeclaredRoot { pointer: code.word(0), shape: WORDS, vector: None, count, element, base });
    }
    if !memory.is_empty() {
        let pointer = tables.declare(table, code, bindings.tables);
        memory.values_mut().for_each(|memory| memory.pointer = pointer);
    }
    let mut binding = 0;
    for (root, shape) in shapes {
        let element = function.root_element(types, root).and_then(|ty| types.layout(ty)).map_or(0, |l| l.size);
        let size = function.root_size(types, root);
        let ty = table.array(shape, size.map(|bytes| bytes.div_ceil(4)));
        let (pointer, count) = match root {
            Root::Param(_) => {
                let access = match function.root_access(root) {
                    Some(Access::Read) => naga::StorageAccess::LOAD,
                    Some(Access::ReadWrite | Access::Atomic) | None => {
                        naga::StorageAccess::LOAD | naga::StorageAccess::STORE
                    }
                };
                let space = AddressSpace::Storage { access };
                let pointer = global(table, code, "buffer", space, Some(binding), ty);
                let count = words.get(LaunchBlock::len_of(binding) as usize).copied();
                binding += 1;
                (pointer, count.unwrap_or_else(|| code.word(0)))
            }
            Root::Shared(_) => {
                let pointer = global(table, code, "shared", AddressSpace::WorkGroup, None, ty);
                (pointer, code.word(size.unwrap_or(0) / element.max(1)))
            }
            Root::Private(_) => {
                let pointer = code.local(ty);
                (pointer, code.word(size.unwrap_or(0) / element.max(1)))
            }
            Root::Table(_) => continue,
        };
        let vector = table.vector(shape);
        memory.insert(root, DeclaredRoot { pointer, shape, vector, count, element, base: 0 });
    }
    memory
}

/// The shape of memory that is an array of words.
const WORDS: Shape = Shape { width: 1, word: Word::Plain };

/// The tables of a function, one after the other.
struct Tables {
    words: Vec<u32>,
    /// The word where each begins.
    bases: Vec<u32>,
}

impl Tables {
    fn of(function: &Function) -> Self {
        let mut tables = Self { words: Vec::new(), bases: Vec::new() };
        for table in &function.tables {
            tables.bases.push(tables.words.len() as u32);
            tables.words.extend(
                table
                    .bytes
                    .chunks(4)
                    .map(|bytes| bytes.iter().rev().fold(0, |word: u32, &byte| word << 8 | u32::from(byte))),
            );
        }
        tables
    }

    /// Declares the array that they are.
    fn declare(&self, table: &mut Table<'_>, code: &mut Code, binding: Option<u32>) -> Expr {
        let ty = table.array(WORDS, Some(self.words.len() as u32));
        if binding.is_some() {
            let space = AddressSpace::Storage { access: naga::StorageAccess::LOAD };
            return global(table, code, "tables", space, binding, ty);
        }
        let module = table.module();
        let mut known = BTreeMap::new();
        let mut components = Vec::with_capacity(self.words.len());
        for &word in &self.words {
            let literal = Expression::Literal(naga::Literal::U32(word));
            let expressions = &mut module.global_expressions;
            components.push(*known.entry(word).or_insert_with(|| expressions.append(literal, Span::UNDEFINED)));
        }
        let init = module.global_expressions.append(Expression::Compose { ty, components }, Span::UNDEFINED);
        let variable = variable(table, "tables", AddressSpace::Private, None, ty);
        table.module().global_variables[variable].init = Some(init);
        code.plain(Expression::GlobalVariable(variable))
    }
}

/// Finds the logical ids; workgroups beyond the launch end here.
fn prologue(table: &mut Table<'_>, code: &mut Code, size: [u32; 3], words: &[Expr]) -> Ids {
    let id = table.id();
    let argument = |code: &mut Code, built_in, ty| {
        let binding = Some(naga::Binding::BuiltIn(built_in));
        code.function.arguments.push(naga::FunctionArgument { name: None, ty, binding });
        code.plain(Expression::FunctionArgument(code.function.arguments.len() as u32 - 1))
    };
    let group = argument(code, naga::BuiltIn::WorkGroupId, id);
    let local = argument(code, naga::BuiltIn::LocalInvocationId, id);
    let local_index = argument(code, naga::BuiltIn::LocalInvocationIndex, code.basic.u32);
    let axes = |code: &mut Code, vector| [0, 1, 2].map(|axis| code.member(vector, axis));
    let (physical, mut local) = (axes(code, group), axes(code, local));
    let zero = code.word(0);
    // Of one invocation on an axis all are the same, which WGSL does not find out.
    local.iter_mut().zip(size).filter(|(_, size)| *size == 1).for_each(|(local, _)| *local = zero);
    let word = |i: u32| words.get(i as usize).copied().unwrap_or(zero);
    let (groups, fold) = (LaunchBlock::GROUPS.map(word), LaunchBlock::FOLD.map(word));

    // A launch has at least one group on every axis.
    let zeros = [groups[0], groups[1]].map(|count| {
        let never = code.binary(Bin::Equal, count, zero);
        code.truth_word(never)
    });
    let variables = physical.map(|value| {
        let variable = code.local(code.basic.u32);
        code.store(variable, value);
        variable
    });
    let folded = code.truth(fold[0]);
    code.when(folded, |code| {
        let depth = code.binary(Bin::Multiply, fold[1], physical[2]);
        let row = code.binary(Bin::Add, physical[1], depth);
        let row = code.binary(Bin::Multiply, fold[0], row);
        let linear = code.binary(Bin::Add, physical[0], row);
        let plane = code.binary(Bin::Multiply, groups[0], groups[1]);
        let total = code.binary(Bin::Multiply, plane, groups[2]);
        let beyond = code.binary(Bin::GreaterEqual, linear, total);
        code.when(beyond, |code| code.statement(Statement::Return { value: None }));
        for (variable, value) in variables.into_iter().zip([linear, zero, zero]) {
            code.store(variable, value);
        }
        // Divisions are slow, and most folded grids have one axis.
        let (others, one) = (code.binary(Bin::InclusiveOr, groups[1], groups[2]), code.word(1));
        let is_more = code.binary(Bin::NotEqual, others, one);
        code.when(is_more, |code| {
            let mut rest = linear;
            for axis in 0..2 {
                let empty = code.binary(Bin::Equal, groups[axis], zero);
                let extent = code.select(empty, one, groups[axis]);
                let next = code.binary(Bin::Divide, rest, extent);
                let taken = code.binary(Bin::Multiply, next, extent);
                let index = code.binary(Bin::Subtract, rest, taken);
                code.store(variables[axis], index);
                rest = next;
            }
            code.store(variables[2], rest);
        });
    });
    let group = variables.map(|variable| code.load(variable));
    let global = [0, 1, 2].map(|axis| {
        let size = code.word(size[axis]);
        let first = code.binary(Bin::Multiply, group[axis], size);
        code.binary(Bin::Add, first, local[axis])
    });
    Ids { axes: [global, local, group, groups], local_index, zeros }
}
