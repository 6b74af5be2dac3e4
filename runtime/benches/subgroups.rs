//! Sums over workgroups: by subgroup operations, beside a tree in workgroup memory.
//!
//! `cargo bench -p samebits --bench subgroups [-- DEVICE]`, with a part of a device's name. Where the
//! device's subgroups are those of the language, an operation is an instruction or a few;
//! elsewhere it goes through workgroup memory too. Each workgroup makes 64 sums, so that they and
//! not the buffers take the time. Both give the same sums, and the median
//! of the rounds counts.
#![allow(missing_docs)]

use samebits::prelude::*;
use std::time::Instant;

#[kernel(workgroup_size(256))]
fn in_a_tree(x: &[u32], out: &mut [u32]) {
    #[shared]
    let tile: [u32; 256];
    let (i, lane) = (global_id().x, local_id().x);
    let mut sum = x[i];
    #[unroll(never)]
    for _ in 0..64 {
        tile[lane] = sum ^ lane as u32;
        workgroup_barrier();
        let mut step = 128;
        while step > 0 {
            if lane < step {
                tile[lane] += tile[lane + step];
            }
            workgroup_barrier();
            step /= 2;
        }
        sum = tile[0];
        workgroup_barrier();
    }
    out[i] = sum;
}

#[kernel(workgroup_size(256))]
fn by_subgroups(x: &[u32], out: &mut [u32]) {
    #[shared]
    let sums: [u32; 8];
    let (i, lane) = (global_id().x, local_id().x);
    let mut sum = x[i];
    #[unroll(never)]
    for _ in 0..64 {
        let part = subgroup_add(sum ^ lane as u32);
        if subgroup_lane() == 0 {
            sums[subgroup_id()] = part;
        }
        workgroup_barrier();
        sum = subgroup_add(if subgroup_lane() < 8 { sums[subgroup_lane()] } else { 0 });
        workgroup_barrier();
    }
    out[i] = sum;
}

const LEN: usize = 1 << 22;
const ROUNDS: usize = 21;

fn main() -> Result<(), Error> {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_else(|| "wgpu".to_owned());
    let device = match Device::named(&wanted) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    let words: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(0x9e37_79b1)).collect();
    let x = device.upload(&words)?;
    let (mut tree, mut subgroups) = (device.zeros::<u32>(LEN)?, device.zeros::<u32>(LEN)?);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..=ROUNDS {
        let begin = Instant::now();
        in_a_tree::launch(&device, LEN, &x, &mut tree)?;
        device.wait()?;
        times[0].push(begin.elapsed());
        let begin = Instant::now();
        by_subgroups::launch(&device, LEN, &x, &mut subgroups)?;
        device.wait()?;
        times[1].push(begin.elapsed());
    }
    assert_eq!(tree.read()?, subgroups.read()?);
    let [tree, subgroups] = times.map(|mut times| {
        // The first launch compiles.
        times.remove(0);
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e3
    });
    println!("64 sums of {LEN} words in workgroups of 256 on {}; medians of {ROUNDS} rounds", device.name());
    println!(
        "tree in workgroup memory {tree:.3} ms, subgroup operations {subgroups:.3} ms: {:.2} times as fast",
        tree / subgroups
    );
    Ok(())
}
