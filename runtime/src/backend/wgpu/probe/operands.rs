//! The operands of questions: numbers at which arithmetic goes wrong.
//!
//! Each triple is of one of four sorts: special numbers, random bits or ties, numbers whose sums and
//! products are around the least normal one, and moderate numbers of which sums cancel.

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

/// The bits of all `f32`s from 1 to below 4 whose roots are closer than 2^-42.5 of themselves to a number
/// halfway between two `f32`s. Whoever rounds a root that is off by less is right if these are.
#[rustfmt::skip]
const HARD_ROOTS: [u32; 75] = [
    0x3f80_0001, 0x3f80_0003, 0x3f80_0005, 0x3f80_0007, 0x3f80_0009, 0x3f92_5859, 0x3fa3_f60b, 0x3fa9_7bef, 0x3fb0_c6c3,
    0x3fb3_018b, 0x3fb5_ad95, 0x3fb8_cc66, 0x3fbb_61f7, 0x3fc3_d4c6, 0x3fcb_41e9, 0x3fcd_aeb2, 0x3fd2_6240, 0x3fd4_61f1,
    0x3fd4_6581, 0x3fd9_36ce, 0x3fe1_972d, 0x3fef_36ba, 0x3ff0_28ab, 0x3ff0_d9ce, 0x3ff4_b74a, 0x3ff9_cf73, 0x3ffc_114a,
    0x4001_ef9f, 0x400b_2241, 0x400f_e042, 0x4012_1e3f, 0x4015_8ecb, 0x4017_cf1b, 0x4019_5905, 0x401b_9bd1, 0x401c_3158,
    0x401d_c3f5, 0x4024_73d4, 0x402a_177f, 0x402e_5eff, 0x4033_02be, 0x403b_8bcc, 0x403b_8e2a, 0x403d_500e, 0x4041_bc4e,
    0x4043_a094, 0x4046_9903, 0x404d_142a, 0x404d_91ec, 0x4050_a6e2, 0x4051_5a77, 0x4053_64e1, 0x4054_1bc5, 0x4054_b46a,
    0x4055_1dbf, 0x4055_aaf6, 0x405a_e03b, 0x405b_64dc, 0x405f_5fa5, 0x4063_f6b8, 0x4064_1f46, 0x406e_9372, 0x4070_2086,
    0x4070_5e84, 0x4071_a284, 0x407f_ffed, 0x407f_ffef, 0x407f_fff1, 0x407f_fff3, 0x407f_fff5, 0x407f_fff7, 0x407f_fff9,
    0x407f_fffb, 0x407f_fffd, 0x407f_ffff,
];

/// Each of the hard roots as it is, once much greater and once much less.
fn hard_root(i: usize) -> Option<u32> {
    let powers = [0u32, 60, 60u32.wrapping_neg()];
    let power = powers.get(i / HARD_ROOTS.len())?;
    Some(HARD_ROOTS[i % HARD_ROOTS.len()].wrapping_add(power << 23))
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
                if self.fraction == 52 && !(i / 8).is_multiple_of(4) {
                    return self.on_a_tie_but_for_little(random);
                }
                let all = u64::MAX >> (63 - self.fraction - self.exponent);
                let mut triple = [(); 3].map(|()| self.without_payload(random.next() & all));
                if self.fraction == 23 {
                    for (place, operand) in (3 * (i as usize / 8)..).zip(&mut triple) {
                        *operand = hard_root(place).map_or(*operand, u64::from);
                    }
                }
                triple
            }
            2 if self.fraction == 52 && i / 4 % 4 == 3 => self.quotient_near_a_tie(random),
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

    /// Operands of a fused product of which the least part decides, which may be far below the rest.
    fn on_a_tie_but_for_little(self, random: &mut Random) -> [u64; 3] {
        let (bias, width) = ((1u64 << (self.exponent - 1)) - 1, u64::from(self.fraction));
        // Factors that are 1 and a bit more, or less. The product of both is less than 1 by a bit that
        // is lost.
        let place = random.next() % (width / 2);
        let (more, less) = (1 << place, (1 << width) - (2 << place));
        let number = |exponent: u64, fraction: u64, sign: u64| self.number(exponent, fraction | sign << 63);
        let signs = [(); 3].map(|()| random.next() & 1);
        let first = bias - width + random.next() % (2 * width);
        match random.next() % 4 {
            // The product has one bit more than there are.
            0 => {
                let divisor = 3 + 2 * (random.next() % 64);
                let quotient = ((2 << width | random.next() >> (63 - width)) / divisor) | 1;
                let [a, b] = [quotient, divisor].map(|whole| whole << (whole.leading_zeros() as u64 + width - 63));
                let second = bias / 2 + random.next() % bias;
                let third = (first + second).saturating_sub(bias + width + random.next() % (2 * bias));
                [number(first, a, signs[0]), number(second, b, signs[1]), number(third, random.next(), signs[2])]
            }
            // The product is half of the addend's last bit.
            1 => {
                let third = bias / 2 + random.next() % bias;
                let second = bias + third - width - 1 - first;
                let (a, b, second) = if place & 4 == 0 { (more, less, second - 1) } else { (0, 0, second) };
                [number(first, a, signs[0]), number(second, b, signs[1]), number(third, place & 3, signs[2])]
            }
            // The sum is what the product loses.
            2 if width == 52 => {
                let [a, b] = [number(first, random.next(), signs[0]), number(bias, random.next(), signs[1])];
                [a, b, (-(f64::from_bits(a) * f64::from_bits(b))).to_bits()]
            }
            // It is half of the least number, and the addend is subnormal.
            _ => {
                let first = 1 + random.next() % (bias - width - 2);
                let second = bias - width - first;
                let (second, last) = match random.next() % 4 {
                    0 => (second, 0),
                    1 => (second, more),
                    _ => (second - 1, less),
                };
                [number(first, 0, signs[0]), number(second, last, signs[1]), number(0, random.next() >> 1, signs[2])]
            }
        }
    }

    /// Operands whose quotient is a number halfway between two subnormal ones, or next to that: which is what it is in as
    /// many bits as normal ones have.
    fn quotient_near_a_tie(self, random: &mut Random) -> [u64; 3] {
        let (bias, width) = ((1u64 << (self.exponent - 1)) - 1, u64::from(self.fraction));
        // The product of two short numbers is exact.
        let (shorter, kept) = if random.next() & 1 == 0 { (12, 10) } else { (0, width) };
        let odd = (random.next() >> (11 + shorter + random.next() % 12) | 1) as f64;
        let divisor = self.number(bias, random.next() >> 1) >> (width - kept) << (width - kept);
        let product = (f64::from_bits(divisor) * odd).to_bits();
        let down = width + random.next() % (bias - 2 * width);
        let (a, b) = (product - (down << width), divisor + ((bias + width - down) << width));
        let sign = |random: &mut Random| random.next() & 1 << (self.fraction + self.exponent);
        [a | sign(random), b | sign(random), self.without_payload(random.next())]
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
    fn quotients_that_two_roundings_would_spoil_are_among_the_operands() {
        let bits = operands(Scalar::F64);
        let n = TRIPLES as usize;
        let spoiled = |a: f64, b: f64| {
            // The quotient times 2^200 is a normal number, rounded once; back down it is rounded again.
            let twice = a * 2f64.powi(200) / b * 2f64.powi(-200);
            (a / b).is_subnormal() && a.abs() < 2f64.powi(800) && twice.to_bits() != (a / b).to_bits()
        };
        let is_tie = |a: f64, b: f64| {
            let (up, quotient) = (a * 2f64.powi(200), a * 2f64.powi(200) / b);
            let is_exact = quotient.mul_add(-b, up) == 0.0 && a.abs() < 2f64.powi(800);
            is_exact && (quotient - a / b * 2f64.powi(200)).abs() == 2f64.powi(200 - 1075)
        };
        let count = |is: &dyn Fn(f64, f64) -> bool| {
            (0..n).filter(|&i| is(f64::from_bits(bits[i]), f64::from_bits(bits[n + i]))).count()
        };
        assert!(count(&spoiled) >= 10 && count(&is_tie) >= 40, "{} {}", count(&spoiled), count(&is_tie));
    }

    #[test]
    fn all_roots_next_to_a_tie_are_among_the_operands() {
        // With 23 bits after the point a root is `r * 2^-24` for an even `r`, and a tie for an odd one.
        let is_hard = |fraction: u64| {
            let square = f64::from(f32::from_bits(0x3f80_0000 + fraction as u32)) * 2f64.powi(48);
            let odd = square.sqrt() as u64 | 1;
            [odd - 2, odd, odd + 2].into_iter().any(|tie| {
                let distance = i128::from(tie * tie) - square as i128;
                // Half of the distance of the squares.
                distance.unsigned_abs() as f64 <= 2.0 * square * 2f64.powf(-42.5)
            })
        };
        let hard = (0..1 << 24).filter(|&fraction| is_hard(fraction));
        let hard: Vec<u32> = hard.map(|fraction| 0x3f80_0000 + fraction as u32).collect();
        assert_eq!(hard, HARD_ROOTS);
        let asked: Vec<f32> = floats().concat();
        for bits in HARD_ROOTS {
            for power in [0, 60, -60] {
                let operand = f32::from_bits(bits) * 2f32.powi(power);
                assert!(asked.contains(&operand), "{operand:e}");
            }
        }
    }

    #[test]
    fn triples_of_f64_tell_how_a_fused_product_is_rounded() {
        let (bits, n) = (operands(Scalar::F64), TRIPLES as usize);
        let triples = (0..n).map(|i| [0, 1, 2].map(|place| f64::from_bits(bits[place * n + i])));
        let triples: Vec<[f64; 3]> = triples.filter(|triple| triple.iter().all(|x| x.is_finite())).collect();
        let count =
            |differs: &dyn Fn(f64, f64, f64) -> bool| triples.iter().filter(|[x, y, z]| differs(*x, *y, *z)).count();
        let is_usual = |x: f64, y: f64, z: f64| (x * y).is_normal() && x.mul_add(y, z).is_normal();
        // The product is not rounded before the sum.
        assert!(count(&|x, y, z| is_usual(x, y, z) && x.mul_add(y, z) != x * y + z) > 200);
        // Nor are the errors of both before they are added.
        let by_errors = |x: f64, y: f64, z: f64| {
            let p = x * y;
            let (sum, error) = (p + z, x.mul_add(y, -p));
            let of_z = sum - p;
            sum + ((p - (sum - of_z)) + (z - of_z) + error)
        };
        assert!(count(&|x, y, z| is_usual(x, y, z) && x.mul_add(y, z) != by_errors(x, y, z)) > 30);
        // What is far less decides.
        let far_less = |x: f64, y: f64, z: f64| z.abs() < (x * y).abs() * 2f64.powi(-300);
        assert!(count(&|x, y, z| far_less(x, y, z) && x.mul_add(y, z) != x.mul_add(y, 0.0)) > 10);
        // What is subnormal is not rounded as a greater number is before.
        let (up, down) = (2f64.powi(500), 2f64.powi(-500));
        let rounded_twice = |x: f64, y: f64, z: f64| ((x * up).mul_add(y * up, z * up * up) * down) * down;
        let is_subnormal = |x: f64, y: f64, z: f64| x.mul_add(y, z).is_subnormal() && (x * up * y * up).is_normal();
        assert!(count(&|x, y, z| is_subnormal(x, y, z) && x.mul_add(y, z) != rounded_twice(x, y, z)) > 15);
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
