//! Constants from outside whose type no use tells: they have the type that they were declared with.

use samebits::prelude::*;

const UNSIGNED: u32 = 5;
const SIZE: usize = 6;
const BYTE: u8 = 200;
const LONG: i64 = -7;
const LARGE: u64 = 1 << 40;
const FLAG: bool = true;
const SINGLE: f32 = 1.5;
const DOUBLE: f64 = 2.5;

mod deep {
    pub const HALF: u16 = 60000;
    pub const SMALL: i8 = -100;
}

#[device]
const KNOWN: u32 = 4;

#[test]
fn counters_have_the_type_of_their_constant() {
    #[kernel(workgroup_size(1))]
    fn unsigned(o: &mut [f32]) {
        for k in 0..UNSIGNED {
            o[0] += k as f32;
            o[1] = (k - 5) as f32;
        }
        for k in 0..KNOWN {
            o[2] += k as f32;
        }
    }
    let expected = [10.0, -1i32 as u32 as f32, 6.0];
    crate::expect(&expected, |device, out| unsigned::launch(device, 1, out));
    #[kernel(workgroup_size(1))]
    fn size(o: &mut [f32]) {
        for k in (0..SIZE).rev().step_by(2) {
            o[0] = o[0] * 10.0 + k as f32;
        }
    }
    crate::expect(&[531.0f32], |device, out| size::launch(device, 1, out));
}

#[test]
fn a_constant_is_also_cast() {
    #[kernel(workgroup_size(1))]
    fn cast(o: &mut [f32]) {
        for k in 0..BYTE {
            o[0] += k as f32;
        }
        let wide = BYTE as u32 + 100;
        o[1] = wide as f32 + BYTE as f32;
        o[2] = (BYTE as i8) as f32;
    }
    crate::expect(&[19900.0f32, 500.0, -56.0], |device, out| cast::launch(device, 1, out));
    #[kernel(workgroup_size(1))]
    fn length(o: &mut [f32]) {
        let n = SIZE;
        o[0] = n as f32 + (SIZE as u8) as f32 + x3(SIZE as u32) as f32;
    }
    crate::expect(&[30.0f32], |device, out| length::launch(device, 1, out));
}

#[device]
fn x3(x: u32) -> u32 {
    let mut sum = 0;
    for k in 0..UNSIGNED {
        sum += k + UNSIGNED as u32 - UNSIGNED as u32 - k;
    }
    sum + x * 3
}

#[test]
fn arithmetic_wraps_in_the_type_of_the_constant() {
    #[kernel(workgroup_size(1))]
    fn byte(o: &mut [f32]) {
        o[0] = (BYTE + 100) as f32;
        let n = BYTE.min(3);
        o[1] = n as f32 + BYTE.count_ones() as f32;
    }
    crate::expect(&[44.0f32, 6.0], |device, out| byte::launch(device, 1, out));
    #[kernel(workgroup_size(1))]
    fn long(o: &mut [f32]) {
        o[0] = (-LONG) as f32;
        let n = LONG;
        o[1] = (n >> 1) as f32;
    }
    crate::expect(&[7.0f32, -4.0], |device, out| long::launch(device, 1, out));
    #[kernel(workgroup_size(1))]
    fn large(o: &mut [f32]) {
        let n = LARGE >> 38;
        o[0] = n as f32;
        o[1] = (LARGE * 3 >> 40) as f32;
    }
    crate::expect(&[4.0f32, 3.0], |device, out| large::launch(device, 1, out));
    #[kernel(workgroup_size(1))]
    fn others(o: &mut [f32]) {
        o[0] = (deep::HALF + deep::HALF) as f32;
    }
    crate::expect(&[54464.0f32], |device, out| others::launch(device, 1, out));
    #[kernel(workgroup_size(1))]
    fn small(o: &mut [f32]) {
        o[0] = (deep::SMALL * 2) as f32;
    }
    crate::expect(&[56.0f32], |device, out| small::launch(device, 1, out));
}

#[test]
fn floats_and_bools_are_told_apart() {
    #[kernel(workgroup_size(1))]
    fn flag(o: &mut [u32]) {
        let f = FLAG;
        o[0] = f as u32 + !f as u32 * 2;
    }
    crate::expect(&[1u32], |device, out| flag::launch(device, 1, out));
    #[kernel(workgroup_size(1))]
    fn single(o: &mut [u32]) {
        let f = SINGLE * 3.0;
        o[0] = f.to_bits();
    }
    crate::expect(&[4.5f32.to_bits()], |device, out| single::launch(device, 1, out));
    #[kernel(workgroup_size(1), features(f64))]
    fn double(o: &mut [u64]) {
        let f = DOUBLE * 3.0;
        o[0] = f.to_bits();
    }
    crate::expect(&[7.5f64.to_bits()], |device, out| double::launch(device, 1, out));
}

#[test]
fn instances_are_each_right() {
    #[kernel(workgroup_size(1), instances(T = [u32, f32]))]
    fn each<T: Number>(y: &mut [T]) {
        for k in 1..UNSIGNED {
            y[k as usize - 1] = (k - 6) as T;
        }
    }
    let wrapped = |n: u32| n.wrapping_sub(6);
    crate::expect(&[1, 2, 3, 4].map(wrapped), |device, out| each::launch::<u32>(device, 1, out));
    crate::expect(&[1, 2, 3, 4].map(|n| wrapped(n) as f32), |device, out| each::launch::<f32>(device, 1, out));
}

#[test]
fn constants_of_helpers_keep_their_type() {
    mod sums {
        use samebits::prelude::*;

        const ROUNDS: u32 = 4;
        const WRAPS: u8 = 200;

        #[device]
        pub fn sum(x: f32) -> f32 {
            let mut s = x;
            for k in 0..ROUNDS {
                s += (k - 1) as f32;
            }
            s
        }

        #[device]
        pub fn twice(x: f32) -> f32 {
            sum(x) + sum(0.0)
        }

        #[device]
        pub fn wrapped() -> f32 {
            (WRAPS * 2) as f32
        }
    }
    use sums::{twice, wrapped};
    #[kernel(workgroup_size(1))]
    fn summed(o: &mut [f32]) {
        o[0] = twice(2.0);
        for k in 0..UNSIGNED {
            o[1] += k as f32;
        }
    }
    // In plain Rust, wrapping.
    let of = |x: f32| (0..4u32).fold(x, |s, k| s + k.wrapping_sub(1) as f32);
    crate::expect(&[of(2.0) + of(0.0), 10.0], |device, out| summed::launch(device, 1, out));
    #[kernel(workgroup_size(1))]
    fn bytes(o: &mut [f32]) {
        o[0] = wrapped();
    }
    crate::expect(&[f32::from(200u8.wrapping_mul(2))], |device, out| bytes::launch(device, 1, out));
}
