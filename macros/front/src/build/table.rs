//! The values of constants, and of tables, which are known before the kernel's body is built.

use super::Build;
use super::memory::Seen;
use super::value;
use crate::hir::{self, Held};
use crate::infer::Ty;
use samebits_ir::builder::Builder;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Access, Root, Table, Value};
use samebits_ir::limits::MAX_TABLE_BYTES;
use samebits_ir::types::Type;

impl Build<'_> {
    /// Adds every table, each after those that its value looks up.
    pub(super) fn tables(&mut self) {
        let body = self.body;
        for table in &body.tables {
            let root = self.table(table);
            self.tables.push(root);
        }
    }

    fn table(&mut self, table: &hir::Table) -> Root {
        let ty = self.memory_type(&table.ty, Seen::ByKernels);
        let mut made = Table { name: table.name.clone(), ty, bytes: [].into(), loc: table.loc };
        // One that is too large is refused by the checks, whatever it holds.
        let size = self.types.layout(ty).map_or(0, |layout| layout.size);
        if size <= MAX_TABLE_BYTES {
            let bits = match &table.value {
                Held::Expr(value) => self.bits(*value, &table.ty).unwrap_or_default(),
                Held::Bits(bits) => bits.to_vec(),
            };
            made.bytes = Table::bytes_of(&self.types, ty, &bits).unwrap_or_else(|| {
                if !self.diags.has_errors() && ty != Type::Error {
                    let message = format!("the value of `{}` must be known when the kernel is compiled", table.name);
                    self.diags.push(Diag::new(Code::V100, table.loc, message).help("write its numbers as literals"));
                }
                vec![0; size as usize].into()
            });
        }
        self.b.add_table(made)
    }

    /// The bits of the scalars of an expression's value, in order.
    fn bits(&mut self, value: hir::ExprId, ty: &Ty) -> Option<Vec<u64>> {
        let mut scratch = Builder::new("table", [1; 3]);
        for table in &self.b.function().tables {
            scratch.add_table(table.clone());
        }
        let outer = std::mem::replace(&mut self.b, scratch);
        let result = Some(self.result_buffer(ty));
        let result = std::mem::replace(&mut self.result, result);
        let leaves = self.flat(value);
        let literals: Option<Vec<u64>> = leaves.iter().map(|&leaf| self.b.function().constant_bits(leaf)).collect();
        if literals.is_none() {
            self.give(&leaves);
        }
        self.result = result;
        let scratch = std::mem::replace(&mut self.b, outer);
        literals.or_else(|| value::run(scratch.into_module(self.types.clone())).ok())
    }

    /// A buffer for one value of a type, and where the value's leaves lie in it.
    pub(super) fn result_buffer(&mut self, ty: &Ty) -> (Root, Vec<u32>) {
        let element = self.memory_type(ty, Seen::ByKernels);
        let leaves = self.leaves_at(&self.infer.decided(ty), 0, Seen::ByKernels);
        let root = self.b.buffer("value", element, Access::ReadWrite);
        (root, leaves.into_iter().map(|leaf| leaf.offset).collect())
    }

    /// Stores the leaves of a constant's value and ends the kernel.
    pub(super) fn give(&mut self, values: &[Value]) {
        let Some((root, offsets)) = self.result.clone() else { return };
        for (offset, &value) in offsets.into_iter().zip(values) {
            let place = self.b.place(root, &[], offset);
            self.b.store(place, value);
        }
        self.b.ret();
    }
}
