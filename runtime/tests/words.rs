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
    assert_eq!(buffer.slice(3..).err().map(words).as_deref(), Some("elements 3.. asked of a buffer of 2 elements"));
    assert_eq!(buffer.slice(1..4).err().map(words).as_deref(), Some("elements 1..4 asked of a buffer of 2 elements"));
}

#[test]
fn one_element_is_no_plural() {
    let buffer = Device::interpreter().zeros::<u32>(1).unwrap();
    let error = buffer.read_range(..3).unwrap_err();
    assert_eq!(error.to_string(), "elements 0..3 asked of a buffer of 1 element");
}

#[test]
fn two_devices_of_one_name_are_told_apart() {
    let mut y = Device::interpreter().zeros::<u32>(2).unwrap();
    let error = clear::launch(&Device::interpreter(), 2, &mut y).unwrap_err().to_string();
    assert!(error.contains("opens a device of its own, so keep one and clone it"), "{error}");
}
