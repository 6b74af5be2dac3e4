//! Which numbers of a row, or of the rows or columns of a grid, are greater than all of their neighbours up to some
//! distance: strictly than those after, and no less than those before.
//!
//! An invocation looks at one number, or at several of a row. At the ends, places are cut off or go round.
//!
//! Sizes: a row of a million and a grid of 1000 × 1000, of `i32`, `i64`, `f32` and `f64`, for distances of 1, 2, 4 up to 128.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// The place so many after another one of `n`.
#[device]
fn after(i: usize, distance: usize, n: usize, clip: bool) -> usize {
    if i + distance < n {
        i + distance
    } else if clip {
        n - 1
    } else {
        i + distance - n
    }
}

/// The place so many before another one of `n`.
#[device]
fn before(i: usize, distance: usize, n: usize, clip: bool) -> usize {
    if i >= distance {
        i - distance
    } else if clip {
        0
    } else {
        i + n - distance
    }
}

#[kernel(workgroup_size(256), instances(T = [i32, i64, f32, f64]), features(f64))]
pub(crate) fn of_row<T: Number>(order: usize, clip: bool, x: &[T], found: &mut [bool]) {
    let n = x.len();
    for i in (global_id().x..n).step_by(256 * num_workgroups().x) {
        let number = x[i];
        let mut greatest = true;
        for distance in 1..=order {
            greatest &= number > x[after(i, distance, n, clip)];
            greatest &= number >= x[before(i, distance, n, clip)];
        }
        found[i] = greatest;
    }
}

#[kernel(workgroup_size(16, 16), instances(T = [i32, i64, f32, f64]), features(f64))]
pub(crate) fn of_grid<T: Number>(
    width: usize,
    height: usize,
    order: usize,
    clip: bool,
    axis: u32,
    x: &[T],
    found: &mut [bool],
) {
    let (column, row) = (global_id().x, global_id().y);
    if column < width && row < height {
        let i = row * width + column;
        let number = x[i];
        let mut greatest = true;
        for distance in 1..=order {
            let (next, last) = if axis == 0 {
                let (next, last) = (after(row, distance, height, clip), before(row, distance, height, clip));
                (next * width + column, last * width + column)
            } else {
                let (next, last) = (after(column, distance, width, clip), before(column, distance, width, clip));
                (row * width + next, row * width + last)
            };
            greatest &= number > x[next];
            greatest &= number >= x[last];
        }
        found[i] = greatest;
    }
}

struct Inputs {
    width: usize,
    height: usize,
    numbers: Vec<i32>,
    orders: Vec<usize>,
}

fn inputs(scale: Scale) -> Inputs {
    let mut random = Random::new(1);
    let (width, height) = scale.of((20, 10), (1000, 1000));
    let len = (width * height) as u32;
    let numbers = (0..len).map(|_| random.below(len) as i32).collect();
    Inputs { width, height, numbers, orders: (0..scale.of(3, 8)).map(|power| 1 << power).collect() }
}

/// The original's places are cut off.
const CLIP: bool = true;

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { width, height, numbers, orders } = inputs(scale);
    let words = device.upload(&numbers)?;
    let longs = device.upload(&numbers.iter().map(|x| i64::from(*x)).collect::<Vec<_>>())?;
    let singles = device.upload(&numbers.iter().map(|x| *x as f32).collect::<Vec<_>>())?;
    let doubles = device.upload(&numbers.iter().map(|x| f64::from(*x)).collect::<Vec<_>>())?;
    let n = numbers.len();
    // For each step, order and type.
    let mut found = Vec::new();
    for _ in 0..3 * orders.len() * 4 {
        found.push(device.zeros::<bool>(n)?);
    }
    Ok(Job::new(["row", "along rows", "along columns"], move |ask| {
        match ask {
            Ask::Step(step) => {
                let found = found.chunks_mut(4).skip(step * orders.len());
                for (order, found) in orders.iter().zip(found) {
                    let [of_words, of_longs, of_singles, of_doubles] = found else { unreachable!() };
                    if step == 0 {
                        of_row::launch(device, n, *order, CLIP, &words, of_words)?;
                        of_row::launch(device, n, *order, CLIP, &longs, of_longs)?;
                        of_row::launch(device, n, *order, CLIP, &singles, of_singles)?;
                        of_row::launch(device, n, *order, CLIP, &doubles, of_doubles)?;
                    } else {
                        let (grid, axis) = ((width, height), (2 - step) as u32);
                        of_grid::launch(device, grid, width, height, *order, CLIP, axis, &words, of_words)?;
                        of_grid::launch(device, grid, width, height, *order, CLIP, axis, &longs, of_longs)?;
                        of_grid::launch(device, grid, width, height, *order, CLIP, axis, &singles, of_singles)?;
                        of_grid::launch(device, grid, width, height, *order, CLIP, axis, &doubles, of_doubles)?;
                    }
                }
            }
            Ask::Answer(answer) => {
                for found in &found {
                    answer.add("found", &found.read()?);
                }
            }
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { width, height, numbers, orders } = inputs(scale);
    let mut answer = Answer::default();
    // How many numbers a line has, and how far its numbers are apart.
    let lines = [(width * height, 1), (width, 1), (height, width)];
    for (n, apart) in lines {
        for order in &orders {
            let greatest = |i: usize| {
                let at = i / apart % n;
                let place = |at: usize| i - i / apart % n * apart + at * apart;
                let after = (1..=*order).map(|distance| place((at + distance).min(n - 1)));
                let before = (1..=*order).map(|distance| place(at.saturating_sub(distance)));
                let [mut after, mut before] = [after.collect::<Vec<_>>(), before.collect()].map(Vec::into_iter);
                after.all(|j| numbers[i] > numbers[j]) && before.all(|j| numbers[i] >= numbers[j])
            };
            let found: Vec<bool> = (0..numbers.len()).map(greatest).collect();
            // The four types hold the same numbers.
            for _ in 0..4 {
                answer.add("found", &found);
            }
        }
    }
    answer
}
