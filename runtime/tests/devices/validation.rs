//! The driver's validation in tests: with `SAMEBITS_VALIDATION=1` each of its messages ends the
//! process, and so fails the tests.
//!
//! The messages reach wgpu, which hands them to the `log` facade and to nobody else. A library
//! must not be the process's logger; a test may.

use log::{LevelFilter, Log, Metadata, Record};
use std::sync::Once;

/// The environment variable, which the runtime reads as well.
const VARIABLE: &str = "SAMEBITS_VALIDATION";

struct Listener;

impl Log for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= LevelFilter::Warn && metadata.target().starts_with("wgpu_hal")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            eprintln!("{VARIABLE}=1: {}", record.args());
            std::process::abort();
        }
    }

    fn flush(&self) {}
}

/// Listens if validation is asked for. Call it before a device is opened.
///
/// # Panics
///
/// If the process has another logger.
pub fn listen() {
    static LISTEN: Once = Once::new();
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "1") {
        LISTEN.call_once(|| {
            log::set_logger(&Listener).expect("validation needs to be the process's logger");
            log::set_max_level(LevelFilter::Warn);
        });
    }
}
