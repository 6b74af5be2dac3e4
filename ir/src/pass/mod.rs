//! Passes: rewrites that keep what a kernel does, bit for bit.
//!
//! Calls are replaced first; passes never see one in what [`optimize`] gives them.
//! A pass takes a function in SSA form and changes it in place; the arenas keep what is
//! no longer used, the regions' lists say what is. [`optimize`] runs them all and checks
//! the result again, since facts belong to the function that they were found in.
//!
//! No pass moves, adds or drops an effect, a barrier or a loop that may come round again. A
//! load is no effect: a load that nobody looks at goes, also one that is out of bounds.

mod dce;
mod expand;
mod fold;
pub mod inline;
pub(crate) mod nan;
mod once;

pub use dce::dce;
pub use expand::expand;
pub use fold::fold;
pub use once::once;

use crate::check::{self, Checked};
use crate::ir::Function;

/// The passes, in the order of a round. Each says whether it changed anything.
const PASSES: &[fn(&mut Function) -> bool] = &[fold, once, dce];

/// Rounds at most; a round that changes nothing is the last.
const ROUNDS: usize = 4;

/// Runs every pass on every function.
///
/// ```
/// use samebits_ir::{check::check, ir::Module, pass::optimize};
/// let checked = check(Module::default()).expect("nothing is sound");
/// assert!(optimize(checked).module().functions.is_empty());
/// ```
pub fn optimize(checked: Checked) -> Checked {
    let mut module = checked.into_flat_module();
    for function in &mut module.functions {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for pass in PASSES {
                changed |= pass(function);
            }
            if !changed {
                break;
            }
        }
    }
    check::recheck(module)
}

#[cfg(test)]
mod tests;
