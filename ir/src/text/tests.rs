//! Laws of the text form.

use super::{parse, print};
use crate::builder::Builder;
use crate::diag::{Code, line_column};
use crate::ir::{Access, Case, Index, InstKind, MAX_NESTING, Module};
use crate::limits::Limit;
use crate::ops::{AtomicOp, Builtin, Op};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{Scalar, StructDef, Type, Types};

/// What the mistakes of a text are, with line and column.
#[track_caller]
fn errors(source: &str) -> Vec<(Code, (usize, usize), String)> {
    let diags = parse(source).expect_err("a mistake");
    let place = |index: Option<u32>| line_column(source, index.expect("a place") as usize);
    diags.as_slice().iter().map(|d| (d.code, place(d.loc.index()), d.message.clone())).collect()
}

/// Parses the body of a kernel that has a few parameters.
fn in_kernel(body: &str) -> String {
    format!("func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [u32], @h: atomic [u32]) {{\n{body}\n}}")
}

#[track_caller]
fn parsed(source: &str) -> Module {
    parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)))
}

/// The module's print, which has to read back as what prints the same.
#[track_caller]
fn round_trip(module: &Module) -> String {
    let text = print(module);
    assert_eq!(print(&parsed(&text)), text);
    text
}

/// A function with every kind of instruction and every op.
fn everything() -> Module {
    let mut types = Types::default();
    let ray = types.structure(StructDef {
        name: "Ray".into(),
        fields: vec![("origin".into(), Type::Vector(Scalar::F32, 3)), ("odd field".into(), Type::F32)],
    });
    let words = types.array(Type::U32, 64);
    let nested = types.array(words, 2);
    let mut b = Builder::new("every thing", [8, 4, 1]);
    let n = b.scalar("n", Type::U32);
    let rays = b.buffer("rays", ray, Access::Read);
    let out = b.buffer("out", Type::U32, Access::ReadWrite);
    let hits = b.buffer("hits", Type::I32, Access::Atomic);
    let raw = b.buffer("raw", Type::Bytes, Access::Read);
    let tile = b.shared("tile", nested, Access::ReadWrite);
    let bins = b.shared("bins", words, Access::Atomic);
    let own = b.private("own", words);
    let acc = b.var("acc", Type::F32);
    for &builtin in Builtin::ALL {
        b.builtin(builtin);
    }
    let index = |value, stride, bound| Index { value, stride, bound };
    for root in [rays, out, hits, raw, tile, bins, own] {
        b.len(root);
    }
    let x = b.load(b.place(rays, &[index(n, 16, None)], 12), Type::F32);
    let v = b.load(b.place(rays, &[index(n, 16, Some(3))], 0), Type::Vector(Scalar::F32, 3));
    let w = b.load(b.place(tile, &[index(n, 256, Some(2)), index(n, 4, Some(64))], 0), Type::U32);
    let whole = b.load(b.place(own, &[], 8), Type::U32);
    b.store(b.place(out, &[index(n, 4, None)], 0), w);
    let one = b.constant(Scalar::I32, 1);
    for &op in AtomicOp::ALL {
        b.atomic(op, b.place(hits, &[index(whole, 4, None)], 0), &[one, one][..op.operands()], Type::I32);
    }
    for &ordering in Ordering::ALL {
        for &scope in Scope::ALL {
            let order = MemoryOrder { ordering, failure: ordering, scope };
            let place = b.place(hits, &[index(whole, 4, None)], 0);
            b.atomic_with(AtomicOp::Load, place.clone(), &[], Type::I32, order);
            b.atomic_with(AtomicOp::CompareExchange, place, &[one, one], Type::I32, order);
            b.fence(ordering, scope);
        }
    }
    for &op in Op::ALL {
        let signature = op.info().signature;
        let lane = signature.class().members().next().unwrap_or(Scalar::U32);
        let arg = b.constant(lane, 1);
        let args = match op {
            Op::Select => vec![b.constant(Scalar::Bool, 1), x, x],
            Op::Extract => vec![v, n],
            Op::Shl | Op::Shr | Op::RotateLeft | Op::RotateRight => vec![one, n],
            Op::Construct => vec![x, x, x],
            Op::Cast | Op::Bitcast => vec![n],
            _ => vec![arg; signature.arity().0],
        };
        match signature.states_result() {
            true => b.op_to(op, &args, Type::I32),
            false => b.op(op, &args),
        };
    }
    for &scalar in Scalar::ALL {
        for bits in [0, 1, scalar.mask(), scalar.mask() >> 1, 0x7fc0_0000, 0x3f80_0000, 1 << 62] {
            let value = b.constant(scalar, bits);
            b.store(b.place(out, &[], 4), value);
        }
    }
    b.barrier();
    b.set(acc, x);
    let got = b.get(acc);
    let condition = b.op(Op::Lt, &[got, x]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    for (region, value) in [(then, n), (otherwise, w)] {
        b.enter(region);
        b.yield_(&[value, n]);
        b.leave();
    }
    let picked = b.if_else(condition, then, otherwise, &[Type::U32, Type::U32]);
    b.name(picked[1], "picked");
    let (inst, params) = b.begin_loop(Some("outer"), &[picked[0], x]);
    let (_, inner) = b.begin_loop(None, &[]);
    assert!(inner.is_empty());
    let cases: Vec<_> = (0..3).map(|_| b.region(&[])).collect();
    b.enter(cases[0]);
    b.break_(inst, &[x]);
    b.leave();
    b.enter(cases[1]);
    b.continue_(inst, &[params[0], x]);
    b.leave();
    b.enter(cases[2]);
    b.ret();
    b.leave();
    let list = [vec![1, 2], vec![3]].into_iter().zip(&cases).map(|(values, &region)| Case { values, region }).collect();
    b.switch(params[0], list, cases[2], &[]);
    b.unreachable();
    b.leave();
    b.unreachable();
    b.end_loop(inst, &[Type::F32]);
    b.ret();
    b.into_module(types)
}

#[test]
fn every_instruction_reads_back_as_it_prints() {
    let module = everything();
    let again = parsed(&round_trip(&module));
    let kinds = |module: &Module| -> Vec<std::mem::Discriminant<InstKind>> {
        let function = &module.functions[0];
        let insts = &function.regions[function.body].insts;
        insts.iter().map(|&inst| std::mem::discriminant(&function.insts[inst].kind)).collect()
    };
    assert_eq!(kinds(&module), kinds(&again));
    let (before, after) = (&module.functions[0], &again.functions[0]);
    assert_eq!(before.constants.keys().collect::<Vec<_>>(), after.constants.keys().collect::<Vec<_>>());
    assert_eq!(before.name, after.name);
    assert_eq!(before.shared.len(), after.shared.len());
}

#[test]
fn what_is_asked_of_a_loop_reads_back_as_it_prints() {
    let source = "\
func kernel fast_math workgroup_size(1, 1, 1) @k() {
  loop unroll 'all {
    loop unroll(4) 'four (%i: u32 = 0u32) {
      loop unroll(never) 'none {
        break 'all
      }
      unreachable
    }
    unreachable
  }
  ret
}
";
    let module = parsed(source);
    assert_eq!(round_trip(&module), source);
    assert!(module.functions[0].fast_math);
}

#[test]
fn limits_read_back_as_they_print() {
    let source = "func kernel workgroup_size(512, 1, 1) limits(invocations = 512, buffers = 9) @k() {\n  ret\n}\n";
    let module = parsed(source);
    assert_eq!(round_trip(&module), source);
    assert_eq!(module.functions[0].limits.get(Limit::Buffers), 9);
    let blocks = "func kernel workgroup_size(512, 1, 1) limits(invocations = 512) @k() -> void {\nb0:\n  ret\n}\n";
    assert_eq!(parsed(blocks).functions[0].limits.get(Limit::Invocations), 512);
}

#[test]
fn limits_that_cannot_be_declared_are_refused() {
    let declared = |limits: &str| format!("func kernel workgroup_size(1, 1, 1) limits({limits}) @k() {{\n  ret\n}}");
    for (limits, message) in [
        ("threads = 512", "there is no limit `threads`"),
        ("buffers = 9, buffers = 10", "`buffers` is given twice"),
        ("buffers = 8", "`buffers = 8` is not needed: every device has 8 buffers"),
        ("invocations = 2048", "`invocations = 2048` is more than any device has: at most 1024"),
    ] {
        let found = errors(&declared(limits));
        assert_eq!((found.len(), found[0].2.as_str()), (1, message));
    }
}

#[test]
fn what_cannot_be_asked_of_a_loop_is_refused() {
    let inside = |asked: &str| in_kernel(&format!("loop unroll({asked}) {{ break }}\nret"));
    for (asked, message) in [
        ("", "expected a number of copies or `never`, found `)`"),
        ("always", "expected a number of copies or `never`, found `always`"),
        ("4294967296", "the number of copies `4294967296` does not fit 32 bits"),
    ] {
        assert_eq!(errors(&inside(asked))[0].2, message);
    }
    let device = "func fast_math @f() { ret }";
    assert_eq!(errors(device)[0].2, "expected the function's name (`@name`), found `fast_math`");
}

#[test]
fn the_canonical_form_is_this() {
    let text = "\
struct Ray { origin: vec3<f32>, length: f32 }

func kernel workgroup_size(64, 1, 1) @k(%n: u32, @x: [Ray], @y: mut [f32], @h: atomic [u32]) {
  shared @tile: [[f32; 8]; 4]
  private @tmp: [u32; 4]
  var $sum: f32
  %i = global_id.x
  %0 = load f32 @x[%i * 16] + 12
  %1 = load f32 @tile[%i * 32 < 4][%i < 8]
  set $sum, %1
  %2 = atomic.add @h[%n], 1u32
  %3 = cast %2 to f32
  %4 = lt %0, bits(0x7f800000)f32
  if %4 {
    store @y[%i], %3
  }
  %5, %6 = loop 'l0 (%j: u32 = 0u32, %7: f32 = -0.5f32) -> u32, f32 {
    %8 = ge %j, %n
    if %8 {
      break 'l0 %j, %7
    }
    %9 = add %j, 1u32
    switch %j {
      case 1u32, 2u32 {
        continue 'l0 %9, 1e30f32
      }
      default {
        ret
      }
    }
    continue 'l0 %9, %7
  }
  ret
}
";
    assert_eq!(print(&parsed(text)), text);
}

#[test]
fn any_name_reads_back() {
    let names =
        ["a", "a", "a.1", "größe", "add", "0", "7", "", " ", "x y", "\"", "\\", "\n\u{202e}", ";", "l0", "true"];
    let mut b = Builder::new("a\"b", [1, 1, 1]);
    let n = b.scalar("n", Type::U32);
    for name in names {
        b.buffer(name, Type::U32, Access::ReadWrite);
        b.scalar(name, Type::U32);
        b.var(name, Type::U32);
    }
    for name in names {
        let value = b.op(Op::Add, &[n, n]);
        b.name(value, name);
        b.op(Op::Neg, &[value]);
        let (inst, _) = b.begin_loop(Some(name), &[]);
        b.begin_loop(None, &[]);
        b.break_(inst, &[]);
        b.leave();
        b.unreachable();
        b.end_loop(inst, &[]);
    }
    b.ret();
    let mut types = Types::default();
    for name in ["u32", "vec2", "S", "S", "bytes"] {
        let fields = vec![(name.to_owned(), Type::U32), (name.to_owned(), Type::F32)];
        let other = vec![(name.to_owned(), Type::U32)];
        types.structure(StructDef { name: name.into(), fields });
        types.structure(StructDef { name: name.into(), fields: other });
    }
    let mut module = b.into_module(types);
    module.functions.push(module.functions[0].clone());
    let text = round_trip(&module);
    assert!(text.contains("%größe = add %n, %n\n"));
    assert!(text.contains("%\"\\u{a}\\u{202e}\" "));
}

#[test]
fn what_may_be_left_out_is_left_out() {
    let text = in_kernel(
        "%c = eq %n, 0u32 if %c { yield } else { yield } switch %n { case 1u32 { yield } default { yield } } loop { break } ret",
    );
    let shown = print(&parsed(&text));
    let body: Vec<&str> = shown.lines().skip(2).collect();
    let expected = [
        "  if %c {",
        "  }",
        "  switch %n {",
        "    case 1u32 {",
        "    }",
        "  }",
        "  loop 'l0 {",
        "    break 'l0",
        "  }",
        "  ret",
        "}",
    ];
    assert_eq!(body, expected);
}

#[test]
fn one_run_reports_every_mistake_once() {
    let source = in_kernel(
        "  %a = frobnicate %n\n  %b = add %a, %a\n  store @y[%b], %nope\n  if %c {\n    %d = add %n,\n  }\n  %e = load f32 @z[%n]\n  store @y[%d], 300u8\n  break\n  ret",
    );
    let found = errors(&source);
    let shown: Vec<_> = found.iter().map(|(code, place, message)| (*code, *place, message.as_str())).collect();
    assert_eq!(
        shown,
        [
            (Code::V700, (2, 8), "unknown instruction `frobnicate`"),
            (Code::V006, (4, 17), "cannot find value `%nope`"),
            (Code::V006, (5, 6), "cannot find value `%c`"),
            (Code::V700, (7, 3), "expected a value, found `}`"),
            (Code::V006, (8, 17), "cannot find memory `@z`"),
            (Code::V006, (9, 12), "cannot find value `%d` here"),
            (Code::V103, (9, 17), "literal `300u8` does not fit `u8`"),
            (Code::V104, (10, 3), "`break` outside of a loop"),
        ]
    );
}

#[test]
fn names_that_are_taken_are_reported_with_their_first_use() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(%a: u32, @a: [u32]) {\n  %b = add %a, %a\n  %b = add %a, %a\n  ret\n}\nfunc kernel workgroup_size(1, 1, 1) @k() {\n  ret\n}";
    let diags = parse(source).expect_err("duplicates");
    let messages: Vec<_> = diags.as_slice().iter().map(|d| (d.code, d.message.as_str(), d.labels.len())).collect();
    let expected = [
        (Code::V001, "two parameters are named `a`", 1),
        (Code::V001, "two values are named `%b`", 1),
        (Code::V001, "two functions are named `@k`", 1),
    ];
    assert_eq!(messages, expected);
}

#[test]
fn nesting_has_a_limit_and_the_limit_is_reached() {
    let nested = |depth: usize| {
        in_kernel(&format!("%c = eq %n, 0u32\n{}{}\nret", "if %c {\n".repeat(depth), "}\n".repeat(depth)))
    };
    let deepest = parsed(&nested(MAX_NESTING));
    round_trip(&deepest);
    assert_eq!(errors(&nested(MAX_NESTING + 1))[0].0, Code::V018);
    assert_eq!(errors(&nested(100_000)).len(), 1);
    let arrays = |depth: usize| {
        in_kernel("ret").replace("[u32]", &format!("[{}u32{}]", "[".repeat(depth), "; 1]".repeat(depth)))
    };
    round_trip(&parsed(&arrays(MAX_NESTING)));
    assert_eq!(errors(&arrays(100_000))[0].0, Code::V018);
}

#[test]
fn a_type_of_too_many_parts_is_refused_at_once() {
    let mut source = String::from("struct S0 { a: u32 }\n");
    for i in 1..40 {
        source += &format!("struct S{i} {{ a: S{0}, b: S{0} }}\n", i - 1);
    }
    // `S0` is made of 2 types and each next one of twice as many and itself: 3 * 2^n - 1.
    let found = errors(&source);
    assert_eq!(found[0].0, Code::V018);
    assert_eq!(found[0].2, "struct `S12` is made of more than 10000 types");
}

#[test]
fn no_text_makes_the_parser_panic() {
    let text = print(&everything());
    for (at, _) in text.char_indices().step_by(7) {
        let _ = parse(&text[..at]);
        let _ = parse(&text[at..]);
    }
    // A small generator of edits; the texts need only differ, not be random.
    let mut state = 1u64;
    let bits = b"%@$'\"{}[]()<>,:=*+-; \n0f.x";
    for _ in 0..2000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = bits[(state >> 20) as usize % bits.len()];
        }
        let source = String::from_utf8_lossy(&bytes).into_owned();
        if let Ok(module) = parse(&source) {
            let shown = print(&module);
            assert_eq!(print(&parsed(&shown)), shown);
        }
    }
}

#[test]
fn requirements_stand_after_the_parameters() {
    let source = "\
func kernel workgroup_size(1, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32]) requires(len @y >= len @x, %n < len @x * 4 - (%n - 1), %n == 3) {
  ret
}
";
    let module = parse(source).expect("a text");
    assert_eq!(print(&module), source);
    let (requires, params) = (&module.functions[0].requires, &module.functions[0].params);
    let shown: Vec<String> = requires.iter().map(|requirement| requirement.display(params)).collect();
    assert_eq!(shown, ["y.len() >= x.len()", "n < x.len() * 4 - (n - 1)", "n == 3"]);
}

#[test]
fn a_wrong_requirement_is_reported_where_it_is() {
    let wrong = |requirement: &str| {
        let source =
            format!("func kernel workgroup_size(1, 1, 1) @k(%n: u32, @x: [u32]) requires({requirement}) {{\nret\n}}");
        errors(&source).into_iter().next().map(|(_, _, message)| message)
    };
    let is = |message: &str| Some(message.to_owned());
    assert_eq!(wrong("%m >= 1"), is("cannot find value `%m`"));
    assert_eq!(wrong("len @n >= 1"), is("cannot find buffer `@n`"));
    assert_eq!(wrong("%x >= 1"), is("cannot find value `%x`"));
    assert_eq!(wrong("%n"), is("expected `>=`, `>`, `<=`, `<` or `==`, found `)`"));
    assert_eq!(wrong("%n = 1"), is("expected `=`, found `1`"));
    assert_eq!(
        wrong("%n >= -1"),
        is("expected a whole number of at most 64 bits, without a sign or a type, found `-1`")
    );
    assert_eq!(wrong("%n >= 1 >= 2"), is("expected `)`, found `>`"));
    assert_eq!(wrong(&format!("{}%n >= 1", "(".repeat(1000))), is("more than 64 parentheses are nested"));
}

#[test]
fn only_kernels_require_anything() {
    let device = "func @f(%n: u32) requires(%n >= 1) { ret }";
    assert_eq!(errors(device)[0].2, "expected `{`, found `requires`");
}

#[test]
fn racy_accesses_are_marked_and_nothing_else_is() {
    let text = "func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) {
  %0 = racy load u32 @y[0u32]
  racy store @y[1u32], %0
  ret
}
";
    let module = parse(text).expect("a text");
    assert_eq!(print(&module), text);
    assert_eq!(print(&crate::wire::decode(&crate::wire::encode(&module)).expect("an image")), text);
    let wrong = text.replace("racy load u32 @y[0u32]", "racy len @y");
    assert_eq!(errors(&wrong)[0].2, "only loads and stores are `racy`");
}
