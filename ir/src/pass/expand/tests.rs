//! What expansion gives is held against [`Op::eval`], op by op.

use super::{Expansion, expand};
use crate::builder::Builder;
use crate::check::check;
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{Access, Index, InstKind};
use crate::math::{Method, Step};
use crate::ops::{Op, Signature};
use crate::scalar::Lanes;
use crate::types::{Scalar, Type, Types};

/// Bits at and around the edges of every type, and some in between.
fn edges(ty: Scalar) -> Vec<u64> {
    let (mask, top) = (ty.mask(), 1 << (ty.bits() - 1));
    let mut bits =
        vec![0, 1, 2, 3, 5, 7, 8, 31, 100, top - 1, top, top + 1, mask, mask - 1, mask ^ 0x55, mask / 3, mask / 7];
    let floats: &[f64] =
        &[1.0, -1.0, 0.5, 0.49, -0.0, 1.5, 2.5, 3.0, 1e-7, 6e-8, 1e4, 65_504.0, 1e-40, 1e300, 4e-320, f64::INFINITY];
    let float = |&value: &f64| match ty {
        Scalar::F16 => crate::scalar::half::from_f64(value).into(),
        Scalar::F32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    };
    if ty.is_float() {
        bits.extend(floats.iter().map(float));
        bits.push(crate::scalar::nan(ty).unwrap_or_default() | 1);
    }
    bits.iter().map(|bits| bits & mask).collect()
}

/// Operands for an op: edges, mixed by a fixed sequence.
fn operands(types: &[Type], count: usize) -> Vec<Vec<Lanes>> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count)
        .map(|_| {
            let operand = |ty: &Type| {
                let lane = ty.lane().unwrap_or(Scalar::U32);
                let edges = edges(lane);
                let mut lanes = [0; 4];
                for bits in lanes.iter_mut().take(ty.lanes()) {
                    let random = next();
                    *bits =
                        if random % 3 == 0 { next() & lane.mask() } else { edges[random as usize / 3 % edges.len()] };
                }
                lanes
            };
            types.iter().map(operand).collect()
        })
        .collect()
}

/// The bits of a value in memory, lane after lane.
fn bytes(ty: Type, value: &Lanes) -> Vec<u8> {
    let lane = ty.lane().unwrap_or(Scalar::U32);
    let size = if lane == Scalar::Bool { 4 } else { lane.bits() as usize / 8 };
    value.iter().take(ty.lanes()).flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect()
}

/// Runs an expanded op on some operands and compares with `eval`.
fn hold(op: Op, types: &[Type], result: Type, how: Expansion) -> usize {
    hold_rows(op, (types, result), how, operands(types, 400))
}

/// The same on these operands.
fn hold_rows(op: Op, (types, result): (&[Type], Type), how: Expansion, rows: Vec<Vec<Lanes>>) -> usize {
    let table = Types::default();
    let size = |ty: Type| table.layout(ty).map_or(4, |layout| layout.size);
    let mut b = Builder::new("op", [1, 1, 1]);
    let i = b.builtin(crate::ops::Builtin::GlobalIdX);
    let mut args = Vec::new();
    for (n, &ty) in types.iter().enumerate() {
        let root = b.buffer(format!("x{n}"), ty, Access::Read);
        let place = b.place(root, &[Index { value: i, stride: size(ty), bound: None }], 0);
        args.push(b.load(place, ty));
    }
    let value = b.op(op, &args);
    let out = b.buffer("out", result, Access::ReadWrite);
    let place = b.place(out, &[Index { value: i, stride: size(result), bound: None }], 0);
    b.store(place, value);
    b.ret();
    let mut module = b.into_module(table);
    module.functions[0] = expand(&module.functions[0], how);
    for inst in module.functions[0].insts.iter() {
        let InstKind::Op(op, _) = inst.1.kind else { continue };
        assert!(!op.is_compound(), "{op:?} is left");
    }
    let checked = check(module).unwrap_or_else(|diags| panic!("{op:?}: {:?}", diags.as_slice()));
    let program = Program::new(&checked, 0).expect("a function");
    let inputs: Vec<Words> = (0..types.len())
        .map(|n| Words::from_bytes(&rows.iter().flat_map(|row| bytes(types[n], &row[n])).collect::<Vec<_>>()))
        .collect();
    let expected: Vec<u8> = rows.iter().flat_map(|row| bytes(result, &op.eval(types, result, row))).collect();
    let output = Words::from_bytes(&vec![0x5a; expected.len()]);
    let len = rows.len() as u32;
    let all = inputs.iter().chain([&output]);
    let args: Vec<Arg<'_>> = all.map(|words| Arg::Buffer { words, offset: 0, len }).collect();
    program.run([len, 1, 1], &args, &Options::default()).expect("no fault");
    let got = output.read(0..expected.len());
    let each = bytes(result, &[0; 4]).len();
    for (row, (got, expected)) in rows.iter().zip(got.chunks(each).zip(expected.chunks(each))) {
        assert_eq!(got, expected, "{op:?} {types:?} of {row:x?}");
    }
    rows.len()
}

#[test]
fn every_compound_op_expands_to_its_value() {
    let mut held = 0;
    for &op in Op::ALL {
        let signature = op.info().signature;
        let firsts: Vec<Type> = match signature {
            Signature::Fixed(types, _) => vec![types[0]],
            _ => signature
                .class()
                .members()
                .flat_map(|s| (1..=4).map(move |n| if n == 1 { Type::Scalar(s) } else { Type::Vector(s, n) }))
                .collect(),
        };
        for first in firsts {
            if super::is_expanded(op, first)
                && let Some((types, result)) = signature.types(first)
            {
                held += hold(op, &types, result, Expansion::ALL);
            }
        }
    }
    assert!(held > 200_000, "{held}");
}

#[test]
fn functions_in_pairs_have_the_same_values() {
    use Op::{Cos, Exp, Exp2, Exp10, Ln, Log2, Log10, Rsqrt, Sin, Tanh};
    for op in [Exp, Exp2, Exp10, Tanh, Rsqrt, Ln, Log2, Log10, Sin, Cos] {
        for ty in [Type::Scalar(Scalar::F32), Type::Scalar(Scalar::F16), Type::Vector(Scalar::F32, 2)] {
            for step in [Step::Fused, Step::Twice] {
                hold(op, &[ty], ty, Expansion { method: Method::Pairs(step), ..Expansion::ALL });
            }
        }
    }
}

/// Every `f16` as an argument, for which an `f32` may be the middle of two results.
#[test]
fn halves_in_pairs_are_rounded_once() {
    for op in [Op::Exp, Op::Exp2, Op::Exp10, Op::Tanh, Op::Rsqrt, Op::Ln, Op::Log2, Op::Log10, Op::Sin, Op::Cos] {
        let ty = Type::Scalar(Scalar::F16);
        let rows = (0..=u64::from(u16::MAX)).map(|bits| vec![[bits, 0, 0, 0]]).collect();
        hold_rows(op, (&[ty], ty), Expansion { method: Method::Pairs(Step::Twice), ..Expansion::ALL }, rows);
    }
}
