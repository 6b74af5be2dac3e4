//! What a Vulkan device offers to modules of ours.

use super::module::Reg;
use crate::soft::plan::Native;
use crate::types::{Scalar, Type};

/// The device and the launches that a module is for.
///
/// A field may be true only if the device reports the feature and it is enabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// What the device computes exactly, and in which form.
    pub native: Native,
    /// The float widths for which the device rounds to nearest even if the module asks for it.
    pub round_to_nearest: Widths,
    /// The float widths for which it keeps subnormals if the module asks for it.
    pub keep_subnormals: Widths,
    /// Storage buffers of bytes.
    pub bytes: bool,
    /// Storage buffers of two bytes.
    pub halves: bool,
    /// The Vulkan memory model with the scope of the device.
    pub memory_model: bool,
    /// Whether the device's subgroups are ours in workgroups of one axis that are whole
    /// subgroups: 32 invocations each, in the order of the local index.
    pub subgroups: bool,
    /// Whether the words of the launch are immediate data instead of a uniform buffer.
    pub immediates: bool,
    /// Whether the consumer binds the tables as a buffer.
    pub table_buffer: bool,
    /// For a device that ends long loops by itself: the word in which the module counts
    /// loops that were entered and not left. Such a device runs a loop right only if it has a
    /// bound of its own.
    pub report_cut_loops: Option<u32>,
    /// Whether launches are large: an invocation may do the work of several.
    pub large: bool,
    /// Which of [`launch_conditions`](crate::backend::launch_conditions) every launch of the
    /// module satisfies, one bit each; accesses that rest on these are not guarded.
    pub launch_conditions: u64,
}

/// A set of float widths.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Widths {
    /// `f16`.
    pub half: bool,
    /// `f32`.
    pub single: bool,
    /// `f64`.
    pub double: bool,
}

impl Widths {
    const NONE: Self = Self { half: false, single: false, double: false };
}

impl Target {
    /// What every device with Vulkan 1.1 has, and launches of which nothing is known.
    ///
    /// ```
    /// use samebits_ir::backend::spirv::{Target, emit};
    /// use samebits_ir::{check::check, text::parse};
    /// let text = "func kernel workgroup_size(64, 1, 1) @zero(@y: mut [u32]) {
    ///     %i = global_id.x
    ///     store @y[%i], 0u32
    ///     ret
    /// }";
    /// let checked = check(parse(text).map_err(|_| "not text")?).map_err(|_| "not a kernel")?;
    /// let shader = emit(&checked, 0, &Target::VULKAN).ok_or("no kernel")?;
    /// assert_eq!(shader.words[..2], [0x0723_0203, 0x0001_0300]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const VULKAN: Self = Self {
        native: Native::WEBGPU,
        round_to_nearest: Widths::NONE,
        keep_subnormals: Widths::NONE,
        bytes: false,
        halves: false,
        memory_model: false,
        subgroups: false,
        immediates: false,
        table_buffer: false,
        report_cut_loops: None,
        large: false,
        launch_conditions: 0,
    };

    /// The register of a scalar, and how many of them a lane takes: two words for 64 bits that
    /// the device does not have, low first.
    pub(super) const fn register(&self, scalar: Scalar) -> (Reg, usize) {
        match scalar {
            Scalar::Bool => (Reg::Bool, 1),
            Scalar::F32 => (Reg::F32, 1),
            Scalar::F16 if self.native.has_half() => (Reg::F16, 1),
            Scalar::F64 if self.native.has_double() => (Reg::F64, 1),
            Scalar::I64 | Scalar::U64 if self.native.has_long() => (Reg::U64, 1),
            Scalar::F64 | Scalar::I64 | Scalar::U64 => (Reg::U32, 2),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::F16 => {
                (Reg::U32, 1)
            }
        }
    }

    /// The registers of a value, all of one kind.
    pub(super) fn registers(&self, ty: Type) -> (Reg, usize) {
        match ty.lane() {
            Some(lane) => {
                let (reg, each) = self.register(lane);
                (reg, each * ty.lanes())
            }
            None => (Reg::U32, 0),
        }
    }
}
