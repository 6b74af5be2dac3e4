//! Literals: the text of a constant and the constant of a text, exact in both directions.
//!
//! A float prints as the shortest decimal number that reads back as the same bits. A float that
//! no decimal number gives (NaN, infinities) prints as `bits(0x…)`.

use crate::scalar::{cast, half, signed};
use crate::types::{Kind, Scalar};

/// The literal of a constant.
pub(super) fn print(ty: Scalar, bits: u64) -> String {
    let name = ty.name();
    match ty.kind() {
        Kind::Bool => (bits != 0).to_string(),
        Kind::Signed => format!("{}{name}", signed(ty, bits)),
        Kind::Unsigned => format!("{bits}{name}"),
        Kind::Float => {
            let text = match ty {
                Scalar::F32 => Some(f32::from_bits(bits as u32)).filter(|v| v.is_finite()).map(|v| format!("{v:?}")),
                Scalar::F64 => Some(f64::from_bits(bits)).filter(|v| v.is_finite()).map(|v| format!("{v:?}")),
                _ => shortest_half(bits as u16),
            };
            let digits = ty.size() as usize * 2;
            text.map_or_else(|| format!("bits(0x{bits:0digits$x}){name}"), |text| format!("{text}{name}"))
        }
    }
}

/// The shortest decimal number that reads back as an `f16`; `None` for NaN and infinities.
fn shortest_half(bits: u16) -> Option<String> {
    /// Digits after the first that suffice for each `f16`.
    const MOST: usize = 4;
    let value = half::to_f64(bits);
    let rounded = (0..=MOST).map(|digits| format!("{value:.digits$e}"));
    let found = rounded.into_iter().find(|text| half::parse(text) == Some(bits)).filter(|_| value.is_finite())?;
    Some(format!("{:?}", found.parse::<f64>().ok()?))
}

/// What is wrong with a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BadNumber {
    /// It is not written as a number is.
    Syntax,
    /// It has no type at its end.
    NoType,
    /// It is not a value of this type.
    Range(Scalar),
}

/// The constant that a number with a type at its end means.
pub(super) fn parse(text: &str) -> Result<(Scalar, u64), BadNumber> {
    let hex = text.trim_start_matches('-').starts_with("0x");
    // A hex digit may be an `f`, hence only integer suffixes end a hex number.
    let fits = |ty: &Scalar| *ty != Scalar::Bool && !(hex && ty.is_float()) && text.ends_with(ty.name());
    let short = [("u", Scalar::U32), ("i", Scalar::I32), ("f", Scalar::F32)];
    let long = Scalar::ALL.iter().copied().find(fits).map(|ty| (ty.name(), ty));
    let short = || short.into_iter().find(|(suffix, ty)| text.ends_with(suffix) && !(hex && ty.is_float()));
    let Some((suffix, ty)) = long.or_else(short) else {
        return Err(if integer(text).is_some() { BadNumber::NoType } else { BadNumber::Syntax });
    };
    let digits = &text[..text.len() - suffix.len()];
    if let (true, Some(bits)) = (ty.is_float(), special(ty, digits)) {
        return Ok((ty, bits));
    }
    if !ty.is_float() {
        let value = integer(digits).ok_or(BadNumber::Syntax)?;
        return in_range(ty, value).then_some((ty, value as u64 & ty.mask())).ok_or(BadNumber::Range(ty));
    }
    let digits = digits.replace('_', "");
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    if !plain {
        return Err(BadNumber::Syntax);
    }
    let value = match ty {
        Scalar::F32 => digits.parse().ok().map(|value: f32| (value.is_finite(), value.to_bits().into())),
        Scalar::F64 => digits.parse().ok().map(|value: f64| (value.is_finite(), value.to_bits())),
        _ => half::parse(&digits).map(|bits| (half::to_f64(bits).is_finite(), bits.into())),
    };
    let (is_finite, bits) = value.ok_or(BadNumber::Syntax)?;
    is_finite.then_some((ty, bits)).ok_or(BadNumber::Range(ty))
}

/// The bits of an infinity or of the one NaN.
fn special(ty: Scalar, word: &str) -> Option<u64> {
    let value = match word {
        "inf" => f64::INFINITY,
        "-inf" => f64::NEG_INFINITY,
        "nan" => f64::NAN,
        _ => return None,
    };
    let mut lanes = [0; 4];
    lanes[0] = value.to_bits();
    cast(Scalar::F64.into(), ty.into(), lanes).map(|lanes| lanes[0])
}

/// The constant of a literal in any form, without context.
pub(super) fn parse_any(text: &str) -> Option<(Scalar, u64)> {
    if let Some(rest) = text.strip_prefix("bits(") {
        let (bits, ty) = rest.split_once(')')?;
        let (bits, ty) = (integer(bits.trim())?, Scalar::from_name(ty.trim())?);
        return u64::try_from(bits).ok().filter(|&bits| bits <= ty.mask()).map(|bits| (ty, bits));
    }
    match text {
        "true" => Some((Scalar::Bool, 1)),
        "false" => Some((Scalar::Bool, 0)),
        number => parse(number).ok(),
    }
}

/// The value of an integer, decimal or hexadecimal, perhaps with underscores.
pub(super) fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.replace('_', "");
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (digits.as_str(), 10),
    };
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    // What exceeds even this is in no type's range either.
    let value = match u64::from_str_radix(digits, radix) {
        Ok(value) => i128::from(value),
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => i128::MAX,
        Err(_) => return None,
    };
    Some(if negative { -value } else { value })
}

fn in_range(ty: Scalar, value: i128) -> bool {
    let (low, high) = match ty.kind() {
        Kind::Signed => (-(1i128 << (ty.bits() - 1)), (1i128 << (ty.bits() - 1)) - 1),
        Kind::Bool | Kind::Unsigned | Kind::Float => (0, i128::from(ty.mask())),
    };
    (low..=high).contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_shortest_and_read_back_exactly() {
        for (bits, text) in [
            (0x3f80_0000, "1.0f32"),
            (0x8000_0000, "-0.0f32"),
            (0x0000_0001, "1e-45f32"),
            (0x7f7f_ffff, "3.4028235e38f32"),
            (0x3dcc_cccd, "0.1f32"),
            (0x7fc0_0000, "bits(0x7fc00000)f32"),
            (0xff80_0000, "bits(0xff800000)f32"),
        ] {
            assert_eq!(print(Scalar::F32, bits), text);
            if !text.starts_with("bits") {
                assert_eq!(parse(text), Ok((Scalar::F32, bits)));
            }
        }
        assert_eq!(parse("-1.5e-3f64"), Ok((Scalar::F64, (-1.5e-3f64).to_bits())));
    }

    #[test]
    fn every_half_prints_shortest_and_reads_back_exactly() {
        for (bits, text) in [
            (0x3c00, "1.0f16"),
            (0x8000, "-0.0f16"),
            (0x2e66, "0.1f16"),
            (0x0001, "6e-8f16"),
            (0x7bff, "65500.0f16"),
            (0x7c00, "bits(0x7c00)f16"),
            (0x7e00, "bits(0x7e00)f16"),
        ] {
            assert_eq!(print(Scalar::F16, bits), text);
        }
        for bits in 0..=0xffff {
            assert_eq!(parse_any(&print(Scalar::F16, bits)), Some((Scalar::F16, bits)));
        }
    }

    #[test]
    fn a_short_suffix_means_32_bits_and_a_long_one_is_tried_first() {
        assert_eq!(parse("7u"), Ok((Scalar::U32, 7)));
        assert_eq!(parse("-7i"), Ok((Scalar::I32, 0xffff_fff9)));
        assert_eq!(parse("1f"), Ok((Scalar::F32, 0x3f80_0000)));
        assert_eq!(parse("0xffu"), Ok((Scalar::U32, 0xff)));
        assert_eq!(parse("42i64"), Ok((Scalar::I64, 42)));
        assert_eq!(parse("0xffi8"), Err(BadNumber::Range(Scalar::I8)));
    }

    #[test]
    fn infinities_and_nan_have_words() {
        assert_eq!(parse("inff32"), Ok((Scalar::F32, 0x7f80_0000)));
        assert_eq!(parse("-inff"), Ok((Scalar::F32, 0xff80_0000)));
        assert_eq!(parse("nanf64"), Ok((Scalar::F64, 0x7ff8_0000_0000_0000)));
        assert_eq!(parse("inff16"), Ok((Scalar::F16, 0x7c00)));
        assert_eq!(parse("infu32"), Err(BadNumber::Syntax));
    }

    #[test]
    fn integers_fit_exactly_their_range() {
        assert_eq!(parse("-128i8"), Ok((Scalar::I8, 0x80)));
        assert_eq!(parse("128i8"), Err(BadNumber::Range(Scalar::I8)));
        assert_eq!(parse("0xffff_ffffu32"), Ok((Scalar::U32, 0xffff_ffff)));
        assert_eq!(parse("-1u32"), Err(BadNumber::Range(Scalar::U32)));
        assert_eq!(parse("18446744073709551616u64"), Err(BadNumber::Range(Scalar::U64)));
        assert_eq!(parse("-9223372036854775808i64"), Ok((Scalar::I64, 1 << 63)));
    }

    #[test]
    fn a_number_without_type_or_sense_is_told_apart() {
        assert_eq!(parse("12"), Err(BadNumber::NoType));
        assert_eq!(parse("1x2u"), Err(BadNumber::Syntax));
        assert_eq!(parse("256u8"), Err(BadNumber::Range(Scalar::U8)));
        assert_eq!(parse("0xf32"), Err(BadNumber::NoType));
        assert_eq!(parse("1.2.3f32"), Err(BadNumber::Syntax));
        assert_eq!(parse("1x2u32"), Err(BadNumber::Syntax));
        assert_eq!(parse("1e99f32"), Err(BadNumber::Range(Scalar::F32)));
    }
}
