//! The environment variables that say how devices are used. They are read when a device is opened.

use crate::error::Error;

/// The variable that says how kernels reach Vulkan devices.
const SHADERS: &str = "SAMEBITS_SHADERS";
/// The variable that says what floats are computed with.
const FLOATS: &str = "SAMEBITS_FLOATS";

/// How kernels reach a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shaders {
    /// As SPIR-V, which the driver receives as it is.
    Spirv,
    /// As modules of naga, of which wgpu makes what the driver takes.
    Naga,
}

/// What the variables say.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Settings {
    /// How kernels reach a device that takes both; `None` if that is left to us.
    pub shaders: Option<Shaders>,
    /// Whether floats are computed with integers, however good the device's own are.
    pub software_floats: bool,
}

impl Settings {
    /// What the process's environment says.
    pub fn read() -> Result<Self, Error> {
        Self::of(|variable| std::env::var_os(variable).map(|value| value.to_string_lossy().into_owned()))
    }

    fn of(value: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let shaders = match value(SHADERS).as_deref() {
            None | Some("") => None,
            Some("spirv") => Some(Shaders::Spirv),
            Some("naga") => Some(Shaders::Naga),
            Some(other) => return Err(unknown(SHADERS, other, "`spirv`, `naga` or empty")),
        };
        let software_floats = match value(FLOATS).as_deref() {
            None | Some("") => false,
            Some("software") => true,
            Some(other) => return Err(unknown(FLOATS, other, "`software` or empty")),
        };
        Ok(Self { shaders, software_floats })
    }
}

fn unknown(variable: &'static str, value: &str, expected: &'static str) -> Error {
    Error::Variable { variable, value: value.to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one variable of this value means.
    fn of(variable: &str, value: &str) -> Result<Settings, String> {
        let read = Settings::of(|asked| (asked == variable).then(|| value.to_owned()));
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_set_is_left_to_us() {
        assert_eq!(of("PATH", "naga"), Ok(Settings::default()));
        assert_eq!(of(SHADERS, ""), Ok(Settings::default()));
        assert_eq!(of(FLOATS, ""), Ok(Settings::default()));
    }

    #[test]
    fn each_value_has_its_meaning() {
        let by = |shaders| Ok(Settings { shaders: Some(shaders), software_floats: false });
        assert_eq!(of(SHADERS, "spirv"), by(Shaders::Spirv));
        assert_eq!(of(SHADERS, "naga"), by(Shaders::Naga));
        assert_eq!(of(FLOATS, "software"), Ok(Settings { shaders: None, software_floats: true }));
    }

    #[test]
    fn an_unknown_value_lists_what_there_is() {
        let words = |name: &str, value: &str, list: &str| {
            Err(format!("the environment variable `{name}` is `{value}`, but must be {list}"))
        };
        assert_eq!(of(SHADERS, "SPIRV"), words(SHADERS, "SPIRV", "`spirv`, `naga` or empty"));
        assert_eq!(of(FLOATS, "fast"), words(FLOATS, "fast", "`software` or empty"));
    }
}
