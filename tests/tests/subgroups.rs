//! Operations that only some subgroups of a workgroup reach: random kernels against the same kernels
//! with a workgroup for each subgroup.
//!
//! `SAMEBITS_RANDOM=100000` makes a run long, as for `random.rs`.

use samebits_ir::check::{Checked, check};
use samebits_ir::diag::render;
use samebits_ir::interp::Schedule;
use samebits_ir::text;
use samebits_tests::engines::{OnDevice, devices, say};
use samebits_tests::filetest::{Engine, Failure, Interpreter, Judged, Optimized};
use samebits_tests::random::compare::differs;
use samebits_tests::random::seeds::{kernels, over};
use samebits_tests::random::subgroups::{Case, generate};
use std::sync::atomic::{AtomicU64, Ordering};

/// A kernel that must be accepted.
fn checked(text: &str) -> Result<Checked, String> {
    let shown = |diags: &_| format!("{}\n{text}", render(diags, "k.gir", text));
    let module = text::parse(text).map_err(|diags| shown(&diags))?;
    check(module).map_err(|diags| shown(&diags))
}

/// What an engine gets wrong; `None` also where it lacks something.
fn wrong_on(engine: &dyn Engine, case: &Case) -> Result<Option<String>, String> {
    let (together, alone) = (checked(&case.together)?, checked(&case.alone)?);
    let expected = Interpreter.launch(&alone, 0, &case.launch_alone).map_err(|failure| format!("{failure:?}"))?;
    match engine.launch(&together, 0, &case.launch) {
        Ok(found) => Ok(differs(&expected, &found)),
        Err(Failure::Lacks(_)) => Ok(None),
        Err(Failure::Wrong(what)) => Err(what),
    }
}

fn holds(limit: u64, engines: &[&(dyn Engine + Sync)]) {
    let parted = AtomicU64::new(0);
    let wrong = over(limit, |seed| {
        let case = generate(seed);
        let shown =
            |engine: &dyn Engine, what: &str| format!("seed {seed}, {}: {what}\n{}", engine.name(), case.together);
        if let Ok(module) = checked(&case.together)
            && module.function(0).is_some_and(|(function, _)| !function.shared.is_empty())
        {
            parted.fetch_add(1, Ordering::Relaxed);
        }
        engines.iter().find_map(|engine| match wrong_on(*engine, &case) {
            Ok(None) => None,
            Ok(Some(what)) | Err(what) => Some(shown(*engine, &what)),
        })
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let parted = parted.into_inner();
    say(&format!("subgroups that part: {limit} kernels, {parted} of them with loops that some go through longer"));
    assert!(parted * 20 > limit, "hardly any kernel has a loop that subgroups leave apart");
}

#[test]
fn subgroups_that_part_compute_what_they_do_alone() {
    let judge = Judged::new(Schedule::Reversed);
    holds(kernels(), &[&Interpreter, &Optimized, &judge]);
}

#[test]
fn subgroups_that_part_compute_the_same_on_every_device() {
    let devices: Vec<OnDevice> = devices().into_iter().map(OnDevice).collect();
    for device in &devices {
        holds(kernels() / 100, &[device as &(dyn Engine + Sync)]);
    }
}
