//! Mistakes of types, memory and limits, each with its code and sentence, over text;
//! and structure that text cannot express, over hand-made arenas.

use super::{Checked, check, check_image};
use crate::arena::Id;
use crate::builder::Builder;
use crate::caps::Capabilities;
use crate::diag::{Code, Diags, render};
use crate::ir::{
    Access, CallArg, Case, Function, FunctionKind, Index, InstDef, InstKind, MAX_INSTS, MAX_NESTING, Memory, Module,
    Param, ParamKind, Place, RegionDef, Root, ValueDef, VarDef,
};
use crate::limits::{Limit, Limits};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Op};
use crate::order::MemoryOrder;
use crate::text::parse;
use crate::types::{ArrayDef, Scalar, StructDef, Type, Types};
use samebits_random::Random;

const PARAMS: &str = "%n: u32, %f: f32, %i: i32, %b: bool, %v: vec4<u32>, @r: [u32], @w: mut [u32], \
                      @x: mut [f32], @h: atomic [u32], @raw: [bytes], @rays: mut [Ray]";
const STRUCTS: &str = "struct Ray { origin: vec3<f32>, steps: [u32; 4], length: f32 }";

fn source(body: &str) -> String {
    format!("{STRUCTS}\nfunc kernel workgroup_size(8, 1, 1) @k({PARAMS}) {{\n{body}\nret\n}}")
}

#[track_caller]
fn parsed(source: &str) -> Module {
    parse(source).unwrap_or_else(|diags| panic!("{}", render(&diags, "in", source)))
}

#[track_caller]
fn accepts(body: &str) -> Checked {
    let source = source(body);
    check(parsed(&source)).unwrap_or_else(|diags| panic!("{}", render(&diags, "in", &source)))
}

/// The headlines of what is reported.
#[track_caller]
fn reports(source: &str) -> Vec<String> {
    let diags = check(parsed(source)).expect_err("a mistake");
    diags.as_slice().iter().map(|diag| diag.headline()).collect()
}

#[track_caller]
fn rejects(body: &str, headline: &str) {
    assert_eq!(reports(&source(body)), [headline]);
}

#[test]
fn operands_that_do_not_fit_are_named_as_the_op_reads() {
    rejects("%1 = add %n, %f", "cannot add `f32` to `u32` [V021]");
    rejects("%1 = sub %n, %f", "cannot subtract `f32` from `u32` [V021]");
    rejects("%1 = mul %n, %f", "cannot multiply `u32` by `f32` [V021]");
    rejects("%1 = div %n, %i", "cannot divide `u32` by `i32` [V021]");
    rejects("%1 = lt %n, %i", "cannot compare `u32` with `i32` [V021]");
    rejects("%1 = shl %f, %n", "cannot shift `f32` by `u32` [V021]");
    rejects("%1 = neg %b", "cannot negate `bool` [V021]");
    rejects("%1 = and %f, %f", "cannot apply `and` to `f32`, `f32` [V021]");
}

#[test]
fn what_comes_from_a_mistake_is_not_reported_again() {
    rejects("%1 = add %n, %f\n%2 = add %1, %n\nstore @w[0u32], %2\nif %2 { }", "cannot add `f32` to `u32` [V021]");
}

#[test]
fn unrelated_mistakes_are_all_reported() {
    let found = reports(&source("%1 = add %n, %f\nif %n { }\nstore @r[0u32], %n"));
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn a_condition_is_a_bool() {
    rejects("if %n { }", "expected a `bool` condition, found `u32` [V022]");
}

#[test]
fn casts_outside_the_table_are_refused() {
    rejects("%1 = cast %f to vec2<u32>", "cannot cast `f32` to `vec2<u32>` [V012]");
    rejects("%1 = bitcast %f to u64", "cannot read the bits of `f32` as `u64` [V021]");
    rejects("%1 = cast %n to bytes", "cannot cast to `bytes`, which is not the type of a value [V023]");
}

#[test]
fn values_keep_their_type_where_they_go() {
    rejects("store @x[0u32], %n", "expected `f32`, found `u32` [V200]");
    rejects("var $a: f32\nset $a, %n", "expected `f32`, found `u32` [V200]");
    rejects("%1 = if %b -> u32 { yield %n } else { yield %f }", "expected `u32`, found `f32` [V200]");
    rejects("%1 = loop 'l (%p: u32 = %f) -> u32 { break 'l %p }", "expected `u32`, found `f32` [V200]");
    rejects("%1 = loop 'l -> u32 { break 'l %f }", "expected `u32`, found `f32` [V200]");
    rejects("loop 'l (%p: u32 = %n) { continue 'l %f }", "expected `u32`, found `f32` [V200]");
    rejects("%1 = load f32 @w[%n]", "expected `u32`, found `f32` [V200]");
    rejects("%1 = atomic.cmpxchg @h[0u32], %n, %i", "expected `u32`, found `i32` [V200]");
}

#[test]
fn a_value_is_a_scalar_or_a_vector() {
    rejects("%1 = load Ray @rays[0u32]", "a value cannot have type `Ray` [V201]");
    rejects("var $a: Ray", "a value cannot have type `Ray` [V201]");
}

#[test]
fn a_switch_is_on_an_integer() {
    rejects("switch %f { default { } }", "cannot switch on `f32` [V021]");
}

#[test]
fn access_modes_hold() {
    rejects("store @r[0u32], %n", "cannot store to `r`, which is read-only [V005]");
    rejects("%1 = atomic.add @w[0u32], %n", "atomic access to `w`, which is not atomic [V009]");
    rejects("%1 = load u32 @h[0u32]", "plain load from `h`, which is atomic [V025]");
    rejects("store @h[0u32], %n", "plain store to `h`, which is atomic [V025]");
    rejects("%1 = load u32 @raw[0u32]", "buffer `raw` holds raw bytes, which cannot be accessed [V013]");
}

#[test]
fn atomics_are_of_types_that_have_the_op() {
    rejects("shared @t: atomic [f32; 4]\n%1 = atomic.and @t[0u32], %f", "`f32` has no atomic `and` [V014]");
    rejects("%1 = atomic.inc_wrap @h[0u32], %i", "`i32` has no atomic `inc_wrap` [V014]");
    rejects("%1 = atomic.add @h[0u32], %b", "`bool` has no atomics [V014]");
}

#[test]
fn atomics_of_64_bits_are_whole_elements() {
    rejects("%1 = atomic.add @h[0u32 * 8], 1u64", "expected `u32`, found `u64` [V200]");
    rejects("shared @t: atomic [u64; 4]\n%1 = atomic.add @t[0u32 * 8], %n", "expected `u64`, found `u32` [V200]");
    rejects(
        "shared @t: atomic [u64; 4]\n%1 = atomic.add @t[0u32] + 4, 1u64",
        "this place in `t` is not where a value of type `u64` can begin [V302]",
    );
}

#[test]
fn orders_are_those_that_the_access_can_have() {
    rejects("%1 = atomic.load u32 @h[0u32] ordering=release", "a load cannot be `release` [V310]");
    rejects("%1 = atomic.load u32 @h[0u32] ordering=acq_rel", "a load cannot be `acq_rel` [V310]");
    rejects("atomic.store @h[0u32], %n ordering=acquire", "a store cannot be `acquire` [V310]");
    rejects("atomic.store @h[0u32], %n ordering=acq_rel", "a store cannot be `acq_rel` [V310]");
    rejects(
        "atomic.add @h[0u32], %n ordering=acquire failure=acquire",
        "`add` cannot fail, so it takes no `failure` [V310]",
    );
    let exchange = |orders: &str, message: &str| rejects(&format!("atomic.cmpxchg @h[0u32], %n, %n {orders}"), message);
    exchange("ordering=release failure=acquire", "the `failure` order `acquire` is stronger than `release` [V310]");
    exchange("ordering=acq_rel failure=seq_cst", "the `failure` order `seq_cst` is stronger than `acq_rel` [V310]");
    exchange(
        "ordering=seq_cst failure=release",
        "a compare-exchange that fails stores nothing and cannot be `release` [V310]",
    );
    rejects("fence ordering=relaxed", "a `relaxed` fence orders nothing [V310]");
}

#[test]
fn every_other_order_is_accepted() {
    let body = "%0 = atomic.load u32 @h[0u32] ordering=seq_cst scope=workgroup
        atomic.store @h[0u32], 1u32 ordering=release scope=system
        atomic.add @h[0u32], 1u32 scope=invocation ordering=acq_rel
        atomic.cmpxchg @h[0u32], 1u32, 2u32 ordering=acq_rel failure=acquire scope=subgroup
        atomic.cmpxchg @h[0u32], 1u32, 2u32 ordering=release
        fence ordering=seq_cst scope=workgroup
        fence";
    let source = format!("func kernel workgroup_size(1, 1, 1) @k(@h: atomic [u32]) {{\n{body}\nret\n}}");
    check(parse(&source).expect("it is well written")).expect("the orders are legal");
}

#[test]
fn declarations_are_of_types_that_memory_can_have() {
    rejects("shared @t: [u32; 0]\n%1 = load u32 @t[%n]", "array `t` has no elements [V024]");
    rejects("private @t: [[f32; 0]; 4]", "array `t` has no elements [V024]");
    rejects("shared @t: atomic [bool; 4]", "`t` is atomic, but `bool` has no atomics [V014]");
    rejects("shared @t: atomic [vec2<u32>; 4]", "`t` is atomic, but `vec2<u32>` has no atomics [V014]");
    rejects("shared @t: bytes", "`t` holds `bytes`, which have no size [V201]");
}

#[test]
fn constant_indices_are_in_bounds() {
    accepts("shared @t: [u32; 4]\n%1 = load u32 @t[3u32]");
    rejects("shared @t: [u32; 4]\n%1 = load u32 @t[4u32]", "index 4 is out of bounds: `t` has 4 elements [V300]");
    rejects("%1 = load u32 @rays[%n * 32][4u32 * 4 < 4] + 12", "index 4 is out of bounds: there are 4 elements [V300]");
    rejects("shared @t: [u32; 4]\n%1 = load u32 @t + 16", "this place is outside `t`, which has 16 bytes [V302]");
}

#[test]
fn what_passes_left_may_be_out_of_bounds() {
    let source = source("shared @t: [u32; 4]\n%1 = load u32 @t[4u32]");
    assert!(check_image(parsed(&source)).is_ok());
}

#[test]
fn an_index_is_a_u32() {
    rejects("%1 = load u32 @r[%i]", "`r` is indexed by `i32` [V301]");
}

#[test]
fn a_place_is_aligned() {
    accepts(
        "%1 = load f32 @rays[%n * 32] + 28\n%2 = load vec3<f32> @rays[%n * 32]\n%3 = load u32 @rays[%n * 32][%n * 4]",
    );
    rejects(
        "%1 = load u32 @rays[%n * 32] + 13",
        "this place in `rays` is not where a value of type `u32` can begin [V302]",
    );
    rejects(
        "%1 = load u32 @rays[%n * 30] + 12",
        "this place in `rays` is not where a value of type `u32` can begin [V302]",
    );
}

#[test]
fn a_whole_element_has_its_type_and_others_are_words() {
    accepts("shared @v: [vec4<u32>; 4]\n%1 = load vec4<u32> @v[%n * 16]\n%2 = load u32 @v[%n * 16][%n * 4]");
    accepts("%1 = load vec2<f32> @w[%n * 8]");
    rejects("shared @v: [vec4<u32>; 4]\n%1 = load vec4<f32> @v[%n]", "expected `vec4<u32>`, found `vec4<f32>` [V200]");
    rejects("%1 = load i32 @w[%n * 8] + 4", "expected `u32`, found `i32` [V200]");
}

#[test]
fn sizes_have_limits() {
    let with_size = |size: &str| reports(&format!("func kernel workgroup_size({size}) @k() {{ ret }}"));
    assert_eq!(with_size("0, 1, 1"), ["workgroup size (0, 1, 1) has a zero [V003]"]);
    let many = "a workgroup of 1025×1×1 = 1025 invocations is more than the 1024 that any device has [V600]";
    assert_eq!(with_size("1025, 1, 1"), [many]);
    let deep = "a workgroup of 65 invocations on z is more than the 64 that any device has [V600]";
    assert_eq!(with_size("1, 1, 65"), [deep]);
    let more = "a workgroup of 8×8×8 = 512 invocations is more than the 256 that every device has [V600]";
    assert_eq!(with_size("8, 8, 8"), [more]);
    accepts("shared @t: [u32; 4096]");
    // Each array begins at a multiple of 16 bytes.
    let over = "16400 bytes of workgroup memory are more than the 16384 that every device has [V601]";
    rejects("shared @a: [u32; 4093]\nshared @b: u32", over);
    rejects("private @t: [u32; 16385]", "`k` uses 65552 bytes of arrays in each invocation [V602]");
}

#[test]
fn a_kernel_may_use_what_it_declares() {
    let kernel = |limits: &str, memory: u32| {
        format!("func kernel workgroup_size(1, 1, 1) limits({limits}) @k() {{ shared @t: [u8; {memory}] ret }}")
    };
    assert!(check(parsed(&kernel("workgroup_memory = 32768", 32_768))).is_ok());
    assert!(check(parsed(&kernel("workgroup_memory = 32768", 20_000))).is_ok());
    let over = "32784 bytes of workgroup memory are more than the 32768 that are declared [V601]";
    assert_eq!(reports(&kernel("workgroup_memory = 32768", 32_769)), [over]);
    let never = "232464 bytes of workgroup memory are more than the 232448 that any device has [V601]";
    assert_eq!(reports(&kernel("workgroup_memory = 32768", 232_449)), [never]);
}

#[test]
fn what_is_declared_without_need_is_a_mistake_of_a_person_only() {
    let needless = "func kernel workgroup_size(64, 1, 1) limits(invocations = 512) @k() { ret }";
    let message = "`k` needs 64 invocations of a workgroup, so `invocations = 512` is not needed [V605]";
    assert_eq!(reports(needless), [message]);
    assert!(check_image(parsed(needless)).is_ok());
}

#[test]
fn a_declaration_that_nothing_can_need_is_a_mistake_of_anybody() {
    let module = |limit, amount| {
        let mut b = Builder::new("k", [1, 1, 1]);
        let mut limits = Limits::NONE;
        limits.set(limit, amount);
        b.limits(limits);
        b.ret();
        let diags = check_image(b.into_module(Types::default())).expect_err("a mistake");
        diags.as_slice().iter().map(|diag| diag.headline()).collect::<Vec<_>>()
    };
    let default = "`buffers = 8` is not needed: every device has 8 buffers [V605]";
    assert_eq!(module(Limit::Buffers, 8), [default]);
    let never = "`argument_bytes = 1048577` is more than any device has: at most 1048576 [V604]";
    assert_eq!(module(Limit::ArgumentBytes, 1_048_577), [never]);
}

#[test]
fn buffers_and_arguments_have_limits() {
    let kernel = |buffers: usize, scalars: usize| {
        let buffers = (0..buffers).map(|i| format!("@b{i}: [u32]"));
        let scalars = (0..scalars).map(|i| format!("%s{i}: vec4<u64>"));
        let params: Vec<String> = buffers.chain(scalars).collect();
        format!("func kernel workgroup_size(1, 1, 1) @k({}) {{ ret }}", params.join(", "))
    };
    assert!(check(parsed(&kernel(8, 0))).is_ok());
    assert_eq!(reports(&kernel(9, 0)), ["9 buffers are more than the 8 that every device has [V603]"]);
    // 20 bytes before them, and 32 each.
    assert!(check(parsed(&kernel(0, 2047))).is_ok());
    let many = "65556 bytes of launch arguments are more than the 65536 that every device has [V604]";
    assert_eq!(reports(&kernel(0, 2048)), [many]);
}

#[test]
fn too_much_memory_is_reported_where_there_is_no_room() {
    let source = "func kernel workgroup_size(1, 1, 1) @k() {\nshared @a: [f32; 4095]\nshared @b: [f32; 1]\nret }";
    let diags = check(parsed(source)).expect_err("too much");
    let diag = &diags.as_slice()[0];
    assert_eq!(crate::diag::line_column(source, diag.loc.index().expect("a place") as usize).0, 3);
    let notes: Vec<&str> = diag.labels.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!(notes, ["`a` takes 16380 bytes, rounded up to 16384", "`b` takes 4 bytes, rounded up to 16"]);
    assert_eq!(diag.help.as_deref(), Some("declare it: `limits(workgroup_memory = 16400)`"));
}

#[test]
fn types_and_atomics_are_features() {
    let needs = |params: &str, body: &str| {
        let source =
            format!("struct S {{ a: [f64; 2] }}\nfunc kernel workgroup_size(1, 1, 1) @k({params}) {{\n{body}\nret }}");
        check(parsed(&source)).expect("a kernel").function(0).expect("a function").1.capabilities
    };
    assert_eq!(needs("%a: u64, @x: [i64]", ""), Capabilities::NONE);
    assert_eq!(needs("%a: f16", ""), Capabilities::F16);
    assert_eq!(needs("@x: [S]", ""), Capabilities::F64);
    assert_eq!(needs("%a: u32", "%b = cast %a to f64"), Capabilities::F64);
    assert_eq!(needs("@x: atomic [u64]", ""), Capabilities::ATOMIC64);
    assert_eq!(needs("", "shared @x: atomic [f32; 4]"), Capabilities::FLOAT_ATOMICS);
    let all = Capabilities::F64 | Capabilities::ATOMIC64 | Capabilities::FLOAT_ATOMICS;
    assert_eq!(needs("@x: atomic [f64]", ""), all);
}

#[test]
fn orders_are_features() {
    let needs = |body: &str| {
        let source = format!("func kernel workgroup_size(1, 1, 1) @k(@x: atomic [u32]) {{\n{body}\nret }}");
        check(parsed(&source)).expect("a kernel").function(0).expect("a function").1.capabilities
    };
    assert_eq!(needs("%a = atomic.load u32 @x[0u32] scope=workgroup"), Capabilities::NONE);
    assert_eq!(needs("%a = atomic.load u32 @x[0u32] ordering=acquire scope=invocation"), Capabilities::NONE);
    assert_eq!(needs("%a = atomic.load u32 @x[0u32] ordering=acquire"), Capabilities::ATOMIC_ORDERS);
    assert_eq!(needs("fence ordering=release scope=workgroup"), Capabilities::ATOMIC_ORDERS);
    assert_eq!(needs("fence ordering=seq_cst"), Capabilities::SEQ_CST);
    let exchange = "%a = atomic.cmpxchg @x[0u32], 1u32, 2u32 ordering=seq_cst failure=acquire";
    assert_eq!(needs(exchange), Capabilities::SEQ_CST | Capabilities::ATOMIC_ORDERS);
}

#[test]
fn what_a_kernel_needs_is_a_fact() {
    let checked = accepts("shared @a: [u32; 5]\nshared @b: u32");
    let needs = checked.function(0).expect("a function").1.needs;
    assert_eq!(needs.get(Limit::WorkgroupMemory), 48);
}

#[test]
fn two_things_of_one_name_are_reported() {
    let mut b = Builder::new("k", [1, 1, 1]);
    b.buffer("x", Type::U32, Access::Read);
    b.buffer("x", Type::U32, Access::Read);
    b.ret();
    let function = b.finish();
    let module = Module { types: Types::default(), functions: vec![function.clone(), function] };
    let diags = check(module).expect_err("names");
    let found: Vec<String> = diags.as_slice().iter().map(|diag| diag.headline()).collect();
    let params = "two parameters have the name `x` [V001]";
    assert_eq!(found, ["two functions have the name `k` [V001]", params, params]);
}

#[test]
fn a_value_without_a_type_does_not_pass() {
    let mut b = Builder::new("k", [1, 1, 1]);
    let n = b.u32(1);
    b.op_to(Op::Bitcast, &[n], Type::Error);
    b.ret();
    assert_eq!(code(check(b.into_module(Types::default()))), Code::V202);
}

// Structure.

#[track_caller]
fn code(result: Result<Checked, Diags>) -> Code {
    let diags = result.expect_err("a mistake");
    let [diag] = diags.as_slice() else { panic!("{diags:?}") };
    diag.code
}

/// What is wrong with a function that `build` makes.
#[track_caller]
fn structure(build: impl FnOnce(&mut Function)) -> String {
    let mut b = Builder::new("k", [1, 1, 1]);
    let n = b.scalar("n", Type::U32);
    b.op(Op::Add, &[n, n]);
    b.ret();
    let mut function = b.finish();
    build(&mut function);
    let diags = check(Module { types: Types::default(), functions: vec![function] }).expect_err("a mistake");
    let [diag] = diags.as_slice() else { panic!("{diags:?}") };
    assert_eq!(diag.code, Code::V702);
    diag.message.strip_prefix("malformed function `k`: ").unwrap_or(&diag.message).to_owned()
}

const FIRST: Id<InstDef> = Id::from_index(0);
const RET: Id<InstDef> = Id::from_index(1);

#[test]
fn malformed_structure_is_refused() {
    let ends = "function `k` ends without `ret`";
    assert_eq!(structure(|f| f.regions[f.body].insts.clear()), ends);
    assert_eq!(structure(|f| f.regions[f.body].insts = vec![FIRST]), ends);
    let follows = "nothing can follow a terminator in its region";
    assert_eq!(structure(|f| f.regions[f.body].insts = vec![RET, FIRST]), follows);
    assert_eq!(structure(|f| f.regions[f.body].insts = vec![FIRST, FIRST, RET]), "an instruction in two places");
    assert_eq!(structure(|f| f.regions[f.body].insts = vec![Id::from_index(9)]), "an instruction that does not exist");
    assert_eq!(
        structure(|f| f.insts[FIRST].kind = InstKind::Op(Op::Not, vec![Id::from_index(77)])),
        "a use of a value where it is not defined"
    );
    assert_eq!(
        structure(|f| f.insts[FIRST].kind = InstKind::Op(Op::Not, vec![f.insts[FIRST].results[0]])),
        "a use of a value where it is not defined"
    );
    assert_eq!(structure(|f| f.insts[FIRST].results.clear()), "a wrong number of results");
    let mut limits = Limits::NONE;
    limits.set(Limit::Buffers, 9);
    let declared = "only a kernel can declare limits";
    assert_eq!(structure(|f| (f.kind, f.limits) = (FunctionKind::Device, limits)), declared);
    let strict = "only a kernel can have `fast_math`";
    assert_eq!(structure(|f| (f.kind, f.fast_math) = (FunctionKind::Device, true)), strict);
    assert_eq!(structure(|f| f.insts[FIRST].kind = InstKind::Op(Op::Add, vec![])), "a wrong number of operands");
    assert_eq!(structure(|f| f.body = Id::from_index(5)), "no body");
    assert_eq!(structure(|f| f.params.clear()), "the body's parameters are not the scalar parameters");
    assert_eq!(
        structure(|f| f.insts[RET].kind = InstKind::Break(FIRST, vec![])),
        "a break or continue without its loop"
    );
    assert_eq!(structure(|f| f.insts[RET].kind = InstKind::Yield(vec![])), "a `yield` outside of `if` and `switch`");
    assert_eq!(
        structure(|f| f.values[f.insts[FIRST].results[0]].ty = Type::Array(Id::from_index(0))),
        "a type that does not exist"
    );
    let scalar_as_memory = Place { root: Root::Param(0), offset: 0, indices: Vec::new() };
    assert_eq!(structure(|f| f.insts[FIRST].kind = InstKind::Load(scalar_as_memory)), "memory that does not exist");
}

#[test]
fn regions_in_a_circle_are_refused() {
    let found = structure(|f| {
        let condition = f.constant(Scalar::Bool, 1);
        let kind = InstKind::If { condition, then: f.body, otherwise: f.body };
        f.insts[FIRST] = InstDef { kind, results: Vec::new(), loc: Loc::NONE };
    });
    assert_eq!(found, "a region with two owners");
}

#[test]
fn a_value_of_a_branch_is_not_visible_after_it() {
    let found = structure(|f| {
        let condition = f.constant(Scalar::Bool, 1);
        let yield_ = InstDef { kind: InstKind::Yield(Vec::new()), results: Vec::new(), loc: Loc::NONE };
        let (y1, y2) = (f.insts.push(yield_.clone()), f.insts.push(yield_));
        let then = f.regions.push(RegionDef { params: Vec::new(), insts: vec![FIRST, y1] });
        let otherwise = f.regions.push(RegionDef { params: Vec::new(), insts: vec![y2] });
        let kind = InstKind::If { condition, then, otherwise };
        let branch = f.insts.push(InstDef { kind, results: Vec::new(), loc: Loc::NONE });
        let inner = f.insts[FIRST].results[0];
        let result = f.values.push(ValueDef { ty: Type::U32, constant: None, name: None });
        let kind = InstKind::Op(Op::Not, vec![inner]);
        let use_ = f.insts.push(InstDef { kind, results: vec![result], loc: Loc::NONE });
        f.regions[f.body].insts = vec![branch, use_, RET];
    });
    assert_eq!(found, "a use of a value where it is not defined");
}

#[test]
fn types_in_a_circle_or_of_exponential_size_are_refused() {
    let mut types = Types::default();
    types.arrays.push(ArrayDef { element: Type::Array(Id::from_index(0)), len: 1 });
    assert_eq!(code(check(Module { types, functions: Vec::new() })), Code::V702);
    let mut types = Types::default();
    let mut inner = Type::U32;
    for i in 0..60 {
        let fields = vec![("a".into(), inner), ("b".into(), inner)];
        inner = Type::Struct(types.structs.push(StructDef { name: format!("S{i}"), fields }));
    }
    assert_eq!(code(check(Module { types, functions: Vec::new() })), Code::V702);
}

/// A function with this many loops in one another.
fn nested(depth: usize) -> Module {
    let mut b = Builder::new("k", [1, 1, 1]);
    let loops: Vec<_> = (0..depth).map(|_| b.begin_loop(None, &[]).0).collect();
    for inst in loops.into_iter().rev() {
        b.break_(inst, &[]);
        b.end_loop(inst, &[]);
    }
    b.ret();
    b.into_module(Types::default())
}

#[test]
fn nesting_is_bounded() {
    assert!(check(nested(MAX_NESTING)).is_ok());
    assert_eq!(code(check(nested(MAX_NESTING + 1))), Code::V018);
    assert_eq!(code(check(nested(20_000))), Code::V018);
}

#[test]
fn length_is_bounded() {
    let long = |length: usize| {
        let mut b = Builder::new("k", [1, 1, 1]);
        for _ in 1..length {
            b.barrier();
        }
        b.ret();
        b.into_module(Types::default())
    };
    assert!(check(long(MAX_INSTS)).is_ok());
    assert_eq!(code(check(long(MAX_INSTS + 1))), Code::V019);
}

#[test]
fn many_variables_with_many_exits_are_refused_quickly() {
    let mut b = Builder::new("k", [1, 1, 1]);
    let zero = b.u32(0);
    let (inst, _) = b.begin_loop(None, &[]);
    for i in 0..10_000 {
        let var = b.var(format!("v{i}"), Type::U32);
        b.set(var, zero);
    }
    let condition = b.constant(Scalar::Bool, 1);
    for _ in 0..10_000 {
        let (then, otherwise) = (b.region(&[]), b.region(&[]));
        b.enter(then);
        b.break_(inst, &[]);
        b.leave();
        b.enter(otherwise);
        b.yield_(&[]);
        b.leave();
        b.if_else(condition, then, otherwise, &[]);
    }
    b.break_(inst, &[]);
    b.end_loop(inst, &[]);
    b.ret();
    assert_eq!(code(check(b.into_module(Types::default()))), Code::V019);
}

/// Modules at random.
struct Modules(Random);

impl Modules {
    fn id<T>(&mut self) -> Id<T> {
        if self.0.below(50) == 0 { Id::from_index(u32::MAX as usize) } else { Id::from_index(self.0.below(8)) }
    }

    fn ids<T>(&mut self, most: usize) -> Vec<Id<T>> {
        (0..self.0.below(most + 1)).map(|_| self.id()).collect()
    }

    fn ty(&mut self) -> Type {
        match self.0.below(9) {
            0 => Type::Error,
            1 => Type::Bytes,
            2 => Type::Vector(Scalar::U32, self.0.below(6) as u8),
            3 => Type::Array(self.id()),
            4 => Type::Struct(self.id()),
            5 => Type::BOOL,
            _ => Type::U32,
        }
    }

    fn place(&mut self) -> Place {
        let i = self.0.below(3) as u32;
        let root = [Root::Param(i), Root::Shared(i), Root::Private(i)][self.0.below(3)];
        let indices = (0..self.0.below(2))
            .map(|_| Index { value: self.id(), stride: self.0.below(9) as u32, bound: None })
            .collect();
        Place { root, offset: self.0.below(2) as u32 * u32::MAX, indices }
    }

    fn kind(&mut self) -> InstKind {
        match self.0.below(19) {
            0 => InstKind::Op(Op::ALL[self.0.below(Op::ALL.len())], self.ids(3)),
            1 => InstKind::Load(self.place()),
            2 => InstKind::Store(self.place(), self.id()),
            3 => InstKind::Atomic(AtomicOp::ALL[self.0.below(14)], self.place(), self.ids(2), MemoryOrder::RELAXED),
            4 => InstKind::Len(self.place().root),
            5 => InstKind::Builtin(Builtin::ALL[self.0.below(13)]),
            6 => InstKind::Barrier,
            7 => InstKind::Get(self.id()),
            8 => InstKind::Set(self.id(), self.id()),
            9 | 10 => InstKind::If { condition: self.id(), then: self.id(), otherwise: self.id() },
            11 => {
                let cases =
                    (0..self.0.below(3)).map(|_| Case { values: vec![self.0.below(3) as u64], region: self.id() });
                let cases = cases.collect();
                InstKind::Switch { selector: self.id(), cases, default: self.id() }
            }
            12 => InstKind::Loop { body: self.id(), initial: self.ids(2), label: None },
            13 => InstKind::Yield(self.ids(2)),
            14 => InstKind::Break(self.id(), self.ids(2)),
            15 => InstKind::Continue(self.id(), self.ids(2)),
            16 => InstKind::Return(self.ids(2)),
            17 => {
                let args = (0..self.0.below(3)).map(|_| match self.0.below(2) {
                    0 => CallArg::Value(self.id()),
                    _ => CallArg::Place(self.place()),
                });
                let args = args.collect();
                InstKind::Call { function: self.0.below(3) as u32, args }
            }
            _ => InstKind::Unreachable,
        }
    }

    fn module(&mut self) -> Module {
        let mut module = Module::default();
        for _ in 0..self.0.below(3) {
            module.types.arrays.push(ArrayDef { element: self.ty(), len: self.0.below(3) as u32 });
            let fields = (0..self.0.below(3)).map(|_| ("f".to_owned(), self.ty())).collect();
            module.types.structs.push(StructDef { name: "S".into(), fields });
        }
        let mut f = Function::new("k", [self.0.below(3) as u32, 1, 1], Loc::NONE);
        let access = [Access::Read, Access::ReadWrite, Access::Atomic];
        for _ in 0..self.0.below(3) {
            let kind = match self.0.below(2) {
                0 => ParamKind::Scalar(self.ty()),
                _ => ParamKind::Buffer { element: self.ty(), access: access[self.0.below(3)] },
            };
            f.params.push(Param {
                name: format!("p{}", f.params.len()),
                kind,
                elements: crate::ir::Elements::Any,
                loc: Loc::NONE,
            });
            let memory = Memory { name: "m".into(), ty: self.ty(), access: access[self.0.below(3)], loc: Loc::NONE };
            f.shared.push(memory.clone());
            f.private.push(memory);
            f.vars.push(VarDef { name: "v".into(), ty: self.ty(), loc: Loc::NONE });
        }
        for _ in 0..8 {
            f.values.push(ValueDef { ty: self.ty(), constant: None, name: None });
        }
        for _ in 0..8 {
            f.insts.push(InstDef { kind: self.kind(), results: self.ids(1), loc: Loc::NONE });
        }
        f.body = Id::from_index(0);
        f.regions[f.body].insts = self.ids(4);
        for _ in 0..6 {
            f.regions.push(RegionDef { params: self.ids(1), insts: self.ids(3) });
        }
        module.functions.push(f);
        module
    }
}

#[test]
fn no_arena_makes_the_checks_panic() {
    let mut random = Modules(Random::new(0x9e37_79b9_7f4a_7c15));
    for _ in 0..200_000 {
        let module = random.module();
        let _ = check(module);
    }
}

#[test]
fn a_sound_function_with_one_thing_changed_does_not_make_the_checks_panic() {
    let text = source(
        "shared @t: [u32; 4]\nprivate @p: [u32; 4]\nvar $a: u32\n%l = local_id.x\n%c = lt %l, %n\n\
         %q = if %c -> u32 { set $a, %n\nyield %l } else { yield 1u32 }\n\
         %z = loop 'o (%j: u32 = 0u32) -> u32 {\nloop 'i { %g = get $a\nset $a, %j\n%d = eq %g, %q\n\
         if %d { break 'o %g } else { continue 'i } unreachable } unreachable }\n\
         switch %z { case 1u32 { store @t[%l], %z } default { } }\nbarrier",
    );
    let module = parsed(&text);
    let mut random = Modules(Random::new(0x1234_5678_9abc_def1));
    for _ in 0..50_000 {
        let mut module = module.clone();
        let f = &mut module.functions[0];
        for _ in 0..1 + random.0.below(2) {
            let inst = Id::from_index(random.0.below(f.insts.len()));
            let value = Id::from_index(random.0.below(f.values.len()));
            let region = Id::from_index(random.0.below(f.regions.len()));
            match random.0.below(7) {
                0 => f.insts[inst].kind = random.kind(),
                1 => f.insts[inst].kind.map_operands(|old| if random.0.below(2) == 0 { value } else { old }),
                2 => f.values[value].ty = random.ty(),
                3 => f.regions[region].insts.reverse(),
                4 => f.regions[region].insts.push(inst),
                5 => f.insts[inst].results.push(value),
                _ => f.regions[region].params.push(value),
            }
        }
        let _ = check(module);
    }
}
