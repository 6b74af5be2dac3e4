//! The operands of questions: numbers at which arithmetic goes wrong.
//!
//! Each triple is of one of four sorts: special numbers, random bits, numbers whose sums and products
//! are around the least normal one, and moderate numbers of which sums cancel.

use samebits_ir::types::Scalar;

/// Triples of each type.
pub(super) const TRIPLES: u32 = 2048;

/// The bits of the operands of a type: all first ones, then all second ones, then all third ones.
pub(super) fn operands(scalar: Scalar) -> Vec<u64> {
    let mut random = Random(0x853c_49e6_748f_ea9b ^ u64::from(scalar.bits()));
    let triples: Vec<[u64; 3]> = (0..TRIPLES).map(|i| triple(scalar, i, &mut random)).collect();
    (0..3).flat_map(|place| triples.iter().map(move |triple| triple[place])).collect()
}

fn triple(scalar: Scalar, i: u32, random: &mut Random) -> [u64; 3] {
    match Format::of(scalar) {
        Some(format) => format.triple(i, random),
        None => [(); 3].map(|()| integer(scalar, random)),
    }
}

/// An integer of any length, often next to a power of two.
fn integer(scalar: Scalar, random: &mut Random) -> u64 {
    let bits = random.next();
    let short = bits >> (random.next() % 64);
    let near = (1u64 << (random.next() % 64)).wrapping_add(random.next() % 5).wrapping_sub(2);
    let value = match random.next() % 4 {
        0 => bits,
        1 => short,
        2 => near,
        // Ties, when it is rounded to a float.
        _ => (short | 1) << (random.next() % 40),
    };
    value & scalar.mask()
}

/// How a float's bits are laid out.
#[derive(Clone, Copy)]
struct Format {
    /// Bits of the fraction.
    fraction: u32,
    /// Bits of the exponent.
    exponent: u32,
}

impl Format {
    const fn of(scalar: Scalar) -> Option<Self> {
        match scalar {
            Scalar::F16 => Some(Self { fraction: 10, exponent: 5 }),
            Scalar::F32 => Some(Self { fraction: 23, exponent: 8 }),
            Scalar::F64 => Some(Self { fraction: 52, exponent: 11 }),
            _ => None,
        }
    }

    /// A number with an exponent above the least one by so many, a sign and a fraction.
    const fn number(self, exponent: u64, bits: u64) -> u64 {
        let sign = bits >> 63 << (self.fraction + self.exponent);
        let last = (1 << self.exponent) - 2;
        let exponent = if exponent > last { last } else { exponent };
        sign | exponent << self.fraction | bits & ((1 << self.fraction) - 1)
    }

    fn triple(self, i: u32, random: &mut Random) -> [u64; 3] {
        let bias = (1u64 << (self.exponent - 1)) - 1;
        let width = u64::from(self.fraction);
        match i % 4 {
            // All pairs of them occur.
            0 => {
                let special = self.specials();
                let (first, second) = (i / 4 % 20, i / 80 % 20);
                let third = (random.next() % 20) as usize;
                [special[first as usize], special[second as usize], special[third]]
            }
            1 if i / 4 % 2 == 1 && self.fraction > 10 => [(); 3].map(|()| self.near_a_tie(random)),
            1 => {
                let all = u64::MAX >> (63 - self.fraction - self.exponent);
                [(); 3].map(|()| self.without_payload(random.next() & all))
            }
            2 => {
                // Three of the least numbers, or two whose product is among them.
                let least = |random: &mut Random| random.next() % width;
                let (first, second) = if random.next().is_multiple_of(3) {
                    (least(random) % 2, least(random) % 2)
                } else {
                    let first = random.next() % (2 * bias);
                    (first, (bias + random.next() % (2 * width)).saturating_sub(first + width))
                };
                [first, second, least(random) % 2].map(|exponent| self.number(exponent, random.next()))
            }
            _ if random.next().is_multiple_of(4) => {
                // 1 + a, 1 + b and -(1 + a + b), of which a fused product is ab.
                let part = |random: &mut Random| random.next() & ((1 << (self.fraction - 2)) - 1);
                let (a, b) = (part(random), part(random));
                let (one, sign) = (bias << self.fraction, 1 << (self.fraction + self.exponent));
                [one | a, one | b, sign | one | (a + b)]
            }
            _ => [(); 3].map(|()| {
                let exponent = bias + random.next() % 5 - 2;
                self.number(exponent, random.next())
            }),
        }
    }

    /// A number halfway between two of a narrower float, or next to that. The narrower ones are often
    /// subnormal.
    fn near_a_tie(self, random: &mut Random) -> u64 {
        let (kept, least) = if self.fraction > 23 && random.next().is_multiple_of(2) { (23, 126) } else { (10, 14) };
        let bias = (1u64 << (self.exponent - 1)) - 1;
        let exponent = bias - least - 12 + random.next() % 42;
        // Below the least normal number, a bit less is kept with each power of two.
        let dropped = u64::from(self.fraction - kept) + (bias - least).saturating_sub(exponent);
        let number = self.number(exponent, random.next());
        let number = if dropped > u64::from(self.fraction) {
            number >> self.fraction << self.fraction
        } else {
            number >> dropped << dropped | 1 << (dropped - 1)
        };
        number.wrapping_add(random.next() % 3).wrapping_sub(1)
    }

    /// Zeros, infinities, NaN, and numbers at the ends of ranges.
    fn specials(self) -> [u64; 20] {
        let one = ((1u64 << (self.exponent - 1)) - 1) << self.fraction;
        let infinity = ((1u64 << self.exponent) - 1) << self.fraction;
        let least = 1u64 << self.fraction;
        let sign = 1u64 << (self.fraction + self.exponent);
        let nan = infinity | 1 << (self.fraction - 1);
        // 2 to the power of 31 and 32, and what is below.
        let power = |n: u64| one + (n << self.fraction);
        let wide = self.exponent > 5;
        let (p31, p32) = if wide { (power(31), power(32)) } else { (power(10), power(11)) };
        [
            0,
            sign,
            infinity,
            sign | infinity,
            nan,
            one,
            sign | one,
            least,
            sign | least,
            least - 1,
            sign | (least - 1),
            1,
            sign | 1,
            infinity - 1,
            sign | (infinity - 1),
            one - least,
            one + (least >> 1),
            p31,
            sign | p31,
            p32 - 1,
        ]
    }

    /// NaNs have one pattern of bits in what kernels store.
    const fn without_payload(self, bits: u64) -> u64 {
        let infinity = ((1u64 << self.exponent) - 1) << self.fraction;
        let magnitude = bits & ((1 << (self.fraction + self.exponent)) - 1);
        if magnitude > infinity { infinity | 1 << (self.fraction - 1) } else { bits }
    }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats() -> Vec<[f32; 3]> {
        let bits = operands(Scalar::F32);
        let n = TRIPLES as usize;
        (0..n).map(|i| [0, 1, 2].map(|place| f32::from_bits(bits[place * n + i] as u32))).collect()
    }

    #[test]
    fn every_pair_of_special_numbers_occurs() {
        for scalar in [Scalar::F16, Scalar::F32, Scalar::F64] {
            let format = Format::of(scalar).expect("a float");
            let (bits, n) = (operands(scalar), TRIPLES as usize);
            for x in format.specials() {
                for y in format.specials() {
                    assert!((0..n).any(|i| bits[i] == x && bits[n + i] == y), "{x:x} {y:x}");
                }
            }
            assert!(bits.iter().all(|&bits| bits <= scalar.mask()));
        }
    }

    #[test]
    fn triples_tell_one_rounding_from_two_and_subnormals_from_zeros() {
        let floats = floats();
        let count = |differs: &dyn Fn([f32; 3]) -> bool| floats.iter().filter(|&&triple| differs(triple)).count();
        assert!(count(&|[x, y, z]| x.mul_add(y, z).to_bits() != (x * y + z).to_bits()) > 100);
        assert!(count(&|[x, y, _]| (x * y).is_subnormal()) > 100);
        assert!(count(&|[x, _, z]| (x + z).is_subnormal()) > 50);
        assert!(count(&|[x, y, z]| x.mul_add(y, z).is_subnormal()) > 50);
        assert!(count(&|[x, _, _]| x.is_subnormal()) > 50);
        assert!(count(&|[x, y, z]| x.is_finite() && y.is_finite() && z.is_finite()) > 1000);
    }
}
