//! Replays of one graph after each other: what a device keeps of the last one is used again as long as it holds.

mod devices;

use devices::{devices, drivers};
use samebits::graph::Graph;
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn add(y: &mut [u32], n: u32) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = y[i] + n;
    }
}

#[kernel(workgroup_size(64), requires(x.len() == y.len()))]
fn double(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() {
        y[i] = 2 * x[i];
    }
}

#[test]
fn what_changes_from_replay_to_replay_is_seen() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (x, mut y, n) = (graph.buffer::<u32>(), graph.buffer::<u32>(), graph.value::<u32>());
        graph.copy(&x, &mut y).unwrap();
        add::record(&mut graph, y.len(), &mut y, n).unwrap();
        add::record(&mut graph, y.len(), &mut y, 100).unwrap();
        let sources = [vec![1u32; 70], (0..70).collect(), vec![9; 5]];
        let buffers = sources.each_ref().map(|source| device.upload(source).unwrap());
        let (mut long, mut short) = (device.zeros::<u32>(70).unwrap(), device.zeros::<u32>(5).unwrap());
        // The same again, another value, another buffer, other lengths, and back.
        for (at, value) in [(0, 1), (0, 1), (0, 2), (1, 2), (1, 2), (2, 2), (2, 3), (0, 1), (1, 7)] {
            let to = if sources[at].len() == 70 { &mut long } else { &mut short };
            graph.replay([x.lend(&buffers[at]), y.bind(to), n.bind(value)]).unwrap();
            let expected: Vec<u32> = sources[at].iter().map(|x| x + value + 100).collect();
            assert_eq!(to.read().unwrap(), expected, "on {}", device.name());
        }
        // A part of the same buffer, which begins where kernels can use it in place, and where they cannot.
        for start in [64, 1, 64] {
            let source = buffers[0].slice(start..start + 5).unwrap();
            let mut target = long.slice_mut(start..start + 5).unwrap();
            graph.replay([x.lend(&source), y.bind(&mut target), n.bind(start as u32)]).unwrap();
            assert_eq!(long.read().unwrap()[start..start + 5], [101 + start as u32; 5], "on {}", device.name());
        }
    }
}

#[test]
fn a_replay_that_is_refused_changes_nothing_of_the_next_one() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut x, mut y) = (graph.buffer::<u32>(), graph.buffer::<u32>());
        add::record(&mut graph, x.len(), &mut x, 1).unwrap();
        double::record(&mut graph, x.len(), &x, &mut y).unwrap();
        let (mut a, mut b) = (device.zeros::<u32>(64).unwrap(), device.zeros::<u32>(64).unwrap());
        let mut other = device.zeros::<u32>(64).unwrap();
        for round in 1..=3 {
            graph.replay([x.bind(&mut a), y.bind(&mut b)]).unwrap();
            assert_eq!(b.read().unwrap(), [2 * round; 64], "on {}", device.name());
            // The first launch would do with this buffer, but the second one not.
            let short = graph.replay([x.bind(&mut other), y.bind(&mut b.slice_mut(1..).unwrap())]);
            assert!(matches!(short, Err(Error::Requirement { .. })), "{short:?}");
            assert_eq!(other.read().unwrap(), [0; 64]);
        }
    }
}

#[test]
fn buffers_that_were_replayed_may_be_dropped() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut y, mut z) = (graph.buffer::<u32>(), graph.buffer::<u32>());
        add::record(&mut graph, y.len(), &mut y, 1).unwrap();
        add::record(&mut graph, z.len(), &mut z, 2).unwrap();
        let mut kept = device.zeros::<u32>(10).unwrap();
        for round in 1..=5 {
            let mut buffer = device.zeros::<u32>(1 << 10).unwrap();
            graph.replay([y.bind(&mut buffer), z.bind(&mut kept)]).unwrap();
            assert_eq!(buffer.read().unwrap(), [1; 1 << 10], "on {}", device.name());
            drop(buffer);
            // What the driver is given back is no longer part of the plan, whoever else was in it.
            device.trim().unwrap();
            assert_eq!((device.memory().kept_bytes, kept.read().unwrap()), (0, vec![2 * round; 10]));
        }
        // Without any change of the buffers.
        let mut buffer = device.zeros::<u32>(1 << 10).unwrap();
        for round in 1..=3 {
            graph.replay([y.bind(&mut buffer), z.bind(&mut kept)]).unwrap();
            device.trim().unwrap();
            assert_eq!((buffer.read().unwrap()[7], kept.read().unwrap()[7]), (round, 10 + 2 * round));
        }
    }
}

#[test]
fn work_that_is_recorded_after_a_replay_is_replayed_too() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let mut y = graph.buffer::<u32>();
        let mut buffer = device.zeros::<u32>(10).unwrap();
        let mut sum = 0;
        for n in 1..=3 {
            add::record(&mut graph, y.len(), &mut y, n).unwrap();
            for _ in 0..2 {
                graph.replay([y.bind(&mut buffer)]).unwrap();
                sum += n * (n + 1) / 2;
            }
        }
        graph.fill(&mut y, 0).unwrap();
        add::record(&mut graph, y.len(), &mut y, 5).unwrap();
        for _ in 0..2 {
            assert_eq!(buffer.read().unwrap(), [sum; 10], "on {}", device.name());
            graph.replay([y.bind(&mut buffer)]).unwrap();
            sum = 5;
        }
    }
}

#[test]
fn every_replay_depends_on_what_its_own_buffers_depend_on() {
    for device in drivers() {
        let mut graph = Graph::new(&device);
        let (mut y, mut z) = (graph.buffer::<u32>(), graph.buffer::<u32>());
        add::record(&mut graph, y.len(), &mut y, 1).unwrap();
        add::record(&mut graph, z.len(), &mut z, 1).unwrap();
        let (mut a, mut b) = (device.zeros::<u32>(64).unwrap(), device.zeros::<u32>(64).unwrap());
        for _ in 0..2 {
            graph.replay([y.bind(&mut a), z.bind(&mut b)]).unwrap();
        }
        // The driver refuses the third one. Its buffers have failed, and no others.
        device.spoil();
        graph.replay([y.bind(&mut a), z.bind(&mut b)]).unwrap();
        assert!(matches!(a.read(), Err(Error::Driver { .. })) && matches!(b.read(), Err(Error::Driver { .. })));
        // Of the fourth one `a` is new, and depends on nothing; `b` is what it was.
        a.fill(10).unwrap();
        graph.replay([y.bind(&mut a), z.bind(&mut b)]).unwrap();
        assert_eq!(a.read().unwrap(), [11; 64]);
        assert!(matches!(b.read(), Err(Error::Driver { .. })));
        b.fill(20).unwrap();
        graph.replay([y.bind(&mut a), z.bind(&mut b)]).unwrap();
        assert_eq!((a.read().unwrap(), b.read().unwrap()), (vec![12; 64], vec![21; 64]));
        device.wait().unwrap();
    }
}

#[test]
fn replays_are_profiled_also_after_some_were_not() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let mut y = graph.buffer::<u32>();
        add::record(&mut graph, y.len(), &mut y, 1).unwrap();
        let mut buffer = device.zeros::<u32>(64).unwrap();
        for _ in 0..2 {
            graph.replay([y.bind(&mut buffer)]).unwrap();
        }
        let (_, profile) = device.profile(|| graph.replay([y.bind(&mut buffer)])).unwrap();
        assert_eq!(profile.launches().len(), 1, "on {}", device.name());
        graph.replay([y.bind(&mut buffer)]).unwrap();
        assert_eq!(buffer.read().unwrap(), [4; 64]);
    }
}

/// More words than any device takes as immediate data beside a launch.
#[kernel(workgroup_size(64))]
fn add_many(y: &mut [u32], many: [[u32; 4]; 20]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = y[i] + many[i % 20][i % 4];
    }
}

#[test]
fn arguments_that_need_a_buffer_of_their_own_are_replayed() {
    let many = |n: u32| std::array::from_fn(|i| std::array::from_fn(|j| n * (4 * i + j) as u32));
    let expected = |n: u32| (0..100).map(|i| n * (4 * (i % 20) + i % 4)).collect::<Vec<u32>>();
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut y, values) = (graph.buffer::<u32>(), graph.value::<[[u32; 4]; 20]>());
        add_many::record(&mut graph, y.len(), &mut y, values).unwrap();
        let mut buffer = device.zeros::<u32>(100).unwrap();
        let mut sum = vec![0; 100];
        for n in [1, 1, 5, 1, 7] {
            graph.replay([y.bind(&mut buffer), values.bind(many(n))]).unwrap();
            sum.iter_mut().zip(expected(n)).for_each(|(sum, more)| *sum += more);
        }
        assert_eq!(buffer.read().unwrap(), sum, "on {}", device.name());
    }
}

#[test]
fn threads_replay_one_graph_with_values_of_their_own() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut y, n) = (graph.buffer::<u32>(), graph.value::<u32>());
        for _ in 0..20 {
            add::record(&mut graph, y.len(), &mut y, n).unwrap();
        }
        std::thread::scope(|scope| {
            for thread in 0..6 {
                let graph = &graph;
                let (device, y) = (&device, &y);
                scope.spawn(move || {
                    let mut buffer = device.zeros::<u32>(10 + thread).unwrap();
                    for round in 0..5 {
                        graph.replay([y.bind(&mut buffer), n.bind(1 + thread as u32)]).unwrap();
                        if round % 2 == 1 {
                            // Buffers come and go while others replay.
                            drop(device.upload(&[0u32; 100]).unwrap());
                        }
                    }
                    assert_eq!(buffer.read().unwrap(), vec![100 * (1 + thread as u32); 10 + thread]);
                });
            }
        });
    }
}
