//! Float ops against MPFR, which rounds correctly at any precision and shares nothing with
//! Rust's floats: edges crossed and a hundred thousand seeded values of each op and type.
//!
//! MPFR's numbers have no least exponent; what it rounded is rounded once more to where
//! subnormals end. That is exact, because MPFR says in which direction it rounded.

use rug::float::{Constant, Round};
use rug::{Assign, Float};
use samebits_ir::ops::{Class, Op};
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type};
use samebits_tests::conform::{Tally, casts, table, values};
use samebits_tests::engines::say;
use std::cmp::Ordering;

/// Seeded values of each op and type.
const SEEDED: usize = 100_000;
/// The most combinations of edges.
const EDGES: usize = 8_000;

/// A format of numbers: how its bits are read, and how a number is rounded to it.
#[derive(Clone, Copy)]
struct Format {
    bits: u32,
    /// Significant bits, the leading one included.
    precision: u32,
    /// The exponent of the least normal number, for fractions below 1.0.
    least: i32,
    /// The greatest exponent.
    most: i32,
}

const F16: Format = Format { bits: 16, precision: 11, least: -13, most: 16 };
const BF16: Format = Format { bits: 16, precision: 8, least: -125, most: 128 };
const F32: Format = Format { bits: 32, precision: 24, least: -125, most: 128 };
const F64: Format = Format { bits: 64, precision: 53, least: -1021, most: 1024 };

impl Format {
    fn of(ty: Scalar) -> Option<Self> {
        match ty {
            Scalar::F16 => Some(F16),
            Scalar::F32 => Some(F32),
            Scalar::F64 => Some(F64),
            _ => None,
        }
    }

    /// The number of some bits, exactly.
    fn read(self, bits: u64) -> Float {
        let fraction = self.precision - 1;
        let field = (bits >> fraction) & ((1 << (self.bits - self.precision)) - 1);
        let low = bits & ((1 << fraction) - 1);
        let mut value = Float::new(64);
        if field == (1 << (self.bits - self.precision)) - 1 {
            value.assign(if low == 0 { rug::float::Special::Infinity } else { rug::float::Special::Nan });
        } else {
            let whole = if field == 0 { low } else { low | 1 << fraction };
            value.assign(whole);
            value <<= self.least - self.precision as i32 + field.max(1) as i32 - 1;
        }
        if bits >> (self.bits - 1) & 1 == 1 { -value } else { value }
    }

    /// The bits of a number that was rounded to the precision in that direction.
    fn write(self, (value, direction): (Float, Ordering), round: Round) -> u64 {
        assert_eq!(value.prec(), self.precision, "the number has another precision");
        let sign = u64::from(value.is_sign_negative()) << (self.bits - 1);
        let fraction = self.precision - 1;
        let infinity = ((1_u64 << (self.bits - self.precision)) - 1) << fraction;
        if value.is_nan() {
            return infinity | 1 << (fraction - 1);
        }
        if value.is_infinite() {
            return sign | infinity;
        }
        let Some(exponent) = value.get_exp() else { return sign };
        if exponent > self.most {
            return sign | if round == Round::Zero { infinity - 1 } else { infinity };
        }
        let last = exponent.max(self.least) - self.precision as i32;
        let (steps, rest) = (value.abs() >> last).trunc_fract(Float::new(self.precision));
        // Subnormals lose bits; at half of the last one left the first rounding decides.
        let beyond = if sign == 0 { direction.reverse() } else { direction };
        let steps = steps.to_integer().and_then(|steps| steps.to_u64()).expect("a whole number");
        let up = match rest.partial_cmp(&0.5).map(|half| half.then(beyond)) {
            Some(Ordering::Equal) => steps % 2 == 1,
            Some(half) => half == Ordering::Greater,
            None => false,
        };
        let steps = steps + u64::from(up && round == Round::Nearest);
        // The exponent's field counts the leading bit that it hides.
        let magnitude = (((exponent.max(self.least) - self.least) as u64) << fraction) + steps;
        sign | magnitude
    }

    /// The nearest number of the format to what an expression gives.
    fn nearest<T>(self, expression: T) -> u64
    where
        Float: rug::ops::AssignRound<T, Round = Round, Ordering = Ordering>,
    {
        self.write(Float::with_val_round(self.precision, expression, Round::Nearest), Round::Nearest)
    }
}

/// What MPFR says that an op gives; `None` where it has no say.
fn expect(op: Op, format: Format, args: [u64; 4]) -> Option<u64> {
    let [a, b, c, _] = args.map(|bits| format.read(bits));
    Some(match op {
        Op::Add => format.nearest(&a + &b),
        Op::Sub => format.nearest(&a - &b),
        Op::Mul => format.nearest(&a * &b),
        Op::Div => format.nearest(&a / &b),
        Op::Rem => format.nearest(&a % &b),
        Op::Sqrt => format.nearest(a.sqrt_ref()),
        Op::MulAdd => format.nearest(a.mul_add_ref(&b, &c)),
        Op::Floor => format.nearest(a.floor_ref()),
        Op::Ceil => format.nearest(a.ceil_ref()),
        Op::Trunc => format.nearest(a.trunc_ref()),
        Op::RoundEven => format.nearest(a.round_even_ref()),
        Op::Round => format.nearest(a.round_ref()),
        Op::Recip => format.nearest(a.recip_ref()),
        Op::Fract => {
            let whole = Float::with_val(format.precision, a.trunc_ref());
            format.nearest(&a - &whole)
        }
        Op::Ldexp => format.nearest(&a << (args[1] as u32 as i32).clamp(-5_000, 5_000)),
        Op::FrexpExponent => u64::from(a.get_exp().unwrap_or(0) as u32),
        Op::FrexpFraction => {
            let exponent = a.get_exp().unwrap_or(0);
            format.nearest(&a >> exponent)
        }
        Op::ToDegrees => {
            let pi = Float::with_val(300, Constant::Pi);
            let factor = Float::with_val(format.precision, 180 / pi);
            format.nearest(&a * &factor)
        }
        Op::ToRadians => {
            let pi = Float::with_val(format.precision, Constant::Pi);
            let factor = Float::with_val(format.precision, pi / 180);
            format.nearest(&a * &factor)
        }
        Op::NarrowToZero => F16.write(Float::with_val_round(F16.precision, &a, Round::Zero), Round::Zero),
        Op::ToBfloat => BF16.nearest(&a),
        _ => return None,
    })
}

/// An integer's least and greatest value.
fn range(ty: Scalar) -> (i128, i128) {
    let mask = i128::from(ty.mask());
    if ty.is_signed() { (-(mask / 2) - 1, mask / 2) } else { (0, mask) }
}

/// What MPFR says that a cast gives, from or to a float.
fn cast(from: Scalar, to: Scalar, bits: u64) -> Option<u64> {
    let value = match Format::of(from) {
        Some(format) => format.read(bits),
        None if from.is_signed() => Float::with_val(64, (bits << (64 - from.bits())) as i64 >> (64 - from.bits())),
        None => Float::with_val(64, bits),
    };
    match Format::of(to) {
        Some(format) => Some(format.nearest(&value)),
        None => {
            let (least, most) = range(to);
            let whole = match () {
                () if value.is_nan() => 0,
                () if value <= least => least,
                () if value >= most => most,
                () => value.trunc().to_integer()?.to_i128()?,
            };
            Some(whole as u64 & to.mask())
        }
    }
}

/// An op on types whose leading one is a float, or a cast from or to one.
struct Case {
    op: Op,
    operands: Vec<Type>,
    result: Type,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &op in Op::ALL {
        for ty in Class::FLOAT.members() {
            if let Some((operands, result)) = op.info().signature.types(Type::Scalar(ty))
                && expect(op, F32, [0; 4]).is_some()
            {
                cases.push(Case { op, operands, result });
            }
        }
    }
    let is_number = |ty: Type| matches!(ty, Type::Scalar(scalar) if scalar != Scalar::Bool);
    let has_float = |ty: Type| ty.lane().is_some_and(Scalar::is_float);
    let pairs = casts::pairs().into_iter().filter(|&(from, to)| is_number(from) && is_number(to) && from != to);
    let pairs = pairs.filter(|&(from, to)| has_float(from) || has_float(to));
    cases.extend(pairs.map(|(from, result)| Case { op: Op::Cast, operands: vec![from], result }));
    cases
}

/// Compares a value; gives what is wrong.
fn compare(case: &Case, args: &[Lanes]) -> Result<(), String> {
    let Case { op, operands, result } = case;
    let [Some(from), Some(to)] = [operands[0].lane(), result.lane()] else { return Err("there is no lane".into()) };
    let bits = |n: usize| args.get(n).map_or(0, |value| value[0]);
    let wanted = match (op, Format::of(from)) {
        (Op::Cast, _) => cast(from, to, bits(0)),
        (_, Some(format)) => expect(*op, format, [0, 1, 2, 3].map(bits)),
        (_, None) => None,
    };
    let found = op.eval(operands, *result, args)[0];
    if wanted == Some(found) {
        return Ok(());
    }
    Err(format!("{} {} to {} of {args:x?}: {found:#x}, not {wanted:x?}", op.info().name, from.name(), to.name()))
}

#[test]
fn floats_are_those_of_mpfr() {
    let mut tally = Tally::new("eval and MPFR");
    for case in cases() {
        let mut random = values::Operands::new(values::SEED);
        let seeded = (0..SEEDED).map(|_| random.tuple(case.op, &case.operands));
        let mut count = 0;
        for args in values::crossed(case.op, &case.operands, EDGES).into_iter().chain(seeded) {
            count += 1;
            if let Err(what) = compare(&case, &args) {
                tally.wrong(what);
                break;
            }
        }
        tally.count(case.op.info().name, case.operands[0].lane(), count);
    }
    say(&format!("floats\n{}", table(std::slice::from_ref(&tally))));
    assert_eq!(tally.verdict(&["add", "mul", "div", "sqrt", "fma", "rem", "ldexp", "recip", "cast"]), Ok(()));
}

#[test]
fn constants_of_mathematical_functions_are_the_computed_ones() {
    for file in samebits_tests::coefficients::FILES {
        let place = file.place();
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&place, file.text()).expect("a file");
        }
        let found = std::fs::read_to_string(&place).expect("a file");
        assert!(file.is(&found), "{} differs from what `tests/src/coefficients` computes", file.path);
    }
}

/// It takes a minute for each function, so it is done with `SAMEBITS_MATH=all` only.
#[test]
fn hard_arguments_of_logarithms_are_all_that_there_are() {
    if std::env::var("SAMEBITS_MATH").is_ok_and(|value| value == "all") {
        let place = concat!(env!("CARGO_MANIFEST_DIR"), "/src/coefficients/hard.rs");
        let found = samebits_tests::coefficients::hard_arguments();
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(place, &found).expect("a file");
        }
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(plain(&std::fs::read_to_string(place).expect("a file")), plain(&found));
    }
}
