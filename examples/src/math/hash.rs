//! Numbers that look random: a hash of a word, and the generator PCG32.
//!
//! Both are published algorithms, held by tests against the values that were published
//! with them. They are for pictures and samples, and not for secrets.

use samebits::prelude::*;

/// A hash of a word, which gives each word another one: the end of MurmurHash3.
///
/// A good seed for a [`Pcg32`] of each invocation.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::hash_u32;
///
/// #[kernel]
/// fn hashes(y: &mut [u32]) {
///     let i = global_id().x;
///     y[i] = hash_u32(i as u32);
/// }
///
/// let device = Device::interpreter();
/// let mut y = device.zeros(2)?;
/// hashes::launch(&device, y.len(), &mut y)?;
/// assert_eq!(y.read()?, [0, 0x514e_28b7]);
/// # Ok::<(), Error>(())
/// ```
#[device]
pub fn hash_u32(word: u32) -> u32 {
    let a = (word ^ (word >> 16)) * 0x85eb_ca6b;
    let b = (a ^ (a >> 13)) * 0xc2b2_ae35;
    b ^ (b >> 16)
}

/// The generator PCG32 of Melissa O'Neill, "PCG: A Family of Simple Fast Space-Efficient
/// Statistically Good Algorithms for Random Number Generation", 2014: 64 bits of state, and 2⁶³
/// streams that do not overlap.
///
/// It fits into a buffer, so that the next launch can go on where one stopped.
///
/// ```
/// use samebits::prelude::*;
/// use samebits_examples::math::Pcg32;
///
/// #[kernel]
/// fn seed(generators: &mut [Pcg32]) {
///     let i = global_id().x;
///     generators[i] = Pcg32::new(42, i as u64);
/// }
///
/// #[kernel]
/// fn throw(generators: &mut [Pcg32], dice: &mut [u32]) {
///     let i = global_id().x;
///     dice[i] = 1 + generators[i].below(6);
/// }
///
/// let device = Device::interpreter();
/// let mut generators = device.zeros::<Pcg32>(100)?;
/// let mut dice = device.zeros::<u32>(100)?;
/// seed::launch(&device, 100, &mut generators)?;
/// throw::launch(&device, 100, &mut generators, &mut dice)?;
/// assert!(dice.read()?.iter().all(|eyes| (1..=6).contains(eyes)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Element)]
#[element(methods)]
#[repr(C)]
pub struct Pcg32 {
    /// What changes with each number.
    pub state: u64,
    /// Twice the stream's number, and 1.
    pub increment: u64,
}

#[device]
impl Pcg32 {
    /// The multiplier of the generator's congruence.
    pub const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

    /// The generator of a stream, started by a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut generator = Self { state: 0, increment: stream << 1 | 1 };
        generator.step();
        generator.state += seed;
        generator.step();
        generator
    }

    /// Goes to the next state.
    fn step(&mut self) {
        self.state = self.state * Self::MULTIPLIER + self.increment;
    }

    /// The next number of 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.step();
        let mixed = ((old >> 18 ^ old) >> 27) as u32;
        mixed.rotate_right((old >> 59) as u32)
    }

    /// The next float from 0 up to, but without, 1; one of 2²⁴ that are equally far apart.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// use samebits_examples::math::Pcg32;
    ///
    /// #[kernel]
    /// fn noise(seed: u64, y: &mut [f32]) {
    ///     let i = global_id().x;
    ///     let mut generator = Pcg32::new(seed, i as u64);
    ///     y[i] = generator.next_f32();
    /// }
    ///
    /// let device = Device::interpreter();
    /// let mut y = device.zeros::<f32>(64)?;
    /// noise::launch(&device, y.len(), 7, &mut y)?;
    /// assert!(y.read()?.iter().all(|x| (0.0..1.0).contains(x)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// The next number below a limit, 0 for a limit of 0. It is not quite uniform: limits that are no
    /// power of two prefer some numbers by up to one part in 2³² over the limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        mul_hi(self.next_u32(), limit)
    }
}
