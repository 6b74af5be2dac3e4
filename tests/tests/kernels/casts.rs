//! `as` between the types of the language.

use crate::table;
use samebits::prelude::*;

table! { float_to_unsigned_truncates_and_saturates(a: f32) -> u32 = a as u32;
    f32::NAN => 0, f32::INFINITY => u32::MAX, f32::NEG_INFINITY => 0, -0.9 => 0, -1.0 => 0, -107374000.0 => 0,
    3.9999998 => 3, 2147483648.0 => 2147483648, 4294967296.0 => u32::MAX, 4294967040.0 => 4294967040, -2147483904.0 => 0, -0.0 => 0,
}

table! { float_to_signed_truncates_and_saturates(a: f32) -> i32 = a as i32;
    f32::NAN => 0, f32::INFINITY => i32::MAX, f32::NEG_INFINITY => i32::MIN, -0.9 => 0, -1.0 => -1, -107374000.0 => -107374000,
    3.9999998 => 3, 2147483648.0 => i32::MAX, 4294967296.0 => i32::MAX, -2147483904.0 => i32::MIN, -2147483648.0 => i32::MIN,
    2147483520.0 => 2147483520,
}

table! { signed_to_float_rounds_to_nearest_even(a: i32) -> f32 = a as f32;
    16777217 => 16777216.0, 16777219 => 16777220.0, i32::MAX => 2147483648.0, i32::MIN => -2147483648.0, -16777217 => -16777216.0, 0 => 0.0,
}

table! { unsigned_to_float_rounds_to_nearest_even(a: u32) -> f32 = a as f32;
    u32::MAX => 4294967296.0, 16777217 => 16777216.0, 0x8000_0080 => 2147483648.0, 0x8000_0180 => 2147484160.0, 0 => 0.0,
}

table! { there_and_back(a: u32) -> u32 = a as f32 as u32; u32::MAX => 4294967295, 5 => 5, 0x7fff_ffff => 0x8000_0000 }

table! { signed_to_unsigned_keeps_the_bits(a: i32) -> u32 = a as u32; -1 => u32::MAX, i32::MIN => 0x8000_0000, 7 => 7 }

table! { unsigned_to_signed_keeps_the_bits(a: u32) -> i32 = a as i32; u32::MAX => -1, 0x8000_0000 => i32::MIN, 7 => 7 }

table! { bool_to_integers(a: u32) -> i32 = (a > 5) as i32 * 2 + (a > 7) as u32 as i32; 6 => 2, 9 => 3, 0 => 0 }

table! { to_usize_and_back(a: u32) -> u32 = (a as usize * 3 + 1) as u32; 5 => 16, u32::MAX => u32::MAX - 1 }

table! { signed_to_usize_is_32_bits_wide(a: i32) -> u32 = a as usize as u32; -1 => u32::MAX, 3 => 3 }

table! { unsigned_to_wide_extends_with_zeros(a: u32) -> u64 = a as u64; u32::MAX => 0xffff_ffff, 0 => 0 }

table! { wide_to_unsigned_takes_the_low_half(a: u64) -> u32 = a as u32; 0x1_0000_0007 => 7, u64::MAX => u32::MAX }

table! { bits_of_a_float(a: f32) -> u32 = a.to_bits(); 1.0 => 0x3f80_0000, -0.0 => 0x8000_0000, f32::INFINITY => 0x7f80_0000 }

table! { a_float_of_bits(a: u32) -> f32 = f32::from_bits(a); 0x3f80_0000 => 1.0, 50 => f32::from_bits(50), 0x7fa0_0001 => f32::from_bits(0x7fa0_0001) }

#[test]
fn casts_to_the_own_type_change_nothing() {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Pair {
        a: u32,
        b: u32,
    }
    #[device]
    fn same(v: Vec4<f32>) -> Vec4<f32> {
        v as Vec4<f32>
    }
    #[kernel(workgroup_size(1))]
    fn identities(v: Vec3<f32>, w: Vec2<i32>, o: &mut [u32]) {
        let a = (v as Vec3<f32>) as Vec3<f32>;
        let b = w as Vec2<i32>;
        let c = Vec2::new(1.5, 2.5) as Vec2<f32>;
        let d = same(Vec4::new(1.0, 2.0, 3.0, 4.0));
        let e = [7u32, 8] as [u32; 2];
        let f = (5u32, 6i32) as (u32, i32);
        let g = Pair { a: 9, b: 10 } as Pair;
        let h = Vec4::new(1u32, 2, 3, 4) as Vec4<u32> as Vec2<u32>;
        o[0] = (a.x + a.z + c.y + d.w) as u32;
        o[1] = (b.x - b.y) as u32;
        o[2] = e[1] + f.0 + f.1 as u32 + g.a + g.b + h.y;
        o[3] = (true as bool) as u32 + o.len() as usize as u32;
    }
    crate::expect(&[12, 9, 40, 5], |device, out| {
        identities::launch(device, 1, Vec3::new(1.5, 0.0, 4.0), Vec2::new(4, -5), out)
    });
}

#[test]
fn a_literal_has_the_type_that_it_is_cast_to() {
    #[kernel(workgroup_size(1))]
    fn literals(o: &mut [u32]) {
        let a = 2.0 as f32;
        let b = -2.5 as f32;
        o[0] = (a * b) as i32 as u32;
        o[1] = 200 as u8 as u32;
        o[2] = !0 as u8 as u32;
        o[3] = -1 as i8 as u32;
        o[4] = 3.7 as u32 + -3.7 as i32 as u32;
        o[5] = 1e20 as u32;
        o[6] = (4000000000 as u64 * 3 >> 2) as u32;
        o[7] = 7 as usize as _;
        o[8] = (o[1] as u8 + 100) as _;
        o[9] = ((1 << 4) as u64 * 3) as u32;
        o[10] = true as u32 + 3 as f32 as u32;
    }
    let expected = [(2.0f32 * -2.5) as i32 as u32, 200, 255, u32::MAX, 0, u32::MAX, 3_000_000_000, 7, 44, 48, 4];
    crate::expect(&expected, |device, out| literals::launch(device, 1, out));
}
