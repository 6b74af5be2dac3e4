//! Indices of 64 bits: `x[i as usize]` of a `u64` or an `i64`, which never reaches another element.

use crate::twins;
use samebits::prelude::*;

twins! {
    indices_of_64_bits([3, 1, 2, 5, 4, 0, 7, 6]);
    { fn at(x: &[u32], i: usize) -> u32 { x[i] } }
    { fn if_there(x: &[u32], i: usize) -> u32 { if i < x.len() { x[i] } else { 99 } } }
    { fn joined(low: u32, high: u32) -> u64 { low as u64 | (high as u64) << 32 } }
    kernel(x, y) {
        let low = joined(x[0], x[5]);
        let high = joined(x[0], x[1]);
        let below = -(x[1] as i64);
        y[0] = x[low as usize];
        y[1] = x[(low + 1) as usize];
        let i = low as usize;
        let same = i;
        y[2] = x[i] + x[same];
        y[i] = at(x, i) + at(x, (low * 2) as usize) * 10;
        y[4] = if_there(x, low as usize) + if_there(x, high as usize) * 100;
        y[5] = if_there(x, below as usize) + if_there(x, (below + 2) as usize) * 100;
        let far = high as usize;
        if far < x.len() { y[6] = 1; } else { y[6] = 2; }
        if far == i { y[7] = 1; } else { y[7] = 2; }
        if i == 3 && far != 3 && far > i && i <= 3 && far >= far { y[8] = 3; }
        let own = [10u32, 20, 30, 40];
        y[9] = own[low as usize] + own[(x[1] as i64) as usize];
        let mut kept = [0u32; 8];
        kept[i] = 5;
        kept[(low ^ 1) as usize] += 6;
        y[10] = kept[3] * 10 + kept[2];
        let first = |at: usize| x[at];
        y[11] = first(low as usize);
        for k in low..low + 3 { y[(k + x[5] as u64) as usize] += 100; y[(k + 10) as usize] += x[k as usize]; }
        let grid = [[1u32, 2], [3, 4]];
        y[20] = grid[(low & 1) as usize][(low - 2) as usize];
        let pair = (low as i64 - 3, low);
        y[21] = x[pair.0 as usize] + x[{ y[22] = 7; pair.1 as usize }];
    }
}

/// An index that does not fit is out of bounds of everything: of a buffer, of an array and of workgroup memory.
#[test]
fn what_does_not_fit_is_out_of_bounds() {
    #[device]
    fn at(x: &[u32], i: usize) -> u32 {
        x[i]
    }
    #[kernel(workgroup_size(1))]
    fn beyond(wide: &[u64], signed: &[i64], x: &[u32], o: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        tile[1] = 8;
        workgroup_barrier();
        let own = [5u32, 6, 7, x[0]];
        for k in 0..wide.len() {
            let i = wide[k] as usize;
            let j = signed[k] as usize;
            o[k * 8] = x[i] + at(x, j) + own[i] + tile[j] + 1;
            if k > 0 {
                o[(wide[k] + 1) as usize] = 77;
                o[j] = 78;
                o[i] += 79;
            }
            o[k * 8 + 1] = (i < x.len()) as u32 + (j < x.len()) as u32 * 2 + (i == j) as u32 * 4;
        }
        // The number that stands for what does not fit is no index of anything itself.
        o[2] = x[usize::MAX];
    }
    for device in crate::devices() {
        let wide = device.upload(&[1u64, 1 << 32 | 1, u64::MAX - 1, 1 << 63, u32::MAX as u64]).unwrap();
        let signed = device.upload(&[2i64, -1, 1 << 40, i64::MIN, -(1i64 << 32) + 1]).unwrap();
        let x = device.upload(&[10u32, 20, 30]).unwrap();
        let mut out = device.zeros::<u32>(40).unwrap();
        beyond::launch(device, 1, &wide, &signed, &x, &mut out).unwrap();
        let mut expected = [0u32; 40];
        for k in 0..5 {
            expected[k * 8] = 1;
        }
        expected[0] = 20 + 30 + 6 + 1;
        expected[1] = 1 + 2;
        expected[25] = 4;
        crate::same(device, &out, &expected);
    }
}

/// A helper for every integer, and a loop over 64 bits.
#[test]
fn any_integer_is_an_index() {
    #[device]
    fn at<T: Int>(x: &[f32], i: T) -> f32 {
        x[i as usize]
    }
    #[kernel(workgroup_size(1))]
    fn rows(starts: &[u64], columns: &[i64], values: &[f32], o: &mut [f32]) {
        for row in 0..o.len() {
            let mut sum = 0.0;
            for k in starts[row]..starts[row + 1] {
                sum += values[k as usize] * values[columns[k as usize] as usize];
            }
            o[row] = sum + at(values, 1i8) + at(values, columns[0]) + at(values, 2u16);
        }
    }
    for device in crate::devices() {
        let starts = device.upload(&[0u64, 2, 3]).unwrap();
        let columns = device.upload(&[2i64, 0, 1]).unwrap();
        let values = device.upload(&[1.0f32, 10.0, 100.0]).unwrap();
        let mut out = device.zeros::<f32>(2).unwrap();
        rows::launch(device, 1, &starts, &columns, &values, &mut out).unwrap();
        crate::same(device, &out, &[110.0 + 210.0, 1000.0 + 210.0]);
    }
}
