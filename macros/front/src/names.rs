//! What those names in an item mean that are not part of the language.
//!
//! [`types`](crate::types) reads types and integers by way of a [`Names`]. Here are those that need nothing else;
//! [`link`](mod@crate::link) has the names of what was linked, [`lower`](crate::lower) those in a body.

use crate::infer::{GenericArg, StructTy, Ty};
use crate::known::{Kind, Known};
use crate::report::Refused;
use crate::syntax;
use crate::words::reserved;
use std::cell::Cell;
use syn::ext::IdentExt;

/// What those names mean that are not part of the language.
pub trait Names {
    /// The type that a path names, if it is a struct, a type parameter or `Self`.
    fn ty(&self, path: &syn::Path) -> Option<Result<Ty, Refused>>;
    /// What the parameters of the generic struct that a path names are; `None` if it names none.
    fn slots(&self, _: &syn::Path) -> Option<Vec<Slot>> {
        None
    }
    /// Whether a type may have arguments that nothing is known of.
    fn takes_any(&self) -> bool {
        false
    }
    /// That struct with arguments, as many as it has parameters.
    fn instance(&self, _: &syn::Path, _: Vec<GenericArg>) -> Option<Result<Ty, Refused>> {
        None
    }
    /// The value of the integer constant that a path names.
    fn constant(&self, path: &syn::Path) -> Option<Known>;
    /// The length of the array that the constant of a path is.
    fn length(&self, path: &syn::Path) -> Option<u32>;
    /// The id of the trait that a path names, and whether a type has it; nothing if no trait is known by this name.
    fn has_trait(&self, _: &syn::Path, _: &Ty) -> Option<(String, bool)> {
        None
    }
    /// Whether a constant was asked for whose value is not known yet, so that no number that was computed
    /// since then says anything.
    fn is_assumed(&self) -> bool {
        false
    }
}

/// What a parameter of a generic struct is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A type, and its name.
    Type(String),
    /// A `const N: usize`, and its name.
    Length(String),
}

impl Slot {
    /// The parameter's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Type(name) | Self::Length(name) => name,
        }
    }
}

/// For where nothing is in scope.
pub struct NoNames;

impl Names for NoNames {
    fn ty(&self, _: &syn::Path) -> Option<Result<Ty, Refused>> {
        None
    }

    fn constant(&self, _: &syn::Path) -> Option<Known> {
        None
    }

    fn length(&self, _: &syn::Path) -> Option<u32> {
        None
    }
}

/// What a function's own names mean: its type and constant parameters, and `Self`.
#[derive(Clone, Default, Debug)]
pub struct Own {
    /// The type parameters.
    pub types: Vec<(String, Ty)>,
    /// The constant parameters.
    pub lengths: Vec<(String, i128)>,
    /// What `Self` is.
    pub self_ty: Option<Ty>,
    /// The ids of the traits that are bounds of a type parameter, or of `Self` in a trait.
    pub bounds: Vec<(String, Vec<String>)>,
}

impl Own {
    /// The type that a path names, if it is one of these.
    pub fn ty(&self, path: &syn::Path) -> Option<Ty> {
        let name = path.get_ident()?.unraw().to_string();
        let own = self.types.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty);
        self.self_ty.as_ref().filter(|_| name == "Self").or(own).cloned()
    }

    /// The ids of the traits by which a type parameter has functions; nothing for another path.
    pub fn bounds(&self, path: &syn::Path) -> Option<&[String]> {
        let name = path.get_ident()?.unraw().to_string();
        self.bounds.iter().find(|(known, _)| *known == name).map(|(_, traits)| traits.as_slice())
    }

    /// The value of the constant parameter of this name.
    pub fn length(&self, name: &str) -> Option<i128> {
        self.lengths.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// The value that a path names, if it is a constant parameter.
    pub fn constant(&self, path: &syn::Path) -> Option<Known> {
        Known::of(self.length(&path.get_ident()?.unraw().to_string())?, Some(Kind::Usize))
    }

    /// The instance as messages show it, such as `T = f32, N = 8`.
    pub fn shown(&self) -> String {
        let types = self.types.iter().map(|(name, ty)| match ty {
            // It stands for all structs, and has no name that anybody knows.
            Ty::Struct(def) if def.unknown.as_ref().is_some_and(|unknown| !unknown.traits.is_empty()) => {
                format!("{name} is a type with these traits")
            }
            Ty::Struct(def) if def.is_opaque() => format!("{name} is a struct"),
            ty => format!("{name} = {ty}"),
        });
        let lengths = self.lengths.iter().map(|(name, value)| format!("{name} = {value}"));
        types.chain(lengths).collect::<Vec<_>>().join(", ")
    }
}

/// A function's own names, before those of what is around it.
pub struct Within<'n> {
    /// Its own names.
    pub own: &'n Own,
    /// Those around it.
    pub around: &'n dyn Names,
}

impl Names for Within<'_> {
    fn ty(&self, path: &syn::Path) -> Option<Result<Ty, Refused>> {
        self.own.ty(path).map(Ok).or_else(|| self.around.ty(path))
    }

    fn slots(&self, path: &syn::Path) -> Option<Vec<Slot>> {
        if self.own.ty(path).is_some() { None } else { self.around.slots(path) }
    }

    fn takes_any(&self) -> bool {
        self.around.takes_any()
    }

    fn instance(&self, path: &syn::Path, args: Vec<GenericArg>) -> Option<Result<Ty, Refused>> {
        self.around.instance(path, args)
    }

    fn constant(&self, path: &syn::Path) -> Option<Known> {
        self.own.constant(path).or_else(|| self.around.constant(path))
    }

    fn length(&self, path: &syn::Path) -> Option<u32> {
        self.around.length(path)
    }

    fn has_trait(&self, path: &syn::Path, ty: &Ty) -> Option<(String, bool)> {
        self.around.has_trait(path, ty)
    }

    fn is_assumed(&self) -> bool {
        self.around.is_assumed()
    }
}

/// What names mean before anything is linked: whatever may be a struct is one.
#[derive(Default)]
pub struct Assumed {
    /// Whether a constant was asked for, whose value is not known.
    pub constant: Cell<bool>,
}

impl Names for Assumed {
    fn ty(&self, path: &syn::Path) -> Option<Result<Ty, Refused>> {
        let ident = &path.segments.last()?.ident;
        let last = ident.unraw().to_string();
        (syntax::is_type_name(ident) && !reserved::is_known_type(&last))
            .then(|| Ok(Ty::Struct(StructTy::opaque(&last))))
    }

    fn takes_any(&self) -> bool {
        true
    }

    fn constant(&self, _: &syn::Path) -> Option<Known> {
        self.constant.set(true);
        Some(Known { value: 1, ty: None })
    }

    fn length(&self, _: &syn::Path) -> Option<u32> {
        self.constant.set(true);
        Some(1)
    }

    fn is_assumed(&self) -> bool {
        self.constant.get()
    }
}
