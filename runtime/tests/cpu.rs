//! This CPU as a device, with native code that is written by hand: who runs it, over which workgroups, in which
//! memory, and what becomes of errors.

use samebits::__private::ir::wire;
use samebits::__private::native::{self, Code, Endless, Native, Span};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[kernel(workgroup_size(64))]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(workgroup_size(4, 2))]
fn count(x: &[u32], bins: &[Atomic<u32>]) {
    let i = global_id().x + global_id().y * 4 * num_workgroups().x;
    if i < x.len() {
        bins[x[i] as usize % 16].fetch_add(1);
    }
}

thread_local! {
    /// How often this thread ran code without and with tests of accesses.
    static RUNS: Cell<[u32; 2]> = const { Cell::new([0; 2]) };
    /// Allocations of this thread.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The code of `saxpy`, which tests its accesses if `GUARDED`.
unsafe fn run_saxpy<const GUARDED: bool>(launch: &native::Launch<'_>, span: Span) -> Result<(), Endless> {
    RUNS.set({
        let mut runs = RUNS.get();
        runs[usize::from(GUARDED)] += 1;
        runs
    });
    // SAFETY: the buffers and the words of the block are those of the kernel.
    unsafe {
        let (x, y) = (launch.read(0), launch.written(1));
        assert!(x.as_ptr().addr().is_multiple_of(8) && y.addr().is_multiple_of(8));
        let a = f32::from_bits(launch.word(7));
        for i in span.first[0] * 64..(span.first[0] + span.count) * 64 {
            if i < launch.len(1) {
                let at = i as usize * 4;
                let inside = !GUARDED || i < launch.len(0);
                let x: f32 = if inside { native::load(x.as_ptr(), at) } else { 0.0 };
                native::store(y, at, a * x + native::load::<f32>(y, at));
            }
        }
    }
    Ok(())
}

static SAXPY: Native = native(run_saxpy::<false>, run_saxpy::<true>, 20);

/// The code of `count`.
unsafe fn run_count(launch: &native::Launch<'_>, span: Span) -> Result<(), Endless> {
    // SAFETY: the buffers and the words of the block are those of the kernel.
    unsafe {
        let (x, bins) = (launch.read(0), launch.written(1));
        let [first, row, _] = span.first;
        for local in 0..span.count * 8 {
            let (group, lane) = (first + local / 8, local % 8);
            let i = group * 4 + lane % 4 + (row * 2 + lane / 4) * 4 * launch.word(0);
            if i < launch.len(0) {
                let bin = native::load::<u32>(x.as_ptr(), i as usize * 4) % 16;
                native::Counter::add(bins.add(bin as usize * 4), 1u32);
            }
        }
    }
    Ok(())
}

static COUNT: Native = native(run_count, run_count, 30);

const fn native(bare: native::Run, guarded: native::Run, weight: u32) -> Native {
    Native {
        bare: Code { baseline: bare, avx2: None, avx512: None },
        guarded: Code { baseline: guarded, avx2: None, avx512: None },
        weight,
        together: 1,
        image: &[],
    }
}

/// A kernel with code that was written by hand.
fn with_code(kernel: &'static Kernel, code: &'static Native) -> Kernel {
    let code: &'static Native = Box::leak(Box::new(Native { image: kernel.image(), ..*code }));
    Kernel::from_image("by_hand", kernel.image()).native(Ok(code))
}

/// The system's allocator, which counts.
struct Counting;

// SAFETY: every method is the system's own; counting touches a thread-local `Cell` that needs no allocation and has
// no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// On this thread alone, and on those of pools of several sizes.
fn in_pools(test: impl Fn() + Sync) {
    test();
    for threads in [1, 2, 8] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&test);
    }
}

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 7919 % 1000) as f32 / 8.0 - 50.0).collect()
}

/// What `saxpy` makes of views of buffers, with all elements of the buffer.
fn saxpy_on(kernel: &Kernel, device: &Device, n: usize, [x_at, y_at]: [usize; 2], short: usize) -> Vec<f32> {
    let x = device.upload(&numbers(n + x_at)).unwrap();
    let mut y = device.upload(&numbers(n + y_at + 3)).unwrap();
    let mut part = y.slice_mut(y_at..y_at + n).unwrap();
    let x = x.slice(x_at..x_at + n - short).unwrap();
    let args = [Arg::scalar(1.7f32), Arg::buffer(&x), Arg::buffer_mut(&mut part)];
    kernel.launch(device, n, &args).unwrap();
    y.read().unwrap()
}

#[test]
fn native_code_gives_what_the_interpreter_gives_wherever_views_begin() {
    let kernel = with_code(saxpy::KERNEL, &SAXPY);
    for n in [1, 63, 64, 65, 1000, 5000] {
        for at in [[0, 0], [2, 4], [1, 0], [0, 3], [5, 1]] {
            for short in [0, 1] {
                let expected = saxpy_on(&kernel, &Device::interpreter(), n, at, short);
                in_pools(|| assert_eq!(saxpy_on(&kernel, &Device::cpu(), n, at, short), expected, "{n} {at:?}"));
            }
        }
    }
    let large = 1 << 20;
    let expected: Vec<f32> = numbers(large).iter().map(|x| 1.7 * x + x).collect();
    in_pools(|| assert_eq!(saxpy_on(&kernel, &Device::cpu(), large, [0, 0], 0)[..large], expected));
}

#[test]
fn launches_that_fulfil_all_conditions_run_code_without_tests() {
    let kernel = with_code(saxpy::KERNEL, &SAXPY);
    assert_eq!(kernel.report().unwrap().conditions, ["x.len() >= y.len()"]);
    let device = Device::cpu();
    for (short, expected) in [(0, [1, 0]), (1, [0, 1]), (0, [1, 0])] {
        RUNS.set([0; 2]);
        saxpy_on(&kernel, &device, 64, [0, 0], short);
        assert_eq!(RUNS.get(), expected);
    }
    assert_eq!(device.compilations(), 2);
}

#[test]
fn atomics_of_all_threads_are_counted() {
    let kernel = with_code(count::KERNEL, &COUNT);
    for (n, rows) in [(1, 1), (100, 3), (64, 64), (3001, 200)] {
        let x: Vec<u32> = (0..n * rows).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 13).collect();
        let counted = |device: Device| {
            let (x, mut bins) = (device.upload(&x).unwrap(), device.zeros::<u32>(16).unwrap());
            let grid = (n as usize, rows as usize);
            kernel.launch(&device, grid, &[Arg::buffer(&x), Arg::buffer_mut(&mut bins)]).unwrap();
            bins.read().unwrap()
        };
        let mut expected = vec![0; 16];
        x.iter().for_each(|x| expected[*x as usize % 16] += 1);
        assert_eq!(counted(Device::interpreter()), expected);
        in_pools(|| assert_eq!(counted(Device::cpu()), expected));
    }
}

#[test]
fn a_launch_with_another_float_unit_is_refused_before_anything_runs() {
    #[cfg(target_arch = "x86_64")]
    for kernel in [saxpy::KERNEL, &with_code(saxpy::KERNEL, &SAXPY)] {
        let device = Device::cpu();
        let x = device.upload(&[1.0f32]).unwrap();
        let mut y = device.upload(&[2.0f32]).unwrap();
        let mut mxcsr = 0u32;
        // SAFETY: the instruction stores four bytes.
        unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack)) };
        let flushing = mxcsr | 1 << 15;
        // SAFETY: no float is computed until the register is set back.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const flushing, options(nostack)) };
        let args = [Arg::scalar(2.0f32), Arg::buffer(&x), Arg::buffer_mut(&mut y)];
        let launched = kernel.launch(&device, 1, &args);
        // SAFETY: these are the fields as they were.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack)) };
        let words = "the float unit of a thread that runs kernels flushes subnormal results to zero, which changes \
                     their results; set it back to the mode in which programs start";
        assert_eq!(launched.unwrap_err().to_string(), words);
        assert_eq!(y.read(), Ok(vec![2.0]));
    }
}

#[test]
fn threads_launch_at_the_same_time() {
    let device = Device::cpu();
    let kernel = with_code(saxpy::KERNEL, &SAXPY);
    let x = device.upload(&numbers(10_000)).unwrap();
    let expected: Vec<f32> = numbers(10_000).iter().map(|x| 3.0 * x).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let mut y = device.zeros::<f32>(10_000).unwrap();
                    let args = [Arg::scalar(3.0f32), Arg::buffer(&x), Arg::buffer_mut(&mut y)];
                    kernel.launch(&device, 10_000, &args).unwrap();
                    assert_eq!(y.as_slice(), Some(&expected[..]));
                }
            });
        }
    });
}

#[test]
fn a_small_launch_takes_no_memory_of_the_heap() {
    let device = Device::cpu();
    let kernel = with_code(saxpy::KERNEL, &SAXPY);
    let x = device.upload(&numbers(64)).unwrap();
    let mut y = device.zeros::<f32>(64).unwrap();
    let mut launch = || {
        let args = [Arg::scalar(3.0f32), Arg::buffer(&x), Arg::buffer_mut(&mut y)];
        kernel.launch(&device, 64, &args).unwrap();
    };
    launch();
    let before = ALLOCATIONS.get();
    launch();
    assert_eq!(ALLOCATIONS.get() - before, 0);
}

#[test]
fn a_vector_is_taken_over_and_lent_without_a_copy() {
    for device in [Device::cpu(), Device::interpreter()] {
        let vec: Vec<u64> = (0..1000).collect();
        let start = vec.as_ptr();
        let mut buffer = device.upload_vec(vec).unwrap();
        assert_eq!(buffer.as_slice().map(<[u64]>::as_ptr), Some(start));
        buffer.write(0, &[7]).unwrap();
        assert_eq!(buffer.as_slice().unwrap()[..3], [7, 1, 2]);
        // These are copied, since they have not whole words.
        let mut bytes = Vec::with_capacity(3);
        bytes.extend([1u8, 2, 3]);
        assert_eq!(device.upload_vec(bytes).unwrap().as_slice(), Some(&[1, 2, 3][..]));
        assert_eq!(device.upload_vec(Vec::<u32>::new()).unwrap().as_slice(), Some(&[][..]));
    }
}

#[test]
fn bytes_beside_a_part_stay_while_threads_write_them() {
    #[kernel]
    fn next(y: &mut [u8]) {
        let i = global_id().x;
        if i < y.len() {
            y[i] = y[i] + 1;
        }
    }
    for device in [Device::cpu(), Device::interpreter()] {
        let mut y = device.zeros::<u8>(30).unwrap();
        let (mut left, mut right) = y.split_at_mut(13).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| (0..300).for_each(|_| next::launch(&device, 13, &mut left).unwrap()));
            (0..300).for_each(|i| right.write(0, &[i as u8]).unwrap());
        });
        assert_eq!(y.read().unwrap()[..14], [44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 43]);
    }
}

#[test]
fn reports_say_how_a_kernel_runs() {
    let by_hand = with_code(saxpy::KERNEL, &SAXPY).report().unwrap();
    assert!(by_hand.to_string().ends_with("  on this CPU: native code\n"), "{by_hand}");
    let module = Kernel::from_module(&wire::decode(saxpy::KERNEL.image()).unwrap(), 0).unwrap();
    let why = "the interpreter, because the kernel was made from a module";
    assert_eq!(module.report().unwrap().cpu.as_deref(), Some(why));
    let report = Device::cpu().report().to_string();
    let start = "cpu\n  kernels: native code, where the build has it, else run by the interpreter\n  instructions: ";
    assert!(report.starts_with(start), "{report}");
}
