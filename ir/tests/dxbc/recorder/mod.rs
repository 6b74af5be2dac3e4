//! Programs as a translator meets them: one instruction after the other.
//!
//! [`Recorder`] is a layer over [`Builder`], which it lends out for everything else. It adds
//! three things:
//!
//! - **Scopes** that open and close. What `break` and `continue` leave is found on a stack,
//!   and a region that was left open gets its end. A `switch` may be left from deep inside
//!   one of its cases: it stands in a loop that runs once.
//! - **Temporaries** whose type is not known when they are declared, as [`Var`]s are
//!   otherwise. SSA construction makes values of both.
//! - **Unknown types** of values that are only moved: what is loaded, kept in temporaries
//!   and stored has the type that all its uses ask for, and `u32` if they do not agree.
//!   Such values are 32 bits wide, and become operands by [`Recorder::consume_as`].
//!
//! It never panics. The first mistake in the use of scopes or types is kept, and
//! [`Recorder::finish`] gives it.

use samebits_ir::builder::Builder;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Case, Function, Inst, Place, Region, Value, Var};
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type, Types};
use std::collections::BTreeMap;

/// Records one function.
#[derive(Debug)]
pub struct Recorder {
    builder: Builder,
    types: Types,
    scopes: Vec<Scope>,
    unknown: Unknown,
    wrong: Option<Diag>,
}

#[derive(Debug)]
enum Scope {
    If { condition: Value, then: Region, otherwise: Option<Region> },
    Loop(Inst),
    Switch(Switch),
}

/// A `switch` that is being recorded.
#[derive(Debug)]
struct Switch {
    /// The loop that runs once, around it.
    around: Inst,
    selector: Value,
    cases: Vec<Case>,
    default: Option<Region>,
    /// The region of the case that is open.
    open: Option<Region>,
}

/// The values and variables of unknown types, in classes that have one type.
#[derive(Default, Debug)]
struct Unknown {
    values: BTreeMap<Value, usize>,
    vars: BTreeMap<Var, usize>,
    /// The class that a class was joined with; itself if with none.
    joined: Vec<usize>,
    /// The types that uses ask for.
    asked: Vec<(usize, Scalar)>,
}

impl Unknown {
    fn class(&mut self) -> usize {
        self.joined.push(self.joined.len());
        self.joined.len() - 1
    }

    fn find(&self, mut class: usize) -> usize {
        while self.joined[class] != class {
            class = self.joined[class];
        }
        class
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        let (first, last) = (a.min(b), a.max(b));
        self.joined[last] = first;
    }

    /// The type of every class.
    fn resolve(&self) -> Vec<Type> {
        let mut found: Vec<Option<Scalar>> = vec![None; self.joined.len()];
        let mut disagree = vec![false; self.joined.len()];
        for &(class, asked) in &self.asked {
            let class = self.find(class);
            disagree[class] |= found[class].replace(asked).is_some_and(|before| before != asked);
        }
        let of = |class: usize| if disagree[class] { None } else { found[class] };
        (0..self.joined.len()).map(|class| Type::Scalar(of(self.find(class)).unwrap_or(Scalar::U32))).collect()
    }
}

impl Recorder {
    /// Records what a builder has begun. The types are those of the module.
    pub fn new(builder: Builder, types: Types) -> Self {
        Self { builder, types, scopes: Vec::new(), unknown: Unknown::default(), wrong: None }
    }

    /// The builder, for everything that is not about scopes and unknown types.
    pub fn b(&mut self) -> &mut Builder {
        &mut self.builder
    }

    /// The function and the module's types, or the first mistake. An open end of the
    /// function becomes `ret`, or `unreachable` if there are results to give.
    pub fn finish(mut self) -> Result<(Function, Types), Diag> {
        if !self.scopes.is_empty() {
            self.fail("a scope that is not closed");
        }
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        if !self.builder.is_terminated() {
            if self.builder.function().results.is_empty() {
                self.builder.ret();
            } else {
                self.builder.unreachable();
            }
        }
        let types = self.unknown.resolve();
        let mut function = self.builder.finish();
        for (&value, &class) in &self.unknown.values {
            function.values[value].ty = types[class];
        }
        for (&var, &class) in &self.unknown.vars {
            function.vars[var].ty = types[class];
        }
        Ok((function, self.types))
    }

    fn fail(&mut self, what: &str) {
        let loc = self.builder.loc();
        let name = &self.builder.function().name;
        self.wrong.get_or_insert_with(|| Diag::new(Code::V702, loc, format!("malformed function `{name}`: {what}")));
    }

    // Scopes.

    /// Opens a region and makes it the place of what follows.
    fn open(&mut self) -> Region {
        let region = self.builder.region(&[]);
        self.builder.enter(region);
        region
    }

    /// Closes the region that is open.
    fn close(&mut self) {
        if !self.builder.is_terminated() {
            self.builder.yield_(&[]);
        }
        self.builder.leave();
    }

    /// A region that does nothing.
    fn nothing(&mut self) -> Region {
        let region = self.open();
        self.close();
        region
    }

    /// Opens an `if`.
    pub fn begin_if(&mut self, condition: Value) {
        let then = self.open();
        self.scopes.push(Scope::If { condition, then, otherwise: None });
    }

    /// Goes on with what runs if the condition is false.
    pub fn begin_else(&mut self) {
        if !matches!(self.scopes.last(), Some(Scope::If { otherwise: None, .. })) {
            return self.fail("an `else` needs `if`");
        }
        self.close();
        let region = self.open();
        if let Some(Scope::If { otherwise, .. }) = self.scopes.last_mut() {
            *otherwise = Some(region);
        }
    }

    /// Closes an `if`.
    pub fn end_if(&mut self) {
        match self.scopes.pop() {
            Some(Scope::If { condition, then, otherwise }) => {
                self.close();
                let otherwise = otherwise.unwrap_or_else(|| self.nothing());
                self.builder.if_else(condition, then, otherwise, &[]);
            }
            other => {
                self.scopes.extend(other);
                self.fail("the end of an `if` that is not open");
            }
        }
    }

    /// Opens a loop, which goes on until it is left.
    pub fn begin_loop(&mut self) {
        let (inst, _) = self.builder.begin_loop(None, &[]);
        self.scopes.push(Scope::Loop(inst));
    }

    fn innermost_loop(&self) -> Option<Inst> {
        self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Loop(inst) => Some(*inst),
            Scope::If { .. } | Scope::Switch(_) => None,
        })
    }

    /// Leaves the innermost loop.
    pub fn break_loop(&mut self) {
        match self.innermost_loop() {
            Some(inst) => self.builder.break_(inst, &[]),
            None => self.fail("a break outside of a loop"),
        }
    }

    /// Starts the innermost loop again.
    pub fn continue_loop(&mut self) {
        match self.innermost_loop() {
            Some(inst) => self.builder.continue_(inst, &[]),
            None => self.fail("a continue outside of a loop"),
        }
    }

    /// Closes a loop; its end goes back to its start.
    pub fn end_loop(&mut self) {
        match self.scopes.pop() {
            Some(Scope::Loop(inst)) => {
                if !self.builder.is_terminated() {
                    self.builder.continue_(inst, &[]);
                }
                self.builder.end_loop(inst, &[]);
            }
            other => {
                self.scopes.extend(other);
                self.fail("the end of a loop that is not open");
            }
        }
    }

    /// Opens a `switch`. Its first case comes next.
    pub fn begin_switch(&mut self, selector: Value) {
        let (around, _) = self.builder.begin_loop(None, &[]);
        let switch = Switch { around, selector, cases: Vec::new(), default: None, open: None };
        self.scopes.push(Scope::Switch(switch));
    }

    /// The `switch` whose case is being recorded, with no other scope inside.
    fn switch(&mut self) -> Option<&mut Switch> {
        match self.scopes.last_mut() {
            Some(Scope::Switch(switch)) => Some(switch),
            Some(Scope::If { .. } | Scope::Loop(_)) | None => None,
        }
    }

    /// Closes the case before, unless nothing was recorded in it: then the next case is
    /// another name of it, and this is its region.
    fn next_case(&mut self) -> Option<Region> {
        let Some(open) = self.switch().and_then(|switch| switch.open) else { return Some(self.open()) };
        if self.builder.function().regions[open].insts.is_empty() {
            return Some(open);
        }
        if !self.builder.is_terminated() {
            self.fail("a case that goes on into the next one");
            return None;
        }
        self.builder.leave();
        Some(self.open())
    }

    /// Begins the case of a value, the bits of which are of the selector's type. Cases that
    /// follow each other with nothing between are one.
    pub fn case(&mut self, value: u64) {
        if self.switch().is_none() {
            return self.fail("a case outside of a `switch`");
        }
        let Some(region) = self.next_case() else { return };
        let Some(switch) = self.switch() else { return };
        switch.open = Some(region);
        // What has the default's region needs no case.
        if switch.default == Some(region) {
            return;
        }
        match switch.cases.iter_mut().find(|case| case.region == region) {
            Some(case) => case.values.push(value),
            None => switch.cases.push(Case { values: vec![value], region }),
        }
    }

    /// Begins what runs if no case does.
    pub fn default(&mut self) {
        if self.switch().is_none_or(|switch| switch.default.is_some()) {
            return self.fail("a default outside of a `switch`, or a second one");
        }
        let Some(region) = self.next_case() else { return };
        let Some(switch) = self.switch() else { return };
        switch.open = Some(region);
        switch.default = Some(region);
        switch.cases.retain(|case| case.region != region);
    }

    /// Leaves the innermost `switch`.
    pub fn break_switch(&mut self) {
        if self.switch().is_some_and(|switch| switch.open.is_some()) {
            return self.builder.yield_(&[]);
        }
        let around = self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Switch(switch) => Some(switch.around),
            Scope::If { .. } | Scope::Loop(_) => None,
        });
        match around {
            Some(around) => self.builder.break_(around, &[]),
            None => self.fail("a break outside of a `switch`"),
        }
    }

    /// Closes a `switch` and its last case.
    pub fn end_switch(&mut self) {
        match self.scopes.pop() {
            Some(Scope::Switch(Switch { around, selector, cases, default, open })) => {
                if open.is_some() {
                    self.close();
                }
                let default = default.unwrap_or_else(|| self.nothing());
                self.builder.switch(selector, cases, default, &[]);
                self.builder.break_(around, &[]);
                self.builder.end_loop(around, &[]);
            }
            other => {
                self.scopes.extend(other);
                self.fail("the end of a `switch` that is not open");
            }
        }
    }

    // Temporaries and unknown types.

    /// Declares a temporary of 32 bits whose type follows from its uses.
    pub fn unknown_var(&mut self, name: &str) -> Var {
        let var = self.builder.var(name, Type::Error);
        let class = self.unknown.class();
        self.unknown.vars.insert(var, class);
        var
    }

    /// Reads a temporary.
    pub fn get(&mut self, var: Var) -> Value {
        let value = self.builder.get(var);
        if let Some(&class) = self.unknown.vars.get(&var) {
            self.unknown.values.insert(value, class);
        }
        value
    }

    /// Sets a temporary.
    pub fn set(&mut self, var: Var, value: Value) {
        let ty = self.builder.function().vars[var].ty;
        match (self.unknown.vars.get(&var).copied(), self.unknown.values.get(&value).copied()) {
            (Some(var), Some(value)) => self.unknown.join(var, value),
            (Some(class), None) => {
                let value = self.forget(value, class);
                return self.builder.set(var, value);
            }
            (None, Some(_)) => {
                let value = self.consume_as(value, ty);
                return self.builder.set(var, value);
            }
            (None, None) => {}
        }
        self.builder.set(var, value);
    }

    /// A value of a known type as one of an unknown type.
    fn forget(&mut self, value: Value, class: usize) -> Value {
        let ty = self.builder.function().ty(value);
        self.ask(class, ty);
        let unknown = self.builder.op_to(Op::Bitcast, &[value], Type::Error);
        self.unknown.values.insert(unknown, class);
        unknown
    }

    fn ask(&mut self, class: usize, ty: Type) {
        match ty {
            Type::Scalar(scalar) if scalar.bits() == 32 => self.unknown.asked.push((class, scalar)),
            // A mistake that was made elsewhere.
            Type::Error => {}
            _ => self.fail("a value of unknown type that is not of 32 bits"),
        }
    }

    /// The value as one of this type: as it is if it has it, else its bits. This also asks
    /// for the type, if the value's is not known.
    pub fn consume_as(&mut self, value: Value, ty: Type) -> Value {
        if let Some(&class) = self.unknown.values.get(&value) {
            self.ask(class, ty);
        } else if self.builder.function().ty(value) == ty {
            return value;
        }
        self.builder.op_to(Op::Bitcast, &[value], ty)
    }

    /// What memory holds at places of 32 bits: its elements, or words.
    fn held(&self, place: &Place) -> Type {
        let element = self.builder.function().root_element(&self.types, place.root);
        element.filter(|ty| matches!(ty, Type::Scalar(scalar) if scalar.bits() == 32)).unwrap_or(Type::U32)
    }

    /// A load of 32 bits whose type follows from its uses and the memory's elements; those
    /// that are `u32` may be anything.
    pub fn load_unknown(&mut self, place: Place) -> Value {
        let held = self.held(&place);
        let loaded = self.builder.load(place, held);
        let class = self.unknown.class();
        if held == Type::U32 {
            let value = self.builder.op_to(Op::Bitcast, &[loaded], Type::Error);
            self.unknown.values.insert(value, class);
            return value;
        }
        self.forget(loaded, class)
    }

    /// A store of 32 bits of a type that is known or not.
    pub fn store_unknown(&mut self, place: Place, value: Value) {
        let held = self.held(&place);
        let value = match self.unknown.values.contains_key(&value) {
            true if held == Type::U32 => self.builder.op_to(Op::Bitcast, &[value], held),
            _ => self.consume_as(value, held),
        };
        self.builder.store(place, value);
    }
}

#[cfg(test)]
mod tests;
