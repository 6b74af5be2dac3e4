//! A wave on a square-meshed membrane with a fixed rim. Each rank has some rows, and after each step the ranks exchange the
//! rows at the seams.

use crate::number;
use crate::ranks::{Ranks, Rows};
use samebits::prelude::*;
use std::error;

/// The square of the speed of the wave, in meshes per step.
#[device]
const SPEED: f32 = 0.25;

/// A step. `before` is the membrane one step ago, and becomes what it is one step ahead. Both have the rows from `above` on.
/// The rim stays as it is, and so do the first and the last row that are here, which are neighbours' or rim.
#[kernel(workgroup_size(16, 16))]
fn swing(width: usize, above: usize, height: usize, now: &[f32], before: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    let i = y * width + x;
    let row = above + y;
    if x > 0 && x + 1 < width && row > 0 && row + 1 < height && y > 0 && i + width < now.len() && i < before.len() {
        let around = now[i - 1] + now[i + 1] + (now[i - width] + now[i + width]);
        before[i] = 2.0 * now[i] - before[i] + SPEED * (around - 4.0 * now[i]);
    }
}

/// How far the membrane is moved at a place when it is let go.
///
/// ```
/// assert_eq!(samebits_cluster::wave::start(8, 6, 0, 3), 0.0); // the rim
/// ```
pub fn start(width: usize, height: usize, x: usize, y: usize) -> f32 {
    let is_rim = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
    if is_rim { 0.0 } else { number(3, y * width + x) }
}

/// The membrane after so many steps, on rank 0.
pub fn run(
    ranks: &Ranks,
    device: &Device,
    (width, height): (usize, usize),
    steps: usize,
) -> Result<Option<Vec<f32>>, Box<dyn error::Error>> {
    let rows = ranks.rows(height, width)?;
    let held = rows.held();
    let places = held.clone().flat_map(|y| (0..width).map(move |x| (x, y)));
    let at_rest: Vec<f32> = places.map(|(x, y)| start(width, height, x, y)).collect();
    let mut before = device.upload(&at_rest)?;
    let mut now = device.upload(&at_rest)?;
    for _ in 0..steps {
        swing::launch(device, (width, held.len()), width, held.start, height, &now, &mut before)?;
        std::mem::swap(&mut now, &mut before);
        ranks.exchange(&rows, &mut now)?;
    }
    Ok(ranks.gather_first(&rows, &own(&rows, &now)?))
}

/// What a buffer of the held rows has of the rank's own.
fn own(rows: &Rows, buffer: &Buffer<f32>) -> Result<Vec<f32>, Error> {
    let place = |row: usize| (row - rows.held().start) * rows.width();
    buffer.read_range(place(rows.own().start)..place(rows.own().end))
}
