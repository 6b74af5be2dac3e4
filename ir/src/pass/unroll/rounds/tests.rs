//! What becomes of loops that make several rounds at a time. Every test also runs the kernel before
//! and after, on a few inputs, and asserts that the buffer holds equal bytes.

use super::rounds;
use crate::analysis::facts::Facts;
use crate::analysis::guard::Guards;
use crate::analysis::tree::Tree;
use crate::check::{Checked, check_image};
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{Function, Inst, InstKind, Region};
use crate::pass::{dce, fold, optimize};
use crate::text::{parse, print};

const LEN: u32 = 64;

/// The bytes of `@y` after a launch with this `%n`.
fn bytes(checked: &Checked, n: u32) -> Vec<u8> {
    let memory: Vec<u8> = (0..LEN).flat_map(|i| (i * 7 % 11).to_le_bytes()).collect();
    let words = Words::from_bytes(&memory);
    let args = [
        Arg::Scalar([n.into(), 0, 0, 0]),
        Arg::Buffer { words: &words, offset: 0, len: 40 },
        Arg::Buffer { words: &words, offset: 0, len: LEN },
    ];
    let program = Program::new(checked, 0).expect("a function");
    program.run([2, 1, 1], &args, &Options { threads: 1, max_steps: Some(1 << 22) }).expect("no fault");
    words.read(0..words.bytes())
}

#[track_caller]
fn checked(body: &str) -> Checked {
    let source = format!("func kernel workgroup_size(2, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32]) {{\n{body}\n}}");
    let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
    check_image(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)))
}

/// A body after the pass; whether that did anything.
#[track_caller]
fn after(body: &str) -> (Checked, bool) {
    let before = checked(body);
    let mut module = before.clone().into_flat_module();
    let types = module.types.clone();
    let changed = rounds(&mut module.functions[0], &types);
    fold(&mut module.functions[0]);
    dce(&mut module.functions[0]);
    let after = check_image(module).unwrap_or_else(|diags| panic!("{diags:?}"));
    for n in [0, 1, 2, 3, 6, 7, 8, 9, 15, 16, 17, 39, 40, 41, 63, 64, 100, 1 << 31, u32::MAX - 3, u32::MAX] {
        assert_eq!(bytes(&after, n), bytes(&before, n), "for {n}:\n{}", print(after.module()));
        let optimized = optimize(after.clone());
        assert_eq!(bytes(&optimized, n), bytes(&before, n), "for {n}:\n{}", print(optimized.module()));
    }
    (after, changed)
}

fn function(checked: &Checked) -> &Function {
    &checked.module().functions[0]
}

/// The loops that come round again, in order.
fn repeating(function: &Function) -> Vec<(Inst, Region)> {
    let tree = Tree::of(function);
    let loops = tree.insts().iter().filter(|&&inst| !tree.continues(inst).is_empty());
    loops.filter_map(|&inst| Some((inst, function.insts[inst].kind.regions().next()?))).collect()
}

fn count(function: &Function, region: Region, of: &dyn Fn(Inst, &InstKind) -> bool) -> usize {
    let insts = function.regions[region].insts.iter();
    let counts = insts.map(|&inst| {
        let kind = &function.insts[inst].kind;
        usize::from(of(inst, kind)) + kind.regions().map(|inner| count(function, inner, of)).sum::<usize>()
    });
    counts.sum()
}

/// How many loads and `break`s the main loop has, and how many loads of it are tested.
#[track_caller]
fn main_loop(checked: &Checked) -> [usize; 3] {
    let function = function(checked);
    let &[(_, main), _] = repeating(function).as_slice() else { panic!("{}", print(checked.module())) };
    let guards = Guards::of(&checked.module().types, function, 0);
    [
        count(function, main, &|_, kind| matches!(kind, InstKind::Load(_))),
        count(function, main, &|_, kind| matches!(kind, InstKind::Break(..))),
        count(function, main, &|inst, kind| matches!(kind, InstKind::Load(_)) && !guards.test(inst).is_none()),
    ]
}

/// The sum of the at most 35 elements before `%n`.
const ROW: &str = "%h = max %n, 35u32
    %first = sub %h, 35u32
    %r = loop 'l (%k: u32 = %first, %s: u32 = 0u32) -> u32 {
        %d = ge %k, %n
        if %d { break 'l %s }
        %v = load u32 @x[%k]
        %t = add %s, %v
        %j = add %k, 1u32
        continue 'l %j, %t
    }";

#[test]
fn a_counted_loop_asks_once_for_several_rounds_and_tests_no_access() {
    let (made, changed) = after(&format!("{ROW} store @y[0u32], %r ret"));
    assert!(changed);
    assert_eq!(main_loop(&made), [8, 1, 0], "{}", print(made.module()));
    let function = function(&made);
    let (_, rest) = repeating(function)[1];
    assert_eq!(count(function, rest, &|_, kind| matches!(kind, InstKind::Load(_))), 1);
}

#[test]
fn main_loops_of_counted_loops_are_known_to_end() {
    for body in [format!("{ROW} store @y[0u32], %r ret"), format!("{ESCAPE} store @y[0u32], %r store @y[1u32], %z ret")]
    {
        let (made, _) = after(&body);
        let facts = Facts::of(&made.module().types, function(&made));
        assert!(repeating(function(&made)).iter().all(|&(inst, _)| facts.ends(inst)), "{}", print(made.module()));
    }
}

#[test]
fn the_source_says_how_many_or_none() {
    let asked = |asked: &str| ROW.replace("loop 'l", &format!("loop unroll({asked}) 'l"));
    let (made, _) = after(&format!("{} store @y[0u32], %r ret", asked("3")));
    assert_eq!(main_loop(&made), [3, 1, 0]);
    assert!(!after(&format!("{} store @y[0u32], %r ret", asked("never"))).1);
}

#[test]
fn counts_in_either_direction_with_and_without_a_sign_end_before_their_bound() {
    let down = "%least = max %n, 1u32
        loop 'l (%k: u32 = 90u32) {
            %d = lt %k, %least
            if %d { break 'l }
            store @y[%k], %k
            %j = sub %k, 2u32
            continue 'l %j
        }
        ret";
    let signed = "%m = bitcast %n to i32
        %r = loop 'l (%k: i32 = -20i32, %s: i32 = 0i32) -> i32 {
            %i = add %k, 5i32
            %d = gt %i, %m
            if %d { break 'l %s }
            %big = gt %i, 300i32
            if %big { break 'l %s }
            %t = add %s, %k
            %j = add %k, 3i32
            continue 'l %j, %t
        }
        %u = bitcast %r to u32
        store @y[1u32], %u
        ret";
    let shrinking = "%c = min %n, 50u32
        %m = bitcast %c to i32
        %i = neg %m
        %r = loop 'l (%k: i32 = 30i32, %s: i32 = 0i32) -> i32 {
            %d = le %k, %i
            if %d { break 'l %s }
            %t = add %s, %k
            %j = sub %k, 1i32
            continue 'l %j, %t
        }
        %u = bitcast %r to u32
        store @y[1u32], %u
        ret";
    for body in [down, signed, shrinking] {
        let (made, changed) = after(body);
        assert!(changed && repeating(function(&made)).len() == 2, "{}", print(made.module()));
    }
}

#[test]
fn steps_that_several_rounds_of_leave_the_type_are_not_counted_ahead() {
    let body = "%end = min %n, 3221225473u32
        loop 'l (%k: u32 = 1u32) {
            %d = ge %k, %end
            if %d { break 'l }
            store @y[1u32], %k
            %j = add %k, 1073741824u32
            continue 'l %j
        }
        ret";
    assert!(!after(body).1);
}

#[test]
fn a_count_from_zero_to_a_last_number_is_asked_beforehand() {
    let body = "%last = min %n, 70u32
        %r = loop 'l (%k: u32 = 0u32, %s: u32 = 0u32) -> u32 {
            %v = load u32 @x[%k]
            %t = add %s, %v
            %d = eq %k, %last
            if %d { break 'l %t }
            %j = add %k, 1u32
            continue 'l %j, %t
        }
        store @y[0u32], %r
        ret";
    let (made, changed) = after(body);
    assert!(changed);
    assert_eq!(main_loop(&made), [8, 1, 0], "{}", print(made.module()));
}

/// Steps until a number is large, at most 100.
const ESCAPE: &str = "%r, %z = loop 'l (%k: u32 = 0u32, %v: u32 = %n) -> u32, u32 {
        %a = lt %k, 100u32
        if %a { yield } else { break 'l %k, %v }
        %d = gt %v, 100000u32
        if %d { break 'l %k, %v }
        %m = mul %v, 3u32
        %w = add %m, 1u32
        %j = add %k, 1u32
        continue 'l %j, %w
    }";

#[test]
fn tests_of_what_is_only_computed_are_asked_once_for_several_rounds() {
    let (made, changed) = after(&format!("{ESCAPE} store @y[0u32], %r store @y[1u32], %z ret"));
    assert!(changed);
    assert_eq!(main_loop(&made), [0, 2, 0], "the count, and all other tests at once\n{}", print(made.module()));
}

#[test]
fn a_loop_without_a_count_stays_as_it_is() {
    let body = "%r = loop 'l (%v: u32 = %n) -> u32 {
            %d = gt %v, 100000u32
            if %d { break 'l %v }
            %m = mul %v, 3u32
            %w = add %m, 1u32
            continue 'l %w
        }
        store @y[0u32], %r
        ret";
    assert!(!after(body).1);
}

#[test]
fn what_happens_in_a_round_does_not_happen_before_its_test() {
    let stores = format!(
        "{} store @y[0u32], %r store @y[1u32], %z ret",
        ESCAPE.replace("%j = add %k", "store @y[%k], %k %j = add %k")
    );
    let loads = format!(
        "{} store @y[0u32], %r store @y[1u32], %z ret",
        ESCAPE.replace("%j = add %k", "%e = load u32 @x[%v] %j = add %k")
    );
    for body in [stores, loads] {
        assert!(!after(&body).1, "{body}");
    }
}
