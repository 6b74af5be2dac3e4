//! Mathematical functions of `f32` on every device, against CORE-MATH, which is correctly rounded and shares nothing
//! with ours.
//!
//! A seeded million of arguments of each function is tried. With `SAMEBITS_MATH=all`, all 2³² arguments are: this CPU is
//! held against CORE-MATH, and each other device against this CPU; with `SAMEBITS_MATH=1000000000`, so many pairs of arguments
//! of the functions of two; `SAMEBITS_FUNCTION=logarithm` leaves all others out. These want a release build, in which this CPU
//! runs native code:
//!
//! ```text
//! SAMEBITS_MATH=all cargo test --release -p samebits-tests --test math -- --nocapture
//! ```

mod functions;

use functions::{FUNCTIONS, Function, OF_TWO, OfTwo};
use samebits::prelude::*;
use samebits_random::Random;
use samebits_tests::engines::say;
use std::ops::Range;

/// The arguments of one launch.
const BATCH: usize = 1 << 20;

/// The devices; this CPU runs native code in a release build, and interprets in another one.
fn devices() -> Vec<Device> {
    let mut devices = samebits_tests::engines::devices();
    if cfg!(not(debug_assertions)) {
        devices.insert(0, Device::cpu());
    }
    devices
}

/// The bits of a result; every NaN is the canonical one.
fn bits(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}

/// Whether a result is right, or a neighbour of what is where that is enough.
fn is_right(function: &Function, x: f32, found: f32) -> bool {
    let (found, right) = (bits(found), bits((function.right)(x)));
    let near = found ^ right < 1 << 31 && found.abs_diff(right) <= 1;
    found == right || !function.is_exact && (near || is_near_a_zero_of_gamma(function, x, found))
}

/// Near its zeros at negative arguments the logarithm of gamma has an absolute error.
fn is_near_a_zero_of_gamma(function: &Function, x: f32, found: u32) -> bool {
    let right = (function.right)(x);
    function.name == "logarithm_of_gamma" && x < -2.0 && (f32::from_bits(found) - right).abs() <= 2f32.powi(-24)
}

/// What differs, of a slice of arguments in parallel: how many, and the first few.
fn judge(count: usize, wrong: impl Fn(usize) -> Option<String> + Sync) -> (usize, Vec<String>) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = |n: usize| -> (usize, Vec<String>) {
        let range: Range<usize> = count * n / threads..count * (n + 1) / threads;
        range.filter_map(&wrong).fold((0, Vec::new()), |(count, mut shown), fault| {
            if shown.len() < 4 {
                shown.push(fault);
            }
            (count + 1, shown)
        })
    };
    std::thread::scope(|scope| {
        let part = &part;
        let parts: Vec<_> = (0..threads).map(|n| scope.spawn(move || part(n))).collect();
        parts.into_iter().map(|part| part.join().expect("a count")).fold(
            (0, Vec::new()),
            |(sum, mut all), (n, shown)| {
                all.extend(shown);
                (sum + n, all)
            },
        )
    })
}

/// Runs a function on a device on some arguments; gives what is wrong.
fn wrong(device: &Device, function: &Function, x: &[f32]) -> Result<(usize, Vec<String>), Error> {
    let (input, mut output) = (device.upload(x)?, device.zeros::<f32>(x.len())?);
    (function.launch)(device, &input, &mut output)?;
    Ok(judged(function, x, &output.read()?))
}

/// What is wrong of some results.
fn judged(function: &Function, x: &[f32], y: &[f32]) -> (usize, Vec<String>) {
    judge(x.len(), |i| {
        (!is_right(function, x[i], y[i])).then(|| {
            let right = (function.right)(x[i]);
            format!("{} of {:e} ({:#x}) is {:e}, not {right:e}", function.name, x[i], x[i].to_bits(), y[i])
        })
    })
}

/// All powers of two and their neighbours, with both signs, and arguments of a seed.
fn arguments(random: &mut Random, count: usize) -> Vec<f32> {
    let power = |field: u32| [field << 23, (field << 23) + 1, (field << 23).wrapping_sub(1)];
    let powers = (0..=255).flat_map(power).flat_map(|bits| [bits, bits ^ 1 << 31]).map(f32::from_bits);
    let mut all: Vec<f32> = powers.collect();
    all.extend(seeded(random, count - all.len()));
    all
}

/// Arguments of a seed: any bits, and those of moderate size half of the time.
fn seeded(random: &mut Random, count: usize) -> Vec<f32> {
    let mut one = || {
        let bits = random.bits();
        let exponent = 0x70 + (bits >> 40) as u32 % 0x20;
        let word = bits as u32;
        f32::from_bits(if bits >> 63 == 0 { word } else { word & 0x807f_ffff | exponent << 23 })
    };
    (0..count).map(|_| one()).collect()
}

/// What a run of all devices found.
fn report(found: impl Iterator<Item = (String, usize, usize, Vec<String>)>) {
    let mut faults = Vec::new();
    for (what, compared, wrong, shown) in found {
        if wrong > 0 || compared > BATCH {
            say(&format!("{what}: {wrong} of {compared} wrong"));
        }
        if wrong > 0 {
            faults.push(format!("{what}: {wrong} of {compared} wrong\n{}", shown.join("\n")));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

fn tries_all() -> bool {
    std::env::var("SAMEBITS_MATH").is_ok_and(|value| value == "all")
}

#[test]
fn functions_of_one_number_are_correctly_rounded() {
    if tries_all() {
        return;
    }
    let devices = devices();
    report(FUNCTIONS.iter().flat_map(|function| {
        let x = arguments(&mut Random::new(1), BATCH);
        let devices = devices.iter();
        devices.map(move |device| {
            let (wrong, shown) = wrong(device, function, &x).expect("a launch");
            (format!("{} on {}", function.name, device.name()), x.len(), wrong, shown)
        })
    }));
}

/// Numbers of blocks of 256 results, for all arguments.
fn hashes(device: &Device, function: &Function) -> Result<Vec<u32>, Error> {
    let mut hashes = device.zeros::<u32>(1 << 24)?;
    (function.hash)(device, &mut hashes)?;
    hashes.read()
}

/// Numbers whose bits count up.
#[kernel(workgroup_size(256))]
fn count(first: u32, x: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() {
        x[i] = f32::from_bits(first + i as u32);
    }
}

/// What is wrong on this CPU of all arguments.
fn wrong_of_all(cpu: &Device, function: &Function) -> Result<(usize, Vec<String>), Error> {
    let (mut x, mut y) = (cpu.zeros::<f32>(BATCH)?, cpu.zeros::<f32>(BATCH)?);
    let (mut sum, mut all) = (0, Vec::new());
    for batch in 0..(1u64 << 32) / BATCH as u64 {
        count::launch(cpu, BATCH, (batch * BATCH as u64) as u32, &mut x)?;
        (function.launch)(cpu, &x, &mut y)?;
        let (found, shown) = judged(function, x.as_slice().expect("host memory"), y.as_slice().expect("host memory"));
        sum += found;
        all.extend(shown);
        all.truncate(8);
    }
    Ok((sum, all))
}

/// This CPU is held against CORE-MATH, and the other devices against this CPU.
#[test]
fn all_arguments_give_correctly_rounded_results() {
    if !tries_all() {
        return;
    }
    let only = std::env::var("SAMEBITS_FUNCTION").ok();
    let cpu = Device::cpu();
    // Through naga `f64` is computed in integers. On a GPU all arguments take seconds so, on a processor hours.
    let is_slow = |device: &Device| device.name().contains("llvmpipe") && device.name().ends_with("by naga");
    let others: Vec<Device> = devices().into_iter().filter(|device| device.is_gpu() && !is_slow(device)).collect();
    let functions = FUNCTIONS.iter().filter(|function| only.as_ref().is_none_or(|only| function.name == only));
    let functions: Vec<&Function> = functions.collect();
    let names = || FUNCTIONS.iter().map(|function| function.name).collect::<Vec<_>>().join(" ");
    assert!(!functions.is_empty(), "`SAMEBITS_FUNCTION` is none of {}", names());
    report(functions.into_iter().flat_map(|function| {
        let (count, all) = wrong_of_all(&cpu, function).expect("a launch");
        let mut rows = vec![(format!("{} on {}", function.name, cpu.name()), 1 << 32, count, all)];
        let right = hashes(&cpu, function).expect("a launch");
        for device in &others {
            let found = hashes(device, function).expect("a launch");
            let blocks = (0..right.len()).filter(|&i| found[i] != right[i]).map(|i| i * 256);
            let blocks: Vec<String> = blocks.map(|first| format!("from {first:#x} on")).collect();
            let (count, name) = (blocks.len(), format!("{} on {}, blocks of 256", function.name, device.name()));
            rows.push((name, right.len(), count, blocks.into_iter().take(8).collect()));
        }
        rows
    }));
}

/// Runs a function of two on a device.
fn wrong_of_two(device: &Device, function: &OfTwo, [x, y]: [&[f32]; 2]) -> Result<(usize, Vec<String>), Error> {
    let (first, second, mut output) = (device.upload(x)?, device.upload(y)?, device.zeros::<f32>(x.len())?);
    (function.launch)(device, &first, &second, &mut output)?;
    let z = output.read()?;
    Ok(judge(x.len(), |i| {
        let right = (function.right)(x[i], y[i]);
        (bits(z[i]) != bits(right)).then(|| {
            let (name, a, b) = (function.name, x[i], y[i]);
            format!("{name} of {a:e} ({:#x}) and {b:e} ({:#x}) is {:e}, not {right:e}", a.to_bits(), b.to_bits(), z[i])
        })
    }))
}

/// Pairs of a seed: unrelated ones, those of a moderate result, and all pairs of special numbers.
fn pairs(random: &mut Random, count: usize) -> [Vec<f32>; 2] {
    const SPECIAL: [f32; 14] = [
        0.0,
        f32::from_bits(1),
        f32::MIN_POSITIVE,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        8_388_607.5,
        16_777_215.0,
        16_777_216.0,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    let signed: Vec<f32> = SPECIAL.iter().flat_map(|&x| [x, -x]).collect();
    let mut pairs: Vec<[f32; 2]> = signed.iter().flat_map(|&x| signed.iter().map(move |&y| [x, y])).collect();
    while pairs.len() < count {
        let x = seeded(random, 1)[0];
        let bits = random.bits();
        pairs.push(match bits % 4 {
            0 => [x, seeded(random, 1)[0]],
            // Powers that are near the range of results.
            1 => [x.abs(), ((bits >> 8) as f32 / 2f32.powi(55) - 1.0) * 150.0 / x.abs().log2()],
            // Numbers of nearly the same size.
            2 => [x, f32::from_bits(x.to_bits().wrapping_add((bits >> 40) as u32))],
            // Small whole and half numbers, whose powers and squares are exact.
            _ => [((bits >> 8) % 64) as f32 / 2.0 - 8.0, ((bits >> 16) % 64) as f32 / 4.0 - 8.0],
        });
    }
    let (x, y) = pairs.into_iter().take(count).map(|[x, y]| (x, y)).unzip();
    [x, y]
}

#[test]
fn functions_of_two_numbers_are_correctly_rounded() {
    let asked = std::env::var("SAMEBITS_MATH").ok().and_then(|value| value.parse::<usize>().ok());
    let batches = asked.map_or(1, |count| count.div_ceil(BATCH));
    let count = if asked.is_some() { BATCH } else { BATCH / 4 };
    let devices = devices();
    report(OF_TWO.iter().flat_map(|function| {
        devices.iter().filter(move |device| batches == 1 || device.name() != "interpreter").map(move |device| {
            let mut random = Random::new(2);
            let (mut wrongs, mut all) = (0, Vec::new());
            for _ in 0..batches {
                let [x, y] = pairs(&mut random, count);
                let (wrong, shown) = wrong_of_two(device, function, [&x, &y]).expect("a launch");
                wrongs += wrong;
                all.extend(shown);
                all.truncate(8);
            }
            (format!("{} on {}", function.name, device.name()), batches * count, wrongs, all)
        })
    }));
}
