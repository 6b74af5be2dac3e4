//! Atomic accesses and fences.
//!
//! The invocations of a workgroup run on one thread, so workgroup memory needs no atomic instructions. In
//! buffers every access is relaxed; orders are fences before and after.

use super::code::{lane_of, literal, rust};
use super::op::lane;
use super::writer::Writer;
use crate::ir::{Inst, Place, Root, Value};
use crate::ops::{AtomicOp, Op};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::Scalar;

impl Writer<'_> {
    /// An atomic access that gives the old value.
    pub(super) fn atomic(
        &mut self,
        inst: Inst,
        op: AtomicOp,
        place: &Place,
        (args, result): (&[Value], Option<Value>),
        order: MemoryOrder,
    ) {
        let Some(leading) = args.first().copied().or(result) else { return };
        let ty = self.function.ty(leading);
        let scalar = lane_of(ty);
        let args: Vec<String> = args.iter().map(|&arg| self.scalar(arg)).collect();
        let (pointer, valid) = self.pointer(inst, place, ty);
        let in_buffer = matches!(place.root, Root::Param(_));
        let access = if in_buffer {
            shared_access(op, scalar, &pointer, &args)
        } else {
            own_access(op, scalar, &pointer, &args)
        };
        let mut steps = Vec::new();
        if in_buffer {
            steps.extend(fence(before(order.ordering), order.scope));
        }
        steps.push(format!("let old = {access};"));
        if in_buffer {
            let after = if order.failure.acquires() { stronger(order.ordering) } else { order.ordering };
            steps.extend(fence(after_of(after), order.scope));
        }
        let old = if op == AtomicOp::Store { "()" } else { "old" };
        let value = format!("{{ {} {old} }}", steps.join(" "));
        let zero = if op == AtomicOp::Store { "()".to_owned() } else { literal(scalar, 0) };
        let value = match valid {
            Some(valid) => format!("if {valid} {value} else {{ {zero} }}"),
            None => value,
        };
        match result {
            Some(result) => self.define(result, vec![value]),
            None => self.code.line(format!("let () = {value};")),
        }
    }

    /// Orders what is before it with what is after it.
    pub(super) fn fence(&mut self, ordering: Ordering, scope: Scope) {
        if let Some(line) = fence(Some(ordering), scope) {
            self.code.line(line);
        }
    }
}

/// An access of memory that other threads access as well; an expression that gives the old value.
fn shared_access(op: AtomicOp, scalar: Scalar, pointer: &str, args: &[String]) -> String {
    let ty = rust(scalar);
    let argument = |n: usize| args.get(n).map_or("0", String::as_str);
    let one = argument(0);
    let counter = |name: &str, value: &str| format!("<{ty} as n::Counter>::{name}({pointer}, {value})");
    match op {
        AtomicOp::Load => format!("<{ty} as n::Word>::get({pointer})"),
        AtomicOp::Store => format!("<{ty} as n::Word>::set({pointer}, {one})"),
        AtomicOp::Exchange => format!("<{ty} as n::Word>::exchange({pointer}, {one})"),
        AtomicOp::CompareExchange => format!("<{ty} as n::Word>::exchange_if({pointer}, {one}, {})", argument(1)),
        AtomicOp::Add if scalar.is_int() => counter("add", one),
        AtomicOp::Sub if scalar.is_int() => counter("add", &format!("{one}.wrapping_neg()")),
        AtomicOp::And => counter("and", one),
        AtomicOp::Or => counter("or", one),
        AtomicOp::Xor => counter("xor", one),
        _ => format!("<{ty} as n::Word>::update({pointer}, |old: {ty}| {})", new(op, scalar, one)),
    }
}

/// The same of memory that no other thread accesses.
fn own_access(op: AtomicOp, scalar: Scalar, pointer: &str, args: &[String]) -> String {
    let ty = rust(scalar);
    let argument = |n: usize| args.get(n).map_or("0", String::as_str);
    let one = argument(0);
    let new = match op {
        AtomicOp::Load => return format!("n::load::<{ty}>({pointer}.cast_const(), 0)"),
        AtomicOp::Store => return format!("n::store::<{ty}>({pointer}, 0, {one})"),
        AtomicOp::Exchange => one.to_owned(),
        AtomicOp::CompareExchange => {
            format!("if n::Word::same(old, {one}) {{ {} }} else {{ old }}", argument(1))
        }
        _ => new(op, scalar, one),
    };
    format!("{{ let old = n::load::<{ty}>({pointer}.cast_const(), 0); n::store::<{ty}>({pointer}, 0, {new}); old }}")
}

/// The value that memory holds after an op on `old`.
fn new(op: AtomicOp, scalar: Scalar, value: &str) -> String {
    let apply = |op: Op| {
        let new = lane(op, scalar, &["old", value], false);
        if scalar.is_float() { format!("n::Lane::canonical({new})") } else { new }
    };
    match op {
        AtomicOp::Add => apply(Op::Add),
        AtomicOp::Sub => apply(Op::Sub),
        AtomicOp::Min => apply(Op::Min),
        AtomicOp::Max => apply(Op::Max),
        AtomicOp::And => apply(Op::And),
        AtomicOp::Or => apply(Op::Or),
        AtomicOp::Xor => apply(Op::Xor),
        AtomicOp::Nand => format!("(!(old & {value}))"),
        AtomicOp::IncWrap => format!("(if old >= {value} {{ 0 }} else {{ old.wrapping_add(1) }})"),
        AtomicOp::DecWrap => {
            format!("(if old == 0 || old > {value} {{ {value} }} else {{ old.wrapping_sub(1) }})")
        }
        AtomicOp::Load | AtomicOp::CompareExchange => "old".to_owned(),
        AtomicOp::Store | AtomicOp::Exchange => value.to_owned(),
    }
}

/// What an access of this order needs before it.
const fn before(ordering: Ordering) -> Option<Ordering> {
    match ordering {
        Ordering::Release | Ordering::AcqRel => Some(Ordering::Release),
        Ordering::SeqCst => Some(Ordering::SeqCst),
        Ordering::Relaxed | Ordering::Acquire => None,
    }
}

/// What an access of this order needs after it.
const fn after_of(ordering: Ordering) -> Option<Ordering> {
    match ordering {
        Ordering::Acquire | Ordering::AcqRel => Some(Ordering::Acquire),
        Ordering::SeqCst => Some(Ordering::SeqCst),
        Ordering::Relaxed | Ordering::Release => None,
    }
}

/// The order that also acquires.
const fn stronger(ordering: Ordering) -> Ordering {
    match ordering {
        Ordering::Relaxed | Ordering::Acquire => Ordering::Acquire,
        Ordering::Release | Ordering::AcqRel => Ordering::AcqRel,
        Ordering::SeqCst => Ordering::SeqCst,
    }
}

/// A fence, unless it concerns one thread alone.
fn fence(ordering: Option<Ordering>, scope: Scope) -> Option<String> {
    let name = match ordering? {
        Ordering::Relaxed => return None,
        Ordering::Acquire => "Acquire",
        Ordering::Release => "Release",
        Ordering::AcqRel => "AcqRel",
        Ordering::SeqCst => "SeqCst",
    };
    let own = matches!(scope, Scope::Invocation | Scope::Subgroup | Scope::Workgroup);
    (!own).then(|| format!("n::fence(n::Ordering::{name});"))
}
