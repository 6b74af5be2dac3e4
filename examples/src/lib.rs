//! Kernels at work: each module holds a kernel, a function that runs it, and its twin in
//! plain Rust; `examples/` holds the programs around them. `math` is what kernels share, `cli`
//! and `picture` what the programs share.

pub mod black_scholes;
pub mod blur;
pub mod cli;
pub mod fft;
pub mod game_of_life;
pub mod heat;
pub mod histogram;
pub mod mandelbrot;
pub mod marble;
pub mod math;
pub mod matmul;
pub mod particles;
pub mod picture;
pub mod raytrace;
pub mod reduce;
pub mod saxpy;
pub mod sgemm;
pub mod softmax;
pub mod water;

use samebits::__private::Kernel;

/// Every kernel of the examples, for tests that are about kernels.
pub fn kernels() -> [&'static Kernel; 18] {
    [
        black_scholes::value::KERNEL,
        blur::mean::KERNEL,
        fft::pass::KERNEL,
        game_of_life::generation::KERNEL,
        heat::spread::KERNEL,
        histogram::count::KERNEL,
        mandelbrot::paint::KERNEL,
        marble::polish::KERNEL,
        matmul::multiply::KERNEL,
        particles::fly::KERNEL,
        raytrace::paint::KERNEL,
        reduce::add_words::KERNEL,
        reduce::add_floats::KERNEL,
        saxpy::saxpy::KERNEL,
        sgemm::sgemm::KERNEL,
        softmax::softmax::KERNEL,
        water::weigh::KERNEL,
        water::step::KERNEL,
    ]
}
