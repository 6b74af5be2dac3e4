//! What a kernel's signature says: the part of an item that the launcher is made from.
//!
//! [`parse`](crate::parse) makes it, lowering and [`emit`](crate::emit) read it. A parameter
//! whose type was refused has the type [`Type::Error`]: the launcher still exists and takes
//! anything in its place, so that one mistake stays one error.

use samebits_ir::ir::Access;
use samebits_ir::types::Type;

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
    /// Whether floats may be less strict.
    pub fast_math: bool,
    /// The parameters in order.
    pub params: Vec<Param>,
    /// Constants from outside that the body uses; the launch passes them after the parameters.
    pub constants: Vec<Constant>,
}

/// A constant from outside of the kernel.
pub struct Constant {
    /// Its path.
    pub path: syn::Path,
    /// Whether it is cast to the type.
    pub cast: bool,
    /// The type that the kernel uses it as, in Rust.
    pub ty: proc_macro2::TokenStream,
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
    /// `&[T]`, `&mut [T]` or `&[Atomic<T>]`.
    Buffer {
        /// The element as the IR knows it.
        element: Type,
        /// The element as written, without `Atomic<…>`.
        written: syn::Type,
        /// What the kernel may do with it.
        access: Access,
    },
    /// A launch argument.
    Scalar {
        /// The type as the IR knows it.
        ty: Type,
        /// The type as written.
        written: syn::Type,
    },
}
