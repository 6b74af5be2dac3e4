//! Structs with atomics: in buffers and in workgroup memory, by themselves, in arrays and in each other, through
//! references, methods, helpers, closures and macros.

use samebits::judge::Schedule;
use samebits::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
#[element(methods)]
struct Node {
    lock: Atomic<u32>,
    count: Atomic<u32>,
    value: u32,
}

#[device]
impl Node {
    fn visit(&self, by: u32) -> u32 {
        self.count.fetch_add(by)
    }

    fn set(&mut self, value: u32) {
        self.value = value;
        self.count.fetch_max(value);
    }
}

const fn node(lock: u32, count: u32, value: u32) -> Node {
    Node { lock: Atomic::new(lock), count: Atomic::new(count), value }
}

/// Compares what a buffer of structs holds.
#[track_caller]
fn holds<T: Element + PartialEq + std::fmt::Debug>(device: &Device, buffer: &Buffer<T>, expected: &[T]) {
    assert_eq!(buffer.read().unwrap(), expected, "on {}", device.name());
}

#[test]
fn atomic_and_plain_fields_of_a_buffer() {
    #[kernel(workgroup_size(32))]
    fn both(nodes: &mut [Node]) {
        let i = global_id().x;
        let n = nodes.len();
        nodes[0].count.fetch_add(1);
        nodes[n - 1].lock.fetch_max(i as u32);
        if i < n {
            nodes[i].value += i as u32;
        }
    }
    for device in crate::devices() {
        let mut nodes = device.upload(&[node(1, 2, 3), node(4, 5, 6), node(7, 8, 9)]).unwrap();
        both::launch(device, 64, &mut nodes).unwrap();
        holds(device, &nodes, &[node(1, 66, 3), node(4, 5, 7), node(63, 8, 11)]);
    }
}

#[test]
fn a_shared_reference_changes_atomics_and_reads_plain_fields() {
    #[kernel(workgroup_size(32))]
    fn read(nodes: &mut [Node], y: &mut [u32]) {
        let i = global_id().x;
        let node = &nodes[i % nodes.len()];
        node.count.fetch_add(node.value);
        y[i] = node.value * 10;
    }
    for device in crate::devices() {
        let mut nodes = device.upload(&[node(0, 0, 3), node(0, 1, 5)]).unwrap();
        let mut y = device.zeros(32).unwrap();
        read::launch(device, 32, &mut nodes, &mut y).unwrap();
        holds(device, &nodes, &[node(0, 48, 3), node(0, 81, 5)]);
        crate::same(device, &y, &[30, 50].repeat(16));
    }
}

#[test]
fn methods_helpers_and_closures_take_references() {
    #[device]
    fn visited(node: &Node, by: u32) -> u32 {
        node.visit(by)
    }
    #[device]
    fn visit_all(nodes: &[Node], by: u32) {
        for node in nodes.iter() {
            node.count.fetch_add(by);
        }
    }
    #[kernel(workgroup_size(4))]
    fn call(nodes: &mut [Node], y: &mut [u32]) {
        let i = global_id().x;
        let more = |node: &Node| node.visit(100);
        visit_all(&nodes[1..], 1);
        if i == 0 {
            y[0] = visited(&nodes[0], 10);
            y[1] = more(&nodes[0]);
            nodes[0].set(120);
        }
    }
    for device in crate::devices() {
        let mut nodes = device.upload(&[node(0, 1, 3), node(0, 1, 5), node(9, 2, 5)]).unwrap();
        let mut y = device.zeros(2).unwrap();
        call::launch(device, 4, &mut nodes, &mut y).unwrap();
        holds(device, &nodes, &[node(0, 120, 120), node(0, 5, 5), node(9, 6, 5)]);
        crate::same(device, &y, &[1, 11]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Inner {
    hits: [Atomic<u32>; 3],
    small: Atomic<u16>,
    tag: u8,
    on: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Outer {
    at: Vec2<f32>,
    parts: [Inner; 2],
    least: Atomic<i32>,
    sums: [[u16; 2]; 2],
}

const fn inner(hits: [u32; 3], small: u16, tag: u8, on: bool) -> Inner {
    let [a, b, c] = hits;
    Inner { hits: [Atomic::new(a), Atomic::new(b), Atomic::new(c)], small: Atomic::new(small), tag, on }
}

fn outer(n: u16) -> Outer {
    let hit = u32::from(n);
    Outer {
        at: Vec2::new(f32::from(n), 0.5),
        parts: [inner([hit; 3], n, 1, false), inner([hit + 1; 3], n + 1, 2, true)],
        least: Atomic::new(-5),
        sums: [[n, n + 1], [n + 2, n + 3]],
    }
}

#[test]
fn atomics_in_arrays_of_structs_of_structs() {
    #[kernel(workgroup_size(8))]
    fn nested(x: &mut [Outer]) {
        let i = global_id().x;
        let k = i % 2;
        x[1].parts[k].hits[i % 3].fetch_add(1);
        x[1].parts[1].small.fetch_add(3);
        x[0].least.fetch_min(-(i as i32));
        if i < 2 {
            x[i].parts[1].tag = 9;
            x[i].parts[0].on = i == 1;
            x[i].at.y = 7.5;
            x[i].sums[1][i] += 100;
        }
    }
    let mut expected = [outer(10), outer(20)];
    for i in 0..8u16 {
        let (part, hit) = (usize::from(i % 2), usize::from(i % 3));
        let old = expected[1].parts[part].hits[hit].into_inner();
        expected[1].parts[part].hits[hit] = Atomic::new(old + 1);
    }
    expected[1].parts[1].small = Atomic::new(21 + 24);
    expected[0].least = Atomic::new(-7);
    for (i, element) in expected.iter_mut().enumerate() {
        element.parts[1].tag = 9;
        element.parts[0].on = i == 1;
        element.at.y = 7.5;
        element.sums[1][i] += 100;
    }
    for device in crate::devices() {
        let mut x = device.upload(&[outer(10), outer(20)]).unwrap();
        nested::launch(device, 8, &mut x).unwrap();
        holds(device, &x, &expected);
    }
}

#[test]
fn workgroup_memory_holds_them() {
    #[kernel(workgroup_size(32))]
    fn shared(x: &[u32], y: &mut [u32]) {
        #[shared]
        let nodes: [Node; 4];
        #[shared]
        let whole: Node;
        let l = local_id().x;
        let v = x[global_id().x];
        nodes[v as usize % 4].visit(v);
        whole.count.fetch_add(1);
        if l < 4 {
            nodes[l].value = l as u32 + 1;
        }
        if l == 4 {
            whole.value = 1000;
        }
        workgroup_barrier();
        if l < 4 {
            y[workgroup_id().x * 4 + l] =
                nodes[l].count.load() * 10 + nodes[3 - l].value + whole.value + whole.count.load();
        }
    }
    let x: Vec<u32> = (0..64u32).map(|i| i * 7 % 23).collect();
    let mut expected = Vec::new();
    for group in x.chunks(32) {
        for l in 0..4 {
            let count: u32 = group.iter().filter(|v| **v % 4 == l).sum();
            expected.push(count * 10 + (4 - l) + 1032);
        }
    }
    for device in crate::devices() {
        let (x, mut y) = (device.upload(&x).unwrap(), device.zeros(8).unwrap());
        shared::launch(device, 64, &x, &mut y).unwrap();
        crate::same(device, &y, &expected);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
#[element(methods)]
struct Slot<T> {
    owner: Atomic<u32>,
    held: T,
}

#[device]
impl<T: Number> Slot<T> {
    fn take(&mut self, by: u32, value: T) {
        if self.owner.compare_exchange(0, by) == 0 {
            self.held += value;
        }
    }
}

#[test]
fn generic_structs_hold_them() {
    #[kernel(workgroup_size(8))]
    fn each(a: &mut [Slot<f32>], b: &mut [Slot<Vec2<i32>>]) {
        let i = global_id().x;
        if i < a.len() && i < b.len() {
            a[i].take(i as u32 + 1, 0.5);
            b[i].held.y = -1;
            b[0].owner.fetch_add(1);
        }
    }
    let slot = |owner, held| Slot { owner: Atomic::new(owner), held };
    let pair = |owner, x, y| Slot { owner: Atomic::new(owner), held: Vec2::new(x, y) };
    for device in crate::devices() {
        let mut a = device.upload(&[slot(0, 1.0f32), slot(7, 2.0), slot(0, 3.0)]).unwrap();
        let mut b = device.upload(&[pair(0, 1, 2), pair(5, 3, 4)]).unwrap();
        each::launch(device, 8, &mut a, &mut b).unwrap();
        holds(device, &a, &[slot(1, 1.5), slot(7, 2.0), slot(0, 3.0)]);
        holds(device, &b, &[pair(2, 1, -1), pair(5, 3, -1)]);
    }
}

macro_rules! counted {
    ($kernel:ident, $ty:ident, $field:ident, $by:expr) => {
        #[derive(Clone, Copy, Debug, PartialEq, Element)]
        #[repr(C)]
        struct $ty {
            $field: Atomic<u32>,
            by: u32,
        }
        #[kernel(workgroup_size(8))]
        fn $kernel(nodes: &mut [$ty]) {
            for node in nodes.iter() {
                node.$field.fetch_add($by + node.by);
            }
        }
    };
}

#[test]
fn macros_make_the_struct_and_the_kernel() {
    counted!(made, Made, total, 2);
    let made_of = |total, by| Made { total: Atomic::new(total), by };
    for device in crate::devices() {
        let mut nodes = device.upload(&[made_of(0, 3), made_of(1, 5)]).unwrap();
        made::launch(device, 8, &mut nodes).unwrap();
        holds(device, &nodes, &[made_of(40, 3), made_of(57, 5)]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Wide {
    sum: Atomic<u64>,
    least: [Atomic<i64>; 2],
}

#[test]
fn atomics_of_64_bits_have_a_struct_of_their_own() {
    #[kernel(workgroup_size(8), features(atomic64))]
    fn wide(x: &mut [Wide]) {
        let i = global_id().x;
        x[1].sum.fetch_add(1 << 33);
        x[1].least[i % 2].fetch_min(-(i as i64));
    }
    let made = |sum, a, b| Wide { sum: Atomic::new(sum), least: [Atomic::new(a), Atomic::new(b)] };
    let mut ran = 0;
    for device in crate::devices() {
        let mut x = device.upload(&[made(1, 2, 3), made(u64::from(u32::MAX), 4, -9)]).unwrap();
        match wide::launch(device, 8, &mut x) {
            Err(Error::MissingFeature { .. }) => continue,
            launched => launched.unwrap(),
        }
        holds(device, &x, &[made(1, 2, 3), made((1 << 36) + u64::from(u32::MAX), -6, -9)]);
        ran += 1;
    }
    assert!(ran >= 3, "this CPU, the interpreter and a judge have them");
}

#[test]
fn floats_add_up() {
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    struct Total {
        sum: Atomic<f32>,
        scale: f32,
    }
    #[kernel(workgroup_size(16), features(float_atomics))]
    fn add(totals: &mut [Total]) {
        let total = &totals[0];
        total.sum.fetch_add(total.scale);
    }
    for device in crate::devices() {
        let mut totals = device.upload(&[Total { sum: Atomic::new(1.0), scale: 0.25 }]).unwrap();
        add::launch(device, 16, &mut totals).unwrap();
        holds(device, &totals, &[Total { sum: Atomic::new(5.0), scale: 0.25 }]);
    }
}

/// Whether the judge finds a race in a launch under any of these schedules.
fn races(run: impl Fn(&Device) -> Result<(), Error>) -> bool {
    [Schedule::Forward, Schedule::Reversed, Schedule::Random(3)].into_iter().any(|schedule| {
        let device = Device::judge(schedule);
        let result = run(&device);
        assert_eq!(result.is_err(), device.findings().iter().any(|finding| finding.is_race()), "{result:?}");
        result.is_err()
    })
}

#[test]
fn a_lock_in_a_struct_guards_its_other_fields() {
    #[kernel(workgroup_size(1), features(atomic_orders))]
    fn locked(nodes: &mut [Node]) {
        let node = &mut nodes[0];
        while node.lock.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed) != 0 {}
        unsafe {
            node.value += workgroup_id().x as u32;
        }
        node.lock.store(0, Ordering::Release);
    }
    #[kernel(workgroup_size(1))]
    fn relaxed(nodes: &mut [Node]) {
        let node = &mut nodes[0];
        while node.lock.compare_exchange(0, 1) != 0 {}
        unsafe {
            node.value += workgroup_id().x as u32;
        }
        node.lock.store(0);
    }
    for device in [Device::cpu(), Device::interpreter()] {
        let mut nodes = device.upload(&[node(0, 5, 6)]).unwrap();
        locked::launch(&device, 20, &mut nodes).unwrap();
        holds(&device, &nodes, &[node(0, 5, 6 + 190)]);
    }
    let run = |device: &Device, launch: fn(&Device, &mut Buffer<Node>) -> Result<(), Error>| {
        let mut nodes = device.upload(&[node(0, 5, 6)])?;
        launch(device, &mut nodes)?;
        nodes.read().map(drop)
    };
    assert!(!races(|device| run(device, |device, nodes| locked::launch(device, 20, nodes))));
    assert!(races(|device| run(device, |device, nodes| relaxed::launch(device, 20, nodes))));
}
