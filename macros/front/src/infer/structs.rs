//! Struct types as the front end knows them.
//!
//! A struct is told from others by where it was declared, not by its name: two modules may
//! each have a `Ray`. Its fields are all that a kernel needs of it, so that a [`StructTy`]
//! stands for itself, wherever it came from.

use crate::infer::Ty;
use std::rc::Rc;

/// A struct type.
#[derive(Debug)]
pub struct StructTy {
    /// Where it was declared, unlike that of any other struct.
    pub id: String,
    /// Its name there.
    pub name: String,
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Whether its fields are numbered and not named.
    pub tuple: bool,
}

/// A field of a struct.
#[derive(Debug)]
pub struct Field {
    /// The name; the number of a field without one.
    pub name: String,
    /// The type.
    pub ty: Ty,
    /// Whether everybody may use it.
    pub public: bool,
}

impl PartialEq for StructTy {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for StructTy {}

impl StructTy {
    /// The field of this name and its position.
    pub fn field(&self, name: &str) -> Option<(usize, &Field)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// Whether it stands for structs that are not known.
    pub fn is_opaque(&self) -> bool {
        self.id.starts_with("opaque ")
    }

    /// A struct type that differs from all others, for what a kernel cannot look into.
    pub fn opaque(name: &str) -> Rc<Self> {
        let field = Field { name: "0".to_owned(), ty: Ty::Scalar(samebits_ir::types::Scalar::F32), public: false };
        Rc::new(Self { id: format!("opaque {name}"), name: name.to_owned(), fields: vec![field], tuple: true })
    }
}
