//! Text to module: the cursor over the tokens, structs, signatures, declarations, types.
//!
//! A function that returns [`Failed`] has reported why; its caller goes on after the part that
//! it was parsing. The functions here are recursive, which is safe because nesting of types and
//! regions is limited to [`MAX_NESTING`] (`V018`).

use super::blocks::Source;
use super::body::Body;
use super::lex::{Name, Sigil, Tok, Token, lex, short};
use super::literal;
use crate::arena::Id;
use crate::builder::Builder;
use crate::diag::{Code, Diag, Diags};
use crate::ir::{Access, Elements, Function, MAX_NESTING, MAX_TYPE_PARTS, Module};
use crate::limits::{Limit, Limits};
use crate::loc::Loc;
use crate::types::{ArrayDef, Scalar, StructDef, Type, Types};
use std::collections::{HashMap, HashSet};

/// How deep a type nests others, and of how many it is made.
#[derive(Clone, Copy)]
struct Extent {
    depth: usize,
    parts: usize,
}

/// Something was wrong and has been reported.
#[derive(Debug)]
pub(super) struct Failed;

/// A result, or a mistake that has been reported.
pub(super) type Parsed<T> = Result<T, Failed>;

/// The module of a text.
pub(super) fn module(source: &str) -> Result<Module, Diags> {
    read(source).map(|(module, _)| module)
}

/// The module of a text, and the first thing in it that is in block form.
pub(super) fn read(source: &str) -> Result<(Module, Option<Loc>), Diags> {
    let (bytes, most) = (source.len(), super::limits::SOURCE);
    if bytes > most {
        let message = format!("{bytes} bytes of text are too many, at most {most} are allowed");
        return Err(Diag::new(Code::V700, Loc::new(0), message).into());
    }
    let mut diags = Diags::new();
    let tokens = lex(source, &mut diags);
    diags.gate()?;
    let mut parser = Parser {
        tokens,
        at: 0,
        diags,
        types: Types::default(),
        arrays: HashMap::new(),
        structs: HashMap::new(),
        functions: HashMap::new(),
        structs_read: 0,
        signatures: HashMap::new(),
        failed: HashSet::new(),
        module: Module::default(),
        blocks: Source::default(),
    };
    parser.signatures();
    parser.module();
    let blocks = parser.blocks.first();
    parser.lower_blocks();
    parser.diags.gate()?;
    Ok((Module { types: parser.types, ..parser.module }, blocks))
}

/// Whether a word is a type that needs no declaration.
pub(super) fn is_builtin_type(word: &str) -> bool {
    word == "bytes" || Scalar::from_name(word).is_some() || vector_lanes(word).is_some()
}

fn vector_lanes(word: &str) -> Option<u8> {
    match word {
        "vec2" => Some(2),
        "vec3" => Some(3),
        "vec4" => Some(4),
        _ => None,
    }
}

/// The tokens, the position in them, and what was declared so far.
pub(super) struct Parser<'s> {
    tokens: Vec<Token<'s>>,
    at: usize,
    pub(super) diags: Diags,
    pub(super) types: Types,
    /// The array types; looking through them for each would take too long.
    arrays: HashMap<(Type, u32), Type>,
    /// Struct types by name, with where they are.
    structs: HashMap<String, (Type, Loc, Extent)>,
    pub(super) functions: HashMap<String, Loc>,
    /// How many structs were read.
    structs_read: usize,
    /// What calls need to know of every function: its index, parameters and results.
    pub(super) signatures: HashMap<String, (u32, Function)>,
    /// Functions that have a mistake before their bodies.
    pub(super) failed: HashSet<String>,
    pub(super) module: Module,
    /// What was read of block form, which becomes functions in the end.
    pub(super) blocks: Source,
}

impl<'s> Parser<'s> {
    // The cursor.

    /// The next token.
    pub(super) fn peek(&self) -> &Token<'s> {
        // The list ends with the end of the text, which nothing here ever passes.
        &self.tokens[self.at]
    }

    /// A token further on, or the last one.
    pub(super) fn peek_at(&self, ahead: usize) -> &Token<'s> {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    /// The token at a position.
    pub(super) fn token_at(&self, position: usize) -> &Tok<'s> {
        &self.tokens[position.min(self.tokens.len() - 1)].tok
    }

    /// The position in the tokens.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Token<'s> {
        let token = self.peek().clone();
        if token.tok != Tok::End {
            self.at += 1;
        }
        token
    }

    /// Whether the next token is this one of the punctuation.
    pub(super) fn at_punct(&self, c: char) -> bool {
        self.peek().tok == Tok::Punct(c)
    }

    /// Takes this punctuation if it is next.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.at_punct(c);
        self.at += usize::from(found);
        found
    }

    /// Takes this word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek().tok, Tok::Word(w) if w == word);
        self.at += usize::from(found);
        found
    }

    /// Takes `->` if it is next.
    pub(super) fn eat_arrow(&mut self) -> bool {
        let found = self.peek().tok == Tok::Arrow;
        self.at += usize::from(found);
        found
    }

    /// Reports a mistake.
    pub(super) fn error(&mut self, code: Code, loc: Loc, message: impl Into<String>) -> Failed {
        self.diags.push(Diag::new(code, loc, message));
        Failed
    }

    /// Reports that the next token is not what has to be here.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let token = self.peek();
        let (loc, message) = (token.loc(), format!("expected {what}, found {}", token.describe()));
        // Whatever is open when the text ends misses the same end.
        if token.tok == Tok::End && self.diags.as_slice().iter().any(|diag| diag.loc == loc) {
            return Failed;
        }
        self.error(Code::V700, loc, message)
    }

    /// Like [`expected`](Self::expected), with what to write instead.
    pub(super) fn expected_or(&mut self, what: &str, help: &str) -> Failed {
        let token = self.peek();
        let (loc, message) = (token.loc(), format!("expected {what}, found {}", token.describe()));
        self.diags.push(Diag::new(Code::V700, loc, message).help(help));
        Failed
    }

    /// Takes this punctuation, which has to be next.
    pub(super) fn expect(&mut self, c: char) -> Parsed<()> {
        if self.eat(c) { Ok(()) } else { Err(self.expected(&format!("`{c}`"))) }
    }

    /// Whether an item follows in a list that `close` ends; takes what is before it, or the end.
    /// A comma stands between items and may stand behind the last one.
    pub(super) fn item(&mut self, is_first: bool, close: char) -> Parsed<bool> {
        if !is_first && !self.eat(',') {
            return self.expect(close).map(|()| false);
        }
        Ok(!self.eat(close))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Takes a name with this sigil, which has to be next.
    pub(super) fn name(&mut self, sigil: Sigil, what: &str) -> Parsed<(Name, Loc)> {
        match &self.peek().tok {
            Tok::Name(found, name) if *found == sigil => {
                let found = (name.clone(), self.peek().loc());
                self.at += 1;
                Ok(found)
            }
            _ => Err(self.expected(&format!("{what} (`{}name`)", sigil.char()))),
        }
    }

    /// A name without a sigil, which has to be next.
    fn plain_name(&mut self, what: &str) -> Parsed<(String, Loc)> {
        let loc = self.peek().loc();
        let name = match &self.peek().tok {
            Tok::Word(word) => (*word).to_owned(),
            Tok::Quoted(name) => name.clone(),
            _ => return Err(self.expected(what)),
        };
        self.at += 1;
        Ok((name, loc))
    }

    /// A number without type that fits 32 bits, which has to be next.
    pub(super) fn plain_u32(&mut self, what: &str) -> Parsed<u32> {
        let Tok::Number(text) = self.peek().tok else { return Err(self.expected(what)) };
        let loc = self.peek().loc();
        self.at += 1;
        match literal::integer(text).map(u32::try_from) {
            Some(Ok(value)) => Ok(value),
            Some(Err(_)) => Err(self.error(Code::V103, loc, format!("{what} `{}` does not fit 32 bits", short(text)))),
            None => Err(self.error(
                Code::V700,
                loc,
                format!("{what} `{}` is not a whole number without a type", short(text)),
            )),
        }
    }

    /// Skips to the next token that is at the start of a line and may begin an instruction,
    /// or closes a brace of the surroundings; blocks that were begun are skipped as a
    /// whole. Something is skipped unless the parser has moved since `from`.
    pub(super) fn recover(&mut self, from: usize) {
        let mut depth = 0usize;
        loop {
            let token = self.peek();
            match token.tok {
                Tok::End => return,
                Tok::Punct('}') if depth == 0 => return,
                Tok::Punct('}') => depth -= 1,
                Tok::Punct('{') => depth += 1,
                Tok::Word(_) | Tok::Name(Sigil::Value, _) if depth == 0 && token.first_on_line && self.at > from => {
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Skips the rest of a block that was begun, with its `}`.
    pub(super) fn skip_block(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.take().tok {
                Tok::End => return,
                Tok::Punct('}') if depth == 0 => return,
                Tok::Punct('}') => depth -= 1,
                Tok::Punct('{') => depth += 1,
                _ => {}
            }
        }
    }

    /// Skips to the next declaration of the module.
    fn recover_item(&mut self, from: usize) {
        loop {
            let token = self.peek();
            match token.tok {
                Tok::End => return,
                Tok::Word("func" | "struct" | "global") if token.first_on_line && self.at > from => return,
                _ => self.at += 1,
            }
        }
    }

    /// Skips what follows a header, to the end of its braces or to the next line that begins
    /// a declaration: a brace may be missing.
    fn skip_body(&mut self) {
        let mut depth = 0;
        loop {
            let token = self.peek();
            match token.tok {
                Tok::End => return,
                Tok::Word("func" | "struct" | "global") if token.first_on_line => return,
                Tok::Punct('{') => depth += 1,
                Tok::Punct('}') => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    // The module.

    /// Reads ahead what calls need to know of functions. Mistakes are reported when
    /// everything is read once more.
    fn signatures(&mut self) {
        if !self.tokens.iter().any(|token| token.tok == Tok::Word("call")) {
            return;
        }
        let mut index = 0;
        loop {
            let from = self.at;
            let item = match self.peek().tok {
                Tok::End => break,
                Tok::Word("struct") => self.structure(),
                Tok::Word("func") => {
                    let function = if self.at_block_function() {
                        self.block_header()
                    } else {
                        self.header().map(|(body, _)| body.builder.finish())
                    };
                    function.map(|function| {
                        self.signatures.entry(function.name.clone()).or_insert((index, function));
                        index += 1;
                    })
                }
                _ => Err(Failed),
            };
            if item.is_ok() && self.at_punct('{') {
                self.skip_body();
            }
            if item.is_err() || !matches!(self.peek().tok, Tok::End | Tok::Word("struct" | "func" | "global")) {
                self.recover_item(from);
            }
        }
        let known = |name: &&String| self.signatures.contains_key(*name);
        self.failed = self.functions.keys().filter(|name| !known(name)).cloned().collect();
        self.at = 0;
        self.diags = Diags::new();
        self.structs.clear();
        self.structs_read = 0;
        self.functions.clear();
        self.blocks = Source::default();
    }

    fn module(&mut self) {
        loop {
            let from = self.at;
            let item = match self.peek().tok {
                Tok::End => return,
                Tok::Word("struct") => self.structure(),
                Tok::Word("global") => self.block_global(),
                Tok::Word("func") if self.at_block_function() => self.block_function(),
                Tok::Word("func") => self.function(),
                _ => Err(self.expected("`func`, `struct` or `global`")),
            };
            if item.is_err() {
                self.recover_item(from);
            }
        }
    }

    fn structure(&mut self) -> Parsed<()> {
        self.take();
        let (name, loc) = self.plain_name("the name of the struct")?;
        let fields = self.fields(&name);
        let failed = fields.is_err();
        // What is wrong with it is no mistake of those who name it.
        let (fields, extent) = fields.unwrap_or((Vec::new(), Extent { depth: 0, parts: 1 }));
        let too_large = if extent.depth > MAX_NESTING {
            Some(format!("struct `{name}` nests more than {MAX_NESTING} types"))
        } else if extent.parts > MAX_TYPE_PARTS {
            Some(format!("struct `{name}` is made of more than {MAX_TYPE_PARTS} types"))
        } else {
            None
        };
        // A type that is refused is not kept, because walks over it would not end soon.
        let (ty, extent) = match too_large {
            _ if failed => (Type::Error, extent),
            Some(message) => {
                self.error(Code::V018, loc, message);
                (Type::Error, Extent { depth: 0, parts: 1 })
            }
            None => {
                let def = StructDef { name: name.clone(), fields };
                // No other struct has this name, so that none is equal but the one that was
                // read ahead.
                let ahead = Id::from_index(self.structs_read);
                let known = self.types.structs.get(ahead) == Some(&def);
                self.structs_read += 1;
                (Type::Struct(if known { ahead } else { self.types.structs.push(def) }), extent)
            }
        };
        if let Some((_, other, _)) = self.structs.insert(name.clone(), (ty, loc, extent)) {
            self.duplicate(loc, other, &format!("two structs are named `{name}`"));
        }
        if failed { Err(Failed) } else { Ok(()) }
    }

    /// The fields of a struct, between braces, and how far it extends.
    fn fields(&mut self, name: &str) -> Parsed<(Vec<(String, Type)>, Extent)> {
        self.expect('{')?;
        let mut names: HashSet<String> = HashSet::new();
        let mut fields: Vec<(String, Type)> = Vec::new();
        let mut extent = Extent { depth: 0, parts: 1 };
        while self.item(fields.is_empty(), '}')? {
            let (field, field_loc) = self.plain_name("a field or `}`")?;
            self.expect(':')?;
            let (ty, inner) = self.nested_ty(0)?;
            extent.depth = extent.depth.max(inner.depth + 1);
            extent.parts += inner.parts;
            if !names.insert(field.clone()) {
                self.error(Code::V001, field_loc, format!("two fields of struct `{name}` are named `{field}`"));
            }
            fields.push((field, ty));
        }
        Ok((fields, extent))
    }

    /// Reports a name that is taken.
    pub(super) fn duplicate(&mut self, loc: Loc, first: Loc, message: &str) {
        self.diags.push(Diag::new(Code::V001, loc, message).label(first, "the first one is here"));
    }

    /// Notes what a name means, or reports that it is taken.
    pub(super) fn claim<T>(
        &mut self,
        known: &mut HashMap<String, (T, Loc)>,
        name: Name,
        meaning: (T, Loc),
        what: &str,
        sigil: Sigil,
    ) {
        if let Some((_, first)) = known.get(&name.text) {
            return self.duplicate(meaning.1, *first, &format!("two {what} are named `{}{}`", sigil.char(), name.text));
        }
        known.insert(name.text, meaning);
    }

    /// Notes the name of a function or of a global.
    pub(super) fn take_global_name(&mut self, name: &str, loc: Loc) {
        if let Some(first) = self.functions.insert(name.to_owned(), loc) {
            let what = if self.blocks.declares(name) { "globals" } else { "functions" };
            self.duplicate(loc, first, &format!("two {what} are named `@{name}`"));
        }
    }

    /// What is before the `{` of a function, and where it is.
    fn header(&mut self) -> Parsed<(Body<'_, 's>, Loc)> {
        let func = self.take().loc();
        let mut fast_math = false;
        let mut limits = Limits::NONE;
        let size = if self.eat_word("kernel") {
            fast_math = self.eat_word("fast_math");
            if !matches!(self.peek().tok, Tok::Word("workgroup_size")) {
                let help = "state the invocations of a workgroup: `func kernel workgroup_size(64, 1, 1) @name(…)`";
                return Err(self.expected_or("`workgroup_size`", help));
            }
            self.expect_word("workgroup_size")?;
            let size = self.workgroup_size()?;
            if self.eat_word("limits") {
                limits = self.limits()?;
            }
            Some(size)
        } else {
            None
        };
        let (name, loc) = self.name(Sigil::Global, "the function's name")?;
        self.take_global_name(&name.text, loc);
        let builder = match size {
            Some(size) => Builder::new(name.text, size),
            None => Builder::device(name.text),
        };
        let mut body = Body::new(self, builder);
        body.builder.fast_math(fast_math);
        body.builder.limits(limits);
        body.parser.expect('(')?;
        while body.parser.item(body.builder.function().params.is_empty(), ')')? {
            body.param()?;
        }
        if body.builder.function().is_kernel() && body.parser.eat_word("requires") {
            let requires = body.parser.requirements(&body.builder.function().params)?;
            body.builder.requires(requires);
        }
        let results = body.parser.result_types()?;
        body.builder.results(&results);
        Ok((body, func))
    }

    /// What a kernel declares after `limits`.
    pub(super) fn limits(&mut self) -> Parsed<Limits> {
        let (mut limits, mut is_first) = (Limits::NONE, true);
        self.expect('(')?;
        while self.item(std::mem::take(&mut is_first), ')')? {
            let (name, loc) = self.plain_name("the name of a limit")?;
            let Some(limit) = Limit::from_name(&name) else {
                let names: Vec<String> = Limit::ALL.iter().map(|limit| format!("`{}`", limit.name())).collect();
                let diag = Diag::new(Code::V700, loc, format!("there is no limit `{name}`"));
                self.diags.push(diag.help(format!("the limits are {}", names.join(", "))));
                return Err(Failed);
            };
            self.expect('=')?;
            let amount = self.plain_u32(&format!("the number of `{name}`"))?;
            if limits.get(limit) != 0 {
                return Err(self.error(Code::V700, loc, format!("`{name}` is given twice")));
            }
            if let Some((code, message)) = limit.refuse(amount.into()) {
                self.diags.push(Diag::new(code, loc, message).help("remove it"));
            } else {
                limits.set(limit, amount);
            }
        }
        Ok(limits)
    }

    fn function(&mut self) -> Parsed<()> {
        let (mut body, func) = self.header()?;
        body.parser.expect('{')?;
        body.declarations();
        body.insts();
        let mut function = body.builder.finish();
        function.loc = func;
        self.module.functions.push(function);
        self.expect('}')
    }

    /// What a buffer's declaration says may be done with it and of its elements, and the element.
    pub(super) fn buffer_ty(&mut self) -> Parsed<(Access, Elements, Type)> {
        let (access, elements) = match self.peek().tok {
            Tok::Word("mut") => (Access::ReadWrite, Elements::Any),
            Tok::Word("atomic") => (Access::Atomic, Elements::Any),
            Tok::Word("distinct") => (Access::Read, Elements::Distinct),
            Tok::Word("below") => (Access::Read, Elements::Below),
            _ => (Access::Read, Elements::Any),
        };
        self.at += usize::from(access != Access::Read || elements != Elements::Any);
        self.expect('[')?;
        let element = self.ty()?;
        self.expect(']')?;
        Ok((access, elements, element))
    }

    // Types.

    /// A type.
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        self.nested_ty(0).map(|(ty, _)| ty)
    }

    /// A type and its extent.
    fn nested_ty(&mut self, depth: usize) -> Parsed<(Type, Extent)> {
        let loc = self.peek().loc();
        if self.eat('[') {
            if depth >= MAX_NESTING {
                return Err(self.error(Code::V018, loc, format!("more than {MAX_NESTING} types are nested")));
            }
            let (element, inner) = self.nested_ty(depth + 1)?;
            self.expect(';')?;
            let len = self.plain_u32("the length of the array")?;
            self.expect(']')?;
            if inner.depth >= MAX_NESTING {
                return Err(self.error(Code::V018, loc, format!("more than {MAX_NESTING} types are nested")));
            }
            let extent = Extent { depth: inner.depth + 1, parts: inner.parts + 1 };
            let types = &mut self.types;
            let array = self.arrays.entry((element, len));
            let ty = *array.or_insert_with(|| Type::Array(types.arrays.push(ArrayDef { element, len })));
            return Ok((ty, extent));
        }
        let one = Extent { depth: 0, parts: 1 };
        let builtin = match self.peek().tok {
            Tok::Word(word) if is_builtin_type(word) => word,
            _ => {
                let (name, loc) = self.plain_name("a type")?;
                return match self.structs.get(&name) {
                    Some(&(ty, _, extent)) => Ok((ty, extent)),
                    None => Err(self.error(Code::V006, loc, format!("cannot find type `{name}`"))),
                };
            }
        };
        self.at += 1;
        if let Some(lanes) = vector_lanes(builtin) {
            self.expect('<')?;
            let lane = self.scalar()?;
            self.expect('>')?;
            return Ok((Type::Vector(lane, lanes), one));
        }
        Ok((Scalar::from_name(builtin).map_or(Type::Bytes, Type::Scalar), one))
    }

    /// A scalar type.
    pub(super) fn scalar(&mut self) -> Parsed<Scalar> {
        let Tok::Word(word) = self.peek().tok else { return Err(self.expected("a scalar type")) };
        let Some(scalar) = Scalar::from_name(word) else { return Err(self.expected("a scalar type")) };
        self.at += 1;
        Ok(scalar)
    }

    /// The types after `->`.
    pub(super) fn result_types(&mut self) -> Parsed<Vec<Type>> {
        let mut types = Vec::new();
        if self.eat_arrow() {
            loop {
                types.push(self.ty()?);
                if !self.eat(',') {
                    break;
                }
            }
        }
        Ok(types)
    }
}
