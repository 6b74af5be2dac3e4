//! Look-ups in constant tables, beside the same numbers in a buffer.
//!
//! `cargo bench -p samebits --bench tables [-- DEVICE]`, with a part of a device's name. Each
//! invocation makes 256 look-ups at places that depend on what it found before. Shown are the
//! first launch, which compiles the kernel, and the median of later ones, and how they compare
//! with those by a buffer of the same content. Both give the same sums.
#![allow(missing_docs)]

use samebits::prelude::*;
use std::time::{Duration, Instant};

/// A table of numbers that double with each star.
macro_rules! table {
    ($name:ident: $len:literal, [] $($number:literal)*) => {
        #[device]
        const $name: [u32; $len] = [$($number),*];
    };
    ($name:ident: $len:literal, [* $($more:tt)*] $($number:literal)*) => {
        table!($name: $len, [$($more)*] $($number)* $($number)*);
    };
}

table!(SMALL: 256, [* * * * *] 7 919 104729 1299709 15485863 179424673 2038074743 13);
table!(MIDDLE: 1024, [* * * * * * *] 7 919 104729 1299709 15485863 179424673 2038074743 13);
table!(LARGE: 16384, [* * * * * * * * * * *] 7 919 104729 1299709 15485863 179424673 2038074743 13);

macro_rules! kernels {
    ($($table:ident, $len:literal: $constant:ident, $buffer:ident;)*) => {
        $(
            #[kernel(workgroup_size(64))]
            fn $constant(y: &mut [u32]) {
                let i = global_id().x;
                let mut sum = i as u32;
                #[unroll(never)]
                for _ in 0..256 {
                    sum = sum * 5 + $table[sum as usize % $len];
                }
                y[i] = sum;
            }

            #[kernel(workgroup_size(64))]
            fn $buffer(t: &[u32], y: &mut [u32]) {
                let i = global_id().x;
                let mut sum = i as u32;
                #[unroll(never)]
                for _ in 0..256 {
                    sum = sum * 5 + t[sum as usize % $len];
                }
                y[i] = sum;
            }
        )*
    };
}

kernels! {
    SMALL, 256: small, small_buffer;
    MIDDLE, 1024: middle, middle_buffer;
    LARGE, 16384: large, large_buffer;
}

const LEN: usize = 1 << 16;
const ROUNDS: usize = 11;

/// The times of the first launch and of the median of the others, up to the result.
fn times(
    y: &mut Buffer<u32>,
    mut launch: impl FnMut(&mut Buffer<u32>) -> Result<(), Error>,
) -> Result<[Duration; 2], Error> {
    let mut all = Vec::new();
    for _ in 0..=ROUNDS {
        let start = Instant::now();
        launch(y)?;
        y.read()?;
        all.push(start.elapsed());
    }
    let first = all.remove(0);
    all.sort();
    Ok([first, all[ROUNDS / 2]])
}

fn main() -> Result<(), Error> {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_else(|| "wgpu".to_owned());
    let device = match Device::named(&wanted) {
        Ok(device) => device,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    println!("{}", device.name());
    let mut y = device.zeros::<u32>(LEN)?;
    macro_rules! compare {
        ($($table:ident: $constant:ident, $buffer:ident;)*) => {
            $({
                let constant = times(&mut y, |y| $constant::launch(&device, LEN, y))?;
                let expected = y.read()?;
                let t = device.upload(&$table)?;
                let buffer = times(&mut y, |y| $buffer::launch(&device, LEN, &t, y))?;
                assert!(y.read()? == expected, "a table and a buffer give the same");
                let shown = |[first, steady]: [Duration; 2]| format!("first {first:>9.1?}, then {steady:>9.1?}");
                let [first, steady] = [0, 1].map(|i| constant[i].as_secs_f64() / buffer[i].as_secs_f64());
                println!("{:>6} numbers: table {}; buffer {}", $table.len(), shown(constant), shown(buffer));
                println!("               the table takes {first:.2} and {steady:.2} times as long");
            })*
        };
    }
    compare! {
        SMALL: small, small_buffer;
        MIDDLE: middle, middle_buffer;
        LARGE: large, large_buffer;
    }
    Ok(())
}
