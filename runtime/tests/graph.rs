//! Recorded work: what a replay computes is what launches compute, and it is held to the same conditions.

mod devices;

use devices::{devices, drivers};
use samebits::graph::Graph;
use samebits::judge::Schedule;
use samebits::prelude::*;

/// A step of Jacobi's method for Laplace's equation on a grid whose rim is given.
#[kernel(workgroup_size(8, 8))]
fn relax(width: usize, height: usize, from: &[f32], to: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    if x > 0 && y > 0 && x + 1 < width && y + 1 < height {
        let i = y * width + x;
        to[i] = (from[i - 1] + from[i + 1] + (from[i - width] + from[i + width])) * 0.25;
    }
}

/// The same in plain Rust.
fn relaxed(width: usize, height: usize, from: &[f32], to: &mut [f32]) {
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let i = y * width + x;
            to[i] = (from[i - 1] + from[i + 1] + (from[i - width] + from[i + width])) * 0.25;
        }
    }
}

/// A step of a bitonic sort: pairs at this distance, in runs of this length.
#[kernel(workgroup_size(64))]
fn exchange(x: &[u32], y: &mut [u32], run: usize, distance: usize) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        let other = i ^ distance;
        if other < x.len() {
            let is_low = i & distance == 0;
            let is_rising = i & run == 0;
            let (mine, its) = (x[i], x[other]);
            y[i] = if is_low == is_rising { mine.min(its) } else { mine.max(its) };
        }
    }
}

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

#[kernel(workgroup_size(64))]
fn scatter(places: Distinct<'_, u32>, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < places.len() && i < x.len() && (places[i] as usize) < y.len() {
        y[places[i] as usize] = x[i];
    }
}

#[kernel(workgroup_size(64))]
fn limit(y: &mut [u32], most: u32) {
    let i = global_id().x;
    if i < y.len() {
        assert!(y[i] <= most, "{} is too much", y[i]);
    }
}

#[kernel(workgroup_size(64), instances(T = [f32, u32]))]
fn set<T: Element>(y: &mut [T], value: T) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = value;
    }
}

#[test]
fn a_jacobi_solver_is_replayed() {
    let (width, height, steps) = (37, 23, 30);
    let start: Vec<f32> = (0..width * height).map(|i| if i < width { (i * i) as f32 } else { 0.0 }).collect();
    let (mut one, mut other) = (start.clone(), start.clone());
    for _ in 0..steps {
        relaxed(width, height, &one, &mut other);
        std::mem::swap(&mut one, &mut other);
    }
    let expected: Vec<u32> = one.iter().map(|x| x.to_bits()).collect();
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut from, mut to) = (graph.buffer::<f32>(), graph.buffer::<f32>());
        let (w, h) = (graph.value::<usize>(), graph.value::<usize>());
        for _ in 0..5 {
            relax::record(&mut graph, (w, h), w, h, &from, &mut to).unwrap();
            relax::record(&mut graph, (w, h), w, h, &to, &mut from).unwrap();
        }
        let (mut a, mut b) = (device.upload(&start).unwrap(), device.upload(&start).unwrap());
        for _ in 0..steps / 10 {
            graph.replay([from.bind(&mut a), to.bind(&mut b), w.bind(width), h.bind(height)]).unwrap();
        }
        let found: Vec<u32> = a.read().unwrap().iter().map(|x| x.to_bits()).collect();
        assert!(found == expected, "on {}", device.name());
    }
}

#[test]
fn a_bitonic_sort_is_replayed() {
    let len = 1usize << 10;
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut x, mut y) = (graph.buffer::<u32>(), graph.buffer::<u32>());
        let mut is_back = true;
        for run in (1..=10).map(|bit| 1 << bit) {
            let mut distance = run / 2;
            while distance > 0 {
                let (from, to) = if is_back { (&x, &mut y) } else { (&y, &mut x) };
                exchange::record(&mut graph, from.len(), from, to, run, distance).unwrap();
                is_back = !is_back;
                distance /= 2;
            }
        }
        if !is_back {
            graph.copy(&y, &mut x).unwrap();
        }
        for seed in 1..=3u32 {
            let mut numbers: Vec<u32> = (0..len as u32).map(|i| (i + seed).wrapping_mul(0x9e37_79b9) >> 7).collect();
            let (mut a, mut b) = (device.upload(&numbers).unwrap(), device.zeros::<u32>(len).unwrap());
            graph.replay([x.bind(&mut a), y.bind(&mut b)]).unwrap();
            numbers.sort_unstable();
            assert!(a.read().unwrap() == numbers, "on {}", device.name());
        }
    }
}

#[test]
fn fills_copies_and_launches_run_in_the_order_of_their_record() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut x, mut y) = (graph.buffer::<u32>(), graph.buffer::<u32>());
        graph.fill(&mut x, 5).unwrap();
        add::record(&mut graph, x.len(), &mut x, 2).unwrap();
        graph.copy(&x, &mut y).unwrap();
        graph.fill(&mut x, 1).unwrap();
        add::record(&mut graph, y.len(), &mut y, 10).unwrap();
        // Views that begin within a word of a binding's alignment are copied for a launch.
        let (mut a, mut b) = (device.zeros::<u32>(70).unwrap(), device.zeros::<u32>(70).unwrap());
        graph.replay([x.bind(&mut a.slice_mut(3..68).unwrap()), y.bind(&mut b.slice_mut(..65).unwrap())]).unwrap();
        assert_eq!(a.read().unwrap(), [&[0; 3][..], &[1; 65], &[0; 2]].concat(), "on {}", device.name());
        assert_eq!(b.read().unwrap(), [&[17; 65][..], &[0; 5]].concat(), "on {}", device.name());
    }
}

#[test]
fn a_replay_is_one_submission() {
    for device in drivers() {
        let mut graph = Graph::new(&device);
        let mut y = graph.buffer::<u32>();
        for n in 0..500 {
            add::record(&mut graph, y.len(), &mut y, n).unwrap();
        }
        let mut buffer = device.zeros::<u32>(100).unwrap();
        graph.replay([y.bind(&mut buffer)]).unwrap();
        let before = device.submissions();
        graph.replay([y.bind(&mut buffer)]).unwrap();
        assert_eq!(device.submissions(), before + 1);
        assert_eq!(buffer.read().unwrap(), [2 * 499 * 500 / 2; 100]);
    }
}

#[test]
fn a_refused_launch_refuses_the_whole_replay() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut x, mut y) = (graph.buffer::<u32>(), graph.buffer::<u32>());
        add::record(&mut graph, x.len(), &mut x, 1).unwrap();
        double::record(&mut graph, x.len(), &x, &mut y).unwrap();
        let (mut a, mut b) = (device.zeros::<u32>(64).unwrap(), device.zeros::<u32>(64).unwrap());
        let short = graph.replay([x.bind(&mut a), y.bind(&mut b.slice_mut(1..).unwrap())]);
        assert!(matches!(short, Err(Error::Requirement { .. })), "{short:?}");
        assert_eq!(a.read().unwrap(), [0; 64]);
        graph.replay([x.bind(&mut a), y.bind(&mut b)]).unwrap();
        assert_eq!(b.read().unwrap(), [2; 64]);
    }
}

#[test]
fn conditions_of_races_are_those_of_the_replay() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut y, rows) = (graph.buffer::<u32>(), graph.value::<usize>());
        // In two rows of workgroups, two invocations would add to one element.
        add::record(&mut graph, (y.len(), rows), &mut y, 1).unwrap();
        let mut buffer = device.zeros::<u32>(64).unwrap();
        let refused = graph.replay([y.bind(&mut buffer), rows.bind(2)]);
        assert!(matches!(refused, Err(Error::MayRace { .. })), "{refused:?}");
        graph.replay([y.bind(&mut buffer), rows.bind(1)]).unwrap();
        assert_eq!(buffer.read().unwrap(), [1; 64]);
    }
}

#[test]
fn assertions_hold_for_replays() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (mut y, most) = (graph.buffer::<u32>(), graph.value::<u32>());
        limit::record(&mut graph, y.len(), &mut y, 1000).unwrap();
        limit::record(&mut graph, y.len(), &mut y, most).unwrap();
        let mut buffer = device.upload(&(0..100).collect::<Vec<u32>>()).unwrap();
        graph.replay([y.bind(&mut buffer), most.bind(99)]).unwrap();
        device.wait().unwrap();
        graph.replay([y.bind(&mut buffer), most.bind(41)]).unwrap();
        match buffer.read() {
            Err(Error::Assertion { text, invocation, times, .. }) => {
                assert_eq!((&text[..], invocation, times), ("42 is too much", [42, 0, 0], 58));
            }
            other => panic!("{other:?} on {}", device.name()),
        }
        assert_eq!(buffer.read().unwrap()[99], 99);
    }
}

#[test]
fn distinct_indices_and_generic_kernels_are_recorded() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (places, x, mut y, value) = (graph.distinct(), graph.buffer(), graph.buffer(), graph.value::<u32>());
        set::record::<u32>(&mut graph, y.len(), &mut y, value).unwrap();
        scatter::record(&mut graph, places.len(), &places, &x, &mut y).unwrap();
        let (at, from) = (device.upload(&[3u32, 1]).unwrap(), device.upload(&[7u32, 8]).unwrap());
        let mut to = device.zeros::<u32>(5).unwrap();
        let places = places.bind(Distinct::check(&at).unwrap());
        graph.replay([value.bind(9), places, x.lend(&from), y.bind(&mut to)]).unwrap();
        assert_eq!(to.read().unwrap(), [9, 8, 9, 7, 9]);
    }
}

#[test]
fn a_slot_stands_for_one_thing_of_its_graph_and_device() {
    let device = Device::cpu();
    let (mut graph, mut other) = (Graph::new(&device), Graph::new(&device));
    let (mut y, mut strange) = (graph.buffer::<u32>(), other.buffer::<u32>());
    let said = |result: Result<(), Error>| result.unwrap_err().to_string();
    assert_eq!(said(add::record(&mut graph, 1, &mut strange, 1)), "slot 0 of a graph: it belongs to another graph");
    assert_eq!(
        said(add::record(&mut graph, strange.len(), &mut y, 1)),
        "slot 0 of a graph: it belongs to another graph"
    );
    assert_eq!(said(graph.copy(&strange, &mut y)), "slot 0 of a graph: it belongs to another graph");
    assert!(graph.is_empty());
    add::record(&mut graph, 1, &mut y, 1).unwrap();
    graph.fill(&mut y, 3).unwrap();
    let (mut a, mut b) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(1).unwrap());
    assert_eq!(said(graph.replay([])), "slot 0 of a graph: it stands for nothing; pass what its `bind` gives");
    assert_eq!(
        said(graph.replay([y.bind(&mut a), y.bind(&mut b)])),
        "slot 0 of a graph: it stands for two things; pass one"
    );
    let lent = "slot 0 of a graph: the graph writes the buffer, but it was lent; use `bind`";
    assert_eq!(said(graph.replay([y.lend(&a)])), lent);
    let mut far = Device::interpreter().zeros::<u32>(1).unwrap();
    assert!(matches!(graph.replay([y.bind(&mut far)]), Err(Error::OtherDevice { .. })));
    other.fill(&mut strange, 1).unwrap();
    let place = "slot 0 of a graph: its buffer is not on the graph's device, `cpu`";
    assert_eq!(said(other.replay([strange.bind(&mut far)])), place);
    graph.replay([y.bind(&mut a)]).unwrap();
    assert_eq!(a.read().unwrap(), [3]);
}

#[test]
fn copies_are_of_as_many_elements() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (x, mut y) = (graph.buffer::<u64>(), graph.buffer::<u64>());
        graph.copy(&x, &mut y).unwrap();
        let (from, mut to) = (device.upload(&[1u64, 2, 3]).unwrap(), device.zeros::<u64>(2).unwrap());
        let refused = graph.replay([x.lend(&from), y.bind(&mut to)]);
        assert_eq!(refused, Err(Error::Lengths { from: 3, to: 2 }));
        graph.replay([x.lend(&from.slice(1..).unwrap()), y.bind(&mut to)]).unwrap();
        assert_eq!(to.read().unwrap(), [2, 3]);
        let (nothing, mut none) = (device.zeros::<u64>(0).unwrap(), device.zeros::<u64>(0).unwrap());
        graph.replay([x.lend(&nothing), y.bind(&mut none)]).unwrap();
    }
}

#[test]
fn a_judge_watches_replays() {
    #[kernel(workgroup_size(4))]
    fn last(y: &mut [u32]) {
        unsafe { y[0] = global_id().x as u32 };
    }
    let device = Device::judge(Schedule::Reversed);
    let mut graph = Graph::new(&device);
    let mut y = graph.buffer::<u32>();
    last::record(&mut graph, 4, &mut y).unwrap();
    let race = graph.replay([y.bind(&mut device.zeros::<u32>(1).unwrap())]);
    assert!(matches!(race, Err(Error::Race { .. })), "{race:?}");
}

#[test]
fn a_replay_that_the_driver_refuses_is_an_error_of_its_buffers() {
    for device in drivers() {
        let mut graph = Graph::new(&device);
        let mut y = graph.buffer::<u32>();
        add::record(&mut graph, y.len(), &mut y, 1).unwrap();
        let (mut buffer, other) = (device.zeros::<u32>(64).unwrap(), device.upload(&[5u32]).unwrap());
        device.spoil();
        graph.replay([y.bind(&mut buffer)]).unwrap();
        assert!(matches!(buffer.read(), Err(Error::Driver { .. })));
        assert_eq!(other.read().unwrap(), [5]);
        buffer.fill(1).unwrap();
        graph.replay([y.bind(&mut buffer)]).unwrap();
        assert_eq!(buffer.read().unwrap(), [2; 64]);
    }
}

#[test]
fn replays_are_profiled_launch_by_launch() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let mut y = graph.buffer::<u32>();
        add::record(&mut graph, y.len(), &mut y, 1).unwrap();
        add::record(&mut graph, y.len(), &mut y, 1).unwrap();
        let mut buffer = device.zeros::<u32>(64).unwrap();
        let (_, profile) = device.profile(|| graph.replay([y.bind(&mut buffer)])).unwrap();
        assert_eq!(profile.launches().len(), 2, "on {}", device.name());
    }
}

#[test]
fn many_threads_replay_one_graph() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let mut y = graph.buffer::<u32>();
        for _ in 0..100 {
            add::record(&mut graph, y.len(), &mut y, 1).unwrap();
        }
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut buffer = device.zeros::<u32>(10).unwrap();
                    for _ in 0..5 {
                        graph.replay([y.bind(&mut buffer)]).unwrap();
                    }
                    assert_eq!(buffer.read().unwrap(), [500; 10]);
                });
            }
        });
    }
}
