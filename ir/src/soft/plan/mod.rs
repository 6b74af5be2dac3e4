//! The plan: how a target computes an op, by what it has natively.
//!
//! A back end asks here about each op and each cast, and has one answer to act upon. It
//! makes the routines that it calls when it first needs them.

mod forms;

pub use forms::{Form, Group, Native};

use super::Routine;
use crate::ops::Op;
use crate::types::Scalar;

/// How an op is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By the target, in a form that gives the bits of the table of ops. A back end that has no
    /// such form of the op writes its routine instead.
    Native(Form),
    /// By the target, however exact it is.
    Loose,
    /// By the target, and by the routine where the test fails, whose operands are the
    /// target's result and the op's operands.
    Checked {
        /// Whether the target's result is right.
        test: Routine,
        /// What is right always.
        routine: Routine,
    },
    /// By a routine.
    Routine(Routine),
    /// In `f32`, of operands that were widened; the result is rounded to `f16`, if it is one.
    Widened,
    /// From an integer of 64 bits with the same value.
    Lengthened,
}

/// Whether every target has an op on `f32` of its own, however exact it is.
const fn everywhere(op: Op) -> bool {
    use Op::*;
    matches!(op, Add | Sub | Mul | Div | MulAdd | Neg | Abs | Sqrt | Min | Max)
        || matches!(op, Floor | Ceil | Trunc | RoundEven | Eq | Ne | Lt | Le | Gt | Ge)
        || op.has_instruction()
}

/// The groups of a float's ops: of `f16` those whose form may be chosen.
fn group(op: Op, scalar: Scalar) -> Option<Group> {
    use Op::*;
    let [half, single, double] = match op {
        Add | Sub => [Some(Group::Sum16), Some(Group::Sum32), Some(Group::Sum64)],
        Mul => [Some(Group::Product16), Some(Group::Product32), Some(Group::Product64)],
        MulAdd => [Some(Group::Fused16), Some(Group::Fused32), Some(Group::Fused64)],
        Div => [None, Some(Group::Quotient32), Some(Group::Quotient64)],
        Rem => [None, Some(Group::Remainder32), Some(Group::Remainder64)],
        Sqrt => [None, Some(Group::Root32), Some(Group::Root64)],
        Eq | Ne | Lt | Le | Gt | Ge | Min | Max => [Some(Group::Order16), Some(Group::Order32), Some(Group::Order64)],
        Floor | Ceil | Trunc | RoundEven | Round => [None, Some(Group::Whole32), Some(Group::Whole64)],
        _ => [None; 3],
    };
    match scalar {
        Scalar::F16 => half,
        Scalar::F32 => single,
        Scalar::F64 => double,
        _ => None,
    }
}

/// Whether an op on floats moves, tests or changes bits only.
const fn is_on_bits(op: Op) -> bool {
    matches!(op, Op::Neg | Op::Abs | Op::CopySign | Op::IsNan | Op::IsInfinite | Op::IsFinite)
}

impl Native {
    /// How an op that works lane by lane is computed on a leading operand of a type, where
    /// `loose` says that the target may compute `f32` as it pleases.
    ///
    /// ```
    /// use samebits_ir::ops::Op;
    /// use samebits_ir::soft::{Routine, plan::{Form, Group, Native, Way}};
    /// use samebits_ir::types::Scalar;
    ///
    /// let gpu = Native::SOFTWARE.with(Group::Sum32, Form::Exact);
    /// assert_eq!(gpu.op(Op::Add, Scalar::F32, false), Way::Native(Form::Exact));
    /// assert_eq!(gpu.op(Op::MulAdd, Scalar::F32, false), Way::Routine(Routine::F32MulAdd));
    /// assert_eq!(gpu.op(Op::MulAdd, Scalar::F32, true), Way::Loose);
    /// assert_eq!(gpu.op(Op::Add, Scalar::F16, false), Way::Widened);
    /// ```
    pub fn op(self, op: Op, scalar: Scalar, loose: bool) -> Way {
        let routine = Routine::of_op(op, scalar);
        match scalar {
            Scalar::F32 if loose && everywhere(op) => return Way::Loose,
            Scalar::I64 | Scalar::U64 => return by(self.has_long().then_some(Form::Exact), routine),
            Scalar::F64 if is_on_bits(op) => return by(self.has_double().then_some(Form::Exact), routine),
            _ if is_on_bits(op) && routine.is_some() => return Way::Native(Form::Exact),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => {}
            _ => return Way::Native(Form::Exact),
        }
        let form = match group(op, scalar) {
            Some(group) => self.form(group),
            None if scalar == Scalar::F16 => return Way::Widened,
            None => return by(None, routine),
        };
        match (form, scalar, routine) {
            // The test is the back end's own.
            (Form::Checked, Scalar::F64, _) => Way::Native(form),
            (Form::Checked, _, Some(routine)) => match checks(op) {
                Some(test) => Way::Checked { test, routine },
                None => Way::Routine(routine),
            },
            // A fused product of `f16`s is more than one of `f32`s.
            (Form::Wider, Scalar::F16, None) => Way::Widened,
            (Form::Routine, ..) => by(None, routine),
            _ => Way::Native(form),
        }
    }

    /// How one scalar is converted to another one, where one of them is a float. A conversion
    /// from or to `f16` that has no routine is made by way of `f32`.
    ///
    /// ```
    /// use samebits_ir::{soft::plan::{Form, Native, Way}, types::Scalar};
    /// assert_eq!(Native::CUDA.cast(Scalar::F32, Scalar::F64), Way::Native(Form::Exact));
    /// assert_eq!(Native::CUDA.cast(Scalar::I32, Scalar::F16), Way::Widened);
    /// assert_eq!(Native::WEBGPU.cast(Scalar::I32, Scalar::F64), Way::Lengthened);
    /// ```
    pub fn cast(self, from: Scalar, to: Scalar) -> Way {
        use Scalar::{F16, F32, F64};
        let long = from.bits() == 64 || to.bits() == 64;
        let group = match (from, to) {
            (F16, F32) => Group::Widen16,
            (F32, F16) => Group::Narrow16,
            (F64, F16) => Group::Half64,
            (F32, F64) => Group::Widen32,
            (F64, F32) => Group::Narrow64,
            (F16, F64) if self.form(Group::Widen16) == Form::Routine || !self.has_double() => {
                return by(None, Routine::of_cast(from, to));
            }
            (F16, _) | (_, F16) => return Way::Widened,
            (F32, _) if long => Group::ToLong32,
            (F32, _) => Group::ToInt32,
            (_, F32) if long => Group::FromLong32,
            (_, F32) => Group::FromInt32,
            (F64, _) if to.bits() == 64 => Group::ToLong64,
            (F64, _) => Group::ToInt64,
            (_, F64) if from.bits() == 64 => Group::FromLong64,
            (_, F64) => Group::FromInt64,
            _ => return Way::Native(Form::Exact),
        };
        let lengthened = group == Group::FromInt64;
        match self.form(group) {
            Form::Routine if lengthened => Way::Lengthened,
            Form::Routine => by(None, Routine::of_cast(from, to)),
            form => Way::Native(form),
        }
    }

    /// How it is found out whether an `f32` is NaN.
    ///
    /// ```
    /// use samebits_ir::soft::plan::{Form, Native};
    /// assert_eq!(Native::CUDA.nan(), Form::Exact);
    /// ```
    pub const fn nan(self) -> Form {
        self.form(Group::Nan32)
    }
}

/// The routine that tests the target's result of an op on `f32`.
const fn checks(op: Op) -> Option<Routine> {
    Some(match op {
        Op::Add => Routine::F32AddIsRight,
        Op::Sub => Routine::F32SubIsRight,
        Op::Mul => Routine::F32MulIsRight,
        Op::MulAdd => Routine::F32MulAddIsRight,
        _ => return None,
    })
}

/// In a form, or by a routine. What the library lacks is native to every target.
fn by(form: Option<Form>, routine: Option<Routine>) -> Way {
    match (form, routine) {
        (Some(form), _) => Way::Native(form),
        (None, Some(routine)) => Way::Routine(routine),
        (None, None) => Way::Native(Form::Exact),
    }
}
