//! What is known about names without linking them, for error messages.
//!
//! A name that a kernel cannot use is refused with a helpful message: what other languages call
//! the same thing ([`foreign`]), similar names of the language ([`suggest`]), names that Rust
//! already uses ([`reserved`]), and what the file around the item contains ([`around`]). None
//! of them gives a name a meaning, but for the orders of atomics ([`order`])
//! and the operators ([`operators`]).

pub mod around;
pub mod foreign;
pub mod messages;
pub mod operators;
pub mod order;
pub mod reserved;
pub mod suggest;

/// Whether a list of words, with white space between them, has this one.
fn is_among(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|known| known == word)
}
