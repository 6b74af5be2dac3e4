//! What a walk through a function notes: its variables, where they get values, and places with a fault.

use proc_macro2::Ident;
use syn::{Expr, Stmt};

/// A variable of the function.
pub(super) struct Variable<'a> {
    pub ident: &'a Ident,
    pub mutability: Option<&'a syn::Token![mut]>,
    /// Its integer type, where that is written beside it.
    pub ty: Option<&'a Ident>,
    /// Whether it is a field's name in a pattern that leaves out the colon.
    pub shorthand: bool,
    /// The attributes around it, outermost first.
    pub attrs: Vec<&'a syn::Attribute>,
    /// Whether its value is read for anything but an assignment to itself.
    pub used: bool,
    /// Whether it is changed after it got its first value, or may be.
    pub mutated: bool,
    /// Whether it is borrowed or captured, so that its value may be read anywhere.
    pub escapes: bool,
}

/// Where a variable gets a value.
pub(super) struct Site<'a> {
    pub variable: usize,
    pub kind: SiteKind<'a>,
    pub attrs: Vec<&'a syn::Attribute>,
    /// Whether something reads the value.
    pub read: bool,
}

/// How a variable gets a value.
pub(super) enum SiteKind<'a> {
    /// By its pattern, a plain name, from this expression.
    First(&'a Expr),
    /// By another pattern.
    Bound,
    /// `variable = value`
    Assign(&'a syn::ExprAssign),
    /// `variable += value` and its like.
    Change(&'a syn::ExprBinary),
    /// As a part of a pattern that is assigned to.
    Part,
}

/// What can only be wrong at one place.
pub(super) struct Spot<'a> {
    pub kind: SpotKind<'a>,
    pub attrs: Vec<&'a syn::Attribute>,
}

pub(super) enum SpotKind<'a> {
    /// A label without a jump to it.
    Label(&'a syn::Lifetime),
    /// A constant of the body, which may be named elsewhere in it.
    Constant(&'a Ident),
    /// What follows an expression that is never left.
    Unreachable { ends: &'a Expr, next: Next<'a> },
    /// A name alone as a statement.
    Path(&'a Ident, &'a syn::Token![;]),
    /// An operator whose result nothing uses.
    Unused(&'a Expr),
    /// A block whose accesses may race, if there are any in it.
    Unsafe { token: &'a syn::Token![unsafe], accesses: bool },
    /// A comparison of a literal and something of this type.
    Compared(&'a syn::ExprBinary, &'a Ident),
}

/// What is never reached.
pub(super) enum Next<'a> {
    Statement(&'a Stmt),
    Value(&'a Expr),
}

/// What was found out about a function.
#[derive(Default)]
pub(super) struct Notes<'a> {
    pub variables: Vec<Variable<'a>>,
    pub sites: Vec<Site<'a>>,
    pub spots: Vec<Spot<'a>>,
}

/// An integer type.
pub(super) fn integer(ty: &syn::Type) -> Option<&Ident> {
    let syn::Type::Path(path) = ty else { return None };
    let name = path.path.get_ident()?;
    ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64"].iter().any(|known| name == known).then_some(name)
}

/// Whether an expression is an integer literal, with or without a sign.
pub(super) fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(literal) => matches!(literal.lit, syn::Lit::Int(_)),
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Neg(_)) && matches!(&*unary.expr, Expr::Lit(_)),
        _ => false,
    }
}

/// An expression without the parentheses around it.
pub(super) fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) => peel(&paren.expr),
        Expr::Group(group) => peel(&group.expr),
        other => other,
    }
}

pub(super) fn attributes(stmt: &Stmt) -> &[syn::Attribute] {
    match stmt {
        Stmt::Local(local) => &local.attrs,
        Stmt::Expr(expr, _) => attributes_of(expr),
        Stmt::Item(_) => &[],
        Stmt::Macro(called) => &called.attrs,
    }
}

/// The attributes of an expression that can have lints' attributes.
pub(super) fn attributes_of(expr: &Expr) -> &[syn::Attribute] {
    match expr {
        Expr::Block(expr) => &expr.attrs,
        Expr::If(expr) => &expr.attrs,
        Expr::Match(expr) => &expr.attrs,
        Expr::Loop(expr) => &expr.attrs,
        Expr::While(expr) => &expr.attrs,
        Expr::ForLoop(expr) => &expr.attrs,
        Expr::Closure(expr) => &expr.attrs,
        Expr::Assign(expr) => &expr.attrs,
        Expr::Binary(expr) => &expr.attrs,
        Expr::Call(expr) => &expr.attrs,
        Expr::MethodCall(expr) => &expr.attrs,
        Expr::Return(expr) => &expr.attrs,
        Expr::Break(expr) => &expr.attrs,
        Expr::Continue(expr) => &expr.attrs,
        Expr::Path(expr) => &expr.attrs,
        Expr::Unary(expr) => &expr.attrs,
        _ => &[],
    }
}
