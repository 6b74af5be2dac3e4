//! Attributes inside of items: where each may be used.
//!
//! A `cfg` that is still there is true ([`configure`](crate::configure)). Attributes of lints
//! steer what rustc warns of in a body ([`warn`](crate::warn)). Any other attribute that the
//! language does not have is an error wherever it is.

use crate::report::{Refused, Reporter};
use crate::syntax::{self, ON_TYPE};
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use syn::visit::{self, Visit};

/// Attributes that steer lints, and the one that was looked at before.
const NEUTRAL: [&str; 6] = ["allow", "warn", "deny", "forbid", "expect", "cfg"];

/// Reports the attributes in a function that mean nothing where they stand. Those of the function
/// itself are looked at elsewhere.
pub fn inside<'a>(sig: &'a syn::Signature, block: &'a syn::Block, reporter: &mut Reporter<'a>) {
    let mut found = Found { reporter, depth: 0 };
    found.visit_signature(sig);
    found.visit_block(block);
}

/// Like [`inside`], in the value of a constant.
pub fn in_value<'a>(expr: &'a syn::Expr, reporter: &mut Reporter<'a>) {
    Found { reporter, depth: 0 }.visit_expr(expr);
}

/// Reports the attributes of a whole item, a `kernel` or a `helper`, that mean nothing on it: all but those
/// that the type which stands for it can have, and those that are `allowed` as well.
pub fn of_item<'a>(attrs: &'a [syn::Attribute], what: &str, allowed: &[&str], reporter: &mut Reporter<'a>) {
    let means = |attr: &syn::Attribute| ON_TYPE.iter().chain(allowed).any(|name| attr.path().is_ident(name));
    for attr in attrs.iter().filter(|attr| !means(attr)) {
        let name = attr.path().to_token_stream().to_string().replace(' ', "");
        let message = format!("the attribute `{name}` has no effect on a {what}");
        reporter.refuse(attr, Refused::new(Code::V102, message).help("remove it"));
    }
}

/// How deep expressions are looked into; what nests deeper is refused elsewhere.
const MAX_DEPTH: usize = 72;

struct Found<'a, 's> {
    reporter: &'s mut Reporter<'a>,
    depth: usize,
}

impl<'a> Found<'a, '_> {
    fn refuse(&mut self, attr: &'a syn::Attribute) {
        let loc = self.reporter.spans.add(attr);
        let diag = if is_unroll(attr) {
            Diag::new(Code::V100, loc, "`#[unroll]` belongs on a `for`, `while` or `loop`")
        } else if is_shared(attr) {
            Diag::new(Code::V100, loc, "`#[shared]` belongs on a `let`")
                .help("write `#[shared] let name: [T; N];` for workgroup memory")
        } else if attr.path().is_ident("doc") {
            Diag::new(Code::V100, loc, "a documentation comment is not allowed here").help("write `//`")
        } else {
            Diag::new(Code::V100, loc, "this attribute cannot be used in a kernel")
        };
        self.reporter.report(diag);
    }

    fn only(&mut self, attrs: &'a [syn::Attribute], means: impl Fn(&syn::Attribute) -> bool) {
        attrs.iter().filter(|attr| !(is_neutral(attr) || means(attr))).for_each(|attr| self.refuse(attr));
    }
}

impl<'a> Visit<'a> for Found<'a, '_> {
    // What no method below lets pass.
    fn visit_attribute(&mut self, attr: &'a syn::Attribute) {
        if !is_neutral(attr) && !attr.path().is_ident("doc") {
            self.refuse(attr);
        }
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        self.only(&local.attrs, |attr| attr.path().is_ident("doc") || is_shared(attr));
        self.visit_pat(&local.pat);
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
    }

    fn visit_expr(&mut self, expr: &'a syn::Expr) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match expr {
            syn::Expr::Loop(syn::ExprLoop { attrs, body, .. }) => {
                self.of_loop(attrs);
                self.visit_block(body);
            }
            syn::Expr::While(syn::ExprWhile { attrs, cond, body, .. }) => {
                self.of_loop(attrs);
                self.visit_expr(cond);
                self.visit_block(body);
            }
            syn::Expr::ForLoop(syn::ExprForLoop { attrs, pat, expr, body, .. }) => {
                self.of_loop(attrs);
                self.visit_pat(pat);
                self.visit_expr(expr);
                self.visit_block(body);
            }
            // A chain does not nest.
            syn::Expr::If(if_) => {
                let (links, otherwise) = syntax::chain(if_);
                links.iter().flat_map(|link| &link.attrs).for_each(|attr| self.visit_attribute(attr));
                for link in links {
                    self.visit_expr(&link.cond);
                    self.visit_block(&link.then_branch);
                }
                otherwise.into_iter().for_each(|otherwise| self.visit_expr(otherwise));
            }
            _ => visit::visit_expr(self, expr),
        }
        self.depth -= 1;
    }

    fn visit_fn_arg(&mut self, arg: &'a syn::FnArg) {
        match arg {
            syn::FnArg::Receiver(own) => self.only(&own.attrs, |_| false),
            syn::FnArg::Typed(typed) => {
                self.only(&typed.attrs, |_| false);
                self.visit_pat(&typed.pat);
                self.visit_type(&typed.ty);
            }
        }
    }

    fn visit_pat(&mut self, pat: &'a syn::Pat) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            visit::visit_pat(self, pat);
            self.depth -= 1;
        }
    }

    fn visit_type(&mut self, ty: &'a syn::Type) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            visit::visit_type(self, ty);
            self.depth -= 1;
        }
    }

    // What is refused as a whole is not looked into.
    fn visit_stmt_macro(&mut self, _: &'a syn::StmtMacro) {}

    fn visit_item(&mut self, item: &'a syn::Item) {
        if let syn::Item::Const(item) = item {
            visit::visit_item_const(self, item);
        }
    }
}

impl<'a> Found<'a, '_> {
    fn of_loop(&mut self, attrs: &'a [syn::Attribute]) {
        self.only(attrs, |attr| attr.path().is_ident("doc") || is_unroll(attr));
    }
}

/// Whether an attribute is `#[unroll]` with whatever arguments.
pub fn is_unroll(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("unroll")
}

/// Whether an attribute is `#[shared]`.
pub fn is_shared(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("shared") && matches!(attr.meta, syn::Meta::Path(_))
}

/// Whether an attribute is for rustc's lints, or for a tool.
fn is_neutral(attr: &syn::Attribute) -> bool {
    let tool = attr.path().segments.first().is_some_and(|first| first.ident == "clippy" || first.ident == "rustfmt");
    NEUTRAL.iter().any(|name| attr.path().is_ident(name)) || tool
}
