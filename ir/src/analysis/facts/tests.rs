//! Transfer functions against every value of 8 bits; guards, loops and verdicts by hand.

use super::*;
use crate::check::check;
use crate::ops::{Class, Part};
use crate::text::parse;

/// Facts of several shapes about a number of 8 bits.
fn shapes() -> Vec<Fact> {
    let range = |least, most| Fact { least, most, ..Fact::any(Scalar::U8) }.settled();
    let bits = |zeros: u64, ones| Fact { zeros: !0xff | zeros, ones, ..Fact::any(Scalar::U8) }.settled();
    let mut shapes: Vec<Fact> = [0, 1, 2, 3, 7, 8, 100, 127, 128, 200, 255].map(Fact::constant).to_vec();
    shapes.extend(
        [(0, 255), (0, 7), (1, 7), (3, 12), (0, 127), (100, 200), (128, 255), (250, 255)].map(|(a, b)| range(a, b)),
    );
    shapes
        .extend([(3, 0), (0, 1), (0x80, 0x40), (0xf0, 2), (0, 0x81), (1, 0x80)].map(|(zeros, ones)| bits(zeros, ones)));
    shapes
}

fn fits(fact: &Fact, value: u64) -> bool {
    (fact.least..=fact.most).contains(&value) && value & fact.zeros == 0 && !value & fact.ones == 0
}

/// The values that a fact allows, or if they are many, the ends and some between.
fn values(fact: &Fact) -> Vec<u64> {
    let all: Vec<u64> = (0..256).filter(|&value| fits(fact, value)).collect();
    let step = all.len() / 24 + 1;
    all.iter().step_by(step).chain(all.last()).copied().collect()
}

#[test]
fn no_result_lies_outside_of_its_fact() {
    let shapes = shapes();
    let (mut results, mut narrowed) = (0u64, 0u64);
    for &op in Op::ALL {
        let Signature::Lanes(class, parts, part) = op.info().signature else { continue };
        for ty in [Scalar::U8, Scalar::I8].into_iter().filter(|&ty| class.contains(ty)) {
            let result = part.of(Type::Scalar(ty)).lane().expect("a scalar");
            let types: Vec<Type> = parts.iter().map(|part| part.of(Type::Scalar(ty))).collect();
            // Counts of 32 bits take the same small numbers.
            let narrow = parts.iter().all(|part| matches!(part, Part::Same | Part::U32));
            if !narrow || parts.len() > 2 {
                continue;
            }
            for a in &shapes {
                for b in shapes.iter().take(if parts.len() == 2 { shapes.len() } else { 1 }) {
                    let facts = [a.clone(), b.clone()];
                    let fact = Pool::default().op(op, ty, result, &facts[..parts.len()]);
                    narrowed += u64::from(fact != Fact::any(result));
                    for x in values(a) {
                        for y in values(b) {
                            let lanes = [[x, 0, 0, 0], [y, 0, 0, 0]];
                            let value = op.eval(&types, Type::Scalar(result), &lanes[..parts.len()])[0];
                            assert!(
                                fits(&fact, value),
                                "{op:?} {ty:?} {a:?} {b:?}: {x}, {y} gives {value}, not {fact:?}"
                            );
                            results += 1;
                            if parts.len() == 1 {
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(results > 1_000_000 && narrowed > 5_000, "{results} results, {narrowed} facts");
}

#[test]
fn no_cast_lies_outside_of_its_fact() {
    let integers = Class::INT.members().chain([Scalar::Bool]);
    for to in integers {
        for from in [Scalar::U8, Scalar::I8] {
            for a in shapes() {
                let fact = transfer::cast(from, to, &a);
                for x in values(&a) {
                    let value =
                        crate::scalar::cast(Type::Scalar(from), Type::Scalar(to), [x, 0, 0, 0]).expect("a cast")[0];
                    assert!(fits(&fact, value), "{from:?} to {to:?}: {x} gives {value}, not {fact:?}");
                }
            }
        }
    }
}

/// The verdicts on the accesses of a kernel with this body in program order, each with the
/// conditions in words.
fn verdicts(body: &str) -> Vec<String> {
    let text = format!(
        "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32], %n: u32, %s: i32) {{
           shared @t: [u32; 64]
           private @p: [u32; 8]
           {body}
           ret
         }}"
    );
    let checked = check(parse(&text).unwrap_or_else(|diags| panic!("{diags:?}"))).unwrap_or_else(|d| panic!("{d:?}"));
    let (function, _) = checked.function(0).expect("a function");
    let facts = Facts::of(&checked.module().types, function);
    let say = |verdict: &Verdict| match verdict {
        Verdict::Proven => "proven".to_owned(),
        Verdict::Unknown => "unknown".to_owned(),
        Verdict::IfLaunch(conditions) => {
            let shown = conditions.iter().map(|&i| facts.conditions()[usize::from(i)].shown(function));
            shown.collect::<Vec<_>>().join(", ")
        }
    };
    Tree::of(function).insts().iter().filter_map(|&inst| facts.access(inst)).map(say).collect()
}

#[test]
fn a_guard_proves_its_own_buffer_and_relates_others() {
    let body = "%i = global_id.x %len = len @y %c = lt %i, %len
                if %c { %v = load u32 @x[%i] store @y[%i], %v }";
    assert_eq!(verdicts(body), ["x.len() >= y.len()", "proven"]);
}

#[test]
fn a_guard_holds_in_its_branch_only() {
    let body = "%i = global_id.x %len = len @y %c = lt %i, %len
                if %c { } else { store @y[%i], 1u32 }
                store @y[%i], 2u32";
    assert_eq!(verdicts(body), ["y.len() >= 64 * num_workgroups().x"; 2]);
}

#[test]
fn after_a_return_the_opposite_holds() {
    let body = "%i = global_id.x %len = len @y %c = ge %i, %len
                if %c { ret }
                store @y[%i], 2u32";
    assert_eq!(verdicts(body), ["proven"]);
}

#[test]
fn parts_of_a_conjunction_hold() {
    let both = "%i = global_id.x %len = len @y %a = lt %i, %len %b = lt %i, %n %c = and %a, %b
                if %c { store @y[%i], 2u32 }";
    assert_eq!(verdicts(both), ["proven"]);
    let chain = "%i = global_id.x %len = len @y %a = lt %i, %n
                 %c = if %a -> bool { %b = lt %i, %len yield %b } else { yield false }
                 if %c { store @y[%i], 2u32 }";
    assert_eq!(verdicts(chain), ["proven"]);
    let either = "%i = global_id.x %len = len @y %a = lt %i, %len %b = lt %i, %n %c = or %a, %b
                  if %c { store @y[%i], 2u32 }";
    assert_eq!(verdicts(either), ["y.len() >= 64 * num_workgroups().x"]);
}

#[test]
fn an_index_that_may_wrap_is_not_bounded_by_its_guard() {
    // i + 1 is 0 where i is the greatest number, and below the length then.
    let wraps = "%i = load u32 @x[0u32] %j = add %i, 1u32 %len = len @y %c = lt %j, %len
                 if %c { store @y[%j], 2u32 store @y[%i], 2u32 }";
    assert_eq!(verdicts(wraps), ["x.len() >= 1", "proven", "unknown"]);
    let scaled = "%i = load u32 @x[0u32] %c = lt %i, %n
                  if %c { %j = mul %i, 4u32 store @y[%j], 2u32 }";
    assert_eq!(verdicts(scaled)[1], "y.len() + 3 >= 4 * n");
}

#[test]
fn neighbours_need_a_condition_of_their_own() {
    let body = "%i = global_id.x %len = len @y %m = sub %len, 1u32 %c = lt %i, %m %z = ne %i, 0u32 %d = and %c, %z
                if %d {
                  %l = sub %i, 1u32 %r = add %i, 1u32
                  %a = load u32 @x[%l] %b = load u32 @x[%i] %e = load u32 @x[%r]
                  store @y[%i], %a
                }";
    // The length less one must not wrap.
    let one = "y.len() >= 1";
    let found = verdicts(body);
    assert_eq!(found[3], one);
    assert_eq!(found[2], format!("{one}, x.len() >= y.len()"));
}

#[test]
fn memory_of_fixed_size_is_proven_by_ranges() {
    let body = "%i = local_index store @t[%i], 1u32 %j = add %i, 1u32 store @t[%j], 1u32
                %r = rem %j, 64u32 store @t[%r], 1u32 %m = and %n, 7u32 store @p[%m], 1u32 store @p[%n], 1u32";
    assert_eq!(verdicts(body), ["proven", "unknown", "proven", "proven", "8 >= n + 1"].map(fixed));
}

/// As the test above spells what no length decides.
fn fixed(text: &str) -> String {
    text.replace("8 >= n + 1", "7 >= n")
}

#[test]
fn counters_are_bounded_by_their_tests() {
    let up = "loop 'a (%i: u32 = 0u32) {
                %c = ge %i, 8u32 if %c { break 'a }
                store @p[%i], 1u32
                %j = add %i, 1u32 continue 'a %j
              }";
    assert_eq!(verdicts(up), ["proven"]);
    let past = up.replace("ge %i", "gt %i");
    assert_eq!(verdicts(&past), ["unknown"]);
    let tail = "loop 'a (%i: u32 = 0u32) {
                  store @p[%i], 1u32
                  %c = eq %i, 7u32 if %c { break 'a }
                  %j = add %i, 1u32 continue 'a %j
                }";
    assert_eq!(verdicts(tail), ["proven"]);
    let down = "loop 'a (%i: u32 = 7u32) {
                  store @p[%i], 1u32
                  %c = eq %i, 0u32 if %c { break 'a }
                  %j = sub %i, 1u32 continue 'a %j
                }";
    assert_eq!(verdicts(down), ["proven"]);
    let endless = "loop 'a (%i: u32 = 0u32) {
                     store @p[%i], 1u32
                     %j = add %i, 1u32 continue 'a %j
                   }";
    assert_eq!(verdicts(endless), ["unknown"]);
    let to_len = "%len = len @y
                  loop 'a (%i: u32 = 0u32) {
                    %c = ge %i, %len if %c { break 'a }
                    store @y[%i], 1u32
                    %j = add %i, 1u32 continue 'a %j
                  }";
    assert_eq!(verdicts(to_len), ["proven"]);
    let two_ways = "loop 'a (%i: u32 = 0u32) {
                      %c = ge %i, 8u32 if %c { break 'a }
                      store @p[%i], 1u32
                      %k = lt %n, 3u32
                      if %k { continue 'a 9u32 }
                      %j = add %i, 1u32 continue 'a %j
                    }";
    assert_eq!(verdicts(two_ways), ["proven"]);
}

#[test]
fn signed_numbers_below_a_bound_may_be_negative() {
    let body = "%c = lt %s, 8i32
                if %c { %i = cast %s to u32 store @p[%i], 1u32 }";
    assert_eq!(verdicts(body), ["unknown"]);
    let both = "%z = ge %s, 0i32
                if %z { %c = lt %s, 8i32 if %c { %i = cast %s to u32 store @p[%i], 1u32 } }";
    assert_eq!(verdicts(both), ["proven"]);
}

#[test]
fn an_index_with_a_bound_of_its_own_is_held_against_it() {
    let text = "func kernel workgroup_size(64, 1, 1) @k() {
                  private @m: [[u32; 4]; 8]
                  %i = local_index
                  %a = and %i, 7u32
                  %b = and %i, 3u32
                  store @m[%a][%b < 4], 1u32
                  store @m[%b][%a < 4], 1u32
                  ret
                }";
    let checked = check(parse(text).unwrap_or_else(|d| panic!("{d:?}"))).unwrap_or_else(|d| panic!("{d:?}"));
    let (function, _) = checked.function(0).expect("a function");
    let facts = Facts::of(&checked.module().types, function);
    let found: Vec<_> = function.insts.ids().filter(|&inst| facts.access(inst).is_some()).collect();
    assert_eq!(
        found.iter().map(|&inst| facts.access(inst)).collect::<Vec<_>>(),
        [Some(&Verdict::Proven), Some(&Verdict::Unknown)]
    );
    assert!(facts.is_bounded(found[0], 1) && !facts.is_bounded(found[1], 1));
}

/// Whether the loops of a kernel with this body are known to end, in program order.
fn ends(body: &str) -> Vec<bool> {
    let text = format!("func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32], %n: u32, %b: u8) {{ {body} ret }}");
    let checked = check(parse(&text).unwrap_or_else(|d| panic!("{d:?}"))).unwrap_or_else(|d| panic!("{d:?}"));
    let (function, _) = checked.function(0).expect("a function");
    let facts = Facts::of(&checked.module().types, function);
    let loops = Tree::of(function).insts().to_vec();
    let is_loop = |inst: &Inst| matches!(function.insts[*inst].kind, InstKind::Loop { .. });
    loops.into_iter().filter(is_loop).map(|inst| facts.ends(inst)).collect()
}

#[test]
fn loops_end_that_count_towards_their_test_without_wrapping() {
    let counted = |test: &str, step: &str| {
        format!("loop 'a (%i: u32 = 0u32) {{ %c = {test} if %c {{ break 'a }} %j = {step} continue 'a %j }}")
    };
    assert_eq!(ends(&counted("ge %i, %n", "add %i, 1u32")), [true]);
    assert_eq!(ends(&counted("gt %i, 100u32", "add %i, 3u32")), [true]);
    // Above 2³² - 2 there is one more number, from which the count wraps.
    assert_eq!(ends(&counted("gt %i, %n", "add %i, 1u32")), [false]);
    assert_eq!(ends(&counted("ge %i, %n", "add %i, 2u32")), [false]);
    assert_eq!(ends(&counted("ge %i, %n", "add %i, 0u32")), [false]);
    assert_eq!(ends(&counted("ge %n, 9u32", "add %i, 1u32")), [false]);
    let down = "loop 'a (%i: u32 = %n) { %c = eq %i, 0u32 if %c { break 'a } %j = sub %i, 1u32 continue 'a %j }";
    assert_eq!(ends(down), [true]);
    let both = "loop 'a (%i: u32 = 5u32) {
                  %c = ge %i, %n if %c { break 'a }
                  %d = lt %n, 9u32 if %d { %k = sub %i, 1u32 continue 'a %k }
                  %j = add %i, 1u32 continue 'a %j
                }";
    assert_eq!(ends(both), [false]);
}

#[test]
fn polynomials_are_numbers_without_wrapping() {
    let [x, y] = [0, 1].map(|param| Poly::symbol(Symbol::Len(param)));
    let sum = x.plus(&y).and_then(|sum| sum.plus(&Poly::number(3))).expect("small");
    let product = sum.times(&x.minus(&Poly::number(1)).expect("small")).expect("small");
    let launch = Launch { groups: [1; 3], lens: &[u32::MAX, 7], scalars: &[] };
    let (a, b) = (i128::from(u32::MAX), 7);
    assert_eq!(product.value(&launch), Some((a + b + 3) * (a - 1)));
    // Rounded so that it is never less than the quotient.
    let third = product.over(3).expect("small").value(&launch).expect("small");
    assert!(third * 3 >= (a + b + 3) * (a - 1) - 2);
}

#[test]
fn a_sum_that_no_launch_reaches_is_no_condition() {
    let len = Poly::symbol(Symbol::Len(0));
    let condition = Condition::at_most(&Poly::number(1 << 32), &len).expect("small");
    assert!(condition.is_hopeless() && !condition.is_certain());
    let one = Condition::at_most(&Poly::number(1), &len).expect("small");
    let two = Condition::at_most(&Poly::number(2), &len).expect("small");
    assert!(two.implies(&one) && !one.implies(&two));
}
