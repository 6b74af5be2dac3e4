//! Sets what an editor sets, for this package alone.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(rust_analyzer)");
    println!("cargo::rustc-cfg=rust_analyzer");
    println!("cargo::rerun-if-changed=build.rs");
}
