//! The command that cargo runs as `cargo samebits`. It is the command `samebits` under the name that cargo looks for.

#[path = "../samebits/main.rs"]
mod samebits;

fn main() -> std::process::ExitCode {
    samebits::main()
}
