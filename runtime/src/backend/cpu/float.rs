//! The mode of a thread's float unit: kernels need the one in which programs start.
//!
//! Rust's floats and native code rely on it as well. A program may have called something that changed it, such as
//! a library of audio that flushes subnormal numbers to zero.

use crate::error::Error;

/// Whether this thread's float unit rounds to nearest even and keeps subnormal numbers.
pub(super) fn check() -> Result<(), Error> {
    match deviation(mode()) {
        None => Ok(()),
        Some(does) => Err(Error::FloatUnit { does }),
    }
}

/// The control register.
#[cfg(target_arch = "x86_64")]
fn mode() -> u64 {
    let mut mxcsr = 0u32;
    // SAFETY: the instruction stores four bytes where the pointer leads, and changes nothing else.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) };
    mxcsr.into()
}

/// The control register.
#[cfg(target_arch = "aarch64")]
fn mode() -> u64 {
    let fpcr: u64;
    // SAFETY: the instruction reads a register that every program may read.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) fpcr, options(nomem, nostack, preserves_flags)) };
    fpcr
}

/// What the fields of the control register mean where they are not zero.
#[cfg(target_arch = "x86_64")]
const FIELDS: &[(u64, &str)] = &[
    (1 << 13 | 1 << 14, "does not round to nearest"),
    (1 << 15, "flushes subnormal results to zero"),
    (1 << 6, "takes subnormal operands for zero"),
];

/// What the fields of the control register mean where they are not zero.
#[cfg(target_arch = "aarch64")]
const FIELDS: &[(u64, &str)] = &[
    (1 << 22 | 1 << 23, "does not round to nearest"),
    (1 << 24, "flushes subnormal results to zero"),
    (1, "takes subnormal operands for zero"),
];

/// In which way a mode is not the one in which programs start.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn deviation(mode: u64) -> Option<&'static str> {
    FIELDS.iter().find(|(field, _)| mode & field != 0).map(|(_, does)| *does)
}

/// Other machines are not asked.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn mode() -> u64 {
    0
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn deviation(_mode: u64) -> Option<&'static str> {
    None
}

#[cfg(all(test, target_arch = "x86_64"))]
pub(super) mod tests {
    use super::*;

    /// Sets the control register of this thread.
    fn set(mode: u64) {
        let mxcsr = mode as u32;
        // SAFETY: the instruction reads four bytes. The fields that tests change are among those that a program may
        // set; no test computes floats before they are set back or the thread ends.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack)) };
    }

    /// Sets fields of this thread's control register.
    pub fn set_fields(fields: u64) {
        set(mode() | fields);
    }

    /// Runs `f` with fields of the control register set.
    pub fn with_fields<T>(fields: u64, f: impl FnOnce() -> T) -> T {
        let before = mode();
        set(before | fields);
        let result = f();
        set(before);
        result
    }

    #[test]
    fn each_field_is_told() {
        assert_eq!(check(), Ok(()));
        for &(fields, does) in FIELDS {
            assert_eq!(with_fields(fields, check), Err(Error::FloatUnit { does }));
        }
        assert_eq!(with_fields(1 << 14, check), Err(Error::FloatUnit { does: FIELDS[0].1 }));
        assert_eq!(check(), Ok(()));
    }
}
