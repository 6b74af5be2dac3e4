//! Devices and buffers of programs that use wgpu themselves.

mod devices;
mod lent;

use lent::{Lent, lent};
use samebits::graph::Graph;
use samebits::interop;
use samebits::prelude::*;
use samebits::report::Way;
use samebits::wgpu::{self, BufferUsages, Features};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

#[kernel(workgroup_size(64))]
fn mix(x: &[u8], y: &mut [f32], z: &mut [u64]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() && i < z.len() {
        let f = x[i] as f32;
        y[i] = (y[i] * f + 0.3).sqrt() / (f + 0.7);
        z[i] = (z[i] ^ x[i] as u64 * 0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 64);
    }
}

#[kernel(workgroup_size(64))]
fn add(y: &mut [u32], n: u32) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = y[i] + n;
    }
}

#[kernel(workgroup_size(1), features(atomic64))]
fn count(y: &[Atomic<u64>]) {
    y[0].fetch_add(1);
}

#[kernel(workgroup_size(1), features(atomic_orders))]
fn publish(y: &[Atomic<u32>]) {
    y[0].store(1, Ordering::Release);
}

/// What `mix` computes on a device.
fn mixed(device: &Device) -> (Vec<u32>, Vec<u64>) {
    let x = device.upload(&(0..1000).map(|i| (i * 7 % 256) as u8).collect::<Vec<_>>()).unwrap();
    let mut y = device.upload(&(0..1000).map(|i| i as f32 * 0.37).collect::<Vec<_>>()).unwrap();
    let mut z = device.upload(&(0..1000u64).collect::<Vec<_>>()).unwrap();
    mix::launch(device, 1000, &x, &mut y, &mut z).unwrap();
    (y.read().unwrap().into_iter().map(f32::to_bits).collect(), z.read().unwrap())
}

/// A buffer of the program's own.
fn buffer(of: &Lent, size: u64, usage: BufferUsages) -> wgpu::Buffer {
    of.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

/// The words of a buffer, read by wgpu alone.
fn words(of: &Lent, buffer: &wgpu::Buffer) -> Vec<u32> {
    let staging = self::buffer(of, buffer.size(), BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    let mut encoder = of.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
    of.queue.submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    of.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let bytes = staging.get_mapped_range(..).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// All features to ask for, and none.
fn ways() -> Vec<Lent> {
    lent(|all| all).into_iter().chain(lent(|_| Features::empty())).collect()
}

#[test]
fn a_lent_device_computes_the_same_bits() {
    let expected = mixed(&Device::interpreter());
    for lent in ways() {
        assert!(mixed(&lent.ours()) == expected, "{:?}", lent.device.features());
    }
}

#[test]
fn kernels_are_spirv_only_where_that_was_asked_for() {
    for all in lent(|all| all) {
        let takes_spirv = all.device.features().contains(Features::PASSTHROUGH_SHADERS);
        assert_eq!(all.ours().report().way(), if takes_spirv { Way::Spirv } else { Way::Naga });
    }
    for none in lent(|_| Features::empty()) {
        assert_eq!(none.ours().report().way(), Way::Naga);
    }
}

#[test]
fn a_kernel_has_only_what_the_device_was_opened_with() {
    for none in lent(|_| Features::empty()) {
        let device = none.ours();
        let mut y = device.zeros::<u64>(1).unwrap();
        assert!(matches!(count::launch(&device, 1, &mut y), Err(Error::MissingFeature { .. })));
    }
    for all in lent(|all| all) {
        let device = all.ours();
        let mut y = device.zeros::<u64>(1).unwrap();
        if all.device.features().contains(Features::SHADER_INT64_ATOMIC_ALL_OPS) {
            count::launch(&device, 5, &mut y).unwrap();
            assert_eq!(y.read().unwrap(), [5]);
        }
        // Nobody has switched the memory model on.
        let mut flag = device.zeros::<u32>(1).unwrap();
        assert!(matches!(publish::launch(&device, 1, &mut flag), Err(Error::MissingFeature { .. })));
    }
}

#[test]
fn limits_are_those_that_the_device_was_opened_with() {
    for none in lent(|_| Features::empty()) {
        let (limits, given) = (none.ours().limits(), none.device.limits());
        assert_eq!(limits.workgroup_invocations, given.max_compute_invocations_per_workgroup);
        assert_eq!(limits.shared_bytes, given.max_compute_workgroup_storage_size);
        assert_eq!(limits.buffer_bytes, given.max_buffer_size.min(given.max_storage_buffer_binding_size));
    }
}

#[test]
fn two_libraries_share_a_buffer() {
    for lent in ways() {
        let device = lent.ours();
        let theirs = buffer(&lent, 4096, interop::USAGES);
        let mut ours = Buffer::<u32>::from_wgpu(&device, theirs.clone()).unwrap();
        assert_eq!(ours.len(), 1024);
        for round in 1..=3u32 {
            let written: Vec<u8> = (0..1024u32).flat_map(|i| (i * round).to_le_bytes()).collect();
            lent.queue.write_buffer(&theirs, 0, &written);
            add::launch(&device, 1024, &mut ours, 5).unwrap();
            device.submit().unwrap();
            let expected: Vec<u32> = (0..1024).map(|i| i * round + 5).collect();
            assert_eq!(words(&lent, &theirs), expected);
            assert_eq!(ours.read().unwrap(), expected);
        }
    }
}

#[test]
fn a_buffer_of_the_runtime_is_one_of_wgpu() {
    for lent in ways() {
        let device = lent.ours();
        let mut ours = device.upload(&[1u32; 64]).unwrap();
        add::launch(&device, 64, &mut ours, 2).unwrap();
        // What was queued is submitted by asking for the handle.
        let theirs = ours.as_wgpu().unwrap();
        assert_eq!(words(&lent, &theirs)[..64], [3; 64]);
        assert!(theirs.usage().contains(interop::USAGES));
        lent.queue.write_buffer(&theirs, 0, &[7; 256]);
        assert_eq!(ours.read().unwrap(), [0x0707_0707; 64]);
    }
}

#[test]
fn what_was_found_out_about_a_buffer_that_left_is_forgotten() {
    for lent in lent(|all| all) {
        let device = lent.ours();
        let mut ours = device.upload(&(0..64).collect::<Vec<u32>>()).unwrap();
        assert!(Distinct::check(&ours).is_ok());
        let _theirs = ours.as_wgpu().unwrap();
        assert!(matches!(Distinct::check(&ours), Err(Error::HasLeft { .. })));
        let theirs = Buffer::<u32>::from_wgpu(&device, buffer(&lent, 256, interop::USAGES)).unwrap();
        assert!(matches!(Distinct::check(&theirs), Err(Error::HasLeft { .. })));
        let mut copy = device.zeros::<u32>(64).unwrap();
        copy.copy_from(&ours).unwrap();
        assert!(Distinct::check(&copy).is_ok());
    }
}

#[test]
fn a_buffer_that_kernels_cannot_use_is_refused_with_the_reason() {
    for (lent, other) in lent(|all| all).into_iter().zip(lent(|all| all)) {
        let device = lent.ours();
        let refused = |buffer: wgpu::Buffer| match Buffer::<u32>::from_wgpu(&device, buffer) {
            Err(Error::BufferRefused { reason, .. }) => reason,
            other => panic!("{other:?}"),
        };
        let reason = refused(buffer(&lent, 4096, BufferUsages::STORAGE | BufferUsages::COPY_SRC));
        assert_eq!(reason, "it lacks the usage `COPY_DST`; make it with `interop::USAGES`");
        assert!(refused(buffer(&lent, 252, interop::USAGES)).starts_with("it has 252 bytes, but must have "));
        assert!(refused(buffer(&lent, 1022, interop::USAGES)).starts_with("it has 1022 bytes, but must have "));
        let strange = "it belongs to another device, or was destroyed";
        assert_eq!(refused(buffer(&other, 4096, interop::USAGES)), strange);
        let gone = buffer(&lent, 4096, interop::USAGES);
        gone.destroy();
        assert_eq!(refused(gone), strange);
        let odd = Buffer::<Vec3<u32>>::from_wgpu(&device, buffer(&lent, 1024, interop::USAGES));
        assert!(matches!(odd, Err(Error::Reinterpreted { bytes: 1024, element: 12 })));
        let cpu = Buffer::<u32>::from_wgpu(&Device::cpu(), buffer(&lent, 1024, interop::USAGES));
        assert!(matches!(cpu, Err(Error::NotWgpu { .. })));
    }
}

#[test]
fn a_queue_of_another_device_is_refused() {
    for (one, other) in lent(|all| all).into_iter().zip(lent(|all| all)) {
        let told = Arc::new(AtomicU32::new(0));
        let teller = told.clone();
        other.device.on_uncaptured_error(Arc::new(move |_| _ = teller.fetch_add(1, Relaxed)));
        let refused = Device::from_wgpu(one.adapter, one.device, other.queue).unwrap_err();
        assert!(refused.to_string().contains("the device and the queue were not opened together"), "{refused}");
        assert!(told.load(Relaxed) > 0);
    }
}

#[test]
fn the_handlers_of_a_lent_device_stay_the_programs() {
    for lent in ways() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let (uncaptured, lost) = (told.clone(), told.clone());
        lent.device.on_uncaptured_error(Arc::new(move |_| uncaptured.lock().unwrap().push("uncaptured")));
        lent.device.set_device_lost_callback(move |_, _| lost.lock().unwrap().push("lost"));
        let device = lent.ours();
        assert!(mixed(&device) == mixed(&Device::interpreter()));
        // A mistake of the runtime's own is an error of its caller's.
        let mut y = device.zeros::<u32>(64).unwrap();
        device.spoil();
        add::launch(&device, 64, &mut y, 1).unwrap();
        assert!(matches!(y.read(), Err(Error::Driver { .. })));
        assert_eq!(told.lock().unwrap()[..], [""; 0]);
        // The program's own mistake is told to the program, and the runtime goes on.
        buffer(&lent, 4, BufferUsages::empty());
        assert_eq!(told.lock().unwrap()[..], ["uncaptured"]);
        y.fill(2).unwrap();
        assert_eq!(y.read().unwrap(), [2; 64]);
        lent.device.destroy();
        let _ = lent.device.poll(wgpu::PollType::Poll);
        assert_eq!(told.lock().unwrap()[..], ["uncaptured", "lost"]);
    }
}

#[test]
fn a_lent_device_that_is_destroyed_is_lost_to_every_call() {
    for lent in ways() {
        let device = lent.ours();
        let (mut y, mut z) = (device.upload(&[1u32; 64]).unwrap(), device.zeros::<u32>(1 << 20).unwrap());
        add::launch(&device, 64, &mut y, 1).unwrap();
        lent.device.destroy();
        let lost = |result: Result<(), Error>| assert!(matches!(result, Err(Error::DeviceLost { .. })), "{result:?}");
        lost(y.read().map(drop));
        lost(device.wait());
        lost(y.read_async().and_then(pollster::block_on).map(drop));
        lost(z.write(0, &vec![1; 1 << 20]));
        // These may find out, but nothing panics.
        let _ = add::launch(&device, 64, &mut y, 1);
        let _ = y.fill(1);
        let _ = device.zeros::<u32>(5);
        let _ = device.submit();
    }
}

#[test]
fn a_lent_device_outlives_the_runtimes_part() {
    for lent in ways() {
        let mut ours = lent.ours().upload(&[5u32; 64]).unwrap();
        let theirs = ours.as_wgpu().unwrap();
        drop(ours);
        assert_eq!(words(&lent, &theirs)[..64], [5; 64]);
    }
}

#[test]
fn the_runtimes_own_device_is_lent_to_the_program() {
    for device in devices::drivers() {
        let mut y = device.zeros::<u32>(64).unwrap();
        let (_, queue) = device.as_wgpu().unwrap();
        queue.write_buffer(&y.as_wgpu().unwrap(), 0, &[1; 4]);
        assert_eq!(y.read_range(..2).unwrap(), [0x0101_0101, 0]);
    }
}

#[kernel(workgroup_size(64))]
fn collatz(y: &mut [u32], most: u32) {
    let i = global_id().x;
    if i < y.len() {
        let (mut n, mut steps) = (i as u32 + 1, 0);
        while n != 1 && steps < most {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        y[i] = steps;
    }
}

#[kernel(workgroup_size(64))]
fn limit(y: &mut [u32], most: u32) {
    let i = global_id().x;
    if i < y.len() {
        assert!(y[i] <= most, "{} is too much", y[i]);
    }
}

/// An encoder of the program's.
fn encoder(of: &Lent) -> wgpu::CommandEncoder {
    of.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

#[test]
fn work_is_part_of_an_encoder_of_the_programs() {
    for lent in ways() {
        let device = lent.ours();
        let mut graph = Graph::new(&device);
        let (mut x, mut y, n) = (graph.buffer::<u32>(), graph.buffer::<u32>(), graph.value::<u32>());
        graph.fill(&mut x, 3).unwrap();
        add::record(&mut graph, x.len(), &mut x, n).unwrap();
        graph.copy(&x, &mut y).unwrap();
        collatz::record(&mut graph, y.len(), &mut x, 1000).unwrap();
        let (mut a, mut b) = (device.zeros::<u32>(100).unwrap(), device.zeros::<u32>(100).unwrap());
        // What is queued comes before.
        add::launch(&device, 100, &mut a, 9).unwrap();
        let theirs = buffer(&lent, 400, BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
        let raw = b.as_wgpu().unwrap();
        let mut encoder = encoder(&lent);
        let mut short = b.slice_mut(1..).unwrap();
        let refused = graph.encode(&mut encoder, [x.bind(&mut a), y.bind(&mut short), n.bind(4)]);
        assert!(matches!(refused, Err(Error::Lengths { from: 100, to: 99 })));
        let encoded = graph.encode(&mut encoder, [x.bind(&mut a), y.bind(&mut b), n.bind(4)]).unwrap();
        encoder.copy_buffer_to_buffer(&raw, 0, &theirs, 0, 400);
        lent.queue.submit([encoder.finish()]);
        encoded.submitted().unwrap();
        assert_eq!(words(&lent, &theirs), [7; 100]);
        assert_eq!(a.read().unwrap()[..7], [0, 1, 7, 2, 5, 8, 16]);
        assert_eq!(b.read().unwrap(), [7; 100]);
    }
}

#[test]
fn what_waits_for_an_encoder_cannot_be_read() {
    for lent in ways() {
        let device = lent.ours();
        let mut graph = Graph::new(&device);
        let mut x = graph.buffer::<u32>();
        add::record(&mut graph, x.len(), &mut x, 5).unwrap();
        let (mut a, mut b) = (device.upload(&[1u32; 64]).unwrap(), device.zeros::<u32>(64).unwrap());
        let mut lost = encoder(&lent);
        // The program has dropped what would say that it submits.
        drop(graph.encode(&mut lost, [x.bind(&mut a)]).unwrap());
        assert!(matches!(a.read(), Err(Error::NotSubmitted { .. })));
        b.copy_from(&a).unwrap();
        assert!(matches!(b.read(), Err(Error::NotSubmitted { .. })));
        let mut again = encoder(&lent);
        let encoded = graph.encode(&mut again, [x.bind(&mut a)]).unwrap();
        lent.queue.submit([again.finish()]);
        encoded.submitted().unwrap();
        // It depends on the lost one still.
        assert!(matches!(a.read(), Err(Error::NotSubmitted { .. })));
        a.fill(2).unwrap();
        assert_eq!(a.read().unwrap(), [2; 64]);
        std::mem::forget(graph.encode(&mut encoder(&lent), [x.bind(&mut a)]).unwrap());
        assert!(matches!(pollster::block_on(a.read_async().unwrap()), Err(Error::NotSubmitted { .. })));
    }
}

#[test]
fn work_of_an_encoder_is_held_to_its_conditions() {
    for lent in ways() {
        let device = lent.ours();
        let mut graph = Graph::new(&device);
        let (mut x, rows, most) = (graph.buffer::<u32>(), graph.value::<usize>(), graph.value::<u32>());
        add::record(&mut graph, (x.len(), rows), &mut x, 5).unwrap();
        limit::record(&mut graph, x.len(), &mut x, most).unwrap();
        let mut a = device.zeros::<u32>(64).unwrap();
        let mut encoder = encoder(&lent);
        let refused = graph.encode(&mut encoder, [x.bind(&mut a), rows.bind(2), most.bind(5)]);
        assert!(matches!(refused, Err(Error::MayRace { .. })), "{refused:?}");
        let encoded = graph.encode(&mut encoder, [x.bind(&mut a), rows.bind(1), most.bind(4)]).unwrap();
        device.wait().unwrap();
        lent.queue.submit([encoder.finish()]);
        encoded.submitted().unwrap();
        assert!(matches!(a.read(), Err(Error::Assertion { times: 64, .. })));
        assert_eq!(a.read().unwrap(), [5; 64]);
        let cpu = Graph::new(&Device::cpu());
        let refused = cpu.encode(&mut self::encoder(&lent), []);
        assert!(matches!(refused, Err(Error::NotWgpu { .. })));
    }
}

/// Mesa's llvmpipe ends loops after 65,535 rounds.
#[test]
fn a_loop_that_the_device_ends_is_told_of_an_encoder_too() {
    #[kernel(workgroup_size(1))]
    fn spin(y: &mut [u32], rounds: u32) {
        let mut n = y[0];
        let mut i = 0;
        while i < rounds {
            n = n ^ (n << 1) ^ i;
            i += 1 + (n & 0);
        }
        y[0] = n;
    }
    for lent in lent(|all| all).into_iter().filter(|lent| lent.adapter.get_info().name.contains("llvmpipe")) {
        let device = lent.ours();
        let mut graph = Graph::new(&device);
        let (mut x, rounds) = (graph.buffer::<u32>(), graph.value::<u32>());
        spin::record(&mut graph, 1, &mut x, rounds).unwrap();
        let mut a = device.zeros::<u32>(1).unwrap();
        for (count, is_cut) in [(1000, false), (4_000_000, true), (2000, false)] {
            a.fill(1).unwrap();
            let mut encoder = encoder(&lent);
            let encoded = graph.encode(&mut encoder, [x.bind(&mut a), rounds.bind(count)]).unwrap();
            lent.queue.submit([encoder.finish()]);
            encoded.submitted().unwrap();
            assert_eq!(matches!(a.read(), Err(Error::LoopCut { .. })), is_cut, "{count}");
        }
    }
}

#[test]
fn memory_that_the_program_has_is_not_used_again() {
    for lent in lent(|all| all) {
        let device = lent.ours();
        let mut graph = Graph::new(&device);
        let mut slot = graph.buffer::<u32>();
        graph.fill(&mut slot, 7).unwrap();
        device.trim().unwrap();
        let mut ours = device.zeros::<u32>(1000).unwrap();
        let theirs = ours.as_wgpu().unwrap();
        drop(ours);
        assert_eq!(device.memory().kept_bytes, 0);
        drop(Buffer::<u32>::from_wgpu(&device, theirs).unwrap());
        assert_eq!(device.memory().kept_bytes, 0);
        // An encoder that was not submitted may still be.
        let mut x = device.zeros::<u32>(1000).unwrap();
        let mut encoder = encoder(&lent);
        drop(graph.encode(&mut encoder, [slot.bind(&mut x)]).unwrap());
        drop(x);
        assert_eq!(device.memory().kept_bytes, 0);
        let y = device.zeros::<u32>(1000).unwrap();
        lent.queue.submit([encoder.finish()]);
        assert_eq!(y.read().unwrap(), [0; 1000]);
    }
}
