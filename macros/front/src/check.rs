//! The checks of the IR, adapted to the front end: what a helper or an instance cannot reach is not
//! a mistake.

use crate::spans::Spans;
use samebits_ir::check::{self, Checked};
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::ir::Module;
use samebits_ir::pass;

/// Checks a module. A helper may test a length before it indexes what may be shorter: a
/// constant index that is out of bounds there is a mistake only if it is still there once what
/// cannot be reached is gone.
pub fn checked(module: Module, spans: &Spans<'_>) -> Result<Checked, Diags> {
    let calls = spans.has_calls().then(|| module.clone());
    check::check(module).or_else(|diags| {
        let of_helper = |diag: &Diag| diag.code == Code::V300 && spans.helper(diag.loc).is_some();
        let Some(module) = calls.filter(|_| diags.as_slice().iter().all(of_helper)) else { return Err(diags) };
        let checked = check::check_image(module)?;
        let reached = check::check(pruned(checked.clone()).module().clone()).err().unwrap_or_default();
        let same = |left: &Diag| diags.as_slice().iter().any(|diag| diag.loc == left.loc);
        if reached.as_slice().iter().any(same) { Err(diags) } else { Ok(checked) }
    })
}

/// A module without computed indices beyond the end of memory of a fixed length, save where
/// nothing leads to: the code of one instance, or a length, may be tested before it.
pub fn in_bounds(checked: Checked) -> Result<Checked, Diags> {
    let found = check::computed_indices(&checked);
    if found.is_empty() {
        return Ok(checked);
    }
    let reached = check::check(pruned(checked.clone()).module().clone()).err().unwrap_or_default();
    let is_reached = |diag: &&Diag| reached.as_slice().iter().any(|other| other.loc == diag.loc);
    let mut wrong = Diags::new();
    wrong.extend(found.as_slice().iter().filter(is_reached).cloned());
    wrong.gate().map(|()| checked)
}

/// A module without what cannot be reached. Later passes would give what an index loads that is
/// out of bounds.
fn pruned(checked: Checked) -> Checked {
    let passes = ["fold", "sccp"].into_iter().filter_map(pass::Pass::from_name);
    passes.fold(checked, |checked, pass| pass.apply(checked))
}
