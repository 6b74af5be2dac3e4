//! Memory that moves in large pieces: fills, copies, writes and reads.

mod devices;

use devices::devices;
use samebits::prelude::*;

/// Bytes that no other pattern has, at a length that is no multiple of anything.
fn bytes(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

/// Fills a part of memory that begins at an element and ends before another, and compares all bytes.
fn filled<T: Element + PartialEq + std::fmt::Debug>(value: T, len: usize, skip: usize) {
    for device in devices() {
        let zero: T = bytemuck::Zeroable::zeroed();
        let mut buffer = device.zeros::<T>(len).unwrap();
        buffer.slice_mut(skip..len - 1).unwrap().fill(value).unwrap();
        let mut expected = vec![value; len];
        expected[..skip].fill(zero);
        expected[len - 1] = zero;
        assert!(buffer.read().unwrap() == expected, "{value:?} from {skip} on, on {}", device.name());
    }
}

#[test]
fn a_fill_sets_every_element_of_a_part_and_no_other() {
    for skip in [0, 1, 2, 3, 4, 5, 16, 17] {
        filled(0xa5u8, 70_001, skip);
        filled(0xa5b6u16, 40_003, skip);
        filled(1.5f32, 20_011, skip);
        filled(Vec3::new(1u32, 2, 3), 7_001, skip);
        filled(Vec4::new(1.0f32, 2.0, 3.0, 4.0), 5_003, skip);
        filled(0x0123_4567_89ab_cdefu64, 9_001, skip);
    }
}

#[test]
fn a_fill_with_zero_clears() {
    for device in devices() {
        let mut buffer = device.upload(&vec![7u32; 50_000]).unwrap();
        buffer.slice_mut(3..49_999).unwrap().fill(0).unwrap();
        let elements = buffer.read().unwrap();
        assert_eq!(elements[..3], [7; 3]);
        assert!(elements[3..49_999].iter().all(|x| *x == 0));
        assert_eq!(elements[49_999], 7);
    }
}

#[test]
fn a_large_fill_is_between_the_launches_around_it() {
    #[kernel(workgroup_size(64))]
    fn add(x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        if i < y.len() {
            y[i] = y[i] + x[i];
        }
    }
    for device in devices() {
        let (mut x, mut y) = (device.zeros::<u32>(30_000).unwrap(), device.zeros::<u32>(30_000).unwrap());
        for value in 1..=3 {
            x.fill(value).unwrap();
            add::launch(&device, 30_000, &x, &mut y).unwrap();
        }
        x.fill(100).unwrap();
        assert_eq!(y.read().unwrap(), vec![6; 30_000]);
    }
}

#[test]
fn bytes_written_and_read_in_chunks_are_in_their_places() {
    // Both are cut into chunks of some MiB.
    let source = bytes((20 << 20) + 7);
    for device in devices() {
        for skip in [0, 1, 6] {
            let mut buffer = device.zeros::<u8>(source.len() + skip + 3).unwrap();
            buffer.write(skip, &source).unwrap();
            let mut back = vec![9; source.len()];
            buffer.slice(skip..skip + source.len()).unwrap().read_into(&mut back).unwrap();
            assert!(back == source, "from {skip} on, on {}", device.name());
            let beside = [buffer.read_range(..skip).unwrap(), buffer.read_range(skip + source.len()..).unwrap()];
            assert_eq!(beside, [vec![0; skip], vec![0; 3]]);
        }
    }
}

#[test]
fn large_writes_are_between_the_launches_around_them() {
    #[kernel(workgroup_size(64))]
    fn sum(x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        if i < y.len() {
            y[i] = y[i] * 10 + x[i * 4096];
        }
    }
    let len = 1 << 20;
    for device in devices() {
        let (mut x, mut y) = (device.zeros::<u32>(len).unwrap(), device.zeros::<u32>(256).unwrap());
        for value in 1..=6 {
            x.write(0, &vec![value; len]).unwrap();
            sum::launch(&device, 256, &x, &mut y).unwrap();
        }
        assert_eq!(y.read().unwrap(), vec![123_456; 256]);
    }
}

#[test]
fn a_large_copy_moves_every_byte() {
    let source = bytes((3 << 20) + 12);
    for device in devices() {
        let from = device.upload(&source).unwrap();
        for (skip, len) in [(0, source.len()), (16, (2 << 20) + 4), (4, 2 << 20), (3, 2 << 20)] {
            let mut to = device.zeros::<u8>(source.len()).unwrap();
            to.slice_mut(skip..skip + len).unwrap().copy_from(&from.slice(..len).unwrap()).unwrap();
            let mut expected = vec![0; source.len()];
            expected[skip..skip + len].copy_from_slice(&source[..len]);
            assert!(to.read().unwrap() == expected, "{len} bytes to {skip}, on {}", device.name());
        }
    }
}

#[test]
fn a_slice_of_another_length_is_not_read_into() {
    for device in devices() {
        let buffer = device.upload(&[1u32, 2, 3]).unwrap();
        let mut elements = [7; 2];
        let error = buffer.read_into(&mut elements).unwrap_err();
        assert_eq!(
            error.to_string(),
            "3 elements cannot be copied to 2 elements; both must be equally long, so use a slice"
        );
        assert_eq!(elements, [7; 2]);
        assert_eq!(device.zeros::<u32>(0).unwrap().read_into(&mut []), Ok(()));
    }
}

#[test]
fn a_wait_without_work_asks_nobody() {
    for device in devices::drivers() {
        device.wait().unwrap();
        let before = device.submissions();
        for _ in 0..10 {
            device.wait().unwrap();
        }
        assert_eq!(device.submissions(), before);
    }
}
