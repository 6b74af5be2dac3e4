//! Buffers of 2³¹ and more elements: right, or refused with an error that says what is allowed.
//!
//! On this CPU and the interpreter the system gives pages when they are touched, and few are. Drivers take the memory
//! at once: with `SAMEBITS_HUGE=1` they are tried too, which needs 5 GiB.

mod devices;

use devices::devices;
use samebits::prelude::*;

/// More than half of the indices that kernels have.
const HUGE: usize = (1 << 31) + 77;

/// Writes the last elements, the last one first.
#[kernel(workgroup_size(64))]
fn write_last(count: usize, x: &mut [u8]) {
    let i = global_id().x;
    if i < count && i < x.len() {
        x[x.len() - 1 - i] = (i + 1) as u8;
    }
}

/// Counts from an index on.
#[kernel(workgroup_size(64))]
fn copy_from_there(start: usize, x: &[u8], y: &mut [u8]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = if start + i < x.len() { x[start + i] } else { 255 };
    }
}

fn is_asked() -> bool {
    std::env::var_os("SAMEBITS_HUGE").is_some_and(|value| value == "1")
}

#[test]
fn the_last_of_two_billion_elements_are_right() -> Result<(), Error> {
    for device in devices() {
        let room = device.limits().buffer_bytes;
        if room < HUGE as u64 {
            let expected =
                Error::BufferTooLarge { device: device.name().to_owned(), asked: HUGE as u128, allowed: room };
            assert_eq!(device.zeros::<u8>(HUGE).map(drop), Err(expected));
            continue;
        }
        if device.submissions() > 0 && !is_asked() {
            continue;
        }
        let mut x = device.zeros::<u8>(HUGE)?;
        assert_eq!(x.len(), HUGE);
        write_last::launch(&device, 100, 100, &mut x)?;
        let expected: Vec<u8> = (1..=100).rev().collect();
        assert_eq!(x.read_range(HUGE - 100..)?, expected, "{}", device.name());
        // Beyond 2³¹, where a signed index would be negative.
        x.write((1 << 31) + 5, &[7, 8])?;
        let mut y = device.zeros::<u8>(4)?;
        copy_from_there::launch(&device, 4, (1 << 31) + 4, &x, &mut y)?;
        assert_eq!(y.read()?, [73, 7, 8, 70], "{}", device.name());
        // And over the end of the buffer.
        copy_from_there::launch(&device, 4, HUGE - 2, &x, &mut y)?;
        assert_eq!(y.read()?, [2, 1, 255, 255], "{}", device.name());
        let mut part = x.slice_mut((1 << 31) - 2..(1 << 31) + 2)?;
        part.fill(9)?;
        let mut seen = Vec::new();
        part.read_with(|piece| seen.extend_from_slice(piece))?;
        assert_eq!(seen, [9; 4]);
        let words = x.slice(1..HUGE)?.view::<[u8; 4]>()?.len();
        assert_eq!(words, (HUGE - 1) / 4);
    }
    Ok(())
}

#[test]
fn as_many_elements_as_indices_do_not_reach_are_refused() {
    for device in devices() {
        let room = device.limits().buffer_bytes;
        let error = device.zeros::<u8>(1 << 32).map(drop).expect_err("indices have 32 bits");
        if room < 1 << 32 {
            let expected = Error::BufferTooLarge { device: device.name().to_owned(), asked: 1 << 32, allowed: room };
            assert_eq!(error, expected);
        } else {
            assert_eq!(error, Error::TooManyElements { asked: 1 << 32 });
        }
        let bytes = device.zeros::<[u64; 1000]>(usize::MAX / 4000).map(drop).expect_err("no machine has so much");
        assert!(matches!(bytes, Error::BufferTooLarge { .. }), "{bytes}");
    }
}
