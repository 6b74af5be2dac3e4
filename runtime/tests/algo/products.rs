//! Products of matrices against a plain chain of `mul_add`, to the bit.

use crate::{devices, judges, scratches, words};
use samebits::algo::{self, Scratch};
use samebits::prelude::*;

/// Rows of the left matrix, its columns, and the columns of the right one.
type Sizes = [usize; 3];

const SHAPES: [Sizes; 16] = [
    [0, 3, 3],
    [3, 0, 3],
    [3, 3, 0],
    [0, 0, 0],
    [1, 1, 1],
    [3, 3, 3],
    [31, 32, 33],
    [33, 31, 32],
    [32, 33, 31],
    [64, 64, 64],
    [63, 65, 64],
    [65, 63, 66],
    [1, 129, 3],
    [127, 2, 129],
    [129, 16, 128],
    [2, 257, 40],
];
/// What only devices that do not interpret multiply.
const LONG: [Sizes; 3] = [[128, 127, 129], [129, 128, 127], [300, 501, 203]];

/// Numbers that are rounded when they are multiplied and added.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    words(count, seed).into_iter().map(|word| word as i32 as f32 / 1e9).collect()
}

/// Numbers of which some are no ordinary ones.
fn special(count: usize, seed: u32) -> Vec<f32> {
    let of = |word: u32| match word % 97 {
        0 => f32::from_bits(0xffc0_1234),
        1 => f32::INFINITY,
        2 => f32::NEG_INFINITY,
        3..10 => -0.0,
        10..20 => 0.0,
        20..40 => f32::from_bits(word >> 9),
        40..60 => f32::from_bits(0x8000_0000 | word >> 9),
        60..70 => f32::from_bits(word & 0x80ff_ffff),
        _ => word as i32 as f32 / 1e9,
    };
    words(count, seed).into_iter().map(of).collect()
}

/// The chains of all elements, each of which begins with what is there.
fn chains([m, k, n]: Sizes, a: &[f32], b: &[f32], before: &[f32]) -> Vec<u32> {
    let chain = |at: usize| {
        let (i, j) = (at / n, at % n);
        let sum = (0..k).fold(before[at], |sum, l| a[i * k + l].mul_add(b[l * n + j], sum));
        if sum.is_nan() { 0x7fc0_0000 } else { sum.to_bits() }
    };
    (0..m * n).map(chain).collect()
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Compares a product, and a sum with one, on a device.
fn compare(device: &Device, scratch: &mut Scratch, sizes: Sizes, make: fn(usize, u32) -> Vec<f32>) {
    let [m, k, n] = sizes;
    let (a, b, c) = (make(m * k, 3), make(k * n, 5), numbers(m * n, 7));
    let (left, right) = (device.upload(&a).expect("a buffer"), device.upload(&b).expect("a buffer"));
    let mut product = device.upload(&c).expect("a buffer");
    scratch.matmul_add(sizes, &left, &right, &mut product).expect("a sum");
    let found = bits(&product.read().expect("a read"));
    assert!(found == chains(sizes, &a, &b, &c), "a sum, {sizes:?} on {}", device.name());
    scratch.matmul(sizes, &left, &right, &mut product).expect("a product");
    let found = bits(&product.read().expect("a read"));
    assert!(found == chains(sizes, &a, &b, &vec![0.0; m * n]), "{sizes:?} on {}", device.name());
}

/// Whether a device interprets each instruction.
fn interprets(device: &Device) -> bool {
    let native = device.name() == Device::cpu().name() && !cfg!(debug_assertions);
    [Device::cpu(), Device::interpreter()].iter().any(|other| other.name() == device.name()) && !native
}

#[test]
fn matrices_of_any_shape_are_multiplied() {
    for (device, mut scratch) in scratches() {
        let long = if interprets(&device) { &[][..] } else { &LONG };
        for &sizes in SHAPES.iter().chain(long) {
            compare(&device, &mut scratch, sizes, numbers);
        }
    }
}

#[test]
fn what_is_no_ordinary_number_is_multiplied_to_the_bit() {
    for (device, mut scratch) in scratches() {
        for sizes in [[7, 5, 9], [33, 18, 35], [64, 7, 64]] {
            compare(&device, &mut scratch, sizes, special);
        }
    }
}

#[test]
fn what_is_added_to_rows_adds_nothing() {
    for (device, mut scratch) in scratches() {
        // The exact product is below all numbers, so it is rounded to -0.0; 0.0 behind it would make that 0.0.
        let (a, b) = (device.upload(&[-1e-30f32]).expect("a buffer"), device.upload(&[1e-30f32]).expect("a buffer"));
        let mut c = device.upload(&[5.0f32]).expect("a buffer");
        scratch.matmul([1, 1, 1], &a, &b, &mut c).expect("a product");
        assert_eq!(bits(&c.read().expect("a read")), [0x8000_0000], "{}", device.name());
        // A sum with no product stays as it is, a NaN too.
        let none = device.zeros::<f32>(0).expect("a buffer");
        let mut c = device.upload(&[f32::from_bits(0xffc0_1234)]).expect("a buffer");
        scratch.matmul_add([1, 0, 1], &none, &none, &mut c).expect("a sum");
        assert_eq!(bits(&c.read().expect("a read")), [0xffc0_1234], "{}", device.name());
        scratch.matmul([1, 0, 1], &none, &none, &mut c).expect("a product");
        assert_eq!(bits(&c.read().expect("a read")), [0], "{}", device.name());
    }
}

#[test]
fn each_tile_gives_the_same_bits() {
    let mut all: Vec<(Device, &[Sizes])> =
        vec![(Device::interpreter(), &[[129, 37, 130], [5, 16, 4], [130, 52, 132], [66, 3, 65]])];
    let short = &[[129, 37, 130], [200, 64, 132]];
    all.extend(devices().iter().filter(|device| !interprets(device)).map(|device| (device.clone(), &short[..])));
    for (device, shapes) in all {
        let mut scratch = Scratch::new(&device).as_gpu();
        for &[m, k, n] in shapes {
            let (a, b) = (numbers(m * k, 3), numbers(k * n, 5));
            let expected = chains([m, k, n], &a, &b, &vec![0.0; m * n]);
            let (a, b) = (device.upload(&a).expect("a buffer"), device.upload(&b).expect("a buffer"));
            let mut c = device.zeros::<f32>(m * n).expect("a buffer");
            let mut tiles = Vec::new();
            while let Some(name) = scratch.matmul_in_tile(tiles.len(), [m, k, n], &a, &b, &mut c).expect("a product") {
                let found = bits(&c.read().expect("a read"));
                assert!(found == expected, "{name} of {m} {k} {n} on {}", device.name());
                c.fill(f32::NAN).expect("a fill");
                tiles.push(name);
            }
            assert!(tiles.len() >= 3, "{tiles:?}");
        }
    }
}

#[test]
fn a_product_in_parts_has_the_bits_of_the_whole() {
    let device = Device::interpreter();
    for mut scratch in [Scratch::new(&device), Scratch::new(&device).as_gpu()] {
        let (m, n, parts) = (19, 22, [13, 24]);
        let k = parts[0] + parts[1];
        let (a, b) = (numbers(m * k, 3), numbers(k * n, 5));
        let right = device.upload(&b).expect("a buffer");
        let mut c = device.zeros::<f32>(m * n).expect("a buffer");
        let mut from = 0;
        for part in parts {
            let columns: Vec<f32> = a.chunks(k).flat_map(|row| row[from..from + part].to_vec()).collect();
            let left = device.upload(&columns).expect("a buffer");
            // This part begins where no vector would.
            let rows = right.slice(from * n..(from + part) * n).expect("a part");
            scratch.matmul_add([m, part, n], &left, &rows, &mut c).expect("a sum");
            from += part;
        }
        assert_eq!(bits(&c.read().expect("a read")), chains([m, k, n], &a, &b, &vec![0.0; m * n]));
    }
}

#[test]
fn the_choice_of_a_tile_changes_no_bit() {
    for (device, mut scratch) in scratches() {
        let sizes @ [m, k, n] = [35, 9, 41];
        let (a, b) = (numbers(m * k, 3), numbers(k * n, 5));
        let (left, right) = (device.upload(&a).expect("a buffer"), device.upload(&b).expect("a buffer"));
        let mut c = device.zeros::<f32>(m * n).expect("a buffer");
        for _ in 0..2 {
            c.fill(7.0).expect("a fill");
            scratch.matmul_tuned(sizes, &left, &right, &mut c).expect("a product");
            let found = bits(&c.read().expect("a read"));
            assert!(found == chains(sizes, &a, &b, &vec![0.0; m * n]), "{}", device.name());
        }
    }
}

#[test]
fn products_have_no_races() {
    for (device, mut scratch) in judges() {
        for sizes in [[3, 9, 5], [34, 21, 66]] {
            compare(&device, &mut scratch, sizes, numbers);
        }
        device.wait().expect("no race");
    }
}

#[test]
fn lengths_are_those_of_the_sizes() {
    let device = Device::interpreter();
    let buffer = |len: usize| device.zeros::<f32>(len).expect("a buffer");
    let (a, b, mut c) = (buffer(6), buffer(12), buffer(8));
    assert_eq!(algo::matmul(&device, [2, 3, 4], &a, &b, &mut c), Ok(()));
    assert_eq!(algo::matmul(&device, [2, 4, 3], &a, &b, &mut c), Err(Error::Lengths { from: 6, to: 8 }));
    assert_eq!(algo::matmul(&device, [3, 2, 4], &a, &b, &mut c), Err(Error::Lengths { from: 12, to: 8 }));
    let error = algo::matmul_add(&device, [2, 3, 4], &a, &b, &mut c.slice_mut(1..).expect("a part"));
    assert_eq!(error, Err(Error::Lengths { from: 7, to: 8 }));
    assert_eq!(algo::matmul_tuned(&device, [2, 3, 0], &a, &b, &mut c), Err(Error::Lengths { from: 12, to: 0 }));
    let large = 1 << 16;
    let error = algo::matmul(&device, [large, large, 1], &a, &b, &mut c);
    assert_eq!(error, Err(Error::TooManyElements { asked: 1 << 32 }));
    let error = algo::matmul(&device, [0, usize::MAX, 2], &buffer(0), &b, &mut c);
    assert_eq!(error, Err(Error::TooManyElements { asked: (usize::MAX as u128) * 2 }));
}
