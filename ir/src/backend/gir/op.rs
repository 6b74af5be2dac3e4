//! Pure ops in block form.

use super::body::Body;
use crate::ir::Value;
use crate::ops::{Op, Signature};
use crate::types::{Kind, Scalar, Type};

impl Body<'_> {
    pub(super) fn op(&mut self, op: Op, args: &[Value], result: Value) {
        let Some(&first) = args.first() else { return };
        let (ty, to) = (self.ty(first), self.ty(result));
        let list = |body: &Self| args.iter().map(|&arg| body.value(arg)).collect::<Vec<_>>().join(", ");
        let scalar = |ty: Type| matches!(ty, Type::Scalar(_));
        let name = op.info().name;
        let compares = matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge);
        // What has a name of block form, or is as good for numbers that are `bool`s; every
        // other op is an instruction of its name, on the table's types.
        let text = if op == Op::Select || (matches!(op, Op::And | Op::Or | Op::Xor) && scalar(ty)) {
            Some(format!("{name} {}", list(self)))
        } else if op == Op::Not && ty == Type::BOOL {
            Some(format!("xor {}, 1u32", self.value(first)))
        } else if compares && scalar(ty) {
            let family = match ty.lane().map(Scalar::kind) {
                Some(Kind::Signed) => "icmp.",
                Some(Kind::Unsigned | Kind::Bool) | None => "ucmp.",
                // `ne` alone is true of NaN.
                Some(Kind::Float) if op == Op::Ne => "fcmp.u",
                Some(Kind::Float) => "fcmp.o",
            };
            Some(format!("{family}{name} {}", list(self)))
        } else if op == Op::Cast {
            self.cast(first, ty, to)
        } else if op == Op::Bitcast {
            Some(format!("bitcast {} to {}", self.value(first), self.value_ty(to)))
        } else if op == Op::Trunc {
            Some(format!("ftrunc {}", list(self)))
        } else {
            None
        };
        if let Some(text) = text {
            return self.named(result, &text);
        }
        // The others have the table's types.
        let values: Vec<String> = args.iter().map(|&arg| self.flag(arg)).collect();
        let stated = match op.info().signature {
            Signature::Cast | Signature::Bitcast => format!(" to {}", self.table_ty(to)),
            _ => String::new(),
        };
        let text = format!("{} {}{stated}", op.info().name, values.join(", "));
        self.cast_named(result, &text);
    }

    /// A type as the table has it.
    fn table_ty(&self, ty: Type) -> String {
        self.module.types.display(ty).to_string()
    }

    /// A conversion that has a name of its own, or one of numbers that are `bool`s;
    /// `None` leaves it to `cast`.
    fn cast(&self, arg: Value, from: Type, to: Type) -> Option<String> {
        let (Type::Scalar(a), Type::Scalar(b)) = (from, to) else { return None };
        let value = self.value(arg);
        // A `bool` is a number in the text.
        let a = if a == Scalar::Bool { Scalar::U32 } else { a };
        if b == Scalar::Bool {
            let zero = crate::text::print_literal(a, 0);
            let family = if a.is_signed() { "icmp" } else { "ucmp" };
            return Some(if a.is_int() {
                format!("{family}.ne {value}, {zero}")
            } else {
                format!("fcmp.une {value}, {zero}")
            });
        }
        if a == b {
            return Some(format!("mov {value}"));
        }
        let name = crate::text::blocks::conversion(a, b);
        Some(format!("{name} {value} to {}", b.name()))
    }
}
