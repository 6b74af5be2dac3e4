//! Compiled kernels that are kept on disk, so that a second program starts quicker.
//!
//! A driver gives what it has compiled as bytes and takes them back. Each kernel has a file of its own, for its code
//! and for the device with its driver, so nothing is ever merged, and programs do not wait for each other. Only
//! kernels of a program's source are kept: those made at run time may be without number.

use super::Wgpu;
use crate::backend::disk::{Digest, Disk, Kind};
use std::hash::Hasher;
use wgpu::{Features, PipelineCache, PipelineCacheDescriptor};

/// The driver's memory of one pipeline.
#[derive(Debug)]
pub(super) struct Kept {
    disk: Disk,
    key: String,
    cache: PipelineCache,
    /// Whether the disk has it.
    known: bool,
}

impl Wgpu {
    /// What is kept of the kernel with these words, if the device can keep any.
    pub(super) fn kept(&self, words: &[u32]) -> Option<Kept> {
        if !self.device.features().contains(Features::PIPELINE_CACHE) {
            return None;
        }
        let mut digest = Digest::default();
        digest.write(bytemuck::cast_slice(words));
        let key = format!("{} compiled {:016x} {}", self.identity()?, digest.finish(), words.len());
        let disk = Disk::of_environment();
        let bytes = disk.read(Kind::Compiled, &key);
        let descriptor = PipelineCacheDescriptor { label: None, data: bytes.as_deref(), fallback: true };
        // A driver that has no room for a cache compiles without one.
        // SAFETY: the bytes were given by the driver for this key, which names the device, the build of the driver
        // and the kernel; their digest says that they are whole. wgpu looks at its own header too, and the
        // driver at its own.
        let cache = self.scoped(|| unsafe { self.device.create_pipeline_cache(&descriptor) }).ok()?;
        Some(Kept { disk, key, cache, known: bytes.is_some() })
    }
}

impl Kept {
    /// What the driver is handed.
    pub fn cache(&self) -> &PipelineCache {
        &self.cache
    }

    /// Keeps what the driver has compiled with it.
    pub fn keep(&self) {
        if !self.known
            && let Some(bytes) = self.cache.get_data()
        {
            self.disk.write(Kind::Compiled, &self.key, &bytes);
        }
    }
}
