//! Random numbers: published values, the same bits on the host and on all devices, and the right distributions.

use crate::devices;
use samebits::algo::random::{self, on_host};
use samebits::prelude::*;

#[test]
fn philox_gives_the_published_values() {
    // Of the file `kat_vectors` of Random123.
    let all = u32::MAX;
    let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
    let known = [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([all; 4], [all; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (pi, [0xa409_3822, 0x299f_31d0], [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]),
    ];
    for (counter, key, words) in known {
        assert_eq!(on_host::philox(counter, key), words);
    }
}

#[test]
fn pcg_steps_and_mixes_as_published() {
    // The step of the reference implementation, and its output function, in 64 bits.
    for word in [0u32, 1, 42, 0x8000_0000, u32::MAX] {
        let state = (u64::from(word) * 747_796_405 + 2_891_336_453) & 0xffff_ffff;
        let mixed = ((state >> ((state >> 28) + 4) ^ state) * 277_803_737) & 0xffff_ffff;
        assert_eq!(u64::from(on_host::pcg(word)), mixed >> 22 ^ mixed);
    }
}

#[kernel]
fn both(x: &[u32], hashes: &mut [u32], words: &mut [u32], units: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() {
        hashes[i] = random::pcg(x[i]);
        words[i] = random::philox([x[i], 1, 2, 3], [4, x[i]])[i % 4];
        units[i] = random::unit(x[i]);
    }
}

#[test]
fn kernels_compute_what_the_host_does() {
    let x = crate::words(1000, 1);
    for device in devices() {
        let from = device.upload(&x).expect("a buffer");
        let (mut hashes, mut words) =
            (from.device().zeros(1000).expect("a buffer"), device.zeros(1000).expect("a buffer"));
        let mut units = device.zeros::<f32>(1000).expect("a buffer");
        both::launch(device, 1000, &from, &mut hashes, &mut words, &mut units).expect("a launch");
        assert_eq!(hashes.read(), Ok(x.iter().map(|&x| on_host::pcg(x)).collect()));
        let word = |i: usize| on_host::philox([x[i], 1, 2, 3], [4, x[i]])[i % 4];
        assert_eq!(words.read(), Ok((0..1000).map(word).collect()));
        assert_eq!(units.read(), Ok(x.iter().map(|&x| on_host::unit(x)).collect()));
    }
}

/// The words that fill a buffer.
fn expected(len: usize, seed: u64) -> Vec<u32> {
    let key = [seed as u32, (seed >> 32) as u32];
    (0..len as u32).map(|i| on_host::philox([i / 4, 0, 0, 0], key)[i as usize % 4]).collect()
}

#[test]
fn buffers_are_filled_with_the_same_bits_everywhere() {
    let seed = 0x1234_5678_9abc_def0;
    for device in devices() {
        for len in [0, 1, 3, 4, 5, 255, 1021, 4096] {
            let words = expected(len, seed);
            let mut y = device.zeros::<u32>(len).expect("a buffer");
            random::fill_u32(device, seed, &mut y).expect("a launch");
            assert_eq!(y.read(), Ok(words.clone()), "{len} on {}", device.name());
            let mut y = device.zeros::<f32>(len).expect("a buffer");
            random::fill_f32(device, seed, &mut y).expect("a launch");
            assert_eq!(y.read(), Ok(words.iter().map(|&word| on_host::unit(word)).collect()));
            random::fill_normal(device, seed, &mut y).expect("a launch");
            let normal = |i: usize| {
                let (a, b) = (
                    words[i & !1],
                    on_host::philox([i as u32 / 4, 0, 0, 0], [seed as u32, (seed >> 32) as u32])[(i % 4) | 1],
                );
                let radius = (-2.0 * samebits::math::ln((((a >> 8) + 1) as f32) / 16_777_216.0)).sqrt();
                let turn = 2.0 * on_host::unit(b);
                radius * if i.is_multiple_of(2) { samebits::math::cos_pi(turn) } else { samebits::math::sin_pi(turn) }
            };
            assert_eq!(y.read(), Ok((0..len).map(normal).collect()), "{len} on {}", device.name());
        }
    }
}

#[test]
fn distributions_have_their_moments() {
    let device = &devices()[0];
    let moments = |x: &[f32]| {
        let n = x.len() as f64;
        let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
        (mean, x.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n)
    };
    let mut y = device.zeros::<f32>(20_000).expect("a buffer");
    random::fill_f32(device, 1, &mut y).expect("a launch");
    let (mean, variance) = moments(&y.read().expect("a read"));
    assert!((mean - 0.5).abs() < 0.01 && (variance - 1.0 / 12.0).abs() < 0.003, "{mean} {variance}");
    random::fill_normal(device, 1, &mut y).expect("a launch");
    let normals = y.read().expect("a read");
    let (mean, variance) = moments(&normals);
    assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
    let within = normals.iter().filter(|x| x.abs() < 1.0).count() as f64 / 20_000.0;
    assert!((within - 0.6827).abs() < 0.02, "{within}");
}
