//! The words of the runtime's errors, read as the person who made the mistake.

use samebits::prelude::*;

#[kernel]
fn clear(y: &mut [u32]) {
    y[global_id().x] = 0;
}

#[test]
fn a_range_is_shown_as_it_was_asked() {
    let buffer = Device::interpreter().zeros::<u32>(2).unwrap();
    let words = |error: Error| error.to_string();
    assert_eq!(
        buffer.slice(3..).err().map(words).as_deref(),
        Some("elements 3.. were asked for, but the buffer has 2 elements")
    );
    assert_eq!(
        buffer.slice(1..4).err().map(words).as_deref(),
        Some("elements 1..4 were asked for, but the buffer has 2 elements")
    );
}

#[test]
fn one_element_is_no_plural() {
    let buffer = Device::interpreter().zeros::<u32>(1).unwrap();
    let error = buffer.read_range(..3).unwrap_err();
    assert_eq!(error.to_string(), "elements 0..3 were asked for, but the buffer has 1 element");
}

#[test]
fn two_devices_of_one_name_are_told_apart() {
    let mut y = Device::interpreter().zeros::<u32>(2).unwrap();
    let error = clear::launch(&Device::interpreter(), 2, &mut y).unwrap_err().to_string();
    assert!(error.contains("opens a device of its own, so keep one and clone it"), "{error}");
}

#[test]
fn a_buffer_of_too_many_elements_is_told_from_one_of_too_many_bytes() {
    let device = Device::interpreter();
    let words = device.zeros::<u8>(1 << 32).unwrap_err().to_string();
    let expected = "a buffer of 4294967296 elements was asked for, but 4294967295 are allowed; use larger elements, such as vectors or arrays, or several buffers";
    assert_eq!(words, expected);
    let words = device.zeros::<[u8; 16]>(1 << 31).unwrap_err().to_string();
    let expected =
        "a buffer of 34359738368 bytes was asked for, but `interpreter` allows 17179869184; use several buffers";
    assert_eq!(words, expected);
}

#[test]
fn a_range_that_ends_before_it_begins_is_told_as_such() {
    let buffer = Device::interpreter().zeros::<u32>(4).unwrap();
    #[expect(clippy::reversed_empty_ranges, reason = "it is what is tried")]
    let error = buffer.read_range(3..1).unwrap_err();
    assert_eq!(error.to_string(), "elements 3..1 were asked for, but this range ends before it begins");
}

#[test]
fn errors_count_in_whole_words() {
    let one = Error::SharedTooLarge { kernel: "k".into(), device: "d".into(), asked: 1, allowed: 0 };
    assert_eq!(
        one.to_string(),
        "kernel `k`: 1 byte of workgroup memory, but `d` allows 0; use less `#[shared]` memory or another device"
    );
    let one = Error::TooManyArguments { kernel: "k".into(), device: "d".into(), asked: 1, allowed: 0 };
    assert_eq!(
        one.to_string(),
        "kernel `k`: 1 byte of launch arguments, but `d` allows 0; pass values in a buffer or use another device"
    );
    let one = Error::OutOfMemory { device: "d".into(), asked: Some(1) };
    assert_eq!(one.to_string(), "`d` has not enough memory for 1 byte; drop unused buffers, or do the work in parts");
}
