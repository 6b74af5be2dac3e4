//! Buffers and launches on every device: edges, limits and the words of errors.

mod devices;

use devices::devices;
use samebits::__private::ir::{builder, ir, types};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn number(out: &mut [u32]) {
    let i = global_id().x;
    if i < out.len() {
        out[i] = i as u32 ^ 0x5a5a_5a5a;
    }
}

#[kernel(workgroup_size(4))]
fn add_len(a: &[f32], out: &mut [f32]) {
    let i = global_id().x;
    out[i] = a[i] + a.len() as f32;
}

#[kernel(workgroup_size(1))]
fn times_ten(a: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    out[i] = a[i] * 10;
}

#[test]
fn an_empty_launch_changes_nothing() {
    for device in devices() {
        let mut out = device.upload(&[7u32; 5]).unwrap();
        number::launch(&device, 0, &mut out).unwrap();
        number::launch(&device, (4, 0), &mut out).unwrap();
        number::launch(&device, Grid::groups(0, 5, 1), &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [7; 5]);
        number::launch(&device, 5, &mut out).unwrap();
        assert_eq!(out.read().unwrap()[4], 4 ^ 0x5a5a_5a5a);
    }
}

#[test]
fn empty_buffers_are_buffers() {
    for device in devices() {
        let a = device.upload::<f32>(&[]).unwrap();
        assert_eq!(a.read().unwrap(), []);
        let mut out = device.upload(&[1.0f32; 4]).unwrap();
        add_len::launch(&device, 4, &a, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [0.0; 4]);
        let mut nothing = device.zeros::<u32>(0).unwrap();
        number::launch(&device, 64, &mut nothing).unwrap();
        assert!(nothing.is_empty() && nothing.read().unwrap().is_empty());
        nothing.write(0, &[]).unwrap();
    }
}

#[test]
fn what_lies_outside_a_buffer_is_zero_and_stays_so() {
    for device in devices() {
        let a = device.upload(&[1.0f32, 2.0]).unwrap();
        let mut out = device.zeros::<f32>(3).unwrap();
        add_len::launch(&device, 16, &a, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [3.0, 4.0, 2.0]);
    }
}

#[test]
fn folding_changes_no_id() {
    #[kernel(workgroup_size(2))]
    fn ids(out: &mut [u32], groups: &mut [u32], counts: &[Atomic<u32>]) {
        counts[0].fetch_add(1);
        counts[1].fetch_max(num_workgroups().x as u32);
        let i = global_id().x;
        if i < out.len() {
            out[i] = i as u32 ^ 0x5a5a_5a5a;
        }
        if local_index() == 0 {
            groups[workgroup_id().x] = workgroup_id().x as u32;
        }
    }
    let n = 2 * 65_537 - 1;
    for device in devices() {
        let mut out = device.zeros::<u32>(n).unwrap();
        let mut groups = device.zeros::<u32>(65_537).unwrap();
        let mut counts = device.zeros::<u32>(2).unwrap();
        ids::launch(&device, n, &mut out, &mut groups, &mut counts).unwrap();
        assert!(out.read().unwrap().iter().enumerate().all(|(i, x)| *x == i as u32 ^ 0x5a5a_5a5a));
        assert!(groups.read().unwrap().iter().enumerate().all(|(i, x)| *x == i as u32));
        assert_eq!(counts.read().unwrap(), [2 * 65_537, 65_537]);
    }
}

#[test]
fn folding_of_a_grid_with_three_axes() {
    #[kernel(workgroup_size(1))]
    fn ids(out: &mut [u32]) {
        let id = workgroup_id();
        let n = num_workgroups();
        out[id.x + n.x * (id.y + n.y * id.z)] = (id.x + 10 * id.y + 1_000_000 * id.z) as u32;
    }
    for device in devices() {
        let mut out = device.zeros::<u32>(3 * 65_536 * 2).unwrap();
        ids::launch(&device, (3, 65_536, 2), &mut out).unwrap();
        let out = out.read().unwrap();
        let expected = |i: usize| i % 3 + 10 * (i / 3 % 65_536) + 1_000_000 * (i / 3 / 65_536);
        assert!(out.iter().enumerate().all(|(i, x)| *x as usize == expected(i)));
    }
}

#[test]
fn four_billion_invocations_are_refused() {
    for device in devices() {
        let mut out = device.zeros::<u32>(1).unwrap();
        let error = number::launch(&device, 1 << 32, &mut out).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel `number`: a launch of 4294967296 invocations on x, but at most 4294967295 are allowed; use several launches"
        );
        let error = number::launch(&device, (1 << 20, 1 << 20), &mut out).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel `number`: a launch of 1099511627776 invocations, but at most 4294967295 are allowed; use several launches"
        );
    }
}

#[test]
fn a_buffer_larger_than_the_device_is_refused() {
    for device in devices() {
        let (name, allowed) = (device.name().to_owned(), device.limits().buffer_bytes);
        let error = device.zeros::<u64>(1 << 40).unwrap_err();
        let expected = format!(
            "a buffer of 8796093022208 bytes was asked for, but `{name}` allows {allowed}; use several buffers"
        );
        assert_eq!(error.to_string(), expected);
        assert!(matches!(device.zeros::<Vec4<f32>>(usize::MAX), Err(Error::BufferTooLarge { .. })));
        let after = device.upload(&[1u32, 2, 3]).unwrap();
        assert_eq!(after.read().unwrap(), [1, 2, 3]);
    }
}

#[test]
fn a_buffer_of_another_device_is_refused() {
    for device in devices() {
        let other = Device::interpreter();
        let a = other.upload(&[1u32]).unwrap();
        let mut out = device.zeros::<u32>(1).unwrap();
        let error = times_ten::launch(&device, 1, &a, &mut out).unwrap_err();
        let expected = format!(
            "kernel `times_ten`, argument `a`: the buffer belongs to device `interpreter`, but the launch is on another device, `{}`",
            device.name()
        );
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

#[test]
fn two_devices_work_side_by_side() {
    for (one, two) in devices().into_iter().zip(devices()) {
        let answers = [one, two].map(|device| {
            let a = device.upload(&[1u32, 2]).unwrap();
            let mut out = device.zeros(2).unwrap();
            times_ten::launch(&device, 2, &a, &mut out).unwrap();
            (device, a, out)
        });
        for (_, _, out) in answers {
            assert_eq!(out.read().unwrap(), [10, 20]);
        }
    }
}

#[test]
fn ranges_of_a_buffer() {
    for device in devices() {
        let mut buffer = device.upload(&[1u64, 2, 3, 4]).unwrap();
        assert_eq!(buffer.read_range(1..3).unwrap(), [2, 3]);
        assert_eq!(buffer.read_range(..=0).unwrap(), [1]);
        assert_eq!(buffer.read_range(4..).unwrap(), []);
        buffer.write(2, &[9, 8]).unwrap();
        assert_eq!(buffer.read().unwrap(), [1, 2, 9, 8]);
        let outside = |start, end| format!("elements {start}..{end} were asked for, but the buffer has 4 elements");
        assert_eq!(buffer.read_range(3..5).unwrap_err().to_string(), outside(3, 5));
        assert_eq!(buffer.write(4, &[1]).unwrap_err().to_string(), outside(4, 5));
        let open = buffer.read_range(5..).unwrap_err().to_string();
        assert_eq!(open, "elements 5.. were asked for, but the buffer has 4 elements");
        assert!(buffer.read_range(0..=usize::MAX).is_err());
    }
}

#[test]
fn vectors_keep_their_lanes() {
    #[kernel(workgroup_size(1))]
    fn swap(pairs: &mut [Vec2<f32>], triples: &mut [Vec3<i32>], quads: &mut [Vec4<u32>]) {
        let i = global_id().x;
        pairs[i] = Vec2::new(pairs[i].y, pairs[i].x);
        triples[i] = Vec3::new(triples[i].z, triples[i].y, triples[i].x);
        quads[i] = Vec4::new(quads[i].w, quads[i].z, quads[i].y, quads[i].x);
    }
    for device in devices() {
        let mut pairs = device.upload(&[Vec2::new(1.0f32, 2.0), Vec2::new(3.0, 4.0)]).unwrap();
        let mut triples = device.upload(&[Vec3::new(1, 2, 3), Vec3::new(4, 5, 6)]).unwrap();
        let mut quads = device.upload(&[Vec4::new(1u32, 2, 3, 4), Vec4::new(5, 6, 7, 8)]).unwrap();
        swap::launch(&device, 2, &mut pairs, &mut triples, &mut quads).unwrap();
        assert_eq!(pairs.read().unwrap()[1], Vec2::new(4.0, 3.0));
        assert_eq!(triples.read().unwrap(), [Vec3::new(3, 2, 1), Vec3::new(6, 5, 4)]);
        assert_eq!(quads.read().unwrap()[0], Vec4::new(4, 3, 2, 1));
    }
}

#[test]
fn a_buffer_may_go_while_its_launch_is_queued() {
    for device in devices() {
        for _ in 0..100 {
            let a = device.upload(&[1u32, 2, 3, 4]).unwrap();
            let mut out = device.zeros(4).unwrap();
            times_ten::launch(&device, 4, &a, &mut out).unwrap();
            drop(a);
            let other = device.upload(&[9u32; 4]).unwrap();
            assert_eq!(out.read().unwrap(), [10, 20, 30, 40]);
            drop(other);
        }
    }
}

#[test]
fn thousands_of_launches_without_a_read() {
    for device in devices() {
        let mut out = device.zeros(1024).unwrap();
        for i in 0..2000u32 {
            let a = device.upload(&[i; 1024]).unwrap();
            times_ten::launch(&device, 1024, &a, &mut out).unwrap();
        }
        assert_eq!(out.read().unwrap(), [19_990; 1024]);
    }
}

#[test]
fn a_kernel_is_compiled_once_for_each_device() {
    for device in devices() {
        let mut out = device.zeros::<u32>(1).unwrap();
        let threads = std::thread::scope(|scope| {
            let launch = || {
                let mut out = device.zeros::<u32>(1).unwrap();
                number::launch(&device, 1, &mut out)
            };
            [scope.spawn(launch), scope.spawn(launch)].map(|thread| thread.join().unwrap())
        });
        assert_eq!(threads, [Ok(()), Ok(())]);
        number::launch(&device, 1, &mut out).unwrap();
        assert_eq!(device.compilations(), 1);
    }
}

/// `out[global_id.x] = value`, in workgroups of a size.
fn store(name: &str, size: [u32; 3], value: u32) -> Kernel {
    let mut b = builder::Builder::new(name, size);
    let out = b.buffer("out", types::Type::U32, ir::Access::ReadWrite);
    let i = b.builtin(samebits::__private::ir::ops::Builtin::GlobalIdX);
    let value = b.u32(value);
    let place = b.place(out, &[ir::Index { value: i, stride: 4, bound: None }], 0);
    b.store(place, value);
    b.ret();
    Kernel::from_module(&b.into_module(types::Types::default()), 0).unwrap()
}

#[test]
fn kernels_of_one_name_do_not_share_code() {
    for device in devices() {
        let mut out = device.zeros::<u32>(1).unwrap();
        let kernels = [store("same", [1, 1, 1], 111), store("same", [1, 1, 1], 222)];
        for _ in 0..2 {
            for (kernel, value) in kernels.iter().zip([111, 222]) {
                kernel.launch(&device, 1, &[Arg::buffer_mut(&mut out)]).unwrap();
                assert_eq!(out.read().unwrap(), [value]);
            }
        }
    }
}

#[test]
fn a_refused_launch_leaves_its_neighbours_alone() {
    for device in devices() {
        let [mut a, mut b, mut c] = [0; 3].map(|_| device.upload(&[u32::MAX]).unwrap());
        store("a", [1, 1, 1], 111).launch(&device, 1, &[Arg::buffer_mut(&mut a)]).unwrap();
        store("b", [1, 1, 1], 1).launch(&device, 1 << 32, &[Arg::buffer_mut(&mut b)]).unwrap_err();
        store("c", [1, 1, 1], 222).launch(&device, 1, &[Arg::buffer_mut(&mut c)]).unwrap();
        assert_eq!([a, b, c].map(|buffer| buffer.read().unwrap()[0]), [111, u32::MAX, 222]);
    }
}

#[test]
fn arguments_are_compared_with_the_parameters() {
    for device in devices() {
        let kernel = times_ten::KERNEL;
        let a = device.zeros::<u32>(1).unwrap();
        let f = device.zeros::<f32>(1).unwrap();
        let text = |args: &[Arg<'_>]| kernel.launch(&device, 1, args).unwrap_err().to_string();
        assert_eq!(text(&[]), "kernel `times_ten` takes 2 arguments, but 0 were passed");
        assert_eq!(
            text(&[Arg::buffer(&f), Arg::buffer(&a)]),
            "kernel `times_ten`, argument `a`: expected a buffer of `u32`, found a buffer of `f32`"
        );
        assert_eq!(
            text(&[Arg::scalar(1.5f32), Arg::buffer(&a)]),
            "kernel `times_ten`, argument `a`: expected a buffer of `u32`, found `f32`"
        );
        assert_eq!(
            text(&[Arg::buffer(&a), Arg::buffer(&a)]),
            "kernel `times_ten`, argument `out`: the kernel may write the buffer, but it was passed as `&`; pass it as `&mut`"
        );
        let words = device.zeros(1).unwrap();
        assert!(text(&[Arg::buffer(&a), Arg::words(&words)]).contains("but it was passed as `&`"));
        let mut words = words;
        kernel.launch(&device, 1, &[Arg::buffer(&a), Arg::words_mut(&mut words)]).unwrap();
    }
}

#[test]
fn more_arguments_than_immediate_data_holds() {
    let mut b = builder::Builder::new("many", [1, 1, 1]);
    let out = b.buffer("out", types::Type::U64, ir::Access::ReadWrite);
    let values: Vec<_> = (0..100).map(|i| b.scalar(format!("a{i}"), types::Type::U64)).collect();
    for (i, value) in values.into_iter().enumerate() {
        let place = b.place(out, &[], i as u32 * 8);
        b.store(place, value);
    }
    b.ret();
    let kernel = Kernel::from_module(&b.into_module(types::Types::default()), 0).unwrap();
    let value = |i: u64| i << 40 | (i + 1);
    for device in devices() {
        let mut out = device.zeros::<u64>(100).unwrap();
        let mut args = vec![Arg::buffer_mut(&mut out)];
        args.extend((0..100).map(|i| Arg::scalar(value(i))));
        kernel.launch(&device, 1, &args).unwrap();
        assert_eq!(out.read().unwrap(), (0..100).map(value).collect::<Vec<_>>());
    }
}

#[test]
fn a_large_buffer_comes_back() {
    for device in devices() {
        let numbers: Vec<u32> = (0..17 << 20).collect();
        let buffer = device.upload(&numbers).unwrap();
        assert_eq!(buffer.read_range((16 << 20) - 1..(16 << 20) + 1).unwrap(), [(16 << 20) - 1, 16 << 20]);
        assert!(buffer.read().unwrap() == numbers);
    }
}

#[test]
fn one_buffer_may_be_read_under_two_names() {
    #[kernel(workgroup_size(1))]
    fn sum(a: &[u32], b: &[u32], out: &mut [u32]) {
        out[0] = a[0] + b[0];
    }
    for device in devices() {
        let a = device.upload(&[21u32]).unwrap();
        let mut out = device.zeros(1).unwrap();
        sum::launch(&device, 1, &a, &a, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [42]);
    }
}

#[test]
fn an_endless_kernel_is_given_up() {
    #[kernel(workgroup_size(1))]
    fn endless(out: &mut [u32]) {
        while out[0] == 0 {
            out[1] = out[1] + 1;
        }
    }
    let device = Device::interpreter_with_budget(10_000);
    let mut out = device.zeros(2).unwrap();
    let error = endless::launch(&device, 1, &mut out).unwrap_err();
    assert_eq!(error.to_string(), "kernel `endless`: took more than the 10000 steps allowed for a launch");
}

#[test]
fn an_unknown_device_is_an_error_that_lists_what_there_is() {
    let list = Device::all().iter().map(|device| format!("`{}`", device.name())).collect::<Vec<_>>().join(", ");
    let unknown = Device::named("abacus").unwrap_err().to_string();
    assert_eq!(unknown, format!("there is no device `abacus`; this machine has {list}"));
}

#[test]
fn a_part_of_a_name_names_a_device() {
    for device in devices() {
        let part = &device.name()[..device.name().len().min(5)].to_uppercase();
        if !["cpu", "interpreter"].contains(&device.name()) {
            assert_eq!(Device::named(part).unwrap().name(), device.name());
        }
    }
}

#[test]
fn devices_and_buffers_are_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Device>();
    shared::<Buffer<f32>>();
    shared::<Error>();
    shared::<Kernel>();
}
