//! The sum of many numbers: a tree in workgroup memory, level by level until one is left.
//!
//! The tree is the same on every device, and so is the order in which floats are added;
//! their sum has the same bits everywhere, though not those of adding from left to right.

use samebits::prelude::*;

/// Numbers that a workgroup adds up.
const GROUP: usize = 256;

#[kernel(workgroup_size(256))]
pub(crate) fn add_words(numbers: &[u32], sums: &mut [u32]) {
    #[shared]
    let tile: [u32; 256];
    let lane = local_index();
    // Past the end there are zeros.
    tile[lane] = numbers[global_id().x];
    workgroup_barrier();
    let mut half = 128;
    while half > 0 {
        if lane < half {
            tile[lane] += tile[lane + half];
        }
        workgroup_barrier();
        half /= 2;
    }
    if lane == 0 {
        sums[workgroup_id().x] = tile[0];
    }
}

#[kernel(workgroup_size(256))]
pub(crate) fn add_floats(numbers: &[f32], sums: &mut [f32]) {
    #[shared]
    let tile: [f32; 256];
    let lane = local_index();
    tile[lane] = numbers[global_id().x];
    workgroup_barrier();
    let mut half = 128;
    while half > 0 {
        if lane < half {
            tile[lane] += tile[lane + half];
        }
        workgroup_barrier();
        half /= 2;
    }
    if lane == 0 {
        sums[workgroup_id().x] = tile[0];
    }
}

/// The wrapping sum of words, computed on a device.
pub fn words_on(device: &Device, numbers: &[u32]) -> Result<u32, Error> {
    let mut level = device.upload(numbers)?;
    while level.len() > 1 {
        let groups = level.len().div_ceil(GROUP);
        let mut sums = device.zeros(groups)?;
        add_words::launch(device, Grid::groups(groups, 1, 1), &level, &mut sums)?;
        level = sums;
    }
    Ok(level.read()?.first().copied().unwrap_or(0))
}

/// The sum of floats, added along the tree, computed on a device.
pub fn floats_on(device: &Device, numbers: &[f32]) -> Result<f32, Error> {
    let mut level = device.upload(numbers)?;
    while level.len() > 1 {
        let groups = level.len().div_ceil(GROUP);
        let mut sums = device.zeros(groups)?;
        add_floats::launch(device, Grid::groups(groups, 1, 1), &level, &mut sums)?;
        level = sums;
    }
    Ok(level.read()?.first().copied().unwrap_or(0.0))
}

/// The wrapping sum of words in plain Rust, in any order.
pub fn words_plain(numbers: &[u32]) -> u32 {
    numbers.iter().fold(0, |sum, number| sum.wrapping_add(*number))
}

/// The sum of floats in plain Rust, added along the same tree.
pub fn floats_plain(numbers: &[f32]) -> f32 {
    let mut level = numbers.to_vec();
    while level.len() > 1 {
        let group = |numbers: &[f32]| {
            let mut tile = [0.0; GROUP];
            tile[..numbers.len()].copy_from_slice(numbers);
            let mut half = GROUP / 2;
            while half > 0 {
                for lane in 0..half {
                    tile[lane] += tile[lane + half];
                }
                half /= 2;
            }
            tile[0]
        };
        level = level.chunks(GROUP).map(group).collect();
    }
    level.first().copied().unwrap_or(0.0)
}
