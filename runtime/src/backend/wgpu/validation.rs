//! The driver's validation, for tests: `SAMEBITS_VALIDATION=1` makes each of its messages an
//! error of the operation that waits or submits next.
//!
//! The messages reach wgpu, which hands them to the `log` facade and to nobody else; so this
//! is the process's logger while validation is on, and nothing at all while it is off.

use log::{LevelFilter, Log, Metadata, Record};
use std::sync::{Mutex, Once, PoisonError};
use wgpu::InstanceFlags;

/// The environment variable.
const VARIABLE: &str = "SAMEBITS_VALIDATION";

/// Messages that nobody has asked for yet.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Listener;

impl Log for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= LevelFilter::Warn && metadata.target().starts_with("wgpu_hal")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// Starts to listen if validation is asked for, and gives the flags for the instance.
pub(super) fn flags() -> InstanceFlags {
    static LISTEN: Once = Once::new();
    if std::env::var_os(VARIABLE).is_none_or(|value| value != "1") {
        return InstanceFlags::empty();
    }
    LISTEN.call_once(|| match log::set_logger(&Listener) {
        Ok(()) => log::set_max_level(LevelFilter::Warn),
        Err(_) => {
            let message = format!("{VARIABLE}=1 needs to be the process's logger, and there is one already");
            MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        }
    });
    InstanceFlags::VALIDATION | InstanceFlags::DEBUG
}

/// The messages since the last call, as one.
pub(super) fn take() -> Option<String> {
    let messages = std::mem::take(&mut *MESSAGES.lock().unwrap_or_else(PoisonError::into_inner));
    (!messages.is_empty()).then(|| messages.join("\n"))
}
