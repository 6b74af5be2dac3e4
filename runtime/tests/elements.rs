//! Buffers of every element, of any length.

use samebits::prelude::*;

mod devices;

macro_rules! round_trips {
    ($($kernel:ident $element:ty, $one:expr;)*) => {$(
        #[kernel(workgroup_size(64))]
        fn $kernel(one: $element, x: &[$element], y: &mut [$element]) {
            let i = global_id().x;
            if i < y.len() {
                y[i] = x[y.len() - 1 - i] + one;
            }
        }
    )*};
}

round_trips! {
    add_i8 i8, 1; add_u8 u8, 1; add_i16 i16, 1; add_u16 u16, 1;
    add_i32 i32, 1; add_u32 u32, 1; add_i64 i64, 1; add_u64 u64, 1;
}

/// A kernel over elements of every length, each invocation beside the next in one word.
macro_rules! every_length {
    ($device:expr, $($kernel:ident $element:ty;)*) => {$(
        for len in [1usize, 2, 3, 5, 31, 1000, 4099] {
            let values: Vec<$element> = (0..len).map(|i| (i as $element).wrapping_mul(77)).collect();
            let x = $device.upload(&values).unwrap();
            let mut y = $device.zeros::<$element>(len).unwrap();
            assert_eq!(y.len(), len);
            $kernel::launch(&$device, len, 1, &x, &mut y).unwrap();
            let expected: Vec<$element> = values.iter().rev().map(|v| v.wrapping_add(1)).collect();
            assert_eq!(y.read().unwrap(), expected, "{} {} of {len}", $device.name(), stringify!($element));
            assert_eq!(y.read_range(len / 2..).unwrap(), expected[len / 2..]);
        }
    )*};
}

#[test]
fn integers_of_every_width_and_any_number_come_back() {
    for device in devices::devices() {
        every_length! { device,
            add_i8 i8; add_u8 u8; add_i16 i16; add_u16 u16;
            add_i32 i32; add_u32 u32; add_i64 i64; add_u64 u64;
        }
    }
}

#[kernel(workgroup_size(64), features(f64))]
fn double(x: &[f64], y: &mut [f64]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = x[i] * 2.0;
    }
}

#[kernel(workgroup_size(64), features(f64))]
fn flip(x: &[f64], y: &mut [f64]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = -x[i];
    }
}

#[test]
fn f64s_are_computed_on_every_device() {
    for device in devices::devices() {
        let x = device.upload(&[1.5, -0.1]).unwrap();
        let mut y = device.upload(&[7.0, 7.0]).unwrap();
        double::launch(&device, 2, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [3.0, -0.2]);
        flip::launch(&device, 2, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [-1.5, 0.1]);
    }
}

#[cfg(feature = "f16")]
#[kernel(workgroup_size(64), features(f16))]
fn halves(x: &[f32], y: &mut [f16]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = x[i] as f16 * 0.5;
    }
}

#[cfg(feature = "f16")]
#[test]
fn an_f16_is_rounded_once_from_an_f32() {
    let values = [1.0f32, 65_504.0, 65_519.996, 65_520.0, 1.000_488_3, -6.0e-8, f32::NAN];
    for device in devices::devices() {
        let x = device.upload(&values).unwrap();
        let mut y = device.zeros::<f16>(values.len()).unwrap();
        halves::launch(&device, values.len(), &x, &mut y).unwrap();
        let bits: Vec<u16> = y.read().unwrap().iter().map(|half| half.to_bits()).collect();
        assert_eq!(bits, [0x3800, 0x77ff, 0x77ff, 0x7c00, 0x3800, 0x8000, 0x7e00], "{}", device.name());
    }
}
