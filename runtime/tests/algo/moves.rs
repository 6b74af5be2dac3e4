//! Compaction, partition, histograms and transposition against plain Rust.

use crate::{judges, lengths, scratches, words};
use samebits::algo::{self, Scratch};
use samebits::prelude::*;

/// Flags of which some are 0: none, some, most or all.
fn flags(len: usize, kind: u32) -> Vec<u32> {
    let flag = |word: u32| match kind {
        0 => 0,
        1 => u32::from(word.is_multiple_of(3)),
        2 => word % 7,
        _ => 9,
    };
    words(len, 11).into_iter().map(flag).collect()
}

/// Everything that is made from flags.
fn moved<T: Element + PartialEq>(
    scratch: &mut Scratch,
    device: &Device,
    x: &[T],
    flags: &[u32],
    rest: T,
) -> Result<[Vec<T>; 2], Error> {
    let (from, keep, mut y) = (device.upload(x)?, device.upload(flags)?, device.upload(&vec![rest; x.len()])?);
    let count = scratch.compact(&from, &keep, &mut y)?;
    assert_eq!(count, flags.iter().filter(|&&flag| flag != 0).count());
    let compacted = y.read()?;
    assert_eq!(scratch.partition(&from, &keep, &mut y)?, count);
    Ok([compacted, y.read()?])
}

fn check<T: Element + PartialEq>(make: impl Fn(u32) -> T, rest: T) {
    for (device, mut scratch) in scratches() {
        for len in lengths(&device) {
            let x: Vec<T> = words(len, 2).into_iter().map(&make).collect();
            for kind in 0..4 {
                let flags = flags(len, kind);
                let of = |wanted: bool| {
                    let pairs = x.iter().zip(&flags).filter(move |(_, flag)| (**flag != 0) == wanted);
                    pairs.map(|(x, _)| *x).collect::<Vec<T>>()
                };
                let mut compacted = of(true);
                let partitioned = [compacted.clone(), of(false)].concat();
                compacted.resize(len, rest);
                let found = moved(&mut scratch, &device, &x, &flags, rest).expect("moves");
                assert!(found == [compacted, partitioned], "{len} of kind {kind} on {}", device.name());
            }
        }
    }
}

#[test]
fn words_are_compacted_and_partitioned() {
    check(|word| word, 7);
}

#[test]
fn structs_of_three_words_are_compacted_and_partitioned() {
    let of = |word: u32| Vec3::new(word as f32, 1.0, word as f32 + 2.0);
    check(of, of(1));
}

#[test]
fn indices_of_flags() {
    for (device, mut scratch) in scratches() {
        for len in lengths(&device) {
            let flags = flags(len, 1);
            let mut expected: Vec<u32> = (0..len as u32).filter(|&i| flags[i as usize] != 0).collect();
            let mut y = device.zeros::<u32>(len).expect("a buffer");
            let count = scratch.indices(&device.upload(&flags).expect("a buffer"), &mut y).expect("indices");
            assert_eq!(count, expected.len());
            expected.resize(len, 0);
            assert!(y.read().expect("a read") == expected, "{len} on {}", device.name());
        }
    }
}

#[test]
fn what_has_no_room_is_an_error_and_the_front_is_there() {
    let device = Device::interpreter();
    let flags = device.upload(&[1u32, 0, 1, 1]).expect("a buffer");
    let mut y = device.zeros::<u32>(2).expect("a buffer");
    assert_eq!(algo::indices(&device, &flags, &mut y), Err(Error::Lengths { from: 3, to: 2 }));
    assert_eq!(y.read(), Ok(vec![0, 2]));
    let (x, mut y) = (device.zeros::<u16>(4).expect("a buffer"), device.zeros::<u16>(4).expect("a buffer"));
    let error = algo::compact(&device, &x, &flags, &mut y);
    assert_eq!(error, Err(Error::Reinterpreted { bytes: 8, element: 4 }));
    let error = algo::partition(&device, &x, &flags.slice(..3).expect("a part"), &mut y);
    assert_eq!(error, Err(Error::Lengths { from: 4, to: 3 }));
}

#[test]
fn histograms_count_keys_below_the_number_of_bins() {
    for (device, mut scratch) in scratches() {
        for len in lengths(&device) {
            for bins in [0, 1, 10, 256, 257, 2048, 2049, 5000] {
                let keys: Vec<u32> = words(len, 4).into_iter().map(|word| word % (bins as u32 + 3)).collect();
                let mut expected = vec![0; bins];
                for &key in &keys {
                    if let Some(count) = expected.get_mut(key as usize) {
                        *count += 1;
                    }
                }
                let keys = device.upload(&keys).expect("a buffer");
                // What was there before does not count.
                let mut found = device.upload(&vec![3u32; bins]).expect("a buffer");
                scratch.histogram(&keys, &mut found).expect("a histogram");
                assert!(found.read().expect("a read") == expected, "{bins} bins of {len} on {}", device.name());
            }
        }
    }
}

#[test]
fn matrices_of_any_shape_are_transposed() {
    let shapes = [(0, 0), (1, 1), (1, 33), (33, 1), (31, 32), (32, 32), (64, 33), (100, 7), (257, 129)];
    for (device, mut scratch) in scratches() {
        for (rows, columns) in shapes {
            let x = words(rows * columns, 8);
            let at = |i: usize| (i % rows.max(1)) * columns + i / rows.max(1);
            let expected: Vec<u32> = (0..x.len()).map(|i| x[at(i)]).collect();
            let (from, mut y) = (device.upload(&x).expect("a buffer"), device.zeros::<u32>(x.len()).expect("a buffer"));
            scratch.transpose(rows, &from, &mut y).expect("a transposition");
            assert!(y.read().expect("a read") == expected, "{rows} × {columns} on {}", device.name());
            let wide = |x: &[u32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
            let (from, mut y) = (device.upload(&wide(&x)).expect("a buffer"), device.zeros(x.len()).expect("a buffer"));
            scratch.transpose(rows, &from, &mut y).expect("a transposition");
            assert!(y.read().expect("a read") == wide(&expected), "{rows} × {columns} on {}", device.name());
        }
    }
    let device = Device::interpreter();
    let (x, mut y) = (device.zeros::<u32>(6).expect("a buffer"), device.zeros::<u32>(6).expect("a buffer"));
    assert_eq!(algo::transpose(&device, 4, &x, &mut y), Err(Error::Lengths { from: 6, to: 4 }));
    assert_eq!(algo::transpose(&device, 0, &x, &mut y), Err(Error::Lengths { from: 6, to: 0 }));
    let (x, mut y) = (device.zeros::<u8>(6).expect("a buffer"), device.zeros::<u8>(6).expect("a buffer"));
    assert_eq!(algo::transpose(&device, 2, &x, &mut y), Err(Error::Reinterpreted { bytes: 6, element: 8 }));
}

#[test]
fn moves_do_not_race() {
    for (device, mut scratch) in judges() {
        let (x, flags) = (words(2000, 3), flags(2000, 1));
        let [_, partitioned] = moved(&mut scratch, &device, &x, &flags, 0).expect("moves");
        let of = |wanted: bool| x.iter().zip(&flags).filter(move |(_, flag)| (**flag != 0) == wanted).map(|(x, _)| *x);
        assert!(partitioned.into_iter().eq(of(true).chain(of(false))));
        let keys = device.upload(&[5u32; 600]).expect("a buffer");
        for bins in [10, 300, 3000] {
            let mut counts = device.zeros::<u32>(bins).expect("a buffer");
            scratch.histogram(&keys, &mut counts).expect("a histogram");
            assert_eq!(counts.read_range(5..6), Ok(vec![600]));
        }
        let (from, mut y) = (device.upload(&x).expect("a buffer"), device.zeros::<u32>(2000).expect("a buffer"));
        scratch.transpose(40, &from, &mut y).expect("a transposition");
        assert_eq!(y.read_range(1..2), Ok(vec![x[50]]));
        assert!(device.findings().iter().all(|finding| !finding.is_race()));
    }
}
