//! The attribute `test`: right kernels pass on all devices and judges, and a wrong one is shown with its smallest input.

mod devices;

use samebits::check::{Chance, Failure, Generate, Input, Same};
use samebits::prelude::*;
use std::cell::Cell;

thread_local! {
    /// Whether plain functions of this thread compute something else than kernels.
    static WRONG: Cell<bool> = const { Cell::new(false) };
}

/// What a test says if it is wrong.
fn failure(test: fn() -> Result<(), Failure>) -> Failure {
    WRONG.set(true);
    let failure = test().expect_err("the test is wrong");
    WRONG.set(false);
    failure
}

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[samebits::test(kernel = saxpy)]
fn a_kernel_is_compared(#[range(-8.0..=8.0)] a: f32, x: &[f32], #[len(x.len())] y: &mut [f32]) {
    assert!((-8.0..=8.0).contains(&a) && x.len() == y.len());
    devices::devices();
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

#[kernel]
fn halve(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        y[i] = x[i] / 2;
    }
}

/// Wrong for what is a hundred or more.
#[samebits::test(kernel = halve, on = [Device::cpu()])]
fn a_list_of_any_numbers(x: &[u32], #[len(x.len())] y: &mut [u32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = x / 2 + u32::from(WRONG.get() && *x >= 100);
    }
}

#[test]
fn the_smallest_wrong_input_is_shown() {
    let failure = failure(a_list_of_any_numbers);
    assert_eq!((failure.device(), failure.input()), ("cpu", "x = [100], y = [0]"));
    let seed = failure.seed();
    let expected = format!(
        "on `cpu`: of `y`, element 0 is 50, but 51 in plain Rust\n  for the input x = [100], y = [0]\n  \
         `#[samebits::test(…, seed = {seed}, inputs = 1)]` repeats it"
    );
    assert_eq!(failure.to_string(), expected);
}

/// Wrong if there is an element of seven or more, of lists of at least three.
#[samebits::test(kernel = halve, on = [Device::cpu()], grid = y.len(), inputs = 16, seed = 5)]
fn a_list_within_bounds(
    #[len(3..9)]
    #[range(2..=9)]
    x: &[u32],
    #[len(x.len())] y: &mut [u32],
) {
    assert!((3..9).contains(&x.len()) && x.iter().all(|x| (2..=9).contains(x)) && x.len() == y.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y = x / 2 + u32::from(WRONG.get() && *x >= 7);
    }
}

#[test]
fn smaller_inputs_stay_within_the_bounds() {
    let failure = failure(a_list_within_bounds);
    assert!((5..21).contains(&failure.seed()));
    let x: Vec<&str> = failure.input().split(['[', ']']).nth(1).expect("a list").split(", ").collect();
    let mut sorted = x.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["2", "2", "7"], "{failure}");
}

#[samebits::test(run = |device, x, y| {
    let (x, mut z) = (device.upload(x)?, device.upload(y)?);
    for _ in 0..2 {
        halve::launch(device, x.len(), &x, &mut z)?;
    }
    z.read_into(y)?;
    x.read()
}, inputs = 8)]
fn a_closure_is_compared_with_its_result(x: &[u32], y: &mut [u32]) -> Vec<u32> {
    for (y, x) in y.iter_mut().zip(x) {
        *y = x / 2;
    }
    x.to_vec()
}

/// Counts the elements with some bits.
fn count(device: &Device, bits: u32, x: &[u32]) -> Result<usize, Error> {
    let x = device.upload(x)?;
    Ok(x.read()?.iter().filter(|x| **x & bits != 0).count())
}

#[samebits::test(run = count, inputs = 8)]
fn a_function_is_compared_with_its_result(bits: u32, x: &[u32]) -> usize {
    x.iter().filter(|x| **x & bits != 0).count() + usize::from(WRONG.get())
}

#[test]
fn a_wrong_result_is_told() {
    let shown = failure(a_function_is_compared_with_its_result).to_string();
    assert!(
        shown.starts_with("on `cpu`: the result is 0, but 1 in plain Rust\n  for the input bits = 0, x = []\n"),
        "{shown}"
    );
}

#[kernel(instances(T = [f32, u32], N = [2, 3]))]
fn times<T: Number, const N: usize>(y: &mut [T]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] *= N as T;
    }
}

#[samebits::test(kernel = times::<u32, 3>, inputs = 8)]
fn a_generic_kernel_is_compared(#[range(0..1000)] y: &mut [u32]) {
    y.iter_mut().for_each(|y| *y *= 3);
}

#[kernel]
fn greatest(x: &[u32], most: &[Atomic<u32>]) {
    let i = global_id().x;
    if i < x.len() {
        most[0].fetch_max(x[i]);
    }
}

#[samebits::test(kernel = greatest, inputs = 8)]
fn atomics_are_lists_that_change(x: &[u32], #[len(1)] most: &mut [u32]) {
    most[0] = x.iter().copied().chain([most[0]]).max().unwrap_or_default();
}

#[derive(Clone, Copy, Debug, Element)]
#[repr(C)]
struct Pair {
    number: u32,
    place: Vec2<f32>,
}

impl Input for Pair {}

impl Generate for Pair {
    fn generate(chance: &mut Chance) -> Self {
        Self { number: chance.u32(), place: Vec2::generate(chance) }
    }
}

impl Same for Pair {
    fn same(&self, other: &Self) -> bool {
        self.number == other.number && self.place.same(&other.place)
    }
}

#[kernel]
fn numbered(first: u32, places: &[Vec2<f32>], y: &mut [Pair]) {
    let i = global_id().x;
    if i < places.len() && i < y.len() {
        y[i].number = first;
        y[i].place = places[i] * 2.0;
    }
}

#[samebits::test(kernel = numbered, inputs = 8)]
fn structs_and_vectors_are_compared(
    #[with(|chance| chance.u32() % 10)] first: u32,
    #[range(0.0..1.0)] places: &[Vec2<f32>],
    #[len(places.len())] y: &mut [Pair],
) {
    assert!(first < 10 && places.iter().all(|place| (0.0..1.0).contains(&place.x) && (0.0..1.0).contains(&place.y)));
    for (y, place) in y.iter_mut().zip(places) {
        (y.number, y.place) = (first, *place * 2.0);
    }
}

/// An index is below a length, which may be 0 at first.
#[samebits::test(run = |_, x, n| Ok(x[n]), inputs = 40)]
fn a_range_may_depend_on_a_list(#[len(0..=2)] x: &[u32], #[range(0..x.len())] n: usize) -> u32 {
    x[n] + u32::from(WRONG.get())
}

#[test]
fn a_value_stays_within_a_range_that_shrinks() {
    assert_eq!(failure(a_range_may_depend_on_a_list).input(), "x = [0], n = 0");
}

#[samebits::test(run = |_, x, n| Ok(x.len() + n), on = [Device::cpu()])]
fn no_input_fits_if_asked(#[len(0..=2)] x: &[u32], #[range(if WRONG.get() { 1..1 } else { 0..5 })] n: usize) -> usize {
    x.len() + n
}

#[test]
fn ranges_without_values_are_a_failure() {
    let expected = "nothing was compared, as there is no input within the ranges of the parameters";
    assert_eq!(failure(no_input_fits_if_asked).to_string(), expected);
}

#[kernel]
fn race(y: &mut [u32]) {
    let i = global_id().x;
    if i < 2 && y.len() > 0 {
        unsafe { y[0] = i as u32 };
    }
}

#[samebits::test(run = |device, y| {
    let mut z = device.upload(y)?;
    if WRONG.get() {
        race::launch(device, 2, &mut z)?;
    }
    z.read_into(y)
}, inputs = 2)]
fn a_closure_may_have_no_result(#[len(1)] y: &mut [u32]) {
    if WRONG.get() {
        // Invocations in a row leave what the last one stores.
        y[0] = 1;
    }
}

#[test]
fn what_a_judge_finds_is_a_failure() {
    let shown = failure(a_closure_may_have_no_result).to_string();
    // llvmpipe may store in any order as well.
    assert!(shown.contains("race on `y[0]`") || shown.contains("of `y`, element 0 is 0"), "{shown}");
}

/// It rests on workgroup memory being zero at first, as it is everywhere.
#[kernel(workgroup_size(64))]
fn odd_numbers(x: &[u32], counts: &[Atomic<u32>]) {
    #[shared]
    let count: [Atomic<u32>; 1];
    let i = global_id().x;
    if i < x.len() && x[i] % 2 == 1 {
        count[0].fetch_add(1);
    }
    workgroup_barrier();
    if local_index() == 0 {
        counts[0].fetch_add(count[0].load());
    }
}

#[samebits::test(kernel = odd_numbers)]
fn memory_that_begins_as_zero_is_no_fault(x: &[u32], #[len(1)] counts: &mut [u32]) {
    counts[0] = counts[0].wrapping_add(x.iter().filter(|x| *x % 2 == 1).count() as u32);
}
