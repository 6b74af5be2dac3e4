//! Expressions of several float ops that a compiler may not simplify.
//!
//! Each is an identity of real numbers, or nearly one, that does not hold for floats. A driver
//! that simplifies it gives other bits than Rust. A third of them need a literal.

use super::values::{Operands, edges};
use super::{Tally, UNWRITTEN};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Place, Value};
use samebits_ir::ops::{Builtin, Op};
use samebits_ir::types::{Scalar, Type, Types};

/// An expression of three numbers, in IR and in Rust.
type Expression = (&'static str, fn(&mut Builder, [Value; 3]) -> Value, fn([f32; 3]) -> f32);

/// A literal.
fn k(b: &mut Builder, value: f32) -> Value {
    b.constant(Scalar::F32, value.to_bits().into())
}

/// `left op right` where both are ops of two operands.
fn two(b: &mut Builder, op: Op, left: (Op, [Value; 2]), right: (Op, [Value; 2])) -> Value {
    let (left, right) = (b.op(left.0, &left.1), b.op(right.0, &right.1));
    b.op(op, &[left, right])
}

/// 1.0 where a comparison does not hold.
fn unless(b: &mut Builder, op: Op, args: [Value; 2]) -> Value {
    let holds = b.op(op, &args);
    let not = b.op(Op::Not, &[holds]);
    let (one, zero) = (k(b, 1.0), k(b, 0.0));
    b.op(Op::Select, &[not, one, zero])
}

#[allow(clippy::eq_op, clippy::neg_cmp_op_on_partial_ord, clippy::erasing_op, clippy::identity_op)]
const EXPRESSIONS: &[Expression] = &[
    (
        "a * b + c",
        |b, [x, y, z]| {
            let p = b.op(Op::Mul, &[x, y]);
            b.op(Op::Add, &[p, z])
        },
        |[a, b, c]| a * b + c,
    ),
    (
        "c - a * b",
        |b, [x, y, z]| {
            let p = b.op(Op::Mul, &[x, y]);
            b.op(Op::Sub, &[z, p])
        },
        |[a, b, c]| c - a * b,
    ),
    (
        "(a + b) - a",
        |b, [x, y, _]| {
            let s = b.op(Op::Add, &[x, y]);
            b.op(Op::Sub, &[s, x])
        },
        |[a, b, _]| (a + b) - a,
    ),
    (
        "(a - b) + b",
        |b, [x, y, _]| {
            let s = b.op(Op::Sub, &[x, y]);
            b.op(Op::Add, &[s, y])
        },
        |[a, b, _]| (a - b) + b,
    ),
    (
        "(a + b) + c",
        |b, [x, y, z]| {
            let s = b.op(Op::Add, &[x, y]);
            b.op(Op::Add, &[s, z])
        },
        |[a, b, c]| (a + b) + c,
    ),
    ("a * b + a * c", |b, [x, y, z]| two(b, Op::Add, (Op::Mul, [x, y]), (Op::Mul, [x, z])), |[a, b, c]| a * b + a * c),
    ("a * b - a * c", |b, [x, y, z]| two(b, Op::Sub, (Op::Mul, [x, y]), (Op::Mul, [x, z])), |[a, b, c]| a * b - a * c),
    ("a / b + c / b", |b, [x, y, z]| two(b, Op::Add, (Op::Div, [x, y]), (Op::Div, [z, y])), |[a, b, c]| a / b + c / b),
    (
        "a / b * b",
        |b, [x, y, _]| {
            let q = b.op(Op::Div, &[x, y]);
            b.op(Op::Mul, &[q, y])
        },
        |[a, b, _]| a / b * b,
    ),
    ("a - a", |b, [x, _, _]| b.op(Op::Sub, &[x, x]), |[a, _, _]| a - a),
    ("a / a", |b, [x, _, _]| b.op(Op::Div, &[x, x]), |[a, _, _]| a / a),
    (
        "a + -a",
        |b, [x, _, _]| {
            let n = b.op(Op::Neg, &[x]);
            b.op(Op::Add, &[x, n])
        },
        |[a, _, _]| a + -a,
    ),
    (
        "sqrt(a) * sqrt(a)",
        |b, [x, _, _]| {
            let r = b.op(Op::Sqrt, &[x]);
            b.op(Op::Mul, &[r, r])
        },
        |[a, _, _]| a.sqrt() * a.sqrt(),
    ),
    (
        "sqrt(a * a)",
        |b, [x, _, _]| {
            let p = b.op(Op::Mul, &[x, x]);
            b.op(Op::Sqrt, &[p])
        },
        |[a, _, _]| (a * a).sqrt(),
    ),
    (
        "a * 0.0",
        |b, [x, _, _]| {
            let n = k(b, 0.0);
            b.op(Op::Mul, &[x, n])
        },
        |[a, _, _]| a * 0.0,
    ),
    (
        "a + 0.0",
        |b, [x, _, _]| {
            let n = k(b, 0.0);
            b.op(Op::Add, &[x, n])
        },
        |[a, _, _]| a + 0.0,
    ),
    (
        "0.0 - a",
        |b, [x, _, _]| {
            let n = k(b, 0.0);
            b.op(Op::Sub, &[n, x])
        },
        |[a, _, _]| 0.0 - a,
    ),
    (
        "a * 1.0",
        |b, [x, _, _]| {
            let n = k(b, 1.0);
            b.op(Op::Mul, &[x, n])
        },
        |[a, _, _]| a * 1.0,
    ),
    (
        "a / 3.0",
        |b, [x, _, _]| {
            let n = k(b, 3.0);
            b.op(Op::Div, &[x, n])
        },
        |[a, _, _]| a / 3.0,
    ),
    (
        "1.0 / (1.0 / a)",
        |b, [x, _, _]| {
            let n = k(b, 1.0);
            let q = b.op(Op::Div, &[n, x]);
            b.op(Op::Div, &[n, q])
        },
        |[a, _, _]| 1.0 / (1.0 / a),
    ),
    (
        "(a * 3.0) * 5.0",
        |b, [x, _, _]| {
            let (m, n) = (k(b, 3.0), k(b, 5.0));
            let p = b.op(Op::Mul, &[x, m]);
            b.op(Op::Mul, &[p, n])
        },
        |[a, _, _]| a * 3.0 * 5.0,
    ),
    ("!(a < b)", |b, [x, y, _]| unless(b, Op::Lt, [x, y]), |[a, b, _]| f32::from(u8::from(!(a < b)))),
    (
        "!(a >= 1.5)",
        |b, [x, _, _]| {
            let n = k(b, 1.5);
            unless(b, Op::Ge, [x, n])
        },
        |[a, _, _]| f32::from(u8::from(!(a >= 1.5))),
    ),
    (
        "!(1.5 < a)",
        |b, [x, _, _]| {
            let n = k(b, 1.5);
            unless(b, Op::Lt, [n, x])
        },
        |[a, _, _]| f32::from(u8::from(!(1.5 < a))),
    ),
    (
        "!(a != 1.5)",
        |b, [x, _, _]| {
            let n = k(b, 1.5);
            unless(b, Op::Ne, [x, n])
        },
        |[a, _, _]| f32::from(u8::from(!(a != 1.5))),
    ),
    (
        "fma(a, 1.0, b)",
        |b, [x, y, _]| {
            let n = k(b, 1.0);
            b.op(Op::MulAdd, &[x, n, y])
        },
        |[a, b, _]| a.mul_add(1.0, b),
    ),
    (
        "fma(a, 0.0, b)",
        |b, [x, y, _]| {
            let n = k(b, 0.0);
            b.op(Op::MulAdd, &[x, n, y])
        },
        |[a, b, _]| a.mul_add(0.0, b),
    ),
];

/// Triples of edges and random ones, of which half have exponents near each other.
fn triples() -> Vec<[u32; 3]> {
    let edges = edges(Scalar::F32);
    let edge = |i: usize| edges[i % edges.len()] as u32;
    let of_edges = (0..2_000).map(|i| [edge(i), edge(i / 7 + i), edge(i / 3 + 5)]);
    let mut random = Operands::new(super::values::SEED + 1);
    let mut tuple = || random.tuple(Op::Select, &[Type::F32; 3]);
    let random: Vec<[u32; 3]> =
        (0..4_000).map(|_| tuple()).map(|t| [t[0][0], t[1][0], t[2][0]].map(|bits| bits as u32)).collect();
    of_edges.chain(random).collect()
}

/// Runs every expression on a device.
pub fn run(device: &Device, tally: &mut Tally) {
    let triples = triples();
    for &(name, build, rust) in EXPRESSIONS {
        let found = match launch(device, build, &triples) {
            Ok(found) => found,
            Err(error) => {
                tally.wrong(format!("{name}: {error}"));
                continue;
            }
        };
        let mut wrong = 0;
        for (triple, found) in triples.iter().zip(&found) {
            let wanted = rust(triple.map(f32::from_bits));
            let wanted = if wanted.is_nan() { 0x7fc0_0000 } else { wanted.to_bits() };
            if *found != wanted {
                wrong += 1;
                if wrong <= super::SHOWN {
                    tally.shown.push(format!("{name} of {triple:x?} gave {found:x}, not {wanted:x}"));
                }
            }
        }
        tally.mismatches += wrong as u64;
        tally.count("expressions", Some(Scalar::F32), found.len() as u64);
    }
}

fn launch(
    device: &Device,
    build: fn(&mut Builder, [Value; 3]) -> Value,
    triples: &[[u32; 3]],
) -> Result<Vec<u32>, Error> {
    let mut b = Builder::new("expression", [64, 1, 1]);
    let (x, out) = (b.buffer("x", Type::F32, Access::Read), b.buffer("out", Type::F32, Access::ReadWrite));
    let i = b.builtin(Builtin::GlobalIdX);
    let at = |root, stride, offset| Place { root, offset, indices: vec![Index { value: i, stride, bound: None }] };
    let args = [0, 4, 8].map(|offset| b.load(at(x, 12, offset), Type::F32));
    let value = build(&mut b, args);
    b.store(at(out, 4, 0), value);
    b.ret();
    let kernel = Kernel::from_module(&b.into_module(Types::default()), 0)?;
    let input = device.upload(&triples.concat())?;
    let mut output = device.upload(&vec![UNWRITTEN; triples.len()])?;
    kernel.launch(device, triples.len(), &[Arg::words(&input), Arg::words_mut(&mut output)])?;
    output.read()
}
