//! How long the first launch of a large kernel takes, in CPU time of this process, since a busy
//! machine takes longer. No other test may run in this process meanwhile.

mod devices;

use devices::devices;
use samebits::prelude::*;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Counts from the first reading on.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// How long all threads of this process have run. Only Linux says it; elsewhere it is the time of day.
fn process_time() -> Duration {
    let ticks = |text: String| {
        let mut numbers = text.rsplit_once(')')?.1.split_whitespace().skip(11).map(|number| number.parse::<u64>().ok());
        // A hundredth of a second each, in user mode and in the kernel.
        Some(Duration::from_millis(10 * (numbers.next()?? + numbers.next()??)))
    };
    std::fs::read_to_string("/proc/self/stat").ok().and_then(ticks).unwrap_or_else(|| START.elapsed())
}

/// A kernel of 4 statements for each literal, and one of 8 operations on `f64`, 3 of which are `mul_add`.
macro_rules! long {
    ($($copy:literal)*) => {
        #[kernel(workgroup_size(1))]
        fn long(o: &mut [u32], f: &mut [f32]) {
            let mut x = o[0];
            let mut y = f[0];
            $(
                x = x * 1664525 + $copy;
                y = y * 0.5 + (x >> 8) as f32;
                if x & 7 == $copy % 8 {
                    x ^= $copy;
                }
            )*
            o[0] = x;
            f[0] = y;
        }

        #[kernel(workgroup_size(1), features(f64))]
        fn fused(x: &[f64], y: &mut [f64]) {
            let (mut a, mut b, mut c, d) = (x[0], x[1], x[2], x[3]);
            $(
                a = a.mul_add(d, b);
                b = b * 0.25 + $copy as f64;
                c = (c - a).mul_add(d, a / b) + 0.5;
                b = c.mul_add(d, b);
            )*
            y[0] = a + b + c;
        }

        /// What it computes, by Rust.
        fn fused_by_rust([mut a, mut b, mut c, d]: [f64; 4]) -> f64 {
            $(
                a = a.mul_add(d, b);
                b = b * 0.25 + f64::from($copy);
                c = (c - a).mul_add(d, a / b) + 0.5;
                b = c.mul_add(d, b);
            )*
            a + b + c
        }
    };
}
long!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125);

/// All of the workgroup memory that a kernel may have, as rows of four.
#[kernel(workgroup_size(64))]
fn rows(o: &mut [f32]) {
    #[shared]
    let tile: [[f32; 4]; 1024];
    let l = local_index();
    for k in 0..16 {
        tile[k * 64 + l][l % 4] = (k * 64 + l) as f32;
    }
    workgroup_barrier();
    let mut sum = 0.0f32;
    for k in 0..16 {
        let row = l * 16 + k;
        sum += tile[row][0] + tile[row][1] + tile[row][2] + tile[row][3];
    }
    o[l] = sum;
}

/// The bound is that of a user's patience; it takes a fraction of it.
#[test]
fn large_kernels_start_within_seconds() {
    const PATIENCE: Duration = Duration::from_secs(5);
    let (mut x, mut y) = (1u32, 1.0f32);
    for copy in 1..126u32 {
        x = x.wrapping_mul(1_664_525).wrapping_add(copy);
        y = y * 0.5 + (x >> 8) as f32;
        if x & 7 == copy % 8 {
            x ^= copy;
        }
    }
    for device in devices() {
        let mut words = device.upload(&[1u32]).unwrap();
        let mut floats = device.upload(&[1.0f32]).unwrap();
        let mut sums = device.zeros::<f32>(64).unwrap();
        device.wait().unwrap();

        let start = process_time();
        long::launch(&device, 1, &mut words, &mut floats).unwrap();
        assert_eq!((words.read().unwrap(), floats.read().unwrap()), (vec![x], vec![y]), "on {}", device.name());
        let took = process_time() - start;
        assert!(took < PATIENCE, "{took:?} for the long kernel on {}", device.name());

        let start = process_time();
        rows::launch(&device, 64, &mut sums).unwrap();
        // Sixteen numbers from 16 l: 16 · 16 l + 15 · 8.
        let expected: Vec<f32> = (0..64).map(|l| (256 * l + 120) as f32).collect();
        assert_eq!(sums.read().unwrap(), expected, "on {}", device.name());
        let took = process_time() - start;
        assert!(took < PATIENCE, "{took:?} for rows of workgroup memory on {}", device.name());

        // Where `f64` is computed in words, a thousand operations are too many.
        let report = device.report().to_string();
        if report.lines().any(|line| line.trim_start().starts_with("f64.sum") && line.contains(" routine ")) {
            continue;
        }
        let operands = [0.75, 1.25, -0.5, 0.3];
        let x = device.upload(&operands).unwrap();
        let mut y = device.zeros::<f64>(1).unwrap();
        device.wait().unwrap();
        let start = process_time();
        fused::launch(&device, 1, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [fused_by_rust(operands)], "on {}", device.name());
        let took = process_time() - start;
        assert!(took < PATIENCE, "{took:?} for a thousand operations on f64 on {}", device.name());
    }
}
