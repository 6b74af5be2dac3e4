//! Quick functions, held against those of `single`, which are themselves held against other implementations elsewhere.
//!
//! Here steps round twice. Native code has steps that are fused, and the tests of whole functions try all of its results.

use crate::math::pair::tests::Single;
use crate::math::{Math, Quick, Real, Sure};
use crate::types::Scalar;

/// What became of a function's results.
#[derive(Default, Debug)]
struct Found {
    tried: u64,
    unsure: u64,
    /// The first bits of arguments with a sure result that is wrong.
    wrong: Vec<u32>,
}

impl Found {
    fn look(&mut self, function: Math, bits: u32) {
        let narrow = f32::from_bits(bits);
        let Sure { value: (exponent, Single(rest)), sure: is_between } = Quick::reduced(Single::<true>(narrow));
        if !is_between {
            return;
        }
        let quick = Quick::of(function).expect("it has the form");
        let rest = f64::from(rest);
        let found = quick.apply(rest.n(exponent.0.into()), rest);
        self.tried += 1;
        self.unsure += u64::from(!found.sure);
        let (value, right) = (found.value as f32, function.apply(Scalar::F32, &[f64::from(narrow)]) as f32);
        if found.sure && value.to_bits() != right.to_bits() && self.wrong.len() < 8 {
            self.wrong.push(bits);
        }
    }
}

/// Results of every argument whose bits are a multiple of the stride.
fn found(function: Math, stride: u32) -> Found {
    let of = |first: u64| {
        let mut found = Found::default();
        for bits in (first..1 << 32).step_by(2 * stride as usize) {
            found.look(function, bits as u32);
        }
        found
    };
    let (mut some, others) = std::thread::scope(|scope| {
        let others = scope.spawn(|| of(stride.into()));
        (of(0), others.join().expect("no panic"))
    });
    some.tried += others.tried;
    some.unsure += others.unsure;
    some.wrong.extend(others.wrong);
    some
}

/// All arguments with `SAMEBITS_MATH=all`, a million otherwise.
#[test]
fn a_sure_result_is_right_and_few_are_not_sure() {
    let all = std::env::var("SAMEBITS_MATH").is_ok_and(|value| value == "all");
    for function in [Math::Ln, Math::Log2, Math::Log10] {
        let found = found(function, if all { 1 } else { 4001 });
        assert!(found.wrong.is_empty(), "{function:?}: {found:x?}");
        assert!(found.unsure * 1000 <= found.tried, "{function:?}: {found:?}");
    }
}
