//! Kernels at work: each module holds a kernel, a function that runs it, and its twin in
//! plain Rust; `examples/` holds the programs around them.

pub mod cli;
pub mod histogram;
pub mod mandelbrot;
pub mod picture;
pub mod saxpy;
