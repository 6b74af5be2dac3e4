//! Atomic accesses and fences.
//!
//! CUDA's atomic functions on 32 and 64 bits have no order; fences before and after add it.
//! What CUDA lacks or does differently is a loop of `atomicCAS`: arithmetic on floats, because
//! the hardware flushes subnormals there, and everything smaller than a word, in the aligned
//! word around it.

use super::body::Body;
use super::code::{Code, c_type, literal};
use super::float::Float;
use super::int::Int;
use super::op::lane;
use crate::ir::{Inst, Place};
use crate::ops::{AtomicOp, Op};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{Scalar, Type};

/// An atomic access: what is done, on what, and how widely it is seen.
#[derive(Clone, Copy)]
struct Atomic {
    op: AtomicOp,
    scalar: Scalar,
    /// What CUDA's functions of this scope end in.
    scope: &'static str,
}

impl Body<'_> {
    /// An atomic access that gives the old value to a variable that it declares.
    pub(super) fn atomic(
        &mut self,
        inst: Inst,
        (op, order): (AtomicOp, MemoryOrder),
        place: &Place,
        scalar: Scalar,
        args: &[String],
        old: Option<&str>,
    ) {
        if let Some(old) = old {
            self.code.line(format!("{} {old} = {};", c_type(scalar), literal(scalar, 0)));
        }
        let Some((memory, address)) = self.address(inst, place, Type::Scalar(scalar)) else { return };
        let (at, guard) = (&address.at, address.guard());
        let scope = if order.scope == Scope::System { "_system" } else { "" };
        let atomic = Atomic { op, scalar, scope };
        let ty = atomic.pointee();
        let pointer = format!("&{}[{at}]", memory.name);
        let pointer = if memory.unit_type() == ty { pointer } else { format!("({ty}*){pointer}") };
        self.code.open(guard);
        if order.ordering.releases() {
            fence(&mut self.code, order.scope);
        }
        let value = atomic.value(&mut self.code, &pointer, args);
        self.code.line(match old {
            Some(old) => format!("{old} = {value};"),
            None => format!("{value};"),
        });
        if order.ordering.acquires() || order.failure.acquires() || order.ordering == Ordering::SeqCst {
            fence(&mut self.code, order.scope);
        }
        self.code.close("}");
    }

    /// Orders what is before it with what is after it.
    pub(super) fn fence(&mut self, scope: Scope) {
        fence(&mut self.code, scope);
    }
}

fn fence(code: &mut Code, scope: Scope) {
    code.line(match scope {
        Scope::Invocation => return,
        Scope::Subgroup | Scope::Workgroup => "__threadfence_block();",
        Scope::Device => "__threadfence();",
        Scope::System => "__threadfence_system();",
    });
}

impl Atomic {
    /// What pointers to the memory point to. Less than a word is found by its address.
    fn pointee(self) -> &'static str {
        if self.scalar.size() < 4 { "unsigned char" } else { c_type(self.scalar) }
    }

    /// The expression that accesses the memory and gives the old value.
    fn value(self, code: &mut Code, pointer: &str, args: &[String]) -> String {
        let (op, scalar, ty) = (self.op, self.scalar, c_type(self.scalar));
        let argument = |n: usize| args.get(n).map_or("0", String::as_str);
        if scalar.size() < 4 {
            return self.repeated(code, pointer, args);
        }
        let word = format!("*(volatile {ty}*){pointer}");
        let native = |name: &str| format!("{name}{}({pointer}, {})", self.scope, argument(0));
        match op {
            AtomicOp::Load => word,
            AtomicOp::Store => format!("{word} = {}", argument(0)),
            AtomicOp::Exchange => native("atomicExch"),
            AtomicOp::CompareExchange => {
                format!("atomicCAS{}({pointer}, {}, {})", self.scope, argument(0), argument(1))
            }
            AtomicOp::Add if !scalar.is_float() => native("atomicAdd"),
            AtomicOp::Sub if scalar.size() == 4 && !scalar.is_float() => native("atomicSub"),
            AtomicOp::Sub if !scalar.is_float() => {
                format!("atomicAdd{}({pointer}, 0ull - {})", self.scope, argument(0))
            }
            AtomicOp::Min | AtomicOp::Max if !scalar.is_float() => {
                let name = if op == AtomicOp::Min { "atomicMin" } else { "atomicMax" };
                if !scalar.is_signed() {
                    return native(name);
                }
                let signed = if scalar.size() == 8 { "long long" } else { "int" };
                let value = Int::new(scalar).extend(argument(0));
                format!("({ty}){name}{}(({signed}*)({pointer}), {value})", self.scope)
            }
            AtomicOp::And => native("atomicAnd"),
            AtomicOp::Or => native("atomicOr"),
            AtomicOp::Xor => native("atomicXor"),
            AtomicOp::IncWrap if scalar.size() == 4 => native("atomicInc"),
            AtomicOp::DecWrap if scalar.size() == 4 => native("atomicDec"),
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max | AtomicOp::Nand => {
                self.repeated(code, pointer, args)
            }
            AtomicOp::IncWrap | AtomicOp::DecWrap => self.repeated(code, pointer, args),
        }
    }

    /// A call of the function that tries until nobody else interferes.
    fn repeated(self, code: &mut Code, pointer: &str, args: &[String]) -> String {
        let (op, scalar, ty) = (self.op, self.scalar, c_type(self.scalar));
        let name = format!("sb_atomic_{}_{}{}", op.name(), scalar.name(), self.scope);
        let narrow = scalar.size() < 4;
        let mut params = format!("{}* p", self.pointee());
        for name in ["v", "w"].iter().take(op.operands()) {
            params += &format!(", {ty} {name}");
        }
        let name = code.function(name, ty, &params, |code| {
            let next = self.next(code);
            let cas = format!("atomicCAS{}", self.scope);
            if narrow {
                let mask = format!("0x{:x}u", scalar.mask());
                if op == AtomicOp::Load {
                    return format!(
                        "sb_u64 address = (sb_u64)p;\n\
                         return *(volatile sb_u32*)(address & ~3ull) >> 8u * (sb_u32)(address & 3ull) & {mask};"
                    );
                }
                format!(
                    "sb_u64 address = (sb_u64)p;\n\
                     sb_u32* word = (sb_u32*)(address & ~3ull);\n\
                     sb_u32 shift = 8u * (sb_u32)(address & 3ull);\n\
                     sb_u32 whole = *(volatile sb_u32*)word, seen, old, next;\n\
                     do {{\n\
                     seen = whole;\n\
                     old = seen >> shift & {mask};\n\
                     next = {next};\n\
                     whole = {cas}(word, seen, seen & ~({mask} << shift) | next << shift);\n\
                     }} while (whole != seen);\n\
                     return old;"
                )
            } else {
                format!(
                    "{ty} found = *(volatile {ty}*)p, old;\n\
                     do {{\n\
                     old = found;\n\
                     found = {cas}(p, old, {next});\n\
                     }} while (found != old);\n\
                     return old;"
                )
            }
        });
        let args: String = args.iter().map(|arg| format!(", {arg}")).collect();
        format!("{name}({pointer}{args})")
    }

    /// What the memory holds afterwards, of `old` and the operands `v` and `w`.
    fn next(self, code: &mut Code) -> String {
        let float = Float::new(self.scalar);
        let mut of = |op: Op, args: &[&str]| {
            let bits = lane(code, op, self.scalar, args);
            if float.gives_a_nan(op) { float.canonical(code, &bits) } else { bits }
        };
        let zero = literal(self.scalar, 0);
        let int = Int::new(self.scalar);
        match self.op {
            AtomicOp::Load => "old".to_owned(),
            AtomicOp::Store | AtomicOp::Exchange => "v".to_owned(),
            AtomicOp::Add => of(Op::Add, &["old", "v"]),
            AtomicOp::Sub => of(Op::Sub, &["old", "v"]),
            AtomicOp::Min => of(Op::Min, &["old", "v"]),
            AtomicOp::Max => of(Op::Max, &["old", "v"]),
            AtomicOp::And => of(Op::And, &["old", "v"]),
            AtomicOp::Or => of(Op::Or, &["old", "v"]),
            AtomicOp::Xor => of(Op::Xor, &["old", "v"]),
            AtomicOp::Nand => int.not("(old & v)"),
            AtomicOp::IncWrap => format!("old >= v ? {zero} : old + 1"),
            AtomicOp::DecWrap => format!("old == {zero} || old > v ? v : old - 1"),
            AtomicOp::CompareExchange => "old == v ? w : old".to_owned(),
        }
    }
}
