//! Methods of numbers that are made of several ops: bytes, logarithms, mixed signs, neighbours.

use crate::twins;
use samebits::prelude::*;

twins! {
    bytes_of_numbers([0x1234_5678, 0xfedc_ba98, 0x3fc0_0000, 7]);
    { fn swapped(n: u32) -> u32 { u32::from_be_bytes(n.to_le_bytes()) } }
    { fn sum(bytes: [u8; 4]) -> u32 { bytes[0] as u32 + bytes[1] as u32 * 3 + bytes[2] as u32 * 5 + bytes[3] as u32 * 7 } }
    kernel(x, y) {
        y[0] = sum(x[0].to_le_bytes());
        y[1] = sum(x[0].to_be_bytes());
        y[2] = sum((x[1] as i32).to_ne_bytes());
        y[3] = swapped(x[0]);
        let wide = (x[0] as u64 | (x[1] as u64) << 32).to_be_bytes();
        y[4] = wide[0] as u32 + wide[7] as u32 * 256 + wide[x[3] as usize] as u32 * 65536;
        y[5] = (i64::from_le_bytes(wide) >> 8) as u32;
        y[6] = u16::from_be_bytes([1, 2]) as u32 ^ i16::from_le_bytes([0xff, 0xff]) as u32;
        y[7] = f32::from_bits(x[2]).to_be_bytes()[0] as u32 + u8::from_ne_bytes(7u8.to_ne_bytes()) as u32;
        y[8] = f32::from_le_bytes([0, 0, 0xc0, 0x3f]).to_bits();
        y[9] = x[0].to_be() ^ u32::from_be(x[1]) ^ x[0].to_le() ^ u32::from_le(x[1]) << 1;
        y[10] = (x[0] as i16).to_be() as u32;
        let [a, b] = (x[0] as u16).to_le_bytes();
        y[11] = a as u32 * 1000 + b as u32;
        y[12] = (x[1] as i8).to_le_bytes()[0] as u32;
    }
}

twins! {
    logarithms_and_roots([0, 1, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 4_294_967_295, 65536]);
    { fn digits(n: u32) -> u32 { if n == 0 { 1 } else { n.ilog10() + 1 } } }
    kernel(x, y) {
        for i in 0..10 {
            y[i] = digits(x[i]);
            if x[i] > 0 {
                y[i] += x[i].ilog(3) * 100 + x[i].ilog(x[3]) * 10_000 + (x[i] as u64 * x[i] as u64).ilog10() * 1_000_000;
            }
            y[i + 10] = (x[i] as i64).isqrt() as u32 + ((x[i] as i32 & 0x7fff) as i16).isqrt() as u32;
            y[i + 20] = ((x[i] as u8) | 1).ilog10() + ((x[i] as u16) | 1).ilog(7) * 10 + (((x[i] as i8) & 0x7f) | 1).ilog10() * 1000;
        }
    }
}

twins! {
    signs_shifts_and_multiples([0x8000_0000, 3, 0xffff_fffe, 33, 0, 12]);
    kernel(x, y) {
        y[0] = x[0].cast_signed() as i64 as u32 ^ (x[1] as i32 - 4).cast_unsigned();
        y[1] = x[1].wrapping_add_signed(-5) ^ (x[0] as i32).wrapping_add_unsigned(x[2]) as u32;
        y[2] = (x[0] as i32).wrapping_sub_unsigned(7) as u32;
        y[3] = (x[0] as i32).saturating_neg() as u32 ^ (x[0] as i32).saturating_abs() as u32 ^ (x[2] as i32).saturating_abs() as u32;
        y[4] = (x[2] as i8).saturating_neg() as u32 + i8::MIN.saturating_abs() as u32;
        y[5] = x[2].unbounded_shl(x[3]) + x[2].unbounded_shr(x[1]) + x[2].unbounded_shl(31);
        y[6] = (x[2] as i32).unbounded_shr(x[3]) as u32 ^ (x[2] as i32).unbounded_shr(1) as u32;
        y[7] = x[5].is_multiple_of(x[1]) as u32 + x[5].is_multiple_of(x[4]) as u32 * 2 + x[4].is_multiple_of(x[4]) as u32 * 4;
        y[8] = (x[5] as u8).is_multiple_of(5) as u32 + 1;
        y[9] = (x[3] as u64).unbounded_shl(63) as u32 + (x[3] as u64).unbounded_shr(64) as u32 + 1;
    }
}

twins! {
    numbers_beside([0x3f80_0000, 0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, 1, 0x8000_0001, 0x0080_0000, 0xc000_0000]);
    kernel(x, y) {
        for i in 0..10 {
            let f = f32::from_bits(x[i]);
            y[i] = f.next_up().to_bits();
            y[i + 10] = f.next_down().to_bits();
        }
        y[20] = f32::NAN.next_up().is_nan() as u32;
    }
}

/// Where Rust panics, and on numbers of which only bits are known.
#[test]
fn what_has_no_logarithm_or_root() {
    #[kernel(workgroup_size(1))]
    fn edges(x: &[i32], o: &mut [u32]) {
        let (zero, below) = (x[0], x[1]);
        o[0] = zero.ilog10();
        o[1] = below.ilog10();
        o[2] = zero.ilog(10);
        o[3] = 7u32.ilog(zero as u32) ^ 1;
        o[4] = 7i32.ilog(below);
        o[5] = below.isqrt() as u32;
        o[6] = (zero as u64).ilog10();
        o[7] = f32::from_bits(0x7fa0_0001).to_be_bytes()[1] as u32;
        o[8] = o.len().ilog10() + o.len().is_multiple_of(3) as u32;
    }
    let none = u32::MAX;
    crate::expect(&[none, none, none, none ^ 1, none, 0, none, 0xa0, 1], |device, out| {
        edges::launch(device, 1, &device.upload(&[0, -5])?, out)
    });
}

twins! {
    numbers_come_from_smaller_ones([200, 7, 65535, 3_000_000_000]);
    kernel(x, o) {
        let (small, word, signed) = (x[0] as u8, x[2] as u16, x[1] as i8 - 9);
        o[0] = u32::from(small) + u32::from(word) * 2;
        o[1] = (u64::from(x[3]) * 2 >> 20) as u32 + u32::from(x[1] > 3);
        o[2] = (i64::from(signed) - i64::from(x[3]) >> 8) as u32;
        o[3] = (f32::from(word) * 2.0) as u32 + (f32::from(signed) * -10.0) as u32;
        o[4] = i32::from(small) as u32 + usize::from(word) as u32 + u32::from(x[1]);
        o[5] = (x[1] > 5).then_some(x[0]).unwrap_or(1) + (x[1] > 50).then_some(x[0]).unwrap_or(1) * 1000;
    }
}

twins! {
    numbers_become_what_they_are_given_to([200, 7, 65535, 3_000_000_000]);
    { fn wide(n: i64) -> u32 { (n >> 3) as u32 } }
    kernel(x, o) {
        let long: u64 = x[3].into();
        let half: f32 = (x[0] as u8).into();
        let truth: i32 = (x[1] > 3).into();
        o[0] = (long * 5 >> 3) as u32 + (half * 3.0) as u32 + truth as u32;
        o[1] = wide(x[3].into());
        let small = x[1] as u16;
        let index: usize = small.into();
        o[index] = 5;
        o[2] = (1u64 + u64::from(x[1])).min(x[0].into()) as u32;
    }
}

twins! {
    numbers_that_do_not_fit_are_known_as_such([200, 7, 65535, 3_000_000_000]);
    kernel(x, o) {
        let below = x[1] as i32 - 300;
        o[0] = u8::try_from(x[0]).unwrap_or(2) as u32 + u8::try_from(x[2]).unwrap_or(2) as u32 * 1000;
        o[1] = i8::try_from(below).is_ok() as u32 + i16::try_from(below).is_ok() as u32 * 2;
        o[2] = u32::try_from(below).is_err() as u32 + i32::try_from(x[3]).is_err() as u32 * 2;
        o[3] = usize::try_from(x[1] as i32).unwrap_or_default() as u32 + u8::try_from(300).unwrap_or(9) as u32 * 10;
        o[4] = u16::try_from(u64::from(x[2]) * 70000).map_or(5, |n| n as u32);
        o[5] = i64::try_from(u64::MAX - u64::from(x[1])).is_ok() as u32 + u64::try_from(i64::MIN).is_ok() as u32 + 4;
        if let Some(n) = i8::try_from(x[1]).ok() { o[6] = n as u32; }
        o[7] = u8::try_from(o.len()).ok().map(|n| n as u32 + 1).unwrap_or(0);
        o[8] = i32::try_from(2_147_483_647u32).is_ok() as u32 + i32::try_from(2_147_483_648u32).is_err() as u32 * 2;
    }
}
