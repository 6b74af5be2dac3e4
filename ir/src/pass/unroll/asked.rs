//! Requests to unroll loops that cannot be met (V109).
//!
//! The pass undoes what it has done to a loop that it cannot unroll. So a request that is still
//! there after all passes was not met. Device functions are not judged: the bound of their
//! loops may be a constant where they are called.

use super::{Judge, MAX_SIZE_ASKED, Obstacle, Plan};
use crate::analysis::tree::Tree;
use crate::analysis::trips::{MAX_CONTINUES, Trips};
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
        if let Some((asked @ (Unroll::Full | Unroll::By(_)), loc)) = function.unroll[inst] {
            let obstacle = match judge.plan(function, inst, depth) {
                // The pass would have done it, and was taken back, or never came to it.
                Ok((Plan::Rounds(_) | Plan::Copies(_), _)) if judge.barrier => Some(Obstacle::Barriers),
                Ok((Plan::Rounds(_) | Plan::Copies(_), _)) => Some(Obstacle::Nesting),
                Ok((Plan::Keep | Plan::RunsOnce, _)) => None,
                Err(obstacle) => Some(obstacle),
            };
            let loc = if loc == Loc::NONE { function.insts[inst].loc } else { loc };
            diags.extend(obstacle.map(|obstacle| report(obstacle, asked, loc)));
        }
        for inner in function.insts[inst].kind.regions() {
            self::region(function, inner, depth + 1, judge, diags);
        }
    }
}

fn report(obstacle: Obstacle, asked: Unroll, loc: Loc) -> Diag {
    let (why, help) = match obstacle {
        Obstacle::Rounds => (
            "its number of rounds is not a constant".to_owned(),
            "count between constants, or write `#[unroll(4)]` for four copies in each round".to_owned(),
        ),
        Obstacle::Jumps => (
            format!("its next round begins from more than {MAX_CONTINUES} places"),
            "put the rest of the body under an `if` instead of some `continue`s, or leave out `#[unroll]`".to_owned(),
        ),
        Obstacle::Size => (
            format!("the kernel would have more than {MAX_SIZE_ASKED} instructions"),
            match asked {
                Unroll::By(copies) if copies > 2 => {
                    format!("ask for fewer copies: `#[unroll({})]`", (copies / 2).clamp(2, 4))
                }
                Unroll::Full => "ask for fewer copies: `#[unroll(4)]`".to_owned(),
                Unroll::By(_) | Unroll::Never => "leave out `#[unroll]`".to_owned(),
            },
        ),
        Obstacle::Barriers => (
            "the checks could no longer prove that all invocations reach the same barriers".to_owned(),
            "leave out `#[unroll]`, or write `if` instead of `continue` and `break` in it".to_owned(),
        ),
        Obstacle::Nesting => ("it would be nested too deeply".to_owned(), "leave out `#[unroll]`".to_owned()),
    };
    Diag::new(Code::V109, loc, format!("cannot unroll this loop: {why}")).help(help)
}
