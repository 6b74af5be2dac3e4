//! Which of many points are inside of a polygon: those from which a ray crosses its edges an odd number of times.
//!
//! The plain kernel has a point for each invocation. The other one has several, so that an edge's slope is computed once
//! for all of them.
//!
//! Sizes: 20 million points, a polygon of 600 corners, and 1 to 64 points for each invocation. All floats are `f32`.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::math;
use samebits::prelude::*;

/// Whether a ray to the right crosses the edge between two corners.
#[device]
fn crosses(point: Vec2<f32>, a: Vec2<f32>, b: Vec2<f32>, slope: f32) -> bool {
    (a.y > point.y) != (b.y > point.y) && point.x < slope * (point.y - a.y) + a.x
}

#[kernel(workgroup_size(256), requires(inside.len() == points.len()))]
pub(crate) fn one(points: &[Vec2<f32>], corners: &[Vec2<f32>], inside: &mut [i32]) {
    let i = global_id().x;
    if i < points.len() {
        let mut odd = false;
        let mut last = corners[corners.len() - 1];
        for k in 0..corners.len() {
            let corner = corners[k];
            let slope = (last.x - corner.x) / (last.y - corner.y);
            if crosses(points[i], corner, last, slope) {
                odd = !odd;
            }
            last = corner;
        }
        inside[i] = odd as i32;
    }
}

#[kernel(workgroup_size(256), instances(N = [1, 2, 4, 8, 16, 32, 64]), requires(inside.len() == points.len()))]
pub(crate) fn several<const N: usize>(points: &[Vec2<f32>], corners: &[Vec2<f32>], inside: &mut [i32]) {
    let first = workgroup_id().x * (256 * N) + local_id().x;
    let mut odd = [false; N];
    let mut own = [Vec2::splat(0.0f32); N];
    for j in 0..N {
        // Past the end there are zeros, which nobody asks for.
        own[j] = points[first + 256 * j];
    }
    let mut last = corners[corners.len() - 1];
    for k in 0..corners.len() {
        let corner = corners[k];
        let slope = (last.x - corner.x) / (last.y - corner.y);
        for j in 0..N {
            if crosses(own[j], corner, last, slope) {
                odd[j] = !odd[j];
            }
        }
        last = corner;
    }
    for j in 0..N {
        let i = first + 256 * j;
        if i < inside.len() {
            inside[i] = odd[j] as i32;
        }
    }
}

/// Points and corners.
fn inputs(scale: Scale) -> [Vec<Vec2<f32>>; 2] {
    let mut random = Random::new(123);
    let points = (0..scale.of(300, 20_000_000)).map(|_| Vec2::new(random.normal(), random.normal())).collect();
    let corner = |turns: f32| Vec2::new(math::cos_pi(2.0 * turns), math::sin_pi(2.0 * turns));
    [points, (0..scale.of(12, 600)).map(|_| corner(random.normal())).collect()]
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let [points, corners] = inputs(scale);
    let (points, corners) = (device.upload(&points)?, device.upload(&corners)?);
    let mut inside = Vec::new();
    for _ in 0..8 {
        inside.push(device.zeros(points.len())?);
    }
    Ok(Job::new(["plain", "1", "2", "4", "8", "16", "32", "64"], move |ask| {
        match ask {
            Ask::Step(step) => {
                let inside = &mut inside[step];
                let grid = points.len().div_ceil(1 << step.saturating_sub(1));
                match step {
                    0 => one::launch(device, grid, &points, &corners, inside)?,
                    1 => several::launch::<1>(device, grid, &points, &corners, inside)?,
                    2 => several::launch::<2>(device, grid, &points, &corners, inside)?,
                    3 => several::launch::<4>(device, grid, &points, &corners, inside)?,
                    4 => several::launch::<8>(device, grid, &points, &corners, inside)?,
                    5 => several::launch::<16>(device, grid, &points, &corners, inside)?,
                    6 => several::launch::<32>(device, grid, &points, &corners, inside)?,
                    _ => several::launch::<64>(device, grid, &points, &corners, inside)?,
                }
            }
            Ask::Answer(answer) => {
                for inside in &inside {
                    answer.add("inside", &inside.read()?);
                }
            }
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let [points, corners] = inputs(scale);
    let inside = |point: &Vec2<f32>| {
        let before = corners.iter().cycle().skip(corners.len() - 1);
        let crossed = corners.iter().zip(before).filter(|(a, b)| {
            let between = a.y > point.y && b.y <= point.y || b.y > point.y && a.y <= point.y;
            between && point.x < (b.x - a.x) / (b.y - a.y) * (point.y - a.y) + a.x
        });
        (crossed.count() % 2) as i32
    };
    let inside: Vec<i32> = points.iter().map(inside).collect();
    let mut answer = Answer::default();
    for _ in 0..8 {
        answer.add("inside", &inside);
    }
    answer
}
