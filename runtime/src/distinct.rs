//! Indices of which no two are equal: what a scatter needs so that no two invocations store to one
//! place.
//!
//! Invariant: a [`Distinct`] is only made of elements that were looked at, and borrows them, so nobody
//! writes to them as long as it lives.

use crate::argument::Arg;
use crate::element::Element;
use crate::error::Error;
use crate::view::{Readable, View};
use std::fmt;

/// Numbers in a buffer of which no two are equal, such as a permutation.
///
/// A kernel takes them as `p: Distinct<'_, u32>` and reads them as it reads a `&[u32]`. The compiler
/// then knows that `p[i]` and `p[j]` differ, and so accepts a store to `y[p[i] as usize]`.
///
/// ```
/// use samebits::prelude::*;
///
/// #[kernel]
/// fn scatter(places: Distinct<'_, u32>, x: &[f32], y: &mut [f32]) {
///     let i = global_id().x;
///     if i < places.len() {
///         y[places[i] as usize] = x[i];
///     }
/// }
///
/// let device = Device::interpreter();
/// let places = device.upload(&[2u32, 0, 1])?;
/// let (x, mut y) = (device.upload(&[1.0, 2.0, 3.0])?, device.zeros::<f32>(3)?);
/// scatter::launch(&device, 3, Distinct::check(&places)?, &x, &mut y)?;
/// assert_eq!(y.read()?, [2.0, 3.0, 1.0]);
///
/// let twice = device.upload(&[2u32, 0, 2])?;
/// assert!(matches!(Distinct::check(&twice), Err(Error::NotDistinct { element: 2, first: 0, second: 2 })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Distinct<'a, T: Element> {
    view: View<'a, T>,
}

impl<'a> Distinct<'a, u32> {
    /// Looks whether no two elements are equal. The elements are read back and sorted for that, so keep
    /// what it gives as long as the elements stay as they are.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let places = Device::interpreter().upload(&[5u32, 4, 9])?;
    /// assert_eq!(Distinct::check(&places)?.view().len(), 3);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NotDistinct`] with two elements that are equal, [`Error::HasLeft`] for a buffer that others have too,
    /// and what a read may fail with.
    pub fn check(elements: &'a impl Readable<u32>) -> Result<Self, Error> {
        let view = elements.as_view();
        if view.has_left() {
            return Err(Error::HasLeft { device: view.device().name().to_owned() });
        }
        let mut sorted: Vec<(u32, usize)> = view.read()?.into_iter().zip(0..).collect();
        sorted.sort_unstable();
        let equal = sorted.windows(2).find_map(|pair| match pair {
            [(one, first), (other, second)] if one == other => Some((*one, *first, *second)),
            _ => None,
        });
        match equal {
            Some((element, first, second)) => Err(Error::NotDistinct { element, first, second }),
            None => Ok(Self { view }),
        }
    }

    /// The elements.
    ///
    /// ```
    /// # use samebits::prelude::*;
    /// let places = Device::interpreter().upload(&[1u32, 0])?;
    /// assert_eq!(Distinct::check(&places)?.view().read()?, [1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn view(&self) -> View<'a, u32> {
        self.view
    }

    /// The elements as an argument of a launch.
    #[doc(hidden)]
    pub fn argument(&self) -> Arg<'_> {
        self.view.argument()
    }
}

impl<T: Element> fmt::Debug for Distinct<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Distinct").field("view", &self.view).finish()
    }
}
