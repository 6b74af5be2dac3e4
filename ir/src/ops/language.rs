//! How kernels written in Rust spell ops, and the table of the language's functions.

use super::{Builtin, Op, Signature, SubgroupOp};
use crate::types::Scalar;
use std::fmt;

/// How Rust spells an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// `a + b`, `-a`, `a as T`
    Operator(&'static str),
    /// `a.min(b)`
    Method(&'static str),
    /// `a.wrapping_add(b)`: only integers have the method, whatever else has the op.
    IntMethod(&'static str),
    /// `mul_hi(a, b)`, a function of the language.
    Function(&'static str),
    /// `Vec2::new(a, b)`, a function of the type that it gives.
    Constructor(&'static str),
}

impl Spelling {
    /// The operator or name alone.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operator(name) | Self::Method(name) | Self::IntMethod(name) => name,
            Self::Function(name) | Self::Constructor(name) => name,
        }
    }

    /// The name of a method; `None` for another spelling.
    pub const fn method(self) -> Option<&'static str> {
        match self {
            Self::Method(name) | Self::IntMethod(name) => Some(name),
            Self::Operator(_) | Self::Function(_) | Self::Constructor(_) => None,
        }
    }
}

/// The operator or name, with `()` behind a function's.
impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if let Self::Function(_) = self { f.write_str("()") } else { Ok(()) }
    }
}

impl Op {
    /// The op that an operator with this many operands means; `-` is subtraction with two and
    /// negation with one.
    pub fn from_operator(operator: &str, operands: usize) -> Option<Self> {
        let is_it = |spelling: &Spelling| matches!(spelling, Spelling::Operator(name) if *name == operator);
        let means = |op: &Self| op.info().signature.arity().0 == operands && op.info().rust.iter().any(is_it);
        Self::ALL.iter().copied().find(means)
    }

    /// The methods of a scalar of this type, and lane by lane of vectors of it, with what they mean.
    pub fn methods(scalar: Scalar) -> impl Iterator<Item = (&'static str, Self)> {
        let has = move |op: &Self| match op.info().signature {
            Signature::Lanes(class, ..) => class.contains(scalar),
            _ => false,
        };
        let of_type = move |spelling: &Spelling| match spelling {
            Spelling::IntMethod(_) if scalar.is_float() => None,
            spelling => spelling.method(),
        };
        let named = move |op: Self| op.info().rust.iter().filter_map(of_type).map(move |name| (name, op));
        Self::ALL.iter().copied().filter(has).flat_map(named)
    }

    /// The op that a method of a scalar of this type means.
    ///
    /// ```
    /// use samebits_ir::{ops::Op, types::Scalar};
    /// assert_eq!(Op::from_method("wrapping_add", Scalar::U32), Some(Op::Add));
    /// assert_eq!(Op::from_method("wrapping_add", Scalar::F32), None);
    /// ```
    pub fn from_method(name: &str, scalar: Scalar) -> Option<Self> {
        Self::methods(scalar).find(|(method, _)| *method == name).map(|(_, op)| op)
    }

    /// The op that a function of the module `approx` means: one of which devices have an
    /// [instruction](Self::has_instruction).
    ///
    /// ```
    /// use samebits_ir::ops::Op;
    /// assert_eq!(Op::from_approx("exp"), Some(Op::Exp));
    /// assert_eq!(Op::from_approx("cbrt"), None);
    /// ```
    pub fn from_approx(name: &str) -> Option<Self> {
        Self::approximate().find(|(known, _)| *known == name).map(|(_, op)| op)
    }

    /// The functions of the module `approx`.
    pub fn approximate() -> impl Iterator<Item = (&'static str, Self)> {
        let ops = Self::ALL.iter().copied().filter(|op| op.has_instruction());
        ops.filter_map(|op| Some((op.info().rust.first()?.name(), op)))
    }

    /// The first op that a method of this name means, whatever type has it.
    pub fn from_any_method(name: &str) -> Option<Self> {
        let is_it = |spelling: &Spelling| spelling.method() == Some(name);
        Self::ALL.iter().copied().find(|op| op.info().rust.iter().any(is_it))
    }
}

/// A function of the language, which a kernel calls by its name alone.
///
/// ```
/// use samebits_ir::ops::{Builtin, Function, Op};
/// assert_eq!(Function::from_name("mul_hi"), Some(Function::Op(Op::MulHigh)));
/// assert_eq!(Function::from_name("global_id"), Some(Function::Builtin(Builtin::GlobalIdX)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    /// `local_index()`; and `global_id()`, where the builtin of the first axis stands for all three.
    Builtin(Builtin),
    /// `workgroup_barrier()`
    Barrier,
    /// `broadcast(&cell)`
    Broadcast,
    /// `fence(Ordering::Release)`
    Fence,
    /// `fence_in(Ordering::Release, Scope::Workgroup)`
    FenceIn,
    /// `mul_hi(a, b)`
    Op(Op),
    /// `subgroup_add(a)`
    Subgroup(SubgroupOp),
}

impl Function {
    /// The functions that are no op, each with a sentence of documentation.
    const OWN: &[(Self, &str)] = &[
        (
            Self::Builtin(Builtin::GlobalIdX),
            "The invocation's place in the whole launch. Launches are rounded up to whole workgroups: compare it \
             with a length before it counts.",
        ),
        (Self::Builtin(Builtin::LocalIdX), "The invocation's place in its workgroup."),
        (Self::Builtin(Builtin::WorkgroupIdX), "The workgroup's place among the workgroups."),
        (Self::Builtin(Builtin::NumWorkgroupsX), "How many workgroups there are."),
        (Self::Builtin(Builtin::LocalIndex), "[`local_id`] as one number: x first, then y, then z."),
        (Self::Builtin(Builtin::SubgroupId), Builtin::SubgroupId.doc()),
        (Self::Builtin(Builtin::SubgroupLane), Builtin::SubgroupLane.doc()),
        (Self::Builtin(Builtin::NumSubgroups), Builtin::NumSubgroups.doc()),
        (
            Self::Barrier,
            "Waits until every invocation of the workgroup is here; what each wrote before, to workgroup memory and \
             to buffers, each sees after.",
        ),
        (
            Self::Broadcast,
            "The value in workgroup memory, with a barrier before and after: all invocations get the same one, so \
             that barriers may stand under a condition on it.",
        ),
        (
            Self::Fence,
            "Orders all accesses before it with all after it, for every invocation of the device. It waits for \
             nobody, and means something only together with atomics.",
        ),
        (Self::FenceIn, "[`fence`] between the invocations of a scope."),
    ];

    /// Every function of the language.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = Self::OWN.iter().map(|&(function, _)| function);
        let ops = Op::ALL.iter().filter(|op| op.function().is_some()).map(|&op| Self::Op(op));
        own.chain(ops).chain(SubgroupOp::ALL.iter().map(|&op| Self::Subgroup(op)))
    }

    /// The function of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|function| function.name() == name)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtin(builtin) => builtin.rust(),
            Self::Barrier => "workgroup_barrier",
            Self::Broadcast => "broadcast",
            Self::Fence => "fence",
            Self::FenceIn => "fence_in",
            Self::Op(op) => op.function().unwrap_or(op.info().name),
            Self::Subgroup(op) => op.rust(),
        }
    }

    /// The number of operands.
    pub const fn operands(self) -> usize {
        match self {
            Self::Builtin(_) | Self::Barrier => 0,
            Self::Broadcast | Self::Fence => 1,
            Self::FenceIn => 2,
            Self::Op(op) => op.info().signature.arity().0,
            Self::Subgroup(op) => op.operands(),
        }
    }

    /// A sentence of documentation.
    pub fn doc(self) -> &'static str {
        match self {
            Self::Op(op) => op.info().doc,
            Self::Subgroup(op) => op.doc(),
            own => Self::OWN.iter().find(|(function, _)| *function == own).map_or("", |(_, doc)| doc),
        }
    }
}

impl Op {
    /// The name of the function that spells the op, if one does.
    fn function(self) -> Option<&'static str> {
        self.info().rust.iter().find_map(|spelling| match spelling {
            Spelling::Function(name) => Some(*name),
            _ => None,
        })
    }
}
