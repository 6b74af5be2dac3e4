//! Scopes and unknown types: what they become, and mistakes in their use.

use super::Recorder;
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Function, Module, Place, Root, Value};
use samebits_ir::ops::Op;
use samebits_ir::text::print;
use samebits_ir::types::{Scalar, Type, Types};

fn recorder() -> Recorder {
    let mut r = Recorder::new(Builder::new("k", [1, 1, 1]), Types::default());
    r.b().buffer("u", Type::U32, Access::ReadWrite);
    r.b().buffer("f", Type::F32, Access::ReadWrite);
    r
}

fn at(root: u32) -> Place {
    Place { root: Root::Param(root), offset: 0, indices: Vec::new() }
}

#[track_caller]
fn finished(r: Recorder) -> Function {
    r.finish().map(|(function, _)| function).unwrap_or_else(|diag| panic!("{}", diag.headline()))
}

/// What the function is after SSA construction, folding and the removal of dead code.
#[track_caller]
fn becomes(r: Recorder, body: &str) {
    let optimized = |module: Module| {
        let checked = samebits_ir::check::check(module).unwrap_or_else(|diags| panic!("{diags:?}"));
        let mut module = samebits_ir::pass::optimize(checked).module().clone();
        // Names are not what is compared.
        let function = &mut module.functions[0];
        for value in function.values.ids() {
            function.values[value].name = None;
        }
        print(&module)
    };
    let actual = optimized(Module { types: Types::default(), functions: vec![finished(r)] });
    let source = format!("func kernel workgroup_size(1, 1, 1) @k(@u: mut [u32], @f: mut [f32]) {{ {body} ret }}");
    let expected = optimized(samebits_ir::text::parse(&source).unwrap_or_else(|diags| panic!("{diags:?}")));
    assert_eq!(actual, expected, "\n{actual}\n{expected}");
}

fn is_zero(r: &mut Recorder, value: Value) -> Value {
    let zero = r.b().u32(0);
    r.b().op(Op::Eq, &[value, zero])
}

#[test]
fn scopes_become_regions() {
    let mut r = recorder();
    let n = r.b().load(at(0), Type::U32);
    let (one, two) = (r.b().u32(1), r.b().u32(2));
    let zero = is_zero(&mut r, n);
    r.begin_if(zero);
    r.b().store(at(0), one);
    r.begin_else();
    r.b().store(at(0), two);
    r.end_if();
    becomes(r, "%n = load u32 @u %z = eq %n, 0u32 if %z { store @u, 1u32 } else { store @u, 2u32 }");
}

#[test]
fn a_switch_is_left_from_inside_a_loop_in_a_case() {
    let mut r = recorder();
    let n = r.b().load(at(0), Type::U32);
    let (one, two) = (r.b().u32(1), r.b().u32(2));
    let zero = is_zero(&mut r, n);
    r.begin_switch(n);
    r.case(4);
    r.case(5);
    r.begin_loop();
    r.begin_if(zero);
    r.break_switch();
    r.end_if();
    r.b().store(at(0), one);
    r.break_loop();
    r.end_loop();
    r.break_switch();
    r.default();
    r.b().store(at(0), two);
    r.end_switch();
    becomes(
        r,
        "%n = load u32 @u
         %z = eq %n, 0u32
         loop 'l0 {
           switch %n {
             case 4u32, 5u32 { loop 'l1 { if %z { break 'l0 } store @u, 1u32 break 'l1 } }
             default { store @u, 2u32 }
           }
           break 'l0
         }",
    );
}

#[test]
fn a_case_before_the_default_is_the_default() {
    let mut r = recorder();
    let n = r.b().load(at(0), Type::U32);
    let (one, two) = (r.b().u32(1), r.b().u32(2));
    r.begin_switch(n);
    r.case(3);
    r.b().store(at(0), one);
    r.break_switch();
    r.case(4);
    r.default();
    r.case(5);
    r.b().store(at(0), two);
    r.end_switch();
    becomes(r, "%n = load u32 @u switch %n { case 3u32 { store @u, 1u32 } default { store @u, 2u32 } }");
}

#[test]
fn a_value_that_is_only_moved_has_the_type_that_its_uses_ask_for() {
    let mut r = recorder();
    let t = r.unknown_var("t");
    let loaded = r.load_unknown(at(0));
    r.set(t, loaded);
    let value = r.get(t);
    let float = r.consume_as(value, Type::F32);
    let twice = r.b().op(Op::Add, &[float, float]);
    r.b().store(at(1), twice);
    let function = r.finish().expect("no mistake").0;
    let (_, var) = function.vars.iter().next().expect("a variable");
    assert_eq!(var.ty, Type::F32);
}

#[test]
fn uses_that_disagree_make_words() {
    let mut r = recorder();
    let t = r.unknown_var("t");
    let loaded = r.load_unknown(at(1));
    r.set(t, loaded);
    let value = r.get(t);
    let int = r.consume_as(value, Type::Scalar(Scalar::I32));
    let negated = r.b().op(Op::Neg, &[int]);
    r.set(t, negated);
    let value = r.get(t);
    r.store_unknown(at(1), value);
    becomes(
        r,
        "%v = load f32 @f
         %w = bitcast %v to u32
         %i = bitcast %w to i32
         %n = neg %i
         %x = bitcast %n to u32
         %y = bitcast %x to f32
         store @f, %y",
    );
}

#[test]
fn nothing_that_asks_makes_words() {
    let mut r = recorder();
    let t = r.unknown_var("t");
    let loaded = r.load_unknown(at(0));
    r.set(t, loaded);
    let value = r.get(t);
    r.store_unknown(at(0), value);
    becomes(r, "%v = load u32 @u store @u, %v");
}

#[test]
fn mistakes_in_scopes_are_told() {
    let told = |record: fn(&mut Recorder)| {
        let mut r = recorder();
        record(&mut r);
        r.finish().map(|_| ()).expect_err("a mistake").message
    };
    assert_eq!(told(|r| r.begin_loop()), "malformed function `k`: a scope that is not closed");
    assert_eq!(told(Recorder::end_if), "malformed function `k`: the end of an `if` that is not open");
    assert_eq!(told(Recorder::begin_else), "malformed function `k`: an `else` needs `if`");
    assert_eq!(told(Recorder::end_loop), "malformed function `k`: the end of a loop that is not open");
    assert_eq!(told(Recorder::end_switch), "malformed function `k`: the end of a `switch` that is not open");
    assert_eq!(told(Recorder::break_loop), "malformed function `k`: a break outside of a loop");
    assert_eq!(told(Recorder::continue_loop), "malformed function `k`: a continue outside of a loop");
    assert_eq!(told(Recorder::break_switch), "malformed function `k`: a break outside of a `switch`");
    assert_eq!(told(|r| r.case(1)), "malformed function `k`: a case outside of a `switch`");
    assert!(told(Recorder::default).ends_with("a default outside of a `switch`, or a second one"));
    let falls = told(|r| {
        let n = r.b().u32(0);
        r.begin_switch(n);
        r.case(1);
        r.b().store(at(0), n);
        r.case(2);
        r.end_switch();
    });
    assert_eq!(falls, "malformed function `k`: a case that goes on into the next one");
}

#[test]
fn an_unknown_value_of_another_width_is_refused() {
    let mut r = recorder();
    let value = r.load_unknown(at(0));
    r.consume_as(value, Type::Scalar(Scalar::F64));
    let message = r.finish().map(|_| ()).expect_err("a mistake").message;
    assert_eq!(message, "malformed function `k`: a value of unknown type that is not of 32 bits");
}
