//! Memory that is not there: an error for whoever asks, and never the end of the process.
//!
//! The allocator of this process refuses large requests, as a machine with less memory would.

use samebits::judge::Schedule;
use samebits::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The most bytes of an allocation.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Held by the test that has set it.
static TURN: Mutex<()> = Mutex::new(());

/// The system's allocator, which refuses what is large.
struct Refusing;

// SAFETY: every method is the system's own, or gives null, which means that there is no memory.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST.load(Relaxed) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() > MOST.load(Relaxed) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > MOST.load(Relaxed) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs `f` where no allocation is larger than a mebibyte.
fn poor<T>(f: impl FnOnce() -> T) -> T {
    MOST.store(1 << 20, Relaxed);
    let result = f();
    MOST.store(usize::MAX, Relaxed);
    result
}

fn is_full<T: std::fmt::Debug>(result: Result<T, Error>, device: &str) {
    assert!(
        matches!(&result, Err(Error::OutOfMemory { device: full, asked: Some(_) }) if full == device),
        "{result:?}"
    );
}

/// 16 KiB an invocation, of 256.
#[kernel(workgroup_size(256))]
fn scratch(y: &mut [u32]) {
    let i = global_id().x;
    let mut own = [0u32; 4096];
    own[i * 7 % 4096] = i as u32;
    workgroup_barrier();
    y[i] = own[i * 7 % 4096] + own[y[i] as usize % 4096];
}

#[test]
fn buffers_and_reads_of_them_are_refused() {
    let _turn = TURN.lock().unwrap();
    for device in [Device::cpu(), Device::interpreter()] {
        buffers_and_reads_are_refused_on(&device);
    }
}

fn buffers_and_reads_are_refused_on(device: &Device) {
    is_full(poor(|| device.zeros::<u32>(1 << 20)), device.name());
    is_full(poor(|| device.upload([[0u8; 256]; 8192].as_slice()).map(|_| ())), device.name());
    let mut large = device.zeros::<u32>(1 << 20).unwrap();
    is_full(poor(|| large.read()), "host");
    poor(|| large.fill(7)).unwrap();
    poor(|| large.copy_from(&device.zeros::<u32>(1 << 10)?)).unwrap_err();
    assert_eq!(poor(|| large.read_range(..3)).unwrap(), [7; 3]);
    // What begins within a pair of words is copied at each launch.
    #[kernel(workgroup_size(1))]
    fn first(x: &[u8], y: &mut [u32]) {
        y[0] = x[0] as u32;
    }
    let bytes = large.view::<u8>().unwrap();
    let mut y = device.zeros::<u32>(1).unwrap();
    is_full(poor(|| first::launch(device, 1, &bytes.slice(1..)?, &mut y)), device.name());
    poor(|| first::launch(device, 1, &bytes.slice(8..)?, &mut y)).unwrap();
    assert_eq!(y.read().unwrap(), [7]);
}

#[test]
fn a_workgroup_for_which_there_is_no_room_is_refused() {
    let _turn = TURN.lock().unwrap();
    for device in [Device::cpu(), Device::interpreter(), Device::judge(Schedule::Forward)] {
        let mut y = device.zeros::<u32>(1024).unwrap();
        is_full(poor(|| scratch::launch(&device, 1024, &mut y)), device.name());
        // Without the judge nothing was run, so that nothing is lost.
        if device.name() != "judge" {
            assert_eq!(y.read().unwrap(), [0; 1024]);
            device.wait().unwrap();
        }
        y.fill(0).unwrap();
        scratch::launch(&device, 1024, &mut y).unwrap();
        assert_eq!(y.read().unwrap()[3], 3);
    }
}
