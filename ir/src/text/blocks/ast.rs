//! The syntax tree of block form. Only names have been checked.
//!
//! Within a function every value has a number: first the parameters, then the others in the
//! order in which the text mentions them. Labels are numbers of blocks. Globals and called
//! functions are still names.

use crate::builder::Builder;
use crate::limits::Limits;
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Class, Op, SubgroupOp};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{Scalar, Type};

/// The number of a value in its function.
pub(super) type Val = usize;

/// Where a pointer points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Space {
    /// Any of the others; the caller decides.
    Generic,
    /// Memory of the device: a buffer.
    Global,
    /// Memory of the workgroup.
    Shared,
    /// Memory of the invocation.
    Local,
    /// A buffer that is only read.
    Const,
}

impl Space {
    pub(super) const ALL: &[Self] = &[Self::Generic, Self::Global, Self::Shared, Self::Local, Self::Const];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Const => "const",
        }
    }
}

/// A type in block form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Value(Type),
    Pointer(Space, Type),
}

/// How a global begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Initial {
    /// As its host or a fresh workgroup leaves it.
    None,
    /// It lies in the arena, at this byte.
    Address(u32),
    /// With this value.
    Value(Scalar, u64),
}

#[derive(Clone, Debug)]
pub(super) struct Global {
    pub(super) name: String,
    pub(super) space: Space,
    /// What it points to, as declared.
    pub(super) pointee: Type,
    pub(super) initial: Initial,
    pub(super) loc: Loc,
}

/// An operand and where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operand {
    pub(super) arg: Arg,
    pub(super) loc: Loc,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arg {
    Value(Val),
    /// The number of a global.
    Global(usize),
    Const(Scalar, u64),
}

/// The family of a comparison's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Signed,
    Unsigned,
    /// False if an operand is NaN.
    Ordered,
    /// True if an operand is NaN.
    Unordered,
}

/// A conversion that fixes the sorts of its types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conv {
    Trunc,
    Zext,
    Sext,
    FpToSi,
    FpToUi,
    SiToFp,
    UiToFp,
    FpExt,
    FpTrunc,
    Bitcast,
    /// Any pair of the cast table; an extension.
    Cast,
}

/// The conversions by their names; the first that fits is the one to write.
pub(super) const CONVERSIONS: &[(&str, Conv)] = &[
    ("trunc", Conv::Trunc),
    ("zext", Conv::Zext),
    ("sext", Conv::Sext),
    ("fptosi", Conv::FpToSi),
    ("fptoui", Conv::FpToUi),
    ("sitofp", Conv::SiToFp),
    ("uitofp", Conv::UiToFp),
    ("fpext", Conv::FpExt),
    ("fptrunc", Conv::FpTrunc),
    ("bitcast", Conv::Bitcast),
    ("cast", Conv::Cast),
];

/// What an atomic access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rmw {
    pub(super) op: AtomicOp,
    /// The types that it is for.
    pub(super) class: Class,
    /// What an exchange sets that has no operand.
    pub(super) flag: Option<u64>,
}

impl Rmw {
    pub(super) const fn of(op: AtomicOp, class: Class) -> Self {
        Self { op, class, flag: None }
    }

    const fn flag(bit: u64) -> Self {
        Self { op: AtomicOp::Exchange, class: Class::INT, flag: Some(bit) }
    }
}

/// What follows `atomic.rmw`. An op may have names for some of its types only.
pub(super) const RMW: &[(&str, Rmw)] = &[
    ("add", Rmw::of(AtomicOp::Add, Class::INT)),
    ("sub", Rmw::of(AtomicOp::Sub, Class::INT)),
    ("and", Rmw::of(AtomicOp::And, Class::INT)),
    ("or", Rmw::of(AtomicOp::Or, Class::INT)),
    ("xor", Rmw::of(AtomicOp::Xor, Class::INT)),
    ("nand", Rmw::of(AtomicOp::Nand, Class::INT)),
    ("min_s", Rmw::of(AtomicOp::Min, Class::SIGNED)),
    ("max_s", Rmw::of(AtomicOp::Max, Class::SIGNED)),
    ("min_u", Rmw::of(AtomicOp::Min, Class::UNSIGNED)),
    ("max_u", Rmw::of(AtomicOp::Max, Class::UNSIGNED)),
    ("inc_wrap", Rmw::of(AtomicOp::IncWrap, Class::UNSIGNED)),
    ("dec_wrap", Rmw::of(AtomicOp::DecWrap, Class::UNSIGNED)),
    ("fadd", Rmw::of(AtomicOp::Add, Class::FLOAT)),
    ("fsub", Rmw::of(AtomicOp::Sub, Class::FLOAT)),
    ("fmin", Rmw::of(AtomicOp::Min, Class::FLOAT)),
    ("fmax", Rmw::of(AtomicOp::Max, Class::FLOAT)),
    ("exchange", Rmw::of(AtomicOp::Exchange, Class::NUM)),
    ("flag_test_and_set", Rmw::flag(1)),
    ("flag_clear", Rmw::flag(0)),
];

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind {
    /// A copy, or a constant.
    Mov,
    /// An op of the table with the table's types.
    Op(Op),
    /// A comparison with a `u32` for its result. Equality for `Eq` and `Ne`, and so on.
    Compare(Family, Op),
    /// Whether no operand is NaN, or whether one is.
    Ordered(bool),
    Conv(Conv),
    Load,
    Store,
    Gep {
        stride: u32,
        bound: Option<u32>,
    },
    Len,
    Builtin(Builtin),
    WorkgroupSize(usize),
    Barrier,
    Subgroup(SubgroupOp),
    Fence(Ordering, Scope),
    Call(String),
    Atomic(Rmw, MemoryOrder),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Inst {
    pub(super) loc: Loc,
    pub(super) mnemonic: String,
    pub(super) kind: Kind,
    pub(super) result: Option<Val>,
    pub(super) args: Vec<Operand>,
    /// The type after `to`.
    pub(super) to: Option<Ty>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Phi {
    pub(super) loc: Loc,
    pub(super) result: Val,
    pub(super) ty: Ty,
    /// The values, each with the block that it comes from.
    pub(super) from: Vec<(Operand, usize)>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum End {
    Br(usize),
    BrIf(Operand, usize, usize),
    Switch(Operand, usize, Vec<(u64, usize)>),
    Ret(Option<Operand>),
    Unreachable,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Block {
    pub(super) label: String,
    pub(super) loc: Loc,
    pub(super) phis: Vec<Phi>,
    pub(super) insts: Vec<Inst>,
    pub(super) end: End,
    pub(super) end_loc: Loc,
}

impl End {
    /// The labels or blocks that it names.
    pub(super) fn targets_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Br(to) => vec![to],
            Self::BrIf(_, a, b) => vec![a, b],
            Self::Switch(_, default, cases) => cases.iter_mut().map(|case| &mut case.1).chain([default]).collect(),
            Self::Ret(_) | Self::Unreachable => Vec::new(),
        }
    }

    /// The value that it reads.
    pub(super) fn operand(&self) -> Option<Operand> {
        match self {
            Self::BrIf(value, ..) | Self::Switch(value, ..) | Self::Ret(Some(value)) => Some(*value),
            Self::Br(_) | Self::Ret(None) | Self::Unreachable => None,
        }
    }
}

impl Block {
    /// The blocks that may follow, each once.
    pub(super) fn successors(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.end.clone().targets_mut().into_iter().map(|to| *to).collect();
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|to| seen.insert(*to));
        all
    }
}

/// Where a value is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Def {
    Param,
    /// The block, and the place in it: 0 for a phi, from 1 on for an instruction.
    Block(usize, usize),
}

#[derive(Clone, Debug)]
pub(super) struct ValueInfo {
    pub(super) name: String,
    /// Whether the name is a bare number, and so none.
    pub(super) number: bool,
    pub(super) def: Option<Def>,
    pub(super) loc: Loc,
}

#[derive(Clone, Debug)]
pub(super) struct Func {
    pub(super) name: String,
    pub(super) loc: Loc,
    /// The workgroup size of a kernel.
    pub(super) kernel: Option<[u32; 3]>,
    /// How much of a device a kernel may use beyond what every one has.
    pub(super) limits: Limits,
    pub(super) params: Vec<(Val, Ty, Loc)>,
    pub(super) ret: Option<Type>,
    pub(super) blocks: Vec<Block>,
    pub(super) values: Vec<ValueInfo>,
    /// The values that select a case, with the type of the cases.
    pub(super) selectors: Vec<(Val, Scalar, Loc)>,
}

impl Func {
    /// Starts to build it.
    pub(super) fn builder(&self) -> Builder {
        match self.kernel {
            Some(size) => Builder::new(self.name.clone(), size),
            None => Builder::device(self.name.clone()),
        }
    }
}
