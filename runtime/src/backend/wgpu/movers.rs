//! The kernels of our own that move memory, each compiled when it is first needed.

use super::{Pipeline, Wgpu, blocks, bytes};
use crate::backend::LaunchKind;
use crate::error::Error;
use crate::kernel::Kernel;
use samebits_ir::soft::plan::Native;
use samebits_ir::text;
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel that moves memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mover {
    /// Copies that begin or end within a word.
    Bytes,
    /// Copies of whole blocks.
    Copy,
    /// Copies of a pattern over whole blocks.
    Fill,
}

impl Mover {
    fn text(self) -> &'static str {
        match self {
            Mover::Bytes => bytes::KERNEL,
            Mover::Copy => blocks::COPY,
            Mover::Fill => blocks::FILL,
        }
    }
}

/// Those that were compiled, in the order of [`Mover`].
#[derive(Default, Debug)]
pub(super) struct Movers(Mutex<[Option<Arc<Pipeline>>; 3]>);

impl Wgpu {
    /// A kernel that moves memory.
    pub(super) fn mover(&self, which: Mover) -> Result<Arc<Pipeline>, Error> {
        let mut kept = self.movers.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = &mut kept[which as usize];
        if let Some(mover) = kept {
            return Ok(mover.clone());
        }
        let malformed = |reason| Error::Image { kernel: format!("{which:?}"), reason };
        let module = text::parse(which.text())
            .map_err(|diags| malformed(diags.as_slice().first().map_or_else(String::new, |diag| diag.headline())))?;
        let kernel = Kernel::from_module(&module, 0)?;
        let mover = Arc::new(self.compile_with(kernel.load()?, Native::SOFTWARE, LaunchKind::of(0))?);
        *kept = Some(mover.clone());
        Ok(mover)
    }
}
