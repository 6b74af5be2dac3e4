//! Random numbers from counters: each number follows from its place and a seed, so that invocations need no state.
//!
//! Invariant: kernels and the host compute the same bits. Each generator is written once, and made for both.
//!
//! | for kernels | for the host | what it is |
//! | --- | --- | --- |
//! | [`philox`](enum@philox) | [`on_host::philox`] | Philox 4x32-10: four words from a counter of four words and a key of two |
//! | [`pcg`](enum@pcg) | [`on_host::pcg`] | the next word of PCG RXS-M-XS 32 as a hash of a word |
//! | [`unit`](enum@unit) | [`on_host::unit`] | a word as a float from 0 (included) to 1 (not included) |
//!
//! [`fill_u32`], [`fill_f32`] and [`fill_normal`] fill buffers. Philox passes the usual tests of random numbers; PCG with 32 bits is
//! quicker and enough for pictures and games. Neither is for cryptography.
//!
//! ```
//! use samebits::algo::random::{on_host, philox, unit};
//! use samebits::prelude::*;
//!
//! /// Points of a square, of which so many are in a quarter of a disc.
//! #[kernel]
//! fn throw(seed: u32, inside: &[Atomic<u32>]) {
//!     let [a, b, _, _] = philox([global_id().x as u32, 0, 0, 0], [seed, 0]);
//!     let (x, y) = (unit(a), unit(b));
//!     if x * x + y * y < 1.0 {
//!         inside[0].fetch_add(1);
//!     }
//! }
//!
//! let device = Device::interpreter();
//! let mut inside = device.zeros::<u32>(1)?;
//! throw::launch(&device, 1024, 7, &mut inside)?;
//! let expected = (0..1024).filter(|&i| {
//!     let [a, b, ..] = on_host::philox([i, 0, 0, 0], [7, 0]).map(on_host::unit);
//!     a * a + b * b < 1.0
//! });
//! assert_eq!(inside.read()?, [expected.count() as u32]);
//! # Ok::<(), Error>(())
//! ```

use super::scratch::addressable;
use crate::prelude::*;
use crate::view::Writable;

/// Makes a function for kernels, and the same one for the host.
macro_rules! for_both {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident: $ty:ty),*) -> $result:ty $body:block)*) => {
        $(
            $(#[$doc])*
            #[device]
            pub fn $name($($parameter: $ty),*) -> $result $body
        )*

        /// The generators as functions of the host.
        pub mod on_host {
            $(
                $(#[$doc])*
                pub fn $name($($parameter: $ty),*) -> $result $body
            )*
        }
    };
}

for_both! {
    /// Four random words from a counter and a key, by Philox 4x32-10 (Salmon and others, 2011).
    ///
    /// ```
    /// use samebits::algo::random::on_host;
    /// // Of the published values.
    /// assert_eq!(on_host::philox([0; 4], [0; 2])[0], 0x6627_e8d5);
    /// ```
    fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
        let (mut a, mut b, mut c, mut d) = (counter[0], counter[1], counter[2], counter[3]);
        let (mut k, mut l) = (key[0], key[1]);
        for _ in 0..10 {
            let p = 0xd251_1f53u64 * a as u64;
            let q = 0xcd9e_8d57u64 * c as u64;
            let (x, y) = ((q >> 32) as u32 ^ b ^ k, (p >> 32) as u32 ^ d ^ l);
            (a, b, c, d) = (x, q as u32, y, p as u32);
            k = k.wrapping_add(0x9e37_79b9);
            l = l.wrapping_add(0xbb67_ae85);
        }
        [a, b, c, d]
    }

    /// A random word from any word, by a step and the output function of PCG RXS-M-XS 32 (O'Neill, 2014).
    ///
    /// ```
    /// use samebits::algo::random::on_host;
    /// assert_eq!(on_host::pcg(0), 129_708_002);
    /// ```
    fn pcg(word: u32) -> u32 {
        let state = word.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let mixed = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        mixed >> 22 ^ mixed
    }

    /// A float from 0 (included) to 1 (not included) from the upper 24 bits of a word. All multiples of 2⁻²⁴ are as likely.
    ///
    /// ```
    /// use samebits::algo::random::on_host;
    /// assert_eq!(on_host::unit(1 << 31), 0.5);
    /// assert!(on_host::unit(u32::MAX) < 1.0);
    /// ```
    fn unit(word: u32) -> f32 {
        (word >> 8) as f32 * (1.0 / 16_777_216.0)
    }
}

/// Two independent normal numbers from two words, by Box and Muller. The mathematical functions are exact but for one
/// rounding, so the bits are the same everywhere.
#[device]
fn normals(a: u32, b: u32) -> (f32, f32) {
    // From above 0 to 1, so that the logarithm is finite.
    let radius = (-2.0 * (((a >> 8) + 1) as f32 * (1.0 / 16_777_216.0)).ln()).sqrt();
    let half_circles = 2.0 * unit(b);
    (radius * cos_pi(half_circles), radius * sin_pi(half_circles))
}

/// The words for four places.
#[device]
fn words_at(seed_low: u32, seed_high: u32, four: usize) -> [u32; 4] {
    philox([four as u32, 0, 0, 0], [seed_low, seed_high])
}

#[kernel(workgroup_size(256))]
fn random_words(low: u32, high: u32, y: &mut [u32]) {
    let i = global_id().x;
    let words = words_at(low, high, i);
    if i < y.len() / 4 {
        #[unroll]
        for k in 0..4 {
            y[4 * i + k] = words[k];
        }
    } else if i == y.len() / 4 {
        for k in 0..y.len() % 4 {
            y[4 * i + k] = words[k];
        }
    }
}

#[kernel(workgroup_size(256))]
fn random_units(low: u32, high: u32, y: &mut [f32]) {
    let i = global_id().x;
    let words = words_at(low, high, i);
    if i < y.len() / 4 {
        #[unroll]
        for k in 0..4 {
            y[4 * i + k] = unit(words[k]);
        }
    } else if i == y.len() / 4 {
        for k in 0..y.len() % 4 {
            y[4 * i + k] = unit(words[k]);
        }
    }
}

#[kernel(workgroup_size(256))]
fn random_normals(low: u32, high: u32, y: &mut [f32]) {
    let i = global_id().x;
    let words = words_at(low, high, i);
    let ((a, b), (c, d)) = (normals(words[0], words[1]), normals(words[2], words[3]));
    let numbers = [a, b, c, d];
    if i < y.len() / 4 {
        #[unroll]
        for k in 0..4 {
            y[4 * i + k] = numbers[k];
        }
    } else if i == y.len() / 4 {
        for k in 0..y.len() % 4 {
            y[4 * i + k] = numbers[k];
        }
    }
}

/// The halves of a seed, low first.
fn halves(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

/// Fills a buffer with random words: element `i` is word `i % 4` of `philox([i / 4, 0, 0, 0], seed)`, the low half of the
/// seed first.
///
/// - *Time*: writes each element once.
/// - *Temporary memory*: none.
/// - *Determinism*: the same bits on every device, and a longer buffer begins like a shorter one.
/// - *Errors*: those of a launch; [`Error::TooManyElements`] for 2³¹ and more elements.
///
/// ```
/// use samebits::algo::random;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let mut y = device.zeros::<u32>(5)?;
/// random::fill_u32(&device, 42, &mut y)?;
/// assert_eq!(y.read()?[4], random::on_host::philox([1, 0, 0, 0], [42, 0])[0]);
/// # Ok::<(), Error>(())
/// ```
pub fn fill_u32(device: &Device, seed: u64, y: &mut impl Writable<u32>) -> Result<(), Error> {
    let (mut y, [low, high]) = (y.as_view_mut(), halves(seed));
    let grid = addressable(y.len())?.div_ceil(4);
    random_words::launch(device, grid, low, high, &mut y)
}

/// Fills a buffer with floats from 0 (included) to 1 (not included): the [`on_host::unit`] of the words of [`fill_u32`]. All else
/// is as there.
///
/// ```
/// use samebits::algo::random;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let mut y = device.zeros::<f32>(100)?;
/// random::fill_f32(&device, 42, &mut y)?;
/// assert!(y.read()?.iter().all(|x| (0.0..1.0).contains(x)));
/// # Ok::<(), Error>(())
/// ```
pub fn fill_f32(device: &Device, seed: u64, y: &mut impl Writable<f32>) -> Result<(), Error> {
    let (mut y, [low, high]) = (y.as_view_mut(), halves(seed));
    let grid = addressable(y.len())?.div_ceil(4);
    random_units::launch(device, grid, low, high, &mut y)
}

/// Fills a buffer with normal numbers, of mean 0 and variance 1: two of them from two words of [`fill_u32`], by Box and
/// Muller. The largest is below 5.8. All else is as there.
///
/// ```
/// use samebits::algo::random;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let mut y = device.zeros::<f32>(1000)?;
/// random::fill_normal(&device, 42, &mut y)?;
/// let mean = y.read()?.iter().sum::<f32>() / 1000.0;
/// assert!(mean.abs() < 0.1);
/// # Ok::<(), Error>(())
/// ```
pub fn fill_normal(device: &Device, seed: u64, y: &mut impl Writable<f32>) -> Result<(), Error> {
    let (mut y, [low, high]) = (y.as_view_mut(), halves(seed));
    let grid = addressable(y.len())?.div_ceil(4);
    random_normals::launch(device, grid, low, high, &mut y)
}
