//! Kernels at the limits: all the workgroup memory there is, and hundreds of statements.

use super::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn all_of_workgroup_memory(o: &mut [f32]) {
    #[shared]
    let s: [f32; 4096];
    let i = local_id().x;
    for k in 0..64 {
        s[k * 64 + i] = (k * 64 + i) as f32;
    }
    workgroup_barrier();
    let mut sum = 0.0f32;
    for k in 0..64 {
        sum += s[i * 64 + k];
    }
    o[i] = sum;
}

#[test]
fn a_workgroup_may_use_all_of_its_memory() {
    for device in devices() {
        let mut out = device.zeros::<f32>(64).unwrap();
        all_of_workgroup_memory::launch(device, 64, &mut out).unwrap();
        // 64 numbers from 64 i: 64 · 64 i + 63 · 32.
        let expected: Vec<f32> = (0..64).map(|i| (4096 * i + 2016) as f32).collect();
        assert_eq!(out.read().unwrap(), expected, "on {}", device.name());
    }
}

/// A kernel of 125 × 4 statements, the same but for one literal.
macro_rules! long {
    ($name:ident, $factor:literal; $($copy:literal)*) => {
        #[kernel(workgroup_size(1))]
        fn $name(o: &mut [f32], n: &mut [u32]) {
            let mut x = 1u32;
            let mut f = 0.0f32;
            $(
                x = x * 1664525 + $copy;
                f += (x >> 30) as f32 * $factor;
                if x & 7 == $copy % 8 {
                    x ^= $copy;
                }
            )*
            n[0] = x;
            o[0] = f;
        }
    };
}

/// What [`long`] computes.
fn plain(factor: f32) -> (f32, u32) {
    let (mut x, mut f) = (1u32, 0.0f32);
    for copy in 1..126u32 {
        x = x.wrapping_mul(1_664_525).wrapping_add(copy);
        f += (x >> 30) as f32 * factor;
        if x & 7 == copy % 8 {
            x ^= copy;
        }
    }
    (f, x)
}

long!(first, 1000015.0; 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125);
long!(second, 1000025.0; 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125);

#[test]
fn long_kernels_that_differ_in_a_digit_are_two() {
    for device in devices() {
        let mut sum = device.zeros::<f32>(1).unwrap();
        let mut state = device.zeros::<u32>(1).unwrap();
        for _ in 0..2 {
            first::launch(device, 1, &mut sum, &mut state).unwrap();
            let got = (sum.read().unwrap()[0], state.read().unwrap()[0]);
            assert_eq!(got, plain(1_000_015.0), "on {}", device.name());
            second::launch(device, 1, &mut sum, &mut state).unwrap();
            let got = (sum.read().unwrap()[0], state.read().unwrap()[0]);
            assert_eq!(got, plain(1_000_025.0), "on {}", device.name());
        }
    }
}
