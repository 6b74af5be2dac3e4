//! Kernels of integers: a scan, a histogram, a transposition, two hashes and a sort. Their two arms are the same, since
//! `fast_math` is about floats.

use crate::cases::{launch, places};
use crate::kernels::both;
use crate::measure::{Arm, Case, Step, far};
use samebits::prelude::*;

// A scan reads twice and writes once: the sums of tiles, their scan by the same kernels, and the scan of each tile from
// what the tiles before it have. A tile is a vector of four for each invocation.
both! {
    [workgroup_size(256)]
    tile_sums(x: &[Vec4<u32>], sums: &mut [u32]) {
        #[shared]
        let parts: [u32; 8];
        let (i, lane) = (global_id().x, local_index());
        let v = if i < x.len() { x[i] } else { Vec4::splat(0) };
        let sum = subgroup_add(v.x + v.y + v.z + v.w);
        if lane % 32 == 0 {
            parts[lane / 32] = sum;
        }
        workgroup_barrier();
        if lane == 0 {
            let mut all = 0;
            for part in parts {
                all += part;
            }
            sums[workgroup_id().x] = all;
        }
    }
}

both! {
    [workgroup_size(256)]
    tile_scans(x: &[Vec4<u32>], before: &[u32], y: &mut [Vec4<u32>]) {
        #[shared]
        let parts: [u32; 8];
        let (i, lane) = (global_id().x, local_index());
        let v = if i < x.len() { x[i] } else { Vec4::splat(0) };
        let (xy, xyz) = (v.x + v.y, v.x + v.y + v.z);
        let sum = subgroup_inclusive_add(xyz + v.w);
        if lane % 32 == 31 {
            parts[lane / 32] = sum;
        }
        workgroup_barrier();
        let group = workgroup_id().x;
        let mut base = if group > 0 { before[group - 1] } else { 0 };
        for part in 0..7 {
            base += if part < lane / 32 { parts[part] } else { 0 };
        }
        base += sum - (xyz + v.w);
        if i < y.len() {
            y[i] = Vec4::new(base + v.x, base + xy, base + xyz, base + xyz + v.w);
        }
    }
}

// Bytes, four in a word; each workgroup counts in its own memory first.
both! {
    [workgroup_size(256), requires(bins.len() >= 256)]
    histogram(x: &[u32], bins: &[Atomic<u32>]) {
        #[shared]
        let counts: [Atomic<u32>; 256];
        for i in (global_id().x..x.len()).step_by(num_workgroups().x * 256) {
            let word = x[i];
            counts[(word & 255) as usize].fetch_add(1);
            counts[(word >> 8 & 255) as usize].fetch_add(1);
            counts[(word >> 16 & 255) as usize].fetch_add(1);
            counts[(word >> 24) as usize].fetch_add(1);
        }
        workgroup_barrier();
        bins[local_index()].fetch_add(counts[local_index()].load());
    }
}

// Of a square matrix. A row of the tile is one longer than it need be, so that columns lie in different banks.
both! {
    [workgroup_size(32, 8), requires(x.len() >= n * n, y.len() >= n * n)]
    transpose(n: usize, x: &[f32], y: &mut [f32]) {
        #[shared]
        let tile: [[f32; 33]; 32];
        let (column, row) = (local_id().x, local_id().y);
        let (left, top) = (workgroup_id().x * 32, workgroup_id().y * 32);
        for k in 0..4 {
            if left + column < n && top + row + 8 * k < n {
                tile[row + 8 * k][column] = x[(top + row + 8 * k) * n + left + column];
            }
        }
        workgroup_barrier();
        for k in 0..4 {
            if top + column < n && left + row + 8 * k < n {
                y[(left + row + 8 * k) * n + top + column] = tile[column][row + 8 * k];
            }
        }
    }
}

/// The last steps of MurmurHash3 of 32 bits.
#[device]
fn mixed(key: u32) -> u32 {
    let mut h = key;
    h ^= h >> 16;
    h *= 0x85eb_ca6b;
    h ^= h >> 13;
    h *= 0xc2b2_ae35;
    h ^ h >> 16
}

both! {
    [workgroup_size(256), requires(hashes.len() >= keys.len())]
    murmur3(keys: &[u32], hashes: &mut [u32]) {
        let i = global_id().x;
        if i < keys.len() {
            hashes[i] = super::mixed(keys[i]);
        }
    }
}

/// The constants of SHA-256.
#[device]
const ROUND: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
];

const INITIAL: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

// The hashes of messages of 64 bytes, given as words: the block of the message, and one of its length.
both! {
    [workgroup_size(256), requires(messages.len() >= hashes.len())]
    sha256(initial: [u32; 8], messages: &[[u32; 16]], hashes: &mut [[u32; 8]]) {
        let i = global_id().x;
        if i < hashes.len() {
            let mut w = messages[i];
            let mut hash = initial;
            #[unroll(never)]
            for block in 0..2 {
                let mut s = hash;
                #[unroll]
                for k in 0..64 {
                    if k >= 16 {
                        let (a, b) = (w[(k + 1) % 16], w[(k + 14) % 16]);
                        let low = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
                        let high = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
                        w[k % 16] += low + w[(k + 9) % 16] + high;
                    }
                    let e = s[4];
                    let turned = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
                    let first = s[7] + turned + (e & s[5] ^ !e & s[6]) + super::ROUND[k] + w[k % 16];
                    let a = s[0];
                    let turned = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
                    let second = turned + (a & s[1] ^ a & s[2] ^ s[1] & s[2]);
                    s = [first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]];
                }
                for k in 0..8 {
                    hash[k] += s[k];
                }
                if block == 0 {
                    w = [0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 512];
                }
            }
            hashes[i] = hash;
        }
    }
}

/// Puts a key and the one a step from it in order, upwards or downwards, for the lesser of their places.
#[device]
fn exchange(tile: &mut [u32; 256], lane: usize, step: usize, up: bool) {
    let other = lane ^ step;
    if other > lane {
        let (a, b) = (tile[lane], tile[other]);
        if (a > b) == up {
            tile[lane] = b;
            tile[other] = a;
        }
    }
}

// A bitonic sort. Runs of 256 keys, up and down in turn, within workgroups.
both! {
    [workgroup_size(256)]
    sort_runs(y: &mut [u32]) {
        #[shared]
        let tile: [u32; 256];
        let (i, lane) = (global_id().x, local_index());
        if i < y.len() {
            tile[lane] = y[i];
        }
        workgroup_barrier();
        let mut run = 2;
        while run <= 256 {
            let mut step = run / 2;
            while step > 0 {
                super::exchange(&mut tile, lane, step, i & run == 0);
                workgroup_barrier();
                step /= 2;
            }
            run *= 2;
        }
        if i < y.len() {
            y[i] = tile[lane];
        }
    }
}

// A step across the grid.
both! {
    [workgroup_size(256)]
    sort_across(run: usize, step: usize, y: &mut [u32]) {
        let i = global_id().x;
        let other = i ^ step;
        if other > i && other < y.len() {
            let (a, b) = (y[i], y[other]);
            if (a > b) == (i & run == 0) {
                y[i] = b;
                y[other] = a;
            }
        }
    }
}

// The last eight steps of a run, within workgroups.
both! {
    [workgroup_size(256)]
    sort_within(run: usize, y: &mut [u32]) {
        #[shared]
        let tile: [u32; 256];
        let (i, lane) = (global_id().x, local_index());
        if i < y.len() {
            tile[lane] = y[i];
        }
        workgroup_barrier();
        let mut step = 128;
        while step > 0 {
            super::exchange(&mut tile, lane, step, i & run == 0);
            workgroup_barrier();
            step /= 2;
        }
        if i < y.len() {
            y[i] = tile[lane];
        }
    }
}

/// Some words.
fn words(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| mix(i.wrapping_mul(0x9e37_79b9))).collect()
}

fn mix(key: u32) -> u32 {
    let key = (key ^ key >> 16).wrapping_mul(0x85eb_ca6b);
    let key = (key ^ key >> 13).wrapping_mul(0xc2b2_ae35);
    key ^ key >> 16
}

pub fn scan(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let len: usize = 1 << if full { 27 } else { 16 };
    let x = words(len);
    let (input, mut out) = (device.upload(&x)?, device.zeros::<u32>(len)?);
    // Sums of tiles and their scans, level by level, until one tile is left. A tile has 1024 words.
    let (mut levels, mut tiles) = (Vec::new(), len / 1024);
    loop {
        let padded = tiles.next_multiple_of(4);
        levels.push((device.zeros::<u32>(padded)?, device.zeros::<u32>(padded)?));
        if tiles <= 1 {
            break;
        }
        tiles = tiles.div_ceil(1024);
    }
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            launch!(arm, tile_sums, device, len / 4, &input.view()?, &mut levels[0].0)?;
            for at in 1..levels.len() {
                let (below, above) = levels.split_at_mut(at);
                let sums = &below[at - 1].0;
                launch!(arm, tile_sums, device, sums.len() / 4, &sums.view()?, &mut above[0].0)?;
            }
            for at in (0..levels.len() - 1).rev() {
                let (below, above) = levels.split_at_mut(at + 1);
                let (sums, scanned) = &mut below[at];
                let (sums, mut scanned) = (sums.view()?, scanned.view_mut()?);
                launch!(arm, tile_scans, device, sums.len(), &sums, &above[0].1, &mut scanned)?;
            }
            launch!(arm, tile_scans, device, len / 4, &input.view()?, &levels[0].1, &mut out.view_mut()?)?;
            Ok(0.0)
        }
        Step::Check(arm) => {
            let out = out.read()?;
            let mut sum = 0u32;
            let sums = x.iter().map(|&x| {
                sum = sum.wrapping_add(x);
                sum
            });
            Ok(far(arm, 1.0, out.into_iter().zip(sums).filter(|(got, sum)| got != sum || sum % 64 == 0)))
        }
    };
    Ok(Case { amount: len as f64 * 8.0 / 1e9, unit: "GB", run: Box::new(run) })
}

pub fn histogram(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let (len, groups): (usize, usize) = if full { (1 << 26, 1056) } else { (1 << 14, 8) };
    let x = words(len);
    let (input, mut bins) = (device.upload(&x)?, device.zeros::<u32>(256)?);
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            bins.fill(0)?;
            launch!(arm, histogram, device, Grid::groups(groups, 1, 1), &input, &mut bins)?;
            Ok(0.0)
        }
        Step::Check(arm) => {
            let mut counts = [0u32; 256];
            x.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| counts[usize::from(byte)] += 1);
            Ok(far(arm, 1.0, bins.read()?.into_iter().zip(counts)))
        }
    };
    Ok(Case { amount: len as f64 * 4.0 / 1e9, unit: "GB", run: Box::new(run) })
}

pub fn transpose(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let n: usize = if full { 8192 } else { 256 };
    let x: Vec<f32> = words(n * n).into_iter().map(|word| word as f32).collect();
    let (input, mut out) = (device.upload(&x)?, device.zeros::<f32>(n * n)?);
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            launch!(arm, transpose, device, Grid::groups(n / 32, n / 32, 1), n, &input, &mut out)?;
            Ok(0.0)
        }
        Step::Check(arm) => {
            let out = out.read()?;
            Ok(far(arm, 1.0, places(n * n, 65536).map(|at| (out[at], x[at % n * n + at / n]))))
        }
    };
    Ok(Case { amount: (n * n) as f64 * 8.0 / 1e9, unit: "GB", run: Box::new(run) })
}

pub fn murmur3(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let len: usize = 1 << if full { 28 } else { 16 };
    let keys: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (input, mut hashes) = (device.upload(&keys)?, device.zeros::<u32>(len)?);
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            launch!(arm, murmur3, device, len, &input, &mut hashes)?;
            Ok(0.0)
        }
        Step::Check(arm) => {
            let hashes = hashes.read()?;
            Ok(far(arm, 1.0, places(len, 65536).map(|at| (hashes[at], mix(keys[at])))))
        }
    };
    Ok(Case { amount: len as f64 * 8.0 / 1e9, unit: "GB", run: Box::new(run) })
}

pub fn sha256(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let len: usize = 1 << if full { 22 } else { 10 };
    // The bytes of the first message count up; its hash is known.
    let mut messages: Vec<[u32; 16]> = words(len * 16).as_chunks::<16>().0.to_vec();
    messages[0] = std::array::from_fn(|word| 0x0001_0203 + 0x0404_0404 * word as u32);
    let (input, mut hashes) = (device.upload(&messages)?, device.zeros::<[u32; 8]>(len)?);
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            launch!(arm, sha256, device, len, INITIAL, &input, &mut hashes)?;
            Ok(0.0)
        }
        Step::Check(arm) => {
            const KNOWN: [u32; 8] =
                [0xfdeab9ac, 0xf3710362, 0xbd2658cd, 0xc9a29e8f, 0x9c757fcf, 0x9811603a, 0x8c447cd1, 0xd9151108];
            Ok(far(arm, 1.0, hashes.read()?[0].into_iter().zip(KNOWN)))
        }
    };
    Ok(Case { amount: len as f64 / 1e9, unit: "Gmessage", run: Box::new(run) })
}

pub fn bitonic(device: &Device, full: bool) -> Result<Case<'_>, Error> {
    let len: usize = 1 << if full { 22 } else { 12 };
    let x = words(len);
    let (input, mut keys) = (device.upload(&x)?, device.zeros::<u32>(len)?);
    let run = move |step: Step| match step {
        Step::Launch(arm) => {
            keys.copy_from(&input)?;
            launch!(arm, sort_runs, device, len, &mut keys)?;
            let mut run = 512;
            while run <= len {
                let mut step = run / 2;
                while step >= 256 {
                    launch!(arm, sort_across, device, len, run, step, &mut keys)?;
                    step /= 2;
                }
                launch!(arm, sort_within, device, len, run, &mut keys)?;
                run *= 2;
            }
            Ok(0.0)
        }
        Step::Check(arm) => {
            let mut sorted = x.clone();
            sorted.sort_unstable();
            Ok(far(arm, 1.0, keys.read()?.into_iter().zip(sorted)))
        }
    };
    Ok(Case { amount: len as f64 / 1e9, unit: "Gkey", run: Box::new(run) })
}
