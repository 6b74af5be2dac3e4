//! `bf16`: stored, and converted from and to `f32`.

use samebits::prelude::*;

/// All values to `f32`, and floats around the middles between two of them back.
#[test]
fn conversions_of_bfloats() {
    #[kernel(workgroup_size(64))]
    fn k(x: &[bf16], f: &[f32], wide: &mut [u32], back: &mut [bf16]) {
        let i = global_id().x;
        if i < x.len() && i < wide.len() {
            wide[i] = x[i].to_f32().to_bits() ^ (f32::from(x[i]).to_bits() & 1);
        }
        if i < f.len() && i < back.len() {
            back[i] = bf16::from_f32(f[i]);
        }
    }
    let x: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
    let expected: Vec<u32> =
        x.iter().map(|v| if v.is_nan() { 0x7fc0_0000 } else { u32::from(v.to_bits()) << 16 }).collect();
    let middles = (0..=u16::MAX)
        .flat_map(|high| [0u32, 1, 0x7fff, 0x8000, 0x8001, 0xffff].map(|low| u32::from(high) << 16 | low));
    let floats: Vec<f32> = middles.step_by(7).map(f32::from_bits).collect();
    for device in crate::devices() {
        let (mut wide, mut back) = (device.zeros(x.len()).unwrap(), device.zeros(floats.len()).unwrap());
        let (x, f) = (device.upload(&x).unwrap(), device.upload(&floats).unwrap());
        k::launch(device, x.len(), &x, &f, &mut wide, &mut back).unwrap();
        assert!(wide.read().unwrap() == expected, "on {}", device.name());
        for (f, found) in floats.iter().zip(back.read().unwrap()) {
            // The `half` crate keeps the bits of a NaN.
            let nearest = if f.is_nan() { 0x7fc0 } else { bf16::from_f32(*f).to_bits() };
            assert_eq!(found.to_bits(), nearest, "{:#x} on {}", f.to_bits(), device.name());
        }
    }
}

/// In structs, arrays, workgroup memory, arguments, generics and parts.
#[test]
fn bfloats_in_memory() {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Weights {
        bias: bf16,
        by: [bf16; 3],
    }
    #[device]
    fn dot(a: &[bf16], b: &[bf16]) -> f32 {
        let mut sum = 0.0;
        for (a, b) in a.iter().zip(b) {
            sum += a.to_f32() * f32::from(*b);
        }
        sum
    }
    #[device]
    fn second<T: Element>(x: &[T]) -> T {
        x[1]
    }
    #[kernel(workgroup_size(4))]
    fn k(scale: bf16, weights: &[Weights], x: &[bf16], y: &mut [bf16]) {
        #[shared]
        let tile: [bf16; 4];
        let i = local_index();
        tile[i] = x[i];
        workgroup_barrier();
        let w = weights[0];
        let mut own = [w.bias; 2];
        own[1] = tile[3 - i];
        let sum = dot(&w.by, &tile[..3]) + own[i % 2].to_f32() * scale.to_f32();
        y[i] = bf16::from_f32(sum);
        if i == 0 {
            y[4] = second(&tile);
            y[5..].fill(bf16::from_bits(second(x).to_bits() ^ 0x8000));
        }
    }
    let b = |x: f32| bf16::from_f32(x);
    let weights = Weights { bias: b(0.5), by: [b(1.5), b(-2.0), b(3.25)] };
    let x = [b(1.0), b(0.25), b(-4.0), b(8.0)];
    // 1.5 - 0.5 - 13.0
    let sum = -12.0f32;
    let own = [0.5f32, -4.0, 0.5, 1.0];
    let mut expected: Vec<u16> = own.iter().map(|own| b(sum + own * 3.0).to_bits()).collect();
    expected.extend([b(0.25), b(-0.25), b(-0.25)].map(bf16::to_bits));
    for device in crate::devices() {
        let mut y = device.zeros::<bf16>(7).unwrap();
        let (weights, x) = (device.upload(&[weights]).unwrap(), device.upload(&x).unwrap());
        k::launch(device, 4, b(3.0), &weights, &x, &mut y).unwrap();
        let found: Vec<u16> = y.read().unwrap().iter().map(|v| v.to_bits()).collect();
        assert_eq!(found, expected, "on {}", device.name());
    }
}
