//! Struct types as the front end knows them.
//!
//! A struct is told from others by where it was declared, not by its name: two modules may
//! each have a `Ray`. Its fields are all that a kernel needs of it, so that a [`StructTy`]
//! stands for itself, wherever it came from. A generic struct is another type for other arguments,
//! which stand in its fields in the place of the parameters.

use crate::infer::Ty;
use std::rc::Rc;

/// A struct type.
#[derive(Debug)]
pub struct StructTy {
    /// Where it was declared, unlike that of any other struct.
    pub id: String,
    /// Its name there.
    pub name: String,
    /// The arguments of a generic one.
    pub args: Vec<GenericArg>,
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Whether its fields are numbered and not named.
    pub tuple: bool,
    /// What is known of a type that stands for others; nothing for a struct that was declared.
    pub unknown: Option<Unknown>,
}

/// What is known of a type parameter where a helper is checked alone.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The ids of the traits that it has.
    pub traits: Vec<String>,
    /// Whether buffers hold it.
    pub is_element: bool,
}

/// What a parameter of a generic struct stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GenericArg {
    /// A type.
    Ty(Ty),
    /// A `const N: usize`.
    Len(u32),
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name; the number of a field without one.
    pub name: String,
    /// The type.
    pub ty: Ty,
    /// Whether everybody may use it.
    pub public: bool,
}

impl GenericArg {
    /// The same argument with other types for those in it.
    pub fn mapped(&self, map: &dyn Fn(&Ty) -> Ty) -> Self {
        match self {
            Self::Ty(ty) => Self::Ty(map(ty)),
            Self::Len(len) => Self::Len(*len),
        }
    }
}

/// The name of a type with its arguments, as `show` spells types.
pub(super) fn shown(name: &str, args: &[GenericArg], show: &dyn Fn(&Ty) -> String) -> String {
    if args.is_empty() {
        return name.to_owned();
    }
    let arg = |arg: &GenericArg| match arg {
        GenericArg::Ty(ty) => show(ty),
        GenericArg::Len(len) => len.to_string(),
    };
    format!("{name}<{}>", args.iter().map(arg).collect::<Vec<_>>().join(", "))
}

impl PartialEq for StructTy {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.args == other.args
    }
}

impl Eq for StructTy {}

impl StructTy {
    /// The field of this name and its position.
    pub fn field(&self, name: &str) -> Option<(usize, &Field)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// The types among its arguments.
    pub fn types(&self) -> impl Iterator<Item = &Ty> {
        self.args.iter().filter_map(|arg| match arg {
            GenericArg::Ty(ty) => Some(ty),
            GenericArg::Len(_) => None,
        })
    }

    /// The same struct with other types for those in it.
    pub fn mapped(&self, map: &dyn Fn(&Ty) -> Ty) -> Rc<Self> {
        let fields = self.fields.iter().map(|field| Field { ty: map(&field.ty), ..field.clone() });
        Rc::new(Self {
            id: self.id.clone(),
            name: self.name.clone(),
            args: self.args.iter().map(|arg| arg.mapped(map)).collect(),
            fields: fields.collect(),
            tuple: self.tuple,
            unknown: self.unknown.clone(),
        })
    }

    /// Whether it stands for structs that are not known.
    pub fn is_opaque(&self) -> bool {
        self.unknown.is_some()
    }

    /// Whether it has no fields: a name for functions and constants, of which a kernel has no values.
    pub fn is_marker(&self) -> bool {
        self.fields.is_empty()
    }

    /// A struct type that differs from all others, for what a kernel cannot look into: an element of buffers.
    pub fn opaque(name: &str) -> Rc<Self> {
        Self::with_traits(name, Vec::new(), true)
    }

    /// The same for a type of which only the traits are known, by their ids.
    pub fn with_traits(name: &str, traits: Vec<String>, is_element: bool) -> Rc<Self> {
        let field = Field { name: "0".to_owned(), ty: Ty::Scalar(samebits_ir::types::Scalar::F32), public: false };
        let (id, name) = (format!("opaque {name}"), name.to_owned());
        let unknown = Some(Unknown { traits, is_element });
        Rc::new(Self { id, name, args: Vec::new(), fields: vec![field], tuple: true, unknown })
    }
}
