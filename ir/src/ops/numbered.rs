//! How the small tables are written: an enum with frozen numbers, one row for each variant.

/// Defines an enum, and what its rows say: `Name(number, "text name", "Rust's name", columns, "documentation");`
///
/// The columns are of the type behind the enum's name; `columns()` gives them.
macro_rules! numbered {
    ($(#[$meta:meta])* $table:ident: $columns:ty {
        $($name:ident($number:literal, $text:literal, $rust:literal, $row:expr, $doc:literal);)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        pub enum $table { $(#[doc = $doc] $name = $number,)* }

        impl $table {
            /// All of them, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in text.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The name in Rust.
            pub const fn rust(self) -> &'static str {
                match self { $(Self::$name => $rust,)* }
            }

            /// The frozen wire number.
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// One sentence of documentation.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }

            const fn columns(self) -> $columns {
                match self { $(Self::$name => $row,)* }
            }

            /// What has this name in text.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|row| row.name() == name)
            }

            /// What has this name in Rust; the first of several.
            pub fn from_rust(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|row| row.rust() == name)
            }

            /// What has this wire number.
            pub fn from_number(number: u16) -> Option<Self> {
                Self::ALL.iter().copied().find(|row| row.number() == number)
            }
        }
    };
}
pub(super) use numbered;
