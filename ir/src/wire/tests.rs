//! Tests of the binary form as a whole: what survives it, and what it refuses.

use super::{MAGIC, decode, encode, token};
use crate::arena::Id;
use crate::builder::Builder;
use crate::check::check_image;
use crate::diag::Code;
use crate::flags::{Flags, Unroll};
use crate::ir::{
    Access, Amount, CallArg, Case, Function, Index, InstKind, MAX_NESTING, Module, ParamKind, Place, Region, RegionDef,
    Relation, Requirement, Root, Step, Value, ValueDef,
};
use crate::limits::{Limit, Limits};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Builtin, Op, Signature};
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::{ArrayDef, Scalar, StructDef, Type, Types};
use std::collections::HashMap;
use std::fmt::Write as _;

/// A module as text that does not depend on ids: what must survive the binary form.
fn describe(module: &Module) -> String {
    let mut out = String::new();
    for function in &module.functions {
        let mut names = HashMap::new();
        let _ = writeln!(out, "{} {:?}", function.name, function.kind);
        for param in &function.params {
            let (ParamKind::Scalar(ty) | ParamKind::Buffer { element: ty, .. }) = param.kind;
            let access = match param.kind {
                ParamKind::Scalar(_) => None,
                ParamKind::Buffer { access, .. } => Some(access),
            };
            let _ = writeln!(out, "{} {access:?} {}", param.name, deep(&module.types, ty));
        }
        for memory in function.shared.iter().chain(&function.private) {
            let _ = writeln!(out, "{} {:?} {}", memory.name, memory.access, deep(&module.types, memory.ty));
        }
        describe_region(&mut out, function, function.body, &mut names);
    }
    out
}

/// A type with the declarations inside it.
fn deep(types: &Types, ty: Type) -> String {
    match ty {
        Type::Array(id) => format!("[{}; {}]", deep(types, types.arrays[id].element), types.arrays[id].len),
        Type::Struct(id) => {
            let fields: Vec<_> =
                types.structs[id].fields.iter().map(|(name, ty)| format!("{name}: {}", deep(types, *ty))).collect();
            format!("{} {{ {} }}", types.structs[id].name, fields.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn describe_region(out: &mut String, function: &Function, region: Region, names: &mut HashMap<Value, usize>) {
    let mut define = |out: &mut String, values: &[Value]| {
        for &value in values {
            let def = &function.values[value];
            let number = names.len();
            names.insert(value, number);
            let _ = write!(out, " {number}:{:?}={:?}", def.ty, def.name);
        }
    };
    define(out, &function.regions[region].params);
    out.push_str("{\n");
    for &inst in &function.regions[region].insts {
        let def = &function.insts[inst];
        let mut kind = def.kind.clone();
        kind.for_each_operand(|value| match function.constant_bits(value) {
            Some(bits) => {
                let _ = write!(out, " {:?}#{bits:x}", function.ty(value));
            }
            None => {
                let _ = write!(out, " {}", names[&value]);
            }
        });
        // What is left differs by ids only where they are taken out here.
        kind.map_operands(|_| Id::from_index(0));
        let text = match &kind {
            InstKind::Get(var) | InstKind::Set(var, _) => format!("{:?}", function.vars[*var]),
            InstKind::If { .. } => "if".to_owned(),
            InstKind::Switch { cases, .. } => {
                format!("switch {:?}", cases.iter().map(|case| case.values.clone()).collect::<Vec<_>>())
            }
            InstKind::Loop { label, .. } => format!("loop {label:?}"),
            InstKind::Break(target, _) | InstKind::Continue(target, _) => match &function.insts[*target].kind {
                InstKind::Loop { label, .. } => format!("{} {label:?}", matches!(kind, InstKind::Break(..))),
                other => format!("not a loop: {other:?}"),
            },
            other => format!("{other:?}"),
        };
        let _ = write!(out, " {text} {} {:?}", function.flags[inst], function.unroll[inst].map(|(unroll, _)| unroll));
        for inner in kind.regions() {
            describe_region(out, function, inner, names);
        }
        for &value in &def.results {
            let result = &function.values[value];
            let number = names.len();
            names.insert(value, number);
            let _ = write!(out, " -> {number}:{:?}={:?}", result.ty, result.name);
        }
        out.push('\n');
    }
    out.push_str("}\n");
}

/// Every op with operands of every type that it takes.
fn all_ops() -> Function {
    let mut b = Builder::new("ops", [1, 1, 1]);
    for &op in Op::ALL {
        let signature = op.info().signature;
        for scalar in signature.class().members() {
            for lanes in 1..=4u8 {
                let ty = if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes) };
                let a = b.scalar(format!("{scalar:?}x{lanes}"), ty);
                match signature {
                    Signature::Cast | Signature::Bitcast => {
                        b.op_to(op, &[a], ty);
                    }
                    Signature::Select => {
                        let condition = b.constant(Scalar::Bool, 1);
                        b.op(op, &[condition, a, a]);
                    }
                    Signature::Extract => {
                        let lane = b.u32(1);
                        b.op_to(op, &[a, lane], Type::Scalar(scalar));
                    }
                    Signature::Construct => {
                        let lane = b.constant(scalar, 1);
                        b.op(op, &vec![lane; usize::from(lanes).max(2)]);
                    }
                    Signature::Lanes(..) | Signature::Fixed(..) | Signature::Insert | Signature::Reduce => {
                        let Some((types, _)) = signature.types(ty) else { continue };
                        let more: Vec<_> = types[1..].iter().map(|&ty| b.scalar("more", ty)).collect();
                        b.op(op, &[&[a], more.as_slice()].concat());
                    }
                }
            }
        }
    }
    b.ret();
    b.finish()
}

/// Every instruction, atomic op, builtin and kind of memory.
fn all_instructions(types: &mut Types) -> Function {
    let pair = types.structure(StructDef {
        name: "Pair".into(),
        fields: vec![("a".into(), Type::F32), ("b".into(), Type::VEC2_U32)],
    });
    let (pairs, words) = (types.array(pair, 7), types.array(Type::U32, 64));
    let mut b = Builder::new("all", [8, 4, 2]);
    let raw = b.buffer("raw", Type::Bytes, Access::Read);
    let data = b.buffer("data", pair, Access::ReadWrite);
    let counts = b.buffer("counts", Type::U32, Access::Atomic);
    let tile = b.shared("tile", words, Access::ReadWrite);
    let bins = b.shared("bins", words, Access::Atomic);
    let tmp = b.private("tmp", pairs);
    let n = b.scalar("n", Type::U32);
    let unused = b.var("unused", Type::F32);
    let acc = b.var("acc", Type::I32);
    assert_ne!(unused, acc);
    for &builtin in Builtin::ALL {
        let value = b.builtin(builtin);
        b.name(value, builtin.name());
    }
    for root in [raw, data, counts, tile, bins, tmp] {
        b.len(root);
    }
    let (i, one, minus) = (b.builtin(Builtin::LocalIndex), b.u32(1), b.constant(Scalar::I32, u64::from(u32::MAX)));
    let place = b.place(
        data,
        &[Index { value: i, stride: 12, bound: None }, Index { value: one, stride: 4, bound: Some(u32::MAX) }],
        4,
    );
    let old = b.load(place.clone(), Type::F32);
    b.store(place, old);
    for &op in AtomicOp::ALL {
        let place = b.place(bins, &[Index { value: n, stride: 4, bound: Some(0) }], 0);
        b.atomic(op, place, &vec![one; op.operands()], Type::U32);
    }
    for &ordering in Ordering::ALL {
        for &scope in Scope::ALL {
            let place = b.place(bins, &[Index { value: n, stride: 4, bound: None }], 0);
            let order = MemoryOrder { ordering, failure: Ordering::SeqCst, scope };
            b.atomic_with(AtomicOp::CompareExchange, place, &[one, one], Type::U32, order);
            b.fence(ordering, scope);
        }
    }
    b.barrier();
    let read = b.get(acc);
    b.set(acc, minus);
    b.set(acc, read);
    let (outer, state) = b.begin_loop(Some("outer"), &[n, one]);
    let (inner, _) = b.begin_loop(None, &[]);
    let condition = b.op(Op::Lt, &[state[0], state[1]]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    b.enter(then);
    b.yield_(&[state[0]]);
    b.leave();
    b.enter(otherwise);
    b.continue_(outer, &[state[1], state[0]]);
    b.leave();
    let chosen = b.if_else(condition, then, otherwise, &[Type::U32]);
    b.name(chosen[0], "chosen");
    let (first, default) = (b.region(&[]), b.region(&[]));
    b.enter(first);
    b.break_(inner, &[]);
    b.leave();
    b.enter(default);
    b.break_(outer, &[chosen[0]]);
    b.leave();
    let cases = vec![Case { values: vec![1, u64::from(u32::MAX), u64::MAX], region: first }];
    b.switch(chosen[0], cases, default, &[]);
    b.unreachable();
    b.end_loop(inner, &[]);
    b.continue_(outer, &state);
    b.end_loop(outer, &[Type::U32]);
    b.ret();
    b.finish()
}

fn everything() -> Module {
    let mut types = Types::default();
    let all = all_instructions(&mut types);
    Module { types, functions: vec![all, all_ops(), callee(), caller()] }
}

/// A device function of a value and a view.
fn callee() -> Function {
    let mut b = Builder::device("callee");
    let a = b.scalar("a", Type::F32);
    let view = b.buffer("view", Type::U32, Access::Read);
    b.flags(Flags::NONUNIFORM);
    let n = b.len(view);
    b.flags(Flags::PRECISE.and(Flags::NOSZ));
    let a = b.op(Op::Neg, &[a]);
    b.flags(Flags::NONE);
    b.results(&[Type::U32, Type::F32]);
    b.ret_values(&[n, a]);
    b.finish()
}

/// A kernel that calls it.
fn caller() -> Function {
    let mut b = Builder::new("caller", [4, 1, 1]);
    let y = b.buffer("y", Type::U32, Access::ReadWrite);
    let i = b.builtin(Builtin::LocalIndex);
    let one = b.constant(Scalar::F32, 0x3f80_0000);
    let place = b.place(y, &[Index { value: i, stride: 4, bound: Some(9) }], 8);
    let results = b.call(2, vec![CallArg::Value(one), CallArg::Place(place)], &[Type::U32, Type::F32]);
    let place = b.place(y, &[], 0);
    b.store(place, results[0]);
    b.ret();
    b.finish()
}

#[test]
fn flags_are_of_what_takes_them_and_not_empty() {
    let with = |flags: u8, head: u8| {
        let mut b = Builder::device("f");
        b.flags(Flags::PRECISE);
        b.ret();
        let mut bytes = encode(&b.into_module(Types::default()));
        // The end is: the flags, `return` of nothing, no results.
        let end = bytes.len() - 5;
        assert_eq!(bytes[end..], [0x68, 1, 0x71, 0, 0]);
        bytes[end + 1] = flags;
        bytes[end + 2] = head;
        bytes
    };
    assert!(decode(&with(31, 0x71)).is_ok());
    for (flags, head, expected) in [
        (0, 0x71, "expected flags, found number 0"),
        (32, 0x71, "expected a load or store of a buffer or workgroup memory, since it is racy"),
        (63, 0x71, "expected a load or store of a buffer or workgroup memory, since it is racy"),
        (0x7f, 0x71, "expected flags, found number -1"),
        (1, 0x68, "expected an instruction, found flags once more"),
    ] {
        assert!(refusal(&with(flags, head)).contains(expected), "{expected}");
    }
}

#[test]
fn what_is_asked_of_loops_survives() {
    let mut b = Builder::new("k", [1, 1, 1]);
    let asked = [Some(Unroll::Full), None, Some(Unroll::By(0)), Some(Unroll::By(u32::MAX)), Some(Unroll::Never)];
    for unroll in asked {
        let (inst, _) = b.begin_loop(None, &[]);
        unroll.into_iter().for_each(|unroll| b.unroll(inst, unroll));
        b.break_(inst, &[]);
        b.end_loop(inst, &[]);
    }
    b.ret();
    let module = b.into_module(Types::default());
    let bytes = encode(&module);
    let back = decode(&bytes).expect("a module");
    let function = &back.functions[0];
    let found = function.regions[function.body].insts.iter().map(|&inst| function.unroll[inst].map(|(u, _)| u));
    assert_eq!(found.take(5).collect::<Vec<_>>(), asked);
    assert_eq!(encode(&back), bytes);
    // Instruction 25, and what is asked: everything.
    let at = bytes.windows(3).position(|three| three == [0x67, 0, 0]).expect("a loop that is to be unrolled");
    let mut bytes = bytes;
    bytes[at + 1] = 0x7f;
    assert!(refusal(&bytes).ends_with("expected how to unroll a loop, found number -1"));
}

#[test]
fn a_kernel_keeps_what_it_says_of_floats() {
    for fast in [false, true] {
        let mut b = Builder::new("k", [1, 1, 1]);
        b.fast_math(fast);
        b.ret();
        let back = decode(&encode(&b.into_module(Types::default()))).expect("a module");
        assert_eq!(back.functions[0].fast_math, fast);
    }
}

#[test]
fn a_kernel_keeps_the_limits_that_it_declares() {
    for fast in [false, true] {
        let mut b = Builder::new("k", [1, 1, 1]);
        let mut limits = Limits::NONE;
        limits.set(Limit::WorkgroupMemory, 20_480);
        limits.set(Limit::Buffers, 9);
        b.limits(limits);
        b.fast_math(fast);
        b.ret();
        let bytes = encode(&b.into_module(Types::default()));
        let back = decode(&bytes).expect("a module");
        assert_eq!((back.functions[0].limits, back.functions[0].fast_math), (limits, fast));
    }
}

#[test]
fn limits_in_another_order_or_unknown_are_refused() {
    let mut b = Builder::new("k", [1, 1, 1]);
    let mut limits = Limits::NONE;
    limits.set(Limit::Invocations, 8);
    limits.set(Limit::Buffers, 9);
    b.limits(limits);
    b.ret();
    let bytes = encode(&b.into_module(Types::default()));
    // Two limits, 1 and 2, each with its amount.
    let at = bytes.windows(5).position(|five| five == [2, 1, 8, 2, 9]).expect("the limits");
    let mut swapped = bytes.clone();
    swapped[at + 1..at + 5].copy_from_slice(&[2, 9, 1, 8]);
    assert!(refusal(&swapped).contains("canonical"));
    let mut unknown = bytes;
    unknown[at + 3] = 4;
    assert!(refusal(&unknown).ends_with("expected a limit, found number 4"));
}

#[test]
fn a_call_of_a_function_that_does_not_exist_is_refused() {
    let functions = vec![caller()];
    let bytes = encode(&Module { types: Types::default(), functions });
    assert!(refusal(&bytes).contains("expected one of 1 functions, found 2"));
}

/// A module of a few bytes with a loop, a branch, memory and constants of several sizes.
fn small() -> Module {
    let mut types = Types::default();
    let array = types.array(Type::F32, 4);
    let mut b = Builder::new("k", [64, 1, 1]);
    let x = b.buffer("x", Type::F32, Access::ReadWrite);
    b.shared("t", array, Access::ReadWrite);
    let i = b.builtin(Builtin::GlobalIdX);
    b.name(i, "i");
    let start = b.u32(0);
    let (l, state) = b.begin_loop(Some("l"), &[start]);
    let len = b.len(x);
    let more = b.op(Op::Lt, &[state[0], len]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    b.enter(then);
    let place = b.place(x, &[Index { value: state[0], stride: 4, bound: None }], 0);
    let one = b.constant(Scalar::F32, 0x3f80_0000);
    b.store(place, one);
    b.yield_(&[]);
    b.leave();
    b.enter(otherwise);
    b.break_(l, &[]);
    b.leave();
    b.if_else(more, then, otherwise, &[]);
    let next = b.op(Op::Add, &[state[0], i]);
    b.continue_(l, &[next]);
    b.end_loop(l, &[]);
    b.ret();
    b.into_module(types)
}

fn refusal(bytes: &[u8]) -> String {
    let diags = decode(bytes).expect_err("these bytes must be refused");
    assert_eq!(diags.as_slice().len(), 1);
    assert_eq!(diags.as_slice()[0].code, Code::V701);
    diags.as_slice()[0].message.clone()
}

#[test]
fn everything_survives() {
    let module = everything();
    let bytes = encode(&module);
    let back = decode(&bytes).unwrap();
    assert_eq!(describe(&back), describe(&module));
    assert_eq!(encode(&back), bytes);
}

#[test]
fn the_file_of_a_small_module_is_pinned() {
    let hex: String = encode(&small()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, GOLDEN);
}

/// Checked by hand against the grammar in `wire`: the header and one array type; the
/// signature of `k`; two constants; the body, the loop and the branch in it.
const GOLDEN: &str = concat!(
    "5342495203",                   // SBIR, version 3
    "01002c04",                     // one type, [f32; 4]
    "01016b018040010101",           // one function, `k`, a kernel of 64 x 1 x 1, one parameter
    "0178022c000101747f0200",       // x: mut [f32]; no results; workgroup memory t; no private memory
    "000207000af03f800000",         // no variables; 0u32, 1.0f32
    "00037b0101200269",             // body of three: i = global_id.x
    "75026c017f01200005",           // loop 'l (u32 = 0u32), of five
    "7c00012000",                   // len @x
    "22020201010400",               // lt
    "7701",                         // if
    "00027e0000010304007e00740000", // store, yield
    "0001730000",                   // break
    "0000",                         // neither it nor the if has results
    "01020304012000",               // add
    "720001010000",                 // continue; the loop has no results
    "710000",                       // ret
);

#[test]
fn an_order_that_is_the_default_one_is_not_stated() {
    let mut b = Builder::new("k", [1, 1, 1]);
    let h = b.buffer("h", Type::U32, Access::Atomic);
    let one = b.u32(1);
    let order = MemoryOrder { ordering: Ordering::Acquire, ..MemoryOrder::RELAXED };
    b.atomic_with(AtomicOp::Add, b.place(h, &[], 0), &[one], Type::U32, order);
    b.ret();
    let mut bytes = encode(&b.into_module(Types::default()));
    // Instruction 20: `add`, acquire, relaxed, device.
    let at = bytes.windows(5).position(|five| five == [0x6c, 3, 2, 1, 4]).expect("an order is stated");
    bytes[at + 2] = 1;
    let message = refusal(&bytes);
    assert!(message.ends_with("expected an order other than the default one"), "{message}");
}

#[test]
fn ids_do_not_matter() {
    let plain = small();
    // The same structure with constants, values and regions made in another order and
    // with entries of every arena that the body does not reach.
    let mut types = Types::default();
    types.array(Type::U64, 9);
    types.structure(StructDef { name: "Unused".into(), fields: vec![] });
    let array = types.array(Type::F32, 4);
    let mut b = Builder::new("k", [64, 1, 1]);
    let one = b.constant(Scalar::F32, 0x3f80_0000);
    b.constant(Scalar::U64, 77);
    let start = b.u32(0);
    b.var("unused", Type::U32);
    let (otherwise, then) = (b.region(&[]), b.region(&[]));
    b.region(&[Type::F32]);
    let x = b.buffer("x", Type::F32, Access::ReadWrite);
    b.shared("t", array, Access::ReadWrite);
    b.at(Loc::new(5));
    let i = b.builtin(Builtin::GlobalIdX);
    b.name(i, "i");
    let (l, state) = b.begin_loop(Some("l"), &[start]);
    b.enter(otherwise);
    b.break_(l, &[]);
    b.barrier();
    b.leave();
    let len = b.len(x);
    let more = b.op(Op::Lt, &[state[0], len]);
    b.enter(then);
    let place = b.place(x, &[Index { value: state[0], stride: 4, bound: None }], 0);
    b.store(place, one);
    b.yield_(&[]);
    b.leave();
    b.if_else(more, then, otherwise, &[]);
    let next = b.op(Op::Add, &[state[0], i]);
    b.continue_(l, &[next]);
    b.end_loop(l, &[]);
    b.ret();
    assert_eq!(encode(&b.into_module(types)), encode(&plain));
}

#[test]
fn equal_types_with_two_ids_encode_as_one() {
    let declare = |count: usize| {
        let mut types = Types::default();
        let ids: Vec<_> = (0..2).map(|_| types.arrays.push(ArrayDef { element: Type::U32, len: 3 })).collect();
        let mut b = Builder::new("k", [1, 1, 1]);
        b.private("a", Type::Array(ids[0]));
        b.private("b", Type::Array(ids[count - 1]));
        b.ret();
        encode(&b.into_module(types))
    };
    assert_eq!(declare(1), declare(2));
    assert!(decode(&declare(2)).is_ok());
}

#[test]
fn names_matter() {
    let mut renamed = small();
    renamed.functions[0].name = "j".into();
    assert_ne!(encode(&renamed), encode(&small()));
}

#[test]
fn every_truncation_is_refused() {
    let bytes = encode(&small());
    for len in 0..bytes.len() {
        refusal(&bytes[..len]);
    }
}

#[test]
fn every_flipped_bit_is_refused_or_another_canonical_file() {
    let bytes = encode(&small());
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match decode(&flipped) {
            Ok(module) => assert_eq!(encode(&module), flipped, "bit {bit}"),
            Err(diags) => assert_eq!(diags.as_slice()[0].code, Code::V701, "bit {bit}"),
        }
    }
}

#[test]
fn every_byte_replaced_by_every_other_ends_without_panic() {
    let bytes = encode(&small());
    for at in 0..bytes.len() {
        for byte in 0..=u8::MAX {
            let mut changed = bytes.clone();
            changed[at] = byte;
            if let Ok(module) = decode(&changed) {
                assert_eq!(encode(&module), changed, "{byte:#x} at {at}");
            }
        }
    }
}

#[test]
fn a_huge_count_is_refused_where_it_stands() {
    let mut bytes = MAGIC.to_vec();
    token::write(&mut bytes, super::VERSION.into());
    token::write(&mut bytes, 0xffff_ffff);
    assert_eq!(
        refusal(&bytes),
        "malformed wire bytes at offset 5: expected the number of types of at most the 0 bytes left, found 4294967295"
    );
    // Everywhere else, too.
    let file = encode(&small());
    for at in 4..file.len() {
        let mut bytes = file[..at].to_vec();
        token::write(&mut bytes, 0xffff_ffff);
        bytes.extend(&file[at + 1..]);
        assert!(decode(&bytes).is_err() || encode(&decode(&bytes).unwrap()) == bytes);
    }
}

#[test]
fn wrong_magic_and_version_have_messages_of_their_own() {
    let mut bytes = encode(&small());
    bytes[4] = 1;
    assert_eq!(refusal(&bytes), "wire version 1 is not supported, expected version 3");
    bytes[0] = b'X';
    assert_eq!(refusal(&bytes), "not a wire file: it does not start with `SBIR`");
}

#[test]
fn trailing_bytes_are_refused() {
    let mut bytes = encode(&small());
    let end = bytes.len();
    bytes.push(0);
    assert_eq!(
        refusal(&bytes),
        format!("malformed wire bytes at offset {end}: expected the end of the bytes, found 1 more")
    );
}

/// A module whose only function is `nested` regions below its body.
fn nested(depth: usize) -> Module {
    let mut b = Builder::new("k", [1, 1, 1]);
    let condition = b.constant(Scalar::Bool, 1);
    let mut opened = Vec::new();
    for _ in 0..depth {
        let (then, otherwise) = (b.region(&[]), b.region(&[]));
        b.enter(then);
        opened.push((then, otherwise));
    }
    while let Some((then, otherwise)) = opened.pop() {
        b.yield_(&[]);
        b.leave();
        b.if_else(condition, then, otherwise, &[]);
    }
    b.ret();
    b.into_module(Types::default())
}

#[test]
fn nesting_is_limited_on_both_sides() {
    assert!(decode(&encode(&nested(MAX_NESTING))).is_ok());
    refusal(&encode(&nested(MAX_NESTING + 1)));
    refusal(&encode(&nested(20_000)));
    // Bytes that go on nesting: `if` of a constant, no parameters, one instruction.
    let mut bytes = encode(&nested(0));
    // The end is: no constants, no parameters, one instruction, `return` of nothing, no results.
    let tail = [0, 0, 1, 0x71, 0, 0];
    let body = bytes.len() - tail.len();
    assert_eq!(bytes[body..], tail);
    bytes.truncate(body);
    bytes.extend([1, 0, 1, 0, 1]);
    for _ in 0..100_000 {
        bytes.extend([0x77, 0x7f, 0, 1]);
    }
    assert!(refusal(&bytes).contains("regions nested at most 64 deep"));
}

#[test]
fn types_that_double_are_limited() {
    let double = |times: usize| {
        let mut types = Types::default();
        let mut ty = types.structure(StructDef { name: "S".into(), fields: vec![] });
        for _ in 0..times {
            let fields = vec![("a".into(), ty), ("b".into(), ty)];
            ty = types.structure(StructDef { name: "S".into(), fields });
        }
        let mut b = Builder::new("k", [1, 1, 1]);
        b.private("p", ty);
        b.ret();
        encode(&b.into_module(types))
    };
    assert!(decode(&double(12)).is_ok());
    assert!(refusal(&double(13)).contains("a type of at most 10000 parts"));
    refusal(&double(63));
}

#[test]
fn modules_without_an_encoding_are_refused() {
    let base = || {
        let mut b = Builder::new("k", [1, 1, 1]);
        b.ret();
        b.finish()
    };
    let with = |change: &dyn Fn(&mut Function)| {
        let mut function = base();
        change(&mut function);
        encode(&Module { types: Types::default(), functions: vec![function] })
    };
    let first = |function: &mut Function, kind: InstKind| {
        let inst = function.regions[function.body].insts[0];
        function.insts[inst].kind = kind;
    };
    let far = u32::MAX as usize;
    assert!(decode(&with(&|_| {})).is_ok());
    let place = Place { root: Root::Private(9), offset: 0, indices: vec![] };
    let cases: &[&dyn Fn(&mut Function)] = &[
        &|f| f.body = Id::from_index(far),
        &|f| f.regions[f.body].insts.push(Id::from_index(far)),
        &|f| f.regions[f.body].params.push(Id::from_index(far)),
        &|f| first(f, InstKind::Yield(vec![Id::from_index(far)])),
        &|f| first(f, InstKind::Get(Id::from_index(far))),
        &|f| first(f, InstKind::Break(Id::from_index(far), vec![])),
        &|f| first(f, InstKind::Load(place.clone())),
        &|f| {
            let body = f.body;
            let loop_ = InstKind::Loop { body, initial: vec![], label: None };
            first(f, loop_);
        },
        &|f| {
            let value = f.values.push(ValueDef { ty: Type::U32, constant: None, name: None });
            first(f, InstKind::Yield(vec![value]));
        },
        &|f| {
            let value = f.values.push(ValueDef { ty: Type::Error, constant: None, name: None });
            f.regions[f.body].params.push(value);
        },
        &|f| {
            let value = f.values.push(ValueDef { ty: Type::Vector(Scalar::U8, 9), constant: None, name: None });
            f.regions[f.body].params.push(value);
        },
        &|f| {
            let value = f.values.push(ValueDef { ty: Type::BOOL, constant: Some(6), name: None });
            first(f, InstKind::Yield(vec![value]));
        },
        &|f| {
            let empty = f.regions.push(RegionDef::default());
            let value = f.constant(Scalar::Bool, 1);
            first(f, InstKind::If { condition: value, then: empty, otherwise: empty });
        },
    ];
    for (i, case) in cases.iter().enumerate() {
        assert!(decode(&with(case)).is_err(), "case {i}");
    }
}

#[test]
fn a_type_inside_itself_is_refused() {
    let mut types = Types::default();
    let id = types.arrays.next_id();
    types.arrays.push(ArrayDef { element: Type::Array(id), len: 2 });
    let mut b = Builder::new("k", [1, 1, 1]);
    b.private("p", Type::Array(id));
    b.ret();
    refusal(&encode(&b.into_module(types)));
}

#[test]
fn random_bytes_after_a_good_start_end_without_panic() {
    let start = encode(&small());
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for round in 0..20_000 {
        let mut bytes = start[..5 + round % (start.len() - 5)].to_vec();
        for _ in 0..32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let byte = (state >> 56) as u8;
            // Mostly short numbers, which say more than long ones.
            bytes.push(if state >> 40 & 7 == 0 { byte } else { (byte & 0x43).wrapping_sub(byte >> 7) & 0x7f });
        }
        if let Ok(module) = decode(&bytes) {
            assert_eq!(encode(&module), bytes);
        }
    }
}

#[test]
fn requirements_round_trip_and_tell_kernels_apart() {
    let text = |requires: &str| {
        format!("func kernel fast_math workgroup_size(8, 1, 1) @k(%n: i64, @x: [u32]){requires} {{\n  ret\n}}\n")
    };
    let plain = encode(&crate::text::parse(&text("")).expect("a text"));
    let mut known = vec![plain];
    let largest = format!(" requires(len @x * 2 - (%n + 1) == {})", u64::MAX);
    for requires in
        [" requires(len @x >= 1)", " requires(len @x > 1)", " requires(len @x >= 1, %n >= 1)", largest.as_str()]
    {
        let bytes = encode(&crate::text::parse(&text(requires)).expect("a text"));
        let back = decode(&bytes).expect("canonical bytes");
        assert_eq!(crate::text::print(&back), text(requires));
        assert!(!known.contains(&bytes), "{requires}");
        known.push(bytes);
    }
}

#[test]
fn hostile_requirements_are_refused() {
    let module = |steps: Vec<Step>| {
        let mut b = Builder::new("k", [1, 1, 1]);
        let right = Amount(vec![Step::Number(0)]);
        b.requires(vec![Requirement { left: Amount(steps), relation: Relation::Ge, right, loc: Loc::NONE }]);
        b.ret();
        b.into_module(Types::default())
    };
    for steps in
        [vec![], vec![Step::Add], vec![Step::Len(9)], vec![Step::Scalar(u32::MAX)], vec![Step::Number(1); 3000]]
    {
        let decoded = decode(&encode(&module(steps))).expect("canonical bytes");
        let diags = check_image(decoded).map(|_| ()).unwrap_err();
        assert_eq!(diags.as_slice()[0].code, Code::V305);
    }
}
