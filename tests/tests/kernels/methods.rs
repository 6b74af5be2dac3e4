//! Methods of integers.

use crate::table;
use samebits::prelude::*;

table! { wrapping_methods_of_i32(a: i32, b: i32) -> i32 =
    a.wrapping_add(b) ^ a.wrapping_sub(b).wrapping_mul(3) ^ a.wrapping_neg() ^ a.wrapping_abs();
    (i32::MIN, -1) => i32::MAX ^ (i32::MIN + 1).wrapping_mul(3) ^ i32::MIN ^ i32::MIN,
    (i32::MAX, 1) => i32::MIN ^ (i32::MAX - 1).wrapping_mul(3) ^ -i32::MAX ^ i32::MAX,
}
table! { wrapping_methods_of_u32(a: u32, b: u32) -> u32 =
    a.wrapping_add(b) ^ a.wrapping_sub(b).wrapping_mul(5) ^ a.wrapping_neg();
    (u32::MAX, 2) => 1 ^ (u32::MAX - 2).wrapping_mul(5) ^ 1, (0, 1) => 1 ^ u32::MAX.wrapping_mul(5),
}
table! { wrapping_division(a: i32, b: i32) -> i32 = a.wrapping_div(b) * 100 + a.wrapping_rem(b);
    (i32::MIN, -1) => i32::MIN.wrapping_mul(100), (-7, 2) => -301,
}
table! { wrapping_shifts(a: i32, n: u32) -> i32 = a.wrapping_shl(n) ^ a.wrapping_shr(n);
    (-8, 33) => -16 ^ -4, (1, 31) => i32::MIN,
}
table! { absolute_value(a: i32) -> i32 = a.abs(); -5 => 5, 5 => 5, i32::MIN => i32::MIN }
table! { sign_of_integers(a: i32) -> i32 = a.signum(); -5 => -1, 0 => 0, 9 => 1, i32::MIN => -1 }
table! { least_and_greatest_of_i32(a: i32, b: i32) -> i32 = a.min(b) * 10 + a.max(b); (-3, 2) => -28, (2, -3) => -28 }
table! { least_and_greatest_of_u32(a: u32, b: u32) -> u32 = a.min(b) ^ a.max(b) << 1;
    (0xffff_ffff, 1) => 1 ^ 0xffff_fffe, (2, 3) => 2 ^ 6,
}
table! { clamp_of_integers(a: i32, b: i32) -> i32 = a.clamp(-b, b); (9, 5) => 5, (-9, 5) => -5, (3, 5) => 3 }
table! { distance_of_i32(a: i32, b: i32) -> u32 = a.abs_diff(b); (i32::MIN, i32::MAX) => u32::MAX, (5, -3) => 8, (-3, 5) => 8 }
table! { distance_of_u32(a: u32, b: u32) -> u32 = a.abs_diff(b); (0, u32::MAX) => u32::MAX, (7, 3) => 4 }
table! { rotations(a: u32, n: u32) -> u32 = a.rotate_left(n) ^ a.rotate_right(n) >> 1;
    (0x8000_0001, 1) => 3 ^ 0xc000_0000 >> 1, (0x1234_5678, 32) => 0x1234_5678 ^ 0x1234_5678 >> 1, (1, 36) => 0x10 ^ 0x1000_0000 >> 1,
}
table! { rotation_of_i32(a: i32, n: u32) -> i32 = a.rotate_left(n); (i32::MIN, 1) => 1, (-2, 1) => -3 }
table! { counts_of_bits(a: u32) -> u32 = a.count_ones() * 10000 + a.leading_zeros() * 100 + a.trailing_zeros();
    0 => 3232, 1 => 13100, 0x8000_0000 => 10031, u32::MAX => 320000, 0x00f0_0000 => 40820,
}
table! { counts_of_bits_of_i32(a: i32) -> u32 = a.count_ones() * 10000 + a.leading_zeros() * 100 + a.trailing_zeros();
    0 => 3232, -1 => 320000, i32::MIN => 10031,
}
table! { reversals(a: u32) -> u32 = a.reverse_bits() ^ a.swap_bytes(); 0x1234_5678 => 0x1e6a_2c48 ^ 0x7856_3412, 1 => 0x8000_0000 ^ 0x0100_0000 }

#[test]
fn methods_of_usize() {
    #[kernel(workgroup_size(1))]
    fn sizes(x: &[u32], o: &mut [u32]) {
        let i = x.len();
        o[i.min(1)] = i.max(7) as u32;
        o[0] = i.abs_diff(10) as u32;
        o[2] = i.count_ones();
        o[3] = i.wrapping_sub(4) as u32;
        o[4] = i.clamp(1, 2) as u32;
    }
    crate::expect(&[7, 7, 2, u32::MAX, 2], |device, out| sizes::launch(device, 1, &device.upload(&[0u32; 3])?, out));
}
