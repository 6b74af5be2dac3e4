//! A launch in the steady state takes no memory of the heap beside what its back end does.

mod devices;
mod raw;

use devices::{devices, drivers};
use raw::Raw;
use samebits::__private::ir::{check::check_image, interp, wire};
use samebits::graph::Graph;
use samebits::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[kernel(workgroup_size(64), requires(a.len() >= out.len(), factor + 1 > 0))]
fn multiply(a: &[u32], out: &mut [u32], factor: u32) {
    let i = global_id().x;
    if i < out.len() {
        out[i] = a[i] * factor;
    }
}

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts.
struct Counting;

// SAFETY: every method is the system's own; counting touches a thread-local `Cell` that needs
// no allocation and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations `f` makes on this thread.
fn allocations(f: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    f();
    COUNT.get() - before
}

#[test]
fn an_empty_launch_allocates_nothing() {
    for device in devices() {
        let a = device.upload(&[1u32, 2]).unwrap();
        let mut out = device.zeros(2).unwrap();
        multiply::launch(&device, 2, &a, &mut out, 3).unwrap();
        let count = allocations(|| multiply::launch(&device, 0, &a, &mut out, 3).unwrap());
        assert_eq!(count, 0, "{}", device.name());
    }
}

#[test]
fn a_launch_allocates_what_the_interpreter_does() {
    let device = Device::interpreter();
    let a = device.upload(&[1u32, 2]).unwrap();
    let mut out = device.zeros(2).unwrap();
    multiply::launch(&device, 2, &a, &mut out, 3).unwrap();
    let typed = allocations(|| multiply::launch(&device, 2, &a, &mut out, 3).unwrap());
    let checked = wire::decode(multiply::KERNEL.image()).and_then(check_image).unwrap();
    let program = interp::Program::new(&checked, 0).unwrap();
    let [x, y] = [(); 2].map(|()| interp::Words::from_bytes(&[1; 256]));
    let buffer = |words| interp::Arg::Buffer { words, offset: 0, len: 2 };
    let args = [buffer(&x), buffer(&y), interp::Arg::Scalar([3, 0, 0, 0])];
    let options = interp::Options { max_steps: Some(1 << 38), ..interp::Options::default() };
    let alone = allocations(|| drop(program.run([1, 1, 1], &args, &options)));
    println!("interpreter: {typed} allocations, of which the interpreter makes {alone}");
    assert_eq!(typed, alone);
}

#[test]
fn launches_allocate_no_more_than_wgpu_by_hand() {
    for device in drivers() {
        let a = device.upload(&[1u32; 64]).unwrap();
        let mut out = device.zeros(64).unwrap();
        let mut raw = Raw::new(device.name(), multiply::KERNEL, 64);
        raw.write(&[1; 64]);
        raw.wait();
        // Both have warmed up after the first round; a batch stays open.
        let mut counts = [0, 0];
        for _ in 0..3 {
            counts[0] = allocations(|| (0..60).for_each(|i| multiply::launch(&device, 64, &a, &mut out, i).unwrap()));
            counts[1] = allocations(|| (0..60).for_each(|i| raw.launch(i)));
            assert_eq!((out.read().unwrap(), raw.read()), (vec![59; 64], vec![59; 64]));
        }
        let [typed, by_hand] = counts;
        println!("{}: {typed} allocations of 60 launches, by hand {by_hand}", device.name());
        assert!(typed <= by_hand, "{typed} allocations, by hand {by_hand}");
    }
}

#[test]
fn a_replay_allocates_little_more_than_wgpu_by_hand() {
    /// Of a whole replay, however many launches there are: what slots stand for, and the error scopes of a submission.
    const LISTS: u64 = 24;
    for device in drivers() {
        let a = device.upload(&[1u32; 64]).unwrap();
        let mut out = device.zeros(64).unwrap();
        let mut graph = Graph::new(&device);
        let (slot, mut result) = (graph.buffer::<u32>(), graph.buffer::<u32>());
        (0..60).for_each(|i| multiply::record(&mut graph, 64, &slot, &mut result, i).unwrap());
        let mut raw = Raw::new(device.name(), multiply::KERNEL, 64);
        raw.write(&[1; 64]);
        raw.wait();
        // Both have warmed up after the first round.
        let mut counts = [0, 0];
        for _ in 0..3 {
            counts[0] = allocations(|| {
                graph.replay([slot.lend(&a), result.bind(&mut out)]).unwrap();
                device.wait().unwrap();
            });
            counts[1] = allocations(|| {
                (0..60).for_each(|i| raw.launch(i));
                raw.wait();
            });
            assert_eq!((out.read().unwrap(), raw.read()), (vec![59; 64], vec![59; 64]));
        }
        let [typed, by_hand] = counts;
        println!("{}: {typed} allocations of a replay of 60 launches, by hand {by_hand}", device.name());
        assert!(typed <= by_hand + LISTS, "{typed} allocations, by hand {by_hand}");
    }
}
