//! Patterns: what they fit, and what they name.

use super::matched::Picks;
use super::place::{Places, Target};
use super::{Binding, Hold, Lowerer};
use crate::hir::{Bound, Constructor, ExprId, ExprKind, Memory, Pattern, Place, Step, Stmt};
use crate::infer::{MAX_LEAVES, Ty, VarKind};
use crate::syntax::{self, binding, is_none};
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::ir::{Access, Root};
use samebits_ir::loc::Loc;
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};

/// The most elements of an array that a pattern takes apart.
pub(super) const MOST_ELEMENTS: u32 = 64;

/// What to do about names of other types.
const ONE_TYPE: &str = "a name has one type in all alternatives";

/// What a name alone means in a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Names {
    /// Always a new variable.
    #[default]
    New,
    /// A constant if there is one, as in the patterns of a `match`.
    Constants,
}

/// A name of a pattern.
#[derive(Clone)]
pub(super) struct Name<'a> {
    text: String,
    binding: Binding<'a>,
    ty: Ty,
    loc: Loc,
}

/// The names that a pattern has so far.
#[derive(Default)]
pub(super) struct Found<'a> {
    names: Names,
    list: Vec<Name<'a>>,
    /// The names of the first alternative, which the others have as well.
    first: Option<Vec<Name<'a>>>,
    /// Whether the value is behind a reference, so that names are references to its parts.
    behind: bool,
    /// The place of what is looked at, if names are `&mut` references to it.
    pub(super) place: Option<Target>,
    /// The first of the cuts between the elements of the array there.
    pub(super) cuts: u32,
    /// Which alternatives are meant, where each is looked at alone.
    pub(super) picks: Option<Picks>,
    /// What makes such names.
    made: Vec<Stmt>,
}

impl Found<'_> {
    /// Makes the names of a refused pattern known, so that their uses are not reported.
    pub(super) fn refuse(&mut self, pat: &syn::Pat) {
        let refused = |text| Name { text, binding: Binding::Refused, ty: Ty::Error, loc: Loc::NONE };
        self.list.extend(syntax::pattern_names(pat).into_iter().map(refused));
    }
}

/// How many private memories a function may have before those of finished calls are used again. A
/// memory with a single use is easier to turn into values.
const PRIVATE_ROOTS: usize = 32;

impl<'a> Lowerer<'a, '_> {
    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn bind(&mut self, pat: &'a syn::Pat, value: ExprId, stmts: &mut Vec<Stmt>) {
        let is_variant = matches!(pat, syn::Pat::Ident(ident) if self.is_variant_name(ident));
        if let Some((name, mutable)) = binding(pat).filter(|_| !is_variant) {
            let loc = self.loc(name);
            let name = name.unraw().to_string();
            let binding = self.declare_as(&name, mutable, value, loc, stmts);
            self.context.names.push((name, binding));
            return;
        }
        let ty = self.ty(value);
        let pattern = self.pattern(pat, &ty, Names::New);
        stmts.push(if matches!(pattern, Pattern::Any) { Stmt::Expr(value) } else { Stmt::Destructure(pattern, value) });
    }

    /// A pattern for values of a type, whose names are known from here on.
    pub(super) fn pattern(&mut self, pat: &'a syn::Pat, ty: &Ty, names: Names) -> Pattern {
        self.pattern_found(pat, ty, Found { names, ..Found::default() }).0
    }

    /// The same where names are `&mut` references to parts of a place, which statements make. With `picks` these are
    /// of the alternatives that it says.
    pub(super) fn pattern_at(
        &mut self,
        pat: &'a syn::Pat,
        ty: &Ty,
        names: Names,
        (place, picks): (Target, Option<&mut Picks>),
        made: &mut Vec<Stmt>,
    ) -> Pattern {
        let own = picks.as_ref().map(|picks| (**picks).clone());
        let found = Found { names, place: Some(place), picks: own, ..Found::default() };
        let (pattern, Found { made: own, picks: found, .. }) = self.pattern_found(pat, ty, found);
        made.extend(own);
        if let (Some(picks), Some(found)) = (picks, found) {
            *picks = found;
        }
        pattern
    }

    fn pattern_found(&mut self, pat: &'a syn::Pat, ty: &Ty, mut found: Found<'a>) -> (Pattern, Found<'a>) {
        let pattern = self.pattern_of(pat, ty, &mut found);
        if let Some(mut picks) = found.picks.take() {
            let names = found.list.iter().map(|name| (name.text.clone(), name.ty.clone(), name.loc));
            for (text, ty, loc) in names {
                match picks.type_of(&text) {
                    Some(own) => self.expect_at(loc, &own, &ty, ONE_TYPE),
                    None => picks.names.push((text, ty)),
                }
            }
            found.picks = Some(picks);
        }
        self.context.names.extend(found.list.drain(..).map(|name| (name.text, name.binding)));
        (pattern, found)
    }

    pub(super) fn pattern_of(&mut self, pat: &'a syn::Pat, ty: &Ty, found: &mut Found<'a>) -> Pattern {
        self.nested(pat, |this| this.pattern_inner(pat, ty, found)).unwrap_or(Pattern::Any)
    }

    fn pattern_inner(&mut self, pat: &'a syn::Pat, ty: &Ty, found: &mut Found<'a>) -> Pattern {
        let ty = self.infer.resolve(ty);
        match &mut found.place {
            // What a reference in the value leads to has no place here.
            Some(place) if matches!(self.infer.resolve(&place.ty), Ty::Reference(_)) => found.place = None,
            Some(place) => place.ty = ty.behind().clone(),
            None => {}
        }
        let path = match pat {
            syn::Pat::TupleStruct(pat) => Some(&pat.path),
            syn::Pat::Path(pat) if pat.qself.is_none() => Some(&pat.path),
            _ => None,
        };
        let by_name = matches!(pat, syn::Pat::Ident(ident) if is_none(ident) || self.is_variant_name(ident));
        if let (Ty::Reference(of), false) = (
            &ty,
            matches!(pat, syn::Pat::Ident(_) | syn::Pat::Paren(_) | syn::Pat::Or(_) | syn::Pat::Wild(_)) && !by_name,
        ) {
            // The names in a pattern for what is behind a reference are references.
            return match pat {
                syn::Pat::Reference(reference) => self.pattern_of(&reference.pat, of, found),
                _ => {
                    let before = std::mem::replace(&mut found.behind, true);
                    let pattern = self.pattern_of(pat, of, found);
                    found.behind = before;
                    pattern
                }
            };
        }
        // A `use` may bring in other variants of these names.
        let of_option = path.filter(|path| !self.may_be_variant(path));
        if let Some(pattern) = of_option.and_then(|path| self.option_pattern((path, pat), &ty, found)) {
            return pattern;
        }
        match pat {
            syn::Pat::Wild(_) => Pattern::Any,
            syn::Pat::Ident(ident) if self.is_variant_name(ident) => {
                let loc = self.loc(&ident.ident);
                self.unit_pattern(&ident.ident.clone().into(), &ty, loc).unwrap_or(Pattern::Any)
            }
            syn::Pat::Ident(ident) if is_none(ident) => self.none_pattern(ident, &ty),
            syn::Pat::Ident(ident) if ident.ident == "Some" => {
                let diag = Diag::new(Code::V204, self.loc(ident), super::option::UNNAMED_FIELD);
                self.reporter.report(diag.help("write `Some(name)`, or `Some(_)`"));
                Pattern::Any
            }
            syn::Pat::Paren(paren) => self.pattern_of(&paren.pat, &ty, found),
            syn::Pat::Or(or) => self.alternatives(or, &ty, found),
            syn::Pat::Ident(ident) if ident.by_ref.is_none() => {
                let named = ident.subpat.is_some() || ident.mutability.is_some() || matches!(found.names, Names::New);
                if !named && self.names_constant(&ident.ident) {
                    return self.constant_pattern(&ident.ident, &ty);
                }
                self.named_pattern(ident, &ty, found)
            }
            syn::Pat::Lit(_) | syn::Pat::Range(_) | syn::Pat::Path(_) => self.value_pattern(pat, &ty),
            syn::Pat::Type(typed) => {
                let expected = self.read_type(&typed.ty);
                let loc = self.loc(pat);
                let fits = self.infer.unify(&ty, &expected);
                self.expect_at(loc, &expected, &ty, "change the type or the value, so that they agree");
                if !fits {
                    self.infer.give_up(&ty);
                }
                self.pattern_of(&typed.pat, if fits { &ty } else { &Ty::Error }, found)
            }
            syn::Pat::Tuple(syn::PatTuple { elems, .. }) | syn::Pat::Slice(syn::PatSlice { elems, .. }) => {
                let Some((first, last)) = self.around_rest(elems, found) else { return Pattern::Any };
                let len = first.len() + last.len();
                match self.types_in_order(pat, (len, first.len() < elems.len()), &ty) {
                    Some(types) => self.made(Constructor::Only, &types, (first, last), found),
                    None => {
                        self.made(Constructor::Only, &vec![Ty::Error; len], (first, last), found);
                        Pattern::Any
                    }
                }
            }
            syn::Pat::Struct(_) | syn::Pat::TupleStruct(_) => self.struct_pattern(pat, &ty, found),
            other => {
                let help = match other {
                    syn::Pat::Reference(_) => "this is no reference: remove the `&`",
                    syn::Pat::Ident(ident) if ident.mutability.is_some() => {
                        "match `&mut` of the place, and write the name alone"
                    }
                    syn::Pat::Ident(_) => "write the name alone: a kernel copies the value",
                    _ => "use literals, ranges, constants, names, `_`, and tuples and structs of these",
                };
                self.unsupported(other, "this pattern", Some(help));
                found.refuse(other);
                Pattern::Any
            }
        }
    }

    /// Whether a name alone is that of a variant which is in scope.
    fn is_variant_name(&self, ident: &syn::PatIdent) -> bool {
        let plain = ident.subpat.is_none() && ident.by_ref.is_none() && ident.mutability.is_none();
        plain && matches!(self.find(&syntax::plain(&ident.ident)), Some(Binding::Variant(..)))
    }

    /// `None`
    fn none_pattern(&mut self, ident: &'a syn::PatIdent, ty: &Ty) -> Pattern {
        let loc = self.loc(&ident.ident);
        let none = Ty::option(self.infer.var(VarKind::General));
        let fits = self.fits_at(loc, ty, &none, "the pattern must have the type of the matched value");
        if fits && *ty != Ty::Error {
            return Pattern::Made(Constructor::Variant(crate::infer::NONE), Vec::new());
        }
        Pattern::Any
    }

    /// `name` and `name @ pattern`
    fn named_pattern(&mut self, ident: &'a syn::PatIdent, ty: &Ty, found: &mut Found<'a>) -> Pattern {
        let loc = self.loc(&ident.ident);
        let reference = Ty::Reference(Box::new(ty.clone()));
        let ty = if found.behind && !matches!(ty, Ty::Reference(_) | Ty::Error) { &reference } else { ty };
        let text = ident.ident.unraw().to_string();
        let of = match ty.behind() {
            Ty::Enum(def) if def.variant(&text).is_some() => Some(&def.name),
            Ty::Sum(def) if def.case(&text).is_some() => Some(&def.name),
            _ => None,
        };
        if let Some(of) = of {
            // rustc takes it for the variant where that is imported, and refuses it elsewhere.
            let message = format!("`{text}` is a variant of `{of}`, which a `use` in the body would have to bring in");
            let help = format!("write `{of}::{text}`, or `use {of}::*;` in the body");
            self.reporter.report(Diag::new(Code::V100, loc, message).help(help));
            return Pattern::Any;
        }
        if found.list.iter().any(|name| name.text == text) {
            let message = format!("identifier `{text}` is bound more than once in the same pattern");
            self.reporter.report(Diag::new(Code::V001, loc, message).help("give each part a name of its own"));
            return Pattern::Any;
        }
        let plain = ident.mutability.is_none() && found.first.is_none();
        if let Some(place) = found.place.clone().filter(|_| plain && !matches!(ty, Ty::Error)) {
            let binding = self.name_at(&text, place, loc, &mut found.made);
            let before = found.list.len();
            found.list.push(Name { text: text.clone(), binding, ty: ty.clone(), loc });
            let Some((_, inner)) = &ident.subpat else { return Pattern::Any };
            let inner = self.pattern_of(inner, ty, found);
            if let Some(second) = found.list.get(before + 1) {
                // Two references to one place, of which each may change it.
                let message =
                    format!("`{}` would be a second `&mut` reference to what `{text}` refers to", second.text);
                let diag = Diag::new(Code::V206, second.loc, message).label(loc, format!("`{text}` is here"));
                self.reporter.report(diag.help("name the whole or its parts, and not both"));
            }
            return inner;
        }
        let first = found.first.as_ref().map(|first| first.iter().find(|name| name.text == text).cloned());
        let name = match first {
            Some(Some(name)) => {
                let own = name.ty.clone();
                self.expect_at(loc, &own, ty, ONE_TYPE);
                name
            }
            Some(None) => {
                self.unbound_somewhere(&text, loc);
                return Pattern::Any;
            }
            None => {
                let binding = self.declare(&text, ident.mutability.is_some(), ty.clone(), loc);
                Name { text, binding, ty: ty.clone(), loc }
            }
        };
        let bound = self.bound_by(&name.binding);
        found.list.push(name);
        let inner = match &ident.subpat {
            Some((_, inner)) => self.pattern_of(inner, ty, found),
            None => Pattern::Any,
        };
        match bound {
            Some(bound) => Pattern::Named(bound, Box::new(inner)),
            None => inner,
        }
    }

    fn unbound_somewhere(&mut self, name: &str, loc: Loc) {
        let message = format!("variable `{name}` is not bound in all patterns");
        let help = format!("every alternative of `|` has to name `{name}`");
        self.reporter.report(Diag::new(Code::V100, loc, message).help(help));
    }

    /// `a | b`, where each alternative has the same names.
    fn alternatives(&mut self, or: &'a syn::PatOr, ty: &Ty, found: &mut Found<'a>) -> Pattern {
        if found.place.is_some() && found.picks.is_some() && self.has_names(&or.cases) {
            return self.picked(or, ty, found);
        }
        let before = found.list.len();
        let outer = found.first.clone();
        // A name that is in different places is none of them.
        let place = found.place.take();
        let mut cases = Vec::new();
        let mut first: Option<Vec<Name<'a>>> = None;
        for case in &or.cases {
            found.list.truncate(before);
            if let Some(first) = &first {
                found.first = Some(first.clone());
            }
            cases.push(self.pattern_of(case, ty, found));
            let own = found.list[before..].to_vec();
            match &first {
                None => first = Some(own),
                Some(first) => {
                    let lacking = first.iter().find(|name| !own.iter().any(|own| own.text == name.text));
                    if let Some(Name { text, loc, .. }) = lacking {
                        self.unbound_somewhere(text, *loc);
                    }
                }
            }
        }
        found.list.truncate(before);
        found.list.extend(first.unwrap_or_default());
        (found.first, found.place) = (outer, place);
        Pattern::Or(cases)
    }

    /// The one of several alternatives that is meant, where others are looked at later.
    fn picked(&mut self, or: &'a syn::PatOr, ty: &Ty, found: &mut Found<'a>) -> Pattern {
        let mut picked = 0;
        if let Some(picks) = &mut found.picks {
            let (pick, is_new) = picks.next(or.cases.len());
            picked = pick;
            if is_new {
                self.same_names(or);
            }
        }
        self.pattern_of(&or.cases[picked], ty, found)
    }

    /// Reports a name that an alternative lacks.
    fn same_names(&mut self, or: &'a syn::PatOr) {
        let all: Vec<Vec<&'a syn::Ident>> = or.cases.iter().map(|case| self.names_of([case])).collect();
        for name in all.iter().flatten() {
            if !all.iter().all(|names| names.contains(name)) {
                let loc = self.loc(*name);
                self.unbound_somewhere(&syntax::plain(name), loc);
                return;
            }
        }
    }

    /// Whether patterns have names, which are not those of variants or constants.
    pub(super) fn has_names(&self, pats: impl IntoIterator<Item = &'a syn::Pat>) -> bool {
        !self.names_of(pats).is_empty()
    }

    fn names_of(&self, pats: impl IntoIterator<Item = &'a syn::Pat>) -> Vec<&'a syn::Ident> {
        struct All<'a>(Vec<&'a syn::PatIdent>);
        impl<'a> Visit<'a> for All<'a> {
            fn visit_pat_ident(&mut self, pat: &'a syn::PatIdent) {
                self.0.push(pat);
                visit::visit_pat_ident(self, pat);
            }
        }
        let mut all = All(Vec::new());
        pats.into_iter().for_each(|pat| all.visit_pat(pat));
        let is_name = |pat: &&syn::PatIdent| {
            let bare = pat.subpat.is_none() && pat.mutability.is_none();
            !(is_none(pat) || self.is_variant_name(pat) || bare && self.names_constant(&pat.ident))
        };
        all.0.into_iter().filter(is_name).map(|pat| &pat.ident).collect()
    }

    /// The patterns before a `..` and those behind it.
    pub(super) fn around_rest(
        &mut self,
        elems: &'a syn::punctuated::Punctuated<syn::Pat, syn::Token![,]>,
        found: &mut Found<'a>,
    ) -> Option<(Vec<&'a syn::Pat>, Vec<&'a syn::Pat>)> {
        let is_rest = |pat: &&syn::Pat| matches!(pat, syn::Pat::Rest(_));
        if let Some(second) = elems.iter().filter(is_rest).nth(1) {
            self.unsupported(second, "a second `..`", Some("write `_` for single parts"));
            elems.iter().for_each(|pat| found.refuse(pat));
            return None;
        }
        let first: Vec<&syn::Pat> = elems.iter().take_while(|pat| !is_rest(pat)).collect();
        let last = elems.iter().skip(first.len() + 1).collect();
        Some((first, last))
    }

    /// The patterns of parts, with `_` for those that `..` leaves out.
    pub(super) fn made(
        &mut self,
        constructor: Constructor,
        types: &[Ty],
        (first, last): (Vec<&'a syn::Pat>, Vec<&'a syn::Pat>),
        found: &mut Found<'a>,
    ) -> Pattern {
        let behind = types.len().saturating_sub(last.len());
        let mut parts: Vec<Pattern> = Vec::new();
        let own = self.cuts_between(found, types.len());
        let cuts = std::mem::replace(&mut found.cuts, own);
        for (i, (pat, ty)) in first.into_iter().zip(types).enumerate() {
            parts.push(self.at_part(found, (constructor, i), ty, |this, found| this.pattern_of(pat, ty, found)));
        }
        parts.resize(behind.max(parts.len()), Pattern::Any);
        for (i, (pat, ty)) in (behind..).zip(last.into_iter().zip(&types[behind..])) {
            parts.push(self.at_part(found, (constructor, i), ty, |this, found| this.pattern_of(pat, ty, found)));
        }
        found.cuts = cuts;
        Pattern::Made(constructor, parts)
    }

    /// The types of the parts of a tuple or an array that a pattern of so many parts takes apart;
    /// `open` if it has a `..`. `None` if it does not fit, which was reported.
    fn types_in_order(&mut self, pat: &'a syn::Pat, (len, open): (usize, bool), ty: &Ty) -> Option<Vec<Ty>> {
        let fits = |parts: usize| parts == len || open && parts > len;
        if self.infer.kind(ty) == Some(VarKind::General) && matches!(pat, syn::Pat::Tuple(_)) && !open {
            let parts: Vec<Ty> = (0..len).map(|_| self.infer.var(VarKind::General)).collect();
            self.infer.unify(ty, &Ty::Tuple(parts.clone()));
            return Some(parts);
        }
        Some(match (ty, pat) {
            (Ty::Tuple(types), syn::Pat::Tuple(_)) if fits(types.len()) => types.clone(),
            (Ty::Unit, syn::Pat::Tuple(_)) if len == 0 => Vec::new(),
            (Ty::Array(element, parts), syn::Pat::Slice(_)) if fits(*parts as usize) && *parts <= MOST_ELEMENTS => {
                vec![(**element).clone(); *parts as usize]
            }
            (Ty::Error, _) => return None,
            (other, _) => {
                let loc = self.loc(pat);
                let shown = self.infer.show(other);
                let message = format!("this pattern has {}, but the value is of type `{shown}`", count(len, "part"));
                self.reporter.report(Diag::new(Code::V200, loc, message));
                return None;
            }
        })
    }

    /// A new variable: private memory if its type holds an array, else a local.
    pub(super) fn declare(&mut self, name: &str, mutable: bool, ty: Ty, loc: Loc) -> Binding<'a> {
        match ty {
            Ty::Error | Ty::Slice(_) | Ty::Atomic(_) => Binding::Refused,
            // A name of its own for the value, which nobody changes.
            Ty::Reference(of) => match self.declare(name, false, (*of).clone(), loc) {
                Binding::Local(local) => {
                    self.body.locals[local].behind = true;
                    Binding::Alias(Rc::new(Target { reference: true, ..Target::local(local, *of, false) }))
                }
                Binding::Memory(memory) => {
                    Binding::Memory(super::Memory { hold: Hold::Lent { mutable: false }, copied: true, ..memory })
                }
                other => other,
            },
            // What a variant holds is changed where it is.
            ty if ty.has_array() || mutable && ty.holds_array() => {
                if ty.width() > MAX_LEAVES {
                    let message = format!("a value of type `{}` is too large to be copied", self.infer.show(&ty));
                    let help = format!("pass it by reference: at most {MAX_LEAVES} numbers are passed by value");
                    self.reporter.report(Diag::new(Code::V019, loc, message).help(help));
                    return Binding::Refused;
                }
                let root = self.private(name, &ty, loc);
                Binding::Memory(super::Memory::declared(root, ty, Access::ReadWrite, mutable, loc))
            }
            ty => Binding::Local(self.variable(name, ty, mutable, loc)),
        }
    }

    /// Declares a variable that holds a value from now on.
    pub(super) fn declare_as(
        &mut self,
        name: &str,
        mutable: bool,
        value: ExprId,
        loc: Loc,
        stmts: &mut Vec<Stmt>,
    ) -> Binding<'a> {
        let binding = self.declare(name, mutable, self.ty(value), loc);
        stmts.push(match self.bound_by(&binding) {
            Some(Bound::Local(local)) => Stmt::Let(local, value),
            Some(Bound::Memory(root)) => Stmt::Store { root, value },
            None => Stmt::Expr(value),
        });
        binding
    }

    /// Private memory for a value of a type: that of a call which is over, if there is much of
    /// it already, else a new one. All of it is set before any is read.
    pub(super) fn private(&mut self, name: &str, ty: &Ty, loc: Loc) -> Root {
        let reused = |&i: &usize| self.body.private.len() > PRIVATE_ROOTS && self.body.private[i].ty == *ty;
        let free = self.free.iter().position(reused);
        let index = match free {
            Some(at) => self.free.swap_remove(at),
            None => {
                self.body.private.push(Memory { name: name.to_owned(), ty: ty.clone(), loc });
                self.body.private.len() - 1
            }
        };
        self.context.private.push(index);
        Root::Private(index as u32)
    }

    /// `let [a, b] = array;`: the elements, one after the other.
    pub(super) fn bind_elements(&mut self, pat: &'a syn::Pat, init: &'a syn::Expr, stmts: &mut Vec<Stmt>) {
        let syn::Pat::Slice(slice) = pat else { return };
        let loc = self.loc(pat);
        let Some(target) = self.place(init, Places::Loaded) else {
            // An array that is a value, such as what a helper gives.
            let value = self.expr(init);
            return match self.ty(value) {
                Ty::Array(..) | Ty::Error => self.bind(pat, value, stmts),
                _ => self.not_an_array(pat, init),
            };
        };
        let target = Target { reference: false, ..target };
        let (len, element, access) = match (&target.ty, &target.memory) {
            (Ty::Array(element, len), Some(memory)) if !target.slice => (*len, (**element).clone(), memory.access),
            (Ty::Error, _) => return self.poison(pat),
            _ => return self.not_an_array(pat, init),
        };
        let rest = slice.elems.iter().position(|pat| named_rest(pat).is_some());
        let single = slice.elems.len() - usize::from(rest.is_some());
        let fits = if rest.is_some() { single < len as usize } else { single == len as usize };
        if !fits || access == Access::Atomic {
            let message =
                format!("this pattern has {}, but the array has {}", count(single, "part"), count(len, "element"));
            self.reporter.report(Diag::new(Code::V200, loc, message));
            return self.poison(pat);
        }
        let array = target.ty.clone();
        let Place::Memory { root, path, .. } = target.place else { return self.not_an_array(pat, init) };
        let load = |this: &mut Self, i: usize| {
            let index = this.push(ExprKind::Int(i as u128), Ty::Usize, loc);
            let mut path = path.clone();
            path.push(Step::Index(index, array.clone()));
            let place = Place::Memory { root, path, lane: None };
            let value = this.push(ExprKind::Load(place), element.clone(), loc);
            this.through(value, 0, target.loan);
            value
        };
        let more = len as usize - single;
        for (i, pat) in slice.elems.iter().enumerate() {
            let Some(ident) = named_rest(pat) else {
                let skipped = if rest.is_some_and(|rest| rest < i) { more - 1 } else { 0 };
                let value = load(self, i + skipped);
                self.bind(pat, value, stmts);
                continue;
            };
            let values = (i..i + more).map(|i| load(self, i)).collect();
            let ty = Ty::Array(Box::new(element.clone()), more as u32);
            let value = self.sized(ExprKind::Array(values), ty, loc);
            let (name, at) = (syntax::plain(&ident.ident), self.loc(&ident.ident));
            let binding = self.declare_as(&name, ident.mutability.is_some(), value, at, stmts);
            self.context.names.push((name, binding));
        }
    }

    fn not_an_array(&mut self, pat: &'a syn::Pat, init: &'a syn::Expr) {
        self.unsupported(init, "this value for an array pattern", Some("give the array a name with `let` first"));
        self.poison(pat);
    }

    /// Makes the names of a refused pattern known, so that their uses are not reported.
    pub(super) fn poison(&mut self, pat: &syn::Pat) {
        self.context.names.extend(syntax::pattern_names(pat).into_iter().map(|name| (name, Binding::Refused)));
    }
}

/// `name @ ..`
fn named_rest(pat: &syn::Pat) -> Option<&syn::PatIdent> {
    match pat {
        syn::Pat::Ident(ident) if ident.by_ref.is_none() => {
            ident.subpat.as_ref().filter(|(_, of)| matches!(**of, syn::Pat::Rest(_))).map(|_| ident)
        }
        _ => None,
    }
}
