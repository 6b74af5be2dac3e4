//! Atomics.
