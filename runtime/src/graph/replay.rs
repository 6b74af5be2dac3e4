//! Replays: slots become buffers and values, launches are judged, and the work is queued.
//!
//! Nothing is queued before all of it was judged.

use super::slots::{Number, Sides};
use super::{Binding, Graph, Item, Work};
use crate::argument::{Arg, Argument, Leaf};
use crate::backend::{Bound, Mailbox, Memory, Speaker, Step};
use crate::device::Device;
use crate::error::Error;
use crate::launch::{Grid, Leaves, messages};
use crate::verify;
use samebits_ir::ir::Access;
use std::ops::Range;

/// What slots stand for, by their index.
pub(crate) struct Slots<'a>(Vec<Arg<'a>>);

impl Graph {
    /// Queues the work with what its slots stand for. Each slot of the graph has one binding, in any order.
    ///
    /// The work is one submission to the driver, unless another thread needs some of it before. On llvmpipe there are
    /// more if launches with loops are many.
    ///
    /// # Errors
    ///
    /// [`Error::Slot`] if a slot stands for nothing, for two things, or for a buffer that is lent although the graph
    /// writes it, and what a launch is refused for. Then nothing was queued. Work that fails later is an error of
    /// what depends on it, as with launches.
    ///
    /// ```
    /// # use samebits::{graph::Graph, prelude::*};
    /// let mut graph = Graph::new(&Device::cpu());
    /// let n = graph.value::<u32>();
    /// let refused = graph.replay([]).unwrap_err();
    /// assert_eq!(refused.to_string(), "slot 0 of a graph: it stands for nothing; pass what its `bind` gives");
    /// graph.replay([n.bind(1)])?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn replay<'a>(&self, bindings: impl IntoIterator<Item = Binding<'a>>) -> Result<(), Error> {
        let slots = self.bound(bindings)?;
        let compares = verify::compares(&self.device)?;
        // What kernels say goes to a buffer that changes whenever somebody has looked.
        if !compares && !self.speaks && self.again(&slots)? {
            return Ok(());
        }
        let board = self.device.any().board();
        let mut mailboxes = Vec::new();
        let done = self.prepared(
            &slots,
            &mut mailboxes,
            |speaker| self.mailbox(speaker),
            |steps, work| {
                if compares { self.one_by_one(steps, work) } else { self.device.any().together(steps) }
            },
        );
        mailboxes.into_iter().for_each(|mailbox| board.put(mailbox));
        done
    }

    /// The buffer for what a kernel says.
    pub(super) fn mailbox(&self, speaker: &Speaker<'_>) -> Result<Mailbox, Error> {
        self.device.any().board().take(self.device.any(), speaker)
    }

    /// Step after step, each launch compared with another device.
    fn one_by_one(&self, steps: &[Step<'_>], work: &[usize]) -> Result<(), Error> {
        for (step, &work) in steps.iter().zip(work) {
            match (step, &self.work[work]) {
                (Step::Launch { kernel: loaded, groups, args }, Work::Launch { kernel, .. }) => {
                    verify::launch(kernel, loaded, &self.device, *groups, args)?;
                }
                (step, _) => self.device.any().together(std::slice::from_ref(step))?,
            }
        }
        Ok(())
    }

    /// Judges the work with what slots stand for, and hands on what is left to do: the steps, and which work each is.
    /// `take` gives the buffers for what kernels say, which are kept in `mailboxes`.
    pub(crate) fn prepared<T>(
        &self,
        slots: &Slots<'_>,
        mailboxes: &mut Vec<Mailbox>,
        take: impl Fn(&Speaker<'_>) -> Result<Mailbox, Error>,
        run: impl FnOnce(&[Step<'_>], &[usize]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.prepared_of(slots, |_| true, mailboxes, take, run)
    }

    /// The same of some of the work.
    pub(super) fn prepared_of<T>(
        &self,
        slots: &Slots<'_>,
        is_wanted: impl Fn(usize) -> bool,
        mailboxes: &mut Vec<Mailbox>,
        take: impl Fn(&Speaker<'_>) -> Result<Mailbox, Error>,
        run: impl FnOnce(&[Step<'_>], &[usize]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let device = &self.device;
        let wanted: Vec<usize> = (0..self.work.len()).filter(|at| is_wanted(*at)).collect();
        let work = || wanted.iter().map(|at| &self.work[*at]);
        let grids: Vec<Grid> = work().map(|work| slots.grid(work)).collect();
        let mut mailbox_of = vec![None; wanted.len()];
        for ((work, grid), mailbox_of) in work().zip(&grids).zip(&mut mailbox_of) {
            let Work::Launch { kernel, loaded, .. } = work else { continue };
            let Some(speaker) = kernel.speaker(loaded, *grid)? else { continue };
            // Launches in a row share one, as they do when they are not recorded.
            *mailbox_of = mailboxes.iter().position(|mailbox| mailbox.is_for(&speaker));
            if mailbox_of.is_none() {
                mailboxes.push(take(&speaker)?);
                *mailbox_of = Some(mailboxes.len() - 1);
            }
        }
        let said: Vec<Leaf<'_>> = mailboxes.iter().map(|mailbox| messages(device, mailbox)).collect();
        let mut leaves = Vec::with_capacity(work().map(Work::items).sum());
        let ranges: Vec<Range<usize>> = work().map(|work| slots.leaves_of(work, &mut leaves)).collect();
        let all: Vec<Leaves<'_>> = ranges
            .into_iter()
            .zip(&mailbox_of)
            .map(|(range, mailbox)| Leaves {
                recorded: &leaves[range],
                messages: mailbox.map(|at| &said[at]),
                ..Leaves::default()
            })
            .collect();
        let mut bound = vec![Bound::Scalar(&[]); all.iter().map(|leaves| leaves.count()).sum()];
        let mut rest = &mut bound[..];
        let (mut steps, mut work_of) = (Vec::with_capacity(wanted.len()), Vec::with_capacity(wanted.len()));
        for (at, &place) in wanted.iter().enumerate() {
            let step = match &self.work[place] {
                Work::Launch { kernel, loaded, .. } => {
                    let (args, more) = std::mem::take(&mut rest).split_at_mut(all[at].count());
                    rest = more;
                    let groups = kernel.judge(loaded, device, grids[at], all[at], args)?;
                    groups.map(|groups| Step::Launch { kernel: loaded, groups, args })
                }
                Work::Fill { slot, pattern } => {
                    let (memory, bytes, _) = slots.memory(*slot, device)?;
                    (!bytes.is_empty()).then_some(Step::Fill { memory, bytes, pattern })
                }
                Work::Copy { from, to } => {
                    let ((from, source, len), (to, target, room)) =
                        (slots.memory(*from, device)?, slots.memory(*to, device)?);
                    if len != room {
                        return Err(Error::Lengths { from: len, to: room });
                    }
                    let bytes = source.end - source.start;
                    (bytes > 0).then_some(Step::Copy { from: (from, source.start), to: (to, target.start), bytes })
                }
            };
            if let Some(step) = step {
                steps.push(step);
                work_of.push(place);
            }
        }
        run(&steps, &work_of)
    }

    /// What the slots stand for.
    pub(crate) fn bound<'a>(&self, bindings: impl IntoIterator<Item = Binding<'a>>) -> Result<Slots<'a>, Error> {
        let wrong = |slot, reason: &str| Error::Slot { slot, reason: reason.to_owned() };
        let mut args: Vec<Option<Arg<'a>>> = self.written.iter().map(|_| None).collect();
        for Binding { place, arg } in bindings {
            let slot = self.own(place)?;
            let is_lent = matches!(arg.leaves(), [Leaf::Buffer { lent: Access::Read, .. }]);
            if self.written[slot] && is_lent {
                return Err(wrong(slot, "the graph writes the buffer, but it was lent; use `bind`"));
            }
            if args[slot].replace(arg).is_some() {
                return Err(wrong(slot, "it stands for two things; pass one"));
            }
        }
        let arg = |(slot, arg): (usize, Option<Arg<'a>>)| {
            arg.ok_or_else(|| wrong(slot, "it stands for nothing; pass what its `bind` gives"))
        };
        args.into_iter().enumerate().map(arg).collect::<Result<_, _>>().map(Slots)
    }
}

#[cfg(feature = "wgpu")]
impl Graph {
    /// The memory that the graph writes.
    pub(crate) fn written<'a>(&self, slots: &Slots<'a>) -> Vec<(&'a Memory, Range<u64>)> {
        let written = self.written.iter().zip(&slots.0).filter(|(is_written, _)| **is_written);
        let part = |arg: &Arg<'a>| match arg.leaves() {
            [Leaf::Buffer { memory, start, bytes, .. }] => Some((*memory, *start..start + bytes)),
            _ => None,
        };
        written.filter_map(|(_, arg)| part(arg)).collect()
    }
}

impl Work {
    /// As many arguments as it has.
    fn items(&self) -> usize {
        match self {
            Self::Launch { items, .. } => items.len(),
            Self::Fill { .. } | Self::Copy { .. } => 0,
        }
    }
}

impl<'a> Slots<'a> {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// What a slot stands for.
    pub(super) fn leaves(&self, slot: usize) -> &[Leaf<'a>] {
        self.0[slot].leaves()
    }

    /// Whether it stands for a buffer.
    pub(super) fn is_buffer(&self, slot: usize) -> bool {
        matches!(self.leaves(slot), [Leaf::Buffer { .. } | Leaf::Words { .. }])
    }

    /// The number of elements of what a slot stands for; 0 of a value.
    fn len(&self, slot: usize) -> usize {
        match self.0[slot].leaves() {
            [Leaf::Buffer { len, .. }] => *len as usize,
            _ => 0,
        }
    }

    /// The value of a `usize`.
    fn value(&self, slot: usize) -> usize {
        match self.0[slot].leaves() {
            [Leaf::Value { words, .. }] => words.as_slice().first().copied().unwrap_or_default() as usize,
            [Leaf::TooLarge(value)] => usize::try_from(*value).unwrap_or(usize::MAX),
            _ => 0,
        }
    }

    /// The grid of a launch.
    fn grid(&self, work: &Work) -> Grid {
        match work {
            Work::Launch { grid: Sides::Grid(grid), .. } => *grid,
            Work::Launch { grid: Sides::Numbers(numbers), .. } => {
                Grid::invocations(numbers.map(|number| match number {
                    Number::Known(number) => number,
                    Number::Value(place) => self.value(place.index),
                    Number::Length(place) => self.len(place.index),
                }))
            }
            Work::Fill { .. } | Work::Copy { .. } => Grid::invocations([0; 3]),
        }
    }

    /// Adds the arguments of a launch to `leaves`; where they are.
    fn leaves_of(&self, work: &Work, leaves: &mut Vec<Leaf<'a>>) -> Range<usize> {
        let start = leaves.len();
        if let Work::Launch { items, .. } = work {
            for item in items {
                match item {
                    Item::Leaf(leaf) => leaves.push(*leaf),
                    Item::Slot(slot) => leaves.extend_from_slice(self.0[*slot].leaves()),
                    Item::Length(slot) => leaves.extend_from_slice(self.len(*slot).argument().leaves()),
                }
            }
        }
        start..leaves.len()
    }

    /// The memory and the bytes of a buffer on this device, and how many elements they are.
    fn memory(&self, slot: usize, on: &Device) -> Result<(&'a Memory, Range<u64>, usize), Error> {
        match self.0[slot].leaves() {
            [Leaf::Buffer { device, memory, start, bytes, len, .. }] if device.is(on) => {
                Ok((memory, *start..start + bytes, *len as usize))
            }
            _ => Err(Error::Slot { slot, reason: format!("its buffer is not on the graph's device, `{}`", on.name()) }),
        }
    }
}
