//! The tree is tidy, and each gate that says so notices a planted fault.

use samebits_ir::diag::Code;
use samebits_ir::ops::{AtomicOp, Function, Op};
use samebits_tests::planted::Tree;
use samebits_tests::{api, opsdoc, tidy};
use std::collections::BTreeSet;
use std::fs;

#[track_caller]
fn clean(faults: Vec<String>) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn packages_depend_downwards() {
    clean(tidy::package_order(&tidy::root()));
}

#[test]
fn modules_use_what_stands_above_them() {
    clean(tidy::module_order(&tidy::root()));
}

#[test]
fn the_attribute_builds_few_packages_and_no_device() {
    clean(tidy::macro_tree(&tidy::root()));
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    clean(tidy::file_shape(&tidy::root()));
}

#[test]
fn every_file_is_compiled() {
    clean(tidy::strays(&tidy::root()));
}

#[test]
fn every_code_has_a_page() {
    clean(tidy::code_pages(&tidy::root()));
}

#[test]
fn every_code_has_a_test_that_fails_with_it() {
    clean(tidy::codes_tested(&tidy::root()));
}

#[test]
fn every_expected_output_has_its_source() {
    clean(tidy::orphans(&tidy::root()));
}

#[test]
fn nothing_is_postponed() {
    clean(tidy::nothing_postponed(&tidy::root()));
}

#[test]
fn messages_are_written_in_one_place() {
    clean(tidy::one_reporter(&tidy::root()));
}

#[test]
fn the_language_page_names_every_method_and_function() {
    let folder = tidy::root().join("runtime/src/language");
    let pages = ["mod.rs", "subgroups.rs"].map(|page| fs::read_to_string(folder.join(page)).unwrap());
    let page = pages.concat();
    let methods = Op::ALL.iter().flat_map(|op| op.info().rust).filter_map(|spelling| spelling.method());
    let called = methods.chain(AtomicOp::ALL.iter().map(|op| op.rust())).chain(Function::all().map(Function::name));
    let missing: Vec<&str> = called.filter(|name| !page.contains(&format!("{name}("))).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_page_of_ops_is_fresh() {
    let path = tidy::root().join("docs/src/reference/ops.md");
    let page = opsdoc::page();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == page, "docs/src/reference/ops.md differs from the tables; run this test with BLESS=1");
}

#[test]
fn no_package_is_there_twice_without_an_excuse() {
    clean(tidy::duplicates(&tidy::root()));
}

#[test]
fn the_list_of_public_items_is_fresh() {
    let path = tidy::root().join("runtime/public-api.txt");
    let list = api::listing(&tidy::root());
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &list).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (stored.lines().collect(), list.lines().collect());
    let gone = old.difference(&new).map(|line| format!("- {line}"));
    let changed: Vec<String> = gone.chain(new.difference(&old).map(|line| format!("+ {line}"))).collect();
    let what = "the public API is not the one of runtime/public-api.txt; if that is meant, run this test with BLESS=1";
    assert!(changed.is_empty(), "{what}:\n{}", changed.join("\n"));
}

/// A tree with the manifests of all packages.
fn with_manifests(name: &str) -> Tree {
    let folders = [
        "ir",
        "macros/front",
        "macros",
        "runtime",
        "tests",
        "tests/random",
        "ui-tests",
        "examples",
        "examples/hecbench",
        "examples/cluster",
    ];
    let tree = Tree::new(name);
    tree.copy(folders.map(|folder| format!("{folder}/Cargo.toml")));
    tree
}

#[test]
fn a_package_that_is_there_twice_is_found() {
    let tree = Tree::new("duplicates");
    let package = |name: &str, version: &str| format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n\n");
    let lock = [package("a", "1.0.0"), package("a", "2.0.0"), package("b", "1.0.0")].concat();
    tree.put("Cargo.lock", &lock).put("deny.toml", "skip = [\n    \"a@1.0.0\",\n]\n").finds(tidy::duplicates, &[]);
    tree.put("deny.toml", "skip = [\n    \"b@1.0.0\",\n]\n");
    tree.finds(tidy::duplicates, &["several versions of a", "excuses b@1.0.0"]);
}

#[test]
fn public_items_are_listed_and_others_are_not() {
    let tree = Tree::new("public-items");
    tree.put(
        "runtime/src/lib.rs",
        "//! A.\npub mod open;\nmod shut;\n#[doc(hidden)]\npub mod hidden;\nmod alike;\npub use shut::{Met as Renamed, Named};\npub use outside;\n",
    );
    tree.put("runtime/src/hidden.rs", "//! H.\npub fn unseen() {}\n");
    tree.put("runtime/src/alike.rs", "//! A.\npub struct Named;\nimpl Named { pub fn another(&self) {} }\n");
    tree.put(
        "runtime/src/shut.rs",
        "//! S.\npub struct Named { pub a: u32, b: u32 }\npub struct Other;\npub trait Inner {}\nimpl Inner for Named {}\n\
         impl Named {\n pub fn new(a: &[u32]) -> Self { todo() }\n fn own(&self) {}\n pub(crate) fn ours(&self) {}\n}\n\
         impl Other { pub fn lost(&self) {} }\nimpl Clone for Named {}\n",
    );
    tree.put(
        "runtime/src/open.rs",
        "//! O.\npub enum E { A, B(u32), C { x: Vec<u32> } }\npub fn f<T: Copy>(x: T) -> Option<T> { None }\n\
         pub trait T { fn g(&self); }\n#[cfg(test)]\npub fn tested() {}\n\
         macro_rules! m { ($n:ident) => { impl $n { pub fn made(&self) -> u32 { 1 } } } }\n",
    );
    let expected = "\
samebits: pub use outside
samebits: pub use shut::{Met as Renamed, Named}
samebits::open: by a macro: pub fn made(&self) -> u32
samebits::open: enum E: A
samebits::open: enum E: B { u32 }
samebits::open: enum E: C { x: Vec<u32> }
samebits::open: pub enum E
samebits::open: pub fn f<T: Copy>(x: T) -> Option<T>
samebits::open: pub trait T
samebits::open: trait T: fn g(&self)
samebits::shut: impl Clone for Named
samebits::shut: impl Named: pub fn new(a: &[u32]) -> Self
samebits::shut: pub struct Named
samebits::shut: struct Named: pub a: u32
";
    assert_eq!(api::listing(tree.root()), expected);
}

#[test]
fn a_dependency_upwards_is_found() {
    let tree = with_manifests("packages");
    tree.finds(tidy::package_order, &[]);
    let manifest = fs::read_to_string(tidy::root().join("macros/Cargo.toml")).unwrap();
    let up =
        manifest.replace("[dependencies]", "[dependencies]\nsb = { path = \"../runtime\", package = \"samebits\" }");
    tree.put("macros/Cargo.toml", &up).finds(tidy::package_order, &["samebits-macros may not depend on samebits"]);
}

#[test]
fn a_required_dependency_of_the_core_is_found() {
    let tree = with_manifests("core");
    let manifest = fs::read_to_string(tidy::root().join("ir/Cargo.toml")).unwrap();
    let more = manifest.replace("[dependencies]", "[dependencies]\nsmallvec = \"1\"");
    tree.put("ir/Cargo.toml", &more);
    tree.finds(tidy::package_order, &["samebits-ir may depend on smallvec only if that is optional"]);
}

#[test]
fn a_use_of_a_later_module_is_found() {
    let tree = Tree::new("modules");
    tree.put(
        "ir/src/text/print.rs",
        "//! Text.\nuse crate::{ir::Module, ops};\n// crate::check\nfn f() { super::x(); }\n",
    );
    tree.finds(tidy::module_order, &[]);
    tree.put("ir/src/ops.rs", "//! Ops.\nuse crate::{types::{Scalar, Type}, ir::Module};\n");
    tree.put("ir/src/wire.rs", "//! Wire.\nfn f() { crate::text::print(); }\n");
    tree.put("ir/src/odd.rs", "//! Odd.\n");
    tree.finds(tidy::module_order, &["odd of ir has no place", "ops.rs uses ir", "wire.rs uses text"]);
}

#[test]
fn a_circle_in_the_front_end_is_found() {
    let tree = Tree::new("circle");
    tree.put("macros/front/src/link/mod.rs", "//! Link.\nuse crate::types;\nuse super::syntax;\n");
    tree.put("macros/front/src/lower/mod.rs", "//! Lower.\nuse crate::{link, build::Target};\nmod expr;\n");
    tree.put(
        "macros/front/src/kernel/mod.rs",
        "//! Kernel.\nmod compile;\n#[cfg(test)]\nmod tests { use crate::device; }\n",
    );
    tree.finds(tidy::module_order, &[]);
    tree.put("macros/front/src/link/refs.rs", "//! Refs.\nuse super::super::lower;\n");
    tree.put("macros/front/src/device/mod.rs", "//! Device.\nfn f() { super::kernel::checked(); }\n");
    tree.put("macros/front/src/toolbox.rs", "//! Odd.\n");
    let expected = ["device/mod.rs uses kernel", "link/refs.rs uses lower", "toolbox of macros/front has no place"];
    tree.finds(tidy::module_order, &expected);
}

#[test]
fn a_pass_that_uses_another_is_found() {
    let tree = Tree::new("passes");
    tree.put("ir/src/pass/mod.rs", "//! Passes.\nmod dce;\nmod fold;\nuse super::check;\n");
    tree.put("ir/src/pass/dce.rs", "//! Dce.\nuse super::Stats;\n").finds(tidy::module_order, &[]);
    tree.put("ir/src/pass/fold.rs", "//! Fold.\nuse super::dce::sweep;\n");
    tree.finds(tidy::module_order, &["fold.rs uses pass::dce"]);
}

#[test]
fn a_circle_in_the_runtime_is_found() {
    let tree = Tree::new("runtime-circle");
    tree.put("runtime/src/backend/mod.rs", "//! Back ends.\nuse crate::{error::Error, kernel::Loaded};\n");
    tree.put("runtime/src/device.rs", "//! Devices.\nuse crate::backend;\n").finds(tidy::module_order, &[]);
    tree.put("runtime/src/backend/gpu/mod.rs", "//! A back end.\nuse crate::device::Device;\n");
    tree.put("runtime/src/kernel.rs", "//! Kernels.\nfn f() { super::launch::bind(); }\n");
    tree.finds(tidy::module_order, &["gpu/mod.rs uses device", "kernel.rs uses launch"]);
}

#[test]
fn a_device_below_the_attribute_is_found() {
    let ours = "samebits-macros v0.1.0 (/x);\nsamebits-ir v0.1.0;\nsyn v2.0.1;full,visit\nsyn v2.0.1;full,visit (*)\n";
    clean(tidy::macro_packages(ours));
    assert_eq!(
        tidy::macro_packages(&format!("{ours}naga v30.0.0;default\n")),
        ["users of the attribute would build naga"]
    );
    let many: String = (0..8).map(|i| format!("p{i} v1.0.0;\n")).collect();
    assert!(tidy::macro_packages(&format!("{ours}{many}"))[0].contains("would build 9 packages"));
    let text = ours.replace("ir v0.1.0;", "ir v0.1.0;text");
    assert_eq!(tidy::macro_packages(&text), ["users of the attribute would build text of samebits-ir"]);
}

#[test]
fn long_and_silent_files_are_found() {
    let tree = Tree::new("shape");
    tree.put("ir/src/a.rs", &format!("//! A.\n{}", "\n".repeat(799))).finds(tidy::file_shape, &[]);
    tree.put("ir/src/a.rs", &format!("//! A.\n{}", "\n".repeat(800)));
    tree.put("examples/src/b.rs", "use std::fs;\n");
    tree.finds(tidy::file_shape, &["a.rs has 801 lines", "b.rs does not open with `//!`"]);
    tree.put("ir/src/a.rs", "//! A.\n").put("ir/src/a/inner.rs", "//! Inner.\n");
    tree.finds(tidy::file_shape, &["a.rs is the `mod.rs` of its folder", "b.rs does not open with `//!`"]);
}

#[test]
fn a_file_of_tests_that_nothing_compiles_is_found() {
    let tree = Tree::new("strays");
    tree.put("tests/tests/kernels/main.rs", "//! Kernels.\nmod arith;\n// mod loops;\n")
        .put("tests/tests/alone.rs", "");
    tree.put("tests/tests/kernels/arith.rs", "//! Arith.\n").finds(tidy::strays, &[]);
    tree.put("tests/tests/kernels/loops.rs", "//! Loops.\n").put("tests/tests/kernels/deep/parts.rs", "");
    tree.finds(tidy::strays, &["loops.rs is no module of tests/tests/kernels/main.rs"]);
}

#[test]
fn missing_and_stray_pages_are_found() {
    let tree = Tree::new("pages");
    for code in Code::ALL {
        let page = format!("# {code}: {}\n\n```gir\nret\n```\n\n```gir\nret\n```\n", code.title());
        tree.put(&format!("docs/src/errors/{code}.md"), &page);
    }
    tree.finds(tidy::code_pages, &[]);
    tree.put("docs/src/errors/V003.md", "# V003\n").put("docs/src/errors/V999.md", "# V999\n");
    let expected = ["V003.md must open with", "V003.md needs an example", "V999.md is the page of no code"];
    tree.finds(tidy::code_pages, &expected);
}

#[test]
fn an_untested_code_is_found() {
    let tree = Tree::new("untested");
    let faults = tidy::codes_tested(tree.root());
    let missing = |what: &str, code: Code| format!("no {what} fails with {code}: {}", code.title());
    for code in Code::ALL {
        let tests = ["file test", "compile-fail test"].map(|what| missing(what, *code));
        assert!(tests.iter().any(|fault| faults.contains(fault)), "{code} needs no test");
    }
    assert!(
        faults.contains(&missing("file test", Code::V010))
            && faults.contains(&missing("compile-fail test", Code::V010))
    );
    tree.put("tests/filetests/a.gir", "; about V010\n; error: 3:1 V021\n").put("ui-tests/fail/all.rs", "//~ ^ V010\n");
    let faults = tidy::codes_tested(tree.root());
    assert!(
        faults.contains(&missing("file test", Code::V010))
            && !faults.contains(&missing("compile-fail test", Code::V010))
    );
    assert!(
        !faults.contains(&missing("file test", Code::V021))
            && faults.contains(&missing("compile-fail test", Code::V021))
    );
}

#[test]
fn a_test_that_should_not_be_possible_is_found() {
    let tree = Tree::new("impossible");
    tree.put("ui-tests/fail/all.rs", "//~ ^ V700\n");
    let fault = "a compile-fail test fails with V700, which is listed as if none could";
    assert!(tidy::codes_tested(tree.root()).contains(&fault.to_owned()));
}

#[test]
fn an_expected_output_without_source_is_found() {
    let tree = Tree::new("orphans");
    tree.put("ui-tests/fail/a.rs", "").put("ui-tests/fail/a.stderr", "").finds(tidy::orphans, &[]);
    tree.put("ui-tests/fail/b.stderr", "").finds(tidy::orphans, &["b.stderr has no source"]);
}

#[test]
fn what_is_postponed_is_found() {
    let tree = Tree::new("postponed");
    tree.put("ir/src/a.rs", "//! todo!\nfn f() { \"todo!()\"; }\n").finds(tidy::nothing_postponed, &[]);
    tree.put("ir/src/a.rs", "#[ignore = \"slow\"]\nfn f() { todo!() }\n");
    tree.finds(tidy::nothing_postponed, &["a.rs:1: `#[ignore`", "a.rs:2: `todo!`"]);
}

#[test]
fn a_message_written_by_hand_is_found() {
    let tree = Tree::new("messages");
    tree.put("macros/front/src/report.rs", "fn f() { format!(\"{m} [{}]\\nhelp: {h}\", c); }\n");
    tree.finds(tidy::one_reporter, &[]);
    tree.put("macros/front/src/a.rs", "fn f() {\n format!(\"{m} [{code}]\\nhelp: {h}\");\n}\n");
    tree.finds(tidy::one_reporter, &["a.rs:2: ` [{code}]`", "a.rs:2: `\\nhelp:`"]);
}
