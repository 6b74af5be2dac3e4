//! Sorts: sorted, stable, a permutation; the same as Rust's own.

use crate::{judges, lengths, scratches, words};
use samebits::algo::{Key, Scratch};
use samebits::prelude::*;
use std::cmp::Ordering;
use std::fmt::Debug;

/// Keys sorted by the device, with the place that each had before.
fn pairs<K: Key>(scratch: &mut Scratch, device: &Device, keys: &[K]) -> Result<Vec<(K, u32)>, Error> {
    let mut buffer = device.upload(keys)?;
    let mut places = device.upload(&(0..keys.len() as u32).collect::<Vec<_>>())?;
    scratch.sort_pairs(&mut buffer, &mut places)?;
    let mut alone = device.upload(keys)?;
    scratch.sort(&mut alone)?;
    let keys = buffer.read()?;
    let bits = |keys: &[K]| bytes(keys);
    assert_eq!(bits(&alone.read()?), bits(&keys), "keys alone on {}", device.name());
    Ok(keys.into_iter().zip(places.read()?).collect())
}

/// The bytes of keys, since floats that are NaN are not equal.
fn bytes<K: Key>(keys: &[K]) -> Vec<u8> {
    let device = Device::interpreter();
    let buffer = device.upload(keys).expect("a buffer");
    buffer.view::<u8>().and_then(|bytes| bytes.read()).expect("bytes")
}

/// Sorts on every device are what a stable sort of Rust's gives.
fn check<K: Key + Debug>(make: impl Fn(u32) -> K, order: impl Fn(&K, &K) -> Ordering) {
    for (device, mut scratch) in scratches() {
        for len in lengths(&device) {
            // Of long ones, few are different, so that order among equals is seen.
            let mask = if len > 1000 { 0xff00_ff0f } else { u32::MAX };
            let keys: Vec<K> = words(len, 1).into_iter().map(|word| make(word & mask)).collect();
            let mut expected: Vec<(K, u32)> = keys.iter().copied().zip(0..).collect();
            expected.sort_by(|a, b| order(&a.0, &b.0));
            let found = pairs(&mut scratch, &device, &keys).expect("a sort");
            let wrong = found.iter().zip(&expected).position(|(a, b)| a.1 != b.1 || bytes(&[a.0]) != bytes(&[b.0]));
            assert_eq!(found.len(), expected.len());
            assert_eq!(wrong, None, "the first wrong place of {len} on {}", device.name());
        }
    }
}

#[test]
fn words_are_sorted_as_by_rust() {
    check(|word| word, u32::cmp);
}

#[test]
fn numbers_with_signs_are_sorted_as_by_rust() {
    check(|word| word as i32, i32::cmp);
}

#[test]
fn floats_are_sorted_in_total_order() {
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN, f32::MIN_POSITIVE / 2.0];
    let float = |word: u32| special.get(word as usize >> 24 & 31).copied().unwrap_or(f32::from_bits(word));
    check(float, f32::total_cmp);
}

#[test]
fn wide_words_are_sorted_as_by_rust() {
    check(|word| u64::from(word) << 32 | u64::from(word.reverse_bits() & 0xf0f0), u64::cmp);
}

#[test]
fn sorts_of_one_share_do_not_race() {
    for (device, mut scratch) in judges() {
        let keys: Vec<u64> = words(500, 3).into_iter().map(|word| u64::from(word) * 0x1_0000_0003).collect();
        let mut expected: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
        expected.sort();
        assert_eq!(pairs(&mut scratch, &device, &keys), Ok(expected));
        // That memory of a workgroup is zero at first is no mistake.
        assert!(device.findings().iter().all(|finding| !finding.is_race()));
    }
}

#[test]
fn sorts_of_several_shares_do_not_race() {
    // The last two of the judges are in random order.
    for (device, mut scratch) in judges().into_iter().skip(4) {
        let mut expected = words(6200, 3);
        let mut keys = device.upload(&expected).expect("a buffer");
        scratch.sort(&mut keys).expect("a sort");
        expected.sort();
        assert!(keys.read() == Ok(expected));
        assert!(device.findings().iter().all(|finding| !finding.is_race()));
    }
}
