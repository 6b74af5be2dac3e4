//! The compiled kernels of one device.
//!
//! The key is a loaded kernel's number, which stands for its whole code, and the form: which launches it is for. A cache
//! belongs to one device, so nothing is ever shared between devices or settings. An entry goes when its kernel does.

use super::{Backend, LaunchKind, Limits};
use crate::error::Error;
use crate::kernel::Loaded;
use crate::trace;
use samebits_ir::caps::Capabilities;
use samebits_ir::limits::Limit;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The most compiled forms of one kernel that rely on conditions.
const FORMS: usize = 4;

/// The compiled kernels of one device, which are `P`s.
pub(super) struct Cache<P>(Mutex<Entries<P>>);

struct Entries<P> {
    /// By the kernel's number and the form. A kernel without a form for large launches has one pipeline for these and
    /// the others.
    pipelines: BTreeMap<(u64, LaunchKind), (Weak<Loaded>, Arc<P>)>,
    compilations: u64,
}

impl<P> Default for Cache<P> {
    fn default() -> Self {
        Self(Mutex::new(Entries { pipelines: BTreeMap::new(), compilations: 0 }))
    }
}

impl<P> Cache<P> {
    /// The kernel compiled for the cache's device and in a form; compiles it at the first call. A kernel that is
    /// launched in many ways gets one form for the rest of them that relies on no condition.
    pub fn pipeline(
        &self,
        backend: &impl Backend<Pipeline = P>,
        kernel: &Arc<Loaded>,
        mut kind: LaunchKind,
    ) -> Result<Arc<P>, Error> {
        // The lock is held while the kernel compiles, so that threads that launch one
        // kernel at the same time compile it once.
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = kernel.number;
        if let Some((_, pipeline)) = entries.pipelines.get(&(number, kind)) {
            return Ok(pipeline.clone());
        }
        let is_large = kind.is_large;
        let of_size = |key: &&(u64, LaunchKind)| key.1.is_large == is_large && key.1.fulfilled > 0;
        let kinds =
            entries.pipelines.range((number, LaunchKind::of(0))..(number + 1, LaunchKind::of(0))).map(|(key, _)| key);
        if kinds.filter(of_size).count() >= FORMS {
            kind.fulfilled = 0;
            if let Some((_, pipeline)) = entries.pipelines.get(&(number, kind)) {
                return Ok(pipeline.clone());
            }
        }
        let asked = kind;
        if is_large && !backend.has_large_form(kernel) {
            kind.is_large = false;
        }
        let pipeline = match entries.pipelines.get(&(number, kind)) {
            Some((_, pipeline)) => pipeline.clone(),
            None => {
                can_run(kernel, backend.name(), &backend.limits(), backend.capabilities())?;
                entries.compilations += 1;
                let _left = trace::enter!("compile", device = backend.name(), kernel = kernel.name);
                let pipeline = Arc::new(backend.compile(kernel, kind)?);
                entries.pipelines.retain(|_, (kernel, _)| kernel.strong_count() > 0);
                entries.pipelines.insert((number, kind), (Arc::downgrade(kernel), pipeline.clone()));
                pipeline
            }
        };
        if asked != kind {
            entries.pipelines.insert((number, asked), (Arc::downgrade(kernel), pipeline.clone()));
        }
        Ok(pipeline)
    }

    /// How many times a kernel was compiled.
    pub fn compilations(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).compilations
    }
}

/// Whether the device is large enough for a kernel and has the features that it uses.
fn can_run(kernel: &Loaded, device: &str, limits: &Limits, has: Capabilities) -> Result<(), Error> {
    let (function, facts) = kernel.function();
    let name = || kernel.name.clone();
    let device = || device.to_owned();
    let lacks = facts.capabilities.without(has);
    if !lacks.is_empty() {
        let feature = format!("{lacks}{}", lacks.instead());
        return Err(Error::MissingFeature { kernel: name(), feature, device: device() });
    }
    let size = function.workgroup_size();
    for ((asked, allowed), axis) in size.into_iter().zip(limits.workgroup_size).zip(['x', 'y', 'z']) {
        if asked > allowed {
            let (axis, asked) = (Some(axis), asked.into());
            return Err(Error::WorkgroupTooLarge { kernel: name(), axis, device: device(), asked, allowed });
        }
    }
    for &limit in Limit::ALL {
        let asked = facts.needs.get(limit);
        let allowed = match limit {
            Limit::WorkgroupMemory => limits.shared_bytes,
            Limit::Invocations => limits.workgroup_invocations,
            Limit::Buffers => limits.buffers,
            Limit::ArgumentBytes => limits.argument_bytes,
        };
        if asked <= allowed {
            continue;
        }
        let (kernel, device) = (name(), device());
        return Err(match limit {
            Limit::WorkgroupMemory => Error::SharedTooLarge { kernel, device, asked, allowed },
            Limit::Invocations => Error::WorkgroupTooLarge { kernel, axis: None, device, asked: asked.into(), allowed },
            Limit::Buffers => Error::TooManyBuffers { kernel, device, asked, allowed },
            Limit::ArgumentBytes => Error::TooManyArguments { kernel, device, asked, allowed },
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::interpreter::LIMITS;
    use crate::kernel::Kernel;
    use samebits_ir::builder::Builder;
    use samebits_ir::ir::Access;
    use samebits_ir::types::{Scalar, Type, Types};

    /// What a device with these limits says to a kernel of 8 × 8 × 8 invocations, two
    /// buffers, seven words of arguments and 4000 bytes of workgroup memory.
    fn verdict(limits: Limits) -> Result<(), String> {
        let mut types = Types::default();
        let mut b = Builder::new("large", [8, 8, 8]);
        let mut declared = samebits_ir::limits::Limits::NONE;
        declared.set(Limit::Invocations, 512);
        b.limits(declared);
        b.buffer("x", Type::F32, Access::Read);
        b.buffer("y", Type::F32, Access::ReadWrite);
        b.shared("tile", types.array(Type::F32, 1000), Access::ReadWrite);
        b.ret();
        let kernel = Kernel::from_module(&b.into_module(types), 0).unwrap();
        let judged = can_run(kernel.load().unwrap(), "d", &limits, Capabilities::ALL);
        judged.map_err(|error| error.to_string())
    }

    #[test]
    fn a_device_that_is_large_enough_is_content() {
        assert_eq!(verdict(LIMITS), Ok(()));
        let tight = Limits {
            workgroup_size: [8; 3],
            workgroup_invocations: 512,
            shared_bytes: 4000,
            buffers: 2,
            argument_bytes: 28,
            ..LIMITS
        };
        assert_eq!(verdict(tight), Ok(()));
    }

    #[test]
    fn a_workgroup_is_compared_as_a_whole_and_on_each_axis() {
        let refused = |text: &str| Err(format!("kernel `large`: a workgroup of {text}"));
        assert_eq!(
            verdict(Limits { workgroup_invocations: 256, ..LIMITS }),
            refused("512 invocations, but `d` allows 256; use a smaller `workgroup_size` or another device")
        );
        assert_eq!(
            verdict(Limits { workgroup_size: [8, 8, 7], ..LIMITS }),
            refused("8 invocations on z, but `d` allows 7; use a smaller `workgroup_size` or another device")
        );
    }

    #[test]
    fn memory_and_buffers_are_compared() {
        let refused = |text: &str| Err(format!("kernel `large`: {text}"));
        assert_eq!(
            verdict(Limits { shared_bytes: 3999, ..LIMITS }),
            refused(
                "4000 bytes of workgroup memory, but `d` allows 3999; use less `#[shared]` memory or another device"
            )
        );
        assert_eq!(
            verdict(Limits { buffers: 1, ..LIMITS }),
            refused("2 buffers, but `d` allows 1; pass fewer buffers or use another device")
        );
        assert_eq!(
            verdict(Limits { argument_bytes: 27, ..LIMITS }),
            refused("28 bytes of launch arguments, but `d` allows 27; pass values in a buffer or use another device")
        );
    }

    #[test]
    fn a_feature_that_a_device_lacks_is_named() {
        let mut b = Builder::new("sums", [1, 1, 1]);
        b.buffer("x", Type::Scalar(Scalar::F64), Access::Atomic);
        b.ret();
        let kernel = Kernel::from_module(&b.into_module(Types::default()), 0).unwrap();
        let judged = |has| can_run(kernel.load().unwrap(), "d", &LIMITS, has).map_err(|error| error.to_string());
        assert_eq!(judged(Capabilities::ALL), Ok(()));
        let text = "kernel `sums` needs 64-bit atomics, which `d` lacks";
        assert_eq!(judged(Capabilities::ALL.without(Capabilities::ATOMIC64)), Err(text.to_owned()));
    }
}
