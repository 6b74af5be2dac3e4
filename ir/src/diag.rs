//! Diagnostics: the table of codes, one type for every error and warning, and the
//! accumulator with which a phase reports many of them.
//!
//! A message is lower case, has no final full stop, speaks in the user's words and
//! makes sense alone; labels state facts elsewhere; `help` is the one line to write
//! instead. [`render`] shows diagnostics over a text source; the Rust front end has its
//! own renderer over tokens. Errors stop a phase ([`Diags::gate`]); warnings never do.

use crate::loc::Loc;
use std::borrow::Cow;
use std::fmt;

macro_rules! codes {
    ($($name:ident = $text:literal $title:literal;)*) => {
        /// What is wrong, as a number that never changes its meaning.
        ///
        /// ```
        /// use samebits_ir::diag::Code;
        /// assert_eq!(Code::V010.to_string(), "V010");
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code as messages show it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What the code stands for.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// The text of its page, for `samebits explain`.
            #[cfg(feature = "cli")]
            pub const fn page(self) -> &'static str {
                match self { $(Self::$name => include_str!(concat!("../errors/", $text, ".md")),)* }
            }
        }
    };
}

codes! {
    V001 = "V001" "two things with the same name";
    V003 = "V003" "a workgroup size of zero";
    V005 = "V005" "a store to read-only memory";
    V006 = "V006" "an unknown name";
    V007 = "V007" "an axis that does not exist";
    V008 = "V008" "an assignment to an immutable variable";
    V009 = "V009" "an atomic access to memory that is not atomic";
    V010 = "V010" "a barrier that not every invocation reaches";
    V011 = "V011" "an assignment to a loop variable";
    V012 = "V012" "a cast that does not exist";
    V013 = "V013" "an access to raw bytes";
    V014 = "V014" "an atomic of a type without atomics";
    V015 = "V015" "range bounds of different types, or a step of zero";
    V016 = "V016" "a call of an unknown function";
    V018 = "V018" "nesting that is too deep";
    V019 = "V019" "something that is too long";
    V021 = "V021" "operands of wrong or different types";
    V022 = "V022" "a condition that is not a bool";
    V023 = "V023" "a cast to raw bytes";
    V024 = "V024" "an array without elements";
    V025 = "V025" "a plain access to atomic memory";
    V100 = "V100" "syntax outside of the kernel language";
    V101 = "V101" "a wrong argument of an attribute";
    V102 = "V102" "a signature that a kernel, helper or test cannot have";
    V103 = "V103" "a literal that does not fit its type";
    V104 = "V104" "a break or continue without its loop";
    V105 = "V105" "a match that does not cover all values";
    V106 = "V106" "a function that calls itself";
    V107 = "V107" "a call of a kernel";
    V109 = "V109" "a loop that cannot be unrolled";
    V110 = "V110" "a name that a helper, struct or constant cannot have";
    V111 = "V111" "a helper from another version of samebits";
    V112 = "V112" "more names than one function can use";
    V200 = "V200" "mismatched types";
    V201 = "V201" "a type that a kernel cannot use here";
    V202 = "V202" "a type that cannot be inferred";
    V203 = "V203" "an unknown method or field";
    V204 = "V204" "a wrong number of arguments";
    V205 = "V205" "a type outside of a class";
    V206 = "V206" "a place that is borrowed twice";
    V207 = "V207" "a struct that cannot be an element";
    V209 = "V209" "a use of a variable that may have no value";
    V300 = "V300" "a constant index out of bounds";
    V301 = "V301" "an index of a wrong type, or into something without elements";
    V302 = "V302" "a place outside of the layout of its memory";
    V303 = "V303" "a pointer into two memories";
    V304 = "V304" "a bounds test that stays in a loop";
    V305 = "V305" "a requirement that cannot be checked";
    V310 = "V310" "a memory order that an access cannot have";
    V320 = "V320" "neighbours that are not neighbours in memory";
    V321 = "V321" "lanes that want one bank of workgroup memory";
    V322 = "V322" "an atomic that all lanes do to one place";
    V323 = "V323" "a barrier that orders nothing";
    V324 = "V324" "a loop that is not known to end";
    V325 = "V325" "arithmetic on f64";
    V400 = "V400" "a subgroup operation that not every invocation reaches";
    V500 = "V500" "accesses of two invocations that meet";
    V501 = "V501" "accesses of two invocations that may meet";
    V502 = "V502" "a result that depends on the order of invocations";
    V600 = "V600" "a workgroup that is too large";
    V601 = "V601" "too much workgroup memory";
    V602 = "V602" "too much private memory";
    V603 = "V603" "too many buffers";
    V604 = "V604" "too many launch arguments";
    V605 = "V605" "an unneeded declaration";
    V606 = "V606" "a feature that is not declared";
    V607 = "V607" "constant tables that are too large";
    V700 = "V700" "a syntax error in IR text";
    V701 = "V701" "malformed wire bytes";
    V702 = "V702" "malformed structure of a function";
}

/// Where the pages of codes are: a folder of the sources, or an address once the book has one. Nothing else says it.
pub const PAGES: &str = "docs/src/errors";

impl Code {
    /// The address of its page.
    ///
    /// ```
    /// use samebits_ir::diag::Code;
    /// assert!(Code::V010.address().ends_with("/V010.md"));
    /// ```
    pub fn address(self) -> String {
        format!("{PAGES}/{self}.md")
    }

    /// The code that a word means, in capitals or not.
    ///
    /// ```
    /// use samebits_ir::diag::Code;
    /// assert_eq!((Code::from_name("v010"), Code::from_name("V999")), (Some(Code::V010), None));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How many there are of something whose plural has an `s`.
///
/// ```
/// use samebits_ir::diag::count;
/// assert_eq!(count(1, "element"), "1 element");
/// assert_eq!(count(0, "element"), "0 elements");
/// ```
pub fn count(n: impl fmt::Display, what: &str) -> String {
    let n = n.to_string();
    let plural = if n == "1" { "" } else { "s" };
    format!("{n} {what}{plural}")
}

/// Whether a diagnostic refuses what it is about.
///
/// ```
/// use samebits_ir::diag::Severity;
/// assert_eq!(Severity::Warning.to_string(), "warning");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// It is wrong.
    Error,
    /// It is right, but hardly meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// One error or warning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diag {
    /// Whether it is an error.
    pub severity: Severity,
    /// What kind of mistake.
    pub code: Code,
    /// Where it is.
    pub loc: Loc,
    /// What is wrong, without the code.
    pub message: String,
    /// Facts about other places.
    pub labels: Vec<(Loc, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diag {
    /// An error at `loc`.
    ///
    /// ```
    /// use samebits_ir::{diag::{Code, Diag}, loc::Loc};
    /// let diag = Diag::new(Code::V003, Loc::NONE, "workgroup size is zero").help("use at least 1");
    /// assert_eq!(diag.headline(), "workgroup size is zero [V003]");
    /// ```
    pub fn new(code: Code, loc: Loc, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, loc, message: message.into(), labels: Vec::new(), help: None }
    }

    /// A warning at `loc`.
    pub fn warning(code: Code, loc: Loc, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::new(code, loc, message) }
    }

    /// Adds a fact about another place.
    #[must_use]
    pub fn label(mut self, loc: Loc, text: impl Into<String>) -> Self {
        self.labels.push((loc, text.into()));
        self
    }

    /// Sets the line that says what to write instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// The message with its code, the first line of every rendering.
    pub fn headline(&self) -> String {
        format!("{} [{}]", visible(&self.message), self.code)
    }
}

/// A line in which nothing but letters has an effect on a terminal: names come from files,
/// and may hold its commands, or ends of lines.
///
/// ```
/// assert_eq!(samebits_ir::diag::visible("`\u{e9}` \u{2026}"), "`\u{e9}` \u{2026}");
/// assert_eq!(samebits_ir::diag::visible("a\u{1b}[2J\nb\u{202e}"), "a\\u{1b}[2J\\u{a}b\\u{202e}");
/// ```
pub fn visible(line: &str) -> Cow<'_, str> {
    // Controls, ends of lines, and what turns the direction of text around.
    let acts = |c: char| {
        c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
    };
    if !line.contains(acts) {
        return line.into();
    }
    line.chars().map(|c| if acts(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

/// The errors and warnings found so far. A phase reports into it and goes on; between phases
/// [`gate`](Self::gate) stops if there is an error.
///
/// ```
/// use samebits_ir::{diag::{Code, Diag, Diags}, loc::Loc};
/// let mut diags = Diags::new();
/// assert!(diags.gate().is_ok());
/// diags.push(Diag::new(Code::V024, Loc::NONE, "array `tile` has no elements"));
/// assert_eq!(diags.gate().unwrap_err().as_slice().len(), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Diags {
    list: Vec<Diag>,
    /// How many more there were than are kept.
    left_out: usize,
}

/// Mistakes that are kept. A file that is no module at all has one in each line.
const MOST: usize = 1 << 12;

impl Diags {
    /// No mistakes.
    pub const fn new() -> Self {
        Self { list: Vec::new(), left_out: 0 }
    }

    /// Reports a mistake.
    pub fn push(&mut self, diag: Diag) {
        if self.list.len() < MOST {
            self.list.push(diag);
            return;
        }
        self.left_out += 1;
        // Of many warnings the last one makes room, so that there is an error where one was reported.
        if let Some(last) = self.list.last_mut().filter(|last| last.severity == Severity::Warning) {
            *last = diag;
        }
    }

    /// How many mistakes were reported, those that are not kept among them.
    ///
    /// ```
    /// use samebits_ir::diag::{Code, Diag, Diags};
    /// let mut diags = Diags::new();
    /// diags.extend((0..10_000).map(|_| Diag::new(Code::V006, Default::default(), "unknown")));
    /// assert!(diags.as_slice().len() < 5_000 && diags.count() == 10_000);
    /// ```
    pub fn count(&self) -> usize {
        self.list.len() + self.left_out
    }

    /// Takes back the reports after the first so many, which only follow from one of those.
    ///
    /// ```
    /// use samebits_ir::{diag::{Code, Diag, Diags}, loc::Loc};
    /// let mut diags = Diags::new();
    /// diags.push(Diag::new(Code::V201, Loc::NONE, "no type"));
    /// diags.push(Diag::new(Code::V006, Loc::NONE, "no value of it"));
    /// diags.truncate(1);
    /// assert_eq!(diags.as_slice()[0].code, Code::V201);
    /// ```
    pub fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
        self.left_out = self.left_out.min(len - len.min(self.list.len()));
    }

    /// Whether nothing was reported, not even a warning.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether an error was reported.
    ///
    /// ```
    /// use samebits_ir::{diag::{Code, Diag, Diags}, loc::Loc};
    /// let mut diags = Diags::from(Diag::warning(Code::V605, Loc::NONE, "needless"));
    /// assert!(!diags.is_empty() && !diags.has_errors() && diags.gate().is_ok());
    /// ```
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diag| diag.severity == Severity::Error)
    }

    /// The reports in the order in which they were made, up to a number that no person reads.
    pub fn as_slice(&self) -> &[Diag] {
        &self.list
    }

    /// Adds a diagnostic, if there is one.
    ///
    /// ```
    /// use samebits_ir::{diag::{Code, Diag, Diags}, loc::Loc};
    /// let mut diags = Diags::new();
    /// diags.extend(Some(Diag::new(Code::V006, Loc::NONE, "unknown")));
    /// diags.extend(None);
    /// assert_eq!(diags.as_slice().len(), 1);
    /// ```
    pub fn extend(&mut self, diags: impl IntoIterator<Item = Diag>) {
        diags.into_iter().for_each(|diag| self.push(diag));
    }

    /// Changes every mistake.
    ///
    /// ```
    /// use samebits_ir::{diag::{Code, Diag, Diags}, loc::Loc};
    /// let mut diags = Diags::new();
    /// diags.push(Diag::new(Code::V006, Loc::NONE, "unknown"));
    /// diags.each(|diag| diag.help = Some("declare it".to_owned()));
    /// assert!(diags.as_slice()[0].help.is_some());
    /// ```
    pub fn each(&mut self, change: impl FnMut(&mut Diag)) {
        self.list.iter_mut().for_each(change);
    }

    /// Adds the reports of another phase.
    pub fn append(&mut self, other: Self) {
        self.left_out += other.left_out;
        self.extend(other.list);
    }

    /// Takes the reports as an error if there is one among them.
    pub fn gate(&mut self) -> Result<(), Self> {
        if self.has_errors() { Err(std::mem::take(self)) } else { Ok(()) }
    }
}

impl From<Diag> for Diags {
    fn from(diag: Diag) -> Self {
        Self { list: vec![diag], left_out: 0 }
    }
}

/// Where the lines of a text begin, so that places are found without going through it again.
///
/// ```
/// use samebits_ir::diag::Lines;
/// let lines = Lines::of("a\nb\u{e9}c");
/// assert_eq!((lines.line_column(0), lines.line_column(5)), ((1, 1), (2, 3)));
/// assert_eq!((lines.line(2), lines.line(3)), ("b\u{e9}c", ""));
/// ```
#[derive(Clone, Debug)]
pub struct Lines<'s> {
    source: &'s str,
    starts: Vec<usize>,
    /// Whether a character is a byte.
    ascii: bool,
}

impl<'s> Lines<'s> {
    /// The lines of a text.
    pub fn of(source: &'s str) -> Self {
        let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { source, starts, ascii: source.is_ascii() }
    }

    /// The line and column, both from 1 and the column in characters, of a byte offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.source.len());
        while !self.source.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = if self.ascii { offset - start } else { self.source[start..offset].chars().count() };
        (line, column + 1)
    }

    /// The text of a line, counted from 1; empty for one that is not there.
    pub fn line(&self, number: usize) -> &'s str {
        let Some(&start) = number.checked_sub(1).and_then(|index| self.starts.get(index)) else { return "" };
        let end = self.starts.get(number).copied().unwrap_or(self.source.len());
        self.source[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// The line and column, both from 1 and the column in characters, of a byte offset.
///
/// ```
/// assert_eq!(samebits_ir::diag::line_column("a\nbc", 3), (2, 2));
/// ```
pub fn line_column(source: &str, offset: usize) -> (usize, usize) {
    Lines::of(source).line_column(offset)
}

/// Shows diagnostics over the text that their locations are byte offsets of.
///
/// ```
/// use samebits_ir::{diag::{render, Code, Diag}, loc::Loc};
/// let diag = Diag::new(Code::V006, Loc::new(4), "cannot find value `%x`").into();
/// let shown = render(&diag, "k.gir", "ret %x");
/// assert_eq!(shown, "error: cannot find value `%x` [V006]\n --> k.gir:1:5\n  |\n1 | ret %x\n  |     ^\n");
/// ```
pub fn render(diags: &Diags, file: &str, source: &str) -> String {
    let mut out = String::new();
    let lines = Lines::of(source);
    for diag in diags.as_slice() {
        out.push_str(&format!("{}: {}\n", diag.severity, diag.headline()));
        lines.excerpt(&mut out, file, diag.loc);
        for (loc, text) in &diag.labels {
            out.push_str(&format!("note: {}\n", visible(text)));
            lines.excerpt(&mut out, file, *loc);
        }
        if let Some(help) = &diag.help {
            out.push_str(&format!("help: {}\n", visible(help)));
        }
    }
    out
}

/// Appends the source line of `loc` with a caret below the column, as [`render`] shows it.
///
/// ```
/// use samebits_ir::{diag::excerpt, loc::Loc};
/// let mut shown = String::new();
/// excerpt(&mut shown, "k.gir", "ret", Loc::new(0));
/// assert_eq!(shown, " --> k.gir:1:1\n  |\n1 | ret\n  | ^\n");
/// ```
pub fn excerpt(out: &mut String, file: &str, source: &str, loc: Loc) {
    Lines::of(source).excerpt(out, file, loc);
}

impl Lines<'_> {
    /// Appends the line of `loc` as [`excerpt`] does.
    fn excerpt(&self, out: &mut String, file: &str, loc: Loc) {
        /// Longer lines are not shown: the position says enough and a terminal is finite.
        const LONGEST_LINE: usize = 200;
        let Some(index) = loc.index() else { return };
        let (line, column) = self.line_column(index as usize);
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        out.push_str(&format!("{margin}--> {file}:{line}:{column}\n"));
        let text = self.line(line);
        if text.len() <= LONGEST_LINE {
            let text: Vec<Cow<'_, str>> = text.split('\t').map(visible).collect();
            let (text, caret) = (text.join("\t"), " ".repeat(column - 1));
            out.push_str(&format!("{margin} |\n{number} | {text}\n{margin} | {caret}^\n"));
        }
    }
}
