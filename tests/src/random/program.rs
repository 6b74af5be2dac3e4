//! Whole programs: a kernel, the functions that it calls, and a launch.
//!
//! A kernel has two parts. In the first all invocations of a workgroup are together
//! outside of branches, and barriers stand there; in the second there are none, and
//! invocations may return early.

use super::build::{Callee, Gen, Val};
use super::memory::{Memory, Mode, Owner};
use super::scalar;
use crate::filetest::{Argument, Launch};
use samebits_ir::builder::Builder;
use samebits_ir::flags::Flags;
use samebits_ir::ir::{Access, Elements, Function, Index, Inst, InstDef, Module, ParamKind, Root};
use samebits_ir::ops::{Builtin, Class, Op};
use samebits_ir::order::Ordering;
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, StructDef, Type, Types};
use samebits_random::Random;

/// A kernel and a launch of it.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What all was made of.
    pub seed: u64,
    /// The kernel, after the functions that it calls.
    pub module: Module,
    /// What is launched.
    pub launch: Launch,
}

impl Kernel {
    /// The kernel's index in the module.
    pub fn index(&self) -> usize {
        self.module.functions.len().saturating_sub(1)
    }
}

/// The words that a device function may access of the view that it is passed.
pub(super) const VIEWED: u32 = 4;

/// Sizes of workgroups and numbers of workgroups; few invocations find as much as many.
const SHAPES: &[([u32; 3], [u32; 3])] = &[
    ([1, 1, 1], [1, 1, 1]),
    ([2, 1, 1], [1, 1, 1]),
    ([2, 1, 1], [2, 1, 1]),
    ([3, 1, 1], [1, 1, 1]),
    ([4, 1, 1], [1, 1, 1]),
    ([4, 1, 1], [1, 1, 1]),
    ([4, 1, 1], [2, 1, 1]),
    ([2, 2, 1], [1, 1, 1]),
    ([1, 2, 1], [1, 2, 1]),
    ([1, 1, 3], [1, 1, 2]),
    ([2, 1, 2], [2, 1, 1]),
];

/// The kernel and the launch of a seed.
pub fn generate(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let mut types = Types::default();
    let mut functions = Vec::new();
    let mut callees = Vec::new();
    let palette = palette(&mut random);
    for i in 0..random.one_of([0, 0, 1, 1, 2]) {
        let b = Builder::device(format!("f{i}"));
        let mut g = Gen::new(Random::new(random.bits()), b, types, palette.clone());
        g.callees.clone_from(&callees);
        g.orders = orders(seed);
        callees.push(g.device(i));
        types = g.types;
        functions.push(g.b.finish());
    }
    let (size, groups) = random.pick(SHAPES).copied().unwrap_or(([1; 3], [1; 3]));
    let b = Builder::new("k", size);
    let mut g = Gen::new(random, b, types, palette);
    g.callees = callees;
    g.orders = orders(seed);
    let arguments = g.kernel(size, groups);
    functions.push(g.b.finish());
    let mut module = Module { types: g.types, functions };
    if seed % 8 == 5 {
        module.functions.iter_mut().for_each(mark_racy);
    }
    let mut launch = Launch { groups, arguments };
    if seed % 4 == 2 {
        promise(&mut module, &mut launch);
    }
    Kernel { seed, module, launch }
}

/// Lets the launch promise that elements of buffers which are only read are below a bound, near the lengths of others.
fn promise(module: &mut Module, launch: &mut Launch) {
    let Some(kernel) = module.functions.last_mut() else { return };
    for (param, argument) in kernel.params.iter_mut().zip(&mut launch.arguments) {
        let is_input = matches!(param.kind, ParamKind::Buffer { element: Type::U32, access: Access::Read });
        if let (true, Argument::Buffer { bytes, .. }) = (is_input, argument) {
            param.elements = Elements::Below;
            for word in bytes.as_chunks_mut::<4>().0 {
                *word = (u32::from_le_bytes(*word) % 24).to_le_bytes();
            }
        }
    }
}

/// The orders that a kernel may have: not every device has them all, and some have but the relaxed one.
fn orders(seed: u64) -> &'static [Ordering] {
    match seed % 4 {
        0 => Ordering::ALL,
        1 => &Ordering::ALL[..4],
        _ => &Ordering::ALL[..1],
    }
}

/// Marks every third load and store as racy. There are no races, so that it changes nothing but how
/// memory is accessed.
fn mark_racy(function: &mut Function) {
    let may_be = |def: &InstDef| {
        let access = def.kind.place().and_then(|place| function.root_access(place.root));
        def.kind.may_be_racy() && access == Some(Access::ReadWrite)
    };
    let accesses: Vec<Inst> = function.insts.iter().filter(|(_, def)| may_be(def)).map(|(inst, _)| inst).collect();
    for inst in accesses.into_iter().step_by(3) {
        function.flags[inst] = function.flags[inst].and(Flags::RACY);
    }
}

/// The scalars that most values of a program have.
fn palette(random: &mut Random) -> Vec<Scalar> {
    let mut palette = vec![Scalar::U32, Scalar::Bool, Scalar::U32];
    for _ in 0..1 + random.below(3) {
        palette.push(random.pick(Scalar::ALL).copied().unwrap_or(Scalar::F32));
    }
    let at = random.below(palette.len());
    palette.swap(0, at);
    palette
}

impl Gen {
    /// A device function of values and a view.
    fn device(&mut self, index: u32) -> Callee {
        let mut values = Vec::new();
        for i in 0..1 + self.random.below(3) {
            let ty = self.ty();
            values.push(ty);
            let value = self.b.scalar(format!("a{i}"), ty);
            self.keep(Val { value, ty, uniform: false });
        }
        let root = self.b.buffer("v", Type::U32, Access::ReadWrite);
        let record = self.types.array(Type::U32, VIEWED);
        self.memories.push(memory(root, record, Owner::Mine, Access::ReadWrite));
        if self.random.chance(40) {
            self.private();
        }
        let results: Vec<Type> = (0..1 + self.random.below(2)).map(|_| self.ty()).collect();
        self.results.clone_from(&results);
        self.b.results(&results);
        (self.may_return, self.is_tail) = (true, true);
        let budget = 60;
        self.budget = budget;
        let zero = self.number(0);
        let mix = self.b.var("mix", Type::U32);
        self.b.set(mix, zero.value);
        self.mix = Some(mix);
        self.body(5);
        let spot = self.spot(0);
        if spot.ty == Type::U32 {
            let value = self.b.get(mix);
            self.store_to(&spot, Val { value, ty: Type::U32, uniform: false });
        }
        self.ret();
        Callee { index, values, results, cost: budget - self.budget }
    }

    /// The kernel; gives what the launch passes.
    fn kernel(&mut self, size: [u32; 3], groups: [u32; 3]) -> Vec<Argument> {
        self.workgroup = size.iter().product();
        let invocations = self.workgroup * groups.iter().product::<u32>();
        let mut arguments = Vec::new();
        self.scalars(invocations, &mut arguments);
        self.inputs(&mut arguments);
        let end = self.b.buffer("end", Type::U32, Access::ReadWrite);
        arguments.push(Argument::Buffer { bytes: vec![0; invocations as usize * 4], len: invocations });
        self.end = Some(end);
        self.places(size, groups);
        self.outputs(invocations, &mut arguments);
        if self.random.chance(35) {
            self.gathered = Some(self.gatherer(&mut arguments));
        }
        self.shared();
        for _ in 0..self.random.below(3) {
            self.private();
        }
        self.table();
        self.variables();
        self.budget = 350;
        self.uniform = true;
        self.may_return = self.random.chance(8);
        self.body(7);
        if self.random.chance(48) {
            self.repeat_with(true, |g| {
                g.window();
                g.body(2);
            });
        }
        self.body(4);
        // Whoever returns early has left something.
        self.give(end);
        self.budget = self.budget.max(80) + 120;
        (self.uniform, self.may_return, self.is_tail) = (false, true, true);
        self.body(6);
        for _ in 0..4 {
            self.sink();
        }
        self.give(end);
        self.b.ret();
        arguments
    }

    /// Parameters that are values.
    fn scalars(&mut self, invocations: u32, arguments: &mut Vec<Argument>) {
        let value = self.b.scalar("n", Type::U32);
        self.keep(Val { value, ty: Type::U32, uniform: true });
        let n = match self.random.below(4) {
            0 => u64::from(invocations),
            1 => self.random.below(9) as u64,
            _ => scalar::bits(&mut self.random, Scalar::U32),
        };
        arguments.push(Argument::Scalar([n, 0, 0, 0]));
        for i in 0..self.random.below(3) {
            let ty = self.ty();
            let value = self.b.scalar(format!("p{i}"), ty);
            self.keep(Val { value, ty, uniform: true });
            let mut lanes = Lanes::default();
            for lane in lanes.iter_mut().take(ty.lanes()) {
                *lane = scalar::bits(&mut self.random, ty.lane().unwrap_or(Scalar::U32));
            }
            arguments.push(Argument::Scalar(lanes));
        }
    }

    /// Buffers that are only read.
    fn inputs(&mut self, arguments: &mut Vec<Argument>) {
        for i in 0..1 + self.random.below(2) {
            let element = if self.random.chance(30) { self.stored(2) } else { self.ty() };
            let root = self.b.buffer(format!("x{i}"), element, Access::Read);
            self.memories.push(memory(root, element, Owner::Nobody, Access::Read));
            let most = 4 * (1 + self.random.below(4) as u32);
            arguments.push(self.bytes(element, most));
        }
    }

    /// Where the invocation is.
    fn places(&mut self, size: [u32; 3], groups: [u32; 3]) {
        let uniform = |value| Val { value, ty: Type::U32, uniform: true };
        let is_line = |of: [u32; 3]| of[1] == 1 && of[2] == 1;
        let local = if is_line(size) && self.random.chance(60) { Builtin::LocalIdX } else { Builtin::LocalIndex };
        let value = self.b.builtin(local);
        let local = self.keep(Val { value, ty: Type::U32, uniform: false });
        let group = self.b.builtin(Builtin::WorkgroupIdX);
        let mut group = uniform(group);
        if !is_line(groups) {
            let [y, z] = [Builtin::WorkgroupIdY, Builtin::WorkgroupIdZ].map(|b| self.b.builtin(b));
            let [nx, ny] = [Builtin::NumWorkgroupsX, Builtin::NumWorkgroupsY].map(|b| self.b.builtin(b));
            let rows = self.b.op(Op::Mul, &[z, ny]);
            let rows = self.b.op(Op::Add, &[rows, y]);
            let before = self.b.op(Op::Mul, &[rows, nx]);
            group = uniform(self.b.op(Op::Add, &[before, group.value]));
        }
        let count = self.number(self.workgroup);
        let first = uniform(self.b.op(Op::Mul, &[group.value, count.value]));
        self.keep(group);
        self.keep(first);
        let value = if is_line(size) && is_line(groups) && self.random.chance(60) {
            self.b.builtin(Builtin::GlobalIdX)
        } else {
            self.b.op(Op::Add, &[first.value, local.value])
        };
        let global = self.keep(Val { value, ty: Type::U32, uniform: false });
        (self.local, self.first, self.global) = (Some(local), Some(first), Some(global));
    }

    /// Buffers of records, one for each invocation.
    fn outputs(&mut self, invocations: u32, arguments: &mut Vec<Argument>) {
        let Some(own) = self.global else { return };
        let words = self.types.array(Type::U32, 4 + 4 * self.random.below(3) as u32);
        let element = if self.random.chance(60) { words } else { self.stored(2) };
        let root = self.b.buffer("y", element, Access::ReadWrite);
        self.memories.push(memory(root, element, Owner::Record(own), Access::ReadWrite));
        arguments.push(self.records(element, invocations));
        if self.random.chance(45) {
            let element = if self.random.chance(40) { self.stored(1) } else { words };
            // An array in all but name: its elements are those of the records.
            let flat = match element {
                Type::Array(id) if self.random.chance(40) => Some(self.types.arrays[id].clone()),
                _ => None,
            };
            let declared = flat.as_ref().map_or(element, |def| def.element);
            let root = self.b.buffer("e", declared, Access::ReadWrite);
            let mut exchanged = memory(root, element, Owner::Record(own), Access::ReadWrite);
            (exchanged.first, exchanged.is_exchanged) = (self.first, true);
            self.memories.push(exchanged);
            arguments.push(self.records(element, invocations));
            if let (Some(def), Some(Argument::Buffer { len, .. })) = (flat, arguments.last_mut()) {
                *len *= def.len;
            }
        }
        if self.random.chance(45) {
            let scalar = self.atomic_scalar();
            let element = self.types.array(scalar.into(), 4);
            let root = self.b.buffer("c", scalar.into(), Access::Atomic);
            let mut counters = memory(root, element, Owner::Record(own), Access::Atomic);
            (counters.first, counters.is_exchanged) = (self.first, true);
            self.memories.push(counters);
            arguments.push(self.records(element, invocations));
            if let Some(Argument::Buffer { len, .. }) = arguments.last_mut() {
                *len *= 4;
            }
        }
    }

    /// A buffer that everybody adds to.
    fn gatherer(&mut self, arguments: &mut Vec<Argument>) -> (Root, Scalar) {
        let scalar = loop {
            let scalar = self.atomic_scalar();
            if Class::INT.contains(scalar) {
                break scalar;
            }
        };
        let root = self.b.buffer("g", scalar.into(), Access::Atomic);
        arguments.push(self.bytes(scalar.into(), Self::GATHERED));
        (root, scalar)
    }

    /// A scalar with atomics; those of 64 bits are rare, since not every device has them.
    fn atomic_scalar(&mut self) -> Scalar {
        match self.random.below(10) {
            0..5 => self.random.one_of([Scalar::U32, Scalar::I32]),
            5 => Scalar::F32,
            _ => {
                let all: Vec<Scalar> = Class::NUM.members().collect();
                self.random.pick(&all).copied().unwrap_or(Scalar::U32)
            }
        }
    }

    /// Workgroup memory.
    fn shared(&mut self) {
        let Some(own) = self.local else { return };
        for (i, percent) in [70, 30].into_iter().enumerate() {
            if !self.random.chance(percent) {
                continue;
            }
            let is_atomic = i == 1 && self.random.chance(60);
            let access = if is_atomic { Access::Atomic } else { Access::ReadWrite };
            let scalar = if is_atomic { self.atomic_scalar() } else { self.scalar() };
            let len = self.random.one_of([1, 2, 4, 4, 5]);
            // Elements of atomic memory are scalars, so its records are so in all but name.
            let (record, whole) = if is_atomic {
                (self.types.array(scalar.into(), len), self.types.array(scalar.into(), len * self.workgroup))
            } else {
                let record = if self.random.chance(70) { self.types.array(scalar.into(), len) } else { self.stored(1) };
                (record, self.types.array(record, self.workgroup))
            };
            let root = self.b.shared(format!("s{i}"), whole, access);
            let mut shared = memory(root, record, Owner::Record(own), access);
            shared.is_exchanged = true;
            self.memories.push(shared);
        }
    }

    /// Memory of the invocation.
    fn private(&mut self) {
        let ty = if self.random.chance(50) {
            let len = 2 + self.random.below(5) as u32;
            let element = self.ty();
            self.types.array(element, len)
        } else {
            self.stored(2)
        };
        let root = self.b.private(format!("w{}", self.b.function().private.len()), ty);
        self.memories.push(memory(root, ty, Owner::Mine, Access::ReadWrite));
    }

    /// In one kernel of ten, a table of small numbers. What else is made does not depend on them.
    fn table(&mut self) {
        let mut random = self.random.clone();
        // The first number is also what else is made next.
        random.below(2);
        if !random.chance(10) {
            return;
        }
        let scalar =
            *random.pick(&[Scalar::U8, Scalar::I16, Scalar::U32, Scalar::I32, Scalar::U64]).unwrap_or(&Scalar::U32);
        let len = 2 + random.below(20) as u32;
        let ty = self.types.array(scalar.into(), len);
        let bits: Vec<u64> = (0..len).map(|_| random.below(300) as u64 & scalar.mask()).collect();
        if let Some(root) = self.b.table("t", ty, &self.types, &bits) {
            self.memories.push(memory(root, ty, Owner::Mine, Access::Read));
        }
    }

    /// Mutable variables.
    fn variables(&mut self) {
        let zero = self.number(0);
        let mix = self.b.var("mix", Type::U32);
        self.b.set(mix, zero.value);
        self.mix = Some(mix);
        for i in 0..self.random.below(3) {
            let ty = self.ty();
            let var = self.b.var(format!("m{i}"), ty);
            let val = self.value(ty);
            self.b.set(var, val.value);
            self.vars.push((var, ty));
        }
    }

    /// A type of memory: arrays and structs of at most so many levels around values.
    fn stored(&mut self, levels: usize) -> Type {
        if levels == 0 {
            return self.ty();
        }
        if self.random.chance(35) {
            let count = 1 + self.random.below(3);
            let fields = (0..count).map(|i| (format!("f{i}"), self.stored(levels - 1))).collect();
            let name = format!("S{}", self.types.structs.len());
            return self.types.structure(StructDef { name, fields });
        }
        let element = if self.random.chance(40) { self.stored(levels - 1) } else { self.ty() };
        let len = 1 + self.random.below(4) as u32;
        self.types.array(element, len)
    }

    /// Stores what everything was mixed into, to the invocation's place.
    pub fn give(&mut self, root: Root) {
        let (Some(mix), Some(own)) = (self.mix, self.global) else { return };
        let value = self.b.get(mix);
        let place = self.b.place(root, &[Index { value: own.value, stride: 4, bound: None }], 0);
        self.b.store(place, value);
    }

    /// A buffer of records; now and then some invocations have none.
    fn records(&mut self, element: Type, invocations: u32) -> Argument {
        let short = self.random.chance(20) && invocations > 1;
        let least = self.types.layout(element).map_or(4, |layout| layout.size);
        // Buffers consist of whole words.
        let some = [1, 2, 4].into_iter().find(|n| (least * n).is_multiple_of(4)).unwrap_or(4);
        let len = if short { invocations / 2 } else { invocations };
        self.bytes(element, len.next_multiple_of(some))
    }

    /// Elements at random.
    fn bytes(&mut self, element: Type, len: u32) -> Argument {
        let size = self.types.layout(element).map_or(4, |layout| layout.size) as usize;
        let scalar = self.first_scalar(element);
        let total = size * len as usize;
        let mut bytes = Vec::with_capacity(total + 8);
        while bytes.len() < total {
            let bits = scalar::bits(&mut self.random, scalar);
            bytes.extend_from_slice(&bits.to_le_bytes()[..scalar.size() as usize]);
        }
        bytes.truncate(total);
        Argument::Buffer { bytes, len }
    }

    fn first_scalar(&self, ty: Type) -> Scalar {
        match ty {
            Type::Array(id) => self.first_scalar(self.types.arrays[id].element),
            Type::Struct(id) => {
                self.types.structs[id].fields.first().map_or(Scalar::U32, |field| self.first_scalar(field.1))
            }
            other => other.lane().unwrap_or(Scalar::U32),
        }
    }
}

/// A memory that only its owner accesses.
fn memory(root: Root, record: Type, owner: Owner, access: Access) -> Memory {
    Memory { root, record, owner, access, mode: Mode::Own, first: None, is_exchanged: false }
}
