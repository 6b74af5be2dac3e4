//! Large values as arguments of a launch: one parameter for each number.

use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Tables {
    a: [[u16; 8]; 4],
    scale: f32,
    order: [u8; 64],
}

#[test]
fn arrays_of_some_hundred_numbers_are_passed_by_value() {
    #[kernel(workgroup_size(1))]
    fn looked_up(bytes: [u8; 256], weights: [f32; 128], x: &[u32], o: &mut [u32]) {
        let mut sum = 0.0f32;
        for i in 0..weights.len() {
            sum += weights[i] * i as f32;
        }
        for i in 0..x.len() {
            o[i] = bytes[x[i] as usize] as u32;
        }
        o[x.len()] = sum as u32;
        o[x.len() + 1] = bytes[255] as u32 + bytes.len() as u32;
    }
    let bytes: [u8; 256] = std::array::from_fn(|i| (i as u8).wrapping_mul(7) ^ 0x5a);
    let x: Vec<u32> = (0..20).map(|i| i * 13 % 256).collect();
    let mut expected: Vec<u32> = x.iter().map(|&i| bytes[i as usize].into()).collect();
    expected.push((0..128).sum::<u32>() * 2);
    expected.push(u32::from(bytes[255]) + 256);
    crate::expect(&expected, |device, out| looked_up::launch(device, 1, bytes, [2.0; 128], &device.upload(&x)?, out));
}

#[test]
fn structs_of_some_hundred_numbers_are_passed_by_value() {
    #[kernel(workgroup_size(1))]
    fn tables(mut t: Tables, o: &mut [u32]) {
        for i in 0..o.len() {
            let j = t.order[i * 5 % 64] as usize;
            o[i] = (t.a[j % 4][i % 8] as f32 * t.scale) as u32;
            t.order[i * 5 % 64] += 1;
        }
    }
    let t = Tables {
        a: std::array::from_fn(|i| std::array::from_fn(|j| (i * 100 + j) as u16)),
        scale: 0.5,
        order: std::array::from_fn(|i| 63 - i as u8),
    };
    let value = |i: usize| (f32::from(t.a[usize::from(t.order[i * 5 % 64]) % 4][i % 8]) * 0.5) as u32;
    let expected: Vec<u32> = (0..20).map(value).collect();
    crate::expect(&expected, |device, out| tables::launch(device, 1, t, out));
}
