//! Native code gives the bytes of the interpreter: of file tests, of random kernels, and of every op.
//!
//! `SAMEBITS_NATIVE=10000` takes as many random kernels, and `SAMEBITS_CONFORMANCE=1` every form of the ops.

use samebits_tests::engines::say;
use samebits_tests::native::{Natives, compile, work};
use std::path::Path;
use std::process::Command;

#[test]
fn native_code_gives_the_bytes_of_the_interpreter() {
    let natives = Natives::to_be_found();
    let (_, wrong) = work(&natives);
    assert_eq!(wrong, [""; 0], "the interpreter is right");
    let (text, [with, without]) = natives.program();
    // Only kernels that are far too large have no code.
    assert!(without * 100 < with, "{without} kernels have no code, and {with} have");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native");
    let program = compile(&text, &folder).expect("the program compiles");
    // More threads than cores, too.
    for (level, threads) in [("baseline", "1"), ("avx2", "2"), ("avx512", "7")] {
        let mut command = Command::new(&program);
        let output = command.env("SAMEBITS_CPU", level).env("RAYON_NUM_THREADS", threads).output();
        let output = output.expect("the program runs");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        if told.contains("this machine has no") {
            say(&format!("SKIPPED native code for {level}: this machine has no such instructions"));
            continue;
        }
        assert!(output.status.success(), "{level}: {told}{}", String::from_utf8_lossy(&output.stderr));
        say(&format!("native code, {with} kernels, {level}: {}", told.trim()));
    }
}
