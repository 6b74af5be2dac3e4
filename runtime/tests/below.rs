//! Buffers whose elements are below a bound: accesses by them are not tested, and nothing else reaches memory by them, on
//! each device.

mod devices;

use devices::devices;
use samebits::__private::Arg;
use samebits::graph::Graph;
use samebits::prelude::*;

#[kernel(workgroup_size(64), requires(at.len() >= y.len(), x.len() >= at.bound()), deny(guards))]
fn gather(at: Below<'_, u32>, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        for k in 0..2 {
            y[i] += x[at[i] as usize] + k;
        }
    }
}

#[kernel(workgroup_size(64))]
fn pick(at: Below<'_, u32>, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = x[at[i] as usize];
    }
}

#[kernel(
    workgroup_size(64),
    requires(columns.len() + 1 >= starts.bound(), values.len() >= columns.len(), x.len() >= columns.bound()),
    deny(guards)
)]
fn spmv(starts: Below<'_, u32>, columns: Below<'_, u32>, values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_id().x;
    if row < y.len() {
        let mut sum = 0.0f32;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum = values[k].mul_add(x[columns[k] as usize], sum);
        }
        y[row] = sum;
    }
}

#[test]
fn elements_below_a_bound_are_indices() {
    for device in devices() {
        let (at, x) = (device.upload(&[2u32, 0, 2, 1]).unwrap(), device.upload(&[5u32, 6, 7]).unwrap());
        let mut y = device.zeros::<u32>(4).unwrap();
        gather::launch(&device, 4, Below::check(&at, 3).unwrap(), &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [15, 11, 15, 13], "{}", device.name());
    }
}

#[test]
fn a_sparse_product_has_no_test_in_its_loop() {
    let rows = 300usize;
    let starts: Vec<u32> = (0..=rows as u32).map(|row| row * 4 + row % 4).collect();
    let count = starts[rows] as usize;
    let columns: Vec<u32> = (0..count as u32).map(|k| k * 37 % 100).collect();
    let values: Vec<f32> = (0..count).map(|k| (k % 9) as f32 - 4.0).collect();
    let x: Vec<f32> = (0..100).map(|i| i as f32 * 0.25).collect();
    let expected: Vec<f32> = (0..rows)
        .map(|row| {
            let entries = starts[row] as usize..starts[row + 1] as usize;
            entries.fold(0.0, |sum, k| values[k].mul_add(x[columns[k] as usize], sum))
        })
        .collect();
    for device in devices() {
        let (starts, columns) = (device.upload(&starts).unwrap(), device.upload(&columns).unwrap());
        let (values, x) = (device.upload(&values).unwrap(), device.upload(&x).unwrap());
        let mut y = device.zeros::<f32>(rows).unwrap();
        let from = Below::check(&starts, count + 1).unwrap();
        let columns = Below::check(&columns, 100).unwrap();
        spmv::launch(&device, rows, from, columns, &values, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "{}", device.name());
    }
}

#[test]
fn without_a_requirement_a_launch_with_few_elements_is_tested() {
    for device in devices() {
        let (at, x) = (device.upload(&[2u32, 9, 0]).unwrap(), device.upload(&[5u32, 6, 7]).unwrap());
        let mut y = device.zeros::<u32>(5).unwrap();
        // 10 is more than there are, and two invocations have no index, which is 0.
        pick::launch(&device, 5, Below::check(&at, 10).unwrap(), &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [7, 0, 5, 5, 5], "{}", device.name());
        let first = at.slice(..1).unwrap();
        pick::launch(&device, 5, Below::check(&first, 3).unwrap(), &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [7, 5, 5, 5, 5], "{}", device.name());
    }
}

#[test]
fn a_buffer_of_which_nothing_was_looked_at_promises_nothing() {
    for device in devices() {
        let (at, x) = (device.upload(&[2u32, 4_000_000_000]).unwrap(), device.upload(&[5u32, 6, 7]).unwrap());
        let mut y = device.zeros::<u32>(2).unwrap();
        {
            let args = [Arg::words(&at), Arg::words(&x), Arg::words_mut(&mut y)];
            pick::KERNEL.launch(&device, 2, &args).unwrap();
            let error = gather::KERNEL.launch(&device, 2, &args).unwrap_err().to_string();
            let text = "requires `x.len() >= at.bound()`, but `x.len()` is 3 and `at.bound()` is 4294967296";
            assert!(error.contains(text), "{error}");
        }
        assert_eq!(y.read().unwrap(), [7, 0], "{}", device.name());
    }
}

#[test]
fn a_launch_with_too_large_a_bound_is_refused() {
    let device = Device::interpreter();
    let (at, x) = (device.upload(&[1u32]).unwrap(), device.upload(&[5u32, 6]).unwrap());
    let mut y = device.zeros::<u32>(1).unwrap();
    let error = gather::launch(&device, 1, Below::check(&at, 3).unwrap(), &x, &mut y).unwrap_err();
    let text = "kernel `gather` requires `x.len() >= at.bound()`, but `x.len()` is 2 and `at.bound()` is 3";
    assert_eq!(error.to_string(), text);
}

#[test]
fn an_element_that_is_not_below_is_named() {
    let device = Device::interpreter();
    let at = device.upload(&[1u32, u32::MAX]).unwrap();
    let error = Below::check(&at, 8).unwrap_err();
    assert_eq!(error, Error::NotBelow { element: u32::MAX, at: 1, bound: 8 });
    assert_eq!(error.to_string(), "the element 1 is 4294967295, but all must be below 8");
    assert!(Below::check(&at.slice(..1).unwrap(), 2).is_ok());
    assert_eq!(Below::check(&at, 1 << 32).unwrap().bound(), 1 << 32);
    assert!(Below::check(&at.slice(..0).unwrap(), 0).is_ok());
    assert!(Below::check(&at.slice(..1).unwrap(), 0).is_err());
}

#[test]
fn bounded_indices_are_recorded() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (at, x, mut y) = (graph.below(), graph.buffer(), graph.buffer());
        gather::record(&mut graph, at.len(), &at, &x, &mut y).unwrap();
        let (indices, from) = (device.upload(&[1u32, 1, 0]).unwrap(), device.upload(&[7u32, 8]).unwrap());
        let mut to = device.zeros::<u32>(3).unwrap();
        let below = Below::check(&indices, 2).unwrap();
        graph.replay([at.bind(below), x.lend(&from), y.bind(&mut to)]).unwrap();
        assert_eq!(to.read().unwrap(), [17, 17, 15], "{}", device.name());
    }
}

#[test]
fn each_replay_is_judged_by_its_own_bound() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let (at, x, mut y) = (graph.below(), graph.buffer(), graph.buffer());
        pick::record(&mut graph, at.len(), &at, &x, &mut y).unwrap();
        let from = device.upload(&[7u32, 8]).unwrap();
        let mut to = device.zeros::<u32>(3).unwrap();
        for (indices, bound, expected) in
            [([0u32, 1, 1], 2, [7, 8, 8]), ([1, 9, 3], 10, [8, 0, 0]), ([1, 0, 0], 2, [8, 7, 7])]
        {
            let indices = device.upload(&indices).unwrap();
            let below = Below::check(&indices, bound).unwrap();
            graph.replay([at.bind(below), x.lend(&from), y.bind(&mut to)]).unwrap();
            assert_eq!(to.read().unwrap(), expected, "{} with the bound {bound}", device.name());
        }
    }
}

#[kernel(workgroup_size(64))]
fn pick_both(a: Below<'_, u32>, b: Below<'_, u32>, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = 10 * x[a[i] as usize] + x[b[i] as usize];
    }
}

#[test]
fn each_parameter_has_its_own_bound() {
    for device in devices() {
        let [near, far] = [[1u32, 0, 1], [9, 1, 0]].map(|indices| device.upload(&indices).unwrap());
        let from = device.upload(&[7u32, 8]).unwrap();
        let mut to = device.zeros::<u32>(3).unwrap();
        let [low, high] = [Below::check(&near, 2).unwrap(), Below::check(&far, 10).unwrap()];
        pick_both::launch(&device, 3, low, high, &from, &mut to).unwrap();
        assert_eq!(to.read().unwrap(), [80, 78, 87], "{}", device.name());
        let [high, low] = [Below::check(&far, 10).unwrap(), Below::check(&near, 2).unwrap()];
        pick_both::launch(&device, 3, high, low, &from, &mut to).unwrap();
        assert_eq!(to.read().unwrap(), [8, 87, 78], "{}", device.name());
    }
}

#[test]
fn a_report_says_which_bound_it_rests_on() {
    let report = pick::KERNEL.report().unwrap();
    assert!(report.conditions.iter().any(|condition| condition == "x.len() >= at.bound()"), "{report:?}");
    assert!(report.guarded.is_empty());
}
