//! What a kernel requires of every launch: comparisons of lengths and arguments.
//!
//! An amount is computed exactly, with a sign: nothing wraps, and what is below 0 is less
//! than everything else. So an amount whose greatest or least number, by the types of the
//! parameters, would not fit 128 bits is refused by the checks ([`Amount::range`]). What
//! holds a requirement may assume it of every launch, because whoever launches looks first.
//!
//! An amount is steps that push numbers on a stack and combine the last two, so that it is
//! computed without recursion and without memory of the heap.

use super::{Elements, Function, Param, ParamKind};
use crate::diag::{Code, Diag};
use crate::loc::Loc;
use crate::scalar::signed;
use crate::types::{Scalar, Type};

/// The most requirements of a kernel.
pub const MAX_REQUIREMENTS: usize = 32;
/// The most steps of an amount.
pub const MAX_STEPS: usize = 64;
/// The most numbers that wait on the stack while an amount is computed.
const STACK: usize = 16;

/// One requirement: a comparison that every launch satisfies.
///
/// ```
/// use samebits_ir::ir::{Amount, Relation, Requirement, Step};
/// use samebits_ir::{builder::Builder, ir::Access, types::Type};
/// let mut b = Builder::new("k", [64, 1, 1]);
/// b.buffer("x", Type::F32, Access::Read);
/// b.ret();
/// let kernel = b.finish();
/// let (left, right) = (Amount(vec![Step::Len(0)]), Amount(vec![Step::Number(4)]));
/// let requirement = Requirement { left, relation: Relation::Ge, right, loc: Default::default() };
/// assert_eq!(requirement.display(&kernel.params), "x.len() >= 4");
/// assert_eq!(requirement.broken(&kernel.params, |_| 4, |_| 0), None);
/// assert_eq!(requirement.broken(&kernel.params, |_| 3, |_| 0), Some([3, 4]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement {
    /// The first side.
    pub left: Amount,
    /// How it compares.
    pub relation: Relation,
    /// The other side.
    pub right: Amount,
    /// Where it is.
    pub loc: Loc,
}

/// A number that a launch decides.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Amount(pub Vec<Step>);

/// A step in computing an amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Pushes a number.
    Number(u64),
    /// Pushes how many elements the buffer has that is the parameter of this index.
    Len(u32),
    /// Pushes the integer that is the parameter of this index.
    Scalar(u32),
    /// Pushes the number that the elements of the buffer are below that is the parameter of this index.
    Bound(u32),
    /// Replaces the last two numbers by their sum.
    Add,
    /// Replaces the last two numbers by their difference.
    Sub,
    /// Replaces the last two numbers by their product.
    Mul,
}

macro_rules! relations {
    ($($name:ident = $number:literal, $sign:literal, $doc:literal;)*) => {
        /// How the sides of a requirement compare.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Relation { $(#[doc = $doc] $name,)* }

        impl Relation {
            /// Every relation.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// How it is written.
            pub const fn sign(self) -> &'static str {
                match self { $(Self::$name => $sign,)* }
            }

            /// A number that never changes its meaning.
            pub const fn number(self) -> i64 {
                match self { $(Self::$name => $number,)* }
            }
        }
    };
}

relations! {
    Ge = 0, ">=", "The first is at least the second.";
    Gt = 1, ">", "The first is greater.";
    Le = 2, "<=", "The first is at most the second.";
    Lt = 3, "<", "The first is less.";
    Eq = 4, "==", "Both are equal.";
}

impl Relation {
    /// The relation that is written like this.
    pub fn from_sign(sign: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|relation| relation.sign() == sign)
    }

    /// The relation of this number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|relation| relation.number() == number)
    }

    /// Whether two numbers are in this relation.
    ///
    /// ```
    /// use samebits_ir::ir::Relation;
    /// assert!(Relation::Ge.holds(3, 3) && !Relation::Gt.holds(3, 3));
    /// ```
    pub const fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Self::Ge => left >= right,
            Self::Gt => left > right,
            Self::Le => left <= right,
            Self::Lt => left < right,
            Self::Eq => left == right,
        }
    }
}

/// Why an amount is not valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsound {
    /// The steps are too many, or do not come to one number.
    Steps,
    /// A step names no buffer or no integer.
    Parameter,
    /// It could be a number that 128 bits do not hold.
    Range,
}

impl Unsound {
    /// The mistake, in a requirement that is there.
    pub(crate) fn diag(self, loc: Loc) -> Diag {
        let (message, help) = match self {
            Self::Steps => {
                ("this requirement is too long".to_owned(), format!("use at most {MAX_STEPS} numbers and operators"))
            }
            Self::Parameter => (
                "a requirement can only compare lengths of buffers and integers".to_owned(),
                "use lengths, integer arguments and numbers".to_owned(),
            ),
            Self::Range => (
                "a side of this requirement may need more than 128 bits".to_owned(),
                "multiply fewer numbers".to_owned(),
            ),
        };
        Diag::new(Code::V305, loc, message).help(help)
    }
}

impl Amount {
    /// The least and the greatest number that the amount can be in any launch.
    ///
    /// ```
    /// use samebits_ir::ir::{Amount, Step, Unsound};
    /// let difference = Amount(vec![Step::Number(2), Step::Number(5), Step::Sub]);
    /// assert_eq!(difference.range(&[]), Ok((-3, -3)));
    /// assert_eq!(Amount(vec![Step::Len(0)]).range(&[]), Err(Unsound::Parameter));
    /// ```
    pub fn range(&self, params: &[Param]) -> Result<(i128, i128), Unsound> {
        if self.0.len() > MAX_STEPS {
            return Err(Unsound::Steps);
        }
        let param = |index: u32| params.get(index as usize).map(|param| param.kind);
        let leaf = |step: Step| match step {
            Step::Number(value) => Ok(Some((value.into(), value.into()))),
            Step::Len(index) => match param(index) {
                Some(ParamKind::Buffer { .. }) => Ok(Some((0, u32::MAX.into()))),
                Some(ParamKind::Scalar(_)) | None => Err(Unsound::Parameter),
            },
            Step::Scalar(index) => match param(index) {
                Some(ParamKind::Scalar(Type::Scalar(ty))) if ty.is_int() => Ok(Some(ty.limits())),
                Some(ParamKind::Scalar(_) | ParamKind::Buffer { .. }) | None => Err(Unsound::Parameter),
            },
            Step::Bound(index) => match params.get(index as usize).map(|param| param.elements) {
                Some(Elements::Below) => Ok(Some((1, i128::from(u32::MAX) + 1))),
                Some(Elements::Any | Elements::Distinct) | None => Err(Unsound::Parameter),
            },
            Step::Add | Step::Sub | Step::Mul => Ok(None),
        };
        let mut stack: Vec<(i128, i128)> = Vec::new();
        for &step in &self.0 {
            if let Some(range) = leaf(step)? {
                stack.push(range);
                if stack.len() > STACK {
                    return Err(Unsound::Steps);
                }
                continue;
            }
            let (Some(b), Some(a)) = (stack.pop(), stack.pop()) else { return Err(Unsound::Steps) };
            let ends = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(x, y)| combined(step, x, y));
            let [Some(first), Some(second), Some(third), Some(fourth)] = ends else { return Err(Unsound::Range) };
            let ends = [first, second, third, fourth];
            stack.push(ends.iter().fold((first, first), |(low, high), &end| (low.min(end), high.max(end))));
        }
        match stack.as_slice() {
            &[range] => Ok(range),
            _ => Err(Unsound::Steps),
        }
    }

    /// The number in a launch; 0 for an amount that no check has let pass.
    fn value(&self, params: &[Param], len: impl Fn(u32) -> u32, bits: impl Fn(u32) -> u64) -> i128 {
        let mut stack = [0i128; STACK];
        let mut height = 0;
        for &step in &self.0 {
            let leaf = match step {
                Step::Number(value) => Some(value.into()),
                Step::Len(index) => Some(len(index).into()),
                Step::Scalar(index) => {
                    let ty = integer(params, index).unwrap_or(Scalar::U64);
                    let bits = bits(index) & ty.mask();
                    Some(if ty.is_signed() { signed(ty, bits).into() } else { bits.into() })
                }
                // The greatest number that an element may be.
                Step::Bound(index) => Some(i128::from(bits(index)) + 1),
                Step::Add | Step::Sub | Step::Mul => None,
            };
            match (leaf, height) {
                (Some(value), 0..STACK) => {
                    stack[height] = value;
                    height += 1;
                }
                (None, 2..) => {
                    height -= 1;
                    stack[height - 1] = combined(step, stack[height - 1], stack[height]).unwrap_or(0);
                }
                (Some(_) | None, _) => return 0,
            }
        }
        stack[0]
    }

    /// The amount as Rust has it.
    ///
    /// ```
    /// use samebits_ir::ir::{Amount, Step};
    /// let amount = Amount(vec![Step::Number(2), Step::Number(3), Step::Number(4), Step::Add, Step::Mul]);
    /// assert_eq!(amount.display(&[]), "2 * (3 + 4)");
    /// ```
    pub fn display(&self, params: &[Param]) -> String {
        let name = |index: u32| params.get(index as usize).map_or("?", |param| param.name.as_str());
        self.written(|step| match step {
            Step::Len(index) => format!("{}.len()", name(index)),
            Step::Bound(index) => format!("{}.bound()", name(index)),
            Step::Scalar(index) => name(index).to_owned(),
            Step::Number(value) => value.to_string(),
            Step::Add | Step::Sub | Step::Mul => String::new(),
        })
    }

    /// The amount with operators between what a function writes for the other steps.
    pub(crate) fn written(&self, leaf: impl Fn(Step) -> String) -> String {
        /// A text, and how tightly its operator binds.
        type Part = (String, u8);
        let mut stack: Vec<Part> = Vec::new();
        for &step in &self.0 {
            let (sign, binds) = match step {
                Step::Add => ("+", 1),
                Step::Sub => ("-", 1),
                Step::Mul => ("*", 2),
                Step::Number(_) | Step::Len(_) | Step::Scalar(_) | Step::Bound(_) => {
                    stack.push((leaf(step), 3));
                    continue;
                }
            };
            let (Some(right), Some(left)) = (stack.pop(), stack.pop()) else { return "?".to_owned() };
            let side = |(text, own): Part, least: u8| if own < least { format!("({text})") } else { text };
            stack.push((format!("{} {sign} {}", side(left, binds), side(right, binds + 1)), binds));
        }
        match (stack.pop(), stack.is_empty()) {
            (Some((text, _)), true) => text,
            (Some(_) | None, _) => "?".to_owned(),
        }
    }
}

/// The type of the integer that is the parameter of this index.
pub(crate) fn integer(params: &[Param], index: u32) -> Option<Scalar> {
    match params.get(index as usize)?.kind {
        ParamKind::Scalar(Type::Scalar(ty)) if ty.is_int() => Some(ty),
        ParamKind::Scalar(_) | ParamKind::Buffer { .. } => None,
    }
}

const fn combined(step: Step, a: i128, b: i128) -> Option<i128> {
    match step {
        Step::Add => a.checked_add(b),
        Step::Sub => a.checked_sub(b),
        Step::Mul => a.checked_mul(b),
        Step::Number(_) | Step::Len(_) | Step::Scalar(_) | Step::Bound(_) => None,
    }
}

impl Requirement {
    /// The requirement in the words of the source.
    pub fn display(&self, params: &[Param]) -> String {
        let [left, right] = self.sides(params);
        format!("{left} {} {right}", self.relation.sign())
    }

    /// The numbers on both sides, if a launch does not satisfy the requirement. The functions
    /// give the length and the bits, zero-extended, of the parameter of an index; the bits of a buffer are the greatest
    /// number that an element may be. Takes no memory of the heap.
    pub fn broken(&self, params: &[Param], len: impl Fn(u32) -> u32, bits: impl Fn(u32) -> u64) -> Option<[i128; 2]> {
        let left = self.left.value(params, &len, &bits);
        let right = self.right.value(params, &len, &bits);
        (!self.relation.holds(left, right)).then_some([left, right])
    }

    /// The sides in the words of the source.
    pub fn sides(&self, params: &[Param]) -> [String; 2] {
        [&self.left, &self.right].map(|side| side.display(params))
    }

    /// That the requirement is broken, with the numbers on both sides, in words that follow
    /// a kernel's name. The sides are what they are called; a number is only said once.
    ///
    /// ```
    /// use samebits_ir::ir::{Amount, Relation, Requirement, Step};
    /// let [left, right] = [Step::Len(0), Step::Number(4)].map(|step| Amount(vec![step]));
    /// let requirement = Requirement { left, relation: Relation::Ge, right, loc: Default::default() };
    /// let text = requirement.complaint(["x.len()", "SIDE"], [1, 4]);
    /// assert_eq!(text, "requires `x.len() >= SIDE`, but `x.len()` is 1 and `SIDE` is 4");
    /// ```
    pub fn complaint(&self, sides: [&str; 2], numbers: [i128; 2]) -> String {
        let [left, right] = sides;
        let told = sides.into_iter().zip(numbers).filter(|(side, number)| *side != number.to_string());
        let told: Vec<String> = told.map(|(side, number)| format!("`{side}` is {number}")).collect();
        let told = if told.is_empty() { "that is never so".to_owned() } else { told.join(" and ") };
        format!("requires `{left} {} {right}`, but {told}", self.relation.sign())
    }
}

impl Function {
    /// Why a requirement is not valid, if it is not.
    pub(crate) fn unsound(&self, requirement: &Requirement) -> Option<Unsound> {
        [&requirement.left, &requirement.right].into_iter().find_map(|side| side.range(&self.params).err())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Elements};
    use Step::{Add, Len, Mul, Number, Scalar as Argument, Sub};

    fn params() -> Vec<Param> {
        let param = |name: &str, kind| Param { name: name.to_owned(), kind, elements: Elements::Any, loc: Loc::NONE };
        let scalar = |ty| ParamKind::Scalar(Type::Scalar(ty));
        vec![
            param("x", ParamKind::Buffer { element: Type::F32, access: Access::Read }),
            param("n", scalar(Scalar::I32)),
            param("m", scalar(Scalar::U64)),
            param("f", scalar(Scalar::F32)),
        ]
    }

    fn compared(left: &[Step], relation: Relation, right: &[Step]) -> Requirement {
        Requirement { left: Amount(left.to_vec()), relation, right: Amount(right.to_vec()), loc: Loc::NONE }
    }

    #[test]
    fn a_difference_below_zero_is_below_everything() {
        let requirement = compared(&[Len(0), Number(4), Sub], Relation::Ge, &[Number(0)]);
        assert_eq!(requirement.broken(&params(), |_| 3, |_| 0), Some([-1, 0]));
        assert_eq!(requirement.broken(&params(), |_| 4, |_| 0), None);
    }

    #[test]
    fn a_signed_argument_keeps_its_sign() {
        let requirement = compared(&[Argument(1)], Relation::Ge, &[Number(0)]);
        assert_eq!(requirement.broken(&params(), |_| 0, |_| 0xffff_fffe), Some([-2, 0]));
    }

    #[test]
    fn products_do_not_wrap() {
        let square = [Argument(2), Len(0), Mul];
        let requirement = compared(&square, Relation::Le, &[Number(u64::MAX)]);
        let product = i128::from(u64::MAX) * i128::from(u32::MAX);
        let broken = requirement.broken(&params(), |_| u32::MAX, |_| u64::MAX);
        assert_eq!(broken, Some([product, u64::MAX.into()]));
    }

    #[test]
    fn what_128_bits_may_not_hold_is_refused() {
        let cube = Amount(vec![Argument(2), Argument(2), Mul]);
        assert_eq!(cube.range(&params()), Err(Unsound::Range));
        let fits = Amount(vec![Argument(2), Len(0), Mul]);
        assert!(fits.range(&params()).is_ok());
    }

    #[test]
    fn steps_that_are_no_amount_are_refused() {
        let range = |steps: &[Step]| Amount(steps.to_vec()).range(&params());
        assert_eq!(range(&[]), Err(Unsound::Steps));
        assert_eq!(range(&[Add]), Err(Unsound::Steps));
        assert_eq!(range(&[Number(1), Number(2)]), Err(Unsound::Steps));
        assert_eq!(range(&[Number(1); MAX_STEPS + 1]), Err(Unsound::Steps));
        assert_eq!(range(&[Number(1); STACK + 1]), Err(Unsound::Steps));
        assert_eq!(range(&[Len(1)]), Err(Unsound::Parameter));
        assert_eq!(range(&[Argument(0)]), Err(Unsound::Parameter));
        assert_eq!(range(&[Argument(3)]), Err(Unsound::Parameter));
        assert_eq!(range(&[Argument(9)]), Err(Unsound::Parameter));
    }

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        let shown = |steps: &[Step]| Amount(steps.to_vec()).display(&params());
        assert_eq!(shown(&[Number(1), Number(2), Sub, Number(3), Sub]), "1 - 2 - 3");
        assert_eq!(shown(&[Number(1), Number(2), Number(3), Sub, Sub]), "1 - (2 - 3)");
        assert_eq!(shown(&[Len(0), Argument(1), Add, Number(3), Mul]), "(x.len() + n) * 3");
        assert_eq!(shown(&[Len(0), Argument(1), Mul, Number(3), Add]), "x.len() * n + 3");
    }

    #[test]
    fn a_complaint_says_only_what_is_not_plain() {
        let requirement = compared(&[Len(0)], Relation::Gt, &[Number(4)]);
        let text = "requires `x.len() > 4`, but `x.len()` is 2";
        assert_eq!(requirement.complaint(["x.len()", "4"], [2, 4]), text);
        let never = compared(&[Number(1)], Relation::Gt, &[Number(4)]);
        assert_eq!(never.complaint(["1", "4"], [1, 4]), "requires `1 > 4`, but that is never so");
    }
}
