//! Types as the user writes them.

pub mod integer;

use crate::infer::{GenericArg, Ty};
use crate::known::{Kind, Known};
use crate::names::{Names, Slot};
use crate::report::Refused;
use crate::spell::spelled;
use crate::syntax::{bare, is_bare, peel_type, spelled_path, type_argument};
use crate::words::around::{Around, Plain};
use crate::words::foreign;
use crate::words::reserved::is_known_type;
use samebits_ir::diag::{Code, count};
use samebits_ir::ops::AtomicOp;
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

/// The type that a value, element or array has. `Atomic<T>` and arrays are accepted
/// here; callers refuse them where they do not belong.
pub fn read(ty: &syn::Type, names: &dyn Names) -> Result<Ty, Refused> {
    match peel_type(ty) {
        syn::Type::Path(path) if path.qself.is_none() => {
            let plain = bare(&path.path);
            if let Some(slots) = names.slots(&plain).filter(|_| !is_bare(&path.path)) {
                let args = arguments(&path.path, &slots, names)?;
                return names.instance(&plain, args).unwrap_or_else(|| unknown(ty));
            }
            if let Some(known) = names.ty(&plain) {
                // Of what is wrong nothing more is said.
                let fits = is_bare(&path.path) || matches!(known, Ok(Ty::Error)) || names.takes_any();
                return if fits { known } else { Err(no_arguments(&path.path)) };
            }
            let Some(segment) = path.path.segments.last() else { return unknown(ty) };
            let before = path.path.segments.iter().rev().skip(1);
            match before.filter(|segment| !segment.arguments.is_none()).count() {
                0 => named(ty, segment, names),
                _ => unknown(ty),
            }
        }
        syn::Type::Array(array) => {
            let element = read(&array.elem, names)?;
            match &element {
                Ty::Struct(def) if def.is_marker() => return Err(no_value(&def.name)),
                Ty::Scalar(_) | Ty::Bf16 | Ty::Vector(..) | Ty::Matrix(..) | Ty::Array(..) => {}
                Ty::Struct(_) | Ty::Enum(_) | Ty::Atomic(_) => {}
                // Private memory alone holds them.
                Ty::Sum(_) => {}
                // Only device code sees the memory of a `usize`.
                Ty::Usize => {}
                // Of a type parameter that the call will decide.
                Ty::Var(_) | Ty::Error => {}
                _ => return unknown(ty),
            }
            if element == Ty::Error {
                return Ok(Ty::Error);
            }
            Ok(Ty::Array(Box::new(element), array_len(&array.len, names)?))
        }
        syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Ty::Unit),
        syn::Type::Tuple(tuple) => {
            let parts: Vec<Ty> = tuple.elems.iter().map(|ty| read(ty, names)).collect::<Result<_, _>>()?;
            if let Some(Ty::Struct(def)) = parts.iter().find(|part| matches!(part, Ty::Struct(def) if def.is_marker()))
            {
                return Err(no_value(&def.name));
            }
            match parts.iter().find(|part| matches!(part, Ty::Slice(_) | Ty::Ids(_)) || part.has_atomics()) {
                Some(part) => Err(Refused::new(Code::V201, format!("a tuple cannot hold `{part}`"))),
                None => Ok(Ty::Tuple(parts)),
            }
        }
        _ => unknown(ty),
    }
}

/// The arguments behind a path that names a generic struct.
fn arguments(path: &syn::Path, slots: &[Slot], names: &dyn Names) -> Result<Vec<GenericArg>, Refused> {
    let given = given(path, slots)?;
    slots.iter().zip(given).map(|(slot, argument)| argument_of(slot, argument, names)).collect()
}

/// What stands between the angle brackets of a path that names a generic struct.
pub fn given<'a>(path: &'a syn::Path, slots: &[Slot]) -> Result<Vec<&'a syn::GenericArgument>, Refused> {
    let last = path.segments.last().map(|last| &last.arguments);
    let others = path.segments.iter().rev().skip(1).any(|segment| !segment.arguments.is_none());
    let Some(syn::PathArguments::AngleBracketed(list)) = last.filter(|_| !others) else {
        return Err(no_arguments(path));
    };
    if list.args.len() != slots.len() {
        let message = format!(
            "`{}` has {}, but {} given",
            spelled_path(path),
            count(slots.len(), "generic parameter"),
            if list.args.len() == 1 { "1 is".to_owned() } else { format!("{} are", list.args.len()) }
        );
        return Err(Refused::new(Code::V204, message));
    }
    Ok(list.args.iter().collect())
}

/// An argument of a generic struct, as its parameter takes it.
pub fn argument_of(slot: &Slot, given: &syn::GenericArgument, names: &dyn Names) -> Result<GenericArg, Refused> {
    match (slot, given) {
        (Slot::Type(_), syn::GenericArgument::Type(ty)) => read(ty, names).map(GenericArg::Ty),
        (Slot::Length(_), syn::GenericArgument::Const(value)) => array_len(value, names).map(GenericArg::Len),
        // What may be a type is read as one.
        (Slot::Length(_), syn::GenericArgument::Type(syn::Type::Path(path))) => {
            let path = syn::ExprPath { attrs: Vec::new(), qself: path.qself.clone(), path: path.path.clone() };
            array_len(&syn::Expr::Path(path), names).map(GenericArg::Len)
        }
        (Slot::Type(name), _) => Err(Refused::new(Code::V204, format!("`{name}` is a type")).help("write a type")),
        (Slot::Length(name), _) => {
            Err(Refused::new(Code::V204, format!("`{name}` is a `usize`")).help("write a number"))
        }
    }
}

/// Generic arguments where nothing takes any.
pub fn no_arguments(path: &syn::Path) -> Refused {
    let shown = spelled_path(path);
    Refused::new(Code::V204, format!("`{shown}` has no generic parameters, but arguments are given"))
        .help(format!("write `{shown}`"))
}

/// The number of elements in `[T; N]`.
pub fn array_len(len: &syn::Expr, names: &dyn Names) -> Result<u32, Refused> {
    let known = integer::evaluate(len, names);
    if let Some(Known { ty: Some(kind @ Kind::Fixed(_)), .. }) = known {
        let found = kind.ty();
        return Err(Refused::new(Code::V200, format!("mismatched types: expected `usize`, found `{found}`"))
            .help("a length is a `usize`: write `… as usize`"));
    }
    match known.map(|known| u32::try_from(known.value)) {
        // It is judged when the constants are linked.
        _ if names.is_assumed() => Ok(1),
        Some(Ok(0)) => Err(Refused::new(Code::V024, "an array needs at least one element")),
        Some(Ok(n)) => Ok(n),
        Some(Err(_)) => Err(Refused::new(Code::V201, "an array has fewer than 2^32 elements")),
        None => Err(Refused::new(Code::V201, "the length of an array must be known here")
            .help("use a literal, a `const` inside of the kernel, or a `#[device] const`")),
    }
}

fn named(ty: &syn::Type, segment: &syn::PathSegment, names: &dyn Names) -> Result<Ty, Refused> {
    let name = segment.ident.to_string();
    if segment.arguments.is_none() {
        match name.as_str() {
            "usize" => return Ok(Ty::Usize),
            "bf16" => return Ok(Ty::Bf16),
            _ => {}
        }
        return match Scalar::from_name(&name) {
            Some(s) => Ok(Ty::Scalar(s)),
            None => unknown(ty),
        };
    }
    let Some(argument) = type_argument(segment) else { return unknown(ty) };
    if let Some(columns) = columns(&segment.ident) {
        return matrix_of(read(argument, names)?, columns);
    }
    match (lanes(&segment.ident), name.as_str()) {
        (Some(lanes), _) => vector_of(read(argument, names)?, lanes),
        (None, "Option") => match read(argument, names)? {
            other if matches!(other, Ty::Slice(_) | Ty::Ids(_)) || other.has_atomics() => {
                Err(Refused::new(Code::V201, format!("an `Option` cannot hold `{other}`")).help("take its value"))
            }
            Ty::Error => Ok(Ty::Error),
            held => Ok(Ty::option(held)),
        },
        (None, "Atomic") => match read(argument, names)? {
            Ty::Scalar(scalar) if AtomicOp::CLASS.contains(scalar) => Ok(Ty::Atomic(scalar)),
            other => Err(Refused::new(Code::V014, format!("`{other}` has no atomics"))
                .help("use a number of a fixed size, such as `Atomic<u32>`")),
        },
        _ => unknown(ty),
    }
}

/// The number of lanes of a type of vectors.
pub fn lanes(name: &syn::Ident) -> Option<u8> {
    (2..=4).find(|lanes| *name == format!("Vec{lanes}"))
}

/// The number of columns of a type of matrices.
pub fn columns(name: &syn::Ident) -> Option<u8> {
    (2..=4).find(|columns| *name == format!("Mat{columns}"))
}

/// The matrix type of so many columns of a type.
pub fn matrix_of(lane: Ty, columns: u8) -> Result<Ty, Refused> {
    match lane {
        Ty::Var(_) => {}
        Ty::Scalar(scalar) if scalar.is_float() => {}
        other => {
            return Err(Refused::new(Code::V201, format!("a matrix cannot be of `{other}`"))
                .help(format!("use a float, as in `Mat{columns}<f32>`")));
        }
    }
    Ok(Ty::Matrix(Box::new(Ty::Vector(Box::new(lane), columns)), columns))
}

/// The vector type of so many lanes of a type.
pub fn vector_of(lane: Ty, lanes: u8) -> Result<Ty, Refused> {
    match lane {
        lane @ (Ty::Scalar(_) | Ty::Var(_)) => Ok(Ty::Vector(Box::new(lane), lanes)),
        other => Err(Refused::new(Code::V201, format!("a vector cannot have lanes of type `{other}`"))
            .help(format!("use a number of a fixed size or `bool`, as in `Vec{lanes}<u32>`"))),
    }
}

/// `usize` in memory that the host sees.
pub fn no_usize(element: &Ty) -> Refused {
    let message = match element {
        Ty::Usize => "a buffer cannot hold `usize`: its size in memory differs between host and device".to_owned(),
        other => format!(
            "a buffer cannot hold `{other}`: a `usize` is in it, whose size in memory differs between host and device"
        ),
    };
    Refused::new(Code::V201, message).help("use `u32`, and `as usize` where an index is needed")
}

/// Something that memory cannot hold.
pub fn no_element(ty: &Ty) -> Refused {
    Refused::new(Code::V201, format!("memory cannot hold `{ty}`")).help("use a scalar, a vector or an array of them")
}

/// Atomics of 64 bits beside something else.
pub fn mixed_atomics(ty: &Ty) -> Refused {
    let message = format!("atomics of 64 bits cannot lie beside other numbers, as in `{ty}`");
    Refused::new(Code::V201, message).help("give them a struct or a buffer of their own, or use atomics of 32 bits")
}

/// A value of a struct without fields.
pub fn no_value(name: &str) -> Refused {
    Refused::new(Code::V201, format!("there are no values of `{name}` in a kernel, since it has no fields"))
        .help(format!("name it as a type argument, as in `f::<{name}>(…)`, or give it a field"))
}

/// An enum with fields, or an `Option`, where memory is asked for that others see.
pub fn no_sum(what: &str, ty: &Ty) -> Refused {
    let refused =
        Refused::new(Code::V201, format!("{what} cannot hold `{ty}`: which variant it is has no place in memory"));
    refused.help(beside(ty))
}

/// How to write an `Option` or an enum with fields where it cannot be.
pub fn beside(ty: &Ty) -> &'static str {
    match ty.innermost() {
        Ty::Sum(_) if ty.innermost().held().is_none() => {
            "use its fields, and beside them a `u32` that says which variant it is"
        }
        _ => "use the value, and beside it a `u32` that says whether there is one",
    }
}

/// A type that the language lacks, or that is wrong where it is declared.
fn unknown(ty: &syn::Type) -> Result<Ty, Refused> {
    match peel_type(ty) {
        // It cannot have its name, which was reported there.
        syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| Around::links_to(&last.ident)) => {
            Ok(Ty::Error)
        }
        _ => Err(no_type(ty)),
    }
}

fn no_type(ty: &syn::Type) -> Refused {
    const FUNCTION: &str = "a helper takes a function as `impl Fn(u32) -> u32`";
    let refused = Refused::new(Code::V201, format!("`{}` is not a type of the kernel language", spelled(ty)));
    if let syn::Type::Path(path) = peel_type(ty)
        && let Some(segment) = path.path.segments.last()
        && segment.ident == "Vec"
        && let Some(element) = type_argument(segment)
    {
        let element = spelled(element);
        return refused
            .help(format!("for a buffer write `&[{element}]`, or `&mut [{element}]` if the kernel stores to it"));
    }
    let name = match peel_type(ty) {
        syn::Type::Reference(reference) => match peel_type(&reference.elem) {
            syn::Type::Path(path) => path.path.segments.last(),
            syn::Type::BareFn(_) | syn::Type::TraitObject(_) => return refused.help(FUNCTION),
            _ => None,
        },
        syn::Type::Path(path) => path.path.segments.last(),
        syn::Type::Ptr(_) => return refused.help("take a buffer, `&[T]` or `&mut [T]`, and an index"),
        syn::Type::BareFn(_) | syn::Type::TraitObject(_) => return refused.help(FUNCTION),
        syn::Type::Slice(_) => return refused.help("write `&[T]` or `&mut [T]`"),
        syn::Type::Never(_) => return refused.help("remove the type"),
        _ => None,
    };
    if let Some(name) = name {
        let shown = name.ident.unraw().to_string();
        if let Some(help) = foreign::ty(&shown) {
            return refused.help(help);
        }
        match Around::plain_of(&name.ident) {
            Some(Plain::Struct) => {
                return refused
                    .help(format!("write `#[derive(Clone, Copy, Element)] #[repr(C)]` before `struct {shown}`"));
            }
            Some(Plain::Enum) => {
                return refused.help(format!(
                    "write `#[derive(Clone, Copy, Element)]` before `enum {shown}`, and `#[repr(u32)]` if no variant has fields"
                ));
            }
            Some(Plain::Alias) => return refused.help("write the type that it stands for"),
            _ if name.arguments.is_none() && shown.starts_with(char::is_uppercase) && !is_known_type(&shown) => {
                let help =
                    format!("import it, or declare it: `#[derive(Clone, Copy, Element)] #[repr(C)] struct {shown}`");
                return refused.help(help);
            }
            _ => {}
        }
    }
    refused
        .help("use one of `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64`, `bool`, `usize`, `Vec2` to `Vec4`, `Mat2` to `Mat4`")
}
