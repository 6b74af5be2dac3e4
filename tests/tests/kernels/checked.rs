//! `checked_add` and its like, on numbers at the edges, against Rust.

use crate::twins;

/// A twin that folds what each expression gives, for all pairs of some edges of a type, into one number for each.
macro_rules! of_edges {
    ($name:ident, $ty:ident, [$($edge:expr),*], $numbers:expr, |$a:ident, $b:ident| $($value:expr),*) => {
        twins! {
            $name($numbers);
            kernel(x, y) {
                let edges = [x[0] as $ty, x[1] as $ty, x[2] as $ty, $($edge),*];
                for i in 0..6 {
                    for j in 0..6 {
                        let ($a, $b) = (edges[i], edges[j]);
                        let mut at = 0;
                        $(
                            let found = $value.map_or(1_000_007, |n| n as u32);
                            y[at] = (y[at] ^ found).wrapping_mul(0x0100_0193);
                            at += 1;
                        )*
                        let _ = at;
                    }
                }
            }
        }
    };
}

macro_rules! of_any_integer {
    ($name:ident, $ty:ident, $numbers:expr) => {
        of_edges! { $name, $ty, [$ty::MIN, $ty::MAX, $ty::MAX / 2 + 1], $numbers, |a, b|
            a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.checked_div(b), a.checked_rem(b),
            a.checked_div_euclid(b), a.checked_rem_euclid(b), a.checked_neg(),
            a.checked_shl(b as u32), a.checked_shr(b as u32), a.checked_pow(b as u32 % 70), a.checked_pow(3),
            a.checked_ilog2(), a.checked_ilog10(), a.checked_ilog(b), a.checked_pow(0)
        }
    };
}

of_any_integer!(bytes, u8, [0, 1, 7]);
of_any_integer!(halves, u16, [0, 2, 40_000]);
of_any_integer!(words, u32, [0, 3, 65_536]);
of_any_integer!(long_words, u64, [0, 2, 4_000_000_000]);
of_any_integer!(signed_bytes, i8, [0, 0xff, 6]);
of_any_integer!(signed_halves, i16, [0, 0xffff, 181]);
of_any_integer!(signed_words, i32, [0, 0xffff_ffff, 46_341]);
of_any_integer!(signed_long_words, i64, [2, 0xffff_ffff, 3_037_000_500]);

macro_rules! of_unsigned {
    ($name:ident, $ty:ident, $signed:ident) => {
        of_edges! { $name, $ty, [$ty::MAX - 2, $ty::MAX, $ty::MAX / 2 + 1], [0, 5, 129], |a, b|
            a.checked_next_multiple_of(b), a.checked_next_power_of_two(), a.checked_add_signed(b as $signed),
            a.checked_sub_signed(b as $signed)
        }
    };
}

of_unsigned!(of_bytes, u8, i8);
of_unsigned!(of_words, u32, i32);
of_unsigned!(of_long_words, u64, i64);

macro_rules! of_signed {
    ($name:ident, $ty:ident, $unsigned:ident) => {
        of_edges! { $name, $ty, [$ty::MIN, $ty::MAX, $ty::MIN + 1], [0, 0xffff_ffff, 101], |a, b|
            a.checked_abs(), a.checked_isqrt(), a.checked_add_unsigned(b as $unsigned),
            a.checked_sub_unsigned(b as $unsigned)
        }
    };
}

of_signed!(of_signed_bytes, i8, u8);
of_signed!(of_signed_words, i32, u32);
of_signed!(of_signed_long_words, i64, u64);

twins! {
    indices([3, 0, 9]);
    kernel(x, y) {
        let (n, zero) = (x[0] as usize, x[1] as usize);
        y[0] = n.checked_sub(1).map_or(100, |i| x[i]) + zero.checked_sub(1).map_or(100, |i| x[i]);
        if let Some(before) = n.checked_sub(2) { y[before] += x[before] + 1; }
        y[2] = n.checked_rem(zero).is_none() as u32 + n.checked_div(2).map_or(0, |i| i as u32) * 10;
    }
}
