//! What an iterator gives in a round.

use super::super::pattern::{Found, MOST_ELEMENTS};
use super::super::place::Target;
use super::super::{Binding, Lowerer};
use super::Stage;
use super::chunks::Sizes;
use crate::hir::{Constructor, ExprId, ExprKind, Stmt};
use crate::infer::Ty;
use crate::syntax::{self, binding};
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::loc::Loc;
use std::rc::Rc;
use syn::ext::IdentExt;

/// What is made of the number that a loop counts.
#[derive(Clone)]
pub(super) enum Item<'a> {
    /// A number.
    Number(Position),
    /// An element: its value, or a reference to it, which may be mutable.
    Element { array: Box<Target>, element: Ty, at: Position, by_reference: Option<bool> },
    /// A reference to a part.
    Part { array: Box<Target>, at: Position, sizes: Sizes },
    /// A pair of items.
    Pair(Box<Item<'a>>, Box<Item<'a>>),
    /// What a function makes of an item.
    Mapped(Box<Item<'a>>, Binding<'a>),
    /// What an item refers to.
    Copied(Box<Item<'a>>),
}

/// A number that follows from the one that a loop counts.
#[derive(Clone)]
pub(super) enum Position {
    /// That number.
    At,
    /// One that is so far along a line.
    Line(Rc<Line>, Box<Position>),
}

/// Numbers in a row: `base + step * n`, or `base - step * n` if it leads down.
pub(super) struct Line {
    pub base: ExprId,
    pub step: Option<ExprId>,
    pub down: bool,
    pub ty: Ty,
}

/// What sort of thing an item is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Value,
    Reference,
    Pair,
}

impl Position {
    fn along(&mut self, line: &Rc<Line>) {
        match self {
            Self::At => *self = Self::Line(Rc::clone(line), Box::new(Self::At)),
            Self::Line(_, inner) => inner.along(line),
        }
    }
}

impl<'a> Item<'a> {
    /// The same items, where the loop counts how far they are along a line of what it counted before.
    pub(super) fn along(&mut self, line: &Rc<Line>) {
        match self {
            Self::Number(at) | Self::Element { at, .. } | Self::Part { at, .. } => at.along(line),
            Self::Pair(a, b) => {
                a.along(line);
                b.along(line);
            }
            Self::Mapped(inner, _) | Self::Copied(inner) => inner.along(line),
        }
    }

    /// The array that is borrowed by this loan.
    pub(super) fn array_of(&mut self, loan: u32) -> Option<&mut Target> {
        let lent = |array: &Target| array.memory.as_ref().is_some_and(|memory| memory.leases.contains(&loan));
        match self {
            Self::Element { array, .. } | Self::Part { array, .. } => Some(&mut **array).filter(|array| lent(array)),
            Self::Pair(a, b) => a.array_of(loan).or_else(|| b.array_of(loan)),
            Self::Mapped(inner, _) | Self::Copied(inner) => inner.array_of(loan),
            Self::Number(_) => None,
        }
    }

    /// What sort of thing it is, before and behind the stages.
    pub(super) fn shape(&self, stages: &[Stage<'_>]) -> Shape {
        let own = match self {
            Self::Number(..) | Self::Mapped(..) | Self::Copied(_) => Shape::Value,
            Self::Element { by_reference, .. } if by_reference.is_some() => Shape::Reference,
            Self::Element { .. } => Shape::Value,
            Self::Part { .. } => Shape::Reference,
            Self::Pair(..) => Shape::Pair,
        };
        stages.iter().fold(own, |shape, stage| match stage {
            Stage::Map(_) | Stage::Copied => Shape::Value,
            Stage::Enumerate(_) => Shape::Pair,
            Stage::Filter(_) | Stage::Skip(..) | Stage::Take(..) | Stage::StepBy(..) => shape,
        })
    }

    /// The functions that make it.
    pub(super) fn functions(&self) -> Vec<&Binding<'a>> {
        match self {
            Self::Number(..) | Self::Element { .. } | Self::Part { .. } => Vec::new(),
            Self::Pair(a, b) => [a.functions(), b.functions()].concat(),
            Self::Mapped(inner, function) => [inner.functions(), vec![function]].concat(),
            Self::Copied(inner) => inner.functions(),
        }
    }
}

/// An item in a round, before it has a name.
#[derive(Clone)]
pub(in crate::lower) enum Given {
    /// A value, which is evaluated once.
    Value(ExprId),
    /// A reference to a place.
    Reference(Target),
    /// A pair.
    Pair(Box<Given>, Box<Given>),
    /// A reference to an item, as `filter` hands it to its function.
    Borrowed(Box<Given>),
}

impl<'a> Lowerer<'a, '_> {
    /// The value of an item; a reference to it does not count as one.
    pub(in crate::lower) fn given_value(&mut self, given: Given, loc: Loc) -> ExprId {
        match given {
            Given::Value(value) => value,
            Given::Pair(a, b) => {
                let (a, b) = (self.given_value(*a, loc), self.given_value(*b, loc));
                let ty = Ty::Tuple(vec![self.ty(a), self.ty(b)]);
                self.push(ExprKind::Tuple(vec![a, b]), ty, loc)
            }
            Given::Reference(target) => self.load(target, loc),
            Given::Borrowed(_) => {
                let diag = Diag::new(Code::V200, loc, "mismatched types: this is a reference to an item");
                self.refuse(diag.help("write `*` before it for the value"))
            }
        }
    }

    /// The same item, whose values may be read again.
    pub(super) fn kept(&mut self, given: Given, stmts: &mut Vec<Stmt>) -> Given {
        match given {
            Given::Value(value) if !self.is_fixed(value) => match self.temporary(value, stmts) {
                Some(target) => {
                    let loc = self.body.exprs[value].loc;
                    Given::Value(self.load(target, loc))
                }
                None => Given::Value(value),
            },
            Given::Pair(a, b) => {
                let a = self.kept(*a, stmts);
                Given::Pair(Box::new(a), Box::new(self.kept(*b, stmts)))
            }
            other => other,
        }
    }

    /// Binds the names of a pattern to an item.
    pub(in crate::lower) fn bind_given(&mut self, pat: &'a syn::Pat, given: Given, stmts: &mut Vec<Stmt>) {
        let bound = self.nested(pat, |this| this.bind_given_inner(pat, given, stmts));
        if bound.is_none() {
            self.poison(pat);
        }
    }

    fn bind_given_inner(&mut self, pat: &'a syn::Pat, given: Given, stmts: &mut Vec<Stmt>) {
        match (pat, given) {
            (syn::Pat::Paren(paren), given) => self.bind_given(&paren.pat, given, stmts),
            (syn::Pat::Type(typed), given) => self.bind_typed(typed, given, stmts),
            (pat, Given::Value(value)) => self.bind(pat, value, stmts),
            (syn::Pat::Wild(_), Given::Pair(a, b)) => {
                self.bind_given(pat, *a, stmts);
                self.bind_given(pat, *b, stmts);
            }
            (syn::Pat::Wild(_), Given::Reference(_) | Given::Borrowed(_)) => {}
            (syn::Pat::Reference(reference), Given::Reference(target)) if target.more == 0 => {
                let loc = self.loc(pat);
                let value = self.load(Target { reference: false, ..target }, loc);
                self.bind(&reference.pat, value, stmts);
            }
            (syn::Pat::Reference(reference), Given::Reference(target)) => {
                let inner = Given::Reference(Target { more: target.more - 1, ..target });
                self.bind_given(&reference.pat, inner, stmts);
            }
            (syn::Pat::Reference(reference), Given::Borrowed(inner)) => {
                self.bind_given(&reference.pat, *inner, stmts);
            }
            (syn::Pat::Tuple(tuple), Given::Pair(a, b)) if tuple.elems.len() == 2 => {
                self.bind_given(&tuple.elems[0], *a, stmts);
                self.bind_given(&tuple.elems[1], *b, stmts);
            }
            // As in Rust, the names in a pattern for what is behind a reference are references.
            (syn::Pat::Tuple(tuple), Given::Borrowed(inner)) if matches!(*inner, Given::Pair(..)) => {
                let Given::Pair(a, b) = *inner else { return };
                if tuple.elems.len() != 2 {
                    return self.no_pattern(pat);
                }
                self.bind_given(&tuple.elems[0], Given::Borrowed(a), stmts);
                self.bind_given(&tuple.elems[1], Given::Borrowed(b), stmts);
            }
            (pat, Given::Borrowed(inner)) => match *inner {
                Given::Reference(target) => {
                    self.bind_given(pat, Given::Reference(Target { more: target.more + 1, ..target }), stmts);
                }
                Given::Value(value) => match self.temporary(value, stmts) {
                    Some(target) => {
                        let target = Target { reference: true, mutable: false, ..target };
                        self.bind_given(pat, Given::Reference(target), stmts);
                    }
                    None => self.poison(pat),
                },
                _ => self.no_pattern(pat),
            },
            (pat, Given::Reference(target)) => match binding(pat) {
                Some((name, _)) => {
                    let name = name.unraw().to_string();
                    self.context.names.push((name, Binding::Alias(Rc::new(target))));
                }
                None => self.bind_behind(pat, target, stmts),
            },
            (pat, pair @ Given::Pair(..)) => {
                let values = |given: &Given| matches!(given, Given::Value(_));
                let Given::Pair(a, b) = &pair else { return };
                if binding(pat).is_none() || !values(a) || !values(b) {
                    return self.no_pattern(pat);
                }
                let loc = self.loc(pat);
                let value = self.given_value(pair, loc);
                self.bind(pat, value, stmts);
            }
        }
    }

    /// A pattern for what a reference leads to, whose names are references to its parts.
    fn bind_behind(&mut self, pat: &'a syn::Pat, target: Target, stmts: &mut Vec<Stmt>) {
        let ty = self.infer.resolve(&target.ty);
        if let (syn::Pat::Struct(fields), Ty::Struct(_)) = (pat, &ty) {
            return self.bind_fields(fields, target, &ty, stmts);
        }
        if let (syn::Pat::Slice(slice), Ty::Array(element, len), false) = (pat, &ty, target.slice) {
            return self.bind_elements_behind(
                slice,
                (pat, Target { ty: ty.clone(), ..target }),
                (element, *len),
                stmts,
            );
        }
        let (syn::Pat::Tuple(tuple), Ty::Tuple(parts)) = (pat, &ty) else { return self.no_pattern(pat) };
        if tuple.elems.len() != parts.len() {
            return self.no_pattern(pat);
        }
        for (i, pat) in tuple.elems.iter().enumerate() {
            let part = Target { reference: true, more: 0, ..target.clone().part(i) };
            self.bind_given(pat, Given::Reference(part), stmts);
        }
    }

    /// The same for an array.
    fn bind_elements_behind(
        &mut self,
        slice: &'a syn::PatSlice,
        (pat, target): (&'a syn::Pat, Target),
        (element, len): (&Ty, u32),
        stmts: &mut Vec<Stmt>,
    ) {
        let Some((first, last)) = self.around_rest(&slice.elems, &mut Found::default()) else {
            return self.poison(pat);
        };
        let (given, open) = (first.len() + last.len(), first.len() < slice.elems.len());
        let len = len as usize;
        if given > len || !open && given < len || len > MOST_ELEMENTS as usize {
            let message =
                format!("this pattern has {}, but the array has {}", count(given, "part"), count(len, "element"));
            let loc = self.loc(pat);
            self.reporter.report(Diag::new(Code::V200, loc, message));
            return self.poison(pat);
        }
        let loc = self.loc(pat);
        let cuts = self.cuts_made;
        self.cuts_made += len as u32;
        let behind = len - last.len();
        let places = (0..first.len()).chain(behind..len);
        for (i, pat) in places.zip(first.into_iter().chain(last)) {
            match self.inside(&target, (Constructor::Only, i), element, (cuts, loc)) {
                Some(part) => {
                    self.bind_given(pat, Given::Reference(Target { reference: true, more: 0, ..part }), stmts)
                }
                None => self.no_pattern(pat),
            }
        }
    }

    /// The same for a struct of named fields.
    fn bind_fields(&mut self, pat: &'a syn::PatStruct, target: Target, ty: &Ty, stmts: &mut Vec<Stmt>) {
        let loc = self.loc(pat);
        if self.struct_of_value(&pat.path, ty, loc).is_none() {
            return pat.fields.iter().for_each(|field| self.poison(&field.pat));
        }
        let target = Target { ty: ty.clone(), ..target };
        for field in &pat.fields {
            let name = syntax::member(&field.member);
            match self.part(ty, &name, &field.member) {
                Some((i, _)) => {
                    let part = Target { reference: true, more: 0, ..target.clone().part(i) };
                    self.bind_given(&field.pat, Given::Reference(part), stmts);
                }
                None => {
                    let at = self.loc(&field.member);
                    let diag = self.missing_field(ty, &name, at);
                    self.reporter.report(diag);
                    self.poison(&field.pat);
                }
            }
        }
        let all = ty.parts().map_or(0, |parts| parts.len());
        if pat.rest.is_none() && pat.fields.len() < all {
            let message = format!("this pattern names {} of {}", pat.fields.len(), count(all, "field"));
            self.reporter.report(Diag::new(Code::V204, loc, message).help("write `..` for the others"));
        }
    }

    /// `name: T` of a closure.
    fn bind_typed(&mut self, typed: &'a syn::PatType, given: Given, stmts: &mut Vec<Stmt>) {
        let expected = match (syntax::peel_type(&typed.ty), &given) {
            (syn::Type::Reference(reference), Given::Reference(_)) => Some(&*reference.elem),
            (syn::Type::Reference(_), _) => None,
            (_, Given::Value(_)) => Some(&*typed.ty),
            _ => None,
        };
        if let Some(written) = expected {
            let found = match &given {
                Given::Value(value) => self.ty(*value),
                Given::Reference(target) => target.ty.clone(),
                _ => Ty::Error,
            };
            let ty = match syntax::peel_type(written) {
                syn::Type::Infer(_) => found.clone(),
                syn::Type::Slice(slice) => Ty::Slice(Box::new(self.read_type(&slice.elem))),
                _ => self.read_type(written),
            };
            let loc = self.loc(&*typed.ty);
            self.expect_at(loc, &ty, &found, "change the type, or leave it out");
        } else if !matches!(given, Given::Borrowed(_) | Given::Pair(..)) {
            let loc = self.loc(&*typed.ty);
            let diag = Diag::new(Code::V200, loc, "the item of this iterator has another type");
            self.reporter.report(diag.help("leave the type out"));
        }
        self.bind_given(&typed.pat, given, stmts);
    }

    fn no_pattern(&mut self, pat: &'a syn::Pat) {
        let help = "write a name, `&name` for what it refers to, or `(a, b)` for a pair";
        self.unsupported(pat, "this pattern for an item", Some(help));
        self.poison(pat);
    }
}
