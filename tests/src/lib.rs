//! Tests that need more than one package, and what they share.

pub mod filetest;
