//! Enum types as the front end knows them: those whose variants have no fields.
//!
//! A value is a number, the discriminant of its variant. What memory holds may be another number, which then
//! [reads](EnumTy::runs) as the variant of 0.

use super::Ty;
use samebits_ir::types::Scalar;
use std::rc::Rc;

/// An enum type.
#[derive(Debug)]
pub struct EnumTy {
    /// Where it was declared, unlike that of any other type.
    pub id: String,
    /// Its name there.
    pub name: String,
    /// The type of its discriminants.
    pub tag: Scalar,
    /// The variants in order.
    pub variants: Vec<Variant>,
}

/// A variant of an enum.
#[derive(Debug)]
pub struct Variant {
    /// The name.
    pub name: String,
    /// The discriminant.
    pub value: i128,
}

impl PartialEq for EnumTy {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for EnumTy {}

impl EnumTy {
    /// The number and the declaration of the variant of this name.
    pub fn variant(&self, name: &str) -> Option<(usize, &Variant)> {
        self.variants.iter().enumerate().find(|(_, variant)| variant.name == name)
    }

    /// The discriminants, as runs from the first to the last of neighbours.
    pub fn runs(&self) -> Vec<(i128, i128)> {
        let mut values: Vec<i128> = self.variants.iter().map(|variant| variant.value).collect();
        values.sort_unstable();
        let mut runs: Vec<(i128, i128)> = Vec::new();
        for value in values {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 >= value => *last = value,
                _ => runs.push((value, value)),
            }
        }
        runs
    }
}

impl Ty {
    /// What declares it, by id and name, if a user's item does.
    pub fn declared(&self) -> Option<(&str, &str)> {
        match self {
            Self::Struct(def) => Some((&def.id, &def.name)),
            Self::Enum(def) => Some((&def.id, &def.name)),
            Self::Sum(def) if self.held().is_none() => Some((&def.id, &def.name)),
            _ => None,
        }
    }

    /// The enum that it is.
    pub fn enumeration(&self) -> Option<&Rc<EnumTy>> {
        match self {
            Self::Enum(def) => Some(def),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_of_neighbours() {
        let of = |values: &[i128]| {
            let variants = values.iter().map(|&value| Variant { name: format!("V{value}"), value }).collect();
            EnumTy { id: String::new(), name: String::new(), tag: Scalar::I32, variants }.runs()
        };
        assert_eq!(of(&[0, 2, 1]), [(0, 2)]);
        assert_eq!(of(&[5, -1, 0, 7]), [(-1, 0), (5, 5), (7, 7)]);
    }
}
