//! Heat that spreads in a plate, whose rows are split over several devices: each computes its rows, and after every
//! step they exchange those at the seams.

use crate::cli::Size;
use samebits::prelude::*;
use samebits::split::Split;

/// How much of a difference flows in a step.
#[device]
const FLOW: f32 = 0.2;

/// A step of the rows from `above` on. The rim of the plate keeps its heat.
#[kernel(workgroup_size(16, 16))]
pub(crate) fn spread(width: usize, above: usize, height: usize, from: &[f32], to: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    let i = y * width + x;
    if x < width && i < from.len() && i < to.len() {
        let row = above + y;
        let mut heat = from[i];
        if row > 0 && row + 1 < height && x > 0 && x + 1 < width && y > 0 && i + width < from.len() {
            let around = from[i - 1] + from[i + 1] + (from[i - width] + from[i + width]);
            heat = from[i] + FLOW * (around - 4.0 * from[i]);
        }
        to[i] = heat;
    }
}

/// A cold plate with a hot edge and some hot spots.
pub fn plate(Size { width, height }: Size) -> Vec<f32> {
    let spot = |x: usize, y: usize| (x * 31 + y * 17).is_multiple_of(97);
    let heat = |x: usize, y: usize| {
        if y == 0 {
            100.0
        } else if spot(x, y) {
            60.0
        } else {
            0.0
        }
    };
    (0..width * height).map(|i| heat(i % width, i / width)).collect()
}

/// The plate after so many steps, on several devices.
pub fn on(devices: &[Device], size: Size, steps: usize, plate: &[f32]) -> Result<Vec<f32>, Error> {
    let Size { width, height } = size;
    let split = Split::evenly(devices, height, 1)?;
    let mut from = split.upload(width, plate)?;
    let mut to = split.zeros(width)?;
    for _ in 0..steps {
        from.step(&mut to, |part, from, to| {
            let held = part.held();
            spread::launch(part.device(), (width, held.len()), width, held.start, height, from, to)
        })?;
        to.exchange()?;
        std::mem::swap(&mut from, &mut to);
    }
    from.read()
}

/// The same in plain Rust.
pub fn plain(Size { width, height }: Size, steps: usize, plate: &[f32]) -> Vec<f32> {
    let mut heat = plate.to_vec();
    for _ in 0..steps {
        let from = heat.clone();
        for y in 1..height.saturating_sub(1) {
            for x in 1..width.saturating_sub(1) {
                let i = y * width + x;
                let around = from[i - 1] + from[i + 1] + (from[i - width] + from[i + width]);
                heat[i] = from[i] + FLOW * (around - 4.0 * from[i]);
            }
        }
    }
    heat
}
