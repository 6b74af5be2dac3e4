//! Enums whose variants have fields, and `Option`: types of values that only private memory holds.
//!
//! A value is the number of its variant and the fields of all variants. Those of the other variants hold anything,
//! which nobody sees: a pattern, and a comparison, look at the number first.

use super::Ty;
use super::structs::{Field, GenericArg};
use samebits_ir::types::Scalar;
use std::rc::Rc;

/// An enum with fields.
#[derive(Debug)]
pub struct SumTy {
    /// Where it was declared, unlike that of any other type.
    pub id: String,
    /// Its name there.
    pub name: String,
    /// The arguments of a generic one.
    pub args: Vec<GenericArg>,
    /// The variants in order.
    pub cases: Vec<Case>,
}

/// A variant of an enum with fields.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name.
    pub name: String,
    /// How its fields are written.
    pub form: CaseForm,
    /// The fields in order.
    pub fields: Vec<Field>,
}

/// How the fields of a variant are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CaseForm {
    /// It has none.
    Unit,
    /// `Name(a, b)`
    Tuple,
    /// `Name { a, b }`
    Named,
}

impl PartialEq for SumTy {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.args == other.args
    }
}

impl Eq for SumTy {}

/// The number of `None` among the variants of `Option`.
pub const NONE: usize = 0;
/// The number of `Some`.
pub const SOME: usize = 1;
/// What stands for the place where `Option` is declared, which is no place of a user's.
const OPTION: &str = "Option";

impl SumTy {
    /// The scalar that says which variant a value is of: none if there is but one, `bool` if there are two.
    pub fn tag(&self) -> Option<Scalar> {
        match self.cases.len() {
            0 | 1 => None,
            2 => Some(Scalar::Bool),
            _ => Some(Scalar::U32),
        }
    }

    /// The number and the declaration of the variant of this name.
    pub fn case(&self, name: &str) -> Option<(usize, &Case)> {
        self.cases.iter().enumerate().find(|(_, case)| case.name == name)
    }

    /// The types of all fields, of each variant in order.
    pub fn fields(&self) -> impl Iterator<Item = &Ty> {
        self.cases.iter().flat_map(|case| case.fields.iter().map(|field| &field.ty))
    }

    /// The types among its arguments.
    pub fn types(&self) -> impl Iterator<Item = &Ty> {
        self.args.iter().filter_map(|arg| match arg {
            GenericArg::Ty(ty) => Some(ty),
            GenericArg::Len(_) => None,
        })
    }

    /// The same enum with other types for those in it.
    pub fn mapped(&self, map: &dyn Fn(&Ty) -> Ty) -> Rc<Self> {
        let case = |case: &Case| {
            let fields = case.fields.iter().map(|field| Field { ty: map(&field.ty), ..field.clone() }).collect();
            Case { fields, ..case.clone() }
        };
        Rc::new(Self {
            id: self.id.clone(),
            name: self.name.clone(),
            args: self.args.iter().map(|arg| arg.mapped(map)).collect(),
            cases: self.cases.iter().map(case).collect(),
        })
    }

    /// A variant as patterns and values write it: `Some`, `Event::Hit`.
    pub fn path(&self, number: usize) -> String {
        let name = self.cases.get(number).map_or("_", |case| case.name.as_str());
        if self.id == OPTION { name.to_owned() } else { format!("{}::{name}", self.name) }
    }
}

impl Ty {
    /// `Option` of a type.
    pub fn option(of: Self) -> Self {
        let field = Field { name: "0".to_owned(), ty: of.clone(), public: true };
        let none = Case { name: "None".to_owned(), form: CaseForm::Unit, fields: Vec::new() };
        let some = Case { name: "Some".to_owned(), form: CaseForm::Tuple, fields: vec![field] };
        Self::Sum(Rc::new(SumTy {
            id: OPTION.to_owned(),
            name: OPTION.to_owned(),
            args: vec![GenericArg::Ty(of)],
            cases: vec![none, some],
        }))
    }

    /// What an `Option` holds.
    pub fn held(&self) -> Option<&Self> {
        match self {
            Self::Sum(def) if def.id == OPTION => def.types().next(),
            _ => None,
        }
    }

    /// The arguments of a user's generic type.
    pub fn arguments(&self) -> &[GenericArg] {
        match self {
            Self::Struct(def) => &def.args,
            Self::Sum(def) if self.held().is_none() => &def.args,
            _ => &[],
        }
    }

    /// The enum with fields that it is.
    pub fn sum(&self) -> Option<&Rc<SumTy>> {
        match self {
            Self::Sum(def) => Some(def),
            _ => None,
        }
    }

    /// What the numbers of a path in a variable count: the parts, or the fields of all variants one after the other.
    pub fn inner(&self) -> Vec<&Self> {
        match self.sum() {
            Some(def) => def.fields().collect(),
            None => self.parts().unwrap_or_default(),
        }
    }

    /// The type behind references.
    pub fn behind(&self) -> &Self {
        match self {
            Self::Reference(of) => of.behind(),
            other => other,
        }
    }

    /// Whether an enum with fields is in it, which no memory holds that others see.
    pub fn has_sum(&self) -> bool {
        match self {
            Self::Sum(_) | Self::Reference(_) => true,
            Self::Array(inner, _) | Self::Slice(inner) => inner.has_sum(),
            Self::Tuple(parts) => parts.iter().any(Self::has_sum),
            Self::Struct(def) => def.fields.iter().any(|field| field.ty.has_sum()),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_a_bool_and_a_value() {
        let inner = Ty::option(Ty::Scalar(Scalar::F32));
        let flat = |ty: &Ty| ty.flat().map(|leaves| leaves.len());
        assert_eq!((inner.to_string(), flat(&inner)), ("Option<f32>".to_owned(), Some(2)));
        let outer = Ty::option(inner);
        assert_eq!((outer.to_string(), flat(&outer), outer.width()), ("Option<Option<f32>>".to_owned(), Some(3), 3));
        assert!(outer.held().is_some_and(|inner| inner.held() == Some(&Ty::Scalar(Scalar::F32))));
    }
}
