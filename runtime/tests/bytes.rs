//! Bytes that share a word: whoever writes some of them leaves the others alone, whatever else
//! is done to those at the same time, and views may begin at any of them.

mod devices;

use devices::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn count_up(y: &mut [u8]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = y[i] + 1;
    }
}

/// As many rounds as are enough to lose something on every device that can.
const ROUNDS: u8 = 200;

#[test]
fn two_threads_write_bytes_of_one_word() {
    for device in devices() {
        let mut buffer = device.zeros::<u8>(4).unwrap();
        let (low, high) = buffer.split_at_mut(2).unwrap();
        std::thread::scope(|scope| {
            for mut part in [low, high] {
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        part.write(0, &[round, !round]).unwrap();
                        assert_eq!(part.read().unwrap(), [round, !round], "on {}", part.device().name());
                    }
                });
            }
        });
        let last = ROUNDS - 1;
        assert_eq!(buffer.read().unwrap(), [last, !last, last, !last]);
    }
}

#[test]
fn four_threads_write_halves_of_words_in_every_way_that_writes() {
    for device in devices() {
        let source = device.upload(&(0..=u16::from(ROUNDS)).collect::<Vec<_>>()).unwrap();
        let mut buffer = device.zeros::<u16>(7).unwrap();
        let (mut low, mut high) = buffer.split_at_mut(3).unwrap();
        let (a, b) = low.split_at_mut(1).unwrap();
        let (c, d) = high.split_at_mut(1).unwrap();
        std::thread::scope(|scope| {
            for (way, mut part) in [a, b, c, d].into_iter().enumerate() {
                let source = &source;
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        let value = u16::from(round);
                        match way {
                            0 => part.fill(value).unwrap(),
                            1 => part.write(0, &[value, value]).unwrap(),
                            2 => part.copy_from(&source.slice(round as usize..=round as usize).unwrap()).unwrap(),
                            _ => {
                                part.fill(value).unwrap();
                                assert_eq!(part.slice(1..).unwrap().read().unwrap(), [value; 2]);
                            }
                        }
                        assert!(part.read().unwrap().iter().all(|x| *x == value), "way {way}");
                    }
                });
            }
        });
        assert_eq!(buffer.read().unwrap(), [u16::from(ROUNDS) - 1; 7], "on {}", device.name());
    }
}

#[test]
fn a_kernel_and_the_host_write_bytes_of_one_word() {
    for device in devices() {
        for middle in [5, 6, 7] {
            let mut buffer = device.zeros::<u8>(12).unwrap();
            let (mut low, mut high) = buffer.split_at_mut(middle).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| (0..ROUNDS).for_each(|_| count_up::launch(&device, 64, &mut low).unwrap()));
                scope.spawn(|| {
                    for round in 0..ROUNDS {
                        high.fill(round).unwrap();
                        assert!(high.read().unwrap().iter().all(|x| *x == round));
                    }
                });
            });
            let all = buffer.read().unwrap();
            assert_eq!(all[..middle], vec![ROUNDS; middle], "{middle} on {}", device.name());
            assert_eq!(all[middle..], vec![ROUNDS - 1; 12 - middle], "{middle} on {}", device.name());
        }
    }
}

#[test]
fn two_kernels_write_bytes_of_one_word() {
    for device in devices() {
        let mut buffer = device.zeros::<u8>(11).unwrap();
        let (low, high) = buffer.split_at_mut(6).unwrap();
        let device = &device;
        std::thread::scope(|scope| {
            for mut part in [low, high] {
                scope.spawn(move || (0..ROUNDS).for_each(|_| count_up::launch(device, 64, &mut part).unwrap()));
            }
        });
        assert_eq!(buffer.read().unwrap(), [ROUNDS; 11], "on {}", device.name());
    }
}

/// A launch on parts that begin and end anywhere in one buffer of bytes, seen as other elements.
macro_rules! anywhere {
    ($($test:ident $element:ty;)*) => { $(
        #[test]
        fn $test() {
            const SIZE: usize = size_of::<$element>();
            #[kernel(workgroup_size(4))]
            fn add(x: &[$element], y: &mut [$element], lens: &mut [u32]) {
                let i = global_id().x;
                y[i] = x[i] + y[i];
                if i == 0 {
                    lens[0] = x.len() as u32;
                    lens[1] = y.len() as u32;
                }
            }
            let number = |bytes: &[u8]| <$element>::from_le_bytes(bytes.try_into().unwrap());
            let bytes: Vec<u8> = (0..100u8).map(|i| i.wrapping_mul(37)).collect();
            for device in devices() {
                for start in 0..5 {
                    let (read, written) = (start + 2, 50 + start);
                    let mut buffer = device.upload(&bytes).unwrap();
                    let mut lens = device.zeros::<u32>(2).unwrap();
                    let (low, mut high) = buffer.split_at_mut(50).unwrap();
                    let x = low.slice(read..read + 3 * SIZE).unwrap();
                    let mut y = high.slice_mut(start..start + 2 * SIZE).unwrap();
                    // More invocations than there are elements: what is out of bounds is that of the view.
                    add::launch(
                        &device,
                        8,
                        &x.view::<$element>().unwrap(),
                        &mut y.view_mut::<$element>().unwrap(),
                        &mut lens,
                    )
                    .unwrap();
                    let mut expected = bytes.clone();
                    for i in 0..2 {
                        let (from, to) = (read + i * SIZE, written + i * SIZE);
                        let sum = number(&bytes[from..from + SIZE]).wrapping_add(number(&bytes[to..to + SIZE]));
                        expected[to..to + SIZE].copy_from_slice(&sum.to_le_bytes());
                    }
                    assert_eq!(buffer.read().unwrap(), expected, "from {start} on {}", device.name());
                    assert_eq!(lens.read().unwrap(), [3, 2]);
                }
            }
        }
    )* };
}

anywhere! {
    a_kernel_takes_views_of_u8_that_begin_at_any_byte u8;
    a_kernel_takes_views_of_i16_that_begin_at_any_byte i16;
    a_kernel_takes_views_of_u32_that_begin_at_any_byte u32;
    a_kernel_takes_views_of_u64_that_begin_at_any_byte u64;
}

#[test]
fn vectors_and_arrays_begin_at_any_byte_as_well() {
    #[kernel(workgroup_size(4))]
    fn turn(x: &mut [Vec3<f32>], y: &mut [[u8; 3]]) {
        let i = global_id().x;
        if i < x.len() {
            let old = x[i];
            x[i] = Vec3::new(old.z, old.x, old.y);
        }
        if i < y.len() {
            y[i][1] = y[i][0] + y[i][2];
        }
    }
    for device in devices() {
        let mut buffer = device.zeros::<u8>(64).unwrap();
        let (mut low, mut high) = buffer.split_at_mut(27).unwrap();
        let mut vectors = low.slice_mut(3..27).unwrap();
        let mut vectors = vectors.view_mut::<Vec3<f32>>().unwrap();
        vectors.write(0, &[Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]).unwrap();
        let mut arrays = high.slice_mut(..6).unwrap();
        let mut arrays = arrays.view_mut::<[u8; 3]>().unwrap();
        arrays.write(0, &[[1, 0, 2], [3, 0, 4]]).unwrap();
        turn::launch(&device, 4, &mut vectors, &mut arrays).unwrap();
        assert_eq!(vectors.read().unwrap(), [Vec3::new(3.0, 1.0, 2.0), Vec3::new(6.0, 4.0, 5.0)]);
        assert_eq!(arrays.read().unwrap(), [[1, 3, 2], [3, 7, 4]], "on {}", device.name());
        let all = buffer.read().unwrap();
        assert!(all[..3].iter().chain(&all[33..]).all(|x| *x == 0));
    }
}

#[test]
fn atomics_count_in_a_view_that_begins_at_any_byte() {
    #[kernel(workgroup_size(64))]
    fn count(cells: &[Atomic<u32>]) {
        cells[global_id().x % 2].fetch_add(1);
    }
    for device in devices() {
        for start in 1..4 {
            let mut buffer = device.zeros::<u8>(16).unwrap();
            let mut part = buffer.slice_mut(start..start + 8).unwrap();
            let mut cells = part.view_mut::<u32>().unwrap();
            count::launch(&device, 256, &mut cells).unwrap();
            assert_eq!(cells.read().unwrap(), [128; 2], "from {start} on {}", device.name());
            assert_eq!(buffer.read().unwrap().iter().map(|x| u32::from(*x)).sum::<u32>(), 256);
        }
    }
}

#[test]
fn bytes_are_copied_between_any_offsets_of_one_buffer_and_of_two() {
    for device in devices() {
        let source: Vec<u8> = (1..=40).collect();
        for (from, to, len) in [(0, 21, 5), (3, 20, 9), (1, 22, 1), (2, 23, 13), (5, 25, 8)] {
            let mut expected = source.clone();
            expected[to..to + len].copy_from_slice(&source[from..from + len]);
            let mut buffer = device.upload(&source).unwrap();
            let (low, mut high) = buffer.split_at_mut(20).unwrap();
            let part = low.slice(from..from + len).unwrap();
            high.slice_mut(to - 20..to - 20 + len).unwrap().copy_from(&part).unwrap();
            assert_eq!(buffer.read().unwrap(), expected, "{len} bytes from {from} to {to} on {}", device.name());
            let (other, mut target) = (device.upload(&source).unwrap(), device.upload(&source).unwrap());
            target.slice_mut(to..to + len).unwrap().copy_from(&other.slice(from..from + len).unwrap()).unwrap();
            assert_eq!(target.read().unwrap(), expected);
        }
    }
}

#[test]
fn a_write_of_bytes_is_between_the_launches_around_it() {
    for device in devices() {
        let mut buffer = device.zeros::<u8>(7).unwrap();
        for round in 0..20 {
            buffer.slice_mut(1..6).unwrap().write(0, &[10 * round; 5]).unwrap();
            count_up::launch(&device, 64, &mut buffer).unwrap();
        }
        let edge = 20;
        assert_eq!(buffer.read().unwrap(), [edge, 191, 191, 191, 191, 191, edge], "on {}", device.name());
    }
}
