//! The macros of the language: those by which a kernel says something, with the calls that they become, and `matches!`.

/// A macro of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Macro {
    /// `assert!` and `debug_assert!`
    Assert {
        /// Whether it asks in programs with debug assertions only.
        debug: bool,
    },
    /// `assert_eq!`, `assert_ne!` and those with `debug_`
    Compare {
        /// Whether it asks in programs with debug assertions only.
        debug: bool,
        /// Whether the two must be equal.
        equal: bool,
    },
    /// `unreachable!`
    Unreachable,
    /// `debug!`
    Line,
    /// `matches!`
    Matches,
}

impl Macro {
    /// The macro of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "assert" => Self::Assert { debug: false },
            "debug_assert" => Self::Assert { debug: true },
            "assert_eq" => Self::Compare { debug: false, equal: true },
            "assert_ne" => Self::Compare { debug: false, equal: false },
            "debug_assert_eq" => Self::Compare { debug: true, equal: true },
            "debug_assert_ne" => Self::Compare { debug: true, equal: false },
            "unreachable" => Self::Unreachable,
            "debug" => Self::Line,
            "matches" => Self::Matches,
            _ => return None,
        })
    }

    /// How it is called.
    pub const fn usage(self) -> &'static str {
        match self {
            Self::Assert { .. } => "write a condition, and perhaps a text: `assert!(i < n, \"{i} is too large\")`",
            Self::Compare { .. } => "write two values, and perhaps a text: `assert_eq!(a, b, \"in row {i}\")`",
            Self::Unreachable => "write nothing or a text: `unreachable!(\"{i} is too large\")`",
            Self::Line => "write a text and its values: `debug!(\"{i}: {}\", x[i])`",
            Self::Matches => "write a value and a pattern, and perhaps a condition: `matches!(x, Some(n) if n > 1)`",
        }
    }
}

/// The call that a failed assertion makes.
pub const ASSERTION: &str = "__samebits_assertion";
/// The call of what should not be reached, which has a value of any type.
pub const UNREACHABLE: &str = "__samebits_unreachable";
/// The call that says a line.
pub const LINE: &str = "__samebits_line";
/// The call that tells whether the program has debug assertions.
pub const DEBUG_ASSERTIONS: &str = "__samebits_debug_assertions";

/// The first of the two variables that `assert_eq!` compares.
pub const LEFT: &str = "__samebits_left";
/// The second of them.
pub const RIGHT: &str = "__samebits_right";

/// Whether a call of this name is one of these.
pub fn is_call(name: &str) -> bool {
    [ASSERTION, UNREACHABLE, LINE, DEBUG_ASSERTIONS].contains(&name)
}
