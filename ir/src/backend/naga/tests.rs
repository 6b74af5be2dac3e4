//! Every op and construct becomes a module that naga accepts without capabilities.

use super::*;
use crate::builder::Builder;
use crate::check::{check, check_image};
use crate::ir::{Case, Index, Place, Value};
use crate::ops::{AtomicOp, Builtin, Op, Signature};
use crate::scalar::cast_rule;
use crate::types::{Scalar, StructDef};
use naga::valid::{Capabilities, ValidationFlags, Validator};

const EXACT: Options = Options { immediates: false, fused_mul_add: true, exact_floats: true };
const SOFT: Options = Options { immediates: true, fused_mul_add: false, exact_floats: false };
const HALF_SOFT: Options = Options { immediates: false, fused_mul_add: true, exact_floats: false };

/// Emits with every option, validates, writes SPIR-V, and gives the WGSL of the exact form.
fn wgsl(b: Builder, types: Types) -> String {
    let checked = check_image(b.into_module(types)).expect("the kernel is right");
    let mut text = String::new();
    for options in [SOFT, HALF_SOFT, EXACT] {
        let shader = emit(&checked, 0, &options).expect("there is a kernel");
        let capabilities = if options.immediates { Capabilities::IMMEDIATES } else { Capabilities::empty() };
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&shader.module)
            .unwrap_or_else(|e| panic!("{}\n{:#?}", e.emit_to_string(""), shader.module.entry_points));
        let spirv = naga::back::spv::write_vec(&shader.module, &info, &naga::back::spv::Options::default(), None)
            .expect("SPIR-V can be written");
        validate_spirv(&spirv);
        text = naga::back::wgsl::write_string(&shader.module, &info, naga::back::wgsl::WriterFlags::empty())
            .expect("WGSL can be written");
    }
    text
}

/// Runs `spirv-val` if this machine has it.
fn validate_spirv(words: &[u32]) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let spawned = Command::new("spirv-val").args(["--target-env", "vulkan1.1", "-"]).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&bytes).expect("spirv-val reads");
    }
    assert!(child.wait().expect("spirv-val ends").success());
}

fn at(b: &Builder, root: Root, value: Value, stride: u32) -> Place {
    b.place(root, &[Index { value, stride, bound: None }], 0)
}

fn saxpy() -> Builder {
    let mut b = Builder::new("saxpy", [256, 1, 1]);
    let a = b.scalar("a", Type::F32);
    let x = b.buffer("x", Type::F32, Access::Read);
    let y = b.buffer("y", Type::F32, Access::ReadWrite);
    let i = b.builtin(Builtin::GlobalIdX);
    let n = b.len(y);
    let inside = b.op(Op::Lt, &[i, n]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    b.enter(then);
    let vx = b.load(at(&b, x, i, 4), Type::F32);
    let product = b.op(Op::Mul, &[a, vx]);
    let vy = b.load(at(&b, y, i, 4), Type::F32);
    let sum = b.op(Op::Add, &[product, vy]);
    b.store(at(&b, y, i, 4), sum);
    b.yield_(&[]);
    b.leave();
    b.enter(otherwise);
    b.yield_(&[]);
    b.leave();
    b.if_else(inside, then, otherwise, &[]);
    b.ret();
    b
}

#[test]
fn saxpy_declares_two_float_arrays_and_the_launch() {
    let text = wgsl(saxpy(), Types::default());
    assert!(text.contains("@group(0) @binding(0) \nvar<storage> buffer: array<f32>;"), "{text}");
    assert!(text.contains("@group(0) @binding(1) \nvar<storage, read_write> buffer_1: array<f32>;"), "{text}");
    assert!(text.contains("@group(0) @binding(2) \nvar<uniform> parameters: Parameters;"), "{text}");
}

/// Loads operands of these types, each from its own buffer, and stores what `make` gives.
fn with_operands(types: &[Type], make: impl FnOnce(&mut Builder, &[Value]) -> Value) -> Builder {
    let mut b = Builder::new("op", [1, 1, 1]);
    let tables = Types::default();
    let buffers: Vec<Root> =
        types.iter().enumerate().map(|(i, &ty)| b.buffer(format!("operand{i}"), ty, Access::Read)).collect();
    let zero = b.u32(0);
    let mut operands = Vec::new();
    for (&root, &ty) in buffers.iter().zip(types) {
        let size = tables.layout(ty).expect("values have sizes").size;
        operands.push(b.load(at(&b, root, zero, size), ty));
    }
    let result = make(&mut b, &operands);
    let ty = b.function().ty(result);
    let out = b.buffer("out", ty, Access::ReadWrite);
    let size = tables.layout(ty).expect("values have sizes").size;
    let i = b.builtin(Builtin::GlobalIdX);
    b.store(at(&b, out, i, size), result);
    b.ret();
    b
}

fn value_types() -> Vec<Type> {
    let scalars = [Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::F32];
    let vectors = scalars.iter().flat_map(|&s| (2..=4).map(move |n| Type::Vector(s, n)));
    scalars.iter().map(|&s| Type::Scalar(s)).chain(vectors).chain([Type::U64]).collect()
}

#[test]
fn every_op_of_every_type_is_lowered() {
    let mut seen = 0;
    for &op in Op::ALL {
        for ty in value_types() {
            let signature = op.info().signature;
            let operands = match signature {
                Signature::Select => vec![Type::BOOL, ty, ty],
                Signature::Extract => vec![ty, Type::U32],
                Signature::Shift(_) => vec![ty, ty.with_lane(Scalar::U32)],
                Signature::Construct => vec![ty; 3],
                Signature::Cast | Signature::Bitcast => continue,
                _ => vec![ty; signature.arity().0],
            };
            if op.result(&operands, None).is_none() {
                continue;
            }
            wgsl(with_operands(&operands, |b, args| b.op(op, args)), Types::default());
            seen += 1;
        }
    }
    assert!(seen > 250, "{seen}");
}

#[test]
fn every_cast_of_the_table_is_lowered() {
    let mut seen = 0;
    for from in value_types() {
        for to in value_types() {
            for op in [Op::Cast, Op::Bitcast] {
                if op.result(&[from], Some(to)).is_some() {
                    wgsl(with_operands(&[from], |b, args| b.op_to(op, args, to)), Types::default());
                    seen += 1;
                }
            }
        }
    }
    assert!(cast_rule(Type::U32, Type::VEC4_U32).is_some() && seen > 60, "{seen}");
}

#[test]
fn operands_may_all_be_constants() {
    for &op in Op::ALL {
        for scalar in [Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::F32] {
            for bits in [0u64, 1, 0x7f80_0000, 0x8000_0000, 0xffff_ffff] {
                let (few, _) = op.info().signature.arity();
                let types: Vec<Type> = match op.info().signature {
                    Signature::Shift(_) => vec![scalar.into(), Type::U32],
                    Signature::Select => vec![Type::BOOL, scalar.into(), scalar.into()],
                    _ => vec![scalar.into(); few],
                };
                if op.result(&types, None).is_none() {
                    continue;
                }
                let kernel = with_operands(&[], |b, _| {
                    let args: Vec<Value> = types.iter().filter_map(|ty| Some(b.constant(ty.lane()?, bits))).collect();
                    b.op(op, &args)
                });
                wgsl(kernel, Types::default());
            }
        }
    }
}

#[test]
fn every_atomic_is_lowered_in_buffers_and_workgroup_memory() {
    for &op in AtomicOp::ALL {
        for (one, other) in [(Type::U32, None), (Type::I32, None), (Type::I32, Some(Type::U32))] {
            for shared in [false, true] {
                let mut types = Types::default();
                let mut b = Builder::new("atomic", [64, 1, 1]);
                let root = if shared {
                    let array = types.array(one, 16);
                    b.shared("cells", array, Access::Atomic)
                } else {
                    b.buffer("cells", one, Access::Atomic)
                };
                let out = b.buffer("out", one, Access::ReadWrite);
                let i = b.builtin(Builtin::GlobalIdX);
                let value = b.op_to(Op::Cast, &[i], one);
                let args = vec![value; op.operands()];
                if let Some(old) = b.atomic(op, at(&b, root, i, 4), &args, one) {
                    b.store(at(&b, out, i, 4), old);
                }
                if let Some(other) = other {
                    b.atomic(AtomicOp::Max, at(&b, root, i, 4), &[i], other);
                }
                b.ret();
                wgsl(b, types);
            }
        }
    }
}

/// `sum(for x in 0..n, for y in 0..x: if y == 3 continue outer; if y == 5 break outer; …)`
/// with the jumps inside a `switch`.
#[test]
fn jumps_leave_switches_and_inner_loops() {
    let mut b = Builder::new("jumps", [64, 1, 1]);
    let n = b.scalar("n", Type::U32);
    let out = b.buffer("out", Type::U32, Access::ReadWrite);
    let (zero, one) = (b.u32(0), b.u32(1));
    let (outer, x) = b.begin_loop(Some("outer"), &[zero, zero]);
    let done = b.op(Op::Ge, &[x[0], n]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    b.enter(then);
    b.break_(outer, &[x[1]]);
    b.leave();
    b.enter(otherwise);
    b.yield_(&[]);
    b.leave();
    b.if_else(done, then, otherwise, &[]);
    let next = b.op(Op::Add, &[x[0], one]);
    let (inner, y) = b.begin_loop(Some("inner"), &[zero]);
    let cases: Vec<Case> = (0..4u64).map(|k| Case { values: vec![2 * k, 2 * k + 1], region: b.region(&[]) }).collect();
    let default = b.region(&[]);
    b.enter(cases[0].region);
    b.continue_(outer, &[next, x[1]]);
    b.leave();
    b.enter(cases[1].region);
    b.break_(outer, &[y[0]]);
    b.leave();
    b.enter(cases[2].region);
    b.break_(inner, &[]);
    b.leave();
    b.enter(cases[3].region);
    b.ret();
    b.leave();
    b.enter(default);
    let more = b.op(Op::Add, &[y[0], one]);
    b.yield_(&[more]);
    b.leave();
    let more = b.switch(y[0], cases, default, &[Type::U32]);
    b.continue_(inner, &[more[0]]);
    b.end_loop(inner, &[]);
    b.continue_(outer, &[next, next]);
    let result = b.end_loop(outer, &[Type::U32]);
    b.store(at(&b, out, zero, 4), result[0]);
    b.ret();
    let text = wgsl(b, Types::default());
    assert!(text.contains("switch"), "{text}");
    // Leaving the outer loop from the switch takes a break after the switch and one after the inner loop.
    assert_eq!(text.matches("break;").count(), 1 + 1 + 3 + 3, "{text}");
}

#[test]
fn a_switch_over_other_types_picks_by_position() {
    for (scalar, values) in [(Scalar::Bool, vec![1]), (Scalar::U64, vec![5, 1 << 40]), (Scalar::I32, vec![0xffff_ffff])]
    {
        let kernel = with_operands(&[scalar.into()], |b, args| {
            let (case, default) = (b.region(&[]), b.region(&[]));
            let (one, two) = (b.constant(Scalar::F32, 0x7fc0_0000), b.constant(Scalar::F32, 0x3f80_0000));
            b.enter(case);
            b.yield_(&[one]);
            b.leave();
            b.enter(default);
            b.yield_(&[two]);
            b.leave();
            b.switch(args[0], vec![Case { values, region: case }], default, &[Type::F32])[0]
        });
        wgsl(kernel, Types::default());
    }
}

#[test]
fn a_swap_in_a_loop_reads_both_before_it_writes() {
    let mut b = Builder::new("swap", [1, 1, 1]);
    let (p, q) = (b.scalar("p", Type::U32), b.scalar("q", Type::U32));
    let out = b.buffer("out", Type::U32, Access::ReadWrite);
    let (l, state) = b.begin_loop(None, &[p, q]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    let odd = b.op(Op::Lt, &[state[0], state[1]]);
    b.enter(then);
    b.break_(l, &[state[0]]);
    b.leave();
    b.enter(otherwise);
    b.continue_(l, &[state[1], state[0]]);
    b.leave();
    b.if_else(odd, then, otherwise, &[]);
    b.unreachable();
    let result = b.end_loop(l, &[Type::U32]);
    let zero = b.u32(0);
    b.store(at(&b, out, zero, 4), result[0]);
    b.ret();
    let text = wgsl(b, Types::default());
    let body = text.split("loop {").nth(1).expect("there is a loop");
    let last_read = body.find("let v_1 = ").or(body.find("let v_2 = ")).expect("parameters are read");
    let first_write = body.find("local_").and_then(|_| body.find("_3 = ")).expect("parameters are written");
    assert!(last_read < first_write, "{text}");
}

#[test]
fn a_tile_uses_workgroup_memory_and_barriers() {
    let mut types = Types::default();
    let tile = types.array(Type::F32, 64);
    let scratch = types.array(Type::U32, 4);
    let mut b = Builder::new("tile", [64, 1, 1]);
    let data = b.buffer("data", Type::F32, Access::ReadWrite);
    let shared = b.shared("tile", tile, Access::ReadWrite);
    let private = b.private("scratch", scratch);
    let (i, l) = (b.builtin(Builtin::GlobalIdX), b.builtin(Builtin::LocalIndex));
    let value = b.load(at(&b, data, i, 4), Type::F32);
    b.store(at(&b, shared, l, 4), value);
    b.barrier();
    let last = b.u32(63);
    let mirrored = b.op(Op::Sub, &[last, l]);
    let other = b.load(at(&b, shared, mirrored, 4), Type::F32);
    b.store(at(&b, private, l, 4), l);
    let kept = b.load(at(&b, private, l, 4), Type::U32);
    let outside = b.u32(4);
    b.store(at(&b, private, outside, 4), kept);
    let nothing = b.load(at(&b, private, outside, 4), Type::U32);
    let sum = b.op(Op::Add, &[kept, nothing]);
    b.store(at(&b, data, sum, 4), other);
    b.ret();
    let text = wgsl(b, types);
    assert!(text.contains("var<workgroup> shared_: array<f32, 64>"), "{text}");
    assert!(text.contains("workgroupBarrier();") && text.contains("storageBarrier();"), "{text}");
}

#[test]
fn elements_of_eight_and_sixteen_bytes_load_at_once() {
    for (ty, declared) in [
        (Type::Vector(Scalar::F32, 4), "array<vec4<f32>>"),
        (Type::Vector(Scalar::F32, 2), "array<vec2<f32>>"),
        (Type::Vector(Scalar::I32, 4), "array<vec4<u32>>"),
        (Type::U64, "array<vec2<u32>>"),
        (Type::Vector(Scalar::F32, 3), "array<f32>"),
    ] {
        let text = wgsl(with_operands(&[ty], |_, args| args[0]), Types::default());
        assert_eq!(text.matches(declared).count(), 2, "{text}");
    }
}

#[test]
fn places_in_structs_are_words() {
    let mut types = Types::default();
    let inner = types.array(Type::VEC2_U32, 3);
    let fields = vec![("a".to_owned(), Type::F32), ("b".to_owned(), inner), ("c".to_owned(), Type::BOOL)];
    let item = types.structure(StructDef { name: "Item".to_owned(), fields });
    let mut b = Builder::new("items", [64, 1, 1]);
    let items = b.buffer("items", item, Access::ReadWrite);
    let (i, j) = (b.builtin(Builtin::GlobalIdX), b.builtin(Builtin::GlobalIdY));
    let item = Index { value: i, stride: 32, bound: None };
    let a = b.load(b.place(items, &[item], 0), Type::F32);
    let row = Index { value: j, stride: 8, bound: Some(3) };
    let pair = b.load(b.place(items, &[item, row], 4), Type::VEC2_U32);
    let flag = b.load(b.place(items, &[item], 28), Type::BOOL);
    // An unbounded inner index may reach into later elements.
    let free = Index { value: j, stride: 4, bound: None };
    let word = b.load(b.place(items, &[item, free], 8), Type::U32);
    let chosen = b.op(Op::Select, &[flag, word, j]);
    b.store(b.place(items, &[item, free], 0), chosen);
    b.store(b.place(items, &[item, row], 4), pair);
    b.store(b.place(items, &[item], 0), a);
    b.store(b.place(items, &[], 28), flag);
    b.ret();
    let text = wgsl(b, types);
    assert!(text.contains("buffer: array<u32>"), "{text}");
}

#[test]
fn there_is_no_kernel_beyond_the_last() {
    let checked = check(saxpy().into_module(Types::default())).expect("the kernel is right");
    assert!(emit(&checked, 1, &EXACT).is_none());
}

#[test]
fn the_launch_has_a_word_for_each_register_of_the_scalars() {
    let mut b = Builder::new("words", [1, 1, 1]);
    for (name, ty) in [("long", Type::U64), ("flag", Type::BOOL), ("point", Type::Vector(Scalar::F32, 3))] {
        b.scalar(name, ty);
    }
    b.buffer("data", Type::F32, Access::Read);
    b.ret();
    let checked = check(b.into_module(Types::default())).expect("the kernel is right");
    assert_eq!(emit(&checked, 0, &EXACT).map(|shader| shader.param_words), Some(5 + 1 + 2 + 1 + 3));
}
