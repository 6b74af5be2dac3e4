//! Each routine against `scalar`, on edge values and random ones, by a small evaluator that
//! also watches what back ends rely on: counts of shifts and divisors.

use super::{Meaning, Routine};
use crate::check::check;
use crate::ir::{CallArg, Function, Inst, InstKind, Region, Value};
use crate::ops::{Op, Signature};
use crate::scalar::{self, half};
use crate::types::{Kind, Scalar, Type};

/// A routine that is evaluated: the words of its values.
struct Machine {
    function: &'static Function,
    words: Vec<u32>,
    callees: Vec<(u32, Machine)>,
}

/// How a region ends.
enum End {
    Yield,
    Break,
    Continue,
    Return(Vec<u32>),
}

impl Machine {
    fn new(routine: Routine) -> Self {
        let function = routine.function();
        let words = function.values.iter().map(|(_, def)| def.constant.unwrap_or(0) as u32).collect();
        let callees = routine.needs().into_iter().map(|callee| (callee.position(), Self::new(callee))).collect();
        Self { function, words, callees }
    }

    fn run(&mut self, operands: &[u32]) -> Vec<u32> {
        self.set(&self.function.regions[self.function.body].params, operands);
        match self.region(self.function.body) {
            End::Return(words) => words,
            End::Yield | End::Break | End::Continue => panic!("{} returns nothing", self.function.name),
        }
    }

    fn set(&mut self, values: &[Value], words: &[u32]) {
        assert_eq!(values.len(), words.len());
        for (value, &word) in values.iter().zip(words) {
            self.words[value.index()] = word;
        }
    }

    fn get(&self, values: &[Value]) -> Vec<u32> {
        values.iter().map(|value| self.words[value.index()]).collect()
    }

    fn region(&mut self, region: Region) -> End {
        for &inst in &self.function.regions[region].insts {
            let def = &self.function.insts[inst];
            match &def.kind {
                InstKind::Op(op, args) => {
                    let flags = self.function.ty(args[0]) == Type::BOOL;
                    let at = |i: usize| args.get(i).map_or(0, |value| self.words[value.index()]);
                    self.words[def.results[0].index()] = value(*op, flags, [at(0), at(1), at(2)]);
                }
                InstKind::Call { function, args } => {
                    let args: Vec<Value> = args
                        .iter()
                        .map(|arg| match arg {
                            CallArg::Value(value) => *value,
                            CallArg::Place(_) => panic!("a view"),
                        })
                        .collect();
                    let operands = self.get(&args);
                    let callee = self.callees.iter_mut().find(|(position, _)| position == function).expect("a need");
                    let results = callee.1.run(&operands);
                    self.set(&def.results, &results);
                }
                InstKind::If { condition, then, otherwise } => {
                    let taken = if self.words[condition.index()] != 0 { *then } else { *otherwise };
                    match self.region(taken) {
                        End::Yield => {}
                        end => return end,
                    }
                }
                InstKind::Loop { body, initial, .. } => {
                    let first = self.get(initial);
                    self.set(&self.function.regions[*body].params, &first);
                    self.repeat(inst, *body);
                }
                InstKind::Yield(values) => {
                    assert!(values.is_empty());
                    return End::Yield;
                }
                InstKind::Break(target, values) => {
                    let words = self.get(values);
                    self.set(&self.function.insts[*target].results, &words);
                    return End::Break;
                }
                InstKind::Continue(target, values) => {
                    let InstKind::Loop { body, .. } = self.function.insts[*target].kind else { panic!("no loop") };
                    let words = self.get(values);
                    self.set(&self.function.regions[body].params, &words);
                    return End::Continue;
                }
                InstKind::Return(values) => return End::Return(self.get(values)),
                other => panic!("{}: a routine has no {other:?}", self.function.name),
            }
        }
        panic!("a region without an end")
    }

    fn repeat(&mut self, inst: Inst, body: Region) {
        for _ in 0..100_000 {
            match self.region(body) {
                End::Break => return,
                End::Continue => {}
                End::Yield | End::Return(_) => panic!("{} leaves a loop", self.function.name),
            }
        }
        panic!("{}: {inst:?} goes on", self.function.name)
    }
}

/// An op on words, or on conditions.
fn value(op: Op, flags: bool, [a, b, c]: [u32; 3]) -> u32 {
    match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        // Divisors are not zero, and counts are below 32.
        Op::Div => a.checked_div(b).expect("a divisor"),
        Op::Shl => a.checked_shl(b).expect("a count"),
        Op::Shr => a.checked_shr(b).expect("a count"),
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not if flags => a ^ 1,
        Op::Not => !a,
        Op::LeadingZeros => a.leading_zeros(),
        Op::CountOnes => a.count_ones(),
        Op::ReverseBits => a.reverse_bits(),
        Op::SwapBytes => a.swap_bytes(),
        Op::Eq => u32::from(a == b),
        Op::Lt => u32::from(a < b),
        Op::Select => [c, b][usize::from(a != 0)],
        other => panic!("a routine has no {other:?}"),
    }
}

/// The bits of positive `f32`s; each is used with both signs.
const SINGLES: &[u32] = &[
    0,
    1,
    2,
    3,
    0x0000_8000,
    0x003f_ffff,
    0x0040_0000,
    0x007f_fffe,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x0c00_0000,
    0x1f80_0001,
    0x2000_0000,
    0x3380_0000,
    0x3380_0001,
    0x3eff_ffff,
    0x3f00_0000,
    0x3f00_0001,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x3fff_ffff,
    0x4000_0000,
    0x4020_0000,
    0x4060_0000,
    0x4049_0fdb,
    0x4aff_ffff,
    0x4b00_0000,
    0x4b00_0001,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4eff_ffff,
    0x4f00_0000,
    0x4f00_0001,
    0x4f7f_ffff,
    0x4f80_0000,
    0x5f00_0000,
    0x7e80_0000,
    0x7f00_0000,
    0x7f7f_fffe,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0x7fff_ffff,
    0x42fe_0000,
    0x4300_0000,
    0x437f_0000,
    0x4380_0000,
    0x46ff_fe00,
    0x4700_0000,
    0x477f_ff00,
    0x4780_0000,
    0x5eff_ffff,
    0x5f7f_ffff,
    0x5f80_0000,
];

/// The same of `f64`s.
const DOUBLES: &[u64] = &[
    0,
    1,
    2,
    3,
    0x0000_0000_ffff_ffff,
    0x0000_0001_0000_0000,
    0x0008_0000_0000_0000,
    0x000f_ffff_ffff_fffe,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x0010_0000_0000_0001,
    0x001f_ffff_ffff_ffff,
    0x0020_0000_0000_0000,
    0x0360_0000_0000_0000,
    0x1ff0_0000_0000_0001,
    0x2000_0000_0000_0000,
    0x3690_0000_0000_0000,
    0x3690_0000_0000_0001,
    0x36a0_0000_0000_0000,
    0x380f_ffff_e000_0000,
    0x380f_ffff_f000_0000,
    0x3ca0_0000_0000_0000,
    0x3ca0_0000_0000_0001,
    0x3cb0_0000_0000_0000,
    0x3e60_0000_0000_0000,
    0x3fdf_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000,
    0x3fe0_0000_0000_0001,
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x3ff0_0000_1000_0000,
    0x3ff0_0000_1000_0001,
    0x3ff0_0000_3000_0000,
    0x3ff0_0200_0000_0000,
    0x3ff0_0200_0000_0001,
    0x3ff8_0000_0000_0000,
    0x3fff_ffff_ffff_ffff,
    0x4000_0000_0000_0000,
    0x4004_0000_0000_0000,
    0x4009_21fb_5444_2d18,
    0x400c_0000_0000_0000,
    0x40ef_fde0_0000_0000,
    0x40ef_fe00_0000_0000,
    0x405f_c000_0000_0000,
    0x4060_0000_0000_0000,
    0x406f_e000_0000_0000,
    0x40df_ffc0_0000_0000,
    0x40ef_ffe0_0000_0000,
    0x41df_ffff_ffc0_0000,
    0x41e0_0000_0000_0000,
    0x41ef_ffff_ffff_ffff,
    0x41f0_0000_0000_0000,
    0x431f_ffff_ffff_ffff,
    0x432f_ffff_ffff_ffff,
    0x4330_0000_0000_0000,
    0x4330_0000_0000_0001,
    0x4340_0000_0000_0000,
    0x43df_ffff_ffff_ffff,
    0x43e0_0000_0000_0000,
    0x43ef_ffff_ffff_ffff,
    0x43f0_0000_0000_0000,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_efff_ffff,
    0x47ef_ffff_f000_0000,
    0x5fe0_0000_0000_0000,
    0x7fd0_0000_0000_0000,
    0x7fef_ffff_ffff_fffe,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0x7ff0_0000_8000_0000,
    0x7ff8_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
];

const LONGS: &[u64] = &[
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    65,
    0xff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x0000_0001_ffff_ffff,
    0x00ff_ff00_00ff_ff00,
    0x0020_0000_0100_0000,
    0x0123_4567_89ab_cdef,
    0x5555_5555_5555_5555,
    0x7fff_ffbf_ffff_ffff,
    0x7fff_ffc0_0000_0000,
    0x7fff_ffff_ffff_fffe,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0x8000_0080_0000_0000,
    0x8000_0080_0000_0001,
    0xffff_ff7f_ffff_ffff,
    0xffff_ff80_0000_0000,
    0xffff_ffff_0000_0000,
    0xffff_ffff_ffff_fffe,
    u64::MAX,
];

fn edges(ty: Scalar) -> Vec<u64> {
    let signed = |bits: u64| [bits, bits | 1 << (ty.bits() - 1)];
    match ty {
        Scalar::F16 => [0, 1, 0x1ff, 0x3ff, 0x400, 0x3bff, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7e00]
            .into_iter()
            .flat_map(signed)
            .collect(),
        Scalar::F32 => SINGLES.iter().copied().map(u64::from).flat_map(signed).collect(),
        Scalar::F64 => DOUBLES.iter().copied().flat_map(signed).collect(),
        _ => LONGS.iter().map(|bits| bits & ty.mask()).collect(),
    }
}

struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Bits of a value: of floats any, near 1, near the subnormals, or of few digits; of
    /// integers any length.
    fn of(&mut self, ty: Scalar) -> u64 {
        let (kind, bits) = (self.word(), self.word());
        match ty {
            Scalar::F32 => match kind % 4 {
                0 => bits & 0xffff_ffff,
                1 => bits & 0x8080_0fff | 0x3f00_0000,
                2 => bits & 0x81ff_ffff,
                _ => bits & 0x83ff_ffff | 0x3e00_0000,
            },
            Scalar::F64 => {
                let fraction = bits & 0x800f_ffff_ffff_ffff;
                match kind % 8 {
                    0 => bits,
                    1 => fraction | (kind >> 8 & 3) << 52,
                    2 => fraction & !0x7ff_ffff_ffff | (1020 + (kind >> 8) % 8) << 52,
                    3 => fraction | (1023 + (kind >> 8) % 64) << 52,
                    4 => fraction & (u64::MAX << (kind >> 16 & 63)) | (1000 + (kind >> 8) % 64) << 52,
                    5 => fraction | (960 + (kind >> 8) % 128) << 52,
                    _ => fraction | (1020 + (kind >> 8) % 8) << 52,
                }
            }
            _ => bits >> (kind % 61) & ty.mask(),
        }
    }
}

/// The types of the operands and of the result.
fn types(meaning: Meaning) -> (Vec<Scalar>, Scalar) {
    match meaning {
        Meaning::Cast(from, to) => (vec![from], to),
        Meaning::Op(op, ty) => {
            let Signature::Lanes(_, operands, result) = op.info().signature else { panic!("{op:?} has no lanes") };
            let lane = |part: crate::ops::Part| part.of(Type::Scalar(ty)).lane().expect("a scalar");
            (operands.iter().map(|&part| lane(part)).collect(), lane(result))
        }
    }
}

fn expected(meaning: Meaning, operands: &[u64]) -> u64 {
    let lanes: Vec<[u64; 4]> = operands.iter().map(|&bits| [bits, 0, 0, 0]).collect();
    match meaning {
        Meaning::Cast(from, to) => scalar::cast(from.into(), to.into(), lanes[0]).expect("a cast")[0],
        Meaning::Op(op, _) => {
            let (types, result) = types(meaning);
            let types: Vec<Type> = types.into_iter().map(Type::Scalar).collect();
            op.eval(&types, result.into(), &lanes)[0]
        }
    }
}

fn words(ty: Scalar, bits: u64) -> Vec<u32> {
    if ty.bits() == 64 { vec![bits as u32, (bits >> 32) as u32] } else { vec![bits as u32] }
}

/// Compares a routine with what it means, on these operands.
fn compare(machine: &mut Machine, meaning: Meaning, operands: &[u64]) {
    let (types, _) = types(meaning);
    let given: Vec<u32> = types.iter().zip(operands).flat_map(|(&ty, &bits)| words(ty, bits)).collect();
    let got = machine.run(&given).iter().rev().fold(0, |bits, &word| bits << 32 | u64::from(word));
    let right = expected(meaning, operands);
    assert!(got == right, "{meaning:?} of {operands:#x?}: {got:#x}, not {right:#x}");
}

/// Neighbours of what an op gives, where rounding and cancelling are hard.
fn near(bits: u64, random: &mut Random) -> u64 {
    bits.wrapping_add(random.word() % 5).wrapping_sub(2)
}

/// Operands that an op finds hard, from random ones.
fn hard(meaning: Meaning, [a, b, c]: [u64; 3], random: &mut Random) -> Vec<[u64; 3]> {
    let of = |op: Op, ty: Scalar, a: u64, b: u64| expected(Meaning::Op(op, ty), &[a, b]);
    match meaning {
        Meaning::Op(Op::Add | Op::Sub, ty) if ty.is_float() => {
            let opposite = near(a, random) ^ 1 << (ty.bits() - 1);
            vec![[a, opposite & ty.mask(), 0]]
        }
        // Around the least normal number.
        Meaning::Op(Op::Mul, Scalar::F64) => {
            let other = (1023 + random.word() % 64).saturating_sub(a >> 52 & 2047) & 2047;
            vec![[a, b & 0x800f_ffff_ffff_ffff | other << 52, 0]]
        }
        // An addend that nearly cancels the product, and one at any distance of it.
        Meaning::Op(Op::MulAdd, ty) => {
            let product = of(Op::Mul, ty, a, b);
            let opposite = near(product, random) ^ 1 << (ty.bits() - 1);
            let exponent = (product >> 52 & 2047).wrapping_add(random.word() % 240).wrapping_sub(120).min(2046);
            let distant = if ty == Scalar::F64 { c & 0x800f_ffff_ffff_ffff | exponent << 52 } else { c };
            vec![[a, b, opposite & ty.mask()], [a, b, distant]]
        }
        // A product and its neighbours by a factor is near a number of few digits.
        Meaning::Op(Op::Div, ty) if ty.is_float() => vec![[near(of(Op::Mul, ty, a, b), random) & ty.mask(), b, 0]],
        Meaning::Op(Op::Sqrt, ty) => vec![[near(of(Op::Mul, ty, a, a), random) & ty.mask(), 0, 0]],
        // Whole multiples, and their neighbours.
        Meaning::Op(Op::Rem, ty) if ty.is_float() => {
            let factor = (random.word() >> (11 + random.word() % 53)) as f64;
            let factor = if ty == Scalar::F64 { factor.to_bits() } else { u64::from((factor as f32).to_bits()) };
            vec![[near(of(Op::Mul, ty, factor, b), random) & ty.mask(), b, 0]]
        }
        // A whole number and a half.
        Meaning::Op(Op::Round | Op::RoundEven | Op::Floor | Op::Ceil | Op::Trunc, ty) => {
            let half = (random.word() % 4_000_000) as f64 / 2.0;
            vec![[if ty == Scalar::F64 { half.to_bits() } else { u64::from((half as f32).to_bits()) }, 0, 0]]
        }
        // Halfway between two results, and next to that.
        Meaning::Cast(Scalar::F64, Scalar::F32 | Scalar::F16) => {
            let small = a & 0x800f_ffff_ffff_ffff | (1023 - 152 + random.word() % 160) << 52;
            let middles = [a, small].into_iter().flat_map(|a| {
                [a & !0x1fff_ffff | 0x1000_0000, a & !0x3ff_ffff_ffff | 0x200_0000_0000, a & !0xfff_ffff_ffff]
            });
            middles.flat_map(|a| [[a, 0, 0], [a ^ 1, 0, 0], [a.wrapping_sub(1), 0, 0]]).collect()
        }
        Meaning::Cast(Scalar::U64 | Scalar::I64, Scalar::F64) => vec![[a & !0x7ff | 0x400, 0, 0]],
        Meaning::Cast(Scalar::F32, Scalar::F16) => {
            let half = u16::try_from(random.word() % 0x7c00).expect("a half");
            let middle = u64::from((half::to_f64(half) as f32).to_bits());
            let middle = (middle ^ [0, 0x1000][(a % 2) as usize]) | (b & 1) << 31;
            vec![[near(middle, random) & 0xffff_ffff, 0, 0], [a & 0x807f_ffff | 0x3300_0000, 0, 0]]
        }
        _ => Vec::new(),
    }
}

/// Runs a routine on all edges and on random values.
fn agrees(routine: Routine, meaning: Meaning) {
    let mut machine = Machine::new(routine);
    let (types, _) = types(meaning);
    let mut edges: Vec<Vec<u64>> = types.iter().map(|&ty| edges(ty)).collect();
    if let [first, ..] = &mut edges[..]
        && types.len() == 1
        && types[0] == Scalar::F16
    {
        *first = (0..=u64::from(u16::MAX)).collect();
    }
    let step = if types.len() == 3 { 4 } else { 1 };
    let one = |operand: usize| match edges.get(operand) {
        Some(edges) => edges.iter().copied().step_by(step).collect(),
        None => vec![0],
    };
    for &a in &one(0) {
        for &b in &one(1) {
            for &c in &one(2) {
                compare(&mut machine, meaning, &[a, b, c][..types.len()]);
            }
        }
    }
    let mut random = Random(routine.info().number.into());
    let rounds = if types.iter().all(|ty| ty.is_float()) { 10_000 } else { 2_000 };
    for _ in 0..rounds {
        let ty = |i: usize| types.get(i).copied().unwrap_or(types[0]);
        let operands = [random.of(ty(0)), random.of(ty(1)), random.of(ty(2))];
        compare(&mut machine, meaning, &operands[..types.len()]);
        for operands in hard(meaning, operands, &mut random) {
            compare(&mut machine, meaning, &operands[..types.len()]);
        }
    }
}

/// The routines whose leading operand is of a kind.
fn all_agree(fits: impl Fn(Scalar) -> bool) {
    let mut seen = 0;
    for &routine in Routine::ALL {
        for &meaning in routine.info().meanings {
            let (Meaning::Op(_, ty) | Meaning::Cast(ty, _)) = meaning;
            if fits(ty) {
                agrees(routine, meaning);
                seen += 1;
            }
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn routines_on_f16_mean_what_the_table_says() {
    all_agree(|ty| ty == Scalar::F16);
}

#[test]
fn routines_on_f32_mean_what_the_table_says() {
    all_agree(|ty| ty == Scalar::F32);
}

#[test]
fn routines_on_f64_mean_what_the_table_says() {
    all_agree(|ty| ty == Scalar::F64);
}

#[test]
fn routines_on_integers_mean_what_the_table_says() {
    all_agree(|ty| ty.kind() != Kind::Float);
}

#[test]
fn quotient_and_remainder_are_both_zero_for_a_zero_divisor() {
    let mut machine = Machine::new(Routine::U64Divide);
    assert_eq!(machine.run(&[7, 1, 0, 0]), [0; 4]);
    assert_eq!(machine.run(&[7, 1, 2, 0]), [0x8000_0003, 0, 1, 0]);
}

#[test]
fn a_device_that_flushes_subnormals_is_right_where_the_tests_say_so() {
    let flushed = |bits: u64| if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
    let tests = [
        (Routine::F32AddIsRight, Op::Add),
        (Routine::F32SubIsRight, Op::Sub),
        (Routine::F32MulIsRight, Op::Mul),
        (Routine::F32MulAddIsRight, Op::MulAdd),
    ];
    for (routine, op) in tests {
        let (mut machine, meaning) = (Machine::new(routine), Meaning::Op(op, Scalar::F32));
        let (mut random, mut right, mut wrong) = (Random(9), 0, 0);
        for _ in 0..50_000 {
            let operands = [Scalar::F32; 3].map(|ty| random.of(ty));
            let device = flushed(expected(meaning, &operands.map(flushed)[..op.info().signature.arity().0]));
            let exact = expected(meaning, &operands[..op.info().signature.arity().0]);
            let given: Vec<u32> = [device].iter().chain(&operands).map(|&bits| bits as u32).collect();
            let says = machine.run(&given[..=op.info().signature.arity().0]) == [1];
            assert!(!says || device == exact, "{op:?} of {operands:x?}: {device:x}, not {exact:x}");
            (right, wrong) = (right + u32::from(says), wrong + u32::from(device != exact));
        }
        assert!(right > 10_000 && wrong > 100, "{op:?}: {right} and {wrong}");
    }
}

#[test]
fn routines_are_functions_that_the_checks_accept() {
    let module = Routine::module();
    assert_eq!(module.functions.len(), Routine::ALL.len());
    assert!(check(module).is_ok());
}
