//! The compiled kernels of one device.
//!
//! The key is a loaded kernel's number, which stands for its whole code; a cache belongs
//! to one device, so nothing is ever shared between devices or settings. An entry goes
//! when its kernel does.

use crate::backend::{Backend, Limits, Pipeline};
use crate::error::Error;
use crate::kernel::Loaded;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The compiled kernels of one device.
#[derive(Default, Debug)]
pub(crate) struct Cache {
    entries: Mutex<Entries>,
}

#[derive(Default, Debug)]
struct Entries {
    pipelines: HashMap<u64, (Weak<Loaded>, Arc<Pipeline>)>,
    compilations: u64,
}

impl Cache {
    /// The kernel compiled for the cache's device; compiles it at the first call.
    pub fn pipeline(&self, backend: &Backend, kernel: &Arc<Loaded>) -> Result<Arc<Pipeline>, Error> {
        // The lock is held while the kernel compiles, so that threads that launch one
        // kernel at the same time compile it once.
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pipeline)) = entries.pipelines.get(&kernel.number) {
            return Ok(pipeline.clone());
        }
        within_limits(kernel, &backend.limits())?;
        entries.compilations += 1;
        let pipeline = Arc::new(backend.compile(kernel)?);
        entries.pipelines.retain(|_, (kernel, _)| kernel.strong_count() > 0);
        entries.pipelines.insert(kernel.number, (Arc::downgrade(kernel), pipeline.clone()));
        Ok(pipeline)
    }

    /// How many times a kernel was compiled.
    pub fn compilations(&self) -> u64 {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).compilations
    }
}

/// Whether the device is large enough for a kernel.
fn within_limits(kernel: &Loaded, limits: &Limits) -> Result<(), Error> {
    let (function, facts) = kernel.function();
    let name = || kernel.name.clone();
    let size = function.workgroup_size;
    for ((asked, allowed), axis) in size.into_iter().zip(limits.workgroup_size).zip(['x', 'y', 'z']) {
        if asked > allowed {
            return Err(Error::WorkgroupTooLarge { kernel: name(), axis: Some(axis), asked: asked.into(), allowed });
        }
    }
    let asked = size.into_iter().fold(1u64, |product, n| product.saturating_mul(n.into()));
    let allowed = limits.workgroup_invocations;
    if asked > allowed.into() {
        return Err(Error::WorkgroupTooLarge { kernel: name(), axis: None, asked, allowed });
    }
    let (asked, allowed) = (facts.shared_bytes, limits.shared_bytes);
    if asked > allowed {
        return Err(Error::SharedTooLarge { kernel: name(), asked, allowed });
    }
    let asked = kernel.buffers();
    let allowed = limits.buffers;
    if asked > allowed as usize {
        return Err(Error::TooManyBuffers { kernel: name(), asked, allowed });
    }
    Ok(())
}
