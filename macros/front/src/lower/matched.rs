//! What is matched: a value, or a place through `&mut`, whose parts the names of patterns then refer to.
//!
//! Patterns test a copy of the place. Their names stand for its parts themselves, as `let a = &mut s.a;` makes them, so
//! the places and the loans of such names are those of all references. The statements that make them run before the
//! guard and the body.

use super::borrow::Borrow;
use super::pattern::{Found, Names};
use super::place::{BORROW, Places, Target};
use super::{Binding, Hold, Lowerer};
use crate::hir::{Block, Borrowed, Constructor, ExprId, ExprKind, Loan, Pattern, Place, Stmt};
use crate::infer::Ty;
use crate::spell;
use crate::syntax;
use samebits_ir::ir::Access;
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// What is matched.
pub(super) struct Subject {
    /// The value that patterns test.
    pub value: ExprId,
    /// Where it is, if names may change it, and that it is borrowed for them.
    place: Option<(Target, Borrowed)>,
}

impl Subject {
    /// A value that is nowhere.
    pub fn value(value: ExprId) -> Self {
        Self { value, place: None }
    }
}

/// A pattern, and what makes its names.
pub(super) struct Matched {
    pub pattern: Pattern,
    /// What runs before a name is used.
    pub made: Vec<Stmt>,
}

impl Target {
    /// A part of a tuple, of a struct or of a variant, as a place of its own; nothing for those that have no place.
    fn inside(&self, constructor: Constructor, i: usize, ty: &Ty) -> Option<Self> {
        let at = match (constructor, self.ty.sum()) {
            (Constructor::Only, None) if matches!(self.ty, Ty::Tuple(_) | Ty::Struct(_)) => i,
            (Constructor::Variant(number), Some(def)) => {
                // Only values have variants with fields.
                self.memory.is_none().then_some(())?;
                def.cases.iter().take(number).map(|case| case.fields.len()).sum::<usize>() + i
            }
            _ => return None,
        };
        let whole = Self { reference: false, ..self.clone() };
        match &self.place {
            Place::Local { local, path, lane: None } => {
                let path = path.iter().copied().chain([at]).collect();
                let place = Place::Local { local: *local, path, lane: None };
                Some(Self { place, ty: ty.clone(), slice: false, vector: None, ..whole })
            }
            Place::Memory { lane: None, .. } => Some(whole.part(at)).filter(|part| part.ty != Ty::Error),
            _ => None,
        }
    }
}

impl<'a> Found<'a> {
    /// Looks at a part of what the pattern so far is for.
    pub(super) fn at_part<T>(
        &mut self,
        (constructor, i): (Constructor, usize),
        ty: &Ty,
        look: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let part = self.place.as_ref().and_then(|place| place.inside(constructor, i, ty));
        let whole = std::mem::replace(&mut self.place, part);
        let looked = look(self);
        self.place = whole;
        looked
    }
}

impl<'a> Lowerer<'a, '_> {
    /// What is matched. Behind a reference, the names in patterns are references to its parts.
    pub(super) fn subject(&mut self, expr: &'a syn::Expr) -> Subject {
        let loc = self.loc(expr);
        let inner = syntax::peel(expr);
        if let Some(target) = self.changeable(inner) {
            if target.ty == Ty::Error {
                return Subject::value(self.error(loc));
            }
            return self.subject_at(target, spell::expression(inner), loc);
        }
        let value = match inner {
            syn::Expr::Reference(reference) if reference.mutability.is_none() => self.expr(&reference.expr),
            syn::Expr::Path(path) => {
                let named = syntax::name(&path.path).and_then(|name| self.named_place(&name, Places::All));
                let behind = |target: &Target| target.reference && !matches!(target.ty, Ty::Slice(_) | Ty::Error);
                let Some(target) = named.filter(behind) else { return Subject::value(self.expr(expr)) };
                self.load(Target { reference: false, more: 0, ..target }, loc)
            }
            _ => return Subject::value(self.expr(expr)),
        };
        Subject::value(self.behind_reference(value, loc))
    }

    /// The place behind `&mut place`, or behind the name of a `&mut` reference.
    fn changeable(&mut self, expr: &'a syn::Expr) -> Option<Target> {
        let target = match expr {
            syn::Expr::Reference(reference) if reference.mutability.is_some() => {
                let target = self.place(&reference.expr, Places::All)?;
                let loc = self.loc(expr);
                self.storable(Target { reference: false, more: 0, ..target }, BORROW, loc)
            }
            syn::Expr::Path(path) => {
                let name = syntax::name(&path.path)?;
                let mutable = match self.find(&name)? {
                    Binding::Memory(memory) => match memory.hold {
                        Hold::Lent { mutable } => mutable && memory.access == Access::ReadWrite,
                        Hold::Own { .. } => false,
                    },
                    Binding::Alias(target) => target.reference && target.mutable,
                    _ => false,
                };
                self.named_place(&name, Places::All).filter(|_| mutable)?
            }
            _ => return None,
        };
        let ty = self.infer.resolve(&target.ty);
        let apart =
            matches!(ty, Ty::Tuple(_) | Ty::Struct(_) | Ty::Sum(_) | Ty::Error) && !ty.has_atomics() && !target.slice;
        apart.then_some(Target { ty, reference: false, more: 0, ..target })
    }

    /// A place that is matched through `&mut`.
    pub(super) fn subject_at(&mut self, target: Target, name: String, loc: Loc) -> Subject {
        let mut before = Vec::new();
        let target = self.frozen(target, &mut before);
        let value = self.load(target.clone(), loc);
        let place = target.place.clone();
        let (from, mutable) = (target.loan, true);
        let whole = Some(self.body.loans.push(Loan { name, place: place.clone(), mutable, from, loc }));
        let value = self.value_after(before, value, loc);
        let borrowed = Borrowed { place, mutable, through: from, made: whole, loc };
        let memory = target.memory.map(|memory| super::Memory { loan: whole, ..memory });
        let value = self.behind_reference(value, loc);
        Subject { value, place: Some((Target { loan: whole, memory, mutable: true, ..target }, borrowed)) }
    }

    /// A value as one behind a reference.
    fn behind_reference(&mut self, value: ExprId, loc: Loc) -> ExprId {
        match self.ty(value) {
            Ty::Error => value,
            ty => {
                let block = Block { stmts: Vec::new(), tail: Some(value) };
                self.push(ExprKind::Block(block), Ty::Reference(Box::new(ty)), loc)
            }
        }
    }

    /// A pattern for what is matched, whose type may have been found wrong.
    pub(super) fn matched_by(&mut self, pat: &'a syn::Pat, ty: &Ty, names: Names, subject: &Subject) -> Matched {
        let Some((target, borrowed)) = &subject.place else {
            return Matched { pattern: self.pattern(pat, ty, names), made: Vec::new() };
        };
        let mut made = Vec::new();
        let pattern = self.pattern_at(pat, ty, names, (target.clone(), &mut made));
        // Without names nothing is borrowed.
        if !made.is_empty() {
            made.insert(0, Stmt::Borrow(borrowed.clone()));
        }
        Matched { pattern, made }
    }

    /// A name in a pattern, as a reference to the part of the place that it names.
    pub(super) fn name_at(&mut self, text: &str, target: Target, loc: Loc, made: &mut Vec<Stmt>) -> Binding<'a> {
        self.borrowed_as(text, Borrow { target, mutable: true, loc }, None, made)
    }

    /// A guard or a body after the names are made.
    pub(super) fn after_names(&mut self, made: &mut Vec<Stmt>, value: ExprId) -> ExprId {
        let loc = self.body.exprs[value].loc;
        self.value_after(std::mem::take(made), value, loc)
    }

    /// A condition that makes names where it holds.
    pub(super) fn with_names(&mut self, condition: ExprId, made: Vec<Stmt>, loc: Loc) -> ExprId {
        if made.is_empty() {
            return condition;
        }
        let bool = Ty::Scalar(Scalar::Bool);
        let holds = self.push(ExprKind::Bits(1), bool.clone(), loc);
        let holds = self.value_after(made, holds, loc);
        self.push(ExprKind::And(condition, holds), bool, loc)
    }
}
