//! How IR is made: by the front end, the text parser, the wire decoder and programs.
//!
//! The builder never panics. Result types come from the op table; operands that do not
//! fit give a value of [`Type::Error`], which the type check reports once.
//! Regions are opened with [`Builder::enter`] and closed with [`Builder::leave`]; the
//! instruction that owns them is placed when it is finished, after them in time and
//! before what follows in order.

use crate::flags::{Flags, Unroll};
use crate::ir::{
    CallArg, Case, Elements, Function, Index, Inst, InstDef, InstKind, Memory, Module, Param, ParamKind, Place, Region,
    RegionDef, Requirement, Root, Table, Value, ValueDef, Var, VarDef,
};
use crate::limits::Limits;
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Op, SubgroupOp};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{Scalar, Type, Types};

/// Builds one function.
///
/// ```
/// use samebits_ir::builder::Builder;
/// use samebits_ir::ir::{Access, Index, ParamKind};
/// use samebits_ir::ops::{Builtin, Op};
/// use samebits_ir::types::Type;
///
/// let mut b = Builder::new("double", [64, 1, 1]);
/// let data = b.buffer("data", Type::U32, Access::ReadWrite);
/// let i = b.builtin(Builtin::GlobalIdX);
/// let place = b.place(data, &[Index { value: i, stride: 4, bound: None }], 0);
/// let old = b.load(place.clone(), Type::U32);
/// let new = b.op(Op::Add, &[old, old]);
/// b.store(place, new);
/// b.ret();
/// assert_eq!(b.finish().name, "double");
/// ```
#[derive(Debug)]
pub struct Builder {
    function: Function,
    /// The regions being filled, outermost first; never empty.
    open: Vec<Region>,
    loc: Loc,
    flags: Flags,
}

impl Builder {
    /// Starts a kernel with an empty body.
    pub fn new(name: impl Into<String>, workgroup_size: [u32; 3]) -> Self {
        Self::of(Function::new(name, workgroup_size, Loc::NONE))
    }

    /// Starts a device function with an empty body.
    ///
    /// ```
    /// use samebits_ir::builder::Builder;
    /// use samebits_ir::ir::{CallArg, Module};
    /// use samebits_ir::{check::check, ops::Op, types::{Type, Types}};
    ///
    /// let mut square = Builder::device("square");
    /// let x = square.scalar("x", Type::U32);
    /// let squared = square.op(Op::Mul, &[x, x]);
    /// square.results(&[Type::U32]);
    /// square.ret_values(&[squared]);
    ///
    /// let mut kernel = Builder::new("nine", [1, 1, 1]);
    /// let three = kernel.u32(3);
    /// let nine = kernel.call(0, vec![CallArg::Value(three)], &[Type::U32]);
    /// kernel.ret();
    /// assert_eq!(nine.len(), 1);
    /// let functions = vec![square.finish(), kernel.finish()];
    /// assert!(check(Module { types: Types::default(), functions }).is_ok());
    /// ```
    pub fn device(name: impl Into<String>) -> Self {
        Self::of(Function::device(name, Loc::NONE))
    }

    fn of(function: Function) -> Self {
        let open = vec![function.body];
        Self { function, open, loc: Loc::NONE, flags: Flags::NONE }
    }

    /// The function so far.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The function, done.
    pub fn finish(self) -> Function {
        self.function
    }

    /// The function as the only one of a module that has these types.
    pub fn into_module(self, types: Types) -> Module {
        Module { types, functions: vec![self.function] }
    }

    /// Sets the place in the source of what is built next, and of the function if
    /// nothing was built yet.
    pub fn at(&mut self, loc: Loc) {
        self.loc = loc;
        if self.function.insts.is_empty() && self.function.params.is_empty() {
            self.function.loc = loc;
        }
    }

    /// The place in the source of what is built next.
    pub fn loc(&self) -> Loc {
        self.loc
    }

    /// Sets the flags of what is built from here on. Instructions with regions and calls
    /// have none, and only loads and stores of memory that several invocations may change are racy.
    ///
    /// ```
    /// use samebits_ir::{builder::Builder, flags::Flags, ops::Op, types::Type};
    /// let mut b = Builder::device("twice");
    /// let x = b.scalar("x", Type::F32);
    /// b.flags(Flags::PRECISE);
    /// b.op(Op::Add, &[x, x]);
    /// b.flags(Flags::NONE);
    /// let (inst, _) = b.function().insts.iter().next().ok_or("an instruction")?;
    /// assert!(b.function().flags[inst].has(Flags::PRECISE));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn flags(&mut self, flags: Flags) {
        self.flags = flags;
    }

    // Declarations.

    /// Sets the types of what a call gives.
    pub fn results(&mut self, types: &[Type]) {
        self.function.results = types.to_vec();
    }

    /// Adds a buffer parameter, which is a view in a device function.
    pub fn buffer(&mut self, name: impl Into<String>, element: Type, access: crate::ir::Access) -> Root {
        let kind = ParamKind::Buffer { element, access };
        self.function.params.push(Param { name: name.into(), kind, elements: Elements::Any, loc: self.loc });
        Root::Param(self.function.params.len() as u32 - 1)
    }

    /// States what every launch promises of the elements of a buffer.
    ///
    /// ```
    /// use samebits_ir::{builder::Builder, ir::{Access, Elements}, types::Type};
    /// let mut b = Builder::new("k", [64, 1, 1]);
    /// let places = b.buffer("places", Type::U32, Access::Read);
    /// b.promise(places, Elements::Distinct);
    /// b.ret();
    /// assert_eq!(b.finish().params[0].elements, Elements::Distinct);
    /// ```
    pub fn promise(&mut self, root: Root, elements: Elements) {
        if let Root::Param(index) = root
            && let Some(param) = self.function.params.get_mut(index as usize)
        {
            param.elements = elements;
        }
    }

    /// Adds a scalar parameter.
    pub fn scalar(&mut self, name: impl Into<String>, ty: Type) -> Value {
        let name = name.into();
        let value = self.value(ty);
        self.name(value, &name);
        let body = self.function.body;
        self.function.regions[body].params.push(value);
        self.function.params.push(Param { name, kind: ParamKind::Scalar(ty), elements: Elements::Any, loc: self.loc });
        value
    }

    /// Adds workgroup memory.
    pub fn shared(&mut self, name: impl Into<String>, ty: Type, access: crate::ir::Access) -> Root {
        self.function.shared.push(Memory { name: name.into(), ty, access, loc: self.loc });
        Root::Shared(self.function.shared.len() as u32 - 1)
    }

    /// Adds an array of each invocation.
    pub fn private(&mut self, name: impl Into<String>, ty: Type) -> Root {
        let access = crate::ir::Access::ReadWrite;
        self.function.private.push(Memory { name: name.into(), ty, access, loc: self.loc });
        Root::Private(self.function.private.len() as u32 - 1)
    }

    /// Adds a table, in the place of the builder; the same one again where the function has it.
    pub fn add_table(&mut self, table: Table) -> Root {
        self.function.table(table)
    }

    /// Adds read-only memory whose scalars have these bits, in order; the same one again where
    /// the function has it. `None` where the type has more or fewer scalars, or no size.
    pub fn table(&mut self, name: impl Into<String>, ty: Type, types: &Types, bits: &[u64]) -> Option<Root> {
        let bytes = Table::bytes_of(types, ty, bits)?;
        Some(self.function.table(Table { name: name.into(), ty, bytes, loc: self.loc }))
    }

    /// Adds a mutable variable.
    pub fn var(&mut self, name: impl Into<String>, ty: Type) -> Var {
        self.function.vars.push(VarDef { name: name.into(), ty, loc: self.loc })
    }

    /// Names a value for messages and text. A constant keeps its literal as its name.
    pub fn name(&mut self, value: Value, name: &str) {
        let def = &mut self.function.values[value];
        if def.constant.is_none() && def.name.is_none() {
            def.name = Some(name.into());
        }
    }

    // Values.

    /// A constant.
    pub fn constant(&mut self, ty: Scalar, bits: u64) -> Value {
        self.function.constant(ty, bits)
    }

    /// A `u32` constant.
    pub fn u32(&mut self, value: u32) -> Value {
        self.constant(Scalar::U32, u64::from(value))
    }

    /// An op whose result type follows from its operands.
    pub fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.function.ty(v)).collect();
        let ty = op.result(&types, None).unwrap_or(Type::Error);
        self.push1(InstKind::Op(op, args.to_vec()), ty)
    }

    /// A cast, bitcast or other op with a stated result type.
    pub fn op_to(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        self.push1(InstKind::Op(op, args.to_vec()), ty)
    }

    /// A builtin.
    pub fn builtin(&mut self, builtin: Builtin) -> Value {
        self.push1(InstKind::Builtin(builtin), Type::U32)
    }

    /// The number of elements of a root.
    pub fn len(&mut self, root: Root) -> Value {
        self.push1(InstKind::Len(root), Type::U32)
    }

    // Memory.

    /// A place in a root.
    pub fn place(&self, root: Root, indices: &[Index], offset: u32) -> Place {
        Place { root, offset, indices: indices.to_vec() }
    }

    /// A load.
    pub fn load(&mut self, place: Place, ty: Type) -> Value {
        self.push1(InstKind::Load(place), ty)
    }

    /// A store.
    pub fn store(&mut self, place: Place, value: Value) {
        self.push(InstKind::Store(place, value), &[]);
    }

    /// A relaxed atomic access; the result is the old value, and `None` for a store.
    pub fn atomic(&mut self, op: AtomicOp, place: Place, args: &[Value], ty: Type) -> Option<Value> {
        self.atomic_with(op, place, args, ty, MemoryOrder::RELAXED)
    }

    /// An atomic access of this order.
    pub fn atomic_with(
        &mut self,
        op: AtomicOp,
        place: Place,
        args: &[Value],
        ty: Type,
        order: MemoryOrder,
    ) -> Option<Value> {
        let kind = InstKind::Atomic(op, place, args.to_vec(), order);
        if op == AtomicOp::Store {
            self.push(kind, &[]);
            None
        } else {
            Some(self.push1(kind, ty))
        }
    }

    /// A barrier.
    pub fn barrier(&mut self) {
        self.push(InstKind::Barrier, &[]);
    }

    /// What the invocations of each subgroup do together; for vectors lane by lane.
    ///
    /// ```
    /// use samebits_ir::{builder::Builder, ops::SubgroupOp, types::Type};
    /// let mut b = Builder::new("k", [64, 1, 1]);
    /// let one = b.u32(1);
    /// let lanes = b.subgroup(SubgroupOp::Add, &[one]);
    /// assert_eq!(b.function().ty(lanes), Type::U32);
    /// ```
    pub fn subgroup(&mut self, op: SubgroupOp, args: &[Value]) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.function.ty(v)).collect();
        let ty = op.result(&types).unwrap_or(Type::Error);
        self.push1(InstKind::Subgroup(op, args.to_vec()), ty)
    }

    /// A fence.
    pub fn fence(&mut self, ordering: Ordering, scope: Scope) {
        self.push(InstKind::Fence(ordering, scope), &[]);
    }

    /// A call of the function of this index in the module, which gives results of these
    /// types.
    pub fn call(&mut self, function: u32, args: Vec<CallArg>, results: &[Type]) -> Vec<Value> {
        let inst = self.push(InstKind::Call { function, args }, results);
        self.function.insts[inst].results.clone()
    }

    /// Reads a variable.
    pub fn get(&mut self, var: Var) -> Value {
        let ty = self.function.vars[var].ty;
        self.push1(InstKind::Get(var), ty)
    }

    /// Sets a variable.
    pub fn set(&mut self, var: Var, value: Value) {
        self.push(InstKind::Set(var, value), &[]);
    }

    // Control flow.

    /// A new region with parameters of these types, not open yet.
    pub fn region(&mut self, params: &[Type]) -> Region {
        let params = params.iter().map(|&ty| self.value(ty)).collect();
        self.function.regions.push(RegionDef { params, insts: Vec::new() })
    }

    /// The parameters of a region.
    pub fn region_params(&self, region: Region) -> Vec<Value> {
        self.function.regions[region].params.clone()
    }

    /// What is built from here on goes to this region.
    pub fn enter(&mut self, region: Region) {
        self.open.push(region);
    }

    /// Asks passes to unroll a loop, or not to; the request stands where the builder is
    /// [at](Self::at).
    ///
    /// ```
    /// use samebits_ir::{builder::Builder, flags::Unroll};
    /// let mut b = Builder::new("once", [1, 1, 1]);
    /// let (inst, _) = b.begin_loop(None, &[]);
    /// b.unroll(inst, Unroll::Never);
    /// b.break_(inst, &[]);
    /// b.end_loop(inst, &[]);
    /// b.ret();
    /// assert!(matches!(b.function().unroll[inst], Some((Unroll::Never, _))));
    /// ```
    pub fn unroll(&mut self, inst: Inst, unroll: Unroll) {
        self.function.unroll[inst] = Some((unroll, self.loc));
    }

    /// Lets a kernel ask for floats that are less strict.
    pub fn fast_math(&mut self, fast: bool) {
        self.function.fast_math = fast;
    }

    /// Lets a kernel use more of a device than every one has.
    pub fn limits(&mut self, limits: Limits) {
        self.function.limits = limits;
    }

    /// States what every launch of a kernel satisfies.
    pub fn requires(&mut self, requires: Vec<Requirement>) {
        self.function.requires = requires;
    }

    /// What is built from here on goes to the region outside.
    pub fn leave(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    /// Whether the open region has its terminator; what is built after it is dropped.
    pub fn is_terminated(&self) -> bool {
        let region = self.open.last().copied().unwrap_or(self.function.body);
        self.function.regions[region].insts.last().is_some_and(|&i| self.function.insts[i].kind.is_terminator())
    }

    /// Places an `if` over two finished regions and gives its results.
    pub fn if_else(&mut self, condition: Value, then: Region, otherwise: Region, results: &[Type]) -> Vec<Value> {
        let inst = self.push(InstKind::If { condition, then, otherwise }, results);
        self.function.insts[inst].results.clone()
    }

    /// Places a `switch` over finished regions and gives its results.
    pub fn switch(&mut self, selector: Value, cases: Vec<Case>, default: Region, results: &[Type]) -> Vec<Value> {
        let inst = self.push(InstKind::Switch { selector, cases, default }, results);
        self.function.insts[inst].results.clone()
    }

    /// Places a `loop` and opens its body, whose parameters have the types of `initial`.
    /// The instruction comes first because `break` and `continue` inside name it.
    pub fn begin_loop(&mut self, label: Option<&str>, initial: &[Value]) -> (Inst, Vec<Value>) {
        let types: Vec<Type> = initial.iter().map(|&v| self.function.ty(v)).collect();
        let body = self.region(&types);
        let kind = InstKind::Loop { body, initial: initial.to_vec(), label: label.map(Into::into) };
        let inst = self.push(kind, &[]);
        self.enter(body);
        (inst, self.region_params(body))
    }

    /// Closes the body of a loop and gives the loop results of these types, which every
    /// `break` out of it carries.
    pub fn end_loop(&mut self, inst: Inst, results: &[Type]) -> Vec<Value> {
        self.leave();
        let values: Vec<Value> = results.iter().map(|&ty| self.value(ty)).collect();
        self.function.insts[inst].results.clone_from(&values);
        values
    }

    /// Ends an `if` or `switch` region.
    pub fn yield_(&mut self, values: &[Value]) {
        self.push(InstKind::Yield(values.to_vec()), &[]);
    }

    /// Leaves a loop.
    pub fn break_(&mut self, target: Inst, values: &[Value]) {
        self.push(InstKind::Break(target, values.to_vec()), &[]);
    }

    /// Starts a loop's body again.
    pub fn continue_(&mut self, target: Inst, values: &[Value]) {
        self.push(InstKind::Continue(target, values.to_vec()), &[]);
    }

    /// Ends a function without results; in a kernel, ends the invocation.
    pub fn ret(&mut self) {
        self.ret_values(&[]);
    }

    /// Ends a device function and gives its results.
    pub fn ret_values(&mut self, values: &[Value]) {
        self.push(InstKind::Return(values.to_vec()), &[]);
    }

    /// Ends a region that cannot be reached the end of.
    pub fn unreachable(&mut self) {
        self.push(InstKind::Unreachable, &[]);
    }

    /// Appends an instruction with results of these types to the open region. After a
    /// terminator the instruction is made but placed nowhere.
    pub fn push(&mut self, kind: InstKind, results: &[Type]) -> Inst {
        let results = results.iter().map(|&ty| self.value(ty)).collect();
        let dead = self.is_terminated();
        let flags = if kind.takes_flags() { self.flags } else { Flags::NONE };
        // Nobody stores to what may only be read.
        let access = kind.place().and_then(|place| self.function.root_access(place.root));
        let is_racy = kind.may_be_racy() && access != Some(crate::ir::Access::Read);
        let flags = if is_racy { flags } else { flags.without(Flags::RACY) };
        let inst = self.function.insts.push(InstDef { kind, results, loc: self.loc });
        if !flags.is_empty() {
            self.function.flags[inst] = flags;
        }
        if !dead {
            let region = self.open.last().copied().unwrap_or(self.function.body);
            self.function.regions[region].insts.push(inst);
        }
        inst
    }

    fn push1(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = self.push(kind, &[ty]);
        self.function.insts[inst].results[0]
    }

    fn value(&mut self, ty: Type) -> Value {
        self.function.values.push(ValueDef { ty, constant: None, name: None })
    }
}
