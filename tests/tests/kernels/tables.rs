//! Constant tables: of every type, of any size, and in every place where one can be named.

use samebits::prelude::*;

#[device]
const ROWS: [[u32; 16]; 4] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115],
    [200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215],
    [300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 315],
];

#[device]
const BYTES: [u8; 5] = [1, 2, 3, 250, 255];

#[device]
const SIGNED: [i16; 3] = [-1, i16::MIN, 7];

#[device]
const WIDE: [u64; 3] = [1, u64::MAX, 1 << 40];

#[device]
const DOUBLES: [f64; 2] = [0.1, -2.5];

#[device]
const FLAGS: [bool; 4] = [true, false, true, true];

#[device]
const PAIRS: ([i8; 2], f32) = ([-3, 4], 1.5);

#[device]
const POINTS: [Vec3<f32>; 2] = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)];

/// Made from another table, and by arithmetic.
#[device]
const SUMS: [u32; 3] = [ROWS[1][2] * 2, (3 << 4) | 1, !0 - ROWS[3][15]];

#[derive(Clone, Copy, Element)]
#[repr(C)]
#[element(methods)]
struct Curve {
    weights: [f32; 3],
    scale: f32,
}

#[device]
impl Curve {
    const SOFT: Self = Self { weights: [0.25, 0.5, 0.25], scale: 2.0 };
    const BOTH: [Self; 2] = [Self::SOFT, Self { weights: [1.0, 0.0, -1.0], scale: 4.0 }];

    fn at(&self, i: usize) -> f32 {
        self.weights[i] * self.scale
    }
}

#[device]
fn sum(t: &[u32], from: usize) -> u32 {
    let mut sum = 0;
    for i in from..t.len() {
        sum += t[i];
    }
    sum
}

#[kernel(workgroup_size(1), features(f64))]
fn every_type(i: usize, u: &mut [u32], s: &mut [i32], f: &mut [f32], w: &mut [u64], d: &mut [f64]) {
    u[0] = ROWS[i][i + 1];
    u[1] = BYTES[i + 2] as u32;
    u[2] = FLAGS[i] as u32 + 2 * FLAGS[i + 1] as u32;
    u[3] = SUMS[i];
    u[4] = sum(&ROWS[i], 14);
    u[5] = sum(&SUMS, i);
    s[0] = SIGNED[i] as i32;
    s[1] = PAIRS.0[i] as i32;
    w[0] = WIDE[i];
    w[1] = WIDE[i + 1];
    d[0] = DOUBLES[i - 1];
    d[1] = DOUBLES[i];
    f[0] = PAIRS.1;
    f[1] = POINTS[i].y + POINTS[i - 1].z;
    f[2] = Curve::SOFT.weights[i] + Curve::BOTH[i].weights[i + 1] + Curve::BOTH[i - 1].scale;
    f[3] = Curve::BOTH[i].at(0);
}

#[test]
fn tables_hold_every_type() {
    for device in crate::devices() {
        let (mut u, mut s) = (device.zeros::<u32>(6).unwrap(), device.zeros::<i32>(2).unwrap());
        let (mut f, mut w, mut d) =
            (device.zeros::<f32>(4).unwrap(), device.zeros::<u64>(2).unwrap(), device.zeros::<f64>(2).unwrap());
        every_type::launch(device, 1, 1, &mut u, &mut s, &mut f, &mut w, &mut d).unwrap();
        let rest = u32::MAX - 315;
        crate::same(device, &u, &[102, 250, 2, 49, 114 + 115, 49u32.wrapping_add(rest)]);
        crate::same(device, &s, &[i32::from(i16::MIN), 4]);
        crate::same(device, &f, &[1.5, 5.0 + 3.0, 0.5 - 1.0 + 2.0, 4.0]);
        crate::same(device, &w, &[u64::MAX, 1 << 40]);
        assert_eq!(d.read().unwrap(), [0.1, -2.5], "{}", device.name());
    }
}

/// In a body, without a name, and in a variable that nobody changes.
#[kernel(workgroup_size(8))]
fn in_bodies(y: &mut [u32]) {
    const OWN: [u32; 8] = [3, 1, 4, 1, 5, 9, 2, 6];
    let i = global_id().x;
    let primes = [2u32, 3, 5, 7, 11, 13, 17, 19];
    let mut kept = [0u32; 8];
    kept[0] = 100;
    kept[7] = 800;
    let mut sum = 0;
    for j in 0..3 {
        let again = [1u32, 10, 100, 1000, 10000, 100000, 1000000, 10000000];
        sum += again[(i + j) % 8] * [1u32, 2, 3, 4, 5, 6, 7, 8][i];
    }
    y[i] = OWN[i] + primes[i] + kept[i] + sum;
}

#[test]
fn tables_stand_in_bodies() {
    let powers = |n: usize| 10u32.pow(n as u32 % 8);
    let (own, primes) = ([3, 1, 4, 1, 5, 9, 2, 6], [2, 3, 5, 7, 11, 13, 17, 19]);
    let expected: Vec<u32> = (0..8)
        .map(|i| {
            let kept = [100, 0, 0, 0, 0, 0, 0, 800][i];
            own[i] + primes[i] + kept + (powers(i) + powers(i + 1) + powers(i + 2)) * (i as u32 + 1)
        })
        .collect();
    for device in crate::devices() {
        let mut y = device.zeros::<u32>(8).unwrap();
        in_bodies::launch(device, 8, &mut y).unwrap();
        crate::same(device, &y, &expected);
    }
}

/// 65,536 bytes, which is the most.
#[device]
const LARGE: [[[u32; 16]; 16]; 64] = [[[7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]; 16]; 64];

#[kernel(workgroup_size(64))]
fn largest(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let at = x[i] as usize;
    y[i] = LARGE[at / 256][at / 16 % 16][at % 16];
}

#[test]
fn a_table_has_up_to_sixty_four_kibibytes_and_zero_beyond() {
    let places: Vec<u32> = (0..64).map(|i| i * 263).chain([16_383, 16_384, u32::MAX]).collect();
    let expected: Vec<u32> = places.iter().map(|&at| if at < 16_384 { 7 + at % 16 } else { 0 }).collect();
    for device in crate::devices() {
        let (x, mut y) = (device.upload(&places).unwrap(), device.zeros::<u32>(places.len()).unwrap());
        largest::launch(device, 67, &x, &mut y).unwrap();
        crate::same(device, &y, &expected);
    }
}

/// A barrier may stand under what all look up alike.
#[kernel(workgroup_size(4))]
fn uniform(n: usize, y: &mut [u32]) {
    #[shared]
    let tile: [u32; 4];
    let i = local_id().x;
    tile[i] = i as u32;
    if FLAGS[n] {
        workgroup_barrier();
        y[i] = tile[3 - i];
    }
}

#[test]
fn a_look_up_by_a_shared_index_is_shared() {
    for device in crate::devices() {
        let mut y = device.zeros::<u32>(4).unwrap();
        uniform::launch(device, 4, 2, &mut y).unwrap();
        crate::same(device, &y, &[3, 2, 1, 0]);
    }
}

/// A block of quantized weights, of which a loop reads a part.
#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Block {
    scale: f32,
    shift: f32,
    weights: [u32; 34],
}

#[kernel(workgroup_size(64))]
fn from_copies(w: &[Block], pairs: &[[u32; 4]], y: &mut [f32], z: &mut [u32]) {
    let i = global_id().x;
    let block = w[i / 32];
    y[i] = block.weights[i % 40] as f32 * block.scale + block.shift;
    let pair = pairs[i];
    let mut again = pair;
    again[1] += 1;
    z[i] = pair[i % 4] + again[(i + 1) % 4] + pair[i];
}

#[test]
fn a_copy_of_an_element_reads_as_the_element() {
    let weights = |at: usize| std::array::from_fn(|i| (at * 100 + i) as u32);
    let block = |at: usize| Block { scale: at as f32 + 0.5, shift: -1.0, weights: weights(at) };
    let pairs: Vec<[u32; 4]> = (0..64).map(|i| [i, i * 2, i * 3, i * 5]).collect();
    let blocks = [block(0), block(1)];
    let y: Vec<f32> = (0..64)
        .map(|i| {
            let block = blocks[i / 32];
            block.weights.get(i % 40).map_or(0.0, |&weight| weight as f32) * block.scale + block.shift
        })
        .collect();
    let z: Vec<u32> = (0..64)
        .map(|i| {
            let pair = pairs[i];
            pair[i % 4] + pair[(i + 1) % 4] + u32::from((i + 1) % 4 == 1) + pair.get(i).copied().unwrap_or(0)
        })
        .collect();
    for device in crate::devices() {
        let (w, p) = (device.upload(&blocks).unwrap(), device.upload(&pairs).unwrap());
        let (mut a, mut b) = (device.zeros::<f32>(64).unwrap(), device.zeros::<u32>(64).unwrap());
        from_copies::launch(device, 64, &w, &p, &mut a, &mut b).unwrap();
        crate::same(device, &a, &y);
        crate::same(device, &b, &z);
    }
}

/// An array that is set at every place that the launch says, and starts as zero each time.
#[kernel(workgroup_size(8))]
fn large_arrays(n: usize, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let mut sum = 0;
    for round in 0..n {
        let mut a = [0u32; 1000];
        for j in 0..x.len() {
            a[x[j] as usize] += (j + round) as u32 + 1;
        }
        let mut k = i;
        while k < 1000 {
            sum += a[k];
            k += 8;
        }
    }
    y[i] = sum;
}

#[test]
fn a_large_array_of_an_invocation_is_zero_whenever_it_begins() {
    let places: Vec<u32> = (0..60).map(|i| i * i * 7 % 1003).collect();
    let mut expected = vec![0; 8];
    for round in 0..3 {
        for (j, &at) in places.iter().enumerate().filter(|(_, at)| **at < 1000) {
            expected[at as usize % 8] += (j + round) as u32 + 1;
        }
    }
    for device in crate::devices() {
        let (x, mut y) = (device.upload(&places).unwrap(), device.zeros::<u32>(8).unwrap());
        large_arrays::launch(device, 8, 3, &x, &mut y).unwrap();
        crate::same(device, &y, &expected);
    }
}
