//! Reductions and scans against plain Rust.

use crate::{judges, lengths, scratches, words};
use samebits::algo::{Operator, Scalar, Scratch};
use samebits::prelude::*;
use std::fmt::Debug;

const OPERATORS: [Operator; 3] = [Operator::Sum, Operator::Min, Operator::Max];

/// All that is computed of some numbers: in all, up to each, and before each.
struct Found<T> {
    total: T,
    inclusive: Vec<T>,
    exclusive: Vec<T>,
}

fn find<T: Scalar>(scratch: &mut Scratch, device: &Device, operator: Operator, x: &[T]) -> Result<Found<T>, Error> {
    let (x, mut y) = (device.upload(x)?, device.zeros::<T>(x.len())?);
    let total = scratch.reduce(operator, &x)?;
    scratch.inclusive_scan(operator, &x, &mut y)?;
    let inclusive = y.read()?;
    scratch.exclusive_scan(operator, &x, &mut y)?;
    Ok(Found { total, inclusive, exclusive: y.read()? })
}

/// The same by a loop.
fn by_loop<T: Copy>(x: &[T], none: T, combine: impl Fn(T, T) -> T) -> Found<T> {
    let mut found = Found { total: none, inclusive: Vec::new(), exclusive: Vec::new() };
    for &x in x {
        found.exclusive.push(found.total);
        found.total = combine(found.total, x);
        found.inclusive.push(found.total);
    }
    found
}

/// What must be the same to the bit, since the order does not matter.
fn check<T: Scalar + PartialEq + Debug>(
    make: impl Fn(u32) -> T,
    operators: &[Operator],
    none: impl Fn(Operator) -> T,
    combine: impl Fn(Operator, T, T) -> T,
) {
    for (device, mut scratch) in scratches() {
        for len in lengths(&device) {
            let x: Vec<T> = words(len, 5).into_iter().map(&make).collect();
            for &operator in operators {
                let expected = by_loop(&x, none(operator), |a, b| combine(operator, a, b));
                let found = find(&mut scratch, &device, operator, &x).expect("a scan");
                let at = format!("{operator:?} of {len} on {}", device.name());
                assert_eq!(found.total, expected.total, "{at}");
                assert!(found.inclusive == expected.inclusive, "inclusive {at}");
                assert!(found.exclusive == expected.exclusive, "exclusive {at}");
            }
        }
    }
}

macro_rules! integers {
    ($($name:ident: $ty:ident $make:expr;)*) => {$(
        #[test]
        fn $name() {
            check::<$ty>(
                $make,
                &OPERATORS,
                |operator| match operator {
                    Operator::Sum => 0,
                    Operator::Min => $ty::MAX,
                    Operator::Max => $ty::MIN,
                },
                |operator, a, b| match operator {
                    Operator::Sum => a.wrapping_add(b),
                    Operator::Min => a.min(b),
                    Operator::Max => a.max(b),
                },
            );
        }
    )*};
}
integers! {
    scans_of_u32: u32 |word| word;
    scans_of_i32: i32 |word| word as i32;
    scans_of_u64: u64 |word| u64::from(word) << 20 | 1;
    scans_of_i64: i64 |word| i64::from(word as i32) * 0x1_0001;
}

macro_rules! floats {
    ($($name:ident $sums:ident: $ty:ident;)*) => {$(
        #[test]
        fn $name() {
            check::<$ty>(
                |word| if word % 17 == 0 { $ty::NAN } else { word as i32 as $ty },
                &[Operator::Min, Operator::Max],
                |operator| if operator == Operator::Min { $ty::INFINITY } else { $ty::NEG_INFINITY },
                |operator, a, b| if operator == Operator::Min { a.min(b) } else { a.max(b) },
            );
        }

        /// Sums of floats that are whole numbers are exact in any order; sums of others are near those of a loop, and
        /// their bits are the same on all devices.
        #[test]
        fn $sums() {
            check::<$ty>(|word| (word % 15) as $ty, &[Operator::Sum], |_| 0.0, |_, a, b| a + b);
            let mut first: Vec<(usize, Vec<u64>)> = Vec::new();
            for (device, mut scratch) in scratches() {
                for len in lengths(&device) {
                    let x: Vec<$ty> = words(len, 6).into_iter().map(|word| word as $ty / 4e9 as $ty - 0.5).collect();
                    let found = find(&mut scratch, &device, Operator::Sum, &x).expect("a scan");
                    let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
                    let near = by_loop(&wide, 0.0, |a, b| a + b);
                    for (found, near) in found.inclusive.iter().zip(&near.inclusive) {
                        assert!((f64::from(*found) - near).abs() < 0.01, "{found} and {near} on {}", device.name());
                    }
                    let all = std::iter::once(&found.total).chain(&found.inclusive).chain(&found.exclusive);
                    let bits: Vec<u64> = all.map(|&x| f64::from(x).to_bits()).collect();
                    match first.iter().find(|(other, _)| *other == len) {
                        Some((_, other)) => assert!(*other == bits, "sums of {len} on {}", device.name()),
                        None => first.push((len, bits)),
                    }
                }
            }
        }
    )*};
}
floats! {
    scans_of_f32 sums_of_f32: f32;
    scans_of_f64 sums_of_f64: f64;
}

/// The sum of a share, in the order that the documentation of `reduce` says.
fn sum_of_share(share: &[f32]) -> f32 {
    let mut lanes: Vec<f32> = (0..256).map(|lane| share.iter().skip(lane).step_by(256).sum::<f32>() + 0.0).collect();
    while lanes.len() > 8 {
        lanes = lanes.chunks(2).map(|pair| pair[0] + pair[1]).collect();
    }
    lanes.iter().sum()
}

#[test]
fn sums_of_floats_are_taken_in_the_documented_order() {
    for (device, mut scratch) in scratches() {
        for len in lengths(&device) {
            let x: Vec<f32> = words(len, 7).into_iter().map(|word| (word as f32).powi(3)).collect();
            // Up to this length, shares are two tiles.
            assert!(len <= 2048 * 2 * 1280);
            let sums: Vec<f32> = x.chunks(2 * 1280).map(sum_of_share).collect();
            let found = scratch.reduce(Operator::Sum, &device.upload(&x).expect("a buffer")).expect("a sum");
            assert_eq!(found.to_bits(), sum_of_share(&sums).to_bits(), "{len} on {}", device.name());
        }
    }
}

#[test]
fn scans_do_not_race() {
    for (device, mut scratch) in judges() {
        let x = words(3000, 9);
        let found = find(&mut scratch, &device, Operator::Sum, &x).expect("a scan");
        assert_eq!(found.inclusive, by_loop(&x, 0, u32::wrapping_add).inclusive);
        assert!(device.findings().iter().all(|finding| !finding.is_race()));
    }
}

#[test]
fn lengths_must_agree() {
    let device = Device::interpreter();
    let (x, mut y) = (device.zeros::<u32>(3).expect("a buffer"), device.zeros::<u32>(2).expect("a buffer"));
    let error = samebits::algo::inclusive_scan(&device, Operator::Sum, &x, &mut y);
    assert_eq!(error, Err(Error::Lengths { from: 3, to: 2 }));
    let mut none = device.zeros::<u32>(0).expect("a buffer");
    let error = Scratch::new(&device).reduce_into(Operator::Sum, &x, &mut none);
    assert_eq!(error, Err(Error::Lengths { from: 1, to: 0 }));
}
