//! Methods and functions beyond the operators, against std's of the same name and against
//! values by hand.

use crate::table;
use samebits::prelude::*;

table! { saturating_integers(a: i32, b: i32) -> i32 =
    a.saturating_add(b) ^ a.saturating_sub(b).wrapping_mul(3) ^ a.saturating_mul(b).wrapping_mul(5);
    (i32::MAX, 1) => i32::MAX ^ (i32::MAX - 1).wrapping_mul(3) ^ i32::MAX.wrapping_mul(5),
    (i32::MIN, -1) => i32::MIN ^ (i32::MIN + 1).wrapping_mul(3) ^ i32::MAX.wrapping_mul(5),
    (-5, 7) => 2 ^ -36 ^ -175,
    (i32::MIN, i32::MIN) => i32::MIN ^ i32::MAX.wrapping_mul(5),
}
table! { saturating_bytes_as_words(a: u32, b: u32) -> u32 =
    (a as u8).saturating_add(b as u8) as u32 * 65_536 + (a as u8).saturating_sub(b as u8) as u32 * 256 + (a as u8).saturating_mul(b as u8) as u32;
    (200, 100) => 255 * 65_536 + 100 * 256 + 255, (3, 5) => 8 * 65_536 + 15, (255, 0) => 255 * 65_536 + 255 * 256,
}
table! { overflowing_sums_tell_of_a_carry(a: u32, b: u32) -> u32 = {
        let (sum, carry) = a.overflowing_add(b);
        let (difference, borrow) = a.overflowing_sub(b);
        let (_, wrapped) = a.overflowing_mul(b);
        (sum ^ difference) * 8 + carry as u32 + borrow as u32 * 2 + wrapped as u32 * 4
    };
    (u32::MAX, 1) => (u32::MAX - 1).wrapping_mul(8) + 1, (3, 5) => (8 ^ 0xffff_fffe_u32).wrapping_mul(8) + 2,
    (65_536, 65_536) => 131_072 * 8 + 4,
}
table! { overflowing_signed(a: i32, b: i32) -> u32 =
    a.overflowing_add(b).1 as u32 + a.overflowing_sub(b).1 as u32 * 2 + a.overflowing_mul(b).1 as u32 * 4;
    (i32::MAX, 1) => 1, (i32::MIN, 1) => 2, (i32::MIN, -1) => 1 + 4, (0, i32::MIN) => 2, (65_536, -32_768) => 0, (65_536, 32_768) => 4,
}
table! { euclidean_division(a: i32, b: i32) -> i32 = a.div_euclid(b) * 1000 + a.rem_euclid(b);
    (7, 4) => 1003, (-7, 4) => -2000 + 1, (7, -4) => -1000 + 3, (-7, -4) => 2001, (5, 0) => 0, (i32::MIN, -1) => i32::MIN.wrapping_mul(1000),
}
table! { euclidean_division_of_floats(a: f32, b: f32) -> f32 = a.div_euclid(b) * 16.0 + a.rem_euclid(b);
    (7.0, 4.0) => 19.0, (-7.0, 4.0) => -31.0, (7.0, -4.0) => -13.0, (-7.0, -4.0) => 33.0,
}
table! { floored_remainder(a: i32, b: i32) -> i32 = mod_floor(a, b); (7, 4) => 3, (-7, 4) => 1, (7, -4) => -1, (-7, -4) => -3, (7, 0) => 0, (i32::MIN, -1) => 0 }
table! { powers_wrap(a: i32, n: u32) -> i32 = a.pow(n);
    (3, 4) => 81, (-2, 31) => i32::MIN, (0, 0) => 1, (7, 0) => 1, (10, 20) => 10i32.wrapping_pow(20), (3, u32::MAX) => 3i32.wrapping_pow(u32::MAX),
}
table! { roots_of_integers(a: u32) -> u32 = a.isqrt(); 0 => 0, 1 => 1, 15 => 3, 16 => 4, u32::MAX => 65_535, 4_294_836_225 => 65_535, 4_294_836_224 => 65_534 }
table! { quotients_and_multiples_upwards(a: u32, b: u32) -> u32 = a.div_ceil(b) * 1000 + a.next_multiple_of(b);
    (7, 4) => 2008, (8, 4) => 2008, (0, 4) => 0, (1, 1) => 1001,
}
table! { powers_of_two(a: u32) -> u32 = a.next_power_of_two() ^ a.is_power_of_two() as u32;
    0 => 1, 1 => 0, 5 => 8, 64 => 65, 0x8000_0000 => 0x8000_0001, 0x8000_0001 => 0,
}
table! { counts_of_bits(a: u32) -> u32 = a.count_zeros() + a.leading_ones() * 100 + a.trailing_ones() * 10_000;
    0 => 32, u32::MAX => 3200 + 320_000, 0xff00_0007 => 21 + 800 + 30_000,
}
table! { logarithms(a: u32) -> u32 = a.ilog2(); 1 => 0, 2 => 1, u32::MAX => 31, 0x8000_0000 => 31, 1023 => 9 }
table! { signs_of_integers(a: i32) -> u32 = a.is_negative() as u32 + a.is_positive() as u32 * 2 + (a.unsigned_abs() >> 28) * 4;
    0 => 0, 5 => 2, -5 => 1, i32::MIN => 1 + 8 * 4,
}
table! { midpoints(a: i32, b: i32) -> i32 = a.midpoint(b) * 10_000 + avg_floor(a, b) * 100 + avg_ceil(a, b);
    (1, 4) => 20_203, (-1, -4) => -20_000 - 300 - 2, (-1, 2) => 1, (i32::MAX, i32::MAX - 2) => (i32::MAX - 1).wrapping_mul(10_101),
}
table! { high_products(a: u32, b: u32) -> u32 = mul_hi(a, b); (u32::MAX, u32::MAX) => u32::MAX - 1, (65_536, 65_536) => 1, (5, 7) => 0 }
table! { high_products_of_signed(a: i32, b: i32) -> i32 = mul_hi(a, b); (-1, 1) => -1, (i32::MIN, i32::MIN) => 0x4000_0000, (65_536, -65_536) => -1, (5, 7) => 0 }
table! { high_products_of_long_ones(a: u32, b: u32) -> u32 = (mul_hi(a as u64 * 0x1_0000_0001, b as u64 * 0x1_0000_0001) >> 32) as u32;
    (u32::MAX, u32::MAX) => (((u64::MAX as u128 * u64::MAX as u128) >> 96) as u32), (3, 5) => 0, (0x8000_0000, 6) => 3,
}
table! { fields_of_bits(a: u32, n: u32) -> u32 = bit_extract(a, 4, n) ^ bit_insert(0, a, 28, n);
    (0xabcd_1234, 8) => 0x23 ^ 0x4000_0000, (0xabcd_1234, 0) => 0, (0xabcd_1234, 99) => 0x0abc_d123 ^ 0x4000_0000,
}
table! { fields_of_signed_bits(a: i32, n: u32) -> i32 = bit_extract(a, n, 4); (0x0f8, 4) => -1, (0x0f8, 3) => -1, (0x0f8, 2) => -2, (0x70, 4) => 7, (-1, 30) => -1, (-1, 32) => 0 }
table! { places_of_bits(a: i32) -> i32 = find_lsb(a) * 100 + find_msb(a);
    0 => -101, 1 => 0, -1 => -1, 12 => 203, i32::MIN => 3130, -8 => 302,
}
table! { chosen_and_shifted_bits(a: u32, n: u32) -> u32 = bit_select(0xff00_ff00, a, n) ^ funnel_shr(a, 7, n) ^ test_bit(a, n) as u32;
    (0x1234_5678, 0) => 0x1200_5600 ^ 7, (0x1234_5678, 4) => (0x1200_5604 ^ 0x8000_0000) ^ 1,
}
table! { saturated(a: f32) -> f32 = saturate(a); 2.0 => 1.0, -1.0 => 0.0, 0.25 => 0.25, f32::NAN => 0.0, -0.0 => 0.0 }
table! { parts_of_floats(a: f32) -> f32 = frexp_fraction(a) + frexp_exponent(a) as f32 * 4.0;
    1.0 => 4.5, 0.0 => 0.0, -6.0 => 11.25, 1e-45 => 0.5 - 148.0 * 4.0,
}
table! { scaled_by_powers_of_two(a: f32, n: i32) -> f32 = ldexp(a, n);
    (1.0, 3) => 8.0, (1.0, -149) => 1e-45, (1.5, -149) => 3e-45, (1.25, -149) => 1e-45, (1.0, -150) => 0.0, (1.0, 128) => f32::INFINITY,
    (1e-45, 276) => f32::from_bits(0x7f00_0000), (1.0, i32::MAX) => f32::INFINITY, (-1.0, i32::MIN) => -0.0, (0.0, i32::MAX) => 0.0,
}
table! { degrees_and_radians(a: f32) -> f32 = a.to_degrees() + a.to_radians(); 1.0 => 1f32.to_degrees() + 1f32.to_radians(), 0.1 => 0.1f32.to_degrees() + 0.1f32.to_radians() }
table! { sorts_of_floats(a: f32) -> u32 =
    a.is_normal() as u32 + a.is_subnormal() as u32 * 2 + a.is_sign_negative() as u32 * 4 + a.is_sign_positive() as u32 * 8;
    1.0 => 9, -0.0 => 4, 1e-45 => 10, f32::INFINITY => 8, f32::MIN_POSITIVE => 9, -1e-40 => 6, f32::NAN => 8,
}
table! { halves_in_a_word(a: f32, b: f32) -> u32 = pack_half_2x16(Vec2::new(a, b)); (1.0, -2.0) => 0xc000_3c00, (65_520.0, 1e-8) => 0x0000_7c00 }
table! { halves_toward_zero(a: f32, b: f32) -> u32 = pack_half_2x16_to_zero(Vec2::new(a, b)); (65_520.0, 1.9999) => 0x3fff_7bff, (f32::INFINITY, -1e-8) => 0x8000_7c00 }
table! { halves_out_of_a_word(a: u32) -> f32 = unpack_half_2x16(a).x + unpack_half_2x16(a).y; 0xc000_3c00 => -1.0 }
table! { normalized_bytes(a: f32, b: f32) -> u32 = pack_snorm_4x8(Vec4::new(a, b, 1.0, f32::NAN)) ^ pack_unorm_2x16(Vec2::new(a, b));
    (0.5, -1.0) => 0x007f_8140 ^ 0x0000_8000, (2.0, 0.0) => 0x007f_007f ^ 0x0000_ffff,
}
table! { numbers_out_of_bytes(a: u32) -> f32 = unpack_snorm_4x8(a).x + unpack_unorm_2x16(a).y + unpack_unorm_4x8(a).w + unpack_snorm_2x16(a).y;
    0xffff_0080 => -1.0 + 1.0 + 1.0 + (-1.0 / 32767.0),
}
table! { bfloats(a: f32) -> u32 = to_bf16_bits(a) as u32 + (from_bf16_bits(0x4049) == 3.140625) as u32; 1.0 => 0x3f81, f32::NAN => 0x7fc1, 1.0039063 => 0x3f81, 1.0117188 => 0x3f83 }
table! { dots_of_bytes(a: u32, b: u32) -> i32 = dot4_i8(a, b, 10) + dot4_i8_u8(a, b, 0) + dot4_u8(a, b, 0) as i32 + dot2_i16(a, b, 1) + dot2_u16(a, b, 0) as i32;
    (0x0102_03ff, 0x0101_0102) => (10 + 6 - 2) + (6 - 2) + (6 + 510) + (1 + 258 * 257 + 1023 * 258) + (258 * 257 + 1023 * 258),
}
table! { saturating_dots(a: u32, b: u32) -> i32 = dot4_i8_sat(a, b, i32::MAX - 3) ^ dot4_i8_u8_sat(a, b, i32::MIN) ^ dot2_i16_sat(a, b, 0) ^ (dot4_u8_sat(a, b, u32::MAX) ^ dot2_u16_sat(a, b, 1)) as i32;
    (0x0000_0005, 0x0000_0001) => (i32::MIN + 5) ^ i32::MAX ^ 5 ^ -7,
}
table! { masked_differences(a: u32, b: u32) -> u32 = msad4_u8(a, b, 7); (0x0005_0a00, 0xff01_0bff) => 7 + 4 + 1 }
table! { #[features(f16)] narrowed_toward_zero(a: f32) -> f32 = f16_to_zero(a) as f32; 1.9999 => 1.9990234, 1e9 => 65_504.0, -1e-9 => -0.0, f32::INFINITY => f32::INFINITY }
