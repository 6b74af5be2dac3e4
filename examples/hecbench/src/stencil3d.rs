//! The flow out of each cell of a grid of three axes, through its six faces.
//!
//! A face's flow comes from the slopes of a potential along all axes, with three factors for each face. A workgroup has
//! a tile of 16 × 16 along y and z, of which the edge belongs to neighbours, and goes along x for twenty cells. It keeps
//! three planes of the potential in workgroup memory, and the flow through faces along y and z, which the next cell needs
//! too.
//!
//! Sizes: 256³ cells of `f64`.
//! What differs: the suite's 512³ cells need 12 GiB; invocations beyond the grid stay, since they take part in barriers.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;

/// A side of a tile.
#[device]
const SIDE: usize = 16;
/// Cells of a tile, whose edge belongs to others.
#[device]
const INNER: usize = SIDE - 2;
/// How far a workgroup goes.
#[device]
const LENGTH: usize = 20;

/// The flow through a face from the three slopes.
#[device]
fn flow(factors: &[f64], face: usize, volume: usize, dx: f64, dy: f64, dz: f64) -> f64 {
    factors[face] * dx + factors[volume + face] * dy + factors[2 * volume + face] * dz
}

/// The grid has a workgroup for each tile: along x, y and z.
#[kernel(workgroup_size(SIDE, SIDE), features(f64))]
pub(crate) fn flows(
    nx: usize,
    ny: usize,
    nz: usize,
    potential: &[f64],
    factors_x: &[f64],
    factors_y: &[f64],
    factors_z: &[f64],
    out: &mut [f64],
) {
    #[shared]
    let planes: [[[f64; SIDE]; SIDE]; 3];
    #[shared]
    let faces: [[f64; SIDE]; SIDE];
    let volume = nx * ny * nz;
    let (j, k) = (local_id().y, local_id().x);
    let (x0, y, z) = (workgroup_id().x * LENGTH, workgroup_id().y * INNER + j, workgroup_id().z * INNER + k);
    let is_there = y < ny && z < nz;
    // A cell whose flow this workgroup computes; one for whose face along y, or z, it has the flow.
    let is_inner = j > 0 && k > 0 && j < SIDE - 1 && k < SIDE - 1 && y < ny - 1 && z < nz - 1;
    let has_face_y = k > 0 && k < SIDE - 1 && j < SIDE - 1 && y < ny - 1 && z < nz - 1;
    let has_face_z = j > 0 && k < SIDE - 1 && j < SIDE - 1 && y < ny - 1 && z < nz - 1;
    if is_there {
        planes[1][j][k] = potential[(x0 * ny + y) * nz + z];
        planes[2][j][k] = potential[((x0 + 1) * ny + y) * nz + z];
    }
    workgroup_barrier();
    let (mut before, mut here, mut next) = (0, 1, 2);
    let mut sum = 0.0;
    if is_inner {
        let dx = planes[next][j][k] - planes[here][j][k];
        let dy =
            (planes[here][j + 1][k] - planes[here][j - 1][k] - planes[next][j - 1][k] + planes[next][j + 1][k]) / 4.0;
        let dz =
            (planes[here][j][k + 1] - planes[here][j][k - 1] - planes[next][j][k - 1] + planes[next][j][k + 1]) / 4.0;
        sum -= flow(factors_x, ((x0 + 1) * ny + y) * nz + z, volume, dx, dy, dz);
    }
    // What is stored next is another plane, which takes too long to prove.
    workgroup_barrier();
    (before, here, next) = (here, next, before);
    for i in 1..=LENGTH {
        let x = x0 + i;
        let is_last = x + 1 >= nx;
        if is_there && !is_last {
            planes[next][j][k] = potential[((x + 1) * ny + y) * nz + z];
        }
        workgroup_barrier();
        if has_face_y && !is_last {
            let dx =
                (planes[next][j][k] - planes[before][j][k] - planes[before][j + 1][k] + planes[next][j + 1][k]) / 4.0;
            let dy = planes[here][j + 1][k] - planes[here][j][k];
            let dz = (planes[here][j][k + 1] - planes[here][j][k - 1] - planes[here][j + 1][k - 1]
                + planes[here][j + 1][k + 1])
                / 4.0;
            let through = flow(factors_y, (x * ny + y + 1) * nz + z, volume, dx, dy, dz);
            sum += through;
            faces[j][k] = through;
        }
        workgroup_barrier();
        if is_inner && !is_last {
            sum -= faces[j - 1][k];
        }
        workgroup_barrier();
        if has_face_z && !is_last {
            let dx =
                (planes[next][j][k] - planes[before][j][k] - planes[before][j][k + 1] + planes[next][j][k + 1]) / 4.0;
            let dy = (planes[here][j + 1][k] - planes[here][j - 1][k] - planes[here][j - 1][k + 1]
                + planes[here][j + 1][k + 1])
                / 4.0;
            let dz = planes[here][j][k + 1] - planes[here][j][k];
            let through = flow(factors_z, (x * ny + y) * nz + z + 1, volume, dx, dy, dz);
            sum += through;
            faces[j][k] = through;
        }
        workgroup_barrier();
        if is_inner && !is_last {
            sum -= faces[j][k - 1];
            let dx = planes[next][j][k] - planes[here][j][k];
            let dy = (planes[here][j + 1][k] - planes[here][j - 1][k] - planes[next][j - 1][k]
                + planes[next][j + 1][k])
                / 4.0;
            let dz = (planes[here][j][k + 1] - planes[here][j][k - 1] - planes[next][j][k - 1]
                + planes[next][j][k + 1])
                / 4.0;
            let through = flow(factors_x, ((x + 1) * ny + y) * nz + z, volume, dx, dy, dz);
            // Each cell is inside of one tile, which is not proven for three axes.
            unsafe { out[(x * ny + y) * nz + z] = sum + through };
            // It comes from the next cell.
            sum = -through;
        }
        workgroup_barrier();
        (before, here, next) = (here, next, before);
    }
}

fn inputs(scale: Scale) -> ([usize; 3], Vec<f64>, [Vec<f64>; 3]) {
    let size = scale.of([25, 17, 18], [256; 3]);
    let volume = size.iter().product();
    let number = |i: usize| (i % 19) as f64;
    let factors = std::array::from_fn(|axis| (0..3 * volume).map(|i| number(3 * axis * volume + i)).collect());
    (size, (0..volume).map(number).collect(), factors)
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let ([nx, ny, nz], potential, [factors_x, factors_y, factors_z]) = inputs(scale);
    let potential = device.upload_vec(potential)?;
    let (factors_x, factors_y) = (device.upload_vec(factors_x)?, device.upload_vec(factors_y)?);
    let factors_z = device.upload_vec(factors_z)?;
    let mut out = device.zeros(potential.len())?;
    let tiles = |n: usize| (n - 2).div_ceil(INNER);
    let grid = Grid::groups((nx - 2).div_ceil(LENGTH), tiles(ny), tiles(nz));
    Ok(Job::new(["flows"], move |ask| match ask {
        Ask::Step(_) => {
            flows::launch(device, grid, nx, ny, nz, &potential, &factors_x, &factors_y, &factors_z, &mut out)
        }
        Ask::Answer(answer) => {
            answer.add("flows", &out.read()?);
            Ok(())
        }
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let (size @ [nx, ny, nz], potential, factors) = inputs(scale);
    let volume = nx * ny * nz;
    let index = |at: [usize; 3]| (at[0] * ny + at[1]) * nz + at[2];
    let moved = |mut at: [usize; 3], axis: usize, back: bool| {
        at[axis] = if back { at[axis] - 1 } else { at[axis] + 1 };
        at
    };
    // The flow along an axis, from a cell to the next one.
    let through = |axis: usize, cell: [usize; 3]| {
        let next = moved(cell, axis, false);
        let slope = |along: usize| {
            let at = |cell: [usize; 3]| potential[index(cell)];
            if along == axis {
                return at(next) - at(cell);
            }
            let step = |cell, back| at(moved(cell, along, back));
            (step(cell, false) - step(cell, true) - step(next, true) + step(next, false)) / 4.0
        };
        let factor = |along: usize| factors[axis][along * volume + index(next)];
        factor(0) * slope(0) + factor(1) * slope(1) + factor(2) * slope(2)
    };
    let mut flows = vec![0.0; volume];
    for (i, flow) in flows.iter_mut().enumerate() {
        let cell = [i / (ny * nz), i / nz % ny, i % nz];
        if (0..3).all(|axis| cell[axis] > 0 && cell[axis] + 1 < size[axis]) {
            // In the order in which a workgroup meets the faces. All numbers are exact: sums of halves and quarters.
            let mut sum = -through(0, moved(cell, 0, true));
            sum += through(1, cell);
            sum -= through(1, moved(cell, 1, true));
            sum += through(2, cell);
            sum -= through(2, moved(cell, 2, true));
            *flow = sum + through(0, cell);
        }
    }
    let mut answer = Answer::default();
    answer.add("flows", &flows);
    answer
}
