//! What computes more than it moves: bodies, the Mandelbrot set, and SHA-256.

use crate::measure::{Case, Step, Unit, differ, far};
use crate::peer::{Lines, numbers, outputs, versions, words};
use rayon::prelude::*;
use samebits::prelude::*;
use std::hint::black_box;

// Accelerations of bodies, whose fourth lane is the mass, tile by tile.
#[kernel(workgroup_size(256))]
fn attracting(bodies: &[Vec4<f32>], out: &mut [Vec4<f32>]) {
    #[shared]
    let tile: [Vec4<f32>; 256];
    let (i, lane) = (global_id().x, local_index());
    let me = bodies[i];
    let (mut x, mut y, mut z) = (0.0f32, 0.0f32, 0.0f32);
    for t in 0..bodies.len() / 256 {
        tile[lane] = bodies[t * 256 + lane];
        workgroup_barrier();
        for j in 0..256 {
            let other = tile[j];
            let (dx, dy, dz) = (other.x - me.x, other.y - me.y, other.z - me.z);
            let square = dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, 0.0001)));
            let pull = other.w * (1.0 / (square.sqrt() * square));
            x = dx.mul_add(pull, x);
            y = dy.mul_add(pull, y);
            z = dz.mul_add(pull, z);
        }
        workgroup_barrier();
    }
    out[i] = Vec4::new(x, y, z, 0.0);
}

// Steps until a point escapes.
#[kernel(workgroup_size(16, 16))]
fn escaping(width: usize, left: f32, top: f32, step: f32, steps: &mut [u32]) {
    let (x, y) = (global_id().x, global_id().y);
    let (re, im) = (left + x as f32 * step, top - y as f32 * step);
    let (mut zr, mut zi) = (0.0f32, 0.0f32);
    let mut n = 0u32;
    while n < 256 {
        let (rr, ii) = (zr * zr, zi * zi);
        if rr + ii > 4.0 {
            break;
        }
        zi = 2.0 * zr * zi + im;
        zr = rr - ii + re;
        n += 1;
    }
    if x < width {
        steps[y * width + x] = n;
    }
}

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
#[kernel(workgroup_size(64))]
fn hashing(initial: [u32; 8], messages: &[[u32; 16]], hashes: &mut [[u32; 8]]) {
    let i = global_id().x;
    if i < messages.len() && i < hashes.len() {
        let mut w = messages[i];
        let mut hash = initial;
        #[unroll(never)]
        for block in 0..2 {
            let mut s = hash;
            #[unroll(never)]
            for rounds in 0..4 {
                #[unroll]
                for k in 0..16 {
                    if rounds > 0 {
                        let (a, b) = (w[(k + 1) % 16], w[(k + 14) % 16]);
                        let low = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
                        let high = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
                        w[k] += low + w[(k + 9) % 16] + high;
                    }
                    let e = s[4];
                    let turned = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
                    let first = s[7] + turned + (e & s[5] ^ !e & s[6]) + ROUND[rounds * 16 + k] + w[k];
                    let a = s[0];
                    let turned = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
                    let second = turned + (a & s[1] ^ a & s[2] ^ s[1] & s[2]);
                    s = [first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]];
                }
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

versions! {
    /// The accelerations of 64 bodies.
    fn attract(me: &[[f32; 4]], bodies: &[[f32; 4]], out: &mut [[f32; 4]]) {
        // As many in turn as registers hold; each sum is made in the order of the bodies.
        for (me, out) in me.chunks_exact(16).zip(out.chunks_exact_mut(16)) {
            let lane = |lane: usize| -> [f32; 16] { std::array::from_fn(|i| me[i][lane]) };
            let at = [lane(0), lane(1), lane(2)];
            let mut sums = [[0.0f32; 16]; 3];
            for &[x, y, z, mass] in bodies {
                for i in 0..16 {
                    let (dx, dy, dz) = (x - at[0][i], y - at[1][i], z - at[2][i]);
                    let square = dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, 0.0001)));
                    let pull = mass * (1.0 / (square.sqrt() * square));
                    sums[0][i] = dx.mul_add(pull, sums[0][i]);
                    sums[1][i] = dy.mul_add(pull, sums[1][i]);
                    sums[2][i] = dz.mul_add(pull, sums[2][i]);
                }
            }
            for (i, out) in out.iter_mut().enumerate() {
                *out = [sums[0][i], sums[1][i], sums[2][i], 0.0];
            }
        }
    }
}

pub fn nbody(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n = if small { 512 } else { 8192 };
    let bodies: Vec<[f32; 4]> = numbers(4 * n, 1).as_chunks::<4>().0.to_vec();
    let vectors: Vec<Vec4<f32>> = bodies.iter().map(|&[x, y, z, w]| Vec4::new(x, y, z, w)).collect();
    let bodies = Lines::of(&bodies);
    let [mut by_peer, mut by_plain] = outputs::<[f32; 4]>(n);
    let (dbodies, mut out) = (device.upload(&vectors)?, device.zeros::<Vec4<f32>>(n)?);
    Ok(Case::new(19.0 * (n * n) as f64, Unit::Flops, move |step| {
        if step.has(Step::Kernel) {
            attracting::launch(device, n, &dbodies, &mut out)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            let tasks = by_peer.par_chunks_mut(64).zip(bodies.par_chunks(64));
            tasks.for_each(|(out, me)| attract(me, &bodies, out));
        }
        if step.has(Step::Plain) {
            // Unfused: `mul_add` would be a call of the C library.
            for (me, out) in bodies.iter().zip(&mut *by_plain) {
                let mut sum = [0.0f32; 4];
                for other in &*bodies {
                    let d: [f32; 3] = std::array::from_fn(|i| other[i] - me[i]);
                    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.0001;
                    let pull = other[3] * (1.0 / (square.sqrt() * square));
                    for i in 0..3 {
                        sum[i] += d[i] * pull;
                    }
                }
                *out = sum;
            }
        }
        if step != Step::Check {
            return Ok(0.0);
        }
        let got: Vec<f32> = out.read()?.iter().flat_map(|v| [v.x, v.y, v.z, v.w]).collect();
        Ok(far(&got, by_peer.as_flattened()))
    }))
}

versions! {
    /// A row of the picture, as many points at once as hide the time of a step. Those that have escaped go on with
    /// numbers that nobody looks at.
    fn escape(left: f32, im: f32, step: f32, out: &mut [u32]) {
        const AT_ONCE: usize = 32;
        for (at, out) in out.chunks_mut(AT_ONCE).enumerate() {
            let re: [f32; AT_ONCE] = std::array::from_fn(|i| left + (at * AT_ONCE + i) as f32 * step);
            let (mut zr, mut zi, mut n) = ([0.0f32; AT_ONCE], [0.0f32; AT_ONCE], [0u32; AT_ONCE]);
            let mut on = [!0u32; AT_ONCE];
            for _ in 0..64 {
                for _ in 0..4 {
                    for i in 0..AT_ONCE {
                        let (rr, ii) = (zr[i] * zr[i], zi[i] * zi[i]);
                        on[i] &= if rr + ii > 4.0 { 0 } else { !0 };
                        n[i] = n[i].wrapping_sub(on[i]);
                        zi[i] = 2.0 * zr[i] * zi[i] + im;
                        zr[i] = rr - ii + re[i];
                    }
                }
                if on.iter().fold(0, |any, on| any | on) == 0 {
                    break;
                }
            }
            for (out, n) in out.iter_mut().zip(n) {
                *out = n;
            }
        }
    }
}

pub fn mandelbrot(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let (width, height) = if small { (128, 96) } else { (1024, 768) };
    let step = 3.0 / width as f32;
    let (left, top) = (-2.25f32, 1.125f32);
    let [mut by_peer, mut by_plain] = outputs::<u32>(width * height);
    let mut dsteps = device.zeros::<u32>(width * height)?;
    Ok(Case::new((width * height) as f64, Unit::Items("points"), move |run| {
        if run.has(Step::Kernel) {
            escaping::launch(device, (width, height), width, left, top, step, &mut dsteps)?;
            device.wait()?;
        }
        let im = |row: usize| top - row as f32 * step;
        if run.has(Step::Peer) {
            let rows = by_peer.par_chunks_mut(width).enumerate();
            rows.for_each(|(row, out)| escape(left, im(row), step, out));
        }
        if run.has(Step::Plain) {
            for (row, out) in by_plain.chunks_mut(width).enumerate() {
                for (x, out) in out.iter_mut().enumerate() {
                    let re = left + x as f32 * step;
                    let (mut zr, mut zi, mut n) = (0.0f32, 0.0f32, 0);
                    while n < 256 && zr * zr + zi * zi <= 4.0 {
                        (zr, zi) = (zr * zr - zi * zi + re, 2.0 * zr * zi + im(row));
                        n += 1;
                    }
                    *out = n;
                }
            }
        }
        if run == Step::Check { Ok(differ(&dsteps.read()?, &by_peer) + differ(&by_plain, &by_peer)) } else { Ok(0.0) }
    }))
}

/// As many words at once as there are lanes.
type Words<const N: usize> = [u32; N];

#[inline(always)]
fn each<const N: usize>(f: impl Fn(usize) -> u32) -> Words<N> {
    let mut words = [0; N];
    for (i, word) in words.iter_mut().enumerate() {
        *word = f(i);
    }
    words
}

/// The next word of a message, by those before.
#[inline(always)]
fn mixed<const N: usize>(w: Words<N>, a: Words<N>, b: Words<N>, c: Words<N>) -> Words<N> {
    each(|i| {
        let low = a[i].rotate_right(7) ^ a[i].rotate_right(18) ^ a[i] >> 3;
        let high = c[i].rotate_right(17) ^ c[i].rotate_right(19) ^ c[i] >> 10;
        w[i].wrapping_add(low).wrapping_add(b[i]).wrapping_add(high)
    })
}

/// The hashes of as many messages as there are lanes.
#[inline(always)]
fn hash_some<const N: usize>(messages: &[[u32; 16]], out: &mut [[u32; 8]]) {
    // One message after the other: LLVM would make vectors along these by gathers and scatters, which are slower.
    let mut w: [Words<N>; 16] = [[0; N]; 16];
    for (i, message) in messages.iter().enumerate() {
        for (w, word) in w.iter_mut().zip(black_box(message)) {
            w[i] = *word;
        }
    }
    let mut hash: [Words<N>; 8] = INITIAL.map(|word| [word; N]);
    for block in 0..2 {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = hash;
        for (rounds, constants) in ROUND.as_chunks::<16>().0.iter().enumerate() {
            // The names go round instead of the words.
            macro_rules! rounds {
                ($($k:literal $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident;)*) => {$(
                    if rounds > 0 {
                        w[$k] = mixed(w[$k], w[($k + 1) % 16], w[($k + 9) % 16], w[($k + 14) % 16]);
                    }
                    let (word, constant) = (w[$k], constants[$k]);
                    let first: Words<N> = each(|i| {
                        let e = $e[i];
                        let turned = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
                        let choice = e & $f[i] ^ !e & $g[i];
                        $h[i].wrapping_add(turned).wrapping_add(choice).wrapping_add(constant.wrapping_add(word[i]))
                    });
                    $d = each(|i| $d[i].wrapping_add(first[i]));
                    $h = each(|i| {
                        let (a, b, c) = ($a[i], $b[i], $c[i]);
                        let turned = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
                        first[i].wrapping_add(turned).wrapping_add(a & b ^ a & c ^ b & c)
                    });
                )*};
            }
            rounds! {
                0 a b c d e f g h; 1 h a b c d e f g; 2 g h a b c d e f; 3 f g h a b c d e;
                4 e f g h a b c d; 5 d e f g h a b c; 6 c d e f g h a b; 7 b c d e f g h a;
                8 a b c d e f g h; 9 h a b c d e f g; 10 g h a b c d e f; 11 f g h a b c d e;
                12 e f g h a b c d; 13 d e f g h a b c; 14 c d e f g h a b; 15 b c d e f g h a;
            }
        }
        let s = [a, b, c, d, e, f, g, h];
        for (hash, s) in hash.iter_mut().zip(s) {
            *hash = each(|i| hash[i].wrapping_add(s[i]));
        }
        if block == 0 {
            w = [[0; N]; 16];
            (w[0], w[15]) = ([0x8000_0000; N], [512; N]);
        }
    }
    for (i, out) in out.iter_mut().enumerate() {
        let out = black_box(out);
        for (out, hash) in out.iter_mut().zip(&hash) {
            *out = hash[i];
        }
    }
}

versions! {
    fn hash_part(messages: &[[u32; 16]], out: &mut [[u32; 8]]) {
        // LLVM makes no vectors of fewer.
        for (messages, out) in messages.chunks_exact(16).zip(out.chunks_exact_mut(16)) {
            hash_some::<16>(messages, out);
        }
    }
}

pub fn sha256(device: &Device, small: bool) -> Result<Case<'_>, Error> {
    let n = if small { 1 << 11 } else { 1 << 17 };
    let messages: Lines<[u32; 16]> = Lines::of(words(16 * n, 1).as_chunks().0);
    let [mut by_peer, mut by_plain] = outputs::<[u32; 8]>(n);
    let (dmessages, mut dhashes) = (device.upload(&messages)?, device.zeros::<[u32; 8]>(n)?);
    Ok(Case::new(64.0 * n as f64, Unit::Items("bytes"), move |step| {
        if step.has(Step::Kernel) {
            hashing::launch(device, n, INITIAL, &dmessages, &mut dhashes)?;
            device.wait()?;
        }
        if step.has(Step::Peer) {
            let tasks = by_peer.par_chunks_mut(512).zip(messages.par_chunks(512));
            tasks.for_each(|(out, messages)| hash_part(messages, out));
        }
        if step.has(Step::Plain) {
            for (message, out) in messages.chunks(1).zip(by_plain.chunks_mut(1)) {
                hash_some::<1>(message, out);
            }
        }
        if step != Step::Check {
            return Ok(0.0);
        }
        let hashes = dhashes.read()?;
        let [got, peer, plain] = [&hashes[..], &by_peer, &by_plain].map(<[_]>::as_flattened);
        Ok(differ(got, peer) + differ(plain, peer))
    }))
}
