//! What the expansion of [`test`](macro@crate::test) calls.

use super::{Chance, Check, Failure, Input, Lengths, Output, generate};
use crate::device::Device;
use crate::error::Error;
use std::fmt;

/// Inputs in a row that may be refused before there is taken to be none.
const REFUSED: u32 = 1000;

/// Runs a check whose inputs may not exist, such as a number of an empty range.
///
/// # Errors
///
/// As those of [`kernel`](super::kernel), and that no input was found.
pub fn trial<I: Input, O: Output>(
    check: &Check,
    generate: impl Fn(&mut Chance) -> Option<I>,
    plain: impl Fn(&I) -> O,
    run: impl Fn(&Device, &I) -> Result<O, Error>,
) -> Result<(), Failure> {
    let found = |chance: &mut Chance| (0..REFUSED).find_map(|_| generate(chance));
    let failure = check.compare(found, plain, run).err();
    failure.map_or(Ok(()), |failure| Err(failure.of_attribute()))
}

/// A list for a parameter.
pub fn list<T>(
    chance: &mut Chance,
    lengths: &impl Lengths,
    each: impl FnMut(&mut Chance) -> Option<T>,
) -> Option<Vec<T>> {
    generate::list(chance, lengths, each)
}

/// A smaller list that is one for the parameter, or nothing.
pub fn fit<T>(list: Vec<T>, lengths: &impl Lengths, holds: impl Fn(&T) -> bool) -> Option<Vec<T>> {
    generate::cut(list, lengths).filter(|list| list.iter().all(holds))
}

/// Lists with fewer of the same elements.
pub fn shorter<T: Clone>(list: &[T]) -> Vec<Vec<T>> {
    let half = list.len() / 2;
    let halves = [list[..half].to_vec(), list[half..].to_vec()];
    let without = (0..list.len()).take(64).map(|at| [&list[..at], &list[at + 1..]].concat());
    halves.into_iter().filter(|some| some.len() < list.len()).chain(without).collect()
}

/// What an expression makes, whose type is not written anywhere else.
pub fn with<T>(chance: &mut Chance, mut make: impl FnMut(&mut Chance) -> T) -> T {
    make(chance)
}

/// Shows an input as its parameters.
///
/// # Errors
///
/// Those of the formatter.
pub fn show(f: &mut fmt::Formatter<'_>, params: &[(&str, &dyn fmt::Debug)]) -> fmt::Result {
    for (at, (name, value)) in params.iter().enumerate() {
        let before = if at == 0 { "" } else { ", " };
        write!(f, "{before}{name} = {value:?}")?;
    }
    Ok(())
}
