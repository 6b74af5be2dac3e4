//! Types as the user writes them.

use crate::infer::Ty;
use samebits_ir::diag::Code;
use samebits_ir::types::Scalar;

/// Why a type was refused.
pub struct Refused {
    /// The code.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Refused {
    fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// What generics in a vector's or `Atomic`'s angle brackets hold: one type.
pub fn type_argument(segment: &syn::PathSegment) -> Option<&syn::Type> {
    let syn::PathArguments::AngleBracketed(args) = &segment.arguments else { return None };
    match (args.args.first(), args.args.len()) {
        (Some(syn::GenericArgument::Type(ty)), 1) => Some(ty),
        _ => None,
    }
}

/// Looks through the invisible and visible parentheses that macros and users put around a type.
pub fn peel(mut ty: &syn::Type) -> &syn::Type {
    loop {
        ty = match ty {
            syn::Type::Group(group) => &group.elem,
            syn::Type::Paren(paren) => &paren.elem,
            other => return other,
        };
    }
}

/// The type that a value, element or array has. `Atomic<T>` and arrays are accepted
/// here; callers refuse them where they do not belong.
pub fn read(ty: &syn::Type) -> Result<Ty, Refused> {
    match peel(ty) {
        syn::Type::Path(path) if path.qself.is_none() => {
            let Some(segment) = path.path.segments.last() else { return Err(unknown(ty)) };
            named(ty, segment)
        }
        syn::Type::Array(array) => {
            let element = read(&array.elem)?;
            match &element {
                Ty::Scalar(_) | Ty::Vector(..) | Ty::Array(..) | Ty::Atomic(_) => {}
                Ty::Usize => return Err(no_usize()),
                _ => return Err(unknown(ty)),
            }
            Ok(Ty::Array(Box::new(element), array_len(&array.len)?))
        }
        syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Ty::Unit),
        _ => Err(unknown(ty)),
    }
}

/// The number of elements in `[T; N]`.
pub fn array_len(len: &syn::Expr) -> Result<u32, Refused> {
    let literal = match len {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse::<u32>().ok(),
        _ => None,
    };
    match literal {
        Some(0) => Err(Refused::new(Code::V024, "an array needs at least one element")),
        Some(n) => Ok(n),
        None => Err(Refused::new(Code::V201, "the length of an array must be an integer literal below 2^32")),
    }
}

fn named(ty: &syn::Type, segment: &syn::PathSegment) -> Result<Ty, Refused> {
    let name = segment.ident.to_string();
    if segment.arguments.is_none() {
        if name == "usize" {
            return Ok(Ty::Usize);
        }
        if name == "isize" {
            return Err(Refused::new(Code::V201, "`isize` cannot be used in a kernel").help("use `i32`"));
        }
        return match Scalar::from_name(&name) {
            Some(s @ (Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::U64 | Scalar::F32)) => Ok(Ty::Scalar(s)),
            Some(s) => Err(Refused::new(Code::V201, format!("`{}` cannot be used in a kernel yet", s.name()))
                .help("use one of `i32`, `u32`, `u64`, `f32`, `bool` and `usize`")),
            None => Err(unknown(ty)),
        };
    }
    let Some(argument) = type_argument(segment) else { return Err(unknown(ty)) };
    let lanes = match name.as_str() {
        "Vec2" => 2,
        "Vec3" => 3,
        "Vec4" => 4,
        "Atomic" => {
            return match read(argument)? {
                Ty::Scalar(s @ (Scalar::I32 | Scalar::U32)) => Ok(Ty::Atomic(s)),
                other => Err(Refused::new(Code::V014, format!("`{other}` has no atomics"))
                    .help("use `Atomic<u32>` or `Atomic<i32>`")),
            };
        }
        _ => return Err(unknown(ty)),
    };
    match read(argument)? {
        Ty::Scalar(s @ (Scalar::I32 | Scalar::U32 | Scalar::F32)) => Ok(Ty::Vector(s, lanes)),
        other => Err(Refused::new(Code::V201, format!("a vector cannot have lanes of type `{other}`"))
            .help(format!("use `Vec{lanes}<f32>`, `Vec{lanes}<u32>` or `Vec{lanes}<i32>`"))),
    }
}

/// `usize` in memory that the host sees, or in an array.
pub fn no_usize() -> Refused {
    Refused::new(Code::V201, "`usize` cannot be an element: its size in memory differs between host and device")
        .help("use `u32`, and `as usize` where an index is needed")
}

fn unknown(ty: &syn::Type) -> Refused {
    let text = quote::ToTokens::to_token_stream(ty).to_string();
    Refused::new(Code::V201, format!("`{text}` is not a type of the kernel language"))
        .help("use one of `i32`, `u32`, `u64`, `f32`, `bool`, `usize`, `Vec2`, `Vec3`, `Vec4`")
}
