//! The values of tables, computed by the ops of the IR before the kernel's body is built.

use super::Build;
use crate::hir;
use samebits_ir::arena::Side;
use samebits_ir::builder::Builder;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Function, InstKind, Place, Root, Table, Value, ValueDef};
use samebits_ir::limits::MAX_TABLE_BYTES;
use samebits_ir::scalar::Lanes;
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
        let ty = self.memory_type(&table.ty);
        let mut made = Table { name: table.name.clone(), ty, bytes: [].into(), loc: table.loc };
        // One that is too large is refused by the checks, whatever it holds.
        let size = self.types.layout(ty).map_or(0, |layout| layout.size);
        if size <= MAX_TABLE_BYTES {
            let bits = self.bits(table.value).unwrap_or_default();
            made.bytes = Table::bytes_of(&self.types, ty, &bits).unwrap_or_else(|| {
                if self.diags.is_empty() && ty != Type::Error {
                    let message = format!("the value of `{}` is not known while the kernel is compiled", table.name);
                    self.diags.push(Diag::new(Code::V100, table.loc, message).help("write its numbers as literals"));
                }
                vec![0; size as usize].into()
            });
        }
        self.b.add_table(made)
    }

    /// The bits of the scalars of a value, in order.
    fn bits(&mut self, value: hir::ExprId) -> Option<Vec<u64>> {
        let mut scratch = Builder::device("table");
        for table in &self.b.function().tables {
            scratch.add_table(table.clone());
        }
        let outer = std::mem::replace(&mut self.b, scratch);
        let leaves = self.flat(value);
        let scratch = std::mem::replace(&mut self.b, outer);
        let function = scratch.function();
        let known = evaluate(function);
        let mut bits = Vec::new();
        for leaf in leaves {
            let lanes = lanes(function, &known, leaf)?;
            bits.extend_from_slice(&lanes[..function.ty(leaf).lanes().min(lanes.len())]);
        }
        Some(bits)
    }
}

fn lanes(function: &Function, known: &Side<ValueDef, Option<Lanes>>, value: Value) -> Option<Lanes> {
    function.constant_bits(value).map(|bits| [bits, 0, 0, 0]).or(known[value])
}

/// What the ops and look-ups of a function without control flow give.
fn evaluate(function: &Function) -> Side<ValueDef, Option<Lanes>> {
    let mut known = Side::new(None);
    for &inst in &function.regions[function.body].insts {
        let def = &function.insts[inst];
        let &[result] = def.results.as_slice() else { continue };
        let of = |value: Value| lanes(function, &known, value);
        let found = match &def.kind {
            InstKind::Op(op, args) => {
                let types: Vec<Type> = args.iter().map(|&arg| function.ty(arg)).collect();
                let fits = op.result(&types, Some(function.ty(result))) == Some(function.ty(result));
                let args: Option<Vec<Lanes>> = args.iter().map(|&arg| of(arg)).collect();
                args.filter(|_| fits).map(|args| op.eval(&types, function.ty(result), &args))
            }
            InstKind::Load(Place { root: Root::Table(table), offset, indices }) => {
                let mut at = Some(u64::from(*offset));
                for index in indices {
                    at = at.zip(of(index.value)).map(|(at, [value, ..])| {
                        // Beyond a bound is beyond the end of any table.
                        let beyond = index.bound.is_some_and(|bound| value >= bound.into());
                        if beyond { u64::MAX } else { at.saturating_add(value * u64::from(index.stride)) }
                    });
                }
                let table = function.tables.get(*table as usize);
                at.zip(table).map(|(at, table)| table.value(function.ty(result), at))
            }
            _ => None,
        };
        known[result] = found;
    }
    known
}
