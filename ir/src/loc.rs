//! Source locations, opaque to the IR.
//!
//! Whoever makes IR owns the table from [`Loc`] to its own places: the Rust front end
//! to token spans, the text parser to byte offsets. The IR carries locations and
//! never interprets them.

/// A place in somebody's source, or [`Loc::NONE`].
///
/// ```
/// use samebits_ir::loc::Loc;
/// assert_eq!(Loc::new(3).index(), Some(3));
/// assert_eq!(Loc::NONE.index(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc(u32);

impl Loc {
    /// No place: built by a program rather than read from a source.
    pub const NONE: Self = Self(u32::MAX);

    /// The place with this number in its maker's table.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// The number in the maker's table, or `None` for [`Loc::NONE`].
    pub const fn index(self) -> Option<u32> {
        if self.0 == u32::MAX { None } else { Some(self.0) }
    }
}

impl Default for Loc {
    fn default() -> Self {
        Self::NONE
    }
}

impl std::fmt::Debug for Loc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index() {
            Some(index) => write!(f, "@{index}"),
            None => f.write_str("@-"),
        }
    }
}
