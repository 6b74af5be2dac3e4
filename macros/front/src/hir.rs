//! A kernel's body after names and types: what Rust's syntax means, before it is IR.
//!
//! [`lower`](crate::lower) makes it from syn's tree, deciding names, operators, methods and types;
//! [`build`](crate::build) turns it into IR. An expression that was refused is [`ExprKind::Error`].

use crate::infer::{Ids, Ty};
use samebits_ir::arena::{Arena, Id};
use samebits_ir::ir::Root;
use samebits_ir::loc::Loc;
use samebits_ir::ops::{AtomicOp, Op};
use samebits_ir::types::Scalar;

/// An expression's id.
pub type ExprId = Id<Expr>;
/// A local variable's id.
pub type LocalId = Id<Local>;
/// A loop's id.
pub type LoopId = Id<Loop>;

/// The body of a kernel.
#[derive(Default)]
pub struct Body {
    /// Every expression.
    pub exprs: Arena<Expr>,
    /// Every local variable, the scalar parameters first.
    pub locals: Arena<Local>,
    /// Every loop.
    pub loops: Arena<Loop>,
    /// Arrays of one invocation, in the order of their roots.
    pub private: Vec<Memory>,
    /// Workgroup memory, in the order of its roots.
    pub shared: Vec<Memory>,
}

/// An expression.
pub struct Expr {
    /// What it does.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// Its tokens.
    pub loc: Loc,
}

/// A local variable or scalar parameter.
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Whether it was declared `mut`.
    pub mutable: bool,
    /// Whether a `for` gives it its values.
    pub iterates: bool,
    /// Where it is declared.
    pub loc: Loc,
}

/// A loop's name and the type that `break` gives it.
pub struct Loop {
    /// The label without its quote mark.
    pub label: Option<String>,
    /// The type of the loop's value.
    pub ty: Ty,
    /// Whether any `break` leaves it.
    pub broken: bool,
}

/// A private array or workgroup memory.
pub struct Memory {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Where it is declared.
    pub loc: Loc,
}

/// Statements and the value of the last one.
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The value.
    pub tail: Option<ExprId>,
}

/// A statement.
pub enum Stmt {
    /// An expression whose value is dropped.
    Expr(ExprId),
    /// `let local = value`
    Let(LocalId, ExprId),
    /// `let array = [a, b, c]` or `[a; N]`, in which case there is one value.
    Array {
        /// The memory, always private.
        root: Root,
        /// The values.
        values: Vec<ExprId>,
    },
}

/// Where a value is stored.
pub enum Place {
    /// A local variable.
    Local(LocalId),
    /// Memory.
    Memory {
        /// The root.
        root: Root,
        /// The indices, outermost first, each with the array type that it indexes.
        indices: Vec<(ExprId, Ty)>,
    },
    /// Something that was refused.
    Error,
}

/// What an expression does.
pub enum ExprKind {
    /// Was refused.
    Error,
    /// An integer literal, before its sign.
    Int(u128),
    /// A float literal as written, without suffix and underscores.
    Float(String),
    /// Known bits of a known scalar type, such as `true` or `u32::MAX`.
    Bits(u64),
    /// The value of a local variable.
    Local(LocalId),
    /// An op of the table; the result type is the expression's.
    Op(Op, Vec<ExprId>),
    /// `a && b`
    And(ExprId, ExprId),
    /// `a || b`
    Or(ExprId, ExprId),
    /// `f32::fract`, which has no op of its own.
    Fract(ExprId),
    /// `f32::signum`, which has no op of its own.
    Signum(ExprId),
    /// `f32::recip`, which has no op of its own.
    Recip(ExprId),
    /// `clamp`, by type the ends of integers or of floats.
    Clamp(ExprId, ExprId, ExprId),
    /// A lane of a vector.
    Lane(ExprId, u32),
    /// An id's axis.
    Id(Ids, u32),
    /// A whole id, only to be asked for an axis.
    Ids,
    /// `local_index()`
    LocalIndex,
    /// The number of elements of a buffer.
    Len(Root),
    /// The number of elements of an array.
    ArrayLen(u32),
    /// The value in memory.
    Load(Place),
    /// `place = value`
    Assign(Place, ExprId),
    /// `place op= value`
    AssignOp(Op, Place, ExprId),
    /// An atomic access.
    Atomic(AtomicOp, Scalar, Place, Vec<ExprId>),
    /// `workgroup_barrier()`
    Barrier,
    /// `broadcast(&place)`: a load between two barriers
    Broadcast(Place),
    /// `{ … }`
    Block(Block),
    /// `if condition { … } else { … }`
    If(ExprId, Block, Option<ExprId>),
    /// `loop { … }`
    Loop(LoopId, Block),
    /// `while condition { … }`
    While(LoopId, ExprId, Block),
    /// `for local in start..end { … }`
    For {
        /// The loop.
        id: LoopId,
        /// The loop variable.
        local: LocalId,
        /// The first value.
        start: ExprId,
        /// Where it ends.
        end: ExprId,
        /// Whether `end` is the last value (`..=`) or the first one not reached.
        inclusive: bool,
        /// The body.
        body: Block,
    },
    /// `break`, with the value that the loop then has
    Break(LoopId, Option<ExprId>),
    /// `continue`
    Continue(LoopId),
    /// `return`
    Return,
}
