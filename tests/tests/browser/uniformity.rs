//! What Tint takes for uniform control flow beside what the checks here do.
//!
//! The kernels that are refused here are written all the same, with
//! `Mistake::NothingRefused`, so that both judge the same kernels. Where they differ, the
//! list says why. One difference must never be: a kernel that Tint accepts and the checks
//! refuse, though its invocations do meet at every barrier.

use crate::shapes::{SHAPES, Verdict};
use samebits_ir::backend::naga::Options;
use samebits_ir::check::{Checked, Mistake, check, check_image, check_mistaken};
use samebits_ir::diag::render;
use samebits_ir::ir::Module;
use samebits_ir::text;
use samebits_tests::browser::{Browser, Outcome, job};
use samebits_tests::engines::say;
use samebits_tests::filetest::Failure;
use samebits_tests::random::barriers::{self, generate};

/// Random kernels of a run.
const KERNELS: u64 = 400;

/// Random kernels that Tint accepts and the checks refuse, though invocations do not part.
const TINT_IS_TOLD_MORE: [(u64, &str); 1] =
    [(348, "an element outside of a view is zero for all, and the back end has written it as that")];

/// Before the body of each shape: what it may use.
const HEAD: &str = "\
func kernel workgroup_size(8, 1, 1) @k(%n: u32, @ro: [u32], @rw: mut [u32], @at: atomic [u32]) {
  shared @tile: [u32; 8]
  private @own: [u32; 4]
  var $v: u32
  var $w: u32
  %l = local_id.x
  %i = global_id.x
  %g = workgroup_id.x
  %few = lt %l, 4u32
  %all = lt %g, %n
";

/// The kernel of a shape, which helpers may follow.
fn kernel(body: &str) -> String {
    let (body, helpers) = body.split_once("\n---\n").unwrap_or((body, ""));
    format!("{helpers}\n{HEAD}{body}\n  ret\n}}\n")
}

/// A module without the judgement of its barriers.
fn unjudged(module: Module, shown: &str) -> Checked {
    check_mistaken(module, Mistake::NothingRefused).unwrap_or_else(|diags| panic!("{diags:?}\n{shown}"))
}

/// Whether Tint accepted a kernel; what it says of anything but uniformity is a fault.
fn accepted(outcome: Outcome, shown: &str) -> Result<bool, String> {
    match outcome {
        Outcome::Done { warnings, .. } if warnings.is_empty() => Ok(true),
        Outcome::Refused(what) if what.contains("must only be called from uniform control flow") => Ok(false),
        other => Err(format!("{other:?}\n{shown}")),
    }
}

#[test]
fn tint_and_the_checks_differ_about_barriers_where_the_list_says_so() {
    let Some(mut browser) = Browser::open() else { return };
    let texts: Vec<String> = SHAPES.iter().map(|(_, body, _)| kernel(body)).collect();
    let mut ours = Vec::new();
    for text in &texts {
        let module = text::parse(text).unwrap_or_else(|diags| panic!("{diags:?}\n{text}"));
        let index = module.functions.len() - 1;
        ours.push(check(module.clone()).is_ok());
        browser.send(job(&unjudged(module, text), index, &Options::WEBGPU, None).expect("a job"));
    }
    let outcomes = browser.collect().expect("a browser that answers");
    let mut wrong = String::new();
    for ((((name, _, verdict), ours), outcome), text) in SHAPES.iter().zip(ours).zip(outcomes).zip(&texts) {
        let tint = accepted(outcome, text).expect("a kernel that compiles but for its barriers");
        let expected = match verdict {
            Verdict::Accepted => (true, true),
            Verdict::Refused => (false, false),
            Verdict::Ours(_) => (true, false),
        };
        if (ours, tint) != expected {
            wrong += &format!("{name}: accepted here: {ours}, by Tint: {tint}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    let differ = SHAPES.iter().filter(|(.., verdict)| matches!(verdict, Verdict::Ours(_))).count();
    say(&format!("uniformity: {} shapes, {differ} of which Tint sees otherwise", SHAPES.len()));
    assert!(SHAPES.len() >= 40, "{} shapes are few", SHAPES.len());
}

#[test]
fn what_tint_accepts_and_the_checks_refuse_does_part() {
    let Some(mut browser) = Browser::open() else { return };
    let mut sent = Vec::new();
    for seed in 0..KERNELS {
        let case = generate(seed);
        // Functions that the kernel does not call are not in the WGSL.
        let ours = check_image(case.module.clone());
        let Ok(all) = check_mistaken(case.module.clone(), Mistake::NothingRefused) else { continue };
        match job(&all, case.module.functions.len() - 1, &Options::WEBGPU, None) {
            Ok(job) => {
                browser.send(job);
                sent.push((case, ours, all));
            }
            Err(Failure::Lacks(_)) => {}
            Err(Failure::Wrong(what)) => panic!("seed {seed}: {what}"),
        }
    }
    let outcomes = browser.collect().expect("a browser that answers");
    let (mut counts, mut wrong) = ([[0; 2]; 2], String::new());
    for ((case, ours, all), outcome) in sent.into_iter().zip(outcomes) {
        let tint = accepted(outcome, &case.text).expect("a kernel that compiles but for its barriers");
        counts[usize::from(ours.is_ok())][usize::from(tint)] += 1;
        if let (true, Err(diags)) = (tint, &ours) {
            let judged = barriers::judge(&all, &case);
            let is_known = TINT_IS_TOLD_MORE.iter().any(|(seed, _)| *seed == case.seed);
            if is_known == (judged == barriers::Outcome::Parted) {
                let shown = render(diags, "k.gir", &case.text);
                wrong += &format!("seed {}: {judged:?}\n{shown}{}\n", case.seed, case.text);
            }
        }
    }
    let [[neither, tints], [mine, both]] = counts;
    say(&format!(
        "uniformity: {both} random kernels are accepted by both, {neither} by neither, {mine} here, {tints} by Tint"
    ));
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(both > 20 && neither > 20, "hardly anything was judged");
}
