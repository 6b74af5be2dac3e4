//! Classes of types that type parameters stand for.
//!
//! A generic helper is checked for every member of its classes where it is defined, so that
//! a call needs to prove no more than that its types are members.

use super::Lowerer;
use crate::infer::StructTy;
use crate::infer::{Ty, VarKind};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

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

    /// Whether a decided type is a member.
    pub fn contains(self, ty: &Ty) -> bool {
        match (self, ty) {
            (Self::Element, Ty::Scalar(scalar)) => scalar.bits() > 1,
            (Self::Element, Ty::Vector(..)) => true,
            (Self::Element, Ty::Struct(_)) => !ty.has_usize(),
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

/// The types for which a helper with this bound is checked: all members, or of elements,
/// of which there is no end, one of each sort.
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

/// A type that must turn out to be a member of a class.
pub(super) struct Obligation {
    /// The type, which is perhaps not decided yet.
    pub ty: Ty,
    /// The class.
    pub class: Class,
    /// The helper that asks for it.
    pub helper: String,
    /// The type parameter.
    pub parameter: String,
    /// The call.
    pub loc: Loc,
}

impl Lowerer<'_, '_> {
    /// Whether the types that are known already and were owed from this obligation on are members of
    /// their classes; reports those that are not, which would make no sense of the helper's body.
    pub(super) fn classes_hold(&mut self, from: usize) -> bool {
        let mut hold = true;
        for obligation in self.obligations.split_off(from.min(self.obligations.len())) {
            let ty = self.infer.resolve(&obligation.ty);
            let outside = match self.infer.kind(&ty) {
                Some(VarKind::Float) => !obligation.class.contains(&Ty::Scalar(Scalar::F32)),
                Some(VarKind::Int | VarKind::General) => false,
                None => ty != Ty::Error && !obligation.class.contains(&ty),
            };
            match outside {
                true => {
                    self.outside(&obligation);
                    self.infer.give_up(&ty);
                    hold = false;
                }
                false => self.obligations.push(obligation),
            }
        }
        hold
    }

    /// Reports the types that are no members of the classes that they should be in.
    pub(super) fn discharge(&mut self) {
        for obligation in std::mem::take(&mut self.obligations) {
            match self.infer.decided(&obligation.ty) {
                Ty::Error => {}
                Ty::Var(_) => {
                    let Obligation { parameter, helper, loc, .. } = &obligation;
                    let message = format!("nothing says what `{parameter}` of `{helper}` is here");
                    let help = format!("write it: `{helper}::<f32>(…)`");
                    self.reporter.report(Diag::new(Code::V202, *loc, message).help(help));
                    self.infer.give_up(&obligation.ty);
                }
                ty if obligation.class.contains(&ty) => {}
                _ => self.outside(&obligation),
            }
        }
    }

    fn outside(&mut self, Obligation { ty, class, helper, parameter, loc }: &Obligation) {
        let shown = self.infer.show(ty);
        let message = format!("`{helper}` takes a `{parameter}: {}`, but this is `{shown}`", class.name());
        let names: Vec<String> = members(*class, "").iter().map(|ty| format!("`{ty}`")).collect();
        let diag = Diag::new(Code::V205, *loc, message);
        self.reporter.report(match class {
            Class::Element => diag.help("elements are numbers, vectors and structs with `#[derive(Element)]`"),
            _ => diag.help(format!("its types are {}", names.join(", "))),
        });
    }
}
