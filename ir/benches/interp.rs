//! How many steps a second the interpreter takes on one core:
//! `cargo bench -p samebits-ir --bench interp`.

use samebits_ir::builder::Builder;
use samebits_ir::check::check;
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::ir::{Access, Index};
use samebits_ir::ops::{Builtin, Op};
use samebits_ir::types::{Scalar, Type, Types};
use std::time::Instant;

/// Runs a one-function module and prints its speed.
fn measure(name: &str, b: Builder, groups: u32, buffers: &[&Words], len: u32) {
    let checked = check(b.into_module(Types::default())).expect("a sound kernel");
    let program = Program::new(&checked, 0).expect("one function");
    let args: Vec<Arg<'_>> = buffers.iter().map(|words| Arg::Buffer { words, offset: 0, len }).collect();
    let options = Options { threads: 1, max_steps: Some(u64::MAX) };
    let start = Instant::now();
    let report = program.run([groups, 1, 1], &args, &options).expect("a good launch");
    let seconds = start.elapsed().as_secs_f64();
    println!("{name}: {} steps, {:.0} million a second", report.steps, report.steps as f64 / seconds / 1e6);
}

/// A loop of integer ops, without memory.
fn arithmetic() -> Builder {
    let mut b = Builder::new("arithmetic", [64, 1, 1]);
    let out = b.buffer("out", Type::U32, Access::ReadWrite);
    let id = b.builtin(Builtin::GlobalIdX);
    let (zero, one, five, end) = (b.u32(0), b.u32(1), b.u32(5), b.u32(1000));
    let (inst, params) = b.begin_loop(None, &[zero, id]);
    let more = b.op(Op::Lt, &[params[0], end]);
    let (then, otherwise) = (b.region(&[]), b.region(&[]));
    b.enter(then);
    let x = b.op(Op::Shl, &[params[1], five]);
    let x = b.op(Op::Xor, &[x, params[1]]);
    let x = b.op(Op::Mul, &[x, five]);
    let x = b.op(Op::Add, &[x, params[0]]);
    let i = b.op(Op::Add, &[params[0], one]);
    b.continue_(inst, &[i, x]);
    b.leave();
    b.enter(otherwise);
    b.break_(inst, &[params[1]]);
    b.leave();
    b.if_else(more, then, otherwise, &[]);
    b.unreachable();
    let result = b.end_loop(inst, &[Type::U32])[0];
    let place = b.place(out, &[Index { value: id, stride: 4, bound: None }], 0);
    b.store(place, result);
    b.ret();
    b
}

/// `y[i] = a * x[i] + y[i]`.
fn saxpy() -> Builder {
    let mut b = Builder::new("saxpy", [64, 1, 1]);
    let x = b.buffer("x", Type::F32, Access::Read);
    let y = b.buffer("y", Type::F32, Access::ReadWrite);
    let a = b.constant(Scalar::F32, u64::from(2.0_f32.to_bits()));
    let i = b.builtin(Builtin::GlobalIdX);
    let index = [Index { value: i, stride: 4, bound: None }];
    let (from, to) = (b.place(x, &index, 0), b.place(y, &index, 0));
    let x = b.load(from, Type::F32);
    let y = b.load(to.clone(), Type::F32);
    let product = b.op(Op::Mul, &[a, x]);
    let sum = b.op(Op::Add, &[product, y]);
    b.store(to, sum);
    b.ret();
    b
}

fn main() {
    // Run as a test, it only has to work.
    let groups = if std::env::args().any(|arg| arg == "--bench") { 1 << 16 } else { 1 << 6 };
    let out = Words::zeroed(4 << 16);
    measure("arithmetic", arithmetic(), groups >> 6, &[&out], 1 << 16);
    let (x, y) = (Words::zeroed(4 << 22), Words::zeroed(4 << 22));
    measure("saxpy", saxpy(), groups, &[&x, &y], 1 << 22);
}
