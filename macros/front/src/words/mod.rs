//! What is known of names without linking them, for the words of errors.
//!
//! A name that a kernel cannot use is refused in words that help: by what other languages call the same
//! thing ([`foreign`]), by what the language has that is called almost so ([`suggest`]), by what Rust gives
//! a name already ([`reserved`]), and by what stands in the file around the item ([`around`]). None of
//! them gives a name a meaning.

pub mod around;
pub mod foreign;
pub mod reserved;
pub mod suggest;
