//! Routines of the library in SPIR-V: functions of the module, each made when it is first
//! called, or written in place.

/// The routines of a module.
#[derive(Default)]
pub(super) struct Library {}
