//! What types have by traits: the implementations among the facts, and their functions and constants.
//!
//! rustc sees each trait and each implementation as well, with its constants. So there is at most one implementation
//! of a trait for a type, and whoever names a type reaches the implementations that its macro hands on.

use super::Scope;
use super::facts::{Fact, Kind};
use crate::class::{Class, members};
use crate::infer::Ty;
use crate::syntax;
use crate::types;
use crate::words::operators::{self, Operator};
use syn::ext::IdentExt;

/// A function that a type has by a trait.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    /// The fact in which it stands: an implementation, or the trait.
    pub fact: &'a Fact,
    /// The trait.
    pub of_trait: &'a Fact,
    /// Its signature.
    pub sig: &'a syn::Signature,
    /// Its body; nothing of a type of which only the traits are known.
    pub block: Option<&'a syn::Block>,
}

/// A constant that a type has by a trait.
#[derive(Clone, Copy)]
pub struct Constant<'a> {
    /// The fact in which it stands: an implementation, or the trait.
    pub fact: &'a Fact,
    /// The trait.
    pub of_trait: &'a Fact,
    /// Its name.
    pub name: &'a syn::Ident,
    /// Its type.
    pub ty: &'a syn::Type,
    /// Its value; nothing of a type of which only the traits are known.
    pub value: Option<&'a syn::Expr>,
}

/// A trait that a type has, and the implementation if the type is known.
type Had<'a> = (&'a Fact, Option<&'a Fact>);

/// The implementation of an operator.
#[derive(Clone, Copy)]
pub struct OperatorImpl<'a> {
    /// Its fact.
    pub fact: &'a Fact,
    /// The type on the left, as it is written there.
    pub self_ty: &'a syn::Type,
    /// The type on the right; nothing if that is the same.
    pub right: Option<&'a syn::Type>,
    /// The signature of its function.
    pub sig: &'a syn::Signature,
    /// The body of its function.
    pub block: &'a syn::Block,
}

impl<'a> Scope<'a> {
    /// The implementations of an operator, as far as the facts tell.
    pub fn operators(self, operator: &Operator) -> Vec<OperatorImpl<'a>> {
        let of = |fact: &'a Fact| {
            let (path, self_ty) = fact.trait_and_type().filter(|_| fact.kind == Kind::Implementation)?;
            operators::by_trait(path).filter(|known| *known == operator)?;
            let function = fact.methods().find(|item| item.sig.ident == operator.function)?;
            let right = path.segments.last().and_then(syntax::type_argument);
            Some(OperatorImpl { fact, self_ty, right, sig: &function.sig, block: &function.block })
        };
        self.linked.facts.iter().filter_map(of).collect()
    }

    /// The trait that a path names.
    pub fn trait_named(self, path: &syn::Path) -> Option<&'a Fact> {
        self.find(path).filter(|fact| fact.kind == Kind::Trait)
    }

    /// Whether a type has the trait of this id.
    pub fn implements(self, ty: &Ty, id: &str) -> bool {
        self.traits_of(ty).iter().any(|(of_trait, _)| of_trait.id == id)
    }

    /// The type that an implementation is for.
    pub fn implementor(self, fact: &Fact) -> Option<Ty> {
        types::read(fact.trait_and_type()?.1, &self.of(fact)).ok()
    }

    /// The trait that an implementation is of.
    pub fn implemented(self, fact: &Fact) -> Option<&'a Fact> {
        self.of(fact).trait_named(fact.trait_and_type()?.0)
    }

    /// The traits that a type has, as far as the facts tell.
    pub fn traits_of(self, ty: &Ty) -> Vec<Had<'a>> {
        if let Ty::Struct(def) = ty
            && let Some(unknown) = &def.unknown
        {
            let facts = self.linked.facts.iter();
            return facts.filter(|fact| unknown.traits.contains(&fact.id)).map(|fact| (fact, None)).collect();
        }
        let of = |fact: &'a Fact| {
            let is_of = fact.kind == Kind::Implementation && self.implementor(fact).as_ref() == Some(ty);
            is_of.then(|| Some((self.implemented(fact)?, Some(fact)))).flatten()
        };
        self.linked.facts.iter().filter_map(of).collect()
    }

    /// The members of a class that have these traits.
    pub fn members(self, class: Class, parameter: &str, traits: &[syn::Path]) -> Vec<Ty> {
        let ids: Vec<&str> = traits.iter().filter_map(|path| self.trait_named(path)).map(|of| of.id.as_str()).collect();
        let mut members = members(class, parameter);
        members.retain(|ty| ids.iter().all(|id| self.implements(ty, id)));
        members
    }

    /// The functions of a name that a type has by traits, `among` those of these ids if there are any.
    pub fn trait_functions(self, ty: &Ty, name: &str, among: Option<&[String]>) -> Vec<Function<'a>> {
        let is = |sig: &syn::Signature| sig.ident.unraw() == name;
        let function = |(of_trait, own): Had<'a>| {
            let declared = of_trait.of_trait()?.items.iter().find_map(|item| match item {
                syn::TraitItem::Fn(item) if is(&item.sig) => Some(item),
                _ => None,
            })?;
            let Some(own) = own else {
                return Some(Function { fact: of_trait, of_trait, sig: &declared.sig, block: None });
            };
            let (fact, sig, block) = match own.methods().find(|item| is(&item.sig)) {
                Some(item) => (own, &item.sig, &item.block),
                // One that lacks it was reported where it is.
                None => (of_trait, &declared.sig, declared.default.as_ref()?),
            };
            Some(Function { fact, of_trait, sig, block: Some(block) })
        };
        self.among(ty, among).into_iter().filter_map(function).collect()
    }

    /// The constants of a name that a type has by traits, `among` those of these ids if there are any.
    pub fn trait_constants(self, ty: &Ty, name: &syn::Ident, among: Option<&[String]>) -> Vec<Constant<'a>> {
        let constant = |(of_trait, own): Had<'a>| {
            let declared = of_trait.of_trait()?.items.iter().find_map(|item| match item {
                syn::TraitItem::Const(item) if item.ident == *name => Some(item),
                _ => None,
            })?;
            let (name, ty) = (&declared.ident, &declared.ty);
            let Some(own) = own else {
                return Some(Constant { fact: of_trait, of_trait, name, ty, value: None });
            };
            match own.associated().find(|item| item.ident == *name) {
                Some(item) => Some(Constant { fact: own, of_trait, name, ty: &item.ty, value: Some(&item.expr) }),
                None => {
                    let (_, value) = declared.default.as_ref()?;
                    Some(Constant { fact: of_trait, of_trait, name, ty, value: Some(value) })
                }
            }
        };
        self.among(ty, among).into_iter().filter_map(constant).collect()
    }

    fn among(self, ty: &Ty, among: Option<&[String]>) -> Vec<Had<'a>> {
        let mut had = self.traits_of(ty);
        if let Some(among) = among {
            had.retain(|(of_trait, _)| among.contains(&of_trait.id));
        }
        had
    }
}

/// The functions of a trait by name, and whether they have a body.
pub fn functions_of(item: &syn::ItemTrait) -> impl Iterator<Item = &syn::TraitItemFn> + Clone {
    item.items.iter().filter_map(|item| if let syn::TraitItem::Fn(item) = item { Some(item) } else { None })
}

/// The name of the last segment of the path of a trait.
pub fn last_name(path: &syn::Path) -> String {
    path.segments.last().map_or_else(String::new, |last| syntax::plain(&last.ident))
}
