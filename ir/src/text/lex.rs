//! Tokens of the text form.
//!
//! Space and comments (`;` to the end of the line) only separate tokens. Between `[` and `]` on
//! one line `;` is a token, that of an array type. Characters that are no token are reported
//! and skipped, so that the parser sees the rest.

use crate::diag::{Code, Diag, Diags};
use crate::loc::Loc;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sigil {
    /// `%`
    Value,
    /// `@`: functions and memory.
    Global,
    /// `$`
    Var,
    /// `'`
    Label,
}

impl Sigil {
    /// The character before the name.
    pub(crate) const fn char(self) -> char {
        match self {
            Self::Value => '%',
            Self::Global => '@',
            Self::Var => '$',
            Self::Label => '\'',
        }
    }

    fn of(c: char) -> Option<Self> {
        [Self::Value, Self::Global, Self::Var, Self::Label].into_iter().find(|sigil| sigil.char() == c)
    }
}

/// A name after its sigil.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Name {
    /// Without quotes and escapes.
    pub(super) text: String,
    /// Whether this is a bare number: what the printer calls a value without a name.
    pub(super) number: bool,
}

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Tok<'s> {
    /// A keyword, mnemonic, type or field name.
    Word(&'s str),
    /// A quoted name without a sigil.
    Quoted(String),
    /// A name with its sigil.
    Name(Sigil, Name),
    /// A number with its suffix, as written.
    Number(&'s str),
    /// One of ``( ) { } [ ] < > , : ; = * + -``.
    Punct(char),
    /// `->`
    Arrow,
    /// The end of the text.
    End,
}

/// A token and where it is.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token<'s> {
    /// What it is.
    pub(super) tok: Tok<'s>,
    /// The offset of its first byte.
    pub(super) start: usize,
    /// The source text.
    pub(super) text: &'s str,
    /// Whether no token precedes it on its line.
    pub(super) first_on_line: bool,
}

impl Token<'_> {
    /// Where the token is.
    pub(super) fn loc(&self) -> Loc {
        offset(self.start)
    }

    /// The token as messages show it.
    pub(super) fn describe(&self) -> String {
        match self.tok {
            Tok::End => "the end of the text".to_owned(),
            _ => format!("`{}`", short(self.text)),
        }
    }
}

/// A part of the text as messages show it: as much as fits a line.
pub(super) fn short(text: &str) -> std::borrow::Cow<'_, str> {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => text.into(),
        Some((end, _)) => format!("{}…", &text[..end]).into(),
    }
}

/// The location of a byte.
pub(super) fn offset(byte: usize) -> Loc {
    Loc::new(u32::try_from(byte).unwrap_or(u32::MAX).min(u32::MAX - 1))
}

/// Whether a name needs no quotes.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_name_char)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// The tokens of a text, the last one being [`Tok::End`].
pub(super) fn lex<'s>(source: &'s str, diags: &mut Diags) -> Vec<Token<'s>> {
    let mut lexer = Lexer { source, at: 0, brackets: 0, closed: 0, diags };
    let mut tokens = Vec::new();
    let mut first_on_line = true;
    loop {
        let newline = lexer.skip_space();
        first_on_line |= newline;
        let start = lexer.at;
        let Some(tok) = lexer.token() else { continue };
        let end = tok == Tok::End;
        tokens.push(Token { tok, start, text: &source[start..lexer.at], first_on_line });
        first_on_line = false;
        if end {
            return tokens;
        }
    }
}

/// The name between the quote marks that a text begins with, and the rest of the text.
pub(super) fn quoted(source: &str) -> Option<(String, &str)> {
    let mut diags = Diags::new();
    let mut lexer = Lexer { source, at: 0, brackets: 0, closed: 0, diags: &mut diags };
    lexer.at = source.strip_prefix('"').map(|rest| source.len() - rest.len())?;
    let name = lexer.quoted(0)?;
    let rest = lexer.rest();
    diags.is_empty().then_some((name, rest))
}

struct Lexer<'s, 'd> {
    source: &'s str,
    at: usize,
    /// How many `[` of this line are open.
    brackets: usize,
    /// Where the `]` is that was found last.
    closed: usize,
    diags: &'d mut Diags,
}

impl<'s> Lexer<'s, '_> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the longest run of characters that satisfy `f`.
    fn run(&mut self, f: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let len = rest.find(|c| !f(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Skips space and comments; tells whether a line ended.
    fn skip_space(&mut self) -> bool {
        let mut newline = false;
        loop {
            if self.run(char::is_whitespace).contains('\n') {
                newline = true;
                self.brackets = 0;
            }
            // An array type is closed on its line; what is not is a comment between brackets.
            if self.peek() != Some(';') || (self.brackets > 0 && self.is_closed()) {
                return newline;
            }
            self.run(|c| c != '\n');
        }
    }

    /// Whether a `]` comes on this line. Each part of the text is searched once.
    fn is_closed(&mut self) -> bool {
        if self.at >= self.closed {
            let rest = self.rest();
            let found = rest.find([']', '\n']).filter(|&at| rest[at..].starts_with(']'));
            self.closed = found.map_or(self.closed, |at| self.at + at);
        }
        self.at < self.closed
    }

    /// The next token; `None` after something that was reported and skipped.
    fn token(&mut self) -> Option<Tok<'s>> {
        let start = self.at;
        let Some(c) = self.peek() else { return Some(Tok::End) };
        if c.is_alphabetic() || c == '_' {
            return Some(Tok::Word(self.run(is_name_char)));
        }
        let after_sign = self.rest().strip_prefix('-').unwrap_or_default();
        if c.is_ascii_digit() || after_sign.starts_with(|d: char| d.is_ascii_digit()) || after_sign.starts_with("inf") {
            return Some(self.number());
        }
        self.at += c.len_utf8();
        if let Some(sigil) = Sigil::of(c) {
            return self.name(sigil, start);
        }
        match c {
            '"' => self.quoted(start).map(Tok::Quoted),
            '-' if self.peek() == Some('>') => {
                self.at += 1;
                Some(Tok::Arrow)
            }
            '[' => {
                self.brackets += 1;
                Some(Tok::Punct(c))
            }
            ']' => {
                self.brackets = self.brackets.saturating_sub(1);
                Some(Tok::Punct(c))
            }
            '(' | ')' | '{' | '}' | '<' | '>' | ',' | ':' | ';' | '=' | '*' | '+' | '-' => Some(Tok::Punct(c)),
            _ => {
                self.error(start, format!("unknown character `{}`", c.escape_debug()));
                None
            }
        }
    }

    fn number(&mut self) -> Tok<'s> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some('-'));
        let hex = self.rest().starts_with("0x");
        self.run(is_name_char);
        // The sign of an exponent is the one place where a number has a sign inside.
        let exponent = !hex && self.source[start..self.at].ends_with(['e', 'E']);
        if exponent && self.rest().starts_with(['+', '-']) {
            self.at += 1;
            self.run(is_name_char);
        }
        Tok::Number(&self.source[start..self.at])
    }

    fn name(&mut self, sigil: Sigil, start: usize) -> Option<Tok<'s>> {
        if self.peek() == Some('"') {
            self.at += 1;
            let text = self.quoted(start)?;
            return Some(Tok::Name(sigil, Name { text, number: false }));
        }
        let text = self.run(|c| is_name_char(c) || c == '$');
        let number = sigil == Sigil::Value && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if text.is_empty() {
            self.error(start, format!("`{}` has no name", &self.source[start..self.at]));
            // The parser goes on with a name, which then is merely unknown.
        }
        Some(Tok::Name(sigil, Name { text: text.to_owned(), number }))
    }

    /// The rest of a quoted name, whose opening mark was taken.
    fn quoted(&mut self, start: usize) -> Option<String> {
        let mut text = String::new();
        loop {
            let escape = self.at;
            let c = match self.peek() {
                None | Some('\n') => {
                    self.error(start, "quoted name has no end".to_owned());
                    return None;
                }
                Some(c) => c,
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Some(text),
                '\\' => match self.escape() {
                    Some(c) => text.push(c),
                    None => self.error(escape, "unknown escape in a quoted name".to_owned()),
                },
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let c = self.peek().filter(|&c| c != '\n')?;
        self.at += c.len_utf8();
        match c {
            '"' | '\\' => Some(c),
            'u' => {
                /// The digits of the largest character.
                const MOST: usize = 6;
                let digits = self.rest().strip_prefix('{')?;
                let digits = &digits[..digits.bytes().take(MOST + 1).position(|b| b == b'}')?];
                let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
                self.at += digits.len() + 2;
                Some(c)
            }
            _ => None,
        }
    }

    fn error(&mut self, start: usize, message: String) {
        self.diags.push(Diag::new(Code::V700, offset(start), message));
    }
}
