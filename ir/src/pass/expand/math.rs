//! Mathematical functions as basic ops: their Rust functions (`crate::math`) are called with handles of values
//! for numbers, and what these do is recorded.

use super::Expander;
use crate::ir::{InstKind, Lenient, Region, RegionDef, Value};
use crate::math::{self, Bits, Flag, Math, Method, Quick, Real, Step, Sure};
use crate::ops::Op;
use crate::types::{Scalar, Type};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

/// What is being recorded.
struct Recorder<'r> {
    expander: RefCell<&'r mut Expander>,
    /// The type of numbers: `f64`, or `f32` in pairs.
    float: Scalar,
    /// The `f64` that are widened `f32`, or the magnitudes of such.
    widened: RefCell<BTreeMap<Value, Widened>>,
}

/// Of what an `f64` is the wider form. Such numbers are compared and chosen as `f32`, which is quicker.
#[derive(Clone, Copy)]
enum Widened {
    Of(Value),
    MagnitudeOf(Value),
}

/// A float.
#[derive(Clone, Copy)]
struct Number<'r> {
    recorder: &'r Recorder<'r>,
    value: Value,
}

/// An unsigned integer of as many bits.
#[derive(Clone, Copy)]
struct Integer<'r> {
    recorder: &'r Recorder<'r>,
    value: Value,
}

/// A `bool`.
#[derive(Clone, Copy)]
struct Condition<'r> {
    recorder: &'r Recorder<'r>,
    value: Value,
}

impl Expander {
    /// What a function gives for values of a float type.
    pub(super) fn math(&mut self, function: Math, args: &[Value]) -> Value {
        let ty = self.scalar(args[0]);
        let narrow = matches!(ty, Scalar::F32 | Scalar::F16) && matches!(self.how.method, Method::Pairs(_));
        if narrow && let Some(value) = self.in_pairs(function, ty, args) {
            return value;
        }
        self.in_doubles(function, ty, args)
    }

    fn in_doubles(&mut self, function: Math, ty: Scalar, args: &[Value]) -> Value {
        if ty == Scalar::F32 && function.ends().is_some() {
            if self.how.method == Method::FewTerms
                && let Some(quick) = Quick::of(function)
            {
                return self.by_few_terms(function, quick, args[0]);
            }
            return self.in_doubles_with_ends(function, args[0]);
        }
        let args: Vec<Value> = args.iter().map(|&arg| self.cast(arg, Scalar::F64)).collect();
        let value = {
            let recorder = Recorder::new(self, Scalar::F64);
            let number = |&value: &Value| Number { recorder: &recorder, value };
            let numbers: Vec<Number<'_>> = args.iter().map(number).collect();
            function.apply(ty, &numbers).value
        };
        self.cast(value, ty)
    }

    fn in_doubles_with_ends(&mut self, function: Math, arg: Value) -> Value {
        let [value] = self.in_doubles_between(function, arg, |x| [function.single(x, x)]);
        self.ended(function, arg, value)
    }

    /// The function of an `f32` by few terms where these are sure of the result, else by all.
    fn by_few_terms(&mut self, function: Math, quick: Quick, arg: Value) -> Value {
        // No part of an argument that this is for is subnormal.
        let before = std::mem::replace(&mut self.lenient, Lenient { any_nan: true, flushes: true });
        let recorder = Recorder::new(self, Scalar::F32);
        let Sure { value: (exponent, rest), sure } = Quick::reduced(Number { recorder: &recorder, value: arg });
        let (value, is_sure) = recorder.with(|expander| {
            let (exponent, rest) = (expander.cast(exponent.value, Scalar::U64), expander.cast(rest.value, Scalar::F64));
            let (value, is_sure) = {
                let recorder = Recorder::new(expander, Scalar::F64);
                let exponent = Integer { recorder: &recorder, value: exponent };
                let Sure { value, sure } = quick.apply(exponent, Number { recorder: &recorder, value: rest });
                (value.value, sure.value)
            };
            let value = expander.cast(value, Scalar::F32);
            expander.lenient = before;
            (value, is_sure)
        });
        let sure = sure & Condition { recorder: &recorder, value: is_sure };
        let all = || {
            let value = recorder.with(|expander| expander.in_doubles_with_ends(function, arg));
            [Number { recorder: &recorder, value }]
        };
        let [Number { value, .. }] = Number::branch(sure, || [Number { recorder: &recorder, value }], all);
        value
    }

    /// What methods in `f64` give for an `f32` that is not at an end of their domain; anything for others.
    fn in_doubles_between<const N: usize>(
        &mut self,
        function: Math,
        arg: Value,
        method: impl for<'r> FnOnce(Number<'r>) -> [Number<'r>; N],
    ) -> [Value; N] {
        let lenient = Lenient { any_nan: true, flushes: function.may_flush() };
        let before = std::mem::replace(&mut self.lenient, lenient);
        let wide = self.cast(arg, Scalar::F64);
        let values = {
            let recorder = Recorder::new(self, Scalar::F64);
            recorder.widened.borrow_mut().insert(wide, Widened::Of(arg));
            method(Number { recorder: &recorder, value: wide }).map(|number| number.value)
        };
        let values = values.map(|value| self.cast(value, Scalar::F32));
        self.lenient = before;
        values
    }

    /// The result for an `f32` of which a method gave this.
    fn ended(&mut self, function: Math, arg: Value, value: Value) -> Value {
        let recorder = Recorder::new(self, Scalar::F32);
        let [x, y] = [arg, value].map(|value| Number { recorder: &recorder, value });
        function.ended(x, y).value
    }

    /// The same in pairs of `f32` where these are sure of the result, else in `f64`; `None` if the function has no such form.
    fn in_pairs(&mut self, function: Math, ty: Scalar, args: &[Value]) -> Option<Value> {
        let single = self.cast(args[0], Scalar::F32);
        let recorder = Recorder::new(self, Scalar::F32);
        let x = Number { recorder: &recorder, value: single };
        let Sure { value, sure } = function.in_pairs(x)?;
        let sure = if ty == Scalar::F16 { sure & is_sure_half(value) } else { sure };
        let double = || {
            let value = recorder.with(|expander| {
                let value = expander.in_doubles(function, ty, args);
                // Exact, and taken back below.
                expander.cast(value, Scalar::F32)
            });
            [Number { recorder: &recorder, value }]
        };
        let [Number { value, .. }] = Number::branch(sure, || [value], double);
        Some(self.cast(value, ty))
    }

    /// The sine and the cosine of an angle, or of each lane of a vector.
    pub(super) fn sine_and_cosine(&mut self, angle: Value) -> [Value; 2] {
        let lanes = match self.function.ty(angle) {
            Type::Vector(_, lanes) => (0..u64::from(lanes)).map(|lane| self.lane(angle, lane)).collect(),
            _ => vec![angle],
        };
        let (sines, cosines): (Vec<Value>, Vec<Value>) = lanes.into_iter().map(|lane| self.both(lane)).unzip();
        match sines.len() {
            1 => [sines[0], cosines[0]],
            _ => [self.op(Op::Construct, &sines), self.op(Op::Construct, &cosines)],
        }
    }

    fn both(&mut self, angle: Value) -> (Value, Value) {
        let ty = self.scalar(angle);
        if ty != Scalar::F64 && matches!(self.how.method, Method::Pairs(_)) {
            return (self.math(Math::Sin, &[angle]), self.math(Math::Cos, &[angle]));
        }
        if ty == Scalar::F32 {
            // Of the two, the sine of a subnormal number is not that of a zero.
            let [sine, cosine] = self.in_doubles_between(Math::Sin, angle, |x| math::single_sin_cos(x).into());
            return (self.ended(Math::Sin, angle, sine), self.ended(Math::Cos, angle, cosine));
        }
        let wide = self.cast(angle, Scalar::F64);
        let (sine, cosine) = {
            let recorder = Recorder::new(self, Scalar::F64);
            let (sine, cosine) = math::sin_cos(ty, Number { recorder: &recorder, value: wide });
            (sine.value, cosine.value)
        };
        (self.cast(sine, ty), self.cast(cosine, ty))
    }
}

/// Whether the nearest `f16` of a rounded `f32` is that of the exact result: not if the `f32` may be the middle of two.
fn is_sure_half(value: Number<'_>) -> Condition<'_> {
    let middle = (value.bits() & 0xfff).equals(0);
    // Where `f16` has its normal numbers, one bit tells middles from numbers of `f16`.
    let number = (value.bits() & 0x1000).equals(0) & value.k(LEAST_HALF).le(value.abs());
    !middle | number | value.equals(value.k(0.0))
}

/// The least normal number of `f16`.
const LEAST_HALF: f64 = 1.0 / 16_384.0;

impl<'r> Recorder<'r> {
    fn new(expander: &'r mut Expander, float: Scalar) -> Self {
        Self { expander: RefCell::new(expander), float, widened: RefCell::default() }
    }

    /// The `f32` of which this number is the wider form.
    fn narrow(&self, number: Value) -> Option<Value> {
        let widened = self.widened.borrow().get(&number).copied();
        match widened {
            Some(Widened::Of(value)) => Some(value),
            Some(Widened::MagnitudeOf(value)) => Some(self.op(Op::Abs, &[value])),
            None => self.with(|expander| {
                let bits = expander.function.constant_bits(number)?;
                let (wide, narrow) = (f64::from_bits(bits), f64::from_bits(bits) as f32);
                (f64::from(narrow).to_bits() == wide.to_bits())
                    .then(|| expander.constant(Scalar::F32, narrow.to_bits().into()))
            }),
        }
    }

    /// The `f32` of which these numbers are the wider forms, if they are not all constants.
    fn narrow_both(&self, numbers: [Value; 2]) -> Option<[Value; 2]> {
        if !numbers.iter().any(|number| self.widened.borrow().contains_key(number)) {
            return None;
        }
        let [first, second] = numbers.map(|number| self.narrow(number));
        Some([first?, second?])
    }

    fn with<T>(&self, act: impl FnOnce(&mut Expander) -> T) -> T {
        act(*self.expander.borrow_mut())
    }

    fn op(&self, op: Op, args: &[Value]) -> Value {
        self.with(|expander| expander.op(op, args))
    }

    /// The type of the bits of numbers.
    fn integer(&self) -> Scalar {
        if self.float == Scalar::F64 { Scalar::U64 } else { Scalar::U32 }
    }

    fn step(&self) -> Step {
        let how = self.with(|expander| expander.how);
        match how.method {
            Method::Pairs(step) if self.float != Scalar::F64 => step,
            _ => how.step,
        }
    }

    /// A region that gives some numbers.
    fn region<const N: usize>(&'r self, side: impl FnOnce() -> [Number<'r>; N]) -> Region {
        let outer = self.with(|expander| std::mem::take(&mut expander.out));
        let values = side().map(|number| number.value).to_vec();
        self.with(|expander| {
            let end = expander.function.inst(InstKind::Yield(values), Vec::new(), expander.loc);
            expander.out.push(end);
            let insts = std::mem::replace(&mut expander.out, outer);
            expander.function.regions.push(RegionDef { params: Vec::new(), insts })
        })
    }
}

macro_rules! operators {
    ($handle:ident of $lane:ty, $made:expr; $($operator:ident $method:ident $op:ident),*) => {$(
        impl $operator for $handle<'_> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self { value: self.recorder.op(Op::$op, &[self.value, other.value]), ..self }
            }
        }
        impl $operator<$lane> for $handle<'_> {
            type Output = Self;
            fn $method(self, other: $lane) -> Self {
                let made: fn(Self, $lane) -> Self = $made;
                self.$method(made(self, other))
            }
        }
    )*};
}
operators!(Number of f64, Real::k; Add add Add, Sub sub Sub, Mul mul Mul, Div div Div);
operators!(
    Integer of u64, Integer::like;
    Add add Add, Sub sub Sub, Mul mul Mul, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor
);

impl Neg for Number<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(Op::Neg)
    }
}

impl Shl<u32> for Integer<'_> {
    type Output = Self;
    fn shl(self, count: u32) -> Self {
        self.shifted(Op::Shl, count)
    }
}

impl Shr<u32> for Integer<'_> {
    type Output = Self;
    fn shr(self, count: u32) -> Self {
        self.shifted(Op::Shr, count)
    }
}

impl BitAnd for Condition<'_> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self { value: self.recorder.op(Op::And, &[self.value, other.value]), ..self }
    }
}

impl BitOr for Condition<'_> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self { value: self.recorder.op(Op::Or, &[self.value, other.value]), ..self }
    }
}

impl Not for Condition<'_> {
    type Output = Self;
    fn not(self) -> Self {
        Self { value: self.recorder.op(Op::Not, &[self.value]), ..self }
    }
}

impl Flag for Condition<'_> {}

impl<'r> Integer<'r> {
    fn like(self, value: u64) -> Self {
        Self { value: self.recorder.with(|expander| expander.constant(self.recorder.integer(), value)), ..self }
    }

    fn shifted(self, op: Op, count: u32) -> Self {
        Self { value: self.recorder.with(|expander| expander.shift_k(op, self.value, count)), ..self }
    }

    fn shifted_by(self, op: Op, count: Self) -> Self {
        let value = self.recorder.with(|expander| {
            let count = expander.cast(count.value, Scalar::U32);
            expander.op(op, &[self.value, count])
        });
        Self { value, ..self }
    }

    fn compared(self, op: Op, other: Self) -> Condition<'r> {
        Condition { recorder: self.recorder, value: self.recorder.op(op, &[self.value, other.value]) }
    }
}

impl<'r> Bits for Integer<'r> {
    type Flag = Condition<'r>;

    fn shl_by(self, count: Self) -> Self {
        self.shifted_by(Op::Shl, count)
    }

    fn shr_by(self, count: Self) -> Self {
        self.shifted_by(Op::Shr, count)
    }

    fn sar(self, count: u32) -> Self {
        let value = self.recorder.with(|expander| {
            let integer = self.recorder.integer();
            let signed = if integer == Scalar::U64 { Scalar::I64 } else { Scalar::I32 };
            let signed = expander.cast(self.value, signed);
            let shifted = expander.shift_k(Op::Shr, signed, count);
            expander.cast(shifted, integer)
        });
        Self { value, ..self }
    }

    fn equals(self, other: u64) -> Condition<'r> {
        self.compared(Op::Eq, self.like(other))
    }

    fn below(self, other: Self) -> Condition<'r> {
        self.compared(Op::Lt, other)
    }

    fn low_bits_among(self, bits: u32, first: u32, count: u32) -> Condition<'r> {
        // Counted in units of what is above them, they need no mask.
        let above = 32 - bits;
        let value = self.recorder.with(|expander| {
            let low = expander.cast(self.value, Scalar::U32);
            let moved = if above == 0 { low } else { expander.shift_k(Op::Shl, low, above) };
            let distance = expander.op_k(Op::Sub, moved, (first << above).into());
            expander.op_k(Op::Lt, distance, (count << above).into())
        });
        Condition { recorder: self.recorder, value }
    }

    fn clz(self) -> Self {
        let value = self.recorder.with(|expander| {
            let count = expander.op(Op::LeadingZeros, &[self.value]);
            expander.cast(count, self.recorder.integer())
        });
        Self { value, ..self }
    }

    /// Entries are chosen by the bits of the index, the lowest first.
    fn of_table(self, table: &'static [u64]) -> Self {
        let mut entries: Vec<Self> = table.iter().map(|&entry| self.like(entry)).collect();
        let mut bit = 0;
        while entries.len() > 1 {
            let odd = !((self >> bit) & 1).equals(0);
            let chosen = |pair: &[Self]| match *pair {
                [even, other] => Number::pick_bits(odd, other, even),
                _ => pair[0],
            };
            entries = entries.chunks(2).map(chosen).collect();
            bit += 1;
        }
        entries.pop().unwrap_or_else(|| self.like(0))
    }
}

impl<'r> Number<'r> {
    fn unary(self, op: Op) -> Self {
        Self { value: self.recorder.op(op, &[self.value]), ..self }
    }

    fn compared(self, op: Op, other: Self) -> Condition<'r> {
        let operands = [self.value, other.value];
        let operands = self.recorder.narrow_both(operands).unwrap_or(operands);
        Condition { recorder: self.recorder, value: self.recorder.op(op, &operands) }
    }
}

impl<'r> Real for Number<'r> {
    type Flag = Condition<'r>;
    type Bits = Integer<'r>;

    fn k(self, value: f64) -> Self {
        let float = self.recorder.float;
        let bits = if float == Scalar::F64 { value.to_bits() } else { (value as f32).to_bits().into() };
        Self { value: self.recorder.with(|expander| expander.constant(float, bits)), ..self }
    }

    fn n(self, value: u64) -> Integer<'r> {
        let value = self.recorder.with(|expander| expander.constant(self.recorder.integer(), value));
        Integer { recorder: self.recorder, value }
    }

    fn bits(self) -> Integer<'r> {
        let value = self.recorder.with(|expander| expander.bitcast(self.value, self.recorder.integer()));
        Integer { recorder: self.recorder, value }
    }

    fn of_bits(bits: Integer<'r>) -> Self {
        let recorder = bits.recorder;
        Self { recorder, value: recorder.with(|expander| expander.bitcast(bits.value, recorder.float)) }
    }

    fn step(self, b: Self, c: Self) -> Self {
        match self.recorder.step() {
            Step::Fused => self.mul_add(b, c),
            Step::Twice => self * b + c,
        }
    }

    fn product(self, b: Self) -> (Self, Self) {
        if self.recorder.step() == Step::Twice {
            return self.product_in_halves(b);
        }
        let product = self * b;
        (product, self.mul_add(b, -product))
    }

    fn mul_add(self, b: Self, c: Self) -> Self {
        Self { value: self.recorder.op(Op::MulAdd, &[self.value, b.value, c.value]), ..self }
    }

    fn sqrt(self) -> Self {
        self.unary(Op::Sqrt)
    }

    fn abs(self) -> Self {
        let magnitude = self.unary(Op::Abs);
        let mut widened = self.recorder.widened.borrow_mut();
        if let Some(Widened::Of(value)) = widened.get(&self.value).copied() {
            widened.insert(magnitude.value, Widened::MagnitudeOf(value));
        }
        magnitude
    }

    fn copysign(self, sign: Self) -> Self {
        Self { value: self.recorder.op(Op::CopySign, &[self.value, sign.value]), ..self }
    }

    fn lt(self, other: Self) -> Condition<'r> {
        self.compared(Op::Lt, other)
    }

    fn le(self, other: Self) -> Condition<'r> {
        self.compared(Op::Le, other)
    }

    fn equals(self, other: Self) -> Condition<'r> {
        self.compared(Op::Eq, other)
    }

    fn is_nan(self) -> Condition<'r> {
        Condition { recorder: self.recorder, value: self.recorder.op(Op::IsNan, &[self.value]) }
    }

    fn pick(flag: Condition<'r>, yes: Self, no: Self) -> Self {
        let recorder = no.recorder;
        if let Some([yes, no]) = recorder.narrow_both([yes.value, no.value]) {
            let chosen = recorder.op(Op::Select, &[flag.value, yes, no]);
            let value = recorder.with(|expander| expander.cast(chosen, Scalar::F64));
            recorder.widened.borrow_mut().insert(value, Widened::Of(chosen));
            return Self { recorder, value };
        }
        Self { value: no.recorder.op(Op::Select, &[flag.value, yes.value, no.value]), ..no }
    }

    fn pick_bits(flag: Condition<'r>, yes: Integer<'r>, no: Integer<'r>) -> Integer<'r> {
        Integer { value: no.recorder.op(Op::Select, &[flag.value, yes.value, no.value]), ..no }
    }

    fn branch<const N: usize>(
        flag: Condition<'r>,
        yes: impl FnOnce() -> [Self; N],
        no: impl FnOnce() -> [Self; N],
    ) -> [Self; N] {
        let recorder = flag.recorder;
        let (then, otherwise) = (recorder.region(yes), recorder.region(no));
        recorder.with(|expander| {
            let results: [Value; N] = std::array::from_fn(|_| expander.function.value(Type::Scalar(recorder.float)));
            let kind = InstKind::If { condition: flag.value, then, otherwise };
            let inst = expander.function.inst(kind, results.to_vec(), expander.loc);
            expander.out.push(inst);
            results.map(|value| Self { recorder, value })
        })
    }

    fn repeat<const N: usize>(count: u32, state: [Self; N], step: impl Fn([Self; N]) -> [Self; N]) -> [Self; N] {
        let Some(Self { recorder, .. }) = state.first().copied() else { return state };
        let counted = recorder.with(|expander| {
            let count = expander.u32(count);
            [vec![count], state.map(|number| number.value).to_vec()].concat()
        });
        let ((body, params), outer) =
            recorder.with(|expander| (expander.loop_body(&counted), std::mem::take(&mut expander.out)));
        let more = recorder.with(|expander| expander.op_k(Op::Ne, params[0], 0));
        let now: [Self; N] = std::array::from_fn(|i| Self { recorder, value: params[i + 1] });
        let next = step(now).map(|number| number.value);
        let results = recorder.with(|expander| {
            let left = expander.op_k(Op::Sub, params[0], 1);
            let next = [vec![left], next.to_vec()].concat();
            expander.end_loop((body, &counted, &params[1..]), (more, next), outer)
        });
        std::array::from_fn(|i| Self { recorder, value: results[i] })
    }
}
