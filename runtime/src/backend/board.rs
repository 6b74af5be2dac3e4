//! What launches on a device have said: assertions that have failed, and lines of `debug!`.
//!
//! A launch of a kernel that may say something passes a buffer for it ([`samebits_ir::messages`] has its layout), which
//! the device's [`Board`] keeps. The next read or wait looks into it: a failed assertion is its error, and lines go to
//! standard error. Launches of one kernel over one grid share a buffer as long as nobody has looked.
//!
//! Invariants:
//!
//! - What was said is told once, and costs nothing where no kernel can say anything.
//! - While a launch is being queued, its mailbox is not on the board: who looks then misses nothing.

use super::{AnyDevice, Memory, Receive};
use crate::error::Error;
use crate::messages::{Line, Message, print};
use samebits_ir::messages::{self, Layout, Record};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Words for the records of failed assertions. Each lowers the least invocation, so there are few, unless invocations
/// run in the order of falling numbers.
const FAILURES: u32 = 1 << 16;
/// Words for the records of lines.
const LINES: u32 = 1 << 18;

/// A message with its values.
struct Text<'a>(&'a Message, &'a [u32]);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0.text)(self.1, f)
    }
}

/// A kernel, as far as its messages need it.
#[derive(Clone, Copy)]
pub(crate) struct Speaker<'a> {
    pub name: &'a str,
    /// What tells it from all others.
    pub number: u64,
    pub messages: &'static [Message],
    pub workgroup_size: [u32; 3],
    pub groups: [u32; 3],
}

/// What launches of one kernel over one grid have said since somebody looked.
pub(crate) struct Mailbox {
    kernel: String,
    number: u64,
    messages: &'static [Message],
    workgroup_size: [u32; 3],
    groups: [u32; 3],
    memory: Memory,
    words: u32,
}

impl Mailbox {
    pub fn new(device: &dyn AnyDevice, speaker: &Speaker<'_>) -> Result<Self, Error> {
        let Speaker { name, number, messages, workgroup_size, groups } = *speaker;
        let room = if messages.iter().all(|message| message.is_assertion) { FAILURES } else { LINES };
        let words = Layout::new(messages.len()).records() + room;
        let memory = device.zeros(u64::from(words) * 4)?;
        Ok(Self { kernel: name.to_owned(), number, messages, workgroup_size, groups, memory, words })
    }

    /// Whether it has room for a launch of this speaker's.
    pub fn is_for(&self, speaker: &Speaker<'_>) -> bool {
        self.number == speaker.number && self.groups == speaker.groups
    }

    /// The buffer, and its number of words.
    pub fn buffer(&self) -> (&Memory, u32) {
        (&self.memory, self.words)
    }

    fn invocation(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.workgroup_size;
        let size = self.workgroup_size.iter().product::<u32>().max(1);
        let (group, local) = (number / size, number % size);
        let at = |[x, y]: [u32; 2], n: u32| [n % x.max(1), n / x.max(1) % y.max(1), n / x.max(1) / y.max(1)];
        let (group, local) = (at([self.groups[0], self.groups[1]], group), at([x, y], local));
        [0, 1, 2].map(|axis| group[axis] * self.workgroup_size[axis] + local[axis])
    }

    /// What it holds.
    fn read(&self, device: &dyn AnyDevice) -> Result<Told, Error> {
        let layout = Layout::new(self.messages.len());
        let mut words = vec![0u32; layout.records() as usize];
        device.read(&self.memory, 0, bytemuck::cast_slice_mut(&mut words))?;
        // Most launches have nothing to say.
        let used = words[messages::USED as usize].min(self.words - layout.records()) as usize;
        if used > 0 {
            let header = words.len();
            words.resize(header + used, 0);
            device.read(&self.memory, 4 * header as u64, bytemuck::cast_slice_mut(&mut words[header..]))?;
        }
        Ok(self.told(&words))
    }

    /// What its words say.
    fn told(&self, words: &[u32]) -> Told {
        let layout = Layout::new(self.messages.len());
        let values: Vec<usize> = self.messages.iter().map(|message| message.words).collect();
        let mut said = layout.read(words, &values);
        said.records.sort_by_key(|record| record.invocation);
        let text = |record: &Record<'_>| Text(&self.messages[record.message], record.words).to_string();
        let (failures, lines): (Vec<_>, Vec<_>) =
            said.records.iter().partition(|record| self.messages[record.message].is_assertion);
        let failed = failures.first().map(|record| Error::Assertion {
            kernel: self.kernel.clone(),
            text: text(record),
            place: self.messages[record.message].place.to_owned(),
            invocation: self.invocation(record.invocation),
            times: said.counts[record.message],
        });
        let lost = self.messages.iter().zip(&said.counts).filter(|(message, _)| !message.is_assertion);
        let lost = lost.map(|(_, &count)| u64::from(count)).sum::<u64>().saturating_sub(lines.len() as u64);
        let lines = lines.into_iter().map(|record| Line {
            kernel: self.kernel.clone(),
            invocation: self.invocation(record.invocation),
            place: self.messages[record.message].place.to_owned(),
            text: text(&record),
        });
        Told { failed, lines: lines.collect(), lost }
    }
}

/// What a mailbox says.
struct Told {
    /// The first failed assertion.
    failed: Option<Error>,
    /// All lines in the order of their invocations.
    lines: Vec<Line>,
    /// How many more there were.
    lost: u64,
}

/// Copies of what mailboxes hold, on their way to the host.
pub(crate) struct Asked(Vec<(Mailbox, Receive)>);

/// The mailboxes of a device.
#[derive(Default)]
pub(crate) struct Board {
    /// Whether there are any, so that a device without them needs no lock.
    any: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    mailboxes: Vec<Mailbox>,
    /// A failure that was found and not told yet.
    failed: Option<Error>,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A mailbox for a launch, to be [put back](Self::put) when that is queued.
    pub fn take(&self, device: &dyn AnyDevice, speaker: &Speaker<'_>) -> Result<Mailbox, Error> {
        let mut state = self.lock();
        if let Some(at) = state.mailboxes.iter().position(|mailbox| mailbox.is_for(speaker)) {
            return Ok(state.mailboxes.remove(at));
        }
        drop(state);
        Mailbox::new(device, speaker)
    }

    /// Puts the mailbox of a launch on the board.
    pub fn put(&self, mailbox: Mailbox) {
        self.lock().mailboxes.push(mailbox);
        self.any.store(true, Ordering::Release);
    }

    /// Looks into all mailboxes, for launches that have run, and takes the lines in them. Those for which there was no
    /// room are counted on standard error; a failed assertion is kept.
    pub fn lines(&self, device: &dyn AnyDevice) -> Vec<Line> {
        // A launch that has failed is an error of its own.
        self.keep(self.taken().into_iter().filter_map(|mailbox| mailbox.read(device).ok()))
    }

    /// The same in two steps, for a device that cannot be waited for: this begins to copy what all mailboxes hold.
    pub fn ask(&self, device: &Arc<dyn AnyDevice>) -> Result<Asked, Error> {
        let ask = |mailbox: Mailbox| {
            let bytes = 0..u64::from(mailbox.words) * 4;
            let receive = device.clone().ask(Some((&mailbox.memory, bytes)))?;
            Ok((mailbox, receive))
        };
        self.taken().into_iter().map(ask).collect::<Result<_, _>>().map(Asked)
    }

    /// And this looks into the copies when they are there.
    pub fn lines_of(&self, asked: Asked) -> Vec<Line> {
        let told = |(mailbox, receive): (Mailbox, Receive)| {
            let mut words = vec![0u32; mailbox.words as usize];
            receive(bytemuck::cast_slice_mut(&mut words)).ok().map(|()| mailbox.told(&words))
        };
        self.keep(asked.0.into_iter().filter_map(told))
    }

    /// Takes all mailboxes from the board.
    fn taken(&self) -> Vec<Mailbox> {
        if self.any.load(Ordering::Acquire) { std::mem::take(&mut self.lock().mailboxes) } else { Vec::new() }
    }

    /// Keeps the first failure, counts what was lost, and gives the lines.
    fn keep(&self, told: impl Iterator<Item = Told>) -> Vec<Line> {
        let (mut lines, mut lost) = (Vec::new(), 0);
        for mut told in told {
            lines.append(&mut told.lines);
            lost += told.lost;
            let mut state = self.lock();
            state.failed = state.failed.take().or(told.failed);
        }
        if lost > 0 {
            print(&format_args!("samebits: {lost} more lines were lost, since there was no room for them"));
        }
        lines
    }

    /// Whether no assertion is known to have failed since one was [told](Self::tell).
    pub fn is_fine(&self) -> bool {
        !self.any.load(Ordering::Acquire) || self.lock().failed.is_none()
    }

    /// The first assertion that is known to have failed and was not told.
    pub fn tell(&self) -> Result<(), Error> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut state = self.lock();
        let failed = state.failed.take();
        self.any.store(!state.mailboxes.is_empty(), Ordering::Release);
        failed.map_or(Ok(()), Err)
    }
}
