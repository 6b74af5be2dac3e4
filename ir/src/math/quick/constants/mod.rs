//! Constants, written by a program: `tests/src/coefficients`.

#![allow(clippy::approx_constant, clippy::excessive_precision, reason = "numbers are written as they were computed")]

pub mod logarithm;
