//! Bodies that attract each other. Each rank moves some of them, and after each step every rank learns where all are.
//!
//! The pull on a body is a sum over all bodies in their order, so it does not matter which rank computes it.

use crate::number;
use crate::ranks::Ranks;
use samebits::prelude::*;
use std::error;

/// The length of a step.
#[device]
const STEP: f32 = 0.01;

/// What keeps bodies that meet from flying apart.
#[device]
const SOFT: f32 = 0.01;

/// Moves the bodies from `first` on, which are as many as there are speeds. A body is its place and its mass.
#[kernel(workgroup_size(64))]
fn pull(first: usize, bodies: &[Vec4<f32>], speeds: &mut [Vec4<f32>], moved: &mut [Vec4<f32>]) {
    #[shared]
    let tile: [Vec4<f32>; 64];

    let i = global_id().x;
    let here = bodies[first + i];
    let mut pull = Vec3::splat(0.0f32);
    let mut start = 0;
    while start < bodies.len() {
        // Behind the last body there are zeros; they have no mass, but they are not added either: even a zero could change
        // the sign of a zero.
        tile[local_index()] = bodies[start + local_index()];
        workgroup_barrier();
        for j in 0..64 {
            if start + j < bodies.len() {
                let other = tile[j];
                let way = other.truncate() - here.truncate();
                let square = way.x * way.x + way.y * way.y + way.z * way.z + SOFT;
                pull += way * (other.w / (square * square.sqrt()));
            }
        }
        workgroup_barrier();
        start += 64;
    }
    if i < speeds.len() && i < moved.len() {
        let speed = speeds[i].truncate() + pull * STEP;
        speeds[i] = speed.extend(0.0);
        moved[i] = (here.truncate() + speed * STEP).extend(here.w);
    }
}

/// Where a body is at first, x, y and z, and its mass.
///
/// ```
/// let [.., mass] = samebits_cluster::bodies::start(5);
/// assert!(mass > 0.0);
/// ```
pub fn start(body: usize) -> [f32; 4] {
    let place = |axis: usize| number(5, body * 4 + axis);
    [place(0), place(1), place(2), (place(3) + 1.5) / 1024.0]
}

/// Places and masses of so many bodies after so many steps, four numbers each, on rank 0. They are at rest at first.
pub fn run(
    ranks: &Ranks,
    device: &Device,
    count: usize,
    steps: usize,
) -> Result<Option<Vec<f32>>, Box<dyn error::Error>> {
    let rows = ranks.rows(count, 4)?;
    let own = rows.own();
    let mut all: Vec<f32> = (0..count).flat_map(start).collect();
    let mut bodies = device.upload(&all)?;
    let mut speeds = device.zeros::<Vec4<f32>>(own.len())?;
    let mut moved = device.upload(&all[own.start * 4..own.end * 4])?;
    for _ in 0..steps {
        let mut moved = moved.view_mut::<Vec4<f32>>()?;
        pull::launch(device, own.len(), own.start, &bodies.view::<Vec4<f32>>()?, &mut speeds, &mut moved)?;
        all = ranks.gather(&rows, &moved.view::<f32>()?.read()?);
        bodies.write(0, &all)?;
    }
    Ok((ranks.rank() == 0).then_some(all))
}
