//! Text to function body: parameters, declarations and instructions.
//!
//! Every instruction is made by the [`Builder`]. After a mistake in one, parsing goes on
//! with the next, and the names that it would have defined stand for a value of
//! [`Type::Error`], so that one mistake is reported once.

use super::lex::{Name, Sigil, Tok};
use super::literal::{self, BadNumber};
use super::parse::{Failed, Parsed, Parser};
use crate::builder::Builder;
use crate::diag::{Code, Diag};
use crate::ir::{Access, Case, Index, Inst, InstKind, MAX_NESTING, Place, Region, Root, Value, Var};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Op};
use crate::types::{Scalar, Type};
use std::collections::HashMap;

/// A value's definition.
struct Known {
    value: Value,
    loc: Loc,
    /// Whether its region is still open.
    visible: bool,
}

/// A place whose strides may follow from the access.
struct RawPlace {
    root: Root,
    indices: Vec<(Value, Option<u32>, Option<u32>)>,
    offset: u32,
}

/// The parser of one function.
pub(super) struct Body<'p, 's> {
    pub(super) parser: &'p mut Parser<'s>,
    pub(super) builder: Builder,
    params: HashMap<String, Loc>,
    roots: HashMap<String, (Root, Loc)>,
    vars: HashMap<String, (Var, Loc)>,
    values: HashMap<Name, Known>,
    /// The names defined in each open region, outermost first.
    scopes: Vec<Vec<Name>>,
    /// The open loops, outermost first.
    loops: Vec<(Option<String>, Inst)>,
}

impl<'p, 's> Body<'p, 's> {
    pub(super) fn new(parser: &'p mut Parser<'s>, builder: Builder) -> Self {
        Self {
            parser,
            builder,
            params: HashMap::new(),
            roots: HashMap::new(),
            vars: HashMap::new(),
            values: HashMap::new(),
            scopes: vec![Vec::new()],
            loops: Vec::new(),
        }
    }

    fn error(&mut self, code: Code, loc: Loc, message: impl Into<String>) -> Failed {
        self.parser.error(code, loc, message)
    }

    // Parameters and declarations.

    /// A parameter.
    pub(super) fn param(&mut self) -> Parsed<()> {
        let (name, loc) = match &self.parser.peek().tok {
            Tok::Name(Sigil::Global, _) => self.parser.name(Sigil::Global, "a parameter")?,
            Tok::Name(Sigil::Value, _) => {
                let (name, loc) = self.parser.name(Sigil::Value, "a parameter")?;
                self.parser.expect(':')?;
                let ty = self.parser.ty()?;
                self.builder.at(loc);
                let value = self.builder.scalar(name.text.clone(), ty);
                if self.is_new_param(&name.text, loc) {
                    self.define(name, loc, value);
                }
                return Ok(());
            }
            _ => return Err(self.parser.expected("a parameter (`%name` or `@name`) or `)`")),
        };
        self.parser.expect(':')?;
        let (access, element) = self.parser.buffer_ty()?;
        self.builder.at(loc);
        let root = self.builder.buffer(name.text.clone(), element, access);
        if self.is_new_param(&name.text, loc) {
            self.roots.insert(name.text, (root, loc));
        }
        Ok(())
    }

    fn is_new_param(&mut self, name: &str, loc: Loc) -> bool {
        match self.params.get(name) {
            Some(&first) => self.parser.duplicate(loc, first, &format!("two parameters are named `{name}`")),
            None => {
                self.params.insert(name.to_owned(), loc);
                return true;
            }
        }
        false
    }

    /// The memory and variables before the first instruction.
    pub(super) fn declarations(&mut self) {
        loop {
            let from = self.parser.position();
            let done = match self.parser.peek().tok {
                Tok::Word("shared") => self.memory(true),
                Tok::Word("private") => self.memory(false),
                Tok::Word("var") => self.variable(),
                _ => return,
            };
            if done.is_err() {
                self.parser.recover(from);
            }
        }
    }

    fn memory(&mut self, shared: bool) -> Parsed<()> {
        self.parser.take();
        let (name, loc) = self.parser.name(Sigil::Global, "the name of the memory")?;
        self.parser.expect(':')?;
        let access = if shared && self.parser.eat_word("atomic") { Access::Atomic } else { Access::ReadWrite };
        let ty = self.parser.ty();
        self.builder.at(loc);
        let declared = *ty.as_ref().unwrap_or(&Type::Error);
        let root = match shared {
            true => self.builder.shared(name.text.clone(), declared, access),
            false => self.builder.private(name.text.clone(), declared),
        };
        match self.roots.get(&name.text) {
            Some(&(_, first)) => {
                self.parser.duplicate(loc, first, &format!("two memories are named `@{}`", name.text));
            }
            None => {
                self.roots.insert(name.text, (root, loc));
            }
        }
        ty.map(|_| ())
    }

    fn variable(&mut self) -> Parsed<()> {
        self.parser.take();
        let (name, loc) = self.parser.name(Sigil::Var, "the name of the variable")?;
        self.parser.expect(':')?;
        let ty = self.parser.ty();
        self.builder.at(loc);
        let var = self.builder.var(name.text.clone(), *ty.as_ref().unwrap_or(&Type::Error));
        match self.vars.get(&name.text) {
            Some(&(_, first)) => {
                self.parser.duplicate(loc, first, &format!("two variables are named `${}`", name.text));
            }
            None => {
                self.vars.insert(name.text, (var, loc));
            }
        }
        ty.map(|_| ())
    }

    // Regions.

    /// The instructions of the outermost region, up to its `}`.
    pub(super) fn function_body(&mut self) {
        self.insts();
    }

    fn insts(&mut self) {
        let mut reported = false;
        while !matches!(self.parser.peek().tok, Tok::End | Tok::Punct('}')) {
            let from = self.parser.position();
            if self.builder.is_terminated() && !reported {
                reported = true;
                let loc = self.parser.peek().loc();
                self.error(Code::V702, loc, "instruction after the end of its region");
            }
            if self.inst().is_err() {
                self.parser.recover(from);
            }
        }
    }

    /// A block, which becomes the region. A block of an `if` or `switch` without results
    /// may leave out its `yield`.
    fn block(&mut self, region: Region, params: &[(Name, Loc)], may_omit_yield: bool) -> Parsed<()> {
        let loc = self.parser.peek().loc();
        // The function's body is the first scope.
        if self.scopes.len() > MAX_NESTING {
            return Err(self.error(Code::V018, loc, format!("more than {MAX_NESTING} regions are nested")));
        }
        self.parser.expect('{')?;
        self.builder.enter(region);
        self.scopes.push(Vec::new());
        for ((name, loc), value) in params.iter().zip(self.builder.region_params(region)) {
            self.define(name.clone(), *loc, value);
        }
        self.insts();
        if may_omit_yield && !self.builder.is_terminated() {
            self.builder.at(self.parser.peek().loc());
            self.builder.yield_(&[]);
        }
        self.builder.leave();
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(known) = self.values.get_mut(&name) {
                known.visible = false;
            }
        }
        self.parser.expect('}')
    }

    /// The region of a block that was left out.
    fn absent_block(&mut self, loc: Loc) -> Region {
        let region = self.builder.region(&[]);
        self.builder.enter(region);
        self.builder.at(loc);
        self.builder.yield_(&[]);
        self.builder.leave();
        region
    }

    // Names.

    fn define(&mut self, name: Name, loc: Loc, value: Value) {
        if let Some(known) = self.values.get(&name) {
            let first = known.loc;
            self.parser.duplicate(loc, first, &format!("two values are named `%{}`", name.text));
            return;
        }
        if !name.number {
            self.builder.name(value, &name.text);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name.clone());
        }
        self.values.insert(name, Known { value, loc, visible: true });
    }

    /// What stands for a value that a mistake left undefined.
    fn poison(&mut self) -> Value {
        let region = self.builder.region(&[Type::Error]);
        self.builder.region_params(region)[0]
    }

    fn unknown(&mut self, what: &str, sigil: Sigil, name: &str, loc: Loc) -> Failed {
        self.error(Code::V006, loc, format!("cannot find {what} `{}{name}`", sigil.char()))
    }

    fn root(&mut self) -> Parsed<Root> {
        let (name, loc) = self.parser.name(Sigil::Global, "memory")?;
        match self.roots.get(&name.text) {
            Some(&(root, _)) => Ok(root),
            None => Err(self.unknown("memory", Sigil::Global, &name.text, loc)),
        }
    }

    fn var(&mut self) -> Parsed<Var> {
        let (name, loc) = self.parser.name(Sigil::Var, "a variable")?;
        match self.vars.get(&name.text) {
            Some(&(var, _)) => Ok(var),
            None => Err(self.unknown("variable", Sigil::Var, &name.text, loc)),
        }
    }

    /// The loop that a label names, or the innermost one.
    fn target(&mut self, mnemonic: &str, loc: Loc) -> Parsed<Inst> {
        if matches!(self.parser.peek().tok, Tok::Name(Sigil::Label, _)) {
            let (name, loc) = self.parser.name(Sigil::Label, "a label")?;
            let found = self.loops.iter().rev().find(|(label, _)| label.as_ref() == Some(&name.text));
            return match found {
                Some(&(_, inst)) => Ok(inst),
                None => Err(self.unknown("label", Sigil::Label, &name.text, loc)),
            };
        }
        match self.loops.last() {
            Some(&(_, inst)) => Ok(inst),
            None => Err(self.error(Code::V104, loc, format!("`{mnemonic}` outside of a loop"))),
        }
    }

    // Operands.

    fn starts_value(&self) -> bool {
        matches!(
            self.parser.peek().tok,
            Tok::Name(Sigil::Value, _) | Tok::Number(_) | Tok::Word("true" | "false" | "bits")
        )
    }

    fn value(&mut self) -> Parsed<Value> {
        if !self.starts_value() {
            return Err(self.parser.expected("a value"));
        }
        if !matches!(self.parser.peek().tok, Tok::Name(..)) {
            let (ty, bits) = self.literal()?;
            return Ok(self.builder.constant(ty, bits));
        }
        let (name, loc) = self.parser.name(Sigil::Value, "a value")?;
        let problem = match self.values.get(&name) {
            Some(known) if known.visible => return Ok(known.value),
            Some(known) => Diag::new(Code::V006, loc, format!("cannot find value `%{}` here", name.text))
                .label(known.loc, "it is defined in a region that ended"),
            None => Diag::new(Code::V006, loc, format!("cannot find value `%{}`", name.text)),
        };
        self.parser.diags.push(problem);
        Ok(self.poison())
    }

    /// One value or more.
    fn values(&mut self) -> Parsed<Vec<Value>> {
        let mut values = vec![self.value()?];
        while self.parser.eat(',') {
            values.push(self.value()?);
        }
        Ok(values)
    }

    /// The values of a jump, perhaps none.
    fn jump_values(&mut self) -> Parsed<Vec<Value>> {
        if self.starts_value() { self.values() } else { Ok(Vec::new()) }
    }

    fn literal(&mut self) -> Parsed<(Scalar, u64)> {
        let token = self.parser.take();
        let loc = token.loc();
        match token.tok {
            Tok::Word("true") => Ok((Scalar::Bool, 1)),
            Tok::Word("false") => Ok((Scalar::Bool, 0)),
            Tok::Word("bits") => {
                self.parser.expect('(')?;
                let Tok::Number(text) = self.parser.peek().tok else { return Err(self.parser.expected("the bits")) };
                self.parser.take();
                self.parser.expect(')')?;
                let ty = self.parser.scalar()?;
                match literal::integer(text).map(u64::try_from) {
                    Some(Ok(bits)) if bits <= ty.mask() => Ok((ty, bits)),
                    Some(_) => {
                        let message = format!("bits `{text}` do not fit the {} bits of `{}`", ty.bits(), ty.name());
                        Err(self.error(Code::V103, loc, message))
                    }
                    None => Err(self.error(Code::V700, loc, format!("`{text}` is not a whole number without a type"))),
                }
            }
            Tok::Number(text) => match literal::parse(text) {
                Ok(constant) => Ok(constant),
                Err(BadNumber::Range(ty)) => {
                    Err(self.error(Code::V103, loc, format!("literal `{text}` does not fit `{}`", ty.name())))
                }
                Err(BadNumber::NoType) => {
                    let diag = Diag::new(Code::V700, loc, format!("number `{text}` has no type"));
                    self.parser.diags.push(diag.help(format!("write its type behind it, as in `{text}u32`")));
                    Err(Failed)
                }
                Err(BadNumber::Syntax) => Err(self.error(Code::V700, loc, format!("`{text}` is not a number"))),
            },
            _ => Err(self.error(Code::V700, loc, format!("expected a literal, found {}", token.describe()))),
        }
    }

    fn place(&mut self) -> Parsed<RawPlace> {
        let root = self.root()?;
        let mut indices = Vec::new();
        while self.parser.eat('[') {
            let value = self.value()?;
            let stride = if self.parser.eat('*') { Some(self.parser.plain_u32("the stride")?) } else { None };
            let bound = if self.parser.eat('<') { Some(self.parser.plain_u32("the bound")?) } else { None };
            self.parser.expect(']')?;
            indices.push((value, stride, bound));
        }
        let offset = if self.parser.eat('+') { self.parser.plain_u32("the offset in bytes")? } else { 0 };
        Ok(RawPlace { root, indices, offset })
    }

    fn resolve(&self, place: &RawPlace, access: Type) -> Place {
        // Without a size there is a mistake that the type check reports; any stride will do.
        let size = self.parser.types.layout(access).map_or(1, |layout| layout.size);
        let indices = place.indices.iter();
        let indices = indices.map(|&(value, stride, bound)| Index { value, stride: stride.unwrap_or(size), bound });
        Place { root: place.root, offset: place.offset, indices: indices.collect() }
    }

    // Instructions.

    /// An instruction with the names of its results.
    fn inst(&mut self) -> Parsed<()> {
        let mut names = Vec::new();
        let made = self.result_names(&mut names).and_then(|()| self.operation());
        match made {
            Ok((mnemonic, loc, results)) => {
                let unnamed_atomic = names.is_empty() && mnemonic.starts_with("atomic.");
                if names.len() != results.len() && !unnamed_atomic {
                    let (has, names) = (results.len(), names.len());
                    let message = format!("`{mnemonic}` has {has} results, but {names} names are given for them");
                    self.error(Code::V700, loc, message);
                }
                for (i, (name, loc)) in names.into_iter().enumerate() {
                    let value = results.get(i).copied().unwrap_or_else(|| self.poison());
                    self.define(name, loc, value);
                }
                Ok(())
            }
            Err(failed) => {
                for (name, loc) in names {
                    let value = self.poison();
                    self.define(name, loc, value);
                }
                Err(failed)
            }
        }
    }

    fn result_names(&mut self, names: &mut Vec<(Name, Loc)>) -> Parsed<()> {
        if !matches!(self.parser.peek().tok, Tok::Name(Sigil::Value, _)) {
            return Ok(());
        }
        loop {
            names.push(self.parser.name(Sigil::Value, "the name of a result")?);
            if !self.parser.eat(',') {
                return self.parser.expect('=');
            }
        }
    }

    /// What is after the names: the mnemonic, where it is, and the results.
    fn operation(&mut self) -> Parsed<(&'s str, Loc, Vec<Value>)> {
        let Tok::Word(mnemonic) = self.parser.peek().tok else { return Err(self.parser.expected("an instruction")) };
        let loc = self.parser.take().loc();
        let results = if let Some(op) = Op::from_name(mnemonic) {
            self.op(op, loc)?
        } else if let Some(builtin) = Builtin::from_name(mnemonic) {
            self.builder.at(loc);
            vec![self.builder.builtin(builtin)]
        } else if let Some(name) = mnemonic.strip_prefix("atomic.") {
            match AtomicOp::from_name(name) {
                Some(op) => self.atomic(op, loc)?,
                None => return Err(self.error(Code::V700, loc, format!("unknown atomic `{mnemonic}`"))),
            }
        } else {
            self.keyword(mnemonic, loc)?
        };
        Ok((mnemonic, loc, results))
    }

    fn op(&mut self, op: Op, loc: Loc) -> Parsed<Vec<Value>> {
        let args = self.values()?;
        let stated = if op.info().signature.states_result() {
            if !self.parser.eat_word("to") {
                return Err(self.parser.expected("`to` and a type"));
            }
            Some(self.parser.ty()?)
        } else {
            None
        };
        self.builder.at(loc);
        Ok(vec![match stated {
            Some(ty) => self.builder.op_to(op, &args, ty),
            None => self.builder.op(op, &args),
        }])
    }

    fn atomic(&mut self, op: AtomicOp, loc: Loc) -> Parsed<Vec<Value>> {
        let stated = if op == AtomicOp::Load { Some(self.parser.ty()?) } else { None };
        let place = self.place()?;
        let args = if self.parser.eat(',') { self.values()? } else { Vec::new() };
        if args.len() != op.operands() {
            let (takes, given) = (op.operands(), args.len());
            let message = format!("`atomic.{}` takes {takes} values after the place, not {given}", op.name());
            return Err(self.error(Code::V204, loc, message));
        }
        let operand = args.first().map(|&arg| self.builder.function().ty(arg));
        let ty = stated.or(operand).unwrap_or(Type::Error);
        let place = self.resolve(&place, ty);
        self.builder.at(loc);
        Ok(self.builder.atomic(op, place, &args, ty).into_iter().collect())
    }

    /// An instruction that is neither a pure op, nor a builtin, nor an atomic.
    fn keyword(&mut self, mnemonic: &str, loc: Loc) -> Parsed<Vec<Value>> {
        match mnemonic {
            "load" => {
                let ty = self.parser.ty()?;
                let place = self.place()?;
                let place = self.resolve(&place, ty);
                self.builder.at(loc);
                return Ok(vec![self.builder.load(place, ty)]);
            }
            "store" => {
                let place = self.place()?;
                self.parser.expect(',')?;
                let value = self.value()?;
                let place = self.resolve(&place, self.builder.function().ty(value));
                self.builder.at(loc);
                self.builder.store(place, value);
            }
            "len" => {
                let root = self.root()?;
                self.builder.at(loc);
                return Ok(vec![self.builder.len(root)]);
            }
            "barrier" => {
                self.builder.at(loc);
                self.builder.barrier();
            }
            "get" => {
                let var = self.var()?;
                self.builder.at(loc);
                return Ok(vec![self.builder.get(var)]);
            }
            "set" => {
                let var = self.var()?;
                self.parser.expect(',')?;
                let value = self.value()?;
                self.builder.at(loc);
                self.builder.set(var, value);
            }
            "if" => return self.if_(loc),
            "switch" => return self.switch(loc),
            "loop" => return self.loop_(loc),
            "yield" => {
                let values = self.jump_values()?;
                self.builder.at(loc);
                self.builder.yield_(&values);
            }
            "break" => {
                let target = self.target(mnemonic, loc)?;
                let values = self.jump_values()?;
                self.builder.at(loc);
                self.builder.break_(target, &values);
            }
            "continue" => {
                let target = self.target(mnemonic, loc)?;
                let values = self.jump_values()?;
                self.builder.at(loc);
                self.builder.continue_(target, &values);
            }
            "ret" => {
                self.builder.at(loc);
                self.builder.ret();
            }
            "unreachable" => {
                self.builder.at(loc);
                self.builder.unreachable();
            }
            "shared" | "private" | "var" => {
                let diag = Diag::new(Code::V700, loc, format!("`{mnemonic}` after the first instruction"));
                self.parser.diags.push(diag.help("move the declaration to the start of the function"));
                return Err(Failed);
            }
            _ => return Err(self.error(Code::V700, loc, format!("unknown instruction `{mnemonic}`"))),
        }
        Ok(Vec::new())
    }

    fn if_(&mut self, loc: Loc) -> Parsed<Vec<Value>> {
        let condition = self.value()?;
        let types = self.parser.result_types()?;
        let plain = types.is_empty();
        let then = self.builder.region(&[]);
        self.block(then, &[], plain)?;
        let otherwise = if self.parser.eat_word("else") {
            let region = self.builder.region(&[]);
            self.block(region, &[], plain)?;
            region
        } else if plain {
            self.absent_block(loc)
        } else {
            return Err(self.parser.expected("`else`, because the `if` has results"));
        };
        self.builder.at(loc);
        Ok(self.builder.if_else(condition, then, otherwise, &types))
    }

    fn switch(&mut self, loc: Loc) -> Parsed<Vec<Value>> {
        let selector = self.value()?;
        let types = self.parser.result_types()?;
        let plain = types.is_empty();
        self.parser.expect('{')?;
        let Ok((cases, default)) = self.arms(selector, plain, loc) else {
            self.parser.skip_block();
            return Err(Failed);
        };
        self.parser.expect('}')?;
        self.builder.at(loc);
        Ok(self.builder.switch(selector, cases, default, &types))
    }

    /// The cases and the default of a `switch`.
    fn arms(&mut self, selector: Value, plain: bool, loc: Loc) -> Parsed<(Vec<Case>, Region)> {
        let mut cases = Vec::new();
        while self.parser.eat_word("case") {
            let values = self.case_values(selector)?;
            let region = self.builder.region(&[]);
            self.block(region, &[], plain)?;
            cases.push(Case { values, region });
        }
        let default = if self.parser.eat_word("default") {
            let region = self.builder.region(&[]);
            self.block(region, &[], plain)?;
            region
        } else if plain {
            self.absent_block(loc)
        } else {
            return Err(self.parser.expected("`default`, because the `switch` has results"));
        };
        if !self.parser.at_punct('}') {
            return Err(self.parser.expected("`case`, `default` or `}`"));
        }
        Ok((cases, default))
    }

    fn case_values(&mut self, selector: Value) -> Parsed<Vec<u64>> {
        let expected = self.builder.function().ty(selector);
        let mut values = Vec::new();
        loop {
            let loc = self.parser.peek().loc();
            let (ty, bits) = self.literal()?;
            if Type::Scalar(ty) != expected && expected != Type::Error {
                let selector = self.parser.types.display(expected).to_string();
                let message = format!("case of type `{}`, but the selector is `{selector}`", ty.name());
                self.error(Code::V021, loc, message);
            }
            values.push(bits);
            if !self.parser.eat(',') {
                return Ok(values);
            }
        }
    }

    fn loop_(&mut self, loc: Loc) -> Parsed<Vec<Value>> {
        let label = match self.parser.peek().tok {
            Tok::Name(Sigil::Label, _) => Some(self.parser.name(Sigil::Label, "a label")?.0.text),
            _ => None,
        };
        let (mut params, mut types, mut initial) = (Vec::new(), Vec::new(), Vec::new());
        if self.parser.eat('(') {
            while !self.parser.at_punct(')') {
                params.push(self.parser.name(Sigil::Value, "a parameter of the loop")?);
                self.parser.expect(':')?;
                types.push(self.parser.ty()?);
                self.parser.expect('=')?;
                initial.push(self.value()?);
                if !self.parser.eat(',') {
                    break;
                }
            }
            self.parser.expect(')')?;
        }
        let results = self.parser.result_types()?;
        let body = self.builder.region(&types);
        self.builder.at(loc);
        let kind = InstKind::Loop { body, initial, label: label.as_deref().map(Into::into) };
        let inst = self.builder.push(kind, &results);
        self.loops.push((label, inst));
        let parsed = self.block(body, &params, false);
        self.loops.pop();
        parsed?;
        Ok(self.builder.function().insts[inst].results.clone())
    }
}
