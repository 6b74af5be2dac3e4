//! The tables of a kernel: one array of words, one table after the other.

use super::code::Code;
use super::module::{Id, Reg};
use super::prologue::bind;
use crate::ir::Function;
use spirv::{Decoration, StorageClass};

/// The tables of a function.
pub(super) struct Tables {
    /// All of them.
    pub words: Vec<u32>,
    /// The word where each begins.
    pub bases: Vec<u32>,
}

impl Tables {
    pub fn of(function: &Function) -> Self {
        let mut tables = Self { words: Vec::new(), bases: Vec::new() };
        for table in &function.tables {
            tables.bases.push(tables.words.len() as u32);
            let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word: u32, &byte| word << 8 | u32::from(byte));
            tables.words.extend(table.bytes.chunks(4).map(word));
        }
        tables
    }

    /// Declares the array, as a buffer if there is a binding for it; the variable and its class.
    pub fn declare(&self, code: &mut Code, binding: Option<u32>) -> (Id, StorageClass) {
        let (word, len) = (code.module.reg(Reg::U32), self.words.len().max(1) as u32);
        if let Some(binding) = binding {
            let array = code.module.array(word, len, Some(4));
            let block = code.module.block(&[(array, 0)], Some(binding));
            let variable = code.module.variable(StorageClass::StorageBuffer, block, None);
            bind(code, variable, binding);
            code.module.decorate(variable, Decoration::NonWritable, &[]);
            return (variable, StorageClass::StorageBuffer);
        }
        let array = code.module.array(word, len, None);
        let words: Vec<Id> = self.words.iter().map(|&word| code.word(word)).collect();
        let initial = if words.is_empty() { code.module.null(array) } else { code.module.composite(array, &words) };
        (code.module.variable(StorageClass::Private, array, Some(initial)), StorageClass::Private)
    }
}
