//! Every triple of scalars is tried.

use super::is_direct;
use crate::scalar::cast;
use crate::types::{Kind, Scalar, Type};

/// All values of a type of a byte; edges and a spread of wider ones.
fn values(ty: Scalar) -> Vec<u64> {
    if ty.bits() <= 16 {
        return (0..=ty.mask()).collect();
    }
    let sign = 1u64 << (ty.bits() - 1);
    let powers = (0..ty.bits()).map(|bit| 1u64 << bit);
    let near = powers.flat_map(|power| [power.wrapping_sub(1), power, power + 1, power.wrapping_neg(), !power]);
    let spread = (0..2000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 64));
    // Floats are whole numbers, too, and NaNs of several kinds.
    let floats = [-3.5f64, -1.0, -0.0, 0.5, 1.5, 127.0, 256.5, 65_504.0, 65_536.0, 1e9, -3e9, 1e19, 1e300];
    // Halfway for 11 bits but for one far below.
    let halfway = 1.0 + (-11f64).exp2() + (-30f64).exp2();
    let twice_halfway = (1 << 62) + (1 << 38) + 1;
    let floats = floats.into_iter().chain([halfway, f64::INFINITY, f64::NEG_INFINITY]).filter_map(|float| match ty {
        Scalar::F32 => Some(u64::from((float as f32).to_bits())),
        Scalar::F64 => Some(float.to_bits()),
        _ => None,
    });
    let nans = match ty.kind() {
        Kind::Float => vec![ty.mask(), ty.mask() >> 1, (ty.mask() >> 1) - 1, sign | (ty.mask() >> 1) >> 1],
        Kind::Bool | Kind::Signed | Kind::Unsigned => Vec::new(),
    };
    near.chain([twice_halfway]).chain(spread).chain(floats).chain(nans).map(|bits| bits & ty.mask()).collect()
}

/// An example against leaving out the cast in the middle.
fn refuted(first: Scalar, middle: Scalar, last: Scalar) -> Option<u64> {
    let [from, between, to] = [first, middle, last].map(Type::Scalar);
    values(first).into_iter().find(|&bits| {
        let value = [bits, 0, 0, 0];
        let steps = cast(from, between, value).and_then(|value| cast(between, to, value));
        let direct = if first == last { Some(value) } else { cast(from, to, value) };
        steps != direct
    })
}

fn exists(from: Scalar, to: Scalar) -> bool {
    cast(Type::Scalar(from), Type::Scalar(to), [0; 4]).is_some()
}

#[test]
fn casts_are_left_out_only_where_that_changes_no_bit() {
    let mut direct = 0;
    for &first in Scalar::ALL {
        for &middle in Scalar::ALL {
            for &last in Scalar::ALL {
                let possible = first != middle && middle != last && exists(first, middle) && exists(middle, last);
                if !possible || !is_direct(first, middle, last) {
                    continue;
                }
                direct += 1;
                let example = refuted(first, middle, last);
                assert_eq!(example, None, "{} to {} to {}", first.name(), middle.name(), last.name());
            }
        }
    }
    assert!(direct > 300, "only {direct}");
}

#[test]
fn casts_that_could_be_left_out_are() {
    // The numbers that an `f16` can be are so few that some casts cannot go wrong.
    let mut missed = Vec::new();
    for &first in Scalar::ALL {
        for &middle in Scalar::ALL {
            for &last in Scalar::ALL {
                let possible = first != middle && middle != last && exists(first, middle) && exists(middle, last);
                if possible && !is_direct(first, middle, last) && refuted(first, middle, last).is_none() {
                    missed.push(format!("{} to {} to {}", first.name(), middle.name(), last.name()));
                }
            }
        }
    }
    missed.retain(|casts| !casts.contains("f16"));
    assert_eq!(missed, [""; 0]);
}
