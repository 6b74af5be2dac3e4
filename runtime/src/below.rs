//! Indices that are all below a bound: what a gather needs so that no access by them is tested.
//!
//! Invariant: a [`Below`] is only made of elements that were looked at, and borrows them, so nobody writes to them as long
//! as it lives. Kernels access memory by them without a test, so a number that is not below the bound would be an access
//! beyond a buffer's end. Elements that others may write are refused, and who lends a buffer to others borrows it mutably.

use crate::argument::Arg;
use crate::element::Element;
use crate::error::Error;
use crate::view::{Readable, View};
use std::fmt;

/// Numbers in a buffer that are all below a bound, such as the columns of a sparse matrix.
///
/// A kernel takes them as `columns: Below<'_, u32>` and reads them as it reads a `&[u32]`. The launch says the bound. Where
/// it is at most the length of a buffer, `x[columns[k] as usize]` is in bounds, and is not tested. In `requires(…)` the
/// bound is `columns.bound()`.
///
/// ```
/// use samebits::prelude::*;
///
/// /// The product of a sparse matrix, row by row, and a vector.
/// #[kernel(
///     requires(
///         columns.len() + 1 >= starts.bound(),
///         values.len() >= columns.len(),
///         x.len() >= columns.bound()
///     ),
///     deny(guards)
/// )]
/// fn spmv(starts: Below<'_, u32>, columns: Below<'_, u32>, values: &[f32], x: &[f32], y: &mut [f32]) {
///     let row = global_id().x;
///     if row < y.len() {
///         let mut sum = 0.0f32;
///         for k in starts[row] as usize..starts[row + 1] as usize {
///             sum = values[k].mul_add(x[columns[k] as usize], sum);
///         }
///         y[row] = sum;
///     }
/// }
///
/// let device = Device::best()?;
/// let (starts, columns) = (device.upload(&[0u32, 2, 3])?, device.upload(&[0u32, 2, 1])?);
/// let (values, x) = (device.upload(&[1.0f32, 2.0, 3.0])?, device.upload(&[10.0f32, 20.0, 30.0])?);
/// let mut y = device.zeros::<f32>(2)?;
/// let starts = Below::check(&starts, columns.len() + 1)?;
/// let columns = Below::check(&columns, x.len())?;
/// spmv::launch(&device, 2, starts, columns, &values, &x, &mut y)?;
/// assert_eq!(y.read()?, [70.0, 60.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Below<'a, T: Element> {
    view: View<'a, T>,
    /// The greatest number that an element may be.
    most: u32,
}

impl<'a> Below<'a, u32> {
    /// Looks whether all elements are below a bound. They are read back for that, so keep what it gives as long as the
    /// elements stay as they are.
    ///
    /// A kernel that loads out of bounds reads 0. So a bound of 0, which only no elements have, counts as 1.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let columns = Device::interpreter().upload(&[3u32, 0, 7])?;
    /// assert_eq!(Below::check(&columns, 8)?.bound(), 8);
    /// assert_eq!(Below::check(&columns, 7).unwrap_err(), Error::NotBelow { element: 7, at: 2, bound: 7 });
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotBelow`] with the first element that is not, [`Error::HasLeft`] for a buffer that others have too, and
    /// what a read may fail with.
    pub fn check(elements: &'a impl Readable<u32>, bound: usize) -> Result<Self, Error> {
        let view = elements.as_view();
        if view.has_left() {
            return Err(Error::HasLeft { device: view.device().name().to_owned() });
        }
        // Every element is below what does not fit.
        let most = u32::try_from(bound.saturating_sub(1)).unwrap_or(u32::MAX);
        let found = view.read()?.into_iter().zip(0..).find(|&(element, _)| element as usize >= bound);
        match found {
            Some((element, at)) => Err(Error::NotBelow { element, at, bound }),
            None => Ok(Self { view, most }),
        }
    }

    /// What all elements are below: from 1 to 2³².
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let none = Device::interpreter().zeros::<u32>(0)?;
    /// assert_eq!(Below::check(&none, 0)?.bound(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bound(&self) -> u64 {
        u64::from(self.most) + 1
    }

    /// The elements.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let columns = Device::interpreter().upload(&[1u32, 1])?;
    /// assert_eq!(Below::check(&columns, 2)?.view().read()?, [1, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn view(&self) -> View<'a, u32> {
        self.view
    }

    /// The elements as an argument of a launch.
    #[doc(hidden)]
    pub fn argument(&self) -> Arg<'a> {
        self.view.lent().at_most(self.most)
    }
}

impl<T: Element> fmt::Debug for Below<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Below").field("view", &self.view).field("most", &self.most).finish()
    }
}
