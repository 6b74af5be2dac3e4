//! Classes of types that type parameters stand for, and how functions that are arguments may be called.
//!
//! A generic helper is checked for every member of its classes where it is defined, so that
//! a call needs to prove no more than that its types are members.

use crate::infer::{StructTy, Ty};
use crate::report::Refused;
use samebits_ir::diag::Code;
use samebits_ir::types::Scalar;

/// How often a function that is an argument may be called, and whether it may change what it captures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Calls {
    /// `Fn`: as often as one likes; it changes nothing.
    Shared,
    /// `FnMut`: as often as one likes, through a name that is `mut`.
    Mutable,
    /// `FnOnce`: once.
    Once,
}

/// A class of types, as a bound names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// What a buffer may hold.
    Element,
    /// Integers and floats.
    Number,
    /// Integers.
    Int,
    /// Integers with a sign.
    Signed,
    /// Integers without a sign.
    Unsigned,
    /// Floats.
    Float,
}

const CLASSES: [(Class, &str); 6] = [
    (Class::Element, "Element"),
    (Class::Number, "Number"),
    (Class::Int, "Int"),
    (Class::Signed, "Signed"),
    (Class::Unsigned, "Unsigned"),
    (Class::Float, "Float"),
];

impl Class {
    /// The class of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        CLASSES.iter().find(|(_, known)| *known == name).map(|(class, _)| *class)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        CLASSES.iter().find(|(class, _)| *class == self).map_or("", |(_, name)| name)
    }

    /// The report that what a helper or a struct takes for a parameter is no member.
    pub fn refuse(self, (owner, parameter): (&str, &str), shown: &str) -> Refused {
        let message = format!("`{owner}` needs `{parameter}: {}`, but this is `{shown}`", self.name());
        let refused = Refused::new(Code::V205, message);
        let names: Vec<String> = members(self, "").iter().map(|ty| format!("`{ty}`")).collect();
        match self {
            Self::Element => {
                refused.help("elements are numbers, `bool`, vectors and structs with `#[derive(Element)]`")
            }
            _ => refused.help(format!("its types are {}", names.join(", "))),
        }
    }

    /// Whether a decided type is a member.
    pub fn contains(self, ty: &Ty) -> bool {
        match (self, ty) {
            (Self::Element, Ty::Scalar(_) | Ty::Bf16 | Ty::Enum(_)) => true,
            (Self::Element, Ty::Vector(lane, _)) => **lane != Ty::Scalar(Scalar::Bool),
            (Self::Element, Ty::Matrix(..)) => true,
            (Self::Element, Ty::Struct(def)) => {
                let known = !ty.has_usize() && !def.is_marker();
                def.unknown.as_ref().map_or(known, |unknown| unknown.is_element)
            }
            (Self::Element, Ty::Array(element, _)) => self.contains(element),
            (Self::Number, Ty::Scalar(scalar)) => scalar.bits() > 1,
            (Self::Int, Ty::Scalar(scalar)) => scalar.is_int(),
            (Self::Signed, Ty::Scalar(scalar)) => scalar.is_int() && scalar.is_signed(),
            (Self::Unsigned, Ty::Scalar(scalar)) => scalar.is_int() && !scalar.is_signed(),
            (Self::Float, Ty::Scalar(scalar)) => scalar.is_float(),
            _ => false,
        }
    }
}

/// The types for which a helper with this bound is checked: all members; or, since there are
/// infinitely many elements, one of each kind.
pub fn members(class: Class, parameter: &str) -> Vec<Ty> {
    let scalars = Scalar::ALL.iter().copied().map(Ty::Scalar).filter(|ty| class.contains(ty));
    match class {
        Class::Element => vec![
            Ty::Struct(StructTy::opaque(parameter)),
            Ty::Scalar(Scalar::U32),
            Ty::Vector(Box::new(Ty::Scalar(Scalar::F32)), 3),
        ],
        _ => scalars.collect(),
    }
}
