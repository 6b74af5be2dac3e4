//! Memory that the host fills and the device copies from: the same elements as by a write, on every device.

mod devices;

use samebits::prelude::*;
use std::io::Write;

/// More than three chunks of what goes to the device at once.
const MANY: usize = 7_000_001;

#[kernel(workgroup_size(64))]
fn add(n: u32, x: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() {
        x[i] += n;
    }
}

#[test]
fn many_elements_come_as_they_were_put() -> Result<(), Error> {
    for device in devices::devices() {
        let (x, len) = device.upload_with(MANY, |out| {
            // Parts of all sizes, and one element after the other.
            for part in [0..1, 1..5_000_000, 5_000_000..5_000_003] {
                let part: Vec<u32> = part.collect();
                out.push(&part);
            }
            out.extend(5_000_003..MANY as u32);
            out.len()
        })?;
        assert_eq!(len, MANY);
        assert!(x.read()?.into_iter().eq(0..MANY as u32), "{}", device.name());
        // Pieces are whole elements in their order.
        let mut seen = Vec::new();
        x.read_with(|piece| seen.extend_from_slice(piece))?;
        assert!(seen.into_iter().eq(0..MANY as u32), "{}", device.name());
    }
    Ok(())
}

#[test]
fn elements_of_odd_sizes_are_shown_whole() -> Result<(), Error> {
    for device in devices::devices() {
        let element = |i: usize| Vec3::new(i as u8, (i >> 8) as u8, (i >> 16) as u8);
        let all: Vec<Vec3<u8>> = (0..5_600_000).map(element).collect();
        let (x, ()) = device.upload_with(all.len(), |out| out.extend((0..all.len()).map(element)))?;
        let mut seen = Vec::new();
        x.slice(1..)?.read_with(|piece| seen.extend_from_slice(piece))?;
        assert!(seen == all[1..], "{}", device.name());
        // Kernels may leave any byte in the place of a `bool`.
        let mut bytes = device.upload(&[0u8, 1, 2, 255])?;
        let mut seen = Vec::new();
        bytes.view_mut::<bool>()?.read_with(|piece| seen.extend_from_slice(piece))?;
        assert_eq!(seen, [false, true, true, true], "{}", device.name());
    }
    Ok(())
}

#[test]
fn what_is_put_between_launches_is_in_their_order() -> Result<(), Error> {
    for device in devices::devices() {
        let mut x = device.upload(&[1u32; 10])?;
        add::launch(&device, 10, 10, &mut x)?;
        x.write_with(3, |out| out.push(&[5, 6]))?;
        x.slice_mut(8..)?.write_with(1, |out| out.push(&[7]))?;
        add::launch(&device, 10, 100, &mut x)?;
        assert_eq!(x.read()?, [111, 111, 111, 105, 106, 111, 111, 111, 111, 107], "{}", device.name());
    }
    Ok(())
}

#[test]
fn bytes_beside_those_that_are_put_stay() -> Result<(), Error> {
    for device in devices::devices() {
        for start in 0..9 {
            for len in 0..=9 {
                let mut x = device.upload(&[255u8; 18])?;
                x.write_with(start, |out| (0..len as u8).for_each(|i| out.push(&[i])))?;
                let mut expected = [255; 18];
                (0..len).for_each(|i| expected[start + i] = i as u8);
                assert_eq!(x.read()?, expected, "{}: {len} from {start} on", device.name());
            }
        }
    }
    Ok(())
}

#[test]
fn what_is_not_put_is_zero_in_a_new_buffer() -> Result<(), Error> {
    for device in devices::devices() {
        // Memory with other bytes is kept for the next buffer.
        drop(device.upload(&[u32::MAX; 100])?);
        let (x, ()) = device.upload_with(100, |out| out.push(&[1u32, 2, 3]))?;
        let expected: Vec<u32> = [1, 2, 3].into_iter().chain([0; 97]).collect();
        assert_eq!(x.read()?, expected, "{}", device.name());
        let (none, ()) = device.upload_with::<u32, _>(0, |_| ())?;
        let mut pieces = 0;
        none.read_with(|_| pieces += 1)?;
        assert_eq!(pieces, 0);
    }
    Ok(())
}

#[test]
fn too_many_elements_are_an_error() -> Result<(), Error> {
    for device in devices::devices() {
        let mut x = device.upload(&[1u32; 4])?;
        let range = |start, end| Err(Error::Range { start, end, len: 4 });
        assert_eq!(x.write_with(2, |out| out.push(&[7, 8, 9])), range(2, Some(5)));
        assert_eq!(x.write_with(5, |_| ()), range(5, None));
        assert_eq!(x.write_with(3, |out| out.extend([7, 8, 9])), range(3, Some(6)));
        let endless = x.write_with(0, |out| out.extend(std::iter::repeat(1)));
        assert!(endless.is_err());
        // The device and the buffer go on.
        x.write_with(0, |out| out.push(&[2; 4]))?;
        assert_eq!(x.read()?, [2; 4]);
        let mut bytes = device.zeros::<u8>(2)?;
        let told = bytes.write_with(0, |out| out.write_all(b"abc").is_err());
        assert_eq!(told, Err(Error::Range { start: 0, end: Some(3), len: 2 }));
    }
    Ok(())
}

#[test]
fn a_panic_in_the_middle_leaves_the_device_as_it_was() -> Result<(), Error> {
    for device in devices::devices() {
        let mut x = device.upload(&[1u32; 4])?;
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _ = x.write_with(0, |out| {
                out.push(&[7]);
                panic!("of the program");
            });
        }));
        assert!(caught.is_err());
        let caught = std::panic::catch_unwind(|| x.read_with(|_| panic!("of the program")));
        assert!(caught.is_err());
        x.write_with(1, |out| out.push(&[2, 3]))?;
        assert_eq!(x.read()?[1..], [2, 3, 1], "{}", device.name());
    }
    Ok(())
}

#[kernel]
fn wrong(x: &mut [u32]) {
    let i = global_id().x;
    assert!(i < 3, "no invocation {i}");
    if i < x.len() {
        x[i] = 1;
    }
}

#[test]
fn nothing_is_shown_after_a_failed_assertion() -> Result<(), Error> {
    for device in devices::devices() {
        let mut x = device.zeros::<u32>(4)?;
        wrong::launch(&device, 4, &mut x)?;
        let mut shown = 0;
        let error = x.read_with(|_| shown += 1).expect_err("an assertion has failed");
        assert!(matches!(error, Error::Assertion { .. }), "{error}");
        assert_eq!(shown, 0);
        x.read_with(|piece| shown += piece.len())?;
        assert_eq!(shown, 4);
    }
    Ok(())
}

#[test]
fn a_lost_device_shows_nothing() -> Result<(), Error> {
    for device in devices::drivers() {
        let mut x = device.upload(&[1u32; 4])?;
        device.lose();
        let mut shown = 0;
        assert!(matches!(x.read_with(|_| shown += 1), Err(Error::DeviceLost { .. })));
        assert!(matches!(x.write_with(0, |out| out.push(&[1, 2])), Err(Error::DeviceLost { .. })));
        assert_eq!(shown, 0);
    }
    Ok(())
}
