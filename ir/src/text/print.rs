//! Module to text.
//!
//! Every name is printed so that it reads back: unique within its kind (with `.1`, `.2` … if
//! the source had one name twice), and quoted if it is not a plain word. Values without a name
//! are numbered in order of their appearance. Nothing here panics, even if the module was never
//! checked. A reference to something that does not exist prints as `?`.

use super::lex::Sigil;
use super::literal;
use super::names::{StructNames, Unique, ValueNames, sigil, structs};
use super::requires::requirements;
use crate::ir::{
    Access, CallArg, Elements, Function, FunctionKind, Inst, InstKind, MAX_NESTING, Memory, Module, ParamKind, Place,
    Region, Root, Table, Value, ValueDef,
};
use crate::limits::MAX_TABLE_BYTES;
use crate::loc::Loc;
use crate::ops::AtomicOp;
use crate::order::{MemoryOrder, Ordering};
use crate::types::{Scalar, Type, Types};
use std::fmt::Write;

/// A module's text and what its lines are about.
pub(super) struct Printed {
    /// The text.
    pub(super) text: String,
    /// The offset of each line that begins something, in order, with its place in the source.
    pub(super) marks: Vec<(usize, Loc)>,
}

/// The text of a module.
pub(super) fn module(module: &Module) -> Printed {
    let mut out = String::new();
    let mut marks = Vec::new();
    let names = StructNames::new(&module.types);
    structs(&mut out, &module.types, &names);
    let mut functions = Unique::default();
    let functions: Vec<String> = module.functions.iter().map(|f| functions.name(&f.name)).collect();
    for (function, name) in module.functions.iter().zip(&functions) {
        if !out.is_empty() {
            out.push('\n');
        }
        let mut printer = Printer::new(module, &names, &functions, function);
        printer.function(name);
        marks.extend(printer.marks.iter().map(|&(at, loc)| (out.len() + at, loc)));
        out.push_str(&printer.out);
    }
    Printed { text: out, marks }
}

/// What is not as it is by default about an order, each with a space before it.
fn attributes(order: MemoryOrder) -> String {
    let MemoryOrder { ordering, failure, scope } = order;
    let mut out = String::new();
    for (key, word) in [("ordering", ordering), ("failure", failure)] {
        if word != Ordering::Relaxed {
            let _ = write!(out, " {key}={}", word.name());
        }
    }
    if scope != MemoryOrder::RELAXED.scope {
        let _ = write!(out, " scope={}", scope.name());
    }
    out
}

struct Printer<'m> {
    module: &'m Module,
    types: &'m Types,
    /// The names of the module's functions as printed.
    functions: &'m [String],
    structs: &'m StructNames,
    function: &'m Function,
    out: String,
    marks: Vec<(usize, Loc)>,
    values: ValueNames,
    params: Vec<String>,
    shared: Vec<String>,
    private: Vec<String>,
    tables: Vec<String>,
    vars: Vec<String>,
    label_names: Unique,
    next_label: usize,
    /// How many regions are around the place that is being printed.
    nesting: usize,
    /// The loops around the place that is being printed, with their labels.
    loops: Vec<(Inst, String)>,
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module, structs: &'m StructNames, functions: &'m [String], function: &'m Function) -> Self {
        let mut globals = Unique::default();
        let params: Vec<String> = function.params.iter().map(|p| globals.name(&p.name)).collect();
        let shared = function.shared.iter().map(|m| globals.name(&m.name)).collect();
        let private = function.private.iter().map(|m| globals.name(&m.name)).collect();
        let tables = function.tables.iter().map(|t| globals.name(&t.name)).collect();
        let mut vars = Unique::default();
        let vars = function.vars.iter().map(|(_, v)| vars.name(&v.name)).collect();
        let mut printer = Self {
            module,
            types: &module.types,
            functions,
            structs,
            function,
            out: String::new(),
            marks: Vec::new(),
            values: ValueNames::new(),
            params,
            shared,
            private,
            tables,
            vars,
            label_names: Unique::default(),
            next_label: 0,
            nesting: 0,
            loops: Vec::new(),
        };
        let scalars = function.params.iter().zip(&printer.params);
        let scalars = scalars.filter(|(p, _)| matches!(p.kind, ParamKind::Scalar(_))).map(|(_, name)| name.clone());
        let scalars: Vec<String> = scalars.collect();
        let body = function.regions.get(function.body).map_or(&[][..], |r| &r.params);
        for (name, &value) in scalars.iter().zip(body) {
            printer.values.define(value, Some(name));
        }
        printer
    }

    fn ty(&self, ty: Type) -> String {
        self.structs.ty(self.types, ty)
    }

    fn value_ty(&self, value: Value) -> Type {
        self.function.values.get(value).map_or(Type::Error, |def| def.ty)
    }

    /// Gives a value its printed name, at its definition.
    fn define(&mut self, value: Value) -> String {
        self.values.define(value, self.function.values.get(value).and_then(|def| def.name.as_deref()))
    }

    /// A value at its use.
    fn value(&self, value: Value) -> String {
        if let Some(name) = &self.values.printed[value] {
            return name.clone();
        }
        match self.function.values.get(value) {
            Some(ValueDef { ty: Type::Scalar(ty), constant: Some(bits), .. }) => literal::print(*ty, *bits),
            _ => "%?".to_owned(),
        }
    }

    fn list(&self, values: &[Value]) -> String {
        values.iter().map(|&v| self.value(v)).collect::<Vec<_>>().join(", ")
    }

    fn root(&self, root: Root) -> String {
        let name = match root {
            Root::Param(i) => self.params.get(i as usize),
            Root::Shared(i) => self.shared.get(i as usize),
            Root::Private(i) => self.private.get(i as usize),
            Root::Table(i) => self.tables.get(i as usize),
        };
        name.map_or("@?".to_owned(), |name| sigil(Sigil::Global, name))
    }

    /// A place; `access` is the type of the access, whose size is the stride that an
    /// index has unless it says otherwise.
    fn place(&self, place: &Place, access: Type) -> String {
        let mut out = self.root(place.root);
        let size = self.types.layout(access).map(|layout| layout.size);
        for index in &place.indices {
            let _ = write!(out, "[{}", self.value(index.value));
            if Some(index.stride) != size {
                let _ = write!(out, " * {}", index.stride);
            }
            if let Some(bound) = index.bound {
                let _ = write!(out, " < {bound}");
            }
            out.push(']');
        }
        if place.offset != 0 {
            let _ = write!(out, " + {}", place.offset);
        }
        out
    }

    fn function(&mut self, name: &str) {
        let mut params = Vec::new();
        for (param, name) in self.function.params.iter().zip(&self.params) {
            params.push(match param.kind {
                ParamKind::Scalar(ty) => format!("{}: {}", sigil(Sigil::Value, name), self.ty(ty)),
                ParamKind::Buffer { element, access } => {
                    let access = match (access, param.elements) {
                        (Access::Read, Elements::Distinct) => "distinct ",
                        (Access::Read, Elements::Below) => "below ",
                        (Access::Read, Elements::Any) => "",
                        (Access::ReadWrite, _) => "mut ",
                        (Access::Atomic, _) => "atomic ",
                    };
                    format!("{}: {access}[{}]", sigil(Sigil::Global, name), self.ty(element))
                }
            });
        }
        let name = sigil(Sigil::Global, name);
        self.mark(self.function.loc);
        let kind = match self.function.kind {
            FunctionKind::Kernel { workgroup_size: [x, y, z] } => {
                let fast = if self.function.fast_math { "fast_math " } else { "" };
                let limits = self.function.limits;
                let limits = if limits.is_empty() { String::new() } else { format!("{limits} ") };
                format!("kernel {fast}workgroup_size({x}, {y}, {z}) {limits}")
            }
            FunctionKind::Device => String::new(),
        };
        let results: Vec<String> = self.function.results.iter().map(|&ty| self.ty(ty)).collect();
        let results = if results.is_empty() { String::new() } else { format!(" -> {}", results.join(", ")) };
        let requires = requirements(&self.function.requires, &self.params);
        let _ = writeln!(self.out, "func {kind}{name}({}){requires}{results} {{", params.join(", "));
        self.memory("shared", &self.function.shared, &self.shared.clone());
        self.memory("private", &self.function.private, &self.private.clone());
        for (table, name) in self.function.tables.iter().zip(&self.tables) {
            self.marks.push((self.out.len(), table.loc));
            let (name, ty, held) = (sigil(Sigil::Global, name), self.ty(table.ty), self.held(table));
            let _ = writeln!(self.out, "  table {name}: {ty} = ({held})");
        }
        for ((_, var), name) in self.function.vars.iter().zip(&self.vars) {
            self.marks.push((self.out.len(), var.loc));
            let line = format!("  var {}: {}\n", sigil(Sigil::Var, name), self.ty(var.ty));
            self.out.push_str(&line);
        }
        self.region(self.function.body, 1, false);
        self.out.push_str("}\n");
    }

    /// The scalars of a table; nothing if it is larger than the checks allow.
    fn held(&self, table: &Table) -> String {
        if self.types.layout(table.ty).is_none_or(|layout| layout.size > MAX_TABLE_BYTES) {
            return String::new();
        }
        let literal =
            |(at, scalar): (u32, Scalar)| literal::print(scalar, table.value(Type::Scalar(scalar), at.into())[0]);
        table.scalars(self.types).into_iter().map(literal).collect::<Vec<_>>().join(", ")
    }

    fn memory(&mut self, keyword: &str, memory: &[Memory], names: &[String]) {
        for (memory, name) in memory.iter().zip(names) {
            let access = if memory.access == Access::Atomic { "atomic " } else { "" };
            let (name, ty) = (sigil(Sigil::Global, name), self.ty(memory.ty));
            self.mark(memory.loc);
            let _ = writeln!(self.out, "  {keyword} {name}: {access}{ty}");
        }
    }

    /// The instructions of a region, without a final `yield` of nothing if it may be left
    /// out. Deeper nesting than any check admits is left out, so that the stack suffices.
    fn region(&mut self, region: Region, depth: usize, may_omit_yield: bool) {
        if self.nesting > MAX_NESTING {
            return;
        }
        self.nesting += 1;
        for &inst in self.shown(region, may_omit_yield) {
            self.inst(inst, depth);
        }
        self.nesting -= 1;
    }

    fn shown(&self, region: Region, may_omit_yield: bool) -> &'m [Inst] {
        let insts = self.function.regions.get(region).map_or(&[][..], |r| &r.insts);
        match insts.split_last() {
            Some((last, rest)) if may_omit_yield && self.is_empty_yield(*last) => rest,
            _ => insts,
        }
    }

    fn is_empty_yield(&self, inst: Inst) -> bool {
        matches!(self.function.insts.get(inst).map(|i| &i.kind), Some(InstKind::Yield(values)) if values.is_empty())
    }

    fn inst(&mut self, id: Inst, depth: usize) {
        let Some(inst) = self.function.insts.get(id) else { return };
        let result = inst.results.first().map_or(Type::Error, |&r| self.value_ty(r));
        // Operands are read before the results are named: an instruction cannot use them.
        let text = self.head(&inst.kind, result);
        let results: Vec<String> = inst.results.iter().map(|&r| self.define(r)).collect();
        self.mark(inst.loc);
        self.indent(depth);
        if !results.is_empty() {
            self.out.push_str(&results.join(", "));
            self.out.push_str(" = ");
        }
        let flags = self.function.flags[id];
        if !flags.is_empty() {
            let _ = write!(self.out, "{flags} ");
        }
        self.out.push_str(&text);
        let mut suffix = String::new();
        if !inst.results.is_empty() {
            let types: Vec<String> = inst.results.iter().map(|&r| self.ty(self.value_ty(r))).collect();
            suffix = format!(" -> {}", types.join(", "));
        }
        let plain = inst.results.is_empty();
        match &inst.kind {
            InstKind::If { then, otherwise, .. } => {
                let _ = writeln!(self.out, "{suffix} {{");
                self.region(*then, depth + 1, plain);
                self.indent(depth);
                if !plain || !self.shown(*otherwise, true).is_empty() {
                    self.out.push_str("} else {\n");
                    self.region(*otherwise, depth + 1, plain);
                    self.indent(depth);
                }
                self.out.push_str("}\n");
            }
            InstKind::Switch { selector, cases, default } => {
                let _ = writeln!(self.out, "{suffix} {{");
                let ty = self.value_ty(*selector).lane().unwrap_or(Scalar::U64);
                for case in cases {
                    let values: Vec<String> = case.values.iter().map(|&bits| literal::print(ty, bits)).collect();
                    let head = format!("case {}", values.join(", "));
                    self.arm(head.trim_end(), case.region, depth + 1, plain);
                }
                if !plain || !self.shown(*default, true).is_empty() {
                    self.arm("default", *default, depth + 1, plain);
                }
                self.indent(depth);
                self.out.push_str("}\n");
            }
            InstKind::Loop { body, initial, label } => self.loop_(id, *body, initial, label.as_deref(), &suffix, depth),
            // The head is all of an instruction without regions.
            _ => self.out.push('\n'),
        }
    }

    /// An instruction without results and regions.
    fn head(&self, kind: &InstKind, result: Type) -> String {
        match kind {
            InstKind::Op(op, args) => {
                let info = op.info();
                let to =
                    if info.signature.states_result() { format!(" to {}", self.ty(result)) } else { String::new() };
                format!("{} {}{to}", info.name, self.list(args))
            }
            InstKind::Load(place) => format!("load {} {}", self.ty(result), self.place(place, result)),
            InstKind::Store(place, value) => {
                format!("store {}, {}", self.place(place, self.value_ty(*value)), self.value(*value))
            }
            InstKind::Atomic(AtomicOp::Load, place, _, order) => {
                format!("atomic.load {} {}{}", self.ty(result), self.place(place, result), attributes(*order))
            }
            InstKind::Atomic(op, place, args, order) => {
                let access = args.first().map_or(Type::Error, |&v| self.value_ty(v));
                let (place, args) = (self.place(place, access), self.list(args));
                format!("atomic.{} {place}, {args}{}", op.name(), attributes(*order))
            }
            InstKind::Len(root) => format!("len {}", self.root(*root)),
            InstKind::Builtin(builtin) => builtin.name().to_owned(),
            InstKind::Barrier => "barrier".to_owned(),
            InstKind::Subgroup(op, args) => {
                let separator = if args.is_empty() { "" } else { " " };
                format!("subgroup.{}{separator}{}", op.name(), self.list(args))
            }
            InstKind::Fence(ordering, scope) => format!("fence ordering={} scope={}", ordering.name(), scope.name()),
            InstKind::Call { function, args } => self.call(*function as usize, args),
            InstKind::Get(var) => format!("get {}", self.var(var.index())),
            InstKind::Set(var, value) => format!("set {}, {}", self.var(var.index()), self.value(*value)),
            InstKind::If { condition, .. } => format!("if {}", self.value(*condition)),
            InstKind::Switch { selector, .. } => format!("switch {}", self.value(*selector)),
            InstKind::Loop { .. } => "loop".to_owned(),
            InstKind::Yield(values) => self.jump("yield", None, values),
            InstKind::Break(target, values) => self.jump("break", Some(*target), values),
            InstKind::Continue(target, values) => self.jump("continue", Some(*target), values),
            InstKind::Return(values) => self.jump("ret", None, values),
            InstKind::Unreachable => "unreachable".to_owned(),
        }
    }

    fn call(&self, function: usize, args: &[CallArg]) -> String {
        let name = self.functions.get(function).map_or("@?".to_owned(), |name| sigil(Sigil::Global, name));
        let params = self.module.functions.get(function).map_or(&[][..], |callee| &callee.params);
        let args: Vec<String> = (args.iter().enumerate())
            .map(|(i, arg)| match (arg, params.get(i).map(|param| param.kind)) {
                (CallArg::Value(value), _) => self.value(*value),
                (CallArg::Place(place), Some(ParamKind::Buffer { element, .. })) => self.place(place, element),
                (CallArg::Place(place), _) => self.place(place, Type::Error),
            })
            .collect();
        format!("call {name}({})", args.join(", "))
    }

    fn jump(&self, mnemonic: &str, target: Option<Inst>, values: &[Value]) -> String {
        let mut out = mnemonic.to_owned();
        if let Some(target) = target {
            let label = self.loops.iter().rev().find(|(id, _)| *id == target);
            let _ = write!(out, " {}", label.map_or("'?", |(_, label)| label));
        }
        if !values.is_empty() {
            let _ = write!(out, " {}", self.list(values));
        }
        out
    }

    fn var(&self, index: usize) -> String {
        self.vars.get(index).map_or("$?".to_owned(), |name| sigil(Sigil::Var, name))
    }

    fn arm(&mut self, head: &str, region: Region, depth: usize, may_omit_yield: bool) {
        self.indent(depth);
        let _ = writeln!(self.out, "{head} {{");
        self.region(region, depth + 1, may_omit_yield);
        self.indent(depth);
        self.out.push_str("}\n");
    }

    fn loop_(&mut self, id: Inst, body: Region, initial: &[Value], label: Option<&str>, suffix: &str, depth: usize) {
        let label = match label {
            Some(label) => self.label_names.name(label),
            None => {
                while self.label_names.is_used(&format!("l{}", self.next_label)) {
                    self.next_label += 1;
                }
                self.label_names.name(&format!("l{}", self.next_label))
            }
        };
        let label = sigil(Sigil::Label, &label);
        let unroll = self.function.unroll[id].map_or(String::new(), |(unroll, _)| format!(" {unroll}"));
        let values: Vec<String> = initial.iter().map(|&v| self.value(v)).collect();
        let params = self.function.regions.get(body).map_or(&[][..], |r| &r.params);
        let mut shown = Vec::new();
        for (i, &param) in params.iter().enumerate() {
            let name = self.define(param);
            let initial = values.get(i).map_or("%?", String::as_str);
            shown.push(format!("{name}: {} = {initial}", self.ty(self.value_ty(param))));
        }
        let shown = if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) };
        let _ = writeln!(self.out, "{unroll} {label}{shown}{suffix} {{");
        self.loops.push((id, label));
        self.region(body, depth + 1, false);
        self.loops.pop();
        self.indent(depth);
        self.out.push_str("}\n");
    }

    /// Notes what the next line is about.
    fn mark(&mut self, loc: Loc) {
        self.marks.push((self.out.len(), loc));
    }

    fn indent(&mut self, depth: usize) {
        self.out.push_str(&"  ".repeat(depth));
    }
}
