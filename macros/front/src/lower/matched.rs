//! What is matched: a value, or a place through `&mut`, whose parts the names of patterns then refer to.
//!
//! Patterns test a copy of the place. Their names stand for its parts themselves, as `let a = &mut s.a;` makes them, so
//! the places and the loans of such names are those of all references. The statements that make them run before the
//! guard and the body.

use super::borrow::Borrow;
use super::inline::MAX_EXPRS;
use super::pattern::{Found, Names};
use super::place::{BORROW, Places, Target};
use super::{Binding, Hold, Lowerer};
use crate::hir::{Block, Borrowed, Borrower, Constructor, ExprId, ExprKind, Loan, Pattern, Place, Step, Stmt};
use crate::infer::Ty;
use crate::spell;
use crate::syntax;
use samebits_ir::diag::{Code, Diag};
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

/// The most ways through the alternatives of a pattern whose names are in different places.
const MOST_PICKS: usize = 32;

/// Which alternatives of a pattern are meant. Where names are references to places, each alternative has its own, so
/// that what follows is lowered once for each.
#[derive(Clone, Default)]
pub(super) struct Picks {
    /// Of each `|` that was met, the alternative and how many there are.
    list: Vec<(usize, usize)>,
    /// How many were met in this turn.
    met: usize,
    /// How many turns there were.
    turns: usize,
    /// The names, and their types.
    pub(super) names: Vec<(String, Ty)>,
}

impl Picks {
    /// The alternative of the next `|`, and whether that is met for the first time.
    pub(super) fn next(&mut self, cases: usize) -> (usize, bool) {
        let is_new = self.met == self.list.len();
        if is_new {
            self.list.push((0, cases));
        }
        self.met += 1;
        (self.list[self.met - 1].0, is_new && self.turns == 0)
    }

    /// The type that a name has in the turns so far.
    pub(super) fn type_of(&self, name: &str) -> Option<Ty> {
        self.names.iter().find(|(text, _)| text == name).map(|(_, ty)| ty.clone())
    }

    /// Goes on to the next alternatives; `false` if there are none.
    pub(super) fn advance(&mut self) -> bool {
        self.met = 0;
        self.turns += 1;
        while let Some((pick, cases)) = self.list.last_mut() {
            *pick += 1;
            if *pick < *cases {
                return true;
            }
            self.list.pop();
        }
        false
    }

    /// Whether there were as many turns as there may be.
    pub(super) fn is_at_end(&self) -> bool {
        self.turns == MOST_PICKS
    }
}

impl<'a> Lowerer<'a, '_> {
    /// A part of a tuple, of a struct, of an array or of a variant, as a place of its own; nothing for those that have no
    /// place. `cuts` is the first of those between the elements of an array.
    pub(super) fn inside(
        &mut self,
        of: &Target,
        (constructor, i): (Constructor, usize),
        ty: &Ty,
        (cuts, loc): (u32, Loc),
    ) -> Option<Target> {
        let ty = &self.infer.resolve(ty);
        let at = match (constructor, of.ty.sum()) {
            (Constructor::Only, None) if matches!(of.ty, Ty::Tuple(_) | Ty::Struct(_) | Ty::Array(..)) => i,
            (Constructor::Variant(number), Some(def)) => {
                def.cases.iter().take(number).map(|case| case.fields.len()).sum::<usize>() + i
            }
            _ => return None,
        };
        let mut part = Target { ty: ty.clone(), reference: false, slice: false, vector: None, ..of.clone() };
        match (&mut part.place, &of.ty) {
            // An array in a value is no memory, and its elements have no places.
            (Place::Local { .. }, _) if ty.has_array() => return None,
            (Place::Local { path, lane: None, .. }, Ty::Tuple(_) | Ty::Struct(_) | Ty::Sum(_)) => path.push(at),
            (Place::Memory { path, lane: None, .. }, Ty::Array(_, len)) => {
                // Elements that a pattern names are apart, which those of indices are not known to be.
                let sides = (0..at as u32).map(|cut| (cuts + cut, true)).chain([(cuts + at as u32, false)]);
                let begin = self.push(ExprKind::Int(0), Ty::Usize, loc);
                let whole = self.push(ExprKind::ArrayLen(*len), Ty::Usize, loc);
                let index = self.push(ExprKind::Int(at as u128), Ty::Usize, loc);
                path.push(Step::Slice { begin, len: whole, cuts: sides.collect() });
                path.push(Step::Index(index, of.ty.clone()));
            }
            (Place::Memory { path, lane: None, .. }, _) => path.push(Step::Field(at, of.ty.clone())),
            _ => return None,
        }
        Some(part)
    }

    /// The first of the cuts between so many elements of what the pattern so far is for.
    pub(super) fn cuts_between(&mut self, found: &Found<'a>, parts: usize) -> u32 {
        let first = self.cuts_made;
        if found.place.as_ref().is_some_and(|place| matches!(place.ty, Ty::Array(..))) {
            self.cuts_made += parts as u32;
        }
        first
    }

    /// Looks at a part of what the pattern so far is for.
    pub(super) fn at_part<T>(
        &mut self,
        found: &mut Found<'a>,
        at: (Constructor, usize),
        ty: &Ty,
        look: impl FnOnce(&mut Self, &mut Found<'a>) -> T,
    ) -> T {
        let cuts = found.cuts;
        let part = match &found.place {
            Some(place) => {
                let loc = place.memory.as_ref().map_or(Loc::NONE, |memory| memory.loc);
                self.inside(&place.clone(), at, ty, (cuts, loc))
            }
            None => None,
        };
        let whole = std::mem::replace(&mut found.place, part);
        let looked = look(self, found);
        found.place = whole;
        looked
    }

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

    /// Whether names in patterns for this are `&mut` references.
    pub(super) fn is_changeable(&self, expr: &'a syn::Expr) -> bool {
        match syntax::peel(expr) {
            syn::Expr::Reference(reference) => reference.mutability.is_some(),
            syn::Expr::Path(path) => self.named_reference(&path.path) == Some(true),
            _ => false,
        }
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
        let apart = matches!(ty, Ty::Tuple(_) | Ty::Struct(_) | Ty::Sum(_) | Ty::Array(..) | Ty::Error)
            && !ty.has_atomics()
            && !target.slice;
        apart.then_some(Target { ty, reference: false, more: 0, ..target })
    }

    /// A place that is matched through `&mut`.
    pub(super) fn subject_at(&mut self, target: Target, name: String, loc: Loc) -> Subject {
        let mut before = Vec::new();
        let target = self.frozen(target, &mut before);
        let value = self.load(target.clone(), loc);
        let place = target.place.clone();
        let (from, mutable) = (target.loan, true);
        let whole =
            Some(self.body.loans.push(Loan { name, place: place.clone(), mutable, from, by: Borrower::Variable, loc }));
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
        self.matched_in_turn(pat, ty, names, subject, None)
    }

    /// The same, for the alternatives that `picks` says: those of one turn.
    pub(super) fn matched_in_turn(
        &mut self,
        pat: &'a syn::Pat,
        ty: &Ty,
        names: Names,
        subject: &Subject,
        picks: Option<&mut Picks>,
    ) -> Matched {
        let Some((target, borrowed)) = &subject.place else {
            return Matched { pattern: self.pattern(pat, ty, names), made: Vec::new() };
        };
        let mut made = Vec::new();
        let pattern = self.pattern_at(pat, ty, names, (target.clone(), picks), &mut made);
        // Without names nothing is borrowed.
        if !made.is_empty() {
            made.insert(0, Stmt::Borrow(borrowed.clone()));
        }
        Matched { pattern, made }
    }

    /// Forgets what a later turn found wrong, where that is no new mistake: what was wrong for one alternative is wrong
    /// for the others, and what follows a pattern that was refused is wrong because of that. `own` counts what was
    /// reported before the body of this turn, and `before` what was before its pattern.
    pub(super) fn same_mistake(&mut self, picks: &Picks, (failed, before, own): (bool, usize, usize)) {
        if picks.turns > 0 && failed {
            self.reporter.diags.truncate(before);
        } else if picks.turns > 0 && own > before {
            self.reporter.diags.truncate(own);
        }
    }

    /// Goes on to the next alternatives of a pattern, if there are any.
    pub(super) fn next_turn(&mut self, picks: &mut Picks, pat: &'a syn::Pat) -> bool {
        let more = picks.advance();
        if more && picks.is_at_end() {
            let message = format!("this pattern has more than {MOST_PICKS} ways through its alternatives");
            let diag = Diag::new(Code::V100, self.loc(pat), message);
            self.reporter.report(diag.help("write several arms"));
            return false;
        }
        // Alternatives within the bodies of others multiply.
        if more && self.body.exprs.len() > MAX_EXPRS {
            if !std::mem::replace(&mut self.long_reported, true) {
                let message = "this function is too long with a copy of what follows for each alternative";
                let diag = Diag::new(Code::V019, self.loc(pat), message);
                self.reporter.report(diag.help("call a helper there, or assign to the whole"));
            }
            return false;
        }
        more
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
