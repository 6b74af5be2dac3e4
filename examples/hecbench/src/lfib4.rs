//! Marsaglia's generator LFIB4, in parallel: each number is the sum of those 55, 119, 179 and 256 before it.
//!
//! The numbers are cut into columns. The first column, and the numbers that follow the unit state, are computed by one
//! workgroup each, 32 at a time, as many as do not need each other. From these come factors with which one workgroup
//! finds the last 256 numbers of each column from those of the column before. Then all other columns follow at once,
//! eight for each workgroup.
//!
//! Sizes: 2²⁸ numbers of `u32` in 16, 64, 256, 1024 and 4096 columns.
//! What differs: the suite has two thousand million numbers, which need 8 GB; its numbers of columns double.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use crate::numbers::Random;
use samebits::prelude::*;

/// The state.
#[device]
const STATE: usize = 256;
/// Columns of a workgroup.
#[device]
const COLUMNS: usize = 8;

/// The number that follows the ones before a place.
#[device]
fn next(x: &[u32], at: usize) -> u32 {
    x[at - 55] + x[at - 119] + x[at - 179] + x[at - 256]
}

/// The column that begins with the state.
#[kernel(workgroup_size(STATE))]
pub(crate) fn first_column(length: usize, x: &mut [u32]) {
    #[shared]
    let window: [u32; 2 * STATE];
    let lane = local_id().x;
    window[lane] = x[lane];
    workgroup_barrier();
    for k in 1..length / STATE {
        for i in 0..8 {
            if lane < 32 {
                let at = STATE + i * 32 + lane;
                window[at] = next(&window, at);
            }
            workgroup_barrier();
        }
        let number = window[STATE + lane];
        window[lane] = number;
        if workgroup_id().x == 0 {
            x[k * STATE + lane] = number;
        }
        workgroup_barrier();
    }
}

/// The last three states of a column that follows the unit state.
#[kernel(workgroup_size(STATE))]
pub(crate) fn unit_column(length: usize, y: &mut [u32]) {
    #[shared]
    let window: [u32; 3 * STATE];
    let lane = local_id().x;
    window[2 * STATE + lane] = if lane == 0 { 1 } else { 0 };
    workgroup_barrier();
    for _ in 0..length / STATE {
        window[lane] = window[STATE + lane];
        window[STATE + lane] = window[2 * STATE + lane];
        workgroup_barrier();
        for i in 0..8 {
            if lane < 32 {
                let at = 2 * STATE + i * 32 + lane;
                window[at] = next(&window, at);
            }
            workgroup_barrier();
        }
    }
    if workgroup_id().x == 0 {
        for k in 0..3 {
            y[k * STATE + lane] = window[k * STATE + lane];
        }
    }
}

/// The last state of each column.
#[kernel(workgroup_size(512), limits(invocations = 512))]
pub(crate) fn last_states(length: usize, columns: usize, y: &[u32], x: &mut [u32]) {
    // Factors of a state's numbers, by which of the four sums they enter.
    #[shared]
    let a: [u32; 3 * STATE];
    #[shared]
    let b: [u32; 2 * STATE];
    #[shared]
    let c: [u32; 2 * STATE];
    #[shared]
    let d: [u32; 2 * STATE];
    let lane = local_id().x;
    a[lane] = y[lane];
    if lane < STATE {
        a[2 * STATE + lane] = y[2 * STATE + lane];
    }
    workgroup_barrier();
    let at = STATE + lane;
    // The differences of 55, 119, 179 and 256.
    b[lane] = a[at] + a[at - 77];
    c[lane] = a[at] + a[at - 60] + a[at - 137];
    d[lane] = a[at] + a[at - 64] + a[at - 124] + a[at - 201];
    workgroup_barrier();
    for column in 1..columns {
        if lane < STATE {
            let end = column * length;
            let mut sum = 0;
            // The column's last state comes from the one before, which is farther back than a state.
            unsafe {
                #[unroll(never)]
                for k in 0..77 {
                    sum += x[end - 256 + k] * a[2 * STATE + lane - k];
                }
                #[unroll(never)]
                for k in 0..60 {
                    sum += x[end - 179 + k] * b[STATE + lane - k];
                }
                #[unroll(never)]
                for k in 0..64 {
                    sum += x[end - 119 + k] * c[STATE + lane - k];
                }
                #[unroll(never)]
                for k in 0..55 {
                    sum += x[end - 55 + k] * d[STATE + lane - k];
                }
                x[end + length - STATE + lane] = sum;
            }
        }
        workgroup_barrier();
    }
}

/// All columns but the first, up to their last state.
#[kernel(workgroup_size(STATE))]
pub(crate) fn other_columns(length: usize, columns: usize, x: &mut [u32]) {
    #[shared]
    let windows: [[u32; 2 * STATE]; COLUMNS];
    let lane = local_id().x;
    let (own, free) = (lane / 32, lane % 32);
    let first = workgroup_id().x * COLUMNS;
    for k in 0..COLUMNS {
        let column = first + k;
        if column > 0 && column < columns {
            // Each workgroup stores to its own columns, up to their last states.
            windows[k][lane] = unsafe { x[column * length - STATE + lane] };
        }
    }
    workgroup_barrier();
    for block in 0..length / STATE - 1 {
        for i in 0..8 {
            let at = STATE + i * 32 + free;
            windows[own][at] = next(&windows[own], at);
            workgroup_barrier();
        }
        for k in 0..COLUMNS {
            let column = first + k;
            if column > 0 && column < columns {
                let number = windows[k][STATE + lane];
                windows[k][lane] = number;
                unsafe { x[column * length + block * STATE + lane] = number };
            }
        }
        workgroup_barrier();
    }
}

/// How many numbers, in how many columns of which length, and the state.
struct Inputs {
    n: usize,
    columns: Vec<(usize, usize)>,
    state: Vec<u32>,
}

fn inputs(scale: Scale) -> Inputs {
    let n = scale.of(9000, 1 << 28);
    let columns = scale.of(&[4, 9][..], &[16, 64, 256, 1024, 4096]).iter().map(|&columns| {
        let length = n / columns / STATE * STATE;
        (n.div_ceil(length), length)
    });
    let mut random = Random::new(1234);
    Inputs { n, columns: columns.collect(), state: (0..STATE).map(|_| random.bits() as u32).collect() }
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let Inputs { n, columns, state } = inputs(scale);
    let most = columns.iter().map(|(columns, length)| columns * length).max().unwrap_or(0);
    let mut x = device.zeros::<u32>(most)?;
    let mut y = device.zeros::<u32>(3 * STATE)?;
    // The answer has the numbers of the last step.
    let mut sums = Vec::new();
    Ok(Job::new(["numbers"], move |ask| {
        match ask {
            Ask::Step(_) => {
                sums.clear();
                for &(columns, length) in &columns {
                    x.write(0, &state)?;
                    first_column::launch(device, STATE, length, &mut x)?;
                    unit_column::launch(device, STATE, length, &mut y)?;
                    last_states::launch(device, 2 * STATE, length, columns, &y, &mut x)?;
                    let grid = Grid::groups(columns.div_ceil(COLUMNS), 1, 1);
                    other_columns::launch(device, grid, length, columns, &mut x)?;
                    if scale == Scale::Small {
                        sums.push(x.read_range(..n)?);
                    }
                }
            }
            Ask::Answer(answer) => {
                for numbers in &sums {
                    answer.add("numbers", numbers);
                }
            }
        }
        Ok(())
    }))
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let Inputs { n, columns, state } = inputs(scale);
    let mut numbers = state;
    for i in numbers.len()..n {
        numbers.push([55, 119, 179, 256].iter().fold(0, |sum: u32, back| sum.wrapping_add(numbers[i - back])));
    }
    let mut answer = Answer::default();
    for _ in columns {
        answer.add("numbers", &numbers);
    }
    answer
}
