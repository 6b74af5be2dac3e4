//! Views: parts of buffers, and buffers as elements of another type, in reads, writes,
//! copies and launches.

mod devices;

use devices::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn add_len(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = x[i] + 100 * x.len() as u32;
}

#[kernel(workgroup_size(32))]
fn fill(y: &mut [u32], value: u32) {
    y[global_id().x] = value + y.len() as u32;
}

#[kernel(workgroup_size(32))]
fn swap(x: &mut [u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() {
        let old = x[i];
        x[i] = y[i];
        y[i] = old;
    }
}

#[kernel(workgroup_size(32))]
fn turn(x: &mut [Vec4<f32>]) {
    let i = global_id().x;
    if i < x.len() {
        let old = x[i];
        x[i] = Vec4::new(old.w, old.z, old.y, old.x);
    }
}

/// 0, 1, 2 and so on.
fn numbers(device: &Device, n: u32) -> Buffer<u32> {
    device.upload(&(0..n).collect::<Vec<_>>()).unwrap()
}

#[test]
fn a_kernel_reads_a_view_that_begins_anywhere() {
    for device in devices() {
        let x = numbers(&device, 200);
        for (start, end) in [(0, 10), (1, 4), (63, 70), (64, 128), (65, 66), (199, 200), (200, 200)] {
            let mut y = device.zeros(3).unwrap();
            add_len::launch(&device, 3, &x.slice(start..end).unwrap(), &mut y).unwrap();
            let element = |i: usize| if start + i < end { (start + i) as u32 } else { 0 };
            let expected = [0, 1, 2].map(|i| element(i) + 100 * (end - start) as u32);
            assert_eq!(y.read().unwrap(), expected, "{start}..{end} on {}", device.name());
        }
    }
}

#[test]
fn a_kernel_writes_a_view_that_begins_anywhere_and_nothing_beside_it() {
    for device in devices() {
        for (start, end) in [(0, 10), (1, 4), (63, 70), (64, 128), (65, 66), (199, 200), (200, 200)] {
            let mut y = numbers(&device, 200);
            fill::launch(&device, 500, &mut y.slice_mut(start..end).unwrap(), 1000).unwrap();
            let mut expected: Vec<u32> = (0..200).collect();
            expected[start..end].fill(1000 + (end - start) as u32);
            assert_eq!(y.read().unwrap(), expected, "{start}..{end} on {}", device.name());
        }
    }
}

#[test]
fn a_kernel_reads_one_half_and_writes_the_other() {
    for device in devices() {
        for middle in [64, 65] {
            let mut buffer = numbers(&device, 130);
            let (mut low, high) = buffer.split_at_mut(middle).unwrap();
            add_len::launch(&device, 3, &high, &mut low).unwrap();
            add_len::launch(&device, 3, &high.slice(3..).unwrap(), &mut low.slice_mut(3..).unwrap()).unwrap();
            let (m, len) = (middle as u32, 130 - middle as u32);
            let first = [m, m + 1, m + 2].map(|x| x + 100 * len);
            let second = [m + 3, m + 4, m + 5].map(|x| x + 100 * (len - 3));
            let all = buffer.read().unwrap();
            assert_eq!(all[..6], [first, second].concat(), "{middle} on {}", device.name());
            assert_eq!(all[6..], (6..130).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_kernel_writes_both_halves() {
    for device in devices() {
        for middle in [64, 65] {
            let mut buffer = numbers(&device, 2 * middle);
            let (mut low, mut high) = buffer.split_at_mut(middle as usize).unwrap();
            swap::launch(&device, middle as usize, &mut low, &mut high).unwrap();
            let expected: Vec<_> = (middle..2 * middle).chain(0..middle).collect();
            assert_eq!(buffer.read().unwrap(), expected, "{middle} on {}", device.name());
        }
    }
}

#[test]
fn numbers_are_seen_as_vectors() {
    for device in devices() {
        let mut buffer = device.upload(&(0..9).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
        let mut part = buffer.slice_mut(1..).unwrap();
        turn::launch(&device, 2, &mut part.view_mut().unwrap()).unwrap();
        assert_eq!(buffer.read().unwrap(), [0.0, 4.0, 3.0, 2.0, 1.0, 8.0, 7.0, 6.0, 5.0]);
    }
}

#[test]
fn a_view_of_a_view_is_a_view_of_the_buffer() {
    for device in devices() {
        let buffer = numbers(&device, 10);
        let view = buffer.slice(2..9).unwrap();
        let inner = view.slice(3..=4).unwrap();
        assert_eq!(inner.read().unwrap(), [5, 6]);
        assert_eq!(inner.view::<Vec2<u32>>().unwrap().read().unwrap(), [Vec2::new(5, 6)]);
        let error = inner.slice(1..3).unwrap_err();
        assert_eq!(error.to_string(), "elements 1..3 were asked for, but the buffer has 2 elements");
    }
}

#[test]
fn a_copy_within_a_buffer_and_between_devices() {
    let interpreter = Device::interpreter();
    for device in devices() {
        let mut buffer = numbers(&device, 8);
        let (low, mut high) = buffer.split_at_mut(5).unwrap();
        high.copy_from(&low.slice(1..4).unwrap()).unwrap();
        assert_eq!(buffer.read().unwrap(), [0, 1, 2, 3, 4, 1, 2, 3]);
        let mut other = interpreter.zeros(3).unwrap();
        other.copy_from(&buffer.slice(5..).unwrap()).unwrap();
        assert_eq!(other.read().unwrap(), [1, 2, 3]);
        let mut empty = buffer.slice_mut(3..3).unwrap();
        empty.copy_from(&interpreter.zeros(0).unwrap()).unwrap();
    }
}

#[test]
fn a_large_buffer_is_filled() {
    for device in devices() {
        let mut buffer = device.zeros::<Vec3<u32>>(20_000).unwrap();
        buffer.slice_mut(1..19_999).unwrap().fill(Vec3::new(1, 2, 3)).unwrap();
        let all = buffer.read().unwrap();
        assert_eq!((all[0], all[19_999]), (Vec3::default(), Vec3::default()));
        assert!(all[1..19_999].iter().all(|element| *element == Vec3::new(1, 2, 3)));
    }
}
