//! The operands that ops are tried on: the edges of each type, and seeded random ones.

use super::double;
use samebits_ir::ops::{Op, Part, Signature};
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type};
use samebits_random::Random;

/// The seed of every test's random values.
pub const SEED: u64 = 0x5eed_0001;

const INTEGERS: &[u32] = &[
    0,
    1,
    2,
    3,
    7,
    10,
    31,
    32,
    33,
    0xff,
    0x100,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x0100_0001,
    0x5555_5555,
    0x7fff_ff7f,
    0x7fff_ffbf,
    0x7fff_ffc0,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xaaaa_aaaa,
    0xffff_ff7f,
    0xffff_ff80,
    0xffff_fff9,
    0xffff_fffd,
    0xffff_fffe,
    0xffff_ffff,
];

const COUNTS: &[u32] = &[0, 1, 2, 8, 15, 16, 24, 30, 31, 32, 33, 63, 64, 65, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/// Powers of two, to where every product of one is zero or infinite.
const POWERS: &[i32] = &[
    0,
    1,
    -1,
    2,
    10,
    -10,
    14,
    -14,
    15,
    -15,
    24,
    -24,
    -25,
    40,
    -40,
    126,
    127,
    128,
    -126,
    -127,
    -149,
    -150,
    276,
    277,
    278,
    -300,
    1023,
    1024,
    -1022,
    -1023,
    -1074,
    -1075,
    2097,
    2098,
    -2098,
    -2099,
    0x7fff_ffff,
    -0x7fff_ffff,
    i32::MIN,
];

const WIDE: &[u64] = &[
    0,
    1,
    0xdead_beef,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x0000_beef_0000_dead,
    0x00ff_ffff_8000_0000,
    0x0100_0001_0000_0000,
    0x5555_5555_aaaa_aaaa,
    0x7fff_ffbf_ffff_ffff,
    0x7fff_ffc0_0000_0000,
    0x7fff_ffff_ffff_fffe,
    0x8000_0000_0000_0001,
    0xffff_ffff_ffff_fff9,
    0xffff_ffff_ffff_fffe,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_0000_0000,
    0xffff_ffff_ffff_ffff,
];

/// Positive floats; each is used with both signs.
const FLOATS: &[u32] = &[
    0,
    1, // the least subnormal
    2,
    0x0040_0000, // a subnormal with one bit
    0x007f_ffff, // the greatest subnormal
    0x0080_0000, // the least normal
    0x0080_0001,
    0x0100_0000,
    0x2000_0000, // 2⁻⁶³, whose square is subnormal
    0x33ff_ffff,
    0x3400_0000, // 2⁻²³
    0x3eaa_aaab, // 1/3
    0x3eff_ffff, // just below 0.5
    0x3f00_0000, // 0.5
    0x3f7f_ffff,
    0x3f80_0000, // 1
    0x3f80_0001,
    0x3fc0_0000, // 1.5
    0x4000_0000, // 2
    0x4020_0000, // 2.5
    0x4040_0000, // 3
    0x4060_0000, // 3.5
    0x4120_0000, // 10
    0x4aff_ffff, // 2²³ − 0.5
    0x4b00_0000, // 2²³
    0x4b00_0001,
    0x4b7f_ffff,
    0x4b80_0000, // 2²⁴
    0x4b80_0001,
    0x4eff_ffff, // below 2³¹
    0x4f00_0000, // 2³¹
    0x4f7f_ffff, // below 2³²
    0x4f80_0000, // 2³²
    0x5015_02f9, // 1e10
    0x5f00_0000, // 2⁶³
    0x6000_0000,
    0x7e80_0000, // its product with 4 overflows
    0x7f7f_ffff, // the greatest number
    0x7f80_0000, // infinity
    0x7fc0_0000, // the quiet NaN
    0x7fc0_1234,
    0x7fa0_beef, // a signalling NaN
    0x7f80_0001, // another one
];

/// Where three operands are crossed: few, but every sort of number.
const FEW_FLOATS: &[u32] = &[
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x2000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0xbf80_0002,
    0x4b80_0001,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fa0_beef,
    0xffc0_0001,
];

/// The most combinations of edges.
pub const MOST_CROSSED: usize = 8_000;

/// The edges of a scalar type.
pub fn edges(ty: Scalar) -> Vec<u64> {
    match ty {
        Scalar::Bool => vec![0, 1],
        Scalar::F32 => FLOATS.iter().flat_map(|&bits| [bits.into(), u64::from(bits | 1 << 31)]).collect(),
        Scalar::F64 => double::NUMBERS.iter().flat_map(|&bits| [bits, bits | 1 << 63]).collect(),
        Scalar::U64 | Scalar::I64 => WIDE.to_vec(),
        Scalar::I32 | Scalar::U32 => INTEGERS.iter().map(|&bits| bits.into()).collect(),
        Scalar::F16 => {
            let positive = [0, 1, 0x3ff, 0x400, 0x1400, 0x37ff, 0x3800, 0x3c00, 0x3c01, 0x3e00, 0x4100, 0x63ff, 0x6400];
            let special = [0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7e55];
            positive.into_iter().chain(special).flat_map(|bits| [bits, bits | 0x8000]).collect()
        }
        Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => {
            // What lies at both ends of half the range, and the same patterns cut short.
            let half = ty.mask() / 2;
            let around = [half - 1, half, half + 1, half + 2, ty.mask() - 1, ty.mask()];
            let cut = INTEGERS.iter().map(|&bits| u64::from(bits) & ty.mask());
            let mut all: Vec<u64> = cut.chain(around).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
    }
}

/// The edges of one operand of an op.
fn operand_edges(op: Op, position: usize, ty: Type) -> Vec<Lanes> {
    let Some(lane) = ty.lane() else { return Vec::new() };
    let signature = op.info().signature;
    let part = match signature {
        Signature::Lanes(_, parts, _) => parts.get(position),
        _ => None,
    };
    let lanes: Vec<u64> = match (op, position) {
        // What is not of the op's own type counts bits or is a power.
        _ if part == Some(&Part::U32) => COUNTS.iter().map(|&n| n.into()).collect(),
        _ if part == Some(&Part::I32) => POWERS.iter().map(|&power| u64::from(power as u32)).collect(),
        // Words whose parts are all at an end of their range: sums of their products are, too.
        (_, 0 | 1) if matches!(signature, Signature::Fixed([Type::U32, Type::U32, _], _)) => {
            vec![0, 1, 0xff, 0x8080_8080, 0x7f7f_7f7f, 0x8000_8000, 0x7fff_7fff, 0x0102_0304, 0xff00_80ff, 0xffff_ffff]
        }
        (Op::Extract | Op::Insert, 1) => vec![0, 1, 2, 3, 4, 5, 0x4000_0000, 0x8000_0000, 0xffff_ffff],
        (Op::MulAdd | Op::Clamp, _) if lane == Scalar::F32 => FEW_FLOATS.iter().map(|&bits| bits.into()).collect(),
        (Op::MulAdd | Op::Clamp, _) if lane == Scalar::F64 => double::FEW.to_vec(),
        _ => edges(lane),
    };
    let n = lanes.len();
    let value = |i: usize| {
        let mut value = Lanes::default();
        for (lane, out) in value.iter_mut().enumerate().take(ty.lanes()) {
            *out = lanes[(i + lane * (1 + i / 7)) % n];
        }
        value
    };
    let mut values: Vec<Lanes> = (0..n).map(value).collect();
    if ty.lanes() > 1 {
        // One lane at a time is not zero, for what looks at all of them.
        values.extend((0..ty.lanes()).map(|lane| {
            let mut value = Lanes::default();
            value[lane] = *lanes.last().unwrap_or(&1);
            value
        }));
        values.push(Lanes::default());
    }
    values
}

/// Every combination of the operands' edges, or as many as this.
pub fn crossed(op: Op, types: &[Type], most: usize) -> Vec<Vec<Lanes>> {
    let mut tuples = vec![Vec::new()];
    for (position, &ty) in types.iter().enumerate() {
        let edges = operand_edges(op, position, ty);
        let more = |tuple: Vec<Lanes>| {
            edges.iter().map(move |&value| tuple.iter().copied().chain([value]).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        tuples = tuples.into_iter().flat_map(more).collect();
        // Four operands would not end.
        tuples = spread(&tuples, most);
    }
    tuples
}

/// Edges as literals of one operand: at most this many, spread over all.
pub fn literals(op: Op, position: usize, ty: Type, most: usize) -> Vec<Lanes> {
    let edges = operand_edges(op, position, ty);
    spread(&edges, most)
}

/// At most this many, spread evenly.
pub fn spread<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    let count = all.len().min(most);
    (0..count).map(|i| all[i * all.len() / count].clone()).collect()
}

/// Operands at random: the same on every machine.
#[derive(Clone, Debug)]
pub struct Operands(Random);

impl Operands {
    /// The operands of a seed; those of different seeds are unrelated.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    fn scalar(&mut self, ty: Scalar) -> u64 {
        let (bits, kind) = (self.0.bits(), self.0.bits() % 4);
        let bits = match (ty, kind) {
            // Exponents near each other, where sums round and cancel.
            (Scalar::F32, 0) => bits & 0x807f_ffff | (0x78 + self.0.bits() % 16) << 23,
            (Scalar::F64, _) => double::random(bits, self.0.bits()),
            (Scalar::F32, 1) => bits & 0x807f_ffff | (self.0.bits() % 3) << 23,
            // Small integers and their negatives.
            (_, 0) if ty.is_int() => (bits as i64 >> (self.0.bits() % 63)) as u64,
            _ => bits,
        };
        bits & ty.mask()
    }

    /// Operands of an op.
    pub fn tuple(&mut self, op: Op, types: &[Type]) -> Vec<Lanes> {
        let mut tuple: Vec<Lanes> = types.iter().map(|&ty| self.value(ty)).collect();
        let width = types[0].lane().map_or(32, Scalar::bits);
        match op {
            Op::Extract | Op::Insert => tuple[1][0] %= 5,
            // Places and numbers of bits, sometimes a little beyond the width.
            Op::BitExtract => tuple[1..].iter_mut().for_each(|count| self.near(count, width)),
            Op::BitInsert => tuple[2..].iter_mut().for_each(|count| self.near(count, width)),
            Op::Ldexp => {
                let most = [40, 300, 2200][usize::from(width > 16) + usize::from(width > 32)];
                for power in &mut tuple[1] {
                    *power = u64::from((self.0.bits() % (2 * most)).wrapping_sub(most) as u32);
                }
            }
            Op::PackSnorm2 | Op::PackUnorm2 | Op::PackSnorm4 | Op::PackUnorm4 => self.halfway(op, &mut tuple[0]),
            Op::NarrowToZero | Op::PackHalf | Op::PackHalfToZero => self.near_halves(&mut tuple[0]),
            _ => {}
        }
        if op == Op::MulAdd && types[0].lane() == Some(Scalar::F32) && self.0.bits().is_multiple_of(3) {
            // The sum cancels all but the last bits of the product.
            if let [a, b, c] = &mut tuple[..] {
                for ((a, b), c) in a.iter().zip(b.iter()).zip(c).take(types[0].lanes()) {
                    let product = -(f32::from_bits(*a as u32) * f32::from_bits(*b as u32));
                    *c = u64::from(product.to_bits().wrapping_add(self.0.bits() as u32 % 3).wrapping_sub(1));
                }
            }
        }
        if op == Op::MulAdd
            && types[0].lane() == Some(Scalar::F64)
            && self.0.bits().is_multiple_of(3)
            && let [a, b, c] = &mut tuple[..]
        {
            for ((a, b), c) in a.iter().zip(b.iter()).zip(c).take(types[0].lanes()) {
                *c = double::opposite(*a, *b, self.0.bits());
            }
        }
        if matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge) && self.0.bits().is_multiple_of(4) {
            tuple[1] = tuple[0];
        }
        // Lanes that a type does not have are zero.
        for (value, ty) in tuple.iter_mut().zip(types) {
            value[ty.lanes()..].fill(0);
        }
        tuple
    }

    /// A number of bits that is most often within the width.
    fn near(&mut self, count: &mut Lanes, width: u32) {
        if !self.0.bits().is_multiple_of(4) {
            count.iter_mut().for_each(|count| *count %= u64::from(width) + 2);
        }
    }

    /// Numbers around the middle between two steps of a packed fraction.
    fn halfway(&mut self, op: Op, lanes: &mut Lanes) {
        let (scale, signed) = match op {
            Op::PackSnorm2 => (32_767, true),
            Op::PackUnorm2 => (65_535, false),
            Op::PackSnorm4 => (127, true),
            _ => (255, false),
        };
        for lane in lanes {
            let middle = (self.0.bits() % scale) as f32 + 0.5;
            let value = if signed && self.0.bits().is_multiple_of(2) { -middle } else { middle } / scale as f32;
            if !self.0.bits().is_multiple_of(4) {
                *lane = u64::from(value.to_bits().wrapping_add(self.0.bits() as u32 % 3).wrapping_sub(1));
            }
        }
    }

    /// Numbers at, between and around those of `f16`.
    fn near_halves(&mut self, lanes: &mut Lanes) {
        for lane in lanes {
            let bits = self.0.bits();
            if !bits.is_multiple_of(4) {
                let number = half::f16::from_bits(bits as u16).to_f32().to_bits();
                let between = [0, 0x1000, 0x0fff, 0x1001, 1, 0x1fff][(bits >> 16) as usize % 6];
                *lane = u64::from(number ^ between);
            }
        }
    }

    fn value(&mut self, ty: Type) -> Lanes {
        let mut value = Lanes::default();
        if let Some(lane) = ty.lane() {
            value.iter_mut().take(ty.lanes()).for_each(|out| *out = self.scalar(lane));
        }
        value
    }
}
