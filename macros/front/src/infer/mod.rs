//! Type inference for a kernel's body.
//!
//! A [`Ty`] may be a variable: an integer literal has an integer type that a later use decides.
//! [`Infer::unify`] makes two types equal or reports that they cannot be. An open integer type
//! becomes `i32`, as in Rust. An open float type is an error, since Rust's `f64` is slow on
//! GPUs and seldom meant.

mod enums;
mod structs;
mod sums;

pub use enums::{EnumTy, Variant};
pub use structs::{Field, GenericArg, StructTy};
pub use sums::{Case, CaseForm, NONE, SOME, SumTy};

use samebits_ir::ops::Builtin;
use samebits_ir::types::{Scalar, Type};
use std::fmt;
use std::rc::Rc;

/// The most SSA values that one value may be made of.
pub const MAX_LEAVES: usize = 1024;
/// The most types that a variable may stand for: generic structs in each other double them with each.
const MAX_NODES: usize = 1024;

/// A type of the kernel language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// The type of something that was refused; fits everything.
    Error,
    /// The type of an expression that never returns: `return`, `break`, `loop {}`; fits everything.
    Never,
    /// `()`
    Unit,
    /// A scalar of Rust.
    Scalar(Scalar),
    /// `usize`, 32 bits wide.
    Usize,
    /// `bf16`: the upper half of an `f32`, which is stored and converted, and no number.
    Bf16,
    /// `Vec2<T>` to `Vec4<T>`.
    Vector(Box<Ty>, u8),
    /// `Mat2<T>` to `Mat4<T>`: the type of a column, and how many there are.
    Matrix(Box<Ty>, u8),
    /// `[T; N]`
    Array(Box<Ty>, u32),
    /// `(A, B, …)`, of at least one part
    Tuple(Vec<Ty>),
    /// A struct.
    Struct(Rc<StructTy>),
    /// An enum.
    Enum(Rc<EnumTy>),
    /// An enum whose variants have fields.
    Sum(Rc<SumTy>),
    /// What an `Option` of references holds: the value as it was when the reference was made. Nobody changes it
    /// while the reference lives.
    Reference(Box<Ty>),
    /// The elements of a buffer.
    Slice(Box<Ty>),
    /// `Atomic<T>`
    Atomic(Scalar),
    /// What `global_id()` and its like give: three `usize`, of which this is the first.
    Ids(Builtin),
    /// Not decided yet.
    Var(u32),
}

/// What a type variable may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Anything.
    General,
    /// An integer: it came from a literal without a suffix.
    Int,
    /// A float: it came from a literal without a suffix.
    Float,
}

/// The type variables of a body.
#[derive(Default)]
pub struct Infer {
    vars: Vec<(VarKind, Option<Ty>)>,
}

impl Infer {
    /// A new variable.
    pub fn var(&mut self, kind: VarKind) -> Ty {
        self.vars.push((kind, None));
        Ty::Var(self.vars.len() as u32 - 1)
    }

    /// The type as far as it is known: a variable only if it is not decided.
    pub fn resolve(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let Ty::Var(v) = ty {
            match &self.vars[*v as usize].1 {
                Some(known) => ty = known,
                None => break,
            }
        }
        match ty {
            Ty::Array(element, len) => Ty::Array(Box::new(self.resolve(element)), *len),
            Ty::Slice(element) => Ty::Slice(Box::new(self.resolve(element))),
            Ty::Vector(lane, n) => Ty::Vector(Box::new(self.resolve(lane)), *n),
            Ty::Matrix(column, n) => Ty::Matrix(Box::new(self.resolve(column)), *n),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.resolve(part)).collect()),
            Ty::Reference(of) => Ty::Reference(Box::new(self.resolve(of))),
            Ty::Struct(def) if ty.is_open() => Ty::Struct(def.mapped(&|ty| self.resolve(ty))),
            Ty::Sum(def) if ty.is_open() => Ty::Sum(def.mapped(&|ty| self.resolve(ty))),
            other => other.clone(),
        }
    }

    /// The sort of an undecided variable.
    pub fn kind(&self, ty: &Ty) -> Option<VarKind> {
        match self.resolve(ty) {
            Ty::Var(v) => Some(self.vars[v as usize].0),
            _ => None,
        }
    }

    /// Makes the two types one; `false` if they differ.
    pub fn unify(&mut self, a: &Ty, b: &Ty) -> bool {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (&a, &b) {
            // What meets a mistake becomes part of it, so that it is reported once.
            (Ty::Error, Ty::Var(v)) | (Ty::Var(v), Ty::Error) => {
                self.vars[*v as usize].1 = Some(Ty::Error);
                true
            }
            (Ty::Error | Ty::Never, _) | (_, Ty::Error | Ty::Never) => true,
            (Ty::Var(x), Ty::Var(y)) if x == y => true,
            (Ty::Var(x), Ty::Var(y)) => {
                let kind = match (self.vars[*x as usize].0, self.vars[*y as usize].0) {
                    (VarKind::General, k) | (k, VarKind::General) => k,
                    (k, l) if k == l => k,
                    _ => return false,
                };
                self.vars[*y as usize].0 = kind;
                self.vars[*x as usize].1 = Some(b);
                true
            }
            (Ty::Var(v), known) | (known, Ty::Var(v)) => {
                let fits = match (self.vars[*v as usize].0, known) {
                    (VarKind::General, _) => known.nodes() <= MAX_NODES,
                    (VarKind::Int, Ty::Usize) => true,
                    (VarKind::Int, Ty::Scalar(s)) => s.is_int(),
                    (VarKind::Float, Ty::Scalar(s)) => s.is_float(),
                    _ => false,
                };
                if fits {
                    self.vars[*v as usize].1 = Some(known.clone());
                }
                fits
            }
            (Ty::Array(x, n), Ty::Array(y, m)) => n == m && self.unify(x, y),
            (Ty::Slice(x), Ty::Slice(y)) => self.unify(x, y),
            (Ty::Vector(x, n), Ty::Vector(y, m)) => n == m && self.unify(x, y),
            (Ty::Matrix(x, n), Ty::Matrix(y, m)) => n == m && self.unify(x, y),
            (Ty::Tuple(x), Ty::Tuple(y)) => {
                // Every part is unified, so that a wrong one does not leave the rest open.
                x.len() == y.len() && x.iter().zip(y).fold(true, |fits, (x, y)| self.unify(x, y) && fits)
            }
            (Ty::Reference(x), Ty::Reference(y)) => self.unify(x, y),
            (Ty::Struct(x), Ty::Struct(y)) if x.id == y.id => self.unify_args(&x.args, &y.args),
            (Ty::Sum(x), Ty::Sum(y)) if x.id == y.id => self.unify_args(&x.args, &y.args),
            _ => a == b,
        }
    }

    /// Makes the arguments of two types one, every one of them as those of tuples.
    fn unify_args(&mut self, a: &[GenericArg], b: &[GenericArg]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).fold(true, |fits, pair| match pair {
                (GenericArg::Ty(x), GenericArg::Ty(y)) => self.unify(x, y) && fits,
                (x, y) => x == y && fits,
            })
    }

    /// The type with what nothing decided set to Rust's default; an undecided variable
    /// that is not a number stays one.
    pub fn decided(&self, ty: &Ty) -> Ty {
        match self.resolve(ty) {
            Ty::Var(v) => match self.vars[v as usize].0 {
                VarKind::Int => Ty::Scalar(Scalar::I32),
                VarKind::Float => Ty::Scalar(Scalar::F64),
                VarKind::General => Ty::Var(v),
            },
            Ty::Array(element, len) => Ty::Array(Box::new(self.decided(&element)), len),
            Ty::Vector(lane, n) => Ty::Vector(Box::new(self.decided(&lane)), n),
            Ty::Matrix(column, n) => Ty::Matrix(Box::new(self.decided(&column)), n),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.decided(part)).collect()),
            ty if ty.is_open() => match &ty {
                Ty::Struct(def) => Ty::Struct(def.mapped(&|ty| self.decided(ty))),
                Ty::Sum(def) => Ty::Sum(def.mapped(&|ty| self.decided(ty))),
                Ty::Reference(of) => Ty::Reference(Box::new(self.decided(of))),
                _ => ty,
            },
            other => other,
        }
    }

    /// Makes an undecided type the error type, because whatever would have decided it was refused.
    pub fn give_up(&mut self, ty: &Ty) {
        match self.resolve(ty) {
            Ty::Var(v) => self.vars[v as usize].1 = Some(Ty::Error),
            Ty::Array(of, _) | Ty::Slice(of) | Ty::Vector(of, _) | Ty::Matrix(of, _) | Ty::Reference(of) => {
                self.give_up(&of)
            }
            Ty::Tuple(parts) => parts.iter().for_each(|part| self.give_up(part)),
            Ty::Struct(def) => def.types().for_each(|ty| self.give_up(ty)),
            Ty::Sum(def) => def.types().for_each(|ty| self.give_up(ty)),
            Ty::Error | Ty::Never | Ty::Unit | Ty::Scalar(_) | Ty::Usize | Ty::Bf16 => {}
            Ty::Enum(_) | Ty::Atomic(_) | Ty::Ids(_) => {}
        }
    }

    /// The type as messages spell it.
    pub fn show(&self, ty: &Ty) -> String {
        match self.resolve(ty) {
            Ty::Var(v) => match self.vars[v as usize].0 {
                VarKind::General => "_".to_owned(),
                VarKind::Int => "{integer}".to_owned(),
                VarKind::Float => "{float}".to_owned(),
            },
            Ty::Array(element, len) => format!("[{}; {len}]", self.show(&element)),
            Ty::Slice(element) => format!("[{}]", self.show(&element)),
            Ty::Vector(lane, n) => format!("Vec{n}<{}>", self.show(&lane)),
            Ty::Matrix(column, n) => format!("Mat{n}<{}>", self.show(column.lane())),
            Ty::Tuple(parts) => tuple(&parts.iter().map(|part| self.show(part)).collect::<Vec<_>>()),
            Ty::Struct(def) => structs::shown(&def.name, &def.args, &|ty| self.show(ty)),
            Ty::Sum(def) => structs::shown(&def.name, &def.args, &|ty| self.show(ty)),
            Ty::Reference(of) => format!("&{}", self.show(&of)),
            other => other.to_string(),
        }
    }
}

impl Ty {
    /// The element that an array of arrays is made of; another type itself.
    pub fn innermost(&self) -> &Self {
        match self {
            Self::Array(element, _) => element.innermost(),
            other => other,
        }
    }

    /// The IR's type for a value of this type, or `None` if it is not an SSA value.
    pub fn value(&self) -> Option<Type> {
        match self {
            Self::Scalar(s) => Some(Type::Scalar(*s)),
            Self::Usize => Some(Type::U32),
            Self::Bf16 => Some(Type::Scalar(Scalar::U16)),
            Self::Vector(lane, n) => lane.scalar().map(|s| Type::Vector(s, *n)),
            Self::Enum(def) => Some(Type::Scalar(def.tag)),
            Self::Reference(of) => of.value(),
            Self::Error | Self::Never | Self::Unit | Self::Array(..) | Self::Tuple(_) | Self::Slice(_) => None,
            Self::Struct(_) | Self::Sum(_) | Self::Atomic(_) | Self::Ids(_) | Self::Var(_) | Self::Matrix(..) => None,
        }
    }

    /// The type of the lanes of a vector; another type itself.
    pub fn lane(&self) -> &Self {
        if let Self::Vector(lane, _) = self { lane } else { self }
    }

    /// The IR's types for the values that make up one of this type, its leaves: none for
    /// `()`, those of each part for tuples, structs and arrays. `None` if it is not made of
    /// SSA values, or of more than [`MAX_LEAVES`].
    pub fn flat(&self) -> Option<Vec<Type>> {
        let mut leaves = Vec::new();
        self.flatten(&mut leaves).then_some(leaves)
    }

    fn flatten(&self, leaves: &mut Vec<Type>) -> bool {
        match self {
            Self::Unit | Self::Never => true,
            Self::Tuple(parts) => parts.iter().all(|part| part.flatten(leaves)),
            Self::Matrix(column, columns) => (0..*columns).all(|_| column.flatten(leaves)),
            Self::Struct(def) => def.fields.iter().all(|field| field.ty.flatten(leaves)),
            Self::Sum(def) => {
                leaves.extend(def.tag().map(Type::Scalar));
                def.fields().all(|ty| ty.flatten(leaves))
            }
            Self::Reference(of) => of.flatten(leaves),
            Self::Array(element, len) => {
                let first = leaves.len();
                if !element.flatten(leaves) {
                    return false;
                }
                let width = leaves.len() - first;
                if width.saturating_mul(*len as usize) > MAX_LEAVES {
                    return false;
                }
                for _ in 1..*len {
                    leaves.extend_from_within(first..first + width);
                }
                leaves.len() <= MAX_LEAVES
            }
            other => match other.value() {
                Some(ty) => {
                    leaves.push(ty);
                    leaves.len() <= MAX_LEAVES
                }
                None => false,
            },
        }
    }

    /// The number of SSA values that make up one of this type; an undecided type counts as one.
    pub fn width(&self) -> usize {
        match self {
            Self::Tuple(parts) => parts.iter().map(Self::width).sum(),
            Self::Matrix(_, columns) => (*columns).into(),
            Self::Struct(def) => def.fields.iter().map(|field| field.ty.width()).sum(),
            Self::Sum(def) => usize::from(def.tag().is_some()) + def.fields().map(Self::width).sum::<usize>(),
            Self::Reference(of) => of.width(),
            Self::Array(element, len) => element.width().saturating_mul(*len as usize),
            Self::Unit | Self::Never | Self::Ids(_) => 0,
            _ => 1,
        }
    }

    /// Whether an array is in it, whose elements a kernel may index by a value. What has
    /// one lives in memory, anything else in SSA values.
    pub fn has_array(&self) -> bool {
        match self {
            Self::Array(..) => true,
            Self::Tuple(parts) => parts.iter().any(Self::has_array),
            Self::Struct(def) => def.fields.iter().any(|field| field.ty.has_array()),
            Self::Reference(of) => of.has_array(),
            // Its parts are taken out before they are indexed.
            _ => false,
        }
    }

    /// Whether an array is in it, or in what a variant of it holds.
    pub fn holds_array(&self) -> bool {
        match self {
            Self::Sum(def) => def.fields().any(Self::holds_array),
            Self::Tuple(parts) => parts.iter().any(Self::holds_array),
            Self::Struct(def) => def.fields.iter().any(|field| field.ty.holds_array()),
            other => other.has_array(),
        }
    }

    /// Whether a `usize` is in it, whose size in memory differs between host and device.
    pub fn has_usize(&self) -> bool {
        match self {
            Self::Usize => true,
            Self::Array(inner, _) | Self::Slice(inner) | Self::Vector(inner, _) => inner.has_usize(),
            Self::Tuple(parts) => parts.iter().any(Self::has_usize),
            Self::Struct(def) => def.fields.iter().any(|field| field.ty.has_usize()),
            Self::Sum(def) => def.fields().any(Self::has_usize),
            Self::Reference(of) => of.has_usize(),
            _ => false,
        }
    }

    /// Whether an atomic is in it: it is memory then, of which there are no values.
    pub fn has_atomics(&self) -> bool {
        match self {
            Self::Atomic(_) => true,
            Self::Array(inner, _) | Self::Slice(inner) | Self::Reference(inner) => inner.has_atomics(),
            Self::Tuple(parts) => parts.iter().any(Self::has_atomics),
            Self::Struct(def) => def.fields.iter().any(|field| field.ty.has_atomics()),
            Self::Sum(def) => def.fields().any(Self::has_atomics),
            _ => false,
        }
    }

    /// Whether atomics of 64 bits are in it, and something else as well: devices declare memory as words or as pairs
    /// of words.
    pub fn mixes_wide_atomics(&self) -> bool {
        fn is_wide(ty: &Ty) -> bool {
            match ty {
                Ty::Atomic(scalar) => scalar.size() == 8,
                Ty::Array(inner, _) | Ty::Slice(inner) => is_wide(inner),
                Ty::Struct(def) => !def.fields.is_empty() && def.fields.iter().all(|field| is_wide(&field.ty)),
                Ty::Tuple(parts) => parts.iter().all(is_wide),
                _ => false,
            }
        }
        fn has_wide(ty: &Ty) -> bool {
            match ty {
                Ty::Array(inner, _) | Ty::Slice(inner) => has_wide(inner),
                Ty::Struct(def) => def.fields.iter().any(|field| has_wide(&field.ty)),
                Ty::Tuple(parts) => parts.iter().any(has_wide),
                other => is_wide(other),
            }
        }
        has_wide(self) && !is_wide(self)
    }

    /// Whether a variable is in it.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Var(_) => true,
            Self::Array(inner, _) | Self::Slice(inner) | Self::Vector(inner, _) | Self::Matrix(inner, _) => {
                inner.is_open()
            }
            Self::Reference(inner) => inner.is_open(),
            Self::Tuple(parts) => parts.iter().any(Self::is_open),
            Self::Struct(def) => def.types().any(Self::is_open),
            Self::Sum(def) => def.types().any(Self::is_open),
            _ => false,
        }
    }

    /// Whether nothing is known of it: it was refused, or stands for what is not linked yet.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Error) || matches!(self, Self::Struct(def) if def.is_opaque())
    }

    /// The types of the parts of a tuple or struct and of the columns of a matrix, in order.
    pub fn parts(&self) -> Option<Vec<&Self>> {
        match self {
            Self::Tuple(parts) => Some(parts.iter().collect()),
            Self::Matrix(column, columns) => Some(vec![&**column; (*columns).into()]),
            Self::Struct(def) => Some(def.fields.iter().map(|field| &field.ty).collect()),
            _ => None,
        }
    }

    /// The number of types that this one is made of, itself included; those of a struct that is not generic count as
    /// one.
    pub fn nodes(&self) -> usize {
        let all = |parts: &mut dyn Iterator<Item = &Self>| parts.map(Self::nodes).fold(1, usize::saturating_add);
        match self {
            Self::Tuple(parts) => all(&mut parts.iter()),
            Self::Struct(def) if !def.args.is_empty() => all(&mut def.fields.iter().map(|field| &field.ty)),
            Self::Sum(def) if !def.args.is_empty() => all(&mut def.fields()),
            Self::Array(element, _) | Self::Reference(element) => element.nodes(),
            _ => 1,
        }
    }

    /// The scalar of numbers and `bool`; `u32` for `usize`.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(s) => Some(*s),
            Self::Usize => Some(Scalar::U32),
            _ => None,
        }
    }

    /// A type of the IR that is a value.
    pub fn of(ty: Type) -> Self {
        match ty {
            Type::Scalar(scalar) => Self::Scalar(scalar),
            Type::Vector(lane, lanes) => Self::Vector(Box::new(Self::Scalar(lane)), lanes),
            Type::Array(_) | Type::Struct(_) | Type::Bytes | Type::Error => Self::Error,
        }
    }

    /// The number of elements of an array.
    pub(crate) fn len(&self) -> Option<u32> {
        match self {
            Self::Array(_, len) => Some(*len),
            _ => None,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error => f.write_str("?"),
            Self::Never => f.write_str("!"),
            Self::Unit => f.write_str("()"),
            Self::Scalar(s) => f.write_str(s.name()),
            Self::Usize => f.write_str("usize"),
            Self::Bf16 => f.write_str("bf16"),
            Self::Vector(lane, n) => write!(f, "Vec{n}<{lane}>"),
            Self::Matrix(column, n) => write!(f, "Mat{n}<{}>", column.lane()),
            Self::Array(element, len) => write!(f, "[{element}; {len}]"),
            Self::Struct(def) => f.write_str(&structs::shown(&def.name, &def.args, &Self::to_string)),
            Self::Sum(def) => f.write_str(&structs::shown(&def.name, &def.args, &Self::to_string)),
            Self::Reference(of) => write!(f, "&{of}"),
            Self::Enum(def) => f.write_str(&def.name),
            Self::Slice(element) => write!(f, "[{element}]"),
            Self::Tuple(parts) => f.write_str(&tuple(&parts.iter().map(Self::to_string).collect::<Vec<_>>())),
            Self::Atomic(s) => write!(f, "Atomic<{}>", s.name()),
            Self::Ids(first) => write!(f, "{}()", first.rust()),
            Self::Var(_) => f.write_str("_"),
        }
    }
}

/// A tuple of parts, as Rust spells it.
fn tuple(parts: &[String]) -> String {
    match parts {
        [one] => format!("({one},)"),
        parts => format!("({})", parts.join(", ")),
    }
}
