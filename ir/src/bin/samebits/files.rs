//! Files and the standard streams, and the modules in them.

use super::failure::Failure;
use samebits_ir::check::{Checked, check, check_image};
use samebits_ir::diag::{Diags, render};
use samebits_ir::ir::Module;
use samebits_ir::{text, wire};
use std::fs;
use std::io::{Read, Write, stdin, stdout};

/// A file's name, as messages show it, and its bytes.
pub struct Input {
    /// The name.
    pub name: String,
    /// Where it lies, unless it is standard input.
    pub path: Option<String>,
    bytes: Vec<u8>,
}

impl Input {
    /// Reads a file, or standard input if the name is `-`.
    pub fn read(name: &str) -> Result<Self, Failure> {
        if name == "-" {
            let mut bytes = Vec::new();
            stdin().read_to_end(&mut bytes).map_err(|error| Failure::file("standard input", &error))?;
            return Ok(Self { name: "standard input".to_owned(), path: None, bytes });
        }
        let bytes = fs::read(name).map_err(|error| Failure::file(name, &error))?;
        Ok(Self { name: name.to_owned(), path: Some(name.to_owned()), bytes })
    }

    /// The text of a file that holds one.
    pub fn text(&self) -> Result<&str, Failure> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let (name, at) = (&self.name, error.valid_up_to());
            Failure::program(format!("{name} is neither text nor wire bytes: byte {at} is not UTF-8"))
        })
    }

    fn is_wire(&self) -> bool {
        self.bytes.starts_with(&wire::MAGIC)
    }

    /// The module, unchecked.
    pub fn module(&self) -> Result<Module, Failure> {
        if self.is_wire() {
            return wire::decode(&self.bytes).map_err(|diags| self.mistakes(&diags));
        }
        text::parse(self.text()?).map_err(|diags| self.mistakes(&diags))
    }

    /// The module that wire bytes say.
    pub fn decoded(&self) -> Result<Module, Failure> {
        wire::decode(&self.bytes).map_err(|diags| self.mistakes(&diags))
    }

    /// The module, checked.
    pub fn checked(&self) -> Result<Checked, Failure> {
        // Bytes may come from passes, which may leave an index out of bounds.
        let checked = if self.is_wire() { check_image(self.module()?) } else { check(self.module()?) };
        checked.map_err(|diags| self.mistakes(&diags))
    }

    /// The text that locations are about, if the file holds one.
    pub fn source(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|_| !self.is_wire())
    }

    /// Mistakes, shown with their lines.
    pub fn mistakes(&self, diags: &Diags) -> Failure {
        match self.source() {
            Some(source) => Failure::Program(render(diags, &self.name, source)),
            // Bytes have no lines to show, so the file is named in front.
            None => {
                let lines = diags.as_slice().iter().map(|diag| format!("error: {}: {}\n", self.name, diag.headline()));
                Failure::Program(lines.collect())
            }
        }
    }
}

/// Writes to a file, or to standard output without a name.
pub fn write(name: Option<&str>, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(name) = name.filter(|name| *name != "-") {
        return fs::write(name, bytes).map_err(|error| Failure::file(name, &error));
    }
    let mut stdout = stdout().lock();
    let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
    written.map_err(|error| Failure::file("standard output", &error))
}
