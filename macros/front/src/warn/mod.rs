//! Warnings about bodies, which rustc gives.
//!
//! rustc never sees the body of a kernel or helper, and a macro on stable Rust cannot warn. So the expansion
//! holds, for each fault of which rustc has a lint, a function that nobody calls with a small statement that has
//! just this fault, on the user's own tokens. rustc then warns in its own words, where the user looks, and
//! obeys the lints' attributes: those around the place are repeated on the function.
//!
//! - Which statement it is, is decided here, by a walk (`walk.rs`) through the item as it is written: once for a helper,
//!   however often it is called, and for all instances of a generic one. The body itself is never shown to rustc,
//!   which would find other faults in it, since the language is not quite Rust.
//! - A statement can have no other fault: it holds numbers instead of the user's values.
//! - A false warning is worse than one that is missed. What the walk does not understand counts as used.
//! - A body without faults costs the walk and no tokens.

mod live;
mod notes;
#[cfg(test)]
mod tests;
mod walk;

use crate::link::Linked;
use crate::link::facts::Fact;
use crate::link::traits::functions_of;
use crate::names::NoNames;
use crate::types::integer::evaluate;
use notes::{Next, Notes, Site, SiteKind, Spot, SpotKind, Variable};
use proc_macro2::{Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::types::Scalar;
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// The warnings about a function. `args` are an attribute's arguments, which may name parameters, and `attrs` the
/// attributes of the item.
pub fn warnings(
    (sig, block): (&syn::Signature, &syn::Block),
    args: &TokenStream,
    attrs: &[syn::Attribute],
    linked: &Linked,
) -> TokenStream {
    let attrs: Vec<&syn::Attribute> = attrs.iter().collect();
    let mut notes = walk::walk(sig, block, attrs.clone(), &changing(linked));
    for variable in &mut notes.variables {
        variable.used |= occurrences(args.clone(), &variable.ident.unraw().to_string()) > 0;
    }
    let mut found = Faults { items: TokenStream::new(), lints: Vec::new() };
    found.variables(&notes);
    for spot in &notes.spots {
        found.spot(spot, sig, block);
    }
    found.unmet(&attrs);
    let items = found.items;
    if items.is_empty() {
        return items;
    }
    quote! {
        #[doc = " Faults of the body, of which rustc warns."]
        #[allow(unexpected_cfgs, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = { #items };
    }
}

/// The methods that change what they are called on.
fn changing(linked: &Linked) -> BTreeSet<String> {
    let methods = linked.facts().iter().flat_map(Fact::methods).map(|item| &item.sig);
    let of_traits = linked.facts().iter().filter_map(Fact::of_trait).flat_map(functions_of).map(|item| &item.sig);
    let changes = |sig: &syn::Signature| {
        let own = sig.receiver().filter(|own| own.reference.is_some() && own.mutability.is_some());
        own.map(|_| sig.ident.unraw().to_string())
    };
    methods.chain(of_traits).filter_map(changes).collect()
}

/// Whether an operator assigns to its left side.
fn mutates(op: &syn::BinOp) -> bool {
    use syn::BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign, ShlAssign, ShrAssign,
        SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// How often a name stands in tokens.
fn occurrences(tokens: TokenStream, name: &str) -> usize {
    let of = |token| match token {
        TokenTree::Ident(ident) => usize::from(ident.unraw() == *name),
        TokenTree::Group(group) => occurrences(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => 0,
    };
    tokens.into_iter().map(of).sum()
}

/// The functions that have the faults.
struct Faults {
    items: TokenStream,
    /// The lints that each of them meets.
    lints: Vec<Vec<&'static str>>,
}

impl Faults {
    /// Adds a function with these statements, of which some lints warn.
    fn function(&mut self, lints: &[&'static str], attrs: &[&syn::Attribute], statements: &TokenStream) {
        let attrs = steering(lints, attrs);
        let name = Ident::new(&format!("_{}", self.lints.len()), Span::mixed_site());
        self.lints.push(lints.to_vec());
        self.items.extend(quote! { #[cfg(not(rust_analyzer))] #attrs fn #name() { #statements } });
    }

    /// Adds functions without a fault for what the item expects and does not have.
    fn unmet(&mut self, attrs: &[&syn::Attribute]) {
        for lint in LINTS {
            let expected = attrs.iter().filter(|attr| attr.path().is_ident("expect"));
            let mut expected = expected.filter(|attr| occurrences(attr.to_token_stream(), lint) > 0);
            if let Some(first) = expected.next()
                && !self.lints.iter().flatten().any(|met| *met == lint)
            {
                self.function(&[lint], &[first], &TokenStream::new());
            }
        }
    }

    fn variables(&mut self, notes: &Notes<'_>) {
        for (i, variable) in notes.variables.iter().enumerate() {
            let sites = || notes.sites.iter().filter(|site| site.variable == i);
            let changes = || sites().filter(|site| !matches!(site.kind, SiteKind::First(_) | SiteKind::Bound));
            // A variable without a first value may have one on one way only.
            let is_first = |site: &Site<'_>| matches!(site.kind, SiteKind::First(_) | SiteKind::Bound);
            if changes().next().is_some() && (variable.mutability.is_none() || !sites().any(is_first)) {
                continue;
            }
            let Some(name) = shown(variable.ident) else { continue };
            let Variable { mutability, .. } = variable;
            if !variable.used {
                if name.to_string().starts_with('_') {
                    continue;
                }
                let changes: TokenStream = changes().filter_map(|site| change(&name, site)).collect();
                let mut lints = vec!["unused_variables"];
                if !changes.is_empty() {
                    lints.push("unused_assignments");
                } else if mutability.is_some() {
                    lints.push("unused_mut");
                }
                let first = match variable.shorthand {
                    true => quote! {
                        struct _Fields { #name: i8 }
                        let _Fields { #mutability #name } = _Fields { #name: 1i8 };
                    },
                    false => quote!(let #mutability #name = 1i8;),
                };
                self.function(&lints, &variable.attrs, &quote!(#first #changes));
                continue;
            }
            if mutability.is_some() && !variable.mutated {
                self.function(
                    &["unused_mut"],
                    &variable.attrs,
                    &quote!(let #mutability #name = 1i8; let _ = (#name,);),
                );
            }
            if name.to_string().starts_with('_') || changes().next().is_none() {
                continue;
            }
            for site in sites().filter(|site| !site.read) {
                let statements = match &site.kind {
                    SiteKind::First(value) => {
                        let value = number(value);
                        quote!(let mut #name = #value; #name = 1i8; let _ = (#name,);)
                    }
                    _ => match change(&name, site) {
                        Some(change) => quote!(let mut #name = 1i8; let _ = (#name,); #change),
                        None => continue,
                    },
                };
                self.function(&["unused_assignments"], &site.attrs, &statements);
            }
        }
    }

    fn spot(&mut self, Spot { kind, attrs }: &Spot<'_>, sig: &syn::Signature, block: &syn::Block) {
        match kind {
            SpotKind::Label(label) => {
                if let Some(name) = shown(&label.ident).filter(|name| !name.to_string().starts_with('_')) {
                    let label = syn::Lifetime { apostrophe: label.apostrophe, ident: name };
                    self.function(&["unused_labels"], attrs, &quote!(#label: {}));
                }
            }
            SpotKind::Constant(ident) => {
                let tokens = quote!(#sig #block);
                if occurrences(tokens, &ident.unraw().to_string()) == 1
                    && let Some(name) = shown(ident).filter(|name| !name.to_string().starts_with('_'))
                {
                    let attrs = steering(&["dead_code"], attrs);
                    // rustc takes the context of the whole item.
                    let constant = quote_spanned!(name.span()=> const #name: i8 = 1i8;);
                    self.items.extend(quote! { #[cfg(not(rust_analyzer))] #attrs #constant });
                }
            }
            SpotKind::Unreachable { ends, next } => {
                let Some((jump, in_loop)) = jump(ends) else { return };
                let next = match next {
                    Next::Statement(stmt) => {
                        let (first, last) = ends_of(stmt);
                        let (keyword, value, semi) = (Ident::new("let", first), literal(last), spanned(';', last));
                        quote!(#jump #keyword _ = #value #semi)
                    }
                    Next::Value(value) => {
                        let value = number(value);
                        quote!(let _: i8 = { #jump #value };)
                    }
                };
                let statements = if in_loop { quote!(loop { #next }) } else { next };
                self.function(&["unreachable_code"], attrs, &statements);
            }
            SpotKind::Path(ident, semi) => {
                if let Some(name) = shown(ident) {
                    self.function(&["path_statements"], attrs, &quote!(let #name = 1i8; #name #semi));
                }
            }
            // Of these a crate warns that wants none; that nothing in it is unsafe is not true.
            SpotKind::Unsafe { token, accesses } => {
                let block = group(proc_macro2::Delimiter::Brace, TokenStream::new(), token.span);
                if !accesses {
                    self.function(&["unused_unsafe"], attrs, &quote!(#[allow(unsafe_code)] #token #block));
                }
                self.function(&["unsafe_code"], attrs, &quote!(#[allow(unused_unsafe)] #token #block));
            }
            SpotKind::Compared(binary, ty) => {
                let Some((left, right)) = useless(binary, ty) else { return };
                let (op, ty) = (&binary.op, Ident::new(&ty.to_string(), Span::call_site()));
                let statements = quote!(const _VALUE: #ty = 1; let _ = #left #op #right;);
                self.function(&["unused_comparisons"], attrs, &statements);
            }
            SpotKind::Unused(expr) => {
                let statement = match expr {
                    syn::Expr::Binary(binary) => {
                        let ((first, _), (_, last)) = (ends_of(&binary.left), ends_of(&binary.right));
                        let op = &binary.op;
                        match op {
                            syn::BinOp::And(_) | syn::BinOp::Or(_) => {
                                let (left, right) = (Ident::new("true", first), Ident::new("true", last));
                                quote!(#left #op #right;)
                            }
                            _ => {
                                let (left, right) = (literal(first), literal(last));
                                quote!(#left #op #right;)
                            }
                        }
                    }
                    syn::Expr::Unary(unary) => {
                        let (op, value) = (&unary.op, literal(ends_of(&unary.expr).1));
                        quote!(#op #value;)
                    }
                    _ => return,
                };
                self.function(&["unused_must_use"], attrs, &statement);
            }
        }
    }
}

/// The lints about bodies.
const LINTS: [&str; 10] = [
    "unused_variables",
    "unused_assignments",
    "unused_mut",
    "unused_labels",
    "unreachable_code",
    "unused_comparisons",
    "unused_must_use",
    "path_statements",
    "unused_unsafe",
    "unsafe_code",
];

/// Those of them that are not in rustc's group `unused`.
const APART: [&str; 2] = ["unused_comparisons", "unsafe_code"];

/// An attribute of a function as what stands for it in the program has it: what it expects of the body
/// is met elsewhere, by [`warnings`].
pub fn outside(attr: &syn::Attribute) -> Option<syn::Attribute> {
    let mut attr = attr.clone();
    let syn::Meta::List(list) = &mut attr.meta else { return Some(attr) };
    if list.path.is_ident("expect") {
        let parser = Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
        let Ok(lints) = list.parse_args_with(parser) else { return Some(attr) };
        let of_body = |meta: &syn::Meta| LINTS.iter().chain(&["unused"]).any(|lint| meta.path().is_ident(lint));
        if lints.iter().any(of_body) {
            let others: Vec<&syn::Meta> = lints.iter().filter(|meta| !of_body(meta)).collect();
            if others.iter().all(|meta| meta.path().is_ident("reason")) {
                return None;
            }
            list.tokens = quote!(#(#others),*);
        }
    }
    Some(attr)
}

/// The attributes that steer these lints, for a function that has just their faults.
fn steering(lints: &[&str], attrs: &[&syn::Attribute]) -> TokenStream {
    let mut out = TokenStream::new();
    for attr in attrs {
        let path = attr.path();
        if path.is_ident("expect") {
            // Of several lints only those that warn here are expected here.
            let syn::Meta::List(list) = &attr.meta else { continue };
            let names = |lint| occurrences(list.tokens.clone(), lint) > 0;
            let at = list.path.span();
            let expected = lints.iter().filter(|lint| names(lint) || names("unused") && !APART.contains(lint));
            let expected: Vec<Ident> = expected.map(|lint| Ident::new(lint, at)).collect();
            if !expected.is_empty() {
                out.extend(quote!(#[expect(#(#expected),*)]));
            }
        } else if ["cfg", "allow", "warn", "deny", "forbid"].iter().any(|name| path.is_ident(name)) {
            attr.to_tokens(&mut out);
        }
    }
    out
}

/// A variable's name as the user wrote it: one that a macro brought may have got a number behind its letters
/// ([`hygiene`](crate::hygiene)).
fn shown(ident: &Ident) -> Option<Ident> {
    let name = ident.to_string();
    let written = ident.span().source_text();
    let written = written.as_deref().map(|text| text.trim_start_matches('\'')).filter(|text| {
        let number = name.strip_prefix(text).and_then(|rest| rest.strip_prefix('_'));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let Some(written) = written else { return Some(ident.clone()) };
    let mut name = syn::parse_str::<Ident>(written).ok()?;
    name.set_span(ident.span());
    Some(name)
}

/// The spans of the first and the last token of something.
fn ends_of(tokens: &impl ToTokens) -> (Span, Span) {
    let mut tokens = tokens.to_token_stream().into_iter();
    let Some(first) = tokens.next() else { return (Span::call_site(), Span::call_site()) };
    let open = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    };
    let last = tokens.last();
    let close = match last.as_ref().unwrap_or(&first) {
        TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    };
    (open(&first), close)
}

fn spanned(sign: char, span: Span) -> Punct {
    let mut punct = Punct::new(sign, Spacing::Alone);
    punct.set_span(span);
    punct
}

fn literal(span: Span) -> Literal {
    let mut literal = Literal::i8_suffixed(1);
    literal.set_span(span);
    literal
}

/// A number in the place of an expression, from its first to its last token.
fn number(expr: &syn::Expr) -> TokenStream {
    let tokens = expr.to_token_stream();
    let mut trees = tokens.clone().into_iter();
    if let (Some(one), None) = (trees.next(), trees.next())
        && !matches!(one, TokenTree::Group(_))
    {
        return literal(one.span()).to_token_stream();
    }
    let (first, last) = ends_of(&tokens);
    let (star, and, literal) = (spanned('*', first), spanned('&', first), literal(last));
    quote!(#star #and #literal)
}

/// The sides of a comparison that is always true or always false, with a constant in the place of
/// the one that is not a literal.
fn useless(binary: &syn::ExprBinary, ty: &Ident) -> Option<(TokenStream, TokenStream)> {
    let constant = |at: Span| Ident::new("_VALUE", at).to_token_stream();
    let flipped = notes::is_literal(&binary.left);
    let (literal, other) = if flipped { (&binary.left, &binary.right) } else { (&binary.right, &binary.left) };
    let value = evaluate(literal, &NoNames)?.value;
    let (least, greatest) = match ty.to_string().as_str() {
        // How much it holds depends on who asks.
        "usize" => (0, i128::MAX),
        name => Scalar::from_name(name)?.limits(),
    };
    let below = matches!(binary.op, syn::BinOp::Lt(_) | syn::BinOp::Ge(_));
    let above = matches!(binary.op, syn::BinOp::Gt(_) | syn::BinOp::Le(_));
    let (below, above) = if flipped { (above, below) } else { (below, above) };
    let (first, last) = ends_of(other);
    let useless = below && value == least || above && value == greatest;
    useless.then(|| match flipped {
        true => (literal.to_token_stream(), constant(last)),
        false => (constant(first), literal.to_token_stream()),
    })
}

/// An assignment to a variable, from its first to its last token.
fn change(name: &Ident, site: &Site<'_>) -> Option<TokenStream> {
    let of = |left: &syn::Expr, sign: TokenStream, right: &syn::Expr| {
        let mut name = name.clone();
        name.set_span(ends_of(left).0);
        let value = number(right);
        quote!(#name #sign #value;)
    };
    match &site.kind {
        SiteKind::Assign(assign) => Some(of(&assign.left, assign.eq_token.to_token_stream(), &assign.right)),
        SiteKind::Change(binary) => Some(of(&binary.left, binary.op.to_token_stream(), &binary.right)),
        SiteKind::First(_) | SiteKind::Bound | SiteKind::Part => None,
    }
}

/// A statement that is never left like this expression, and whether it has to stand in a loop.
fn jump(ends: &syn::Expr) -> Option<(TokenStream, bool)> {
    let (first, last) = ends_of(ends);
    match ends {
        syn::Expr::Return(return_) => {
            let keyword = &return_.return_token;
            let unit =
                return_.expr.as_ref().map(|_| group(proc_macro2::Delimiter::Parenthesis, TokenStream::new(), last));
            Some((quote!(#keyword #unit;), false))
        }
        // It does not matter to which loop it leads.
        syn::Expr::Break(break_) if break_.label.is_none() && break_.expr.is_none() => {
            let keyword = &break_.break_token;
            Some((quote!(#keyword;), true))
        }
        syn::Expr::Continue(continue_) if continue_.label.is_none() => {
            let keyword = &continue_.continue_token;
            Some((quote!(#keyword;), true))
        }
        syn::Expr::Loop(loop_) => {
            let keyword = &loop_.loop_token;
            let body = group(proc_macro2::Delimiter::Brace, TokenStream::new(), last);
            Some((quote!(#keyword #body), false))
        }
        syn::Expr::If(_) | syn::Expr::Match(_) | syn::Expr::Block(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => {
            let keyword = quote_spanned!(first=> return);
            Some((quote!(#keyword;), false))
        }
        _ => None,
    }
}

fn group(delimiter: proc_macro2::Delimiter, inner: TokenStream, span: Span) -> Group {
    let mut group = Group::new(delimiter, inner);
    group.set_span(span);
    group
}
