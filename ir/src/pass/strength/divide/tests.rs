//! Quotients and remainders against those of Rust.

use super::{Magic, magic};
use crate::ir::{Function, InstKind, Replaced, Value, ValueDef};
use crate::loc::Loc;
use crate::ops::Op;
use crate::pass::strength::Strength;
use crate::scalar::Lanes;
use crate::types::{Scalar, Type};

/// Instructions that compute a quotient or remainder of a value.
struct Sequence {
    function: Function,
    x: Value,
    result: Value,
}

impl Sequence {
    fn of(ty: Scalar, op: Op, divisor: u64) -> Self {
        let mut function = Function::new("k", [1, 1, 1], Loc::NONE);
        let x = function.values.push(ValueDef { ty: Type::Scalar(ty), constant: None, name: None });
        let replaced = Replaced::new();
        let mut pass = Strength { function: &mut function, kept: Vec::new(), loc: Loc::NONE, replaced, changed: false };
        let result = match op {
            Op::Div => pass.quotient(ty, x, divisor),
            _ => pass.remainder(ty, x, divisor),
        };
        let kept = std::mem::take(&mut pass.kept);
        let body = function.body;
        function.regions[body].insts = kept;
        Self { function, x, result }
    }

    fn run(&self, x: u64) -> u64 {
        let mut values: Vec<Lanes> = vec![[0; 4]; self.function.values.len()];
        for (value, def) in self.function.values.iter() {
            values[value.index()][0] = def.constant.unwrap_or(0);
        }
        values[self.x.index()][0] = x;
        for &inst in &self.function.regions[self.function.body].insts {
            let def = &self.function.insts[inst];
            let InstKind::Op(op, args) = &def.kind else { panic!("{:?}", def.kind) };
            let types: Vec<Type> = args.iter().map(|&arg| self.function.ty(arg)).collect();
            let ty = self.function.ty(def.results[0]);
            assert_eq!(op.result(&types, Some(ty)), Some(ty), "{op:?}");
            let args: Vec<Lanes> = args.iter().map(|&arg| values[arg.index()]).collect();
            values[def.results[0].index()] = op.eval(&types, ty, &args);
        }
        values[self.result.index()][0]
    }

    fn count(&self) -> usize {
        self.function.regions[self.function.body].insts.len()
    }
}

/// What Rust's own arithmetic says.
fn expected(ty: Scalar, op: Op, x: u64, divisor: u64) -> u64 {
    macro_rules! of {
        ($int:ty) => {{
            let (x, d) = (x as $int, divisor as $int);
            (if op == Op::Div { x.wrapping_div(d) } else { x.wrapping_rem(d) }) as u64
        }};
    }
    let value = match ty {
        Scalar::I8 => of!(i8),
        Scalar::I16 => of!(i16),
        Scalar::I32 => of!(i32),
        Scalar::I64 => of!(i64),
        Scalar::U8 => of!(u8),
        Scalar::U16 => of!(u16),
        Scalar::U32 => of!(u32),
        _ => of!(u64),
    };
    value & ty.mask()
}

/// Whether a sequence is made for a divisor, of any width.
fn is_made(ty: Scalar, divisor: u64) -> bool {
    let magnitude = super::magnitude(ty, divisor);
    magnitude >= 2 && (ty.is_signed() || !magnitude.is_power_of_two())
}

#[track_caller]
fn holds(ty: Scalar, op: Op, divisor: u64, dividends: impl IntoIterator<Item = u64>) {
    let sequence = Sequence::of(ty, op, divisor);
    for x in dividends {
        let x = x & ty.mask();
        let (is, should) = (sequence.run(x), expected(ty, op, x, divisor));
        assert_eq!(is, should, "{op:?} of {x:#x} by {divisor:#x} as {}", ty.name());
    }
}

/// Dividends next to multiples of a divisor and to the ends of the type.
fn near(ty: Scalar, divisor: u64) -> Vec<u64> {
    let mask = ty.mask();
    let half = mask >> 1;
    let multiples =
        [divisor, mask / divisor.max(1) * divisor, half / divisor.max(1) * divisor, 3u64.wrapping_mul(divisor)];
    let multiples =
        multiples.into_iter().flat_map(|at| [at.wrapping_sub(1), at, at.wrapping_add(1), at.wrapping_neg()]);
    multiples.chain([0, 1, 2, half, half + 1, mask, mask - 1]).collect()
}

#[test]
fn every_byte_is_divided_by_every_byte() {
    for ty in [Scalar::I8, Scalar::U8] {
        for divisor in (0..=255).filter(|&divisor| is_made(ty, divisor)) {
            for op in [Op::Div, Op::Rem] {
                holds(ty, op, divisor, 0..=255);
            }
        }
    }
}

#[test]
fn sixteen_bits_are_divided_by_every_divisor() {
    for ty in [Scalar::I16, Scalar::U16] {
        for divisor in (0..=0xffff).filter(|&divisor| is_made(ty, divisor)) {
            let dividends = near(ty, divisor);
            let random = divisor.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let op = if divisor % 3 == 0 { Op::Rem } else { Op::Div };
            holds(ty, op, divisor, dividends.into_iter().step_by(2).chain([random]));
        }
    }
}

#[test]
fn some_divisors_divide_all_of_sixteen_bits() {
    for divisor in [3, 7, 10, 641, 0x7fff, 0x8001, 0xffff, 0xfffd] {
        for ty in [Scalar::I16, Scalar::U16] {
            if is_made(ty, divisor) {
                holds(ty, Op::Div, divisor, 0..=0xffff);
            }
        }
    }
}

#[test]
fn wide_numbers_are_divided_by_many_divisors() {
    for ty in [Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64] {
        let powers = (1..ty.bits()).map(|bit| 1u64 << bit);
        let divisors = powers.flat_map(|power| [power - 1, power, power + 1, power.wrapping_neg(), !power, power / 3]);
        let random = (1..300u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 61));
        for divisor in divisors.chain(random).map(|divisor| divisor & ty.mask()) {
            if is_made(ty, divisor) {
                let random = (1..20u64).map(|i| i.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(i as u32));
                for op in [Op::Div, Op::Rem] {
                    holds(ty, op, divisor, near(ty, divisor).into_iter().chain(random.clone()));
                }
            }
        }
    }
}

/// Numbers of the literature (Warren, Hacker's Delight, table 10-1 and 10-2).
#[test]
fn known_divisors_have_their_known_numbers() {
    let of = |factor, is_longer, shift| Magic { factor, is_longer, shift };
    assert_eq!(magic(Scalar::U32, 3), of(0xaaaa_aaab, false, 33));
    assert_eq!(magic(Scalar::U32, 7), of(0x2492_4925, true, 35));
    assert_eq!(magic(Scalar::U32, 10), of(0xcccc_cccd, false, 35));
    assert_eq!(magic(Scalar::U32, 641), of(0x0066_3d81, false, 32));
    assert_eq!(magic(Scalar::I32, 3), of(0x5555_5556, false, 32));
    assert_eq!(magic(Scalar::I32, 7), of(0x9249_2493, false, 34));
    assert_eq!(magic(Scalar::U64, 10), of(0xcccc_cccc_cccc_cccd, false, 67));
}

#[test]
fn sequences_are_short() {
    for (ty, op, divisor, most) in [
        // Two casts around each of these.
        (Scalar::U8, Op::Div, 7, 4),
        (Scalar::U16, Op::Div, 10, 4),
        (Scalar::U16, Op::Div, 7, 6),
        (Scalar::I8, Op::Div, 7, 6),
        (Scalar::I16, Op::Rem, 10, 8),
        (Scalar::U64, Op::Div, 10, 2),
        (Scalar::U64, Op::Div, 7, 5),
        (Scalar::I32, Op::Div, 8, 4),
        (Scalar::I32, Op::Rem, 8, 5),
    ] {
        let count = Sequence::of(ty, op, divisor).count();
        assert!(count <= most, "{op:?} by {divisor} as {}: {count}", ty.name());
    }
}
