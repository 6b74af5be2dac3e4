//! What `samebits report` says.

use crate::{DOUBLE, EVERY_TYPE, Folder, printed};

#[test]
fn a_report_says_what_is_proven_and_where_not() {
    let folder = Folder::new();
    folder.put("double.gir", DOUBLE);
    let report = printed(folder.run(&["report", "double.gir"]));
    assert!(report.contains("0 proven, 2 if the launch allows, 0 guarded"), "{report}");
    assert!(report.contains("y.len() >= 2 * groups.x"), "{report}");
    folder.put("far.gir", DOUBLE.replace("%i = global_id.x", "%f = load f32 @y[0u32] %i = cast %f to u32"));
    let report = printed(folder.run(&["report", "far.gir"]));
    assert!(report.contains("far.gir:3:") && report.contains("2 guarded"), "{report}");
}

#[test]
fn a_report_says_whether_a_kernel_races() {
    let folder = Folder::new();
    let text = "func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32], @h: atomic [u32]) {
        %i = global_id.x
        store @y[%i], 1u32
        %0 = atomic.exchange @h[0u32], %i
        ret
    }";
    folder.put("k.gir", text).put("far.gir", text.replace("@y[%i]", "@y[0u32]"));
    let report = printed(folder.run(&["report", "k.gir"]));
    let free = "  race-free if\n    groups.y == 1\n    groups.z == 1\n";
    let ordered = "  depends on the order of atomics\n    atomic `exchange` on `h`\n      --> k.gir:4:14\n";
    assert!(report.contains(&format!("{free}{ordered}")), "{report}");
    let report = printed(folder.run(&["report", "far.gir"]));
    let why = "  not proven race-free\n    store to `y` and itself: two invocations of a workgroup may access the same bytes, \
               such as those with local ids (0, 0, 0) and (1, 0, 0)\n      --> far.gir:3:9\n";
    assert!(report.contains(why), "{report}");
}

#[test]
fn a_report_says_how_a_target_computes() {
    let folder = Folder::new();
    let text = "func kernel workgroup_size(1, 1, 1) @k(%x: f32, @y: mut [f32]) {
        %a = sqrt %x  store @y[0u32], %a  ret }";
    folder.put("root.gir", text);
    let of = |target: &str| printed(folder.run(&["report", "--target", target, "root.gir"]));
    assert!(of("webgpu").contains("  on webgpu:\n    0 ops native\n    library: f32_sqrt, 1 place\n"));
    assert!(of("cuda").contains("  on cuda:\n    1 op native\n"));
    assert!(of("spirv-software").contains("library: f32_sqrt") && !of("spirv-exact").contains("library"));
    let wrong = folder.run(&["report", "--target", "vulkan", "root.gir"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_report_says_what_a_kernel_needs_of_a_device() {
    let folder = Folder::new();
    let source = "func kernel workgroup_size(512, 1, 1) limits(invocations = 512) @k(@y: atomic [f64]) {\n  ret\n}\n";
    folder.put("needs.gir", source);
    let report = printed(folder.run(&["report", "needs.gir"]));
    assert!(report.contains("  needs limits(invocations = 512)\n"), "{report}");
    assert!(report.contains("  needs `f64`, 64-bit atomics and atomics of floats\n"), "{report}");
}

#[test]
fn a_report_has_functions_as_well() {
    let folder = Folder::new();
    let source = "func @put(@y: mut [u32], %i: u32) { store @y[%i], 1u32 loop 'l { continue 'l } ret }\n";
    folder.put("f.gir", format!("{EVERY_TYPE}\n{source}")).put("none.gir", "; nothing\n");
    let report = printed(folder.run(&["report", "f.gir"]));
    assert!(report.contains("function `neg`: no accesses, no loops\n"), "{report}");
    assert!(
        report.contains("function `put`: 1 access, 1 loop\n  0 proven, 0 if the call allows, 1 guarded\n"),
        "{report}"
    );
    assert_eq!(printed(folder.run(&["report", "none.gir"])), "no kernels and no functions\n");
}
