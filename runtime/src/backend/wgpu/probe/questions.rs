//! What a device is asked: each group of ops in the contexts in which drivers were seen to go wrong.
//!
//! A question is a small computation of the IR on three operands. Drivers may flush subnormals,
//! contract products and sums, merge constants, lose the sign of zeros, and forget what a NaN is.
//! Whether they do depends on what stands around an op: constants, other uses of a product, loops,
//! vectors. So an op is asked about in many of these.

use super::search::{About, Subject};
use samebits_ir::builder::Builder;
use samebits_ir::ir::Value;
use samebits_ir::ops::Op;
use samebits_ir::soft::plan::Group;
use samebits_ir::types::{Scalar, Type};

/// A computation, and what it is about.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub about: About,
    /// The type of the operands.
    pub operands: Scalar,
    /// Builds the computation.
    pub make: Make,
}

/// Where a question is written down. Its operands are of one type, and so are its numbers.
pub(super) struct Page<'b> {
    pub builder: &'b mut Builder,
    pub scalar: Scalar,
}

impl Page<'_> {
    /// An op.
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.builder.op(op, args)
    }

    /// A number of the operands' type, of which it is one.
    fn number(&mut self, number: f64) -> Value {
        let [bits, ..] =
            Op::Cast.eval(&[Type::Scalar(Scalar::F64)], Type::Scalar(self.scalar), &[[number.to_bits(), 0, 0, 0]]);
        self.builder.constant(self.scalar, bits)
    }

    /// The least normal number of the operands' type times 0.85.
    fn small(&mut self) -> Value {
        self.number(match self.scalar {
            Scalar::F16 => 5.2e-5,
            Scalar::F32 => 1.0e-38,
            _ => 1.9e-308,
        })
    }

    fn cast(&mut self, value: Value, to: Scalar) -> Value {
        self.builder.op_to(Op::Cast, &[value], Type::Scalar(to))
    }

    /// A truth as an operand.
    fn flag(&mut self, truth: Value) -> Value {
        let (one, zero) = (self.number(1.0), self.number(0.0));
        self.op(Op::Select, &[truth, one, zero])
    }

    /// An op on vectors of four, whose lanes are operands in other orders; the sum of the results by
    /// their bits.
    fn on_vectors(&mut self, op: Op, [x, y, z]: [Value; 3]) -> Value {
        let ty = Type::Vector(self.scalar, 4);
        let vectors = [[x, y, z, x], [y, z, x, x], [z, x, y, y]];
        let vectors = vectors.map(|lanes| self.builder.op_to(Op::Construct, &lanes, ty));
        let result = self.op(op, &vectors[..if op == Op::MulAdd { 3 } else { 2 }]);
        let bits = Type::Vector(unsigned(self.scalar), 4);
        let result = self.builder.op_to(Op::Bitcast, &[result], bits);
        let lanes = [0, 1, 2, 3].map(|lane| {
            let lane = self.builder.u32(lane);
            self.op(Op::Extract, &[result, lane])
        });
        lanes[1..].iter().fold(lanes[0], |sum, lane| self.op(Op::Xor, &[sum, *lane]))
    }

    /// A number that depends on all bits of these.
    fn all_of(&mut self, values: &[Value]) -> Value {
        let bits = values.iter().map(|&value| self.builder.op_to(Op::Bitcast, &[value], unsigned(self.scalar).into()));
        let bits: Vec<Value> = bits.collect();
        let all = bits[1..].iter().fold(bits[0], |all, &more| self.op(Op::Xor, &[all, more]));
        self.builder.op_to(Op::Bitcast, &[all], self.scalar.into())
    }

    /// The lowest bits of an operand.
    fn low_word(&mut self, x: Value) -> Value {
        let bits = self.builder.op_to(Op::Bitcast, &[x], unsigned(self.scalar).into());
        if self.scalar.bits() == 32 { bits } else { self.cast(bits, Scalar::U32) }
    }

    /// A sum that each of nine rounds changes, and halves every second time.
    fn in_a_loop(&mut self, first: Value, step: impl Fn(&mut Self, Value) -> Value) -> Value {
        let nine = self.builder.u32(9);
        self.in_rounds(nine, first, step)
    }

    /// The same in as many rounds as the last three bits of an operand say, which no compiler knows.
    fn in_some_rounds(&mut self, x: Value, first: Value, step: impl Fn(&mut Self, Value) -> Value) -> Value {
        let (bits, seven) = (self.low_word(x), self.builder.u32(7));
        let rounds = self.op(Op::And, &[bits, seven]);
        self.in_rounds(rounds, first, step)
    }

    fn in_rounds(&mut self, rounds: Value, first: Value, step: impl Fn(&mut Self, Value) -> Value) -> Value {
        let zero = self.builder.u32(0);
        let (inst, carried) = self.builder.begin_loop(None, &[zero, first]);
        let &[round, sum] = carried.as_slice() else { return first };
        let done = self.op(Op::Ge, &[round, rounds]);
        let (then, otherwise) = (self.builder.region(&[]), self.builder.region(&[]));
        self.builder.enter(then);
        self.builder.break_(inst, &[sum]);
        self.builder.leave();
        self.builder.enter(otherwise);
        self.builder.yield_(&[]);
        self.builder.leave();
        self.builder.if_else(done, then, otherwise, &[]);
        let sum = step(self, sum);
        let half = self.number(0.5);
        let halved = self.op(Op::Mul, &[sum, half]);
        let one = self.builder.u32(1);
        let (odd, zero) = (self.op(Op::And, &[round, one]), self.builder.u32(0));
        let is_even = self.op(Op::Eq, &[odd, zero]);
        let sum = self.op(Op::Select, &[is_even, halved, sum]);
        let next = self.op(Op::Add, &[round, one]);
        self.builder.continue_(inst, &[next, sum]);
        let results = self.builder.end_loop(inst, &[Type::Scalar(self.scalar)]);
        results.first().copied().unwrap_or(first)
    }

    /// One of two results, by a branch on the last bit of an operand.
    fn in_arms(&mut self, x: Value, arms: [fn(&mut Self, [Value; 3]) -> Value; 2], xyz: [Value; 3]) -> Value {
        let (bits, one) = (self.low_word(x), self.builder.u32(1));
        let (last, zero) = (self.op(Op::And, &[bits, one]), self.builder.u32(0));
        let is_even = self.op(Op::Eq, &[last, zero]);
        let regions = arms.map(|arm| {
            let region = self.builder.region(&[]);
            self.builder.enter(region);
            let result = arm(self, xyz);
            self.builder.yield_(&[result]);
            self.builder.leave();
            region
        });
        let results = self.builder.if_else(is_even, regions[0], regions[1], &[Type::Scalar(self.scalar)]);
        results.first().copied().unwrap_or(x)
    }
}

/// The unsigned integer of as many bits.
const fn unsigned(scalar: Scalar) -> Scalar {
    match scalar.bits() {
        16 => Scalar::U16,
        64 => Scalar::U64,
        _ => Scalar::U32,
    }
}

/// Groups that there are for several floats.
#[derive(Clone, Copy)]
enum Kind {
    Sum,
    Product,
    Fused,
    Quotient,
    Remainder,
    Root,
    Order,
    Whole,
}

impl Kind {
    /// The group of a float, if its form may be chosen.
    const fn group(self, scalar: Scalar) -> Option<Group> {
        let [half, single, double] = match self {
            Self::Sum => [Some(Group::Sum16), Some(Group::Sum32), Some(Group::Sum64)],
            Self::Product => [Some(Group::Product16), Some(Group::Product32), Some(Group::Product64)],
            Self::Fused => [Some(Group::Fused16), Some(Group::Fused32), Some(Group::Fused64)],
            Self::Quotient => [None, Some(Group::Quotient32), Some(Group::Quotient64)],
            Self::Remainder => [None, Some(Group::Remainder32), Some(Group::Remainder64)],
            Self::Root => [None, Some(Group::Root32), Some(Group::Root64)],
            Self::Order => [Some(Group::Order16), Some(Group::Order32), Some(Group::Order64)],
            Self::Whole => [None, Some(Group::Whole32), Some(Group::Whole64)],
        };
        match scalar {
            Scalar::F16 => half,
            Scalar::F32 => single,
            Scalar::F64 => double,
            _ => None,
        }
    }
}

/// Builds a computation on three operands.
type Make = fn(&mut Page<'_>, [Value; 3]) -> Value;

/// Everywhere.
const ALL: &[Scalar] = &[Scalar::F64, Scalar::F32, Scalar::F16];
/// Not in `f16`, of which little is asked.
const WIDE: &[Scalar] = &[Scalar::F64, Scalar::F32];
/// In `f32` alone, which drivers take the most liberties with.
const SINGLE: &[Scalar] = &[Scalar::F32];

/// The types, the groups to blame, those that the computation rests on, and the computation.
type Asked = (&'static [Scalar], &'static [Kind], &'static [Kind], Make);

/// Questions about floats: of which widths, what they are about, what else they use, and the
/// computation.
const FLOATS: &[Asked] = &[
    // Sums.
    (ALL, &[Kind::Sum], &[], |s, [x, y, _]| s.op(Op::Add, &[x, y])),
    (ALL, &[Kind::Sum], &[], |s, [x, y, _]| s.op(Op::Sub, &[x, y])),
    (WIDE, &[Kind::Sum], &[], |s, [x, y, _]| {
        let sum = s.op(Op::Add, &[x, y]);
        s.op(Op::Sub, &[sum, x])
    }),
    (SINGLE, &[Kind::Sum], &[], |s, [x, y, _]| {
        let nothing = s.op(Op::Sub, &[x, x]);
        s.op(Op::Add, &[nothing, y])
    }),
    (SINGLE, &[Kind::Sum], &[], |s, [x, _, _]| {
        let twice = s.op(Op::Add, &[x, x]);
        s.op(Op::Add, &[twice, x])
    }),
    (SINGLE, &[Kind::Sum], &[], |s, [x, y, _]| {
        let sum = s.op(Op::Add, &[x, y]);
        s.op(Op::Neg, &[sum])
    }),
    (SINGLE, &[Kind::Sum], &[], |s, [x, y, _]| {
        let (x, y) = (s.op(Op::Abs, &[x]), s.op(Op::Neg, &[y]));
        s.op(Op::Add, &[x, y])
    }),
    (ALL, &[Kind::Sum], &[], |s, [x, _, _]| {
        let zero = s.number(0.0);
        s.op(Op::Add, &[x, zero])
    }),
    (WIDE, &[Kind::Sum], &[], |s, [x, _, _]| {
        let zero = s.number(-0.0);
        s.op(Op::Add, &[zero, x])
    }),
    (WIDE, &[Kind::Sum], &[], |s, [x, _, _]| {
        let zero = s.number(0.0);
        s.op(Op::Sub, &[x, zero])
    }),
    (ALL, &[Kind::Sum], &[], |s, [x, _, _]| {
        let zero = s.number(0.0);
        s.op(Op::Sub, &[zero, x])
    }),
    (SINGLE, &[Kind::Sum], &[], |s, xyz| s.on_vectors(Op::Add, xyz)),
    // Products.
    (ALL, &[Kind::Product], &[], |s, [x, y, _]| s.op(Op::Mul, &[x, y])),
    (SINGLE, &[Kind::Product], &[], |s, [x, y, _]| {
        let product = s.op(Op::Mul, &[x, y]);
        s.op(Op::Neg, &[product])
    }),
    (SINGLE, &[Kind::Product], &[], |s, [x, _, _]| s.op(Op::Mul, &[x, x])),
    (ALL, &[Kind::Product], &[], |s, [x, _, _]| {
        let half = s.number(0.5);
        s.op(Op::Mul, &[x, half])
    }),
    (ALL, &[Kind::Product], &[], |s, [x, _, _]| {
        let zero = s.number(0.0);
        s.op(Op::Mul, &[x, zero])
    }),
    (WIDE, &[Kind::Product], &[], |s, [x, _, _]| {
        let zero = s.number(-0.0);
        s.op(Op::Mul, &[x, zero])
    }),
    (WIDE, &[Kind::Product], &[], |s, [x, _, _]| {
        let one = s.number(1.0);
        s.op(Op::Mul, &[x, one])
    }),
    (SINGLE, &[Kind::Product], &[], |s, [x, _, _]| {
        let minus = s.number(-1.0);
        s.op(Op::Mul, &[minus, x])
    }),
    (SINGLE, &[Kind::Product], &[], |s, xyz| s.on_vectors(Op::Mul, xyz)),
    // Products and sums that are not one `mul_add`.
    (ALL, &[Kind::Sum, Kind::Product], &[], |s, [x, y, z]| {
        let product = s.op(Op::Mul, &[x, y]);
        s.op(Op::Add, &[product, z])
    }),
    (SINGLE, &[Kind::Sum, Kind::Product], &[], |s, [x, y, z]| {
        let product = s.op(Op::Mul, &[x, y]);
        s.op(Op::Add, &[z, product])
    }),
    (WIDE, &[Kind::Sum, Kind::Product], &[], |s, [x, y, z]| {
        let product = s.op(Op::Mul, &[x, y]);
        s.op(Op::Sub, &[product, z])
    }),
    (SINGLE, &[Kind::Sum, Kind::Product], &[], |s, [x, y, z]| {
        let product = s.op(Op::Mul, &[x, y]);
        s.op(Op::Sub, &[z, product])
    }),
    (SINGLE, &[Kind::Sum, Kind::Product], &[], |s, [x, y, z]| {
        let (one, other) = (s.op(Op::Mul, &[x, y]), s.op(Op::Mul, &[x, z]));
        s.op(Op::Sub, &[one, other])
    }),
    (SINGLE, &[Kind::Sum, Kind::Product], &[], |s, [x, _, z]| {
        let half = s.number(0.5);
        let product = s.op(Op::Mul, &[x, half]);
        s.op(Op::Add, &[product, z])
    }),
    (WIDE, &[Kind::Sum, Kind::Product], &[], |s, [x, y, z]| {
        s.in_a_loop(z, |s, sum| {
            let product = s.op(Op::Mul, &[x, y]);
            s.op(Op::Add, &[sum, product])
        })
    }),
    // `mul_add`.
    (ALL, &[Kind::Fused], &[], |s, xyz| s.op(Op::MulAdd, &xyz)),
    (ALL, &[Kind::Fused], &[], |s, [x, y, z]| {
        let minus = s.op(Op::Neg, &[x]);
        s.op(Op::MulAdd, &[minus, y, z])
    }),
    (SINGLE, &[Kind::Fused], &[], |s, [x, y, z]| {
        let minus = s.op(Op::Neg, &[z]);
        s.op(Op::MulAdd, &[x, y, minus])
    }),
    (WIDE, &[Kind::Fused], &[], |s, [x, _, z]| s.op(Op::MulAdd, &[x, x, z])),
    (WIDE, &[Kind::Fused], &[], |s, [x, _, z]| {
        let three = s.number(3.0);
        s.op(Op::MulAdd, &[x, three, z])
    }),
    (WIDE, &[Kind::Fused], &[], |s, [x, _, z]| {
        let one = s.number(1.0);
        s.op(Op::MulAdd, &[x, one, z])
    }),
    (SINGLE, &[Kind::Fused], &[], |s, [x, _, z]| {
        let two = s.number(2.0);
        s.op(Op::MulAdd, &[two, x, z])
    }),
    (WIDE, &[Kind::Fused], &[], |s, [x, y, _]| {
        let small = s.small();
        s.op(Op::MulAdd, &[x, y, small])
    }),
    (WIDE, &[Kind::Fused], &[], |s, [x, y, _]| {
        let one = s.number(1.0);
        s.op(Op::MulAdd, &[x, y, one])
    }),
    (SINGLE, &[Kind::Fused], &[], |s, [x, y, _]| {
        let zero = s.number(0.0);
        s.op(Op::MulAdd, &[x, y, zero])
    }),
    (ALL, &[Kind::Fused], &[], |s, [x, y, _]| {
        let zero = s.number(-0.0);
        s.op(Op::MulAdd, &[x, y, zero])
    }),
    (WIDE, &[Kind::Fused], &[], |s, [x, y, z]| {
        let inner = s.op(Op::MulAdd, &[y, z, z]);
        s.op(Op::MulAdd, &[x, y, inner])
    }),
    (SINGLE, &[Kind::Fused], &[], |s, [x, y, z]| {
        let first = s.op(Op::MulAdd, &[y, z, x]);
        let second = s.op(Op::MulAdd, &[x, z, first]);
        let minus = s.op(Op::Neg, &[z]);
        s.op(Op::MulAdd, &[minus, y, second])
    }),
    (SINGLE, &[Kind::Fused], &[], |s, [x, y, z]| {
        let inner = s.op(Op::MulAdd, &[y, z, x]);
        let middle = s.op(Op::MulAdd, &[y, inner, z]);
        s.op(Op::MulAdd, &[y, middle, x])
    }),
    (WIDE, &[Kind::Fused], &[], |s, [x, y, z]| {
        let zero = s.number(0.0);
        let inner = s.op(Op::MulAdd, &[x, y, zero]);
        s.op(Op::MulAdd, &[y, z, inner])
    }),
    (WIDE, &[Kind::Fused], &[Kind::Product], |s, [x, y, _]| {
        let zero = s.number(0.0);
        s.in_a_loop(zero, |s, sum| s.op(Op::MulAdd, &[x, y, sum]))
    }),
    (WIDE, &[Kind::Fused], &[], |s, xyz| s.on_vectors(Op::MulAdd, xyz)),
    (SINGLE, &[Kind::Fused], &[Kind::Product], |s, [x, y, z]| s.in_a_loop(z, |s, sum| s.op(Op::MulAdd, &[x, y, sum]))),
    (WIDE, &[Kind::Fused], &[Kind::Product], |s, [x, y, z]| {
        s.in_some_rounds(z, x, |s, sum| s.op(Op::MulAdd, &[y, z, sum]))
    }),
    (SINGLE, &[Kind::Fused], &[Kind::Product], |s, [x, y, z]| {
        s.in_some_rounds(y, z, |s, sum| {
            let inner = s.op(Op::MulAdd, &[sum, y, x]);
            s.op(Op::MulAdd, &[sum, inner, z])
        })
    }),
    (WIDE, &[Kind::Fused], &[], |s, [x, y, z]| {
        let arms: [Make; 2] = [|s, xyz| s.op(Op::MulAdd, &xyz), |s, [x, y, _]| s.op(Op::MulAdd, &[x, y, x])];
        s.in_arms(x, arms, [x, y, z])
    }),
    (SINGLE, &[Kind::Fused], &[Kind::Sum, Kind::Product], |s, [x, y, z]| {
        let arms: [Make; 2] = [
            |s, xyz| s.op(Op::MulAdd, &xyz),
            |s, [x, y, z]| {
                let product = s.op(Op::Mul, &[x, y]);
                s.op(Op::Sub, &[product, z])
            },
        ];
        s.in_arms(z, arms, [x, y, z])
    }),
    (WIDE, &[Kind::Fused], &[Kind::Product], |s, [x, y, _]| {
        let product = s.op(Op::Mul, &[x, y]);
        let minus = s.op(Op::Neg, &[product]);
        s.op(Op::MulAdd, &[x, y, minus])
    }),
    (SINGLE, &[Kind::Fused], &[Kind::Product], |s, [x, y, z]| {
        let (half, product) = (s.number(1.5), s.op(Op::Mul, &[y, z]));
        let product = s.op(Op::Mul, &[product, half]);
        s.op(Op::MulAdd, &[x, y, product])
    }),
    (SINGLE, &[Kind::Fused], &[Kind::Sum], |s, [x, y, z]| {
        let (one, other) = (s.op(Op::MulAdd, &[x, y, z]), s.op(Op::MulAdd, &[x, y, x]));
        s.op(Op::Add, &[one, other])
    }),
    (SINGLE, &[Kind::Fused], &[Kind::Sum], |s, [x, y, z]| {
        let sum = s.op(Op::Add, &[x, z]);
        s.op(Op::MulAdd, &[x, y, sum])
    }),
    (WIDE, &[Kind::Fused], &[Kind::Sum, Kind::Product], |s, [x, y, z]| {
        let (product, fused) = (s.op(Op::Mul, &[x, y]), s.op(Op::MulAdd, &[x, y, z]));
        let sum = s.op(Op::Add, &[product, z]);
        s.op(Op::Sub, &[sum, fused])
    }),
    (SINGLE, &[Kind::Fused], &[Kind::Quotient], |s, [x, y, z]| {
        let (one, other) = (s.op(Op::MulAdd, &[x, y, z]), s.op(Op::MulAdd, &[x, y, y]));
        s.op(Op::Div, &[one, other])
    }),
    (WIDE, &[Kind::Fused], &[Kind::Order], |s, [x, y, z]| {
        let (one, other) = (s.op(Op::MulAdd, &[x, y, z]), s.op(Op::MulAdd, &[z, y, x]));
        let more = s.op(Op::Gt, &[x, z]);
        s.op(Op::Select, &[more, one, other])
    }),
    // Products of the same factors, of which one may be negated to keep them apart.
    (SINGLE, &[Kind::Fused], &[Kind::Sum, Kind::Product], |s, [x, y, z]| {
        s.in_some_rounds(y, z, |s, sum| {
            let (one, other) = (s.op(Op::MulAdd, &[sum, sum, x]), s.op(Op::MulAdd, &[sum, sum, y]));
            s.op(Op::Sub, &[one, other])
        })
    }),
    (SINGLE, &[Kind::Fused], &[Kind::Product], |s, [x, y, z]| {
        s.in_some_rounds(y, x, |s, sum| {
            let minus = s.op(Op::Neg, &[sum]);
            let products = [s.op(Op::MulAdd, &[sum, y, z]), s.op(Op::Mul, &[minus, y])];
            let more = [s.op(Op::MulAdd, &[sum, y, x]), s.op(Op::MulAdd, &[minus, y, z])];
            s.all_of(&[products, more].concat())
        })
    }),
    // Quotients.
    (WIDE, &[Kind::Quotient], &[], |s, [x, y, _]| s.op(Op::Div, &[x, y])),
    (SINGLE, &[Kind::Quotient], &[], |s, [x, y, _]| {
        let quotient = s.op(Op::Div, &[x, y]);
        s.op(Op::Neg, &[quotient])
    }),
    (SINGLE, &[Kind::Quotient], &[], |s, [x, _, _]| s.op(Op::Div, &[x, x])),
    (SINGLE, &[Kind::Quotient], &[], |s, [x, _, _]| {
        let one = s.number(1.0);
        s.op(Op::Div, &[x, one])
    }),
    (WIDE, &[Kind::Quotient], &[], |s, [x, _, _]| {
        let three = s.number(3.0);
        s.op(Op::Div, &[x, three])
    }),
    (WIDE, &[Kind::Quotient], &[], |s, [x, _, _]| {
        let one = s.number(1.0);
        s.op(Op::Div, &[one, x])
    }),
    (WIDE, &[Kind::Quotient], &[], |s, [x, _, _]| {
        let zero = s.number(0.0);
        s.op(Op::Div, &[zero, x])
    }),
    (SINGLE, &[Kind::Quotient], &[Kind::Product], |s, [x, y, z]| {
        let (quotient, product) = (s.op(Op::Div, &[x, y]), s.op(Op::Mul, &[y, z]));
        s.op(Op::Div, &[quotient, product])
    }),
    // Remainders.
    (WIDE, &[Kind::Remainder], &[], |s, [x, y, _]| s.op(Op::Rem, &[x, y])),
    (WIDE, &[Kind::Remainder], &[], |s, [x, _, _]| {
        let one = s.number(1.0);
        s.op(Op::Rem, &[x, one])
    }),
    (WIDE, &[Kind::Remainder], &[], |s, [x, _, _]| {
        let zero = s.number(0.0);
        s.op(Op::Rem, &[x, zero])
    }),
    (WIDE, &[Kind::Remainder], &[Kind::Sum, Kind::Product], |s, [x, y, z]| {
        s.in_some_rounds(z, x, |s, sum| {
            let rest = s.op(Op::Rem, &[sum, y]);
            s.op(Op::Add, &[rest, z])
        })
    }),
    // Roots.
    (WIDE, &[Kind::Root], &[], |s, [x, _, _]| s.op(Op::Sqrt, &[x])),
    (SINGLE, &[Kind::Root], &[], |s, [x, _, _]| {
        let magnitude = s.op(Op::Abs, &[x]);
        s.op(Op::Sqrt, &[magnitude])
    }),
    (WIDE, &[Kind::Root], &[Kind::Product], |s, [x, _, _]| {
        let square = s.op(Op::Mul, &[x, x]);
        s.op(Op::Sqrt, &[square])
    }),
    (SINGLE, &[Kind::Root], &[Kind::Quotient], |s, [x, _, _]| {
        let magnitude = s.op(Op::Abs, &[x]);
        let (one, root) = (s.number(1.0), s.op(Op::Sqrt, &[magnitude]));
        s.op(Op::Div, &[one, root])
    }),
    (SINGLE, &[Kind::Root], &[Kind::Quotient], |s, [_, y, _]| {
        let (one, root) = (s.number(1.0), s.op(Op::Sqrt, &[y]));
        let inverse = s.op(Op::Div, &[one, root]);
        s.all_of(&[root, inverse])
    }),
    (SINGLE, &[Kind::Root], &[Kind::Quotient], |s, [_, _, z]| {
        let (one, root) = (s.number(1.0), s.op(Op::Sqrt, &[z]));
        let inverse = s.op(Op::Div, &[one, root]);
        s.all_of(&[root, inverse])
    }),
    // Comparisons.
    (ALL, &[Kind::Order], &[], |s, [x, y, _]| truth(s, Op::Eq, [x, y])),
    (WIDE, &[Kind::Order], &[], |s, [x, y, _]| truth(s, Op::Ne, [x, y])),
    (ALL, &[Kind::Order], &[], |s, [x, y, _]| truth(s, Op::Lt, [x, y])),
    (ALL, &[Kind::Order], &[], |s, [x, y, _]| truth(s, Op::Le, [x, y])),
    (WIDE, &[Kind::Order], &[], |s, [x, y, _]| truth(s, Op::Gt, [x, y])),
    (SINGLE, &[Kind::Order], &[], |s, [x, y, _]| truth(s, Op::Ge, [x, y])),
    (SINGLE, &[Kind::Order], &[], |s, [x, _, _]| truth(s, Op::Eq, [x, x])),
    (WIDE, &[Kind::Order], &[], |s, [x, _, _]| truth(s, Op::Ne, [x, x])),
    (SINGLE, &[Kind::Order], &[], |s, [x, y, _]| {
        let less = s.op(Op::Lt, &[x, y]);
        let not = s.op(Op::Not, &[less]);
        s.flag(not)
    }),
    (WIDE, &[Kind::Order], &[], |s, [x, _, _]| {
        let zero = s.number(0.0);
        truth(s, Op::Lt, [x, zero])
    }),
    (SINGLE, &[Kind::Order], &[], |s, [x, _, _]| {
        let small = s.small();
        truth(s, Op::Ge, [x, small])
    }),
    (SINGLE, &[Kind::Order], &[], |s, [x, y, _]| {
        let magnitude = s.op(Op::Abs, &[x]);
        truth(s, Op::Le, [magnitude, y])
    }),
    (SINGLE, &[Kind::Order], &[], |s, [x, y, _]| {
        let more = s.op(Op::Gt, &[x, y]);
        s.op(Op::Select, &[more, x, y])
    }),
    (SINGLE, &[Kind::Order], &[], |s, [x, y, _]| {
        let (more, plus, minus) = (s.op(Op::Gt, &[x, y]), s.number(0.0), s.number(-0.0));
        s.op(Op::Select, &[more, minus, plus])
    }),
    (ALL, &[Kind::Order], &[], |s, [x, y, _]| s.op(Op::Min, &[x, y])),
    (ALL, &[Kind::Order], &[], |s, [x, y, _]| s.op(Op::Max, &[x, y])),
    (SINGLE, &[Kind::Order], &[], |s, [x, _, _]| {
        let (zero, one) = (s.number(0.0), s.number(1.0));
        let low = s.op(Op::Max, &[x, zero]);
        s.op(Op::Min, &[low, one])
    }),
    // What drivers may take for their own minimum or maximum.
    (SINGLE, &[Kind::Order], &[], |s, [x, _, _]| {
        let one = s.number(1.0);
        s.op(Op::Min, &[one, x])
    }),
    (SINGLE, &[Kind::Order], &[], |s, [x, _, _]| {
        let minus = s.number(-2.5);
        s.op(Op::Max, &[x, minus])
    }),
    (SINGLE, &[Kind::Order], &[], |s, [x, _, _]| {
        let one = s.number(1.0);
        let less = s.op(Op::Lt, &[x, one]);
        s.op(Op::Select, &[less, x, one])
    }),
    (SINGLE, &[Kind::Order], &[], |s, [x, y, _]| {
        let (one, minus) = (s.number(1.0), s.number(-1.0));
        let (less, more) = (s.op(Op::Lt, &[x, minus]), s.op(Op::Gt, &[x, one]));
        let low = s.op(Op::Select, &[less, minus, x]);
        let high = s.op(Op::Select, &[more, one, low]);
        let nan = s.op(Op::IsNan, &[x]);
        s.op(Op::Select, &[nan, y, high])
    }),
    (WIDE, &[Kind::Order], &[], |s, xyz| s.on_vectors(Op::Max, xyz)),
    (SINGLE, &[Kind::Order], &[Kind::Sum], |s, [x, y, z]| {
        let sum = s.op(Op::Add, &[x, y]);
        truth(s, Op::Lt, [sum, z])
    }),
    (SINGLE, &[Kind::Order], &[Kind::Product], |s, [x, y, z]| {
        let product = s.op(Op::Mul, &[x, y]);
        s.op(Op::Max, &[product, z])
    }),
    // Whole numbers.
    (WIDE, &[Kind::Whole], &[], |s, [x, _, _]| s.op(Op::Floor, &[x])),
    (WIDE, &[Kind::Whole], &[], |s, [x, _, _]| s.op(Op::Ceil, &[x])),
    (WIDE, &[Kind::Whole], &[], |s, [x, _, _]| s.op(Op::Trunc, &[x])),
    (WIDE, &[Kind::Whole], &[], |s, [x, _, _]| s.op(Op::RoundEven, &[x])),
    (WIDE, &[Kind::Whole], &[], |s, [x, _, _]| s.op(Op::Round, &[x])),
    (SINGLE, &[Kind::Whole], &[Kind::Sum], |s, [x, _, _]| {
        let whole = s.op(Op::Floor, &[x]);
        s.op(Op::Sub, &[x, whole])
    }),
];

/// A comparison as an operand.
fn truth(s: &mut Page<'_>, op: Op, args: [Value; 2]) -> Value {
    let truth = s.op(op, &args);
    s.flag(truth)
}

/// Questions about conversions and tests: the group, the operands, and the computation.
const CASTS: &[(Group, Scalar, Make)] = &[
    (Group::Nan32, Scalar::F32, |s, [x, _, _]| {
        let nan = s.op(Op::IsNan, &[x]);
        s.flag(nan)
    }),
    (Group::Nan32, Scalar::F32, |s, [x, y, _]| {
        let root = s.op(Op::Abs, &[x]);
        let nan = s.op(Op::IsNan, &[root]);
        s.op(Op::Select, &[nan, y, root])
    }),
    (Group::Widen32, Scalar::F32, |s, [x, _, _]| s.cast(x, Scalar::F64)),
    (Group::Widen32, Scalar::F32, |s, [x, _, _]| {
        let minus = s.op(Op::Neg, &[x]);
        s.cast(minus, Scalar::F64)
    }),
    (Group::Narrow64, Scalar::F64, |s, [x, _, _]| s.cast(x, Scalar::F32)),
    (Group::Half64, Scalar::F64, |s, [x, _, _]| s.cast(x, Scalar::F16)),
    (Group::Widen16, Scalar::F16, |s, [x, _, _]| s.cast(x, Scalar::F32)),
    (Group::Narrow16, Scalar::F32, |s, [x, _, _]| s.cast(x, Scalar::F16)),
    (Group::ToInt32, Scalar::F32, |s, [x, _, _]| s.cast(x, Scalar::I32)),
    (Group::ToInt32, Scalar::F32, |s, [x, _, _]| s.cast(x, Scalar::U32)),
    (Group::ToInt32, Scalar::F32, |s, [x, _, _]| s.cast(x, Scalar::I16)),
    (Group::ToInt32, Scalar::F32, |s, [x, _, _]| s.cast(x, Scalar::U8)),
    (Group::ToLong32, Scalar::F32, |s, [x, _, _]| s.cast(x, Scalar::I64)),
    (Group::ToLong32, Scalar::F32, |s, [x, _, _]| s.cast(x, Scalar::U64)),
    (Group::FromInt32, Scalar::U32, |s, [x, _, _]| s.cast(x, Scalar::F32)),
    (Group::FromInt32, Scalar::U32, |s, [x, _, _]| {
        let signed = s.cast(x, Scalar::I32);
        s.cast(signed, Scalar::F32)
    }),
    (Group::FromInt32, Scalar::U32, |s, [x, _, _]| {
        let short = s.cast(x, Scalar::I16);
        s.cast(short, Scalar::F32)
    }),
    (Group::FromLong32, Scalar::U64, |s, [x, _, _]| s.cast(x, Scalar::F32)),
    (Group::FromLong32, Scalar::U64, |s, [x, _, _]| {
        let signed = s.cast(x, Scalar::I64);
        s.cast(signed, Scalar::F32)
    }),
    (Group::ToInt64, Scalar::F64, |s, [x, _, _]| s.cast(x, Scalar::I32)),
    (Group::ToInt64, Scalar::F64, |s, [x, _, _]| s.cast(x, Scalar::U32)),
    (Group::ToInt64, Scalar::F64, |s, [x, _, _]| s.cast(x, Scalar::U8)),
    (Group::ToLong64, Scalar::F64, |s, [x, _, _]| s.cast(x, Scalar::I64)),
    (Group::ToLong64, Scalar::F64, |s, [x, _, _]| s.cast(x, Scalar::U64)),
    (Group::FromInt64, Scalar::U32, |s, [x, _, _]| s.cast(x, Scalar::F64)),
    (Group::FromInt64, Scalar::U32, |s, [x, _, _]| {
        let signed = s.cast(x, Scalar::I32);
        s.cast(signed, Scalar::F64)
    }),
    (Group::FromLong64, Scalar::U64, |s, [x, _, _]| s.cast(x, Scalar::F64)),
    (Group::FromLong64, Scalar::U64, |s, [x, _, _]| {
        let signed = s.cast(x, Scalar::I64);
        s.cast(signed, Scalar::F64)
    }),
];

/// Questions about types that not every device has.
const TYPES: &[(Scalar, Scalar, Make)] = &[
    // What only moves bits.
    (Scalar::F64, Scalar::F64, |_, [x, _, _]| x),
    (Scalar::F64, Scalar::F64, |s, [x, _, _]| s.op(Op::Neg, &[x])),
    (Scalar::F64, Scalar::F64, |s, [x, _, _]| s.op(Op::Abs, &[x])),
    (Scalar::F64, Scalar::F64, |s, [x, y, _]| s.op(Op::CopySign, &[x, y])),
    (Scalar::F64, Scalar::F64, |s, [x, _, _]| {
        let nan = s.op(Op::IsNan, &[x]);
        s.flag(nan)
    }),
    (Scalar::F64, Scalar::F64, |s, [x, _, _]| {
        let finite = s.op(Op::IsFinite, &[x]);
        s.flag(finite)
    }),
    (Scalar::F64, Scalar::F64, |s, [x, _, _]| s.builder.op_to(Op::Bitcast, &[x], Type::U64)),
    (Scalar::F16, Scalar::F16, |_, [x, _, _]| x),
    (Scalar::F16, Scalar::F16, |s, [x, _, _]| s.op(Op::Neg, &[x])),
    (Scalar::F16, Scalar::F16, |s, [x, _, _]| s.op(Op::Abs, &[x])),
    (Scalar::F16, Scalar::F16, |s, [x, y, _]| s.op(Op::CopySign, &[x, y])),
    (Scalar::F16, Scalar::F16, |s, [x, _, _]| {
        let nan = s.op(Op::IsNan, &[x]);
        s.flag(nan)
    }),
    // Integers of 64 bits.
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| s.op(Op::Add, &[x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| s.op(Op::Sub, &[x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| s.op(Op::Mul, &[x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| s.op(Op::Div, &[x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| s.op(Op::Rem, &[x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| s.op(Op::Min, &[x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| s.op(Op::MulHigh, &[x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| {
        let count = s.cast(y, Scalar::U32);
        s.op(Op::Shl, &[x, count])
    }),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| {
        let count = s.cast(y, Scalar::U32);
        s.op(Op::Shr, &[x, count])
    }),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| {
        let count = s.cast(y, Scalar::U32);
        s.op(Op::RotateLeft, &[x, count])
    }),
    (Scalar::I64, Scalar::U64, |s, [x, _, _]| s.op(Op::LeadingZeros, &[x])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| s.op(Op::Lt, &[x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| signed(s, Op::Lt, [x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| signed(s, Op::Div, [x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| signed(s, Op::Rem, [x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, y, _]| signed(s, Op::MulHigh, [x, y])),
    (Scalar::I64, Scalar::U64, |s, [x, _, _]| {
        let short = s.cast(x, Scalar::I32);
        s.cast(short, Scalar::I64)
    }),
    // A difference from a literal, which a driver was seen to take for a sum.
    (Scalar::I64, Scalar::U64, |s, [x, _, _]| {
        let high = s.builder.constant(Scalar::U64, 0x8000_0000);
        s.op(Op::Sub, &[high, x])
    }),
    (Scalar::I64, Scalar::U64, |s, [x, _, _]| {
        let high = s.builder.constant(Scalar::U64, 0x8000_0000);
        s.op(Op::NextMultipleOf, &[x, high])
    }),
    (Scalar::I64, Scalar::U64, |s, [x, _, _]| {
        let top = s.builder.constant(Scalar::U64, 1 << 63);
        s.op(Op::Sub, &[top, x])
    }),
    (Scalar::I64, Scalar::U64, |s, [x, _, _]| {
        let ten = s.builder.constant(Scalar::U64, 10);
        s.op(Op::Div, &[x, ten])
    }),
];

/// An op on signed integers of 64 bits.
fn signed(s: &mut Page<'_>, op: Op, args: [Value; 2]) -> Value {
    let args = args.map(|x| s.cast(x, Scalar::I64));
    s.op(op, &args)
}

/// Every question.
pub(super) fn questions() -> Vec<Question> {
    let mut all: Vec<Question> = Vec::new();
    let mut ask = |blamed, rests_on, operands, make| {
        all.push(Question { about: About { blamed, rests_on }, operands, make });
    };
    for &(scalar, operands, make) in TYPES {
        ask(vec![Subject::Type(scalar)], Vec::new(), operands, make);
    }
    for &(group, operands, make) in CASTS {
        ask(vec![Subject::Group(group)], vec![own(operands)], operands, make);
    }
    for &(scalars, blamed, rests_on, make) in FLOATS {
        for &scalar in scalars {
            let groups = |kinds: &[Kind]| -> Vec<Subject> {
                kinds.iter().filter_map(|kind| kind.group(scalar).map(Subject::Group)).collect()
            };
            let mut rests_on = groups(rests_on);
            rests_on.push(own(scalar));
            ask(groups(blamed), rests_on, scalar, make);
        }
    }
    all
}

/// That a device's own values of the type of the operands are right.
const fn own(operands: Scalar) -> Subject {
    Subject::Type(match operands {
        Scalar::U64 => Scalar::I64,
        other => other,
    })
}
