//! What a device of wgpu's reports, as far as kernels can make use of it.

use samebits_ir::backend::spirv::Widths;

/// Which atomic sums of floats a device has.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct FloatSums {
    /// `f32` in buffers.
    pub buffer_f32: bool,
    /// `f32` in workgroup memory.
    pub shared_f32: bool,
    /// `f64` in buffers.
    pub buffer_f64: bool,
    /// `f64` in workgroup memory.
    pub shared_f64: bool,
}

/// What a Vulkan device reports, as far as kernels can make use of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reported {
    /// The version of Vulkan: major and minor.
    pub api: [u32; 2],
    /// The driver's name and its version, in its own words.
    pub driver: String,
    /// What changes with each build of the driver.
    pub build: [u8; 16],
    /// The widths of floats for which a module may ask for rounding to nearest.
    pub rounding: Widths,
    /// The widths of floats for which a module may ask for subnormals.
    pub subnormals: Widths,
    /// The Vulkan memory model, with the device as a scope.
    pub memory_model: bool,
    /// Elements of 8 bits in storage buffers.
    pub storage8: bool,
    /// Elements of 16 bits in storage buffers.
    pub storage16: bool,
    /// Arithmetic on integers of 8 bits.
    pub int8: bool,
    /// Arithmetic on integers of 16 bits.
    pub int16: bool,
    /// Arithmetic on integers of 64 bits.
    pub int64: bool,
    /// Arithmetic on `f16`.
    pub float16: bool,
    /// Arithmetic on `f64`.
    pub float64: bool,
    /// Atomics of 64 bits, in buffers and in workgroup memory.
    pub atomic64: bool,
    /// Atomic sums of floats.
    pub float_sums: FloatSums,
    /// Subgroup operations on elements of 8, 16 and 64 bits.
    pub subgroup_extended_types: bool,
}
