//! A browser's WebGPU takes every kernel, and gives the interpreter's bytes.
//!
//! Where there is no browser the tests say that they tested nothing;
//! `SAMEBITS_REQUIRE_BROWSER=1` makes that a failure.

mod picture;
mod shapes;
mod uniformity;
mod web;

use samebits_ir::backend::naga::Options;
use samebits_ir::check::{Checked, check, check_image};
use samebits_ir::ir::{InstKind, Module, ParamKind};
use samebits_ir::ops::Op;
use samebits_ir::order::Scope;
use samebits_ir::pass::optimize;
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type};
use samebits_ir::wire;
use samebits_random::Random;
use samebits_tests::browser::{Browser, Disagreement, Recorder, Report};
use samebits_tests::conform::{Case, Form, cases};
use samebits_tests::engines::say;
use samebits_tests::filetest::{self, Argument, Engine as _, Failure, Launch, files};
use samebits_tests::random::{compare, generate};
use std::collections::BTreeMap;
use std::path::Path;

/// Why a kernel with fences cannot be written.
const NO_FENCE: &str = "WGSL has no fence, only barriers that all invocations wait at";

/// Random kernels of a run; `SAMEBITS_RANDOM` asks for more. Of nine, eight have to be left: some need 64-bit atomics.
const KERNELS: u64 = 900;
/// Combinations of edges of each op and type, and random tuples.
const EDGES: usize = 60;
const RANDOM: usize = 40;

/// Fails with the first kernels that a browser does not take or computes differently.
#[track_caller]
fn agrees(report: &Report) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shown = report.wrong.iter().take(5).enumerate().map(|(i, wrong)| {
        let path = folder.join(format!("browser-{i}.wgsl"));
        std::fs::write(&path, &wrong.wgsl).expect("a text is kept");
        format!("{} {}\n  {}\n", wrong.name, wrong.what, path.display())
    });
    let shown: String = shown.collect();
    assert!(report.wrong.is_empty(), "{} of {}:\n{shown}", report.wrong.len(), report.wrong.len() + report.agreed);
}

/// What browsers lack, each once, and how many launches are lost for it.
fn lacking(report: &Report) -> BTreeMap<&str, usize> {
    let mut reasons = BTreeMap::new();
    for (_, why) in &report.lacking {
        *reasons.entry(why.as_str()).or_default() += 1;
    }
    reasons
}

#[test]
fn every_file_test_does_in_a_browser_what_its_comments_say() {
    let Some(mut browser) = Browser::open() else { return };
    let recorder = Recorder::new(&mut browser, Options::WEBGPU);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    for path in files(&folder).expect("the folder of file tests") {
        let source = std::fs::read_to_string(&path).expect("a file");
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        // Whether it passes is `filetests.rs`'s to say.
        let _ = filetest::test(&name, &source, &[&recorder]);
    }
    let mut report = recorder.finish().expect("a browser that answers");
    // WGSL has a table as a private variable, which Tint takes for different in each invocation. It does not
    // know that a `switch` has one way only.
    let beyond_tint = ["one_of_three", "waits_by_a_table"];
    let refused = |wrong: &mut Disagreement| {
        beyond_tint.contains(&wrong.name.as_str())
            && wrong.what.contains("must only be called from uniform control flow")
    };
    let mut refused: Vec<String> = report.wrong.extract_if(.., refused).map(|wrong| wrong.name).collect();
    refused.sort();
    refused.dedup();
    assert_eq!(refused, beyond_tint, "Tint accepts more by now");
    let lacking = lacking(&report);
    say(&format!("file tests in a browser: {} launches agree; it lacks {lacking:?}", report.agreed));
    agrees(&report);
    assert!(report.agreed >= 200, "most launches are left out");
    let beyond = ["20480 bytes of workgroup memory", "64-bit atomics", "9 buffers"];
    assert_eq!(lacking.into_keys().collect::<Vec<_>>(), [&beyond[..], &[NO_FENCE]].concat());
}

/// A launch of a kernel with small scalars, and buffers of any bits.
fn any_launch(checked: &Checked) -> Launch {
    let module = checked.module();
    let mut random = Random::new(1);
    let params = module.functions[0].params.iter();
    let arguments = params.map(|param| match param.kind {
        ParamKind::Scalar(Type::Scalar(Scalar::F32)) => {
            let bits = u64::from((random.below(8) as f32 * 0.125).to_bits());
            Argument::Scalar(lanes([bits]))
        }
        ParamKind::Scalar(ty) => Argument::Scalar(lanes(vec![3 + random.below(6) as u64; ty.lanes()])),
        ParamKind::Buffer { element, .. } => {
            let size = module.types.layout(element).map_or(4, |layout| layout.size as usize);
            let bytes = (0..64 * size).map(|_| random.below(256) as u8).collect();
            Argument::Buffer { bytes, len: 64 }
        }
    });
    Launch { groups: [2, 1, 1], arguments: arguments.collect() }
}

fn lanes(values: impl IntoIterator<Item = u64>) -> Lanes {
    let mut lanes = Lanes::default();
    lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = value);
    lanes
}

#[test]
fn every_example_gives_the_same_bytes_in_a_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let recorder = Recorder::new(&mut browser, Options::WEBGPU);
    let (mut tried, mut left_out) = (0, Vec::new());
    for kernel in samebits_examples::kernels() {
        let module = wire::decode(kernel.image()).expect("an image of the macro's");
        let checked = check_image(module).expect("and one that was checked");
        // Without `f64` these are thousands of operations, which SwiftShader compiles for minutes.
        if has_functions(&checked) {
            left_out.push(kernel.name());
            continue;
        }
        tried += 1;
        let launch = any_launch(&checked);
        let name = kernel.name();
        if checked.module().functions[0].fast_math {
            assert_eq!(recorder.send(name, &checked, 0, None), Ok(()), "{name}");
        } else {
            recorder.launch(&checked, 0, &launch).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        }
    }
    let report = recorder.finish().expect("a browser that answers");
    agrees(&report);
    say(&format!("examples in a browser: {tried} agree, not tried are {}", left_out.join(", ")));
    assert_eq!((report.agreed, lacking(&report).len()), (tried, 0));
}

/// Whether a kernel has mathematical functions.
fn has_functions(checked: &Checked) -> bool {
    let insts = checked.module().functions.iter().flat_map(|function| function.insts.iter());
    insts.into_iter().any(|(_, def)| matches!(def.kind, InstKind::Op(op, _) if op.math().is_some()))
}

/// Whether a mathematical function is tried in a browser, where it is computed without `f64`: of `f32`, and not those
/// that take SwiftShader minutes.
fn is_tried(case: &Case) -> bool {
    let large = matches!(case.op, Op::Powf | Op::Powi | Op::Atan2 | Op::Tgamma | Op::Lgamma);
    case.op.math().is_none() || case.operands[0] == Type::F32 && !large
}

#[test]
fn every_op_gives_the_bits_of_native_rust_in_a_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let recorder = Recorder::new(&mut browser, Options::WEBGPU);
    for case in cases().into_iter().filter(is_tried) {
        // Vectors go the way of their lanes, and four are the most; `cuda.rs` says what of literals.
        let lanes = case.operands[0].lanes();
        for job in case.jobs(EDGES, RANDOM) {
            let literals = lanes == 1 && !case.op.is_compound();
            if !literals && (job.form != Form::Loaded || lanes != 1 && !case.is_for_sweeps()) {
                continue;
            }
            let checked = check(job.module.clone()).expect("a kernel");
            let (launch, expected) = job.launch().expect("an expectation");
            let sent = recorder.send(&case.name(), &checked, 0, Some((&launch, &expected)));
            assert_eq!(sent, Ok(()), "{}", case.name());
        }
    }
    let report = recorder.finish().expect("a browser that answers");
    say(&format!("ops in a browser: {} launches agree", report.agreed));
    agrees(&report);
}

/// Takes the orders out of a kernel, which WGSL does not have. Random kernels have no race,
/// and barriers where one would be, so that none depends on an order.
fn without_orders(module: &mut Module) {
    for function in &mut module.functions {
        for inst in function.insts.ids() {
            match &mut function.insts[inst].kind {
                InstKind::Fence(_, scope) => *scope = Scope::Invocation,
                InstKind::Atomic(_, _, _, order) => order.scope = Scope::Invocation,
                _ => {}
            }
        }
    }
}

#[test]
fn random_kernels_give_the_same_bytes_in_a_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let recorder = Recorder::new(&mut browser, Options::WEBGPU);
    let kernels = std::env::var("SAMEBITS_RANDOM").ok().and_then(|text| text.parse().ok()).unwrap_or(KERNELS);
    for seed in 0..kernels {
        let mut kernel = generate(seed);
        without_orders(&mut kernel.module);
        let checked = compare::accept(&kernel).expect("the generator's kernels are accepted");
        let (expected, _) = compare::run(&checked, kernel.index(), &kernel.launch).expect("and run");
        // Half of them as generated, half as users get them.
        let checked = if seed.is_multiple_of(2) { checked } else { optimize(checked) };
        match recorder.send(&format!("seed {seed}"), &checked, kernel.index(), Some((&kernel.launch, &expected))) {
            Ok(()) | Err(Failure::Lacks(_)) => {}
            Err(Failure::Wrong(what)) => panic!("seed {seed}: {what}"),
        }
    }
    let mut report = recorder.finish().expect("a browser that answers");
    // Arithmetic that leaves no difference, workgroup memory that nobody writes meanwhile and
    // what all lanes of the only subgroup get are uniform here, and not to Tint.
    let all = report.wrong.len();
    report.wrong.retain(|wrong| !wrong.what.contains("must only be called from uniform control flow"));
    let intricate = all - report.wrong.len();
    let lacking = lacking(&report);
    let agreed = report.agreed;
    say(&format!("random kernels in a browser: {agreed} agree, {intricate} are too intricate; it lacks {lacking:?}"));
    agrees(&report);
    assert!(intricate as u64 * 200 < kernels, "{intricate} kernels that run here do not in a browser");
    assert!(report.agreed as u64 * 9 >= kernels * 8, "{} kernels are too few", report.agreed);
    assert_eq!(lacking.into_keys().collect::<Vec<_>>(), ["64-bit atomics"]);
}
