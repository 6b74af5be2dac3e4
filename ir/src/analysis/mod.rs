//! Analyses: what can be said about a function in SSA form without changing it.
//!
//! Passes and back ends share them. An analysis is valid for the function as it is; after a
//! change it is computed again.

pub mod align;
pub(crate) mod alike;
pub mod barriers;
pub mod denied;
pub mod effects;
pub mod facts;
#[cfg(feature = "spirv")]
pub(crate) mod filled;
#[cfg(any(feature = "soft", feature = "native"))]
pub mod floats;
pub mod guard;
pub mod lints;
#[cfg(feature = "spirv")]
pub(crate) mod literals;
#[cfg(any(feature = "cuda", feature = "naga", feature = "native", feature = "spirv"))]
pub(crate) mod nan;
#[cfg(feature = "soft")]
pub mod order;
pub mod races;
pub mod report;
pub(crate) mod settled;
#[cfg(any(feature = "naga", feature = "spirv"))]
pub(crate) mod shape;
pub mod tree;
pub mod trips;
