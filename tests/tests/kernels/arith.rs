//! Operators of integers and of `bool`, their precedence, and what wraps.

use crate::table;
use samebits::prelude::*;

table! { quotient_of_signed_integers(a: i32, b: i32) -> i32 = a / b;
    (-7, 3) => -2, (7, -3) => -2, (-6, 5) => -1, (-1, 768) => 0, (-769, 768) => -1, (-1000, 768) => -1,
    (i32::MIN, -1) => i32::MIN, (5, 0) => 0, (i32::MIN, 0) => 0, (i32::MIN, 2) => -1_073_741_824,
}

table! { remainder_of_signed_integers(a: i32, b: i32) -> i32 = a % b;
    (-7, 3) => -1, (7, -3) => 1, (-6, 5) => -1, (-1, 768) => -1, (-769, 768) => -1, (-1000, 768) => -232,
    (i32::MIN, -1) => 0, (5, 0) => 0, (i32::MIN, 0) => 0,
}

table! { quotient_and_remainder_of_unsigned_integers(a: u32, b: u32) -> u32 = a / b * 1000 + a % b;
    (7, 3) => 2001, (0xffff_ffff, 0x8000_0000) => 1000 + 0x7fff_ffff, (5, 0) => 0, (5, 0xffff_ffff) => 5,
}

table! { right_shift_of_signed_integers(a: i32, n: u32) -> i32 = a >> n;
    (-1, 1) => -1, (-8, 1) => -4, (i32::MIN, 31) => -1, (-1, 33) => -1, (i32::MIN, 32) => i32::MIN, (64, 3) => 8,
}

table! { right_shift_of_unsigned_integers(a: u32, n: u32) -> u32 = a >> n;
    (0x8000_0000, 31) => 1, (0xffff_ffff, 32) => 0xffff_ffff, (0xffff_ffff, 33) => 0x7fff_ffff,
}

table! { left_shift(a: u32, n: u32) -> u32 = a << n;
    (1, 32) => 1, (1, 33) => 2, (3, 31) => 0x8000_0000, (1, 0xffff_ffff) => 0x8000_0000,
}

table! { a_negative_shift_count_is_masked(a: u32, n: i32) -> u32 = a << n;
    (1, -1) => 0x8000_0000, (1, 5) => 32, (1, i32::MIN) => 1,
}

table! { left_shift_of_signed_integers(a: i32, n: u32) -> i32 = a << n;
    (1_136_930_381, 1) => -2_021_106_534, (-1, 31) => i32::MIN, (-3, 34) => -12,
}

table! { sums_differences_and_products_wrap(a: i32, b: i32) -> i32 = (a + b) ^ (a - b) ^ (a * b);
    (i32::MAX, 1) => i32::MIN ^ (i32::MAX - 1) ^ i32::MAX,
    (i32::MIN, -1) => i32::MAX ^ (i32::MIN + 1) ^ i32::MIN,
    (65536, 65536) => 131_072,
}

table! { unsigned_sums_wrap(a: u32, b: u32) -> u32 = a + b;
    (u32::MAX, 1) => 0, (0x8000_0000, 0x8000_0000) => 0, (1, 2) => 3,
}

table! { unsigned_differences_wrap(a: u32, b: u32) -> u32 = a - b;
    (0, 1) => u32::MAX, (5, 7) => 0xffff_fffe,
}

table! { unsigned_products_wrap(a: u32, b: u32) -> u32 = a * b;
    (65536, 65536) => 0, (0xffff_ffff, 0xffff_ffff) => 1, (0x1_0001, 0x1_0001) => 0x2_0001,
}

table! { negation_wraps(a: i32) -> i32 = -a;
    i32::MIN => i32::MIN, 5 => -5, -5 => 5, 0 => 0,
}

table! { bits_of_integers(a: u32, b: u32) -> u32 = (a & b) + (a | b) * 16 + (a ^ b) * 256;
    (12, 10) => 8 + 14 * 16 + 6 * 256, (0, 3) => 3 * 16 + 3 * 256,
}

table! { complement(a: i32) -> i32 = !a; 0 => -1, -1 => 0, i32::MAX => i32::MIN }

table! { comparisons_of_signed_integers(a: i32, b: i32) -> u32 =
    (a < b) as u32 + (a <= b) as u32 * 2 + (a > b) as u32 * 4 + (a >= b) as u32 * 8 + (a == b) as u32 * 16 + (a != b) as u32 * 32;
    (-1, 1) => 1 + 2 + 32, (1, -1) => 4 + 8 + 32, (3, 3) => 2 + 8 + 16, (i32::MIN, i32::MAX) => 1 + 2 + 32,
}

table! { comparisons_of_unsigned_integers(a: u32, b: u32) -> u32 =
    (a < b) as u32 + (a <= b) as u32 * 2 + (a > b) as u32 * 4 + (a >= b) as u32 * 8 + (a == b) as u32 * 16 + (a != b) as u32 * 32;
    (0xffff_ffff, 1) => 4 + 8 + 32, (1, 0xffff_ffff) => 1 + 2 + 32, (3, 3) => 2 + 8 + 16,
}

table! { operators_of_bool(a: u32, b: u32) -> u32 = {
        let p = a != 0;
        let q = b != 0;
        (p & q) as u32 + (p | q) as u32 * 2 + (p ^ q) as u32 * 4 + (!p) as u32 * 8 + (p < q) as u32 * 16
            + (p == q) as u32 * 32 + (p && !q) as u32 * 64 + (!p || q) as u32 * 128
    };
    (0, 0) => 8 + 32 + 128, (0, 1) => 2 + 4 + 8 + 16 + 128, (1, 0) => 2 + 4 + 64, (1, 1) => 1 + 2 + 32 + 128,
}

/// Defines a kernel and a plain function that have their body in common.
macro_rules! twin {
    ($name:ident($($a:ident),*: $ty:ty) -> $out:ty = $body:expr) => {
        mod $name {
            use samebits::prelude::*;

            #[kernel(workgroup_size(1))]
            pub(super) fn on($($a: &[$ty],)* out: &mut [$out]) {
                let at = global_id().x;
                $(let $a = $a[at];)*
                out[at] = $body;
            }

            #[allow(clippy::precedence, clippy::nonminimal_bool)]
            pub(super) fn plain($($a: $ty),*) -> $out {
                $body
            }
        }
    };
}

// Numbers are small, so that plain Rust does not overflow.
twin! { precedence(a, b, c: u32) -> u32 = a + b * c - c % 3 << 2 & b | a ^ c >> 1 + 1 & 0xff }
twin! { precedence_of_signs(a, b, c: i32) -> i32 = -a * b - -c + !b & -c | a ^ -(b - c) % 7 }
twin! { precedence_of_comparisons(a, b, c: u32) -> u32 =
(a + 1 < b * 2 && c & 3 == 1 || a | b != c && !(b > c) ^ (a == 0)) as u32 }
twin! { precedence_of_casts(a, b, c: i32) -> u32 = a as u32 + b as u32 % 5 * 2 << (-c as u32 & 1) | 3 & -b as u32 }
twin! { left_to_right(a, b, c: u32) -> u32 = a + 9 - (b + 5 - c) + 100 - b - c + a / 2 / 3 * 4 % 5 }

#[test]
fn operators_bind_as_in_rust() {
    let triples: Vec<[u32; 3]> = (0..125).map(|n| [n % 5 + 7, n / 5 % 5 + 4, n / 25 + 1]).collect();
    let column = |i: usize| triples.iter().map(|t| t[i]).collect::<Vec<u32>>();
    let signed = |i: usize| triples.iter().map(|t| t[i] as i32 - 5).collect::<Vec<i32>>();
    macro_rules! unsigned {
        ($($name:ident),*) => { $(
            let expected: Vec<u32> = triples.iter().map(|&[a, b, c]| $name::plain(a, b, c)).collect();
            crate::expect(&expected, |device, out| {
                let [a, b, c] = [0, 1, 2].map(|i| device.upload(&column(i)).unwrap());
                $name::on::launch(device, triples.len(), &a, &b, &c, out)
            });
        )* };
    }
    unsigned!(precedence, precedence_of_comparisons, left_to_right);
    macro_rules! signed {
        ($($name:ident),*) => { $(
            let twin = |&[a, b, c]: &[u32; 3]| $name::plain(a as i32 - 5, b as i32 - 5, c as i32 - 5);
            let expected: Vec<_> = triples.iter().map(twin).collect();
            crate::expect(&expected, |device, out| {
                let [a, b, c] = [0, 1, 2].map(|i| device.upload(&signed(i)).unwrap());
                $name::on::launch(device, triples.len(), &a, &b, &c, out)
            });
        )* };
    }
    signed!(precedence_of_signs, precedence_of_casts);
}

#[test]
fn literals_wrap_without_a_lint() {
    #[kernel(workgroup_size(1))]
    fn folded(o: &mut [i32], p: &mut [u32]) {
        o[0] = 1136930381i32 << 1;
        o[1] = -1 * i32::MIN;
        o[2] = i32::MAX + 1;
        o[3] = -(i32::MIN);
        p[0] = u32::MAX + 1;
        p[1] = 0u32 - 1;
        p[2] = 65536u32 * 65536;
    }
    for device in crate::devices() {
        let mut o = device.zeros(4).unwrap();
        let mut p = device.zeros(3).unwrap();
        folded::launch(device, 1, &mut o, &mut p).unwrap();
        crate::same(device, &o, &[-2_021_106_534, i32::MIN, i32::MIN, i32::MIN]);
        crate::same(device, &p, &[0, u32::MAX, 0]);
    }
}

#[test]
fn compound_assignments_of_every_operator() {
    #[kernel(workgroup_size(1))]
    fn compound(a: u32, b: u32, o: &mut [u32]) {
        o[0] = a;
        o[0] += b;
        o[1] = a;
        o[1] -= b;
        o[2] = a;
        o[2] *= b;
        o[3] = a;
        o[3] /= b;
        o[4] = a;
        o[4] %= b;
        o[5] = a;
        o[5] &= b;
        o[6] = a;
        o[6] |= b;
        o[7] = a;
        o[7] ^= b;
        o[8] = a;
        o[8] <<= b;
        o[9] = a;
        o[9] >>= b;
        let mut v = a;
        v += b;
        v *= 3;
        v -= 1;
        v /= 2;
        v %= 100;
        v &= 0x7f;
        v |= 0x100;
        v ^= 5;
        v <<= 4;
        v >>= 1;
        o[10] = v;
    }
    let v = ((((((100u32 + 7) * 3 - 1) / 2) % 100) & 0x7f | 0x100) ^ 5) << 4 >> 1;
    let expected = [107, 93, 700, 14, 2, 100 & 7, 100 | 7, 100 ^ 7, 100 << 7, 0, v];
    crate::expect(&expected, |device, out| compound::launch(device, 1, 100, 7, out));
}

#[test]
fn the_value_of_an_assignment_comes_before_its_place() {
    #[kernel(workgroup_size(1))]
    fn order(o: &mut [u32]) {
        let mut i = 0usize;
        // The right side moves `i`, and the place is looked at after that.
        o[i] = {
            i += 1;
            5
        };
        o[i] += {
            i += 1;
            7
        };
        o[{
            i += 1;
            i
        }] = i as u32 + 10;
        #[allow(unused_assignments)]
        let mut n = 1u32;
        n += {
            n = 10;
            n * 2
        };
        o[4] = n;
        o[5] = n + {
            n += 1;
            n
        } * {
            n += 1;
            n
        };
    }
    // 5 at 1; 7 at 2; then the value 12 (i = 2) at 3; n = 10 + 20; 30 + 31 * 32.
    crate::expect(&[0, 5, 7, 12, 30, 1022], |device, out| order::launch(device, 1, out));
}

#[test]
fn sixty_four_bit_values_are_loaded_stored_and_cast() {
    #[kernel(workgroup_size(1))]
    fn wide(a: u64, x: &[u64], o: &mut [u64], p: &mut [u32]) {
        o[0] = a;
        o[1] = x[0];
        let y = x[1];
        o[2] = y;
        o[3] = 18_446_744_073_709_551_615;
        o[4] = p[0] as u64;
        o[5] = x[9];
        p[1] = a as u32;
        p[2] = x[1] as u32;
        let z = if p[0] == 7 { x[0] } else { 3u64 };
        o[6] = z;
    }
    for device in crate::devices() {
        let x = device.upload(&[0x0123_4567_89ab_cdefu64, u64::MAX - 1]).unwrap();
        let mut o = device.zeros(7).unwrap();
        let mut p = device.upload(&[7u32, 0, 0]).unwrap();
        wide::launch(device, 1, 0x8000_0001_0000_0002, &x, &mut o, &mut p).unwrap();
        let (a, b) = (0x8000_0001_0000_0002, 0x0123_4567_89ab_cdef);
        crate::same(device, &o, &[a, b, u64::MAX - 1, u64::MAX, 7, 0, b]);
        crate::same(device, &p, &[7, 2, u32::MAX - 1]);
    }
}
