//! What a device of wgpu's reports, as far as kernels can make use of it.

use samebits_ir::backend::spirv::Widths;
use samebits_ir::types::Scalar;
use wgpu::Features;

/// wgpu switches the memory model on with this feature only.
pub(super) const MEMORY_MODEL: Features = Features::EXPERIMENTAL_COOPERATIVE_MATRIX;

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
    /// The driver's version, as a number of its own.
    pub version: u32,
    /// What changes with each build of a driver, or should.
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

impl Reported {
    /// What the device reports, by name.
    pub fn list(&self) -> Vec<(&'static str, bool)> {
        let Self { rounding, subnormals, float_sums: sums, .. } = self;
        vec![
            ("rounding to nearest of f16", rounding.half),
            ("rounding to nearest of f32", rounding.single),
            ("rounding to nearest of f64", rounding.double),
            ("subnormals of f16", subnormals.half),
            ("subnormals of f32", subnormals.single),
            ("subnormals of f64", subnormals.double),
            ("the Vulkan memory model", self.memory_model),
            ("8-bit storage", self.storage8),
            ("16-bit storage", self.storage16),
            ("i8", self.int8),
            ("i16", self.int16),
            ("i64", self.int64),
            ("f16", self.float16),
            ("f64", self.float64),
            ("64-bit atomics", self.atomic64),
            ("atomic sums of f32 in buffers", sums.buffer_f32),
            ("atomic sums of f32 in workgroups", sums.shared_f32),
            ("atomic sums of f64 in buffers", sums.buffer_f64),
            ("atomic sums of f64 in workgroups", sums.shared_f64),
            ("subgroups of all types", self.subgroup_extended_types),
        ]
    }

    /// The types that the device computes with and others lack.
    pub fn types(&self) -> Vec<Scalar> {
        let has = [(self.int64, Scalar::I64), (self.float64, Scalar::F64), (self.float16, Scalar::F16)];
        has.into_iter().filter(|(has, _)| *has).map(|(_, scalar)| scalar).collect()
    }
}
