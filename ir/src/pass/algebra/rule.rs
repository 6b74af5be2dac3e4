//! How a rule is written down: two terms over named values, and a condition on constants.
//!
//! A name says what it stands for, so that a rule needs no declarations. `T` is the type
//! that the rule is about; its scalar, or that of its lanes, is in the rule's class.
//!
//! | names | stand for |
//! | --- | --- |
//! | `x y z` | any value of type `T` |
//! | `k` | a value of type `T` that, if it is a NaN, is the canonical one |
//! | `a b` | a constant of type `T` |
//! | `n m` | any `u32`, a count of bits |
//! | `i j` | a `u32` constant |
//! | `p q` | any `bool` |
//! | `true false` | these constants |
//! | `0 1` | these numbers as constants of type `T` |
//! | `ones sign least most` | constants of type `T`: all bits, the highest bit, the least and the greatest integer |
//!
//! In a replacement an op on constants stands for its result, so that `Add(a, b)` is a
//! constant there. A number that is a whole replacement has the type of what it replaces.

use crate::ops::{Class, Op};
use crate::types::Scalar;

/// A name in a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    X,
    Y,
    Z,
    K,
    A,
    B,
    N,
    M,
    I,
    J,
    P,
    Q,
}

/// How many names there are.
pub(super) const NAMES: usize = Name::Q as usize + 1;

impl Name {
    /// Whether this stands for constants only.
    pub(super) const fn is_constant(self) -> bool {
        matches!(self, Self::A | Self::B | Self::I | Self::J)
    }

    /// Whether this stands for values of the type that the rule is about.
    pub(super) const fn is_of_type(self) -> bool {
        match self {
            Self::X | Self::Y | Self::Z | Self::K | Self::A | Self::B => true,
            Self::N | Self::M | Self::I | Self::J | Self::P | Self::Q => false,
        }
    }
}

/// A certain constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Zero,
    One,
    Ones,
    Sign,
    Least,
    Most,
    False,
    True,
}

impl Number {
    /// Its bits as a constant of this type.
    pub(super) const fn bits(self, ty: Scalar) -> u64 {
        let sign = 1 << (ty.bits() - 1);
        match self {
            Self::Zero | Self::False => 0,
            Self::True => 1,
            Self::One => ty.one(),
            Self::Ones => ty.mask(),
            Self::Sign => sign,
            Self::Least if ty.is_signed() => sign,
            Self::Least => 0,
            Self::Most if ty.is_signed() => ty.mask() >> 1,
            Self::Most => ty.mask(),
        }
    }

    /// Whether it is a `bool` whatever the rule is about.
    pub(super) const fn is_bool(self) -> bool {
        matches!(self, Self::False | Self::True)
    }

    /// Its type in a rule about this one.
    pub(super) const fn scalar(self, ty: Scalar) -> Scalar {
        if self.is_bool() { Scalar::Bool } else { ty }
    }
}

/// A value in a rule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Term {
    Name(Name),
    Number(Number),
    Op(Op, &'static [Term]),
}

/// What the constants of a rule are, for its condition. Those that it does not have are 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    /// The scalar that the rule is about.
    pub ty: Scalar,
    pub a: u64,
    pub b: u64,
    pub i: u64,
    pub j: u64,
}

/// `op(args)` is `to`, bit for bit, whatever the names stand for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The scalars that it is about.
    pub class: Class,
    pub op: Op,
    pub args: &'static [Term],
    /// The rule holds if this does.
    pub condition: Option<fn(Constants) -> bool>,
    pub to: Term,
}

impl Term {
    /// Whether this is a constant in every use of the rule.
    pub(super) fn is_constant(self) -> bool {
        match self {
            Self::Name(name) => name.is_constant(),
            Self::Number(_) => true,
            Self::Op(_, args) => args.iter().all(|arg| arg.is_constant()),
        }
    }

    /// How many commutative ops of two operands are in this.
    fn orders(self) -> u32 {
        match self {
            Self::Op(op, args) => orders(op, args),
            Self::Name(_) | Self::Number(_) => 0,
        }
    }
}

fn orders(op: Op, args: &[Term]) -> u32 {
    u32::from(op.info().commutative && args.len() == 2) + args.iter().map(|arg| arg.orders()).sum::<u32>()
}

impl Rule {
    /// How many commutative ops of two operands are in what is replaced.
    pub(super) fn orders(&self) -> u32 {
        orders(self.op, self.args)
    }
}

/// A value in a rule, as [`Term`].
macro_rules! term {
    (x) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::X) };
    (y) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::Y) };
    (z) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::Z) };
    (k) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::K) };
    (a) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::A) };
    (b) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::B) };
    (n) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::N) };
    (m) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::M) };
    (i) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::I) };
    (j) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::J) };
    (p) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::P) };
    (q) => { $crate::pass::algebra::rule::Term::Name($crate::pass::algebra::rule::Name::Q) };
    (0) => { $crate::pass::algebra::rule::Term::Number($crate::pass::algebra::rule::Number::Zero) };
    (1) => { $crate::pass::algebra::rule::Term::Number($crate::pass::algebra::rule::Number::One) };
    (ones) => { $crate::pass::algebra::rule::Term::Number($crate::pass::algebra::rule::Number::Ones) };
    (sign) => { $crate::pass::algebra::rule::Term::Number($crate::pass::algebra::rule::Number::Sign) };
    (least) => { $crate::pass::algebra::rule::Term::Number($crate::pass::algebra::rule::Number::Least) };
    (most) => { $crate::pass::algebra::rule::Term::Number($crate::pass::algebra::rule::Number::Most) };
    (false) => { $crate::pass::algebra::rule::Term::Number($crate::pass::algebra::rule::Number::False) };
    (true) => { $crate::pass::algebra::rule::Term::Number($crate::pass::algebra::rule::Number::True) };
    ($op:ident ($($arg:tt $(($($inner:tt)*))?),*)) => {
        $crate::pass::algebra::rule::Term::Op(
            $crate::ops::Op::$op,
            &[$($crate::pass::algebra::rule::term!($arg $(($($inner)*))?)),*],
        )
    };
}

/// Rules, by class: `CLASS { Op(..) if condition => replacement; .. } ..`; also `if not condition`.
macro_rules! rules {
    ($($class:ident {$(
        $op:ident ($($arg:tt $(($($inner:tt)*))?),*) $(if $($condition:ident)+)? => $to:tt $(($($inside:tt)*))?;
    )*})*) => {
        &[$($($crate::pass::algebra::rule::Rule {
            class: $crate::ops::Class::$class,
            op: $crate::ops::Op::$op,
            args: &[$($crate::pass::algebra::rule::term!($arg $(($($inner)*))?)),*],
            condition: $crate::pass::algebra::rule::condition!($($($condition)+)?),
            to: $crate::pass::algebra::rule::term!($to $(($($inside)*))?),
        },)*)*]
    };
}

/// The condition of a rule, if it has one.
macro_rules! condition {
    () => {
        None
    };
    ($condition:ident) => {
        Some($condition)
    };
    (not $condition:ident) => {
        Some(|constants| !$condition(constants))
    };
}

pub(super) use {condition, rules, term};
