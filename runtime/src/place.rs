//! Places in Rust sources, and which of them the locations of a kernel stand for.

use samebits_ir::loc::Loc;
use samebits_ir::wire;
use std::fmt;

/// A place in a Rust source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The file, as `file!()` names it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The places that the locations of a kernel stand for; empty for a kernel that was not written
/// as Rust.
#[derive(Clone, Default, Debug)]
pub(crate) struct Source {
    /// Places by location.
    sites: Vec<wire::Site<&'static str>>,
}

impl Source {
    /// The source whose places are these, by location.
    pub fn new(sites: Vec<wire::Site<&'static str>>) -> Self {
        Self { sites }
    }

    /// The place of a location, if it is known.
    pub fn place(&self, loc: Loc) -> Option<Place> {
        self.sites.get(loc.index()? as usize).map(place)
    }

    /// The calls by which the kernel comes to a location, the last one first: the place of
    /// each, and the helper that it calls.
    pub fn calls(&self, loc: Loc) -> impl Iterator<Item = (Place, &'static str)> {
        let site = |number: Option<u32>| self.sites.get(number? as usize);
        let mut at = site(loc.index());
        std::iter::from_fn(move || {
            let (helper, call) = at?.helper?;
            at = site(Some(call));
            Some((place(at?), helper))
        })
    }
}

fn place(site: &wire::Site<&'static str>) -> Place {
    Place { file: site.file.unwrap_or_default(), line: site.line, column: site.column }
}
