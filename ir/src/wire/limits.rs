//! The limits of a wire file.
//!
//! This is the only table of them. If the encoder exceeds one, it writes bytes that no decoder
//! accepts; the decoder refuses more by itself. Everything else is bounded by the bytes of the
//! file, since each thing in it takes at least one.

use crate::ir::{MAX_NESTING, MAX_TYPE_PARTS};

/// Bytes of a file. It keeps every id within 32 bits.
pub const FILE: usize = 1 << 28;

/// Regions inside regions, not counting a function's body.
pub const NESTING: usize = MAX_NESTING;

/// Arrays and structs inside each other.
pub const TYPE_NESTING: usize = MAX_NESTING;

/// Types that one type consists of; a few bytes can say "twice the one before".
pub const TYPE_PARTS: usize = MAX_TYPE_PARTS;

/// Bytes of memory that decoding takes at most for each byte of the file, all copies that
/// it makes on the way included.
pub const MEMORY_PER_BYTE: usize = 192;

/// Bytes of memory that decoding takes at most for a file of any size, beside
/// [`MEMORY_PER_BYTE`].
pub const MEMORY: usize = 1 << 14;
