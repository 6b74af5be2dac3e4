//! A SPIR-V module that is being written: its ids, and its sections in the order that the
//! specification demands.
//!
//! Invariants: a type and a constant are declared once, before they are used. A capability,
//! an extension or an execution mode is there if something asked for it, and only then.

use spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op, StorageClass, Word,
};
use std::collections::{BTreeMap, BTreeSet};

/// What an instruction names: a type, a value, a block, a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Id(Word);

impl Id {
    /// The number in the module's words.
    pub const fn word(self) -> Word {
        self.0
    }
}

/// The type of a scalar value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Reg {
    /// A condition, which memory cannot hold.
    Bool,
    /// A byte; of memory only, since values are wider.
    U8,
    /// Two bytes; of memory only.
    U16,
    /// A word. Signed readings are up to the instruction.
    U32,
    /// 64 bits, on targets that have them.
    U64,
    /// On targets that have it.
    F16,
    /// Everywhere.
    F32,
    /// On targets that have it.
    F64,
}

impl Reg {
    /// The size; a condition has none.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bool => 0,
            Self::U8 => 8,
            Self::U16 | Self::F16 => 16,
            Self::U32 | Self::F32 => 32,
            Self::U64 | Self::F64 => 64,
        }
    }

    /// The bits of an integer that are used.
    pub const fn mask(self) -> u64 {
        match self.bits() {
            64 => u64::MAX,
            bits => (1 << bits) - 1,
        }
    }

    /// Whether it is a float.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }
}

/// The version of SPIR-V: that of Vulkan 1.1.
const VERSION: Word = 0x0001_0300;

/// A module without its functions' bodies.
pub(super) struct Module {
    next: Word,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    vulkan_memory_model: bool,
    modes: BTreeSet<Vec<Word>>,
    decorations: Vec<Word>,
    /// Types, constants and variables of the module.
    globals: Vec<Word>,
    declared: BTreeMap<Vec<Word>, Id>,
    glsl: Option<Id>,
    /// What the entry point reads: variables of the class `Input`.
    inputs: Vec<Id>,
    functions: Vec<Word>,
}

/// Appends an instruction.
pub(super) fn write(words: &mut Vec<Word>, op: Op, operands: &[Word]) {
    words.push((operands.len() as Word + 1) << 16 | op as Word);
    words.extend_from_slice(operands);
}

/// The words of a string, which ends with a zero byte.
fn string(text: &str) -> Vec<Word> {
    let bytes: Vec<u8> = text.bytes().chain([0]).collect();
    bytes.chunks(4).map(|four| four.iter().rev().fold(0, |word, &byte| word << 8 | Word::from(byte))).collect()
}

impl Module {
    pub const fn new() -> Self {
        Self {
            next: 1,
            capabilities: BTreeSet::new(),
            extensions: BTreeSet::new(),
            vulkan_memory_model: false,
            modes: BTreeSet::new(),
            decorations: Vec::new(),
            globals: Vec::new(),
            declared: BTreeMap::new(),
            glsl: None,
            inputs: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// A new id.
    pub const fn id(&mut self) -> Id {
        let id = Id(self.next);
        self.next += 1;
        id
    }

    /// Asks for a capability.
    pub fn need(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    /// Whether a capability was asked for.
    pub fn needs(&self, capability: Capability) -> bool {
        self.capabilities.contains(&(capability as u32))
    }

    /// Asks for an extension.
    pub fn extend(&mut self, extension: &'static str) {
        self.extensions.insert(extension);
    }

    /// Asks for the Vulkan memory model instead of the old one of GLSL.
    pub fn use_vulkan_memory_model(&mut self) {
        self.vulkan_memory_model = true;
        self.need(Capability::VulkanMemoryModel);
        self.need(Capability::VulkanMemoryModelDeviceScope);
        self.extend("SPV_KHR_vulkan_memory_model");
    }

    /// Whether it has the Vulkan memory model.
    pub const fn has_vulkan_memory_model(&self) -> bool {
        self.vulkan_memory_model
    }

    /// Asks for an execution mode of the entry point.
    pub fn mode(&mut self, mode: ExecutionMode, operands: &[Word]) {
        self.modes.insert([&[mode as Word], operands].concat());
    }

    /// Decorates a type, a value or a variable.
    pub fn decorate(&mut self, id: Id, decoration: Decoration, operands: &[Word]) {
        write(&mut self.decorations, Op::Decorate, &[&[id.0, decoration as Word], operands].concat());
    }

    /// Decorates a member of a struct.
    pub fn decorate_member(&mut self, id: Id, member: u32, decoration: Decoration, operands: &[Word]) {
        write(&mut self.decorations, Op::MemberDecorate, &[&[id.0, member, decoration as Word], operands].concat());
    }

    /// A type that is declared once for these operands.
    fn ty(&mut self, op: Op, operands: &[Word]) -> Id {
        self.distinct(op, operands, 0).0
    }

    /// A type that is declared once for these operands and this mark, which tells types apart
    /// that differ in decorations only; and whether it is new.
    fn distinct(&mut self, op: Op, operands: &[Word], mark: Word) -> (Id, bool) {
        let key = [&[op as Word, mark], operands].concat();
        if let Some(&known) = self.declared.get(&key) {
            return (known, false);
        }
        let id = self.id();
        write(&mut self.globals, op, &[&[id.0], operands].concat());
        self.declared.insert(key, id);
        (id, true)
    }

    /// The type of nothing.
    pub fn void(&mut self) -> Id {
        self.ty(Op::TypeVoid, &[])
    }

    /// The type of a scalar. Asks for the capability that values of it need; those of memory only
    /// need what their storage class asks for.
    pub fn reg(&mut self, reg: Reg) -> Id {
        match reg {
            Reg::Bool => return self.ty(Op::TypeBool, &[]),
            Reg::U64 => self.need(Capability::Int64),
            Reg::F64 => self.need(Capability::Float64),
            Reg::F16 => self.need(Capability::Float16),
            Reg::U8 | Reg::U16 | Reg::U32 | Reg::F32 => {}
        }
        match reg.is_float() {
            true => self.ty(Op::TypeFloat, &[reg.bits()]),
            false => self.ty(Op::TypeInt, &[reg.bits(), 0]),
        }
    }

    /// A vector of 2 to 4 lanes; a scalar if it has one.
    pub fn vector(&mut self, reg: Reg, lanes: u32) -> Id {
        let lane = self.reg(reg);
        if lanes == 1 { lane } else { self.ty(Op::TypeVector, &[lane.0, lanes]) }
    }

    /// An array of a length. Arrays in buffers have a stride in bytes, others have none.
    pub fn array(&mut self, element: Id, len: u32, stride: Option<u32>) -> Id {
        let len = self.constant(Reg::U32, len.max(1).into());
        let (id, new) = self.distinct(Op::TypeArray, &[element.0, len.0], stride.unwrap_or(0));
        if let (Some(stride), true) = (stride, new) {
            self.decorate(id, Decoration::ArrayStride, &[stride]);
        }
        id
    }

    /// An array whose length the binding decides.
    pub fn runtime_array(&mut self, element: Id, stride: u32) -> Id {
        let (id, new) = self.distinct(Op::TypeRuntimeArray, &[element.0], stride);
        if new {
            self.decorate(id, Decoration::ArrayStride, &[stride]);
        }
        id
    }

    /// A struct with members at these byte offsets: the block that a binding shows. Blocks of
    /// different bindings are different types.
    pub fn block(&mut self, members: &[(Id, u32)], binding: Option<u32>) -> Id {
        let types: Vec<Word> = members.iter().map(|(ty, _)| ty.0).collect();
        let of_binding = binding.map_or(0, |binding| binding + 1);
        let (id, new) = self.distinct(Op::TypeStruct, &types, 1 + of_binding);
        if new {
            self.decorate(id, Decoration::Block, &[]);
            for (member, &(_, offset)) in (0..).zip(members) {
                self.decorate_member(id, member, Decoration::Offset, &[offset]);
            }
        }
        id
    }

    /// A plain struct, such as the result of a function.
    pub fn tuple(&mut self, members: &[Id]) -> Id {
        let members: Vec<Word> = members.iter().map(|member| member.0).collect();
        self.ty(Op::TypeStruct, &members)
    }

    /// A pointer to a type.
    pub fn pointer(&mut self, class: StorageClass, to: Id) -> Id {
        self.ty(Op::TypePointer, &[class as Word, to.0])
    }

    /// The type of a function.
    pub fn function_type(&mut self, result: Id, params: &[Id]) -> Id {
        let operands: Vec<Word> = [result].iter().chain(params).map(|id| id.0).collect();
        self.ty(Op::TypeFunction, &operands)
    }

    /// A constant of these bits.
    pub fn constant(&mut self, reg: Reg, bits: u64) -> Id {
        let ty = self.reg(reg).0;
        let words = [bits as Word, (bits >> 32) as Word];
        match reg {
            Reg::Bool if bits == 0 => self.declared_constant(Op::ConstantFalse, ty, &[]),
            Reg::Bool => self.declared_constant(Op::ConstantTrue, ty, &[]),
            Reg::U64 | Reg::F64 => self.declared_constant(Op::Constant, ty, &words),
            Reg::U8 | Reg::U16 | Reg::U32 | Reg::F16 | Reg::F32 => {
                self.declared_constant(Op::Constant, ty, &words[..1])
            }
        }
    }

    /// A constant of several parts.
    pub fn composite(&mut self, ty: Id, parts: &[Id]) -> Id {
        let parts: Vec<Word> = parts.iter().map(|part| part.0).collect();
        self.declared_constant(Op::ConstantComposite, ty.0, &parts)
    }

    /// Zero of any type.
    pub fn null(&mut self, ty: Id) -> Id {
        self.declared_constant(Op::ConstantNull, ty.0, &[])
    }

    fn declared_constant(&mut self, op: Op, ty: Word, operands: &[Word]) -> Id {
        let key = [&[op as Word, ty], operands].concat();
        if let Some(&known) = self.declared.get(&key) {
            return known;
        }
        let id = self.id();
        write(&mut self.globals, op, &[&[ty, id.0], operands].concat());
        self.declared.insert(key, id);
        id
    }

    /// A variable of the module.
    pub fn variable(&mut self, class: StorageClass, ty: Id, initial: Option<Id>) -> Id {
        let (pointer, id) = (self.pointer(class, ty), self.id());
        let initial: Vec<Word> = initial.iter().map(|id| id.0).collect();
        write(&mut self.globals, Op::Variable, &[&[pointer.0, id.0, class as Word], &initial[..]].concat());
        if class == StorageClass::Input {
            self.inputs.push(id);
        }
        id
    }

    /// The instruction set `GLSL.std.450`.
    pub fn glsl(&mut self) -> Id {
        match self.glsl {
            Some(glsl) => glsl,
            None => *self.glsl.insert(Id({
                self.next += 1;
                self.next - 1
            })),
        }
    }

    /// Appends a whole function.
    pub fn function(&mut self, words: &[Word]) {
        self.functions.extend_from_slice(words);
    }

    /// The words of the module, whose entry point is this function.
    pub fn finish(mut self, main: Id, workgroup_size: [u32; 3]) -> Vec<Word> {
        self.need(Capability::Shader);
        self.mode(ExecutionMode::LocalSize, &workgroup_size);
        let mut words = vec![spirv::MAGIC_NUMBER, VERSION, 0, self.next, 0];
        for &capability in &self.capabilities {
            write(&mut words, Op::Capability, &[capability]);
        }
        for extension in &self.extensions {
            write(&mut words, Op::Extension, &string(extension));
        }
        if let Some(glsl) = self.glsl {
            write(&mut words, Op::ExtInstImport, &[&[glsl.0], &string("GLSL.std.450")[..]].concat());
        }
        let model = if self.vulkan_memory_model { MemoryModel::Vulkan } else { MemoryModel::GLSL450 };
        write(&mut words, Op::MemoryModel, &[AddressingModel::Logical as Word, model as Word]);
        let inputs: Vec<Word> = self.inputs.iter().map(|id| id.0).collect();
        let entry = [&[ExecutionModel::GLCompute as Word, main.0], &string("main")[..], &inputs[..]].concat();
        write(&mut words, Op::EntryPoint, &entry);
        for mode in &self.modes {
            write(&mut words, Op::ExecutionMode, &[&[main.0], &mode[..]].concat());
        }
        words.extend_from_slice(&self.decorations);
        words.extend_from_slice(&self.globals);
        words.extend_from_slice(&self.functions);
        words
    }
}
