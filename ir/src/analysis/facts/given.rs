//! The requirements of a kernel, as polynomials that are not negative.
//!
//! A requirement holds in every launch that runs, so it is known everywhere in the kernel. It
//! bounds symbols by numbers. It also shows that other polynomials are not negative: sums of
//! such polynomials, each multiplied by something that is not negative, plus something that is
//! not negative. The search for such a sum cancels a negative term at a time, a few times.
//!
//! A symbol stands for the bits of an argument without a sign. Requirements about a signed
//! argument are only used if another requirement says that it is not negative.

use super::poly::{Monomial, Poly, Symbol, divisor};
use crate::ir::{Amount, Function, ParamKind, Relation, Requirement, Step, integer};
use crate::types::{Scalar, Type};
use std::collections::BTreeMap;

/// How many requirements a proof may use, each as often as it does.
const DEPTH: usize = 4;
/// How many polynomials a proof may look at.
const BUDGET: usize = 128;
/// How often ranges are narrowed by each other.
const ROUNDS: usize = 4;

/// What is known of every launch of a function.
#[derive(Default)]
pub(crate) struct Given {
    /// What is not negative.
    rests: Vec<Poly>,
    /// The least and the greatest number that a symbol is; nothing for what only its type
    /// bounds.
    ranges: BTreeMap<Symbol, (i128, i128)>,
}

impl Given {
    /// What the requirements of a function say.
    pub fn of(function: &Function) -> Self {
        let mut given = Self::default();
        let all: Vec<Poly> = function.requires.iter().flat_map(rests).collect();
        let natural: Vec<u32> = all.iter().filter_map(|rest| natural(function, rest)).collect();
        let reads = |symbol: Symbol| match symbol {
            Symbol::Scalar(param) => {
                integer(&function.params, param.into()).is_some_and(|ty| !ty.is_signed())
                    || natural.contains(&param.into())
            }
            Symbol::Len(_) | Symbol::Most(_) | Symbol::LastGroup(_) => true,
        };
        given.rests = all.into_iter().filter(|rest| rest.symbols().all(reads)).collect();
        for _ in 0..ROUNDS {
            if !given.narrow(function) {
                break;
            }
        }
        given
    }

    /// What is not negative in any launch.
    pub fn rests(&self) -> &[Poly] {
        &self.rests
    }

    /// Narrows the ranges of symbols; whether any became narrower.
    fn narrow(&mut self, function: &Function) -> bool {
        let mut narrowed = false;
        for rest in &self.rests {
            for (monomial, factor) in rest.parts().0 {
                let [None, None, Some(symbol)] = *monomial else { continue };
                // The others at their most say how far this one has to go.
                let others = rest.parts().0.iter().filter(|(other, _)| other != monomial);
                let mut others =
                    others.map(|(other, value)| Some((*value, self.product(function, other, *value > 0)?)));
                let most = others.try_fold(0i128, |sum, term| {
                    let (value, product) = term?;
                    sum.checked_add(value.checked_mul(product)?)
                });
                let Some(most) = most else { continue };
                let (least, greatest) = self.extent(function, symbol);
                let now = if *factor > 0 {
                    (least.max(-most.div_euclid(*factor)), greatest)
                } else {
                    (least, greatest.min(most.div_euclid(-*factor)))
                };
                if now != (least, greatest) && now.0 <= now.1 {
                    narrowed = true;
                    self.ranges.insert(symbol, now);
                }
            }
        }
        narrowed
    }

    /// The greatest, or the least, number that a product of symbols is.
    fn product(&self, function: &Function, monomial: &Monomial, most: bool) -> Option<i128> {
        monomial.iter().flatten().try_fold(1i128, |product, &symbol| {
            let (least, greatest) = self.extent(function, symbol);
            product.checked_mul(if most { greatest } else { least })
        })
    }

    fn extent(&self, function: &Function, symbol: Symbol) -> (i128, i128) {
        self.ranges.get(&symbol).copied().unwrap_or_else(|| match symbol {
            Symbol::LastGroup(_) | Symbol::Len(_) | Symbol::Most(_) => (0, u32::MAX.into()),
            Symbol::Scalar(param) => {
                (0, integer(&function.params, param.into()).map_or(u64::MAX.into(), |ty| ty.mask().into()))
            }
        })
    }

    /// The least and the greatest number that a length or an argument is, if requirements say
    /// more than its type.
    pub fn range(&self, symbol: Symbol) -> Option<(u64, u64)> {
        let &(least, most) = self.ranges.get(&symbol)?;
        Some((u64::try_from(least).ok()?, u64::try_from(most).ok()?))
    }

    /// Whether a polynomial is not negative in any launch.
    pub fn makes_natural(&self, function: &Function, rest: &Poly) -> bool {
        rest.is_natural() || !self.rests.is_empty() && self.prove(function, rest, DEPTH, &mut { BUDGET })
    }

    fn prove(&self, function: &Function, rest: &Poly, depth: usize, budget: &mut usize) -> bool {
        if self.least(function, rest).is_some_and(|least| least >= 0) {
            return true;
        }
        if depth == 0 || *budget == 0 {
            return false;
        }
        *budget -= 1;
        let negative = rest.parts().0.iter().filter(|(_, value)| *value < 0);
        for (monomial, value) in negative {
            for given in &self.rests {
                for (taken, factor) in given.parts().0.iter().filter(|(_, factor)| *factor < 0) {
                    let Some(quotient) = quotient(monomial, taken) else { continue };
                    let common = divisor(factor.abs(), *value).max(1);
                    let next = given
                        .mul(&quotient)
                        .and_then(|given| rest.times(factor.abs() / common)?.sub(&given.times(value.abs() / common)?));
                    if next.is_some_and(|next| self.prove(function, &next, depth - 1, budget)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The least number, by the ranges of symbols alone, times the denominator.
    fn least(&self, function: &Function, rest: &Poly) -> Option<i128> {
        rest.parts().0.iter().try_fold(0i128, |sum, (monomial, value)| {
            let product = self.product(function, monomial, *value < 0)?;
            sum.checked_add(value.checked_mul(product)?)
        })
    }
}

/// What a requirement says is not negative.
fn rests(requirement: &Requirement) -> Vec<Poly> {
    let (Some(left), Some(right)) = (poly(&requirement.left), poly(&requirement.right)) else { return Vec::new() };
    let rests = match requirement.relation {
        Relation::Ge => [left.sub(&right), None],
        Relation::Gt => [left.sub(&right).and_then(|rest| rest.plus(-1)), None],
        Relation::Le => [right.sub(&left), None],
        Relation::Lt => [right.sub(&left).and_then(|rest| rest.plus(-1)), None],
        Relation::Eq => [left.sub(&right), right.sub(&left)],
    };
    rests.into_iter().flatten().collect()
}

/// An amount as a polynomial, unless it is too large for one.
fn poly(amount: &Amount) -> Option<Poly> {
    let mut stack: Vec<Poly> = Vec::new();
    for &step in &amount.0 {
        let leaf = match step {
            Step::Number(value) => Some(Poly::constant(value.into())),
            Step::Len(param) => Some(Poly::symbol(Symbol::Len(u16::try_from(param).ok()?))),
            Step::Scalar(param) => Some(Poly::symbol(Symbol::Scalar(u16::try_from(param).ok()?))),
            Step::Bound(param) => Poly::symbol(Symbol::Most(u16::try_from(param).ok()?)).plus(1),
            Step::Add | Step::Sub | Step::Mul => None,
        };
        let next = match leaf {
            Some(leaf) => leaf,
            None => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                match step {
                    Step::Add => a.add(&b)?,
                    Step::Sub => a.sub(&b)?,
                    Step::Mul | Step::Number(_) | Step::Len(_) | Step::Scalar(_) | Step::Bound(_) => a.mul(&b)?,
                }
            }
        };
        stack.push(next);
    }
    stack.pop().filter(|_| stack.is_empty())
}

/// The signed argument, if this requirement says of it alone that it is not negative.
fn natural(function: &Function, rest: &Poly) -> Option<u32> {
    let (number, symbol, factor) = match *rest.parts().0 {
        [([None, None, Some(Symbol::Scalar(param))], factor)] => (0, param, factor),
        [([None, None, None], number), ([None, None, Some(Symbol::Scalar(param))], factor)] => (number, param, factor),
        _ => return None,
    };
    let is_integer = matches!(
        function.params.get(usize::from(symbol)).map(|param| param.kind),
        Some(ParamKind::Scalar(Type::Scalar(ty))) if Scalar::is_int(ty)
    );
    (is_integer && factor > 0 && number <= 0).then_some(symbol.into())
}

/// What a product of symbols is another one times.
fn quotient(whole: &Monomial, part: &Monomial) -> Option<Poly> {
    let mut left: Vec<Symbol> = whole.iter().flatten().copied().collect();
    for symbol in part.iter().flatten() {
        left.remove(left.iter().position(|other| other == symbol)?);
    }
    left.into_iter().try_fold(Poly::constant(1), |product, symbol| product.mul(&Poly::symbol(symbol)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// Which of some conditions, written like requirements, follow from the requirements.
    fn follows(requires: &str, conditions: &[&str]) -> Vec<bool> {
        let kernel = |requires: &str| {
            let source = format!(
                "func kernel workgroup_size(1, 1, 1) @k(%n: u32, %m: u32, %s: i32, @x: [u32], @y: [u32]) requires({requires}) {{ ret }}"
            );
            parse(&source).expect("a text").functions.swap_remove(0)
        };
        let function = kernel(requires);
        let given = Given::of(&function);
        let follows = |condition: &&str| {
            let condition = kernel(condition).requires;
            condition.iter().flat_map(rests).all(|rest| given.makes_natural(&function, &rest))
        };
        conditions.iter().map(follows).collect()
    }

    #[test]
    fn a_requirement_implies_itself_and_less() {
        let conditions = ["len @y >= len @x", "len @y + 1 > len @x", "2 * len @y >= 2 * len @x", "len @y > len @x"];
        assert_eq!(follows("len @y >= len @x", &conditions), [true, true, true, false]);
    }

    #[test]
    fn requirements_are_chained() {
        let conditions = ["len @y >= %m", "len @y >= 8", "len @x >= 8"];
        assert_eq!(follows("len @y >= %n, %n >= %m, %m >= 8", &conditions), [true, true, false]);
    }

    #[test]
    fn equality_works_both_ways() {
        assert_eq!(follows("len @y == len @x", &["len @y >= len @x", "len @x >= len @y"]), [true, true]);
    }

    #[test]
    fn products_are_bounded_by_what_their_factors_are() {
        let conditions = ["len @x >= %n * 4", "len @x >= %n * 5", "len @x >= 4"];
        assert_eq!(follows("len @x >= %n * %m, %m >= 4, %n >= 1", &conditions), [true, false, true]);
    }

    #[test]
    fn numbers_bound_symbols() {
        let conditions = ["%n <= 16", "%n <= 15", "%m <= 8"];
        assert_eq!(follows("%n < 17, %m * 2 <= %n", &conditions), [true, false, true]);
    }

    #[test]
    fn an_argument_with_a_sign_counts_once_it_is_natural() {
        assert_eq!(follows("len @x >= %s", &["len @x >= %s"]), [false]);
        assert_eq!(follows("len @x >= %s, %s >= 0", &["len @x >= %s"]), [true]);
    }

    #[test]
    fn what_no_launch_satisfies_says_nothing_of_ranges() {
        let source = "func kernel workgroup_size(1, 1, 1) @k(%n: u32) requires(%n < 4, %n > 9) { ret }";
        let function = parse(source).expect("a text").functions.swap_remove(0);
        let range = Given::of(&function).range(Symbol::Scalar(0));
        assert!(range.is_some_and(|(least, most)| least <= most));
    }
}
