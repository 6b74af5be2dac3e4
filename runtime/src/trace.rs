//! What the runtime does, as spans of the crate `tracing`.
//!
//! With the feature `tracing` there are these spans, all of the target `samebits` and of level `DEBUG`. Their field
//! `device` is the device's name. A program's own subscriber sees them; without one they cost a test.
//!
//! | span | other fields | from when to when |
//! | --- | --- | --- |
//! | `launch` | `kernel`, `x`, `y`, `z`: workgroups | a launch is queued; on this CPU and the interpreter it runs |
//! | `replay` | `steps` | all work of a graph is queued; its launches are spans in it |
//! | `compile` | `kernel` | a kernel is compiled for the device, which the first launch in each form does |
//! | `transfer` | `kind`, `bytes` | bytes are written, filled, copied or read. A read waits for what was queued before |
//! | `wait` | | a call waits for the device |
//! | `ran` | `kernel`, `bytes`, `begin_ns`, `end_ns` | nothing: tells at the end of a [profile](crate::profile) when a launch ran, by the device's clock |
//!
//! ```
//! use samebits::prelude::*;
//! // A program installs a subscriber first, such as that of the crate `tracing-subscriber`.
//! let device = Device::cpu();
//! let x = device.upload(&[1u32, 2])?; // a span `transfer` of 8 bytes
//! assert_eq!(x.read()?, [1, 2]); // another
//! # Ok::<(), Error>(())
//! ```
//!
//! Invariant: a span is entered and left on one thread, and none is open while work of other callers runs.

/// A span that is left when this is dropped; nothing without the feature.
#[must_use]
pub(crate) struct Left {
    #[cfg(feature = "tracing")]
    _span: ::tracing::span::EnteredSpan,
}

/// Whether somebody may look at spans.
pub(crate) fn is_on() -> bool {
    #[cfg(feature = "tracing")]
    let is_on = ::tracing::span_enabled!(target: "samebits", ::tracing::Level::DEBUG);
    #[cfg(not(feature = "tracing"))]
    let is_on = false;
    is_on
}

/// Enters a span with these fields, whose values are not computed without the feature.
macro_rules! enter {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {{
        #[cfg(feature = "tracing")]
        let left = $crate::trace::Left::of(::tracing::debug_span!(target: "samebits", $name $(, $field = $value)*));
        #[cfg(not(feature = "tracing"))]
        let left = {
            // The values count as used.
            let _ = || {
                $(let _ = &$value;)*
            };
            $crate::trace::Left::nothing()
        };
        left
    }};
}

pub(crate) use enter;

impl Left {
    /// Enters a span.
    #[cfg(feature = "tracing")]
    pub fn of(span: ::tracing::Span) -> Self {
        Self { _span: span.entered() }
    }

    /// No span.
    #[cfg(not(feature = "tracing"))]
    pub fn nothing() -> Self {
        Self {}
    }
}
