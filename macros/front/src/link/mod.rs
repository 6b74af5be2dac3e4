//! How a function finds out about the helpers, structs and constants that it names, wherever
//! they are.
//!
//! A macro sees its own tokens and nothing else. So each item that kernels may name, such as a
//! helper `lerp`, is also a hidden `macro_rules!` that is imported under the name `lerp`: an
//! import takes a name's type and its macro together. So `use`, globs, renaming, re-exports and
//! privacy work as for any item. The macro hands what it knows about itself, its [facts], to
//! the macro that it is told to call. A kernel calls the macros of all that it [names](refs),
//! one after the other, each handing on the growing list ([continuation-passing style](chain)),
//! until the last hop returns the facts of all of them.
//!
//! A helper hands on its tokens, not its IR: its body is lowered again where it is called, with
//! the arguments of the call. So references, closures and type parameters need no calling
//! convention, and errors are on the user's tokens. But first a helper is compiled alone, where
//! it is defined: there, all its mistakes are reported, once. [`Linked`] is the result: the
//! facts of all that a function names, by what it calls them.

pub mod chain;
pub mod enumeration;
pub mod facts;
mod kept;
pub mod refs;
pub mod signs;
pub mod traits;

use crate::generics::{self, Parameter};
use crate::infer::{EnumTy, Field, GenericArg, StructTy, SumTy, Ty};
use crate::known::Bits;
use crate::known::Known;
use crate::names::{Names, Own, Slot, Within};
use crate::report::Refused;
use crate::syntax::{self, spelled_path};
use crate::types;
use crate::types::integer;
use facts::{Fact, Kind};
use kept::Kept;
use samebits_ir::diag::Code;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The facts that a function can reach, and its own names for some of them.
#[derive(Default)]
pub struct Linked {
    facts: Vec<Fact>,
    by_id: BTreeMap<String, usize>,
    /// What the function itself calls each fact that it names, with the path it wrote.
    direct: Vec<(syn::Path, usize)>,
    structs: RefCell<BTreeMap<usize, Option<Rc<StructTy>>>>,
    /// How many generic structs are being made, each for a field of the one before.
    making: Cell<usize>,
    /// The values of constants, each evaluated once.
    constants: RefCell<BTreeMap<usize, Option<Known>>>,
    /// What lowering made of what is written.
    kept: Kept,
}

/// The names of one function, helper or implementation.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    linked: &'a Linked,
    /// Whose names they are; `None` for those of the function that is being expanded.
    owner: Option<usize>,
}

impl Linked {
    /// The facts of what each path names, the first of each list being the path's own.
    pub fn new(found: Vec<(syn::Path, Vec<Fact>)>) -> Self {
        let mut linked = Self::default();
        for (path, facts) in found {
            let mut first = None;
            for fact in facts {
                let index = linked.add(fact);
                first.get_or_insert(index);
            }
            if let Some(first) = first {
                linked.direct.push((path, first));
            }
        }
        linked
    }

    /// Adds a fact unless it is known; one with methods replaces one without.
    fn add(&mut self, fact: Fact) -> usize {
        match self.by_id.get(&fact.id) {
            Some(&index) => {
                if fact.items.len() > self.facts[index].items.len() {
                    self.facts[index] = fact;
                }
                index
            }
            None => {
                self.by_id.insert(fact.id.clone(), self.facts.len());
                self.facts.push(fact);
                self.facts.len() - 1
            }
        }
    }

    /// Lets the function name a fact by a path, in place of one of the same id.
    pub fn name(&mut self, path: syn::Path, fact: Fact) {
        let index = self.add(fact);
        self.direct.retain(|(_, other)| *other != index);
        self.direct.push((path, index));
    }

    /// Notes the value of a constant in a fact.
    pub fn know(&mut self, id: &str, value: (String, Bits)) {
        if let Some(&index) = self.by_id.get(id) {
            self.facts[index].values.push(value);
        }
    }

    /// The facts, each after those that it was linked with.
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// What the function itself names, as it wrote it.
    pub fn direct(&self) -> impl Iterator<Item = (&syn::Path, &Fact)> {
        self.direct.iter().map(|(path, index)| (path, &self.facts[*index]))
    }

    /// The names of the function that is being expanded.
    pub fn scope(&self) -> Scope<'_> {
        Scope { linked: self, owner: None }
    }
}

impl<'a> Scope<'a> {
    /// The fact that a path names. No fact has generic parameters, save a function in a call.
    pub fn find(self, path: &syn::Path) -> Option<&'a Fact> {
        if !syntax::is_bare(path) {
            return None;
        }
        let name = spelled_path(path);
        let index = match self.owner {
            None => self.linked.direct.iter().find(|(path, _)| spelled_path(path) == name)?.1,
            Some(owner) => {
                let (_, id) = self.linked.facts[owner].names.iter().find(|(written, _)| *written == name)?;
                *self.linked.by_id.get(id)?
            }
        };
        Some(&self.linked.facts[index])
    }

    /// The names of a fact that this one names.
    pub fn of(self, fact: &Fact) -> Self {
        Self { linked: self.linked, owner: self.linked.by_id.get(&fact.id).copied() }
    }

    /// Keeps syntax as long as the facts.
    pub fn keep(self, expr: syn::Expr) -> &'a syn::Expr {
        self.linked.kept.keep(expr)
    }

    /// The fact that these are the names of.
    pub fn owner(self) -> Option<&'a Fact> {
        self.owner.map(|owner| &self.linked.facts[owner])
    }

    /// The fact that declares a type.
    pub fn of_type(self, ty: &Ty) -> Option<&'a Fact> {
        let (id, _) = ty.declared()?;
        self.linked.by_id.get(id).map(|&index| &self.linked.facts[index])
    }

    /// The enum that a fact is.
    fn enumeration(self, fact: &Fact) -> Ty {
        let made = fact.enumeration().filter(|_| !fact.broken).and_then(|item| {
            let (id, name) = (fact.id.clone(), fact.name.clone());
            if enumeration::has_fields(item) {
                let cases = self.nested(|| enumeration::cases(item, &self.of(fact)))?.ok()?;
                return Some(Ty::Sum(Rc::new(SumTy { id, name, args: Vec::new(), cases })));
            }
            let (tag, variants) = enumeration::read(item).ok()?;
            Some(Ty::Enum(Rc::new(EnumTy { id, name, tag, variants })))
        });
        made.unwrap_or(Ty::Error)
    }

    /// What is made of the fields of a type, unless made-up facts name each other without end.
    fn nested<T>(self, make: impl FnOnce() -> T) -> Option<T> {
        if self.linked.making.get() >= MAX_DEPTH {
            return None;
        }
        self.linked.making.set(self.linked.making.get() + 1);
        let made = make();
        self.linked.making.set(self.linked.making.get() - 1);
        Some(made)
    }

    /// The struct that a fact is, as a type; `None` if it is wrong, which was reported
    /// where it is declared.
    pub fn structure(self, fact: &Fact) -> Option<Rc<StructTy>> {
        let index = *self.linked.by_id.get(&fact.id)?;
        if let Some(known) = self.linked.structs.borrow().get(&index) {
            return known.clone();
        }
        // A struct that contains itself has no facts; this only keeps made-up ones from looping.
        self.linked.structs.borrow_mut().insert(index, None);
        let made = match (&fact.kind, fact.structure()) {
            (Kind::Struct, Some(item)) if !fact.broken => {
                struct_type(fact, item, Vec::new(), &self.of(fact)).map(Rc::new)
            }
            _ => None,
        };
        self.linked.structs.borrow_mut().insert(index, made.clone());
        made
    }

    /// The generic struct or enum that a path names.
    pub fn generic(self, path: &syn::Path) -> Option<&'a Fact> {
        self.find(path).filter(|fact| !fact.broken && !slots(fact).is_empty())
    }

    /// The struct or enum that a fact is, with these arguments, as many as it has parameters. Types that are not decided are
    /// not held to be of the classes of the parameters.
    pub fn of_arguments(self, fact: &Fact, args: Vec<GenericArg>) -> Result<Ty, Refused> {
        if args.is_empty() {
            return Ok(match fact.kind {
                Kind::Enum if slots(fact).is_empty() => self.enumeration(fact),
                Kind::Enum => Ty::Error,
                _ => self.structure(fact).map_or(Ty::Error, Ty::Struct),
            });
        }
        let Some(parameters) = fact.generics().filter(|_| !fact.broken) else { return Ok(Ty::Error) };
        let mut own = Own::default();
        for (parameter, arg) in generics::parameters(parameters).into_iter().zip(&args) {
            let (class, name) = match &parameter {
                Parameter::Type { class, name, .. } => (*class, name.clone()),
                other => (None, other.name()),
            };
            match arg {
                GenericArg::Ty(Ty::Error) => return Ok(Ty::Error),
                GenericArg::Ty(ty)
                    if fact.kind == Kind::Enum && (ty.has_atomics() || matches!(ty, Ty::Slice(_) | Ty::Ids(_))) =>
                {
                    let refused = Refused::new(Code::V201, format!("an enum cannot hold `{ty}`"));
                    return Err(refused.help("take its value"));
                }
                GenericArg::Ty(ty) => {
                    if let Some(class) = class.filter(|class| !ty.is_open() && !class.contains(ty)) {
                        return Err(class.refuse((&fact.name, &name), &ty.to_string()));
                    }
                    own.types.push((name, ty.clone()));
                }
                GenericArg::Len(len) => own.lengths.push((name, i128::from(*len))),
            }
        }
        let around = self.of(fact);
        let names = Within { own: &own, around: &around };
        let made = self.nested(|| match (fact.structure(), fact.enumeration()) {
            (Some(item), _) => Some(Ty::Struct(Rc::new(struct_type(fact, item, args, &names)?))),
            (None, Some(item)) => {
                let (id, name) = (fact.id.clone(), fact.name.clone());
                let cases = enumeration::cases(item, &names).ok()?;
                Some(Ty::Sum(Rc::new(SumTy { id, name, args, cases })))
            }
            (None, None) => None,
        });
        let Some(ty) = made.flatten() else { return Ok(Ty::Error) };
        if ty.nodes() > MAX_PARTS {
            let message =
                format!("a `{}` of this type has more than {MAX_PARTS} parts, counting those in it", fact.name);
            return Err(Refused::new(Code::V019, message).help("use an array"));
        }
        Ok(ty)
    }

    /// How the function that is being expanded names a constant of a fact, for rustc: the
    /// type that it is an associated constant of, and its number there.
    pub fn constant_path(self, origin: &str, key: &str) -> Option<syn::Path> {
        self.linked.direct.iter().find_map(|(path, index)| {
            let fact = &self.linked.facts[*index];
            // Those of a trait come by the types that have it.
            let constants = Some(&fact.constants).filter(|_| fact.kind != Kind::Trait)?;
            let at = constants.iter().position(|constant| constant.origin == origin && constant.key == key)?;
            let mut path = sampled(path, &self.linked.facts[*index]);
            path.segments.push(constant_name(at).into());
            Some(path)
        })
    }
}

impl Names for Scope<'_> {
    fn ty(&self, path: &syn::Path) -> Option<Result<Ty, Refused>> {
        let fact = self.find(path)?;
        match fact.kind {
            Kind::Struct | Kind::Enum if self.generic(path).is_some() => Some(Err(needs_arguments(fact))),
            Kind::Struct => Some(Ok(self.structure(fact).map_or(Ty::Error, Ty::Struct))),
            Kind::Enum => Some(Ok(self.enumeration(fact))),
            Kind::Function | Kind::Constant | Kind::Trait | Kind::Implementation => None,
        }
    }

    fn slots(&self, path: &syn::Path) -> Option<Vec<Slot>> {
        self.generic(path).map(slots)
    }

    fn instance(&self, path: &syn::Path, args: Vec<GenericArg>) -> Option<Result<Ty, Refused>> {
        Some(self.of_arguments(self.find(path)?, args))
    }

    fn constant(&self, path: &syn::Path) -> Option<Known> {
        let fact = self.find(path)?;
        let index = *self.linked.by_id.get(&fact.id)?;
        if let Some(known) = self.linked.constants.borrow().get(&index) {
            return *known;
        }
        // As for structs, made-up facts may name each other.
        self.linked.constants.borrow_mut().insert(index, None);
        let value = fact
            .constant()
            .and_then(|item| integer::item(&item.ty, &item.expr, fact.value(&item.ident), &self.of(fact)));
        self.linked.constants.borrow_mut().insert(index, value);
        value
    }

    fn has_trait(&self, path: &syn::Path, ty: &Ty) -> Option<(String, bool)> {
        let id = self.trait_named(path)?.id.clone();
        let has = self.implements(ty, &id);
        Some((id, has))
    }

    fn length(&self, path: &syn::Path) -> Option<u32> {
        let fact = self.find(path)?;
        let item = fact.constant().filter(|_| !fact.broken)?;
        types::read(&item.ty, &self.of(fact)).ok()?.len()
    }
}

/// The name of the `at`-th constant that a helper or struct passes on.
pub fn constant_name(at: usize) -> proc_macro2::Ident {
    proc_macro2::Ident::new(&format!("__SAMEBITS_{at}"), proc_macro2::Span::mixed_site())
}

/// How rustc finds a fact of this path, with some arguments if it is a generic struct.
pub fn sampled(path: &syn::Path, fact: &Fact) -> syn::Path {
    let mut path = path.clone();
    if let (Some(last), Some(sample)) = (path.segments.last_mut(), fact.sample()) {
        last.arguments = syn::PathArguments::AngleBracketed(sample);
    }
    path
}

/// How deep generic structs may be in each other's fields.
const MAX_DEPTH: usize = 64;
/// The most types that a generic struct may be made of, those in it included.
const MAX_PARTS: usize = 256;

/// What the parameters of the struct or the enum that a fact is are.
pub fn slots(fact: &Fact) -> Vec<Slot> {
    fact.generics().map_or(Vec::new(), slots_of)
}

/// What the parameters of a struct or an enum are.
pub fn slots_of(generics: &syn::Generics) -> Vec<Slot> {
    let slot = |param: &syn::GenericParam| match param {
        syn::GenericParam::Type(ty) => Some(Slot::Type(syntax::plain(&ty.ident))),
        syn::GenericParam::Const(value) => Some(Slot::Length(syntax::plain(&value.ident))),
        syn::GenericParam::Lifetime(_) => None,
    };
    generics.params.iter().filter_map(slot).collect()
}

fn needs_arguments(fact: &Fact) -> Refused {
    let slots = slots(fact);
    let names: Vec<&str> = slots.iter().map(Slot::name).collect();
    let example = slots.iter().map(|slot| if matches!(slot, Slot::Type(_)) { "f32" } else { "4" });
    let example = example.collect::<Vec<_>>().join(", ");
    Refused::new(Code::V204, format!("missing generics for `{}<{}>`", fact.name, names.join(", ")))
        .help(format!("write its arguments, as in `{}<{example}>`", fact.name))
}

/// The type of a struct whose declaration was found right.
fn struct_type(fact: &Fact, item: &syn::ItemStruct, args: Vec<GenericArg>, names: &dyn Names) -> Option<StructTy> {
    let fields = item.fields.iter().enumerate().map(|(i, field)| {
        let name = match &field.ident {
            Some(name) => syn::ext::IdentExt::unraw(name).to_string(),
            None => i.to_string(),
        };
        let ty = types::read(&field.ty, names).ok()?;
        Some(Field { name, ty, public: matches!(field.vis, syn::Visibility::Public(_)) })
    });
    let (tuple, fields) = (matches!(item.fields, syn::Fields::Unnamed(_)), fields.collect::<Option<_>>()?);
    Some(StructTy { id: fact.id.clone(), name: fact.name.clone(), args, fields, tuple, unknown: None })
}
