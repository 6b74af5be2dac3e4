//! Kernels at work: each module holds a kernel, a function that runs it, and its twin in
//! plain Rust; `examples/` holds the programs around them. `math` is what kernels share, `cli`
//! and `picture` what the programs share.

pub mod blur;
pub mod cli;
pub mod game_of_life;
pub mod histogram;
pub mod mandelbrot;
pub mod math;
pub mod matmul;
pub mod picture;
pub mod raytrace;
pub mod reduce;
pub mod saxpy;
pub mod sgemm;

use samebits::__private::Kernel;

/// Every kernel of the examples, for tests that are about kernels.
pub fn kernels() -> [&'static Kernel; 10] {
    [
        blur::mean::KERNEL,
        game_of_life::generation::KERNEL,
        histogram::count::KERNEL,
        mandelbrot::paint::KERNEL,
        matmul::multiply::KERNEL,
        raytrace::paint::KERNEL,
        reduce::add_words::KERNEL,
        reduce::add_floats::KERNEL,
        saxpy::saxpy::KERNEL,
        sgemm::sgemm::KERNEL,
    ]
}
