//! The connected components of a graph, by union and find with atomics (ECL-CC).
//!
//! Each vertex begins with its first smaller neighbour as its parent. Then each edge hooks the greater of two roots to the smaller
//! one, and what is looked up is shortened on the way. Vertices of few edges have an invocation each, those of more
//! have 32, those of very many a workgroup, from a list that the first kernel fills from both ends. At last each vertex
//! gets its root, which is the least vertex of its component.
//!
//! Sizes: 2²⁴ vertices with about two neighbours each.
//! What differs: the suite's graph is a file, and this one a grid of triangles with gaps; the kernel for 32 invocations has
//! workgroups of as many, as only whole workgroups go round a loop together; the list's counters are a buffer.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// More edges than this are for 32 invocations.
const FEW: usize = 16;
/// More than this are for a workgroup.
const MANY: usize = 352;

// The counters: the ends of the list that grow up and down, and how far each is read.
#[device]
const LOW_END: usize = 0;
#[device]
const LOW_READ: usize = 1;
#[device]
const HIGH_END: usize = 2;
#[device]
const HIGH_READ: usize = 3;

#[kernel(workgroup_size(256))]
pub(crate) fn begin(starts: &[u32], neighbours: &[u32], parents: &mut [u32]) {
    for v in (global_id().x..parents.len()).step_by(256 * num_workgroups().x) {
        let mut parent = v as u32;
        let mut i = starts[v];
        while parent == v as u32 && i < starts[v + 1] {
            parent = parent.min(neighbours[i as usize]);
            i += 1;
        }
        parents[v] = parent;
    }
}

/// The root of a vertex; the way to it is shortened.
#[device]
fn root(v: u32, parents: &[Atomic<u32>]) -> u32 {
    let mut at = parents[v as usize].load();
    if at != v {
        let mut last = v;
        let mut next = parents[at as usize].load();
        while at > next {
            parents[last as usize].store(next);
            last = at;
            at = next;
            next = parents[at as usize].load();
        }
    }
    at
}

/// Joins the component of a root with that of a neighbour, and gives the root then.
#[device]
fn join(own: u32, neighbour: u32, parents: &[Atomic<u32>]) -> u32 {
    let mut own = own;
    let mut other = root(neighbour, parents);
    while own != other {
        let (less, greater) = (own.min(other), own.max(other));
        let found = parents[greater as usize].compare_exchange(greater, less);
        if found == greater {
            break;
        }
        // Somebody else was there first.
        if own < other {
            other = found;
        } else {
            own = found;
        }
    }
    own
}

#[kernel(workgroup_size(256))]
pub(crate) fn join_few(
    starts: &[u32],
    neighbours: &[u32],
    parents: &[Atomic<u32>],
    list: &mut [u32],
    counters: &[Atomic<u32>],
) {
    for v in (global_id().x..parents.len()).step_by(256 * num_workgroups().x) {
        if parents[v].load() == v as u32 {
            continue;
        }
        let (start, end) = (starts[v] as usize, starts[v + 1] as usize);
        if end - start > FEW {
            let at =
                if end - start <= MANY { counters[LOW_END].fetch_add(1) } else { counters[HIGH_END].fetch_sub(1) - 1 };
            // Both ends count their own places.
            unsafe { list[at as usize] = v as u32 };
            continue;
        }
        let mut own = root(v as u32, parents);
        for i in start..end {
            if neighbours[i] < v as u32 {
                own = join(own, neighbours[i], parents);
            }
        }
    }
}

#[kernel(workgroup_size(32))]
pub(crate) fn join_more(
    starts: &[u32],
    neighbours: &[u32],
    parents: &[Atomic<u32>],
    list: &[u32],
    counters: &[Atomic<u32>],
) {
    #[shared]
    let next: u32;
    loop {
        if local_id().x == 0 {
            let at = counters[LOW_READ].fetch_add(1);
            // Greater than all vertices if there are no more.
            next = if at < counters[LOW_END].load() { list[at as usize] } else { u32::MAX };
        }
        let v = broadcast(&next);
        if v == u32::MAX {
            break;
        }
        let (start, end) = (starts[v as usize] as usize, starts[v as usize + 1] as usize);
        let mut own = root(v, parents);
        for i in (start + local_id().x..end).step_by(32) {
            if neighbours[i] < v {
                own = join(own, neighbours[i], parents);
            }
        }
    }
}

#[kernel(workgroup_size(256))]
pub(crate) fn join_many(
    starts: &[u32],
    neighbours: &[u32],
    parents: &[Atomic<u32>],
    list: &[u32],
    counters: &[Atomic<u32>],
) {
    #[shared]
    let next: u32;
    loop {
        if local_id().x == 0 {
            let end = counters[HIGH_READ].fetch_sub(1);
            next = if end > counters[HIGH_END].load() && end <= list.len() as u32 {
                list[end as usize - 1]
            } else {
                u32::MAX
            };
        }
        let v = broadcast(&next);
        if v == u32::MAX {
            break;
        }
        let (start, end) = (starts[v as usize] as usize, starts[v as usize + 1] as usize);
        let mut own = root(v, parents);
        for i in (start + local_id().x..end).step_by(256) {
            if neighbours[i] < v {
                own = join(own, neighbours[i], parents);
            }
        }
    }
}

#[kernel(workgroup_size(256))]
pub(crate) fn finish(parents: &[Atomic<u32>]) {
    for v in (global_id().x..parents.len()).step_by(256 * num_workgroups().x) {
        let old = parents[v].load();
        let mut at = old;
        let mut next = parents[at as usize].load();
        while at > next {
            at = next;
            next = parents[at as usize].load();
        }
        if at != old {
            parents[v].store(at);
        }
    }
}

/// Where the neighbours of each vertex start, and the neighbours.
fn inputs(scale: Scale) -> (Vec<u32>, Vec<u32>) {
    let side = scale.of(24, 4096);
    let n = side * side;
    let mut random = Random::new(5);
    let mut edges = Vec::new();
    for v in 0..n as u32 {
        let (x, y) = (v % side as u32, v / side as u32);
        let last = side as u32 - 1;
        for (there, w) in [(x < last, v + 1), (y < last, v + side as u32), (x < last && y < last, v + side as u32 + 1)]
        {
            // So few edges are left that there are many components of all sizes.
            if there && random.below(10) < 3 {
                edges.push((v, w));
            }
        }
    }
    // Some vertices have many neighbours.
    for (hub, spokes) in [(n / 2, 40), (n - 1, 400), (n - 2, 360)] {
        edges.extend((0..spokes).map(|_| (hub as u32, random.below(n as u32 / 2))));
    }
    let mut starts = vec![0; n + 1];
    for &(v, w) in &edges {
        starts[v as usize + 1] += 1;
        starts[w as usize + 1] += 1;
    }
    for v in 0..n {
        starts[v + 1] += starts[v];
    }
    let mut filled = starts.clone();
    let mut neighbours = vec![0; 2 * edges.len()];
    for &(v, w) in &edges {
        for (from, to) in [(v, w), (w, v)] {
            neighbours[filled[from as usize] as usize] = to;
            filled[from as usize] += 1;
        }
    }
    (starts, neighbours)
}

/// Workgroups that go over all vertices, or over a list.
const GROUPS: usize = 256;

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let (starts, neighbours) = inputs(scale);
    let n = starts.len() - 1;
    let (starts, neighbours) = (device.upload(&starts)?, device.upload(&neighbours)?);
    let (mut parents, mut list) = (device.zeros::<u32>(n)?, device.zeros::<u32>(n)?);
    let mut counters = device.zeros::<u32>(4)?;
    let grid = Grid::groups(n.div_ceil(256).min(GROUPS), 1, 1);
    let lists = Grid::groups(scale.of(3, GROUPS), 1, 1);
    Ok(Job::new(["components"], move |ask| {
        match ask {
            Ask::Step(_) => {
                let (counters, parents, list) = (&mut counters, &mut parents, &mut list);
                counters.write(0, &[0, 0, n as u32, n as u32])?;
                begin::launch(device, grid, &starts, &neighbours, parents)?;
                join_few::launch(device, grid, &starts, &neighbours, parents, list, counters)?;
                join_more::launch(device, lists, &starts, &neighbours, parents, list, counters)?;
                join_many::launch(device, lists, &starts, &neighbours, parents, list, counters)?;
                finish::launch(device, grid, parents)?;
            }
            Ask::Answer(answer) => answer.add("components", &parents.read()?),
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let (starts, neighbours) = inputs(scale);
    let mut components = vec![u32::MAX; starts.len() - 1];
    for least in 0..components.len() {
        let mut reached = vec![least];
        while let Some(v) = reached.pop() {
            if components[v] == u32::MAX {
                components[v] = least as u32;
                reached.extend(neighbours[starts[v] as usize..starts[v + 1] as usize].iter().map(|w| *w as usize));
            }
        }
    }
    let mut answer = Answer::default();
    answer.add("components", &components);
    answer
}
