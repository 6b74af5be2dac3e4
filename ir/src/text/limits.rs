//! The limits of a text.
//!
//! This is the only table of them. Everything else is bounded by the bytes of the text, and
//! nesting by [`MAX_NESTING`](crate::ir::MAX_NESTING).

/// Bytes of a text. The largest that a program needs are a thousandth of it.
pub const SOURCE: usize = 1 << 24;

/// Bytes of memory that reading a text takes at most for each byte of it, the module that
/// comes of it included.
pub const MEMORY_PER_BYTE: usize = 256;

/// Bytes of memory that reading a text of any size takes at most, beside [`MEMORY_PER_BYTE`].
pub const MEMORY: usize = 1 << 22;
