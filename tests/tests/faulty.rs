//! Devices with a fault in their control flow, and the proof that a file test notices.
//!
//! A faulty device is the interpreter running a kernel from which something was taken: a
//! barrier, the exchange of a compare-exchange, a return inside of a branch.

use samebits_ir::check::{Checked, check};
use samebits_ir::ir::{Function, InstKind, Module};
use samebits_ir::ops::AtomicOp;
use samebits_tests::filetest::{Engine, Failure, Interpreter, Launch, Memories, test};

struct Faulty(fn(&mut Function));

impl Engine for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        let mut module: Module = checked.module().clone();
        self.0(&mut module.functions[function]);
        let changed = check(module).map_err(|diags| diags.as_slice()[0].headline())?;
        Interpreter.launch(&changed, function, launch)
    }
}

/// Replaces instructions; `None` takes one away.
fn replace(function: &mut Function, change: impl Fn(&InstKind) -> Option<InstKind>) {
    for region in function.regions.ids().collect::<Vec<_>>() {
        for inst in function.region_insts(region) {
            match change(&function.insts[inst].kind) {
                Some(kind) => function.insts[inst].kind = kind,
                None => function.regions[region].insts.retain(|&other| other != inst),
            }
        }
    }
}

/// A kernel passes on the interpreter, and fails on one with a fault.
#[track_caller]
fn noticed(source: &str, fault: fn(&mut Function)) {
    assert_eq!(test("right", source, &[&Interpreter]), Ok(1));
    let told = test("faulty", source, &[&Faulty(fault)]).expect_err("the fault is noticed");
    assert!(told.contains("faulty"), "{told}");
}

#[test]
fn a_dropped_barrier_is_noticed() {
    let reverse = "
func kernel workgroup_size(4, 1, 1) @reverse(@y: mut [u32]) {
  shared @tile: [u32; 4]
  %i = local_index
  %v = load u32 @y[%i]
  store @tile[%i], %v
  barrier
  %j = sub 3u32, %i
  %w = load u32 @tile[%j]
  store @y[%i], %w
  ret
}
; run: @reverse groups(1, 1, 1) @y=[1u32, 2u32, 3u32, 4u32] => @y=[4u32, 3u32, 2u32, 1u32]
";
    noticed(reverse, |function| {
        replace(function, |kind| (!matches!(kind, InstKind::Barrier)).then(|| kind.clone()));
    });
}

#[test]
fn a_compare_exchange_that_fails_for_no_reason_is_noticed() {
    let claim = "
func kernel workgroup_size(1, 1, 1) @claim(@lock: atomic [u32], @y: mut [u32]) {
  %old = atomic.cmpxchg @lock[0u32], 0u32, 7u32
  store @y[0u32], %old
  ret
}
; run: @claim groups(1, 1, 1) @lock=[0u32] @y=[9u32] => @lock=[7u32] @y=[0u32]
";
    noticed(claim, |function| {
        replace(function, |kind| {
            Some(match kind {
                InstKind::Atomic(AtomicOp::CompareExchange, place, _, order) => {
                    InstKind::Atomic(AtomicOp::Load, place.clone(), Vec::new(), *order)
                }
                other => other.clone(),
            })
        });
    });
}

#[test]
fn a_lost_return_is_noticed() {
    let guarded = "
func kernel workgroup_size(4, 1, 1) @guarded(@y: mut [u32]) {
  %i = local_index
  %late = ge %i, 2u32
  if %late {
    ret
  }
  store @y[%i], 5u32
  ret
}
; run: @guarded groups(1, 1, 1) @y=[0u32, 0u32, 0u32, 0u32] => @y=[5u32, 5u32, 0u32, 0u32]
";
    noticed(guarded, |function| {
        let body = function.body;
        let last = function.regions[body].insts.last().copied();
        for region in function.regions.ids().filter(|&region| region != body).collect::<Vec<_>>() {
            for inst in function.region_insts(region) {
                if matches!(function.insts[inst].kind, InstKind::Return(_)) && Some(inst) != last {
                    function.insts[inst].kind = InstKind::Yield(Vec::new());
                }
            }
        }
    });
}
