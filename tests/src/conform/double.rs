//! The numbers that ops on `f64` are tried on.

const SIGN: u64 = 1 << 63;
const FRACTION: u64 = (1 << 52) - 1;

/// Positive numbers; each is used with both signs.
pub const NUMBERS: &[u64] = &[
    0,
    1, // the least subnormal
    2,
    0x0000_0000_ffff_ffff,
    0x0000_0001_0000_0000,
    0x0008_0000_0000_0000, // a subnormal with one bit
    0x000f_ffff_ffff_ffff, // the greatest subnormal
    0x0010_0000_0000_0000, // the least normal
    0x0010_0000_0000_0001,
    0x0020_0000_0000_0000,
    0x1ff0_0000_0000_0000, // 2⁻⁵¹², whose square is subnormal
    0x3690_0000_0000_0000, // half of the least `f32`
    0x3690_0000_0000_0001,
    0x380f_ffff_f000_0000, // halfway between the greatest subnormal `f32` and the least normal
    0x3c9f_ffff_ffff_ffff,
    0x3ca0_0000_0000_0000, // 2⁻⁵³, half of the last bit of 1
    0x3ca0_0000_0000_0001,
    0x3cb0_0000_0000_0000,
    0x3e60_0000_0000_0000, // half of the least `f16`
    0x3e60_0000_0000_0001,
    0x3fd5_5555_5555_5555, // 1/3
    0x3fdf_ffff_ffff_ffff, // just below 0.5
    0x3fe0_0000_0000_0000, // 0.5
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000, // 1
    0x3ff0_0000_0000_0001,
    0x3ff0_0000_0fff_ffff,
    0x3ff0_0000_1000_0000, // halfway between two `f32`s
    0x3ff0_0000_1000_0001,
    0x3ff0_0000_3000_0000,
    0x3ff0_0200_0000_0000, // halfway between two `f16`s
    0x3ff0_0200_0000_0001, // which its nearest `f32` is, too
    0x3ff8_0000_0000_0000, // 1.5
    0x4000_0000_0000_0000, // 2
    0x4004_0000_0000_0000, // 2.5
    0x4008_0000_0000_0000, // 3
    0x400c_0000_0000_0000, // 3.5
    0x4024_0000_0000_0000, // 10
    0x405f_e000_0000_0000, // 127.5
    0x4070_0000_0000_0000, // 256
    0x40df_ffff_ffff_ffff, // below 2¹⁵
    0x40ef_fe00_0000_0000, // where `f16` overflows
    0x40ef_fdff_ffff_ffff,
    0x41df_ffff_ffc0_0000, // 2³¹ − 1
    0x41e0_0000_0000_0000, // 2³¹
    0x41ef_ffff_ffff_ffff, // below 2³²
    0x41f0_0000_0000_0000, // 2³²
    0x432f_ffff_ffff_ffff, // 2⁵² − 0.5
    0x4330_0000_0000_0000, // 2⁵²
    0x4330_0000_0000_0001,
    0x4340_0000_0000_0001,
    0x43df_ffff_ffff_ffff, // below 2⁶³
    0x43e0_0000_0000_0000, // 2⁶³
    0x43ef_ffff_ffff_ffff, // below 2⁶⁴
    0x43f0_0000_0000_0000, // 2⁶⁴
    0x47ef_ffff_e000_0000, // the greatest `f32`
    0x47ef_ffff_f000_0000, // where `f32` overflows
    0x47ef_ffff_efff_ffff,
    0x5ff0_0000_0000_0000,
    0x7fd0_0000_0000_0000, // its product with 4 overflows
    0x7fef_ffff_ffff_ffff, // the greatest number
    0x7ff0_0000_0000_0000, // infinity
    0x7ff8_0000_0000_0000, // the quiet NaN
    0x7ff8_0000_0000_1234,
    0x7ff0_0000_0000_0001, // a signalling NaN with nothing in its high word
    0x7ff4_0000_dead_beef,
];

/// Where three operands are crossed: few, but every sort of number.
pub const FEW: &[u64] = &[
    0,
    SIGN,
    1,
    SIGN | 1,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x1ff0_0000_0000_0000,
    0x3ca0_0000_0000_0001,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x3fef_ffff_ffff_ffff,
    0xbff0_0000_0000_0002,
    0x4340_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff4_0000_dead_beef,
    0xfff8_0000_0000_0001,
];

/// A number made of random bits: any, of an exponent near others', or nearly subnormal.
pub fn random(bits: u64, kind: u64) -> u64 {
    let near = kind >> 3;
    match kind % 4 {
        0 => bits & (SIGN | FRACTION) | (1016 + near % 16) << 52,
        1 => bits & (SIGN | FRACTION) | (near % 3) << 52,
        // Of few digits, so that results are exact or halfway.
        2 => bits & (SIGN | FRACTION) & (u64::MAX << (20 + near % 33)) | (1000 + (near >> 8) % 48) << 52,
        _ => bits,
    }
}

/// An addend that cancels all but the last bits of a product.
pub fn opposite(a: u64, b: u64, bits: u64) -> u64 {
    let product = -(f64::from_bits(a) * f64::from_bits(b));
    product.to_bits().wrapping_add(bits % 3).wrapping_sub(1)
}
