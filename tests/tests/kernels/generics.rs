//! Generic helpers over every type of their class, constants as parameters, generic kernels,
//! and constants that kernels know while they are compiled.

use crate::twins;
use samebits::prelude::*;

/// A number plus one, and what a number of its type can be at most.
#[device]
fn next<T: Number>(x: T) -> T {
    x + 1 as T
}

#[device]
fn most<T: Number>(x: T) -> bool {
    x == T::MAX
}

#[device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

#[device]
fn low_bits<T: Int>(x: T, n: u32) -> T {
    x & (((1 as T) << n) - 1)
}

#[device]
fn distance<T: Signed>(a: T, b: T) -> T {
    (a - b).abs() + -(0 as T)
}

#[device]
fn powers<T: Unsigned>(x: T) -> u32 {
    x.count_ones() + (T::MAX - x).count_ones()
}

#[device]
fn pick<T: Element>(first: bool, a: T, b: T) -> T {
    if first { a } else { b }
}

/// Each type of number in a kernel of its own, with values as Rust computes them.
macro_rules! of_numbers {
    ($arguments:tt $($ty:ident)*) => { $(
        mod $ty {
            use super::*;

            #[kernel $arguments]
            pub(super) fn of_type(x: &[$ty], y: &mut [$ty], o: &mut [u32]) {
                let i = local_id().x;
                y[i] = next(x[i]);
                o[i * 2] = most(x[i]) as u32;
                o[i * 2 + 1] = most::<$ty>($ty::MAX) as u32;
                y[i + 4] = pick(i == 1, x[i], next::<_>(next(x[i])));
            }
        }
    )* };
}

of_numbers! { (workgroup_size(4)) i8 u8 i16 u16 i32 u32 i64 u64 f32 }
of_numbers! { (workgroup_size(4), features(f64)) f64 }

#[test]
fn generic_helpers_over_every_type_of_number() {
    macro_rules! check {
        ($next:expr; $($ty:ident)*) => { $(
            let x: [$ty; 4] = [3 as $ty, 7 as $ty, $ty::MAX, 0 as $ty];
            for device in crate::devices() {
                let (mut y, mut o) = (device.zeros::<$ty>(8).unwrap(), device.zeros::<u32>(8).unwrap());
                $ty::of_type::launch(device, 4, &device.upload(&x).unwrap(), &mut y, &mut o).unwrap();
                let next: fn($ty) -> $ty = $next;
                let [a, b, c, d] = x.map(next);
                let expected = [a, b, c, d, next(a), x[1], next(c), next(d)];
                assert_eq!(y.read().unwrap(), expected, "{} on {}", stringify!($ty), device.name());
                crate::same(device, &o, &[0, 1, 0, 1, 1, 1, 0, 1]);
            }
        )* };
    }
    check! { |x| x.wrapping_add(1); i8 u8 i16 u16 i32 u32 i64 u64 }
    check! { |x| x + 1.0; f32 f64 }
}

#[kernel(workgroup_size(1), features(f64))]
fn classes(o: &mut [u32]) {
    o[0] = lerp(1.0f32, 3.0, 0.25).to_bits();
    o[1] = lerp(1.0f64, 3.0, 0.25) as u32;
    o[2] = low_bits(0xabcdu32, 8);
    o[3] = low_bits(-1i8, 3) as u32;
    o[4] = low_bits(0xffff_ffff_ffffu64, 40) as u32;
    o[5] = distance(-100i16, 27) as u32;
    o[6] = distance(5i64, -6) as u32;
    o[7] = powers(0x55u8) * 100 + powers(0u64);
    let v = pick(false, Vec2::new(1u32, 2), Vec2::new(3, 4));
    o[8] = v.x * 10 + v.y;
    let a = pick(true, [1u32, 2, 3], [4, 5, 6]);
    o[9] = a[2];
    // The literals' type is what the helper asks for, or Rust's default.
    o[10] = next(41);
    let n = next(-3);
    o[11] = n as u32;
    o[12] = low_bits(255, 4) as u32 + most(i32::MAX) as u32;
}

#[test]
fn generic_helpers_of_every_class() {
    let expected = [1.5f32.to_bits(), 1, 0xcd, 7, u32::MAX, 127, 11, 864, 34, 3, 42, -2i32 as u32, 16];
    crate::expect(&expected, |device, out| classes::launch(device, 1, out));
}

twins! {
    lengths_are_parameters([1, 2, 3, 4, 5, 6]);
    { fn sum<const N: usize>(a: [u32; N]) -> u32 { let mut s = 0; for i in 0..N { s += a[i]; } s } }
    { fn sum_of<const N: usize>(a: &[u32; N]) -> u32 { let mut s = 0; for i in 0..a.len() { s += a[i]; } s * N as u32 } }
    { fn reversed<const N: usize>(a: [u32; N]) -> [u32; N] { let mut b = [0; N]; for i in 0..N { b[N - 1 - i] = a[i]; } b } }
    { fn rows<const R: usize, const C: usize>(m: &[[u32; C]; R]) -> u32 { let mut s = 0; for r in 0..R { s = s * 100 + sum(m[r]) + C as u32; } s } }
    { fn first<const N: usize>(x: &[u32]) -> [u32; N] { let mut a = [7; N]; for i in 0..N { a[i] = x[i]; } a } }
    { fn poly<const N: usize>(f: impl Fn(u32) -> u32) -> u32 { let mut s = 0; for i in 0..N { s = s * 3 + f(i as u32); } s } }
    kernel(x, o) {
        o[0] = sum([1, 2, 3]) + sum([x[4]; 4]) * 100;
        let a = [x[0], x[1], x[2], x[3]];
        o[1] = sum_of(&a);
        let b = reversed(a);
        o[2] = b[0] * 1000 + b[1] * 100 + b[2] * 10 + b[3];
        o[3] = rows(&[[1, 2, 3], [4, 5, 6]]);
        o[4] = sum(first::<3>(x)) * 1000 + sum(first::<5>(x));
        let c: [u32; 2] = first::<2>(x);
        o[5] = c[0] * 10 + c[1];
        o[6] = poly::<4>(|i| i + x[1]) + poly::<{ 1 + 1 }>(|i| i);
        o[7] = sum(reversed(first::<6>(x)));
    }
}

#[kernel(workgroup_size(4), instances(T = [f32, u32, i8, u64], N = [1, 2, 3]))]
fn scaled<T: Number, const N: usize>(x: &[T], by: T, y: &mut [T]) {
    let i = global_id().x;
    let mut list = [0 as T; N];
    for j in 0..N {
        list[j] = x[i] * by;
    }
    let mut sum = next(0 as T);
    for j in 0..list.len() {
        sum += list[j];
    }
    y[i] = sum;
}

#[test]
fn generic_kernels_are_launched_by_type_and_number() {
    for device in crate::devices() {
        let x = device.upload(&[1u32, 2, 3, 4]).unwrap();
        let mut y = device.zeros::<u32>(4).unwrap();
        scaled::launch::<_, 3>(device, 4, &x, 10, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [31, 61, 91, 121], "on {}", device.name());
        scaled::launch::<u32, 1>(device, 4, &x, 10, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [11, 21, 31, 41], "on {}", device.name());
        let x = device.upload(&[0.5f32, 1.5]).unwrap();
        let mut y = device.zeros::<f32>(2).unwrap();
        scaled::launch::<_, 2>(device, 2, &x, 3.0, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [4.0, 10.0], "on {}", device.name());
        let x = device.upload(&[100i8, -1]).unwrap();
        let mut y = device.zeros::<i8>(2).unwrap();
        scaled::launch::<i8, 1>(device, 2, &x, 2, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [-55, -1], "on {}", device.name());
        let x = device.upload(&[1u64 << 40]).unwrap();
        let mut y = device.zeros::<u64>(1).unwrap();
        scaled::launch::<u64, 2>(device, 1, &x, 3, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [6 * (1 << 40) + 1], "on {}", device.name());
    }
    assert_ne!(scaled::kernel::<f32, 2>().image(), scaled::kernel::<f32, 3>().image());
}

#[device]
const LANES: usize = 8;
#[device]
const HALF: usize = LANES / 2;
#[device]
const MASK: u32 = (1 << HALF as u32) - 1;

mod sizes {
    use samebits::prelude::*;

    #[device]
    pub const ROWS: usize = 3;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(methods)]
    #[repr(C)]
    pub struct Table {
        pub rows: [[u32; ROWS]; super::HALF],
    }

    #[device]
    impl Table {
        pub const LAST: usize = ROWS - 1;

        pub fn last(&self, row: usize) -> u32 {
            self.rows[row][Self::LAST]
        }

        pub fn diagonal(&self) -> [u32; ROWS] {
            let mut d = [0; ROWS];
            for i in 0..ROWS {
                d[i] = self.rows[i][i];
            }
            d
        }
    }
}

use sizes::Table;

#[device]
fn sum_of_lanes(tile: &[u32; LANES]) -> u32 {
    let mut sum = 0;
    for i in 0..LANES {
        sum += tile[i];
    }
    sum
}

#[kernel(workgroup_size(LANES))]
fn with_lengths(x: &[u32], tables: &[Table], o: &mut [u32]) {
    #[shared]
    let tile: [u32; LANES];
    #[shared]
    let pairs: [[u32; sizes::ROWS]; HALF];
    let lane = local_id().x;
    tile[lane] = x[global_id().x];
    if lane < HALF {
        pairs[lane][2] = lane as u32;
    }
    workgroup_barrier();
    let copies = [tile[lane]; HALF];
    let diagonal = tables[0].diagonal();
    o[global_id().x] = sum_of_lanes(&tile) * 10_000
        + (copies[HALF - 1] & MASK) * 100
        + pairs[3][2] * 10
        + tables[0].last(lane % HALF)
        + diagonal[1];
}

#[test]
fn device_constants_are_lengths_and_sizes() {
    let x: Vec<u32> = (0..16).map(|i| i * 5).collect();
    let table = Table { rows: [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]] };
    let expected: Vec<u32> = (0..16)
        .map(|i| {
            let group = &x[i / 8 * 8..][..8];
            group.iter().sum::<u32>() * 10_000 + (x[i] & 15) * 100 + 3 * 10 + table.rows[i % 4][2] + 5
        })
        .collect();
    crate::expect(&expected, |device, out| {
        with_lengths::launch(device, 16, &device.upload(&x)?, &device.upload(&[table])?, out)
    });
}

const ONE: u32 = 1;
mod c {
    use samebits::prelude::*;

    #[device]
    pub const THREE: u32 = 3;
    pub const LAST: u32 = 9;
}
#[device]
const MINUS: i32 = -1;

#[device]
fn arm(x: u32) -> u32 {
    match x {
        ONE => 10,
        2 | c::THREE => 20,
        4..=6 => 30,
        n if n > c::LAST => 40,
        other => other + 5,
    }
}

#[device]
fn signed_arm(x: i32) -> u32 {
    const LOW: i32 = -3;
    match x {
        MINUS => 1,
        LOW..=-2 => 2,
        i32::MIN..=-4 => 3,
        _ => 4,
    }
}

#[kernel(workgroup_size(1))]
fn arms(x: &[i32], o: &mut [u32]) {
    let i = global_id().x;
    o[i] = arm(x[i] as u32) * 10 + signed_arm(x[i]);
}

#[test]
fn constants_in_patterns_of_helpers() {
    let x = [0, 1, 2, 3, 4, 6, 7, 9, 10, -1, -2, -3, -4, i32::MIN];
    let expected = [54, 104, 204, 204, 304, 304, 124, 144, 404, 401, 402, 402, 403, 403];
    crate::expect(&expected, |device, out| arms::launch(device, x.len(), &device.upload(&x)?, out));
}

twins! {
    operators_are_bounds_of_numbers([3, 5, 7, 200]);
    { fn dot<T: Copy + core::ops::Add<Output = T> + core::ops::Mul<Output = T>>(a: [T; 2], b: [T; 2]) -> T {
        a[0] * b[0] + a[1] * b[1]
    } }
    { fn greatest<T: PartialOrd + Copy>(a: T, b: T) -> T { if a > b { a } else { b } } }
    { fn mixed<T>(a: T, b: T) -> T where T: Copy + core::ops::BitXor<T, Output = T> + core::ops::Not<Output = T> {
        !(a ^ b)
    } }
    { fn grown<T: Copy + core::ops::AddAssign + core::ops::Sub<Output = T>>(a: T, b: T) -> T {
        let mut sum = a;
        sum += b;
        sum - a
    } }
    kernel(x, o) {
        o[0] = dot([x[0], x[1]], [x[2], x[3]]);
        o[1] = dot([0.5f32, 1.5], [x[0] as f32, x[1] as f32]).to_bits();
        o[2] = greatest(x[0], x[1]) + (greatest(-3i32, -(x[0] as i32) * 2) + 10) as u32 + greatest(1.5f32, 2.5) as u32;
        o[3] = mixed(x[3] as u8, 3) as u32 + mixed(x[0], x[1]) / 2;
        o[4] = grown(x[0], x[1]) + (grown(x[0] as i64, -4) + 10) as u32;
    }
}
