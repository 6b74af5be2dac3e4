//! Random programs of the kernel language as Rust source, with what they compute.
//!
//! A [`Program`] is a kernel of one invocation, its helpers, and numbers that it reads. It is a tree of Rust's own
//! constructs: `generate` makes it, [`print`](Program::source) writes it down, and `evaluate` computes it by walking
//! the tree, with nothing of the compiler. Integers wrap, and an index out of bounds reads zero and stores nothing, as
//! the language says; in all else the programs are plain Rust.
//!
//! Invariant: variables have different names, so none hides another one that is meant.

mod evaluate;
mod generate;
mod print;

use crate::Random;

/// The type of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// `u32`
    U32,
    /// `i32`
    I32,
    /// `bool`
    Bool,
    /// `f32`
    F32,
    /// `(A, B)`
    Tuple(Vec<Ty>),
    /// `[T; N]`
    Array(Box<Ty>, usize),
    /// `Pair`, whose fields are a `u32` and an `i32`
    Pair,
    /// `Way`, an enum of three variants
    Way,
    /// `Option<T>`
    Option(Box<Ty>),
    /// `Mat2<f32>`
    Matrix,
}

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Val {
    /// A `u32`.
    U(u32),
    /// An `i32`.
    I(i32),
    /// A `bool`.
    B(bool),
    /// An `f32`, of which no NaN has other bits than that of Rust's `f32::NAN`.
    F(f32),
    /// The parts of a tuple, an array or a struct.
    Parts(Vec<Val>),
    /// The number of a variant.
    Way(usize),
    /// `Some`
    Some(Box<Val>),
    /// `None`, with the zero of what there might be.
    None(Box<Val>),
}

/// The fields of `Pair`.
fn pair() -> Vec<Ty> {
    vec![Ty::U32, Ty::I32]
}

/// The types that the programs name, the trait and the operators that these have, and a helper that is generic over the
/// trait, each after what it names. `evaluate` has the same in plain Rust.
pub const ITEMS: [&str; 11] = [
    "trait Measure { const SCALE: u32; fn measure(&self) -> u32; fn twice(self) -> u32 { self.measure() * 2 + Self::SCALE } }",
    "#[derive(Clone, Copy, PartialEq, Element)] #[element(traits(Add, Neg, Mul<u32>, u32: Mul<Pair>, AddAssign, Measure))] #[repr(C)] struct Pair { first: u32, second: i32 }",
    "impl Add for Pair { type Output = Self; fn add(self, other: Self) -> Self::Output { Pair { first: self.first + other.first, second: self.second ^ other.second } } }",
    "impl Neg for Pair { type Output = Pair; fn neg(self) -> Pair { Pair { first: !self.first, second: -self.second } } }",
    "impl Mul<u32> for Pair { type Output = Pair; fn mul(mut self, by: u32) -> Pair { self.first *= by; self.second += by as i32; self } }",
    "impl Mul<Pair> for u32 { type Output = Pair; fn mul(self, by: Pair) -> Pair { by * self + Pair { first: 1, second: 0 } } }",
    "impl AddAssign for Pair { fn add_assign(&mut self, other: Pair) { *self = *self + other * 3; } }",
    "impl Measure for Pair { const SCALE: u32 = 3; fn measure(&self) -> u32 { self.first ^ self.second as u32 } }",
    "#[derive(Clone, Copy, PartialEq, Element)] #[element(traits(Measure))] #[repr(u32)] enum Way { Up, Down, Across }",
    "#[derive(Clone, Copy, Element)] enum Held<T> { One(T), Two { tag: u32, value: T } }",
    "impl Measure for Way { const SCALE: u32 = 7; fn measure(&self) -> u32 { match *self { Way::Up => 1, Way::Down => 5, Way::Across => 9 } } }",
];
/// That helper.
pub const MEASURED: &str = "fn measured<T: Measure>(a: T, b: T) -> u32 { (a.twice() ^ b.measure()) + T::SCALE }";

/// The variants of `Way`.
const WAYS: [&str; 3] = ["Up", "Down", "Across"];

impl Ty {
    /// The types of the parts, if there are any.
    fn parts(&self) -> Vec<Self> {
        match self {
            Self::Tuple(parts) => parts.clone(),
            Self::Array(element, len) => vec![(**element).clone(); *len],
            Self::Pair => pair(),
            Self::Matrix => vec![Self::F32; 4],
            _ => Vec::new(),
        }
    }

    /// The value of which all bits are zero.
    fn zero(&self) -> Val {
        match self {
            Self::U32 => Val::U(0),
            Self::I32 => Val::I(0),
            Self::Bool => Val::B(false),
            Self::F32 => Val::F(0.0),
            Self::Way => Val::Way(0),
            Self::Option(of) => Val::None(Box::new(of.zero())),
            _ => Val::Parts(self.parts().iter().map(Self::zero).collect()),
        }
    }
}

/// A variable.
type Var = usize;

/// A place: a variable, and the way to a part of it.
#[derive(Clone, Debug)]
struct Place {
    var: Var,
    path: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// A field of a tuple.
    Field(usize),
    /// A field of `Pair`.
    Named(usize),
    /// A lane of a column of a matrix, counted through.
    Lane(usize),
    /// An index, a `u32`; the type of the elements.
    Index(Box<Ex>, Ty),
}

/// An expression.
#[derive(Clone, Debug)]
enum Ex {
    Lit(Val),
    /// A place that is read.
    Read(Place),
    /// A number of the kernel's input.
    Input(Box<Ex>),
    Unary(&'static str, Box<Ex>),
    Binary(&'static str, Box<Ex>, Box<Ex>),
    /// A method, with the type that it is of.
    Method(&'static str, Box<Ex>, Vec<Ex>),
    Cast(Box<Ex>, Ty),
    Tuple(Vec<Ex>),
    Array(Vec<Ex>),
    Repeat(Box<Ex>, usize),
    Pair(Vec<Ex>),
    /// A matrix of its numbers, column by column.
    Matrix(Vec<Ex>),
    Some(Box<Ex>),
    None(Ty),
    /// `value.map_or(otherwise, |v| body)`
    MapOr(Box<Ex>, Box<Ex>, Var, Box<Ex>),
    /// `value.and_then(|v| body)`, with the type of what the result may hold.
    AndThen(Box<Ex>, Var, Box<Ex>, Ty),
    /// `matches!(value, pattern if guard)`
    Matches(Box<Ex>, Pat, Option<Box<Ex>>),
    /// `measured(a, b)`, a helper that is generic over a trait.
    Measured(Box<Ex>, Box<Ex>),
    Block(Vec<St>, Box<Ex>),
    If(Box<Ex>, Box<Ex>, Box<Ex>),
    /// `if let pattern = value && condition`
    IfLet(Pat, Box<Ex>, Box<Ex>, Box<Ex>, Box<Ex>),
    Match(Box<Ex>, Vec<(Pat, Option<Ex>, Ex)>),
    /// A closure of one `u32` that is called twice, and the sum of the results.
    Closure(Var, Box<Ex>, Box<Ex>, Box<Ex>),
    /// A helper and its arguments.
    Call(usize, Vec<Arg>),
    /// What an iterator over an array makes of its elements.
    Iterate(Place, Vec<Adapter>, Consumer),
    /// `loop` that is left with a value, after at most so many rounds of these statements.
    Loop(Var, u32, Vec<St>, Box<Ex>),
}

#[derive(Clone, Debug)]
enum Arg {
    Value(Ex),
    /// A part of an array, shared or mutable, with its bounds.
    Part(Place, bool, Ex, Ex),
}

#[derive(Clone, Debug)]
enum Adapter {
    Rev,
    Skip(u32),
    Take(u32),
    StepBy(u32),
    Map(Var, Ex),
    Filter(Var, Ex),
}

#[derive(Clone, Debug)]
enum Consumer {
    Sum,
    Count,
    Any(Var, Box<Ex>),
    All(Var, Box<Ex>),
    Fold(Box<Ex>, Var, Var, Box<Ex>),
}

#[derive(Clone, Debug)]
enum Pat {
    Any,
    Bind(Var),
    Lit(Val),
    /// Both ends are in it.
    Range(Val, Val),
    Or(Vec<Pat>),
    Tuple(Vec<Pat>),
    Pair(Vec<Pat>),
    /// The first elements, and the last ones behind `..`.
    Array(Vec<Pat>, Option<Vec<Pat>>),
    Way(usize),
    Some(Box<Pat>),
    None,
    At(Var, Box<Pat>),
}

/// A statement.
#[derive(Clone, Debug)]
enum St {
    Let(Var, bool, Ty, Ex),
    /// `let pattern = value`, which always fits.
    Bind(Pat, Ex),
    /// `let v; if c { v = a } else { v = b }`
    Later(Var, Ty, Ex, Ex, Ex),
    Assign(Place, Ex),
    OpAssign(&'static str, Place, Ex),
    /// A reference to a place through which it is changed; the variable, and a value.
    Through(Var, Place, &'static str, Ex),
    /// `if let Some(v) = &mut place { *v op= value; }`, or another form that asks and changes once.
    Held(Asked, Var, Place, &'static str, Ex),
    /// `let Pair { first, second } = &mut place;`, and values by which both are changed.
    Fields([Var; 2], Place, &'static str, [Ex; 2]),
    /// `let [first, .., last] = &mut place;`, and values by which both are changed. Or, if the flag is set, a `match` by
    /// which the first one is changed if it is small, and else the last one.
    Elements(bool, [Var; 2], Place, &'static str, [Ex; 2]),
    If(Ex, Vec<St>, Vec<St>),
    /// `for v in a..b` with `rev` and `step_by`.
    For(Var, Ex, Ex, bool, u32, Vec<St>),
    /// `for (i, v) in place.iter().enumerate()`
    Each(Var, Var, Place, Vec<St>),
    /// `for v in place.iter_mut()`
    EachMut(Var, Place, Ex),
    /// `while`, counting a variable of its own down.
    While(Var, u32, Vec<St>),
    /// A labelled block; `let pattern = value else` leaves it, and so does a condition.
    Labelled(u32, Pat, Ex, Ex, Vec<St>),
    Match(Ex, Vec<(Pat, Option<Ex>, Vec<St>)>),
    /// `continue` or `break` of the innermost loop, where a condition holds.
    Jump(bool, Ex),
    Expr(Ex),
}

/// The most that a small element is.
const SMALL: u32 = 9;

/// What asks whether an `Option` holds something.
#[derive(Clone, Copy, Debug)]
enum Asked {
    IfLet,
    Match,
    /// `match`, whose first arm is only for values above this.
    Guarded(u32),
    /// `let … else` in a block of this label.
    LetElse(u32),
    WhileLet,
}

/// A helper.
#[derive(Clone, Debug)]
struct Helper {
    /// Values, or parts of arrays of `u32`, of which some are mutable.
    params: Vec<(Var, Param)>,
    result: Ty,
    body: Vec<St>,
    /// `if condition { return value; }` before the last value.
    early: (Ex, Ex),
    /// `let variable = value?;` behind that, if the result is an `Option`.
    tried: Option<(Var, Ex)>,
    value: Ex,
}

#[derive(Clone, PartialEq, Debug)]
enum Param {
    Value(Ty),
    Part(bool),
}

/// How many numbers a program reads, and how many it may write.
pub const INPUT: usize = 8;
/// The length of the output.
pub const OUTPUT: usize = 48;

/// A kernel `program(x: &[u32], y: &mut [u32])` and its helpers.
#[derive(Clone, Debug)]
pub struct Program {
    helpers: Vec<Helper>,
    body: Vec<St>,
    /// What the kernel stores at last: the variables, with their types.
    shown: Vec<(Var, Ty)>,
}

impl Program {
    /// The program of a seed.
    ///
    /// ```
    /// use samebits_random::{Random, source::{INPUT, Program}};
    /// let program = Program::new(&mut Random::new(1));
    /// assert!(program.source().contains("fn program(x: &[u32], y: &mut [u32])"));
    /// assert_eq!(program.run(&[1; INPUT]), program.run(&[1; INPUT]));
    /// ```
    pub fn new(random: &mut Random) -> Self {
        generate::program(random)
    }

    /// The source of the kernel, without an attribute.
    pub fn source(&self) -> String {
        print::kernel(self)
    }

    /// The sources of the helpers `helper0`, `helper1` and so on.
    pub fn helpers(&self) -> Vec<String> {
        print::helpers(self)
    }

    /// What the kernel leaves in `y`, if `x` is this.
    pub fn run(&self, input: &[u32; INPUT]) -> Vec<u32> {
        evaluate::run(self, input)
    }
}
