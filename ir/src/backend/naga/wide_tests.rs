//! 64-bit integers of two words against Rust's own, on edge values and random ones.

use super::float_tests::Cpu;
use super::wide::*;

const EDGES: &[u64] = &[
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
    0xffff_ffff_ffff_ffff,
];

/// Every pair of edge values, and random ones of all lengths.
fn pairs() -> impl Iterator<Item = (u64, u64)> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> (state % 61)
    };
    let random = (0..4000).map(move |_| (next(), next()));
    EDGES.iter().flat_map(|&a| EDGES.iter().map(move |&b| (a, b))).chain(random)
}

fn split(a: u64) -> [u32; 2] {
    [a as u32, (a >> 32) as u32]
}

fn join(a: [u32; 2]) -> u64 {
    u64::from(a[0]) | u64::from(a[1]) << 32
}

/// Compares a function of two numbers with Rust's.
#[track_caller]
fn agree(ours: impl Fn(&mut Cpu, [u32; 2], [u32; 2]) -> [u32; 2], rust: impl Fn(u64, u64) -> u64) {
    for (a, b) in pairs() {
        let (value, expected) = (join(ours(&mut Cpu, split(a), split(b))), rust(a, b));
        assert_eq!(value, expected, "{a:#x}, {b:#x}: {value:#x}, not {expected:#x}");
    }
}

#[test]
fn arithmetic_wraps() {
    agree(add, u64::wrapping_add);
    agree(sub, u64::wrapping_sub);
    agree(mul, u64::wrapping_mul);
    agree(|m, a, _| neg(m, a), |a, _| a.wrapping_neg());
    agree(|m, a, _| abs(m, a), |a, _| (a as i64).wrapping_abs() as u64);
    agree(|m, a, _| sign(m, a), |a, _| (a as i64).signum() as u64);
}

#[test]
fn order_and_distance_are_those_of_the_sign() {
    agree(|m, a, b| [u32::from(lt(m, false, a, b)), 0], |a, b| u64::from(a < b));
    agree(|m, a, b| [u32::from(lt(m, true, a, b)), 0], |a, b| u64::from((a as i64) < b as i64));
    agree(|m, a, b| [u32::from(eq(m, a, b)), 0], |a, b| u64::from(a == b));
    agree(|m, a, b| abs_diff(m, false, a, b), u64::abs_diff);
    agree(|m, a, b| abs_diff(m, true, a, b), |a, b| (a as i64).abs_diff(b as i64));
}

#[test]
fn counts_of_shifts_are_taken_modulo_64() {
    agree(|m, a, b| shl(m, a, b[0]), |a, b| a.wrapping_shl(b as u32));
    agree(|m, a, b| shr(m, false, a, b[0]), |a, b| a.wrapping_shr(b as u32));
    agree(|m, a, b| shr(m, true, a, b[0]), |a, b| (a as i64).wrapping_shr(b as u32) as u64);
    agree(|m, a, b| rotl(m, a, b[0]), |a, b| a.rotate_left(b as u32 % 64));
    for n in 0..64 {
        let value = 0x8123_4567_89ab_cdef_u64;
        assert_eq!(join(shl(&mut Cpu, split(value), n)), value << n);
        assert_eq!(join(shr(&mut Cpu, false, split(value), n)), value >> n);
        assert_eq!(join(shr(&mut Cpu, true, split(value), n)), (value as i64 >> n) as u64);
        assert_eq!(join(rotl(&mut Cpu, split(value), n)), value.rotate_left(n));
    }
}

#[test]
fn bits_are_counted_over_both_words() {
    agree(|m, a, _| [ones(m, a), 0], |a, _| a.count_ones().into());
    agree(|m, a, _| [clz(m, a), 0], |a, _| a.leading_zeros().into());
    agree(|m, a, _| [ctz(m, a), 0], |a, _| a.trailing_zeros().into());
    agree(|m, a, _| reverse(m, a), |a, _| a.reverse_bits());
}

#[test]
fn division_gives_zero_for_a_zero_divisor() {
    agree(|m, a, b| divide_unsigned(m, a, b).0, |a, b| a.checked_div(b).unwrap_or(0));
    agree(|m, a, b| divide_unsigned(m, a, b).1, |a, b| a.checked_rem(b).unwrap_or(0));
}

#[test]
fn conversions_to_f32_round_once() {
    agree(|m, a, _| [to_f32(m, false, a), 0], |a, _| (a as f32).to_bits().into());
    agree(|m, a, _| [to_f32(m, true, a), 0], |a, _| (a as i64 as f32).to_bits().into());
}

#[test]
fn conversions_from_f32_saturate() {
    let float = |b: u64| f32::from_bits(b as u32);
    agree(|m, _, b| from_f32(m, false, b[0]), |_, b| float(b) as u64);
    agree(|m, _, b| from_f32(m, true, b[0]), |_, b| float(b) as i64 as u64);
    for bits in (0..=u32::MAX).step_by(65_521) {
        let float = f32::from_bits(bits);
        assert_eq!(join(from_f32(&mut Cpu, false, bits)), float as u64, "{float}");
        assert_eq!(join(from_f32(&mut Cpu, true, bits)), float as i64 as u64, "{float}");
    }
}
