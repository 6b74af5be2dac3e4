//! Shapes: what an element of a buffer is made of, as constants of Rust types.
//!
//! A [`Shape`] contains what an IR type does, but needs no table of types, so that a derived
//! implementation can state it as a constant. A launch compares it with the parameter's type,
//! without memory of the heap. The two agree if everything is the same: scalars, lengths, order,
//! and the names of structs and of their fields.

use samebits_ir::types::{Scalar, Type, Types};
use std::fmt;

/// The type of a buffer's element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One number.
    Scalar(Scalar),
    /// A `bool`: a byte, which is `true` unless it is 0.
    Bool,
    /// The discriminant of an enum, one of which is 0. A number that is none reads as 0.
    Enum {
        /// The name in the source.
        name: &'static str,
        /// The type of the discriminants.
        tag: &'static Shape,
        /// The discriminants, sign-extended.
        values: &'static [u64],
    },
    /// Two to four lanes of one type.
    Vector(Scalar, u8),
    /// This many elements of one shape, one after the other.
    Array(&'static Shape, u32),
    /// Fields in order, laid out as `repr(C)` does.
    Struct {
        /// The name in the source.
        name: &'static str,
        /// The fields.
        fields: &'static [Field],
    },
}

/// A field of a [`Shape::Struct`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name in the source.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
}

impl Shape {
    /// The bytes of all numbers in it: the size of a type of this shape that has no padding.
    pub const fn bytes(&self) -> usize {
        match self {
            Self::Scalar(scalar) => scalar.size() as usize,
            Self::Bool => 1,
            Self::Enum { tag, .. } => tag.bytes(),
            Self::Vector(lane, lanes) => lane.size() as usize * *lanes as usize,
            Self::Array(element, len) => element.bytes() * *len as usize,
            Self::Struct { fields, .. } => {
                let (mut bytes, mut i) = (0, 0);
                while i < fields.len() {
                    bytes += fields[i].shape.bytes();
                    i += 1;
                }
                bytes
            }
        }
    }

    /// Whether all bytes are a value.
    pub const fn is_plain(&self) -> bool {
        match self {
            Self::Scalar(_) | Self::Vector(..) => true,
            Self::Bool | Self::Enum { .. } => false,
            Self::Array(element, _) => element.is_plain(),
            Self::Struct { fields, .. } => {
                let mut i = 0;
                while i < fields.len() {
                    if !fields[i].shape.is_plain() {
                        return false;
                    }
                    i += 1;
                }
                true
            }
        }
    }

    /// Makes values of the bytes of elements of this shape: what a kernel would read in their place.
    pub(crate) fn settle(&self, bytes: &mut [u8]) {
        if self.is_plain() {
            return;
        }
        match self {
            Self::Scalar(_) | Self::Vector(..) => {}
            Self::Bool => bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0)),
            Self::Enum { tag, values, .. } => {
                for number in bytes.chunks_exact_mut(tag.bytes()) {
                    if !values.iter().any(|value| value.to_le_bytes().starts_with(number)) {
                        number.fill(0);
                    }
                }
            }
            Self::Array(element, _) => element.settle(bytes),
            Self::Struct { fields, .. } => {
                for element in bytes.chunks_exact_mut(self.bytes()) {
                    let mut rest = element;
                    for field in *fields {
                        let (part, others) = rest.split_at_mut(field.shape.bytes());
                        field.shape.settle(part);
                        rest = others;
                    }
                }
            }
        }
    }

    /// Whether a buffer of this shape is one of the IR type. A `bool` of the IR is a word in
    /// memory, which programs have as a `u32`.
    pub(crate) fn is(&self, types: &Types, ty: Type) -> bool {
        match (self, ty) {
            (Self::Scalar(found), Type::Scalar(expected)) => {
                *found == expected || (*found, expected) == (Scalar::U32, Scalar::Bool)
            }
            (Self::Bool, Type::Scalar(expected)) => expected == Scalar::U8,
            (Self::Enum { tag, .. }, Type::Scalar(_)) => tag.is(types, ty),
            (Self::Vector(found, lanes), Type::Vector(expected, n)) => (*found, *lanes) == (expected, n),
            (Self::Array(element, len), Type::Array(id)) => {
                types.arrays.get(id).is_some_and(|def| def.len == *len && element.is(types, def.element))
            }
            (Self::Struct { name, fields }, Type::Struct(id)) => types.structs.get(id).is_some_and(|def| {
                let same =
                    |(field, (name, ty)): (&Field, &(String, Type))| field.name == name && field.shape.is(types, *ty);
                is_called(&def.name, name)
                    && def.fields.len() == fields.len()
                    && fields.iter().zip(&def.fields).all(same)
            }),
            (Self::Scalar(_) | Self::Bool | Self::Enum { .. } | Self::Vector(..), _) => false,
            (Self::Array(..) | Self::Struct { .. }, _) => false,
        }
    }
}

/// Whether a struct of the IR has this name in the source; a second one of the name in a kernel
/// has a number behind it.
fn is_called(found: &str, name: &str) -> bool {
    match found.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest.strip_prefix('_').is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit())),
        None => false,
    }
}

/// The spelling of the IR's types, in which a struct is its name.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => f.write_str(scalar.name()),
            Self::Bool => f.write_str("bool"),
            Self::Enum { name, .. } => f.write_str(name),
            Self::Vector(lane, lanes) => write!(f, "vec{lanes}<{}>", lane.name()),
            Self::Array(element, len) => write!(f, "[{element}; {len}]"),
            Self::Struct { name, .. } => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use samebits_ir::types::StructDef;

    const WORD: Shape = Shape::Scalar(Scalar::U32);
    const PAIR: Shape = Shape::Array(&Shape::Vector(Scalar::F32, 3), 2);

    const fn cell(name: &'static str) -> Shape {
        Shape::Struct { name, fields: &[Field { name: "key", shape: WORD }, Field { name: "at", shape: PAIR }] }
    }

    /// The struct `Cell` with these fields, the second of them an array of so many vectors.
    fn declared(types: &mut Types, name: &str, fields: [&str; 2], len: u32) -> Type {
        let array = types.array(Type::Vector(Scalar::F32, 3), len);
        let fields = fields.into_iter().zip([Type::U32, array]).map(|(name, ty)| (name.to_owned(), ty)).collect();
        types.structure(StructDef { name: name.to_owned(), fields })
    }

    #[test]
    fn a_shape_is_the_ir_type_of_the_same_parts() {
        let mut types = Types::default();
        let ty = declared(&mut types, "Cell", ["key", "at"], 2);
        assert!(cell("Cell").is(&types, ty));
    }

    #[test]
    fn names_order_and_lengths_tell_structs_apart() {
        let mut types = Types::default();
        let others = [
            declared(&mut types, "Cells", ["key", "at"], 2),
            declared(&mut types, "Cell", ["at", "key"], 2),
            declared(&mut types, "Cell", ["key", "at"], 3),
            types.array(Type::U32, 7),
            Type::U32,
        ];
        for other in others {
            assert!(!cell("Cell").is(&types, other), "{}", types.display(other));
        }
    }

    #[test]
    fn a_struct_with_fewer_or_more_fields_is_another() {
        let mut types = Types::default();
        let field = |name: &str| (name.to_owned(), Type::U32);
        let of =
            |fields: &[&str]| StructDef { name: "S".to_owned(), fields: fields.iter().copied().map(field).collect() };
        const TWO: Shape =
            Shape::Struct { name: "S", fields: &[Field { name: "a", shape: WORD }, Field { name: "b", shape: WORD }] };
        let [one, two, three] = [&["a"][..], &["a", "b"], &["a", "b", "c"]].map(|fields| types.structure(of(fields)));
        assert_eq!([one, two, three].map(|ty| TWO.is(&types, ty)), [false, true, false]);
    }

    #[test]
    fn a_word_is_a_bool_in_memory_and_nothing_else_is() {
        let types = Types::default();
        assert!(WORD.is(&types, Type::BOOL));
        assert!(!Shape::Scalar(Scalar::I32).is(&types, Type::BOOL));
    }

    #[test]
    fn bytes_are_those_of_the_numbers() {
        assert_eq!(PAIR.bytes(), 24);
        assert_eq!(cell("Cell").bytes(), 28);
    }

    #[test]
    fn what_is_no_value_is_settled_where_it_lies() {
        const FLAGS: Shape = Shape::Struct {
            name: "Flags",
            fields: &[
                Field { name: "a", shape: Shape::Scalar(Scalar::U8) },
                Field { name: "on", shape: Shape::Array(&Shape::Bool, 2) },
            ],
        };
        let mut bytes = [7, 7, 0, 8, 0, 255];
        FLAGS.settle(&mut bytes);
        assert_eq!(bytes, [7, 1, 0, 8, 0, 1]);
        const SIGN: Shape = Shape::Enum { name: "Sign", tag: &Shape::Scalar(Scalar::I16), values: &[0, 1, u64::MAX] };
        let mut bytes = [1, 0, 2, 0, 255, 255, 255, 0];
        SIGN.settle(&mut bytes);
        assert_eq!(bytes, [1, 0, 0, 0, 255, 255, 0, 0]);
        assert!(!FLAGS.is_plain() && PAIR.is_plain() && cell("Cell").is_plain());
    }

    #[test]
    fn messages_spell_it_like_the_ir() {
        let mut types = Types::default();
        let vector = types.array(Type::Vector(Scalar::F32, 3), 2);
        assert_eq!(PAIR.to_string(), types.display(vector).to_string());
        assert_eq!(cell("Cell").to_string(), "Cell");
    }
}
