//! What a kernel's signature says: the part of an item that the launcher is made from.
//!
//! [`parse`](crate::parse) makes it; lowering and [`emit`](crate::emit) read it. A parameter whose type was refused has the type [`Ty::Error`]: the launcher still exists and accepts anything there, so that one mistake stays one error.

use crate::declare::Declared;
use crate::infer::Ty;
use crate::names::Own;
use crate::requires::Required;
use samebits_ir::analysis::lints::Lint;
use samebits_ir::ir::{Access, Elements};

/// What `deny` lists.
#[derive(Clone, Copy, Default, Debug)]
pub struct Denied {
    /// A guard that stays inside of a loop.
    pub guards: bool,
    /// What depends on the order in which invocations run.
    pub schedule: bool,
}

/// A kernel's name, surroundings and parameters.
pub struct Signature {
    /// Attributes of the function that belong on the launcher: docs, `cfg`, lints.
    pub attrs: Vec<syn::Attribute>,
    /// The function's visibility.
    pub vis: syn::Visibility,
    /// The function's name.
    pub name: syn::Ident,
    /// The path of the `samebits` crate.
    pub krate: syn::Path,
    /// Invocations of a workgroup on x, y, z.
    pub workgroup_size: [u32; 3],
    /// What it may use beyond what every device has.
    pub declared: Declared,
    /// Whether floats may be less strict.
    pub fast_math: bool,
    /// Whether lines of `debug!` are said.
    pub debug: bool,
    /// What every launch satisfies.
    pub requires: Vec<Required>,
    /// What is a mistake in it beyond what always is.
    pub denied: Denied,
    /// What it is warned of.
    pub warned: Vec<Lint>,
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The instances of a generic kernel.
    pub instances: Vec<Instance>,
    /// Its type and constant parameters, in order.
    pub generics: syn::Generics,
}

/// What the parameters of a generic kernel are in one of its instances.
#[derive(Clone, Default)]
pub struct Instance {
    /// The parameters.
    pub own: Own,
    /// The arguments for the angle brackets, in order, as written.
    pub arguments: Vec<proc_macro2::TokenStream>,
}

/// A parameter of a kernel.
pub struct Param {
    /// Its name.
    pub name: syn::Ident,
    /// Whether the pattern says `mut`.
    pub mutable: bool,
    /// What it is.
    pub kind: ParamKind,
}

/// What a parameter is.
pub enum ParamKind {
    /// `&[T]`, `&mut [T]`, `&[Atomic<T>]`, `Distinct<'_, u32>` or `Below<'_, u32>`.
    Buffer {
        /// The element.
        element: Ty,
        /// The element as written, without `Atomic<…>`; the whole type if something is promised of the elements.
        written: syn::Type,
        /// What the kernel may do with it.
        access: Access,
        /// What is promised of its elements.
        elements: Elements,
    },
    /// A launch argument.
    Scalar {
        /// The type.
        ty: Ty,
        /// The type as written.
        written: syn::Type,
    },
}
