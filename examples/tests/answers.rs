//! Each example's answer on every device of this machine against plain Rust.

use samebits::prelude::*;
use samebits_examples::{histogram, saxpy};

/// Every device; without wgpu's a line says so, or, with `SAMEBITS_REQUIRE_GPU=1`, the test fails.
fn devices() -> Vec<Device> {
    let devices = Device::all();
    if devices.len() < 2 {
        let required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
        assert!(!required, "a GPU device is required");
        eprintln!("SKIPPED on GPU devices: there is none");
    }
    devices
}

#[test]
fn saxpy_gives_the_bits_of_plain_rust() {
    let (x, y) = (saxpy::numbers(3, 10_001), saxpy::numbers(4, 10_001));
    let expected: Vec<_> = saxpy::plain(-0.7, &x, &y).into_iter().map(f32::to_bits).collect();
    for device in devices() {
        let answer = saxpy::on(&device, -0.7, &x, &y).unwrap();
        assert_eq!(answer.into_iter().map(f32::to_bits).collect::<Vec<_>>(), expected, "{device:?}");
    }
}

#[test]
fn histogram_counts_every_byte_once() {
    let bytes: Vec<u8> = (0..100_003u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 27) as u8 ^ i as u8).collect();
    for device in devices() {
        for len in [0, 1, 3, 4, 16_383, 16_385, bytes.len()] {
            let bytes = &bytes[..len];
            assert_eq!(histogram::on(&device, bytes).unwrap(), histogram::plain(bytes), "{device:?}, {len}");
        }
    }
}

#[test]
fn the_table_shows_a_byte_in_its_row_and_column() {
    let mut counts = [0; 256];
    counts[0xa3] = 12_345;
    let table = histogram::table(&counts);
    let row: Vec<_> = table.lines().nth(11).unwrap().split_whitespace().collect();
    assert_eq!((row[0], row[4]), ("a_", "12345"));
    assert_eq!(table.lines().count(), 17);
}
