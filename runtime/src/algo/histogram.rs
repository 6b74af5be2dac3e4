//! Histograms: in workgroup memory if there are few bins, and else in place.

use super::scan::shares;
use super::scratch::{Scratch, addressable};
use crate::prelude::*;
use crate::view::{Readable, Writable};

/// Bins that fit into workgroup memory, in all copies together.
#[device]
const ROOM: usize = 2048;

/// How many keys of a tile each invocation has.
#[device]
const EACH: usize = 5;

/// Keys of a tile.
const TILE: usize = EACH * 256;

/// Counts in workgroup memory. Subgroups have copies, so that fewer invocations meet at a bin.
#[kernel(workgroup_size(256), instances(COPIES = [1, 8]))]
fn count_here<const COPIES: usize>(tiles: usize, keys: &[u32], bins: &[Atomic<u32>]) {
    #[shared]
    let counts: [[Atomic<u32>; ROOM / COPIES]; COPIES];
    let lane = local_index();
    for t in 0..tiles {
        let tile = (workgroup_id().x * tiles + t) * (EACH * 256);
        let mut key = [0usize; EACH];
        // All loads of a tile are under way before the first key is used.
        #[unroll]
        for k in 0..EACH {
            let i = tile + k * 256 + lane;
            key[k] = if i < keys.len() { keys[i] as usize } else { usize::MAX };
        }
        #[unroll]
        for k in 0..EACH {
            if key[k] < bins.len() {
                counts[subgroup_id() % COPIES][key[k]].fetch_add(1);
            }
        }
    }
    workgroup_barrier();
    for bin in (lane..bins.len()).step_by(256) {
        let mut count = 0;
        for copy in 0..COPIES {
            count += counts[copy][bin].load();
        }
        if count > 0 {
            bins[bin].fetch_add(count);
        }
    }
}

/// Counts where the bins are.
#[kernel(workgroup_size(256))]
fn count_there(keys: &[u32], bins: &[Atomic<u32>]) {
    let i = global_id().x;
    if i < keys.len() {
        bins[keys[i] as usize].fetch_add(1);
    }
}

/// Counts how often each number below `bins.len()` is among the keys. Other keys are not counted.
///
/// - *Time*: reads the keys once. Up to 2048 bins are counted in workgroup memory.
/// - *Temporary memory*: none.
/// - *Determinism*: the same bits on every device. Counts wrap, which takes 2³² equal keys.
/// - *Errors*: those of a launch; [`Error::TooManyElements`] for 2³¹ and more keys.
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let keys = device.upload(&[2u32, 0, 2, 9, 2])?;
/// let mut bins = device.zeros::<u32>(4)?;
/// algo::histogram(&device, &keys, &mut bins)?;
/// assert_eq!(bins.read()?, [1, 0, 3, 0]);
/// # Ok::<(), Error>(())
/// ```
pub fn histogram(device: &Device, keys: &impl Readable<u32>, bins: &mut impl Writable<u32>) -> Result<(), Error> {
    Scratch::new(device).histogram(keys, bins)
}

impl Scratch {
    /// Counts as [`histogram`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (keys, mut bins) = (device.upload(&[1u32, 1])?, device.zeros::<u32>(2)?);
    /// Scratch::new(&device).histogram(&keys, &mut bins)?;
    /// assert_eq!(bins.read()?, [0, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn histogram(&mut self, keys: &impl Readable<u32>, bins: &mut impl Writable<u32>) -> Result<(), Error> {
        let (keys, mut bins) = (keys.as_view(), bins.as_view_mut());
        let len = addressable(keys.len())?;
        bins.fill(0)?;
        if len == 0 {
            return Ok(());
        }
        // A workgroup with few keys would spend its time on the bins.
        let tiles = shares(len).0.max((4 * bins.len()).div_ceil(TILE));
        let groups = len.div_ceil(tiles * TILE);
        let grid = Grid::groups(groups, 1, 1);
        match bins.len() {
            0..=256 => count_here::launch::<8>(&self.device, grid, tiles, &keys, &mut bins),
            257..=ROOM => count_here::launch::<1>(&self.device, grid, tiles, &keys, &mut bins),
            _ => count_there::launch(&self.device, len, &keys, &mut bins),
        }
    }
}
