//! What flags keep: compaction, the indices of flags, and partition.
//!
//! Invariant: a share's elements keep their order, and shares are in order, so all of it is stable.

use super::group::sums_before;
use super::scan::{Operator, shares};
use super::scratch::{Scratch, Slot, addressable};
use crate::prelude::*;
use crate::view::{Readable, View, ViewMut, Writable};

/// How many elements of a tile each invocation has. It is odd, so that neighbours read from different banks.
#[device]
const EACH: usize = 5;

/// The place of an element that is dropped.
#[device]
const NOWHERE: u32 = u32::MAX;

/// How many elements of each share are kept.
#[kernel(workgroup_size(256))]
fn count_kept(tiles: usize, keep: &[u32], counts: &mut [u32]) {
    #[shared]
    let sums: [u32; 8];
    let mut count = 0;
    for t in 0..tiles {
        let tile = (workgroup_id().x * tiles + t) * (EACH * 256);
        let mut flags = [0u32; EACH];
        // All loads of a tile are under way before the first flag is used.
        #[unroll]
        for k in 0..EACH {
            let i = tile + k * 256 + local_index();
            flags[k] = if i < keep.len() { keep[i] } else { 0 };
        }
        #[unroll]
        for k in 0..EACH {
            count += (flags[k] != 0) as u32;
        }
    }
    let (_, total) = sums_before(&mut sums, count);
    if local_index() == 0 {
        counts[workgroup_id().x] = total;
    }
}

/// Moves each element of a share to its place. Elements have so many words; if they have none, their indices are moved.
/// Elements that are dropped follow those that are kept, if `others` is 1.
// Places are sums of flags, which no proof follows, so what is written to is atomic.
#[kernel(workgroup_size(256))]
fn move_kept(
    tiles: usize,
    words: usize,
    others: u32,
    keep: &[u32],
    starts: &[u32],
    total: &[u32],
    x: &[u32],
    y: &[Atomic<u32>],
) {
    #[shared]
    let here: [u32; EACH * 256];
    #[shared]
    let sums: [u32; 8];
    let lane = local_index();
    let all = total[0];
    let mut start = starts[workgroup_id().x];
    for t in 0..tiles {
        let tile = (workgroup_id().x * tiles + t) * (EACH * 256);
        #[unroll]
        for k in 0..EACH {
            let i = tile + k * 256 + lane;
            let flag = if i < keep.len() { keep[i] } else { 0 };
            here[k * 256 + lane] = (flag != 0) as u32;
        }
        workgroup_barrier();
        let mut count = 0;
        #[unroll]
        for k in 0..EACH {
            count += here[lane * EACH + k];
        }
        let (before, in_tile) = sums_before(&mut sums, count);
        let mut place = start + before;
        #[unroll]
        for k in 0..EACH {
            let own = lane * EACH + k;
            if here[own] == 1 {
                here[own] = place;
                place += 1;
            } else if others == 1 {
                // As many are dropped before it as are not kept.
                here[own] = all + (tile + own) as u32 - place;
            } else {
                here[own] = NOWHERE;
            }
        }
        start += in_tile;
        workgroup_barrier();
        #[unroll]
        for k in 0..EACH {
            let i = tile + k * 256 + lane;
            let place = here[k * 256 + lane];
            if i < keep.len() && place != NOWHERE {
                if words == 0 {
                    y[place as usize].store(i as u32);
                } else if words == 1 {
                    y[place as usize].store(x[i]);
                } else {
                    for word in 0..words {
                        y[place as usize * words + word].store(x[i * words + word]);
                    }
                }
            }
        }
        workgroup_barrier();
    }
}

/// What becomes of elements.
#[derive(Clone, Copy)]
struct Moved<'a> {
    x: View<'a, u32>,
    /// Words of an element; none if indices are moved.
    words: usize,
    /// Whether those that are dropped follow.
    others: bool,
}

/// Copies the elements of `x` whose flag is not 0 to the front of `y`, in their order, and returns how many they are. The
/// rest of `y` stays as it was.
///
/// - *Elements*: of any type of 4 bytes or a multiple of them.
/// - *Time*: reads the flags twice, and the elements once.
/// - *Temporary memory*: less than 64 KiB.
/// - *Determinism*: the same bits on every device.
/// - *Errors*: [`Error::Lengths`] unless `x` and `keep` have the same length and `y` has room for all that are kept, in which
///   case it has what fits; [`Error::Reinterpreted`] for elements that are no whole words;
///   [`Error::TooManyElements`] for 2³¹ and more words; those of an allocation, a launch and a read.
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let x = device.upload(&[0.5f32, 1.5, 2.5, 3.5])?;
/// let keep = device.upload(&[1u32, 0, 0, 7])?;
/// let mut y = device.zeros::<f32>(4)?;
/// assert_eq!(algo::compact(&device, &x, &keep, &mut y)?, 2);
/// assert_eq!(y.read_range(..2)?, [0.5, 3.5]);
/// # Ok::<(), Error>(())
/// ```
pub fn compact<T: Element>(
    device: &Device,
    x: &impl Readable<T>,
    keep: &impl Readable<u32>,
    y: &mut impl Writable<T>,
) -> Result<usize, Error> {
    Scratch::new(device).compact(x, keep, y)
}

/// Writes the indices of the flags that are not 0 to the front of `y`, in their order, and returns how many they are. All
/// else is as for [`compact`].
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let flags = device.upload(&[1u32, 0, 0, 7])?;
/// let mut y = device.zeros::<u32>(2)?;
/// assert_eq!(algo::indices(&device, &flags, &mut y)?, 2);
/// assert_eq!(y.read()?, [0, 3]);
/// # Ok::<(), Error>(())
/// ```
pub fn indices(device: &Device, flags: &impl Readable<u32>, y: &mut impl Writable<u32>) -> Result<usize, Error> {
    Scratch::new(device).indices(flags, y)
}

/// Copies all elements of `x` to `y`: first those whose flag is not 0, then the others, both in their order. Returns how
/// many are first. All else is as for [`compact`].
///
/// ```
/// use samebits::algo;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let x = device.upload(&[0.5f32, 1.5, 2.5, 3.5])?;
/// let first = device.upload(&[0u32, 1, 0, 1])?;
/// let mut y = device.zeros::<f32>(4)?;
/// assert_eq!(algo::partition(&device, &x, &first, &mut y)?, 2);
/// assert_eq!(y.read()?, [1.5, 3.5, 0.5, 2.5]);
/// # Ok::<(), Error>(())
/// ```
pub fn partition<T: Element>(
    device: &Device,
    x: &impl Readable<T>,
    first: &impl Readable<u32>,
    y: &mut impl Writable<T>,
) -> Result<usize, Error> {
    Scratch::new(device).partition(x, first, y)
}

impl Scratch {
    /// Compacts as [`compact`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (x, keep) = (device.upload(&[Vec2::new(1, 2), Vec2::new(3u32, 4)])?, device.upload(&[0u32, 1])?);
    /// let mut y = device.zeros::<Vec2<u32>>(1)?;
    /// assert_eq!(Scratch::new(&device).compact(&x, &keep, &mut y)?, 1);
    /// assert_eq!(y.read()?, [Vec2::new(3, 4)]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn compact<T: Element>(
        &mut self,
        x: &impl Readable<T>,
        keep: &impl Readable<u32>,
        y: &mut impl Writable<T>,
    ) -> Result<usize, Error> {
        let room = y.as_view().len();
        self.counted(room, |scratch, count| scratch.compact_into(x, keep, y, count))
    }

    /// The same with the number of elements in the first element of `count`, which stays on the device: nothing waits, and
    /// that `y` has room is not looked at. If `count` has no element, that is [`Error::Lengths`].
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (x, keep) = (device.upload(&[0.5f32, 1.5])?, device.upload(&[0u32, 1])?);
    /// let (mut y, mut count) = (device.zeros::<f32>(2)?, device.zeros::<u32>(1)?);
    /// Scratch::new(&device).compact_into(&x, &keep, &mut y, &mut count)?;
    /// assert_eq!((y.read()?, count.read()?), (vec![1.5, 0.0], vec![1]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn compact_into<T: Element>(
        &mut self,
        x: &impl Readable<T>,
        keep: &impl Readable<u32>,
        y: &mut impl Writable<T>,
        count: &mut impl Writable<u32>,
    ) -> Result<(), Error> {
        self.move_elements(x.as_view(), keep.as_view(), y.as_view_mut(), count.as_view_mut(), false)
    }

    /// Finds indices as [`indices`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (flags, mut y) = (device.upload(&[0u32, 1])?, device.zeros::<u32>(2)?);
    /// assert_eq!(Scratch::new(&device).indices(&flags, &mut y)?, 1);
    /// assert_eq!(y.read()?, [1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn indices(&mut self, flags: &impl Readable<u32>, y: &mut impl Writable<u32>) -> Result<usize, Error> {
        let room = y.as_view().len();
        self.counted(room, |scratch, count| scratch.indices_into(flags, y, count))
    }

    /// The same with the number of indices in the first element of `count`, as in [`compact_into`](Self::compact_into).
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let flags = device.upload(&[0u32, 1])?;
    /// let (mut y, mut count) = (device.zeros::<u32>(2)?, device.zeros::<u32>(1)?);
    /// Scratch::new(&device).indices_into(&flags, &mut y, &mut count)?;
    /// assert_eq!((y.read()?, count.read()?), (vec![1, 0], vec![1]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn indices_into(
        &mut self,
        flags: &impl Readable<u32>,
        y: &mut impl Writable<u32>,
        count: &mut impl Writable<u32>,
    ) -> Result<(), Error> {
        let flags = flags.as_view();
        let moved = Moved { x: flags.slice(..0)?, words: 0, others: false };
        self.move_kept(flags, moved, y.as_view_mut(), count.as_view_mut())
    }

    /// Partitions as [`partition`] does.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (x, first) = (device.upload(&[1u64 << 40, 2])?, device.upload(&[0u32, 1])?);
    /// let mut y = device.zeros::<u64>(2)?;
    /// assert_eq!(Scratch::new(&device).partition(&x, &first, &mut y)?, 1);
    /// assert_eq!(y.read()?, [2, 1 << 40]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn partition<T: Element>(
        &mut self,
        x: &impl Readable<T>,
        first: &impl Readable<u32>,
        y: &mut impl Writable<T>,
    ) -> Result<usize, Error> {
        let room = y.as_view().len();
        self.counted(room, |scratch, count| scratch.partition_into(x, first, y, count))
    }

    /// The same with the number of elements that are first in the first element of `count`, as in
    /// [`compact_into`](Self::compact_into). That `y` has room is looked at.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (x, first) = (device.upload(&[0.5f32, 1.5])?, device.upload(&[0u32, 1])?);
    /// let (mut y, mut count) = (device.zeros::<f32>(2)?, device.zeros::<u32>(1)?);
    /// Scratch::new(&device).partition_into(&x, &first, &mut y, &mut count)?;
    /// assert_eq!((y.read()?, count.read()?), (vec![1.5, 0.5], vec![1]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn partition_into<T: Element>(
        &mut self,
        x: &impl Readable<T>,
        first: &impl Readable<u32>,
        y: &mut impl Writable<T>,
        count: &mut impl Writable<u32>,
    ) -> Result<(), Error> {
        let (from, to) = (x.as_view().len(), y.as_view().len());
        if to < from {
            return Err(Error::Lengths { from, to });
        }
        self.move_elements(x.as_view(), first.as_view(), y.as_view_mut(), count.as_view_mut(), true)
    }

    /// Calls what counts, and reads the count, for which there must be room.
    fn counted(
        &mut self,
        room: usize,
        call: impl FnOnce(&mut Self, &mut Buffer<u32>) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let mut count = self.take(Slot::Kept, 1)?;
        call(self, &mut count)?;
        let kept = count.read_range(..1)?.first().map_or(0, |&kept| kept as usize);
        self.put(Slot::Kept, count);
        if kept > room { Err(Error::Lengths { from: kept, to: room }) } else { Ok(kept) }
    }

    fn move_elements<T: Element>(
        &mut self,
        x: View<'_, T>,
        keep: View<'_, u32>,
        mut y: ViewMut<'_, T>,
        count: ViewMut<'_, u32>,
        others: bool,
    ) -> Result<(), Error> {
        if x.len() != keep.len() {
            return Err(Error::Lengths { from: x.len(), to: keep.len() });
        }
        let words = size_of::<T>() / 4;
        if !size_of::<T>().is_multiple_of(4) {
            let bytes = x.len() as u64 * size_of::<T>() as u64;
            return Err(Error::Reinterpreted { bytes, element: 4 });
        }
        let moved = Moved { x: x.view()?, words, others };
        addressable(moved.x.len())?;
        self.move_kept(keep, moved, y.view_mut()?, count)
    }

    /// Moves what flags keep, and says how many elements that are.
    fn move_kept(
        &mut self,
        keep: View<'_, u32>,
        Moved { x, words, others }: Moved<'_>,
        mut y: ViewMut<'_, u32>,
        mut count: ViewMut<'_, u32>,
    ) -> Result<(), Error> {
        let len = addressable(keep.len())?;
        if len == 0 {
            return count.write(0, &[0]);
        }
        let (tiles, groups) = shares(len);
        let grid = Grid::groups(groups, 1, 1);
        let mut counts = self.take(Slot::Counts, groups)?;
        let mut starts = self.take(Slot::Starts, groups)?;
        count_kept::launch(&self.device, grid, tiles, &keep, &mut counts.slice_mut(..groups)?)?;
        self.exclusive_scan(Operator::Sum, &counts.slice(..groups)?, &mut starts.slice_mut(..groups)?)?;
        self.reduce_into(Operator::Sum, &counts.slice(..groups)?, &mut count)?;
        move_kept::launch(&self.device, grid, tiles, words, others.into(), &keep, &starts, &count, &x, &mut y)?;
        self.put(Slot::Counts, counts);
        self.put(Slot::Starts, starts);
        Ok(())
    }
}
