//! Conditions on a launch as numbers, in which a program holds them beside a kernel's image.
//!
//! A condition is the number of an axis, or [`HOLDS`] and two polynomials. A polynomial is what it is
//! divided by, the number of its terms, and for each its factor and three symbols; 0 stands for
//! none. What it is divided by and a factor are two numbers, the higher 64 bits first.

use super::RaceCondition;
use crate::analysis::facts::{Condition, Poly, Symbol};

/// What begins a condition on polynomials; less is an axis.
const HOLDS: i64 = 3;
/// Kinds of symbols.
const KINDS: i64 = 4;

impl RaceCondition {
    /// Conditions as numbers.
    ///
    /// ```
    /// use samebits_ir::analysis::races::RaceCondition;
    /// let conditions = [RaceCondition::AxisIsOne(1), RaceCondition::AxisIsOne(2)];
    /// let numbers = RaceCondition::numbers(&conditions);
    /// assert_eq!(RaceCondition::of_numbers(&numbers), Some(conditions.to_vec()));
    /// ```
    pub fn numbers(conditions: &[Self]) -> Vec<i64> {
        let mut numbers = Vec::new();
        for condition in conditions {
            match condition {
                Self::AxisIsOne(axis) => numbers.push((*axis).into()),
                Self::Holds(Condition { left, right }) => {
                    numbers.push(HOLDS);
                    write(left, &mut numbers);
                    write(right, &mut numbers);
                }
            }
        }
        numbers
    }

    /// The conditions that these numbers are; `None` if they are none.
    ///
    /// ```
    /// use samebits_ir::analysis::races::RaceCondition;
    /// assert_eq!(RaceCondition::of_numbers(&[9]), None);
    /// ```
    pub fn of_numbers(numbers: &[i64]) -> Option<Vec<Self>> {
        let mut rest = numbers.iter().copied();
        let mut conditions = Vec::new();
        while let Some(first) = rest.next() {
            conditions.push(match first {
                0..HOLDS => Self::AxisIsOne(first as u8),
                HOLDS => Self::Holds(Condition { left: read(&mut rest)?, right: read(&mut rest)? }),
                _ => return None,
            });
        }
        Some(conditions)
    }
}

fn write(poly: &Poly, numbers: &mut Vec<i64>) {
    let (terms, denominator) = poly.parts();
    numbers.extend(halves(denominator));
    numbers.push(terms.len() as i64);
    for &(symbols, factor) in terms {
        numbers.extend(halves(factor));
        numbers.extend(symbols.map(|symbol| symbol.map_or(0, number)));
    }
}

fn halves(number: i128) -> [i64; 2] {
    [(number >> 64) as i64, number as i64]
}

fn whole(numbers: &mut impl Iterator<Item = i64>) -> Option<i128> {
    let (high, low) = (numbers.next()?, numbers.next()?);
    Some(i128::from(high) << 64 | i128::from(low as u64))
}

fn read(numbers: &mut impl Iterator<Item = i64>) -> Option<Poly> {
    let denominator = whole(numbers).filter(|denominator| *denominator > 0)?;
    let mut poly = Poly::constant(0);
    for _ in 0..numbers.next()? {
        let mut term = Poly::constant(whole(numbers)?);
        for _ in 0..3 {
            let number = numbers.next()?;
            if number != 0 {
                term = term.mul(&Poly::symbol(symbol(number)?))?;
            }
        }
        poly = poly.add(&term)?;
    }
    poly.divided(denominator)
}

fn number(symbol: Symbol) -> i64 {
    1 + match symbol {
        Symbol::LastGroup(axis) => i64::from(axis) * KINDS,
        Symbol::Len(param) => i64::from(param) * KINDS + 1,
        Symbol::Scalar(param) => i64::from(param) * KINDS + 2,
        Symbol::Most(param) => i64::from(param) * KINDS + 3,
    }
}

fn symbol(number: i64) -> Option<Symbol> {
    let (index, kind) = (number.checked_sub(1)?.div_euclid(KINDS), (number - 1).rem_euclid(KINDS));
    Some(match kind {
        0 => Symbol::LastGroup(u8::try_from(index).ok()?),
        1 => Symbol::Len(u16::try_from(index).ok()?),
        2 => Symbol::Scalar(u16::try_from(index).ok()?),
        _ => Symbol::Most(u16::try_from(index).ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_come_back_from_numbers() {
        let [width, height] = [0, 7].map(|param| Poly::symbol(Symbol::Scalar(param)));
        let area = width.mul(&height).expect("a product");
        let left = area.add(&Poly::constant(-5)).expect("a sum");
        let right = Poly::symbol(Symbol::Len(3)).add(&Poly::constant(u32::MAX.into())).expect("a sum");
        let half = width.divided(2).expect("a quotient");
        let shared = Condition { left: half, right: height.clone() };
        let far = Condition { left: Poly::symbol(Symbol::LastGroup(2)), right: Poly::constant(1 << 70) };
        let conditions =
            [RaceCondition::Holds(Condition { left, right }), RaceCondition::AxisIsOne(0), RaceCondition::Holds(far)];
        let conditions: Vec<_> = conditions.into_iter().chain([RaceCondition::Holds(shared)]).collect();
        let numbers = RaceCondition::numbers(&conditions);
        assert_eq!(RaceCondition::of_numbers(&numbers), Some(conditions));
        // A part of them is no condition, unless it ends where one does.
        let whole = (0..numbers.len()).filter(|&len| RaceCondition::of_numbers(&numbers[..len]).is_some());
        assert_eq!(whole.count(), 4);
    }
}
