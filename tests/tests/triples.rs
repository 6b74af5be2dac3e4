//! Floats of every device against Rust's own, on many triples of operands.
//!
//! `SAMEBITS_TRIPLES=1000000000` tries so many of each type on each device; it is a few thousand without.
//! A seed determines the operands. Subnormals, zeros, infinities, NaNs and numbers close to
//! each other come up far more often than by chance.

use samebits::prelude::*;
use samebits_random::Random;
use samebits_tests::engines::{devices, say};

/// Results of a triple.
const RESULTS: usize = 11;

/// Triples of one launch.
const BATCH: usize = 1 << 20;

#[kernel(workgroup_size(64))]
fn arithmetic(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if 3 * i + 2 < x.len() {
        let (a, b, c) = (x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        y[11 * i] = a + b;
        y[11 * i + 1] = a - b;
        y[11 * i + 2] = a * b;
        y[11 * i + 3] = a / b;
        y[11 * i + 4] = a.sqrt();
        y[11 * i + 5] = a.mul_add(b, c);
        y[11 * i + 6] = a.min(b);
        y[11 * i + 7] = a.max(b);
        y[11 * i + 8] = a % b;
        y[11 * i + 9] = a * b + c;
        y[11 * i + 10] = if a < b || a <= c && b != c { 1.0 } else { a * b - c };
    }
}

/// What the kernel computes, by Rust.
fn expected([a, b, c]: [f32; 3]) -> [f32; RESULTS] {
    let compared = if a < b || a <= c && b != c { 1.0 } else { a * b - c };
    let products = [a * b, a / b, a.sqrt(), a.mul_add(b, c)];
    let [p, q, r, m] = products;
    [a + b, a - b, p, q, r, m, lesser(a, b), -lesser(-a, -b), a % b, p + c, compared]
}

/// The lesser number; a NaN counts only beside another one, and -0.0 is less than 0.0.
fn lesser(a: f32, b: f32) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a == b => f32::from_bits(a.to_bits() | b.to_bits()),
        _ if a < b => a,
        _ => b,
    }
}

/// The bits of a result; every NaN is the canonical one.
fn bits(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}

/// Results of a triple of `f64`s.
const DOUBLE_RESULTS: usize = 8;

#[kernel(workgroup_size(64), features(f64))]
fn double_arithmetic(x: &[f64], y: &mut [f64]) {
    let i = global_id().x;
    if 3 * i + 2 < x.len() {
        let (a, b, c) = (x[3 * i], x[3 * i + 1], x[3 * i + 2]);
        y[8 * i] = a + b;
        y[8 * i + 1] = a * b;
        y[8 * i + 2] = a / b;
        y[8 * i + 3] = a.sqrt();
        y[8 * i + 4] = a.mul_add(b, c);
        y[8 * i + 5] = a % b;
        y[8 * i + 6] = a * b - c;
        y[8 * i + 7] = (-b).mul_add(c, a.mul_add(a, b));
    }
}

/// What the kernel computes, by Rust.
fn expected_doubles([a, b, c]: [f64; 3]) -> [f64; DOUBLE_RESULTS] {
    let p = a * b;
    [a + b, p, a / b, a.sqrt(), a.mul_add(b, c), a % b, p - c, (-b).mul_add(c, a.mul_add(a, b))]
}

fn double_bits(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8 << 48 } else { value.to_bits() }
}

/// An operand near another one.
fn operand(random: &mut Random, near: u32) -> u32 {
    const SPECIAL: [u32; 12] = [
        0,
        1,
        0x007f_ffff,
        0x0080_0000,
        0x3f80_0000,
        0x3f80_0001,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0x4b7f_ffff,
        0x3f7f_ffff,
    ];
    let drawn = random.bits();
    let (word, sign) = ((drawn >> 32) as u32, (drawn as u32 & 1) << 31);
    match drawn >> 1 & 7 {
        0 => word,
        1 => SPECIAL[(word % 12) as usize] | sign,
        // Subnormal, or just above.
        2 | 3 => word & 0x00ff_ffff | sign,
        // Products of these are subnormal or just above.
        4 => word & 0x007f_ffff | (0x1f80_0000 + (word >> 8 & 0x0380_0000)) | sign,
        5 => near.wrapping_add(word & 3).wrapping_sub(1) ^ sign,
        // Moderate numbers.
        _ => word & 0x007f_ffff | (0x3c00_0000 + (word >> 3 & 0x0f80_0000) / 2) | sign,
    }
}

fn triple(random: &mut Random) -> [f32; 3] {
    let a = operand(random, 0x3f80_0000);
    let b = operand(random, a);
    let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
    let near = if random.chance(50) { product ^ 1 << 31 } else { b };
    let c = operand(random, near);
    [a, b, c].map(f32::from_bits)
}

/// An operand near another one.
fn double(random: &mut Random, near: u64) -> u64 {
    const FRACTION: u64 = (1 << 52) - 1;
    const FIELDS: [u64; 10] = [0, 1, 2, 53, 54, 1022, 1023, 1076, 2046, 2047];
    let (word, sign) = (random.bits(), random.bits() & 1 << 63);
    let few = random.bits() % 5;
    match random.below(11) {
        0 => word,
        1 => (random.one_of(FIELDS) << 52).wrapping_add(few).wrapping_sub(2) & !(1 << 63) | sign,
        // Subnormal, or just above.
        2 | 3 => word & (FRACTION << 1 | 1) >> random.below(53) | sign,
        // Products of these are subnormal or just above.
        4 => word & FRACTION | (470 + random.bits() % 64) << 52 | sign,
        5..=7 => near.wrapping_add(few).wrapping_sub(2) ^ sign,
        // A power of two, and a bit more or less.
        8 | 9 => (word & !FRACTION).wrapping_add(1 << random.below(52)).wrapping_sub(few & 1),
        // Moderate numbers.
        _ => word & FRACTION | (1000 + random.bits() % 48) << 52 | sign,
    }
}

fn double_triple(random: &mut Random) -> [f64; 3] {
    let a = double(random, 1023 << 52);
    let inverse = (2046u64 << 52).wrapping_sub(a);
    let small = inverse.wrapping_sub((1087 - random.bits() % 128) << 52);
    let near = random.one_of([a, inverse, small]);
    let b = double(random, near);
    let product = (f64::from_bits(a) * f64::from_bits(b)).to_bits();
    let near = match random.below(4) {
        0 => b,
        // The product is about half of its last bit.
        1 => product.wrapping_add(53 << 52),
        _ => product ^ 1 << 63,
    };
    let c = double(random, near);
    [a, b, c].map(f64::from_bits)
}

/// Compares the results of triples; how many are wrong, and the first of them.
fn wrong<T: Copy + Sync, const N: usize>(
    triples: &[[T; 3]],
    results: &[T],
    expected: fn([T; 3]) -> [u64; N],
    bits: fn(T) -> u64,
) -> (usize, Option<String>) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = triples.len().div_ceil(threads).max(1);
    let judge = |(triples, results): (&[[T; 3]], &[T])| {
        let (mut count, mut first) = (0, None);
        for (triple, results) in triples.iter().zip(results.chunks(N)) {
            let expected = expected(*triple);
            let found = results.iter().map(|&result| bits(result));
            for (which, (result, expected)) in found.zip(expected).enumerate() {
                if result != expected {
                    count += 1;
                    let operands = triple.map(|operand| format!("{:#x}", bits(operand)));
                    first.get_or_insert_with(|| {
                        format!("result {which} of {operands:?} is {result:#x}, not {expected:#x}")
                    });
                }
            }
        }
        (count, first)
    };
    std::thread::scope(|scope| {
        let parts = triples.chunks(share).zip(results.chunks(share * N));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || judge(part))).collect();
        let parts = threads.into_iter().map(|thread| thread.join().expect("no thread panics"));
        parts.fold((0, None), |(count, first), (more, other)| (count + more, first.or(other)))
    })
}

/// A launch with so many invocations.
type Launch<T> = fn(&Device, usize, &Buffer<T>, &mut Buffer<T>) -> Result<(), Error>;

/// Runs batches of triples on every device.
fn on_every_device<T: Element + Copy + Sync + Default, const N: usize>(
    triple: fn(&mut Random) -> [T; 3],
    launch: Launch<T>,
    expected: fn([T; 3]) -> [u64; N],
    bits: fn(T) -> u64,
) {
    let asked = std::env::var("SAMEBITS_TRIPLES").ok();
    let count = asked.as_deref().map_or(1 << 14, |count| count.parse::<usize>().expect("a number"));
    for device in devices() {
        let count = if device.is_gpu() || asked.is_none() { count } else { 1 << 14 };
        let mut random = Random::new(1);
        let (mut done, mut failed, mut first) = (0, 0, None);
        while done < count {
            let triples: Vec<_> = (0..BATCH.min(count - done)).map(|_| triple(&mut random)).collect();
            let flat: Vec<T> = triples.iter().flatten().copied().collect();
            let x = device.upload(&flat).expect("there is memory");
            let mut y = device.zeros::<T>(triples.len() * N).expect("there is memory");
            launch(&device, triples.len(), &x, &mut y).expect("it runs");
            let (wrong, example) = wrong(&triples, &y.read().expect("it ran"), expected, bits);
            (failed, first) = (failed + wrong, first.or(example));
            done += triples.len();
        }
        if asked.is_some() {
            say(&format!("{}: {failed} of {} results of {done} triples are wrong", device.name(), done * N));
        }
        assert_eq!(failed, 0, "{}: {}", device.name(), first.unwrap_or_default());
    }
}

#[test]
fn floats_are_those_of_rust_on_every_device() {
    on_every_device(
        triple,
        arithmetic::launch,
        |triple| expected(triple).map(|value| bits(value).into()),
        |value| value.to_bits().into(),
    );
}

#[test]
fn doubles_are_those_of_rust_on_every_device() {
    on_every_device(
        double_triple,
        double_arithmetic::launch,
        |triple| expected_doubles(triple).map(double_bits),
        f64::to_bits,
    );
}

#[test]
fn a_wrong_result_would_be_noticed() {
    // A unit in the last place, a zero's sign and a NaN's payload all count.
    assert_ne!(bits(1.0), bits(f32::from_bits(0x3f80_0001)));
    assert_ne!(bits(0.0), bits(-0.0));
    let mut random = Random::new(7);
    let triples: Vec<_> = (0..1000).map(|_| triple(&mut random)).collect();
    let subnormal = triples.iter().flatten().filter(|x| x.is_subnormal()).count();
    assert!(subnormal > 300 && triples.iter().flatten().filter(|x| x.is_nan()).count() > 30);
    let fused = triples.iter().filter(|[a, b, c]| bits(a.mul_add(*b, *c)) != bits(a * b + c)).count();
    assert!(fused > 20, "{fused}");
    assert_ne!(double_bits(1.0), double_bits(1.0 + f64::EPSILON));
    assert_ne!(double_bits(0.0), double_bits(-0.0));
    let triples: Vec<_> = (0..1000).map(|_| double_triple(&mut random)).collect();
    let fused = triples.iter().map(|[a, b, c]| (a.mul_add(*b, *c), a * b + c));
    let differ: Vec<_> = fused.filter(|(a, b)| double_bits(*a) != double_bits(*b)).collect();
    assert!(differ.len() > 30 && differ.iter().any(|(a, _)| a.is_subnormal()), "{differ:?}");
}
