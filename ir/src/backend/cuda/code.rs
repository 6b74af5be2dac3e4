//! The text being written: lines with their indentation, and the functions that they call.
//!
//! A helper is written once, after those that it calls, and only if something calls it.
//! Helpers never get a name that a value or a parameter can have: theirs begin with `sb_`.

use crate::types::{Kind, Scalar};

/// A function of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Helper {
    /// Its name, which says all about what it does.
    pub name: String,
    /// Its definition.
    pub text: String,
}

/// The text of a kernel so far.
#[derive(Default)]
pub(super) struct Code {
    helpers: Vec<Helper>,
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

    /// Goes inside again after a line that closed one brace and opened another.
    pub fn open_again(&mut self) {
        self.depth += 1;
    }

    /// Makes sure that a helper exists. `text` may ask for others; the name is given back.
    pub fn helper(&mut self, name: String, text: impl FnOnce(&mut Self) -> String) -> String {
        if !self.helpers.iter().any(|helper| helper.name == name) {
            let text = text(self);
            self.helpers.push(Helper { name: name.clone(), text });
        }
        name
    }

    /// A helper that takes words of one type.
    pub fn function(
        &mut self,
        name: String,
        result: &str,
        params: &str,
        body: impl FnOnce(&mut Self) -> String,
    ) -> String {
        self.helper(name.clone(), |code| {
            let body = body(code);
            let lines: String = body.lines().map(|line| format!("    {}\n", line.trim())).collect();
            format!("static __device__ __forceinline__ {result} {name}({params}) {{\n{lines}}}\n")
        })
    }

    /// The helpers and the lines.
    pub fn finish(self) -> (Vec<Helper>, String) {
        let mut text = self.lines.join("\n");
        text.push('\n');
        (self.helpers, text)
    }
}

/// The C type of a scalar: its bits, zero-extended.
pub(super) const fn c_type(scalar: Scalar) -> &'static str {
    match (scalar.kind(), scalar.bits()) {
        (Kind::Bool, _) => "bool",
        (Kind::Signed | Kind::Unsigned | Kind::Float, 64) => "sb_u64",
        (Kind::Signed | Kind::Unsigned | Kind::Float, _) => "sb_u32",
    }
}

/// The C literal of a scalar's bits.
pub(super) fn literal(scalar: Scalar, bits: u64) -> String {
    match (c_type(scalar), scalar.is_float() && bits != 0) {
        ("bool", _) => (bits != 0).to_string(),
        ("sb_u64", true) => format!("0x{bits:016x}ull"),
        ("sb_u64", false) => format!("{bits}ull"),
        (_, true) => format!("0x{bits:0width$x}u", width = scalar.bits() as usize / 4),
        (_, false) => format!("{bits}u"),
    }
}
