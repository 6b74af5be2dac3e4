//! Thirty programs of the suite [HeCBench](https://github.com/zjin-lcf/HeCBench), written anew: the same problems,
//! algorithms, types and sizes, in kernels that a Rust programmer would write.
//!
//! Each module has a program's kernels, what starts it on a device, and a reference: plain Rust that computes the same
//! one number after the other, and shares no code with the kernels. [`PROGRAMS`] lists them. `tests/answers.rs` compares
//! their bits on every device, and `benches/suite.rs` measures them.

pub mod adam;
pub mod add_bias_residual_layer_norm;
pub mod answer;
pub mod bincount;
pub mod bitonic_sort;
pub mod cbsfil;
pub mod cc;
pub mod chacha20;
pub mod channel_shuffle;
pub mod clenergy;
pub mod dispatch;
pub mod distort;
pub mod dwconv1d;
pub mod extrema;
pub mod fft;
pub mod flip;
pub mod gru;
pub mod intrinsics_cast;
pub mod job;
pub mod keogh;
pub mod langford;
pub mod layernorm;
pub mod lfib4;
pub mod libor;
pub mod matern;
pub mod numbers;
pub mod perlin;
pub mod pnpoly;
pub mod rsmt;
pub mod sampling;
pub mod sobel;
pub mod stencil1d;
pub mod stencil3d;

use job::{Job, Scale};
use samebits::prelude::*;

/// A program of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name in the suite.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Makes its inputs and uploads them to a device.
    pub start: for<'a> fn(&'a Device, Scale) -> Result<Job<'a>, Error>,
    /// The answer after each step was run once, in plain Rust.
    pub reference: fn(Scale) -> answer::Answer,
}

macro_rules! program {
    ($module:ident, $name:literal, $about:literal) => {
        Program { name: $name, about: $about, start: $module::start, reference: $module::reference }
    };
}

/// All programs, by name.
pub const PROGRAMS: &[Program] = &[
    program!(adam, "adam", "Adam, which trains weights by gradients and their moments"),
    program!(
        add_bias_residual_layer_norm,
        "addBiasResidualLayerNorm",
        "a sum of layers, normalised, in numbers of 16 bits"
    ),
    program!(
        bincount,
        "bincount",
        "how many numbers fall into each of many bins, with atomics of a buffer and of a workgroup"
    ),
    program!(bitonic_sort, "bitonic-sort", "a bitonic sort, a launch for each step"),
    program!(cbsfil, "cbsfil", "the recursive filter before interpolation by cubic splines"),
    program!(cc, "cc", "the connected components of a graph"),
    program!(chacha20, "chacha20", "the cipher ChaCha20, and hexadecimal text to bytes"),
    program!(channel_shuffle, "channelShuffle", "channels of a network's layer, taken from each group in turn"),
    program!(clenergy, "clenergy", "the potential of charged atoms on a grid"),
    program!(dispatch, "dispatch", "an empty kernel: what a launch costs"),
    program!(distort, "distort", "a picture seen through a barrel lens"),
    program!(dwconv1d, "dwconv1d", "a convolution along time for each channel, and its gradients"),
    program!(extrema, "extrema", "which numbers of a row or a grid are greater than their neighbours"),
    program!(fft, "fft", "Fourier transforms of 512 numbers, there and back"),
    program!(flip, "flip", "a tensor that is turned round along its axes"),
    program!(gru, "gru", "a step of a network of gated recurrent units"),
    program!(intrinsics_cast, "intrinsics-cast", "conversions of floats and integers with all directions of rounding"),
    program!(keogh, "keogh", "a lower bound of the distance when time is warped"),
    program!(langford, "langford", "sequences of Langford whose lines do not cross"),
    program!(layernorm, "layernorm", "the normalisation of a layer, in three versions"),
    program!(lfib4, "lfib4", "the generator of numbers LFIB4"),
    program!(libor, "libor", "options on interest rates along paths, and their sensitivities"),
    program!(matern, "matern", "sums of Matérn's covariance"),
    program!(perlin, "perlin", "Perlin's noise as a picture"),
    program!(pnpoly, "pnpoly", "which points are inside of a polygon"),
    program!(rsmt, "rsmt", "short trees of wires for the nets of a circuit"),
    program!(sampling, "sampling", "the data set for Shapley values"),
    program!(sobel, "sobel", "the edges of a picture"),
    program!(stencil1d, "stencil1d", "sums of neighbourhoods in a row"),
    program!(stencil3d, "stencil3d", "the flow through the faces of cells"),
];
