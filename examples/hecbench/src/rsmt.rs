//! Short trees of horizontal and vertical wires that connect the pins of each net of a circuit (rectilinear Steiner trees).
//!
//! A subgroup has a net. Prim's algorithm finds the shortest tree over its points. Then each two edges that meet are asked
//! how much wire a point in their middle would save; where two edges are each other's best partners, that point is added, and
//! all begins again until there is none. Nets of two or three pins have their answer at once; those of more than 32 are for a
//! second kernel, with more memory.
//!
//! Sizes: 200,000 nets of 2 to 256 pins. Coordinates are `i32`, points and edges have numbers of `i16`.
//! What differs: nets are random, where the suite's are a file; a workgroup is one subgroup, as only whole workgroups go
//! round a loop together; trees grow in workgroup memory and are stored when they are done.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// The shortest tree over so many points: all but one of them get an edge.
#[device]
fn span<const N: usize>(count: usize, x: &[i32; N], y: &[i32; N], edges: &mut [[i16; 2]; N]) {
    // Of each point that is not in the tree yet: how far it is from the tree, and from which point.
    #[shared]
    let distances: [i32; N];
    #[shared]
    let sources: [i16; N];
    #[shared]
    let points: [i16; N];
    #[shared]
    let nearest: Atomic<i32>;
    let lane = local_id().x;
    for i in (lane..count - 1).step_by(32) {
        distances[i] = i32::MAX;
        points[i] = i as i16 + 1;
    }
    let mut from = 0;
    for edge in 0..count - 1 {
        let left = count - 1 - edge;
        workgroup_barrier();
        if lane == 0 {
            nearest.store(i32::MAX);
        }
        workgroup_barrier();
        for i in (lane..left).step_by(32) {
            let point = points[i] as usize;
            let distance = (x[from] - x[point]).abs() + (y[from] - y[point]).abs();
            if distance < distances[i] {
                distances[i] = distance;
                sources[i] = from as i16;
            }
            // Of points at the same distance the first.
            nearest.fetch_min(distances[i] * 512 + i as i32);
        }
        workgroup_barrier();
        let i = nearest.load() as usize % 512;
        from = points[i] as usize;
        workgroup_barrier();
        if lane == 0 {
            edges[edge] = [sources[i], points[i]];
            distances[i] = distances[left - 1];
            sources[i] = sources[left - 1];
            points[i] = points[left - 1];
        }
    }
    workgroup_barrier();
}

/// The middle one of three numbers.
#[device]
fn middle(a: i32, b: i32, c: i32) -> i32 {
    a.min(b).max(a.max(b).min(c))
}

/// Adds points where they save wire, and gives how many there are then.
#[device]
fn add_points<const N: usize>(count: usize, x: &mut [i32; N], y: &mut [i32; N], edges: &[[i16; 2]; N]) -> usize {
    // Of each edge, the most that a point with another edge saves, and which edge that is.
    #[shared]
    let best: [Atomic<i32>; N];
    #[shared]
    let degrees: [Atomic<u32>; N];
    #[shared]
    let meeting: [[i16; 8]; N];
    #[shared]
    let total: u32;
    let lane = local_id().x;
    for point in (lane..count).step_by(32) {
        degrees[point].store(0);
    }
    workgroup_barrier();
    for edge in (lane..count - 1).step_by(32) {
        best[edge].store(-1);
        let [a, b] = [edges[edge][0] as usize, edges[edge][1] as usize];
        if x[a] != x[b] || y[a] != y[b] {
            let (at_a, at_b) = (degrees[a].fetch_add(1) as usize, degrees[b].fetch_add(1) as usize);
            // Places from counters.
            unsafe {
                meeting[a][at_a] = edge as i16;
                meeting[b][at_b] = edge as i16;
            }
        }
    }
    workgroup_barrier();
    for point in (lane..count).step_by(32) {
        let degree = degrees[point].load() as usize;
        for j in 0..degree {
            for k in j + 1..degree {
                let (one, other) = (meeting[point][j], meeting[point][k]);
                let end_of = |edge: i16| {
                    let [a, b] = edges[edge as usize];
                    if a as usize == point { b as usize } else { a as usize }
                };
                let (a, b) = (end_of(one), end_of(other));
                let new_x = middle(x[point], x[a], x[b]);
                let new_y = middle(y[point], y[a], y[b]);
                let saved = (new_x - x[point]).abs() + (new_y - y[point]).abs();
                if saved > 0 {
                    best[one as usize].fetch_max(saved * 512 + other as i32);
                    best[other as usize].fetch_max(saved * 512 + one as i32);
                }
            }
        }
    }
    workgroup_barrier();
    let mut points = count;
    for first in (0..count - 1).step_by(32) {
        let edge = first + lane;
        let mut adds = false;
        let (mut new_x, mut new_y) = (0, 0);
        // What is added has places of its own, behind all that is read.
        unsafe {
            if edge < count - 1 && best[edge].load() > 0 {
                let other = best[edge].load() as usize % 512;
                if other > edge && best[other].load() as usize % 512 == edge {
                    let [a, b] = [edges[edge][0] as usize, edges[edge][1] as usize];
                    let mut c = edges[other][0] as usize;
                    if x[c] == x[a] && y[c] == y[a] || x[c] == x[b] && y[c] == y[b] {
                        c = edges[other][1] as usize;
                    }
                    adds = true;
                    new_x = middle(x[a], x[b], x[c]);
                    new_y = middle(y[a], y[b], y[c]);
                }
            }
            let place = points + subgroup_exclusive_add(adds as u32) as usize;
            if adds {
                x[place] = new_x;
                y[place] = new_y;
            }
        }
        points += subgroup_add(adds as u32) as usize;
    }
    if lane == 0 {
        total = points as u32;
    }
    broadcast(&total) as usize
}

/// Makes the tree of a net in workgroup memory and stores it, from twice the net's first pin on.
#[device]
fn connect<const N: usize>(
    net: usize,
    starts: &[u32],
    pins_x: &[i32],
    pins_y: &[i32],
    out_x: &mut [i32],
    out_y: &mut [i32],
    out_edges: &mut [[i16; 2]],
) {
    #[shared]
    let x: [i32; N];
    #[shared]
    let y: [i32; N];
    #[shared]
    let edges: [[i16; 2]; N];
    let lane = local_id().x;
    let start = starts[net] as usize;
    let pins = starts[net + 1] as usize - start;
    for i in (lane..pins).step_by(32) {
        x[i] = pins_x[start + i];
        y[i] = pins_y[start + i];
    }
    workgroup_barrier();
    let mut count = pins;
    if pins == 2 {
        if lane == 0 {
            edges[0] = [0, 1];
        }
    } else if pins == 3 {
        if lane == 0 {
            x[3] = middle(x[0], x[1], x[2]);
            y[3] = middle(y[0], y[1], y[2]);
        }
        if lane < 3 {
            edges[lane] = [lane as i16, 3];
        }
        count = 4;
    } else {
        loop {
            span(count, &x, &y, &mut edges);
            let more = add_points(count, &mut x, &mut y, &edges);
            if more == count {
                break;
            }
            count = more;
        }
    }
    workgroup_barrier();
    // Each net has its own part of the results.
    unsafe {
        for i in (lane..count).step_by(32) {
            out_x[2 * start + i] = x[i];
            out_y[2 * start + i] = y[i];
            if i < count - 1 {
                out_edges[2 * start + i] = edges[i];
            }
        }
    }
}

/// The counters: the next of all nets, the number of long ones, and the next of these.
#[kernel(workgroup_size(32))]
pub(crate) fn short_nets(
    starts: &[u32],
    pins_x: &[i32],
    pins_y: &[i32],
    out_x: &mut [i32],
    out_y: &mut [i32],
    out_edges: &mut [[i16; 2]],
    long: &mut [u32],
    counters: &[Atomic<u32>],
) {
    #[shared]
    let next: u32;
    loop {
        if local_id().x == 0 {
            next = counters[0].fetch_add(1);
        }
        let net = broadcast(&next) as usize;
        if net >= starts.len() - 1 {
            break;
        }
        if starts[net + 1] - starts[net] <= 32 {
            connect::<64>(net, starts, pins_x, pins_y, &mut *out_x, &mut *out_y, &mut *out_edges);
        } else if local_id().x == 0 {
            let place = counters[1].fetch_add(1) as usize;
            // A counter never gives a place twice.
            unsafe { long[place] = net as u32 };
        }
    }
}

/// Those that the first kernel left.
#[kernel(workgroup_size(32), limits(workgroup_memory = 22704))]
pub(crate) fn long_nets(
    starts: &[u32],
    pins_x: &[i32],
    pins_y: &[i32],
    out_x: &mut [i32],
    out_y: &mut [i32],
    out_edges: &mut [[i16; 2]],
    long: &[u32],
    counters: &[Atomic<u32>],
) {
    #[shared]
    let next: u32;
    loop {
        if local_id().x == 0 {
            let place = counters[2].fetch_add(1);
            next = if place < counters[1].load() { place } else { u32::MAX };
        }
        let place = broadcast(&next);
        if place == u32::MAX {
            break;
        }
        connect::<512>(
            long[place as usize] as usize,
            starts,
            pins_x,
            pins_y,
            &mut *out_x,
            &mut *out_y,
            &mut *out_edges,
        );
    }
}

/// Where the pins of each net start, and their places.
struct Nets {
    starts: Vec<u32>,
    x: Vec<i32>,
    y: Vec<i32>,
}

fn inputs(scale: Scale) -> Nets {
    let mut random = Random::new(7);
    let pins = |i: u32, random: &mut Random| match scale {
        Scale::Small => [2, 3, 4, 5, 7, 12, 32, 33, 50][i as usize % 9],
        Scale::Suite if i.is_multiple_of(1000) => 33 + random.below(224),
        Scale::Suite if i.is_multiple_of(20) => 9 + random.below(24),
        Scale::Suite => 2 + random.below(7),
    };
    let mut nets = Nets { starts: vec![0], x: Vec::new(), y: Vec::new() };
    for i in 0..scale.of(18, 200_000) {
        let side = 10 + random.below(200);
        let corner = [random.below(10_000), random.below(10_000)];
        for _ in 0..pins(i, &mut random) {
            nets.x.push((corner[0] + random.below(side)) as i32);
            nets.y.push((corner[1] + random.below(side)) as i32);
        }
        nets.starts.push(nets.x.len() as u32);
    }
    nets
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Nets { starts, x, y } = inputs(scale);
    let n = starts.len() - 1;
    let (starts, x, y) = (device.upload(&starts)?, device.upload(&x)?, device.upload(&y)?);
    let (mut out_x, mut out_y) = (device.zeros::<i32>(2 * x.len())?, device.zeros::<i32>(2 * x.len())?);
    let mut edges = device.zeros::<[i16; 2]>(2 * x.len())?;
    let (mut long, mut counters) = (device.zeros::<u32>(n)?, device.zeros::<u32>(3)?);
    let grid = Grid::groups(scale.of(4, 2048), 1, 1);
    Ok(Job::new(["trees"], move |ask| {
        match ask {
            Ask::Step(_) => {
                counters.fill(0)?;
                out_x.fill(-1)?;
                out_y.fill(-1)?;
                edges.fill([0, 0])?;
                let (a, b, edges, long, counters) = (&mut out_x, &mut out_y, &mut edges, &mut long, &mut counters);
                short_nets::launch(device, grid, &starts, &x, &y, a, b, edges, long, counters)?;
                long_nets::launch(device, grid, &starts, &x, &y, a, b, edges, long, counters)?;
            }
            Ask::Answer(answer) => {
                answer.add("x", &out_x.read()?);
                answer.add("y", &out_y.read()?);
                answer.add("edges", &edges.read()?);
            }
        }
        Ok(())
    }))
}

type Point = (i32, i32);

fn far(a: Point, b: Point) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

fn between(points: [Point; 3]) -> Point {
    let middle = |mut numbers: [i32; 3]| {
        numbers.sort_unstable();
        numbers[1]
    };
    (middle(points.map(|point| point.0)), middle(points.map(|point| point.1)))
}

/// Prim's algorithm; the last of those that are left takes the place of one that leaves.
fn shortest(points: &[Point]) -> Vec<[usize; 2]> {
    let mut left: Vec<_> = (1..points.len()).map(|point| (i32::MAX, 0, point)).collect();
    let (mut from, mut edges) = (0, Vec::new());
    while !left.is_empty() {
        for (distance, source, point) in &mut left {
            let new = far(points[from], points[*point]);
            if new < *distance {
                (*distance, *source) = (new, from);
            }
        }
        let nearest = (0..left.len()).min_by_key(|i| (left[*i].0, *i)).unwrap_or(0);
        let (_, source, point) = left.swap_remove(nearest);
        edges.push([source, point]);
        from = point;
    }
    edges
}

fn plain(mut points: Vec<Point>) -> (Vec<Point>, Vec<[usize; 2]>) {
    if let [a, b, c] = points[..] {
        points.push(between([a, b, c]));
        return (points, vec![[0, 3], [1, 3], [2, 3]]);
    }
    loop {
        let edges = shortest(&points);
        // What a point with another edge saves, and the edge.
        let mut best = vec![(0, 0); edges.len()];
        for (i, a) in edges.iter().enumerate() {
            for (j, b) in edges.iter().enumerate().skip(i + 1) {
                let Some(&shared) = a.iter().find(|point| b.contains(point)) else { continue };
                let ends = [a, b].map(|edge| points[edge[0] + edge[1] - shared]);
                if ends.contains(&points[shared]) {
                    continue;
                }
                let saved = far(between([points[shared], ends[0], ends[1]]), points[shared]);
                if saved > 0 {
                    best[i] = best[i].max((saved, j));
                    best[j] = best[j].max((saved, i));
                }
            }
        }
        let before = points.len();
        for (i, &(saved, j)) in best.iter().enumerate() {
            if saved > 0 && j > i && best[j].1 == i {
                let [a, b] = edges[i].map(|point| points[point]);
                let [c, d] = edges[j].map(|point| points[point]);
                points.push(between([a, b, if c == a || c == b { d } else { c }]));
            }
        }
        if points.len() == before || before == 2 {
            return (points, edges);
        }
    }
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Nets { starts, x, y } = inputs(scale);
    let (mut out_x, mut out_y) = (vec![-1; 2 * x.len()], vec![-1; 2 * x.len()]);
    let mut out_edges = vec![[0i16; 2]; 2 * x.len()];
    for net in starts.windows(2) {
        let (start, end) = (net[0] as usize, net[1] as usize);
        let (points, edges) = plain((start..end).map(|i| (x[i], y[i])).collect());
        for (i, point) in points.into_iter().enumerate() {
            (out_x[2 * start + i], out_y[2 * start + i]) = point;
        }
        for (i, edge) in edges.into_iter().enumerate() {
            out_edges[2 * start + i] = edge.map(|point| point as i16);
        }
    }
    let mut answer = Answer::default();
    answer.add("x", &out_x);
    answer.add("y", &out_y);
    answer.add("edges", &out_edges);
    answer
}
