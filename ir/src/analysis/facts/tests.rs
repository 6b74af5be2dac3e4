//! Facts of small functions.
