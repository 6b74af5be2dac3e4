//! A function's regions as blocks.
//!
//! One block is open at a time. An `if`, `switch` or `loop` ends it. What follows goes to the
//! block where its regions meet, and the edges that lead to that block give its `phi`s. A block
//! that no edge leads to is not written.

use crate::ir::{CallArg, Function, Inst, InstKind, Module, ParamKind, Place, Region, Root, Value};
use crate::ops::AtomicOp;
use crate::order::MemoryOrder;
use crate::text::blocks::atomic_name;
use crate::text::names::{Sigil, StructNames, Unique, ValueNames, sigil};
use crate::text::print_literal;
use crate::types::{Scalar, Type};
use std::collections::HashMap;
use std::fmt::Write;

/// A block that regions meet in: the values that each edge brings.
struct Meet {
    label: String,
    edges: Vec<(String, Vec<String>)>,
}

pub(super) struct Body<'m> {
    pub(super) module: &'m Module,
    structs: &'m StructNames,
    functions: &'m [String],
    pub(super) function: &'m Function,
    /// The names of the roots, with their sigils.
    params: Vec<String>,
    shared: Vec<String>,
    private: Vec<String>,
    values: ValueNames,
    labels: Unique,
    /// The text, in which the `phi`s of loops are filled in at the end.
    out: String,
    /// The open block.
    label: String,
    /// Where the regions around meet: at the end of choices, and before and behind loops.
    choices: Vec<Meet>,
    heads: HashMap<usize, Meet>,
    ends: HashMap<usize, Meet>,
    /// Where the `phi`s of a loop's head belong.
    holes: Vec<(usize, usize)>,
}

impl<'m> Body<'m> {
    pub(super) fn new(
        module: &'m Module,
        structs: &'m StructNames,
        functions: &'m [String],
        function: &'m Function,
    ) -> Self {
        Self {
            module,
            structs,
            functions,
            function,
            params: Vec::new(),
            shared: Vec::new(),
            private: Vec::new(),
            values: ValueNames::new(),
            labels: Unique::default(),
            out: String::new(),
            label: String::new(),
            choices: Vec::new(),
            heads: HashMap::new(),
            ends: HashMap::new(),
            holes: Vec::new(),
        }
    }

    // Names and types.

    /// Writes the globals that stand for the function's memory.
    pub(super) fn memory(&mut self, globals: &mut Unique, out: &mut String) {
        for (space, list) in [("shared", &self.function.shared), ("local", &self.function.private)] {
            for memory in list {
                let name = sigil(Sigil::Global, &globals.name(&memory.name));
                let ty = self.structs.ty(&self.module.types, memory.ty);
                let _ = writeln!(out, "global {name} : ptr[{space}]<{ty}>");
                if space == "shared" { self.shared.push(name) } else { self.private.push(name) }
            }
        }
    }

    /// The name of the next parameter.
    pub(super) fn param(&mut self, name: &str) -> String {
        let name = sigil(Sigil::Value, &self.values.unique.name(name));
        self.params.push(name.clone());
        name
    }

    /// Gives the scalar parameters their names.
    pub(super) fn scalars(&mut self) {
        let params = self.function.params.iter().zip(&self.params);
        let scalars = params.filter(|(param, _)| matches!(param.kind, ParamKind::Scalar(_)));
        for ((_, name), &value) in scalars.zip(&self.function.regions[self.function.body].params) {
            self.values.printed[value] = Some(name.clone());
        }
    }

    /// The type of a value in the text: scalars of `bool` are numbers.
    pub(super) fn value_ty(&self, ty: Type) -> String {
        let ty = if ty == Type::BOOL { Type::U32 } else { ty };
        self.structs.ty(&self.module.types, ty)
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    pub(super) fn value(&self, value: Value) -> String {
        let def = &self.function.values[value];
        match (&self.values.printed[value], def.constant, def.ty) {
            (Some(name), ..) => name.clone(),
            (None, Some(bits), Type::Scalar(Scalar::Bool)) => print_literal(Scalar::U32, bits),
            (None, Some(bits), Type::Scalar(ty)) => print_literal(ty, bits),
            // Every value is defined before its uses.
            (None, ..) => "0u32".to_owned(),
        }
    }

    /// A value for an instruction that takes `bool`s.
    pub(super) fn flag(&mut self, value: Value) -> String {
        match (self.ty(value), self.function.constant_bits(value)) {
            (Type::BOOL, Some(bits)) => (bits != 0).to_string(),
            (Type::BOOL, None) => {
                let number = self.value(value);
                self.temporary(&format!("cast {number} to bool"))
            }
            _ => self.value(value),
        }
    }

    pub(super) fn define(&mut self, value: Value) -> String {
        self.values.define(value, self.function.values[value].name.as_deref())
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    /// A value that has no name in the module.
    pub(super) fn temporary(&mut self, text: &str) -> String {
        let name = self.values.number();
        self.line(&format!("{name} = {text}"));
        name
    }

    fn new_label(&mut self, hint: &str) -> String {
        let plain =
            hint.starts_with(|c: char| c.is_ascii_alphabetic()) && hint.bytes().all(|b| b.is_ascii_alphanumeric());
        self.labels.name(if plain { hint } else { "b" })
    }

    // Blocks.

    /// The text of all blocks.
    pub(super) fn blocks(mut self) -> String {
        let label = self.new_label("entry");
        self.open(label);
        self.region(self.function.body);
        // From the last hole to the first, so that places stay what they are.
        while let Some((place, loop_)) = self.holes.pop() {
            let meet = self.heads.remove(&loop_);
            let params = match self.function.insts.iter().nth(loop_).map(|(_, def)| &def.kind) {
                Some(InstKind::Loop { body, .. }) => self.function.regions[*body].params.clone(),
                _ => Vec::new(),
            };
            if let Some(meet) = meet {
                let phis = self.phis(&params, &meet);
                self.out.insert_str(place, &phis);
            }
        }
        self.out
    }

    fn open(&mut self, label: String) {
        let _ = writeln!(self.out, "{label}:");
        self.label = label;
    }

    fn phis(&self, values: &[Value], meet: &Meet) -> String {
        let mut out = String::new();
        for (i, &value) in values.iter().enumerate() {
            let from: Vec<String> = meet
                .edges
                .iter()
                .map(|(label, values)| format!("[ {}, {label} ]", values.get(i).map_or("0u32", String::as_str)))
                .collect();
            let name = self.values.printed[value].as_deref().unwrap_or("%0");
            let _ = writeln!(out, "  {name} = phi {} {}", self.value_ty(self.ty(value)), from.join(", "));
        }
        out
    }

    fn brought(&self, values: &[Value]) -> (String, Vec<String>) {
        (self.label.clone(), values.iter().map(|&value| self.value(value)).collect())
    }

    /// Goes on in a block where edges meet, if any does; tells whether.
    fn meet(&mut self, meet: &Meet, results: &[Value]) -> bool {
        if meet.edges.is_empty() {
            return false;
        }
        self.open(meet.label.clone());
        for &result in results {
            self.define(result);
        }
        let phis = self.phis(results, meet);
        self.out.push_str(&phis);
        true
    }

    /// Writes a region. The checks bound how deep regions nest.
    fn region(&mut self, region: Region) {
        for &inst in &self.function.regions[region].insts {
            if !self.inst(inst) {
                return;
            }
        }
    }

    /// Writes an instruction; tells whether what follows it is reached.
    fn inst(&mut self, inst: Inst) -> bool {
        let function = self.function;
        let def = &function.insts[inst];
        match &def.kind {
            InstKind::If { condition, then, otherwise } => {
                let labels = [self.new_label("then"), self.new_label("otherwise")];
                let condition = self.value(*condition);
                self.line(&format!("br_if {condition}, {}, {}", labels[0], labels[1]));
                self.choice(labels.into_iter().zip([*then, *otherwise]).collect(), &def.results)
            }
            InstKind::Switch { selector, cases, default } => {
                let lane = match self.ty(*selector).lane() {
                    Some(Scalar::Bool) | None => Scalar::U32,
                    Some(lane) => lane,
                };
                let mut arms = vec![(self.new_label("default"), *default)];
                let mut line = format!("switch {}, {}", self.value(*selector), arms[0].0);
                for case in cases {
                    let label = self.new_label("case");
                    for &bits in &case.values {
                        let _ = write!(line, ", [ {}, {label} ]", print_literal(lane, bits));
                    }
                    // A case without values is never taken.
                    if !case.values.is_empty() {
                        arms.push((label, case.region));
                    }
                }
                self.line(&line);
                self.choice(arms, &def.results)
            }
            InstKind::Loop { body, initial, label } => {
                let head = self.new_label(label.as_deref().unwrap_or("loop"));
                let end = self.new_label("done");
                self.line(&format!("br {head}"));
                let edges = vec![self.brought(initial)];
                self.heads.insert(inst.index(), Meet { label: head.clone(), edges });
                self.ends.insert(inst.index(), Meet { label: end, edges: Vec::new() });
                self.open(head);
                for &param in &function.regions[*body].params {
                    self.define(param);
                }
                self.holes.push((self.out.len(), inst.index()));
                self.region(*body);
                let end = self.ends.remove(&inst.index());
                end.is_some_and(|meet| self.meet(&meet, &def.results))
            }
            InstKind::Yield(values) => self.jump(values, |body| body.choices.last_mut()),
            InstKind::Break(target, values) => self.jump(values, |body| body.ends.get_mut(&target.index())),
            InstKind::Continue(target, values) => self.jump(values, |body| body.heads.get_mut(&target.index())),
            InstKind::Return(values) => {
                let value = values.first().map_or(String::new(), |&value| format!(" {}", self.value(value)));
                self.line(&format!("ret{value}"));
                false
            }
            InstKind::Unreachable => {
                self.line("unreachable");
                false
            }
            kind => {
                self.plain(kind, &def.results);
                true
            }
        }
    }

    fn choice(&mut self, arms: Vec<(String, Region)>, results: &[Value]) -> bool {
        let label = self.new_label("join");
        self.choices.push(Meet { label, edges: Vec::new() });
        for (label, region) in arms {
            self.open(label);
            self.region(region);
        }
        self.choices.pop().is_some_and(|meet| self.meet(&meet, results))
    }

    /// Goes on where regions meet.
    fn jump(&mut self, values: &[Value], meet: impl FnOnce(&mut Self) -> Option<&mut Meet>) -> bool {
        let edge = self.brought(values);
        if let Some(meet) = meet(self) {
            meet.edges.push(edge);
            let line = format!("br {}", meet.label);
            self.line(&line);
        }
        false
    }

    // Instructions without regions.

    fn plain(&mut self, kind: &InstKind, results: &[Value]) {
        match kind {
            InstKind::Op(op, args) => {
                if let Some(&result) = results.first() {
                    self.op(*op, args, result);
                }
            }
            InstKind::Load(place) => {
                let Some(&result) = results.first() else { return };
                let place = self.place(place, Some(self.ty(result)));
                self.cast_named(result, &format!("load {place}"));
            }
            InstKind::Store(place, value) => {
                let place = self.place(place, Some(self.ty(*value)));
                let value = self.flag(*value);
                self.line(&format!("store {place}, {value}"));
            }
            InstKind::Atomic(op, place, args, order) => self.atomic(*op, place, args, *order, results),
            InstKind::Len(root) => {
                let root = self.root(*root).0;
                self.given(results, &format!("len {root}"));
            }
            InstKind::Builtin(builtin) => self.given(results, &format!("builtin {}", builtin.name())),
            InstKind::Barrier => self.line("barrier scope=workgroup"),
            InstKind::Subgroup(op, args) => {
                let args: Vec<String> = args.iter().map(|&arg| self.flag(arg)).collect();
                let Some(&result) = results.first() else { return };
                let text = format!("subgroup.{} {}", op.name(), args.join(", "));
                self.cast_named(result, text.trim_end());
            }
            InstKind::Fence(ordering, scope) => {
                self.line(&format!("fence ordering={} scope={}", ordering.name(), scope.name()));
            }
            InstKind::Call { function, args } => self.call(*function as usize, args, results),
            // Checks leave no variables, and the others have been written.
            InstKind::Get(_) | InstKind::Set(..) | InstKind::If { .. } | InstKind::Switch { .. } => {}
            InstKind::Loop { .. } | InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..) => {}
            InstKind::Return(_) | InstKind::Unreachable => {}
        }
    }

    /// A line that defines a value.
    pub(super) fn named(&mut self, value: Value, text: &str) {
        let name = self.define(value);
        self.line(&format!("{name} = {text}"));
    }

    /// The same by an instruction that gives the table's type; a `bool` becomes a number.
    pub(super) fn cast_named(&mut self, value: Value, text: &str) {
        if self.ty(value) != Type::BOOL {
            return self.named(value, text);
        }
        let flag = self.temporary(text);
        self.named(value, &format!("cast {flag} to u32"));
    }

    /// A line that defines the result, if there is one.
    fn given(&mut self, results: &[Value], text: &str) {
        match results.first() {
            Some(&result) => self.named(result, text),
            None => self.line(text),
        }
    }

    fn call(&mut self, callee: usize, args: &[CallArg], results: &[Value]) {
        let params = self.module.functions.get(callee).map_or(&[][..], |f| &f.params);
        let mut texts = Vec::new();
        for (arg, param) in args.iter().zip(params) {
            texts.push(match (arg, param.kind) {
                (CallArg::Value(value), _) => self.value(*value),
                (CallArg::Place(place), ParamKind::Buffer { element, .. }) => self.place(place, Some(element)),
                (CallArg::Place(place), ParamKind::Scalar(_)) => self.place(place, None),
            });
        }
        let name = sigil(Sigil::Global, self.functions.get(callee).map_or("?", String::as_str));
        self.given(results, &format!("call {name}({})", texts.join(", ")));
    }

    fn root(&self, root: Root) -> (String, &'static str) {
        let device = if self.function.is_kernel() { "global" } else { "generic" };
        let (names, i, space) = match root {
            Root::Param(i) => (&self.params, i, device),
            Root::Shared(i) => (&self.shared, i, "shared"),
            // Tables are gone by now.
            Root::Private(i) | Root::Table(i) => (&self.private, i, "local"),
        };
        (names.get(i as usize).cloned().unwrap_or_else(|| "%0".to_owned()), space)
    }

    /// A pointer to a place, which is of this type.
    fn place(&mut self, place: &Place, access: Option<Type>) -> String {
        let (mut pointer, space) = self.root(place.root);
        for index in &place.indices {
            let value = self.value(index.value);
            let bound = index.bound.map_or(String::new(), |bound| format!(", bound={bound}"));
            pointer = self.temporary(&format!("gep {pointer}, {value}, stride={}{bound}", index.stride));
        }
        if place.offset > 0 {
            pointer = self.temporary(&format!("gep {pointer}, {}u32, stride=1", place.offset));
        }
        let element =
            self.function.root_element(&self.module.types, place.root).map(|ty| self.module.types.innermost(ty));
        if let Some(access) = access.map(|ty| self.module.types.innermost(ty)).filter(|&ty| Some(ty) != element) {
            let ty = self.structs.ty(&self.module.types, access);
            pointer = self.temporary(&format!("bitcast {pointer} to ptr[{space}]<{ty}>"));
        }
        pointer
    }

    fn atomic(&mut self, op: AtomicOp, place: &Place, args: &[Value], order: MemoryOrder, results: &[Value]) {
        let ty = args.first().or(results.first()).map_or(Type::U32, |&value| self.ty(value));
        let place = self.place(place, Some(ty));
        let name = atomic_name(op, ty.lane().unwrap_or(Scalar::U32));
        let values: String = args.iter().map(|&arg| format!(", {}", self.value(arg))).collect();
        let (ordering, failure) = (order.ordering.name(), order.failure.name());
        let keys = match op {
            AtomicOp::CompareExchange => format!("ordering_succ={ordering} ordering_fail={failure}"),
            _ => format!("ordering={ordering}"),
        };
        let text = format!("atomic.{name} {place}{values} {keys} scope={}", order.scope.name());
        self.given(results, &text);
    }
}
