//! The data set with which Shapley values are estimated: an observation, some of whose columns are those of a background.
//!
//! One kernel has a workgroup for each row of a mask that is given. The other one draws a mask at random for each
//! workgroup, and makes rows for it and for its complement. Each row of the mask is combined with each row of the
//! background.
//!
//! Sizes: 1,000 rows that are given, 1,000 that are drawn, and both; 2,000 columns; ten rows of background; ten or eleven
//! columns are drawn. Numbers are `f32`, random ones `f64`.
//! What differs: places are cleared in each step, as the same buffers are used again.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::prelude::*;

/// The grid has a workgroup for each row of the mask.
#[kernel(workgroup_size(256))]
pub(crate) fn exact_rows(
    of_background: usize,
    mask: &[f32],
    background: &[f32],
    observation: &[f32],
    rows: &mut [f32],
) {
    let columns = observation.len();
    let row = workgroup_id().x;
    for column in (local_id().x..columns).step_by(256) {
        let chosen = mask[row * columns + column] != 0.0;
        for k in 0..of_background {
            let number = if chosen { observation[column] } else { background[k * columns + column] };
            // Each workgroup has its own rows, which is not proven for three factors.
            unsafe { rows[(row * of_background + k) * columns + column] = number };
        }
    }
}

/// The next number from 0 to below 1.
#[device]
fn next(seed: &mut u64) -> f64 {
    *seed = (2_806_196_910_506_780_709 * *seed + 1) % (1 << 63);
    *seed as f64 / (1u64 << 63) as f64
}

/// The grid has a workgroup for two rows of the mask.
#[kernel(workgroup_size(256), features(f64, float_atomics))]
pub(crate) fn sampled_rows(
    seed: u64,
    of_background: usize,
    samples: &[i32],
    mask: &[Atomic<f32>],
    background: &[f32],
    observation: &[f32],
    rows: &mut [f32],
) {
    let columns = observation.len();
    let group = workgroup_id().x;
    let (row, complement) = (2 * group, 2 * group + 1);
    if (local_id().x as i32) < samples[group] {
        // All draw the same numbers, and each takes the first column that nobody has.
        let mut seed = seed;
        let mut column = (next(&mut seed) * columns as f64) as usize;
        while mask[row * columns + column].swap(1.0) == 1.0 {
            column = (next(&mut seed) * columns as f64) as usize;
        }
    }
    workgroup_barrier();
    for column in (local_id().x..columns).step_by(256) {
        let chosen = mask[row * columns + column].load();
        mask[complement * columns + column].store(1.0 - chosen);
        for k in 0..of_background {
            let (own, other) = (observation[column], background[k * columns + column]);
            let (here, there) = if chosen == 0.0 { (other, own) } else { (own, other) };
            unsafe {
                rows[(row * of_background + k) * columns + column] = here;
                rows[(complement * of_background + k) * columns + column] = there;
            }
        }
    }
}

struct Inputs {
    /// Rows that are given and rows that are drawn, of each case.
    cases: Vec<[usize; 2]>,
    columns: usize,
    /// Columns that are drawn at most.
    most: i32,
    background: Vec<f32>,
    observation: Vec<f32>,
}

const SEED: u64 = 1234;

fn inputs(scale: Scale) -> Inputs {
    let (n, columns, of_background) = scale.of((6, 300, 2), (1000, 2000, 10));
    let cases = vec![[n, 0], [0, n], [n, n]];
    let background = (0..of_background * columns).map(|i| (i / columns * 2 + 1) as f32).collect();
    let observation = vec![(n * of_background * columns * 100) as f32; columns];
    Inputs { cases, columns, most: scale.of(200, 11), background, observation }
}

/// The mask's rows that are given: two columns each.
fn given(rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|i| f32::from([i / columns, i / columns + 1].contains(&(i % columns)))).collect()
}

/// How many columns each workgroup draws.
fn samples(rows: usize, most: i32) -> Vec<i32> {
    (0..rows / 2).map(|group| most - (group % 2) as i32).collect()
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { cases, columns, most, background, observation } = inputs(scale);
    let of_background = background.len() / columns;
    let (background, observation) = (device.upload(&background)?, device.upload(&observation)?);
    let mut buffers = Vec::new();
    for &[exact, sampled] in &cases {
        let mut mask = given(exact, columns);
        mask.resize((exact + sampled) * columns, 0.0);
        let rows = device.zeros::<f32>((exact + sampled) * of_background * columns)?;
        buffers.push((device.upload(&mask)?, device.upload(&samples(sampled, most))?, rows));
    }
    Ok(Job::new(["given", "drawn", "both"], move |ask| {
        match ask {
            Ask::Step(case) => {
                let [exact, sampled] = cases[case];
                let (mask, samples, rows) = &mut buffers[case];
                let (given, mut drawn) = mask.split_at_mut(exact * columns)?;
                let (first, mut rest) = rows.split_at_mut(exact * of_background * columns)?;
                let (mut first, given) = (first, given);
                if exact > 0 {
                    let grid = Grid::groups(exact, 1, 1);
                    exact_rows::launch(device, grid, of_background, &given, &background, &observation, &mut first)?;
                }
                if sampled > 0 {
                    drawn.fill(0.0)?;
                    let grid = Grid::groups(sampled / 2, 1, 1);
                    let (background, observation) = (&background, &observation);
                    sampled_rows::launch(
                        device,
                        grid,
                        SEED,
                        of_background,
                        samples,
                        &mut drawn,
                        background,
                        observation,
                        &mut rest,
                    )?;
                }
            }
            Ask::Answer(answer) => {
                for (mask, _, rows) in &buffers {
                    answer.add("mask", &mask.read()?);
                    answer.add("rows", &rows.read()?);
                }
            }
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { cases, columns, most, background, observation } = inputs(scale);
    let mut answer = Answer::default();
    for [exact, sampled] in cases {
        let mut mask = given(exact, columns);
        for wanted in samples(sampled, most) {
            let mut row = vec![0.0; columns];
            let mut seed = SEED;
            let mut chosen = 0;
            while chosen < wanted {
                seed = 2_806_196_910_506_780_709u64.wrapping_mul(seed).wrapping_add(1) & i64::MAX as u64;
                let column = (seed as f64 / 2f64.powi(63) * columns as f64) as usize;
                chosen += i32::from(row[column] == 0.0);
                row[column] = 1.0;
            }
            let complement: Vec<f32> = row.iter().map(|chosen| 1.0 - chosen).collect();
            mask.extend(row);
            mask.extend(complement);
        }
        let mut rows = Vec::new();
        for mask in mask.chunks(columns) {
            for other in background.chunks(columns) {
                let both = mask.iter().zip(observation.iter().zip(other));
                rows.extend(both.map(|(chosen, (own, other))| if *chosen == 0.0 { *other } else { *own }));
            }
        }
        answer.add("mask", &mask);
        answer.add("rows", &rows);
    }
    answer
}
