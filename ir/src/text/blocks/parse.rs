//! Text to the tree of [`ast`](super::ast): globals, functions and blocks.
//!
//! A mistake in an instruction ends that instruction only. A name is interned where it is first
//! mentioned, which may be before its definition. A name without a definition is reported where
//! it was first mentioned. A function with a mistake is not checked further.

use super::ast::{Arg, Block, Def, End, Func, Global, Initial, Operand, Phi, Space, Ty, Val, ValueInfo};
use crate::diag::{Code, Diag};
use crate::ir::{Access, Function};
use crate::limits::Limits;
use crate::loc::Loc;
use crate::text::lex::{Name, Sigil, Tok};
use crate::text::literal;
use crate::text::parse::{Failed, Parsed, Parser};
use crate::types::{Kind as Sort, Scalar, Type};
use std::collections::HashMap;

impl<'s> Parser<'s> {
    /// Whether the function that begins here is in block form: its body begins with a
    /// label, or its signature has what only that form has.
    pub(in crate::text) fn at_block_function(&self) -> bool {
        let mut at = 0;
        loop {
            let word = |ahead| match self.peek_at(ahead).tok {
                Tok::Word(word) => Some(word),
                _ => None,
            };
            match self.peek_at(at).tok {
                Tok::End | Tok::Punct('}') => return false,
                Tok::Punct('{') => return word(at + 1).is_some() && self.peek_at(at + 2).tok == Tok::Punct(':'),
                Tok::Arrow if word(at + 1) == Some("void") => return true,
                Tok::Punct(':') if word(at + 1) == Some("ptr") => return true,
                _ => at += 1,
            }
        }
    }

    /// `global @name : ptr[space]<type> [= initial]`
    pub(in crate::text) fn block_global(&mut self) -> Parsed<()> {
        self.take();
        let (name, loc) = self.name(Sigil::Global, "the global's name")?;
        self.take_global_name(&name.text, loc);
        let slot = self.blocks.slot(&name.text, loc);
        let declared = self.declared_global(&name.text, loc);
        let slot = &mut self.blocks.slots[slot];
        slot.failed |= declared.is_err();
        slot.global = declared.ok().or(slot.global.take());
        if slot.failed { Err(Failed) } else { Ok(()) }
    }

    /// What follows the name of a global.
    fn declared_global(&mut self, name: &str, loc: Loc) -> Parsed<Global> {
        self.expect(':')?;
        let ty_loc = self.peek().loc();
        let Ty::Pointer(space, pointee) = self.block_ty()? else {
            let diag = Diag::new(Code::V201, ty_loc, format!("global `@{name}` is not declared as a pointer"));
            self.diags.push(diag.help("write `ptr[global]<T>`, the type of the global's address"));
            return Err(Failed);
        };
        let initial = if self.eat('=') { self.initial(space, pointee)? } else { Initial::None };
        if space == Space::Generic {
            self.error(Code::V201, ty_loc, format!("global `@{name}` needs an address space other than `generic`"));
        }
        Ok(Global { name: name.to_owned(), space, pointee, initial, loc })
    }

    fn initial(&mut self, space: Space, pointee: Type) -> Parsed<Initial> {
        let loc = self.peek().loc();
        if self.eat_word("addr") {
            self.expect('(')?;
            let address = self.plain_u32("the address")?;
            self.expect(')')?;
            if !matches!(space, Space::Global | Space::Const) {
                let message = format!("a global in `{}` memory has no address", space.name());
                self.diags
                    .push(Diag::new(Code::V201, loc, message).help("only `global` and `const` memory has addresses"));
                return Err(Failed);
            }
            let align = self.types.layout(pointee).map_or(1, |layout| layout.align.max(1));
            if !address.is_multiple_of(align) {
                let ty = self.types.display(pointee).to_string();
                return Err(self.error(Code::V302, loc, format!("no `{ty}` begins at address {address}")));
            }
            return Ok(Initial::Address(address));
        }
        let Arg::Const(ty, bits) = self.block_literal("`addr` or a literal")? else {
            return Err(self.expected("`addr` or a literal"));
        };
        let pointee = self.types.innermost(pointee);
        if Type::Scalar(ty) != pointee {
            let pointee = self.types.display(pointee).to_string();
            let message = format!("expected `{pointee}`, found `{}`", ty.name());
            return Err(self.error(Code::V200, loc, message));
        }
        let problem = match space {
            Space::Shared => "workgroup memory begins as zero and cannot have an initial value",
            Space::Global => "a buffer begins as its host leaves it and cannot have an initial value here",
            Space::Generic | Space::Local | Space::Const => return Ok(Initial::Value(ty, bits)),
        };
        Err(self.error(Code::V201, loc, problem))
    }

    /// A value type or a pointer type.
    pub(super) fn block_ty(&mut self) -> Parsed<Ty> {
        if !self.eat_word("ptr") {
            return Ok(Ty::Value(self.ty()?));
        }
        self.expect('[')?;
        let space = match self.peek().tok {
            Tok::Word(word) => Space::ALL.iter().copied().find(|space| space.name() == word),
            _ => None,
        };
        let Some(space) = space else { return Err(self.expected("an address space")) };
        self.take();
        self.expect(']')?;
        self.expect('<')?;
        if matches!(self.peek().tok, Tok::Word("ptr")) {
            let loc = self.peek().loc();
            return Err(self.error(Code::V201, loc, "a pointer cannot point to a pointer"));
        }
        let pointee = self.ty()?;
        self.expect('>')?;
        Ok(Ty::Pointer(space, pointee))
    }

    /// Whether a literal begins here.
    fn at_literal(&self) -> bool {
        match self.peek().tok {
            Tok::Number(_) => true,
            Tok::Word("bits") => self.peek_at(1).tok == Tok::Punct('('),
            Tok::Word(word) if self.peek_at(1).tok != Tok::Punct(':') => {
                matches!(word, "true" | "false") || literal::parse(word).is_ok()
            }
            _ => false,
        }
    }

    fn block_literal(&mut self, what: &str) -> Parsed<Arg> {
        if !self.at_literal() {
            return Err(self.expected(what));
        }
        if let Tok::Word(word) = self.peek().tok
            && let Ok((ty, bits)) = literal::parse(word)
        {
            self.take();
            return Ok(Arg::Const(ty, bits));
        }
        self.literal().map(|(ty, bits)| Arg::Const(ty, bits))
    }

    /// A function in block form. What is wrong with it has been reported.
    pub(in crate::text) fn block_function(&mut self) -> Parsed<()> {
        let before = self.diags.count();
        let mut body = self.block_start()?;
        body.parser.expect('{')?;
        body.blocks();
        body.parser.expect('}')?;
        let func = body.finish();
        let well = self.diags.count() == before;
        self.keep_block_function(func, well);
        Ok(())
    }

    /// What calls need to know of a function in block form.
    pub(in crate::text) fn block_header(&mut self) -> Parsed<Function> {
        let func = self.block_start()?.func;
        let mut builder = func.builder();
        for (val, ty, _) in func.params {
            let name = func.values[val].name.clone();
            match ty {
                Ty::Value(ty) => {
                    builder.scalar(name, ty);
                }
                Ty::Pointer(_, pointee) => {
                    builder.buffer(name, pointee, Access::Read);
                }
            }
        }
        builder.results(&func.ret.into_iter().collect::<Vec<_>>());
        Ok(builder.finish())
    }

    /// A function up to its body.
    fn block_start(&mut self) -> Parsed<FuncParser<'_, 's>> {
        let loc = self.take().loc();
        let (mut kernel, mut inlining, mut limits) = (None, None, Limits::NONE);
        loop {
            let word_loc = self.peek().loc();
            if self.eat_word("kernel") {
                kernel = Some([1; 3]);
            } else if self.eat_word("workgroup_size") {
                let size = self.workgroup_size()?;
                if kernel.is_none() {
                    return Err(self.error(Code::V700, word_loc, "only a kernel has a `workgroup_size`"));
                }
                kernel = Some(size);
            } else if self.eat_word("limits") {
                limits = self.limits()?;
                if kernel.is_none() {
                    return Err(self.error(Code::V700, word_loc, "only a kernel has `limits`"));
                }
            } else if let Tok::Word(word @ ("inline" | "noinline")) = self.peek().tok {
                self.take();
                if inlining.is_some_and(|other| other != word) {
                    return Err(self.error(Code::V700, word_loc, "a function cannot be `inline` and `noinline`"));
                }
                inlining = Some(word);
            } else {
                break;
            }
        }
        let (name, name_loc) = self.name(Sigil::Global, "the function's name")?;
        self.take_global_name(&name.text, name_loc);
        let func = Func {
            name: name.text,
            loc,
            kernel,
            limits,
            params: Vec::new(),
            ret: None,
            blocks: Vec::new(),
            values: Vec::new(),
            selectors: Vec::new(),
        };
        let mut body =
            FuncParser { parser: self, func, ids: HashMap::new(), labels: HashMap::new(), label_of: Vec::new() };
        body.signature()?;
        Ok(body)
    }

    pub(in crate::text) fn workgroup_size(&mut self) -> Parsed<[u32; 3]> {
        self.expect('(')?;
        let x = self.plain_u32("the workgroup size on x")?;
        self.expect(',')?;
        let y = self.plain_u32("the workgroup size on y")?;
        self.expect(',')?;
        let z = self.plain_u32("the workgroup size on z")?;
        self.expect(')')?;
        Ok([x, y, z])
    }
}

/// The parser of one function.
pub(super) struct FuncParser<'p, 's> {
    pub(super) parser: &'p mut Parser<'s>,
    func: Func,
    ids: HashMap<Name, Val>,
    /// Labels by name; what they stand for is in `label_of`.
    labels: HashMap<String, usize>,
    /// Where a label was first mentioned, and its block.
    label_of: Vec<(String, Loc, Option<usize>)>,
}

impl FuncParser<'_, '_> {
    fn signature(&mut self) -> Parsed<()> {
        self.parser.expect('(')?;
        while self.parser.item(self.func.params.is_empty(), ')')? {
            let (name, loc) = self.parser.name(Sigil::Value, "a parameter or `)`")?;
            self.parser.expect(':')?;
            let ty = self.parser.block_ty()?;
            let val = self.define(&name, loc, Def::Param, "parameters");
            self.func.params.push((val, ty, loc));
        }
        if self.parser.eat_arrow() && !self.parser.eat_word("void") {
            let loc = self.parser.peek().loc();
            match self.parser.block_ty()? {
                Ty::Value(ty) => self.func.ret = Some(ty),
                Ty::Pointer(..) => {
                    return Err(self.parser.error(Code::V201, loc, "a function cannot return a pointer"));
                }
            }
            if self.func.kernel.is_some() {
                let diag = Diag::new(Code::V102, loc, "a kernel cannot return a value");
                self.parser.diags.push(diag.help("write `-> void`, and store the value to memory"));
            }
        }
        Ok(())
    }

    pub(super) fn intern(&mut self, name: &Name, loc: Loc) -> Val {
        if let Some(&val) = self.ids.get(name) {
            return val;
        }
        let info = ValueInfo { name: name.text.clone(), number: name.number, def: None, loc };
        self.func.values.push(info);
        self.ids.insert(name.clone(), self.func.values.len() - 1);
        self.func.values.len() - 1
    }

    fn define(&mut self, name: &Name, loc: Loc, def: Def, what: &str) -> Val {
        let val = self.intern(name, loc);
        let info = &mut self.func.values[val];
        if info.def.is_some() {
            let first = info.loc;
            self.parser.duplicate(loc, first, &format!("two {what} are named `%{}`", name.text));
        } else {
            info.def = Some(def);
            info.loc = loc;
        }
        val
    }

    fn label(&mut self, name: &str, loc: Loc) -> usize {
        if let Some(&label) = self.labels.get(name) {
            return label;
        }
        self.label_of.push((name.to_owned(), loc, None));
        self.labels.insert(name.to_owned(), self.label_of.len() - 1);
        self.label_of.len() - 1
    }

    /// The number of the label that is next.
    fn target(&mut self) -> Parsed<usize> {
        let Tok::Word(name) = self.parser.peek().tok else { return Err(self.parser.expected("a label")) };
        let loc = self.parser.take().loc();
        Ok(self.label(name, loc))
    }

    fn at_label(&self) -> bool {
        matches!(self.parser.peek().tok, Tok::Word(_)) && self.parser.peek_at(1).tok == Tok::Punct(':')
    }

    /// Whether a label is next whose `:` is missing: a word alone on its line that blocks
    /// branch to.
    fn at_bare_label(&self) -> bool {
        let token = self.parser.peek();
        let alone = token.first_on_line && self.parser.peek_at(1).first_on_line;
        let is_label =
            |word| self.labels.contains_key(word) && !matches!(word, "ret" | "unreachable" | "barrier" | "fence");
        alone && matches!(token.tok, Tok::Word(word) if is_label(word))
    }

    fn blocks(&mut self) {
        if !self.at_label() && !self.parser.at_punct('}') {
            // The signature has shown which form this is.
            self.parser.expected("a label");
        }
        while !matches!(self.parser.peek().tok, Tok::End | Tok::Punct('}')) {
            self.block();
        }
        if self.func.blocks.is_empty() && !matches!(self.parser.peek().tok, Tok::End) {
            let loc = self.parser.peek().loc();
            self.parser.error(Code::V702, loc, "a function needs at least one block");
        }
    }

    fn block(&mut self) {
        let index = self.func.blocks.len();
        let loc = self.parser.peek().loc();
        let mut label = String::new();
        if (self.at_label() || self.at_bare_label())
            && let Tok::Word(name) = self.parser.take().tok
        {
            if !self.parser.eat(':') {
                let diag = Diag::new(Code::V700, loc, format!("expected `:` after the label `{name}`"));
                self.parser.diags.push(diag.help(format!("write `{name}:`")));
            }
            label = name.to_owned();
            let id = self.label(name, loc);
            match self.label_of[id].2 {
                Some(_) => {
                    let first = self.label_of[id].1;
                    self.parser.duplicate(loc, first, &format!("two blocks are named `{name}`"));
                }
                None => self.label_of[id] = (label.clone(), loc, Some(index)),
            }
        }
        let end_loc = loc;
        let block = Block { label, loc, phis: Vec::new(), insts: Vec::new(), end: End::Unreachable, end_loc };
        self.func.blocks.push(block);
        let (mut ended, mut reported) = (false, false);
        while !self.at_label() && !self.at_bare_label() && !matches!(self.parser.peek().tok, Tok::End | Tok::Punct('}'))
        {
            let (from, loc) = (self.parser.position(), self.parser.peek().loc());
            match self.statement(index) {
                Ok(Some(end)) if !ended => {
                    ended = true;
                    self.func.blocks[index].end = end;
                    self.func.blocks[index].end_loc = loc;
                }
                Ok(_) if ended && !reported => {
                    reported = true;
                    self.parser.error(Code::V702, loc, "instruction after the end of its block");
                }
                Ok(_) => {}
                // A wrong terminator ends the block as well.
                Err(Failed) => {
                    let word = self.parser.token_at(from);
                    ended |= matches!(word, Tok::Word("br" | "br_if" | "ret" | "switch" | "unreachable"));
                    self.parser.recover(from);
                }
            }
        }
        if !ended && self.parser.peek().tok != Tok::End {
            let here = self.parser.peek().loc();
            let name = &self.func.blocks[index].label;
            let diag = Diag::new(Code::V702, here, format!("block `{name}` has no terminator"));
            self.parser.diags.push(diag.help("end it with `br`, `br_if` or `ret`"));
        }
    }

    /// An instruction, or a terminator, which is the result.
    fn statement(&mut self, block: usize) -> Parsed<Option<End>> {
        let result = match self.parser.peek().tok {
            Tok::Name(Sigil::Value, _) => Some(self.parser.name(Sigil::Value, "the name of a result")?),
            _ => None,
        };
        let position = self.func.blocks[block].insts.len() + 1;
        let known = result.as_ref().map(|(name, loc)| {
            // A phi redefines this below: its place is before the instructions.
            self.define(name, *loc, Def::Block(block, position), "values")
        });
        if result.is_some() {
            self.parser.expect('=')?;
        }
        let Tok::Word(mnemonic) = self.parser.peek().tok else { return Err(self.parser.expected("an instruction")) };
        let loc = self.parser.take().loc();
        if mnemonic == "phi" {
            return self.phi(block, loc, known).map(|()| None);
        }
        if let Some(end) = self.end(mnemonic, loc)? {
            if let Some((_, loc)) = result {
                let message = format!("`{mnemonic}` has no result, but a name is given");
                return Err(self.parser.error(Code::V700, loc, message));
            }
            return Ok(Some(end));
        }
        let inst = self.instruction(mnemonic, loc, known)?;
        self.func.blocks[block].insts.push(inst);
        Ok(None)
    }

    fn phi(&mut self, block: usize, loc: Loc, result: Option<Val>) -> Parsed<()> {
        let Some(result) = result else {
            return Err(self.parser.error(Code::V700, loc, "`phi` needs a name for its result"));
        };
        if !self.func.blocks[block].insts.is_empty() {
            let diag = Diag::new(Code::V702, loc, "`phi` after an instruction");
            self.parser.diags.push(diag.help("move it to the start of its block"));
            return Err(Failed);
        }
        self.func.values[result].def = Some(Def::Block(block, 0));
        let ty = self.parser.block_ty()?;
        let mut from = Vec::new();
        loop {
            self.parser.expect('[')?;
            let operand = self.operand()?;
            self.parser.expect(',')?;
            let label = self.target()?;
            self.parser.expect(']')?;
            from.push((operand, label));
            if !self.parser.eat(',') {
                break;
            }
        }
        self.func.blocks[block].phis.push(Phi { loc, result, ty, from });
        Ok(())
    }

    /// The terminator with this mnemonic.
    fn end(&mut self, mnemonic: &str, loc: Loc) -> Parsed<Option<End>> {
        Ok(Some(match mnemonic {
            "br" => End::Br(self.target()?),
            "br_if" => {
                let condition = self.operand()?;
                self.parser.expect(',')?;
                let then = self.target()?;
                self.parser.expect(',')?;
                End::BrIf(condition, then, self.target()?)
            }
            "switch" => {
                let selector = self.operand()?;
                self.parser.expect(',')?;
                let default = self.target()?;
                let mut cases = Vec::new();
                while self.parser.eat(',') {
                    self.parser.expect('[')?;
                    let case_loc = self.parser.peek().loc();
                    let Arg::Const(ty, bits) = self.parser.block_literal("a literal")? else { return Ok(None) };
                    if !ty.is_int() {
                        let message = format!("case of type `{}`, but a selector is an integer", ty.name());
                        self.parser.error(Code::V021, case_loc, message);
                    }
                    self.parser.expect(',')?;
                    let to = self.target()?;
                    self.parser.expect(']')?;
                    cases.push((ty, bits, to, case_loc));
                }
                let first = cases.first().map(|case| case.0);
                if let Some(wrong) = cases.iter().find(|case| Some(case.0) != first) {
                    self.parser.error(Code::V021, wrong.3, "the cases have different types");
                }
                let mut seen = std::collections::BTreeSet::new();
                if let Some(wrong) = cases.iter().find(|case| !seen.insert(case.1)) {
                    self.parser.error(Code::V702, wrong.3, "this case occurs twice");
                }
                self.switch_type(first, selector);
                End::Switch(selector, default, cases.into_iter().map(|case| (case.1, case.2)).collect())
            }
            "ret" => {
                let value = self.at_operand().then(|| self.operand()).transpose()?;
                match (&value, self.func.ret) {
                    (Some(_), None) => {
                        self.parser.error(Code::V200, loc, "a function that returns `void` cannot return a value");
                    }
                    (None, Some(ty)) => {
                        let message = format!("`ret` needs a value of type `{}`", self.parser.types.display(ty));
                        self.parser.error(Code::V200, loc, message);
                    }
                    (Some(_), Some(_)) | (None, None) => {}
                }
                End::Ret(value)
            }
            "unreachable" => End::Unreachable,
            _ => return Ok(None),
        }))
    }

    /// Notes the type that the cases of a switch ask of its selector.
    fn switch_type(&mut self, ty: Option<Scalar>, selector: Operand) {
        if let (Some(ty), Arg::Const(found, _)) = (ty, selector.arg)
            && ty != found
        {
            self.parser.error(Code::V021, selector.loc, format!("expected `{}`, found `{}`", ty.name(), found.name()));
        }
        if let (Some(ty), Arg::Value(val)) = (ty, selector.arg) {
            self.func.selectors.push((val, ty, selector.loc));
        }
    }

    pub(super) fn at_operand(&self) -> bool {
        matches!(self.parser.peek().tok, Tok::Name(Sigil::Value | Sigil::Global, _)) || self.parser.at_literal()
    }

    pub(super) fn operand(&mut self) -> Parsed<Operand> {
        let loc = self.parser.peek().loc();
        let arg = match &self.parser.peek().tok {
            Tok::Name(Sigil::Value, _) => {
                let (name, loc) = self.parser.name(Sigil::Value, "a value")?;
                Arg::Value(self.intern(&name, loc))
            }
            Tok::Name(Sigil::Global, _) => {
                let (name, loc) = self.parser.name(Sigil::Global, "a global")?;
                Arg::Global(self.parser.blocks.slot(&name.text, loc))
            }
            _ => self.parser.block_literal("a value")?,
        };
        Ok(Operand { arg, loc })
    }

    /// Labels become blocks; what has no definition is reported.
    fn finish(mut self) -> Func {
        for info in &self.func.values {
            if info.def.is_none() {
                self.parser.error(Code::V006, info.loc, format!("cannot find value `%{}`", info.name));
            }
        }
        for (name, loc, block) in &self.label_of {
            if block.is_none() {
                self.parser.error(Code::V006, *loc, format!("cannot find label `{name}`"));
            }
        }
        let block = |label: &mut usize| *label = self.label_of.get(*label).and_then(|known| known.2).unwrap_or(0);
        for b in &mut self.func.blocks {
            b.phis.iter_mut().for_each(|phi| phi.from.iter_mut().for_each(|from| block(&mut from.1)));
            b.end.targets_mut().into_iter().for_each(block);
            if let End::BrIf(_, then, otherwise) = b.end
                && then == otherwise
            {
                b.end = End::Br(then);
            }
        }
        self.func
    }
}

/// Whether a literal may stand in a constant of this sort.
pub(super) fn constant_fits(mnemonic: &str, ty: Scalar) -> bool {
    match mnemonic {
        "iconst" => ty.kind() == Sort::Signed,
        "uconst" => ty.kind() == Sort::Unsigned,
        "fconst" => ty.kind() == Sort::Float,
        _ => true,
    }
}
