//! The command, given much: endless kernels, long arguments, files of the other kind.

use crate::{Folder, PROGRAM, printed, refused};
use std::process::Command;

#[test]
fn an_endless_kernel_is_given_up() {
    let folder = Folder::new();
    folder.put("a.gir", "func kernel workgroup_size(1, 1, 1) @k() { loop 'l { continue 'l } ret }");
    let source = folder.run(&["run", "a.gir", "--max-steps", "1000"]);
    assert!(refused(source, 1).contains("more than the 1000 steps"));
}

#[test]
fn a_loop_that_does_nothing_is_told_as_one() {
    let folder = Folder::new();
    folder.put("f.gir", "func @f() -> u32 { loop 'l { continue 'l } ret 1u32 }");
    let errors = refused(folder.run(&["run", "--judge", "f.gir", "@f"]), 1);
    let says =
        "error: function `f`: livelock: invocation (0, 0, 0) is in a loop that goes on for ever and changes nothing\n";
    assert!(errors.starts_with(says), "{errors}");
}

#[test]
fn a_value_that_is_repeated_is_read_once() {
    let folder = Folder::new();
    folder.put("a.gir", "func kernel workgroup_size(1, 1, 1) @k(@x: [u8]) { ret }");
    // Seconds of the CPU's time, after which the command is stopped: the machine may have other work.
    let script = "ulimit -t 20; exec \"$0\" run a.gir '@x=[7; 100000000]'";
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", script, PROGRAM]).current_dir(&folder.0).output().expect("a shell");
    assert_eq!(printed(output), "");
}

#[test]
fn wire_bytes_are_not_taken_for_text() {
    let folder = Folder::new();
    folder.put("a.gir", "func kernel workgroup_size(1, 1, 1) @k() { ret }");
    printed(folder.run(&["wire", "encode", "a.gir", "-o", "a.sbir"]));
    let errors = refused(folder.run(&["fmt", "a.sbir"]), 1);
    assert!(errors.contains("a.sbir holds wire bytes; `samebits wire decode` turns them into text"), "{errors}");
}
