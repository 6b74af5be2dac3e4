//! Reductions and scans: of shares, one for each workgroup, and then of the shares' results.
//!
//! Invariant: how numbers are combined depends on their count alone, so that floats have the same bits on every device.
//! A workgroup never waits for another one.

use super::scratch::{Scratch, Slot, addressable};
use crate::prelude::*;
use crate::view::{Readable, View, ViewMut, Writable};

/// How many elements of a tile each invocation has. It is odd, so that neighbours read from different banks.
#[device]
const EACH: usize = 5;

/// Elements of a tile.
const TILE: usize = EACH * 256;

/// At most so many workgroups, each with a share of the elements.
const GROUPS: usize = 2048;

#[device]
fn combine<T: Number, const OP: usize>(a: T, b: T) -> T {
    if OP == 0 {
        a + b
    } else if OP == 1 {
        a.min(b)
    } else {
        a.max(b)
    }
}

/// What a subgroup has in all, and its invocations up to this one.
#[device]
fn in_subgroup<T: Number, const OP: usize>(x: T) -> T {
    if OP == 0 {
        subgroup_inclusive_add(x)
    } else if OP == 1 {
        subgroup_inclusive_min(x)
    } else {
        subgroup_inclusive_max(x)
    }
}

/// What the invocations before this one have, and all of them.
#[device]
fn in_workgroup<T: Number, const OP: usize>(all: &mut [T; 8], none: T, x: T) -> (T, T) {
    let upto = in_subgroup::<T, OP>(x);
    if subgroup_lane() == 31 {
        all[subgroup_id()] = upto;
    }
    let lower = subgroup_shuffle_up(upto, 1);
    workgroup_barrier();
    let mut before = none;
    let mut total = none;
    for i in 0..8 {
        if i == subgroup_id() {
            before = total;
        }
        total = combine::<T, OP>(total, all[i]);
    }
    workgroup_barrier();
    if subgroup_lane() > 0 {
        before = combine::<T, OP>(before, lower);
    }
    (before, total)
}

/// What each share has; a share is some tiles.
#[kernel(workgroup_size(256), instances(T = [u32, i32, f32, u64, i64, f64], OP = [0, 1, 2]), features(f64))]
fn reduce_shares<T: Number, const OP: usize>(tiles: usize, none: T, x: &[T], all: &mut [T]) {
    #[shared]
    let parts: [T; 8];
    let mut sum = none;
    for t in 0..tiles {
        let tile = (workgroup_id().x * tiles + t) * (EACH * 256);
        let mut own = [none; EACH];
        // All loads of a tile are under way before the first element is used.
        #[unroll]
        for k in 0..EACH {
            let i = tile + k * 256 + local_index();
            own[k] = if i < x.len() { x[i] } else { none };
        }
        #[unroll]
        for k in 0..EACH {
            sum = combine::<T, OP>(sum, own[k]);
        }
    }
    let (_, total) = in_workgroup::<T, OP>(&mut parts, none, sum);
    if local_index() == 0 {
        all[workgroup_id().x] = total;
    }
}

/// Scans each share, after what `starts` has for it.
#[kernel(workgroup_size(256), instances(T = [u32, i32, f32, u64, i64, f64], OP = [0, 1, 2]), features(f64))]
fn scan_shares<T: Number, const OP: usize>(tiles: usize, inclusive: u32, none: T, starts: &[T], x: &[T], y: &mut [T]) {
    #[shared]
    let here: [T; EACH * 256];
    #[shared]
    let parts: [T; 8];
    let lane = local_index();
    let mut sum = if starts.is_empty() { none } else { starts[workgroup_id().x] };
    for t in 0..tiles {
        let tile = (workgroup_id().x * tiles + t) * (EACH * 256);
        #[unroll]
        for k in 0..EACH {
            let i = tile + k * 256 + lane;
            here[k * 256 + lane] = if i < x.len() { x[i] } else { none };
        }
        workgroup_barrier();
        let mut own = [none; EACH];
        let mut all = none;
        #[unroll]
        for k in 0..EACH {
            own[k] = here[lane * EACH + k];
            all = if k == 0 { own[k] } else { combine::<T, OP>(all, own[k]) };
        }
        let (before, total) = in_workgroup::<T, OP>(&mut parts, none, all);
        let mut upto = combine::<T, OP>(sum, before);
        #[unroll]
        for k in 0..EACH {
            let next = combine::<T, OP>(upto, own[k]);
            here[lane * EACH + k] = if inclusive == 1 { next } else { upto };
            upto = next;
        }
        sum = combine::<T, OP>(sum, total);
        workgroup_barrier();
        #[unroll]
        for k in 0..EACH {
            let i = tile + k * 256 + lane;
            if i < y.len() {
                y[i] = here[k * 256 + lane];
            }
        }
        workgroup_barrier();
    }
}

/// How two elements become one in a [`reduce`] or a scan.
///
/// ```
/// use samebits::algo::{Operator, reduce};
/// use samebits::prelude::*;
/// let device = Device::interpreter();
/// let x = device.upload(&[3i32, -7, 5])?;
/// assert_eq!(reduce(&device, Operator::Sum, &x)?, 1);
/// assert_eq!(reduce(&device, Operator::Min, &x)?, -7);
/// assert_eq!(reduce(&device, Operator::Max, &x)?, 5);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// The sum, which begins with 0. Integers wrap. Floats are added in a fixed order.
    Sum,
    /// The least one, which begins with the greatest number of the type, or infinity. NaN is ignored.
    Min,
    /// The greatest one, which begins with the least number of the type, or -infinity. NaN is ignored.
    Max,
}

/// What can be reduced and scanned: `u32`, `i32`, `f32`, `u64`, `i64` and `f64`.
///
/// ```
/// use samebits::algo::{self, Operator, Scalar};
/// use samebits::prelude::*;
///
/// fn range<T: Scalar>(device: &Device, x: &Buffer<T>) -> Result<(T, T), Error> {
///     Ok((algo::reduce(device, Operator::Min, x)?, algo::reduce(device, Operator::Max, x)?))
/// }
///
/// let device = Device::interpreter();
/// assert_eq!(range(&device, &device.upload(&[2.5f64, 0.5])?)?, (0.5, 2.5));
/// # Ok::<(), Error>(())
/// ```
pub trait Scalar: Number + Element + sealed::Scalar {}

mod sealed {
    use super::{Device, Error, Grid, Operator, View, ViewMut};

    /// The kernels for a type.
    pub trait Scalar: Sized + super::Element {
        fn none(operator: Operator) -> Self;

        fn reduce_shares(
            device: &Device,
            operator: Operator,
            grid: Grid,
            tiles: usize,
            x: View<'_, Self>,
            all: ViewMut<'_, Self>,
        ) -> Result<(), Error>;

        fn scan_shares(
            device: &Device,
            operator: Operator,
            grid: Grid,
            options: super::Options,
            starts: View<'_, Self>,
            x: View<'_, Self>,
            y: ViewMut<'_, Self>,
        ) -> Result<(), Error>;
    }
}

/// What a launch of a scan is told beside its elements.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    tiles: usize,
    inclusive: bool,
}

macro_rules! scalars {
    ($($ty:ident $most:ident $least:ident;)*) => {$(
        impl Scalar for $ty {}
        impl sealed::Scalar for $ty {
            fn none(operator: Operator) -> Self {
                match operator {
                    Operator::Sum => 0 as $ty,
                    Operator::Min => $ty::$most,
                    Operator::Max => $ty::$least,
                }
            }

            fn reduce_shares(
                device: &Device,
                operator: Operator,
                grid: Grid,
                tiles: usize,
                x: View<'_, Self>,
                mut all: ViewMut<'_, Self>,
            ) -> Result<(), Error> {
                let launch = match operator {
                    Operator::Sum => reduce_shares::launch::<$ty, 0>,
                    Operator::Min => reduce_shares::launch::<$ty, 1>,
                    Operator::Max => reduce_shares::launch::<$ty, 2>,
                };
                launch(device, grid, tiles, Self::none(operator), &x, &mut all)
            }

            fn scan_shares(
                device: &Device,
                operator: Operator,
                grid: Grid,
                Options { tiles, inclusive }: Options,
                starts: View<'_, Self>,
                x: View<'_, Self>,
                mut y: ViewMut<'_, Self>,
            ) -> Result<(), Error> {
                let launch = match operator {
                    Operator::Sum => scan_shares::launch::<$ty, 0>,
                    Operator::Min => scan_shares::launch::<$ty, 1>,
                    Operator::Max => scan_shares::launch::<$ty, 2>,
                };
                launch(device, grid, tiles, inclusive.into(), Self::none(operator), &starts, &x, &mut y)
            }
        }
    )*};
}
scalars! {
    u32 MAX MIN;
    i32 MAX MIN;
    f32 INFINITY NEG_INFINITY;
    u64 MAX MIN;
    i64 MAX MIN;
    f64 INFINITY NEG_INFINITY;
}

/// All elements combined into one, which is read back. Of no elements it is what the [`Operator`] begins with.
///
/// - *Time*: reads all elements once.
/// - *Temporary memory*: 32 KiB.
/// - *Determinism*: the same bits on every device. Sums of floats are taken in an order that depends on the number of
///   elements alone. Elements are dealt to at most 2048 workgroups in shares, which are as many tiles of 1280 elements as
///   that takes, at least two. An invocation adds every 256th element of the share; neighbours in a subgroup are added in
///   pairs, these in pairs, and so on; then the eight subgroups are added one after the other. The sums of the
///   workgroups are added by one more workgroup in the same way.
/// - *Errors*: those of an allocation, a launch and a read; [`Error::TooManyElements`] from 2³¹ elements on.
///
/// ```
/// use samebits::algo::{self, Operator};
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let x = device.upload(&[0.5f32, 1.5, -4.0])?;
/// assert_eq!(algo::reduce(&device, Operator::Sum, &x)?, -2.0);
/// assert_eq!(algo::reduce(&device, Operator::Max, &x.slice(..1)?)?, 0.5);
/// # Ok::<(), Error>(())
/// ```
pub fn reduce<T: Scalar>(device: &Device, operator: Operator, x: &impl Readable<T>) -> Result<T, Error> {
    Scratch::new(device).reduce(operator, x)
}

/// Each element of `y` is what the elements of `x` up to it, its own included, have in all.
///
/// - *Time*: reads all elements twice and writes them once.
/// - *Temporary memory*: 32 KiB.
/// - *Determinism*: the same bits on every device. Sums of floats are taken in an order that depends on the number of
///   elements alone. As in all parallel scans, they are not those of a loop, and a sum may be less than the one before
///   it by a rounding although no element is negative.
/// - *Errors*: [`Error::Lengths`] unless `x` and `y` have the same length; those of an allocation and a launch;
///   [`Error::TooManyElements`] from 2³¹ elements on.
///
/// ```
/// use samebits::algo::{self, Operator};
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let x = device.upload(&[3u32, 1, 4, 1, 5])?;
/// let mut y = device.zeros::<u32>(5)?;
/// algo::inclusive_scan(&device, Operator::Sum, &x, &mut y)?;
/// assert_eq!(y.read()?, [3, 4, 8, 9, 14]);
/// algo::inclusive_scan(&device, Operator::Max, &x, &mut y)?;
/// assert_eq!(y.read()?, [3, 3, 4, 4, 5]);
/// # Ok::<(), Error>(())
/// ```
pub fn inclusive_scan<T: Scalar>(
    device: &Device,
    operator: Operator,
    x: &impl Readable<T>,
    y: &mut impl Writable<T>,
) -> Result<(), Error> {
    Scratch::new(device).inclusive_scan(operator, x, y)
}

/// Each element of `y` is what the elements of `x` before it have in all; the first one is what the [`Operator`] begins
/// with. All else is as for [`inclusive_scan`].
///
/// ```
/// use samebits::algo::{self, Operator};
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let x = device.upload(&[3u32, 1, 4, 1, 5])?;
/// let mut y = device.zeros::<u32>(5)?;
/// algo::exclusive_scan(&device, Operator::Sum, &x, &mut y)?;
/// assert_eq!(y.read()?, [0, 3, 4, 8, 9]);
/// # Ok::<(), Error>(())
/// ```
pub fn exclusive_scan<T: Scalar>(
    device: &Device,
    operator: Operator,
    x: &impl Readable<T>,
    y: &mut impl Writable<T>,
) -> Result<(), Error> {
    Scratch::new(device).exclusive_scan(operator, x, y)
}

/// How many tiles of 1280 elements a workgroup has, and how many workgroups there are. There are some elements.
pub(super) fn shares(len: usize) -> (usize, usize) {
    let tiles = len.div_ceil(TILE);
    let each = tiles.div_ceil(GROUPS).max(2).min(tiles);
    (each, tiles.div_ceil(each))
}

impl Scratch {
    /// Combines all elements as [`reduce`] does.
    ///
    /// ```
    /// use samebits::algo::{Operator, Scratch};
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let x = device.upload(&[3u64, 1 << 40])?;
    /// assert_eq!(Scratch::new(&device).reduce(Operator::Sum, &x)?, 3 + (1 << 40));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn reduce<T: Scalar>(&mut self, operator: Operator, x: &impl Readable<T>) -> Result<T, Error> {
        let words = size_of::<T>() / 4;
        let mut total = self.take(Slot::Totals, GROUPS * 2)?;
        self.reduce_into(operator, x, &mut total.slice_mut(..words)?.view_mut::<T>()?)?;
        let found = total.slice(..words)?.view::<T>()?.read()?;
        self.put(Slot::Totals, total);
        Ok(found.first().copied().unwrap_or(T::none(operator)))
    }

    /// The same into the first element of `total`, which stays on the device: nothing waits. If `total` has no element,
    /// that is [`Error::Lengths`].
    ///
    /// ```
    /// use samebits::algo::{Operator, Scratch};
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let x = device.upload(&[3.5f32, 1.0])?;
    /// let mut total = device.zeros::<f32>(1)?;
    /// Scratch::new(&device).reduce_into(Operator::Sum, &x, &mut total)?;
    /// assert_eq!(total.read()?, [4.5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn reduce_into<T: Scalar>(
        &mut self,
        operator: Operator,
        x: &impl Readable<T>,
        total: &mut impl Writable<T>,
    ) -> Result<(), Error> {
        let (x, mut total) = (x.as_view(), total.as_view_mut());
        let len = addressable(x.len())?;
        if total.is_empty() {
            return Err(Error::Lengths { from: 1, to: 0 });
        }
        if len == 0 {
            return total.write(0, &[T::none(operator)]);
        }
        let (tiles, groups) = shares(len);
        let mut all = self.take(Slot::Groups, GROUPS * 2)?;
        let mut part = all.slice_mut(..groups * size_of::<T>() / 4)?;
        let mut sums = part.view_mut::<T>()?;
        T::reduce_shares(&self.device, operator, Grid::groups(groups, 1, 1), tiles, x, sums.as_view_mut())?;
        let one = Grid::groups(1, 1, 1);
        T::reduce_shares(&self.device, operator, one, groups.div_ceil(TILE), sums.as_view(), total)?;
        self.put(Slot::Groups, all);
        Ok(())
    }

    /// Scans as [`inclusive_scan`] does.
    ///
    /// ```
    /// use samebits::algo::{Operator, Scratch};
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (x, mut y) = (device.upload(&[3i64, -5])?, device.zeros::<i64>(2)?);
    /// Scratch::new(&device).inclusive_scan(Operator::Sum, &x, &mut y)?;
    /// assert_eq!(y.read()?, [3, -2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn inclusive_scan<T: Scalar>(
        &mut self,
        operator: Operator,
        x: &impl Readable<T>,
        y: &mut impl Writable<T>,
    ) -> Result<(), Error> {
        self.scan(operator, true, x.as_view(), y.as_view_mut())
    }

    /// Scans as [`exclusive_scan`] does.
    ///
    /// ```
    /// use samebits::algo::{Operator, Scratch};
    /// use samebits::prelude::*;
    /// let device = Device::interpreter();
    /// let (x, mut y) = (device.upload(&[3.5f64, 1.0])?, device.zeros::<f64>(2)?);
    /// Scratch::new(&device).exclusive_scan(Operator::Sum, &x, &mut y)?;
    /// assert_eq!(y.read()?, [0.0, 3.5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn exclusive_scan<T: Scalar>(
        &mut self,
        operator: Operator,
        x: &impl Readable<T>,
        y: &mut impl Writable<T>,
    ) -> Result<(), Error> {
        self.scan(operator, false, x.as_view(), y.as_view_mut())
    }

    fn scan<T: Scalar>(
        &mut self,
        operator: Operator,
        inclusive: bool,
        x: View<'_, T>,
        y: ViewMut<'_, T>,
    ) -> Result<(), Error> {
        let len = addressable(x.len())?;
        if len != y.len() {
            return Err(Error::Lengths { from: len, to: y.len() });
        }
        if len == 0 {
            return Ok(());
        }
        let (tiles, groups) = shares(len);
        let (grid, one) = (Grid::groups(groups, 1, 1), Grid::groups(1, 1, 1));
        let mut all = self.take(Slot::Groups, GROUPS * 2)?;
        let mut totals = self.take(Slot::Totals, GROUPS * 2)?;
        let mut part = all.slice_mut(..groups * size_of::<T>() / 4)?;
        let mut sums = part.view_mut::<T>()?;
        let mut other = totals.slice_mut(..groups * size_of::<T>() / 4)?;
        let mut starts = other.view_mut::<T>()?;
        let device = &self.device;
        // One share needs no sums of shares.
        if groups > 1 {
            T::reduce_shares(device, operator, grid, tiles, x, sums.as_view_mut())?;
            let options = Options { tiles: groups.div_ceil(TILE), inclusive: false };
            T::scan_shares(device, operator, one, options, x.slice(..0)?, sums.as_view(), starts.as_view_mut())?;
        }
        let starts = starts.slice(..if groups > 1 { groups } else { 0 })?;
        T::scan_shares(device, operator, grid, Options { tiles, inclusive }, starts, x, y)?;
        self.put(Slot::Groups, all);
        self.put(Slot::Totals, totals);
        Ok(())
    }
}
