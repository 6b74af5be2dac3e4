//! Expansion: compound ops as basic ones, which alone every back end lowers.
//!
//! [`expand`] gives a function in which no op [is compound](Op::is_compound), `sign` is for
//! integers alone, and subgroup ops are [basic](SubgroupOp::is_compound) and on scalars. A compound op on a vector is
//! taken apart into its lanes first. What comes out gives the same bits as [`Op::eval`](crate::ops::Op::eval) for all
//! operands; the tests of the devices hold the two against each other. Only loose mathematical functions may stay
//! ([`Expansion::keeps_loose`]), for a back end that writes the device's own instruction for them.
//!
//! The definitions are in `int`, `bits`, `float`, `pack` and `subgroup`, as functions that emit
//! instructions. They may use compound ops in turn, none of them its own. `math` records the functions of `crate::math`.

mod bits;
mod float;
mod int;
mod math;
mod pack;
mod subgroup;

use crate::ir::{Function, Inst, InstKind, Lenient, Region, RegionDef, Value};
use crate::loc::Loc;
use crate::math::{Method, Step};
use crate::ops::{Op, Signature, SubgroupOp, ops_of};
use crate::types::{Scalar, Type};
use std::collections::BTreeMap;

/// How mathematical functions are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The kind of step where there is a choice.
    pub step: Step,
    /// How mathematical functions of `f32` and `f16` are computed.
    pub method: Method,
    /// Whether ops that may be loose stay, of which the target has an [instruction](Op::has_instruction).
    pub keeps_loose: bool,
}

impl Expansion {
    /// Everything is expanded, for a target without fused products.
    pub const ALL: Self = Self { step: Step::Twice, method: Method::Doubles, keeps_loose: false };
}

/// A function in SSA form without compound ops, but for those that an expansion keeps.
pub fn expand(function: &Function, how: Expansion) -> Function {
    let mut expander =
        Expander { function: function.clone(), out: Vec::new(), loc: Loc::NONE, how, lenient: Lenient::NOWHERE };
    for region in function.regions.ids() {
        expander.region(region);
    }
    expander.function
}

/// Whether there is anything to do about an op.
fn is_expanded(op: Op, first: Type) -> bool {
    op.is_compound() || op == Op::Sign && first.lane().is_some_and(Scalar::is_float)
}

/// What is made of others.
enum What {
    Op(Op),
    Subgroup(SubgroupOp),
}

struct Expander {
    function: Function,
    /// The instructions of the region being filled.
    out: Vec<Inst>,
    loc: Loc,
    how: Expansion,
    /// What need not be right of what is made at the moment.
    lenient: Lenient,
}

impl Expander {
    fn region(&mut self, region: Region) {
        let insts = self.function.region_insts(region);
        let any = insts.iter().any(|&inst| self.expanded(inst).is_some());
        if !any {
            return;
        }
        // What was computed together with something before it.
        let mut made: BTreeMap<Inst, Value> = BTreeMap::new();
        for (i, &inst) in insts.iter().enumerate() {
            let Some((what, args, result)) = self.expanded(inst) else {
                self.out.push(inst);
                continue;
            };
            self.loc = self.function.insts[inst].loc;
            let before = self.out.len();
            let value = match (made.remove(&inst), what) {
                (Some(value), _) => value,
                (None, What::Op(op)) => match self.other_of_circle(op, &args, &insts[i + 1..]) {
                    Some(other) => {
                        let [sine, cosine] = self.sine_and_cosine(args[0]);
                        let [value, with] = if op == Op::Sin { [sine, cosine] } else { [cosine, sine] };
                        made.insert(other, with);
                        value
                    }
                    None => self.whole(op, &args),
                },
                (None, What::Subgroup(op)) => self.subgroup(op, &args),
            };
            // The instruction that made the value now makes the result that others use.
            self.function.insts[inst].kind = InstKind::Unreachable;
            self.function.insts[inst].results.clear();
            self.rename(before, value, result);
        }
        self.function.regions[region].insts = std::mem::take(&mut self.out);
    }

    /// The compound op that an instruction is.
    fn expanded(&self, inst: Inst) -> Option<(What, Vec<Value>, Value)> {
        let def = &self.function.insts[inst];
        match (&def.kind, def.results.as_slice()) {
            (InstKind::Op(op, args), &[result]) => {
                let first = args.first().map(|&arg| self.function.ty(arg))?;
                let is_kept = self.how.keeps_loose
                    && op.has_instruction()
                    && first.lane() == Some(Scalar::F32)
                    && self.function.is_loose(inst);
                (is_expanded(*op, first) && !is_kept).then(|| (What::Op(*op), args.clone(), result))
            }
            (InstKind::Subgroup(op, args), &[result]) => {
                let vector = matches!(self.function.ty(result), Type::Vector(..));
                (op.is_compound() || vector).then(|| (What::Subgroup(*op), args.clone(), result))
            }
            _ => None,
        }
    }

    /// The cosine among instructions that follow a sine of the same angle, or the other way round.
    fn other_of_circle(&self, op: Op, args: &[Value], after: &[Inst]) -> Option<Inst> {
        let other = match op {
            Op::Sin => Op::Cos,
            Op::Cos => Op::Sin,
            _ => return None,
        };
        let is_it = |inst: &Inst| matches!(self.expanded(*inst), Some((What::Op(op), others, _)) if op == other && others == args);
        after.iter().copied().find(is_it)
    }

    /// Gives a value the name of another one that nothing defines any more. What was there
    /// before is used elsewhere, too, and keeps its own.
    fn rename(&mut self, before: usize, value: Value, result: Value) {
        let last = self.out[before..].last().map(|&inst| &mut self.function.insts[inst]);
        if let Some(def) = last
            && def.results == [value]
        {
            def.results = vec![result];
            return;
        }
        // It is an operand or a constant. A `select` that always takes it defines the result.
        let always = self.constant(Scalar::Bool, 1);
        let kind = InstKind::Op(Op::Select, vec![always, value, value]);
        self.out.push(self.function.inst(kind, vec![result], self.loc));
    }

    /// The value of an op on whole operands.
    fn whole(&mut self, op: Op, args: &[Value]) -> Value {
        let first = self.function.ty(args[0]);
        match (op.info().signature, first) {
            (Signature::Lanes(..), Type::Vector(_, lanes)) => {
                let values: Vec<Value> = (0..u64::from(lanes))
                    .map(|lane| {
                        let operands: Vec<Value> = args.iter().map(|&arg| self.lane(arg, lane)).collect();
                        self.op(op, &operands)
                    })
                    .collect();
                self.op(Op::Construct, &values)
            }
            _ => self.op(op, args),
        }
    }

    /// The value of an op, of which every `Lanes` one is on scalars.
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let first = args.first().map_or(Type::Error, |&arg| self.function.ty(arg));
        if is_expanded(op, first) {
            return self.compound(op, args);
        }
        let types: Vec<Type> = args.iter().map(|&arg| self.function.ty(arg)).collect();
        let ty = op.result(&types, None).unwrap_or(Type::Error);
        self.push(InstKind::Op(op, args.to_vec()), ty)
    }

    /// The value of a compound op.
    #[expect(unreachable_patterns, reason = "the sign of a float is the one basic op that is expanded")]
    fn compound(&mut self, op: Op, args: &[Value]) -> Value {
        let arg = |n: usize| args.get(n).copied().unwrap_or(args[0]);
        let (a, b, c) = (arg(0), arg(1), arg(2));
        match op {
            Op::Sign => self.signum(a),
            Op::Mod => self.mod_floor(a, b),
            Op::MulHigh => self.mul_high(a, b),
            Op::AddSat => self.saturating(Op::Add, a, b),
            Op::SubSat => self.saturating(Op::Sub, a, b),
            Op::MulSat => self.mul_sat(a, b),
            Op::AddOverflows => self.overflows(Op::Add, a, b),
            Op::SubOverflows => self.overflows(Op::Sub, a, b),
            Op::MulOverflows => self.mul_overflows(a, b),
            Op::AvgFloor => self.average(Op::And, Op::Add, a, b),
            Op::AvgCeil => self.average(Op::Or, Op::Sub, a, b),
            Op::Midpoint => self.midpoint(a, b),
            Op::Clamp => self.clamp(a, b, c),
            Op::DivEuclid => self.div_euclid(a, b),
            Op::RemEuclid => self.rem_euclid(a, b),
            Op::Pow => self.pow(a, b),
            Op::Isqrt => self.isqrt(a),
            Op::DivCeil => self.div_ceil(a, b),
            Op::NextMultipleOf => self.next_multiple_of(a, b),
            Op::IsPowerOfTwo => self.is_power_of_two(a),
            Op::NextPowerOfTwo => self.next_power_of_two(a),
            Op::UnsignedAbs => self.unsigned_abs(a),
            Op::Ilog2 => self.ilog2(a),
            Op::IsNegative => self.against_zero(Op::Lt, a),
            Op::IsPositive => self.against_zero(Op::Gt, a),
            Op::CountZeros => self.of_complement(Op::CountOnes, a),
            Op::LeadingOnes => self.of_complement(Op::LeadingZeros, a),
            Op::TrailingOnes => self.of_complement(Op::TrailingZeros, a),
            Op::FindLsb => self.find_lsb(a),
            Op::FindMsb => self.find_msb(a),
            Op::BitSelect => self.bit_select(a, b, c),
            Op::FunnelShr => self.funnel_shr(a, b, c),
            Op::BitExtract => self.bit_extract(a, b, c),
            Op::BitInsert => self.bit_insert(a, b, c, arg(3)),
            Op::TestBit => self.test_bit(a, b),
            Op::Insert => self.insert(a, b, c),
            Op::All => self.reduce(Op::And, a),
            Op::Any => self.reduce(Op::Or, a),
            Op::IsNormal => self.is_normal(a),
            Op::IsSubnormal => self.is_subnormal(a),
            Op::IsSignNegative => self.sign_bit(Op::Ne, a),
            Op::IsSignPositive => self.sign_bit(Op::Eq, a),
            Op::Recip => self.recip(a),
            Op::Fract => self.fract(a),
            Op::Saturate => self.saturate(a),
            Op::FrexpFraction => self.frexp_fraction(a),
            Op::FrexpExponent => self.frexp_exponent(a),
            Op::Ldexp => self.ldexp(a, b),
            Op::ToDegrees => self.scaled(a, 57.295_78, 180.0 / std::f64::consts::PI),
            Op::ToRadians => self.scaled(a, std::f32::consts::PI / 180.0, std::f64::consts::PI / 180.0),
            Op::NarrowToZero => self.narrow_to_zero(a),
            Op::ToBfloat => self.bfloat_bits(a),
            Op::FromBfloat => self.of_bfloat(a),
            Op::PackHalf => self.pack_half(a, false),
            Op::PackHalfToZero => self.pack_half(a, true),
            Op::UnpackHalf => self.unpack_half(a),
            Op::PackSnorm2 => self.pack_normalized(a, -1.0, 32767.0, 16),
            Op::PackUnorm2 => self.pack_normalized(a, 0.0, 65535.0, 16),
            Op::PackSnorm4 => self.pack_normalized(a, -1.0, 127.0, 8),
            Op::PackUnorm4 => self.pack_normalized(a, 0.0, 255.0, 8),
            Op::UnpackSnorm2 => self.unpack_normalized(a, Type::I32, 32767.0, 16),
            Op::UnpackUnorm2 => self.unpack_normalized(a, Type::U32, 65535.0, 16),
            Op::UnpackSnorm4 => self.unpack_normalized(a, Type::I32, 127.0, 8),
            Op::UnpackUnorm4 => self.unpack_normalized(a, Type::U32, 255.0, 8),
            Op::DotI8 => self.dot([a, b, c], 8, Type::I32, Type::I32),
            Op::DotU8 => self.dot([a, b, c], 8, Type::U32, Type::U32),
            Op::DotI8U8 => self.dot([a, b, c], 8, Type::I32, Type::U32),
            Op::DotI8Sat => self.dot_sat([a, b, c], 8, Type::I32, Type::I32),
            Op::DotU8Sat => self.dot_sat([a, b, c], 8, Type::U32, Type::U32),
            Op::DotI8U8Sat => self.dot_sat([a, b, c], 8, Type::I32, Type::U32),
            Op::DotI16 => self.dot([a, b, c], 16, Type::I32, Type::I32),
            Op::DotU16 => self.dot([a, b, c], 16, Type::U32, Type::U32),
            Op::DotI16Sat => self.dot_sat([a, b, c], 16, Type::I32, Type::I32),
            Op::DotU16Sat => self.dot_sat([a, b, c], 16, Type::U32, Type::U32),
            Op::MaskedSad => self.masked_sad(a, b, c),
            ops_of!(math) => op.math().map_or(a, |function| self.math(function, args)),
            // Basic ops do not come here.
            ops_of!(number | bits | compare | choice | float | shape) => a,
        }
    }

    // What the definitions are written with.

    fn push(&mut self, kind: InstKind, ty: Type) -> Value {
        let (inst, value) = self.function.made(kind, ty, self.loc);
        if self.lenient != Lenient::NOWHERE {
            self.function.lenient[inst] = self.lenient;
        }
        self.out.push(inst);
        value
    }

    fn constant(&mut self, ty: Scalar, bits: u64) -> Value {
        self.function.constant(ty, bits)
    }

    /// The lane type of a value.
    fn scalar(&self, value: Value) -> Scalar {
        self.function.ty(value).lane().unwrap_or(Scalar::U32)
    }

    /// An integer constant of the type of another value; wraps.
    fn like(&mut self, value: Value, number: i64) -> Value {
        let ty = self.scalar(value);
        self.constant(ty, number as u64)
    }

    fn u32(&mut self, number: u32) -> Value {
        self.constant(Scalar::U32, number.into())
    }

    /// A float constant of the type of another value, which holds the number exactly.
    fn float_like(&mut self, value: Value, number: f64) -> Value {
        let bits = match self.scalar(value) {
            Scalar::F16 => crate::scalar::half::from_f64(number).into(),
            Scalar::F32 => (number as f32).to_bits().into(),
            _ => number.to_bits(),
        };
        let ty = self.scalar(value);
        self.constant(ty, bits)
    }

    /// A cast, which is nothing between equal types.
    fn cast(&mut self, value: Value, to: Scalar) -> Value {
        let to = Type::Scalar(to);
        if self.function.ty(value) == to {
            return value;
        }
        self.push(InstKind::Op(Op::Cast, vec![value]), to)
    }

    /// The same bits as another type.
    fn bitcast(&mut self, value: Value, to: Scalar) -> Value {
        self.push(InstKind::Op(Op::Bitcast, vec![value]), Type::Scalar(to))
    }

    fn select(&mut self, condition: Value, accept: Value, reject: Value) -> Value {
        self.op(Op::Select, &[condition, accept, reject])
    }

    fn lane(&mut self, vector: Value, lane: u64) -> Value {
        let lane = self.constant(Scalar::U32, lane);
        self.op(Op::Extract, &[vector, lane])
    }

    /// An op on a value and an integer.
    fn op_k(&mut self, op: Op, value: Value, number: i64) -> Value {
        let number = self.like(value, number);
        self.op(op, &[value, number])
    }

    /// A shift by a known number of bits.
    fn shift_k(&mut self, op: Op, value: Value, count: u32) -> Value {
        let count = self.u32(count);
        self.op(op, &[value, count])
    }

    /// A loop over some values: `step` gives whether to go on and the next values; the
    /// result is the first value when it does not.
    fn repeat(&mut self, initial: &[Value], step: impl FnOnce(&mut Self, &[Value]) -> (Value, Vec<Value>)) -> Value {
        let (body, params) = self.loop_body(initial);
        let outer = std::mem::take(&mut self.out);
        let step = step(self, &params);
        self.end_loop((body, initial, &params[..1]), step, outer)[0]
    }

    /// The body of a loop over some values, and its parameters.
    fn loop_body(&mut self, initial: &[Value]) -> (Region, Vec<Value>) {
        let types: Vec<Type> = initial.iter().map(|&value| self.function.ty(value)).collect();
        let params: Vec<Value> = types.iter().map(|&ty| self.function.value(ty)).collect();
        (self.function.regions.push(RegionDef { params: params.clone(), insts: Vec::new() }), params)
    }

    /// Ends the body of a loop: whether to go on and the next values. It gives what is `kept` of its parameters. The
    /// instructions before the loop are the `outer` ones.
    fn end_loop(
        &mut self,
        (body, initial, kept): (Region, &[Value], &[Value]),
        (more, next): (Value, Vec<Value>),
        outer: Vec<Inst>,
    ) -> Vec<Value> {
        let results: Vec<Value> = kept.iter().map(|&value| self.function.value(self.function.ty(value))).collect();
        let kind = InstKind::Loop { body, initial: initial.to_vec(), label: None };
        let inst = self.function.inst(kind, results.clone(), self.loc);
        let branch = |expander: &mut Self, kind: InstKind| {
            let end = expander.function.inst(kind, Vec::new(), expander.loc);
            expander.function.regions.push(RegionDef { params: Vec::new(), insts: vec![end] })
        };
        let then = branch(self, InstKind::Yield(Vec::new()));
        let otherwise = branch(self, InstKind::Break(inst, kept.to_vec()));
        let ends = [InstKind::If { condition: more, then, otherwise }, InstKind::Continue(inst, next)];
        for kind in ends {
            self.out.push(self.function.inst(kind, Vec::new(), self.loc));
        }
        self.function.regions[body].insts = std::mem::replace(&mut self.out, outer);
        self.out.push(inst);
        results
    }
}

#[cfg(test)]
mod tests;
