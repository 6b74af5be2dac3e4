//! Compiled kernels: whose code a launch runs, and how often it is compiled.

mod devices;

use devices::devices;
use samebits::__private::ir::{builder, ir, types};
use samebits::__private::{Arg, Kernel};
use samebits::judge::Schedule;
use samebits::prelude::*;

/// Kernels of one name in modules of their own; they differ in a constant, in the size of a
/// workgroup or in the type of the elements.
macro_rules! modules {
    ($($module:ident: $ty:ty, $size:literal, $value:expr;)*) => { $(
        mod $module {
            use samebits::prelude::*;

            const VALUE: $ty = $value;

            /// Of each invocation the bits of a literal, of a constant, and its place.
            #[kernel(workgroup_size($size))]
            pub(super) fn k(slot: usize, x: &[$ty], o: &mut [$ty], places: &mut [u32]) {
                let i = slot * 64 + global_id().x;
                o[2 * i] = x[0] * $value;
                o[2 * i + 1] = x[0] * VALUE;
                places[i] = workgroup_id().x as u32 * 1000 + local_id().x as u32;
            }
        }
    )* };
}
modules! {
    plain: f32, 64, 1000015.0;
    another_digit: f32, 64, 1000025.0;
    smaller_groups: f32, 32, 1000015.0;
    zero: f32, 64, 0.0;
    negative_zero: f32, 64, -0.0;
    whole: u32, 64, 1000015;
    negated: i32, 64, -1000015;
}

/// Where each of 64 invocations is, in workgroups of a size.
fn places(size: u32) -> Vec<u32> {
    (0..64).map(|i| i / size * 1000 + i % size).collect()
}

#[test]
fn kernels_that_differ_in_little_are_different_and_compiled_once() {
    const SLOTS: usize = 21;
    for device in devices() {
        let one = device.upload(&[1.0f32]).unwrap();
        let (one_word, one_signed) = (device.upload(&[1u32]).unwrap(), device.upload(&[1i32]).unwrap());
        let mut floats = device.zeros::<f32>(SLOTS * 128).unwrap();
        let mut words = device.zeros::<u32>(SLOTS * 128).unwrap();
        let mut signed = device.zeros::<i32>(SLOTS * 128).unwrap();
        let mut places = device.zeros::<u32>(SLOTS * 64).unwrap();
        for batch in 0..2 {
            // Nothing waits or reads in between.
            for slot in 0..SLOTS {
                let (f, p) = (&mut floats, &mut places);
                match slot % 7 {
                    0 => plain::k::launch(&device, 64, slot, &one, f, p),
                    1 => another_digit::k::launch(&device, 64, slot, &one, f, p),
                    2 => smaller_groups::k::launch(&device, 64, slot, &one, f, p),
                    3 => zero::k::launch(&device, 64, slot, &one, f, p),
                    4 => negative_zero::k::launch(&device, 64, slot, &one, f, p),
                    5 => whole::k::launch(&device, 64, slot, &one_word, &mut words, p),
                    _ => negated::k::launch(&device, 64, slot, &one_signed, &mut signed, p),
                }
                .unwrap();
            }
            let (found_floats, found_places) = (floats.read().unwrap(), places.read().unwrap());
            let (found_words, found_signed) = (words.read().unwrap(), signed.read().unwrap());
            for slot in 0..SLOTS {
                let part = slot * 128..slot * 128 + 128;
                let bits: Vec<u32> = found_floats[part.clone()].iter().map(|x| x.to_bits()).collect();
                let (float, word, number) = match slot % 7 {
                    0 | 2 => (1000015.0f32.to_bits(), 0, 0),
                    1 => (1000025.0f32.to_bits(), 0, 0),
                    3 => (0, 0, 0),
                    4 => (0x8000_0000, 0, 0),
                    5 => (0, 1_000_015, 0),
                    _ => (0, 0, -1_000_015),
                };
                let on = format!("slot {slot} of batch {batch} on {}", device.name());
                assert_eq!(bits, [float; 128], "{on}");
                assert_eq!(found_words[part.clone()], [word; 128], "{on}");
                assert_eq!(found_signed[part], [number; 128], "{on}");
                let size = if slot % 7 == 2 { 32 } else { 64 };
                assert_eq!(found_places[slot * 64..][..64], self::places(size), "{on}");
            }
            assert_eq!(device.compilations(), 7, "after batch {batch} on {}", device.name());
            floats.fill(0.0).unwrap();
            words.fill(0).unwrap();
            signed.fill(0).unwrap();
            places.fill(0).unwrap();
        }
    }
}

/// Compiled code belongs to a device as it was opened.
#[test]
fn devices_and_settings_share_no_code() {
    #[kernel(workgroup_size(1))]
    fn count(n: u32, o: &mut [u32]) {
        let mut k = 0;
        while k < n {
            k += 1;
        }
        o[0] = k;
    }
    let mut all = devices();
    all.extend(devices());
    all.extend([Schedule::Forward, Schedule::Reversed].map(Device::judge));
    for device in &all {
        assert_eq!(device.compilations(), 0, "{}", device.name());
        let mut o = device.zeros::<u32>(1).unwrap();
        for n in [1000, 2000] {
            count::launch(device, 1, n, &mut o).unwrap();
            assert_eq!(o.read().unwrap(), [n], "{}", device.name());
        }
        // Another handle is the same device.
        count::launch(&device.clone(), 1, 10, &mut o).unwrap();
        assert_eq!(device.compilations(), 1, "{}", device.name());
    }
    let hasty = Device::interpreter_with_budget(1000);
    let mut o = hasty.zeros::<u32>(1).unwrap();
    let error = count::launch(&hasty, 1, 2000, &mut o).unwrap_err();
    assert!(error.to_string().contains("1000 steps"), "{error}");
    o.fill(0).unwrap();
    count::launch(&hasty, 1, 10, &mut o).unwrap();
    assert_eq!((o.read().unwrap(), hasty.compilations()), (vec![10], 1));
}

/// `out[slot] = value`.
fn store(slot: u32, value: u32) -> Kernel {
    let mut b = builder::Builder::new("same", [1, 1, 1]);
    let out = b.buffer("out", types::Type::U32, ir::Access::ReadWrite);
    let (slot, value) = (b.u32(slot), b.u32(value));
    let place = b.place(out, &[ir::Index { value: slot, stride: 4, bound: None }], 0);
    b.store(place, value);
    b.ret();
    Kernel::from_module(&b.into_module(types::Types::default()), 0).unwrap()
}

/// Each may lie where the one before it lay.
#[test]
fn a_kernel_that_is_gone_leaves_no_code_to_the_next() {
    for device in devices() {
        let mut out = device.zeros::<u32>(100).unwrap();
        for slot in 0..100 {
            store(slot, 7 * slot + 1).launch(&device, 1, &[Arg::buffer_mut(&mut out)]).unwrap();
        }
        let expected: Vec<u32> = (0..100).map(|slot| 7 * slot + 1).collect();
        assert_eq!(out.read().unwrap(), expected, "on {}", device.name());
        assert_eq!(device.compilations(), 100, "on {}", device.name());
    }
}

/// Each of the four reads is in bounds if its buffer is as long as `o`.
#[kernel(workgroup_size(64))]
fn sum(a: &[u32], b: &[u32], c: &[u32], d: &[u32], o: &mut [u32]) {
    let i = global_id().x;
    if i < o.len() {
        o[i] = a[i] + b[i] + c[i] + d[i];
    }
}

#[test]
fn launches_that_fulfil_different_conditions_are_right_and_share_few_forms() {
    assert_eq!(sum::KERNEL.report().unwrap().conditions.len(), 4);
    for device in devices() {
        let before = device.compilations();
        let long = device.upload(&(0..100).collect::<Vec<u32>>()).unwrap();
        let short = device.upload(&(0..7).collect::<Vec<u32>>()).unwrap();
        for round in 0..2 {
            for long_ones in 0..16u32 {
                let mut o = device.zeros::<u32>(100).unwrap();
                let [a, b, c, d] = [0, 1, 2, 3].map(|bit| if long_ones >> bit & 1 == 1 { &long } else { &short });
                sum::launch(&device, 128, a, b, c, d, &mut o).unwrap();
                let expected = |i: u32| i * if i < 7 { 4 } else { long_ones.count_ones() };
                let expected: Vec<u32> = (0..100).map(expected).collect();
                assert_eq!(o.read().unwrap(), expected, "{long_ones:04b} in round {round} on {}", device.name());
            }
        }
        // The form that relies on nothing, and at most four others.
        assert!((1..=5).contains(&(device.compilations() - before)), "{}", device.compilations() - before);
    }
}

/// No guard: in bounds if the grid is no larger than the buffer.
#[kernel(workgroup_size(64))]
fn number(o: &mut [u32]) {
    o[global_id().x] = global_id().x as u32 + 1;
}

#[test]
fn a_grid_beyond_a_buffer_stores_nothing_there() {
    for device in devices() {
        for len in [0, 1, 63, 64, 65, 200] {
            // What lies behind the part must stay as it is.
            let mut whole = device.zeros::<u32>(512).unwrap();
            number::launch(&device, 256, &mut whole.slice_mut(0..len).unwrap()).unwrap();
            let expected: Vec<u32> = (0..512).map(|i| if i < len as u32 { i + 1 } else { 0 }).collect();
            assert_eq!(whole.read().unwrap(), expected, "{len} on {}", device.name());
        }
    }
}

#[test]
fn a_prepared_kernel_is_not_compiled_at_its_launch() {
    for device in devices() {
        sum::prepare(&device).unwrap();
        sum::prepare(&device).unwrap();
        let prepared = device.compilations();
        assert_eq!(prepared, 1, "on {}", device.name());
        let long = device.upload(&[1u32; 100]).unwrap();
        let mut o = device.zeros::<u32>(100).unwrap();
        sum::launch(&device, 100, &long, &long, &long, &long, &mut o).unwrap();
        assert_eq!(o.read().unwrap(), [4; 100]);
        assert_eq!(device.compilations(), prepared, "on {}", device.name());
    }
}

#[test]
fn an_instance_is_prepared() {
    #[kernel(workgroup_size(32), instances(T = [f32, u32]))]
    fn double<T: Number>(x: &mut [T]) {
        let i = global_id().x;
        if i < x.len() {
            x[i] = x[i] + x[i];
        }
    }
    for device in devices() {
        double::prepare::<f32>(&device).unwrap();
        let mut x = device.upload(&[1.5f32]).unwrap();
        double::launch(&device, 1, &mut x).unwrap();
        assert_eq!((x.read().unwrap(), device.compilations()), (vec![3.0], 1));
    }
}

#[test]
fn what_cannot_run_is_not_prepared() {
    let broken = Kernel::from_image("broken", b"?");
    for device in devices() {
        let error = broken.prepare(&device).unwrap_err();
        assert!(error.to_string().starts_with("kernel `broken` cannot be loaded: "), "{error}");
    }
}
