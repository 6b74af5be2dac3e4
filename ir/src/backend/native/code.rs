//! The text being written, and how types and constants are spelled in it.

use crate::types::{Scalar, Type};

/// The lines so far.
#[derive(Default)]
pub(super) struct Code {
    lines: Vec<String>,
    depth: usize,
}

impl Code {
    /// Writes a line.
    pub fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{:1$}{2}", "", 4 * self.depth, text.as_ref()));
    }

    /// Writes a line that ends in a brace; what follows is inside it.
    pub fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.depth += 1;
    }

    /// Closes a brace.
    pub fn close(&mut self, text: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(text);
    }

    /// Closes a brace and opens another one.
    pub fn between(&mut self, text: impl AsRef<str>) {
        self.close(text);
        self.depth += 1;
    }

    /// The number of lines.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Puts lines before the one of this number.
    pub fn insert(&mut self, at: usize, lines: &[String]) {
        let lines = lines.iter().map(|line| format!("{:1$}{line}", "", 4 * self.depth));
        self.lines.splice(at..at, lines);
    }

    /// Everything that was written.
    pub fn finish(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

/// The Rust type of a lane.
pub(super) const fn rust(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F16 => "n::F16",
        _ => scalar.name(),
    }
}

/// A constant's bits as an expression that needs no parentheses.
pub(super) fn literal(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::F16 => format!("n::F16(0x{bits:04x})"),
        Scalar::F32 => format!("f32::from_bits(0x{bits:08x})"),
        Scalar::F64 => format!("f64::from_bits(0x{bits:016x})"),
        _ if scalar.is_signed() => format!("({}{})", crate::scalar::signed(scalar, bits), scalar.name()),
        _ => format!("{bits}{}", scalar.name()),
    }
}

/// A constant's bits as a pattern of a `match`.
pub(super) fn pattern(scalar: Scalar, bits: u64) -> String {
    literal(scalar, bits).replace(['(', ')'], "")
}

/// The lane of a type of values.
pub(super) fn lane_of(ty: Type) -> Scalar {
    ty.lane().unwrap_or(Scalar::U32)
}

/// Expressions as one: nothing, one, or a tuple.
pub(super) fn tuple<T: AsRef<str>>(parts: &[T]) -> String {
    match parts {
        [one] => one.as_ref().to_owned(),
        _ => format!("({})", parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")),
    }
}
