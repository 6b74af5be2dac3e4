//! `f16` against exact arithmetic on its definition.

use samebits_ir::ops::Op;
use samebits_ir::scalar::{cast, half};
use samebits_ir::types::{Scalar, Type};

fn eval(op: Op, args: &[u16]) -> u64 {
    let types = vec![Type::Scalar(Scalar::F16); args.len()];
    let result = op.result(&types, None).expect("operands of the op's types");
    let lanes: Vec<[u64; 4]> = args.iter().map(|&bits| [bits.into(), 0, 0, 0]).collect();
    op.eval(&types, result, &lanes)[0]
}

/// Every `f16` that is a number, from the least to the greatest.
fn numbers() -> Vec<(u16, f64)> {
    let positive = (0..0x7c00u16).map(|bits| {
        let (exponent, fraction) = (bits >> 10, f64::from(bits & 0x3ff));
        let value = match exponent {
            0 => fraction / 16_777_216.0,
            _ => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
        };
        (bits, value)
    });
    positive.collect()
}

#[test]
fn every_number_is_itself() {
    for (bits, value) in numbers() {
        assert_eq!(half::to_f64(bits), value);
        assert_eq!(half::to_f64(bits | 0x8000), -value);
        assert_eq!(half::from_f64(value), bits);
        assert_eq!(half::from_f64(-value), bits | 0x8000);
    }
}

#[test]
fn between_neighbours_the_nearest_is_taken_and_of_two_the_even_one() {
    for pair in numbers().windows(2) {
        let [(low, a), (high, b)] = [pair[0], pair[1]];
        let middle = (a + b) / 2.0;
        assert_eq!(half::from_f64(middle), if low % 2 == 0 { low } else { high });
        assert_eq!(half::from_f64(middle - middle * f64::EPSILON), low);
        assert_eq!(half::from_f64(middle + middle * f64::EPSILON), high);
        let text = format!("{middle:.30}");
        assert_eq!(half::parse(&text), Some(if low % 2 == 0 { low } else { high }));
        assert_eq!(half::parse(&format!("{text}000000000000000000001")), Some(high));
        assert_eq!(half::parse(&format!("{a:.30}")), Some(low));
    }
    assert_eq!(half::from_f64(65_519.999), 0x7bff);
    assert_eq!(half::from_f64(65_520.0), 0x7c00);
    assert_eq!(half::parse("65519.99999999999999999999"), Some(0x7bff));
    assert_eq!(half::parse("1e999"), Some(0x7c00));
    assert_eq!(half::parse("x"), None);
}

#[test]
fn there_is_one_nan() {
    for nan in [f64::NAN, -f64::NAN] {
        assert_eq!(half::from_f64(nan), 0x7e00);
    }
    assert_eq!(eval(Op::Add, &[0x7d01, 0x3c00]), 0x7e00);
    assert_eq!(eval(Op::Neg, &[0x7d01]), 0xfd01);
    assert_eq!(cast(Type::F32, Scalar::F16.into(), [0xffff_ffff, 0, 0, 0]), Some([0x7e00, 0, 0, 0]));
    assert_eq!(cast(Scalar::F16.into(), Type::F32, [0xfd01, 0, 0, 0]), Some([0x7fc0_0000, 0, 0, 0]));
    assert_eq!(cast(Scalar::F16.into(), Scalar::F64.into(), [0xfd01, 0, 0, 0]), Some([0x7ff8 << 48, 0, 0, 0]));
}

#[test]
fn mul_add_rounds_once() {
    // (1 + 2⁻¹⁰)² - (1 + 2⁻⁹) is 2⁻²⁰, which two roundings lose.
    assert_eq!(eval(Op::MulAdd, &[0x3c01, 0x3c01, 0xbc02]), 0x0010);
    // 1 + 2⁻¹¹ is a middle; what the product adds below an `f64`'s last bit decides.
    assert_eq!(eval(Op::MulAdd, &[0x0001, 0x0001, 0x3c00]), 0x3c00);
    assert_eq!(eval(Op::MulAdd, &[0x8000, 0x3c00, 0x0000]), 0x0000);
    assert_eq!(eval(Op::MulAdd, &[0x8000, 0x3c00, 0x8000]), 0x8000);
    assert_eq!(eval(Op::MulAdd, &[0x7bff, 0x7bff, 0xfc00]), 0xfc00);
    assert_eq!(eval(Op::MulAdd, &[0x7c00, 0x0000, 0x3c00]), 0x7e00);
}

#[test]
fn arithmetic_is_the_exact_result_rounded() {
    let all: Vec<(u16, f64)> = numbers().into_iter().step_by(97).collect();
    for &(a, x) in &all {
        for &(b, y) in &all {
            assert_eq!(eval(Op::Add, &[a, b]), half::from_f64(x + y).into());
            assert_eq!(eval(Op::Sub, &[a, b]), half::from_f64(x - y).into());
            assert_eq!(eval(Op::Mul, &[a, b]), half::from_f64(x * y).into());
            assert_eq!(eval(Op::Div, &[a, b]), half::from_f64(x / y).into());
            assert_eq!(eval(Op::Lt, &[a, b]), (x < y).into());
            assert_eq!(eval(Op::Min, &[a, b]), half::from_f64(x.min(y)).into());
        }
    }
}
