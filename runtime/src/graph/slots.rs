//! The slots of a graph, what may stand in their places, and what they stand for at a replay.

use crate::argument::{Arg, Argument};
use crate::below::Below;
use crate::distinct::Distinct;
use crate::element::Element;
use crate::launch::Grid;
use crate::view::{Readable, Writable};
use std::fmt;
use std::marker::PhantomData;

/// Which slot, of which graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub(super) graph: u64,
    pub(super) index: usize,
}

/// A slot for a buffer: where `&[T]` or `&mut [T]` is a kernel's parameter, `record` takes `&slot` or `&mut slot`.
///
/// [`Graph::buffer`](super::Graph::buffer) makes it. It has one handle, like a buffer.
pub struct BufferSlot<T> {
    pub(super) place: Place,
    pub(super) element: PhantomData<fn() -> T>,
}

/// A slot for a value that is passed to kernels. [`Graph::value`](super::Graph::value) makes it.
pub struct ValueSlot<T> {
    pub(super) place: Place,
    pub(super) value: PhantomData<fn() -> T>,
}

/// A slot for a [`Distinct`]. [`Graph::distinct`](super::Graph::distinct) makes it.
#[derive(Debug)]
pub struct DistinctSlot {
    pub(super) place: Place,
}

/// A slot for a [`Below`]. [`Graph::below`](super::Graph::below) makes it.
#[derive(Debug)]
pub struct BelowSlot {
    pub(super) place: Place,
}

/// The number of elements that a slot has at a replay: a grid, or a side of one, or a `usize` for a kernel.
///
/// ```
/// use samebits::{graph::Graph, prelude::*};
///
/// #[kernel]
/// fn last(x: &[u32], n: usize, y: &mut [u32]) {
///     let i = global_id().x;
///     if i < n && i < x.len() && i < y.len() {
///         y[i] = x[i] + n as u32;
///     }
/// }
///
/// let device = Device::cpu();
/// let mut graph = Graph::new(&device);
/// let (x, mut y) = (graph.buffer::<u32>(), graph.buffer::<u32>());
/// last::record(&mut graph, x.len(), &x, x.len(), &mut y)?;
/// let (from, mut to) = (device.upload(&[10u32, 20, 30])?, device.zeros::<u32>(3)?);
/// graph.replay([x.lend(&from), y.bind(&mut to)])?;
/// assert_eq!(to.read()?, [13, 23, 33]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Length(Place);

/// What a slot stands for at a replay.
#[derive(Debug)]
pub struct Binding<'a> {
    pub(super) place: Place,
    pub(super) arg: Arg<'a>,
}

impl<T: Element> BufferSlot<T> {
    /// The slot stands for this buffer or view, which may be written.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let device = Device::cpu();
    /// let mut graph = Graph::new(&device);
    /// let mut x = graph.buffer::<u32>();
    /// graph.fill(&mut x, 7)?;
    /// let mut buffer = device.zeros::<u32>(4)?;
    /// graph.replay([x.bind(&mut buffer.slice_mut(1..3)?)])?;
    /// assert_eq!(buffer.read()?, [0, 7, 7, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bind<'a>(&self, buffer: &'a mut impl Writable<T>) -> Binding<'a> {
        Binding { place: self.place, arg: buffer.argument_mut() }
    }

    /// The slot stands for this buffer or view, which may not be written. Several slots may stand for one such buffer.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let device = Device::cpu();
    /// let mut graph = Graph::new(&device);
    /// let mut x = graph.buffer::<u32>();
    /// graph.fill(&mut x, 7)?;
    /// let refused = graph.replay([x.lend(&device.zeros::<u32>(4)?)]).unwrap_err();
    /// assert_eq!(refused.to_string(), "slot 0 of a graph: the graph writes the buffer, but it was lent; use `bind`");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn lend<'a>(&self, buffer: &'a impl Readable<T>) -> Binding<'a> {
        Binding { place: self.place, arg: buffer.argument() }
    }

    /// How many elements there are, once that is known.
    pub fn len(&self) -> Length {
        Length(self.place)
    }
}

impl<T> BufferSlot<T> {
    /// The slot where a kernel reads.
    #[doc(hidden)]
    pub fn noted(&self) -> Noted {
        Noted::Read(self.place)
    }

    /// The slot where a kernel may write.
    #[doc(hidden)]
    pub fn noted_mut(&mut self) -> Noted {
        Noted::Written(self.place)
    }
}

impl<T: Argument> ValueSlot<T> {
    /// The slot stands for this value.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let mut graph = Graph::new(&Device::cpu());
    /// let n = graph.value::<u32>();
    /// graph.replay([n.bind(5)])?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bind(self, value: T) -> Binding<'static> {
        Binding { place: self.place, arg: value.argument() }
    }
}

impl DistinctSlot {
    /// The slot stands for these indices.
    pub fn bind<'a>(&self, indices: Distinct<'a, u32>) -> Binding<'a> {
        Binding { place: self.place, arg: indices.view().lent() }
    }

    /// How many indices there are, once that is known.
    pub fn len(&self) -> Length {
        Length(self.place)
    }

    /// The slot where a kernel reads.
    #[doc(hidden)]
    pub fn noted(&self) -> Noted {
        Noted::Read(self.place)
    }
}

impl BelowSlot {
    /// The slot stands for these indices.
    pub fn bind<'a>(&self, indices: Below<'a, u32>) -> Binding<'a> {
        Binding { place: self.place, arg: indices.argument() }
    }

    /// How many indices there are, once that is known.
    pub fn len(&self) -> Length {
        Length(self.place)
    }

    /// The slot where a kernel reads.
    #[doc(hidden)]
    pub fn noted(&self) -> Noted {
        Noted::Read(self.place)
    }
}

impl<T> Clone for ValueSlot<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ValueSlot<T> {}

impl<T> fmt::Debug for ValueSlot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ValueSlot").field(&self.place.index).finish()
    }
}

impl<T> fmt::Debug for BufferSlot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BufferSlot").field(&self.place.index).finish()
    }
}

/// An argument of a recorded launch.
#[doc(hidden)]
#[derive(Debug)]
pub enum Noted {
    /// A value that is always the same.
    Value(Arg<'static>),
    /// What a slot stands for, to be read.
    Read(Place),
    /// What a slot stands for, to be written.
    Written(Place),
    /// How many elements it has.
    Length(Place),
}

impl Noted {
    /// Nothing, for an argument of a kernel that is refused where it is defined.
    pub fn nothing<T>(_: T) -> Self {
        Self::Value(Arg::parts([]))
    }
}

/// What may be recorded for a parameter of type `T` that a kernel takes by value: a `T`, which is then always the
/// same, a [`ValueSlot`], or the [`Length`] of a slot for a `usize`.
///
/// ```
/// use samebits::{graph::Graph, prelude::*};
///
/// #[kernel]
/// fn add(y: &mut [u32], n: u32) {
///     let i = global_id().x;
///     if i < y.len() {
///         y[i] = y[i] + n;
///     }
/// }
///
/// let device = Device::cpu();
/// let mut graph = Graph::new(&device);
/// let (mut y, n) = (graph.buffer::<u32>(), graph.value::<u32>());
/// add::record(&mut graph, y.len(), &mut y, n)?;
/// add::record(&mut graph, y.len(), &mut y, 100)?;
/// let mut buffer = device.upload(&[1u32, 2])?;
/// graph.replay([y.bind(&mut buffer), n.bind(10)])?;
/// assert_eq!(buffer.read()?, [111, 112]);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be recorded for an argument of type `{T}`",
    note = "pass a value of that type, a slot that `graph.value::<{T}>()` gives, or for a `usize` also `slot.len()`"
)]
pub trait Given<T> {
    /// It as an argument of a recorded launch.
    #[doc(hidden)]
    fn given(self) -> Noted;
}

impl<T: Argument> Given<T> for T {
    fn given(self) -> Noted {
        Noted::Value(self.argument())
    }
}

impl<T: Argument> Given<T> for ValueSlot<T> {
    fn given(self) -> Noted {
        Noted::Read(self.place)
    }
}

impl Given<usize> for Length {
    fn given(self) -> Noted {
        Noted::Length(self.0)
    }
}

/// A grid of a recorded launch: what [`Grid`] is made of, with a [`ValueSlot<usize>`](ValueSlot) or a [`Length`] in the
/// place of any number.
///
/// ```
/// use samebits::{graph::Graph, prelude::*};
///
/// #[kernel(workgroup_size(8, 8))]
/// fn paint(width: usize, picture: &mut [u32]) {
///     let (x, y) = (global_id().x, global_id().y);
///     if x < width && y * width + x < picture.len() {
///         picture[y * width + x] = (10 * y + x) as u32;
///     }
/// }
///
/// let device = Device::cpu();
/// let mut graph = Graph::new(&device);
/// let (mut picture, width) = (graph.buffer::<u32>(), graph.value::<usize>());
/// paint::record(&mut graph, (width, 2), width, &mut picture)?;
/// let mut buffer = device.zeros::<u32>(6)?;
/// graph.replay([picture.bind(&mut buffer), width.bind(3)])?;
/// assert_eq!(buffer.read()?, [0, 1, 2, 10, 11, 12]);
/// # Ok::<(), Error>(())
/// ```
pub trait Extent {
    /// Its sides.
    #[doc(hidden)]
    fn sides(self) -> Sides;
}

/// A number of invocations on one axis.
pub trait Side {
    /// It, or where it comes from.
    #[doc(hidden)]
    fn side(self) -> Number;
}

/// A number, or where it comes from.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// This one.
    Known(usize),
    /// What a slot stands for.
    Value(Place),
    /// How many elements it has.
    Length(Place),
}

/// The grid of a recorded launch.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Sides {
    /// It is known.
    Grid(Grid),
    /// Invocations on x, y and z.
    Numbers([Number; 3]),
}

impl Sides {
    /// The slots that it comes from.
    pub(super) fn places(self) -> impl Iterator<Item = Place> {
        let numbers = match self {
            Self::Grid(_) => [Number::Known(0); 3],
            Self::Numbers(numbers) => numbers,
        };
        numbers.into_iter().filter_map(|number| match number {
            Number::Known(_) => None,
            Number::Value(place) | Number::Length(place) => Some(place),
        })
    }
}

impl Side for usize {
    fn side(self) -> Number {
        Number::Known(self)
    }
}

impl Side for ValueSlot<usize> {
    fn side(self) -> Number {
        Number::Value(self.place)
    }
}

impl Side for Length {
    fn side(self) -> Number {
        Number::Length(self.0)
    }
}

impl Extent for Grid {
    fn sides(self) -> Sides {
        Sides::Grid(self)
    }
}

macro_rules! one_side {
    ($($ty:ty)*) => { $(
        impl Extent for $ty {
            fn sides(self) -> Sides {
                Sides::Numbers([self.side(), Number::Known(1), Number::Known(1)])
            }
        }
    )* };
}

one_side! { usize ValueSlot<usize> Length }

impl<X: Side, Y: Side> Extent for (X, Y) {
    fn sides(self) -> Sides {
        Sides::Numbers([self.0.side(), self.1.side(), Number::Known(1)])
    }
}

impl<X: Side, Y: Side, Z: Side> Extent for (X, Y, Z) {
    fn sides(self) -> Sides {
        Sides::Numbers([self.0.side(), self.1.side(), self.2.side()])
    }
}
