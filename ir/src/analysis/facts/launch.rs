//! What only a launch knows, as numbers of a proof: polynomials over the sizes of the
//! grid, the lengths of buffers and the values of scalars, and comparisons of them.
//!
//! A polynomial is over the integers, without any wrapping, and each of its symbols stands
//! for a number that is not negative. One whose coefficients are all positive or zero is
//! therefore never negative.

use crate::ir::Function;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Products of at most so many symbols.
const MAX_DEGREE: usize = 3;
/// Terms of a polynomial at most.
const MAX_TERMS: usize = 8;

/// A number that a launch decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// The number of workgroups on an axis, less one.
    LastGroup(u8),
    /// The number of elements of the buffer that is the parameter of this index.
    Len(u32),
    /// The value of the unsigned scalar that is the parameter of this index.
    Scalar(u32),
}

/// A sum of products of symbols with coefficients.
///
/// ```
/// use samebits_ir::analysis::facts::launch::{Launch, Poly, Symbol};
/// let last = Poly::symbol(Symbol::LastGroup(0));
/// let id = last.times(&Poly::number(64)).and_then(|first| first.plus(&Poly::number(63))).ok_or("small")?;
/// let launch = Launch { groups: [3, 1, 1], lens: &[], scalars: &[] };
/// assert_eq!(id.value(&launch), Some(191));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Poly {
    /// Coefficients by the symbols of their product, in order; none is zero.
    terms: BTreeMap<Vec<Symbol>, i128>,
}

/// A launch, as far as conditions look at it.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Workgroups on x, y and z, at least 1 each.
    pub groups: [u32; 3],
    /// The number of elements of each parameter that is a buffer; others count as 0.
    pub lens: &'a [u32],
    /// The bits of each parameter that is a scalar; others count as 0.
    pub scalars: &'a [u64],
}

impl Poly {
    /// A constant.
    pub fn number(value: i128) -> Self {
        Self { terms: if value == 0 { BTreeMap::new() } else { BTreeMap::from([(Vec::new(), value)]) } }
    }

    /// A symbol.
    pub fn symbol(symbol: Symbol) -> Self {
        Self { terms: BTreeMap::from([(vec![symbol], 1)]) }
    }

    /// The sum, or nothing if it is too large to keep.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (symbols, factor) in &other.terms {
            let sum = terms.get(symbols).copied().unwrap_or(0).checked_add(*factor)?;
            if sum == 0 {
                terms.remove(symbols);
            } else {
                terms.insert(symbols.clone(), sum);
            }
        }
        (terms.len() <= MAX_TERMS).then_some(Self { terms })
    }

    /// The difference, or nothing if it is too large to keep.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.times(&Self::number(-1))?)
    }

    /// The product, or nothing if it is too large to keep.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let mut symbols = [left.as_slice(), right].concat();
                if symbols.len() > MAX_DEGREE {
                    return None;
                }
                symbols.sort_unstable();
                let term = Self { terms: BTreeMap::from([(symbols, a.checked_mul(*b)?)]) };
                product = product.plus(&term)?;
            }
        }
        Some(product)
    }

    /// A bound of the quotient by a positive number, rounded down: every coefficient is
    /// divided, that of the constant rounded down and the others up.
    pub fn over(&self, divisor: i128) -> Option<Self> {
        let mut terms = BTreeMap::new();
        for (symbols, factor) in &self.terms {
            let down = factor.checked_div_euclid(divisor)?;
            let exact = down.checked_mul(divisor)? == *factor;
            let factor = if symbols.is_empty() || exact { down } else { down + 1 };
            if factor != 0 {
                terms.insert(symbols.clone(), factor);
            }
        }
        Some(Self { terms })
    }

    /// The constant that this is.
    pub fn as_number(&self) -> Option<i128> {
        match self.terms.iter().next() {
            None => Some(0),
            Some((symbols, factor)) if symbols.is_empty() && self.terms.len() == 1 => Some(*factor),
            Some(_) => None,
        }
    }

    /// The value where every symbol is 0: at the smallest launch that there is.
    pub fn least(&self) -> i128 {
        self.terms.get(&Vec::new()).copied().unwrap_or(0)
    }

    /// Whether every launch makes this negative, as far as the greatest values of the
    /// symbols tell.
    fn is_always_negative(&self) -> bool {
        let most = |symbol: &Symbol| match symbol {
            Symbol::LastGroup(_) => i128::from(u32::MAX) - 1,
            Symbol::Len(_) => u32::MAX.into(),
            Symbol::Scalar(_) => u64::MAX.into(),
        };
        let sum = self.terms.iter().try_fold(0i128, |sum, (symbols, &factor)| {
            let term = match symbols.is_empty() || factor > 0 {
                true => symbols.iter().try_fold(factor, |term, symbol| term.checked_mul(most(symbol)))?,
                false => 0,
            };
            sum.checked_add(term)
        });
        sum.is_some_and(|sum| sum < 0)
    }

    /// Whether no launch makes this negative, as far as its coefficients tell.
    pub fn is_never_negative(&self) -> bool {
        self.terms.values().all(|&factor| factor >= 0)
    }

    /// The value at a launch; nothing if it exceeds 128 bits.
    pub fn value(&self, launch: &Launch<'_>) -> Option<i128> {
        let mut sum = 0i128;
        for (symbols, factor) in &self.terms {
            let mut term = *factor;
            for symbol in symbols {
                let value = match *symbol {
                    Symbol::LastGroup(axis) => {
                        i128::from(launch.groups.get(usize::from(axis)).copied().unwrap_or(1)) - 1
                    }
                    Symbol::Len(param) => launch.lens.get(param as usize).copied().unwrap_or(0).into(),
                    Symbol::Scalar(param) => launch.scalars.get(param as usize).copied().unwrap_or(0).into(),
                };
                term = term.checked_mul(value)?;
            }
            sum = sum.checked_add(term)?;
        }
        Some(sum)
    }

    /// The positive and the negative part: this is the first less the second.
    fn parts(&self) -> (Self, Self) {
        let part = |positive: bool| Self {
            terms: self
                .terms
                .iter()
                .filter(|(_, factor)| (**factor > 0) == positive)
                .map(|(symbols, factor)| (symbols.clone(), factor.saturating_abs()))
                .collect(),
        };
        (part(true), part(false))
    }

    /// This over the greatest common divisor of its coefficients.
    fn reduced(&self) -> Self {
        let divisor = self.terms.values().fold(0, |divisor, &factor| gcd(divisor, factor.unsigned_abs()));
        let divisor = i128::try_from(divisor).unwrap_or(1).max(1);
        Self { terms: self.terms.iter().map(|(symbols, factor)| (symbols.clone(), factor / divisor)).collect() }
    }

    /// The same number over the numbers of groups, for which the symbols of the last group
    /// then stand; users count groups from 1.
    fn in_groups(&self) -> Option<Self> {
        let mut sum = Self::default();
        for (symbols, factor) in &self.terms {
            let mut term = Self::number(*factor);
            for symbol in symbols {
                let mut value = Self::symbol(*symbol);
                if let Symbol::LastGroup(_) = symbol {
                    value = value.plus(&Self::number(-1))?;
                }
                term = term.times(&value)?;
            }
            sum = sum.plus(&term)?;
        }
        Some(sum)
    }

    /// The polynomial over numbers of groups in the words of the kernel's source.
    fn shown(&self, function: &Function) -> String {
        let mut text = String::new();
        for (symbols, factor) in self.terms.iter().rev() {
            let names = symbols.iter().map(|symbol| match *symbol {
                Symbol::LastGroup(axis) => {
                    format!("num_workgroups().{}", ["x", "y", "z"].get(usize::from(axis)).unwrap_or(&"x"))
                }
                Symbol::Len(param) => format!("{}.len()", name(function, param)),
                Symbol::Scalar(param) => name(function, param).to_owned(),
            });
            let mut factors: Vec<String> = names.collect();
            if *factor != 1 || factors.is_empty() {
                factors.insert(0, factor.to_string());
            }
            let plus = if text.is_empty() { "" } else { " + " };
            // A string takes every write.
            let _ = write!(text, "{plus}{}", factors.join(" * "));
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

fn name(function: &Function, param: u32) -> &str {
    function.params.get(param as usize).map_or("?", |param| &param.name)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Something that a launch fulfils or not: a polynomial is not negative there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Condition {
    difference: Poly,
}

impl Condition {
    /// That the left side is at most the right one, or nothing if that is too large to keep.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::launch::{Condition, Launch, Poly, Symbol};
    /// let [x, y] = [0, 1].map(|param| Poly::symbol(Symbol::Len(param)));
    /// let condition = Condition::at_most(&y, &x).ok_or("small")?;
    /// assert!(condition.holds(&Launch { groups: [1; 3], lens: &[7, 7], scalars: &[] }));
    /// assert!(!condition.holds(&Launch { groups: [1; 3], lens: &[7, 8], scalars: &[] }));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn at_most(left: &Poly, right: &Poly) -> Option<Self> {
        Some(Self { difference: right.minus(left)?.reduced() })
    }

    /// Whether a launch that fulfils this one fulfils the other, too, as far as can be seen
    /// with no buffer having more than 2³² - 1 elements.
    pub fn implies(&self, other: &Self) -> bool {
        let Some(rest) = other.difference.minus(&self.difference) else { return false };
        let lens = self.difference.terms.keys().filter_map(|symbols| match symbols.as_slice() {
            [symbol @ Symbol::Len(_)] => Some(*symbol),
            _ => None,
        });
        lens.map(Some).chain([None]).any(|len| {
            let rest = match len {
                // The length less its greatest value is not positive.
                Some(len) => {
                    rest.plus(&Poly::symbol(len)).and_then(|rest| rest.plus(&Poly::number(-i128::from(u32::MAX))))
                }
                None => Some(rest.clone()),
            };
            rest.is_some_and(|rest| rest.is_never_negative())
        })
    }

    /// Whether every launch fulfils it.
    pub fn is_certain(&self) -> bool {
        self.difference.is_never_negative()
    }

    /// Whether no launch does.
    pub fn is_hopeless(&self) -> bool {
        self.difference.is_always_negative()
    }

    /// Whether a launch fulfils it.
    pub fn holds(&self, launch: &Launch<'_>) -> bool {
        self.difference.value(launch).is_some_and(|value| value >= 0)
    }

    /// The condition in the words of the kernel's source, such as `x.len() >= y.len()`.
    pub fn shown(&self, function: &Function) -> String {
        let Some(difference) = self.difference.in_groups() else { return "something too long to say".to_owned() };
        let (more, less) = difference.parts();
        format!("{} >= {}", more.shown(function), less.shown(function))
    }
}
