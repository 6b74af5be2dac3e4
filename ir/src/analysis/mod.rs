//! Analyses: what can be said about a function in SSA form without changing it.
//!
//! Passes and back ends share them. An analysis is of the function as it is; after a
//! change it is made anew.

pub mod align;
pub(crate) mod alike;
pub mod barriers;
pub mod denied;
pub mod effects;
pub mod facts;
pub mod guard;
pub mod report;
pub(crate) mod settled;
pub mod tree;
pub mod trips;
