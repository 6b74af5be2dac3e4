//! What kernels say: messages as launchers hold them, and lines of `debug!` as programs see them.

use std::fmt;

/// Something that a kernel may say.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Message {
    /// Whether it says that an assertion has failed, and not a line.
    pub is_assertion: bool,
    /// Where it stands.
    pub place: &'static str,
    /// How many words its values have.
    pub words: usize,
    /// Its text, with values of so many words.
    pub text: fn(&[u32], &mut fmt::Formatter<'_>) -> fmt::Result,
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("place", &self.place).finish_non_exhaustive()
    }
}

/// Prints a line to standard error, which on the web is the console.
pub(crate) fn print(line: &dyn fmt::Display) {
    #[cfg(all(feature = "wgpu", target_family = "wasm"))]
    web_sys::console::log_1(&line.to_string().into());
    #[cfg(not(all(feature = "wgpu", target_family = "wasm")))]
    eprintln!("{line}");
}

/// A line that a kernel said with `debug!`; see [`Device::debug_lines`](crate::Device::debug_lines).
///
/// ```
/// use samebits::messages::Line;
/// fn shown(lines: &[Line]) -> Vec<String> {
///     lines.iter().map(|line| format!("{:?}: {}", line.invocation, line.text)).collect()
/// }
/// # assert!(shown(&[]).is_empty());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Line {
    /// The kernel.
    pub kernel: String,
    /// The `global_id()` of the invocation, on x, y and z.
    pub invocation: [u32; 3],
    /// File, line and column of the `debug!`.
    pub place: String,
    /// What it said.
    pub text: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, invocation: [x, y, z], place, text } = self;
        write!(f, "{place}: kernel `{kernel}`, invocation ({x}, {y}, {z}): {text}")
    }
}
