//! Literals: which type later use gives them, and that no digit is lost.

use samebits::prelude::*;

#[test]
fn later_use_decides_the_type_of_a_literal() {
    #[kernel(workgroup_size(1))]
    fn later(a: &[u32], o: &mut [u32]) {
        for n in 0..4 {
            let x: u32 = n + 1;
            o[n as usize] = x;
        }
        let t = if a[0] > 5 { 0 } else { 1 };
        o[4] = t;
        let big = 3_000_000_000;
        o[5] = big;
        let f = 2.0 * (a[0] as f32);
        o[6] = f as u32;
        let mut late = 7;
        late = late + 1;
        let copy = late;
        o[7] = copy;
        let hex = 0xffff_ffff;
        let bin = 0b1010;
        let oct = 0o17;
        o[8] = hex & bin | oct;
        let i = 9;
        o[i] = 4_000_000_000;
        let count = loop {
            break 4_000_000_001;
        };
        o[10] = count;
    }
    let expected = [1, 2, 3, 4, 1, 3_000_000_000, 6, 8, 15, 4_000_000_000, 4_000_000_001];
    crate::expect(&expected, |device, out| later::launch(device, 1, &device.upload(&[3])?, out));
}

#[test]
fn undecided_integers_are_i32() {
    #[kernel(workgroup_size(1))]
    fn undecided(o: &mut [u32]) {
        let a = 1 - 2;
        if a < 0 {
            o[0] = 1;
        }
        let b = -7 / 2;
        if b == -3 {
            o[1] = 1;
        }
        for i in -1..1 {
            if i < 0 {
                o[2] += 1;
            }
        }
        let shifted = -1 >> 31;
        if shifted == -1 {
            o[3] = 1;
        }
    }
    crate::expect(&[1, 1, 1, 1], |device, out| undecided::launch(device, 1, out));
}

#[test]
fn the_least_integers_are_literals() {
    #[kernel(workgroup_size(1))]
    fn least(o: &mut [i32]) {
        o[0] = -2147483648;
        o[1] = -2_147_483_648i32 + 1;
        o[2] = -0x8000_0000;
        o[3] = i32::MIN - 1;
    }
    crate::expect(&[i32::MIN, -i32::MAX, i32::MIN, i32::MAX], |device, out| least::launch(device, 1, out));
}

#[test]
fn every_digit_of_a_float_counts() {
    #[kernel(workgroup_size(1))]
    fn digits(o: &mut [u32]) {
        o[0] = 9007199791611905.0f32.to_bits();
        o[1] = 1.00000005960464477540f32.to_bits();
        o[2] = f32::MAX.to_bits();
        o[3] = 131072.65f32.to_bits();
        o[4] = f32::INFINITY.to_bits();
        o[5] = f32::NEG_INFINITY.to_bits();
        o[6] = (-0.0f32).to_bits();
        o[7] = (f32::MIN_POSITIVE / 2.0).to_bits();
        o[8] = f32::NAN.to_bits();
        o[9] = 1e-45f32.to_bits();
        o[10] = 3.402_823_5e38_f32.to_bits();
        o[11] = 7f32.to_bits();
        o[12] = 1e-50f32.to_bits();
        o[13] = 0.1f32.to_bits();
        o[14] = f32::EPSILON.to_bits();
        o[15] = std::f32::consts::PI.to_bits();
    }
    let expected = [
        0x5a00_0001,
        0x3f80_0001,
        0x7f7f_ffff,
        0x4800_002a,
        0x7f80_0000,
        0xff80_0000,
        0x8000_0000,
        0x0040_0000,
        0x7fc0_0000,
        1,
        0x7f7f_ffff,
        0x40e0_0000,
        0,
        0x3dcc_cccd,
        0x3400_0000,
        0x4049_0fdb,
    ];
    crate::expect(&expected, |device, out| digits::launch(device, 1, out));
}

#[test]
fn a_condition_with_literal_arms_is_not_lost() {
    #[kernel(workgroup_size(4))]
    fn arms(a: &[i32], n: u32, o: &mut [i32], g: &mut [u32]) {
        let i = global_id().x;
        o[i] = if a[i] > 0 { 1 } else { 2 };
        let mut ok = true;
        ok = if ok { (i as u32) < n } else { false };
        ok = if ok { a[i] != 0 } else { false };
        g[i] = if ok { 7 } else { 9 };
    }
    for device in crate::devices() {
        let (mut o, mut g) = (device.zeros(4).unwrap(), device.zeros(4).unwrap());
        arms::launch(device, 4, &device.upload(&[5, -5, 0, 1]).unwrap(), 3, &mut o, &mut g).unwrap();
        crate::same(device, &o, &[1, 2, 2, 1]);
        arms::launch(device, 4, &device.upload(&[5, 0, 4, 1]).unwrap(), 3, &mut o, &mut g).unwrap();
        crate::same(device, &g, &[7, 9, 7, 9]);
    }
}

#[test]
fn constants_of_types() {
    #[kernel(workgroup_size(1))]
    fn constants(o: &mut [u32], w: &mut [u64]) {
        o[0] = u32::MAX;
        o[1] = u32::MIN;
        o[2] = i32::MAX as u32;
        o[3] = i32::MIN as u32;
        o[4] = u32::BITS + i32::BITS;
        o[5] = usize::MAX as u32;
        o[6] = f32::MIN.to_bits();
        o[7] = core::f32::consts::SQRT_2.to_bits();
        w[0] = u64::MAX;
        w[1] = u64::MIN;
    }
    for device in crate::devices() {
        let (mut o, mut w) = (device.zeros(8).unwrap(), device.upload(&[5u64, 5]).unwrap());
        constants::launch(device, 1, &mut o, &mut w).unwrap();
        let max = u32::MAX;
        crate::same(device, &o, &[max, 0, max >> 1, 1 << 31, 64, max, 0xff7f_ffff, 0x3fb5_04f3]);
        crate::same(device, &w, &[u64::MAX, 0]);
    }
}
