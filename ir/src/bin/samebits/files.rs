//! Files and standard streams, and the modules in them.

use super::failure::Failure;
use samebits_ir::check::{Checked, check, check_image};
use samebits_ir::diag::{Code, Diag, Diags, Lines, render};
use samebits_ir::ir::Module;
use samebits_ir::loc::Loc;
use samebits_ir::wire::{LISTING, Listing, Site};
use samebits_ir::{text, wire};
use std::fs::{self, File};
use std::io::{self, Read, Write, stdin, stdout};
use std::path::Path;

/// A file's name, as messages show it, and its bytes.
pub struct Input {
    /// The name.
    pub name: String,
    /// Where it lies, unless it is standard input.
    pub path: Option<String>,
    bytes: Vec<u8>,
    /// The places of a kernel from Rust.
    locations: Vec<u8>,
}

/// What is known of the places that locations stand for.
pub enum Places<'i> {
    /// They are in the text of this file.
    Text(&'i str, Lines<'i>),
    /// They are in Rust.
    Sites(Vec<Site<&'i str>>),
    /// Nothing.
    Unknown,
}

impl Places<'_> {
    /// A place in words, with the calls of helpers that lead there.
    pub fn of(&self, loc: Loc) -> Option<String> {
        let index = loc.index()?;
        match self {
            Self::Text(name, lines) => {
                let (line, column) = lines.line_column(index as usize);
                Some(format!("{name}:{line}:{column}"))
            }
            Self::Sites(sites) => {
                let place = |site: &Site<&str>| format!("{}:{}:{}", site.file.unwrap_or("?"), site.line, site.column);
                let mut site = sites.get(index as usize)?;
                let mut shown = place(site);
                while let Some((helper, call)) = site.helper {
                    site = sites.get(call as usize)?;
                    shown += &format!(", in `{helper}`, called at {}", place(site));
                }
                Some(shown)
            }
            Self::Unknown => None,
        }
    }
}

impl Input {
    /// Reads a file, or standard input if the name is `-`.
    pub fn read(name: &str) -> Result<Self, Failure> {
        if name == "-" {
            let bytes = bounded(stdin(), MOST).map_err(|error| Failure::file("standard input", &error))?;
            return Self::of("standard input", None, bytes);
        }
        let bytes =
            File::open(name).and_then(|file| bounded(file, MOST)).map_err(|error| Failure::file(name, &error))?;
        Self::of(name, Some(name.to_owned()), bytes)
    }

    fn of(name: &str, path: Option<String>, bytes: Vec<u8>) -> Result<Self, Failure> {
        let input = Self { name: name.to_owned(), path, bytes, locations: Vec::new() };
        if !input.bytes.starts_with(&LISTING) {
            return Ok(input);
        }
        let listing = Listing::decode(&input.bytes).map_err(|diags| input.mistakes(&diags))?;
        Ok(Self { name: input.name, path: input.path, ..Self::listed(listing) })
    }

    /// A kernel of a Rust program.
    pub fn listed(listing: Listing) -> Self {
        Self { name: listing.full_name(), path: None, bytes: listing.image, locations: listing.locations }
    }

    /// The text of a file that holds one.
    pub fn text(&self) -> Result<&str, Failure> {
        if self.is_wire() {
            let message = format!("{} holds wire bytes; `samebits wire decode` turns them into text", self.name);
            return Err(Failure::program(message));
        }
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let (name, at) = (&self.name, error.valid_up_to());
            Failure::program(format!("{name} is neither text nor wire bytes: byte {at} is not UTF-8"))
        })
    }

    fn is_wire(&self) -> bool {
        self.bytes.starts_with(&wire::MAGIC) || self.bytes.starts_with(&LISTING)
    }

    /// The module, unchecked.
    pub fn module(&self) -> Result<Module, Failure> {
        if self.is_wire() {
            return self.decoded();
        }
        text::parse(self.text()?).map_err(|diags| self.mistakes(&diags))
    }

    /// The module that wire bytes say.
    pub fn decoded(&self) -> Result<Module, Failure> {
        wire::decode(&self.bytes).map_err(|diags| self.mistakes(&diags))
    }

    /// The module, checked.
    pub fn checked(&self) -> Result<Checked, Failure> {
        self.check(self.module()?)
    }

    fn check(&self, module: Module) -> Result<Checked, Failure> {
        // Bytes may come from passes, which may leave an index out of bounds.
        let checked = if self.is_wire() { check_image(module) } else { check(module) };
        checked.map_err(|diags| self.mistakes(&diags))
    }

    /// The module, checked, and the places of its locations.
    pub fn placed(&self) -> Result<(Checked, Places<'_>), Failure> {
        let mut module = self.module()?;
        let places = match self.source() {
            Some(source) => Places::Text(&self.name, Lines::of(source)),
            None if self.locations.is_empty() => Places::Unknown,
            None => Places::Sites(wire::attach_locations(&mut module, &self.locations)),
        };
        Ok((self.check(module)?, places))
    }

    /// The text that locations are about, if the file holds one.
    pub fn source(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|_| !self.is_wire())
    }

    /// Mistakes, shown with their lines.
    pub fn mistakes(&self, diags: &Diags) -> Failure {
        /// A file that is no module at all has a mistake in each line.
        const SHOWN: usize = 20;
        let mut first = Diags::new();
        diags.as_slice().iter().take(SHOWN).for_each(|diag| first.push(diag.clone()));
        let more = diags.count().saturating_sub(SHOWN);
        let more = if more > 0 { format!("error: and {more} more in {}\n", self.name) } else { String::new() };
        let diags = &first;
        let more = more + &further(diags);
        match self.source() {
            Some(source) => Failure::Program(render(diags, &self.name, source) + &more),
            // Bytes have no lines to show, so the file is named in front.
            None => {
                let line = |diag: &Diag| format!("{}: {}: {}\n", diag.severity, self.name, diag.headline());
                Failure::Program(diags.as_slice().iter().map(line).collect::<String>() + &more)
            }
        }
    }
}

/// The line that says where to read more about mistakes.
fn further(diags: &Diags) -> String {
    /// More are not read at once.
    const NAMED: usize = 4;
    let mut codes: Vec<Code> = Vec::new();
    for diag in diags.as_slice() {
        if !codes.contains(&diag.code) && codes.len() < NAMED {
            codes.push(diag.code);
        }
    }
    let codes: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    if codes.is_empty() { String::new() } else { format!("help: `samebits explain {}` says more\n", codes.join(" ")) }
}

/// The most bytes of a module.
const MOST: usize = if wire::limits::FILE > text::limits::SOURCE { wire::limits::FILE } else { text::limits::SOURCE };

/// All of a file that has at most so many bytes, or a byte more than that.
fn bounded(file: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a file, which are at most so many.
pub fn bytes(name: &str, most: usize) -> Result<Vec<u8>, Failure> {
    let read = File::open(name).and_then(|file| bounded(file, most));
    let bytes = read.map_err(|error| Failure::file(name, &error))?;
    if bytes.len() > most {
        return Err(Failure::usage(format!("{name} has more than the {most} bytes that a buffer holds")));
    }
    Ok(bytes)
}

/// Writes to a file, or to standard output without a name.
pub fn write(name: Option<&str>, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(name) = name.filter(|name| *name != "-") {
        return replace(Path::new(name), bytes).map_err(|error| Failure::file(name, &error));
    }
    let mut stdout = stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::file("standard output", &error))
}

/// Writes a file so that it holds what it held before or all of the bytes, whatever happens in
/// between: they go to a file beside it, which then takes its name. A link stays one, and
/// permissions stay.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let place = match fs::canonicalize(path) {
        Ok(place) => place,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let before = fs::metadata(&place).ok();
    // A device or a pipe is written to, and what must not be written stays.
    if before.as_ref().is_some_and(|before| !before.is_file() || before.permissions().readonly()) {
        return fs::write(&place, bytes);
    }
    let name = place.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let beside = place.with_file_name(format!(".{}.{}", name.display(), std::process::id()));
    let fill = |mut file: File| {
        if let Some(before) = &before {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    };
    let written = File::create_new(&beside).and_then(fill).and_then(|()| fs::rename(&beside, &place));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
