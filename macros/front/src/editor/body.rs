//! A body of the language as a body of Rust, token by token.
//!
//! It works on tokens and not on syntax, because half-typed code often has no syntax yet. All
//! tokens of the user are kept, and others are added beside them. Only these are rewritten:
//!
//! - `#[shared] let tile: [f32; 8];` becomes a mutable variable with a value, and `#[unroll]`
//!   is removed;
//! - `square(x)` becomes `square::call(x)`, unless `square` is a function of the language or a
//!   variable;
//! - `a.load(Ordering::Acquire)` becomes `a.ordered().load(Ordering::Acquire)`, since Rust's methods cannot
//!   leave out an argument;
//! - `x as T` becomes a function that takes and returns anything, since the language has more
//!   casts.
//!
//! Known to differ from the language: a cast in a constant and `.rev()` after `.step_by()` of
//! an inclusive range are as in Rust; a literal is never an `f16`; what a helper from a
//! registry returns is unknown.

use crate::syntax;
use crate::words::{order, reserved};
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeSet;

/// Words after which parentheses are not arguments, and which do not end an operand.
const KEYWORDS: [&str; 22] = [
    "as", "await", "break", "const", "continue", "dyn", "else", "fn", "for", "if", "impl", "in", "let", "loop",
    "match", "move", "mut", "ref", "return", "unsafe", "where", "while",
];

/// Names of parameters and variables, which may be closures.
type Variables = BTreeSet<String>;

/// A function's body.
pub(super) struct Body<'a> {
    krate: &'a syn::Path,
    parameters: Variables,
}

impl<'a> Body<'a> {
    /// The body of a function that begins with these tokens; or all of it, where they cannot be told apart.
    pub fn of(krate: &'a syn::Path, signature: &TokenStream) -> Self {
        let mut parameters = Variables::new();
        add_typed(signature.clone(), &mut parameters);
        Self { krate, parameters }
    }

    /// A block of the body.
    pub fn block(&self, block: Group) -> TokenTree {
        self.group(block, &self.parameters).into()
    }

    /// The tokens of the body.
    pub fn tokens(&self, tokens: TokenStream) -> TokenStream {
        self.rewritten(tokens, self.parameters.clone())
    }

    fn rewritten(&self, tokens: TokenStream, mut variables: Variables) -> TokenStream {
        let mut out: Vec<TokenTree> = Vec::new();
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut i, mut shared) = (0, false);
        // A variable hides a helper once it has its value.
        let mut declared = Vec::new();
        while let Some(tree) = trees.get(i) {
            i += 1;
            match tree {
                TokenTree::Punct(punct) if punct.as_char() == '#' => match trees.get(i) {
                    Some(TokenTree::Group(attribute)) if attribute.delimiter() == Delimiter::Bracket => {
                        let name = attribute.stream().into_iter().next();
                        shared |= is_word(name.as_ref(), "shared");
                        if !is_word(name.as_ref(), "shared") && !is_word(name.as_ref(), "unroll") {
                            out.extend([tree.clone(), trees[i].clone()]);
                        }
                        i += 1;
                    }
                    _ => out.push(tree.clone()),
                },
                TokenTree::Ident(word) if word == "let" => {
                    if std::mem::take(&mut shared) {
                        i += self.shared(word, &trees[i..], &mut out);
                    } else {
                        out.push(tree.clone());
                    }
                }
                // What is constant stays so, and a `use` has no casts.
                TokenTree::Ident(word)
                    if word == "use" || word == "const" && matches!(trees.get(i), Some(TokenTree::Ident(_))) =>
                {
                    let rest = &trees[i - 1..];
                    let end = rest.iter().position(|tree| is_punct(Some(tree), ';')).unwrap_or(rest.len());
                    out.extend_from_slice(&rest[..end]);
                    i += end - 1;
                }
                TokenTree::Ident(word) if word == "as" => match (operand(&out), ty(&trees[i..])) {
                    (Some(from), len) if len > 0 => {
                        let value: TokenStream = out.drain(from..).collect();
                        let (krate, ty) = (self.krate, trees[i..i + len].iter().cloned().collect::<TokenStream>());
                        let cast = quote!(#krate::__private::editor::cast::<_, #ty>(#value));
                        out.push(Group::new(Delimiter::Parenthesis, cast).into());
                        i += len;
                    }
                    _ => out.push(tree.clone()),
                },
                TokenTree::Ident(name) => {
                    if ["let", "mut"].iter().any(|word| is_word(out.last(), word)) {
                        declared.push(syntax::plain(name));
                    }
                    if is_punct(out.last(), '.') && is_ordered(trees.get(i)) {
                        let ordered = Ident::new("ordered", Span::mixed_site());
                        out.extend(quote!(#ordered().));
                    }
                    let called = is_helper(name, &out, &variables) && is_called(&trees[i..]);
                    out.push(tree.clone());
                    if called {
                        let call = Ident::new("call", Span::mixed_site());
                        out.extend(quote!(::#call));
                    }
                }
                TokenTree::Group(group) => out.push(self.group(group.clone(), &variables).into()),
                TokenTree::Punct(punct) => {
                    if punct.as_char() == ';' {
                        variables.extend(declared.drain(..));
                    }
                    out.push(tree.clone());
                }
                TokenTree::Literal(_) => out.push(tree.clone()),
            }
        }
        out.into_iter().collect()
    }

    /// A declaration of workgroup memory from the token after `let` on; gives how many tokens it has taken.
    fn shared(&self, word: &Ident, rest: &[TokenTree], out: &mut Vec<TokenTree>) -> usize {
        let end = rest.iter().position(|tree| is_punct(Some(tree), ';')).unwrap_or(rest.len());
        out.push(word.clone().into());
        if !is_word(rest.first(), "mut") {
            out.push(Ident::new("mut", Span::mixed_site()).into());
        }
        out.extend_from_slice(&rest[..end]);
        if !rest[..end].iter().any(|tree| is_punct(Some(tree), '=')) {
            let krate = self.krate;
            out.extend(quote!(= #krate::__private::editor::never()));
        }
        end
    }

    fn group(&self, group: Group, variables: &Variables) -> Group {
        let inner = match group.delimiter() {
            Delimiter::Bracket => {
                // A length is a constant.
                let trees: Vec<TokenTree> = group.stream().into_iter().collect();
                let end = trees.iter().position(|tree| is_punct(Some(tree), ';')).unwrap_or(trees.len());
                let element: TokenStream = trees[..end].iter().cloned().collect();
                self.rewritten(element, variables.clone()).into_iter().chain(trees[end..].iter().cloned()).collect()
            }
            _ => self.rewritten(group.stream(), variables.clone()),
        };
        let mut rewritten = Group::new(group.delimiter(), inner);
        rewritten.set_span(group.span());
        rewritten
    }
}

/// Adds the names before a colon, which in a signature are those of parameters.
fn add_typed(tokens: TokenStream, variables: &mut Variables) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(name) if is_punct(trees.get(i + 1), ':') && !is_punct(trees.get(i + 2), ':') => {
                variables.insert(syntax::plain(name));
            }
            TokenTree::Group(group) => add_typed(group.stream(), variables),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether a name that is called after these tokens is that of a helper.
fn is_helper(name: &Ident, before: &[TokenTree], variables: &Variables) -> bool {
    let text = syntax::plain(name);
    if is_keyword(name) || text.starts_with(char::is_uppercase) {
        return false;
    }
    match before {
        [.., owner, first, last] if is_punct(Some(first), ':') && is_punct(Some(last), ':') => match owner {
            TokenTree::Ident(owner) => {
                let owner = syntax::plain(owner);
                !owner.starts_with(char::is_uppercase) && !reserved::is_known_type(&owner)
            }
            _ => !is_punct(Some(owner), '>'),
        },
        [first, last] if is_punct(Some(first), ':') && is_punct(Some(last), ':') => true,
        [.., last] if is_word(Some(last), "fn") => false,
        // A method, unless the point is the second one of a range.
        [.., last] if is_punct(Some(last), '.') && !is_range(before) => false,
        _ => !reserved::is_known_function(&text) && !variables.contains(&text),
    }
}

fn is_punct(tree: Option<&TokenTree>, char: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}

fn is_word(tree: Option<&TokenTree>, word: &str) -> bool {
    matches!(tree, Some(TokenTree::Ident(ident)) if ident == word)
}

/// Whether these are arguments that end in an order of atomics.
fn is_ordered(arguments: Option<&TokenTree>) -> bool {
    let Some(TokenTree::Group(group)) = arguments else { return false };
    let last = group.stream().into_iter().filter(|tree| !is_punct(Some(tree), ',')).last();
    let is_order = matches!(&last, Some(TokenTree::Ident(name)) if order::is_order_name(&name.to_string()));
    group.delimiter() == Delimiter::Parenthesis && is_order
}

/// Whether arguments follow a name, perhaps after a turbofish.
fn is_called(after: &[TokenTree]) -> bool {
    let arguments = |tree: Option<&TokenTree>| matches!(tree, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    match after {
        [first, second, third, ..]
            if [(first, ':'), (second, ':'), (third, '<')].iter().all(|(t, c)| is_punct(Some(t), *c)) =>
        {
            let end = angles(&after[2..]);
            end > 0 && arguments(after.get(2 + end))
        }
        _ => arguments(after.first()),
    }
}

/// The number of tokens from a `<` to its `>`; 0 if there is no such pair.
fn angles(trees: &[TokenTree]) -> usize {
    let mut depth = 0usize;
    for (i, tree) in trees.iter().enumerate() {
        let arrow = i.checked_sub(1).is_some_and(|i| is_punct(Some(&trees[i]), '-'));
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' && !arrow => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
    }
    0
}

/// How many tokens at the beginning are a type; 0 if none are.
fn ty(trees: &[TokenTree]) -> usize {
    match trees.first() {
        Some(TokenTree::Group(group)) if group.delimiter() != Delimiter::Brace => return 1,
        Some(TokenTree::Ident(_)) => {}
        Some(tree) if is_punct(Some(tree), ':') => {}
        _ => return 0,
    }
    let mut i = 0;
    loop {
        if is_punct(trees.get(i), ':') && is_punct(trees.get(i + 1), ':') {
            i += 2;
        }
        let Some(TokenTree::Ident(name)) = trees.get(i) else { return i };
        i += 1;
        // What is written small has no parameters: it is compared.
        if is_punct(trees.get(i), '<') && name.to_string().starts_with(char::is_uppercase) {
            return i + angles(&trees[i..]);
        }
        if !(is_punct(trees.get(i), ':') && is_punct(trees.get(i + 1), ':')) {
            return i;
        }
    }
}

/// Where the operand begins that ends with these tokens, if it can be told.
fn operand(before: &[TokenTree]) -> Option<usize> {
    let mut from = before.len();
    loop {
        match before.get(from.checked_sub(1)?)? {
            TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
                from -= 1;
                if ends_operand(&before[..from]) {
                    continue;
                }
                // The arguments of a macro.
                if let [.., TokenTree::Ident(name), bang] = &before[..from]
                    && is_punct(Some(bang), '!')
                    && !is_keyword(name)
                {
                    from = start_of_name(before, from - 2)?;
                    break;
                }
                // A turbofish: the name before it was called.
                match turbofish(&before[..from]) {
                    Some(at) => {
                        from = at;
                        continue;
                    }
                    None => break,
                }
            }
            TokenTree::Ident(word) if !is_keyword(word) => from = start_of_name(before, from - 1)?,
            TokenTree::Literal(_) => from = start_of_name(before, from - 1)?,
            _ => return None,
        }
        let goes_on = is_punct(from.checked_sub(1).and_then(|i| before.get(i)), '.') && !is_range(&before[..from]);
        if goes_on { from -= 1 } else { break }
    }
    while let Some(at) = from.checked_sub(1) {
        let prefix = ['-', '!', '*', '&'].iter().any(|op| is_punct(before.get(at), *op));
        // `&&` is an operator, if it follows an operand.
        let both = matches!(&before[..=at], [.., TokenTree::Punct(first), TokenTree::Punct(second)]
            if (first.as_char(), second.as_char(), first.spacing()) == ('&', '&', Spacing::Joint));
        if !prefix || ends_operand(&before[..at - usize::from(both)]) {
            break;
        }
        from = at;
    }
    Some(from)
}

fn is_keyword(word: &Ident) -> bool {
    KEYWORDS.iter().any(|keyword| word == keyword)
}

/// Whether an operand ends here, so that what follows is an operator, arguments or an index.
fn ends_operand(before: &[TokenTree]) -> bool {
    match before.last() {
        Some(TokenTree::Ident(word)) => !is_keyword(word),
        Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::Brace,
        Some(TokenTree::Literal(_)) => true,
        Some(TokenTree::Punct(_)) | None => false,
    }
}

/// Whether the last `.` is one of a range.
fn is_range(before: &[TokenTree]) -> bool {
    matches!(before, [.., first, last] if is_punct(Some(first), '.') && is_punct(Some(last), '.'))
}

/// Where a path begins whose last name stands at `at`.
fn start_of_name(before: &[TokenTree], at: usize) -> Option<usize> {
    let mut from = at;
    while from >= 2 && is_punct(before.get(from - 1), ':') && is_punct(before.get(from - 2), ':') {
        from -= 2;
        match from.checked_sub(1).and_then(|i| before.get(i)) {
            Some(TokenTree::Ident(word)) if !is_keyword(word) => from -= 1,
            // A type with parameters before its function.
            Some(tree) if is_punct(Some(tree), '>') => return None,
            _ => {}
        }
    }
    Some(from)
}

/// Where `::<…>` begins that ends these tokens.
fn turbofish(before: &[TokenTree]) -> Option<usize> {
    let last = before.len().checked_sub(1)?;
    if !is_punct(before.get(last), '>') {
        return None;
    }
    let from = (2..last).rev().find(|&i| is_punct(before.get(i), '<') && angles(&before[i..]) == before.len() - i)?;
    (is_punct(before.get(from - 1), ':') && is_punct(before.get(from - 2), ':')).then_some(from - 2)
}
