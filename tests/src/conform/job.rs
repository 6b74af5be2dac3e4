//! Kernels that apply one op, and the operands that they are given.
//!
//! A job is one launch with many results, each of which has its tuple of operands. It
//! comes in three forms, because literals take other ways through compilers: all
//! operands loaded, one of them a literal, all of them literals.

use super::expect;
use super::values::{self, Operands};
use crate::engines::{memory_bytes, memory_words};
use crate::filetest::{Argument, Launch, Memories};
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module, Place, Root, Value};
use samebits_ir::ops::{Builtin, Op, Signature};
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Type, Types};

/// Invocations of a workgroup.
const GROUP: u32 = 64;
/// Literals of the operand that is one.
const LITERALS: usize = 8;
/// Values of the other operands beside them.
const BESIDE_LITERALS: usize = 80;
/// What the results hold before a launch.
const UNWRITTEN: u8 = 0xa5;
/// Tuples of which all operands are literals.
const FOLDED: usize = 32;

/// An op on operands of these types.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The op.
    pub op: Op,
    /// The types of its operands.
    pub operands: Vec<Type>,
    /// The type of its result.
    pub result: Type,
}

/// Where the operands come from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// All from buffers.
    Loaded,
    /// The one in this position from literals.
    Literal(usize),
    /// All from literals.
    Folded,
}

/// A launch and the operands of each of its results.
#[derive(Clone, Debug)]
pub struct Job {
    /// The op and its types.
    pub case: Case,
    /// Where the operands come from.
    pub form: Form,
    /// The kernel, alone in its module. Its parameters are a buffer for each of `inputs`
    /// and one for the results.
    pub module: Module,
    /// The words of the buffers that are read.
    pub inputs: Vec<Vec<u32>>,
    /// Workgroups on x.
    pub groups: usize,
    /// The operands of each result, in the order of the results.
    pub tuples: Vec<Vec<Lanes>>,
}

impl Case {
    /// What the case is called in messages.
    pub fn name(&self) -> String {
        let types = Types::default();
        let shown: Vec<String> = self.operands.iter().map(|&ty| types.display(ty).to_string()).collect();
        format!("{}({}) -> {}", self.op.info().name, shown.join(", "), types.display(self.result))
    }

    /// Whether many values say more than few: vectors are no more than their lanes, except
    /// for the ops that look at all of them or take no scalar.
    pub fn is_for_sweeps(&self) -> bool {
        let is_whole =
            !matches!(self.op.info().signature, Signature::Lanes(..) | Signature::Select | Signature::Bitcast);
        is_whole || self.operands.iter().all(|ty| ty.lanes() == 1)
    }

    /// The jobs that try the case on that many combinations of edges and random tuples.
    pub fn jobs(&self, edges: usize, random: usize) -> Vec<Job> {
        let crossed = values::crossed(self.op, &self.operands, edges);
        let mut generator = Operands::new(values::SEED);
        let mut tuples = crossed.clone();
        tuples.extend((0..random).map(|_| generator.tuple(self.op, &self.operands)));
        // A mathematical function is made of basic ops, whose literals are tried as such.
        let folded = if self.op.math().is_some() { 1 } else { FOLDED };
        let folded = values::spread(&crossed, folded / self.operands[0].lanes().pow(2).max(1));
        let mut jobs = vec![self.loaded(tuples), self.folded(folded)];
        if self.op.math().is_some() {
            return jobs;
        }
        // Literals in vectors go the way of scalars too; those of four lanes stand for the others.
        let (lanes, result) = (self.operands[0].lanes(), self.result.lanes());
        if self.operands.len() > 1 && !(lanes == result && (lanes == 2 || lanes == 3)) {
            jobs.extend((0..self.operands.len()).map(|position| self.literal(position, &crossed, &mut generator)));
        }
        jobs
    }

    fn loaded(&self, tuples: Vec<Vec<Lanes>>) -> Job {
        let mut kernel = Kernel::new(self, |_| true);
        let i = kernel.builder.builtin(Builtin::GlobalIdX);
        let args: Vec<Value> = (0..self.operands.len()).map(|n| kernel.load(n, i)).collect();
        kernel.apply(&args, i, 1, 0);
        let inputs = (0..self.operands.len()).map(|n| self.words(n, tuples.iter())).collect();
        kernel.job(Form::Loaded, inputs, tuples.len(), tuples)
    }

    fn literal(&self, position: usize, crossed: &[Vec<Lanes>], generator: &mut Operands) -> Job {
        let literals =
            values::literals(self.op, position, self.operands[position], LITERALS / self.operands[0].lanes().max(1));
        let mut others = values::spread(crossed, BESIDE_LITERALS);
        others.extend((0..BESIDE_LITERALS / 4).map(|_| generator.tuple(self.op, &self.operands)));
        let mut kernel = Kernel::new(self, |n| n != position);
        let i = kernel.builder.builtin(Builtin::GlobalIdX);
        let mut args: Vec<Option<Value>> =
            (0..self.operands.len()).map(|n| (n != position).then(|| kernel.load(n, i))).collect();
        for (k, literal) in literals.iter().enumerate() {
            args[position] = Some(kernel.constant(self.operands[position], literal));
            let args: Vec<Value> = args.iter().flatten().copied().collect();
            kernel.apply(&args, i, literals.len(), k);
        }
        let inputs =
            (0..self.operands.len()).filter(|&n| n != position).map(|n| self.words(n, others.iter())).collect();
        let with = |other: &Vec<Lanes>| {
            let other = other.clone();
            literals.iter().map(move |&literal| {
                let mut tuple = other.clone();
                tuple[position] = literal;
                tuple
            })
        };
        let tuples = others.iter().flat_map(|other| with(other).collect::<Vec<_>>()).collect();
        kernel.job(Form::Literal(position), inputs, others.len(), tuples)
    }

    fn folded(&self, tuples: Vec<Vec<Lanes>>) -> Job {
        let mut kernel = Kernel::new(self, |_| false);
        let i = kernel.builder.builtin(Builtin::GlobalIdX);
        for (k, tuple) in tuples.iter().enumerate() {
            let args: Vec<Value> =
                self.operands.iter().zip(tuple).map(|(&ty, lanes)| kernel.constant(ty, lanes)).collect();
            kernel.apply(&args, i, tuples.len(), k);
        }
        kernel.job(Form::Folded, Vec::new(), 1, tuples)
    }

    /// One operand of every tuple as memory. What is true is any word but 0.
    fn words<'t>(&self, operand: usize, tuples: impl Iterator<Item = &'t Vec<Lanes>>) -> Vec<u32> {
        const TRUE: [u32; 5] = [1, 2, 0xffff_ffff, 0x8000_0000, 0x100];
        let ty = self.operands[operand];
        let mut words = memory_words(ty, tuples.map(|tuple| &tuple[operand]));
        if ty.lane() == Some(samebits_ir::types::Scalar::Bool) {
            let truth = |(i, word): (usize, &mut u32)| *word *= TRUE[i / 3 % TRUE.len()];
            words.iter_mut().enumerate().for_each(truth);
        }
        words
    }
}

impl Job {
    /// Bytes of each result.
    pub fn result_bytes(&self) -> usize {
        memory_bytes(self.case.result, &Lanes::default()).len()
    }

    /// The launch, and what its buffers hold afterwards; `None` if nobody knows.
    pub fn launch(&self) -> Option<(Launch, Memories)> {
        let Case { op, operands, result } = &self.case;
        let loaded = operands.iter().enumerate().filter(|(n, _)| match self.form {
            Form::Loaded => true,
            Form::Literal(literal) => *n != literal,
            Form::Folded => false,
        });
        let mut arguments: Vec<Argument> = (self.inputs.iter().zip(loaded))
            .map(|(words, (_, &ty))| {
                let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                buffer(bytes, memory_bytes(ty, &Lanes::default()).len())
            })
            .collect();
        let mut memories: Memories = arguments.iter().map(Argument::bytes).collect();
        let mut expected = Vec::new();
        for tuple in &self.tuples {
            expected.extend(memory_bytes(*result, &expect::expect(*op, operands, *result, tuple)?));
        }
        arguments.push(buffer(vec![UNWRITTEN; expected.len()], self.result_bytes()));
        memories.push(expected);
        Some((Launch { groups: [self.groups as u32, 1, 1], arguments }, memories))
    }

    /// Words of all results.
    pub fn result_words(&self) -> usize {
        (self.tuples.len() * self.result_bytes()).div_ceil(4)
    }
}

/// A kernel being built.
struct Kernel<'c> {
    case: &'c Case,
    builder: Builder,
    /// The buffer of each operand that is loaded.
    buffers: Vec<Option<Root>>,
    out: Root,
}

impl<'c> Kernel<'c> {
    fn new(case: &'c Case, is_loaded: impl Fn(usize) -> bool) -> Self {
        let mut builder = Builder::new("apply", [GROUP, 1, 1]);
        let buffers = (case.operands.iter().enumerate())
            .map(|(n, &ty)| is_loaded(n).then(|| builder.buffer(format!("x{n}"), ty, Access::Read)))
            .collect();
        let out = builder.buffer("out", case.result, Access::ReadWrite);
        Self { case, builder, buffers, out }
    }

    fn load(&mut self, operand: usize, i: Value) -> Value {
        let ty = self.case.operands[operand];
        match self.buffers[operand] {
            Some(root) => self.builder.load(place(root, i, size(ty), 0), ty),
            None => self.constant(ty, &Lanes::default()),
        }
    }

    fn constant(&mut self, ty: Type, lanes: &Lanes) -> Value {
        let Some(lane) = ty.lane() else { return self.builder.u32(0) };
        let constants: Vec<Value> = lanes[..ty.lanes()].iter().map(|&bits| self.builder.constant(lane, bits)).collect();
        if constants.len() == 1 { constants[0] } else { self.builder.op(Op::Construct, &constants) }
    }

    /// Applies the op; invocation `i` stores the result as the one of number `k` of `n`.
    fn apply(&mut self, args: &[Value], i: Value, n: usize, k: usize) {
        let value = if self.case.op.info().signature.states_result() {
            self.builder.op_to(self.case.op, args, self.case.result)
        } else {
            self.builder.op(self.case.op, args)
        };
        let size = size(self.case.result);
        self.builder.store(place(self.out, i, n as u32 * size, k as u32 * size), value);
    }

    fn job(mut self, form: Form, inputs: Vec<Vec<u32>>, invocations: usize, tuples: Vec<Vec<Lanes>>) -> Job {
        self.builder.ret();
        let module = self.builder.into_module(Types::default());
        let groups = invocations.div_ceil(GROUP as usize);
        Job { case: self.case.clone(), form, module, inputs, groups, tuples }
    }
}

fn buffer(bytes: Vec<u8>, size: usize) -> Argument {
    let len = u32::try_from(bytes.len() / size.max(1)).unwrap_or(0);
    Argument::Buffer { bytes, len }
}

/// Bytes of a value in memory.
fn size(ty: Type) -> u32 {
    Types::default().layout(ty).map_or(4, |layout| layout.size)
}

fn place(root: Root, value: Value, stride: u32, offset: u32) -> Place {
    Place { root, offset, indices: vec![Index { value, stride, bound: None }] }
}
