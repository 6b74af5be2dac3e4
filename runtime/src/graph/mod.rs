//! Recorded work: launches, fills and copies that are written down once and replayed often, with other buffers and
//! values each time.
//!
//! A [`Graph`] has typed slots. Kernels are recorded with slots in the places of buffers and values, by
//! the `record` that each kernel has beside its `launch`. [`replay`](Graph::replay) takes what the slots stand for,
//! borrows it for as long as it takes to queue the work, and is one submission to the driver. On this
//! CPU and the interpreter the work runs in order.
//!
//! ```
//! use samebits::graph::Graph;
//! use samebits::prelude::*;
//!
//! #[kernel]
//! fn smooth(x: &[f32], y: &mut [f32], weight: f32) {
//!     let i = global_id().x;
//!     if i < x.len() && i < y.len() {
//!         let left = x[if i == 0 { 0 } else { i - 1 }];
//!         let right = x[(i + 1).min(x.len() - 1)];
//!         y[i] = x[i] * (1.0 - weight) + (left + right) * (0.5 * weight);
//!     }
//! }
//!
//! let device = Device::best()?;
//! let mut graph = Graph::new(&device);
//! let (mut x, mut y, weight) = (graph.buffer::<f32>(), graph.buffer::<f32>(), graph.value::<f32>());
//! for _ in 0..10 {
//!     smooth::record(&mut graph, x.len(), &x, &mut y, weight)?;
//!     smooth::record(&mut graph, x.len(), &y, &mut x, weight)?;
//! }
//! // Twenty launches and one submission, each time.
//! let (mut one, mut other) = (device.upload(&[1.0, 0.0, 0.0, 0.0])?, device.zeros::<f32>(4)?);
//! graph.replay([x.bind(&mut one), y.bind(&mut other), weight.bind(0.5)])?;
//! graph.replay([x.bind(&mut one), y.bind(&mut other), weight.bind(0.1)])?;
//! let sum: f32 = one.read()?.iter().sum();
//! assert!((sum - 1.0).abs() < 1e-6);
//! # Ok::<(), Error>(())
//! ```
//!
//! Everything that a launch is held to holds for a replay: the types and devices of arguments, what a kernel
//! requires, the conditions under which it has no races. All of it is checked for all launches, with what the slots
//! stand for, before anything is queued. Assertions are told by the next read or wait.
//!
//! Invariants:
//!
//! - A slot has one handle, and a launch borrows it as it would borrow the buffer. At a replay the buffer of a slot
//!   that is written is borrowed mutably. So no launch of a graph reads by one name what it writes by another.
//! - What is recorded holds no buffer. What is remembered of the last replay holds none that the program has dropped.

mod again;
mod replay;
mod slots;

pub use slots::{BelowSlot, Binding, BufferSlot, DistinctSlot, Extent, Given, Length, Side, ValueSlot};

#[doc(hidden)]
pub use slots::Noted;

use crate::argument::{Arg, Argument, Leaf};
use crate::device::Device;
use crate::element::{Element, bytes_of};
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use slots::Sides;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Launches, fills and copies to be replayed on a device; see [`graph`](crate::graph).
pub struct Graph {
    // Before the device, which is then the last to go.
    kept: Option<again::Kept>,
    device: Device,
    /// No other graph has it. Slots have it too.
    number: u64,
    /// Of each slot whether the graph writes it.
    written: Vec<bool>,
    work: Vec<Work>,
    /// Whether a kernel of it may say something.
    speaks: bool,
}

/// A part of the work.
enum Work {
    Launch { kernel: &'static Kernel, loaded: Arc<Loaded>, grid: Sides, items: Vec<Item> },
    Fill { slot: usize, pattern: Vec<u8> },
    Copy { from: usize, to: usize },
}

/// An argument of a recorded launch.
enum Item {
    /// A value that is always the same.
    Leaf(Leaf<'static>),
    /// What a slot stands for.
    Slot(usize),
    /// The number of elements of what it stands for.
    Length(usize),
}

impl Graph {
    /// A graph without work, for a device.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let graph = Graph::new(&Device::cpu());
    /// assert!(graph.is_empty());
    /// graph.replay([])?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(device: &Device) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let kept = device.any().plan().map(again::Kept::new);
        Self { kept, device: device.clone(), number, written: Vec::new(), work: Vec::new(), speaks: false }
    }

    /// The device that the work runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How many launches, fills and copies were recorded.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let mut graph = Graph::new(&Device::cpu());
    /// let mut x = graph.buffer::<u32>();
    /// graph.fill(&mut x, 7)?;
    /// assert_eq!(graph.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.work.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.work.is_empty()
    }

    /// A slot for a buffer or a view of any length.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let mut graph = Graph::new(&Device::cpu());
    /// let (mut x, y) = (graph.buffer::<u32>(), graph.buffer::<u32>());
    /// graph.copy(&y, &mut x)?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn buffer<T: Element>(&mut self) -> BufferSlot<T> {
        BufferSlot { place: self.slot(), element: PhantomData }
    }

    /// A slot for a value that is passed to kernels.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let mut graph = Graph::new(&Device::cpu());
    /// let factor = graph.value::<f32>();
    /// graph.replay([factor.bind(1.5)])?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn value<T: Argument>(&mut self) -> ValueSlot<T> {
        ValueSlot { place: self.slot(), value: PhantomData }
    }

    /// A slot for indices of which no two are equal.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let device = Device::cpu();
    /// let mut graph = Graph::new(&device);
    /// let places = graph.distinct();
    /// graph.replay([places.bind(Distinct::check(&device.upload(&[2, 0, 1])?)?)])?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn distinct(&mut self) -> DistinctSlot {
        DistinctSlot { place: self.slot() }
    }

    /// A slot for indices that are below a bound.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let device = Device::cpu();
    /// let mut graph = Graph::new(&device);
    /// let columns = graph.below();
    /// graph.replay([columns.bind(Below::check(&device.upload(&[2, 0, 2])?, 3)?)])?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn below(&mut self) -> BelowSlot {
        BelowSlot { place: self.slot() }
    }

    fn slot(&mut self) -> slots::Place {
        self.written.push(false);
        slots::Place { graph: self.number, index: self.written.len() - 1 }
    }

    /// Records that every element is set.
    ///
    /// # Errors
    ///
    /// [`Error::Slot`] if the slot is another graph's.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let device = Device::cpu();
    /// let mut graph = Graph::new(&device);
    /// let mut x = graph.buffer::<u32>();
    /// graph.fill(&mut x, 7)?;
    /// let mut buffer = device.zeros::<u32>(3)?;
    /// graph.replay([x.bind(&mut buffer)])?;
    /// assert_eq!(buffer.read()?, [7; 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn fill<T: Element>(&mut self, slot: &mut BufferSlot<T>, value: T) -> Result<(), Error> {
        let slot = self.own(slot.place)?;
        self.written[slot] = true;
        self.push(Work::Fill { slot, pattern: bytes_of(std::slice::from_ref(&value)).to_vec() });
        Ok(())
    }

    /// Records a copy of all elements to a buffer that has as many.
    ///
    /// # Errors
    ///
    /// [`Error::Slot`] if a slot is another graph's. A replay with buffers of two lengths is [`Error::Lengths`].
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let device = Device::cpu();
    /// let mut graph = Graph::new(&device);
    /// let (x, mut y) = (graph.buffer::<u32>(), graph.buffer::<u32>());
    /// graph.copy(&x, &mut y)?;
    /// let (from, mut to) = (device.upload(&[1u32, 2])?, device.zeros::<u32>(2)?);
    /// graph.replay([x.lend(&from), y.bind(&mut to)])?;
    /// assert_eq!(to.read()?, [1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn copy<T: Element>(&mut self, from: &BufferSlot<T>, to: &mut BufferSlot<T>) -> Result<(), Error> {
        let (from, to) = (self.own(from.place)?, self.own(to.place)?);
        self.written[to] = true;
        self.push(Work::Copy { from, to });
        Ok(())
    }

    /// Adds a part of the work.
    fn push(&mut self, work: Work) {
        if let Work::Launch { kernel, .. } = &work {
            self.speaks |= !kernel.said().is_empty();
        }
        if let Some(kept) = &mut self.kept {
            kept.clear();
        }
        self.work.push(work);
    }

    /// The index of a slot of this graph's.
    fn own(&self, place: slots::Place) -> Result<usize, Error> {
        if place.graph != self.number {
            return Err(Error::Slot { slot: place.index, reason: "it belongs to another graph".to_owned() });
        }
        Ok(place.index)
    }
}

impl Kernel {
    /// Records the kernel over a grid. The launchers' `record` calls this.
    pub fn record_linked(
        &'static self,
        graph: &mut Graph,
        grid: impl Extent,
        args: impl IntoIterator<Item = Noted>,
        constants: &[Arg<'static>],
    ) -> Result<(), Error> {
        let loaded = if graph.device.control().judges() { self.load_as_written()? } else { self.load()? }.clone();
        let grid = grid.sides();
        for place in grid.places() {
            graph.own(place)?;
        }
        let mut items = Vec::new();
        for arg in args {
            items.extend(match arg {
                Noted::Value(value) => value.leaves().iter().copied().map(Item::Leaf).collect(),
                Noted::Read(place) => vec![Item::Slot(graph.own(place)?)],
                Noted::Length(place) => vec![Item::Length(graph.own(place)?)],
                Noted::Written(place) => {
                    let slot = graph.own(place)?;
                    graph.written[slot] = true;
                    vec![Item::Slot(slot)]
                }
            });
        }
        items.extend(constants.iter().flat_map(Arg::leaves).copied().map(Item::Leaf));
        graph.push(Work::Launch { kernel: self, loaded, grid, items });
        Ok(())
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (slots, work) = (self.written.len(), self.work.len());
        f.debug_struct("Graph").field("device", &self.device).field("slots", &slots).field("work", &work).finish()
    }
}
