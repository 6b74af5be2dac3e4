//! Conditions on a launch, on which bounds of accesses depend.

use super::poly::{Monomial, Poly, Symbol, divisor};
use crate::ir::Function;
use std::fmt::Write;

/// What a launch decides.
///
/// ```
/// use samebits_ir::analysis::facts::Launch;
/// let launch = Launch { groups: [4, 1, 1], lens: &[1000, 0], scalars: &[0, 7] };
/// # assert_eq!(launch.groups[0], 4);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The number of workgroups on x, y and z.
    pub groups: [u32; 3],
    /// The number of elements of each parameter that is a buffer.
    pub lens: &'a [u32],
    /// The bits, zero-extended, of each parameter that is a scalar; of a buffer whose elements are below a number, the
    /// greatest that one may be.
    pub scalars: &'a [u64],
}

impl Launch<'_> {
    /// The number that a symbol stands for; `None` for one that the launch does not have.
    pub(super) fn value(&self, symbol: Symbol) -> Option<i128> {
        match symbol {
            // Without a workgroup nothing is accessed.
            Symbol::LastGroup(axis) => Some(self.groups.get(usize::from(axis))?.saturating_sub(1).into()),
            Symbol::Len(param) => self.lens.get(usize::from(param)).map(|&len| len.into()),
            Symbol::Scalar(param) | Symbol::Most(param) => {
                self.scalars.get(usize::from(param)).map(|&bits| bits.into())
            }
        }
    }
}

/// A condition on a launch: that one polynomial is at most another.
///
/// ```
/// use samebits_ir::analysis::facts::{Condition, Launch, Poly, Symbol};
/// let condition = Condition { left: Poly::symbol(Symbol::Len(1)), right: Poly::symbol(Symbol::Len(0)) };
/// let launch = |lens| Launch { groups: [1; 3], lens, scalars: &[] };
/// assert!(condition.holds(&launch(&[5, 5])));
/// assert!(!condition.holds(&launch(&[4, 5])));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// What is not greater.
    pub left: Poly,
    /// What is not less.
    pub right: Poly,
}

impl Condition {
    /// The condition that a polynomial is not negative, in whole numbers, the sides having
    /// positive terms only and no common factor; so equal conditions look alike.
    pub(crate) fn natural(rest: &Poly) -> Option<Self> {
        let (terms, _) = rest.parts();
        let is_one = |monomial: &Monomial| monomial.iter().all(Option::is_none);
        let common = terms.iter().filter(|(m, _)| !is_one(m)).fold(0, |common, &(_, value)| divisor(common, value));
        let (mut left, mut right) = (Poly::constant(0), Poly::constant(0));
        for &(monomial, value) in terms {
            // Whole numbers times the factor leave only whole numbers as constants.
            let value = match (common, is_one(&monomial)) {
                (0, _) => value,
                (common, true) => value.div_euclid(common),
                (common, false) => value / common,
            };
            let term = |value: i128| {
                let symbols = monomial.iter().flatten().map(|&symbol| Poly::symbol(symbol));
                symbols.into_iter().try_fold(Poly::constant(value), |product, symbol| product.mul(&symbol))
            };
            if value > 0 {
                right = right.add(&term(value)?)?;
            } else {
                left = left.add(&term(-value)?)?;
            }
        }
        Some(Self { left, right })
    }

    /// Whether every launch that satisfies this condition satisfies the other one.
    fn implies(&self, other: &Self) -> bool {
        let [rest, other] = [self, other].map(|condition| condition.right.sub(&condition.left));
        rest.zip(other).is_some_and(|(rest, other)| rest.at_most(&other))
    }

    /// Whether each of some conditions is one that no other of them implies. Who reads them needs only these.
    pub(crate) fn are_needed(conditions: &[&Self]) -> Vec<bool> {
        let is_needed = |(i, one): (usize, &&Self)| {
            let others = conditions.iter().enumerate().filter(|(j, _)| *j != i);
            let mut implying = others.filter(|(_, other)| other.implies(one));
            // Of two that imply each other the first one stays.
            !implying.any(|(j, other)| j < i || !one.implies(other))
        };
        conditions.iter().enumerate().map(is_needed).collect()
    }

    /// Whether what must not be exceeded depends on the launch; else it is a number.
    pub(crate) fn has_room_that_grows(&self) -> bool {
        self.right.symbols().next().is_some()
    }

    /// Every symbol, as often as it occurs.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.left.symbols().chain(self.right.symbols())
    }

    /// Whether a launch satisfies the condition. What 128 bits do not hold does not.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::{Condition, Launch, Poly, Symbol};
    /// let condition = Condition { left: Poly::constant(8), right: Poly::symbol(Symbol::Scalar(0)) };
    /// assert!(condition.holds(&Launch { groups: [1; 3], lens: &[], scalars: &[8] }));
    /// assert!(!condition.holds(&Launch { groups: [1; 3], lens: &[], scalars: &[] }));
    /// ```
    pub fn holds(&self, launch: &Launch<'_>) -> bool {
        let side = |poly: &Poly, other: &Poly| poly.numerator(launch)?.checked_mul(other.parts().1);
        match (side(&self.left, &self.right), side(&self.right, &self.left)) {
            (Some(left), Some(right)) => left <= right,
            (None, _) | (_, None) => false,
        }
    }

    /// Whether no launch satisfies the condition.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::{Condition, Poly, Symbol};
    /// let (none, len) = (Poly::constant(0), Poly::symbol(Symbol::Len(0)));
    /// let more = len.add(&Poly::constant(1)).unwrap();
    /// assert!(Condition { left: more, right: none.clone() }.never_holds());
    /// assert!(!Condition { left: len, right: none }.never_holds());
    /// ```
    pub fn never_holds(&self) -> bool {
        self.right.add(&Poly::constant(1)).is_some_and(|more| more.at_most(&self.left))
    }

    /// Which of some conditions a launch satisfies, one bit each, of the first 64.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::{Condition, Launch, Poly, Symbol};
    /// let at_least = |len| Condition { left: Poly::constant(len), right: Poly::symbol(Symbol::Len(0)) };
    /// let launch = Launch { groups: [1; 3], lens: &[8], scalars: &[0] };
    /// assert_eq!(Condition::satisfied(&[at_least(8), at_least(9), at_least(1)], &launch), 0b101);
    /// ```
    pub fn satisfied(conditions: &[Self], launch: &Launch<'_>) -> u64 {
        let satisfied = conditions.iter().take(64).enumerate().filter(|(_, condition)| condition.holds(launch));
        satisfied.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// The condition in the words of the source.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::{Condition, Poly, Symbol};
    /// use samebits_ir::{builder::Builder, ir::Access, types::Type};
    /// let mut b = Builder::new("k", [64, 1, 1]);
    /// b.buffer("x", Type::F32, Access::Read);
    /// b.ret();
    /// let left = Poly::symbol(Symbol::LastGroup(1)).mul(&Poly::constant(64)).unwrap();
    /// let condition = Condition { left, right: Poly::symbol(Symbol::Len(0)) };
    /// assert_eq!(condition.display(&b.finish()), "x.len() + 64 >= 64 * groups.y");
    /// ```
    pub fn display(&self, function: &Function) -> String {
        let Some(rest) = self.right.sub(&self.left) else { return "?".to_owned() };
        // In words, ids end below the number of groups, and elements below their bound.
        let mut sides: [Vec<String>; 2] = [Vec::new(), Vec::new()];
        let mut terms = in_groups(rest.parts().0);
        // Lengths first, as a reader would put them; numbers last.
        terms.sort_by_key(|(monomial, _)| (monomial.is_empty(), !matches!(monomial.as_slice(), [Factor::Len(_)])));
        for (monomial, value) in terms {
            let mut text = String::new();
            if value.unsigned_abs() != 1 || monomial.is_empty() {
                let _ = write!(text, "{}", value.unsigned_abs());
            }
            for factor in monomial {
                if !text.is_empty() {
                    text.push_str(" * ");
                }
                text.push_str(&factor.name(function));
            }
            sides[usize::from(value < 0)].push(text);
        }
        let [right, left] = sides.map(|side| if side.is_empty() { "0".to_owned() } else { side.join(" + ") });
        format!("{right} >= {left}")
    }
}

/// A symbol as it is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Factor {
    Groups(u8),
    Len(u16),
    Scalar(u16),
    Bound(u16),
}

impl Factor {
    fn name(self, function: &Function) -> String {
        let param = |index: u16| function.params.get(usize::from(index)).map_or("?", |param| &param.name);
        match self {
            Self::Groups(axis) => format!("groups.{}", ["x", "y", "z"].get(usize::from(axis)).unwrap_or(&"?")),
            Self::Len(index) => format!("{}.len()", param(index)),
            Self::Scalar(index) => param(index).to_owned(),
            Self::Bound(index) => format!("{}.bound()", param(index)),
        }
    }
}

/// The terms in numbers of groups instead of last ids, and in bounds instead of greatest elements.
fn in_groups(terms: &[(Monomial, i128)]) -> Vec<(Vec<Factor>, i128)> {
    let mut sum: Vec<(Vec<Factor>, i128)> = Vec::new();
    for (monomial, value) in terms {
        let mut products = vec![(Vec::new(), *value)];
        for symbol in monomial.iter().flatten() {
            let factor = match *symbol {
                Symbol::LastGroup(axis) => Factor::Groups(axis),
                Symbol::Len(param) => Factor::Len(param),
                Symbol::Scalar(param) => Factor::Scalar(param),
                Symbol::Most(param) => Factor::Bound(param),
            };
            let less: Vec<_> = match factor {
                Factor::Groups(_) | Factor::Bound(_) => {
                    products.iter().map(|(factors, value)| (factors.clone(), -value)).collect()
                }
                Factor::Len(_) | Factor::Scalar(_) => Vec::new(),
            };
            for (factors, _) in &mut products {
                factors.push(factor);
            }
            products.extend(less);
        }
        for (mut factors, value) in products {
            factors.sort_unstable();
            match sum.iter_mut().find(|(other, _)| *other == factors) {
                Some((_, total)) => *total = total.saturating_add(value),
                None => sum.push((factors, value)),
            }
        }
    }
    sum.retain(|&(_, value)| value != 0);
    sum
}
