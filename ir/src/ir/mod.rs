//! The IR: structured SSA as plain data.
//!
//! A function body is a tree of regions. A [`Region`] is a list of instructions of which
//! the last, and only the last, is a terminator. `if`, `switch` and `loop` are
//! instructions that own regions and have results:
//!
//! - `if` runs one of two regions; each ends in `yield`, whose operands become the
//!   results, or leaves further out.
//! - `switch` runs the region whose case lists the selector's value, else the default.
//! - `loop` runs its region again and again. The region's parameters start as the
//!   initial operands and, after `continue`, are that terminator's operands. `break`
//!   ends the loop and gives its results. Both name the loop's instruction, so that they
//!   may leave inner loops too.
//! - `return` ends the function and gives its results; in a kernel it ends the invocation.
//!
//! A value is visible after its instruction in its region and in the regions below.
//! Constants are values of the function, visible everywhere. Mutable variables
//! ([`Var`]) exist until SSA construction turns them into region parameters.
//!
//! **There are no pointers.** A memory access names a [`Root`] and a [`Place`] in it: a
//! constant byte offset plus indices times strides, computed without wrapping. An access
//! is in bounds if each index is below its bound, where it has one, and the access ends
//! within the root. Out of bounds a load gives zero, a store does nothing, an atomic does
//! nothing and gives zero.
//!
//! **Calls** name a function of the module by its index. A device function takes scalars
//! and vectors by value, and memory as a *view*: the caller passes a place, and what the
//! callee accesses is relative to it and ends where the caller's memory ends. Workgroup
//! memory that it declares exists once for each call instruction. No function calls itself,
//! not even through others, so that every call can be replaced by the callee's body; see
//! [`inline`](crate::inline).

mod edit;
mod requires;
mod table;
mod walk;

pub(crate) use edit::Replaced;
pub(crate) use requires::integer;
pub use requires::{Amount, MAX_REQUIREMENTS, MAX_STEPS, Relation, Requirement, Step, Unsound};
pub use table::Table;
pub use walk::Regions;

use crate::arena::{Arena, Id, Side};
use crate::flags::{Flags, Unroll};
use crate::limits::Limits;
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Op, SUBGROUP_SIZE, SubgroupOp};
use crate::order::{MemoryOrder, Ordering, Scope};
pub use crate::types::{MAX_NESTING, MAX_TYPE_PARTS};
use crate::types::{Scalar, Type, Types};
use std::collections::BTreeMap;

/// How many instructions a function may have.
pub const MAX_INSTS: usize = 100_000;

/// A value: a constant, a region parameter or an instruction's result.
pub type Value = Id<ValueDef>;
/// An instruction.
pub type Inst = Id<InstDef>;
/// A list of instructions with parameters.
pub type Region = Id<RegionDef>;
/// A mutable variable.
pub type Var = Id<VarDef>;

/// Functions and the types that they use.
#[derive(Clone, Default, Debug)]
pub struct Module {
    /// Arrays and structs.
    pub types: Types,
    /// The functions; each name occurs once.
    pub functions: Vec<Function>,
}

/// Who runs a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// A launch does.
    Kernel {
        /// Invocations of a workgroup on x, y, z.
        workgroup_size: [u32; 3],
    },
    /// Other functions do, by calls.
    Device,
}

/// A function: its parameters, its memory and its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name in the source.
    pub name: String,
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// What the launch or the caller passes, in order.
    pub params: Vec<Param>,
    /// What a call gives; nothing for a kernel.
    pub results: Vec<Type>,
    /// Workgroup memory; only kernels have any.
    pub shared: Vec<Memory>,
    /// Arrays of one invocation, zero when the function begins.
    pub private: Vec<Memory>,
    /// Memory that is only read and whose bytes are known; no two are the same.
    pub tables: Vec<Table>,
    /// The mutable variables.
    pub vars: Arena<VarDef>,
    /// Every value.
    pub values: Arena<ValueDef>,
    /// Every instruction.
    pub insts: Arena<InstDef>,
    /// Whether devices may compute floats as they please, except for ops with the flag
    /// `precise`; only kernels say so. What the passes and the interpreter do stays exact.
    pub fast_math: bool,
    /// How much of a device it may use beyond what every one has; only kernels say so.
    pub limits: Limits,
    /// What every launch satisfies, since it is refused otherwise; only kernels have any.
    pub requires: Vec<Requirement>,
    /// What is said about instructions that [take flags](InstKind::takes_flags).
    pub flags: Side<InstDef, Flags>,
    /// What the source asks of loops, and where it does; it says nothing about others.
    pub unroll: Side<InstDef, Option<(Unroll, Loc)>>,
    /// What need not be right of an instruction, because something else takes its place before anybody looks. The expansion
    /// of mathematical functions says so of what it makes, and no text or wire form does.
    pub(crate) lenient: Side<InstDef, Lenient>,
    /// Every region.
    pub regions: Arena<RegionDef>,
    /// The outermost region. Its parameters are the scalar parameters, in order.
    pub body: Region,
    /// The constants, each stored once.
    pub constants: BTreeMap<(Scalar, u64), Value>,
    /// Where the function is.
    pub loc: Loc,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The name in the source.
    pub name: String,
    /// Buffer or scalar.
    pub kind: ParamKind,
    /// What every launch promises of the elements of a buffer.
    pub elements: Elements,
    /// Where the parameter is.
    pub loc: Loc,
}

/// What a parameter is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamKind {
    /// A buffer of elements; in a device function a view of any memory.
    Buffer {
        /// The element.
        element: Type,
        /// What the function may do with it.
        access: Access,
    },
    /// A scalar or vector, a parameter of the body region.
    Scalar(Type),
}

/// What a launch promises of the elements of a buffer that is only read. Who launches the kernel looks at them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Elements {
    /// Nothing.
    #[default]
    Any,
    /// No two are equal.
    Distinct,
    /// Each is below a number that the launch says, the buffer's bound. It is at least 1, since a load out of bounds
    /// gives 0.
    Below,
}

/// What a function may do with a root; each allows more than the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Access {
    /// Loads.
    Read,
    /// Loads and stores.
    ReadWrite,
    /// Atomic accesses and nothing else; of elements that are structs, loads and stores of other fields as well.
    Atomic,
}

/// A named piece of memory of fixed size that a function declares.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// The name in the source.
    pub name: String,
    /// Its type, usually an array.
    pub ty: Type,
    /// Loads and stores, or atomics.
    pub access: Access,
    /// Where the declaration is.
    pub loc: Loc,
}

/// A mutable variable.
#[derive(Clone, PartialEq, Debug)]
pub struct VarDef {
    /// The name in the source.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
    /// Where the declaration is.
    pub loc: Loc,
}

/// A value's type and name.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueDef {
    /// The type.
    pub ty: Type,
    /// The bits, if the value is a constant.
    pub constant: Option<u64>,
    /// The name in the source, if it has one.
    pub name: Option<Box<str>>,
}

/// A region's parameters and instructions.
#[derive(Clone, Default, Debug)]
pub struct RegionDef {
    /// Values that are set on entry: the loop's state, or the function's scalars.
    pub params: Vec<Value>,
    /// The instructions; the last one is the terminator.
    pub insts: Vec<Inst>,
}

/// An instruction, its results and its place in the source.
#[derive(Clone, Debug)]
pub struct InstDef {
    /// What it does.
    pub kind: InstKind,
    /// The values that it gives.
    pub results: Vec<Value>,
    /// Where it is.
    pub loc: Loc,
}

/// A piece of memory that an access can name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Root {
    /// The buffer that is the parameter of this index.
    Param(u32),
    /// The workgroup memory of this index.
    Shared(u32),
    /// The invocation's array of this index.
    Private(u32),
    /// The table of this index.
    Table(u32),
}

/// Where in a root an access begins.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The memory.
    pub root: Root,
    /// Bytes from the start of the root.
    pub offset: u32,
    /// Indices that add to the offset.
    pub indices: Vec<Index>,
}

/// One index of a place; it adds `value * stride` bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Index {
    /// A `u32`.
    pub value: Value,
    /// Bytes from one element to the next, at least 1.
    pub stride: u32,
    /// The access is out of bounds unless the value is below this; `None` leaves that to
    /// the size of the root.
    pub bound: Option<u32>,
}

/// What a call passes for a parameter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CallArg {
    /// A scalar or vector.
    Value(Value),
    /// Where a view begins. It ends with the memory that it is in.
    Place(Place),
}

/// A case of a `switch`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Bits of the selector's type; each occurs once in a switch.
    pub values: Vec<u64>,
    /// What then runs.
    pub region: Region,
}

/// What an instruction does.
#[derive(Clone, PartialEq, Debug)]
pub enum InstKind {
    /// A pure op of the table.
    Op(Op, Vec<Value>),
    /// The value at a place; the result's type is the type of the access.
    Load(Place),
    /// Sets the value at a place.
    Store(Place, Value),
    /// An atomic access; no result for `store`.
    Atomic(AtomicOp, Place, Vec<Value>, MemoryOrder),
    /// The number of elements of a root, a `u32`.
    Len(Root),
    /// A fact about the invocation's place in the launch.
    Builtin(Builtin),
    /// Waits until every invocation of the workgroup is here, and makes all that they
    /// wrote to workgroup memory and buffers visible to them.
    Barrier,
    /// What the invocations of each subgroup do together, when every invocation of the
    /// subgroup is here; orders no memory.
    Subgroup(SubgroupOp, Vec<Value>),
    /// Orders the invocation's accesses before it with those after it.
    Fence(Ordering, Scope),
    /// Runs a device function and gives what it returns.
    Call {
        /// The index of the function in the module.
        function: u32,
        /// One for each parameter.
        args: Vec<CallArg>,
    },
    /// Reads a variable.
    Get(Var),
    /// Sets a variable.
    Set(Var, Value),
    /// Runs one of two regions.
    If {
        /// A `bool`.
        condition: Value,
        /// Runs if the condition is true.
        then: Region,
        /// Runs if it is false.
        otherwise: Region,
    },
    /// Runs the region of the case that lists the selector.
    Switch {
        /// An integer or a `bool`.
        selector: Value,
        /// The cases.
        cases: Vec<Case>,
        /// Runs if no case does.
        default: Region,
    },
    /// Repeats a region.
    Loop {
        /// The region; it never ends in `yield`.
        body: Region,
        /// What its parameters are at first.
        initial: Vec<Value>,
        /// The name in the source, without the quote mark.
        label: Option<Box<str>>,
    },
    /// Ends a region of an `if` or `switch` and gives its results.
    Yield(Vec<Value>),
    /// Ends the loop and gives its results.
    Break(Inst, Vec<Value>),
    /// Starts the loop's region again with these parameters.
    Continue(Inst, Vec<Value>),
    /// Ends the function and gives its results; in a kernel, ends the invocation.
    Return(Vec<Value>),
    /// Cannot be reached.
    Unreachable,
}

impl InstKind {
    /// Whether this ends a region.
    pub const fn is_terminator(&self) -> bool {
        matches!(self, Self::Yield(_) | Self::Break(..) | Self::Continue(..) | Self::Return(_) | Self::Unreachable)
    }

    /// Whether the instruction may have flags. What owns regions has none, and neither has
    /// a call, whose instructions have their own.
    pub fn takes_flags(&self) -> bool {
        !self.has_regions() && !matches!(self, Self::Call { .. })
    }

    /// Whether the instruction may be `racy`: it is a load or a store of a buffer or of workgroup
    /// memory.
    pub const fn may_be_racy(&self) -> bool {
        match self {
            Self::Load(place) | Self::Store(place, _) => matches!(place.root, Root::Param(_) | Root::Shared(_)),
            _ => false,
        }
    }

    /// Whether removing the instruction, its results being unused, changes nothing.
    /// Regions are not looked into.
    pub const fn is_pure(&self) -> bool {
        matches!(self, Self::Op(..) | Self::Load(_) | Self::Len(_) | Self::Builtin(_) | Self::Get(_))
    }
}

/// What need not be right of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lenient {
    /// A NaN may have any bits.
    pub any_nan: bool,
    /// A conversion may take a subnormal number for a zero.
    pub flushes: bool,
}

impl Lenient {
    /// All has to be right.
    pub const NOWHERE: Self = Self { any_nan: false, flushes: false };
}

impl Module {
    /// The function of this name.
    ///
    /// ```
    /// # use samebits_ir::ir::Module;
    /// assert!(Module::default().function("saxpy").is_none());
    /// ```
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| f.name == name)
    }
}

impl Function {
    /// A kernel without parameters whose body is an empty region.
    pub fn new(name: impl Into<String>, workgroup_size: [u32; 3], loc: Loc) -> Self {
        Self::of_kind(name, FunctionKind::Kernel { workgroup_size }, loc)
    }

    /// A device function without parameters and results whose body is an empty region.
    pub fn device(name: impl Into<String>, loc: Loc) -> Self {
        Self::of_kind(name, FunctionKind::Device, loc)
    }

    fn of_kind(name: impl Into<String>, kind: FunctionKind, loc: Loc) -> Self {
        let mut regions = Arena::new();
        let body = regions.push(RegionDef::default());
        Self {
            name: name.into(),
            kind,
            params: Vec::new(),
            results: Vec::new(),
            shared: Vec::new(),
            private: Vec::new(),
            tables: Vec::new(),
            vars: Arena::new(),
            values: Arena::new(),
            insts: Arena::new(),
            fast_math: false,
            limits: Limits::NONE,
            requires: Vec::new(),
            flags: Side::new(Flags::NONE),
            unroll: Side::new(None),
            lenient: Side::new(Lenient::NOWHERE),
            regions,
            body,
            constants: BTreeMap::new(),
            loc,
        }
    }

    /// Whether a launch may run this.
    pub const fn is_kernel(&self) -> bool {
        matches!(self.kind, FunctionKind::Kernel { .. })
    }

    /// The invocations of a kernel's workgroup on x, y, z; a device function has none of
    /// its own, and this says 1.
    pub const fn workgroup_size(&self) -> [u32; 3] {
        match self.kind {
            FunctionKind::Kernel { workgroup_size } => workgroup_size,
            FunctionKind::Device => [1; 3],
        }
    }

    /// The invocations of a workgroup; of those that no launch can have, at most `u64::MAX`.
    pub fn invocations(&self) -> u64 {
        self.workgroup_size().iter().fold(1, |product: u64, &extent| product.saturating_mul(extent.into()))
    }

    /// The greatest number that a builtin of a kernel can be; `None` where the launch decides.
    pub(crate) fn greatest(&self, builtin: Builtin) -> Option<u64> {
        let size = self.workgroup_size().map(u64::from);
        let subgroups = self.invocations().div_ceil(SUBGROUP_SIZE.into());
        let count = match builtin {
            Builtin::LocalIdX => size[0],
            Builtin::LocalIdY => size[1],
            Builtin::LocalIdZ => size[2],
            Builtin::LocalIndex => self.invocations(),
            Builtin::SubgroupId => subgroups,
            Builtin::SubgroupLane => self.invocations().min(SUBGROUP_SIZE.into()),
            Builtin::NumSubgroups => subgroups + 1,
            Builtin::GlobalIdX | Builtin::GlobalIdY | Builtin::GlobalIdZ => return None,
            Builtin::WorkgroupIdX | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ => return None,
            Builtin::NumWorkgroupsX | Builtin::NumWorkgroupsY | Builtin::NumWorkgroupsZ => return None,
        };
        self.is_kernel().then_some(count.saturating_sub(1))
    }

    /// The constant with these bits, made if it is new.
    pub fn constant(&mut self, ty: Scalar, bits: u64) -> Value {
        let bits = bits & ty.mask();
        let values = &mut self.values;
        *self
            .constants
            .entry((ty, bits))
            .or_insert_with(|| values.push(ValueDef { ty: Type::Scalar(ty), constant: Some(bits), name: None }))
    }

    /// Whether a target may compute an instruction's op on `f32` as it pleases.
    pub fn is_loose(&self, inst: Inst) -> bool {
        let flags = self.flags[inst];
        (self.fast_math || flags.has(Flags::APPROX)) && !flags.has(Flags::PRECISE)
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The type that a load, store or atomic instruction accesses memory as; `None` of any other.
    pub fn accessed(&self, inst: Inst) -> Option<Type> {
        let def = &self.insts[inst];
        let value = match &def.kind {
            InstKind::Load(_) => def.results.first(),
            InstKind::Store(_, value) => Some(value),
            InstKind::Atomic(_, _, args, _) => args.first().or(def.results.first()),
            _ => None,
        };
        value.map(|&value| self.ty(value))
    }

    /// The bits of a value that is a constant.
    pub fn constant_bits(&self, value: Value) -> Option<u64> {
        self.values[value].constant
    }

    /// The instructions of a region; a copy, so that the function may be changed.
    pub fn region_insts(&self, region: Region) -> Vec<Inst> {
        self.regions[region].insts.clone()
    }

    /// The terminator of a region, or whatever stands last in it.
    pub(crate) fn terminator(&self, region: Region) -> Option<&InstKind> {
        self.regions[region].insts.last().map(|&last| &self.insts[last].kind)
    }

    /// What a region yields; `None` for one that leaves further out.
    pub(crate) fn yielded(&self, region: Region) -> Option<&[Value]> {
        match self.terminator(region)? {
            InstKind::Yield(values) => Some(values),
            _ => None,
        }
    }

    /// The bits of a scalar op's result if those of all operands are known.
    pub(crate) fn evaluated(
        &self,
        op: Op,
        args: &[Value],
        ty: Type,
        mut known: impl FnMut(Value) -> Option<u64>,
    ) -> Option<u64> {
        let Type::Scalar(_) = ty else { return None };
        let (mut types, mut lanes) = (Vec::with_capacity(args.len()), Vec::with_capacity(args.len()));
        for &arg in args {
            let of @ Type::Scalar(_) = self.ty(arg) else { return None };
            types.push(of);
            lanes.push([known(arg)?, 0, 0, 0]);
        }
        (op.result(&types, Some(ty)) == Some(ty)).then(|| op.eval(&types, ty, &lanes)[0])
    }

    /// A root's name, or `?` for one that does not exist.
    pub fn root_name(&self, root: Root) -> &str {
        let name = match root {
            Root::Param(i) => self.params.get(i as usize).map(|p| &p.name),
            Root::Shared(i) => self.shared.get(i as usize).map(|m| &m.name),
            Root::Private(i) => self.private.get(i as usize).map(|m| &m.name),
            Root::Table(i) => self.tables.get(i as usize).map(|t| &t.name),
        };
        name.map_or("?", String::as_str)
    }

    /// What may be done with a root; `None` for one that does not exist or is a scalar.
    pub fn root_access(&self, root: Root) -> Option<Access> {
        match root {
            Root::Param(i) => match self.params.get(i as usize)?.kind {
                ParamKind::Buffer { access, .. } => Some(access),
                ParamKind::Scalar(_) => None,
            },
            Root::Shared(i) => self.shared.get(i as usize).map(|m| m.access),
            Root::Private(i) => self.private.get(i as usize).map(|m| m.access),
            Root::Table(i) => self.tables.get(i as usize).map(|_| Access::Read),
        }
    }

    /// The type whose size is the distance between a root's elements: a buffer's element,
    /// an array's element, else the memory's type itself.
    pub fn root_element(&self, types: &Types, root: Root) -> Option<Type> {
        match (root, self.root_type(root)) {
            (Root::Param(i), _) => match self.params.get(i as usize)?.kind {
                ParamKind::Buffer { element, .. } => Some(element),
                ParamKind::Scalar(_) => None,
            },
            (_, Some(Type::Array(id))) => types.arrays.get(id).map(|def| def.element),
            (_, other) => other,
        }
    }

    /// The type of memory of fixed size, or `None` of a buffer or what does not exist.
    pub fn root_type(&self, root: Root) -> Option<Type> {
        match root {
            Root::Param(_) => None,
            Root::Shared(i) => self.shared.get(i as usize).map(|m| m.ty),
            Root::Private(i) => self.private.get(i as usize).map(|m| m.ty),
            Root::Table(i) => self.tables.get(i as usize).map(|t| t.ty),
        }
    }

    /// The size of a root in bytes, or `None` if it is a buffer or does not exist.
    pub fn root_size(&self, types: &Types, root: Root) -> Option<u32> {
        types.layout(self.root_type(root)?).map(|layout| layout.size)
    }
}
