//! Bits of scalars at random, as often as not small numbers or edges.

use crate::conform::values::edges;
use samebits_ir::types::Scalar;
use samebits_random::Random;

/// The bits of a scalar: as often as not a small number or an edge of the type.
pub(super) fn bits(random: &mut Random, ty: Scalar) -> u64 {
    let any = match random.below(8) {
        0..2 if ty.is_float() => small_float(random, ty),
        0..2 => random.bits() % 9,
        2 if ty.is_int() => (random.bits() % 4).wrapping_neg(),
        3 if ty.is_float() => near_one(random, ty),
        3 => 1 << random.below(ty.bits() as usize),
        4..6 => random.pick(&edges(ty)).copied().unwrap_or_default(),
        _ => random.bits(),
    };
    any & ty.mask()
}

/// Any digits and an exponent near zero, so that sums round.
fn near_one(random: &mut Random, ty: Scalar) -> u64 {
    let (digits, one) = match ty {
        Scalar::F16 => (10, 15),
        Scalar::F32 => (23, 127),
        _ => (52, 1023),
    };
    let sign = random.bits() << (ty.bits() - 1);
    let exponent = one - 3 + random.below(7) as u64;
    sign | exponent << digits | random.bits() & ((1 << digits) - 1)
}

/// A number of a few quarters, with which sums and products are often exact.
fn small_float(random: &mut Random, ty: Scalar) -> u64 {
    let quarters = random.below(65) as f64 / 4.0 - 8.0;
    match ty {
        Scalar::F16 => half::f16::from_f64(quarters).to_bits().into(),
        Scalar::F32 => (quarters as f32).to_bits().into(),
        _ => quarters.to_bits(),
    }
}
