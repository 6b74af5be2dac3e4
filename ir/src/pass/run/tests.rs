//! What is left out where a pass would spoil a kernel. The passes here have names of real ones
//! and do something else.

use super::{Optimized, run};
use crate::check::check;
use crate::diag::Code;
use crate::ir::{Function, InstKind, Value};
use crate::ops::{Builtin, Op};
use crate::pass::Pass;
use crate::text::{parse, print};

const SOURCE: &str = "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {
  %l = local_id.x
  %dead = add %n, 5u32
  %c = lt %n, 3u32
  if %c {
    barrier
  }
  store @y[%l], %l
  ret
}";

/// Puts one value in the place of another one in every comparison.
fn compare(function: &mut Function, from: Option<Value>, to: Option<Value>) -> bool {
    let (Some(from), Some(to)) = (from, to) else { return false };
    let mut changed = false;
    for inst in function.insts.ids() {
        if let InstKind::Op(Op::Lt, args) = &mut function.insts[inst].kind
            && args[0] == from
        {
            args[0] = to;
            changed = true;
        }
    }
    changed
}

fn id(function: &Function) -> Option<Value> {
    let is_id = |kind: &InstKind| *kind == InstKind::Builtin(Builtin::LocalIdX);
    function.insts.iter().find(|(_, def)| is_id(&def.kind)).map(|(_, def)| def.results[0])
}

fn argument(function: &Function) -> Option<Value> {
    function.regions[function.body].params.first().copied()
}

static SPOILS: Pass = Pass {
    name: "licm",
    doc: "Compares the id instead of the argument.",
    run: |function, _| compare(function, argument(function), id(function)),
    unmoved_by: &[],
};

static MENDS: Pass = Pass {
    name: "gvn",
    doc: "Compares the argument instead of the id.",
    run: |function, _| compare(function, id(function), argument(function)),
    unmoved_by: &[],
};

fn after(passes: &[&'static Pass], rounds: usize) -> Optimized {
    let checked = check(parse(SOURCE).expect("sound text")).expect("a kernel");
    run(checked, &[(passes.to_vec(), rounds)], &mut |_, _| {})
}

fn without_dead() -> String {
    print(&parse(&SOURCE.replace("  %dead = add %n, 5u32\n", "")).expect("sound text"))
}

#[test]
fn only_the_pass_that_spoils_is_left_out() {
    let dce = Pass::from_name("dce").expect("a pass");
    for passes in [[&SPOILS, dce], [dce, &SPOILS]] {
        let optimized = after(&passes, 3);
        let [left_out] = optimized.left_out.as_slice() else { panic!("{:?}", optimized.left_out) };
        assert_eq!((left_out.pass, left_out.function, left_out.diag.code), ("licm", 0, Code::V010));
        assert!(left_out.to_string().starts_with("`licm` was left out"), "{left_out}");
        assert_eq!(print(optimized.checked.module()), without_dead());
    }
}

#[test]
fn what_is_mended_in_time_is_left_as_it_comes_out() {
    let optimized = after(&[&SPOILS, &MENDS], 1);
    assert!(optimized.left_out.is_empty());
}

#[test]
fn a_pass_alone_that_spoils_does_nothing() {
    let checked = check(parse(SOURCE).expect("sound text")).expect("a kernel");
    assert_eq!(print(SPOILS.apply(checked.clone()).module()), print(checked.module()));
}
