//! Seeded numbers for inputs: the same on every machine, in every build.

use samebits::check::Chance;
use samebits::math;

/// A generator of numbers: those of [`Chance`], without its edges.
///
/// ```
/// use samebits_hecbench::numbers::Random;
/// let mut random = Random::new(7);
/// assert!((0.0..1.0).contains(&random.unit()) && random.below(10) < 10);
/// ```
#[derive(Clone, Debug)]
pub struct Random(Chance);

impl Random {
    /// A generator that starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(Chance::new(seed))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 24) as f32
    }

    /// A number from one to below another.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + self.unit() * (high - low)
    }

    /// A whole number below another, which is not 0.
    pub fn below(&mut self, end: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(end)) >> 32) as u32
    }

    /// A number of the normal distribution around 0, with the deviation 1 (by Box and Muller).
    pub fn normal(&mut self) -> f32 {
        let radius = (-2.0 * math::ln(1.0 - self.unit())).sqrt();
        radius * math::cos_pi(2.0 * self.unit())
    }

    /// So many numbers from 0 to below 1.
    pub fn units(&mut self, len: usize) -> Vec<f32> {
        (0..len).map(|_| self.unit()).collect()
    }
}
