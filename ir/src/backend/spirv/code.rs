//! The writer of functions: instructions with their results, variables, blocks.
//!
//! Invariants:
//!
//! - An instruction stands where it is made. Nothing is written after the end of a block: what
//!   nothing reaches is dropped.
//! - The block in which a construct ends ([`Code::open`]) is opened after all blocks of the
//!   construct, so that blocks stand in an order in which a block follows what dominates it.
//! - Arithmetic on integers that are known is done where it is written (`fold`).
//! - Every variable of a function stands in its first block, as SPIR-V demands.

use super::module::{Id, Module, Reg, write};
use spirv::{Decoration, FunctionControl, GlslStd450Op, LoopControl, Op, SelectionControl, StorageClass, Word};
use std::collections::BTreeMap;

/// What SPIR-V calls an instruction of ours with one result.
pub(super) struct Code {
    /// Types, constants and everything else outside functions.
    pub module: Module,
    function: Function,
    /// The functions that wait while another one is written.
    waiting: Vec<Function>,
    /// What is known of the values, by their ids.
    about: Vec<About>,
    /// The halves of which a value of 64 bits was made.
    joined: BTreeMap<Id, [Id; 2]>,
    /// The value of 64 bits that was cut into halves, by these.
    cut: BTreeMap<[Id; 2], Id>,
}

/// What is known of a value.
#[derive(Clone, Copy, Default)]
struct About {
    /// Its type, if it is a scalar.
    reg: Option<Reg>,
    /// Its bits, if it is a constant.
    bits: Option<u64>,
    /// What it was before its bits were read as another type.
    origin: Option<Id>,
}

/// A function that is being written.
struct Function {
    id: Id,
    head: Vec<Word>,
    variables: Vec<Word>,
    body: Vec<Word>,
    /// Whether the block is complete.
    ended: bool,
}

impl Code {
    /// A module whose first function is the entry point.
    pub fn new(mut module: Module) -> Self {
        let void = module.void();
        let function = Function::new(&mut module, void, &[], FunctionControl::NONE).0;
        let (joined, cut) = (BTreeMap::new(), BTreeMap::new());
        Self { module, function, waiting: Vec::new(), about: Vec::new(), joined, cut }
    }

    /// The words of the module.
    pub fn finish(mut self, workgroup_size: [u32; 3]) -> Vec<Word> {
        self.return_(None);
        let main = self.function.id;
        let words = self.function.words();
        self.module.function(&words);
        self.module.finish(main, workgroup_size)
    }

    // Functions.

    /// Begins another function, which is written until [`Code::end_function`]; its parameters.
    pub fn begin_function(&mut self, result: Id, params: &[Reg], control: FunctionControl) -> Vec<Id> {
        let types: Vec<Id> = params.iter().map(|&reg| self.module.reg(reg)).collect();
        let (function, values) = Function::new(&mut self.module, result, &types, control);
        self.waiting.push(std::mem::replace(&mut self.function, function));
        for (&value, &reg) in values.iter().zip(params) {
            self.is_reg(value, reg);
        }
        values
    }

    /// Ends the function, which has returned, and goes on with the one before.
    pub fn end_function(&mut self) -> Id {
        let Some(outer) = self.waiting.pop() else { return self.function.id };
        let function = std::mem::replace(&mut self.function, outer);
        let words = function.words();
        self.module.function(&words);
        function.id
    }

    /// Calls a function.
    pub fn call(&mut self, function: Id, result: Id, args: &[Id]) -> Id {
        let operands: Vec<Word> = std::iter::once(function).chain(args.iter().copied()).map(Id::word).collect();
        self.value_of(Op::FunctionCall, result, &operands)
    }

    // Constants.

    /// A constant of these bits.
    pub fn constant(&mut self, reg: Reg, bits: u64) -> Id {
        let id = self.module.constant(reg, bits);
        let about = self.about_mut(id);
        (about.reg, about.bits) = (Some(reg), Some(bits));
        id
    }

    /// A known word.
    pub fn word(&mut self, value: u32) -> Id {
        self.constant(Reg::U32, value.into())
    }

    /// A known condition.
    pub fn flag(&mut self, value: bool) -> Id {
        self.constant(Reg::Bool, value.into())
    }

    /// The bits of a value, if they are known.
    pub fn known(&self, id: Id) -> Option<u64> {
        self.about(id).bits
    }

    /// A known condition's value.
    pub fn known_flag(&self, id: Id) -> Option<bool> {
        self.known(id).map(|bits| bits != 0)
    }

    /// The type of a scalar value.
    pub fn reg(&self, id: Id) -> Reg {
        self.about(id).reg.unwrap_or(Reg::U32)
    }

    fn about(&self, id: Id) -> About {
        self.about.get(id.word() as usize).copied().unwrap_or_default()
    }

    fn about_mut(&mut self, id: Id) -> &mut About {
        let index = id.word() as usize;
        if index >= self.about.len() {
            self.about.resize(index + 1, About::default());
        }
        &mut self.about[index]
    }

    // Instructions.

    /// An instruction with a scalar result.
    pub fn value(&mut self, op: Op, reg: Reg, operands: &[Id]) -> Id {
        let ty = self.module.reg(reg);
        let operands: Vec<Word> = operands.iter().map(|id| id.word()).collect();
        let id = self.value_of(op, ty, &operands);
        self.is_reg(id, reg)
    }

    /// An instruction with a result of any type, and operands that need not be ids.
    pub fn value_of(&mut self, op: Op, ty: Id, operands: &[Word]) -> Id {
        let id = self.module.id();
        if !self.function.ended {
            write(&mut self.function.body, op, &[&[ty.word(), id.word()], operands].concat());
        }
        id
    }

    /// Says that a result of [`Code::value_of`] is a scalar.
    pub fn is_reg(&mut self, id: Id, reg: Reg) -> Id {
        self.about_mut(id).reg = Some(reg);
        id
    }

    /// An instruction without a result.
    pub fn effect(&mut self, op: Op, operands: &[Word]) {
        if !self.function.ended {
            write(&mut self.function.body, op, operands);
        }
    }

    /// An instruction of `GLSL.std.450` with a scalar result.
    pub fn glsl(&mut self, op: GlslStd450Op, reg: Reg, operands: &[Id]) -> Id {
        let ty = self.module.reg(reg);
        let id = self.glsl_of(op, ty, operands);
        self.is_reg(id, reg)
    }

    /// An instruction of `GLSL.std.450` with a result of any type.
    pub fn glsl_of(&mut self, op: GlslStd450Op, ty: Id, operands: &[Id]) -> Id {
        let set = self.module.glsl();
        let operands: Vec<Word> =
            [set.word(), op as Word].into_iter().chain(operands.iter().map(|id| id.word())).collect();
        self.value_of(Op::ExtInst, ty, &operands)
    }

    /// Forbids to contract a float instruction with another one.
    pub fn exact(&mut self, id: Id) -> Id {
        self.module.decorate(id, Decoration::NoContraction, &[]);
        id
    }

    /// One of two scalars.
    pub fn select(&mut self, condition: Id, accept: Id, reject: Id) -> Id {
        match self.known_flag(condition) {
            Some(true) => accept,
            Some(false) => reject,
            None if accept == reject => accept,
            None => {
                let reg = self.reg(accept);
                self.value(Op::Select, reg, &[condition, accept, reject])
            }
        }
    }

    /// The bits of a value as another type of the same size.
    pub fn bitcast(&mut self, reg: Reg, id: Id) -> Id {
        if self.reg(id) == reg {
            return id;
        }
        if let Some(bits) = self.known(id) {
            return self.constant(reg, bits);
        }
        if let Some(origin) = self.about(id).origin
            && self.reg(origin) == reg
        {
            return origin;
        }
        let value = self.value(Op::Bitcast, reg, &[id]);
        self.about_mut(value).origin = Some(id);
        value
    }

    /// The halves of which a value of 64 bits was made.
    pub fn halves_of(&self, value: Id) -> Option<[Id; 2]> {
        self.joined.get(&value).copied()
    }

    /// The value that was cut into these halves.
    pub fn whole_of(&self, halves: [Id; 2]) -> Option<Id> {
        self.cut.get(&halves).copied()
    }

    /// Says that a value was made of halves.
    pub fn is_joined(&mut self, value: Id, halves: [Id; 2]) {
        self.joined.insert(value, halves);
    }

    /// Says that a value was cut into halves.
    pub fn are_halves(&mut self, halves: [Id; 2], value: Id) {
        self.cut.insert(halves, value);
    }

    /// An integer in more or fewer bits, without a sign.
    pub fn resize(&mut self, reg: Reg, id: Id) -> Id {
        if self.reg(id) == reg {
            return id;
        }
        match self.known(id) {
            Some(bits) => self.constant(reg, bits & reg.mask()),
            None => self.value(Op::UConvert, reg, &[id]),
        }
    }

    /// A word as 64 bits, with copies of its sign or zeros above.
    pub fn lengthened(&mut self, signed: bool, word: Id) -> Id {
        match self.known(word) {
            Some(bits) if signed => self.constant(Reg::U64, bits as u32 as i32 as u64),
            Some(bits) => self.constant(Reg::U64, bits),
            None => self.value(if signed { Op::SConvert } else { Op::UConvert }, Reg::U64, &[word]),
        }
    }

    /// A condition as a word, 0 or 1.
    pub fn truth_word(&mut self, condition: Id) -> Id {
        let (one, zero) = (self.word(1), self.word(0));
        self.select(condition, one, zero)
    }

    /// Whether an integer is not zero.
    pub fn truth(&mut self, value: Id) -> Id {
        let reg = self.reg(value);
        let zero = self.constant(reg, 0);
        self.binary(Op::INotEqual, value, zero)
    }

    /// A vector of scalars of one type.
    pub fn compose(&mut self, parts: &[Id]) -> Id {
        let Some(&first) = parts.first() else { return self.word(0) };
        let ty = self.module.vector(self.reg(first), parts.len() as u32);
        let parts: Vec<Word> = parts.iter().map(|id| id.word()).collect();
        self.value_of(Op::CompositeConstruct, ty, &parts)
    }

    /// A lane of a vector or a member of a struct.
    pub fn part(&mut self, of: Id, reg: Reg, index: u32) -> Id {
        let ty = self.module.reg(reg);
        let id = self.value_of(Op::CompositeExtract, ty, &[of.word(), index]);
        self.is_reg(id, reg)
    }

    // Memory.

    /// A variable of the function with a scalar, as a pointer. It has no first value.
    pub fn local(&mut self, reg: Reg) -> Id {
        let ty = self.module.reg(reg);
        self.local_of(ty)
    }

    /// A variable of the function that is zero at first, as a pointer.
    pub fn local_zero(&mut self, reg: Reg) -> Id {
        let ty = self.module.reg(reg);
        self.local_zero_of(ty)
    }

    /// A variable of the function of any type that is zero at first.
    pub fn local_zero_of(&mut self, ty: Id) -> Id {
        let (pointer, id, zero) =
            (self.module.pointer(StorageClass::Function, ty), self.module.id(), self.module.null(ty));
        let operands = [pointer.word(), id.word(), StorageClass::Function as Word, zero.word()];
        write(&mut self.function.variables, Op::Variable, &operands);
        id
    }

    /// A variable of the function of any type. It has no first value.
    pub fn local_of(&mut self, ty: Id) -> Id {
        let (pointer, id) = (self.module.pointer(StorageClass::Function, ty), self.module.id());
        let operands = [pointer.word(), id.word(), StorageClass::Function as Word];
        write(&mut self.function.variables, Op::Variable, &operands);
        id
    }

    /// A pointer to a part of what another one points to; `ty` is the part's type.
    pub fn access(&mut self, class: StorageClass, ty: Id, base: Id, path: &[Id]) -> Id {
        let pointer = self.module.pointer(class, ty);
        let operands: Vec<Word> = std::iter::once(base).chain(path.iter().copied()).map(Id::word).collect();
        self.value_of(Op::AccessChain, pointer, &operands)
    }

    /// The scalar that a pointer points to, now.
    pub fn load(&mut self, reg: Reg, pointer: Id) -> Id {
        let ty = self.module.reg(reg);
        let id = self.value_of(Op::Load, ty, &[pointer.word()]);
        self.is_reg(id, reg)
    }

    /// What a pointer points to, now.
    pub fn load_of(&mut self, ty: Id, pointer: Id) -> Id {
        self.value_of(Op::Load, ty, &[pointer.word()])
    }

    /// Sets what a pointer points to.
    pub fn store(&mut self, pointer: Id, value: Id) {
        self.effect(Op::Store, &[pointer.word(), value.word()]);
    }

    // Blocks.

    /// A block that is opened later.
    pub fn label(&mut self) -> Id {
        self.module.id()
    }

    /// Opens a block. If nothing comes to it, what follows is dropped.
    pub fn open(&mut self, label: Id, reached: bool) {
        self.branch(label);
        write(&mut self.function.body, Op::Label, &[label.word()]);
        self.function.ended = false;
        if !reached {
            self.end(Op::Unreachable, &[]);
        }
    }

    /// Whether nothing that is written now would be reached.
    pub const fn ended(&self) -> bool {
        self.function.ended
    }

    /// Ends the block.
    fn end(&mut self, op: Op, operands: &[Word]) {
        self.effect(op, operands);
        self.function.ended = true;
    }

    /// Goes on in another block.
    pub fn branch(&mut self, to: Id) {
        self.end(Op::Branch, &[to.word()]);
    }

    /// Begins a construct that ends in a block, by a choice between two blocks.
    pub fn branch_if(&mut self, condition: Id, accept: Id, reject: Id, merge: Id) {
        self.effect(Op::SelectionMerge, &[merge.word(), SelectionControl::NONE.bits()]);
        self.end(Op::BranchConditional, &[condition.word(), accept.word(), reject.word()]);
    }

    /// Begins a construct that ends in a block, by a choice among blocks by a word.
    pub fn branch_by(&mut self, selector: Id, default: Id, cases: &[(Vec<Word>, Id)], merge: Id) {
        self.effect(Op::SelectionMerge, &[merge.word(), SelectionControl::NONE.bits()]);
        let mut operands = vec![selector.word(), default.word()];
        for (literal, label) in cases {
            operands.extend_from_slice(literal);
            operands.push(label.word());
        }
        self.end(Op::Switch, &operands);
    }

    /// Begins a loop in a block that is its header.
    pub fn begin_loop(&mut self, merge: Id, next: Id, body: Id, control: LoopControl) {
        self.effect(Op::LoopMerge, &[merge.word(), next.word(), control.bits()]);
        self.branch(body);
    }

    /// Leaves the function.
    pub fn return_(&mut self, value: Option<Id>) {
        match value {
            Some(value) => self.end(Op::ReturnValue, &[value.word()]),
            None => self.end(Op::Return, &[]),
        }
    }

    /// Runs what `then` writes if the condition holds; a condition known here leaves no branch.
    pub fn when(&mut self, condition: Id, then: impl FnOnce(&mut Self)) {
        match self.known_flag(condition) {
            Some(true) => then(self),
            Some(false) => {}
            None => {
                let (accept, merge) = (self.label(), self.label());
                let reached = !self.ended();
                self.branch_if(condition, accept, merge, merge);
                self.open(accept, reached);
                then(self);
                self.open(merge, reached);
            }
        }
    }
}

impl Function {
    fn new(module: &mut Module, result: Id, params: &[Id], control: FunctionControl) -> (Self, Vec<Id>) {
        let (ty, id) = (module.function_type(result, params), module.id());
        let mut head = Vec::new();
        write(&mut head, Op::Function, &[result.word(), id.word(), control.bits(), ty.word()]);
        let values: Vec<Id> = params.iter().map(|_| module.id()).collect();
        for (value, ty) in values.iter().zip(params) {
            write(&mut head, Op::FunctionParameter, &[ty.word(), value.word()]);
        }
        write(&mut head, Op::Label, &[module.id().word()]);
        (Self { id, head, variables: Vec::new(), body: Vec::new(), ended: false }, values)
    }

    /// All of it.
    fn words(&self) -> Vec<Word> {
        let mut words = [&self.head[..], &self.variables, &self.body].concat();
        write(&mut words, Op::FunctionEnd, &[]);
        words
    }
}
