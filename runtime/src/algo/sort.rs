//! Radix sort, from the lowest byte to the highest. A pass counts how many keys of each share have each value of a byte,
//! scans the counts, and moves each key to its place.
//!
//! Invariant: keys of equal bytes keep their order. Shares are in order, and so are tiles of a share, the subgroups of a
//! workgroup, the rows of a subgroup, and the lanes of a row.
//!
//! On GPUs a workgroup ranks the keys of a tile by ballots of its subgroups, and puts them in order in workgroup memory, so
//! that keys of one byte are stored side by side. On processors a single invocation has a share, and its counters are its
//! own.
//!
//! Places are sums of counts, which no proof follows. So what is written to is atomic, and no kernel has `unsafe`.

use super::group::sums_before;
use super::scratch::{Scratch, Slot, addressable};
use crate::prelude::*;
use crate::view::{Readable, ViewMut, Writable};
use sealed::Order;

/// Which digit of which keys a pass sorts by.
#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Digits {
    /// How much each workgroup has: tiles, or keys if it has one invocation.
    share: u32,
    /// Which word of a key has the digit, and where it begins there.
    word: u32,
    shift: u32,
    /// Bits that are flipped in all keys, and in keys with a sign, so that keys are in the order of `u32`.
    sign: u32,
    negative: u32,
}

/// How many digits there are.
#[device]
const DIGITS: usize = 256;

/// How many words of the keys of a tile each invocation has. As many as workgroup memory holds: the longer the run of
/// keys with one digit is, the fewer are the stores that fill only a part of a sector.
#[device]
const EACH: usize = 12;

/// Words of the keys of a tile.
const TILE: usize = EACH * 256;

#[device]
fn digit_of(word: u32, digits: Digits) -> u32 {
    let flip = digits.sign | ((word as i32 >> 31) as u32 & digits.negative);
    (word ^ flip) >> digits.shift & 255
}

/// The lanes of the subgroup whose digit is the same.
#[device]
fn peers(digit: u32) -> u32 {
    let mut same = u32::MAX;
    #[unroll]
    for bit in 0..8 {
        let one = digit >> bit & 1 == 1;
        let ones = subgroup_ballot(one);
        same &= if one { ones } else { !ones };
    }
    same
}

#[kernel(workgroup_size(256), instances(WORDS = [1, 2]))]
fn count_digits<const WORDS: usize>(digits: Digits, keys: &[u32], counts: &mut [u32]) {
    #[shared]
    let bins: [[Atomic<u32>; 256]; 8];
    let lane = local_index();
    let group = workgroup_id().x;
    let len = keys.len() / WORDS;
    for t in 0..digits.share as usize {
        let tile = (group * digits.share as usize + t) * (EACH / WORDS * 256);
        let mut key = [0u32; EACH];
        // All loads of a tile are under way before the first key is used.
        #[unroll]
        for k in 0..EACH / WORDS {
            let i = tile + k * 256 + lane;
            key[k] = if i < len { keys[i * WORDS + digits.word as usize] } else { 0 };
        }
        #[unroll]
        for k in 0..EACH / WORDS {
            if tile + k * 256 + lane < len {
                bins[subgroup_id()][digit_of(key[k], digits) as usize].fetch_add(1);
            }
        }
    }
    workgroup_barrier();
    let mut count = 0;
    for i in 0..8 {
        count += bins[i][lane].load();
    }
    counts[lane * num_workgroups().x + group] = count;
}

#[kernel(workgroup_size(256))]
fn scan_counts(groups: usize, counts: &mut [u32], totals: &mut [u32]) {
    #[shared]
    let sums: [u32; 8];
    let lane = local_index();
    let first = workgroup_id().x * groups;
    let mut sum = 0;
    for t in 0..groups.div_ceil(256) {
        let i = t * 256 + lane;
        let x = if i < groups { counts[first + i] } else { 0 };
        let (before, total) = sums_before(&mut sums, x);
        if i < groups {
            counts[first + i] = sum + before;
        }
        sum += total;
    }
    if lane == 0 {
        totals[workgroup_id().x] = sum;
    }
}

#[kernel(workgroup_size(256), instances(WORDS = [1, 2], VALUES = [0, 1]))]
fn scatter<const WORDS: usize, const VALUES: usize>(
    digits: Digits,
    starts: &[u32],
    totals: &[u32],
    keys: &[u32],
    values: &[u32],
    sorted: &[Atomic<u32>],
    sorted_values: &[Atomic<u32>],
) {
    #[shared]
    let cells: [Atomic<u32>; EACH * 256];
    #[shared]
    let places: [u32; 256];
    #[shared]
    let sums: [u32; 8];
    let lane = local_index();
    let subgroup = subgroup_id();
    let len = keys.len() / WORDS;
    let (lower, _) = sums_before(&mut sums, totals[lane]);
    let mut start = lower + starts[lane * num_workgroups().x + workgroup_id().x];
    for t in 0..digits.share as usize {
        let tile = (workgroup_id().x * digits.share as usize + t) * (EACH / WORDS * 256);
        let own = tile + subgroup * (32 * (EACH / WORDS)) + subgroup_lane();
        let mut key = [0u32; EACH];
        let mut rank = [0u32; EACH];
        let mut other = [0u32; EACH];
        // The key that comes last in the order.
        let last = !digits.sign;
        #[unroll]
        for k in 0..EACH / WORDS {
            let i = own + 32 * k;
            if WORDS == 2 {
                let (low, high) = if i < len { (keys[2 * i], keys[2 * i + 1]) } else { (last, last) };
                key[k] = if digits.word == 0 { low } else { high };
                other[k] = if digits.word == 0 { high } else { low };
            } else {
                key[k] = if i < len { keys[i] } else { last };
            }
        }
        #[unroll]
        for i in 0..8 {
            cells[i * 256 + lane].store(0);
        }
        workgroup_barrier();
        #[unroll]
        for k in 0..EACH / WORDS {
            let digit = digit_of(key[k], digits);
            let same = peers(digit);
            let before = (same & ((1 << subgroup_lane()) - 1)).count_ones();
            let mut earlier = 0;
            if before == 0 {
                earlier = cells[subgroup * 256 + digit as usize].fetch_add(same.count_ones());
            }
            rank[k] = before + subgroup_shuffle(earlier, same.trailing_zeros());
        }
        workgroup_barrier();
        let mut count = 0;
        #[unroll]
        for i in 0..8 {
            let here = cells[i * 256 + lane].load();
            cells[i * 256 + lane].store(count);
            count += here;
        }
        let (before, _) = sums_before(&mut sums, count);
        #[unroll]
        for i in 0..8 {
            let here = cells[i * 256 + lane].load();
            cells[i * 256 + lane].store(here + before);
        }
        places[lane] = start - before;
        start += count;
        workgroup_barrier();
        #[unroll]
        for k in 0..EACH / WORDS {
            let digit = digit_of(key[k], digits);
            rank[k] += cells[subgroup * 256 + digit as usize].load();
        }
        workgroup_barrier();
        #[unroll]
        for k in 0..EACH / WORDS {
            let at = rank[k] as usize * WORDS;
            cells[at + digits.word as usize].store(key[k]);
            if WORDS == 2 {
                cells[at + 1 - digits.word as usize].store(other[k]);
            }
        }
        // Only now, so that no invocation holds keys and values: registers decide how many workgroups run at a time.
        let mut value = [0u32; EACH];
        if VALUES == 1 {
            #[unroll]
            for k in 0..EACH / WORDS {
                let i = own + 32 * k;
                value[k] = if i < len { values[i] } else { 0 };
            }
        }
        workgroup_barrier();
        // Neighbours store neighbouring words, also where a key has two.
        #[unroll]
        for k in 0..EACH {
            let at = k * 256 + lane;
            let i = at / WORDS;
            let moved = cells[at].load();
            let word = if WORDS == 2 { cells[i * 2 + digits.word as usize].load() } else { moved };
            let place = places[digit_of(word, digits) as usize] as usize + i;
            if tile + i < len {
                sorted[place * WORDS + at % WORDS].store(moved);
            }
        }
        if VALUES == 1 {
            // The digits of the keys whose values the invocation moves, four in a word.
            let mut packed = [0u32; EACH / 4];
            #[unroll]
            for k in 0..EACH / WORDS {
                let word = cells[(k * 256 + lane) * WORDS + digits.word as usize].load();
                packed[k / 4] |= digit_of(word, digits) << (k % 4 * 8) as u32;
            }
            workgroup_barrier();
            #[unroll]
            for k in 0..EACH / WORDS {
                cells[rank[k] as usize].store(value[k]);
            }
            workgroup_barrier();
            #[unroll]
            for k in 0..EACH / WORDS {
                let i = k * 256 + lane;
                let digit = packed[k / 4] >> (k % 4 * 8) as u32 & 255;
                if tile + i < len {
                    sorted_values[places[digit as usize] as usize + i].store(cells[i].load());
                }
            }
        }
        workgroup_barrier();
    }
}

/// The same as [`count_digits`] by one invocation a workgroup.
#[kernel(workgroup_size(1), instances(WORDS = [1, 2]))]
fn count_digits_one_by_one<const WORDS: usize>(digits: Digits, keys: &[u32], counts: &mut [u32]) {
    let mut bins = [0u32; DIGITS];
    let group = workgroup_id().x;
    let share = digits.share as usize;
    let first = group * share;
    for i in first..first + share.min(keys.len() / WORDS - first) {
        bins[digit_of(keys[i * WORDS + digits.word as usize], digits) as usize] += 1;
    }
    for digit in 0..DIGITS {
        counts[digit * num_workgroups().x + group] = bins[digit];
    }
}

/// The same as [`scatter`] by one invocation a workgroup.
#[kernel(workgroup_size(1), instances(WORDS = [1, 2], VALUES = [0, 1]))]
fn scatter_one_by_one<const WORDS: usize, const VALUES: usize>(
    digits: Digits,
    starts: &[u32],
    totals: &[u32],
    keys: &[u32],
    values: &[u32],
    sorted: &[Atomic<u32>],
    sorted_values: &[Atomic<u32>],
) {
    let mut places = [0u32; DIGITS];
    let share = digits.share as usize;
    let first = workgroup_id().x * share;
    let mut lower = 0;
    for digit in 0..DIGITS {
        places[digit] = lower + starts[digit * num_workgroups().x + workgroup_id().x];
        lower += totals[digit];
    }
    for i in first..first + share.min(keys.len() / WORDS - first) {
        let key = keys[i * WORDS + digits.word as usize];
        let digit = digit_of(key, digits) as usize;
        let place = places[digit] as usize;
        places[digit] += 1;
        sorted[place * WORDS + digits.word as usize].store(key);
        if WORDS == 2 {
            sorted[place * WORDS + 1 - digits.word as usize].store(keys[i * WORDS + 1 - digits.word as usize]);
        }
        if VALUES == 1 {
            sorted_values[place].store(values[i]);
        }
    }
}

/// At most so many workgroups sort, each a share of the keys.
const GROUPS: usize = 2048;

/// What [`sort`] and [`sort_pairs`] order: `u32`, `i32`, `f32` and `u64`.
///
/// Integers are in their own order. `f32` is in the total order of IEEE 754, that of [`f32::total_cmp`]: -0.0 is before
/// 0.0, NaN with a sign before all numbers, and NaN without one after them. The bits of a key never change.
///
/// ```
/// use samebits::algo::{self, Key};
/// use samebits::prelude::*;
///
/// fn sorted<K: Key>(device: &Device, keys: &[K]) -> Result<Vec<K>, Error> {
///     let mut keys = device.upload(keys)?;
///     algo::sort(device, &mut keys)?;
///     keys.read()
/// }
///
/// let device = Device::interpreter();
/// assert_eq!(sorted(&device, &[3i32, -1])?, [-1, 3]);
/// assert_eq!(sorted(&device, &[3u64 << 40, 5])?, [5, 3 << 40]);
/// # Ok::<(), Error>(())
/// ```
pub trait Key: Element + sealed::Key {}

/// What [`sort_pairs`] moves with its keys: `u32`, `i32` and `f32`.
///
/// Sort larger values by their indices: let the values be `0..n` and gather by what comes out.
///
/// ```
/// use samebits::algo::{self, Word};
/// use samebits::prelude::*;
///
/// fn least<V: Word>(device: &Device, keys: &[u32], values: &[V]) -> Result<V, Error> {
///     let (mut keys, mut values) = (device.upload(keys)?, device.upload(values)?);
///     algo::sort_pairs(device, &mut keys, &mut values)?;
///     Ok(values.read()?[0])
/// }
///
/// assert_eq!(least(&Device::interpreter(), &[7, 3], &[0.5f32, 1.5])?, 1.5);
/// # Ok::<(), Error>(())
/// ```
pub trait Word: Element + sealed::Word {}

mod sealed {
    /// How keys are compared: by their words, after some bits of theirs are flipped.
    #[derive(Clone, Copy, Debug)]
    pub struct Order {
        pub words: usize,
        /// Bits that are flipped in all keys.
        pub sign: u32,
        /// Bits that are flipped in those whose highest bit is set.
        pub negative: u32,
    }

    pub trait Key {
        const ORDER: Order;
    }

    pub trait Word {}
}

macro_rules! keys {
    ($($ty:ty: $words:literal $sign:literal $negative:literal;)*) => {$(
        impl Key for $ty {}
        impl sealed::Key for $ty {
            const ORDER: Order = Order { words: $words, sign: $sign, negative: $negative };
        }
    )*};
}
keys! {
    u32: 1 0 0;
    i32: 1 0x8000_0000 0;
    f32: 1 0x8000_0000 0xffff_ffff;
    u64: 2 0 0;
}

macro_rules! words {
    ($($ty:ty)*) => {$(
        impl Word for $ty {}
        impl sealed::Word for $ty {}
    )*};
}
words! { u32 i32 f32 }

/// Sorts keys, least first.
///
/// - *Time*: proportional to the number of keys, whatever they are. A pass for each byte of a key reads all keys twice
///   and writes them once.
/// - *Temporary memory*: as much as the keys, and 1 KiB for each of the shares that they are dealt in, of which GPUs
///   have at most 2048.
/// - *Determinism*: the same bits on every device.
/// - *Errors*: [`Error::OutOfMemory`] and its like for the temporary memory; [`Error::TooManyElements`] for 2³¹ and more
///   words of keys; those of a launch.
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let mut keys = device.upload(&[2.5f32, -1.0, 0.0, -0.0])?;
/// algo::sort(&device, &mut keys)?;
/// assert_eq!(keys.read()?, [-1.0, -0.0, 0.0, 2.5]);
/// # Ok::<(), Error>(())
/// ```
pub fn sort<K: Key>(device: &Device, keys: &mut impl Writable<K>) -> Result<(), Error> {
    Scratch::new(device).sort(keys)
}

/// Sorts keys, least first, and moves a value with each. Values of equal keys keep their order.
///
/// It is as [`sort`], with as much temporary memory again as the values have. Keys and values of different lengths are
/// [`Error::Lengths`].
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let mut keys = device.upload(&[2u32, 1, 2, 0])?;
/// let mut values = device.upload(&[0u32, 1, 2, 3])?; // where each key was
/// algo::sort_pairs(&device, &mut keys, &mut values)?;
/// assert_eq!(keys.read()?, [0, 1, 2, 2]);
/// assert_eq!(values.read()?, [3, 1, 0, 2]);
/// # Ok::<(), Error>(())
/// ```
pub fn sort_pairs<K: Key, V: Word>(
    device: &Device,
    keys: &mut impl Writable<K>,
    values: &mut impl Writable<V>,
) -> Result<(), Error> {
    Scratch::new(device).sort_pairs(keys, values)
}

impl Scratch {
    /// Sorts keys as [`sort`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let mut keys = device.upload(&[3u32, 1, 2])?;
    /// Scratch::new(&device).sort(&mut keys)?;
    /// assert_eq!(keys.read()?, [1, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sort<K: Key>(&mut self, keys: &mut impl Writable<K>) -> Result<(), Error> {
        let (mut none, mut other) = (self.take(Slot::Values, 1)?, self.take(Slot::Kept, 1)?);
        let values = (none.as_view_mut(), other.as_view_mut());
        self.sort_words(K::ORDER, false, keys.as_view_mut().view_mut()?, values)?;
        self.put(Slot::Values, none);
        self.put(Slot::Kept, other);
        Ok(())
    }

    /// Sorts keys with values as [`sort_pairs`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (mut keys, mut values) = (device.upload(&[3u32, 1])?, device.upload(&[0.5f32, 1.5])?);
    /// Scratch::new(&device).sort_pairs(&mut keys, &mut values)?;
    /// assert_eq!(values.read()?, [1.5, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sort_pairs<K: Key, V: Word>(
        &mut self,
        keys: &mut impl Writable<K>,
        values: &mut impl Writable<V>,
    ) -> Result<(), Error> {
        let (mut keys, mut values) = (keys.as_view_mut(), values.as_view_mut());
        if keys.len() != values.len() {
            return Err(Error::Lengths { from: keys.len(), to: values.len() });
        }
        let len = values.len();
        let mut there = self.take(Slot::Values, len)?;
        let values = (values.view_mut()?, there.slice_mut(..len)?);
        self.sort_words(K::ORDER, true, keys.view_mut()?, values)?;
        self.put(Slot::Values, there);
        Ok(())
    }

    /// Sorts keys, and the first of the values with them. The number of passes is even, so what is sorted ends where it
    /// was.
    fn sort_words(
        &mut self,
        order: Order,
        pairs: bool,
        mut keys: ViewMut<'_, u32>,
        (mut values, mut other_values): (ViewMut<'_, u32>, ViewMut<'_, u32>),
    ) -> Result<(), Error> {
        let words = addressable(keys.len())?;
        let len = words / order.words;
        if len < 2 {
            return Ok(());
        }
        let (share, groups) = if self.wide {
            let tiles = len.div_ceil(TILE / order.words);
            let each = tiles.div_ceil(GROUPS).max(2).min(tiles);
            (each, tiles.div_ceil(each))
        } else {
            let each = (len / 64).clamp(1024, 16384);
            (each, len.div_ceil(each))
        };
        let mut other = self.take(Slot::Elements, words)?;
        let mut counts = self.take(Slot::Groups, groups * DIGITS)?;
        let mut totals = self.take(Slot::Totals, DIGITS)?;
        let mut there = other.slice_mut(..words)?;
        // A single share has nothing before it, and its counts are all counts.
        let alone = groups == 1;
        if alone {
            totals.fill(0)?;
        }
        for pass in 0..order.words as u32 * 4 {
            let digits = Digits {
                share: share as u32,
                word: pass / 4,
                shift: pass % 4 * 8,
                sign: order.sign,
                negative: order.negative,
            };
            let (from, from_values, mut to, mut to_values) = match pass % 2 {
                0 => (keys.as_view(), values.as_view(), there.as_view_mut(), other_values.as_view_mut()),
                _ => (there.as_view(), other_values.as_view(), keys.as_view_mut(), values.as_view_mut()),
            };
            let (device, grid) = (&self.device, Grid::groups(groups, 1, 1));
            let count = match (self.wide, order.words) {
                (true, 1) => count_digits::launch::<1>,
                (true, _) => count_digits::launch::<2>,
                (false, 1) => count_digits_one_by_one::launch::<1>,
                (false, _) => count_digits_one_by_one::launch::<2>,
            };
            count(device, grid, digits, &from, &mut counts)?;
            if !alone {
                scan_counts::launch(device, Grid::groups(DIGITS, 1, 1), groups, &mut counts, &mut totals)?;
            }
            let (starts, all) = if alone { (&totals, &counts) } else { (&counts, &totals) };
            let scatter = match (self.wide, order.words, pairs) {
                (true, 1, false) => scatter::launch::<1, 0>,
                (true, 1, true) => scatter::launch::<1, 1>,
                (true, _, false) => scatter::launch::<2, 0>,
                (true, _, true) => scatter::launch::<2, 1>,
                (false, 1, false) => scatter_one_by_one::launch::<1, 0>,
                (false, 1, true) => scatter_one_by_one::launch::<1, 1>,
                (false, _, false) => scatter_one_by_one::launch::<2, 0>,
                (false, _, true) => scatter_one_by_one::launch::<2, 1>,
            };
            scatter(device, grid, digits, starts, all, &from, &from_values, &mut to, &mut to_values)?;
        }
        self.put(Slot::Elements, other);
        self.put(Slot::Groups, counts);
        self.put(Slot::Totals, totals);
        Ok(())
    }
}
