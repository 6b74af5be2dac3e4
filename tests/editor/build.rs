//! Sets what an editor sets, for this package alone.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(rust_analyzer)");
    // The examples' feature, which this package lacks: what draws with wgpu has no kernels.
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"wgpu\"))");
    println!("cargo::rustc-cfg=rust_analyzer");
    println!("cargo::rerun-if-changed=build.rs");
}
