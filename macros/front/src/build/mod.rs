//! [`hir`](crate::hir) to IR.
//!
//! Types are decided here: an open type gets Rust's default. Then come the checks that need
//! decided types: ranges of literals, operators of types, and the cast table. After a mistake
//! building goes on to find others; the caller then throws the IR away.

mod array;
mod bounds;
mod checked;
mod control;
mod count;
mod exhaustive;
mod expr;
mod matching;
mod matrix;
mod memory;
mod message;
mod number;
mod part;
mod sum;
mod table;
pub mod value;
mod vector;
mod wide;

pub(crate) use array::MOST_STORES;
pub(crate) use message::shown;

use crate::hir::{Body, Expr, ExprId, LocalId};
use crate::hir::{BodyParam, Passing};
use crate::infer::{Infer, Ty};
use crate::signature::{ParamKind, Signature};
use crate::words::around::{Around, Plain};
use memory::Seen;
use samebits_ir::builder::Builder;
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::ir::{Access, Elements, Inst, Module, Root, Value, Var};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type, Types};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syn::ext::IdentExt;

/// What a leaf of a local variable is in the IR.
#[derive(Clone, Copy)]
enum Slot {
    /// A value that never changes.
    Value(Value),
    /// A variable.
    Var(Var),
}

/// What `continue` does before the loop's body starts again.
#[derive(Clone, Copy)]
enum Round {
    /// Nothing.
    None,
    /// Adds one to the loop's parameter.
    Next(Value, Scalar),
    /// Leaves the loop if the parameter is the last one, else goes to the next one with this op.
    Until {
        /// The parameter.
        at: Value,
        /// Its last value.
        last: Value,
        /// `Add` or `Sub`.
        op: Op,
        /// Its type.
        scalar: Scalar,
    },
}

/// The state of building one function.
struct Build<'h> {
    body: &'h Body,
    infer: &'h Infer,
    diags: &'h mut Diags,
    types: Types,
    b: Builder,
    /// A slot for each value that a local is made of.
    locals: Vec<Vec<Slot>>,
    loops: Vec<Option<(Inst, Round)>>,
    /// What each parameter is in the IR, if it is memory, and its type.
    memory: Vec<(Root, Ty)>,
    /// What each table is in the IR, where equal ones are one.
    tables: Vec<Root>,
    /// What is known of the numbers of variables that never change.
    ranges: HashMap<LocalId, bounds::Range>,
    /// The names of patterns that get their values where they are tested, and not where they are seen.
    later: BTreeSet<LocalId>,
    /// The variables of `usize` that were cast from 64 bits, which may not fit.
    wide: HashMap<LocalId, wide::Wide>,
    /// Whether a cast to a type that cannot be inferred was reported; further such errors follow
    /// from it.
    cast_reported: bool,
    /// Whether a float without a type was reported; the others follow from the first.
    float_reported: bool,
    /// The constants from outside whose types cannot be inferred, which was reported.
    undecided: Vec<Ty>,
    /// Whether loads and stores may race here.
    is_racy: bool,
    /// What messages go to: the buffer, if the kernel has one, and whether lines are said.
    messages: (Option<Root>, bool),
    /// The buffer that the value of a constant is stored into, and where its leaves lie there.
    result: Option<(Root, Vec<u32>)>,
}

/// What a body is built as.
pub enum Target<'s> {
    /// A kernel.
    Kernel(&'s Signature),
    /// A helper alone: its name and what it returns.
    Device(String, Ty),
    /// A constant of a type: a kernel of one invocation that stores its value into a buffer.
    Constant(Ty),
}

/// Builds the module of a function.
pub fn build(
    target: &Target<'_>,
    params: &[BodyParam],
    (body, block, infer): (&Body, &crate::hir::Block, &Infer),
    loc: Loc,
    diags: &mut Diags,
) -> Module {
    let b = match target {
        Target::Kernel(signature) => {
            let mut b = Builder::new(signature.name.unraw().to_string(), signature.workgroup_size);
            b.fast_math(signature.fast_math);
            b
        }
        Target::Device(name, result) => {
            let mut b = Builder::device(name.clone());
            b.results(&result.flat().unwrap_or_default());
            b
        }
        Target::Constant(_) => Builder::new("constant", [1; 3]),
    };
    let mut build = Build {
        body,
        infer,
        diags,
        types: Types::default(),
        b,
        locals: vec![Vec::new(); body.locals.len()],
        loops: vec![None; body.loops.len()],
        memory: Vec::new(),
        tables: Vec::new(),
        ranges: HashMap::new(),
        later: BTreeSet::new(),
        wide: HashMap::new(),
        cast_reported: false,
        float_reported: false,
        undecided: Vec::new(),
        is_racy: false,
        messages: (None, false),
        result: None,
    };
    build.b.at(loc);
    if let Target::Constant(ty) = target {
        build.result = Some(build.result_buffer(ty));
    }
    build.declare(params);
    if let Target::Kernel(signature) = target {
        build.messages_of(signature.debug);
    }
    if let Target::Kernel(signature) = target {
        let params = &build.b.function().params;
        let promised = signature.params.iter().filter_map(|param| match param.kind {
            ParamKind::Buffer { elements: Elements::Any, .. } | ParamKind::Scalar { .. } => None,
            ParamKind::Buffer { elements, .. } => Some((param.name.unraw().to_string(), elements)),
        });
        let promised: BTreeMap<String, Elements> = promised.collect();
        let found = (0..).zip(params).filter_map(|(i, param)| Some((i, *promised.get(&param.name)?)));
        let found: Vec<(u32, Elements)> = found.collect();
        let requires = signature.requires.iter().filter_map(|required| required.of(params)).collect();
        build.b.requires(requires);
        found.into_iter().for_each(|(index, elements)| build.b.promise(Root::Param(index), elements));
    }
    build.block(block);
    if !build.b.is_terminated() {
        build.b.ret();
    }
    let Build { types, b, .. } = build;
    b.into_module(types)
}

impl Build<'_> {
    /// Parameters, workgroup memory and arrays.
    fn declare(&mut self, params: &[BodyParam]) {
        let mut locals = self.body.locals.ids();
        // Arrays that are passed by value are the first private memory.
        let mut arrays = Vec::new();
        for param in params {
            self.b.at(param.loc);
            // A parameter that is a value has no root; nothing names one.
            let mut memory = (Root::Param(u32::MAX), Ty::Error);
            match &param.passing {
                Passing::Memory(access) => {
                    let element = match &param.ty {
                        Ty::Slice(element) => self.memory_type(element, Seen::ByHosts),
                        ty => self.memory_type(ty, Seen::ByHosts),
                    };
                    let access = if param.ty.has_atomics() { Access::Atomic } else { *access };
                    memory = (self.b.buffer(&param.name, element, access), param.ty.clone());
                }
                _ if param.ty == Ty::Error => {
                    self.b.scalar(&param.name, Type::Error);
                }
                Passing::Function(..) => {}
                Passing::Value | Passing::Reference { .. } => {
                    let values = self.scalars(&param.name, &param.ty);
                    let Some(local) = locals.next() else { continue };
                    if param.ty.has_array() {
                        arrays.push(values.clone());
                    }
                    self.locals[local.index()] = values.into_iter().map(Slot::Value).collect();
                }
            }
            self.memory.push(memory);
        }
        for local in self.body.unknown.clone() {
            let def = &self.body.locals[local];
            self.b.at(def.loc);
            let values = self.scalars(&format!("{}.{}", def.name, local.index()), &self.infer.decided(&def.ty));
            self.locals[local.index()] = values.into_iter().map(Slot::Value).collect();
        }
        // Helpers have constants of equal names, which a parameter may have as well.
        let mut names: BTreeSet<&str> = params.iter().map(|param| param.name.as_str()).collect();
        for outer in &self.body.outer {
            let local = &self.body.locals[outer.local];
            self.b.at(local.loc);
            match self.infer.decided(&local.ty).value() {
                Some(_) if self.infer.decided(&local.ty).enumeration().is_some() => {
                    let message = format!("the constant `{}` cannot be used here: it is an enum", local.name);
                    let help = "write the variant, or make it a constant of the enum's `#[device] impl`";
                    self.diags.push(Diag::new(Code::V202, local.loc, message).help(help));
                }
                Some(ty) => {
                    let taken = !names.insert(&local.name);
                    let unique = taken.then(|| format!("{}.{}", local.name, outer.local.index()));
                    let value = self.b.scalar(unique.unwrap_or_else(|| local.name.clone()), ty);
                    self.locals[outer.local.index()] = vec![Slot::Value(value)];
                }
                None if matches!(self.infer.resolve(&local.ty), Ty::Error) => {}
                None => {
                    let message = format!("cannot infer the type of `{}`", local.name);
                    let table = outer.path.segments.last().and_then(|last| Around::plain_of(&last.ident));
                    let help = match table {
                        Some(Plain::Table) => format!("write `#[device]` before `const {}`", local.name),
                        _ => format!("add its type, such as `{} as u32`", local.name),
                    };
                    self.diags.push(Diag::new(Code::V202, local.loc, message).help(help));
                    // What takes its value has no type for the same reason.
                    self.undecided.push(self.infer.resolve(&local.ty));
                }
            }
        }
        if let Some(local) = self.body.debug_assertions {
            let name = format!("debug_assertions.{}", local.index());
            self.locals[local.index()] = vec![Slot::Value(self.b.scalar(name, Type::Scalar(Scalar::Bool)))];
        }
        for memory in &self.body.shared {
            let ty = self.memory_type(&memory.ty, Seen::ByKernels);
            let atomic = memory.ty.has_atomics();
            self.b.at(memory.loc);
            self.b.shared(&memory.name, ty, if atomic { Access::Atomic } else { Access::ReadWrite });
        }
        for memory in &self.body.private {
            let ty = self.memory_type(&memory.ty, Seen::ByKernels);
            self.b.at(memory.loc);
            if ty == Type::Error && !matches!(self.infer.decided(memory.ty.innermost()), Ty::Error) {
                let message = format!("an array cannot hold `{}`", self.infer.show(memory.ty.innermost()));
                self.diags.push(Diag::new(Code::V201, memory.loc, message));
            }
            self.b.private(&memory.name, ty);
        }
        self.tables();
        self.start_variables(params);
        for (i, values) in arrays.iter().enumerate() {
            self.whole(Root::Private(i as u32), values);
        }
    }

    /// Parameters that change become variables.
    fn start_variables(&mut self, params: &[BodyParam]) {
        let valued = |param: &&BodyParam| {
            matches!(param.passing, Passing::Value | Passing::Reference { .. }) && param.ty != Ty::Error
        };
        for (local, param) in self.body.locals.ids().zip(params.iter().filter(valued)) {
            if !self.body.locals[local].mutable || param.ty.has_array() {
                continue;
            }
            self.b.at(param.loc);
            let slots = std::mem::take(&mut self.locals[local.index()]);
            let name = &self.body.locals[local].name;
            let mut variables = Vec::with_capacity(slots.len());
            for slot in slots {
                let value = self.read(slot);
                let var = self.b.var(name, self.b.function().ty(value));
                self.b.set(var, value);
                variables.push(Slot::Var(var));
            }
            self.locals[local.index()] = variables;
        }
    }

    /// A parameter of the IR for each leaf of a value.
    fn scalars(&mut self, name: &str, ty: &Ty) -> Vec<Value> {
        let mut values = Vec::new();
        match ty {
            Ty::Tuple(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    values.extend(self.scalars(&format!("{name}.{i}"), part));
                }
            }
            Ty::Struct(def) => {
                for field in &def.fields {
                    values.extend(self.scalars(&format!("{name}.{}", field.name), &field.ty));
                }
            }
            Ty::Matrix(column, columns) => {
                (0..*columns).for_each(|i| values.extend(self.scalars(&format!("{name}[{i}]"), column)));
            }
            Ty::Array(element, len) => {
                (0..*len).for_each(|i| values.extend(self.scalars(&format!("{name}[{i}]"), element)));
            }
            Ty::Sum(def) => {
                values.extend(def.tag().map(|tag| self.b.scalar(format!("{name}.is"), Type::Scalar(tag))));
                for case in &def.cases {
                    for field in &case.fields {
                        values.extend(self.scalars(&format!("{name}.{}.{}", case.name, field.name), &field.ty));
                    }
                }
            }
            other => values.extend(other.value().map(|ty| self.b.scalar(name, ty))),
        }
        values
    }

    fn expr(&self, id: ExprId) -> &Expr {
        &self.body.exprs[id]
    }

    /// An expression's type, decided.
    fn ty(&self, id: ExprId) -> Ty {
        self.infer.decided(&self.expr(id).ty)
    }

    /// A value for an expression that has one; after a mistake, any value.
    fn operand(&mut self, id: ExprId) -> Value {
        self.value(id).unwrap_or_else(|| {
            let scalar = self.ty(id).scalar().unwrap_or(Scalar::U32);
            self.b.constant(scalar, 0)
        })
    }
}
