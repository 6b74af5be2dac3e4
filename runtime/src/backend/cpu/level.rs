//! Which of the machine's instructions native code may use.
//!
//! The machine is asked, and the environment may restrict what is used, so that tests can compare.

use crate::error::Error;
use crate::native::{Code, Run};

/// The environment variable that restricts the instructions.
const VARIABLE: &str = "SAMEBITS_CPU";

/// A set of instructions, each more than those before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    /// What every machine of the target has.
    Baseline,
    /// AVX2, FMA and what came with them.
    Avx2,
    /// AVX-512.
    Avx512,
}

impl Level {
    const ALL: [Self; 3] = [Self::Baseline, Self::Avx2, Self::Avx512];

    /// The name, as the environment has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// What this machine has.
    pub fn of_machine() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => {
                    true $(&& is_x86_feature_detected!($feature))*
                };
            }
            if has!("avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt" "f16c") {
                let wide = has!("avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd");
                return if wide { Self::Avx512 } else { Self::Avx2 };
            }
        }
        Self::Baseline
    }

    /// What the environment asks for, or else what the machine has.
    pub fn chosen() -> Result<Self, Error> {
        match std::env::var_os(VARIABLE) {
            Some(value) if !value.is_empty() => Self::named(&value.to_string_lossy(), Self::of_machine()),
            _ => Ok(Self::of_machine()),
        }
    }

    /// The level of a name, on a machine that has so much.
    fn named(name: &str, has: Self) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|level| level.name() == name && *level <= has);
        let expected = match has {
            Self::Baseline => "`baseline` on this machine",
            Self::Avx2 => "`baseline` or `avx2` on this machine",
            Self::Avx512 => "`baseline`, `avx2` or `avx512`",
        };
        found.ok_or_else(|| Error::Variable { variable: VARIABLE, value: name.to_owned(), expected })
    }

    /// The best code for this level.
    pub fn of(self, code: &Code) -> Run {
        let avx512 = code.avx512.filter(|_| self >= Self::Avx512);
        avx512.or(code.avx2.filter(|_| self >= Self::Avx2)).unwrap_or(code.baseline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_restricts_and_never_gives_more_than_there_is() {
        assert_eq!(Level::named("baseline", Level::Avx512), Ok(Level::Baseline));
        assert_eq!(Level::named("avx512", Level::Avx512), Ok(Level::Avx512));
        let text = |name, has| Level::named(name, has).unwrap_err().to_string();
        let start = "the environment variable `SAMEBITS_CPU` is";
        let lacks = format!("{start} `avx512`, but must be `baseline` or `avx2` on this machine");
        assert_eq!(text("avx512", Level::Avx2), lacks);
        let unknown = format!("{start} `sse9`, but must be `baseline`, `avx2` or `avx512`");
        assert_eq!(text("sse9", Level::Avx512), unknown);
    }
}
