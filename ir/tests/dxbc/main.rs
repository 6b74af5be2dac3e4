//! Every compute opcode of DXBC-IR and the builder's call that makes it.
//!
//! Each row of [`ROWS`] is the call itself; it is built, checked and run in the
//! interpreter, before and after the passes, and gives what plain Rust says. The page
//! `docs/src/reference/dxbc.md` shows the same rows.

mod recorder;

use recorder::Recorder;
use samebits_ir::builder::Builder;
use samebits_ir::check::{Checked, check};
use samebits_ir::flags::Flags;
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::ir::{Access, CallArg, Function, Index, Module, ParamKind, Place, Root, Value};
use samebits_ir::ops::{AtomicOp, Builtin, Op};
use samebits_ir::order::{Ordering, Scope};
use samebits_ir::pass::optimize;
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type, Types};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A value with its type.
#[derive(Clone, Copy)]
struct Typed {
    ty: Type,
    lanes: Lanes,
}

fn lanes(lane: Scalar, values: &[u64]) -> Typed {
    let ty = if values.len() == 1 { Type::Scalar(lane) } else { Type::Vector(lane, values.len() as u8) };
    let mut lanes = Lanes::default();
    for (to, from) in lanes.iter_mut().zip(values) {
        *to = from & lane.mask();
    }
    Typed { ty, lanes }
}

fn u(value: u32) -> Typed {
    lanes(Scalar::U32, &[value.into()])
}

fn u2(values: [u32; 2]) -> Typed {
    lanes(Scalar::U32, &values.map(u64::from))
}

fn i(value: i32) -> Typed {
    lanes(Scalar::I32, &[value as u64])
}

fn i2(values: [i32; 2]) -> Typed {
    lanes(Scalar::I32, &values.map(|value| value as u64))
}

fn f(value: f32) -> Typed {
    lanes(Scalar::F32, &[value.to_bits().into()])
}

fn f2(values: [f32; 2]) -> Typed {
    lanes(Scalar::F32, &values.map(|value| value.to_bits().into()))
}

fn d(value: f64) -> Typed {
    lanes(Scalar::F64, &[value.to_bits()])
}

fn b(value: bool) -> Typed {
    lanes(Scalar::Bool, &[value.into()])
}

/// Operands, and what comes out.
type Case = (Vec<Typed>, Typed);

/// What the call is given: the recorder and the operands.
type Build = fn(&mut Recorder, &[Value]) -> Value;

/// An opcode and what makes it.
enum Row {
    /// A call, as written and as compiled, with cases.
    Call(&'static str, &'static str, Build, fn() -> Vec<Case>),
    /// Something that every row, or the function that `FunctionCall` calls, is made with.
    Frame(&'static str, &'static str),
    /// There is none, for this reason.
    Absent(&'static str, &'static str),
}

/// Rows: the opcodes, the cases, and the call on the recorder and the operands.
macro_rules! rows {
    ($($opcode:literal $cases:expr, |$r:ident, $a:ident| $call:expr;)*) => {
        vec![$(Row::Call($opcode, stringify!($call), |$r, $a| {
            let _ = $a;
            $call
        }, || $cases.into_iter().map(|(a, b)| (a.to_vec(), b)).collect()),)*]
    };
}

/// The buffers of every kernel: words 10, 20, 30, 40 to read; the same to write; the same
/// to access atomically.
const WORDS: Root = Root::Param(0);
const OUT: Root = Root::Param(1);
const CELLS: Root = Root::Param(2);
/// 10.0, 20.0, 30.0, 40.0 to write.
const FLOATS: Root = Root::Param(3);

/// The place of an element of four bytes.
fn at(root: Root, index: Value) -> Place {
    Place { root, offset: 0, indices: vec![Index { value: index, stride: 4, bound: None }] }
}

/// The first element.
fn first(root: Root) -> Place {
    Place { root, offset: 0, indices: Vec::new() }
}

/// A constant.
fn n(r: &mut Recorder, value: u32) -> Value {
    r.b().u32(value)
}

/// A constant of another scalar.
fn c(r: &mut Recorder, lane: Scalar, bits: u64) -> Value {
    r.b().constant(lane, bits)
}

/// Conversions, composites, comparisons, logic and choice.
fn values() -> Vec<Row> {
    rows! {
        "ConvertFtoF" [([f(1.5)], d(1.5))], |r, a| r.b().op_to(Op::Cast, a, Type::Scalar(Scalar::F64));
        "ConvertFtoI" [([f(-2.75)], i(-2)), ([f(f32::NAN)], i(0))], |r, a| r.b().op_to(Op::Cast, a, Type::Scalar(Scalar::I32));
        "ConvertItoF" [([i(-3)], f(-3.0)), ([i(16_777_217)], f(16_777_216.0))], |r, a| r.b().op_to(Op::Cast, a, Type::F32);
        "ConvertItoI" [([i(-1)], lanes(Scalar::I64, &[u64::MAX]))], |r, a| r.b().op_to(Op::Cast, a, Type::Scalar(Scalar::I64));
        "ConvertF32toPackedF16" [([f2([1.0, -2.0])], u(0xc000_3c00)), ([f2([65519.0, 0.0])], u(0x7bff))], |r, a| r.b().op(Op::PackHalfToZero, a);
        "ConvertPackedF16toF32" [([u(0xc000_3c00)], f2([1.0, -2.0]))], |r, a| r.b().op(Op::UnpackHalf, a);
        "Cast" [([f(1.0)], u(0x3f80_0000))], |r, a| r.b().op_to(Op::Bitcast, a, Type::U32);
        "ConsumeAs" [([u(0)], f(10.0f32))], |r, a| { let x = r.load_unknown(at(FLOATS, a[0])); r.consume_as(x, Type::F32) };
        "CompositeInsert" [([u2([1, 2]), u(9)], u2([1, 9]))], |r, a| { let lane = n(r, 1); r.b().op(Op::Insert, &[a[0], lane, a[1]]) };
        "CompositeExtract" [([u2([1, 2])], u(2))], |r, a| { let lane = n(r, 1); r.b().op(Op::Extract, &[a[0], lane]) };
        "CompositeConstruct" [([u(1), u(2)], u2([1, 2]))], |r, a| r.b().op(Op::Construct, a);
        "FEq" [([f(0.0), f(-0.0)], b(true)), ([f(f32::NAN), f(f32::NAN)], b(false))], |r, a| r.b().op(Op::Eq, a);
        "FNe" [([f(1.0), f(1.0)], b(false)), ([f(f32::NAN), f(1.0)], b(true))], |r, a| r.b().op(Op::Ne, a);
        "FLt" [([f(1.0), f(2.0)], b(true)), ([f(f32::NAN), f(1.0)], b(false))], |r, a| r.b().op(Op::Lt, a);
        "FLe" [([f(2.0), f(2.0)], b(true)), ([f(1.0), f(f32::NAN)], b(false))], |r, a| r.b().op(Op::Le, a);
        "FGt" [([f(1.0), f(2.0)], b(false)), ([f(3.0), f(2.0)], b(true))], |r, a| r.b().op(Op::Gt, a);
        "FGe" [([f(2.0), f(2.0)], b(true)), ([f(f32::NAN), f(1.0)], b(false))], |r, a| r.b().op(Op::Ge, a);
        "FIsNan" [([f(f32::NAN)], b(true)), ([f(f32::INFINITY)], b(false))], |r, a| r.b().op(Op::IsNan, a);
        "IEq" [([u(7), u(7)], b(true)), ([u(7), u(8)], b(false))], |r, a| r.b().op(Op::Eq, a);
        "INe" [([u(7), u(7)], b(false)), ([u(7), u(8)], b(true))], |r, a| r.b().op(Op::Ne, a);
        "SLt" [([i(-1), i(0)], b(true)), ([i(0), i(-1)], b(false))], |r, a| r.b().op(Op::Lt, a);
        "SLe" [([i(-1), i(-1)], b(true)), ([i(0), i(-1)], b(false))], |r, a| r.b().op(Op::Le, a);
        "SGt" [([i(0), i(-1)], b(true)), ([i(-1), i(0)], b(false))], |r, a| r.b().op(Op::Gt, a);
        "SGe" [([i(-1), i(-1)], b(true)), ([i(-1), i(0)], b(false))], |r, a| r.b().op(Op::Ge, a);
        "ULt" [([u(u32::MAX), u(0)], b(false)), ([u(0), u(1)], b(true))], |r, a| r.b().op(Op::Lt, a);
        "ULe" [([u(u32::MAX), u(0)], b(false)), ([u(1), u(1)], b(true))], |r, a| r.b().op(Op::Le, a);
        "UGt" [([u(u32::MAX), u(0)], b(true)), ([u(0), u(1)], b(false))], |r, a| r.b().op(Op::Gt, a);
        "UGe" [([u(u32::MAX), u(0)], b(true)), ([u(0), u(1)], b(false))], |r, a| r.b().op(Op::Ge, a);
        "BAnd" [([b(true), b(false)], b(false)), ([b(true), b(true)], b(true))], |r, a| r.b().op(Op::And, a);
        "BOr" [([b(true), b(false)], b(true)), ([b(false), b(false)], b(false))], |r, a| r.b().op(Op::Or, a);
        "BEq" [([b(false), b(false)], b(true)), ([b(true), b(false)], b(false))], |r, a| r.b().op(Op::Eq, a);
        "BNe" [([b(false), b(false)], b(false)), ([b(true), b(false)], b(true))], |r, a| r.b().op(Op::Ne, a);
        "BNot" [([b(false)], b(true)), ([b(true)], b(false))], |r, a| r.b().op(Op::Not, a);
        "Select" [([b(true), u(1), u(2)], u(1)), ([b(false), u(1), u(2)], u(2))], |r, a| r.b().op(Op::Select, a);
    }
}

/// Floats.
fn floats() -> Vec<Row> {
    rows! {
        "FAbs" [([f(-1.5)], f(1.5)), ([f(-0.0)], f(0.0))], |r, a| r.b().op(Op::Abs, a);
        "FNeg" [([f(0.0)], f(-0.0))], |r, a| r.b().op(Op::Neg, a);
        "FAdd" [([f(1.5), f(2.25)], f(1.5 + 2.25))], |r, a| r.b().op(Op::Add, a);
        "FSub" [([f(1.5), f(2.25)], f(1.5 - 2.25))], |r, a| r.b().op(Op::Sub, a);
        "FMul" [([f(1.5), f(2.25)], f(1.5 * 2.25))], |r, a| r.b().op(Op::Mul, a);
        "FMulLegacy" [([f(0.0), f(f32::INFINITY)], f(0.0)), ([f(3.0), f(2.0)], f(6.0))], |r, a| {
            let zero = c(r, Scalar::F32, 0);
            let (x, y) = (r.b().op(Op::Eq, &[a[0], zero]), r.b().op(Op::Eq, &[a[1], zero]));
            let any = r.b().op(Op::Or, &[x, y]);
            let product = r.b().op(Op::Mul, a);
            r.b().op(Op::Select, &[any, zero, product])
        };
        "FMad" [([f(3.0), f(4.0), f(5.0)], f(17.0)), ([f(1.000_000_1), f(1.000_000_1), f(-1.0)], f(1.000_000_1f32.mul_add(1.000_000_1, -1.0)))], |r, a| r.b().op(Op::MulAdd, a);
        "FMadLegacy" [([f(0.0), f(f32::INFINITY), f(5.0)], f(5.0)), ([f(3.0), f(2.0), f(1.0)], f(7.0))], |r, a| {
            let zero = c(r, Scalar::F32, 0);
            let (x, y) = (r.b().op(Op::Eq, &[a[0], zero]), r.b().op(Op::Eq, &[a[1], zero]));
            let any = r.b().op(Op::Or, &[x, y]);
            let sum = r.b().op(Op::MulAdd, a);
            r.b().op(Op::Select, &[any, a[2], sum])
        };
        "FDiv" [([f(1.0), f(3.0)], f(1.0 / 3.0)), ([f(1.0), f(0.0)], f(f32::INFINITY))], |r, a| r.b().op(Op::Div, a);
        "FRcp" [([f(3.0)], f(1.0 / 3.0))], |r, a| r.b().op(Op::Recip, a);
        "FExp2" [([f(3.0)], f(8.0)), ([f(-150.0)], f(0.0))], |r, a| r.b().op(Op::Exp2, a);
        "FLog2" [([f(8.0)], f(3.0)), ([f(0.0)], f(f32::NEG_INFINITY))], |r, a| r.b().op(Op::Log2, a);
        "FSin" [([f(-0.0)], f(-0.0)), ([f(1e-20)], f(1e-20))], |r, a| r.b().op(Op::Sin, a);
        "FCos" [([f(0.0)], f(1.0)), ([f(1e-20)], f(1.0))], |r, a| r.b().op(Op::Cos, a);
        "FPow" [([f(2.0), f(3.0)], f(8.0)), ([f(9.0), f(-0.5)], f(1.0 / 3.0))], |r, a| r.b().op(Op::Powf, a);
        "FPowLegacy" [([f(0.0), f(0.0)], f(1.0)), ([f(4.0), f(0.5)], f(2.0))], |r, a| r.b().op(Op::Powf, a);
        "FSqrt" [([f(2.0)], f(2.0f32.sqrt()))], |r, a| r.b().op(Op::Sqrt, a);
        "FRsq" [([f(4.0)], f(0.5))], |r, a| { let root = r.b().op(Op::Sqrt, a); r.b().op(Op::Recip, &[root]) };
        "FFract" [([f(-1.25)], f(0.75)), ([f(2.5)], f(0.5))], |r, a| { let whole = r.b().op(Op::Floor, a); r.b().op(Op::Sub, &[a[0], whole]) };
        "FRound" [([f(2.5)], f(2.0)), ([f(-3.5)], f(-4.0))], |r, a| r.b().op(Op::RoundEven, a);
        "FRound (zero)" [([f(-2.5)], f(-2.0))], |r, a| r.b().op(Op::Trunc, a);
        "FRound (negative)" [([f(-2.5)], f(-3.0))], |r, a| r.b().op(Op::Floor, a);
        "FRound (positive)" [([f(2.25)], f(3.0))], |r, a| r.b().op(Op::Ceil, a);
        "FMin" [([f(1.0), f(2.0)], f(1.0)), ([f(f32::NAN), f(2.0)], f(2.0))], |r, a| r.b().op(Op::Min, a);
        "FMax" [([f(1.0), f(2.0)], f(2.0)), ([f(f32::NAN), f(2.0)], f(2.0))], |r, a| r.b().op(Op::Max, a);
        "FDot" [([f2([1.0, 2.0]), f2([3.0, 4.0])], f(11.0))], |r, a| {
            let products = r.b().op(Op::Mul, a);
            let (zero, one) = (n(r, 0), n(r, 1));
            let (x, y) = (r.b().op(Op::Extract, &[products, zero]), r.b().op(Op::Extract, &[products, one]));
            r.b().op(Op::Add, &[x, y])
        };
        "FClamp" [([f(5.0), f(0.0), f(1.0)], f(1.0)), ([f(f32::NAN), f(0.5), f(1.0)], f(0.5))], |r, a| {
            let low = r.b().op(Op::Max, &a[..2]);
            r.b().op(Op::Min, &[low, a[2]])
        };
        "FSgn" [([f(-2.0)], f(-1.0)), ([f(0.0)], f(0.0))], |r, a| {
            let zero = c(r, Scalar::F32, 0);
            let (is_zero, sign) = (r.b().op(Op::Eq, &[a[0], zero]), r.b().op(Op::Sign, a));
            r.b().op(Op::Select, &[is_zero, a[0], sign])
        };
        "OpFlags" [([f(1.5), f(2.0)], f(3.0))], |r, a| {
            r.b().flags(Flags::PRECISE.and(Flags::NONAN).and(Flags::NOINF).and(Flags::NOSZ));
            let product = r.b().op(Op::Mul, a);
            r.b().flags(Flags::NONE);
            product
        };
    }
}

/// Integers and bits.
fn integers() -> Vec<Row> {
    rows! {
        "IAnd" [([u(12), u(10)], u(8))], |r, a| r.b().op(Op::And, a);
        "IOr" [([u(12), u(10)], u(14))], |r, a| r.b().op(Op::Or, a);
        "IXor" [([u(12), u(10)], u(6))], |r, a| r.b().op(Op::Xor, a);
        "INot" [([u(12)], u(!12))], |r, a| r.b().op(Op::Not, a);
        "IBitInsert" [([u(0xffff), u(5), u(4), u(8)], u(0xf05f)), ([u(7), u(5), u(0), u(32)], u(7))], |r, a| {
            let bits = n(r, 31);
            let (from, count) = (r.b().op(Op::And, &[a[2], bits]), r.b().op(Op::And, &[a[3], bits]));
            r.b().op(Op::BitInsert, &[a[0], a[1], from, count])
        };
        "UBitExtract" [([u(0xff00), u(8), u(4)], u(15)), ([u(0xff00), u(40), u(36)], u(15))], |r, a| {
            let bits = n(r, 31);
            let (from, count) = (r.b().op(Op::And, &[a[1], bits]), r.b().op(Op::And, &[a[2], bits]));
            r.b().op(Op::BitExtract, &[a[0], from, count])
        };
        "SBitExtract" [([i(0xf00), u(8), u(4)], i(-1))], |r, a| {
            let bits = n(r, 31);
            let (from, count) = (r.b().op(Op::And, &[a[1], bits]), r.b().op(Op::And, &[a[2], bits]));
            r.b().op(Op::BitExtract, &[a[0], from, count])
        };
        "IShl" [([u(3), u(33)], u(6))], |r, a| r.b().op(Op::Shl, a);
        "SShr" [([i(-8), u(1)], i(-4))], |r, a| r.b().op(Op::Shr, a);
        "UShr" [([u(0x8000_0000), u(31)], u(1))], |r, a| r.b().op(Op::Shr, a);
        "IBitCount" [([u(0xf0f)], u(8))], |r, a| r.b().op(Op::CountOnes, a);
        "IBitReverse" [([u(1)], u(0x8000_0000))], |r, a| r.b().op(Op::ReverseBits, a);
        "IFindLsb" [([u(8)], i(3)), ([u(0)], i(-1))], |r, a| r.b().op(Op::FindLsb, a);
        "SFindMsb" [([i(-2)], i(0)), ([i(-1)], i(-1)), ([i(8)], i(3))], |r, a| r.b().op(Op::FindMsb, a);
        "UFindMsb" [([u(0x8000_0000)], i(31)), ([u(0)], i(-1))], |r, a| r.b().op(Op::FindMsb, a);
        "IAdd" [([u(u32::MAX), u(2)], u(1))], |r, a| r.b().op(Op::Add, a);
        "IAddCarry" [([u(u32::MAX), u(2)], u2([1, 1])), ([u(1), u(2)], u2([3, 0]))], |r, a| {
            let (sum, carry) = (r.b().op(Op::Add, a), r.b().op(Op::AddOverflows, a));
            let carry = r.b().op_to(Op::Cast, &[carry], Type::U32);
            r.b().op(Op::Construct, &[sum, carry])
        };
        "ISub" [([u(1), u(2)], u(u32::MAX))], |r, a| r.b().op(Op::Sub, a);
        "ISubBorrow" [([u(1), u(2)], u2([u32::MAX, 1])), ([u(2), u(2)], u2([0, 0]))], |r, a| {
            let (difference, borrow) = (r.b().op(Op::Sub, a), r.b().op(Op::SubOverflows, a));
            let borrow = r.b().op_to(Op::Cast, &[borrow], Type::U32);
            r.b().op(Op::Construct, &[difference, borrow])
        };
        "IAbs" [([i(-7)], i(7)), ([i(i32::MIN)], i(i32::MIN))], |r, a| r.b().op(Op::Abs, a);
        "INeg" [([i(7)], i(-7))], |r, a| r.b().op(Op::Neg, a);
        "IMul" [([u(65_537), u(65_537)], u(65_537u32.wrapping_mul(65_537)))], |r, a| r.b().op(Op::Mul, a);
        "UDiv" [([u(7), u(2)], u(3)), ([u(7), u(0)], u(u32::MAX))], |r, a| {
            let (zero, ones) = (n(r, 0), n(r, u32::MAX));
            let (by_zero, quotient) = (r.b().op(Op::Eq, &[a[1], zero]), r.b().op(Op::Div, a));
            r.b().op(Op::Select, &[by_zero, ones, quotient])
        };
        "UMod" [([u(7), u(2)], u(1)), ([u(7), u(0)], u(u32::MAX))], |r, a| {
            let (zero, ones) = (n(r, 0), n(r, u32::MAX));
            let (by_zero, rest) = (r.b().op(Op::Eq, &[a[1], zero]), r.b().op(Op::Rem, a));
            r.b().op(Op::Select, &[by_zero, ones, rest])
        };
        "SMin" [([i(-1), i(1)], i(-1))], |r, a| r.b().op(Op::Min, a);
        "SMax" [([i(-1), i(1)], i(1))], |r, a| r.b().op(Op::Max, a);
        "SClamp" [([i(-9), i(-1), i(1)], i(-1)), ([i(9), i(-1), i(1)], i(1))], |r, a| r.b().op(Op::Clamp, a);
        "UMin" [([u(u32::MAX), u(1)], u(1))], |r, a| r.b().op(Op::Min, a);
        "UMax" [([u(u32::MAX), u(1)], u(u32::MAX))], |r, a| r.b().op(Op::Max, a);
        "UClamp" [([u(u32::MAX), u(1), u(5)], u(5)), ([u(0), u(1), u(5)], u(1))], |r, a| r.b().op(Op::Clamp, a);
        // The byte of the reference that is zero does not count: |3 - 1| + |5 - 9| + 100.
        "UMsad" [([u(0x0005_0003), u(0x0709_0401), u(100)], u(106))], |r, a| r.b().op(Op::MaskedSad, a);
        "SMulExtended" [([i(-1), i(2)], i2([-2, -1]))], |r, a| {
            let (low, high) = (r.b().op(Op::Mul, a), r.b().op(Op::MulHigh, a));
            r.b().op(Op::Construct, &[low, high])
        };
        "UMulExtended" [([u(65_536), u(65_537)], u2([65_536, 1]))], |r, a| {
            let (low, high) = (r.b().op(Op::Mul, a), r.b().op(Op::MulHigh, a));
            r.b().op(Op::Construct, &[low, high])
        };
    }
}

/// Declarations, constants, memory, atomics and barriers.
fn memory() -> Vec<Row> {
    rows! {
        "DebugName" [([u(1), u(2)], u(3))], |r, a| { let sum = r.b().op(Op::Add, a); r.b().name(sum, "sum"); sum };
        "Constant" [([], u(7))], |r, a| r.b().constant(Scalar::U32, 7);
        "Undef" [([], u(0))], |r, a| r.b().constant(Scalar::U32, 0);
        "MinValue" [([], i(i32::MIN))], |r, a| r.b().constant(Scalar::I32, i32::MIN as u64);
        "MaxValue" [([], f(f32::MAX))], |r, a| r.b().constant(Scalar::F32, f32::MAX.to_bits().into());
        "DclInputBuiltIn, InputLoad" [([], u(0))], |r, a| r.b().builtin(Builtin::GlobalIdX);
        "DclSpecConstant" [([], u(10))], |r, a| r.b().scalar("spec", Type::U32);
        "DclPushData, PushDataLoad" [([], u(10))], |r, a| r.b().scalar("push", Type::U32);
        "DclCbv" [([], u(20))], |r, a| { let cbv = r.b().buffer("cbv", Type::U32, Access::Read); let one = n(r, 1); r.b().load(at(cbv, one), Type::U32) };
        "DclSrv" [([], u(20))], |r, a| { let srv = r.b().buffer("srv", Type::U32, Access::Read); let one = n(r, 1); r.b().load(at(srv, one), Type::U32) };
        "DclUav" [([u(5)], u(5))], |r, a| { let uav = r.b().buffer("uav", Type::U32, Access::ReadWrite); r.b().store(first(uav), a[0]); r.b().load(first(uav), Type::U32) };
        "DclUavCounter, CounterAtomic" [([], u(10))], |r, a| {
            let counter = r.b().buffer("counter", Type::U32, Access::Atomic);
            let one = n(r, 1);
            r.b().atomic(AtomicOp::Add, first(counter), &[one], Type::U32).unwrap_or(one)
        };
        "DclLds, LdsLoad, LdsStore" [([u(5)], u(5))], |r, a| {
            let lds = r.b().shared("lds", Type::U32, Access::ReadWrite);
            r.b().store(first(lds), a[0]);
            r.b().load(first(lds), Type::U32)
        };
        "DclScratch, ScratchLoad, ScratchStore" [([u(5)], u(5))], |r, a| {
            let scratch = r.b().private("scratch", Type::U32);
            r.b().store(first(scratch), a[0]);
            r.b().load(first(scratch), Type::U32)
        };
        "DclTmp, TmpLoad, TmpStore" [([f(5.0)], f(5.0))], |r, a| { let t = r.unknown_var("t"); r.set(t, a[0]); let x = r.get(t); r.consume_as(x, Type::F32) };
        "DescriptorLoad, BufferLoad" [([u(2)], u(30)), ([u(9)], u(0))], |r, a| r.b().load(at(WORDS, a[0]), Type::U32);
        "BufferStore" [([u(2)], u(2))], |r, a| { r.b().store(at(OUT, a[0]), a[0]); r.b().load(at(OUT, a[0]), Type::U32) };
        "BufferQuerySize" [([], u(4))], |r, a| r.b().len(WORDS);
        "ConstantLoad" [([u(3)], u(40))], |r, a| { let table = r.b().buffer("table", Type::U32, Access::Read); r.b().load(at(table, a[0]), Type::U32) };
        "BufferAtomic" [([u(1), u(5)], u(20))], |r, a| r.b().atomic(AtomicOp::Max, at(CELLS, a[0]), &[a[1]], Type::U32).unwrap_or(a[0]);
        "BufferAtomic (CompareExchange)" [([u(20), u(7)], u(7))], |r, a| {
            let one = n(r, 1);
            r.b().atomic(AtomicOp::CompareExchange, at(CELLS, one), a, Type::U32);
            r.b().atomic(AtomicOp::Load, at(CELLS, one), &[], Type::U32).unwrap_or(one)
        };
        "LdsAtomic" [([u(5)], u(8))], |r, a| {
            let lds = r.b().shared("lds", Type::U32, Access::Atomic);
            let three = n(r, 3);
            r.b().atomic(AtomicOp::Store, first(lds), &[three], Type::U32);
            r.b().atomic(AtomicOp::Add, first(lds), a, Type::U32);
            r.b().atomic(AtomicOp::Load, first(lds), &[], Type::U32).unwrap_or(three)
        };
        "Barrier (Workgroup)" [([u(1)], u(1))], |r, a| { r.b().barrier(); a[0] };
        "Barrier (Thread)" [([u(1)], u(1))], |r, a| { r.b().fence(Ordering::AcqRel, Scope::Device); a[0] };
    }
}

/// Control flow and calls.
fn control() -> Vec<Row> {
    rows! {
        "FunctionCall" [([u(7)], u(49))], |r, a| r.b().call(1, vec![CallArg::Value(a[0])], &[Type::U32])[0];
        "ScopedIf, ScopedElse, ScopedEndIf, Phi" [([b(true)], u(1)), ([b(false)], u(2))], |r, a| {
            let (t, one, two) = (r.b().var("t", Type::U32), n(r, 1), n(r, 2));
            r.begin_if(a[0]);
            r.set(t, one);
            r.begin_else();
            r.set(t, two);
            r.end_if();
            r.get(t)
        };
        "ScopedLoop, ScopedLoopBreak, ScopedLoopContinue, ScopedEndLoop" [([u(5)], u(5)), ([u(0)], u(1))], |r, a| {
            let (t, one) = (r.b().var("t", Type::U32), n(r, 1));
            r.begin_loop();
            let before = r.get(t);
            let after = r.b().op(Op::Add, &[before, one]);
            r.set(t, after);
            let more = r.b().op(Op::Lt, &[after, a[0]]);
            r.begin_if(more);
            r.continue_loop();
            r.end_if();
            r.break_loop();
            r.end_loop();
            r.get(t)
        };
        "ScopedSwitch, ScopedSwitchCase, ScopedSwitchDefault, ScopedSwitchBreak, ScopedEndSwitch" [([u(1)], u(10)), ([u(2)], u(10)), ([u(3)], u(0)), ([u(4)], u(40))], |r, a| {
            let (t, ten, forty) = (r.b().var("t", Type::U32), n(r, 10), n(r, 40));
            r.begin_switch(a[0]);
            r.case(1);
            r.case(2);
            r.set(t, ten);
            r.break_switch();
            r.case(3);
            let three = r.b().op(Op::Eq, &[a[0], a[0]]);
            r.begin_if(three);
            r.break_switch();
            r.end_if();
            r.set(t, ten);
            r.break_switch();
            r.default();
            r.set(t, forty);
            r.break_switch();
            r.end_switch();
            r.get(t)
        };
        "Label, Branch, BranchConditional" [([b(true)], u(1)), ([b(false)], u(2))], |r, a| {
            let (one, two) = (n(r, 1), n(r, 2));
            let (then, otherwise) = (r.b().region(&[]), r.b().region(&[]));
            r.b().enter(then);
            r.b().yield_(&[one]);
            r.b().leave();
            r.b().enter(otherwise);
            r.b().yield_(&[two]);
            r.b().leave();
            r.b().if_else(a[0], then, otherwise, &[Type::U32])[0]
        };
        "Switch" [([u(0)], u(5)), ([u(1)], u(6))], |r, a| {
            let (five, six) = (n(r, 5), n(r, 6));
            let (zero, default) = (r.b().region(&[]), r.b().region(&[]));
            r.b().enter(zero);
            r.b().yield_(&[five]);
            r.b().leave();
            r.b().enter(default);
            r.b().yield_(&[six]);
            r.b().leave();
            let cases = vec![samebits_ir::ir::Case { values: vec![0], region: zero }];
            r.b().switch(a[0], cases, default, &[Type::U32])[0]
        };
        "Unreachable" [([u(3)], u(3))], |r, a| {
            let never = r.b().op(Op::Ne, &[a[0], a[0]]);
            r.begin_if(never);
            r.b().unreachable();
            r.end_if();
            a[0]
        };
    }
}

const ADDRESS: &str = "there are no raw addresses: memory is named";
const TEXTURE: &str = "there are no textures";

/// What is no call of its own.
fn others() -> Vec<Row> {
    vec![
        Row::Frame("EntryPoint, SetCsWorkgroupSize", "Builder::new(\"k\", [1, 1, 1])"),
        Row::Frame("Function", "Builder::device(\"square\")"),
        Row::Frame("DclParam, ParamLoad", "b.scalar(\"x\", Type::U32)"),
        Row::Frame("Return", "b.ret_values(&[squared])"),
        Row::Frame("FunctionEnd", "b.finish()"),
        Row::Absent("DebugMemberName", "fields of structs are named where the struct is declared"),
        Row::Absent("Drain", "keeps an instruction alive for a debugger"),
        Row::Absent("SetFpMode", "floats are strict, always"),
        Row::Absent("FDotLegacy", "products of `FMulLegacy`, added"),
        Row::Absent("Pointer, MemoryLoad, MemoryStore, MemoryAtomic", ADDRESS),
        Row::Absent("DclSampler, CheckSparseAccess", TEXTURE),
        Row::Absent(
            "ImageLoad, ImageStore, ImageAtomic, ImageQuerySize, ImageQueryMips, ImageQuerySamples, ImageSample, ImageGather",
            TEXTURE,
        ),
    ]
}

fn all() -> Vec<Row> {
    [control(), memory(), values(), floats(), integers(), others()].into_iter().flatten().collect()
}

/// The device function that `FunctionCall` calls.
fn square() -> Function {
    let mut b = Builder::device("square");
    let x = b.scalar("x", Type::U32);
    b.results(&[Type::U32]);
    let squared = b.op(Op::Mul, &[x, x]);
    b.ret_values(&[squared]);
    b.finish()
}

/// A kernel that stores what a call gives for these operands.
fn kernel(opcode: &str, build: Build, case: &Case) -> Checked {
    let mut r = Recorder::new(Builder::new("k", [1, 1, 1]), Types::default());
    r.b().buffer("words", Type::U32, Access::Read);
    r.b().buffer("out", Type::U32, Access::ReadWrite);
    r.b().buffer("cells", Type::U32, Access::Atomic);
    r.b().buffer("floats", Type::F32, Access::ReadWrite);
    let result = r.b().buffer("result", case.1.ty, Access::ReadWrite);
    let operands: Vec<Value> =
        case.0.iter().enumerate().map(|(i, operand)| r.b().scalar(format!("a{i}"), operand.ty)).collect();
    let value = build(&mut r, &operands);
    r.b().store(first(result), value);
    let (function, types) = r.finish().unwrap_or_else(|diag| panic!("{opcode}: {}", diag.headline()));
    let module = Module { types, functions: vec![function, square()] };
    check(module).unwrap_or_else(|diags| panic!("{opcode}: {diags:?}"))
}

fn run(checked: &Checked, case: &Case) -> Vec<u8> {
    let bytes = |values: [u32; 4]| values.map(u32::to_le_bytes).concat();
    let words = bytes([10, 20, 30, 40]);
    let floats = bytes([10.0f32, 20.0, 30.0, 40.0].map(f32::to_bits));
    let function = &checked.module().functions[0];
    let memory: Vec<Words> = (0..function.params.len())
        .map(|i| match i {
            3 => Words::from_bytes(&floats),
            4 => Words::zeroed(32),
            _ => Words::from_bytes(&words),
        })
        .collect();
    let mut operands = case.0.iter();
    let args: Vec<Arg<'_>> = (function.params.iter().zip(&memory))
        .map(|(param, words)| match param.kind {
            ParamKind::Buffer { .. } => {
                Arg::Buffer { words, offset: 0, len: if param.name == "result" { 1 } else { 4 } }
            }
            // What the call declares itself is passed 10.
            ParamKind::Scalar(_) => Arg::Scalar(operands.next().map_or([10, 0, 0, 0], |operand| operand.lanes)),
        })
        .collect();
    let program = Program::new(checked, 0).expect("a kernel");
    let options = Options { max_steps: Some(10_000), ..Options::default() };
    program.run([1, 1, 1], &args, &options).expect("no fault");
    memory[4].read(0..32)
}

#[test]
fn every_row_gives_what_its_opcode_says() {
    let mut cases = 0;
    for row in all() {
        let Row::Call(opcode, _, build, of) = row else { continue };
        for case in of() {
            let lane = case.1.ty.lane().expect("a value").size() as usize;
            let expected: Vec<u8> = case
                .1
                .lanes
                .iter()
                .take(case.1.ty.lanes())
                .flat_map(|bits| bits.to_le_bytes()[..lane].to_vec())
                .collect();
            let checked = kernel(opcode, build, &case);
            for (checked, when) in [(&checked, "as built"), (&optimize(checked.clone()), "after the passes")] {
                assert_eq!(run(checked, &case)[..expected.len()], expected, "{opcode} {when}");
            }
            cases += 1;
        }
    }
    assert!(cases > 130, "{cases}");
}

/// The names of the specification that compute shaders may use.
const NAMES: &str = "DebugName DebugMemberName Drain Constant Undef MinValue MaxValue EntryPoint SetCsWorkgroupSize SetFpMode \
    ConvertFtoF ConvertFtoI ConvertItoF ConvertItoI ConvertF32toPackedF16 ConvertPackedF16toF32 Cast ConsumeAs DclInputBuiltIn \
    DclSpecConstant DclPushData DclSampler DclCbv DclSrv DclUav DclUavCounter DclLds DclScratch DclTmp DclParam CompositeInsert \
    CompositeExtract CompositeConstruct CheckSparseAccess ParamLoad TmpLoad TmpStore ScratchLoad ScratchStore LdsLoad LdsStore \
    PushDataLoad InputLoad DescriptorLoad BufferLoad BufferStore BufferQuerySize MemoryLoad MemoryStore ConstantLoad LdsAtomic \
    BufferAtomic CounterAtomic MemoryAtomic ImageLoad ImageStore ImageAtomic ImageQuerySize ImageQueryMips ImageQuerySamples \
    ImageSample ImageGather Pointer Function FunctionEnd FunctionCall Return Label Branch BranchConditional Switch Unreachable Phi \
    ScopedIf ScopedElse ScopedEndIf ScopedLoop ScopedLoopBreak ScopedLoopContinue ScopedEndLoop ScopedSwitch ScopedSwitchCase \
    ScopedSwitchDefault ScopedSwitchBreak ScopedEndSwitch Barrier FEq FNe FLt FLe FGt FGe FIsNan IEq INe SLt SLe SGt SGe ULt ULe UGt \
    UGe BAnd BOr BEq BNe BNot Select FAbs FNeg FAdd FSub FMul FMulLegacy FMad FMadLegacy FDiv FRcp FSqrt FRsq FExp2 FLog2 FFract \
    FRound FMin FMax FDot FDotLegacy FClamp FSin FCos FPow FPowLegacy IAnd IOr IXor INot IBitInsert UBitExtract SBitExtract IShl SShr \
    UShr IBitCount IBitReverse IFindLsb SFindMsb UFindMsb IAdd IAddCarry ISub ISubBorrow IAbs INeg IMul UDiv UMod SMin SMax SClamp \
    UMin UMax UClamp UMsad SMulExtended UMulExtended";

#[test]
fn every_opcode_has_a_row() {
    let rows = all();
    let names = rows.iter().flat_map(|row| match row {
        Row::Call(name, ..) | Row::Frame(name, _) | Row::Absent(name, _) => name.split(", "),
    });
    let listed: BTreeSet<&str> = names.map(|name| name.split(" (").next().unwrap_or(name)).collect();
    let missing: Vec<&str> = NAMES.split_whitespace().filter(|name| !listed.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The page of the rows.
fn page() -> String {
    let mut out = String::from(
        "# DXBC-IR with the builder\n\n\
         This page is generated by a test, `ir/tests/dxbc/main.rs`, which builds, checks and runs every call.\n\n\
         `r` is a `Recorder` and `r.b()` its `Builder`; `a` are the operands.\n\
         The test names constants with `n` and `c`, an element of four bytes with `at`, and the first element with `first`.\n\
         `WORDS`, `OUT`, `CELLS` and `FLOATS` are buffers: to read, to write, to access atomically, and of floats.\n\n\
         | opcode | call |\n| --- | --- |\n",
    );
    for row in all() {
        let (name, call) = match row {
            Row::Call(name, call, ..) | Row::Frame(name, call) => {
                (name, format!("`{}`", call.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")))
            }
            Row::Absent(name, why) => (name, format!("none: {why}")),
        };
        let names: Vec<String> = name.split(", ").map(|name| format!("`{name}`")).collect();
        let _ = writeln!(out, "| {} | {call} |", names.join(", "));
    }
    out
}

#[test]
fn the_page_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/reference/dxbc.md");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == page, "docs/src/reference/dxbc.md is stale: BLESS=1 cargo test -p samebits-ir --test dxbc");
}
