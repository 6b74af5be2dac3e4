//! Handles of the values of a routine that is being recorded.
//!
//! A handle is a name of a value, so that it is copied freely, and its operators append
//! ops to the routine. What is known is computed at once: an op on constants is a
//! constant, and an op that changes nothing is its operand.
//!
//! Back ends write shifts and divisions of a routine as they stand. So a shift's count is
//! always below 32 and a divisor is never zero; the tests watch both.

use super::Routine;
use crate::builder::Builder;
use crate::ir::{CallArg, Function, Value};
use crate::ops::Op;
use crate::types::Type;
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Shl, Shr, Sub};

/// A routine that is being recorded.
pub(super) struct Recorder {
    builder: RefCell<Builder>,
}

/// A word of 32 bits; arithmetic wraps.
#[derive(Clone, Copy)]
pub(super) struct Word<'r> {
    recorder: &'r Recorder,
    value: Value,
}

/// A condition.
#[derive(Clone, Copy)]
pub(super) struct Flag<'r> {
    recorder: &'r Recorder,
    value: Value,
}

/// A 64-bit number in two words.
#[derive(Clone, Copy)]
pub(super) struct Wide<'r> {
    pub low: Word<'r>,
    pub high: Word<'r>,
}

/// What consists of values: the operands, results and states of routines.
pub(super) trait Handle<'r>: Sized {
    /// The types of the values.
    fn types() -> Vec<Type>;
    /// Made of as many values of these types.
    fn of(recorder: &'r Recorder, values: &mut dyn Iterator<Item = Value>) -> Self;
    /// The values.
    fn values(self) -> Vec<Value>;
}

/// What can be written where a `T` is meant: a handle, or a number.
pub(super) trait Operand<'r, T> {
    fn made(self, recorder: &'r Recorder) -> T;
}

/// A Rust function from handles to a handle: the body of a routine.
pub(super) trait Body<'r, Operands> {
    fn record(self, recorder: &'r Recorder);
}

impl Recorder {
    pub fn new(name: &str) -> Self {
        Self { builder: RefCell::new(Builder::device(name)) }
    }

    /// Records all of a routine.
    pub fn record<'r, Operands>(&'r self, body: impl Body<'r, Operands>) {
        body.record(self);
    }

    pub fn finish(self) -> Function {
        self.builder.into_inner().finish()
    }

    pub fn word(&self, value: u32) -> Word<'_> {
        Word { recorder: self, value: self.builder.borrow_mut().u32(value) }
    }

    fn parameter<'r, T: Handle<'r>>(&'r self, name: &str) -> T {
        let parameter = |(i, ty)| self.builder.borrow_mut().scalar(format!("{name}{i}"), ty);
        let values: Vec<Value> = T::types().into_iter().enumerate().map(parameter).collect();
        T::of(self, &mut values.into_iter())
    }

    fn give<'r, T: Handle<'r>>(&'r self, result: T) {
        let mut builder = self.builder.borrow_mut();
        builder.results(&T::types());
        builder.ret_values(&result.values());
    }

    fn op(&self, op: Op, args: &[Value]) -> Value {
        let mut builder = self.builder.borrow_mut();
        match folded(&mut builder, op, args) {
            Some(value) => value,
            None => builder.op(op, args),
        }
    }

    /// Applies `step` to a count and a state until the count is zero; the last state.
    pub fn repeat<'r, S: Handle<'r>>(
        &'r self,
        count: Word<'r>,
        state: S,
        step: impl FnOnce(Word<'r>, S) -> (Word<'r>, S),
    ) -> S {
        let initial = [vec![count.value], state.values()].concat();
        let (inst, params) = self.builder.borrow_mut().begin_loop(None, &initial);
        let mut params = params.into_iter();
        let count = Word::of(self, &mut params);
        let done = count.eq(0);
        let now: Vec<Value> = params.collect();
        {
            let mut builder = self.builder.borrow_mut();
            let [then, otherwise] = [builder.region(&[]), builder.region(&[])];
            builder.enter(then);
            builder.break_(inst, &now);
            builder.leave();
            builder.enter(otherwise);
            builder.yield_(&[]);
            builder.leave();
            builder.if_else(done.value, then, otherwise, &[]);
        }
        let (count, state) = step(count, S::of(self, &mut now.into_iter()));
        let next = [vec![count.value], state.values()].concat();
        let mut builder = self.builder.borrow_mut();
        builder.continue_(inst, &next);
        let results = builder.end_loop(inst, &S::types());
        S::of(self, &mut results.into_iter())
    }

    /// What another routine gives for operands.
    pub fn call<'r, R: Handle<'r>>(&'r self, routine: Routine, operands: impl Handle<'r>) -> R {
        let args = operands.values().into_iter().map(CallArg::Value).collect();
        let results = self.builder.borrow_mut().call(routine.position(), args, &R::types());
        R::of(self, &mut results.into_iter())
    }
}

/// The value of an op that is known.
fn folded(builder: &mut Builder, op: Op, args: &[Value]) -> Option<Value> {
    let function = builder.function();
    let known: Vec<Option<u64>> = args.iter().map(|&value| function.constant_bits(value)).collect();
    let types: Vec<Type> = args.iter().map(|&value| function.ty(value)).collect();
    if let Some(bits) = known.iter().map(|bits| Some([(*bits)?, 0, 0, 0])).collect::<Option<Vec<_>>>() {
        let result = op.result(&types, None)?;
        return Some(builder.constant(result.lane()?, op.eval(&types, result, &bits)[0]));
    }
    let is = |i: usize, bits: u64| known.get(i) == Some(&Some(bits));
    let mask = types.first()?.lane()?.mask();
    match op {
        Op::Add | Op::Or | Op::Xor if is(0, 0) => Some(args[1]),
        Op::Add | Op::Or | Op::Xor | Op::Sub | Op::Shl | Op::Shr if is(1, 0) => Some(args[0]),
        Op::And if is(0, mask) || is(1, 0) => Some(args[1]),
        Op::And if is(1, mask) || is(0, 0) => Some(args[0]),
        Op::Or if is(0, mask) => Some(args[0]),
        Op::Or if is(1, mask) => Some(args[1]),
        Op::Select if is(0, 1) || args[1] == args[2] => Some(args[1]),
        Op::Select if is(0, 0) => Some(args[2]),
        _ => None,
    }
}

macro_rules! operators {
    ($($handle:ident: $($operator:ident $method:ident $op:ident),*;)*) => {$($(
        impl<'r, T: Operand<'r, Self>> $operator<T> for $handle<'r> {
            type Output = Self;
            fn $method(self, other: T) -> Self {
                let other = other.made(self.recorder);
                Self { value: self.recorder.op(Op::$op, &[self.value, other.value]), ..self }
            }
        }
    )*
        impl Not for $handle<'_> {
            type Output = Self;
            fn not(self) -> Self {
                Self { value: self.recorder.op(Op::Not, &[self.value]), ..self }
            }
        }
    )*};
}
operators! {
    Word: Add add Add, Sub sub Sub, Mul mul Mul, Div div Div, Shl shl Shl, Shr shr Shr,
        BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor;
    Flag: BitAnd bitand And, BitOr bitor Or;
}

impl<'r> Word<'r> {
    pub const fn recorder(self) -> &'r Recorder {
        self.recorder
    }

    /// The number, if it is known.
    fn known(self) -> Option<u32> {
        self.recorder.builder.borrow().function().constant_bits(self.value).map(|bits| bits as u32)
    }

    fn unary(self, op: Op) -> Self {
        Self { value: self.recorder.op(op, &[self.value]), ..self }
    }

    /// The number of zero bits above the highest set bit; 32 for zero.
    pub fn clz(self) -> Self {
        self.unary(Op::LeadingZeros)
    }

    /// The number of set bits.
    pub fn count_ones(self) -> Self {
        self.unary(Op::CountOnes)
    }

    /// The bits in reverse order.
    pub fn reverse_bits(self) -> Self {
        self.unary(Op::ReverseBits)
    }

    /// The bytes in reverse order.
    pub fn swap_bytes(self) -> Self {
        self.unary(Op::SwapBytes)
    }

    fn compared(self, op: Op, other: impl Operand<'r, Self>) -> Flag<'r> {
        let other = other.made(self.recorder);
        Flag { recorder: self.recorder, value: self.recorder.op(op, &[self.value, other.value]) }
    }

    pub fn eq(self, other: impl Operand<'r, Self>) -> Flag<'r> {
        self.compared(Op::Eq, other)
    }

    pub fn lt(self, other: impl Operand<'r, Self>) -> Flag<'r> {
        self.compared(Op::Lt, other)
    }

    pub fn gt(self, other: impl Operand<'r, Self>) -> Flag<'r> {
        other.made(self.recorder).lt(self)
    }

    /// 1 unless the word is zero.
    pub fn sticky(self) -> Self {
        self.eq(0).pick(0, 1)
    }
}

impl<'r> Flag<'r> {
    /// 1 if the condition holds, else 0.
    pub fn bit(self) -> Word<'r> {
        self.pick(1, 0)
    }

    /// The first value if the condition holds, else the second.
    pub fn pick<T: Handle<'r>>(self, yes: impl Operand<'r, T>, no: impl Operand<'r, T>) -> T {
        let [yes, no] = [yes.made(self.recorder), no.made(self.recorder)].map(T::values);
        let mut values = yes.into_iter().zip(no).map(|(yes, no)| self.recorder.op(Op::Select, &[self.value, yes, no]));
        T::of(self.recorder, &mut values)
    }
}

impl<'r> Wide<'r> {
    pub const fn recorder(self) -> &'r Recorder {
        self.low.recorder
    }

    pub fn is_zero(self) -> Flag<'r> {
        (self.low | self.high).eq(0)
    }

    /// Whether the highest bit is set: of a signed number, whether it is below zero.
    pub fn is_negative(self) -> Flag<'r> {
        self.high.gt(i32::MAX as u32)
    }

    pub fn eq(self, other: impl Operand<'r, Self>) -> Flag<'r> {
        let other = other.made(self.recorder());
        self.low.eq(other.low) & self.high.eq(other.high)
    }

    /// Order as unsigned numbers.
    pub fn lt(self, other: impl Operand<'r, Self>) -> Flag<'r> {
        let other = other.made(self.recorder());
        self.high.lt(other.high) | self.high.eq(other.high) & self.low.lt(other.low)
    }

    pub fn gt(self, other: impl Operand<'r, Self>) -> Flag<'r> {
        other.made(self.recorder()).lt(self)
    }

    /// The number of zero bits above the highest set bit; 64 for zero.
    pub fn clz(self) -> Word<'r> {
        self.high.eq(0).pick(self.low.clz() + 32, self.high.clz())
    }

    /// The number of set bits.
    pub fn count_ones(self) -> Word<'r> {
        self.low.count_ones() + self.high.count_ones()
    }

    /// A right shift by the count modulo 64, into which copies of `fill` come from above.
    pub fn shr_from(self, fill: Word<'r>, count: Word<'r>) -> Self {
        let bits = count & 31;
        let left = self.recorder().word(31) - bits;
        // Two shifts, because `32 - bits` may be 32.
        let lower = |high: Word<'r>, low: Word<'r>| low >> bits | (high << 1) << left;
        let (low, high) = (lower(self.high, self.low), lower(fill, self.high));
        (count & 32).eq(0).pick(Self { low, high }, Self { low: high, high: fill })
    }
}

impl<'r, T: Operand<'r, Self>> Add<T> for Wide<'r> {
    type Output = Self;
    fn add(self, other: T) -> Self {
        let other = other.made(self.recorder());
        let low = self.low + other.low;
        Self { low, high: self.high + other.high + low.lt(self.low).bit() }
    }
}

impl<'r, T: Operand<'r, Self>> Sub<T> for Wide<'r> {
    type Output = Self;
    fn sub(self, other: T) -> Self {
        let other = other.made(self.recorder());
        let borrow = self.low.lt(other.low).bit();
        Self { low: self.low - other.low, high: self.high - other.high - borrow }
    }
}

impl Mul for Wide<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let Self { low, high } = product(self.low, other.low);
        Self { low, high: high + self.low * other.high + self.high * other.low }
    }
}

/// The product of two words, all of it.
pub(super) fn product<'r>(a: Word<'r>, b: Word<'r>) -> Wide<'r> {
    let [(al, ah), (bl, bh)] = [a, b].map(|word| (word & 0xffff, word >> 16));
    // No sum here exceeds a word: (2¹⁶ - 1)² + 2 (2¹⁶ - 1) is 2³² - 1.
    let middle = ah * bl + ((al * bl) >> 16);
    let other = al * bh + (middle & 0xffff);
    Wide { low: a * b, high: ah * bh + (middle >> 16) + (other >> 16) }
}

macro_rules! word_by_word {
    ($($operator:ident $method:ident),*) => {$(
        impl<'r, T: Operand<'r, Self>> $operator<T> for Wide<'r> {
            type Output = Self;
            fn $method(self, other: T) -> Self {
                let other = other.made(self.recorder());
                Self { low: self.low.$method(other.low), high: self.high.$method(other.high) }
            }
        }
    )*};
}
word_by_word!(BitAnd bitand, BitOr bitor, BitXor bitxor);

impl Not for Wide<'_> {
    type Output = Self;
    fn not(self) -> Self {
        Self { low: !self.low, high: !self.high }
    }
}

/// By the count modulo 64.
impl<'r, T: Operand<'r, Word<'r>>> Shl<T> for Wide<'r> {
    type Output = Self;
    fn shl(self, count: T) -> Self {
        let count = count.made(self.recorder());
        if let Some(bits @ 1..32) = count.known() {
            return Self { low: self.low << bits, high: self.high << bits | self.low >> (32 - bits) };
        }
        let bits = count & 31;
        let left = self.recorder().word(31) - bits;
        let (low, high) = (self.low << bits, self.high << bits | (self.low >> 1) >> left);
        (count & 32).eq(0).pick(Self { low, high }, Self { low: self.recorder().word(0), high: low })
    }
}

/// By the count modulo 64; zeros come from above.
impl<'r, T: Operand<'r, Word<'r>>> Shr<T> for Wide<'r> {
    type Output = Self;
    fn shr(self, count: T) -> Self {
        let count = count.made(self.recorder());
        if let Some(bits @ 1..32) = count.known() {
            return Self { low: self.low >> bits | self.high << (32 - bits), high: self.high >> bits };
        }
        self.shr_from(self.recorder().word(0), count)
    }
}

macro_rules! single {
    ($handle:ident, $ty:expr, $none:ident) => {
        impl<'r> Handle<'r> for $handle<'r> {
            fn types() -> Vec<Type> {
                vec![$ty]
            }
            fn of(recorder: &'r Recorder, values: &mut dyn Iterator<Item = Value>) -> Self {
                let zero = || recorder.builder.borrow_mut().constant(crate::types::Scalar::$none, 0);
                Self { recorder, value: values.next().unwrap_or_else(zero) }
            }
            fn values(self) -> Vec<Value> {
                vec![self.value]
            }
        }
    };
}
single!(Word, Type::U32, U32);
single!(Flag, Type::BOOL, Bool);

impl<'r> Handle<'r> for Wide<'r> {
    fn types() -> Vec<Type> {
        vec![Type::U32; 2]
    }
    fn of(recorder: &'r Recorder, values: &mut dyn Iterator<Item = Value>) -> Self {
        Self { low: Word::of(recorder, values), high: Word::of(recorder, values) }
    }
    fn values(self) -> Vec<Value> {
        vec![self.low.value, self.high.value]
    }
}

impl<'r, T: Handle<'r>, const N: usize> Handle<'r> for [T; N] {
    fn types() -> Vec<Type> {
        (0..N).flat_map(|_| T::types()).collect()
    }
    fn of(recorder: &'r Recorder, values: &mut dyn Iterator<Item = Value>) -> Self {
        std::array::from_fn(|_| T::of(recorder, values))
    }
    fn values(self) -> Vec<Value> {
        self.into_iter().flat_map(T::values).collect()
    }
}

impl<'r> Operand<'r, Word<'r>> for u32 {
    fn made(self, recorder: &'r Recorder) -> Word<'r> {
        recorder.word(self)
    }
}

impl<'r> Operand<'r, Wide<'r>> for u64 {
    fn made(self, recorder: &'r Recorder) -> Wide<'r> {
        Wide { low: recorder.word(self as u32), high: recorder.word((self >> 32) as u32) }
    }
}

impl<'r> Operand<'r, Self> for Word<'r> {
    fn made(self, _: &'r Recorder) -> Self {
        self
    }
}

impl<'r> Operand<'r, Self> for Flag<'r> {
    fn made(self, _: &'r Recorder) -> Self {
        self
    }
}

impl<'r> Operand<'r, Self> for Wide<'r> {
    fn made(self, _: &'r Recorder) -> Self {
        self
    }
}

impl<'r, const N: usize> Operand<'r, Self> for [Word<'r>; N] {
    fn made(self, _: &'r Recorder) -> Self {
        self
    }
}

macro_rules! bodies {
    ($($operand:ident $name:literal),*) => {
        impl<'r, F, R, $($operand),*> Body<'r, ($($operand,)*)> for F
        where
            F: FnOnce($($operand),*) -> R,
            R: Handle<'r>,
            $($operand: Handle<'r>,)*
        {
            fn record(self, recorder: &'r Recorder) {
                let result = self($(recorder.parameter::<$operand>($name)),*);
                recorder.give(result);
            }
        }
    };
}
bodies!(A "a");
bodies!(A "a", B "b");
bodies!(A "a", B "b", C "c");
