//! Softmax: each row of a matrix becomes numbers between 0 and 1 whose sum is 1.
//!
//! A workgroup takes a row: its greatest number, the sum of the powers, and the quotients. The sum is added along a
//! tree, the same everywhere.

use samebits::math;
use samebits::prelude::*;

/// Invocations of a workgroup, each of which takes every so many'th number of its row.
const GROUP: usize = 256;

#[kernel(workgroup_size(256), requires(y.len() >= x.len()))]
pub(crate) fn softmax(width: usize, x: &[f32], y: &mut [f32]) {
    #[shared]
    let tile: [f32; 256];
    let lane = local_index();
    let first = workgroup_id().x * width;

    let mut most = f32::NEG_INFINITY;
    for column in (lane..width).step_by(256) {
        most = most.max(x[first + column]);
    }
    tile[lane] = most;
    workgroup_barrier();
    let mut half = 128;
    while half > 0 {
        if lane < half {
            tile[lane] = tile[lane].max(tile[lane + half]);
        }
        workgroup_barrier();
        half /= 2;
    }
    let most = broadcast(&tile[0]);

    let mut sum = 0.0;
    for column in (lane..width).step_by(256) {
        sum += (x[first + column] - most).exp();
    }
    tile[lane] = sum;
    workgroup_barrier();
    half = 128;
    while half > 0 {
        if lane < half {
            tile[lane] += tile[lane + half];
        }
        workgroup_barrier();
        half /= 2;
    }
    let sum = broadcast(&tile[0]);

    for column in (lane..width).step_by(256) {
        y[first + column] = (x[first + column] - most).exp() / sum;
    }
}

/// The softmax of each row, computed on a device.
pub fn on(device: &Device, width: usize, x: &[f32]) -> Result<Vec<f32>, Error> {
    let (buffer, mut y) = (device.upload(x)?, device.zeros(x.len())?);
    softmax::launch(device, Grid::groups(x.len() / width, 1, 1), width, &buffer, &mut y)?;
    y.read()
}

/// The same in plain Rust.
pub fn plain(width: usize, x: &[f32]) -> Vec<f32> {
    let row = |x: &[f32]| {
        let most = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = x.iter().map(|x| math::exp(x - most)).collect();
        let mut tile = [0.0f32; GROUP];
        for (column, power) in powers.iter().enumerate() {
            tile[column % GROUP] += power;
        }
        let mut half = GROUP / 2;
        while half > 0 {
            for lane in 0..half {
                tile[lane] += tile[lane + half];
            }
            half /= 2;
        }
        powers.into_iter().map(move |power| power / tile[0]).collect::<Vec<f32>>()
    };
    x.chunks(width).flat_map(row).collect()
}
