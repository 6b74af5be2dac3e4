//! What was asked of loops and cannot be done (V109).
//!
//! The pass takes back what it has done, so that a request that is still there after all
//! passes was not met. Device functions are not judged: what they count to may be a
//! constant where they are called.

use super::{Judge, MAX_SIZE_ASKED, Obstacle};
use crate::analysis::tree::Tree;
use crate::analysis::trips::Trips;
use crate::check::Checked;
use crate::diag::{Code, Diag, Diags};
use crate::flags::Unroll;
use crate::ir::{Function, Region};
use crate::loc::Loc;

/// The loops of kernels that were to be unrolled and could not be, once
/// [`optimize`](crate::pass::optimize) is done.
///
/// ```
/// use samebits_ir::{check::check, pass::{optimize, unmet}, text};
/// let endless = "func kernel workgroup_size(1, 1, 1) @k() { loop unroll 'l { continue 'l } unreachable }";
/// let checked = optimize(check(text::parse(endless)?)?);
/// assert_eq!(unmet(&checked).as_slice().len(), 1);
/// # Ok::<(), samebits_ir::diag::Diags>(())
/// ```
pub fn unmet(checked: &Checked) -> Diags {
    let mut diags = Diags::new();
    for index in 0..checked.module().functions.len() {
        let Some((function, _)) = checked.function(index) else { continue };
        let asked = |inst| matches!(function.unroll[inst], Some((Unroll::Full | Unroll::By(_), _)));
        if function.is_kernel() && function.insts.ids().any(asked) {
            let tree = Tree::of(function);
            let trips = Trips::of(function, &tree);
            let mut judge = Judge::new(&tree, &trips, function);
            region(function, function.body, 0, &mut judge, &mut diags);
        }
    }
    diags
}

/// Goes over a region. The checks limit how deep regions are nested.
fn region(function: &Function, region: Region, depth: usize, judge: &mut Judge<'_>, diags: &mut Diags) {
    for &inst in &function.regions[region].insts {
        if let Some((_, loc)) = function.unroll[inst]
            && let Err(obstacle) = judge.plan(function, inst, depth)
        {
            let loc = if loc == Loc::NONE { function.insts[inst].loc } else { loc };
            diags.push(report(obstacle, loc));
        }
        for inner in function.insts[inst].kind.regions() {
            self::region(function, inner, depth + 1, judge, diags);
        }
    }
}

fn report(obstacle: Obstacle, loc: Loc) -> Diag {
    let (why, help) = match obstacle {
        Obstacle::Rounds => (
            "its number of rounds is not a constant".to_owned(),
            "let it count between constants, or write `#[unroll(4)]` to have four copies in each round",
        ),
        Obstacle::Size => (
            format!("the kernel would have more than {MAX_SIZE_ASKED} instructions"),
            "ask for fewer copies: `#[unroll(4)]`",
        ),
        Obstacle::Continues => (
            "the kernel has a barrier, and the next round begins from more than one place".to_owned(),
            "write `if` instead of `continue`",
        ),
        Obstacle::Nesting => ("it is nested too deep".to_owned(), "leave out `#[unroll]`"),
    };
    Diag::new(Code::V109, loc, format!("cannot unroll this loop: {why}")).help(help)
}
