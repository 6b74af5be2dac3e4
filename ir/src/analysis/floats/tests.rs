//! Each op's classes against the values that it gives, and planted wrong rules.

use super::classes::Classes;
use super::known::{FINITE, Known, Span};
use super::{Floats, transfer};
use crate::analysis::facts::Facts;
use crate::check::{Checked, check};
use crate::diag::Diags;
use crate::ops::{Class, Op, Part, Signature};
use crate::scalar::{self, Lanes, float, number, signed};
use crate::text::parse;
use crate::types::Scalar;
use samebits_random::Random;

const FLOATS: [Scalar; 3] = [Scalar::F16, Scalar::F32, Scalar::F64];

/// Floats of every class, and of each those near its edges.
fn representatives(ty: Scalar) -> Vec<u64> {
    let (fraction, infinity, one) = (ty.fraction_bits(), ty.infinity(), ty.one());
    let least = 1 << fraction;
    let mut all = vec![0, 1, 2, 3, least / 2, least - 1, least, least + 1, infinity - 1, infinity - least, infinity];
    all.extend([one, one + 1, one - 1, one + least / 2, one + least, one - least, one - 2 * least, one + least * 3]);
    all.extend([one + least * u64::from(fraction), one + least * u64::from(fraction) + 1]);
    all.extend([one / 2, one / 2 + 1, one + (infinity - one) / 2 / least * least, infinity - least * 2]);
    all.extend([scalar::nan(ty).unwrap_or_default(), infinity + 1]);
    let sign = ty.mask() ^ ty.mask() >> 1;
    all.extend(all.clone().iter().map(|bits| bits | sign));
    all
}

/// Whether what is known allows a float.
fn allows(ty: Scalar, known: Known, bits: u64) -> bool {
    let class = Classes::of_constant(ty, bits);
    if !known.classes.contains(class) {
        return false;
    }
    if !FINITE.contains(class) {
        return true;
    }
    let exponent = signed(Scalar::I32, float::frexp_exponent(ty, [bits, 0, 0, 0])) as i32 - 1;
    let scaled =
        number(ty, bits) * 2f64.powi(-known.span.unit / 2) * 2f64.powi(-known.span.unit - -known.span.unit / 2);
    let whole = exponent - known.span.unit >= ty.fraction_bits() as i32 || scaled.fract() == 0.0;
    known.span.low <= exponent && exponent <= known.span.high && whole
}

/// What is known of some floats.
fn of_all(ty: Scalar, all: &[u64]) -> Known {
    all.iter().fold(Known::NOTHING, |known, &bits| known.or(Known::constant(ty, bits)))
}

/// The ops that have a rule: those on floats alone.
fn ops() -> impl Iterator<Item = (Op, usize)> {
    Op::ALL.iter().filter_map(|&op| match op.info().signature {
        Signature::Lanes(_, parts, Part::Same) if parts.iter().all(|&part| part == Part::Same) => {
            let floats = op.info().signature.class();
            FLOATS.iter().any(|&ty| floats.contains(ty)).then_some((op, parts.len()))
        }
        _ => None,
    })
}

fn eval(op: Op, ty: Scalar, args: &[u64]) -> u64 {
    let lanes: Vec<Lanes> = args.iter().map(|&bits| [bits, 0, 0, 0]).collect();
    op.eval(&vec![ty.into(); args.len()], ty.into(), &lanes)[0]
}

/// Every choice of one from each list.
fn choices(lists: &[Vec<u64>]) -> Vec<Vec<u64>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        all.iter().flat_map(|chosen| list.iter().map(move |&bits| [&chosen[..], &[bits]].concat())).collect()
    })
}

type Rule = fn(Op, Scalar, &[Known]) -> Known;

/// Looks for a value of some op that a rule does not allow.
fn refuted(rule: Rule) -> Option<String> {
    let mut random = Random::new(7);
    for (op, arity) in ops() {
        for ty in FLOATS.into_iter().filter(|&ty| op.info().signature.class().contains(ty)) {
            let all = representatives(ty);
            let mut tries: Vec<Vec<Vec<u64>>> = Vec::new();
            // Each alone, as far as there are not too many of them, and then several at once.
            let alone = choices(&vec![all.clone(); arity]);
            let every = if arity < 3 { 1 } else { 7 };
            tries.extend(alone.iter().step_by(every).map(|args| args.iter().map(|&bits| vec![bits]).collect()));
            for _ in 0..if arity == 1 { 200 } else { 1500 } {
                let mut some = || (0..1 + random.below(4)).map(|_| all[random.below(all.len())]).collect();
                tries.push((0..arity).map(|_| some()).collect());
            }
            for lists in tries {
                let known: Vec<Known> = lists.iter().map(|list| of_all(ty, list)).collect();
                let result = rule(op, ty, &known);
                for args in choices(&lists) {
                    let bits = eval(op, ty, &args);
                    if !allows(ty, result, bits) {
                        return Some(format!("{op:?} on {ty:?} of {args:x?} is {bits:x}, but {result:?} of {known:?}"));
                    }
                }
            }
        }
    }
    None
}

#[test]
fn each_float_is_what_is_known_of_it() {
    for ty in FLOATS {
        for bits in representatives(ty) {
            assert!(allows(ty, Known::constant(ty, bits), bits), "{bits:x}");
            for (least, most) in [(bits.saturating_sub(3), bits), (bits, (bits + 9).min(ty.mask())), (0, ty.mask())] {
                assert!(allows(ty, Known::between(ty, least, most), bits), "{bits:x}");
            }
        }
    }
}

#[test]
fn every_rule_allows_what_the_table_of_ops_gives() {
    assert_eq!(refuted(transfer::op), None);
    assert!(ops().count() > 20);
}

/// The same with the least and the greatest exponent and the unit moved.
fn moved(known: Known, [low, high, unit]: [i32; 3]) -> Known {
    let span = known.span;
    let add = i32::saturating_add;
    Known { span: Span { low: add(span.low, low), high: add(span.high, high), unit: add(span.unit, unit) }, ..known }
}

#[test]
fn planted_wrong_rules_are_found() {
    /// The right result of one op without some classes, or with another span.
    macro_rules! wrong {
        ($($op:ident: |$known:ident, $args:ident| $result:expr;)*) => {
            [$((stringify!($op: $result), (|op, ty, $args| {
                let $known = transfer::op(op, ty, $args);
                if op == Op::$op { $result } else { $known }
            }) as Rule)),*]
        };
    }
    let rules = wrong! {
        Mul: |known, _args| known.only(Classes::ANY.without(Classes::SUBNORMALS));
        Mul: |known, args| if args.iter().any(|arg| arg.classes.may_be_nan()) { known } else {
            known.only(Classes::ANY.without(Classes::NAN)) };
        Mul: |known, _args| moved(known, [0, -1, 0]);
        Add: |known, _args| if known.classes == Classes::ANY { known } else {
            known.only(Classes::ANY.without(Classes::ZEROS.and(Classes::POSITIVE))) };
        Add: |known, _args| moved(known, [1, 0, 0]);
        Sub: |known, _args| moved(known, [0, 0, 1]);
        Div: |known, _args| moved(known, [1, 0, 0]);
        Sqrt: |known, _args| known.only(Classes::ANY.without(Classes::ZEROS.and(Classes::NEGATIVE)));
        Min: |known, args| known.only(args[0].classes.union(Classes::NAN));
        Max: |known, _args| known.only(Classes::ANY.without(Classes::NAN));
        MulAdd: |known, _args| known.only(Classes::ANY.without(Classes::SUBNORMALS));
        Rem: |known, args| known.only(args[0].classes.union(Classes::NAN));
        CopySign: |known, args| known.only(args[0].classes);
        Floor: |known, args| known.only(args[0].classes);
        Round: |known, _args| moved(known, [0, -1, 0]);
        Neg: |_known, args| args[0];
        Clamp: |_known, args| args[1].or(args[2]);
    };
    for (name, rule) in rules {
        assert!(refuted(rule).is_some(), "{name} was not found");
    }
}

#[test]
fn casts_between_floats_are_allowed_for() {
    let mut random = Random::new(9);
    for (from, to) in FLOATS.into_iter().flat_map(|from| FLOATS.map(|to| (from, to))) {
        let all = representatives(from);
        for i in 0..all.len() + 300 {
            let one = || vec![all[i]];
            let list: Vec<u64> =
                if i < all.len() { one() } else { (0..4).map(|_| all[random.below(all.len())]).collect() };
            let known = transfer::cast(from, to, of_all(from, &list));
            for bits in list {
                let result = scalar::cast(from.into(), to.into(), [bits, 0, 0, 0]).unwrap()[0];
                assert!(allows(to, known, result), "{from:?} {bits:x} to {to:?} {result:x}, but {known:?}");
            }
        }
    }
}

#[test]
fn casts_of_integers_are_allowed_for_and_are_no_subnormals() {
    let mut random = Random::new(11);
    for from in Class::INT.members() {
        for to in FLOATS {
            for _ in 0..400 {
                let shift = random.below(from.bits() as usize) as u32;
                let unit = random.below(3) as u32;
                let two = [0; 2].map(|_| random.bits() & from.mask() >> shift & !((1 << unit) - 1));
                let number = |bits: u64| if from.is_signed() { signed(from, bits).into() } else { i128::from(bits) };
                let [a, b] = two.map(number);
                let known = transfer::of_integer(to, a.min(b), a.max(b), unit);
                assert!(!known.classes.meets(Classes::SUBNORMALS.union(Classes::NAN)), "{known:?}");
                assert!(!known.classes.contains(Classes::ZEROS), "{known:?}");
                for bits in two {
                    let result = scalar::cast(from.into(), to.into(), [bits, 0, 0, 0]).unwrap()[0];
                    assert!(allows(to, known, result), "{from:?} {bits:x} to {to:?} {result:x}, but {known:?}");
                }
            }
        }
    }
}

#[test]
fn what_is_known_is_narrow() {
    let f32_of = |value: f32| Known::constant(Scalar::F32, value.to_bits().into());
    let rule = |op, args: &[Known]| transfer::op(op, Scalar::F32, args).classes;
    let (positive, any) = (Classes::POSITIVE, Known::any(Scalar::F32));
    let number = f32_of(0.0).or(f32_of(255.0)).or(f32_of(1.0));
    // What follows from classes alone.
    let square = transfer::op(Op::Abs, Scalar::F32, &[any]);
    assert_eq!(square.classes, positive.union(Classes::NAN));
    assert_eq!(rule(Op::Max, &[any, f32_of(0.0)]), positive);
    assert_eq!(rule(Op::Min, &[any, f32_of(0.0)]), Classes::NEGATIVE.union(rule(Op::Abs, &[f32_of(0.0)])));
    assert_eq!(rule(Op::Sqrt, &[square]), rule(Op::Sqrt, &[square]).without(Classes::SUBNORMALS));
    assert!(!rule(Op::Add, &[number, any]).contains(Classes::ZEROS));
    // What follows from exponents.
    let scaled = transfer::op(Op::Mul, Scalar::F32, &[number, f32_of(0.1)]);
    assert_eq!(scaled.classes, Classes::ZEROS.union(Classes::NORMALS).and(positive));
    let moved = transfer::op(Op::Sub, Scalar::F32, &[scaled, f32_of(1.0)]);
    assert!(!moved.classes.meets(Classes::SUBNORMALS.union(Classes::INFINITIES).union(Classes::NAN)), "{moved:?}");
    let unit = transfer::op(Op::Saturate, Scalar::F32, &[any]);
    assert_eq!(unit.span.high, 0);
    let above = transfer::op(Op::Sub, Scalar::F32, &[f32_of(4.0), unit]);
    assert_eq!(above.classes, Classes::NORMALS.and(positive));
    assert_eq!(rule(Op::Recip, &[above]), Classes::NORMALS.and(positive));
}

/// What is known of the named values of a kernel with the parameters `%n: u32` and `%x: f32`,
/// which may say more after the word `kernel`.
#[track_caller]
fn named<const N: usize>(words: &str, body: &str, names: [&str; N]) -> [Classes; N] {
    let source =
        format!("func kernel {words} workgroup_size(4, 1, 1) @k(%n: u32, %x: f32, @y: mut [f32]) {{ {body} ret }}");
    let render = |diags: Diags| -> Checked { panic!("{}", crate::diag::render(&diags, "text", &source)) };
    let checked = match parse(&source) {
        Ok(module) => check(module).unwrap_or_else(render),
        Err(diags) => render(diags),
    };
    let function = &checked.module().functions[0];
    let floats = Floats::of(function, &Facts::of(&checked.module().types, function));
    names.map(|name| {
        let found = function.values.iter().find(|(_, def)| def.name.as_deref() == Some(name));
        floats.at(found.expect("a value of this name").0)
    })
}

#[test]
fn an_accumulator_is_what_its_rounds_add() {
    let body = "%r, %s = loop 'l (%i: u32 = 0u32, %sum: f32 = 0.0f32, %all: f32 = 0.0f32) -> f32, f32 {
           %end = ge %i, %n
           if %end { break 'l %sum, %all }
           %f = cast %i to f32
           %next = add %sum, %f
           %more = mul %all, %x
           %j = add %i, 1u32
           continue 'l %j, %next, %more
         }
         store @y[0u32], %r store @y[4u32], %s";
    let [sum, all] = named("", body, ["r", "s"]);
    let zero = Classes::ZEROS.and(Classes::POSITIVE);
    // Whole numbers, of which there may be too many.
    assert_eq!(sum, zero.union(Classes::POSITIVE.and(Classes::NORMALS.union(Classes::INFINITIES))));
    assert_eq!(all, Classes::ZEROS.union(Classes::NAN));
}

#[test]
fn branches_vectors_bits_and_tables_are_followed() {
    let body = "%c = lt %n, 3u32
         %a = if %c -> f32 { yield 1.0f32 } else { yield -2.0f32 }
         %low = and %n, 8388607u32
         %one = or %low, 1065353216u32
         %f = bitcast %one to f32
         %v = vec %f, %a
         %e = extract %v, 1u32
         %o = extract %v, %n
         %t = load f32 @t[%n * 4]
         store @y[0u32], %e store @y[0u32], %o store @y[0u32], %t";
    let normal = Classes::NORMALS;
    let zero = Classes::ZEROS.and(Classes::POSITIVE);
    let body = format!("table @t: [f32; 2] = (0.5f32, 3.0f32) {body}");
    let [a, f, e, o, t] = named("", &body, ["a", "f", "e", "o", "t"]);
    assert_eq!((a, f, e), (normal, normal.and(Classes::POSITIVE), normal));
    assert_eq!((o, t), (normal.union(zero), normal.and(Classes::POSITIVE).union(zero)));
}

#[test]
fn what_a_device_computes_as_it_pleases_may_be_any_float() {
    let body = "%f = cast %n to f32
         %g = precise add %f, 1.0f32
         %h = add %f, 1.0f32
         store @y[0u32], %g store @y[0u32], %h";
    let sum = Classes::NORMALS.and(Classes::POSITIVE);
    assert_eq!(named("", body, ["g", "h"]), [sum, sum]);
    // The cast is one of those.
    let not_zero = Classes::ANY.without(Classes::ZEROS.and(Classes::NEGATIVE));
    assert_eq!(named("fast_math", body, ["g", "h"]), [not_zero, Classes::ANY]);
}
