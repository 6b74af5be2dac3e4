//! From structured SSA to flat code.
//!
//! Every value owns as many consecutive slots of the frame as it has lanes. Constants are in
//! the frame from the start and are never overwritten. A region's parameters and an
//! instruction's results are written by moves before the jump to them. Vectors are taken apart
//! into one code per lane.
//!
//! Invariants: every slot index is below the length of the frame; every jump target is below
//! the length of the code; execution never runs past the last code.

use super::Words;
use crate::check::Checked;
use crate::ir::{Access, Function, Inst, InstKind, Param, ParamKind, Place, Region, Requirement, Root, Table, Value};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Eval as Evaluation, LaneFn, Op, Signature, SubgroupOp};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{Scalar, Type, Types};
use std::sync::Arc;

/// The position of a slot in a frame.
pub(super) type Slot = u32;
/// The position of a code.
pub(super) type Target = u32;

/// A slot that is always zero; it stands in for operands that are not there.
const ZERO: Slot = 0;

/// A function ready to run, any number of times and from any number of threads.
///
/// ```
/// use samebits_ir::builder::Builder;
/// use samebits_ir::interp::{Arg, Options, Program, Words};
/// use samebits_ir::ir::{Access, Index};
/// use samebits_ir::ops::{Builtin, Op};
/// use samebits_ir::types::{Type, Types};
///
/// let mut b = Builder::new("double", [4, 1, 1]);
/// let data = b.buffer("data", Type::U32, Access::ReadWrite);
/// let i = b.builtin(Builtin::GlobalIdX);
/// let place = b.place(data, &[Index { value: i, stride: 4, bound: None }], 0);
/// let old = b.load(place.clone(), Type::U32);
/// let new = b.op(Op::Add, &[old, old]);
/// b.store(place, new);
/// b.ret();
/// let checked = samebits_ir::check::check(b.into_module(Types::default())).expect("a sound kernel");
///
/// let words = Words::from_bytes(&[7, 0, 0, 0, 8, 0, 0, 0]);
/// let args = [Arg::Buffer { words: &words, offset: 0, len: 2 }];
/// let program = Program::new(&checked, 0).expect("the module has a function");
/// let report = program.run([1, 1, 1], &args, &Options::default()).expect("a good launch");
/// assert_eq!(words.read(0..8), [14, 0, 0, 0, 16, 0, 0, 0]);
/// assert_eq!(report.out_of_bounds, 4); // two loads and two stores past the end
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) name: String,
    pub(super) workgroup_size: [u32; 3],
    pub(super) params: Vec<ProgramParam>,
    /// What every launch must satisfy, and the parameters that it is about.
    pub(super) requires: (Vec<Requirement>, Vec<Param>),
    pub(super) code: Vec<Code>,
    pub(super) places: Vec<PlaceCode>,
    /// For each place, where it is written and what it belongs to.
    pub(super) sites: Vec<Site>,
    /// The memories that places name: parameters, workgroup memory, private memory, tables.
    pub(super) memories: Vec<MemoryInfo>,
    /// The loops, each before those inside it.
    pub(super) loops: Vec<LoopInfo>,
    pub(super) evals: Vec<Eval>,
    pub(super) switches: Vec<Switch>,
    pub(super) subgroups: Vec<Exchange>,
    /// A frame before anything ran: constants set, the rest zero.
    pub(super) frame: Vec<u64>,
    /// Words of workgroup memory.
    pub(super) shared_words: usize,
    /// Words of an invocation's arrays.
    pub(super) private_words: usize,
    /// The tables, which all invocations share.
    pub(super) tables: Arc<Words>,
    /// Whether there is a barrier or a subgroup op, so that the invocations of a group need a frame each.
    pub(super) has_barrier: bool,
    /// The most steps that an invocation may take before it is taken for endless.
    pub(super) invocation_steps: u64,
}

/// A parameter as the launch sees it.
#[derive(Clone, Debug)]
pub(super) struct ProgramParam {
    pub(super) name: String,
    pub(super) kind: ProgramParamKind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ProgramParamKind {
    /// A buffer of elements of this many bytes.
    Buffer { stride: u32 },
    /// A scalar or vector whose lanes begin at a slot.
    Scalar { ty: Type, slot: Slot },
}

/// One step of an invocation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    Lane {
        f: LaneFn,
        ty: Scalar,
        out: Slot,
        args: [Slot; 4],
    },
    Move {
        out: Slot,
        from: Slot,
    },
    Select {
        out: Slot,
        condition: Slot,
        yes: Slot,
        no: Slot,
    },
    /// An op that is not lane by lane; an index into [`Program::evals`].
    Eval(u32),
    Load {
        place: u32,
        out: Slot,
    },
    Store {
        place: u32,
        from: Slot,
    },
    Atomic {
        op: AtomicOp,
        order: MemoryOrder,
        place: u32,
        args: [Slot; 2],
        out: Slot,
    },
    /// The number of elements of the buffer that is the parameter of this index.
    Len {
        param: u32,
        out: Slot,
    },
    /// A builtin, by its wire number less one.
    Builtin {
        index: u8,
        out: Slot,
    },
    Barrier(Loc),
    /// A stop like that at a barrier; what happens when all are there is in
    /// [`Program::subgroups`], of which this is an index.
    Subgroup(u32, Loc),
    Fence(Ordering, Scope),
    Jump(Target),
    JumpIfFalse {
        condition: Slot,
        target: Target,
    },
    /// A jump to a loop's start; where the step limit is looked at.
    JumpBack {
        target: Target,
        /// The loop, an index into [`Program::loops`].
        index: u32,
    },
    /// An index into [`Program::switches`].
    Switch {
        selector: Slot,
        table: u32,
    },
    Return,
    Unreachable(Loc),
}

/// The source of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) loc: Loc,
    /// An index into [`Program::memories`].
    pub(super) memory: u32,
    /// Whether other invocations may see what happens there, or change it.
    pub(super) visible: bool,
}

/// A memory in messages.
#[derive(Clone, Debug)]
pub(super) struct MemoryInfo {
    pub(super) name: String,
    /// Bytes from an element to the next, at least 1.
    pub(super) stride: u64,
}

/// A loop; its code lies between two positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopInfo {
    pub(super) loc: Loc,
    pub(super) start: Target,
    pub(super) end: Target,
    /// The loops inside it are those after it and before this index.
    pub(super) inner_end: u32,
}

/// Where an access begins, and what it moves.
#[derive(Clone, Debug)]
pub(super) struct PlaceCode {
    pub(super) root: RootCode,
    pub(super) offset: u64,
    pub(super) indices: Box<[IndexCode]>,
    pub(super) scalar: Scalar,
    pub(super) lanes: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct IndexCode {
    pub(super) slot: Slot,
    pub(super) stride: u32,
    /// The index must be below this; 2^32 where every `u32` is.
    pub(super) bound: u64,
}

/// A root, resolved; memory that the function declares lies one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) enum RootCode {
    Param(u32),
    Shared { base: usize, bytes: u64 },
    Private { base: usize, bytes: u64 },
    Table { base: usize, bytes: u64 },
}

/// An op evaluated through [`Op::eval`].
#[derive(Clone, Debug)]
pub(super) struct Eval {
    pub(super) op: Op,
    pub(super) types: Box<[Type]>,
    pub(super) args: Box<[Slot]>,
    pub(super) result: Type,
    pub(super) out: Slot,
}

/// A subgroup op on scalars or, lane by lane, on vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) op: SubgroupOp,
    pub(super) ty: Scalar,
    /// The lanes of the vector.
    pub(super) lanes: Slot,
    pub(super) value: Slot,
    /// The second operand, a scalar.
    pub(super) argument: Slot,
    pub(super) out: Slot,
}

/// The targets of a `switch`.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    /// Sorted by value.
    pub(super) cases: Vec<(u64, Target)>,
    pub(super) default: Target,
}

impl Program {
    /// Compiles a kernel; `None` if no kernel has this index.
    pub fn new(checked: &Checked, function: usize) -> Option<Self> {
        let (function, _) = checked.function(function).filter(|(function, _)| function.is_kernel())?;
        Some(Self::of(&checked.module().types, function))
    }

    /// The same, where an invocation that takes more steps is taken for endless: a fault that
    /// names it and the loops that it is in. How many invocations there are does not matter, save
    /// where they take turns, as at barriers and before the judge: those together may take sixteen
    /// times as many steps.
    ///
    /// ```
    /// use samebits_ir::check::check;
    /// use samebits_ir::interp::{Fault, Options, Program};
    /// let source = "func kernel workgroup_size(1, 1, 1) @k() {
    ///     loop {
    ///         continue
    ///     }
    ///     ret
    /// }";
    /// let checked = samebits_ir::text::parse(source).and_then(check).expect("a sound module");
    /// let program = Program::new(&checked, 0).expect("one function").with_invocation_steps(1000);
    /// let fault = program.run([1, 1, 1], &[], &Options::default()).expect_err("no end");
    /// assert!(matches!(fault, Fault::Endless { invocation: [0, 0, 0], limit: 1000, .. }));
    /// ```
    pub fn with_invocation_steps(mut self, steps: u64) -> Self {
        self.invocation_steps = steps;
        self
    }

    /// Compiles a function that passed all checks except the one of barriers.
    pub(super) fn of(types: &Types, function: &Function) -> Self {
        Compiler::new(types, function).finish()
    }

    /// The name of the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }
}

struct Compiler<'a> {
    types: &'a Types,
    function: &'a Function,
    program: Program,
    /// The first slot of each value.
    slots: Vec<Slot>,
    /// Slots that moves in parallel go through.
    scratch: Slot,
    shared: Vec<(usize, u64)>,
    private: Vec<(usize, u64)>,
    tables: Vec<(usize, u64)>,
    /// For instructions with regions: jumps that await the position after them.
    leaves: Vec<Vec<usize>>,
    /// For loops: the index in [`Program::loops`].
    loops: Vec<u32>,
    /// Where the instruction is that is being compiled.
    loc: Loc,
}

impl<'a> Compiler<'a> {
    fn new(types: &'a Types, function: &'a Function) -> Self {
        let mut frame = vec![0];
        let claim = |(_, value): (Value, &crate::ir::ValueDef)| {
            let slot = frame.len() as Slot;
            frame.extend([value.constant.unwrap_or(0), 0, 0, 0].iter().take(value.ty.lanes().max(1)));
            slot
        };
        let slots: Vec<Slot> = function.values.iter().map(claim).collect();
        let continues = |(_, inst): (Inst, &crate::ir::InstDef)| match &inst.kind {
            InstKind::Continue(_, args) => args.len() * 4,
            _ => 0,
        };
        let scratch = frame.len() as Slot;
        frame.resize(frame.len() + function.insts.iter().map(continues).max().unwrap_or(0), 0);

        let place = |memories: &[crate::ir::Memory]| {
            let mut words = 0;
            let mut place = |m: &crate::ir::Memory| {
                let bytes = types.layout(m.ty).map_or(0, |layout| u64::from(layout.size));
                let base = words * 4;
                words += bytes.div_ceil(4) as usize;
                (base, bytes)
            };
            let placed: Vec<_> = memories.iter().map(&mut place).collect();
            (placed, words)
        };
        let (shared, shared_words) = place(&function.shared);
        let (private, private_words) = place(&function.private);
        let mut contents = Vec::new();
        let mut table = |table: &Table| {
            let base = contents.len();
            contents.extend_from_slice(&table.bytes);
            contents.resize(contents.len().next_multiple_of(4), 0);
            (base, table.bytes.len() as u64)
        };
        let tables = function.tables.iter().map(&mut table).collect();

        let mut scalars = function.regions[function.body].params.iter();
        let params = function.params.iter().map(|param| {
            let kind = match param.kind {
                ParamKind::Buffer { element, .. } => {
                    ProgramParamKind::Buffer { stride: types.layout(element).map_or(0, |l| l.size) }
                }
                ParamKind::Scalar(ty) => {
                    let slot = scalars.next().and_then(|v| slots.get(v.index())).copied().unwrap_or(ZERO);
                    ProgramParamKind::Scalar { ty, slot }
                }
            };
            ProgramParam { name: param.name.clone(), kind }
        });
        let program = Program {
            name: function.name.clone(),
            workgroup_size: function.workgroup_size(),
            params: params.collect(),
            requires: (function.requires.clone(), function.params.clone()),
            code: Vec::new(),
            places: Vec::new(),
            sites: Vec::new(),
            memories: memories(types, function),
            loops: Vec::new(),
            evals: Vec::new(),
            switches: Vec::new(),
            subgroups: Vec::new(),
            frame,
            shared_words,
            private_words,
            tables: Arc::new(Words::from_bytes(&contents)),
            has_barrier: false,
            invocation_steps: u64::MAX,
        };
        let leaves = vec![Vec::new(); function.insts.len()];
        let loops = vec![0; function.insts.len()];
        Self { types, function, program, slots, scratch, shared, private, tables, leaves, loops, loc: Loc::NONE }
    }

    fn finish(mut self) -> Program {
        self.region(self.function.body, None);
        self.program
    }

    /// Compiles a region; `owner` is the `if` or `switch` that its `yield` ends. The
    /// nesting of regions is limited by the checks, so is the depth here.
    fn region(&mut self, region: Region, owner: Option<Inst>) {
        for &inst in &self.function.regions[region].insts {
            self.inst(inst, owner);
        }
        let last = self.function.regions[region].insts.last();
        if !last.is_some_and(|&inst| self.function.insts[inst].kind.is_terminator()) {
            self.emit(Code::Unreachable(self.function.loc));
        }
    }

    fn inst(&mut self, inst: Inst, owner: Option<Inst>) {
        let function = self.function;
        let def = &function.insts[inst];
        self.loc = def.loc;
        let out = def.results.first().map_or(self.scratch, |&v| self.slot(v));
        match &def.kind {
            InstKind::Op(op, args) => self.op(*op, args, &def.results),
            InstKind::Load(place) => {
                let ty = def.results.first().map_or(Type::Error, |&v| function.ty(v));
                let place = self.place(place, ty);
                self.emit(Code::Load { place, out });
            }
            InstKind::Store(place, value) => {
                let place = self.place(place, function.ty(*value));
                self.emit(Code::Store { place, from: self.slot(*value) });
            }
            InstKind::Atomic(op, place, args, order) => {
                let accessed = args.first().or(def.results.first());
                let place = self.place(place, accessed.map_or(Type::Error, |&v| function.ty(v)));
                let arg = |n: usize| args.get(n).map_or(ZERO, |&v| self.slot(v));
                self.emit(Code::Atomic { op: *op, order: *order, place, args: [arg(0), arg(1)], out });
            }
            InstKind::Len(root) => match self.root(*root) {
                RootCode::Param(param) => self.emit(Code::Len { param, out }),
                RootCode::Shared { .. } | RootCode::Private { .. } | RootCode::Table { .. } => {
                    let from = self.constant(u64::from(self.fixed_len(*root)));
                    self.emit(Code::Move { out, from });
                }
            },
            InstKind::Builtin(builtin) => self.emit(Code::Builtin { index: (builtin.number() - 1) as u8, out }),
            InstKind::Barrier => {
                self.program.has_barrier = true;
                self.emit(Code::Barrier(def.loc));
            }
            InstKind::Subgroup(op, args) => {
                self.program.has_barrier = true;
                let ty = args.first().map_or(Type::BOOL, |&v| function.ty(v));
                let arg = |n: usize| args.get(n).map_or(ZERO, |&v| self.slot(v));
                let exchange = Exchange {
                    op: *op,
                    ty: ty.lane().unwrap_or(Scalar::Bool),
                    lanes: ty.lanes() as Slot,
                    value: arg(0),
                    argument: arg(1),
                    out,
                };
                self.emit(Code::Subgroup(self.program.subgroups.len() as u32, def.loc));
                self.program.subgroups.push(exchange);
            }
            InstKind::Fence(ordering, scope) => self.emit(Code::Fence(*ordering, *scope)),
            // SSA construction and the flattening of kernels removed these.
            InstKind::Get(_) | InstKind::Set(..) | InstKind::Call { .. } => {}
            InstKind::If { condition, then, otherwise } => {
                let branch = self.program.code.len();
                self.emit(Code::JumpIfFalse { condition: self.slot(*condition), target: 0 });
                self.region(*then, Some(inst));
                let start = self.here();
                if let Code::JumpIfFalse { target, .. } = &mut self.program.code[branch] {
                    *target = start;
                }
                self.region(*otherwise, Some(inst));
                self.land(inst);
            }
            InstKind::Switch { selector, cases, default } => {
                let table = self.program.switches.len() as u32;
                self.program.switches.push(Switch { cases: Vec::new(), default: 0 });
                self.emit(Code::Switch { selector: self.slot(*selector), table });
                let mut targets = Vec::new();
                for case in cases {
                    targets.extend(case.values.iter().map(|&value| (value, self.here())));
                    self.region(case.region, Some(inst));
                }
                targets.sort_unstable();
                let default_start = self.here();
                self.region(*default, Some(inst));
                self.program.switches[table as usize] = Switch { cases: targets, default: default_start };
                self.land(inst);
            }
            InstKind::Loop { body, initial, .. } => {
                self.moves(&function.regions[*body].params, initial);
                let index = self.program.loops.len();
                let start = self.here();
                self.loops[inst.index()] = index as u32;
                self.program.loops.push(LoopInfo { loc: def.loc, start, end: start, inner_end: 0 });
                self.region(*body, None);
                let (end, inner_end) = (self.here(), self.program.loops.len() as u32);
                self.program.loops[index] = LoopInfo { loc: def.loc, start, end, inner_end };
                self.land(inst);
            }
            InstKind::Yield(values) => match owner {
                Some(owner) => self.leave(owner, values),
                None => self.emit(Code::Unreachable(def.loc)),
            },
            InstKind::Break(target, values) => self.leave(*target, values),
            InstKind::Continue(target, values) => {
                if let InstKind::Loop { body, .. } = &function.insts[*target].kind {
                    self.moves(&function.regions[*body].params, values);
                }
                let index = self.loops[target.index()];
                let start = self.program.loops.get(index as usize).map_or(0, |info| info.start);
                self.emit(Code::JumpBack { target: start, index });
            }
            InstKind::Return(_) => self.emit(Code::Return),
            InstKind::Unreachable => self.emit(Code::Unreachable(def.loc)),
        }
    }

    fn op(&mut self, op: Op, args: &[Value], results: &[Value]) {
        let function = self.function;
        let (Some(&result), Some(&first)) = (results.first(), args.first()) else { return };
        let (out, ty) = (self.slot(result), function.ty(result));
        let lanes = ty.lanes() as Slot;
        let info = op.info();
        match info.signature {
            Signature::Lanes(..) if let Evaluation::Lane(f) = info.eval => {
                let Some(scalar) = function.ty(first).lane() else { return };
                for lane in 0..lanes {
                    let arg = |n: usize| args.get(n).map_or(ZERO, |&v| self.slot(v) + lane);
                    self.emit(Code::Lane { f, ty: scalar, out: out + lane, args: [arg(0), arg(1), arg(2), arg(3)] });
                }
            }
            Signature::Select => {
                let &[condition, yes, no] = args else { return };
                let (condition, yes, no) = (self.slot(condition), self.slot(yes), self.slot(no));
                for lane in 0..lanes {
                    self.emit(Code::Select { out: out + lane, condition, yes: yes + lane, no: no + lane });
                }
            }
            Signature::Construct => {
                for (lane, &arg) in (0..lanes).zip(args) {
                    self.emit(Code::Move { out: out + lane, from: self.slot(arg) });
                }
            }
            Signature::Bitcast => self.move_lanes(out, self.slot(first), ty),
            Signature::Lanes(..)
            | Signature::Cast
            | Signature::Extract
            | Signature::Insert
            | Signature::Reduce
            | Signature::Fixed(..) => {
                self.emit(Code::Eval(self.program.evals.len() as u32));
                self.program.evals.push(Eval {
                    op,
                    types: args.iter().map(|&v| function.ty(v)).collect(),
                    args: args.iter().map(|&v| self.slot(v)).collect(),
                    result: ty,
                    out,
                });
            }
        }
    }

    /// Sets the results of an `if`, `switch` or `loop` and goes to its end. The sources
    /// are values that exist inside it, so none is among the results.
    fn leave(&mut self, target: Inst, values: &[Value]) {
        let function = self.function;
        self.moves(&function.insts[target].results, values);
        self.leaves[target.index()].push(self.program.code.len());
        self.emit(Code::Jump(0));
    }

    /// Makes the jumps that leave the instruction arrive here.
    fn land(&mut self, inst: Inst) {
        let here = self.here();
        for jump in std::mem::take(&mut self.leaves[inst.index()]) {
            self.program.code[jump] = Code::Jump(here);
        }
    }

    /// Moves all at once: a source that an earlier move overwrites is saved first.
    fn moves(&mut self, to: &[Value], from: &[Value]) {
        let mut saved = self.scratch;
        let mut sources = Vec::with_capacity(from.len());
        for (i, value) in from.iter().enumerate() {
            let (slot, ty) = (self.slot(*value), self.function.ty(*value));
            if to[..i.min(to.len())].contains(value) {
                self.move_lanes(saved, slot, ty);
                sources.push(saved);
                saved += ty.lanes() as Slot;
            } else {
                sources.push(slot);
            }
        }
        for (&to, from) in to.iter().zip(sources) {
            self.move_lanes(self.slot(to), from, self.function.ty(to));
        }
    }

    fn move_lanes(&mut self, out: Slot, from: Slot, ty: Type) {
        if out != from {
            for lane in 0..ty.lanes() as Slot {
                self.emit(Code::Move { out: out + lane, from: from + lane });
            }
        }
    }

    fn place(&mut self, place: &Place, ty: Type) -> u32 {
        let index = |index: &crate::ir::Index| IndexCode {
            slot: self.slot(index.value),
            stride: index.stride,
            bound: index.bound.map_or(1 << 32, u64::from),
        };
        let code = PlaceCode {
            root: self.root(place.root),
            offset: u64::from(place.offset),
            indices: place.indices.iter().map(index).collect(),
            scalar: ty.lane().unwrap_or(Scalar::U32),
            lanes: ty.lanes(),
        };
        self.program.places.push(code);
        let function = self.function;
        let before = |root| match root {
            Root::Param(i) => i as usize,
            Root::Shared(i) => function.params.len() + i as usize,
            Root::Private(i) => function.params.len() + function.shared.len() + i as usize,
            Root::Table(i) => function.params.len() + function.shared.len() + function.private.len() + i as usize,
        };
        let visible = match place.root {
            Root::Param(_) => function.root_access(place.root).is_some_and(|access| access != Access::Read),
            Root::Shared(_) => true,
            Root::Private(_) | Root::Table(_) => false,
        };
        self.program.sites.push(Site { loc: self.loc, memory: before(place.root) as u32, visible });
        self.program.places.len() as u32 - 1
    }

    fn root(&self, root: Root) -> RootCode {
        let (placed, index) = match root {
            Root::Param(i) => return RootCode::Param(i),
            Root::Shared(i) => (&self.shared, i),
            Root::Private(i) => (&self.private, i),
            Root::Table(i) => (&self.tables, i),
        };
        let (base, bytes) = placed.get(index as usize).copied().unwrap_or_default();
        match root {
            Root::Private(_) => RootCode::Private { base, bytes },
            Root::Table(_) => RootCode::Table { base, bytes },
            Root::Param(_) | Root::Shared(_) => RootCode::Shared { base, bytes },
        }
    }

    /// The number of elements of memory that the function declares.
    fn fixed_len(&self, root: Root) -> u32 {
        match self.function.root_type(root) {
            Some(Type::Array(id)) => self.types.arrays.get(id).map_or(0, |def| def.len),
            Some(_) => 1,
            None => 0,
        }
    }

    fn here(&self) -> Target {
        self.program.code.len() as Target
    }

    fn emit(&mut self, code: Code) {
        self.program.code.push(code);
    }

    /// A new slot that holds a number from the start.
    fn constant(&mut self, bits: u64) -> Slot {
        self.program.frame.push(bits);
        self.program.frame.len() as Slot - 1
    }

    /// The first slot of a value.
    fn slot(&self, value: Value) -> Slot {
        self.slots.get(value.index()).copied().unwrap_or(ZERO)
    }
}

/// The names of what a function's places may name, and the sizes of the elements.
fn memories(types: &Types, function: &Function) -> Vec<MemoryInfo> {
    let param = (0..function.params.len()).map(|i| Root::Param(i as u32));
    let shared = (0..function.shared.len()).map(|i| Root::Shared(i as u32));
    let private = (0..function.private.len()).map(|i| Root::Private(i as u32));
    let info = |root| {
        let layout = function.root_element(types, root).and_then(|element| types.layout(element));
        let stride = layout.map_or(1, |layout| u64::from(layout.size).max(1));
        MemoryInfo { name: function.root_name(root).to_owned(), stride }
    };
    let tables = (0..function.tables.len()).map(|i| Root::Table(i as u32));
    param.chain(shared).chain(private).chain(tables).map(info).collect()
}
