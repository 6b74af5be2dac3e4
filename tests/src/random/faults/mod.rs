//! Wrong passes, planted to show that the comparisons would notice them.
//!
//! A fault does what a pass with one mistake would do: it rewrites a function in SSA form
//! without calls wherever its pattern matches. Each belongs to a family of passes, and [`hunt`]
//! says after how many random kernels it is found.
//!
//! To add one, write a function from a [`Function`] to the number of places that it changed,
//! and give it a row in [`FAULTS`].

mod flow;
mod memory;
mod values;

use super::{Kernel, compare, generate};
use samebits_ir::analysis::tree::Tree;
use samebits_ir::check::{Checked, check_image};
use samebits_ir::ir::{Function, Inst, InstKind, Module, Value};
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Types};

/// A pass with a mistake.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The passes that may have such a mistake.
    pub family: &'static str,
    /// The mistake.
    pub name: &'static str,
    /// Makes it; the number of places that are changed.
    plant: fn(&mut Function, &Types) -> usize,
}

macro_rules! faults {
    ($($family:literal: $name:literal = $plant:path;)*) => {
        /// Every fault.
        pub const FAULTS: &[Fault] = &[$(Fault { family: $family, name: $name, plant: $plant },)*];
    };
}

faults! {
    "folding": "a difference of constants is taken the other way round" = values::fold_sub_reversed;
    "folding": "a shift of constants is not masked" = values::fold_shift_unmasked;
    "folding": "a branch on a constant goes the wrong way" = flow::constant_branch_inverted;
    "constant propagation": "a loop parameter keeps its first value" = flow::param_is_initial;
    "constant propagation": "a branch's result is that of its first region" = flow::result_is_first;
    "algebra": "x / x is 1" = values::quotient_of_itself;
    "algebra": "a signed division by a power of two is a shift" = values::signed_division_is_shift;
    "algebra": "x + 0.0 is x" = values::float_plus_zero;
    "algebra": "x - x is 0.0" = values::float_minus_itself;
    "algebra": "x * y / y is x" = values::product_over_factor;
    "algebra": "not a < b is a >= b" = values::not_less_of_floats;
    "algebra": "a choice by a comparison of floats is a minimum" = values::choice_is_minimum;
    "algebra": "x << n >> n is x" = values::shifts_cancel;
    "algebra": "a cast there and back is none" = values::casts_cancel;
    "reassociation": "sums of floats are regrouped" = values::regroup_floats;
    "strength reduction": "a remainder is a mask whatever the divisor" = values::remainder_is_mask;
    "strength reduction": "a quotient uses a multiplier that is rounded down" = values::wrong_magic;
    "strength reduction": "a signed remainder of a power of two is a mask" = values::signed_remainder_is_mask;
    "numbering": "differences commute" = values::sub_commutes;
    "numbering": "a value that may differ stands for one that may not" = values::flags_are_forgotten;
    "numbering": "a load is an earlier one whatever is stored" = memory::load_ignores_stores;
    "numbering": "a load is an earlier one across a barrier" = memory::load_across_barrier;
    "invariant code": "a load is hoisted over a store" = memory::hoist_load;
    "invariant code": "a store is hoisted out of a loop" = memory::hoist_store;
    "if conversion": "a store happens on both paths" = memory::store_on_both_paths;
    "dead code": "stores to memory that is never loaded go" = memory::drop_unread_stores;
    "dead code": "atomics with an unused result go" = memory::drop_unused_atomics;
    "dead code": "loops with unused results go" = flow::drop_unused_loops;
    "dead code": "a barrier at the end of a loop goes" = memory::drop_last_barrier;
    "dead stores": "a store is dead although it is loaded before the next" = memory::dead_despite_load;
    "dead stores": "a store is dead if a narrower one covers its start" = memory::dead_by_narrower;
    "forwarding": "a stored value is loaded across a barrier" = memory::forward_across_barrier;
    "forwarding": "a stored value is loaded whatever else is stored" = memory::forward_ignores_alias;
    "forwarding": "a stored value is loaded from out of bounds" = memory::forward_out_of_bounds;
    "barriers": "a store moves over a barrier" = memory::store_over_barrier;
    "scalar replacement": "private memory is not zero at first" = memory::private_not_zero;
    "scalar replacement": "an element is taken for its neighbour" = memory::wrong_element;
    "unrolling": "a loop runs once more" = flow::one_round_more;
    "unrolling": "parameters are set one after the other" = flow::params_in_sequence;
    "unrolling": "the last value of a parameter is the one before" = flow::result_one_behind;
    "vectors": "a lane is its neighbour" = values::wrong_lane;
    "vectors": "loads of neighbours are all of the first" = memory::same_lane_loads;
    "vectors": "stores of neighbours are in the order of the program" = memory::stores_in_program_order;
    "inlining": "an early return goes on" = flow::early_return_goes_on;
    "bounds": "a bound is one too far" = memory::bound_one_too_far;
    "bounds": "a bound goes" = memory::bound_goes;
    "guards": "what is not below is above" = values::not_below_is_above;
    "guards": "a guard with the next index is the same guard" = values::next_index_is_guarded;
    "ranges": "a masked value is below its mask" = values::below_its_mask;
    "branches": "a condition is inverted and its regions are not" = flow::condition_inverted;
    "branches": "the last case of a switch is its default" = flow::last_case_is_default;
}

impl Fault {
    /// A module with the fault in it, or `None` if nothing in it has the pattern; why the
    /// checks refuse it, if they do.
    pub fn plant(&self, checked: &Checked) -> Option<Result<Checked, String>> {
        let mut module = flat(checked);
        let Module { types, functions } = &mut module;
        let places: usize = functions.iter_mut().map(|function| (self.plant)(function, types)).sum();
        (places > 0).then(|| check_image(module).map_err(|diags| format!("{:?}", diags.as_slice().first())))
    }
}

/// The module as passes get it, with every call replaced.
fn flat(checked: &Checked) -> Module {
    let module = checked.module();
    let functions = (0..module.functions.len()).filter_map(|i| checked.function(i).map(|(f, _)| f.clone()));
    Module { types: module.types.clone(), functions: functions.collect() }
}

/// How a fault was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The fault.
    pub fault: &'static Fault,
    /// The seed of the kernel that shows it, if one does: how many kernels it took.
    pub seed: Option<u64>,
    /// How often the fault's pattern was met.
    pub planted: u64,
}

/// Plants each fault in random kernels, from the first seed on, until one shows it.
pub fn hunt(most: u64) -> Vec<Found> {
    let mut found: Vec<Found> = FAULTS.iter().map(|fault| Found { fault, seed: None, planted: 0 }).collect();
    for seed in 0..most {
        if found.iter().all(|found| found.seed.is_some()) {
            break;
        }
        let kernel = generate(seed);
        let Ok(checked) = compare::accept(&kernel) else { continue };
        let Ok((expected, _)) = compare::run(&checked, kernel.index(), &kernel.launch) else { continue };
        for found in found.iter_mut().filter(|found| found.seed.is_none()) {
            if let Some(shows) = shows(found.fault, &kernel, &checked, &expected) {
                found.planted += 1;
                found.seed = shows.then_some(seed);
            }
        }
    }
    found
}

/// Whether a kernel shows a fault; `None` if the fault changes nothing in it.
pub fn shows(fault: &Fault, kernel: &Kernel, checked: &Checked, expected: &crate::filetest::Memories) -> Option<bool> {
    Some(match fault.plant(checked)? {
        Ok(planted) => match compare::run(&planted, kernel.index(), &kernel.launch) {
            Ok((memories, _)) => compare::differs(expected, &memories).is_some(),
            Err(_) => true,
        },
        // The checks after a pass stop it.
        Err(_) => true,
    })
}

/// Calls `change` with every instruction in program order; how often it says that it
/// changed something.
fn each(function: &mut Function, mut change: impl FnMut(&mut Function, &Tree, Inst) -> bool) -> usize {
    let tree = Tree::of(function);
    tree.insts().iter().filter(|&&inst| change(function, &tree, inst)).count()
}

/// The same for ops alone, with their operands.
fn each_op(function: &mut Function, mut change: impl FnMut(&mut Function, &Tree, Inst, Op, &[Value]) -> bool) -> usize {
    each(function, |function, tree, inst| {
        let InstKind::Op(op, args) = function.insts[inst].kind.clone() else { return false };
        change(function, tree, inst, op, &args)
    })
}

/// The op that a value is the result of.
fn op_of(function: &Function, tree: &Tree, value: Value) -> Option<(Op, Vec<Value>)> {
    match &function.insts[tree.inst_of(value)?].kind {
        InstKind::Op(op, args) => Some((*op, args.clone())),
        _ => None,
    }
}

/// Lets a value be used wherever an instruction's first result was.
fn becomes(function: &mut Function, inst: Inst, value: Value) -> bool {
    let Some(&result) = function.insts[inst].results.first() else { return false };
    replace(function, result, value);
    true
}

/// Lets one value be used wherever another was.
fn replace(function: &mut Function, from: Value, to: Value) {
    for inst in function.insts.ids() {
        function.insts[inst].kind.map_operands(|value| if value == from { to } else { value });
    }
}

/// Lets an instruction's result be a constant, if it is a scalar.
fn becomes_constant(function: &mut Function, inst: Inst, bits: u64) -> bool {
    let Some(scalar) = result_scalar(function, inst) else { return false };
    let constant = function.constant(scalar, bits);
    becomes(function, inst, constant)
}

/// The type of an instruction's result, if that is a scalar.
fn result_scalar(function: &Function, inst: Inst) -> Option<Scalar> {
    let &result = function.insts[inst].results.first()?;
    scalar_of(function, result)
}

/// The type of a value, if that is a scalar.
fn scalar_of(function: &Function, value: Value) -> Option<Scalar> {
    match function.ty(value) {
        samebits_ir::types::Type::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}
