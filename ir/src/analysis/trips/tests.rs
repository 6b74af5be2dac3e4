//! Rounds are counted right: against Rust's own wrapping arithmetic, and loop form by
//! loop form.

use super::{Count, Fires, Trips};
use crate::analysis::tree::Tree;
use crate::builder::Builder;
use crate::check::check;
use crate::ir::{Function, InstKind};
use crate::ops::Op;
use crate::text::parse;
use crate::types::Scalar;

/// The loops of a kernel's body, in order.
fn loops(body: &str) -> Vec<(Count, Vec<u64>)> {
    let source = format!("func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32]) {{\n{body}\nret\n}}");
    let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
    let checked = check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
    let function = &checked.module().functions[0];
    let tree = Tree::of(function);
    let trips = Trips::of(function, &tree);
    let found = tree.insts().iter().filter(|&&inst| matches!(function.insts[inst].kind, InstKind::Loop { .. }));
    found
        .map(|&inst| {
            let steps = trips.get(inst).map(|known| known.counters.iter().map(|counter| counter.step).collect());
            (trips.rounds(inst), steps.unwrap_or_default())
        })
        .collect()
}

fn rounds(body: &str) -> Count {
    loops(body)[0].0
}

/// `loop (i = first) { if op i, bound { break } continue i + step }`
fn counting(scalar: Scalar, first: u64, step: u64, op: Op, bound: u64) -> Function {
    let mut b = Builder::new("k", [1, 1, 1]);
    let (first, step, bound) = (b.constant(scalar, first), b.constant(scalar, step), b.constant(scalar, bound));
    let (inst, i) = b.begin_loop(None, &[first]);
    let done = b.op(op, &[i[0], bound]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    b.enter(then);
    b.break_(inst, &[]);
    b.leave();
    b.enter(otherwise);
    b.yield_(&[]);
    b.leave();
    b.if_else(done, then, otherwise, &[]);
    let next = b.op(Op::Add, &[i[0], step]);
    b.continue_(inst, &[next]);
    b.end_loop(inst, &[]);
    b.ret();
    b.finish()
}

fn count_of(function: &Function) -> Count {
    let inst = function.regions[function.body].insts[0];
    Trips::of(function, &Tree::of(function)).rounds(inst)
}

const RELATIONS: [Op; 6] = [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge];

fn holds(op: Op, order: std::cmp::Ordering) -> bool {
    match op {
        Op::Eq => order.is_eq(),
        Op::Ne => order.is_ne(),
        Op::Lt => order.is_lt(),
        Op::Le => order.is_le(),
        Op::Gt => order.is_gt(),
        _ => order.is_ge(),
    }
}

#[test]
fn bytes_are_counted_as_rust_counts_them() {
    for first in [0u8, 1, 5, 127, 128, 200, 255] {
        for step in [1u8, 2, 3, 6, 7, 64, 100, 128, 254, 255] {
            for bound in [0u8, 1, 10, 63, 127, 128, 129, 254, 255] {
                for op in RELATIONS {
                    for scalar in [Scalar::U8, Scalar::I8] {
                        let order = |i: u8| match scalar {
                            Scalar::I8 => (i as i8).cmp(&(bound as i8)),
                            _ => i.cmp(&bound),
                        };
                        let at = |round: u64| first.wrapping_add(step.wrapping_mul(round as u8));
                        // After 256 rounds everything repeats.
                        let expected = (0..256).find(|&round| holds(op, order(at(round))));
                        let expected = expected.map_or(Count::Unknown, |round| Count::Exactly(round + 1));
                        let function = counting(scalar, first.into(), step.into(), op, bound.into());
                        assert_eq!(count_of(&function), expected, "{scalar:?}: {first} + {step}, {op:?} {bound}");
                    }
                }
            }
        }
    }
}

#[test]
fn wide_counters_are_counted_without_going_through_rounds() {
    let count = |scalar, first, step, op, bound| count_of(&counting(scalar, first, step, op, bound));
    assert_eq!(count(Scalar::U64, 0, 1, Op::Eq, u64::MAX - 1), Count::Exactly(u64::MAX));
    // The last round of 2^64 has a number, but their number does not fit.
    assert_eq!(count(Scalar::U64, 0, 1, Op::Eq, u64::MAX), Count::Unknown);
    assert_eq!(count(Scalar::U64, 5, u64::MAX, Op::Lt, 1), Count::Exactly(6));
    // An odd step meets every number: 3 * 0xaaaaaaab is 1 modulo 2^32.
    assert_eq!(count(Scalar::U32, 0, 3, Op::Eq, 1), Count::Exactly(0xaaaa_aaab + 1));
    assert_eq!(count(Scalar::U32, 0, 2, Op::Eq, 1), Count::Unknown);
    let minus_five = (-5i64) as u64;
    assert_eq!(count(Scalar::I64, minus_five, 2, Op::Gt, 0), Count::Exactly(4));
    assert_eq!(count(Scalar::I64, 1 << 63, 1 << 62, Op::Ge, 1 << 62), Count::Exactly(4));
}

#[test]
fn a_test_at_the_tail_counts_the_last_round() {
    let text = "loop 'l (%i: u32 = 2u32) {
        store @y[0u32], %i
        %d = eq %i, 5u32
        if %d { break 'l }
        %j = add %i, 1u32
        continue 'l %j
    }";
    assert_eq!(loops(text), [(Count::Exactly(4), vec![1])]);
}

#[test]
fn the_bound_may_stand_first_and_the_step_go_down() {
    let text = "loop 'l (%i: i32 = 9i32) {
        %d = ge 0i32, %i
        if %d { break 'l }
        %j = sub %i, 3i32
        continue 'l %j
    }";
    assert_eq!(loops(text), [(Count::Exactly(4), vec![u64::from(u32::MAX) - 2])]);
}

#[test]
fn the_loop_may_be_left_where_the_condition_is_false() {
    let text = "loop 'l (%i: u32 = 0u32) {
        %more = lt %i, 4u32
        if %more {
            %j = add %i, 1u32
            store @y[%i], %i
            continue 'l %j
        } else { break 'l }
        unreachable
    }";
    assert_eq!(rounds(text), Count::Exactly(5));
    let negated = "loop 'l (%i: u32 = 0u32) {
        %more = lt %i, 4u32
        %done = not %more
        if %done { break 'l }
        %j = add %i, 1u32
        continue 'l %j
    }";
    assert_eq!(rounds(negated), Count::Exactly(5));
}

#[test]
fn the_sum_itself_may_be_compared() {
    let text = "loop 'l (%i: u32 = 0u32) {
        %j = add %i, 2u32
        %d = gt %j, 9u32
        if %d { break 'l }
        continue 'l %j
    }";
    assert_eq!(rounds(text), Count::Exactly(5));
}

#[test]
fn all_continues_of_one_step_are_one_counter() {
    let text = "loop 'l (%i: u32 = 0u32) {
        %d = ge %i, 4u32
        if %d { break 'l }
        %c = eq %n, %i
        if %c { %j = add %i, 1u32 continue 'l %j }
        store @y[%i], 1u32
        %k = add 1u32, %i
        continue 'l %k
    }";
    assert_eq!(loops(text), [(Count::Exactly(5), vec![1])]);
    let other_step = text.replace("add 1u32, %i", "add 2u32, %i");
    assert_eq!(loops(&other_step), [(Count::Unknown, vec![])]);
}

#[test]
fn branches_may_bring_the_sum() {
    let text = "loop 'l (%i: u32 = 0u32) {
        %d = ge %i, 4u32
        if %d { break 'l }
        %c = eq %n, %i
        %j = if %c -> u32 {
            store @y[%i], 1u32
            %a = add %i, 1u32
            yield %a
        } else { %b = add %i, 1u32 yield %b }
        continue 'l %j
    }";
    assert_eq!(rounds(text), Count::Exactly(5));
}

#[test]
fn each_continue_may_have_a_test_of_its_own() {
    // What `continue` in `for i in 0..=3` becomes.
    let text = "loop 'l (%i: u32 = 0u32) {
        %c = eq %n, %i
        if %c {
            %d = eq %i, 3u32
            if %d { break 'l }
            %j = add %i, 1u32
            continue 'l %j
        }
        store @y[%i], 1u32
        %e = eq %i, 3u32
        if %e { break 'l }
        %k = add %i, 1u32
        continue 'l %k
    }";
    assert_eq!(rounds(text), Count::Exactly(4));
    // One of them lets the loop go on for longer.
    assert_eq!(rounds(&text.replace("%e = eq %i, 3u32", "%e = eq %i, 4u32")), Count::Unknown);
}

#[test]
fn another_exit_makes_it_a_limit() {
    for exit in ["break 'l", "ret", "continue 'o"] {
        let text = format!(
            "loop 'o {{
                loop 'l (%i: u32 = 0u32) {{
                    %d = ge %i, 4u32
                    if %d {{ break 'l }}
                    %v = load u32 @y[%i]
                    %c = eq %n, %v
                    if %c {{ {exit} }}
                    %j = add %i, 1u32
                    continue 'l %j
                }}
                break 'o
            }}"
        );
        let found = loops(&text);
        assert_eq!(found.last().expect("a loop").0, Count::AtMost(5), "{exit}");
    }
}

#[test]
fn leaving_an_inner_loop_is_no_exit_and_testing_there_is_no_test() {
    let text = "loop 'l (%i: u32 = 0u32) {
        %d = ge %i, 4u32
        if %d { break 'l }
        loop 'm (%k: u32 = 0u32) {
            %e = ge %k, %n
            if %e { break 'm }
            %l = add %k, 1u32
            continue 'm %l
        }
        %j = add %i, 1u32
        continue 'l %j
    }";
    assert_eq!(loops(text), [(Count::Exactly(5), vec![1]), (Count::Unknown, vec![1])]);
    let inside = "loop 'l (%i: u32 = 0u32) {
        loop 'm {
            %e = ge %i, %n
            if %e { break 'm }
            %d = ge %i, 4u32
            if %d { break 'l }
            continue 'm
        }
        %j = add %i, 1u32
        continue 'l %j
    }";
    assert_eq!(rounds(inside), Count::Unknown);
}

#[test]
fn a_test_that_may_be_skipped_is_none() {
    let text = "loop 'l (%i: u32 = 0u32) {
        %c = eq %n, %i
        if %c {
            %d = ge %i, 4u32
            if %d { break 'l }
        }
        %j = add %i, 1u32
        continue 'l %j
    }";
    assert_eq!(rounds(text), Count::Unknown);
}

#[test]
fn one_of_two_conditions_is_a_limit() {
    let text = |op: &str, leave: &str| {
        format!(
            "loop 'l (%i: u32 = 0u32) {{
                %v = load u32 @y[%i]
                %a = {op} %i, 4u32
                %b = eq %v, %n
                %c = {leave} %a, %b
                if %c {{ break 'l }}
                %j = add %i, 1u32
                continue 'l %j
            }}"
        )
    };
    assert_eq!(rounds(&text("ge", "or")), Count::AtMost(5));
    assert_eq!(rounds(&text("ge", "and")), Count::Unknown);
}

#[test]
fn what_is_no_sum_is_gone_through() {
    let halving = "loop 'l (%s: u32 = 64u32) {
        %d = eq %s, 0u32
        if %d { break 'l }
        %t = shr %s, 1u32
        continue 'l %t
    }";
    assert_eq!(rounds(halving), Count::Exactly(8));
    let product = "loop 'l (%s: u32 = 1u32, %i: u32 = 0u32) {
        %p = mul %s, %i
        %d = ge %p, 100u32
        if %d { break 'l }
        %t = mul %s, 3u32
        %j = add %i, 1u32
        continue 'l %t, %j
    }";
    // 0, 3, 18, 81 and 324.
    assert_eq!(rounds(product), Count::Exactly(5));
    assert_eq!(rounds(&halving.replace("64u32", "%n")), Count::Unknown);
    // Never zero.
    assert_eq!(rounds(&halving.replace("shr", "rotl").replace("rotl %s, 1u32", "or %s, 1u32")), Count::Unknown);
}

#[test]
fn a_bound_from_the_launch_is_told() {
    let function = {
        let source = "func kernel workgroup_size(1, 1, 1) @k(%n: u32) {
            loop 'l (%i: u32 = 0u32) {
                %j = add %i, 1u32
                %d = lt %n, %j
                if %d { break 'l }
                continue 'l %j
            }
            ret
        }";
        parse(source).expect("a module").functions.remove(0)
    };
    let tree = Tree::of(&function);
    let trips = Trips::of(&function, &tree);
    let inst = function.regions[function.body].insts[0];
    let known = trips.get(inst).expect("a loop");
    assert_eq!(known.rounds, Count::Unknown);
    let test = &known.tests[0];
    assert_eq!((test.fires, test.leaves_if), (Fires::Unknown, true));
    let comparison = test.comparisons[0];
    assert_eq!((comparison.op, comparison.offset), (Op::Gt, 1));
    assert_eq!(Some(&comparison.bound), function.regions[function.body].params.first());
    assert_eq!(known.counters[0].bits_in(&function, 7), Some(7));
}
