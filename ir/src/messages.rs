//! The buffer in which a kernel leaves messages to its host: failed assertions, and lines.
//!
//! A kernel that says something has one parameter more, the last one, of this [`NAME`]: an atomic buffer of words.
//!
//! | words | |
//! | --- | --- |
//! | 1 | how many words of records were taken |
//! | 2 for each message | the complement of the least invocation that said it, 0 if none did; how often it was said |
//! | the rest | records |
//!
//! A record is the message's number plus one, the invocation, and the words of the values: one for each number, its
//! lower and its upper half where it has 64 bits. An assertion is recorded only where its invocation is less than those
//! before, so a record of the least one is there, however many fail. A record for which there is no room is lost, and
//! what was said counts it all the same.
//!
//! This module alone knows the layout. The front end has kernels written by it, and the runtime reads what they wrote.
//! The buffer says nothing about a kernel's results, so reports, proofs of races and comparisons leave it out.

use crate::ir::{Access, Function, Param, ParamKind, Root};

/// The parameter's name, which no user can give.
pub const NAME: &str = "__samebits_messages";
/// The word that counts the words of records.
pub const USED: u32 = 0;

/// Words of a record before those of its values.
const HEAD: usize = 2;

impl Param {
    /// Whether it is the buffer for messages. All accesses of it are atomic.
    pub fn is_messages(&self) -> bool {
        self.name == NAME && matches!(self.kind, ParamKind::Buffer { access: Access::Atomic, .. })
    }
}

impl Function {
    /// Whether a root is the buffer for messages.
    pub fn is_messages(&self, root: Root) -> bool {
        let Root::Param(index) = root else { return false };
        self.params.get(index as usize).is_some_and(Param::is_messages)
    }
}

/// Where the words of a kernel with so many messages lie.
///
/// ```
/// use samebits_ir::messages::Layout;
/// let layout = Layout::new(2);
/// assert_eq!((layout.of(0), layout.of(1), layout.records()), ((1, 2), (3, 4), 5));
/// // Invocation 7 said message 1 with the value 9, and so did one that found no room.
/// let words = [6, 0, 0, !7, 2, 2, 7, 9, 2, 8];
/// let said = layout.read(&words, &[0, 1]);
/// assert_eq!(said.counts, [0, 2]);
/// assert_eq!((said.records.len(), said.records[0].message, said.records[0].invocation), (1, 1, 7));
/// assert_eq!(said.records[0].words, [9]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    messages: u32,
}

/// What was said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said<'a> {
    /// How often each message was.
    pub counts: Vec<u32>,
    /// The records, in the order in which they were taken: those of one invocation in the order of the program.
    pub records: Vec<Record<'a>>,
}

/// A message with its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// The message's number.
    pub message: usize,
    /// The number of the invocation in the launch.
    pub invocation: u32,
    /// The words of its values.
    pub words: &'a [u32],
}

impl Layout {
    /// Of a kernel with so many messages.
    pub const fn new(messages: usize) -> Self {
        Self { messages: messages as u32 }
    }

    /// The words of a message: the complement of its least invocation, and how often it was said.
    pub const fn of(self, message: usize) -> (u32, u32) {
        let first = USED + 1 + 2 * message as u32;
        (first, first + 1)
    }

    /// The first word of the records.
    pub const fn records(self) -> u32 {
        self.of(self.messages as usize).0
    }

    /// What the words of a buffer say; `values` are the words that each message has for its values.
    pub fn read<'a>(self, words: &'a [u32], values: &[usize]) -> Said<'a> {
        let word = |at: u32| words.get(at as usize).copied().unwrap_or_default();
        let counts = (0..self.messages as usize).map(|message| word(self.of(message).1)).collect();
        let mut records = Vec::new();
        let mut rest = words.get(self.records() as usize..).unwrap_or_default();
        while let [number, invocation, after @ ..] = rest
            && let Some(message) = number.checked_sub(1).map(|message| message as usize)
            && let Some(&len) = values.get(message)
            && let Some(words) = after.get(..len)
        {
            records.push(Record { message, invocation: *invocation, words });
            rest = &rest[HEAD + len..];
        }
        Said { counts, records }
    }
}
