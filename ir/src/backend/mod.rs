//! Back ends: each turns a [`Checked`] function into a target's form and cannot fail on it.
//!
//! A back end writes the ops that its target has, and calls the library (`crate::soft`) for
//! the others. Tests of `naga`, `spirv` and `cuda` ask for each basic op: it is native or in the library.
//! `gir` is text and names every op. A back end emits all rules of the IR itself: bounds, shift
//! counts, division, NaN.

use crate::analysis::facts::{Condition, Facts};
use crate::check::Checked;
use crate::ir::Function;
use crate::pass::{Expansion, dce, expand, fold, rounds};
use crate::types::Types;

#[cfg(any(feature = "cuda", feature = "naga"))]
pub mod computed;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(feature = "text")]
pub mod gir;
#[cfg(feature = "naga")]
pub mod naga;
#[cfg(feature = "native")]
pub mod native;
#[cfg(feature = "spirv")]
pub mod spirv;

/// The conditions on a launch that accesses of a kernel rest on, for the kernel as back
/// ends for devices see it. A launch that satisfies one of them may run code that was made for that.
///
/// ```
/// use samebits_ir::{analysis::facts::Launch, backend::launch_conditions, check::check, text::parse};
///
/// let text = "func kernel workgroup_size(64, 1, 1) @zero(@y: mut [u32]) {
///     %i = global_id.x
///     store @y[%i], 0u32
///     ret
/// }";
/// let checked = check(parse(text).map_err(|_| "not text")?).map_err(|_| "not a kernel")?;
/// let [condition] = launch_conditions(&checked, 0).try_into().map_err(|_| "one condition")?;
/// assert!(condition.holds(&Launch { groups: [2, 1, 1], lens: &[128], scalars: &[] }));
/// assert!(!condition.holds(&Launch { groups: [2, 1, 1], lens: &[127], scalars: &[] }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn launch_conditions(checked: &Checked, function: usize) -> Vec<Condition> {
    conditions(checked, function, |types, function| prepared(types, function, Expansion::ALL))
}

/// The same for the kernel as native code is made of it.
///
/// ```
/// use samebits_ir::{backend::native_conditions, check::check, ir::Module};
/// let nothing = check(Module::default()).map_err(|_| "sound")?;
/// assert!(native_conditions(&nothing, 0).is_empty(), "there is no kernel");
/// # Ok::<(), &str>(())
/// ```
pub fn native_conditions(checked: &Checked, function: usize) -> Vec<Condition> {
    conditions(checked, function, |_, function| expand(function, Expansion::ALL))
}

fn conditions(checked: &Checked, function: usize, seen: impl Fn(&Types, &Function) -> Function) -> Vec<Condition> {
    let kernel = checked.function(function).filter(|(function, _)| function.is_kernel());
    let types = &checked.module().types;
    let facts = kernel.map(|(function, _)| Facts::of(types, &seen(types, function)));
    facts.map_or_else(Vec::new, |facts| facts.conditions().to_vec())
}

/// A kernel as back ends for devices see it. The [conditions](launch_conditions) are numbered in the
/// order in which this function's accesses need them, so nothing else may change it on the way.
fn prepared(types: &Types, function: &Function, how: Expansion) -> Function {
    let mut function = function.clone();
    if rounds(&mut function, types) {
        fold(&mut function);
        dce(&mut function);
    }
    let mut expanded = expand(&function, how);
    // Drivers were seen to compute with literals by rules of their own.
    fold(&mut expanded);
    expanded
}
