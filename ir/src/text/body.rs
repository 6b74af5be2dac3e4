//! Text to function body: parameters, declarations, regions and the names in them.
//!
//! The [`Builder`] makes every instruction. After a mistake in an instruction, parsing goes on
//! with the next one. The names that the wrong one would have defined stand for a value of
//! [`Type::Error`], so that one mistake is reported once.

use super::lex::{Name, Sigil, Tok};
use super::parse::{Failed, Parsed, Parser};
use crate::builder::Builder;
use crate::diag::Code;
use crate::ir::{Access, Inst, MAX_NESTING, Region, Root, Table, Value, Var};
use crate::limits::MAX_TABLE_BYTES;
use crate::loc::Loc;
use crate::types::Type;
use std::collections::HashMap;

/// A value's definition.
pub(super) struct Known {
    pub(super) value: Value,
    pub(super) loc: Loc,
    /// Whether its region is still open.
    pub(super) visible: bool,
}

/// The parser of one function.
pub(super) struct Body<'p, 's> {
    pub(super) parser: &'p mut Parser<'s>,
    pub(super) builder: Builder,
    params: HashMap<String, Loc>,
    roots: HashMap<String, (Root, Loc)>,
    vars: HashMap<String, (Var, Loc)>,
    pub(super) values: HashMap<Name, Known>,
    /// The names defined in each open region, outermost first.
    scopes: Vec<Vec<Name>>,
    /// The open loops, outermost first.
    pub(super) loops: Vec<(Option<String>, Inst)>,
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

    pub(super) fn error(&mut self, code: Code, loc: Loc, message: impl Into<String>) -> Failed {
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
        let (access, elements, element) = self.parser.buffer_ty()?;
        self.builder.at(loc);
        let root = self.builder.buffer(name.text.clone(), element, access);
        self.builder.promise(root, elements);
        if self.is_new_param(&name.text, loc) {
            self.roots.insert(name.text, (root, loc));
        }
        Ok(())
    }

    fn is_new_param(&mut self, name: &str, loc: Loc) -> bool {
        if let Some(&first) = self.params.get(name) {
            self.parser.duplicate(loc, first, &format!("two parameters are named `{name}`"));
            return false;
        }
        self.params.insert(name.to_owned(), loc);
        true
    }

    /// The memory and variables before the first instruction.
    pub(super) fn declarations(&mut self) {
        loop {
            let from = self.parser.position();
            let done = match self.parser.peek().tok {
                Tok::Word("shared") => self.memory(true),
                Tok::Word("private") => self.memory(false),
                Tok::Word("table") => self.table(),
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
        // Whatever is wrong with it, the name is known from here on.
        let colon = self.parser.expect(':');
        let access = if shared && self.parser.eat_word("atomic") { Access::Atomic } else { Access::ReadWrite };
        let ty = colon.and_then(|()| self.parser.ty());
        self.builder.at(loc);
        let declared = *ty.as_ref().unwrap_or(&Type::Error);
        let root = if shared {
            self.builder.shared(name.text.clone(), declared, access)
        } else {
            self.builder.private(name.text.clone(), declared)
        };
        self.name_root(name, loc, root);
        ty.map(|_| ())
    }

    fn name_root(&mut self, name: Name, loc: Loc, root: Root) {
        self.parser.claim(&mut self.roots, name, (root, loc), "memories", Sigil::Global);
    }

    /// `table @name: type = (literal, …)`: the scalars of the type, in order.
    fn table(&mut self) -> Parsed<()> {
        self.parser.take();
        let (name, loc) = self.parser.name(Sigil::Global, "the name of the table")?;
        self.parser.expect(':')?;
        let ty = self.parser.ty()?;
        self.parser.expect('=')?;
        self.parser.expect('(')?;
        let mut given = Vec::new();
        while self.parser.item(given.is_empty(), ')')? {
            let at = self.parser.peek().loc();
            let (scalar, bits) = self.parser.literal()?;
            given.push((scalar, bits, at));
        }
        // A table whose type is too large, or wrong, is refused by the checks.
        let types = &self.parser.types;
        let small = types.layout(ty).is_some_and(|layout| layout.size <= MAX_TABLE_BYTES);
        let mut table = Table { name: name.text.clone(), ty, bytes: [].into(), loc };
        if small {
            let scalars = table.scalars(types);
            let wrong = given.iter().zip(&scalars).find(|((given, ..), (_, wanted))| given != wanted);
            if let Some(((given, _, at), (_, wanted))) = wrong {
                let message = format!("expected `{}`, found `{}`", wanted.name(), given.name());
                return Err(self.parser.error(Code::V200, *at, message));
            }
            let bits: Vec<u64> = given.iter().map(|&(_, bits, _)| bits).collect();
            match Table::bytes_of(types, ty, &bits) {
                Some(bytes) => table.bytes = bytes,
                None => {
                    let message =
                        format!("`{}` has {} scalars, but {} are given", name.text, scalars.len(), bits.len());
                    return Err(self.parser.error(Code::V200, loc, message));
                }
            }
        }
        let root = self.builder.add_table(table);
        self.name_root(name, loc, root);
        Ok(())
    }

    fn variable(&mut self) -> Parsed<()> {
        self.parser.take();
        let (name, loc) = self.parser.name(Sigil::Var, "the name of the variable")?;
        let ty = self.parser.expect(':').and_then(|()| self.parser.ty());
        self.builder.at(loc);
        let var = self.builder.var(name.text.clone(), *ty.as_ref().unwrap_or(&Type::Error));
        self.parser.claim(&mut self.vars, name, (var, loc), "variables", Sigil::Var);
        ty.map(|_| ())
    }

    // Regions.

    /// The instructions of a region, up to its `}`.
    pub(super) fn insts(&mut self) {
        let mut reported = false;
        while !matches!(self.parser.peek().tok, Tok::End | Tok::Punct('}')) {
            let (from, loc) = (self.parser.position(), self.parser.peek().loc());
            let ended = self.builder.is_terminated();
            if self.inst().is_err() {
                self.parser.recover(from);
            } else if ended && !reported {
                reported = true;
                self.error(Code::V702, loc, "instruction after the end of its region");
            }
        }
    }

    /// A block, which becomes the region. A block of an `if` or `switch` without results
    /// may leave out its `yield`.
    pub(super) fn block(&mut self, region: Region, params: &[(Name, Loc)], may_omit_yield: bool) -> Parsed<()> {
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
    pub(super) fn absent_block(&mut self, loc: Loc) -> Region {
        let region = self.builder.region(&[]);
        self.builder.enter(region);
        self.builder.at(loc);
        self.builder.yield_(&[]);
        self.builder.leave();
        region
    }

    // Names.

    pub(super) fn define(&mut self, name: Name, loc: Loc, value: Value) {
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
    pub(super) fn poison(&mut self) -> Value {
        let region = self.builder.region(&[Type::Error]);
        self.builder.region_params(region)[0]
    }

    pub(super) fn unknown(&mut self, what: &str, sigil: Sigil, name: &str, loc: Loc) -> Failed {
        self.error(Code::V006, loc, format!("cannot find {what} `{}{name}`", sigil.char()))
    }

    pub(super) fn root(&mut self) -> Parsed<Root> {
        let (name, loc) = self.parser.name(Sigil::Global, "memory")?;
        match self.roots.get(&name.text) {
            Some(&(root, _)) => Ok(root),
            None => Err(self.unknown("memory", Sigil::Global, &name.text, loc)),
        }
    }

    pub(super) fn var(&mut self) -> Parsed<Var> {
        let (name, loc) = self.parser.name(Sigil::Var, "a variable")?;
        match self.vars.get(&name.text) {
            Some(&(var, _)) => Ok(var),
            None => Err(self.unknown("variable", Sigil::Var, &name.text, loc)),
        }
    }

    /// The loop that a label names, or the innermost one.
    pub(super) fn target(&mut self, mnemonic: &str, loc: Loc) -> Parsed<Inst> {
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
}
