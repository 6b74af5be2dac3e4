//! What the tests of the back end share: the check of a module by `spirv-val`.

use rspirv::binary::Disassemble;
use std::io::Write;
use std::process::{Command, Stdio};

/// The module that the words are, which is valid for Vulkan.
///
/// # Panics
///
/// If it is not, or if there is no `spirv-val` though `SAMEBITS_REQUIRE_GPU=1` asks for it.
pub(super) fn validated(words: &[u32]) -> rspirv::dr::Module {
    let module = rspirv::dr::load_words(words).expect("a module");
    let mut command = Command::new("spirv-val");
    command.args(["--target-env", "vulkan1.2", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        let required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
        assert!(!required, "SAMEBITS_REQUIRE_GPU=1, and there is no `spirv-val`");
        // Tests capture what macros print.
        let _ = writeln!(std::io::stderr(), "SKIPPED: there is no `spirv-val`, so a module was not validated");
        return module;
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&bytes).expect("spirv-val reads");
    }
    let output = child.wait_with_output().expect("spirv-val ends");
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), module.disassemble());
    module
}
