//! Tokens as a person would have written them, for messages and documentation.
//!
//! Tokens have lost their spaces. Operators of several characters stay together, and an
//! operator between two operands gets a space on either side. Only `<` and `>` are ambiguous:
//! they are brackets in types and signatures, and comparisons in `requires`.

use proc_macro2::{Delimiter, Ident, Punct, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// Operators of several characters, the longer ones first where one begins another.
const JOINED: [&str; 13] = ["..=", "...", "..", "::", ">=", "<=", "==", "!=", "->", "=>", "&&", "||", "|="];

/// Keywords after which a bracket begins something new, and is neither a call nor an index.
const APART: [&str; 9] = ["mut", "const", "dyn", "impl", "where", "for", "as", "in", "return"];

/// A type, a signature or a path.
pub fn spelled(tokens: impl ToTokens) -> String {
    Speller::new(false).all(tokens.to_token_stream())
}

/// An expression.
pub fn expression(tokens: impl ToTokens) -> String {
    Speller::new(true).all(tokens.to_token_stream())
}

/// An argument of an attribute.
pub fn argument(meta: &syn::Meta) -> String {
    Speller::new(meta.path().is_ident("requires")).all(meta.to_token_stream())
}

/// Keywords that an operand follows, so that a `!` behind them negates; behind another name it calls a macro.
const BEFORE_OPERANDS: [&str; 6] = ["if", "while", "match", "break", "else", "move"];

/// What the last token was, as far as the next one asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nothing, an opening bracket or an operator: what follows is an operand.
    Operator,
    /// A name or a literal.
    Word,
    /// One of [`APART`].
    Keyword,
    /// A closing bracket.
    Closed,
}

struct Speller {
    out: String,
    last: Last,
    /// Whether `<` and `>` compare.
    compares: bool,
}

impl Speller {
    fn new(compares: bool) -> Self {
        Self { out: String::new(), last: Last::Operator, compares }
    }

    fn all(mut self, tokens: TokenStream) -> String {
        self.tokens(tokens);
        self.out.trim_end().to_owned()
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let mut puncts: Vec<Punct> = Vec::new();
        for tree in tokens {
            if let TokenTree::Punct(punct) = tree {
                let alone = punct.spacing() == Spacing::Alone;
                puncts.push(punct);
                if alone {
                    self.puncts(&mut puncts);
                }
                continue;
            }
            self.puncts(&mut puncts);
            match tree {
                TokenTree::Group(group) => self.group(group.delimiter(), group.stream()),
                TokenTree::Ident(ident) => self.ident(&ident),
                TokenTree::Literal(literal) => self.word(&literal.to_string(), Last::Word),
                TokenTree::Punct(_) => {}
            }
        }
        self.puncts(&mut puncts);
    }

    fn ident(&mut self, ident: &Ident) {
        let word = ident.to_string();
        let last = if APART.contains(&&*word) { Last::Keyword } else { Last::Word };
        self.word(&word, last);
    }

    fn word(&mut self, word: &str, last: Last) {
        if self.last != Last::Operator {
            self.out.push(' ');
        }
        self.out.push_str(word);
        self.last = last;
    }

    fn group(&mut self, delimiter: Delimiter, inner: TokenStream) {
        let (open, close) = match delimiter {
            // What a macro passed as one: its operators know their operands.
            Delimiter::None => return self.tokens(inner),
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::Brace if inner.is_empty() => ("{", "}"),
            Delimiter::Brace => ("{ ", " }"),
        };
        let braces_follow = delimiter == Delimiter::Brace && self.last != Last::Operator;
        if self.last == Last::Keyword || braces_follow {
            self.out.push(' ');
        }
        self.out.push_str(open);
        self.last = Last::Operator;
        self.tokens(inner);
        self.out.push_str(close);
        self.last = Last::Closed;
    }

    /// Writes punctuation without spaces between its characters.
    fn puncts(&mut self, puncts: &mut Vec<Punct>) {
        let run: String = puncts.drain(..).map(|punct| punct.as_char()).collect();
        let mut rest = &*run;
        while let Some(first) = rest.chars().next() {
            let joined = JOINED.into_iter().find(|joined| rest.starts_with(joined));
            let (operator, after) = rest.split_at(joined.map_or(first.len_utf8(), str::len));
            self.operator(operator);
            rest = after;
        }
    }

    /// Whether the text ends with this word.
    fn ends_with(&self, word: &str) -> bool {
        let before = self.out.strip_suffix(word);
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    }

    fn operator(&mut self, operator: &str) {
        let after_operand = self.last != Last::Operator;
        let after_name = self.last == Last::Word && !BEFORE_OPERANDS.iter().any(|word| self.ends_with(word));
        self.last = Last::Operator;
        match operator {
            "," | ";" | ":" => {
                self.out.push_str(operator);
                self.out.push(' ');
            }
            "<" if !self.compares => self.out.push('<'),
            ">" if !self.compares => {
                self.out.push('>');
                self.last = Last::Closed;
            }
            "::" | "." | ".." | "..=" | "..." | "?" => self.out.push_str(operator),
            "!" if after_name => self.out.push('!'),
            // `&mut x` or `dyn 'a`: a prefix stands apart from a word alone.
            "'" | "#" | "$" | "!" => {
                if after_operand {
                    self.out.push(' ');
                }
                self.out.push_str(operator);
            }
            _ if after_operand => self.out.push_str(&format!(" {operator} ")),
            _ => self.out.push_str(operator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_written_as_rustfmt_does() {
        for text in [
            "fn lerp<T: Float>(a: T, b: T, t: T) -> T",
            "fn refract(direction: Vec3<f32>, ratio: f32) -> (Vec3<f32>, bool)",
            "fn fold<const N: usize>(&mut self, a: &[u32; N], f: impl Fn(u32, u32) -> u32) -> u32",
            "fn bounds(at: math::Quat, low: (f32, f32), count: &Atomic<u32>)",
            "fn keep<'a>(tile: &'a mut [u32; 64]) -> &'a mut [u32; 64]",
        ] {
            assert_eq!(spelled(syn::parse_str::<syn::Signature>(text).expect("a signature")), text);
        }
    }

    #[test]
    fn types_are_written_as_rustfmt_does() {
        for text in [
            "Vec<Vec<u32>>",
            "&mut [[f32; N]; 20]",
            "impl Fn(u32) -> u32",
            "dyn Iterator<Item = u32> + Send",
            "&'a str",
            "[u32; 2 * N + 1]",
            "<T as Trait>::Output",
        ] {
            assert_eq!(spelled(syn::parse_str::<syn::Type>(text).expect("a type")), text);
        }
    }

    #[test]
    fn macros_are_told_from_negations() {
        for text in ["matches!(x, 1)", "!a && !(b)", "if !(a) { b }", "a != b", "f(!x)"] {
            assert_eq!(expression(syn::parse_str::<syn::Expr>(text).expect("an expression")), text);
        }
    }

    #[test]
    fn arguments_keep_operators_whole() {
        for (written, expected) in [
            ("requires(x.len()>=N,n==4,-3<=n,2*n-1<n+n)", "requires(x.len() >= N, n == 4, -3 <= n, 2 * n - 1 < n + n)"),
            ("requires(n>=-3, (n + m) * 2 > m::K)", "requires(n >= -3, (n + m) * 2 > m::K)"),
            ("instances(T=[Vec3<f32>,u32],N=[4,8])", "instances(T = [Vec3<f32>, u32], N = [4, 8])"),
            ("workgroup_size(8,8)", "workgroup_size(8, 8)"),
            ("crate=::some::path", "crate = ::some::path"),
            ("fast_math", "fast_math"),
        ] {
            assert_eq!(argument(&syn::parse_str(written).expect("an argument")), expected);
        }
    }
}
