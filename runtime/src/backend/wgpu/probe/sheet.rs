//! Questions as one kernel: each invocation answers all of them for one triple of operands.
//!
//! There is a memory for each type. It holds the operands, all first ones before all second ones
//! and all third ones, and then a column of results for each question.

use super::operands::TRIPLES;
use super::questions::{Page, Question};
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module, Place, Root, Value};
use samebits_ir::ops::{Builtin, Op};
use samebits_ir::types::{Scalar, Type, Types};
use std::ops::Range;

/// Invocations of a workgroup.
pub(super) const WORKGROUP: u32 = 64;

/// Questions as a kernel.
pub(super) struct Sheet {
    /// The kernel is its only function.
    pub module: Module,
    /// Where the results of each question are.
    pub columns: Vec<Column>,
    /// The type of each memory, and its columns of operands and results.
    used: Vec<(Scalar, u32)>,
}

/// Where results are.
pub(super) struct Column {
    /// Which memory.
    pub memory: usize,
    /// Which column of it.
    number: u32,
    scalar: Scalar,
}

impl Column {
    /// The bytes of the memory.
    pub fn bytes(&self) -> Range<usize> {
        let size = (TRIPLES * self.scalar.size()) as usize;
        self.number as usize * size..(self.number as usize + 1) * size
    }
}

/// The kernel while it is built.
struct Draft {
    builder: Builder,
    /// The triple of the invocation.
    triple: Value,
    memories: Vec<Memory>,
}

/// The memory of a type.
struct Memory {
    scalar: Scalar,
    root: Root,
    /// The columns that are in use.
    columns: u32,
    /// The operands, once they were loaded.
    operands: Option<[Value; 3]>,
}

impl Draft {
    fn new() -> Self {
        let mut builder = Builder::new("samebits_probe", [WORKGROUP, 1, 1]);
        let id = builder.builtin(Builtin::GlobalIdX);
        let last = builder.u32(TRIPLES - 1);
        let triple = builder.op(Op::And, &[id, last]);
        Self { builder, triple, memories: Vec::new() }
    }

    /// The number of the memory of a type.
    fn memory(&mut self, scalar: Scalar) -> usize {
        if let Some(known) = self.memories.iter().position(|memory| memory.scalar == scalar) {
            return known;
        }
        let root = self.builder.buffer(scalar.name(), Type::Scalar(scalar), Access::ReadWrite);
        self.memories.push(Memory { scalar, root, columns: 3, operands: None });
        self.memories.len() - 1
    }

    /// The invocation's place in a column.
    fn place(&self, memory: usize, column: u32) -> Place {
        let Memory { scalar, root, .. } = self.memories[memory];
        let stride = scalar.size();
        self.builder.place(root, &[Index { value: self.triple, stride, bound: None }], column * TRIPLES * stride)
    }

    /// The operands of a type.
    fn operands(&mut self, scalar: Scalar) -> [Value; 3] {
        let memory = self.memory(scalar);
        if let Some(known) = self.memories[memory].operands {
            return known;
        }
        let operands = [0, 1, 2].map(|column| {
            let place = self.place(memory, column);
            self.builder.load(place, Type::Scalar(scalar))
        });
        self.memories[memory].operands = Some(operands);
        operands
    }

    /// Stores a result in a new column.
    fn store(&mut self, result: Value) -> Column {
        let (scalar, value) = stored(&mut self.builder, result);
        let memory = self.memory(scalar);
        let number = self.memories[memory].columns;
        self.memories[memory].columns += 1;
        let place = self.place(memory, number);
        self.builder.store(place, value);
        Column { memory, number, scalar }
    }
}

impl Sheet {
    /// A kernel that answers these questions.
    pub fn of(questions: &[&Question]) -> Self {
        let mut draft = Draft::new();
        let mut columns = Vec::new();
        for question in questions {
            let operands = draft.operands(question.operands);
            let page = &mut Page { builder: &mut draft.builder, scalar: question.operands };
            let result = (question.make)(page, operands);
            columns.push(draft.store(result));
        }
        draft.builder.ret();
        let used = draft.memories.iter().map(|memory| (memory.scalar, memory.columns)).collect();
        Self { module: draft.builder.into_module(Types::default()), columns, used }
    }

    /// The type and the bytes of each memory.
    pub fn memories(&self) -> impl Iterator<Item = (Scalar, usize)> {
        self.used.iter().map(|&(scalar, columns)| (scalar, (columns * TRIPLES * scalar.size()) as usize))
    }

    /// Whether there are values of `f16` and of `f64`.
    pub fn widths(&self) -> [bool; 2] {
        [Scalar::F16, Scalar::F64].map(|scalar| {
            let mut values = self.module.functions.iter().flat_map(|function| function.values.iter());
            values.any(|(_, def)| def.ty.lane() == Some(scalar))
        })
    }

    /// The elements of each memory.
    pub fn lens(&self) -> impl Iterator<Item = u32> {
        self.used.iter().map(|&(_, columns)| columns * TRIPLES)
    }
}

/// A result as a value of a type of which there is a memory.
fn stored(b: &mut Builder, result: Value) -> (Scalar, Value) {
    let scalar = match b.function().ty(result) {
        Type::Scalar(scalar) => scalar,
        _ => Scalar::U32,
    };
    let to = match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 | Scalar::U64 => scalar,
        Scalar::I64 => Scalar::U64,
        _ => Scalar::U32,
    };
    if scalar == Scalar::Bool {
        let (one, zero) = (b.u32(1), b.u32(0));
        return (to, b.op(Op::Select, &[result, one, zero]));
    }
    let value = if scalar == to { result } else { b.op_to(Op::Cast, &[result], Type::Scalar(to)) };
    (to, value)
}

#[cfg(test)]
mod tests {
    use super::super::questions::questions;
    use super::*;
    use crate::kernel::Kernel;

    #[test]
    fn all_questions_are_a_kernel_with_a_column_each() {
        let all = questions();
        let all: Vec<&Question> = all.iter().collect();
        let sheet = Sheet::of(&all);
        assert_eq!(sheet.columns.len(), all.len());
        let kernel = Kernel::from_module(&sheet.module, 0).unwrap_or_else(|error| panic!("{error}"));
        assert!(kernel.load().is_ok());
        let total: u32 = sheet.used.iter().map(|(_, columns)| columns - 3).sum();
        assert_eq!(total as usize, all.len());
    }
}
