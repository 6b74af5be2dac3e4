//! A function's body after names and types are resolved, and before it is IR.
//!
//! [`lower`](crate::lower) makes it from syn's tree, and resolves names, operators, methods and
//! types. [`build`](crate::build) turns it into IR. An expression that was refused is
//! [`ExprKind::Error`]. Helpers are inlined, so there are no calls.
//!
//! A value of a type that contains an array is in memory, since its elements may be indexed by
//! values. Any other local consists of SSA values, one for each leaf of its type.

use crate::class::Calls;
use crate::infer::Ty;
use crate::known::Bits;
use proc_macro2::TokenStream;
use quote::quote;
use samebits_ir::arena::{Arena, Id};
use samebits_ir::caps::Capabilities;
use samebits_ir::flags::Unroll;
use samebits_ir::ir::{Access, Root};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{AtomicOp, Builtin, NumberMethod, Op, SubgroupOp, VectorMethod};
use samebits_ir::order::{MemoryOrder, Ordering, Scope};
use samebits_ir::types::Scalar;
use std::collections::HashMap;

/// An expression's id.
pub type ExprId = Id<Expr>;
/// A local variable's id.
pub type LocalId = Id<Local>;
/// The id of a reference that a variable holds.
pub type LoanId = Id<Loan>;
/// A loop's id.
pub type LoopId = Id<Loop>;

/// A reference that a variable holds.
pub struct Loan {
    /// The variable's name.
    pub name: String,
    /// What is borrowed.
    pub place: Place,
    /// Whether it is `&mut`.
    pub mutable: bool,
    /// The reference that this one was made of.
    pub from: Option<LoanId>,
    /// Who borrows it.
    pub by: Borrower,
    /// Where it is made.
    pub loc: Loc,
}

/// Who borrows a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Borrower {
    /// A variable, or the names of a pattern.
    Variable,
    /// `a += b` of a type whose own operator assigns, which borrows `a` before it evaluates `b`.
    Operator,
    /// A call, one of whose arguments it is, while it evaluates those behind it.
    Call,
}

/// A place that is borrowed: by a variable, or for a call.
#[derive(Clone)]
pub struct Borrowed {
    /// The place.
    pub place: Place,
    /// Whether it is borrowed as `&mut`.
    pub mutable: bool,
    /// The reference through which the place is reached.
    pub through: Option<LoanId>,
    /// The reference that is made.
    pub made: Option<LoanId>,
    /// Where it is borrowed.
    pub loc: Loc,
}

/// A use of a parameter that is an `FnOnce`.
pub struct Called {
    /// Which parameter it is.
    pub function: usize,
    /// Its name.
    pub name: String,
    /// Where it is used.
    pub loc: Loc,
}

/// A closure that a variable holds.
pub struct Capturing {
    /// The variable's name.
    pub name: String,
    /// The places around it that it changes.
    pub changes: Vec<Place>,
    /// Where it is made.
    pub loc: Loc,
}

/// A parameter as the body sees it.
pub struct BodyParam {
    /// Its name.
    pub name: String,
    /// `Slice` for buffers, else a value's type; `Error` if it was refused.
    pub ty: Ty,
    /// How it is passed.
    pub passing: Passing,
    /// Whether the pattern says `mut`.
    pub mutable: bool,
    /// Where it is.
    pub loc: Loc,
}

/// How a parameter is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Passing {
    /// As a value, of whose leaves each is a parameter of the IR.
    Value,
    /// As a reference to a value without arrays, which is a value of its own to a helper that
    /// is compiled alone.
    Reference {
        /// Whether it is `&mut`.
        mutable: bool,
    },
    /// As memory: a buffer, or a reference to an array.
    Memory(Access),
    /// As a function that takes these and may be called so; the type is its result's.
    Function(Vec<Taken>, Calls),
}

/// What a function that is an argument takes itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The type, behind a reference if it is one.
    pub ty: Ty,
    /// If it is a reference, whether it is `&mut`.
    pub reference: Option<bool>,
}

/// The body of a function.
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
    /// Constants that are memory, in the order of their roots; each names earlier ones only.
    pub tables: Vec<Table>,
    /// Constants from outside, in the order of their first use.
    pub outer: Vec<Outer>,
    /// Those of them that are steps of loops, and where.
    pub steps: Vec<(LocalId, Loc)>,
    /// The types that the body writes which not every device has.
    pub written: Vec<Written>,
    /// Values that are not known, in the order of their making.
    pub unknown: Vec<LocalId>,
    /// The references that variables hold, in the order of their making.
    pub loans: Arena<Loan>,
    /// The names of the variables that hold iterators, in the order of their making.
    pub iterators: Vec<String>,
    /// The references through which expressions access their places, by the place's number among
    /// those of the expression.
    pub through: HashMap<(ExprId, usize), LoanId>,
    /// The closures that variables hold, in the order of their making.
    pub closures: Vec<Capturing>,
    /// Which of them the bodies are that stand in the place of calls.
    pub bodies: HashMap<LoopId, usize>,
    /// The variables that are declared without a value.
    pub deferred: Vec<Deferred>,
    /// What the body may say, by number.
    pub messages: Vec<Message>,
    /// Whether the program has debug assertions, if the body asks, which the launch passes.
    pub debug_assertions: Option<LocalId>,
}

/// What a body may say to its host.
pub struct Message {
    /// Whether it says that an assertion has failed, and not a line.
    pub is_assertion: bool,
    /// The text with places for values, on the user's tokens.
    pub format: proc_macro2::Literal,
    /// The names of the values, where they have some.
    pub names: Vec<Option<syn::Ident>>,
    /// Where it is said.
    pub loc: Loc,
}

/// A variable that is declared without a value.
pub struct Deferred {
    /// The variable.
    pub local: LocalId,
    /// The memory that it is instead, if it holds an array.
    pub root: Option<Root>,
}

/// A type in the body that not every device has.
pub struct Written {
    /// What it needs.
    pub features: Capabilities,
    /// How many expressions stand before it.
    pub before: usize,
    /// Where it stands.
    pub loc: Loc,
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
    /// Whether it stands for what a `&` reference refers to.
    pub behind: bool,
    /// Where it is declared.
    pub loc: Loc,
}

/// A loop's name and the type that `break` gives it; or a block with a label; or a call of a helper,
/// which its `return`s leave.
pub struct Loop {
    /// The label without its quote mark.
    pub label: Option<String>,
    /// The type of the loop's value.
    pub ty: Ty,
    /// Whether any `break` leaves it.
    pub broken: bool,
    /// Whether it is a block, which only a `break` with its label leaves.
    pub is_block: bool,
    /// What `#[unroll]` asks, and where it does.
    pub unroll: Option<(Unroll, Loc)>,
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

/// A constant that is memory.
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// What it holds.
    pub value: Held,
    /// Where it is named first.
    pub loc: Loc,
}

/// What a table holds.
#[derive(Clone)]
pub enum Held {
    /// The value of an expression that follows from literals alone, whose type may still be open.
    Expr(ExprId),
    /// Known bits.
    Bits(Bits),
}

/// Statements and the value of the last one.
#[derive(Default)]
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
    /// `let name = value` of a value that lives in memory.
    Store {
        /// The memory, always private.
        root: Root,
        /// The value.
        value: ExprId,
    },
    /// `let array = [a, b, c]` or `[a; N]`
    Array {
        /// The memory, always private.
        root: Root,
        /// What it holds at first.
        init: ArrayInit,
    },
    /// `let name;`, of the deferred variable of this number
    Declare(usize),
    /// A place is borrowed, of which only borrow rules want to know.
    Borrow(Borrowed),
    /// A deferred variable is borrowed or captured, for which it needs a value.
    Used(usize, Loc),
    /// `let it = x.iter();`, of the iterator of this number
    Kept(usize),
    /// The iterator of this number is used up.
    UsedUp(usize, Loc),
    /// A function is used that can be used once.
    Called(Called),
    /// `let name = |…| …`, of the closure of this number.
    Made(usize),
    /// `let pattern = value`, where every value fits the pattern
    Destructure(Pattern, ExprId),
    /// `let pattern = value else { … };`
    LetElse(Pattern, ExprId, Block),
}

/// What a name of a pattern becomes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bound {
    /// A local of SSA values.
    Local(LocalId),
    /// Private memory.
    Memory(Root),
}

/// The first value of an array. All lists in one have the same depth.
pub enum ArrayInit {
    /// A value that is not an array.
    Value(ExprId),
    /// `[init; N]`
    Repeat(Box<ArrayInit>, u32),
    /// `[init, init]`
    List(Vec<ArrayInit>),
}

impl ArrayInit {
    /// How many arrays are around its values.
    pub fn depth(&self) -> usize {
        match self {
            Self::Value(_) => 0,
            Self::Repeat(inner, _) => inner.depth() + 1,
            Self::List(list) => list.first().map_or(0, Self::depth) + 1,
        }
    }
}

/// A part of a value, as the place of its first leaf among all the value's leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The index of the first value.
    pub first: usize,
    /// The number of values.
    pub len: usize,
}

/// A lane of a vector that is a local variable, or a part of such a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    /// This one.
    Known(u32),
    /// The one of an index, which is evaluated before the vector is read.
    Index(ExprId),
    /// A column of an index.
    Column(ExprId),
    /// This lane of a column of an index.
    InColumn(ExprId, u32),
    /// The lane of the second index, in the column of the first.
    At(ExprId, ExprId),
}

impl Lane {
    /// The indices in it, in the order in which they are evaluated.
    pub fn indices(&self) -> impl Iterator<Item = ExprId> {
        let (first, second) = match *self {
            Self::Known(_) => (None, None),
            Self::Index(index) | Self::Column(index) | Self::InColumn(index, _) => (Some(index), None),
            Self::At(column, lane) => (Some(column), Some(lane)),
        };
        first.into_iter().chain(second)
    }

    /// The same to change.
    pub fn indices_mut(&mut self) -> Vec<&mut ExprId> {
        match self {
            Self::Known(_) => Vec::new(),
            Self::Index(index) | Self::Column(index) | Self::InColumn(index, _) => vec![index],
            Self::At(column, lane) => vec![column, lane],
        }
    }

    /// The column of an index, if it is in one.
    pub fn column(&self) -> Option<ExprId> {
        match *self {
            Self::Column(column) | Self::InColumn(column, _) | Self::At(column, _) => Some(column),
            Self::Known(_) | Self::Index(_) => None,
        }
    }

    /// The lane of a vector that it is: of the column, if it is in one; nothing for all of a column.
    pub fn of_vector(&self) -> Option<Self> {
        match *self {
            Self::Column(_) => None,
            Self::InColumn(_, lane) => Some(Self::Known(lane)),
            Self::At(_, lane) => Some(Self::Index(lane)),
            own => Some(own),
        }
    }
}

/// A step from memory to a part of it.
#[derive(Clone)]
pub enum Step {
    /// An index, with the array, slice or vector that it indexes.
    Index(ExprId, Ty),
    /// A field, with the struct or tuple that it is of.
    Field(usize, Ty),
    /// A part of an array or slice: the index that follows counts from where the part begins.
    Slice {
        /// Where it begins. What is evaluated for the part is evaluated here.
        begin: ExprId,
        /// How many elements it has, which are within the whole.
        len: ExprId,
        /// The cuts in two that it comes from, and whether it is on the right of each.
        cuts: Vec<(u32, bool)>,
    },
}

/// Where a value is stored.
#[derive(Clone)]
pub enum Place {
    /// A local variable, a part of a tuple or struct in it, or a lane of a vector in that.
    Local {
        /// The variable.
        local: LocalId,
        /// Which of its parts, and which of their parts.
        path: Vec<usize>,
        /// Which lane of the vector there.
        lane: Option<Lane>,
    },
    /// Memory.
    Memory {
        /// The root.
        root: Root,
        /// The way to the part that is meant, outermost step first.
        path: Vec<Step>,
        /// Which lane of the vector there.
        lane: Option<u32>,
    },
    /// `_`, in a destructuring assignment.
    Ignored,
    /// Something that was refused.
    Error,
}

/// The direction in which a `for` counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Up.
    Forward,
    /// Down from the last value of the range.
    Reversed,
    /// Down from the last value that the steps reach: `.step_by(n).rev()`.
    StepsReversed,
}

/// An arm of a `match`.
pub struct Arm {
    /// What it takes.
    pub pattern: Pattern,
    /// The guard, which must hold as well.
    pub guard: Option<ExprId>,
    /// The arm's value.
    pub body: ExprId,
}

/// What a value is compared with, and what of it gets names. Comparing has no effect.
#[derive(Clone)]
pub enum Pattern {
    /// Anything.
    Any,
    /// `name`, or `name @ pattern`: the value gets a name.
    Named(Bound, Box<Pattern>),
    /// The numbers from the first to the last; an open end is the type's own.
    Range(Option<i128>, Option<i128>, Loc),
    /// A constant from outside of the kernel.
    Constant(ExprId),
    /// A value that was made in this way, with a pattern for each part, in their order.
    Made(Constructor, Vec<Pattern>),
    /// `a | b`: the first that fits. All give values to the same names.
    Or(Vec<Pattern>),
}

/// One of the ways in which values of a type are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constructor {
    /// The only one of a tuple, a struct or an array.
    Only,
    /// A variant of an enum, by its number: of one with fields, with a part for each.
    Variant(usize),
}

impl Pattern {
    /// The names in it.
    pub fn names(&self) -> Vec<Bound> {
        match self {
            Self::Any | Self::Range(..) | Self::Constant(_) => Vec::new(),
            Self::Named(bound, inner) => [vec![*bound], inner.names()].concat(),
            Self::Made(_, parts) => parts.iter().flat_map(Self::names).collect(),
            Self::Or(cases) => cases.first().map_or_else(Vec::new, Self::names),
        }
    }
}

/// What of a constant from outside is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Its value, which rustc finds to be of the local's type.
    Plain,
    /// Its value, which rustc casts to that type.
    Cast,
    /// The number of its elements.
    Len,
    /// The value of an integer whose type a helper does not know either, in the form in which that
    /// passes it on.
    Kept,
}

/// A constant from outside, which the launch passes.
pub struct Outer {
    /// The id of the helper or struct whose body names it; empty for the function itself.
    pub origin: String,
    /// How that body names it.
    pub key: String,
    /// Its path, for rustc.
    pub path: syn::Path,
    /// What of it is meant.
    pub form: Form,
    /// The local that stands for it.
    pub local: LocalId,
}

/// What tells a constant from outside from all others: the fact that names it, and how.
pub fn outer_id(origin: &str, key: &str) -> String {
    format!("{origin} {key}")
}

impl Outer {
    /// Its value for rustc, of this type, which `rust` names; `krate` is where samebits is.
    pub fn value(&self, ty: &Ty, rust: &TokenStream, krate: &syn::Path) -> TokenStream {
        let path = &self.path;
        match self.form {
            Form::Plain => quote!(#path),
            // No `as` leads to it. An integer that an `f64` cannot hold is beyond it.
            Form::Cast if *ty == Ty::Scalar(Scalar::F16) => {
                quote!(#krate::__private::as_f16(#path as ::core::primitive::f64))
            }
            Form::Cast => quote!(#path as #rust),
            Form::Len => quote!(#path.len()),
            Form::Kept => quote!(#path.bits as #rust),
        }
    }

    /// What tells it from all others.
    pub fn id(&self) -> String {
        outer_id(&self.origin, &self.key)
    }
}

/// What an expression about matrices does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatrixOp {
    /// `m + n`
    Add,
    /// `m - n`
    Sub,
    /// `-m`
    Neg,
    /// A matrix times a matrix or a vector.
    Times,
    /// A matrix and a number, in any order: `m * 2.0`
    Scale,
    /// `m / 2.0`
    Over,
    /// `m == n`
    Eq,
    /// `m != n`
    Ne,
    /// `m.transpose()`
    Transpose,
    /// `m.determinant()`
    Determinant,
    /// `m.inverse()`
    Inverse,
    /// The columns, as an array.
    Columns,
    /// `m.to_cols_array()`
    ToArray,
    /// `Mat2::from_cols_array(a)`
    FromArray,
    /// `Mat2::from_diagonal(v)`
    FromDiagonal,
}

/// Which byte of a number comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The lowest.
    Little,
    /// The highest.
    Big,
}

/// What an expression does.
pub enum ExprKind {
    /// `unsafe { }`, whose own loads and stores may race.
    Unsafe(Block),
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
    /// An op that devices may compute in their own way.
    Approx(Op, Vec<ExprId>),
    /// What two ops give for the same operands: a tuple.
    Pair(Op, Op, Vec<ExprId>),
    /// What matrices, vectors and numbers make.
    Matrix(MatrixOp, Vec<ExprId>),
    /// A variant of an enum with fields, by its number, with the values of the fields in their order.
    Variant(usize, Vec<ExprId>),
    /// `Some` of the second where the first holds, which is no reason not to evaluate it, and else `None`.
    When(ExprId, ExprId),
    /// Whether two values of an enum with fields are the same.
    Same(ExprId, ExprId),
    /// The default of a type, which consists of zeros.
    Default,
    /// The value that a reference leads to.
    Behind(ExprId),
    /// A method of a number that is no op of the table.
    Number(NumberMethod, Vec<ExprId>),
    /// The number of the bytes of an array, the lowest first or last.
    OfBytes(ExprId, End),
    /// `a && b`
    And(ExprId, ExprId),
    /// `a || b`
    Or(ExprId, ExprId),
    /// `let pattern = value` as a condition; the names have values where it holds.
    Let(Pattern, ExprId),
    /// `(a, b)`
    Tuple(Vec<ExprId>),
    /// `Name { field: value, ..base }`: the values in the order in which they are evaluated,
    /// each with its field's position, and at last the base.
    Struct(Vec<(usize, ExprId)>, Option<ExprId>),
    /// `[a, b]`, or a matrix of these columns
    Array(Vec<ExprId>),
    /// `[value; N]`
    Repeat(ExprId, u32),
    /// A part of a tuple or struct.
    Field(ExprId, usize),
    /// A lane of a vector.
    Lane(ExprId, u32),
    /// Lanes of a vector, in any order, as a new vector.
    Swizzle(ExprId, Vec<u32>),
    /// A scalar in every lane.
    Splat(ExprId),
    /// The lane of a vector that an index tells; the index is evaluated first.
    LaneAt(ExprId, ExprId),
    /// The column of an index of a matrix; zero if there is none. The index is evaluated first.
    ColumnAt(ExprId, ExprId),
    /// A method of a vector that is not an op of its lanes.
    Vector(VectorMethod, Vec<ExprId>),
    /// A vector of all these lanes: of vectors, arrays and tuples those in them.
    Lanes(ExprId),
    /// `as` of each lane.
    CastLanes(ExprId),
    /// `Vec2::select(mask, a, b)`
    SelectLanes([ExprId; 3]),
    /// A whole id, only to be asked for an axis.
    Ids,
    /// `global_id().x`, `local_index()` and the others that are one number.
    Builtin(Builtin),
    /// The number of elements of a buffer.
    Len(Root),
    /// The number of elements of an array.
    ArrayLen(u32),
    /// The value in memory.
    Load(Place),
    /// `place = value`
    Assign(Place, ExprId),
    /// `(place, place) = value`: the type of each part with its place.
    AssignParts(Vec<(Place, Ty)>, ExprId),
    /// `place op= value`
    AssignOp(Op, Place, ExprId),
    /// An atomic access.
    Atomic(AtomicOp, Scalar, Place, Vec<ExprId>, MemoryOrder),
    /// A message of this number with its values; what should not be reached has a value of any type, zero.
    Message(usize, Vec<ExprId>),
    /// `fence(order)`
    Fence(Ordering, Scope),
    /// `workgroup_barrier()`
    Barrier,
    /// `subgroup_add(x)` and its like
    Subgroup(SubgroupOp, Vec<ExprId>),
    /// `broadcast(&place)`: a load between two barriers
    Broadcast(Place),
    /// `{ … }`
    Block(Block),
    /// `'label: { … }`, which `break`s of the label leave with a value.
    Labelled(LoopId, Block),
    /// A call: what binds the arguments, and the body, which `break`s of the loop leave with a value.
    Call(LoopId, Vec<Stmt>, Block),
    /// `if condition { … } else { … }`
    If(ExprId, Block, Option<ExprId>),
    /// `match selector { … }`
    Match(ExprId, Vec<Arm>),
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
        /// The distance between values, of `step_by`.
        step: Option<ExprId>,
        /// Which way it counts.
        order: Order,
        /// The body.
        body: Block,
    },
    /// `break`, with the value that the loop then has
    Break(LoopId, Option<ExprId>),
    /// `continue`
    Continue(LoopId),
    /// `return`, with what a helper that is compiled alone gives
    Return(Option<ExprId>),
}
